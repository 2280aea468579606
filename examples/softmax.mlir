// Softmax over the rows of a matrix, in two passes (online softmax).
//
// Shows reductions, a mask and a running rescale. The first pass keeps the maximum m of the columns seen so far
// and the sum l of exp(x - m); when m grows, l is scaled to the new maximum. The second pass writes exp(x - m) / l.
// Columns past the end become -inf: they are never the maximum, and their exponential is 0.
//
//   tile-run examples/softmax.mlir
//   tile-run examples/softmax.mlir M=64 N=50000

!matrix = memref<?x?xf32>
!staged = memref<?x?xf32, #tile.shared>
!column = memref<?xf32, #tile.fragment>
tile.param @rows = 1 in [1, 2, 4, 8, 16]
tile.param @columns = 2048 in [256, 512, 1024, 2048]

func.func @softmax(%x: !matrix {tile.shape = "MxN"}, %y: !matrix {tile.shape = "MxN", tile.result})
    attributes {
      tile.reference = @softmax_reference,
      tile.cases = ["M=256 N=4096", "M=33 N=1000", "M=17 N=257", "M=16 N=256", "M=3 N=255", "M=5 N=1", "M=1 N=1"],
      // Two roundings of an exponent below 16 cost 1e-6, a sum of 4096 positive terms in any order a few times that.
      tile.atol = 0.0, tile.rtol = 1.0e-5} {
  tile.kernel (%b) in (ceildiv(dim(%x, 0), @rows)) threads(128) {
    %xs = tile.alloc(@rows, @columns) : !staged
    %again = tile.alloc(@rows, @columns) : !staged
    %e = tile.alloc(@rows, @columns) : memref<?x?xf32, #tile.fragment>
    %max = tile.alloc(@rows) : !column
    %old = tile.alloc(@rows) : !column
    %sum = tile.alloc(@rows) : !column
    tile.fill %max, -inf
    tile.fill %sum, 0.0
    tile.pipelined %s = 0 to ceildiv(dim(%x, 1), @columns) stages(3) {
      tile.copy %x[%b * @rows, %s * @columns], %xs
      tile.parallel (%i, %j) in (@rows, @columns) do
        %e[%i, %j] = select(%s * @columns + %j < dim(%x, 1), %xs[%i, %j], -inf)
      tile.copy %max, %old
      tile.reduce max %e, %max dim(1) {combine}
      tile.parallel (%i) in (@rows) do fastmath<afn>
        %sum[%i] = %sum[%i] * exp2((%old[%i] - %max[%i]) * 1.44269504)
      tile.parallel (%i, %j) in (@rows, @columns) do fastmath<afn>
        %e[%i, %j] = exp2((%e[%i, %j] - %max[%i]) * 1.44269504)
      tile.reduce sum %e, %sum dim(1) {combine}
    }
    tile.parallel (%i) in (@rows) do %sum[%i] = 1.0 / %sum[%i]
    tile.pipelined %s = 0 to ceildiv(dim(%x, 1), @columns) stages(3) {
      tile.copy %x[%b * @rows, %s * @columns], %again
      tile.parallel (%i, %j) in (@rows, @columns) do fastmath<afn>
        %e[%i, %j] = exp2((%again[%i, %j] - %max[%i]) * 1.44269504) * %sum[%i]
      tile.copy %e, %y[%b * @rows, %s * @columns]
    }
  }
  return
}

// Three passes: maximum, sum, quotient.
func.func @softmax_reference(%x: !matrix, %y: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %lowest = arith.constant 0xFFF0000000000000 : f64
  %m = memref.dim %x, %c0 : !matrix
  %n = memref.dim %x, %c1 : !matrix
  affine.for %i = 0 to %m {
    %max = affine.for %j = 0 to %n iter_args(%acc = %lowest) -> f64 {
      %v = affine.load %x[%i, %j] : !matrix
      %vd = arith.extf %v : f32 to f64
      %next = arith.maximumf %acc, %vd : f64
      affine.yield %next : f64
    }
    %sum = affine.for %j = 0 to %n iter_args(%acc = %zero) -> f64 {
      %v = affine.load %x[%i, %j] : !matrix
      %vd = arith.extf %v : f32 to f64
      %d = arith.subf %vd, %max : f64
      %e = math.exp %d : f64
      %next = arith.addf %acc, %e : f64
      affine.yield %next : f64
    }
    affine.for %j = 0 to %n {
      %v = affine.load %x[%i, %j] : !matrix
      %vd = arith.extf %v : f32 to f64
      %d = arith.subf %vd, %max : f64
      %e = math.exp %d : f64
      %q = arith.divf %e, %sum : f64
      %r = arith.truncf %q : f64 to f32
      affine.store %r, %y[%i, %j] : !matrix
    }
  }
  return
}
