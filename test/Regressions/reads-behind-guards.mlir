// What is read before its guard is no read of what nobody wrote, and a tile that a selection names may be written through it: right
// programs that were refused. The tests of the error had neither.

// REQUIRES: tile-run
// RUN: tile-opt --tile-verify-semantics %s | FileCheck %s
// CHECK-LABEL: @guarded
// CHECK-LABEL: @selected

!row = memref<64xf32, #tile.shared>
func.func @guarded(%x: memref<640xf32>, %y: memref<640xf32>) {
  %c0 = arith.constant 0 : index
  tile.kernel (%b) in (1) {
    %s = tile.alloc : !row
    tile.pipelined %k = 0 to 10 {
      %later = arith.cmpi sgt, %k, %c0 : index
      tile.parallel (%i) in (64) {
        %at = affine.apply affine_map<(k, i) -> (k * 64 + i)>(%k, %i)
        %w = memref.load %x[%at] : memref<640xf32>
        %v = memref.load %s[%i] : !row
        %g = arith.cmpf ogt, %w, %v : f32
        %both = arith.andi %later, %g : i1
        scf.if %both {
          memref.store %w, %y[%at] : memref<640xf32>
        }
        memref.store %w, %s[%i] : !row
      }
    }
  }
  return
}

func.func @selected(%x: memref<64xf32>, %y: memref<64xf32>, %n: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  tile.kernel (%b) in (1) {
    %s = tile.alloc : !row
    %t = tile.alloc : !row
    %m = memref.load %n[%c0] : memref<1xi32>
    %c = arith.cmpi sgt, %m, %z : i32
    %w = arith.select %c, %s, %t : !row
    tile.copy %x, %w : memref<64xf32>, !row
    scf.if %c {
      tile.copy %s, %y : !row, memref<64xf32>
    }
  }
  return
}
