// RUN: tile-opt %s --tile-set-target=chip=gfx950 --tile-select-instructions --tile-infer-layout --convert-tile-to-simt --canonicalize --cse | FileCheck %s

// Products of 8-bit floats with a long K: the instruction takes any two types, of which the code of the first is 0, that of
// the second 1; scales of zero stand for none. The two runs of 16 bytes of a lane are 32 apart.

// CHECK-LABEL: gpu.func @f8f6f4
// CHECK-DAG: %[[E4M3:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[E5M2:.*]] = arith.constant 1 : i32
// CHECK-COUNT-4: llvm.load {{.*}} vector<16xi8>
// CHECK: rocdl.mfma.scale.f32.32x32x64.f8f6f4 {{%[^,]*}}, {{%[^,]*}}, {{%[^,]*}}, %[[E4M3]], %[[E5M2]], %[[E4M3]], %[[E4M3]], %[[E4M3]], %[[E4M3]] : (vector<8xi32>, vector<8xi32>, vector<16xf32>, i32, i32, i32, i32, i32, i32) -> vector<16xf32>
// CHECK-NOT: rocdl.mfma
func.func @f8f6f4() {
  tile.kernel (%b) in (1) threads(64) {
    %x = tile.alloc : memref<32x64xf8E4M3FN, #tile.shared>
    %y = tile.alloc : memref<32x64xf8E5M2, #tile.shared>
    %c = tile.alloc : memref<32x32xf32, #tile.fragment>
    tile.gemm %x, %y, %c {transpose_b} : memref<32x64xf8E4M3FN, #tile.shared>, memref<32x64xf8E5M2, #tile.shared>, memref<32x32xf32, #tile.fragment>
  }
  return
}

// Integers: 16 consecutive bytes of a lane.

// CHECK-LABEL: gpu.func @i8
// CHECK: rocdl.mfma.i32.32x32x32.i8 {{.*}} : (vector<4xi32>, vector<4xi32>, vector<16xi32>, i32, i32, i32) -> vector<16xi32>
func.func @i8() {
  tile.kernel (%b) in (1) threads(64) {
    %x = tile.alloc : memref<32x64xi8, #tile.shared>
    %c = tile.alloc : memref<32x32xi32, #tile.fragment>
    tile.gemm %x, %x, %c {transpose_b} : memref<32x64xi8, #tile.shared>, memref<32x64xi8, #tile.shared>, memref<32x32xi32, #tile.fragment>
  }
  return
}
