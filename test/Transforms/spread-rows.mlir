// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-spread-rows --remarks-filter=tile-spread-rows 2> %t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: tile-opt %s --tile-set-target=chip=sm_80 --tile-spread-rows | FileCheck %s --check-prefix=NONE

// A chip without clusters keeps whole rows.
// NONE-NOT: cluster(1
// NONE-NOT: tile.spread

// Each block has a quarter of the columns of the tile, of what is computed from it and of the weights in a tile; weights in memory are
// read at the columns of the row. Sums are stored once.
// CHECK-LABEL: func.func @norm(
// CHECK: tile.kernel (%[[B:.*]], %[[R:.*]]) in (64, 4) threads(256) cluster(1, 4)
// CHECK: %[[ROW:.*]] = tile.alloc : memref<2x1024xbf16, #tile.shared>
// CHECK: %[[SQUARE:.*]] = tile.alloc : memref<2x1024xf32, #tile.fragment>
// CHECK: %[[BIAS:.*]] = tile.alloc : memref<1024xf32, #tile.fragment>
// CHECK: %[[SUM:.*]] = tile.alloc : memref<2xf32, #tile.fragment>
// CHECK: tile.copy %{{.*}}[%[[B]] * 2, %[[R]] * 1024 + 8] [2, 1024], %[[ROW]]
// CHECK: tile.copy %{{.*}}[%[[R]] * 1024] [1024], %[[BIAS]]
// CHECK: tile.parallel (%{{.*}}, %{{.*}}) in (2, 1024)
// CHECK: tile.reduce sum %[[SQUARE]], %[[SUM]] dim(1) {tile.spread = 4 : i64}
// CHECK: tile.parallel (%[[I:.*]], %[[J:.*]]) in (2, 1024)
// CHECK: %[[WHOLE:.*]] = affine.apply #{{.*}}(%[[J]], %[[R]])
// CHECK: memref.load %[[ROW]][%[[I]], %[[J]]]
// CHECK: memref.load %[[SUM]][%[[I]]]
// CHECK: memref.load %{{.*}}[%[[WHOLE]]] : memref<4104xf32>
// CHECK: memref.load %[[BIAS]][%[[J]]]
// CHECK: tile.copy %[[ROW]], %{{.*}}[%[[B]] * 2, %[[R]] * 1024 + 8] [2, 1024]
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[R]], %
// CHECK: scf.if %[[FIRST]] {
// CHECK-NEXT: tile.copy %[[SUM]], %{{.*}}[%[[B]] * 2]
// REMARK: [Passed] SpreadRows | Category:tile-spread-rows | {{.*}}blocks=4, threads=256
func.func @norm(%x: memref<128x4104xbf16>, %w: memref<4104xf32>, %c: memref<4096xf32>, %y: memref<128x4104xbf16>, %s: memref<128xf32>) {
  tile.kernel (%b) in (64) threads(256) attributes {tile.spread_rows = 4} {
    %row = tile.alloc : memref<2x4096xbf16, #tile.shared>
    %square = tile.alloc : memref<2x4096xf32, #tile.fragment>
    %bias = tile.alloc : memref<4096xf32, #tile.fragment>
    %sum = tile.alloc : memref<2xf32, #tile.fragment>
    tile.copy %x[%b * 2, 8], %row
    tile.copy %c, %bias
    tile.parallel (%i, %j) in (2, 4096) do %square[%i, %j] = f32(%row[%i, %j]) * f32(%row[%i, %j])
    tile.reduce sum %square, %sum dim(1)
    tile.parallel (%i, %j) in (2, 4096) do %row[%i, %j] = bf16(f32(%row[%i, %j]) * rsqrt(%sum[%i]) * %w[%j] + %bias[%j])
    tile.copy %row, %y[%b * 2, 8]
    tile.copy %sum, %s[%b * 2]
  }
  return
}

