// Ops that are no functions stay as they are, dead ones and those that fold, too; what a function becomes is expanded further.

// RUN: tile-opt %s --pass-pipeline='builtin.module(func.func(tile-lower-gpu-math))' | FileCheck %s

// CHECK-LABEL: func.func @others(
// CHECK:         %[[ONE:.*]] = arith.constant 1 : i32
// CHECK:         %[[TWO:.*]] = arith.addi %[[ONE]], %[[ONE]] : i32
// CHECK:         arith.muli %[[TWO]], %[[TWO]] : i32
// CHECK-NOT:     math.erf
// CHECK-NOT:     math.exp
// CHECK:         return %[[TWO]]
func.func @others(%x: f32, %p: memref<f32>) -> i32 {
  %one = arith.constant 1 : i32
  %two = arith.addi %one, %one : i32
  %dead = arith.muli %two, %two : i32
  %y = math.erf %x fastmath<afn> : f32
  memref.store %y, %p[] : memref<f32>
  return %two : i32
}
