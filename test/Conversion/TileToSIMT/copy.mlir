// RUN: tile-opt %s --tile-set-target=chip=sm_90a --convert-tile-to-gpu --canonicalize --cse | FileCheck %s

// Whole tiles inside a static buffer: 16 bytes at a time and no test.
// CHECK-LABEL: gpu.func @proven_0
// CHECK-NOT: scf.if
// CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-COUNT-4: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
// CHECK-NOT: scf.if
// CHECK: gpu.return
func.func @proven(%a: memref<64x64xf32>) {
  tile.kernel (%b) in (2) {
    %s = tile.alloc : memref<32x64xf32, #tile.shared>
    tile.copy %a[%b * 32, 0], %s : memref<64x64xf32>, memref<32x64xf32, #tile.shared>
  }
  return
}

// The sizes decide: one test for the tile, a fast side of vectors, a slow side that tests each element and reads 0 outside.
// CHECK-LABEL: gpu.func @two_sides_0
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: arith.cmpi sle
// CHECK: scf.if
// CHECK-COUNT-4: llvm.load %{{.*}} : !llvm.ptr<1> -> vector<4xf32>
// CHECK: } else {
// CHECK: scf.for
// CHECK: arith.cmpi ult
// CHECK: %[[V:.*]] = scf.if %{{.*}} -> (f32)
// CHECK: llvm.load %{{.*}} : !llvm.ptr<1> -> f32
// CHECK: scf.yield %[[ZERO]] : f32
// CHECK: llvm.store %[[V]], %{{.*}} : f32, !llvm.ptr<3>
func.func @two_sides(%a: memref<?x64xf32>) {
  tile.kernel (%b) in (2) {
    %s = tile.alloc : memref<32x64xf32, #tile.shared>
    tile.copy %a[%b * 32, 0], %s : memref<?x64xf32>, memref<32x64xf32, #tile.shared>
  }
  return
}

// More elements of a thread than are under way at a time: the slow sides are
// loops, through memory of the thread.
// CHECK-LABEL: gpu.func @many_0
// CHECK: %[[STAGING:.*]] = llvm.alloca %{{.*}} x !llvm.array<128 x i8>
// CHECK: scf.if
// CHECK-COUNT-8: llvm.load %{{.*}} : !llvm.ptr<1> -> vector<4xf32>
// CHECK: } else {
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %c32_i32 step %c8_i32
// CHECK: %[[V:.*]] = scf.if %{{.*}} -> (f32)
// CHECK: %[[P:.*]] = llvm.getelementptr %[[STAGING]][%[[I]]]
// CHECK: llvm.store %[[V]], %[[P]]
// CHECK: }
// CHECK-COUNT-32: llvm.store %{{.*}} : f32, !llvm.ptr
// CHECK: scf.if
// CHECK-COUNT-8: llvm.store %{{.*}} : vector<4xf32>, !llvm.ptr<1>
// CHECK: } else {
// CHECK: scf.for %{{.*}} to %c32_i32 step %c8_i32
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<1>
func.func @many(%a: memref<?x64xf32>) {
  tile.kernel (%b) in (2) threads(128) {
    %f = tile.alloc {layout = #tile.layout<[64: 8 reg*4, 4 warp, 2 lane*16][64: 16 lane, 4 reg]>} : memref<64x64xf32, #tile.fragment>
    tile.copy %a[%b * 64, 0], %f : memref<?x64xf32>, memref<64x64xf32, #tile.fragment>
    tile.copy %f, %a[%b * 64, 0] : memref<64x64xf32, #tile.fragment>, memref<?x64xf32>
  }
  return
}

// What lies outside reads as the buffer's safe value.
// CHECK-LABEL: gpu.func @safe_value_0
// CHECK-DAG: %[[INF:.*]] = arith.constant 0xFF800000 : f32
// CHECK: } else {
// CHECK: scf.yield %[[INF]] : f32
func.func @safe_value(%a: memref<?xf32>) {
  %low = arith.constant 0xFF800000 : f32
  tile.kernel (%b) in (2) threads(32) {
    tile.safe_value %a, %low : memref<?xf32>
    %s = tile.alloc {layout = #tile.layout<[64: 2 reg, 32 lane]>} : memref<64xf32, #tile.fragment>
    tile.copy %a[%b * 64], %s : memref<?xf32>, memref<64xf32, #tile.fragment>
  }
  return
}

// Outside nothing is written.
// CHECK-LABEL: gpu.func @store_0
// CHECK: scf.if
// CHECK: llvm.store %{{.*}} : vector<2xf16>, !llvm.ptr<1>
// CHECK: } else {
// CHECK: %[[IN:.*]] = arith.cmpi ult
// CHECK: scf.if %[[IN]]
// CHECK: llvm.store %{{.*}} : f16, !llvm.ptr<1>
func.func @store(%a: memref<?xf16>) {
  tile.kernel (%b) in (2) threads(32) {
    %s = tile.alloc {layout = #tile.layout<[64: 32 lane, 2 reg]>} : memref<64xf16, #tile.fragment>
    tile.copy %s, %a[%b * 64] : memref<64xf16, #tile.fragment>, memref<?xf16>
  }
  return
}

// A stride that is known at run time must be a multiple of the vector, or the slow side runs.
// CHECK-LABEL: gpu.func @stride_0(
// CHECK-SAME: strides = [?, 1]
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK: %[[REST:.*]] = arith.remui %{{.*}}, %[[C4]] : index
// CHECK: %[[OK:.*]] = arith.cmpi eq, %[[REST]], %[[C0]] : index
// CHECK: scf.if %[[OK]]
// CHECK: vector<4xf32>
func.func @stride(%a: memref<32x64xf32, strided<[?, 1]>>) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<32x64xf32, #tile.shared>
    tile.copy %a, %s : memref<32x64xf32, strided<[?, 1]>>, memref<32x64xf32, #tile.shared>
  }
  return
}

// A swizzled tile keeps units of 16 bytes together.
// CHECK-LABEL: gpu.func @swizzled_0
// CHECK: arith.xori
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<3>
func.func @swizzled(%a: memref<64x64xf16>) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc {layout = #tile.layout<[64: 64 offset*64][64: 64 offset] swizzle(3, 3, 3)>} : memref<64x64xf16, #tile.shared>
    tile.copy %a, %s : memref<64x64xf16>, memref<64x64xf16, #tile.shared>
  }
  return
}

