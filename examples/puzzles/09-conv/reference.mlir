func.func @conv1d_reference(%x: memref<?x?xf16>, %k: memref<?xf16>, %o: memref<?x?xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %n = memref.dim %x, %c0 : memref<?x?xf16>
  %length = memref.dim %x, %c1 : memref<?x?xf16>
  %count = memref.dim %k, %c0 : memref<?xf16>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %length {
      // The taps that meet the signal.
      %sum = affine.for %l = 0 to min affine_map<(j)[count, length] -> (count, length - j)>(%j)[%count, %length]
          iter_args(%acc = %zero) -> f64 {
        %a = affine.load %x[%i, %j + %l] : memref<?x?xf16>
        %b = affine.load %k[%l] : memref<?xf16>
        %ad = arith.extf %a : f16 to f64
        %bd = arith.extf %b : f16 to f64
        %p = arith.mulf %ad, %bd : f64
        %next = arith.addf %acc, %p : f64
        affine.yield %next : f64
      }
      %r = arith.truncf %sum : f64 to f16
      affine.store %r, %o[%i, %j] : memref<?x?xf16>
    }
  }
  return
}

func.func @conv1d_features_reference(%x: memref<?x?xf16>, %k: memref<?x?xf16>, %o: memref<?x?x?xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %n = memref.dim %x, %c0 : memref<?x?xf16>
  %length = memref.dim %x, %c1 : memref<?x?xf16>
  %count = memref.dim %k, %c0 : memref<?x?xf16>
  %f = memref.dim %k, %c1 : memref<?x?xf16>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %length {
      affine.for %c = 0 to %f {
        %sum = affine.for %l = 0 to min affine_map<(j)[count, length] -> (count, length - j)>(%j)[%count, %length]
            iter_args(%acc = %zero) -> f64 {
          %a = affine.load %x[%i, %j + %l] : memref<?x?xf16>
          %b = affine.load %k[%l, %c] : memref<?x?xf16>
          %ad = arith.extf %a : f16 to f64
          %bd = arith.extf %b : f16 to f64
          %p = arith.mulf %ad, %bd : f64
          %next = arith.addf %acc, %p : f64
          affine.yield %next : f64
        }
        %r = arith.truncf %sum : f64 to f16
        affine.store %r, %o[%i, %j, %c] : memref<?x?x?xf16>
      }
    }
  }
  return
}
