// RUN: tile-opt %s --tile-set-target=chip=x86-64-v3 --tile-prefetch-blocks --canonicalize --cse | FileCheck %s
// RUN: tile-opt %s --tile-to-cpu-pipeline=chip=avx512 | FileCheck %s --check-prefix=LLVM

// 16 KiB of a row are 256 lines: 32 pieces of 128 iterations, with 8 lines ahead of each. The loop in the pieces is the one
// with most to do, not the first. Behind the last row nothing is fetched.

// CHECK-LABEL: func.func @row(
// CHECK-SAME:    %[[X:.*]]: memref<?x4096xf32>, %[[Y:.*]]: memref<?x4096xf32>, %[[N:.*]]: index)
// CHECK:       tile.kernel (%[[B:.*]]) in (%[[N]]) {
// CHECK:         %[[T:.*]] = tile.alloc
// CHECK:         tile.copy %[[X]][%[[B]], 0], %[[T]]
// CHECK-NEXT:    tile.parallel (%{{.*}}) in (4096) {
// CHECK:         %[[NEXT:.*]] = arith.addi %[[B]], %c1
// CHECK-NEXT:    %[[ROWS:.*]] = memref.dim %[[X]], %c0
// CHECK-NEXT:    scf.for %[[P:.*]] = %c0 to %c32 step %c1 {
// CHECK-NEXT:      %[[L0:.*]] = arith.muli %[[P]], %c8
// CHECK-NEXT:      %[[L1:.*]] = arith.addi %[[L0]], %c8
// CHECK-NEXT:      scf.for %[[L:.*]] = %[[L0]] to %[[L1]] step %c1 {
// CHECK-NEXT:        %[[C:.*]] = arith.muli %[[L]], %c16
// CHECK-NEXT:        %[[IN:.*]] = arith.cmpi ult, %[[NEXT]], %[[ROWS]]
// CHECK-NEXT:        scf.if %[[IN]] {
// CHECK-NEXT:          memref.prefetch %[[X]][%[[NEXT]], %[[C]]], read, locality<3>, data
// CHECK:           %[[FIRST:.*]] = arith.muli %[[P]], %c128
// CHECK-NEXT:      tile.parallel (%[[I:.*]]) in (128) {
// CHECK-NEXT:        %[[J:.*]] = arith.addi %[[FIRST]], %[[I]]
// CHECK-NEXT:        %[[V:.*]] = memref.load %[[T]][%[[J]]]
// CHECK:             math.exp
// CHECK:             memref.store %{{.*}}, %[[T]][%[[J]]]
// CHECK-NOT:     memref.prefetch
// LLVM-LABEL:  llvm.func internal @row_body(
// LLVM:          llvm.intr.prefetch
func.func @row(%x: memref<?x4096xf32>, %y: memref<?x4096xf32>, %n: index) {
  tile.kernel (%b) in (%n) {
    %t = tile.alloc : memref<4096xf32, #tile.fragment>
    tile.copy %x[%b, 0], %t : memref<?x4096xf32>, memref<4096xf32, #tile.fragment>
    tile.parallel (%i) in (4096) {
      %v = memref.load %t[%i] : memref<4096xf32, #tile.fragment>
      %d = arith.addf %v, %v : f32
      memref.store %d, %t[%i] : memref<4096xf32, #tile.fragment>
    }
    tile.parallel (%i) in (4096) {
      %v = memref.load %t[%i] : memref<4096xf32, #tile.fragment>
      %d = arith.addf %v, %v : f32
      %e = math.exp %d : f32
      memref.store %e, %t[%i] : memref<4096xf32, #tile.fragment>
    }
    tile.copy %t, %y[%b, 0] : memref<4096xf32, #tile.fragment>, memref<?x4096xf32>
  }
  return
}

// Three rows of 1000 columns, 63 lines each, in a loop of three dimensions: the second one is cut into 8 steps of 128
// iterations, the last of which is shorter, and so is the share of the last piece. Columns that the buffer lacks are left out.

