// RUN: tile-opt %s --split-input-file --verify-diagnostics --tile-pack-subbyte

func.func @copy(%a: memref<4xi4>, %b: memref<4xi4>) {
  // expected-error @below {{'memref.copy' on a buffer of 4-bit elements cannot be lowered to the CPU}}
  memref.copy %a, %b : memref<4xi4> to memref<4xi4>
  return
}

// -----

func.func @dynamic_alloc(%n: index) {
  // expected-error @below {{'memref.alloc' on a buffer of 4-bit elements cannot be lowered to the CPU}}
  %a = memref.alloc(%n) : memref<?xf4E2M1FN>
  return
}

// -----

func.func @dim(%a: memref<?x?xi4>, %d: index) -> index {
  // expected-error @below {{expected a constant dimension of a buffer of 4-bit elements}}
  %n = memref.dim %a, %d : memref<?x?xi4>
  return %n : index
}

// -----

// The strides of a caller would be forgotten.

func.func @layout(%a: memref<4x4xi4, strided<[8, 1]>>, %i: index) -> i4 {
  // expected-error @below {{expected a buffer of 4-bit elements to have the identity layout, got 'memref<4x4xi4, strided<[8, 1]>>'}}
  %v = memref.load %a[%i, %i] : memref<4x4xi4, strided<[8, 1]>>
  return %v : i4
}
