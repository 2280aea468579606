// Ops that are several linalg ops.

// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=ascend --func=branch | FileCheck %s --check-prefix=NPU
// RUN: tile-opt --tile-from-linalg %s | FileCheck %s --check-prefix=IR
// CHECK: {{^}}14 passed, 0 failed{{$}}
// NPU: {{^}}3 passed, 0 failed{{$}}

// A softmax is one kernel, over whichever dimension.
// IR-LABEL: func.func @softmax(
// IR-COUNT-1: tile.kernel
// IR: return
func.func @softmax(%x: tensor<?x?x6xf32> {tile.shape = "MxNx6"}) -> (tensor<?x?x6xf32> {tile.shape = "MxNx6"})
    attributes {tile.reference = @softmax_reference, tile.atol = 1.0e-6, tile.rtol = 2.0e-6, tile.cases = ["M=4 N=33", "M=1 N=1", "M=0 N=3"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?x6xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?x6xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?x6xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<?x?x6xf32>) outs(%e : tensor<?x?x6xf32>) -> tensor<?x?x6xf32>
  return %r : tensor<?x?x6xf32>
}
func.func @softmax_reference(%x: memref<?x?x6xf32>, %y: memref<?x?x6xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %x, %c0 : memref<?x?x6xf32>
  %n = memref.dim %x, %c1 : memref<?x?x6xf32>
  affine.for %i = 0 to %m {
    affine.for %k = 0 to 6 {
      %sum = affine.for %j = 0 to %n iter_args(%s = %zero) -> f32 {
        %v = affine.load %x[%i, %j, %k] : memref<?x?x6xf32>
        %p = math.exp %v : f32
        %t = arith.addf %s, %p : f32
        affine.yield %t : f32
      }
      affine.for %j = 0 to %n {
        %v = affine.load %x[%i, %j, %k] : memref<?x?x6xf32>
        %p = math.exp %v : f32
        %q = arith.divf %p, %sum : f32
        affine.store %q, %y[%i, %j, %k] : memref<?x?x6xf32>
      }
    }
  }
  return
}

// Between two products it is attention, one kernel as well.
// IR-LABEL: func.func @attention(
// IR-COUNT-1: tile.kernel
// IR: tile.gemm
// IR: tile.gemm
// IR-NOT: tile.kernel
// IR: return
func.func @attention(%q: tensor<2x40x32xf16>, %k: tensor<2x72x32xf16>, %v: tensor<2x72x32xf16>) -> tensor<2x40x32xf32>
    attributes {tile.reference = @attention_reference, tile.atol = 4.0e-3, tile.rtol = 4.0e-3} {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<2x40x72xf32>
  %eh = tensor.empty() : tensor<2x40x72xf16>
  %eo = tensor.empty() : tensor<2x40x32xf32>
  %is = linalg.fill ins(%zero : f32) outs(%es : tensor<2x40x72xf32>) -> tensor<2x40x72xf32>
  %io = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x40x32xf32>) -> tensor<2x40x32xf32>
  %s = linalg.batch_matmul
      indexing_maps = [affine_map<(b, m, n, d) -> (b, m, d)>, affine_map<(b, m, n, d) -> (b, n, d)>, affine_map<(b, m, n, d) -> (b, m, n)>]
      ins(%q, %k : tensor<2x40x32xf16>, tensor<2x72x32xf16>) outs(%is : tensor<2x40x72xf32>) -> tensor<2x40x72xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x40x72xf32>) outs(%es : tensor<2x40x72xf32>) -> tensor<2x40x72xf32>
  %w = linalg.map { arith.truncf } ins(%p : tensor<2x40x72xf32>) outs(%eh : tensor<2x40x72xf16>)
  %o = linalg.batch_matmul ins(%w, %v : tensor<2x40x72xf16>, tensor<2x72x32xf16>) outs(%io : tensor<2x40x32xf32>) -> tensor<2x40x32xf32>
  return %o : tensor<2x40x32xf32>
}
func.func @attention_reference(%q: memref<2x40x32xf16>, %k: memref<2x72x32xf16>, %v: memref<2x72x32xf16>, %o: memref<2x40x32xf32>) {
  %zero = arith.constant 0.0 : f64
  affine.for %g = 0 to 2 {
    affine.for %i = 0 to 40 {
      affine.for %d = 0 to 32 {
        %num, %den = affine.for %j = 0 to 72 iter_args(%a = %zero, %b = %zero) -> (f64, f64) {
          %s = affine.for %l = 0 to 32 iter_args(%sum = %zero) -> f64 {
            %x = affine.load %q[%g, %i, %l] : memref<2x40x32xf16>
            %y = affine.load %k[%g, %j, %l] : memref<2x72x32xf16>
            %xd = arith.extf %x : f16 to f64
            %yd = arith.extf %y : f16 to f64
            %p = arith.mulf %xd, %yd : f64
            %t = arith.addf %sum, %p : f64
            affine.yield %t : f64
          }
          %w = math.exp %s : f64
          %z = affine.load %v[%g, %j, %d] : memref<2x72x32xf16>
          %zd = arith.extf %z : f16 to f64
          %wz = arith.mulf %w, %zd : f64
          %a1 = arith.addf %a, %wz : f64
          %b1 = arith.addf %b, %w : f64
          affine.yield %a1, %b1 : f64, f64
        }
        %ratio = arith.divf %num, %den : f64
        %result = arith.truncf %ratio : f64 to f32
        affine.store %result, %o[%g, %i, %d] : memref<2x40x32xf32>
      }
    }
  }
  return
}

