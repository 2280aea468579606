// RUN: tile-run %s | FileCheck %s
// RUN: tile-opt --tile-from-linalg %s | FileCheck %s --check-prefix=IR
// CHECK: {{^}}7 passed, 0 failed{{$}}

// A layer norm that also returns the means and the reciprocal deviations, as columns: one kernel, no copies.
// IR-LABEL: func.func @norm(
// IR-COUNT-1: tile.kernel
// IR-NOT: tile.kernel
// IR: return
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#one = affine_map<(i) -> (i)>
#none = affine_map<() -> ()>
func.func @norm(%x: tensor<37x100xf32>) -> (tensor<37x100xf32>, tensor<37x1xf32>, tensor<37x1xf32>)
    attributes {tile.reference = @norm_reference, tile.atol = 1.0e-5, tile.rtol = 1.0e-5} {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 100.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %e = tensor.empty() : tensor<37x100xf32>
  %r = tensor.empty() : tensor<37xf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<37xf32>) -> tensor<37xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<37x100xf32>) outs(%f : tensor<37xf32>) dimensions = [1]
  %mean = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%sum : tensor<37xf32>) outs(%r : tensor<37xf32>) {
  ^bb0(%s: f32, %old: f32):
    %m = arith.divf %s, %n : f32
    linalg.yield %m : f32
  } -> tensor<37xf32>
  %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %mean : tensor<37x100xf32>, tensor<37xf32>) outs(%e : tensor<37x100xf32>) {
  ^bb0(%v: f32, %m: f32, %old: f32):
    %t = arith.subf %v, %m : f32
    linalg.yield %t : f32
  } -> tensor<37x100xf32>
  %squares = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%d : tensor<37x100xf32>) outs(%f : tensor<37xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %s = arith.mulf %v, %v : f32
    %t = arith.addf %acc, %s : f32
    linalg.yield %t : f32
  } -> tensor<37xf32>
  %rstd = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%squares : tensor<37xf32>) outs(%r : tensor<37xf32>) {
  ^bb0(%s: f32, %old: f32):
    %v = arith.divf %s, %n : f32
    %w = arith.addf %v, %eps : f32
    %t = math.rsqrt %w : f32
    linalg.yield %t : f32
  } -> tensor<37xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%d, %rstd : tensor<37x100xf32>, tensor<37xf32>) outs(%e : tensor<37x100xf32>) {
  ^bb0(%v: f32, %s: f32, %old: f32):
    %t = arith.mulf %v, %s : f32
    linalg.yield %t : f32
  } -> tensor<37x100xf32>
  %means = tensor.expand_shape %mean [[0, 1]] output_shape [37, 1] : tensor<37xf32> into tensor<37x1xf32>
  %rstds = tensor.expand_shape %rstd [[0, 1]] output_shape [37, 1] : tensor<37xf32> into tensor<37x1xf32>
  return %y, %means, %rstds : tensor<37x100xf32>, tensor<37x1xf32>, tensor<37x1xf32>
}
func.func @norm_reference(%x: memref<37x100xf32>, %y: memref<37x100xf32>, %means: memref<37x1xf32>, %rstds: memref<37x1xf32>) {
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %n = arith.constant 100.0 : f64
  %eps = arith.constant 1.0e-5 : f64
  affine.for %i = 0 to 37 {
    %sum = affine.for %j = 0 to 100 iter_args(%a = %zero) -> f64 {
      %v = affine.load %x[%i, %j] : memref<37x100xf32>
      %w = arith.extf %v : f32 to f64
      %t = arith.addf %a, %w : f64
      affine.yield %t : f64
    }
    %mean = arith.divf %sum, %n : f64
    %squares = affine.for %j = 0 to 100 iter_args(%a = %zero) -> f64 {
      %v = affine.load %x[%i, %j] : memref<37x100xf32>
      %w = arith.extf %v : f32 to f64
      %d = arith.subf %w, %mean : f64
      %s = arith.mulf %d, %d : f64
      %t = arith.addf %a, %s : f64
      affine.yield %t : f64
    }
    %variance = arith.divf %squares, %n : f64
    %w = arith.addf %variance, %eps : f64
    %deviation = math.sqrt %w : f64
    %rstd = arith.divf %one, %deviation : f64
    affine.for %j = 0 to 100 {
      %v = affine.load %x[%i, %j] : memref<37x100xf32>
      %u = arith.extf %v : f32 to f64
      %d = arith.subf %u, %mean : f64
      %p = arith.mulf %d, %rstd : f64
      %t = arith.truncf %p : f64 to f32
      affine.store %t, %y[%i, %j] : memref<37x100xf32>
    }
    %m = arith.truncf %mean : f64 to f32
    affine.store %m, %means[%i, 0] : memref<37x1xf32>
    %s = arith.truncf %rstd : f64 to f32
    affine.store %s, %rstds[%i, 0] : memref<37x1xf32>
  }
  return
}

