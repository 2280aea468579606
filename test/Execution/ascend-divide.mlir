// REQUIRES: tile-run
// RUN: tile-run --target=ascend %s --arg='0:integers(-20,20)' --arg='1:integers(1,7)' | FileCheck %s
// RUN: tile-run --target=ascend %s --arg='0:integers(-20,20)' --arg='1:integers(-7,-1)' | FileCheck %s

// Divisions of scalars round as their ops say, also below zero, and unsigned
// numbers are unsigned.

// CHECK: {{^}}1 passed, 0 failed

func.func @divide(%a: memref<40xi32>, %d: memref<40xi32>, %out: memref<40x14x8xi32> {tile.result}) {
  tile.kernel (%b) in (40) {
    %t = tile.alloc : memref<8xi32, #tile.shared>
    %x = memref.load %a[%b] : memref<40xi32>
    %y = memref.load %d[%b] : memref<40xi32>
    %i = arith.index_cast %x : i32 to index
    %v0 = arith.divsi %x, %y : i32
    tile.fill %t, %v0 : memref<8xi32, #tile.shared>
    tile.copy %t, %out[%b, 0, 0] : memref<8xi32, #tile.shared>, memref<40x14x8xi32>
    %v1 = arith.divui %x, %y : i32
    tile.fill %t, %v1 : memref<8xi32, #tile.shared>
    tile.copy %t, %out[%b, 1, 0] : memref<8xi32, #tile.shared>, memref<40x14x8xi32>
    %v2 = arith.remsi %x, %y : i32
    tile.fill %t, %v2 : memref<8xi32, #tile.shared>
    tile.copy %t, %out[%b, 2, 0] : memref<8xi32, #tile.shared>, memref<40x14x8xi32>
    %v3 = arith.remui %x, %y : i32
    tile.fill %t, %v3 : memref<8xi32, #tile.shared>
    tile.copy %t, %out[%b, 3, 0] : memref<8xi32, #tile.shared>, memref<40x14x8xi32>
    %v4 = arith.floordivsi %x, %y : i32
    tile.fill %t, %v4 : memref<8xi32, #tile.shared>
    tile.copy %t, %out[%b, 4, 0] : memref<8xi32, #tile.shared>, memref<40x14x8xi32>
    %v5 = arith.ceildivsi %x, %y : i32
    tile.fill %t, %v5 : memref<8xi32, #tile.shared>
    tile.copy %t, %out[%b, 5, 0] : memref<8xi32, #tile.shared>, memref<40x14x8xi32>
    %v6 = arith.ceildivui %x, %y : i32
    tile.fill %t, %v6 : memref<8xi32, #tile.shared>
    tile.copy %t, %out[%b, 6, 0] : memref<8xi32, #tile.shared>, memref<40x14x8xi32>
    %v7 = arith.maxui %x, %y : i32
    tile.fill %t, %v7 : memref<8xi32, #tile.shared>
    tile.copy %t, %out[%b, 7, 0] : memref<8xi32, #tile.shared>, memref<40x14x8xi32>
    %v8 = arith.minui %x, %y : i32
    tile.fill %t, %v8 : memref<8xi32, #tile.shared>
    tile.copy %t, %out[%b, 8, 0] : memref<8xi32, #tile.shared>, memref<40x14x8xi32>
    %v9 = arith.maxsi %x, %y : i32
    tile.fill %t, %v9 : memref<8xi32, #tile.shared>
    tile.copy %t, %out[%b, 9, 0] : memref<8xi32, #tile.shared>, memref<40x14x8xi32>
    %v10 = arith.minsi %x, %y : i32
    tile.fill %t, %v10 : memref<8xi32, #tile.shared>
    tile.copy %t, %out[%b, 10, 0] : memref<8xi32, #tile.shared>, memref<40x14x8xi32>
    %i11 = affine.apply affine_map<(i) -> ((i floordiv 3) * 2)>(%i)
    %v11 = arith.index_cast %i11 : index to i32
    tile.fill %t, %v11 : memref<8xi32, #tile.shared>
    tile.copy %t, %out[%b, 11, 0] : memref<8xi32, #tile.shared>, memref<40x14x8xi32>
    %i12 = affine.apply affine_map<(i) -> ((i mod 3) * 2)>(%i)
    %v12 = arith.index_cast %i12 : index to i32
    tile.fill %t, %v12 : memref<8xi32, #tile.shared>
    tile.copy %t, %out[%b, 12, 0] : memref<8xi32, #tile.shared>, memref<40x14x8xi32>
    %i13 = affine.apply affine_map<(i) -> ((i ceildiv 3) * 2)>(%i)
    %v13 = arith.index_cast %i13 : index to i32
    tile.fill %t, %v13 : memref<8xi32, #tile.shared>
    tile.copy %t, %out[%b, 13, 0] : memref<8xi32, #tile.shared>, memref<40x14x8xi32>
  }
  return
}