// Without a choice: two blocks that share a processor have half of its registers, 32 elements a thread. Among four blocks where rows are
// reduced once, and among two where they are reduced twice: of longer rows a block has half of the registers then, and 64 elements a thread.
// CHECK-LABEL: func.func @registers(
// CHECK: tile.kernel (%{{.*}}, %{{.*}}) in (64, 4) threads(512) cluster(1, 4) attributes {tile.resident_blocks = 2 : i32} {
// CHECK: tile.kernel (%{{.*}}, %{{.*}}) in (64, 4) threads(512) cluster(1, 4) attributes {tile.resident_blocks = 2 : i32} {
// CHECK: tile.kernel (%{{.*}}, %{{.*}}) in (64, 2) threads(512) cluster(1, 2) attributes {tile.resident_blocks = 2 : i32} {
// CHECK: tile.kernel (%{{.*}}) in (64) threads(512) {
// CHECK: tile.kernel (%{{.*}}, %{{.*}}) in (64, 2) threads(512) cluster(1, 2) {
// CHECK: tile.kernel (%{{.*}}, %{{.*}}) in (64, 2) threads(512) cluster(1, 2) attributes {tile.resident_blocks = 2 : i32} {
// CHECK: tile.kernel (%{{.*}}, %{{.*}}) in (32, 4) threads(512) cluster(1, 4) {
// REMARK: [Passed] SpreadRows | Category:tile-spread-rows | {{.*}}blocks=4, threads=512
// REMARK: [Passed] SpreadRows | Category:tile-spread-rows | {{.*}}blocks=4, threads=512
// REMARK: [Passed] SpreadRows | Category:tile-spread-rows | {{.*}}blocks=2, threads=512
// REMARK: [Passed] SpreadRows | Category:tile-spread-rows | {{.*}}blocks=2, threads=512
// REMARK: [Passed] SpreadRows | Category:tile-spread-rows | {{.*}}blocks=2, threads=512
// REMARK: [Passed] SpreadRows | Category:tile-spread-rows | {{.*}}blocks=4, threads=512
func.func @registers(%x: memref<64x65536xf32>, %y: memref<64xf32>) {
  tile.kernel (%b) in (64) threads(1024) {
    %row = tile.alloc : memref<1x65536xf32, #tile.fragment>
    %sum = tile.alloc : memref<1xf32, #tile.fragment>
    tile.copy %x[%b, 0], %row
    tile.reduce sum %row, %sum dim(1)
    tile.copy %sum, %y[%b]
  }
  tile.kernel (%b) in (64) threads(256) {
    %row = tile.alloc : memref<1x65536xf32, #tile.fragment>
    %sum = tile.alloc : memref<1xf32, #tile.fragment>
    tile.copy %x[%b, 0], %row
    tile.reduce sum %row, %sum dim(1)
    tile.copy %sum, %y[%b]
  }
  tile.kernel (%b) in (64) threads(512) {
    %row = tile.alloc : memref<1x32768xf32, #tile.fragment>
    %sum = tile.alloc : memref<1xf32, #tile.fragment>
    tile.copy %x[%b, 0], %row
    tile.reduce sum %row, %sum dim(1)
    tile.copy %sum, %y[%b]
  }
  tile.kernel (%b) in (64) threads(512) {
    %row = tile.alloc : memref<1x16384xf32, #tile.fragment>
    %sum = tile.alloc : memref<1xf32, #tile.fragment>
    tile.copy %x[%b, 0], %row
    tile.reduce sum %row, %sum dim(1)
    tile.copy %sum, %y[%b]
  }
  tile.kernel (%b) in (64) threads(1024) {
    %row = tile.alloc : memref<1x65536xf32, #tile.fragment>
    %sum = tile.alloc : memref<1xf32, #tile.fragment>
    tile.copy %x[%b, 0], %row
    tile.reduce max %row, %sum dim(1)
    tile.parallel (%i, %j) in (1, 65536) do %row[%i, %j] = %row[%i, %j] - %sum[%i]
    tile.reduce sum %row, %sum dim(1)
    tile.copy %sum, %y[%b]
  }
  tile.kernel (%b) in (64) threads(512) {
    %row = tile.alloc : memref<1x32768xf32, #tile.fragment>
    %sum = tile.alloc : memref<1xf32, #tile.fragment>
    tile.copy %x[%b, 0], %row
    tile.reduce max %row, %sum dim(1)
    tile.parallel (%i, %j) in (1, 32768) do %row[%i, %j] = %row[%i, %j] - %sum[%i]
    tile.reduce sum %row, %sum dim(1)
    tile.copy %sum, %y[%b]
  }
  tile.kernel (%b) in (32) threads(512) {
    %row = tile.alloc : memref<2x65536xf32, #tile.fragment>
    %sum = tile.alloc : memref<2xf32, #tile.fragment>
    tile.copy %x[%b * 2, 0], %row
    tile.reduce max %row, %sum dim(1)
    tile.parallel (%i, %j) in (2, 65536) do %row[%i, %j] = %row[%i, %j] - %sum[%i]
    tile.reduce sum %row, %sum dim(1)
    tile.copy %sum, %y[%b * 2]
  }
  return
}

