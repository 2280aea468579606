// Blocks that write side by side start one after the other.

// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-persistent | FileCheck %s
// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-persistent --remarks-filter='tile-persistent' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK
// RUN: tile-opt %s --tile-set-target=chip=gfx942 --tile-persistent | FileCheck %s

!square = memref<4096x4096xf32>
!tile = memref<64x64xf32, #tile.shared>
!out = memref<64x64xf32, #tile.fragment>

// A transpose: along y. Of 64 blocks along each dimension, block n does point (n / 64, n % 64).
// CHECK-LABEL: func.func @transpose(
// CHECK:         tile.kernel (%[[X:.*]], %[[Y:.*]]) in (64, 64)
// CHECK:           %[[ROW:.*]] = arith.muli %[[Y]], %{{.*}} : index
// CHECK:           %[[NUMBER:.*]] = arith.addi %[[X]], %[[ROW]] : index
// CHECK:           %[[GROUP:.*]] = arith.divui %[[NUMBER]], %{{.*}} : index
// CHECK:           %[[IN:.*]] = arith.remui %[[NUMBER]], %{{.*}} : index
// CHECK:           %[[FIRST:.*]] = arith.muli %[[GROUP]], %{{.*}} : index
// CHECK:           %[[I:.*]] = arith.addi %[[FIRST]], %{{.*}} : index
// CHECK:           %[[J:.*]] = arith.divui %[[IN]], %{{.*}} : index
// CHECK:           tile.copy %{{.*}}[%[[I]] * 64, %[[J]] * 64]
// REMARK: persistent-stores.mlir:[[@LINE+3]]:3: remark: [Passed] StoreOrder | Category:tile-persistent | Reason="blocks along y write side by side"
// REMARK: [Passed] Swizzle | Category:tile-persistent | group=1
func.func @transpose(%x: !square, %y: !square) {
  tile.kernel (%i, %j) in (64, 64) {
    %s = tile.alloc : !tile
    %t = tile.alloc : !out
    tile.copy %x[%j * 64, %i * 64], %s : !square, !tile
    tile.transpose %s, %t : !tile, !out
    tile.copy %t, %y[%i * 64, %j * 64] : !out, !square
  }
  return
}

// So do the stores of a parallel loop; the sizes may be dynamic.
// CHECK-LABEL: func.func @dynamic(
// CHECK:         tile.kernel (%[[X:.*]], %[[Y:.*]]) in (%[[M:.*]], %[[N:.*]]) {
// CHECK:           %[[I:.*]] = arith.divui
// CHECK:           arith.remui
// CHECK-NOT:       arith.minui
// CHECK:           tile.parallel
// REMARK: persistent-stores.mlir:[[@LINE+2]]:3: remark: [Passed] StoreOrder
func.func @dynamic(%x: memref<?x?xf32>, %z: memref<?x?xf32>, %m: index, %n: index) {
  tile.kernel (%i, %j) in (%m, %n) {
    tile.parallel (%k, %l) in (16, 64) {
      %r = affine.apply affine_map<(i, k) -> (i * 16 + k)>(%i, %k)
      %c = affine.apply affine_map<(j, l) -> (j * 64 + l)>(%j, %l)
      %v = memref.load %x[%c, %r] : memref<?x?xf32>
      memref.store %v, %z[%r, %c] : memref<?x?xf32>
    }
  }
  return
}

// Of two results, one has its rows along neither.
// CHECK-LABEL: func.func @pairs(
// CHECK-NOT:     arith.divui
// CHECK:         return
// REMARK-NOT: StoreOrder
func.func @pairs(%x: !square, %y: !square, %z: memref<4096x4096x2xf32>) {
  tile.kernel (%i, %j) in (4096, 64) {
    tile.parallel (%k) in (64) {
      %c0 = arith.constant 0 : index
      %c = affine.apply affine_map<(j, k) -> (j * 64 + k)>(%j, %k)
      %v = memref.load %x[%i, %c] : !square
      memref.store %v, %y[%i, %c] : !square
      memref.store %v, %z[%i, %c, %c0] : memref<4096x4096x2xf32>
    }
  }
  return
}

// Along x, as the blocks start.
// CHECK-LABEL: func.func @along_x(
// CHECK-NOT:     arith.divui
// CHECK:         return
// REMARK-NOT: StoreOrder
func.func @along_x(%x: !square, %y: !square) {
  tile.kernel (%i, %j) in (64, 64) {
    %t = tile.alloc : !out
    tile.copy %x[%j * 64, %i * 64], %t : !square, !out
    tile.copy %t, %y[%j * 64, %i * 64] : !out, !square
  }
  return
}

// Rows of 16 bytes of f32: less than a fourth of what a warp writes at a time.
// CHECK-LABEL: func.func @short_rows(
// CHECK-NOT:     arith.divui
// CHECK:         return
func.func @short_rows(%x: !square, %y: !square) {
  tile.kernel (%i, %j) in (64, 1024) {
    %t = tile.alloc : memref<64x4xf32, #tile.fragment>
    tile.copy %x[%i * 64, %j * 4], %t : !square, memref<64x4xf32, #tile.fragment>
    tile.copy %t, %y[%i * 64, %j * 4] : memref<64x4xf32, #tile.fragment>, !square
  }
  return
}

// Few enough to start at once.
// CHECK-LABEL: func.func @few(
// CHECK-NOT:     arith.divui
// CHECK:         return
func.func @few(%x: !square, %y: !square) {
  tile.kernel (%i, %j) in (8, 8) {
    %t = tile.alloc : !out
    tile.copy %x[%i * 64, %j * 64], %t : !square, !out
    tile.copy %t, %y[%i * 64, %j * 64] : !out, !square
  }
  return
}

// A loop reads for longer than it writes.
// CHECK-LABEL: func.func @sum(
// CHECK-NOT:     arith.divui
// CHECK:         return
func.func @sum(%x: !square, %y: !square) {
  tile.kernel (%i, %j) in (64, 64) {
    %t = tile.alloc : !out
    tile.pipelined %k = 0 to 4 stages(2) {
      tile.copy %x[%i * 64, %k * 64], %t : !square, !out
    }
    tile.copy %t, %y[%i * 64, %j * 64] : !out, !square
  }
  return
}

// The hint of the program stays: rows of one block are the order of the grid.
// CHECK-LABEL: func.func @by_hand(
// CHECK:         %[[X:.*]] = arith.divui
// REMARK-NOT: StoreOrder
func.func @by_hand(%x: !square, %y: !square) {
  tile.kernel (%i, %j) in (64, 64) {
    tile.rasterize group(2)
    %t = tile.alloc : !out
    tile.copy %x[%i * 64, %j * 64], %t : !square, !out
    tile.copy %t, %y[%i * 64, %j * 64] : !out, !square
  }
  return
}
