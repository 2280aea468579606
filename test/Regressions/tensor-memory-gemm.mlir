// A gemm of tiles in tensor memory, on chips without it, did not end.
//
// REQUIRES: tile-run
// RUN: not tile-run --no-notes --target=cuda --chip=sm_90a --device=model %s 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not tile-run --no-notes --target=hip --chip=gfx942 --device=model %s 2>&1 | FileCheck %s --check-prefix=ERROR2
// RUN: not tile-run --no-notes --target=ascend %s 2>&1 | FileCheck %s --check-prefix=ERROR3
// RUN: not tile-run --no-notes --target=cuda --chip=sm_80 --device=model %s 2>&1 | FileCheck %s --check-prefix=ERROR4

// ERROR: error: 'tile.alloc' op expected memory that sm_90a has (shared, fragment, local), got 'tmem'
// ERROR2: error: 'tile.alloc' op expected memory that gfx942 has (shared, fragment, local), got 'tmem'
// ERROR3: error: expected an operand in 'l1', got 'tmem'
// ERROR4: error: 'tile.alloc' op expected memory that sm_80 has (shared, fragment, local), got 'tmem'

func.func @nested(%a: memref<?x?xf16> {tile.shape = "MxK"}, %b: memref<?x?xf16> {tile.shape = "KxN"}, %c: memref<?x?xf32> {tile.shape = "MxN", tile.result})
    attributes {tile.atol = 2.0e-2, tile.rtol = 2.0e-3, tile.cases = ["M=33 K=165 N=45", "M=5 K=32 N=3", "M=33 K=0 N=45"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %a, %c0 : memref<?x?xf16>
  %k = memref.dim %a, %c1 : memref<?x?xf16>
  %n = memref.dim %b, %c1 : memref<?x?xf16>
  %rows = affine.apply affine_map<(n) -> (n ceildiv 32)>(%m)
  %columns = affine.apply affine_map<(n) -> (n ceildiv 32)>(%n)
  %steps = affine.apply affine_map<(n) -> (n ceildiv 32)>(%k)
  tile.kernel (%bx, %by) in (%columns, %rows) {
    %as = tile.alloc : memref<32x32xf16, #tile.tmem>
    %bs = tile.alloc : memref<32x32xf16, #tile.tmem>
    %acc = tile.alloc : memref<32x32xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<32x32xf32, #tile.fragment>
    scf.for %o = %c0 to %steps step %c2 {
      %e = arith.addi %o, %c2 : index
      %h = arith.minsi %e, %steps : index
      tile.pipelined %s = %o to %h stages(2) {
        tile.copy %a[%by * 32, %s * 32], %as : memref<?x?xf16>, memref<32x32xf16, #tile.tmem>
        tile.copy %b[%s * 32, %bx * 32], %bs : memref<?x?xf16>, memref<32x32xf16, #tile.tmem>
        tile.gemm %as, %bs, %acc : memref<32x32xf16, #tile.tmem>, memref<32x32xf16, #tile.tmem>, memref<32x32xf32, #tile.fragment>
      }
    }
    tile.copy %acc, %c[%by * 32, %bx * 32] : memref<32x32xf32, #tile.fragment>, memref<?x?xf32>
  }
  return
}