// Casts are of vectors too.
// CHECK-LABEL: gpu.func @casts_0
// CHECK: %[[V:.*]] = llvm.load %{{.*}} : !llvm.ptr<1> -> vector<4xf32>
// CHECK: %[[H:.*]] = arith.truncf %[[V]] : vector<4xf32> to vector<4xf16>
// CHECK: llvm.store %[[H]], %{{.*}} {alignment = 8 : i64} : vector<4xf16>, !llvm.ptr<3>
func.func @casts(%a: memref<512xf32>) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<512xf16, #tile.shared>
    tile.copy %a, %s : memref<512xf32>, memref<512xf16, #tile.shared>
  }
  return
}

// A fragment whose target asks for the same threads moves in registers only.
// CHECK-LABEL: gpu.func @same_threads_0
// CHECK-NOT: gpu.barrier
// CHECK-NOT: !llvm.ptr<3>{{$}}
// CHECK: arith.truncf %{{.*}} : vector<2xf32> to vector<2xf16>
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func @same_threads() {
  tile.kernel (%b) in (1) threads(32) {
    %f = tile.alloc {layout = #tile.layout<[64: 32 lane, 2 reg]>} : memref<64xf32, #tile.fragment>
    %g = tile.alloc {layout = #tile.layout<[64: 32 lane, 2 reg]>} : memref<64xf16, #tile.fragment>
    tile.copy %f, %g : memref<64xf32, #tile.fragment>, memref<64xf16, #tile.fragment>
  }
  return
}

// Another partition goes through shared memory, between barriers.
// CHECK-LABEL: gpu.func @other_threads_0(
// CHECK-SAME: shared = 256>
// CHECK: gpu.barrier
// CHECK: llvm.store %{{.*}} : vector<2xf32>, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK-COUNT-2: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
func.func @other_threads() {
  tile.kernel (%b) in (1) threads(32) {
    %f = tile.alloc {layout = #tile.layout<[64: 32 lane, 2 reg]>} : memref<64xf32, #tile.fragment>
    %g = tile.alloc {layout = #tile.layout<[64: 2 reg, 32 lane]>} : memref<64xf32, #tile.fragment>
    tile.copy %f, %g : memref<64xf32, #tile.fragment>, memref<64xf32, #tile.fragment>
  }
  return
}

// Asynchronous copies pass by the registers; the slow side does not.
// CHECK-LABEL: gpu.func @asynchronous_0
// CHECK: scf.if
// CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache =  cg
// CHECK: } else {
// CHECK-NOT: nvvm.cp.async
// CHECK: gpu.return
func.func @asynchronous(%a: memref<?x64xf16>) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<32x64xf16, #tile.shared>
    tile.copy %a[%b * 32, 0], %s {instruction = #tile.transfer<cp_async>} : memref<?x64xf16>, memref<32x64xf16, #tile.shared>
  }
  return
}

// Copies of a fragment's elements are written once.
// CHECK-LABEL: gpu.func @once_0
// CHECK: %[[FIRST:.*]] = arith.cmpi ult
// CHECK: scf.if %[[FIRST]]
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<1>
func.func @once(%a: memref<16xf32>) {
  tile.kernel (%b) in (1) threads(32) {
    %f = tile.alloc {layout = #tile.layout<[16: 16 lane*2] rep(2 lane)>} : memref<16xf32, #tile.fragment>
    tile.copy %f, %a : memref<16xf32, #tile.fragment>, memref<16xf32>
  }
  return
}

// CHECK-LABEL: gpu.func @fill_0
// CHECK-DAG: %[[V:.*]] = vector.broadcast %{{.*}} : f16 to vector<8xf16>
// CHECK-DAG: llvm.store %[[V]], %{{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<3>
// CHECK: llvm.store %{{.*}} : f16, !llvm.ptr{{$}}
func.func @fill(%x: f16) {
  tile.kernel (%b) in (1) threads(32) {
    %s = tile.alloc : memref<256xf16, #tile.shared>
    %f = tile.alloc {layout = #tile.layout<[32: 32 lane]>} : memref<32xf16, #tile.fragment>
    tile.fill %s, %x : memref<256xf16, #tile.shared>
    tile.fill %f, %x : memref<32xf16, #tile.fragment>
  }
  return
}

// A tensor copy that no ring waits for is made by the threads.
// CHECK-LABEL: gpu.func @no_signal_0(
// CHECK-SAME: parameters = [<pointer, argument = 0>], grid = [1]
// CHECK-NOT: nvvm.cp.async.bulk
// CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-NOT: nvvm.cp.async.bulk
func.func @no_signal(%a: memref<64x32xf32>) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<64x32xf32, #tile.shared>
    tile.copy %a, %s {instruction = #tile.transfer<tma>} : memref<64x32xf32>, memref<64x32xf32, #tile.shared>
  }
  return
}
