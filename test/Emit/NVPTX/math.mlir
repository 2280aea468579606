// RUN: tile-translate --tile-to-ptx %s | FileCheck %s
// RUN: %if ptxas %{ tile-translate --tile-to-cubin --ptxas-strict %s -o %t.cubin %}

// Nothing calls a library.
// CHECK-NOT: call{{.*}}
// CHECK-LABEL: .entry native(
// CHECK: sqrt.rn.f32
// CHECK: div.rn.f32
// CHECK-DAG: abs.f32
// CHECK-DAG: cvt.rmi.f32.f32
// CHECK: fma.rn.f32
// CHECK: max.NaN.f32
// CHECK: max.f32
// CHECK: cvt.rn.bf16.f32
// CHECK: sqrt.rn.f64
// CHECK-LABEL: .entry approximate(
// CHECK: ex2.approx.ftz.f32
// CHECK: tanh.approx.f32
// CHECK: lg2.approx.ftz.f32
// CHECK: sin.approx.ftz.f32
// CHECK: cos.approx.ftz.f32
// CHECK: sqrt.approx.ftz.f32
// CHECK: rsqrt.approx.ftz.f32
// CHECK: div.approx.ftz.f32
// CHECK-COUNT-2: ex2.approx.ftz.f32
// CHECK: ret;
// CHECK-LABEL: .entry precise(
// CHECK-NOT: approx
// CHECK: ret;
gpu.module @m attributes {tile.target = #tile.target<"sm_90a">} {
  gpu.func @native(%x: f32, %y: f32, %d: f64, %p: !llvm.ptr<1>) kernel {
    %a = math.sqrt %x : f32
    %b = arith.divf %a, %y : f32
    %c = math.absf %b : f32
    %e = math.floor %c : f32
    %f = math.fma %e, %x, %y : f32
    %g = arith.maximumf %f, %x : f32
    %h = arith.maxnumf %g, %y : f32
    %i = arith.truncf %h : f32 to bf16
    %j = arith.mulf %i, %i : bf16
    %k = math.sqrt %d : f64
    llvm.store volatile %h, %p : f32, !llvm.ptr<1>
    llvm.store volatile %j, %p : bf16, !llvm.ptr<1>
    llvm.store volatile %k, %p : f64, !llvm.ptr<1>
    gpu.return
  }
  gpu.func @approximate(%x: f32, %v: vector<2xf32>, %p: !llvm.ptr<1>, %q: !llvm.ptr<1>) kernel {
    %a = math.exp %x fastmath<afn> : f32
    %b = math.tanh %a fastmath<afn> : f32
    %c = math.log %b fastmath<afn> : f32
    %d = math.sin %c fastmath<afn> : f32
    %e = math.cos %d fastmath<afn> : f32
    %f = math.sqrt %e fastmath<afn> : f32
    %g = math.rsqrt %f fastmath<afn> : f32
    %h = arith.divf %g, %x fastmath<afn> : f32
    llvm.store volatile %h, %p : f32, !llvm.ptr<1>
    %w = math.exp2 %v fastmath<afn> : vector<2xf32>
    llvm.store volatile %w, %q : vector<2xf32>, !llvm.ptr<1>
    gpu.return
  }
  gpu.func @precise(%x: f32, %y: f32, %v: vector<2xf32>, %h: f16, %p: !llvm.ptr<1>) kernel {
    %a = math.exp %x : f32
    %b = math.log %a : f32
    %c = math.powf %b, %y : f32
    %d = math.sin %c : f32
    %e = math.tanh %d : f32
    %f = math.erf %e : f32
    %g = math.rsqrt %f : f32
    %i = arith.remf %g, %y : f32
    llvm.store volatile %i, %p : f32, !llvm.ptr<1>
    %w = math.atan2 %v, %v : vector<2xf32>
    llvm.store volatile %w, %p : vector<2xf32>, !llvm.ptr<1>
    %j = math.exp %h : f16
    %k = arith.remf %j, %h : f16
    llvm.store volatile %k, %p : f16, !llvm.ptr<1>
    gpu.return
  }
}
