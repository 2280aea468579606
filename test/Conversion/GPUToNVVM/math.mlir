// What the functions compute, on the CPU: tile-lower-gpu-math against the C
// library, which is within an ulp. One ulp is at most 1.2e-7 of a number.

// RUN: tile-run %s --func=unit n=5000 --arg=0:"uniform(0.001,0.999)" --check=none --out=1:%t0.npy
// RUN: tile-opt %s --pass-pipeline="builtin.module(func.func(tile-lower-gpu-math))" \
// RUN:   | tile-run - --func=unit n=5000 --arg=0:"uniform(0.001,0.999)" --check=1:%t0.npy --rtol=3e-7
// RUN: tile-run %s --func=small n=5000 --arg=0:"uniform(-0.9,0.9)" --check=none --out=1:%t1.npy
// RUN: tile-opt %s --pass-pipeline="builtin.module(func.func(tile-lower-gpu-math))" \
// RUN:   | tile-run - --func=small n=5000 --arg=0:"uniform(-0.9,0.9)" --check=1:%t1.npy --rtol=3e-7
// RUN: tile-run %s --func=large n=5000 --arg=0:"uniform(1,80)" --check=none --out=1:%t2.npy
// RUN: tile-opt %s --pass-pipeline="builtin.module(func.func(tile-lower-gpu-math))" \
// RUN:   | tile-run - --func=large n=5000 --arg=0:"uniform(1,80)" --check=1:%t2.npy --rtol=3e-7
// RUN: tile-run %s --func=angle n=5000 --arg=0:"uniform(-1e30,1e30)" --check=none --out=1:%t3.npy
// RUN: tile-opt %s --pass-pipeline="builtin.module(func.func(tile-lower-gpu-math))" \
// RUN:   | tile-run - --func=angle n=5000 --arg=0:"uniform(-1e30,1e30)" --check=1:%t3.npy --rtol=3e-7
// RUN: tile-run %s --func=angle n=5000 --arg=0:"uniform(-200,200)" --check=none --out=1:%t4.npy
// RUN: tile-opt %s --pass-pipeline="builtin.module(func.func(tile-lower-gpu-math))" \
// RUN:   | tile-run - --func=angle n=5000 --arg=0:"uniform(-200,200)" --check=1:%t4.npy --rtol=3e-7

// On vectors the same, and special values as C has them.
// RUN: tile-opt %s --pass-pipeline="builtin.module(func.func(tile-lower-gpu-math))" | FileCheck %s
// CHECK-LABEL: func.func @unit
// CHECK-NOT: math.{{(log|sin|cos|tan|atan|exp|pow|erf|cbrt)}}
// CHECK: return

