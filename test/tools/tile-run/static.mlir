// Static shapes need no sizes. What nobody marks as the result is compared, and a function without arguments runs, too.

// RUN: tile-run %s | FileCheck %s
// CHECK: copy - 0 equal
// CHECK-NEXT: 1 passed, 0 failed

// RUN: tile-run %s --func=nothing | FileCheck %s --check-prefix=NOTHING
// NOTHING: nothing - - -
// NOTHING-NEXT: 0 passed, 0 failed, 1 not checked

// RUN: tile-run %s --func=scalar_buffer --out=0:%t.npy | FileCheck %s --check-prefix=RANK0
// RANK0: 0 passed, 0 failed, 1 not checked
// RUN: tile-run %s --func=scalar_buffer --check=0:%t.npy | FileCheck %s --check-prefix=FROM-FILE
// FROM-FILE: 1 passed, 0 failed

func.func @copy(%x: memref<3x4xf16>, %y: memref<3x4xf16>) attributes {tile.reference = @reference} {
  memref.copy %x, %y : memref<3x4xf16> to memref<3x4xf16>
  return
}

func.func private @reference(%x: memref<3x4xf16>, %y: memref<3x4xf16>) {
  affine.for %i = 0 to 3 {
    affine.for %j = 0 to 4 {
      %v = affine.load %x[%i, %j] : memref<3x4xf16>
      affine.store %v, %y[%i, %j] : memref<3x4xf16>
    }
  }
  return
}

func.func @nothing() {
  return
}

func.func @scalar_buffer(%x: memref<f32>) {
  %one = arith.constant 1.5 : f32
  memref.store %one, %x[] : memref<f32>
  return
}