// The maximum of each row is stored by the kernel of the sum behind it; what else reads it comes later. The number that all are
// multiplied with is an element of what is not stored.
// IR-LABEL: func.func @statistics(
// IR: memref.load %arg1[%{{.*}}]
// IR: arith.addf
// IR-COUNT-2: tile.kernel
// IR-NOT: tile.kernel
// IR: return
func.func @statistics(%x: tensor<?x?xf32> {tile.shape = "MxN"}, %factors: tensor<4xf32>)
    -> (tensor<?xf32> {tile.shape = "M"}, tensor<?xf32> {tile.shape = "M"})
    attributes {tile.reference = @statistics_reference, tile.atol = 1.0e-5, tile.rtol = 1.0e-5,
                tile.cases = ["M=40 N=128", "M=33 N=1500", "M=1 N=1", "M=5 N=0", "M=0 N=5"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %r = tensor.empty(%m) : tensor<?xf32>
  %e2 = tensor.empty() : tensor<2xf32>
  %part = tensor.extract_slice %factors[2] [2] [1] : tensor<4xf32> to tensor<2xf32>
  %larger = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%part : tensor<2xf32>) outs(%e2 : tensor<2xf32>) {
  ^bb0(%v: f32, %old: f32):
    %t = arith.addf %v, %one : f32
    linalg.yield %t : f32
  } -> tensor<2xf32>
  %factor = tensor.extract %larger[%c1] : tensor<2xf32>
  %f0 = linalg.fill ins(%lowest : f32) outs(%r : tensor<?xf32>) -> tensor<?xf32>
  %max = linalg.reduce { arith.maximumf } ins(%x : tensor<?x?xf32>) outs(%f0 : tensor<?xf32>) dimensions = [1]
  %scaled = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%max : tensor<?xf32>) outs(%r : tensor<?xf32>) {
  ^bb0(%v: f32, %old: f32):
    %t = arith.mulf %v, %factor : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%r : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %max : tensor<?x?xf32>, tensor<?xf32>) outs(%f1 : tensor<?xf32>) {
  ^bb0(%v: f32, %most: f32, %acc: f32):
    %d = arith.subf %v, %most : f32
    %t = math.exp %d : f32
    %s = arith.addf %acc, %t : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %scaled, %sum : tensor<?xf32>, tensor<?xf32>
}
func.func @statistics_reference(%x: memref<?x?xf32>, %factors: memref<4xf32>, %scaled: memref<?xf32>, %sums: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %m = memref.dim %x, %c0 : memref<?x?xf32>
  %n = memref.dim %x, %c1 : memref<?x?xf32>
  %last = affine.load %factors[3] : memref<4xf32>
  %factor = arith.addf %last, %one : f32
  affine.for %i = 0 to %m {
    %max = affine.for %j = 0 to %n iter_args(%a = %lowest) -> f32 {
      %v = affine.load %x[%i, %j] : memref<?x?xf32>
      %t = arith.maximumf %v, %a : f32
      affine.yield %t : f32
    }
    %sum = affine.for %j = 0 to %n iter_args(%a = %zero) -> f32 {
      %v = affine.load %x[%i, %j] : memref<?x?xf32>
      %d = arith.subf %v, %max : f32
      %w = math.exp %d : f32
      %t = arith.addf %a, %w : f32
      affine.yield %t : f32
    }
    %t = arith.mulf %max, %factor : f32
    affine.store %t, %scaled[%i] : memref<?xf32>
    affine.store %sum, %sums[%i] : memref<?xf32>
  }
  return
}

// One tensor is two results, and another shape of it a third: each has a buffer of its own.
func.func @twice(%x: tensor<6x50xf32>) -> (tensor<6x50xf32>, tensor<6x50xf32>, tensor<300xf32>)
    attributes {tile.reference = @twice_reference} {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<6x50xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<6x50xf32>) outs(%e : tensor<6x50xf32>) {
  ^bb0(%v: f32, %old: f32):
    %t = arith.addf %v, %one : f32
    linalg.yield %t : f32
  } -> tensor<6x50xf32>
  %z = tensor.collapse_shape %y [[0, 1]] : tensor<6x50xf32> into tensor<300xf32>
  return %y, %y, %z : tensor<6x50xf32>, tensor<6x50xf32>, tensor<300xf32>
}
func.func @twice_reference(%x: memref<6x50xf32>, %y: memref<6x50xf32>, %z: memref<6x50xf32>, %flat: memref<300xf32>) {
  %one = arith.constant 1.0 : f32
  affine.for %i = 0 to 6 {
    affine.for %j = 0 to 50 {
      %v = affine.load %x[%i, %j] : memref<6x50xf32>
      %t = arith.addf %v, %one : f32
      affine.store %t, %y[%i, %j] : memref<6x50xf32>
      affine.store %t, %z[%i, %j] : memref<6x50xf32>
      affine.store %t, %flat[%i * 50 + %j] : memref<300xf32>
    }
  }
  return
}