// Narrow elements take more registers than two blocks that share a processor leave; the number of these can be written by hand.
// CHECK-LABEL: func.func @narrow(
// CHECK: tile.kernel (%{{.*}}) in (64) threads(512) {
// CHECK: tile.kernel (%{{.*}}, %{{.*}}) in (64, 4) threads(512) cluster(1, 4) attributes {tile.resident_blocks = 1 : i32} {
// REMARK: [Passed] SpreadRows | Category:tile-spread-rows | {{.*}}blocks=4, threads=512
func.func @narrow(%x: memref<64x32768xbf16>, %z: memref<64x65536xf32>, %y: memref<64xf32>) {
  tile.kernel (%b) in (64) threads(512) {
    %row = tile.alloc : memref<1x32768xbf16, #tile.fragment>
    %wide = tile.alloc : memref<1x32768xf32, #tile.fragment>
    %sum = tile.alloc : memref<1xf32, #tile.fragment>
    tile.copy %x[%b, 0], %row
    tile.copy %row, %wide
    tile.reduce sum %wide, %sum dim(1)
    tile.copy %sum, %y[%b]
  }
  tile.kernel (%b) in (64) threads(512) attributes {tile.resident_blocks = 1 : i32} {
    %row = tile.alloc : memref<1x65536xf32, #tile.fragment>
    %sum = tile.alloc : memref<1xf32, #tile.fragment>
    tile.copy %z[%b, 0], %row
    tile.reduce sum %row, %sum dim(1)
    tile.copy %sum, %y[%b]
  }
  return
}

// Squares are added up as they are computed: each block keeps the threads, and two of them fill half of the shared memory.
// CHECK-LABEL: func.func @shared(
// CHECK: tile.kernel (%{{.*}}, %{{.*}}) in (64, 2) threads(512) cluster(1, 2) attributes {tile.resident_blocks = 2 : i32} {
// REMARK: [Passed] SpreadRows | Category:tile-spread-rows | {{.*}}blocks=2, threads=512
func.func @shared(%x: memref<64x65536xbf16>, %y: memref<64xf32>) {
  tile.kernel (%b) in (64) threads(512) {
    %row = tile.alloc : memref<1x65536xbf16, #tile.shared>
    %square = tile.alloc : memref<1x65536xf32, #tile.fragment>
    %sum = tile.alloc : memref<1xf32, #tile.fragment>
    tile.copy %x[%b, 0], %row
    tile.parallel (%i, %j) in (1, 65536) do %square[%i, %j] = f32(%row[%i, %j]) * f32(%row[%i, %j])
    tile.reduce sum %square, %sum dim(1)
    tile.copy %sum, %y[%b]
  }
  return
}

// Whole rows: two blocks fill half of the shared memory; of four that would, registers leave room for three; of 8192 elements, each
// thread computes 16.
// CHECK-LABEL: func.func @resident(
// CHECK: tile.kernel (%{{.*}}) in (64) threads(512) attributes {tile.resident_blocks = 2 : i32} {
// CHECK: tile.kernel (%{{.*}}) in (64) threads(512) attributes {tile.resident_blocks = 3 : i32} {
// CHECK: tile.kernel (%{{.*}}) in (64) threads(512) {
func.func @resident(%x: memref<64x32768xbf16>, %z: memref<64x16384xbf16>, %s: memref<64x8192xbf16>, %y: memref<64xf32>) {
  tile.kernel (%b) in (64) threads(512) {
    %row = tile.alloc : memref<1x32768xbf16, #tile.shared>
    %square = tile.alloc : memref<1x32768xf32, #tile.fragment>
    %sum = tile.alloc : memref<1xf32, #tile.fragment>
    tile.copy %x[%b, 0], %row
    tile.parallel (%i, %j) in (1, 32768) do %square[%i, %j] = f32(%row[%i, %j]) * f32(%row[%i, %j])
    tile.reduce sum %square, %sum dim(1)
    tile.copy %sum, %y[%b]
  }
  tile.kernel (%b) in (64) threads(512) {
    %row = tile.alloc : memref<1x16384xbf16, #tile.shared>
    %square = tile.alloc : memref<1x16384xf32, #tile.fragment>
    %sum = tile.alloc : memref<1xf32, #tile.fragment>
    tile.copy %z[%b, 0], %row
    tile.parallel (%i, %j) in (1, 16384) do %square[%i, %j] = f32(%row[%i, %j]) * f32(%row[%i, %j])
    tile.reduce sum %square, %sum dim(1)
    tile.copy %sum, %y[%b]
  }
  tile.kernel (%b) in (64) threads(512) {
    %row = tile.alloc : memref<1x8192xbf16, #tile.shared>
    %square = tile.alloc : memref<1x8192xf32, #tile.fragment>
    %sum = tile.alloc : memref<1xf32, #tile.fragment>
    tile.copy %s[%b, 0], %row
    tile.parallel (%i, %j) in (1, 8192) do %square[%i, %j] = f32(%row[%i, %j]) * f32(%row[%i, %j])
    tile.reduce sum %square, %sum dim(1)
    tile.copy %sum, %y[%b]
  }
  return
}