func.func @unit(%x: memref<?xf32> {tile.shape = "n"}, %y: memref<13x?xf32> {tile.shape = "13xn", tile.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %k0 = arith.constant 0 : index
  %k1 = arith.constant 1 : index
  %k2 = arith.constant 2 : index
  %k3 = arith.constant 3 : index
  %k4 = arith.constant 4 : index
  %k5 = arith.constant 5 : index
  %k6 = arith.constant 6 : index
  %k7 = arith.constant 7 : index
  %k8 = arith.constant 8 : index
  %k9 = arith.constant 9 : index
  %k10 = arith.constant 10 : index
  %k11 = arith.constant 11 : index
  %k12 = arith.constant 12 : index
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %half = arith.constant 0.4 : f32
    %w = arith.subf %half, %v : f32
    %r0 = math.log %v : f32
    memref.store %r0, %y[%k0, %i] : memref<13x?xf32>
    %r1 = math.log2 %v : f32
    memref.store %r1, %y[%k1, %i] : memref<13x?xf32>
    %r2 = math.log10 %v : f32
    memref.store %r2, %y[%k2, %i] : memref<13x?xf32>
    %r3 = math.log1p %v : f32
    memref.store %r3, %y[%k3, %i] : memref<13x?xf32>
    %r4 = math.asin %v : f32
    memref.store %r4, %y[%k4, %i] : memref<13x?xf32>
    %r5 = math.acos %v : f32
    memref.store %r5, %y[%k5, %i] : memref<13x?xf32>
    %r6 = math.atanh %v : f32
    memref.store %r6, %y[%k6, %i] : memref<13x?xf32>
    %r7 = math.cbrt %v : f32
    memref.store %r7, %y[%k7, %i] : memref<13x?xf32>
    %r8 = math.expm1 %v : f32
    memref.store %r8, %y[%k8, %i] : memref<13x?xf32>
    %r9 = math.rsqrt %v : f32
    memref.store %r9, %y[%k9, %i] : memref<13x?xf32>
    %r10 = math.erf %v : f32
    memref.store %r10, %y[%k10, %i] : memref<13x?xf32>
    %r11 = math.erfc %v : f32
    memref.store %r11, %y[%k11, %i] : memref<13x?xf32>
    %r12 = math.powf %v, %w : f32
    memref.store %r12, %y[%k12, %i] : memref<13x?xf32>
  }
  return
}
func.func @small(%x: memref<?xf32> {tile.shape = "n"}, %y: memref<14x?xf32> {tile.shape = "14xn", tile.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %k0 = arith.constant 0 : index
  %k1 = arith.constant 1 : index
  %k2 = arith.constant 2 : index
  %k3 = arith.constant 3 : index
  %k4 = arith.constant 4 : index
  %k5 = arith.constant 5 : index
  %k6 = arith.constant 6 : index
  %k7 = arith.constant 7 : index
  %k8 = arith.constant 8 : index
  %k9 = arith.constant 9 : index
  %k10 = arith.constant 10 : index
  %k11 = arith.constant 11 : index
  %k12 = arith.constant 12 : index
  %k13 = arith.constant 13 : index
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %half = arith.constant 0.4 : f32
    %w = arith.subf %half, %v : f32
    %r0 = math.sin %v : f32
    memref.store %r0, %y[%k0, %i] : memref<14x?xf32>
    %r1 = math.cos %v : f32
    memref.store %r1, %y[%k1, %i] : memref<14x?xf32>
    %r2 = math.tan %v : f32
    memref.store %r2, %y[%k2, %i] : memref<14x?xf32>
    %r3 = math.sinh %v : f32
    memref.store %r3, %y[%k3, %i] : memref<14x?xf32>
    %r4 = math.cosh %v : f32
    memref.store %r4, %y[%k4, %i] : memref<14x?xf32>
    %r5 = math.tanh %v : f32
    memref.store %r5, %y[%k5, %i] : memref<14x?xf32>
    %r6 = math.asinh %v : f32
    memref.store %r6, %y[%k6, %i] : memref<14x?xf32>
    %r7 = math.atan %v : f32
    memref.store %r7, %y[%k7, %i] : memref<14x?xf32>
    %r8 = math.atan2 %v, %w : f32
    memref.store %r8, %y[%k8, %i] : memref<14x?xf32>
    %r9 = math.expm1 %v : f32
    memref.store %r9, %y[%k9, %i] : memref<14x?xf32>
    %r10 = math.log1p %v : f32
    memref.store %r10, %y[%k10, %i] : memref<14x?xf32>
    %r11 = math.erf %v : f32
    memref.store %r11, %y[%k11, %i] : memref<14x?xf32>
    %r12 = math.asin %v : f32
    memref.store %r12, %y[%k12, %i] : memref<14x?xf32>
    %r13 = math.atanh %v : f32
    memref.store %r13, %y[%k13, %i] : memref<14x?xf32>
  }
  return
}
func.func @large(%x: memref<?xf32> {tile.shape = "n"}, %y: memref<13x?xf32> {tile.shape = "13xn", tile.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %k0 = arith.constant 0 : index
  %k1 = arith.constant 1 : index
  %k2 = arith.constant 2 : index
  %k3 = arith.constant 3 : index
  %k4 = arith.constant 4 : index
  %k5 = arith.constant 5 : index
  %k6 = arith.constant 6 : index
  %k7 = arith.constant 7 : index
  %k8 = arith.constant 8 : index
  %k9 = arith.constant 9 : index
  %k10 = arith.constant 10 : index
  %k11 = arith.constant 11 : index
  %k12 = arith.constant 12 : index
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %half = arith.constant 0.4 : f32
    %w = arith.subf %half, %v : f32
    %r0 = math.log %v : f32
    memref.store %r0, %y[%k0, %i] : memref<13x?xf32>
    %r1 = math.log2 %v : f32
    memref.store %r1, %y[%k1, %i] : memref<13x?xf32>
    %r2 = math.log10 %v : f32
    memref.store %r2, %y[%k2, %i] : memref<13x?xf32>
    %r3 = math.acosh %v : f32
    memref.store %r3, %y[%k3, %i] : memref<13x?xf32>
    %r4 = math.asinh %v : f32
    memref.store %r4, %y[%k4, %i] : memref<13x?xf32>
    %r5 = math.sinh %v : f32
    memref.store %r5, %y[%k5, %i] : memref<13x?xf32>
    %r6 = math.cosh %v : f32
    memref.store %r6, %y[%k6, %i] : memref<13x?xf32>
    %r7 = math.tanh %v : f32
    memref.store %r7, %y[%k7, %i] : memref<13x?xf32>
    %r8 = math.powf %v, %w : f32
    memref.store %r8, %y[%k8, %i] : memref<13x?xf32>
    %r9 = math.cbrt %v : f32
    memref.store %r9, %y[%k9, %i] : memref<13x?xf32>
    %r10 = math.atan %v : f32
    memref.store %r10, %y[%k10, %i] : memref<13x?xf32>
    %r11 = math.exp %v : f32
    memref.store %r11, %y[%k11, %i] : memref<13x?xf32>
    %r12 = math.exp2 %v : f32
    memref.store %r12, %y[%k12, %i] : memref<13x?xf32>
  }
  return
}
func.func @angle(%x: memref<?xf32> {tile.shape = "n"}, %y: memref<2x?xf32> {tile.shape = "2xn", tile.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %k0 = arith.constant 0 : index
  %k1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %half = arith.constant 0.4 : f32
    %w = arith.subf %half, %v : f32
    %r0 = math.sin %v : f32
    memref.store %r0, %y[%k0, %i] : memref<2x?xf32>
    %r1 = math.cos %v : f32
    memref.store %r1, %y[%k1, %i] : memref<2x?xf32>
  }
  return
}
