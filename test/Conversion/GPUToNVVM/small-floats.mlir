// RUN: tile-opt %s --pass-pipeline="builtin.module(gpu.module(tile-lower-nvvm-small-floats))" | FileCheck %s

// The instruction saturates; what is above the largest finite value becomes the next code.
// CHECK-LABEL: gpu.func @truncate
// CHECK: nvvm.convert.f32x2.to.f8x2 %{{.*}}, %[[X:.*]] {{.*}} : i16(f8E4M3FN)
// CHECK: %[[LIMIT:.*]] = arith.constant 4.640000e+02 : f32
// CHECK: arith.cmpf ogt, %{{.*}}, %[[LIMIT]]
// CHECK: arith.select
// CHECK: arith.bitcast %{{.*}} : i8 to f8E4M3FN
// CHECK: nvvm.convert.f32x2.to.f8x2 {{.*}} : i16(f8E5M2)
// CHECK: arith.cmpf oge
// CHECK-LABEL: gpu.func @vectors
// CHECK-COUNT-2: nvvm.convert.f32x2.to.f8x2
// CHECK-NOT: nvvm.convert.f32x2
// CHECK-COUNT-2: nvvm.convert.f8x2.to.f16x2
// CHECK-NOT: nvvm.convert
// CHECK: gpu.return
gpu.module @m attributes {tile.target = #tile.target<"sm_90a">} {
  gpu.func @truncate(%x: f32) -> (f8E4M3FN, f8E5M2) {
    %a = arith.truncf %x : f32 to f8E4M3FN
    %b = arith.truncf %x : f32 to f8E5M2
    gpu.return %a, %b : f8E4M3FN, f8E5M2
  }
  gpu.func @vectors(%x: vector<3xf32>) -> vector<3xf32> {
    %a = arith.truncf %x : vector<3xf32> to vector<3xf8E4M3FN>
    %b = arith.extf %a : vector<3xf8E4M3FN> to vector<3xf32>
    gpu.return %b : vector<3xf32>
  }
}

// What is clamped to the finite values needs no comparison, and no clamp to the largest of them unless it drops a NaN.
// CHECK-LABEL: gpu.func @clamped
// CHECK-SAME: (%[[X:[^:]*]]: f32
// CHECK-NOT: arith.cmpf
// CHECK: nvvm.convert.f32x2.to.f8x2 %{{.*}}, %[[X]] {{.*}} : i16(f8E4M3FN)
// CHECK-NOT: arith.cmpf
// CHECK: %[[KEPT:.*]] = arith.minnumf
// CHECK: nvvm.convert.f32x2.to.f8x2 %{{.*}}, %[[KEPT]] {{.*}} : i16(f8E5M2)
// CHECK-NOT: arith.cmpf
// CHECK: arith.minimumf
// CHECK: nvvm.convert.f32x2.to.f8x2
// CHECK: arith.cmpf ogt
gpu.module @clamps attributes {tile.target = #tile.target<"sm_90a">} {
  gpu.func @clamped(%x: f32) -> (f8E4M3FN, f8E5M2, f8E4M3FN) {
    %low = arith.constant -448.0 : f32
    %high = arith.constant 448.0 : f32
    %higher = arith.constant 460.0 : f32
    %below = arith.maximumf %x, %low : f32
    %all = arith.minimumf %below, %high : f32
    %a = arith.truncf %all : f32 to f8E4M3FN
    %number = arith.minnumf %below, %high : f32
    %b = arith.truncf %number : f32 to f8E5M2
    %some = arith.minimumf %below, %higher : f32
    %c = arith.truncf %some : f32 to f8E4M3FN
    gpu.return %a, %b, %c : f8E4M3FN, f8E5M2, f8E4M3FN
  }
}

// A chip without the instruction, other rounding, other formats.
// CHECK-LABEL: gpu.module @old
// CHECK-NOT: nvvm
// CHECK-LABEL: gpu.module @others
// CHECK-NOT: nvvm
gpu.module @old attributes {tile.target = #tile.target<"sm_80">} {
  gpu.func @truncate(%x: f32) -> f8E4M3FN {
    %a = arith.truncf %x : f32 to f8E4M3FN
    gpu.return %a : f8E4M3FN
  }
}
gpu.module @others attributes {tile.target = #tile.target<"sm_90a">} {
  gpu.func @truncate(%x: f32, %h: f16) -> (f8E4M3FN, f8E4M3FNUZ, f8E5M2) {
    %a = arith.truncf %x to_nearest_away : f32 to f8E4M3FN
    %b = arith.truncf %x : f32 to f8E4M3FNUZ
    %c = arith.truncf %h : f16 to f8E5M2
    gpu.return %a, %b, %c : f8E4M3FN, f8E4M3FNUZ, f8E5M2
  }
}

// The bits of bf16 are those of the upper half; vectors that are put together of elements are left to the conversion.
// CHECK-LABEL: gpu.func @halves
// CHECK: %[[W:.*]] = vector.extract %{{.*}}[0] : i32 from vector<2xi32>
// CHECK-DAG: arith.shli %[[W]], %{{.*}} : i32
// CHECK-DAG: arith.andi %[[W]], %{{.*}} : i32
// CHECK: vector.from_elements %{{.*}} : vector<4xf32>
// CHECK-LABEL: gpu.func @gathered
// CHECK: arith.extf %{{.*}} : vector<2xbf16> to vector<2xf32>
// CHECK-LABEL: gpu.func @odd
// CHECK: arith.extf %{{.*}} : vector<3xbf16> to vector<3xf32>
// One element is the upper half of a word.
// CHECK-LABEL: gpu.func @one
// CHECK-SAME: (%[[X:.*]]: bf16)
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : bf16
// CHECK: %[[PAIR:.*]] = vector.from_elements %[[ZERO]], %[[X]] : vector<2xbf16>
// CHECK: vector.bitcast %[[PAIR]] : vector<2xbf16> to vector<1xf32>
// CHECK-NOT: arith.extf
gpu.module @words attributes {tile.target = #tile.target<"sm_90a">} {
  gpu.func @halves(%x: vector<4xbf16>) -> vector<4xf32> {
    %a = arith.extf %x : vector<4xbf16> to vector<4xf32>
    gpu.return %a : vector<4xf32>
  }
  gpu.func @gathered(%x: bf16, %y: bf16) -> vector<2xf32> {
    %pair = vector.from_elements %x, %y : vector<2xbf16>
    %a = arith.extf %pair : vector<2xbf16> to vector<2xf32>
    gpu.return %a : vector<2xf32>
  }
  gpu.func @odd(%x: vector<3xbf16>) -> vector<3xf32> {
    %a = arith.extf %x : vector<3xbf16> to vector<3xf32>
    gpu.return %a : vector<3xf32>
  }
  gpu.func @one(%x: bf16) -> f32 {
    %a = arith.extf %x : bf16 to f32
    gpu.return %a : f32
  }
}
