// RUN: tile-opt %s --split-input-file --verify-diagnostics --tile-fold-views | FileCheck %s
// RUN: not tile-opt %s --split-input-file --tile-fold-views --remarks-filter='.*' 2>&1 | FileCheck %s --check-prefix=REMARK

// A part of an argument is a region of it, where the tile cannot leave the part or both end at the same place.

// CHECK-LABEL: func.func @packed
// CHECK-NOT:   memref.subview
// CHECK:       tile.copy %arg0[%{{.*}} * 32, 64] [32, 64], %{{.*}} : memref<64x192xf16>
// CHECK:       tile.copy %{{.*}}, %arg0[%{{.*}} * 32, 128] [32, 64]
!k = memref<64x64xf16, strided<[192, 1], offset: 64>>
!v = memref<64x64xf16, strided<[192, 1], offset: 128>>
func.func @packed(%a: memref<64x192xf16>) {
  %k = memref.subview %a[0, 64] [64, 64] [1, 1] : memref<64x192xf16> to !k
  %v = memref.subview %a[0, 128] [64, 64] [1, 1] : memref<64x192xf16> to !v
  tile.kernel (%b) in (3) {
    %t = tile.alloc : memref<32x64xf16, #tile.shared>
    tile.copy %k[%b * 32, 0], %t : !k, memref<32x64xf16, #tile.shared>
    tile.copy %t, %v[%b * 32, 0] : memref<32x64xf16, #tile.shared>, !v
  }
  return
}

// -----

// Here it may read what stands beside the part, and the view stays; a part of a part, without a unit dimension, does not.

// CHECK-LABEL: func.func @bounded
// CHECK:       memref.subview
// CHECK-NOT:   memref.subview
// CHECK:       tile.copy %subview[0, %{{.*}} * 64]
// CHECK:       tile.copy %arg0[%arg1, 16] [1, 8]
!part = memref<64x60xf16, strided<[192, 1], offset: 64>>
!all = memref<64x192xf16>
!row = memref<16xf16, strided<[1], offset: ?>>
!end = memref<8xf16, strided<[1], offset: ?>>
func.func @bounded(%a: !all, %n: index) {
  %k = memref.subview %a[0, 64] [64, 60] [1, 1] : !all to !part
  %row = memref.subview %a[%n, 8] [1, 16] [1, 1] : !all to !row
  %end = memref.subview %row[8] [8] [1] : !row to !end
  tile.kernel (%b) in (3) {
    %t = tile.alloc : memref<64x64xf16, #tile.shared>
    %u = tile.alloc : memref<8xf16, #tile.shared>
    tile.copy %k[0, %b * 64], %t : !part, memref<64x64xf16, #tile.shared>
    tile.copy %end, %u : !end, memref<8xf16, #tile.shared>
  }
  return
}

// -----

// Elements of a part of a tile; a gemm gets a tile for each part, and the accumulator's goes back.

// CHECK-LABEL: func.func @operands
// CHECK:       %[[A:.*]] = tile.alloc : memref<32x64xf16, #tile.shared>
// CHECK:       %[[C:.*]] = tile.alloc : memref<64x32xf32, #tile.fragment>
// CHECK:       %[[OWN:.*]] = tile.alloc : memref<32x32xf16, #tile.shared>
// CHECK:       tile.copy %[[A]][0, 32] [32, 32], %[[OWN]]
// CHECK:       %[[SECOND:.*]] = tile.alloc : memref<32x32xf16, #tile.shared>
// CHECK:       tile.copy %[[A]][0, 32] [32, 32], %[[SECOND]]
// CHECK:       %[[SUM:.*]] = tile.alloc : memref<32x32xf32, #tile.fragment>
// CHECK:       tile.copy %[[C]][32, 0] [32, 32], %[[SUM]]
// CHECK:       tile.gemm %[[OWN]], %[[SECOND]], %[[SUM]]
// CHECK:       tile.copy %[[SUM]], %[[C]][32, 0] [32, 32]
// CHECK:       tile.parallel (%[[I:.*]]) in (32)
// CHECK:         memref.load %[[A]][
// REMARK-COUNT-3: PartOfTile
!half = memref<32x32xf16, strided<[64, 1], offset: 32>, #tile.shared>
!lower = memref<32x32xf32, strided<[32, 1], offset: 1024>, #tile.fragment>
func.func @operands(%y: memref<32xf16>) {
  %c0 = arith.constant 0 : index
  tile.kernel (%b) in (1) {
    %a = tile.alloc : memref<32x64xf16, #tile.shared>
    %c = tile.alloc : memref<64x32xf32, #tile.fragment>
    %h = memref.subview %a[0, 32] [32, 32] [1, 1] : memref<32x64xf16, #tile.shared> to !half
    %l = memref.subview %c[32, 0] [32, 32] [1, 1] : memref<64x32xf32, #tile.fragment> to !lower
    tile.gemm %h, %h, %l : !half, !half, !lower
    tile.parallel (%i) in (32) {
      %v = memref.load %h[%i, %c0] : !half
      memref.store %v, %y[%i] : memref<32xf16>
    }
  }
  return
}

// -----

// Dimensions that are merged, if a tile lies in one of the innermost.

