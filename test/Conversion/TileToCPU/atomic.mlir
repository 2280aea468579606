// RUN: tile-opt %s --tile-set-target=chip=x86-64-v3 --convert-tile-to-cpu --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @scalar(
// CHECK-SAME:    %[[X:.*]]: memref<?x8xf32>, %[[V:.*]]: f32
// CHECK:         %[[OLD:.*]] = memref.atomic_rmw maxnumf %[[V]], %[[X]][%c1, %c3]
// CHECK:         return %[[OLD]]
func.func @scalar(%x: memref<?x8xf32>, %v: f32) -> f32 {
  %old = tile.atomic max %v, %x[1, 3] : f32, memref<?x8xf32> -> f32
  return %old : f32
}

// CHECK-LABEL: func.func @kinds(
// CHECK:         memref.atomic_rmw addf
// CHECK:         memref.atomic_rmw minnumf
// CHECK:         memref.atomic_rmw addi
// CHECK:         memref.atomic_rmw maxs
// CHECK:         memref.atomic_rmw mins
// CHECK:         memref.atomic_rmw maxu
// CHECK:         memref.atomic_rmw minu
// CHECK:         memref.atomic_rmw ori
func.func @kinds(%f: memref<1xf16>, %h: f16, %x: memref<1xi32>, %i: i32) {
  tile.atomic add %h, %f[0] : f16, memref<1xf16>
  tile.atomic min %h, %f[0] : f16, memref<1xf16>
  tile.atomic add %i, %x[0] : i32, memref<1xi32>
  tile.atomic max %i, %x[0] : i32, memref<1xi32>
  tile.atomic min %i, %x[0] : i32, memref<1xi32>
  tile.atomic max %i, %x[0] {is_unsigned} : i32, memref<1xi32>
  tile.atomic min %i, %x[0] {is_unsigned} : i32, memref<1xi32>
  tile.atomic or %i, %x[0] : i32, memref<1xi32>
  return
}

// A tile combines what lies inside of the target.

// CHECK-LABEL: func.func @tile(
// CHECK-SAME:    %[[X:.*]]: memref<?x8xf32>, %[[T:.*]]: memref<4xf32>, %[[I:.*]]: index)
// CHECK:         %[[N:.*]] = memref.dim %[[X]], %c0
// CHECK:         %[[IN:.*]] = arith.cmpi ult, %[[I]], %[[N]]
// CHECK:         scf.if %[[IN]] {
// CHECK-NEXT:      scf.for %[[J:.*]] = %c0 to %c2 step %c1 {
// CHECK-NEXT:        %[[V:.*]] = memref.load %[[T]][%[[J]]]
// CHECK-NEXT:        %[[C:.*]] = arith.addi %[[J]], %c6
// CHECK-NEXT:        memref.atomic_rmw addf %[[V]], %[[X]][%[[I]], %[[C]]]
func.func @tile(%x: memref<?x8xf32>, %t: memref<4xf32, #tile.shared>, %i: index) {
  tile.atomic add %t, %x[%i, 6] : memref<4xf32, #tile.shared>, memref<?x8xf32>
  return
}

// bf16 is computed as elsewhere, in a loop around the bits.

// CHECK-LABEL: func.func @bf16(
// CHECK-SAME:    %[[X:.*]]: memref<?xbf16>, %[[V:.*]]: bf16)
// CHECK:         %[[S:.*]] = builtin.unrealized_conversion_cast %[[X]] : memref<?xbf16> to !llvm.struct
// CHECK:         %[[B:.*]] = builtin.unrealized_conversion_cast %[[S]] : {{.*}} to memref<?xi16>
// CHECK:         %[[BITS:.*]] = memref.generic_atomic_rmw %[[B]][%c2] : memref<?xi16> {
// CHECK-NEXT:    ^bb0(%[[NOW:.*]]: i16):
// CHECK-NEXT:      %[[OLD:.*]] = arith.bitcast %[[NOW]] : i16 to bf16
// CHECK-NEXT:      %[[SUM:.*]] = arith.addf %[[OLD]], %[[V]]
// CHECK-NEXT:      %[[NEW:.*]] = arith.bitcast %[[SUM]] : bf16 to i16
// CHECK-NEXT:      memref.atomic_yield %[[NEW]]
// CHECK:         %[[R:.*]] = arith.bitcast %[[BITS]] : i16 to bf16
// CHECK:         return %[[R]]
func.func @bf16(%x: memref<?xbf16>, %v: bf16) -> bf16 {
  %old = tile.atomic add %v, %x[2] : bf16, memref<?xbf16> -> bf16
  return %old : bf16
}
