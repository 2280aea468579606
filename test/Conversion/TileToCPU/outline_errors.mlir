// RUN: tile-opt %s --verify-diagnostics --tile-outline-parallel

func.func @tensor(%t: tensor<4xf32>, %a: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error @below {{the loop uses a value that cannot be passed to another thread}}
  scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
    %v = tensor.extract %t[%i] : tensor<4xf32>
    memref.store %v, %a[%i] : memref<4xf32>
  }
  return
}