// CHECK-LABEL: func.func @merged
// CHECK:       tile.copy %arg0[%[[K:.*]] floordiv 6, (%[[K]] floordiv 2) mod 3, %[[K]] * 32 - (%[[K]] floordiv 2) * 64, 0] [1, 1, 32, 32]
// CHECK:       tile.copy %{{.*}}[%{{.*}} * 48, 0] [48, 32]
func.func @merged(%w: memref<3x3x64x32xf16>) {
  tile.kernel (%k) in (18) {
    %r = tile.reshape %w : memref<3x3x64x32xf16> to memref<576x32xf16>
    %t = tile.alloc : memref<32x32xf16, #tile.shared>
    %u = tile.alloc : memref<48x32xf16, #tile.shared>
    tile.copy %r[%k * 32, 0], %t : memref<576x32xf16>, memref<32x32xf16, #tile.shared>
    tile.copy %r[%k * 48, 0] [48, 32], %u : memref<576x32xf16>, memref<48x32xf16, #tile.shared>
  }
  return
}

// -----

func.func @strides(%x: f32) {
  tile.kernel (%b) in (1) {
    %a = tile.alloc : memref<64xf32, #tile.shared>
    %e = memref.subview %a[0] [32] [2] : memref<64xf32, #tile.shared> to memref<32xf32, strided<[2]>, #tile.shared>
    // expected-error @below {{takes a part of a tile with strides other than 1; copy it to a tile of its own first}}
    tile.fill %e, %x : memref<32xf32, strided<[2]>, #tile.shared>
  }
  return
}

// -----

// A gather has elements, so that it waits for its stage as the copies into the same one do.
func.func @nothing(%a: memref<512x64xf16>, %list: memref<256xi32>) {
  tile.kernel (%b) in (1) threads(128) {
    %t = tile.alloc : memref<64x64xf16, #tile.shared>
    tile.pipelined %k = 0 to 4 stages(2) {
      %none = memref.subview %t[0, 0] [0, 64] [1, 1] : memref<64x64xf16, #tile.shared> to memref<0x64xf16, strided<[64, 1]>, #tile.shared>
      // expected-error @below {{expected a part of a tile to have elements, got 0x64}}
      tile.gather %a[0, 0] by %list[%k * 64], %none : memref<512x64xf16>, memref<256xi32>, memref<0x64xf16, strided<[64, 1]>, #tile.shared>
      tile.copy %a[%k * 64, 0], %t
    }
  }
  return
}

// -----

// Static views that only change the shape are one op; elements of the others
// are those of the memory.

// CHECK-LABEL: func.func @shapes
// CHECK:       %[[ROW:.*]] = tile.reshape %arg0 : memref<64xf32> to memref<1x64xf32>
// CHECK-NOT:   memref.expand_shape
// CHECK:       tile.kernel
// CHECK:         memref.load %[[ROW]]
// CHECK:         memref.load %arg1[%i]
func.func @shapes(%a: memref<64xf32>, %d: memref<?xf32>, %n: index, %y: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %row = memref.expand_shape %a [[0, 1]] output_shape [1, 64] : memref<64xf32> into memref<1x64xf32>
  %dynamic = memref.expand_shape %d [[0, 1]] output_shape [1, %n] : memref<?xf32> into memref<1x?xf32>
  %flat = memref.collapse_shape %row [[0, 1]] : memref<1x64xf32> into memref<64xf32>
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) {
      %v = memref.load %row[%c0, %i] : memref<1x64xf32>
      %w = memref.load %flat[%i] : memref<64xf32>
      %x = memref.load %dynamic[%c0, %i] : memref<1x?xf32>
      %s = arith.addf %v, %w : f32
      %t = arith.addf %s, %x : f32
      memref.store %t, %y[%i] : memref<64xf32>
    }
  }
  return
}

// -----

// Dimensions of 1 of dynamic buffers go and come; the region of a tile that leaves such a dimension stays one of the view.

// CHECK-LABEL: func.func @units
// CHECK:       %[[WIDE:.*]] = memref.expand_shape %arg2
// CHECK:       tile.kernel
// CHECK:         tile.copy %arg0[0, %{{.*}}, 0, %{{.*}}] [1, 4, 1, 8], %{{.*}}
// CHECK:         tile.copy %{{.*}}, %arg1[%{{.*}}] [8]
// CHECK:         tile.copy %[[WIDE]][0, 0], %{{.*}}
func.func @units(%a: memref<1x?x1x?xf32>, %y: memref<?xf32>, %z: memref<?xf32>, %n: index) {
  %flat = memref.collapse_shape %a [[0, 1], [2, 3]] : memref<1x?x1x?xf32> into memref<?x?xf32>
  %row = memref.expand_shape %y [[0, 1]] output_shape [1, %n] : memref<?xf32> into memref<1x?xf32>
  %wide = memref.expand_shape %z [[0, 1]] output_shape [1, %n] : memref<?xf32> into memref<1x?xf32>
  tile.kernel (%b) in (4) {
    %t = tile.alloc : memref<4x8xf32, #tile.shared>
    %r = tile.alloc : memref<8xf32, #tile.shared>
    tile.copy %flat[%b * 4, %b * 8], %t
    tile.copy %t[0, 0] [1, 8], %r
    tile.copy %r, %row[0, %b * 8] [1, 8]
    tile.copy %wide[0, 0], %t
  }
  return
}
