// RUN: tile-opt %s --tile-outline-parallel --reconcile-unrealized-casts --canonicalize | FileCheck %s

// The runtime gets the body as a function of a range, the values from outside in a structure on the stack, constants not.

// CHECK:       func.func private @tile_rt_parallel_for(!llvm.ptr, !llvm.ptr, i64, i64)

// CHECK-LABEL: func.func @captures(
// CHECK-SAME:    %[[X:.*]]: memref<?xf32>, %[[V:.*]]: f32, %[[N:.*]]: index)
// CHECK-DAG:     %[[MEMORY:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(f32, struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>)> :
// CHECK-DAG:     builtin.unrealized_conversion_cast %[[X]]
// CHECK-DAG:     llvm.store %[[V]], %{{.*}} : f32, !llvm.ptr
// CHECK-DAG:     %[[BODY:.*]] = constant @captures_body : (!llvm.ptr, i64, i64) -> ()
// CHECK-DAG:     %[[POINTER:.*]] = builtin.unrealized_conversion_cast %[[BODY]]
// CHECK-DAG:     %[[COUNT:.*]] = arith.index_cast %{{.*}} : index to i64
// CHECK:         call @tile_rt_parallel_for(%[[POINTER]], %[[MEMORY]], %[[COUNT]], %{{.*}})
// CHECK-NEXT:    return

// CHECK-LABEL: func.func private @captures_body(
// CHECK-SAME:    %[[CONTEXT:.*]]: !llvm.ptr, %[[BEGIN:.*]]: i64, %[[END:.*]]: i64)
// CHECK-DAG:     %[[TWO:.*]] = arith.constant 2.000000e+00 : f32
// CHECK-DAG:     %[[W:.*]] = llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK-DAG:     %[[FIRST:.*]] = arith.index_cast %[[BEGIN]] : i64 to index
// CHECK-DAG:     %[[LAST:.*]] = arith.index_cast %[[END]] : i64 to index
// CHECK:         scf.for %[[I:.*]] = %[[FIRST]] to %[[LAST]] step %c1
// CHECK:           %[[P:.*]] = arith.mulf %[[W]], %[[TWO]]
// CHECK:           memref.store %[[P]], %{{.*}}[%[[I]]]
func.func @captures(%x: memref<?xf32>, %v: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2.0 : f32
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %p = arith.mulf %v, %two : f32
    memref.store %p, %x[%i] : memref<?xf32>
  }
  return
}

// The first coordinate varies fastest; bounds and steps are those of the loop.

// CHECK-LABEL: func.func @space(
// CHECK:         %[[C0:.*]] = arith.ceildivui %{{.*}}, %c3
// CHECK:         %[[COUNT:.*]] = arith.muli %[[C0]]
// CHECK-LABEL: func.func private @space_body(
// CHECK:         scf.for %[[T:.*]] =
// CHECK-DAG:       %[[I:.*]] = arith.remui %[[T]], %[[EXTENT:.*]] :
// CHECK-DAG:       %[[J:.*]] = arith.divui %[[T]], %[[EXTENT]] :
// CHECK-DAG:       %[[A:.*]] = arith.muli %[[I]], %c3
// CHECK-DAG:       %[[AT:.*]] = arith.addi %[[A]], %c2
// CHECK:           memref.store %{{.*}}, %{{.*}}[%[[AT]], %[[J]]]
func.func @space(%x: memref<?x?xf32>, %m: index, %n: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  scf.parallel (%i, %j) = (%c2, %c0) to (%m, %n) step (%c3, %c1) {
    memref.store %v, %x[%i, %j] : memref<?x?xf32>
  }
  return
}

// Buffers of an iteration serve the whole range; inner loops stay.

// CHECK-LABEL: func.func private @buffers_body(
// CHECK:         %[[T:.*]] = memref.alloc() : memref<8xf32>
// CHECK:         scf.for
// CHECK-NOT:       memref.alloc
// CHECK:           scf.parallel
// CHECK-NOT:       memref.dealloc
// CHECK:         memref.dealloc %[[T]]
// CHECK-NEXT:    return
func.func @buffers(%x: memref<?xf32>, %n: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %t = memref.alloc() : memref<8xf32>
    scf.parallel (%j) = (%c0) to (%c8) step (%c1) {
      memref.store %v, %t[%j] : memref<8xf32>
    }
    %w = memref.load %t[%c1] : memref<8xf32>
    memref.store %w, %x[%i] : memref<?xf32>
    memref.dealloc %t : memref<8xf32>
  }
  return
}

// A loop with a result is left alone.

// CHECK-LABEL: func.func @reduction(
// CHECK:         scf.parallel
// CHECK:           scf.reduce
// CHECK-NOT:     call
func.func @reduction(%x: memref<?xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %sum = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%zero) -> f32 {
    %v = memref.load %x[%i] : memref<?xf32>
    scf.reduce(%v : f32) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      scf.reduce.return %s : f32
    }
  }
  return %sum : f32
}
