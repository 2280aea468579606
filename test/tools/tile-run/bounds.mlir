// Red zones around every tensor, and a handler of crashes.

// RUN: not tile-run %s --func=after --shape=0:10 | FileCheck %s --check-prefix=AFTER
// AFTER: after - - - {{.*}} FAIL: @after wrote out of bounds: argument 0 (%{{[a-z0-9]+}}): {{.*}}
// AFTER-NEXT: 0 passed, 1 failed

// RUN: not tile-run %s --func=before --shape=0:10 | FileCheck %s --check-prefix=BEFORE
// BEFORE: before - - - {{.*}} FAIL: @before wrote out of bounds: argument 0 (%{{[a-z0-9]+}}): {{.*}}

// RUN: not tile-run %s --func=fine --check=before --shape=0:10 | FileCheck %s --check-prefix=REFERENCE
// REFERENCE: fine {{.*}} FAIL: @before wrote out of bounds: argument 0 (%{{[a-z0-9]+}}): {{.*}}

// RUN: %python %S/../../tile-opt/Inputs/exit-code.py 1 tile-run %s --func=far --shape=0:10 > %t 2>&1
// RUN: FileCheck %s --check-prefix=FAR --input-file=%t
// FAR: bounds.mlir:[[@LINE+30]]:1: error: @far crashed (-): invalid memory access

// RUN: %python %S/../../tile-opt/Inputs/exit-code.py 1 tile-run %s --func=divide --arg=0:0 > %t 2>&1
// RUN: FileCheck %s --check-prefix=DIVIDE --input-file=%t
// DIVIDE: error: @divide crashed (-): division by zero

func.func private @fine(%x: memref<?xf32>) {
  return
}

func.func private @after(%x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %n = memref.dim %x, %c0 : memref<?xf32>
  affine.for %i = 0 to affine_map<()[n] -> (n + 1)>()[%n] {
    memref.store %one, %x[%i] : memref<?xf32>
  }
  return
}

func.func private @before(%x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c11 = arith.constant 11 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %i = arith.subi %n, %c11 : index
  %one = arith.constant 1.0 : f32
  memref.store %one, %x[%i] : memref<?xf32>
  return
}

func.func private @far(%x: memref<?xf32>) {
  %far = arith.constant 4611686018427387 : index
  %one = arith.constant 1.0 : f32
  memref.store %one, %x[%far] : memref<?xf32>
  return
}

func.func private @divide(%a: i32, %x: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %v = memref.load %x[%c0] : memref<1xi32>
  %q = arith.divsi %v, %a : i32
  memref.store %q, %x[%c0] : memref<1xi32>
  return
}
