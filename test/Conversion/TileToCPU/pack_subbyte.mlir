// RUN: tile-opt %s --tile-pack-subbyte --reconcile-unrealized-casts --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @load(
// CHECK-SAME:    %[[A:.*]]: memref<3x4xi8>, %[[I:.*]]: index, %[[J:.*]]: index) -> i4
// CHECK-DAG:     %[[ODD:.*]] = arith.andi %[[J]], %c1
// CHECK-DAG:     %[[BYTE:.*]] = arith.shrui %[[J]], %c1
// CHECK-DAG:     %[[UP:.*]] = arith.shli %[[ODD]], %c2
// CHECK-DAG:     %[[SHIFT:.*]] = arith.index_cast %[[UP]] : index to i8
// CHECK:         %[[V:.*]] = memref.load %[[A]][%[[I]], %[[BYTE]]]
// CHECK-NEXT:    %[[D:.*]] = arith.shrui %[[V]], %[[SHIFT]]
// CHECK-NEXT:    %[[R:.*]] = arith.trunci %[[D]] : i8 to i4
// CHECK-NEXT:    return %[[R]]
func.func @load(%b: memref<3x8xi4>, %i: index, %j: index) -> i4 {
  %v = memref.load %b[%i, %j] : memref<3x8xi4>
  return %v : i4
}

// CHECK-LABEL: func.func @store(
// CHECK-SAME:    %[[A:.*]]: memref<?xi8>, %[[V:.*]]: f4E2M1FN, %[[I:.*]]: index)
// CHECK-DAG:     %[[BITS:.*]] = arith.bitcast %[[V]] : f4E2M1FN to i4
// CHECK-DAG:     %[[WIDE:.*]] = arith.extui %[[BITS]] : i4 to i8
// CHECK-DAG:     %[[PLACED:.*]] = arith.shli %[[WIDE]], %[[SHIFT:.*]] :
// CHECK-DAG:     %[[MASK:.*]] = arith.shli %c15_i8, %[[SHIFT]] :
// CHECK-DAG:     %[[KEEP:.*]] = arith.xori %[[MASK]], %c-1_i8
// CHECK:         %[[OLD:.*]] = memref.load %[[A]][%[[AT:.*]]]
// CHECK-NEXT:    %[[OTHER:.*]] = arith.andi %[[OLD]], %[[KEEP]]
// CHECK-NEXT:    %[[NEW:.*]] = arith.ori %[[OTHER]], %[[PLACED]]
// CHECK-NEXT:    memref.store %[[NEW]], %[[A]][%[[AT]]]
func.func @store(%a: memref<?xf4E2M1FN>, %v: f4E2M1FN, %i: index) {
  memref.store %v, %a[%i] : memref<?xf4E2M1FN>
  return
}

// Another iteration may own the other half of a byte, but not of a buffer of this iteration.

// CHECK-LABEL: func.func @shared(
// CHECK-SAME:    %[[A:.*]]: memref<?xi8>
// CHECK:         scf.parallel
// CHECK:           memref.atomic_rmw andi %{{.*}}, %[[A]][%[[AT:.*]]]
// CHECK-NEXT:      memref.atomic_rmw ori %{{.*}}, %[[A]][%[[AT]]]
// CHECK-NOT:       atomic_rmw
// CHECK:           memref.store %{{.*}} : memref<4xi8>
func.func @shared(%a: memref<?xi4>, %v: i4, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %t = memref.alloc() : memref<8xi4>
    memref.store %v, %a[%i] : memref<?xi4>
    memref.store %v, %t[%c1] : memref<8xi4>
    %w = memref.load %t[%i] : memref<8xi4>
    memref.store %w, %a[%i] : memref<?xi4>
    memref.dealloc %t : memref<8xi4>
  }
  return
}

// Rows of an odd extent follow each other without a gap.

// CHECK-LABEL: func.func @odd_rows(
// CHECK-SAME:    %[[A:.*]]: memref<8xi8>, %[[I:.*]]: index, %[[J:.*]]: index)
// CHECK:         %[[ROW:.*]] = arith.muli %[[I]], %c5
// CHECK:         %[[AT:.*]] = arith.addi %[[ROW]], %[[J]]
// CHECK:         %[[BYTE:.*]] = arith.shrui %[[AT]], %c1
// CHECK:         memref.load %[[A]][%[[BYTE]]]
func.func @odd_rows(%a: memref<3x5xi4>, %i: index, %j: index) -> i4 {
  %v = memref.load %a[%i, %j] : memref<3x5xi4>
  return %v : i4
}

// The last extent counts pairs; others, and static ones, are as they were.

// CHECK-LABEL: func.func @dims(
// CHECK-SAME:    %[[A:.*]]: memref<?x?xi8>, %[[B:.*]]: memref<4xi8>)
// CHECK-DAG:     %[[M:.*]] = memref.dim %[[A]], %c0
// CHECK-DAG:     %[[PAIRS:.*]] = memref.dim %[[A]], %c1
// CHECK-DAG:     %[[N:.*]] = arith.muli %[[PAIRS]], %c2
// CHECK:         return %[[M]], %[[N]], %c7
func.func @dims(%a: memref<?x?xi4>, %b: memref<7xi4>) -> (index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %a, %c0 : memref<?x?xi4>
  %n = memref.dim %a, %c1 : memref<?x?xi4>
  %k = memref.dim %b, %c0 : memref<7xi4>
  return %m, %n, %k : index, index, index
}

// Types change everywhere at once.

// CHECK-LABEL: func.func @calls(
// CHECK:         %[[T:.*]] = memref.alloc() : memref<2x4xi8>
// CHECK:         call @use(%[[T]]) : (memref<2x4xi8>) -> ()
// CHECK:         return %[[T]] : memref<2x4xi8>
func.func private @use(memref<2x8xi4>)
func.func @calls() -> memref<2x8xi4> {
  %t = memref.alloc() : memref<2x8xi4>
  call @use(%t) : (memref<2x8xi4>) -> ()
  return %t : memref<2x8xi4>
}