// CHECK-LABEL: func.func @tails(
// CHECK-SAME:    %[[X:.*]]: memref<?x?xf32>,
// CHECK:       %[[AT:.*]] = affine.apply #{{.*}}(%[[NEXT:.*]])
// CHECK-DAG:   %[[ROWS:.*]] = memref.dim %[[X]], %c0
// CHECK-DAG:   %[[COLS:.*]] = memref.dim %[[X]], %c1
// CHECK:       scf.for %[[I:.*]] = %c0 to %c3 step %c1 {
// CHECK-NEXT:    scf.for %[[Q:.*]] = %c0 to %c8 step %c1 {
// CHECK-NEXT:      %[[I8:.*]] = arith.muli %[[I]], %c8
// CHECK-NEXT:      %[[P:.*]] = arith.addi %[[I8]], %[[Q]]
// CHECK-NEXT:      %[[L0:.*]] = arith.muli %[[P]], %c8
// CHECK-NEXT:      %[[L1:.*]] = arith.addi %[[L0]], %c8
// CHECK-NEXT:      %[[L2:.*]] = arith.minsi %[[L1]], %c189
// CHECK-NEXT:      scf.for %[[L:.*]] = %[[L0]] to %[[L2]] step %c1 {
// CHECK-DAG:         %[[R:.*]] = arith.divui %[[L]], %c63
// CHECK-DAG:         %[[IN:.*]] = arith.remui %[[L]], %c63
// CHECK-NEXT:        %[[C:.*]] = arith.muli %[[IN]], %c16
// CHECK-NEXT:        %[[ROW:.*]] = arith.addi %[[R]], %[[AT]]
// CHECK-NEXT:        %[[T0:.*]] = arith.cmpi ult, %[[ROW]], %[[ROWS]]
// CHECK-NEXT:        %[[T1:.*]] = arith.cmpi ult, %[[C]], %[[COLS]]
// CHECK-NEXT:        %[[T:.*]] = arith.andi %[[T0]], %[[T1]]
// CHECK-NEXT:        scf.if %[[T]] {
// CHECK-NEXT:          memref.prefetch %[[X]][%[[ROW]], %[[C]]]
// CHECK:           %[[FIRST:.*]] = arith.muli %[[Q]], %c64
// CHECK-NEXT:      %[[LEFT:.*]] = arith.subi %c500, %[[FIRST]]
// CHECK-NEXT:      %[[SIZE:.*]] = arith.minsi %[[LEFT]], %c64
// CHECK-NEXT:      tile.parallel (%[[J:.*]], %[[K:.*]]) in (%[[SIZE]], 2) {
// CHECK-NEXT:        %[[JJ:.*]] = arith.addi %[[FIRST]], %[[J]]
// CHECK-NEXT:        affine.apply #{{.*}}(%[[JJ]], %[[K]])
func.func @tails(%x: memref<?x?xf32>, %n: index) {
  tile.kernel (%b) in (%n) {
    %t = tile.alloc : memref<3x1000xf32, #tile.fragment>
    tile.copy %x[%b * 3, 0], %t : memref<?x?xf32>, memref<3x1000xf32, #tile.fragment>
    tile.parallel (%i, %j, %k) in (3, 500, 2) {
      %c = affine.apply affine_map<(j, k) -> (j * 2 + k)>(%j, %k)
      %v = memref.load %t[%i, %c] : memref<3x1000xf32, #tile.fragment>
      %e = math.exp %v : f32
      memref.store %e, %t[%i, %c] : memref<3x1000xf32, #tile.fragment>
    }
  }
  return
}

// The next block of a grid of two dimensions; two buffers, one of which is known to be inside but for its rows; a place that
// takes an op to compute.

// CHECK-LABEL: func.func @grid(
// CHECK-SAME:    %[[X:.*]]: memref<8x64x1024xf32>, %[[Y:.*]]: memref<?x2048xf16>,
// CHECK:       tile.kernel (%[[A:.*]], %[[B:.*]]) in (%[[N:.*]], 8) {
// CHECK:         %[[A1:.*]] = arith.addi %[[A]], %c1
// CHECK-NEXT:    %[[WRAPS:.*]] = arith.cmpi eq, %[[A1]], %[[N]]
// CHECK-NEXT:    %[[NA:.*]] = arith.select %[[WRAPS]], %c0, %[[A1]]
// CHECK-NEXT:    %[[CARRY:.*]] = arith.select %[[WRAPS]], %c1, %c0
// CHECK-NEXT:    %[[NB:.*]] = arith.addi %[[B]], %[[CARRY]]
// CHECK:         %[[ROW:.*]] = arith.muli %[[NA]], %[[NB]]
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             memref.prefetch %[[X]][%[[NB]], %[[NA]], %{{.*}}]
// CHECK:           scf.for
// CHECK:             memref.prefetch %[[Y]][%[[ROW]], %{{.*}}]
// CHECK:           tile.parallel
// CHECK-NOT:     memref.prefetch
func.func @grid(%x: memref<8x64x1024xf32>, %y: memref<?x2048xf16>, %n: index) {
  tile.kernel (%a, %b) in (%n, 8) {
    %t = tile.alloc : memref<1024xf32, #tile.fragment>
    %u = tile.alloc : memref<2048xf16, #tile.fragment>
    tile.copy %x[%b, %a, 0], %t : memref<8x64x1024xf32>, memref<1024xf32, #tile.fragment>
    %row = arith.muli %a, %b : index
    tile.copy %y[%row, 0], %u : memref<?x2048xf16>, memref<2048xf16, #tile.fragment>
    tile.parallel (%i) in (1024) {
      %v = memref.load %t[%i] : memref<1024xf32, #tile.fragment>
      %h = memref.load %u[%i] : memref<2048xf16, #tile.fragment>
      %w = arith.extf %h : f16 to f32
      %s = arith.addf %v, %w : f32
      memref.store %s, %t[%i] : memref<1024xf32, #tile.fragment>
    }
  }
  return
}

// The same rows are fetched once.

// CHECK-LABEL: func.func @twice(
// CHECK-COUNT-1: memref.prefetch
// CHECK-NOT:     memref.prefetch
func.func @twice(%x: memref<64x1024xf32>) {
  tile.kernel (%b) in (64) {
    %t = tile.alloc : memref<1024xf32, #tile.fragment>
    %u = tile.alloc : memref<1024xf32, #tile.fragment>
    tile.copy %x[%b, 0], %t : memref<64x1024xf32>, memref<1024xf32, #tile.fragment>
    tile.copy %x[%b, 0], %u : memref<64x1024xf32>, memref<1024xf32, #tile.fragment>
    tile.parallel (%i) in (1024) {
      %v = memref.load %t[%i] : memref<1024xf32, #tile.fragment>
      %e = math.exp %v : f32
      memref.store %e, %t[%i] : memref<1024xf32, #tile.fragment>
    }
  }
  return
}
