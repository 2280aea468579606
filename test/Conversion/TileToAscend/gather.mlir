// RUN: tile-opt %s --ascend-infer-memory --convert-tile-to-ascend --canonicalize | FileCheck %s

// Loads at indices that were read, and of elements that are not neighbours.

// Rows of GM are copied one by one; one behind the end of the buffer is the padding value.
// CHECK-LABEL: func.func @gather(
// CHECK:         scf.for %[[I:.*]] = %c0 to %c16 step %c1 {
// CHECK-NEXT:      %[[WORD:.*]] = memref.load %{{.*}}[%[[I]]]
// CHECK-NEXT:      %[[AT:.*]] = arith.index_cast %[[WORD]]
// CHECK-NEXT:      %[[ROW:.*]] = memref.subview %[[T:.*]][%[[I]], 0] [1, 64]
// CHECK-NEXT:      arith.cmpi ult, %[[AT]], %c100
// CHECK:           %[[SIZE:.*]] = arith.muli %{{.*}}, %c64
// CHECK-NEXT:      %[[X:.*]] = memref.subview %arg0[%[[AT]], 0] [1, %[[SIZE]]]
// CHECK:           scf.if
// CHECK-NEXT:        ascend.duplicate %[[ROW]],
// CHECK:           ascend.copy_gm_to_ub %[[ROW]], %[[X]] pad(
func.func @gather(%x: memref<100x64xf32>, %ids: memref<16xi32>, %o: memref<16x64xf32>) {
  tile.kernel (%b) in (1) {
    %n = tile.alloc : memref<16xi32, #tile.shared>
    %t = tile.alloc : memref<16x64xf32, #tile.shared>
    tile.copy %ids, %n : memref<16xi32>, memref<16xi32, #tile.shared>
    tile.parallel (%i, %j) in (16, 64) {
      %w = memref.load %n[%i] : memref<16xi32, #tile.shared>
      %at = arith.index_cast %w : i32 to index
      %v = memref.load %x[%at, %j] : memref<100x64xf32>
      memref.store %v, %t[%i, %j] : memref<16x64xf32, #tile.shared>
    }
    tile.copy %t, %o : memref<16x64xf32, #tile.shared>, memref<16x64xf32>
  }
  return
}

// The vector unit gathers elements of a tile, by offsets in bytes.
// CHECK-LABEL: func.func @gather_tile
// CHECK:         ascend.scalar muls %[[BYTES:.*]], %{{.*}}, %c4_i32
// CHECK-NEXT:    ascend.gather %{{.*}}, %{{.*}}, %[[BYTES]] : memref<64xf32, #tile.ub>, memref<128xf32, #tile.ub>, memref<64xi32, #tile.ub>
func.func @gather_tile(%o: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    %n = tile.alloc : memref<64xi32, #tile.shared>
    %s = tile.alloc : memref<128xf32, #tile.shared>
    %t = tile.alloc : memref<64xf32, #tile.shared>
    tile.parallel (%i) in (64) {
      %w = memref.load %n[%i] : memref<64xi32, #tile.shared>
      %at = arith.index_cast %w : i32 to index
      %v = memref.load %s[%at] : memref<128xf32, #tile.shared>
      memref.store %v, %t[%i] : memref<64xf32, #tile.shared>
    }
    tile.copy %t, %o : memref<64xf32, #tile.shared>, memref<64xf32>
  }
  return
}

// Every second element, from the first one on: a table of offsets.
// CHECK-LABEL: func.func @strided
// CHECK:         ascend.scalar muls %[[TABLE:.*]], %{{.*}}, %c8_i32
// CHECK-NEXT:    ascend.scalar adds %[[MOVED:.*]], %[[TABLE]], %c4_i32
// CHECK-NEXT:    ascend.gather %{{.*}}, %{{.*}}, %[[MOVED]] : memref<32xf32, #tile.ub>, memref<64xf32, #tile.ub>
func.func @strided(%o: memref<32xf32>) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<64xf32, #tile.shared>
    %t = tile.alloc : memref<32xf32, #tile.shared>
    tile.parallel (%i) in (32) {
      %at = affine.apply affine_map<(i) -> (2 * i + 1)>(%i)
      %v = memref.load %s[%at] : memref<64xf32, #tile.shared>
      memref.store %v, %t[%i] : memref<32xf32, #tile.shared>
    }
    tile.copy %t, %o : memref<32xf32, #tile.shared>, memref<32xf32>
  }
  return
}
