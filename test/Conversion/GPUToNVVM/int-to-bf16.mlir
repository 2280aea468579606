// RUN: tile-opt %s --tile-expand-small-floats=keep-bf16 | FileCheck %s

// f32 holds small integers, so that the machine's conversion rounds once.
// CHECK-LABEL: func.func @narrow(
// CHECK:         %[[F:.*]] = arith.sitofp %{{.*}} : i8 to f32
// CHECK-NEXT:    %[[R:.*]] = arith.truncf %[[F]] : f32 to bf16
// CHECK-NEXT:    return %[[R]]
func.func @narrow(%x: i8) -> bf16 {
  %r = arith.sitofp %x : i8 to bf16
  return %r : bf16
}

// Of 32 bits it does not.
// CHECK-LABEL: func.func @wide(
// CHECK:         arith.uitofp %{{.*}} : i32 to f64
// CHECK-NOT:     arith.truncf
// CHECK:         return
func.func @wide(%x: i32) -> bf16 {
  %r = arith.uitofp %x : i32 to bf16
  return %r : bf16
}
