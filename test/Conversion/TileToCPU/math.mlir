// RUN: tile-opt %s --tile-expand-math | FileCheck %s
// RUN: tile-opt %s --tile-set-target=chip=avx512 --tile-expand-math | FileCheck %s --check-prefix=LDEXP

// x clamped, n = round(x / ln 2), r = x - n ln 2 in two steps, 1 + r q, times 2^n in two steps or by one instruction.

// CHECK-LABEL: func.func @exp(
// CHECK-SAME:    %[[X:.*]]: f32)
// CHECK-NOT:     math.exp
// CHECK:         %[[HIGH:.*]] = arith.cmpf olt, %{{.*}}, %[[X]]
// CHECK:         arith.select %[[HIGH]]
// CHECK:         arith.cmpf ogt
// CHECK:         %[[SUM:.*]] = math.fma
// CHECK:         %[[N:.*]] = arith.subf %[[SUM]]
// CHECK:         arith.negf %[[N]]
// CHECK-COUNT-2: math.fma
// CHECK:         arith.bitcast %[[SUM]] : f32 to i32
// CHECK:         arith.shrsi
// CHECK-DAG:     arith.bitcast %{{.*}} : i32 to f32
// CHECK-DAG:     arith.bitcast %{{.*}} : i32 to f32
// CHECK-DAG:     math.fma
// CHECK:         %[[R:.*]] = arith.mulf
// CHECK-NEXT:    return %[[R]]

// LDEXP-LABEL: func.func @exp(
// LDEXP-NOT:     arith.shrsi
// LDEXP:         llvm.intr.ldexp(%{{.*}}, %{{.*}}) : (f32, i32) -> f32
func.func @exp(%x: f32) -> f32 {
  %r = math.exp %x : f32
  return %r : f32
}

// CHECK-LABEL: func.func @exp2(
// CHECK-NOT:     math.exp2
// CHECK:         arith.addf %{{.*}} : vector<4xf32>
// CHECK-COUNT-5: math.fma %{{.*}} : vector<4xf32>
// LDEXP-LABEL: func.func @exp2(
// LDEXP:         arith.shrsi %{{.*}} : vector<4xi32>
func.func @exp2(%x: vector<4xf32>) -> vector<4xf32> {
  %r = math.exp2 %x : vector<4xf32>
  return %r : vector<4xf32>
}

// Other types are left to later passes.

// CHECK-LABEL: func.func @other_types(
// CHECK:         math.exp %{{.*}} : f64
// CHECK:         math.tanh %{{.*}} : f32
func.func @other_types(%x: f64, %y: f32) -> (f64, f32) {
  %r = math.exp %x : f64
  %s = math.tanh %y : f32
  return %r, %s : f64, f32
}

// Functions that later passes would write as a difference.

// CHECK-LABEL: func.func @library(
// CHECK:         call @expm1f(%{{.*}}) : (f32) -> f32
// CHECK:         call @log1p(%{{.*}}) : (f64) -> f64
// CHECK-COUNT-2: call @log1pf
func.func @library(%x: f32, %y: f64, %z: vector<2xf32>) -> (f32, f64, vector<2xf32>) {
  %a = math.expm1 %x : f32
  %b = math.log1p %y : f64
  %c = math.log1p %z : vector<2xf32>
  return %a, %b, %c : f32, f64, vector<2xf32>
}
