// RUN: tile-opt %s --split-input-file --tile-to-gpu-pipeline=chip=sm_80 | FileCheck %s
// RUN: tile-opt %s --split-input-file --tile-to-gpu-pipeline=chip=sm_80 --remarks-filter='convert-tile-to-simt' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Rows of A along K, rows of B along N: the second comes transposed. Each warp
// of 2 x 2 has 2 x 4 instructions a step, of which A takes 4 registers and B 2.
// CHECK-LABEL: gpu.func @nn_0(
// CHECK-COUNT-8: nvvm.ldmatrix {{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<{{row|col}}>, num = 4 : i32, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>}
// CHECK-NOT: nvvm.ldmatrix
// CHECK: gpu.return
// REMARK: [Passed] MatrixLoad | Category:convert-tile-to-simt | Reason="'a' by ldmatrix.x4"
// REMARK: [Passed] MatrixLoad | Category:convert-tile-to-simt | Reason="'b' by ldmatrix.x4.trans"
func.func @nn(%a: memref<64x32xf16>, %b: memref<32x64xf16>, %c: memref<64x64xf32>) {
  tile.kernel (%i) in (1) {
    %x = tile.alloc : memref<64x32xf16, #tile.shared>
    %y = tile.alloc : memref<32x64xf16, #tile.shared>
    %z = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.copy %a, %x : memref<64x32xf16>, memref<64x32xf16, #tile.shared>
    tile.copy %b, %y : memref<32x64xf16>, memref<32x64xf16, #tile.shared>
    tile.gemm %x, %y, %z {clear} : memref<64x32xf16, #tile.shared>, memref<32x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
    tile.copy %z, %c : memref<64x64xf32, #tile.fragment>, memref<64x64xf32>
  }
  return
}

// -----

// Both the other way round.
// CHECK-LABEL: gpu.func @tt_0(
// REMARK: 'a' by ldmatrix.x4.trans
// REMARK: 'b' by ldmatrix.x4"
func.func @tt(%a: memref<32x64xbf16>, %b: memref<64x32xbf16>, %c: memref<64x64xf32>) {
  tile.kernel (%i) in (1) {
    %x = tile.alloc : memref<32x64xbf16, #tile.shared>
    %y = tile.alloc : memref<64x32xbf16, #tile.shared>
    %z = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.copy %a, %x : memref<32x64xbf16>, memref<32x64xbf16, #tile.shared>
    tile.copy %b, %y : memref<64x32xbf16>, memref<64x32xbf16, #tile.shared>
    tile.gemm %x, %y, %z {clear, transpose_a, transpose_b}
        : memref<32x64xbf16, #tile.shared>, memref<64x32xbf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
    tile.copy %z, %c : memref<64x64xf32, #tile.fragment>, memref<64x64xf32>
  }
  return
}

// -----

// Bytes come along K only; f32 too, and is rounded in registers.
// CHECK-LABEL: gpu.func @bytes_0(
// CHECK: nvvm.ldmatrix
// CHECK: mma.sync.aligned.m16n8k32
// REMARK: 'a' by ldmatrix.x4"
// REMARK: [Missed] MatrixLoad | {{.*}}no ldmatrix for 'b': expected
func.func @bytes(%a: memref<64x64xi8>, %b: memref<64x64xi8>, %c: memref<64x64xi32>) {
  tile.kernel (%i) in (1) {
    %x = tile.alloc : memref<64x64xi8, #tile.shared>
    %y = tile.alloc : memref<64x64xi8, #tile.shared>
    %z = tile.alloc : memref<64x64xi32, #tile.fragment>
    tile.copy %a, %x : memref<64x64xi8>, memref<64x64xi8, #tile.shared>
    tile.copy %b, %y : memref<64x64xi8>, memref<64x64xi8, #tile.shared>
    tile.gemm %x, %y, %z {clear} : memref<64x64xi8, #tile.shared>, memref<64x64xi8, #tile.shared>, memref<64x64xi32, #tile.fragment>
    tile.copy %z, %c : memref<64x64xi32, #tile.fragment>, memref<64x64xi32>
  }
  return
}

