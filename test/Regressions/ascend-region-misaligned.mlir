// A region of a tile that begins at a column that is no multiple of 32 bytes.
//
// REQUIRES: tile-run
// RUN: tile-run --no-notes --target=ascend M=5 N=37 %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-run --no-notes --target=ascend --chip=950 M=5 N=37 %s | FileCheck %s --check-prefix=RIGHT

// RIGHT: 1 passed, 0 failed

func.func @k(%a: memref<?x?xf32> {tile.shape = "MxN"}, %b: memref<?x?xf32> {tile.shape = "MxN"}, %c: memref<?x?xf32> {tile.shape = "MxN", tile.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %a, %c0 : memref<?x?xf32>
  %n = memref.dim %a, %c1 : memref<?x?xf32>
  %np = affine.apply affine_map<(d0) -> (d0 ceildiv 16)>(%m)
  %nq = affine.apply affine_map<(d0) -> (d0 ceildiv 24)>(%n)
  tile.kernel (%p, %q) in (%np, %nq) threads(64) {
    %v1 = tile.alloc : memref<16x24xf32, #tile.fragment>
    tile.copy %a[%p * 16, %q * 24], %v1 : memref<?x?xf32>, memref<16x24xf32, #tile.fragment>
    %v2 = tile.alloc : memref<16x24xf32, #tile.shared>
    tile.copy %b[%p * 16, %q * 24], %v2 : memref<?x?xf32>, memref<16x24xf32, #tile.shared>
    %v3 = tile.alloc : memref<16x24xf32, #tile.shared>
    %v4 = arith.constant -3.0 : f32
    tile.fill %v3, %v4 : memref<16x24xf32, #tile.shared>
    tile.copy %v2[0, 9] [16, 14], %v3[0, 0] [16, 14] : memref<16x24xf32, #tile.shared>, memref<16x24xf32, #tile.shared>
    %v5 = tile.alloc : memref<16x24xf32, #tile.fragment>
    tile.copy %v2, %v5 : memref<16x24xf32, #tile.shared>, memref<16x24xf32, #tile.fragment>
    %v6 = arith.constant 1 : index
    %v7 = arith.cmpi uge, %q, %v6 : index
    scf.if %v7 {
    tile.copy %v2, %v5 : memref<16x24xf32, #tile.shared>, memref<16x24xf32, #tile.fragment>
    }
    %v8 = tile.alloc : memref<16x24xf32, #tile.fragment>
    %v9 = tile.alloc : memref<16xf32, #tile.shared>
    %v10 = arith.constant -100.0 : f32
    tile.fill %v9, %v10 : memref<16xf32, #tile.shared>
    tile.pipelined %k10q = 0 to %nq stages(4) {
    tile.copy %b[%p * 16, %k10q * 24], %v8 : memref<?x?xf32>, memref<16x24xf32, #tile.fragment>
    tile.reduce max %v8, %v9 dim(1) {combine} : memref<16x24xf32, #tile.fragment>, memref<16xf32, #tile.shared>
    }
    %v11 = tile.alloc : memref<16x24xf32, #tile.fragment>
    tile.parallel (%i, %j) in (16, 24) {
      %v12 = memref.load %v5[%i, %j] : memref<16x24xf32, #tile.fragment>
      %v13 = memref.load %v9[%i] : memref<16xf32, #tile.shared>
      %v14 = arith.maximumf %v12, %v13 : f32
      memref.store %v14, %v11[%i, %j] : memref<16x24xf32, #tile.fragment>
    }
    tile.copy %v11, %c[%p * 16, %q * 24] : memref<16x24xf32, #tile.fragment>, memref<?x?xf32>
  }
  return
}
