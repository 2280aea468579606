// The view has other rows than the tile, or the copy takes a part of it.
// RUN: tile-opt %s --ascend-unpack-codes | FileCheck %s
// RUN: not tile-opt %s --tile-to-ascend-pipeline 2>&1 | FileCheck %s --check-prefix=LEFT

// CHECK-LABEL: func.func @left
// CHECK-NOT:     tile.parallel
// CHECK-COUNT-2: tile.view
// LEFT: elements of type 'i4' have no place on Ascend; widen them to i8, or keep two in an i8
func.func @left(%q: memref<32x32xi8>, %w: memref<64x32xf16>, %x: memref<32x32xf16>) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<32x32xi8, #tile.shared>
    %t = tile.alloc : memref<64x32xf16, #tile.shared>
    %part = tile.alloc : memref<32x32xf16, #tile.shared>
    tile.copy %q, %s
    %rows = tile.view %s : memref<32x32xi8, #tile.shared> to memref<64x32xi4, #tile.shared>
    tile.copy %rows, %t
    %codes = tile.view %s : memref<32x32xi8, #tile.shared> to memref<32x64xi4, #tile.shared>
    tile.copy %codes[0, 32] [32, 32], %part
    tile.copy %t, %w
    tile.copy %part, %x
  }
  return
}
