func.func @scalar_attention_reference(
    %q: memref<?x?xf32>, %k: memref<?x?xf32>, %v: memref<?x?xf32>, %o: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %lowest = arith.constant 0xFFF0000000000000 : f64
  %rows = memref.dim %q, %c0 : memref<?x?xf32>
  %length = memref.dim %q, %c1 : memref<?x?xf32>
  %scores = memref.alloc(%length) : memref<?xf64>
  affine.for %i = 0 to %rows {
    %max = affine.for %j = 0 to %length iter_args(%acc = %lowest) -> f64 {
      %x = affine.load %q[%i, %j] : memref<?x?xf32>
      %y = affine.load %k[%i, %j] : memref<?x?xf32>
      %xd = arith.extf %x : f32 to f64
      %yd = arith.extf %y : f32 to f64
      %score = arith.mulf %xd, %yd : f64
      affine.store %score, %scores[%j] : memref<?xf64>
      %next = arith.maximumf %acc, %score : f64
      affine.yield %next : f64
    }
    %sum = affine.for %j = 0 to %length iter_args(%acc = %zero) -> f64 {
      %score = affine.load %scores[%j] : memref<?xf64>
      %d = arith.subf %score, %max : f64
      %e = math.exp %d : f64
      affine.store %e, %scores[%j] : memref<?xf64>
      %next = arith.addf %acc, %e : f64
      affine.yield %next : f64
    }
    affine.for %j = 0 to %length {
      %e = affine.load %scores[%j] : memref<?xf64>
      %z = affine.load %v[%i, %j] : memref<?x?xf32>
      %zd = arith.extf %z : f32 to f64
      %weight = arith.divf %e, %sum : f64
      %out = arith.mulf %weight, %zd : f64
      %r = arith.truncf %out : f64 to f32
      affine.store %r, %o[%i, %j] : memref<?x?xf32>
    }
  }
  memref.dealloc %scores : memref<?xf64>
  return
}
