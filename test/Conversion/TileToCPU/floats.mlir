// RUN: tile-opt %s --tile-expand-small-floats | FileCheck %s

// Each function is arithmetic on integers and f32: no conversion from or to a small float is left.
// CHECK-NOT: arith.{{(extf|truncf|sitofp|uitofp) .*(f8|bf16|f4)}}

// CHECK-LABEL: func.func @from_bf16(
// CHECK-SAME:    %[[X:.*]]: bf16)
// CHECK:         %[[RAW:.*]] = arith.bitcast %[[X]] : bf16 to i16
// CHECK:         %[[CODE:.*]] = arith.extui %[[RAW]] : i16 to i32
// CHECK:         %[[BITS:.*]] = arith.shli %[[CODE]], %c16_i32
// CHECK:         %[[R:.*]] = arith.bitcast %[[BITS]] : i32 to f32
// CHECK-NEXT:    return %[[R]]
func.func @from_bf16(%x: bf16) -> f32 {
  %r = arith.extf %x : bf16 to f32
  return %r : f32
}

// Half of the last place, ties to even; the exponents are the same, so subnormal numbers need nothing of their own.

// CHECK-LABEL: func.func @to_bf16(
// CHECK-SAME:    %[[X:.*]]: f32)
// CHECK:         %[[BITS:.*]] = arith.bitcast %[[X]] : f32 to i32
// CHECK:         %[[M:.*]] = arith.andi %[[BITS]], %c2147483647_i32
// CHECK:         %[[NAN:.*]] = arith.cmpi ugt, %[[M]], %c2139095040_i32
// CHECK:         %[[LAST:.*]] = arith.shrui %[[M]], %c16_i32
// CHECK:         %[[ODD:.*]] = arith.andi %[[LAST]], %c1_i32
// CHECK:         %[[HALF:.*]] = arith.addi %[[M]], %c32767_i32
// CHECK:         %[[UP:.*]] = arith.addi %[[HALF]], %[[ODD]]
// CHECK-NOT:     arith.addf
// CHECK:         arith.select %[[NAN]]
// CHECK:         arith.trunci %{{.*}} : i32 to i16
func.func @to_bf16(%x: f32) -> bf16 {
  %r = arith.truncf %x : f32 to bf16
  return %r : bf16
}

// The sign of a number of 64 bits is in bit 63.

// CHECK-LABEL: func.func @from_f64(
// CHECK:         arith.constant 9223372036854775807 : i64
// CHECK:         arith.trunci %{{.*}} : i64 to i8
func.func @from_f64(%x: f64) -> f8E4M3FN {
  %r = arith.truncf %x : f64 to f8E4M3FN
  return %r : f8E4M3FN
}

// CHECK-LABEL: func.func @vectors(
// CHECK:         arith.addf %{{.*}} : vector<8xf32>
// CHECK:         arith.trunci %{{.*}} : vector<8xi32> to vector<8xi8>
// CHECK:         arith.uitofp %{{.*}} : vector<8xi32> to vector<8xf32>
func.func @vectors(%x: vector<8xf32>) -> vector<8xf32> {
  %y = arith.truncf %x : vector<8xf32> to vector<8xf8E5M2>
  %r = arith.extf %y : vector<8xf8E5M2> to vector<8xf32>
  return %r : vector<8xf32>
}

// Through f32, which is exact.

// CHECK-LABEL: func.func @narrow_to_narrow(
// CHECK:         arith.extf %{{.*}} : f16 to f32
func.func @narrow_to_narrow(%x: f16) -> f8E4M3FNUZ {
  %r = arith.truncf %x : f16 to f8E4M3FNUZ
  return %r : f8E4M3FNUZ
}

// CHECK-LABEL: func.func @widest(
// CHECK:         arith.extf %{{.*}} : f32 to f64
func.func @widest(%x: f8E8M0FNU) -> f64 {
  %r = arith.extf %x : f8E8M0FNU to f64
  return %r : f64
}

// Integers are rounded once: f32 holds 24 bits, f64 53, and the cut of more leaves a mark.

// CHECK-LABEL: func.func @from_integers(
// CHECK:         arith.sitofp %{{.*}} : i16 to f32
// CHECK:         arith.uitofp %{{.*}} : i32 to f64
// CHECK:         %[[REST:.*]] = arith.andi %[[X:.*]], %c2047_i64
// CHECK:         %[[CARRY:.*]] = arith.addi %[[REST]], %c2047_i64
// CHECK:         %[[MARKED:.*]] = arith.ori %[[X]], %[[CARRY]]
// CHECK:         %[[CUT:.*]] = arith.andi %[[MARKED]], %c-2048_i64
// CHECK:         %[[Y:.*]] = arith.select %{{.*}}, %[[CUT]], %[[X]]
// CHECK:         arith.sitofp %[[Y]] : i64 to f64
func.func @from_integers(%x: i16, %y: i32, %z: i64) -> (bf16, bf16, bf16) {
  %a = arith.sitofp %x : i16 to bf16
  %b = arith.uitofp %y : i32 to bf16
  %c = arith.sitofp %z : i64 to bf16
  return %a, %b, %c : bf16, bf16, bf16
}
