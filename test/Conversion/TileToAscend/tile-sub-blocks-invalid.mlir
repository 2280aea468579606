// RUN: tile-opt-plain %s --ascend-tile-sub-blocks --split-input-file --verify-diagnostics

!acc = memref<32x64xf32, #tile.l0c>
!ub = memref<32x64xf32, #tile.ub>
!gm = memref<64x64xf32>

func.func @other_rows(%o: !gm) {
  tile.kernel (%b) in (2) {
    %c = tile.alloc : !acc
    %t = tile.alloc : !ub
    tile.copy %c, %t : !acc, !ub
    // expected-note@+1 {{it is written here}}
    tile.copy %t, %o[%b * 16, 0] : !ub, !gm
    // expected-error@+1 {{both vector cores of a block read here what one of them writes, and nothing orders the two; keep it in a tile, or store it in one kernel and read it in the next one}}
    tile.copy %o[%b * 16 + 3, 0], %t : !gm, !ub
  }
  return
}

// -----

!acc = memref<32x64xf32, #tile.l0c>
!ub = memref<32x64xf32, #tile.ub>

func.func @elements(%o: memref<32x64xf32>, %sum: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c20 = arith.constant 20 : index
  tile.kernel (%b) in (1) {
    %c = tile.alloc : !acc
    %t = tile.alloc : !ub
    tile.copy %c, %t : !acc, !ub
    // expected-note@+1 {{it is written here}}
    tile.copy %t, %o : !ub, memref<32x64xf32>
    // expected-error@+1 {{both vector cores of a block read here what one of them writes}}
    %v = memref.load %o[%c20, %c0] : memref<32x64xf32>
    %h = tile.alloc : memref<8xf32, #tile.ub>
    tile.fill %h, %v : memref<8xf32, #tile.ub>
  }
  return
}
