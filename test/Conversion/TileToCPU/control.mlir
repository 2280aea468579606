// RUN: tile-opt %s --tile-set-target=chip=x86-64-v3 --convert-tile-to-cpu --cse | FileCheck %s

// Blocks are numbered through, the first coordinate fastest. Buffers lie at the start of the block and are freed at its end;
// hints and the attributes that tile-run reads are gone, and so are memory spaces.

// CHECK-LABEL: func.func @kernel(
// CHECK-SAME:    %[[N:.*]]: index, %[[X:.*]]: memref<4x?xf32>) {
func.func @kernel(%n: index, %x: memref<4x?xf32> {tile.init = "zeros"}) attributes {tile.atol = 0.5} {
  // CHECK:      %[[NN:.*]] = arith.maxsi %[[N]], %c0
  // CHECK:      %[[MN:.*]] = arith.muli %{{.*}}, %[[NN]]
  // CHECK:      %[[BLOCKS:.*]] = arith.muli %[[MN]], %c4
  // CHECK:      scf.parallel (%[[I:.*]]) = (%c0) to (%[[BLOCKS]]) step (%c1) {
  // CHECK-DAG:    %[[BX:.*]] = arith.remui %[[I]], %[[N]]
  // CHECK-DAG:    %[[BY:.*]] = arith.divui %[[I]], %[[N]]
  // CHECK-DAG:    %[[T:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
  // CHECK-NOT:    tile.
  // CHECK:        %[[V:.*]] = memref.load %[[T]][%[[BX]]] : memref<8xf32>
  // CHECK-NEXT:   memref.store %[[V]], %[[X]][%[[BY]], %[[BX]]]
  // CHECK:        memref.dealloc %[[T]]
  // CHECK-NEXT:   scf.reduce
  // CHECK:      return
  tile.kernel (%bx, %by) in (%n, 4) threads(64) {
    tile.use_swizzle panel(2)
    scf.execute_region {
      %t = tile.alloc : memref<8xf32, #tile.shared>
      tile.annotate_layout %t : memref<8xf32, #tile.shared> as #tile.layout<[8: 8 offset]>
      %v = memref.load %t[%bx] : memref<8xf32, #tile.shared>
      memref.store %v, %x[%by, %bx] : memref<4x?xf32>
      scf.yield
    }
  }
  return
}

// A workspace lives from the start of the function to each of its ends.

// CHECK-LABEL: func.func @workspace(
// CHECK-NEXT:    %[[W:.*]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK-NEXT:    cf.cond_br
// CHECK:         memref.dealloc %[[W]]
// CHECK-NEXT:    return
// CHECK:         memref.dealloc %[[W]]
// CHECK-NEXT:    return
func.func @workspace(%c: i1) {
  %w = tile.alloc : memref<8xf32>
  cf.cond_br %c, ^a, ^b
^a:
  return
^b:
  return
}

// CHECK-LABEL: func.func @parallel(
// CHECK-SAME:    %[[N:.*]]: index, %[[X:.*]]: memref<2x?xf32>, %[[V:.*]]: f32)
func.func @parallel(%n: index, %x: memref<2x?xf32>, %v: f32) {
  // CHECK:      scf.for %[[I:.*]] = %c0 to %c2 step %c1 {
  // CHECK-NEXT:   scf.for %[[J:.*]] = %c0 to %[[N]] step %c1 {
  // CHECK-NEXT:     memref.store %[[V]], %[[X]][%[[I]], %[[J]]]
  tile.kernel (%b) in (1) {
    tile.parallel (%i, %j) in (2, %n) {
      memref.store %v, %x[%i, %j] : memref<2x?xf32>
    }
  }
  return
}

// CHECK-LABEL: func.func @pipelined(
// CHECK-SAME:    %[[L:[^:]*]]: index, %[[U:[^:]*]]: index, %[[S:[^:]*]]: index
func.func @pipelined(%l: index, %u: index, %s: index, %x: memref<?xf32>, %v: f32) {
  // CHECK:      scf.for %[[K:.*]] = %[[L]] to %[[U]] step %[[S]] {
  // CHECK:        scf.for %[[J:.*]] = %c2{{.*}} to %[[K]] step %c3
  // CHECK-NEXT:     memref.store %{{.*}}[%[[J]]]
  tile.kernel (%b) in (1) {
    tile.pipelined %k = %l to %u step %s stages(3) {
      tile.pipelined %j = 2 to %k step 3 stages(2) {
        memref.store %v, %x[%j] : memref<?xf32>
      }
    }
  }
  return
}

// Block p of P takes the points p, p + P, …; the order walks panels of three rows.

// CHECK-LABEL: func.func @persistent(
// CHECK-SAME:    %[[N:.*]]: index, %[[X:.*]]: memref<8x?xf32>
func.func @persistent(%n: index, %x: memref<8x?xf32>, %v: f32) {
  // CHECK:      scf.parallel (%[[P:.*]]) =
  // CHECK:        %[[FIRST:.*]] = arith.addi %{{.*}}, %[[P]]
  // CHECK:        %[[NN:.*]] = arith.maxsi %[[N]], %c0
  // CHECK:        %[[POINTS:.*]] = arith.muli %{{.*}}, %[[NN]]
  // CHECK:        scf.for %[[T:.*]] = %[[FIRST]] to %[[POINTS]] step %{{.*}} {
  // CHECK:          %[[PLANE:.*]] = arith.remui %[[T]], %{{.*}}
  // CHECK:          %[[PANELSIZE:.*]] = arith.muli %c3, %[[N]]
  // CHECK:          %[[PANEL:.*]] = arith.divui %[[PLANE]], %[[PANELSIZE]]
  // CHECK:          %[[IN:.*]] = arith.remui %[[PLANE]], %[[PANELSIZE]]
  // CHECK:          %[[TOP:.*]] = arith.muli %[[PANEL]], %c3
  // CHECK:          %[[LEFT:.*]] = arith.subi %c8, %[[TOP]]
  // CHECK:          %[[ROWS:.*]] = arith.minui %[[LEFT]], %c3
  // CHECK:          %[[ROW:.*]] = arith.remui %[[IN]], %[[ROWS]]
  // CHECK:          %[[I:.*]] = arith.addi %[[TOP]], %[[ROW]]
  // CHECK:          %[[J:.*]] = arith.divui %[[IN]], %[[ROWS]]
  // CHECK:          memref.store %{{.*}}, %[[X]][%[[I]], %[[J]]]
  tile.kernel (%p) in (5) {
    tile.persistent (%i, %j) in (8, %n) group(3) {
      memref.store %v, %x[%i, %j] : memref<8x?xf32>
    }
  }
  return
}
