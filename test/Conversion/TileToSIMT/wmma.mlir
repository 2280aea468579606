// RUN: tile-opt %s --split-input-file --tile-select-instructions --tile-infer-layout --convert-tile-to-simt --canonicalize --cse | FileCheck %s

// WMMA of gfx11: a lane has all 16 elements of a row along K, and so has the lane 16 further; of the sums it has every second row.

module attributes {tile.target = #tile.target<"gfx1100">} {
// CHECK-LABEL: gpu.func @halves
// CHECK: rocdl.wmma.f32.16x16x16.f16 {{.*}} : (vector<16xf16>, vector<16xf16>, vector<8xf32>) -> vector<8xf32>
// CHECK: rocdl.wmma.f32.16x16x16.bf16 {{.*}} : (vector<16xi16>, vector<16xi16>, vector<8xf32>) -> vector<8xf32>
// CHECK-NOT: rocdl.wmma
func.func @halves() {
  tile.kernel (%b) in (1) threads(32) {
    %x = tile.alloc : memref<16x16xf16, #tile.shared>
    %y = tile.alloc : memref<16x16xbf16, #tile.shared>
    %c = tile.alloc : memref<16x16xf32, #tile.fragment>
    tile.gemm %x, %x, %c {transpose_b} : memref<16x16xf16, #tile.shared>, memref<16x16xf16, #tile.shared>, memref<16x16xf32, #tile.fragment>
    tile.gemm %y, %y, %c {transpose_b} : memref<16x16xbf16, #tile.shared>, memref<16x16xbf16, #tile.shared>, memref<16x16xf32, #tile.fragment>
  }
  return
}

// Bytes with and without a sign.

// CHECK-LABEL: gpu.func @bytes
// CHECK: rocdl.wmma.i32.16x16x16.iu8 {{.*}}signA = true, signB = true{{.*}} : (vector<4xi32>, vector<4xi32>, vector<8xi32>) -> vector<8xi32>
// CHECK: rocdl.wmma.i32.16x16x16.iu8 {{.*}}signB = true
// CHECK-NOT: rocdl.wmma
func.func @bytes() {
  tile.kernel (%b) in (1) threads(32) {
    %x = tile.alloc : memref<16x16xi8, #tile.shared>
    %c = tile.alloc : memref<16x16xi32, #tile.fragment>
    tile.gemm %x, %x, %c {transpose_b} : memref<16x16xi8, #tile.shared>, memref<16x16xi8, #tile.shared>, memref<16x16xi32, #tile.fragment>
    tile.gemm %x, %x, %c {a_unsigned, transpose_b} : memref<16x16xi8, #tile.shared>, memref<16x16xi8, #tile.shared>, memref<16x16xi32, #tile.fragment>
  }
  return
}
}

// -----

// gfx12: a lane has half of a row along K, and 8-bit floats are multiplied.

module attributes {tile.target = #tile.target<"gfx1200">} {
// CHECK-LABEL: gpu.func @halves
// CHECK: rocdl.wmma.f32.16x16x16.f16 {{.*}} : (vector<8xf16>, vector<8xf16>, vector<8xf32>) -> vector<8xf32>
// CHECK: rocdl.wmma.f32.16x16x16.fp8_bf8 {{.*}} : (vector<2xi32>, vector<2xi32>, vector<8xf32>) -> vector<8xf32>
func.func @halves() {
  tile.kernel (%b) in (1) threads(32) {
    %x = tile.alloc : memref<16x16xf16, #tile.shared>
    %y = tile.alloc : memref<16x16xf8E4M3FN, #tile.shared>
    %z = tile.alloc : memref<16x16xf8E5M2, #tile.shared>
    %c = tile.alloc : memref<16x16xf32, #tile.fragment>
    tile.gemm %x, %x, %c {transpose_b} : memref<16x16xf16, #tile.shared>, memref<16x16xf16, #tile.shared>, memref<16x16xf32, #tile.fragment>
    tile.gemm %y, %z, %c {transpose_b} : memref<16x16xf8E4M3FN, #tile.shared>, memref<16x16xf8E5M2, #tile.shared>, memref<16x16xf32, #tile.fragment>
  }
  return
}
}
