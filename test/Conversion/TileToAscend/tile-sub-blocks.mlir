// RUN: tile-opt %s --ascend-tile-sub-blocks | FileCheck %s
// RUN: tile-opt %s --ascend-tile-sub-blocks --remarks-filter='ascend-tile-sub-blocks' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

!l1 = memref<32x32xf16, #tile.l1>
!acc = memref<32x64xf32, #tile.l0c>
!w = memref<32x64xf16, #tile.l1>
!ub = memref<32x64xf32, #tile.ub>
!column = memref<32xf32, #tile.ub>
!row = memref<64xf32, #tile.ub>
!gm = memref<64x64xf32>

// What goes row by row is shared: the tile that comes from the cube, a column of one element for each row, their
// copies. A row for all of them is not.
// CHECK-LABEL: func.func @rows
// CHECK:         tile.kernel {{.*}} attributes {ascend.sub_block_tiled} {
// CHECK:         %[[SUB:.*]] = ascend.sub_block
// CHECK:         %[[FIRST:.*]] = affine.apply #{{.*}}(%[[SUB]])
// CHECK:         %[[T:.*]] = tile.alloc : memref<16x64xf32, #tile.ub>
// CHECK:         %[[C:.*]] = tile.alloc : memref<16xf32, #tile.ub>
// CHECK:         %[[R:.*]] = tile.alloc : memref<64xf32, #tile.ub>
// CHECK:         tile.copy %{{.*}}[%[[FIRST]], 0] [16, 64], %[[T]] {ascend.sub_block_tiled}
// CHECK:         tile.copy %{{.*}}, %[[R]] :
// CHECK:         tile.reduce sum %[[T]], %[[C]] dim(1)
// CHECK:         tile.parallel (%[[I:.*]], %[[J:.*]]) in (16, 64) attributes {ascend.sub_block_tiled} {
// CHECK:           memref.load %[[T]][%[[I]], %[[J]]]
// CHECK:           memref.load %[[R]][%[[J]]]
// CHECK:         tile.copy %[[T]], %{{.*}}[%{{.*}} * 32 + %[[FIRST]], 0] [16, 64] {ascend.sub_block_tiled}
// REMARK:      [Missed] WholeRows {{.*}}both vector cores compute it: the index of its rows is not the variable of the loop that goes over them
// REMARK:      [Passed] SubBlockTiling
// REMARK-SAME: tiles=2
// REMARK-SAME: whole=1
func.func @rows(%a: !acc, %bias: memref<64xf32>, %o: !gm) {
  tile.kernel (%b) in (2) {
    %c = tile.alloc : !acc
    %t = tile.alloc : !ub
    %s = tile.alloc : !column
    %r = tile.alloc : !row
    tile.copy %c, %t : !acc, !ub
    tile.copy %bias, %r : memref<64xf32>, !row
    tile.reduce sum %t, %s dim(1) : !ub, !column
    tile.parallel (%i, %j) in (32, 64) {
      %x = memref.load %t[%i, %j] : !ub
      %y = memref.load %r[%j] : !row
      %z = arith.addf %x, %y : f32
      memref.store %z, %t[%i, %j] : !ub
    }
    tile.copy %t, %o[%b * 32, 0] : !ub, !gm
  }
  return
}

// A sum over the rows needs all of them, and what it is compared with as well.
// CHECK-LABEL: func.func @columns
// CHECK-NOT:     ascend.sub_block
// CHECK:         tile.copy %{{.*}}, %{{.*}} : memref<32x64xf32, #tile.l0c>, memref<32x64xf32, #tile.ub>
// REMARK:      [Missed] WholeRows {{.*}}a reduction combines its rows
func.func @columns(%o: memref<64xf32>) {
  tile.kernel (%b) in (2) {
    %c = tile.alloc : !acc
    %t = tile.alloc : !ub
    %s = tile.alloc : !row
    tile.copy %c, %t : !acc, !ub
    tile.reduce sum %t, %s dim(0) : !ub, !row
    tile.copy %s, %o : !row, memref<64xf32>
  }
  return
}

// Of 33 rows, the first core has 17; what the second one would write behind the last row is cut off.
// CHECK-LABEL: func.func @odd
// CHECK:         tile.alloc : memref<17xf32, #tile.ub>
// CHECK:         %[[END:.*]] = arith.addi %{{.*}}, %c33
// CHECK:         %[[SIZE:.*]] = arith.minsi %{{.*}}, %[[END]]
// CHECK:         memref.subview %{{.*}}[0] [%[[SIZE]]] [1]
func.func @odd(%x: memref<?xf32>) {
  %two = arith.constant 2.0 : f32
  tile.kernel (%b) in (2) {
    %c = tile.alloc : !acc
    %t = tile.alloc : memref<33xf32, #tile.ub>
    tile.copy %x[%b * 33], %t : memref<?xf32>, memref<33xf32, #tile.ub>
    tile.parallel (%i) in (33) {
      %u = memref.load %t[%i] : memref<33xf32, #tile.ub>
      %v = arith.mulf %u, %two : f32
      memref.store %v, %t[%i] : memref<33xf32, #tile.ub>
    }
    tile.copy %t, %x[%b * 33] : memref<33xf32, #tile.ub>, memref<?xf32>
  }
  return
}

// The blocks of a kernel without products are vector cores.
// CHECK-LABEL: func.func @vector
// CHECK-NOT:     ascend.sub_block
func.func @vector(%x: !gm) {
  tile.kernel (%b) in (2) {
    %t = tile.alloc : !ub
    tile.copy %x[%b * 32, 0], %t : !gm, !ub
    tile.copy %t, %x[%b * 32, 0] : !ub, !gm
  }
  return
}