// A choice against it.
// CHECK-LABEL: func.func @whole(
// CHECK: tile.kernel (%{{.*}}) in (64) threads(512) {
// CHECK-NOT: tile.spread
func.func @whole(%x: memref<64x65536xf32>, %y: memref<64xf32>) {
  tile.kernel (%b) in (64) threads(512) attributes {tile.spread_rows = 1} {
    %row = tile.alloc : memref<1x65536xf32, #tile.fragment>
    %sum = tile.alloc : memref<1xf32, #tile.fragment>
    tile.copy %x[%b, 0], %row
    tile.reduce sum %row, %sum dim(1)
    tile.copy %sum, %y[%b]
  }
  return
}

// What stays as it is, with the reason.
// CHECK-LABEL: func.func @refused(
// CHECK-NOT: cluster(1
// CHECK: return
// REMARK: Reason="an element is read in another column"
// REMARK: Reason="global memory is read and written"
// REMARK: Reason="a tile has columns along two dimensions"
// REMARK: Reason="'scf.for' is not divided"
// REMARK: Reason="a loop over columns writes a tile without columns"
// REMARK: Reason="'tile.scan' is not divided"
// REMARK: Reason="the grid has clusters or three dimensions"
// REMARK: Reason="the grid is too long along y"
!row = memref<1x65536xf32, #tile.fragment>
!column = memref<1xf32, #tile.fragment>
func.func @refused(%x: memref<64x65536xf32>, %y: memref<64x65536xf32>, %s: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  tile.kernel (%b) in (64) threads(512) {
    %row = tile.alloc : memref<1x65536xf32, #tile.shared>
    %sum = tile.alloc : !column
    tile.copy %x[%b, 0], %row
    tile.reduce sum %row, %sum dim(1)
    tile.parallel (%i, %j) in (1, 32768) do %y[%b, %j] = %row[%i, %j + 32768] * %sum[%i]
  }
  tile.kernel (%b) in (64) threads(512) {
    %row = tile.alloc : !row
    %sum = tile.alloc : !column
    tile.copy %x[%b, 0], %row
    tile.reduce sum %row, %sum dim(1)
    tile.parallel (%i, %j) in (1, 65536) do %row[%i, %j] = %row[%i, %j] - %x[%b, 65535 - %j]
    tile.copy %row, %x[%b, 0]
  }
  tile.kernel (%b) in (64) threads(512) {
    %row = tile.alloc : memref<2x32768xf32, #tile.fragment>
    %sum = tile.alloc : memref<2xf32, #tile.fragment>
    %columns = tile.alloc : memref<32768xf32, #tile.fragment>
    tile.copy %x[0, 0], %row
    tile.reduce sum %row, %sum dim(1)
    tile.reduce sum %row, %columns dim(0)
  }
  tile.kernel (%b) in (64) threads(512) {
    %row = tile.alloc : !row
    %sum = tile.alloc : !column
    tile.copy %x[%b, 0], %row
    tile.reduce sum %row, %sum dim(1)
    scf.for %k = %c0 to %c2 step %c1 {
      tile.reduce sum %row, %sum dim(1) {combine} : !row, !column
    }
  }
  tile.kernel (%b) in (64) threads(512) {
    %row = tile.alloc : memref<1x65536xf32, #tile.shared>
    %halves = tile.alloc : memref<1x32768xf32, #tile.shared>
    %sum = tile.alloc : !column
    tile.copy %x[%b, 0], %row
    tile.reduce sum %row, %sum dim(1)
    tile.parallel (%i, %j) in (1, 65536) {
      %a = memref.load %row[%i, %j] : memref<1x65536xf32, #tile.shared>
      %h = affine.apply affine_map<(j) -> (j floordiv 2)>(%j)
      memref.store %a, %halves[%i, %h] : memref<1x32768xf32, #tile.shared>
    }
  }
  tile.kernel (%b) in (64) threads(512) {
    %row = tile.alloc : !row
    %sum = tile.alloc : !column
    tile.copy %x[%b, 0], %row
    tile.reduce sum %row, %sum dim(1)
    tile.scan sum %row, %row dim(1)
    tile.copy %row, %y[%b, 0]
  }
  tile.kernel (%b) in (64) threads(512) cluster(2) {
    %row = tile.alloc : !row
    %sum = tile.alloc : !column
    tile.copy %x[%b, 0], %row
    tile.reduce sum %row, %sum dim(1)
    tile.copy %sum, %s[%b]
  }
  tile.kernel (%b, %c) in (1, 65536) threads(512) {
    %row = tile.alloc : !row
    %sum = tile.alloc : !column
    tile.copy %x[%b, 0], %row
    tile.reduce sum %row, %sum dim(1)
  }
  return
}