// -----

// CHECK-LABEL: gpu.func @tf32_0(
// CHECK: nvvm.ldmatrix
// CHECK: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// REMARK: 'a' by ldmatrix.x4"
// REMARK: 'b' by ldmatrix.x4"
func.func @tf32(%a: memref<64x32xf32>, %b: memref<64x32xf32>, %c: memref<64x64xf32>) {
  tile.kernel (%i) in (1) {
    %x = tile.alloc : memref<64x32xf32, #tile.shared>
    %y = tile.alloc : memref<64x32xf32, #tile.shared>
    %z = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.copy %a, %x : memref<64x32xf32>, memref<64x32xf32, #tile.shared>
    tile.copy %b, %y : memref<64x32xf32>, memref<64x32xf32, #tile.shared>
    tile.gemm %x, %y, %z precision(tf32) {clear, transpose_b}
        : memref<64x32xf32, #tile.shared>, memref<64x32xf32, #tile.shared>, memref<64x64xf32, #tile.fragment>
    tile.copy %z, %c : memref<64x64xf32, #tile.fragment>, memref<64x64xf32>
  }
  return
}

// -----

// A deep product is a loop, whose iterations lie 128 elements along K apart.
// CHECK-LABEL: gpu.func @deep_0(
// CHECK: scf.for
// CHECK: nvvm.ldmatrix
// CHECK: llvm.inline_asm {{.*}}mma.sync
// REMARK: 'a' by ldmatrix.x4"
// REMARK: 'b' by ldmatrix.x4.trans
func.func @deep(%a: memref<32x256xf16>, %b: memref<256x32xf16>, %c: memref<32x32xf32>) {
  tile.kernel (%i) in (1) {
    %x = tile.alloc : memref<32x256xf16, #tile.shared>
    %y = tile.alloc : memref<256x32xf16, #tile.shared>
    %z = tile.alloc : memref<32x32xf32, #tile.fragment>
    tile.copy %a, %x : memref<32x256xf16>, memref<32x256xf16, #tile.shared>
    tile.copy %b, %y : memref<256x32xf16>, memref<256x32xf16, #tile.shared>
    tile.gemm %x, %y, %z {clear} : memref<32x256xf16, #tile.shared>, memref<256x32xf16, #tile.shared>, memref<32x32xf32, #tile.fragment>
    tile.copy %z, %c : memref<32x32xf32, #tile.fragment>, memref<32x32xf32>
  }
  return
}

// -----

// Rows that begin anywhere.
// CHECK-LABEL: gpu.func @padded_0(
// CHECK-NOT: nvvm.ldmatrix {{.*}}row
// REMARK: [Missed] MatrixLoad | {{.*}}no ldmatrix for 'a': expected row 1 of matrix 0 at a multiple of 8, got offset 33
func.func @padded(%a: memref<64x32xf16>, %b: memref<32x64xf16>, %c: memref<64x64xf32>) {
  tile.kernel (%i) in (1) {
    %x = tile.alloc : memref<64x32xf16, #tile.shared>
    %y = tile.alloc : memref<32x64xf16, #tile.shared>
    %z = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.annotate_layout %x : memref<64x32xf16, #tile.shared> as #tile.layout<[64: 64 offset*33][32: 32 offset]>
    tile.copy %a, %x : memref<64x32xf16>, memref<64x32xf16, #tile.shared>
    tile.copy %b, %y : memref<32x64xf16>, memref<32x64xf16, #tile.shared>
    tile.gemm %x, %y, %z {clear} : memref<64x32xf16, #tile.shared>, memref<32x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
    tile.copy %z, %c : memref<64x64xf32, #tile.fragment>, memref<64x64xf32>
  }
  return
}
