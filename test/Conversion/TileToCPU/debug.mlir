// RUN: tile-opt %s --tile-set-target=chip=x86-64-v3 --convert-tile-to-cpu --cse | FileCheck %s --check-prefixes=CHECK,TRUST
// RUN: tile-opt %s --tile-set-target=chip=x86-64-v3 --convert-tile-to-cpu=check-assumptions --cse | FileCheck %s --check-prefixes=CHECK,TEST

// CHECK-DAG: func.func private @tile_rt_print_begin(!llvm.ptr)
// CHECK-DAG: func.func private @tile_rt_print_index(i64)
// CHECK-DAG: func.func private @tile_rt_print_float(f64)
// CHECK-DAG: func.func private @tile_rt_print_integer(i64)
// CHECK-DAG: llvm.mlir.global internal constant @[[$X:.*]]("x\00")

// CHECK-LABEL: func.func @scalars(
// CHECK-SAME:    %[[F:.*]]: f16, %[[I:.*]]: i8, %[[N:.*]]: index, %[[B:.*]]: i1)
// CHECK:         %[[A:.*]] = llvm.mlir.addressof @[[$X]]
// CHECK:         %[[P:.*]] = llvm.getelementptr %[[A]][0, 0]
// CHECK:         call @tile_rt_print_begin(%[[P]])
// CHECK:         %[[D:.*]] = arith.extf %[[F]] : f16 to f64
// CHECK:         call @tile_rt_print_float(%[[D]])
// CHECK:         %[[J:.*]] = arith.extsi %[[I]] : i8 to i64
// CHECK:         call @tile_rt_print_integer(%[[J]])
// CHECK:         %[[M:.*]] = arith.index_cast %[[N]] : index to i64
// CHECK:         call @tile_rt_print_integer(%[[M]])
// CHECK:         %[[C:.*]] = arith.extui %[[B]] : i1 to i64
// CHECK:         call @tile_rt_print_integer(%[[C]])
func.func @scalars(%f: f16, %i: i8, %n: index, %b: i1) {
  tile.print %f, "x" : f16
  tile.print %i : i8
  tile.print %n : index
  tile.print %b : i1
  return
}

// CHECK-LABEL: func.func @buffer(
// CHECK-SAME:    %[[T:.*]]: memref<2x3xi32>)
// CHECK:         scf.for %[[I:.*]] = %c0 to %c2
// CHECK:           scf.for %[[J:.*]] = %c0 to %c3
// CHECK:             %[[V:.*]] = memref.load %[[T]][%[[I]], %[[J]]]
// CHECK:             call @tile_rt_print_begin
// CHECK:             %[[A:.*]] = arith.index_cast %[[I]]
// CHECK:             call @tile_rt_print_index(%[[A]])
// CHECK:             %[[B:.*]] = arith.index_cast %[[J]]
// CHECK:             call @tile_rt_print_index(%[[B]])
// CHECK:             arith.extsi %[[V]]
func.func @buffer(%t: memref<2x3xi32, #tile.shared>) {
  tile.print %t, "t" : memref<2x3xi32, #tile.shared>
  return
}

// CHECK-LABEL: func.func @claims(
// CHECK-SAME:    %[[A:.*]]: i1, %[[B:.*]]: i1)
// CHECK:         cf.assert %[[A]], "too \22few\22"
// TRUST:         llvm.intr.assume %[[B]]
// TEST:          cf.assert %[[B]], "assumption does not hold"
func.func @claims(%a: i1, %b: i1) {
  tile.device_assert %a, "too \22few\22"
  tile.assume %b
  return
}