// A product of packed operands, as for the matrix unit of a CPU: tiles at the ends are filled with zeros.
func.func @packed(%a: tensor<?x12xf32> {tile.shape = "Mx12", tile.init = "integers(-4,4)"}, %b: tensor<12x30xf32> {tile.init = "integers(-4,4)"})
    -> (tensor<?x30xf32> {tile.shape = "Mx30"})
    attributes {tile.reference = @packed_reference, tile.cases = ["M=20", "M=16", "M=1", "M=0"]} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x12xf32>
  %tiles = affine.apply affine_map<()[m] -> (m ceildiv 8)>()[%m]
  %pa = tensor.empty(%tiles) : tensor<?x3x8x4xf32>
  %pb = tensor.empty() : tensor<4x3x8x4xf32>
  %pc = tensor.empty(%tiles) : tensor<?x4x8x8xf32>
  %a4 = linalg.pack %a padding_value(%z : f32) inner_dims_pos = [0, 1] inner_tiles = [8, 4] into %pa
      : tensor<?x12xf32> -> tensor<?x3x8x4xf32>
  %b4 = linalg.pack %b padding_value(%z : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [8, 4] into %pb
      : tensor<12x30xf32> -> tensor<4x3x8x4xf32>
  %i = linalg.fill ins(%z : f32) outs(%pc : tensor<?x4x8x8xf32>) -> tensor<?x4x8x8xf32>
  %c4 = linalg.mmt4d ins(%a4, %b4 : tensor<?x3x8x4xf32>, tensor<4x3x8x4xf32>) outs(%i : tensor<?x4x8x8xf32>) -> tensor<?x4x8x8xf32>
  %e = tensor.empty(%m) : tensor<?x30xf32>
  %r = linalg.unpack %c4 inner_dims_pos = [0, 1] inner_tiles = [8, 8] into %e : tensor<?x4x8x8xf32> -> tensor<?x30xf32>
  return %r : tensor<?x30xf32>
}
func.func @packed_reference(%a: memref<?x12xf32>, %b: memref<12x30xf32>, %c: memref<?x30xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<?x30xf32>)
  linalg.matmul ins(%a, %b : memref<?x12xf32>, memref<12x30xf32>) outs(%c : memref<?x30xf32>)
  return
}

// Inner tiles of a size known when the program runs, in other orders.
func.func @turned(%x: tensor<?x?xf32> {tile.shape = "MxN"}, %t: tensor<?x?x?x4xf32> {tile.shape = "PxQxTx4"})
    -> (tensor<?x?xf32> {tile.shape = "MxN"})
    attributes {tile.reference = @turned_reference, tile.cases = ["M=9 N=20 P=3 Q=3 T=8", "M=8 N=21 P=3 Q=2 T=7", "M=1 N=1 P=1 Q=1 T=3"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  %size = tensor.dim %t, %c2 : tensor<?x?x?x4xf32>
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %p = linalg.pack %x padding_value(%z : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [%size, 4] into %t
      : tensor<?x?xf32> -> tensor<?x?x?x4xf32>
  %d = linalg.map { arith.addf } ins(%p, %p : tensor<?x?x?x4xf32>, tensor<?x?x?x4xf32>) outs(%t : tensor<?x?x?x4xf32>)
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = linalg.unpack %d outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [%size, 4] into %e
      : tensor<?x?x?x4xf32> -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
func.func @turned_reference(%x: memref<?x?xf32>, %t: memref<?x?x?x4xf32>, %y: memref<?x?xf32>) {
  linalg.map { arith.addf } ins(%x, %x : memref<?x?xf32>, memref<?x?xf32>) outs(%y : memref<?x?xf32>)
  return
}

// A branch in a body is a selection; the sides differ by no NaN.
// IR-LABEL: func.func @branch(
// IR-NOT: scf.if
// IR: arith.select
// IR: return
func.func @branch(%x: tensor<?x?xf32> {tile.shape = "MxN"}) -> (tensor<?x?xf32> {tile.shape = "MxN"})
    attributes {tile.reference = @branch_reference, tile.atol = 1.0e-6, tile.rtol = 1.0e-6, tile.cases = ["M=5 N=300", "M=1 N=1", "M=0 N=3"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%v: f32, %old: f32):
    %positive = arith.cmpf ogt, %v, %zero : f32
    %s = scf.if %positive -> f32 {
      %t = math.sqrt %v : f32
      scf.yield %t : f32
    } else {
      %t = arith.negf %v : f32
      scf.yield %t : f32
    }
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
func.func @branch_reference(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %x, %c0 : memref<?x?xf32>
  %n = memref.dim %x, %c1 : memref<?x?xf32>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %v = affine.load %x[%i, %j] : memref<?x?xf32>
      %positive = arith.cmpf ogt, %v, %zero : f32
      %magnitude = math.absf %v : f32
      %root = math.sqrt %magnitude : f32
      %negative = arith.negf %v : f32
      %r = arith.select %positive, %root, %negative : f32
      affine.store %r, %y[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
