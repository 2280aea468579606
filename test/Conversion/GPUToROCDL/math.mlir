// RUN: tile-opt %s --split-input-file --verify-diagnostics --tile-lower-rocdl-math | FileCheck %s

// With leave to approximate, functions are instructions.

// CHECK-LABEL: func.func @fast(
func.func @fast(%x: f32, %y: f32) -> (f32, f32, f32, f32, f32) {
  // CHECK: %[[S:.*]] = arith.mulf
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.exp2.f32"(%[[S]])
  %0 = math.exp %x fastmath<afn> : f32
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.log.f32"
  %1 = math.log2 %x fastmath<afn> : f32
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.rsq.f32"
  %2 = math.rsqrt %x fastmath<afn> : f32
  // CHECK: %[[R:.*]] = llvm.call_intrinsic "llvm.amdgcn.rcp.f32"
  // CHECK: arith.mulf %{{.*}}, %[[R]]
  %3 = arith.divf %x, %y fastmath<afn> : f32
  // CHECK: llvm.intr.sin
  %4 = math.sin %x fastmath<afn> : f32
  return %0, %1, %2, %3, %4 : f32, f32, f32, f32, f32
}

// -----

// Without it, they are the arithmetic of all targets, and no calls.

// CHECK-LABEL: func.func @exact(
// CHECK-NOT: math.{{exp|tanh|erf|log}}
// CHECK-NOT: call
// CHECK: return
func.func @exact(%x: vector<4xf32>) -> vector<4xf32> {
  %0 = math.exp %x : vector<4xf32>
  %1 = math.tanh %0 : vector<4xf32>
  %2 = math.erf %1 : vector<4xf32>
  %3 = math.log %2 : vector<4xf32>
  return %3 : vector<4xf32>
}

// -----

func.func @f64(%x: f64) -> f64 {
  // expected-error @below {{'math.sin' on 'f64' is not available on an AMD GPU}}
  %0 = math.sin %x : f64
  return %0 : f64
}
