// RUN: tile-opt %s --split-input-file --tile-set-target=chip=gfx942 --tile-select-instructions --tile-infer-layout --convert-tile-to-gpu --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,GFX942
// RUN: tile-opt %s --split-input-file --tile-set-target=chip=gfx950 --tile-select-instructions --tile-infer-layout --convert-tile-to-gpu --canonicalize --cse | FileCheck %s --check-prefixes=CHECK,GFX950

// 16 bytes of K at once are two steps of gfx942, each of which takes a half, and one of gfx950. The sums are whole vectors.

// CHECK-LABEL: gpu.func @along_k_0
// CHECK: llvm.load {{.*}} : !llvm.ptr<5> -> vector<16xf32>
// CHECK: %[[A:.*]] = llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xf16>
// CHECK: %[[B:.*]] = llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xf16>
// GFX942: %[[A0:.*]] = llvm.shufflevector %[[A]], %[[A]] [0, 1, 2, 3]
// GFX942: %[[B0:.*]] = llvm.shufflevector %[[B]], %[[B]] [0, 1, 2, 3]
// GFX942: %[[C0:.*]] = rocdl.mfma.f32.32x32x8f16 %[[A0]], %[[B0]]
// GFX942: %[[A1:.*]] = llvm.shufflevector %[[A]], %[[A]] [4, 5, 6, 7]
// GFX942: %[[B1:.*]] = llvm.shufflevector %[[B]], %[[B]] [4, 5, 6, 7]
// GFX942: %[[C1:.*]] = rocdl.mfma.f32.32x32x8f16 %[[A1]], %[[B1]], %[[C0]]
// GFX942: llvm.store %[[C1]], {{.*}} : vector<16xf32>, !llvm.ptr<5>
// GFX950: %[[C:.*]] = rocdl.mfma.f32.32x32x16.f16 %[[A]], %[[B]]
// GFX950: llvm.store %[[C]], {{.*}} : vector<16xf32>, !llvm.ptr<5>
func.func @along_k() {
  tile.kernel (%b) in (1) threads(64) {
    %x = tile.alloc : memref<32x16xf16, #tile.shared>
    %y = tile.alloc : memref<32x16xf16, #tile.shared>
    %c = tile.alloc : memref<32x32xf32, #tile.fragment>
    tile.gemm %x, %y, %c {transpose_b} : memref<32x16xf16, #tile.shared>, memref<32x16xf16, #tile.shared>, memref<32x32xf32, #tile.fragment>
  }
  return
}

// -----

// The first instructions for bf16 take 16-bit integers. Sums of a narrow accumulator are f32 and rounded once.

// CHECK-LABEL: gpu.func @narrow_0
// CHECK: arith.extf {{.*}} : vector<16xbf16> to vector<16xf32>
// GFX942: rocdl.mfma.f32.32x32x8bf16.1k {{.*}} : (vector<4xi16>, vector<4xi16>, vector<16xf32>, i32, i32, i32)
// GFX950: rocdl.mfma.f32.32x32x16.bf16 {{.*}} : (vector<8xbf16>, vector<8xbf16>, vector<16xf32>, i32, i32, i32)
// CHECK: arith.truncf {{.*}} : vector<16xf32> to vector<16xbf16>
func.func @narrow() {
  tile.kernel (%b) in (1) threads(64) {
    %x = tile.alloc : memref<32x16xbf16, #tile.shared>
    %c = tile.alloc : memref<32x32xbf16, #tile.fragment>
    tile.gemm %x, %x, %c {transpose_b} : memref<32x16xbf16, #tile.shared>, memref<32x16xbf16, #tile.shared>, memref<32x32xbf16, #tile.fragment>
  }
  return
}

// -----

// Bytes are packed into a word or two; f32 are single values.

// CHECK-LABEL: gpu.func @bytes_0
// CHECK: llvm.bitcast {{.*}} : vector<8xi8> to i64
// CHECK: rocdl.mfma.i32.16x16x32.i8 {{.*}} : (i64, i64, vector<4xi32>, i32, i32, i32)
// CHECK: rocdl.mfma.f32.16x16x4f32 {{.*}} : (f32, f32, vector<4xf32>, i32, i32, i32)
func.func @bytes() {
  tile.kernel (%b) in (1) threads(64) {
    %x = tile.alloc : memref<16x64xi8, #tile.shared>
    %c = tile.alloc : memref<16x16xi32, #tile.fragment>
    tile.gemm %x, %x, %c {instruction = #tile.mma<mfma, m = 16, n = 16, k = 32, warps_m = 1, warps_n = 1>, transpose_b} : memref<16x64xi8, #tile.shared>, memref<16x64xi8, #tile.shared>, memref<16x16xi32, #tile.fragment>
    %y = tile.alloc : memref<16x16xf32, #tile.shared>
    %d = tile.alloc : memref<16x16xf32, #tile.fragment>
    tile.gemm %y, %y, %d {transpose_b} : memref<16x16xf32, #tile.shared>, memref<16x16xf32, #tile.shared>, memref<16x16xf32, #tile.fragment>
  }
  return
}

// -----

// An operand in registers has the order of its instruction, and the other one follows: 8 bytes at once on gfx942.

// CHECK-LABEL: gpu.func @registers_0
// GFX942: llvm.load {{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<4xf16>
// GFX950: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xf16>
// CHECK: rocdl.mfma
func.func @registers() {
  tile.kernel (%b) in (1) threads(64) {
    %x = tile.alloc : memref<32x16xf16, #tile.fragment>
    %y = tile.alloc : memref<32x16xf16, #tile.shared>
    %c = tile.alloc : memref<32x32xf32, #tile.fragment>
    tile.gemm %x, %y, %c {clear, transpose_b} : memref<32x16xf16, #tile.fragment>, memref<32x16xf16, #tile.shared>, memref<32x32xf32, #tile.fragment>
  }
  return
}
