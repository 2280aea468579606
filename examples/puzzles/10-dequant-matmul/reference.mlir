func.func @dequant_matmul_reference(%a: memref<?x?xf16>, %b: memref<?x?xi8>, %c: memref<?x?xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sixteen = arith.constant 16 : i32
  %eight = arith.constant 8 : i32
  %zero = arith.constant 0.0 : f64
  %m = memref.dim %a, %c0 : memref<?x?xf16>
  %k = memref.dim %a, %c1 : memref<?x?xf16>
  %half = memref.dim %b, %c1 : memref<?x?xi8>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %half {
      %even, %odd = affine.for %l = 0 to %k iter_args(%acc0 = %zero, %acc1 = %zero) -> (f64, f64) {
        %x = affine.load %a[%i, %l] : memref<?x?xf16>
        %byte = affine.load %b[%l, %j] : memref<?x?xi8>
        %xd = arith.extf %x : f16 to f64
        %value = arith.extui %byte : i8 to i32
        %lo = arith.remui %value, %sixteen : i32
        %hi = arith.divui %value, %sixteen : i32
        %lo8 = arith.subi %lo, %eight : i32
        %hi8 = arith.subi %hi, %eight : i32
        %w0 = arith.sitofp %lo8 : i32 to f64
        %w1 = arith.sitofp %hi8 : i32 to f64
        %p0 = arith.mulf %xd, %w0 : f64
        %p1 = arith.mulf %xd, %w1 : f64
        %next0 = arith.addf %acc0, %p0 : f64
        %next1 = arith.addf %acc1, %p1 : f64
        affine.yield %next0, %next1 : f64, f64
      }
      %r0 = arith.truncf %even : f64 to f16
      %r1 = arith.truncf %odd : f64 to f16
      affine.store %r0, %c[%i, %j * 2] : memref<?x?xf16>
      affine.store %r1, %c[%i, %j * 2 + 1] : memref<?x?xf16>
    }
  }
  return
}