// Rows of GM that are stored and loaded again are each core's own.
// CHECK-LABEL: func.func @read_back
// CHECK:         tile.copy %{{.*}}, %{{.*}}[%{{.*}} * 32 + %[[FIRST:.*]], 0] [16, 64] {ascend.sub_block_tiled}
// CHECK-NEXT:    tile.copy %{{.*}}[%{{.*}} * 32 + %[[FIRST]], 0] [16, 64], %{{.*}} {ascend.sub_block_tiled}
// CHECK-NEXT:    tile.copy %{{.*}}, %{{.*}}[%{{.*}} * 32 + %[[FIRST]], 0] [16, 64] {ascend.sub_block_tiled}
func.func @read_back(%o: !gm) {
  tile.kernel (%b) in (2) {
    %c = tile.alloc : !acc
    %t = tile.alloc : !ub
    tile.copy %c, %t : !acc, !ub
    tile.copy %t, %o[%b * 32, 0] : !ub, !gm
    tile.copy %o[%b * 32, 0], %t : !gm, !ub
    tile.copy %t, %o[%b * 32, 0] : !ub, !gm
  }
  return
}

// Stores to rows that the other core has stored before stay with one core.
// CHECK-LABEL: func.func @shifted
// CHECK-NOT:     ascend.sub_block_tiled
// CHECK:         tile.copy %{{.*}}, %{{.*}} : memref<32x64xf32, #tile.ub>, memref<64x64xf32>
// CHECK-NEXT:    tile.copy %{{.*}}, %{{.*}}[3, 0] : memref<32x64xf32, #tile.ub>, memref<64x64xf32>
// REMARK: [Missed] WholeRows {{.*}}both vector cores compute it: other rows of a global buffer are used, too, where it is stored
func.func @shifted(%o: !gm) {
  tile.kernel (%b) in (1) {
    %c = tile.alloc : !acc
    %t = tile.alloc : !ub
    tile.copy %c, %t : !acc, !ub
    tile.copy %t, %o[0, 0] : !ub, !gm
    tile.copy %t, %o[3, 0] : !ub, !gm
  }
  return
}

// So do the rows of one iteration that are others in the next one.
// CHECK-LABEL: func.func @sliding
// CHECK:         tile.copy %{{.*}}, %{{.*}}[%{{.*}} * 16, 0] : memref<32x64xf32, #tile.ub>, memref<64x64xf32>
func.func @sliding(%o: !gm) {
  tile.kernel (%b) in (1) {
    %c = tile.alloc : !acc
    %t = tile.alloc : !ub
    tile.copy %c, %t : !acc, !ub
    tile.pipelined %s = 0 to 3 stages(1) {
      tile.copy %t, %o[%s * 16, 0] : !ub, !gm
    }
  }
  return
}

// Other columns are no reason.
// CHECK-LABEL: func.func @side_by_side
// CHECK-COUNT-3: ascend.sub_block_tiled
func.func @side_by_side(%o: memref<64x128xf32>) {
  tile.kernel (%b) in (2) {
    %c = tile.alloc : !acc
    %t = tile.alloc : !ub
    tile.copy %c, %t : !acc, !ub
    tile.copy %t, %o[%b * 32, 0] : !ub, memref<64x128xf32>
    tile.copy %t, %o[32 - %b * 32, 64] : !ub, memref<64x128xf32>
  }
  return
}

// A tile whose rows are mixed is stored by the first core, and so is what goes to the same place.
// CHECK-LABEL: func.func @first
// CHECK-NOT:     ascend.sub_block_tiled
// CHECK:         tile.reduce sum
func.func @first(%o: memref<32x64xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %c = tile.alloc : !acc
    %t = tile.alloc : !ub
    %u = tile.alloc : !ub
    %s = tile.alloc : !row
    tile.fill %u, %zero : !ub
    tile.copy %u, %o : !ub, memref<32x64xf32>
    tile.copy %c, %t : !acc, !ub
    tile.reduce sum %t, %s dim(0) : !ub, !row
    tile.copy %t, %o : !ub, memref<32x64xf32>
  }
  return
}

// Where both cores would read what one of them stores, there is one.
// CHECK-LABEL: func.func @other_rows
// CHECK:         attributes {ascend.vector_cores = 1
// CHECK-NOT:     ascend.sub_block
// CHECK:         tile.copy %{{.*}}, %{{.*}} : memref<32x64xf32, #tile.l0c>, memref<32x64xf32, #tile.ub>
// REMARK: [Missed] OneVectorCore {{.*}}both vector cores would read what one of them writes, and nothing orders the two
func.func @other_rows(%o: !gm) {
  tile.kernel (%b) in (2) {
    %c = tile.alloc : !acc
    %t = tile.alloc : !ub
    tile.copy %c, %t : !acc, !ub
    tile.copy %t, %o[%b * 16, 0] : !ub, !gm
    tile.copy %o[%b * 16 + 3, 0], %t : !gm, !ub
  }
  return
}

// CHECK-LABEL: func.func @elements
// CHECK:         ascend.vector_cores = 1
func.func @elements(%o: memref<32x64xf32>) {
  %c0 = arith.constant 0 : index
  %c20 = arith.constant 20 : index
  tile.kernel (%b) in (1) {
    %c = tile.alloc : !acc
    %t = tile.alloc : !ub
    tile.copy %c, %t : !acc, !ub
    tile.copy %t, %o : !ub, memref<32x64xf32>
    %v = memref.load %o[%c20, %c0] : memref<32x64xf32>
    %h = tile.alloc : memref<8xf32, #tile.ub>
    tile.fill %h, %v : memref<8xf32, #tile.ub>
  }
  return
}
