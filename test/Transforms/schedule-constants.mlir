// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-schedule | FileCheck %s
// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-schedule --remarks-filter='tile-schedule' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK
// RUN: tile-opt %s --pass-pipeline="builtin.module(tile-set-target{chip=sm_90a},tile-schedule,tile-insert-barriers,tile-plan-shared,tile-verify-schedule)" -o /dev/null
// REMARK-COUNT-1: EarlyConstants {{.*}}reads=1
// REMARK-NOT: EarlyConstants

#row = #tile.layout<[1][4096: 8 reg*8, 2 warp, 32 lane, 8 reg]>
#one = #tile.layout<[1] rep(32 lane, 2 warp)>
!x = memref<64x8192xbf16>
!w = memref<8192xbf16>
!row = memref<1x4096xbf16, #tile.fragment>
!wide = memref<1x4096xf32, #tile.fragment>
!one = memref<1xf32, #tile.fragment>

// The weights do not depend on the sum, for which the block waits: they are read before, each element by the thread that needs it.
// CHECK-LABEL: func.func @weights(
// CHECK-SAME:    %[[X:.*]]: memref<64x8192xbf16>, %[[W:.*]]: memref<8192xbf16>, %[[Y:.*]]: memref<64x8192xbf16>)
// CHECK:         tile.kernel (%[[B:.*]], %[[PART:.*]]) in
// CHECK:           %[[EARLY:.*]] = tile.alloc {layout = [[ROW:#.*]]} : memref<1x4096xbf16, #tile.fragment>
// CHECK:           tile.reduce sum
// CHECK-NEXT:      tile.parallel (%[[I:.*]], %[[J:.*]]) in (1, 4096) attributes {layout = [[ROW]]} {
// CHECK-NEXT:        %[[COLUMN:.*]] = affine.apply #{{.*}}(%[[J]], %[[PART]])
// CHECK-NEXT:        %[[V:.*]] = memref.load %[[W]][%[[COLUMN]]]
// CHECK-NEXT:        memref.store %[[V]], %[[EARLY]][%[[I]], %[[J]]]
// CHECK-NEXT:      }
// CHECK-NEXT:      tile.reduce sum %{{.*}} {tile.spread = 2 : i64}
// CHECK-NEXT:      tile.parallel (%[[I:.*]], %[[J:.*]]) in
// CHECK-NOT:         memref.load %[[W]]
// CHECK:             memref.load %[[EARLY]][%[[I]], %[[J]]]
// CHECK:         return
func.func @weights(%x: !x, %w: !w, %y: !x) {
  tile.kernel (%b, %part) in (64, 2) threads(64) cluster(1, 2) attributes {tile.resident_blocks = 8 : i32} {
    %v = tile.alloc {layout = #row} : !row
    %s = tile.alloc {layout = #one} : !one
    tile.copy %x[%b, %part * 4096] [1, 4096], %v {instruction = #tile.transfer<sync>} : !x, !row
    tile.reduce sum %v, %s dim(1) {tile.spread = 2 : i64} : !row, !one
    tile.reduce sum %v, %s dim(1) {tile.spread = 2 : i64} : !row, !one
    tile.parallel (%i, %j) in (1, 4096) attributes {layout = #row} {
      %column = affine.apply affine_map<(j, p) -> (j + p * 4096)>(%j, %part)
      %g = memref.load %w[%column] : !w
      %e = arith.extf %g : bf16 to f32
      %t = memref.load %s[%i] : !one
      %o = arith.mulf %e, %t : f32
      %n = arith.truncf %o : f32 to bf16
      memref.store %n, %y[%b, %column] : !x
    }
  }
  return
}

// Not before the first wait,
// CHECK-LABEL: func.func @first(
// CHECK:         tile.reduce
// CHECK:         memref.load %arg1
func.func @first(%x: !x, %w: !w, %y: !x) {
  tile.kernel (%b, %part) in (64, 2) threads(64) cluster(1, 2) attributes {tile.resident_blocks = 8 : i32} {
    %v = tile.alloc {layout = #row} : !row
    %s = tile.alloc {layout = #one} : !one
    tile.copy %x[%b, %part * 4096] [1, 4096], %v {instruction = #tile.transfer<sync>} : !x, !row
    tile.reduce sum %v, %s dim(1) {tile.spread = 2 : i64} : !row, !one
    tile.parallel (%i, %j) in (1, 4096) attributes {layout = #row} {
      %g = memref.load %w[%j] : !w
      memref.store %g, %y[%b, %j] : !x
    }
  }
  return
}

// where the block waits for itself alone,
// CHECK-LABEL: func.func @no_cluster(
// CHECK:         tile.reduce
// CHECK:         memref.load %arg1
func.func @no_cluster(%x: !x, %w: !w, %y: !x) {
  tile.kernel (%b) in (64) threads(64) {
    %v = tile.alloc {layout = #row} : !row
    %s = tile.alloc {layout = #one} : !one
    tile.copy %x[%b, 0] [1, 4096], %v {instruction = #tile.transfer<sync>} : !x, !row
    tile.reduce sum %v, %s dim(1) : !row, !one
    tile.parallel (%i, %j) in (1, 4096) attributes {layout = #row} {
      %g = memref.load %w[%j] : !w
      memref.store %g, %y[%b, %j] : !x
    }
  }
  return
}

// where the kernel writes what it reads,
// CHECK-LABEL: func.func @written(
// CHECK:         tile.reduce
// CHECK:         memref.load %arg0
func.func @written(%x: !x) {
  tile.kernel (%b, %part) in (64, 2) threads(64) cluster(1, 2) attributes {tile.resident_blocks = 8 : i32} {
    %v = tile.alloc {layout = #row} : !row
    %s = tile.alloc {layout = #one} : !one
    tile.copy %x[%b, %part * 4096] [1, 4096], %v {instruction = #tile.transfer<sync>} : !x, !row
    tile.reduce sum %v, %s dim(1) {tile.spread = 2 : i64} : !row, !one
    tile.reduce sum %v, %s dim(1) {tile.spread = 2 : i64} : !row, !one
    tile.parallel (%i, %j) in (1, 4096) attributes {layout = #row} {
      %column = affine.apply affine_map<(j, p) -> (j + p * 4096)>(%j, %part)
      %g = memref.load %x[%b, %column] : !x
      memref.store %g, %x[%b, %column] : !x
    }
  }
  return
}

// where the place depends on the sum,
// CHECK-LABEL: func.func @gather(
// CHECK:         tile.reduce
// CHECK:         memref.load %arg1
func.func @gather(%x: !x, %w: !w, %y: !x) {
  tile.kernel (%b, %part) in (64, 2) threads(64) cluster(1, 2) attributes {tile.resident_blocks = 8 : i32} {
    %v = tile.alloc {layout = #row} : !row
    %s = tile.alloc {layout = #one} : !one
    tile.copy %x[%b, %part * 4096] [1, 4096], %v {instruction = #tile.transfer<sync>} : !x, !row
    tile.reduce sum %v, %s dim(1) {tile.spread = 2 : i64} : !row, !one
    tile.reduce sum %v, %s dim(1) {tile.spread = 2 : i64} : !row, !one
    tile.parallel (%i, %j) in (1, 4096) attributes {layout = #row} {
      %t = memref.load %s[%i] : !one
      %n = arith.fptoui %t : f32 to i32
      %at = arith.index_cast %n : i32 to index
      %g = memref.load %w[%at] : !w
      memref.store %g, %y[%b, %j] : !x
    }
  }
  return
}

// and where the row fills the registers that are free.
// CHECK-LABEL: func.func @full(
// CHECK:         tile.reduce
// CHECK:         memref.load %arg1
func.func @full(%x: !x, %w: !w, %y: !x) {
  tile.kernel (%b, %part) in (64, 2) threads(64) cluster(1, 2) attributes {tile.resident_blocks = 8 : i32} {
    %v = tile.alloc {layout = #row} : !wide
    %s = tile.alloc {layout = #one} : !one
    tile.copy %x[%b, %part * 4096] [1, 4096], %v {instruction = #tile.transfer<sync>} : !x, !wide
    tile.reduce sum %v, %s dim(1) {tile.spread = 2 : i64} : !wide, !one
    tile.reduce sum %v, %s dim(1) {tile.spread = 2 : i64} : !wide, !one
    tile.parallel (%i, %j) in (1, 4096) attributes {layout = #row} {
      %column = affine.apply affine_map<(j, p) -> (j + p * 4096)>(%j, %part)
      %g = memref.load %w[%column] : !w
      %a = memref.load %v[%i, %j] : !wide
      %e = arith.extf %g : bf16 to f32
      %o = arith.mulf %e, %a : f32
      %n = arith.truncf %o : f32 to bf16
      memref.store %n, %y[%b, %column] : !x
    }
  }
  return
}
