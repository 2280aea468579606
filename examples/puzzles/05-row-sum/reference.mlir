func.func @row_sum_reference(%a: memref<?x?xf32>, %b: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %n = memref.dim %a, %c0 : memref<?x?xf32>
  %m = memref.dim %a, %c1 : memref<?x?xf32>
  affine.for %i = 0 to %n {
    %sum = affine.for %j = 0 to %m iter_args(%acc = %zero) -> f64 {
      %x = affine.load %a[%i, %j] : memref<?x?xf32>
      %xd = arith.extf %x : f32 to f64
      %next = arith.addf %acc, %xd : f64
      affine.yield %next : f64
    }
    %r = arith.truncf %sum : f64 to f32
    affine.store %r, %b[%i] : memref<?xf32>
  }
  return
}
