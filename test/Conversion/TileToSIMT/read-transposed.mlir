// RUN: tile-opt %s --split-input-file --tile-select-instructions --tile-infer-layout --convert-tile-to-simt --canonicalize --cse | FileCheck %s

// gfx950: operands that lie across K are read by an instruction that transposes among 16 lanes, four halves or eight bytes a lane
// at once. Lane l reads row l / 4 of four halves, or l / 2 of eight bytes.

module attributes {tile.target = #tile.target<"gfx950">} {
// CHECK-LABEL: gpu.func @halves
// CHECK-DAG: %[[FOUR:.*]] = arith.constant 4 : i32
// CHECK: %[[PART:.*]] = arith.remui %[[LANE:.*]], %[[FOUR]]
// CHECK-DAG: arith.muli %[[PART]], %[[FOUR]]
// CHECK-DAG: arith.divui %[[LANE]], %[[FOUR]]
// CHECK: llvm.load {{.*}} vector<8xf16>
// CHECK-COUNT-2: rocdl.ds.read.tr16.b64 {{.*}} -> vector<4xf16>
// CHECK-NOT: ds.read
// CHECK: rocdl.mfma.f32.16x16x32.f16
func.func @halves() {
  tile.kernel (%b) in (1) threads(64) {
    %x = tile.alloc : memref<16x32xf16, #tile.shared>
    %y = tile.alloc : memref<32x16xf16, #tile.shared>
    %c = tile.alloc : memref<16x16xf32, #tile.fragment>
    tile.gemm %x, %y, %c : memref<16x32xf16, #tile.shared>, memref<32x16xf16, #tile.shared>, memref<16x16xf32, #tile.fragment>
  }
  return
}

// CHECK-LABEL: gpu.func @bytes
// CHECK-COUNT-2: rocdl.ds.read.tr8.b64 {{.*}} -> vector<2xi32>
// CHECK-NOT: ds.read
// CHECK: rocdl.mfma.i32.32x32x32.i8
func.func @bytes() {
  tile.kernel (%b) in (1) threads(64) {
    %x = tile.alloc : memref<32x32xi8, #tile.shared>
    %c = tile.alloc : memref<32x32xi32, #tile.fragment>
    tile.gemm %x, %x, %c {transpose_a} : memref<32x32xi8, #tile.shared>, memref<32x32xi8, #tile.shared>, memref<32x32xi32, #tile.fragment>
  }
  return
}

// There is none for f32.

// CHECK-LABEL: gpu.func @words
// CHECK-NOT: ds.read
// CHECK: rocdl.mfma.f32.16x16x4f32
func.func @words() {
  tile.kernel (%b) in (1) threads(64) {
    %x = tile.alloc : memref<16x16xf32, #tile.shared>
    %c = tile.alloc : memref<16x16xf32, #tile.fragment>
    tile.gemm %x, %x, %c : memref<16x16xf32, #tile.shared>, memref<16x16xf32, #tile.shared>, memref<16x16xf32, #tile.fragment>
  }
  return
}
}

// -----

// gfx942 has none.

module attributes {tile.target = #tile.target<"gfx942">} {
// CHECK-LABEL: gpu.func @elements
// CHECK-NOT: ds.read
// CHECK: rocdl.mfma.f32.16x16x16f16
func.func @elements() {
  tile.kernel (%b) in (1) threads(64) {
    %x = tile.alloc : memref<16x16xf16, #tile.shared>
    %c = tile.alloc : memref<16x16xf32, #tile.fragment>
    tile.gemm %x, %x, %c : memref<16x16xf16, #tile.shared>, memref<16x16xf16, #tile.shared>, memref<16x16xf32, #tile.fragment>
  }
  return
}
}
