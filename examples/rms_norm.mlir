// RMS norm, y[i, j] = x[i, j] · w[j] / sqrt(mean_j(x[i, j]²) + 1e-5): f16 in and out, f32 in between.
//
// Shows a reduction over a row that is longer than a tile, and a vector that is broadcast over the rows of a tile.
// The zeros read past the end of a row add nothing to the sum; the mean divides by the true length.
//
//   tile-run examples/rms_norm.mlir
//   tile-run examples/rms_norm.mlir M=100 N=8192

!matrix = memref<?x?xf16>
!vector = memref<?xf16>
!staged = memref<?x?xf16, #tile.shared>
tile.param @rows = 2 in [1, 2, 4, 8, 16]
tile.param @columns = 2048 in [256, 512, 1024, 2048, 4096]

func.func @rms_norm(
    %x: !matrix {tile.shape = "MxN"}, %w: !vector {tile.shape = "N"}, %y: !matrix {tile.shape = "MxN", tile.result})
    attributes {
      tile.reference = @rms_norm_reference,
      tile.cases = ["M=256 N=4096", "M=33 N=1000", "M=17 N=257", "M=16 N=256", "M=3 N=255", "M=5 N=1", "M=1 N=1"],
      // 1 ulp of f16: both sides round once, the kernel a value that is off by a few ulp of f32.
      tile.atol = 6.0e-8, tile.rtol = 9.765625e-4} {
  tile.kernel (%b) in (ceildiv(dim(%x, 0), @rows)) threads(128) {
    %xs = tile.alloc(@rows, @columns) : !staged
    %again = tile.alloc(@rows, @columns) : !staged
    %ws = tile.alloc(@columns) : memref<?xf16, #tile.shared>
    %t = tile.alloc(@rows, @columns) : memref<?x?xf32, #tile.fragment>
    %scale = tile.alloc(@rows) : memref<?xf32, #tile.fragment>
    tile.fill %scale, 0.0
    tile.pipelined %s = 0 to ceildiv(dim(%x, 1), @columns) stages(2) {
      tile.copy %x[%b * @rows, %s * @columns], %xs
      tile.parallel (%i, %j) in (@rows, @columns) do {
        %v = f32(%xs[%i, %j])
        %t[%i, %j] = %v * %v
      }
      tile.reduce sum %t, %scale dim(1) {combine}
    }
    tile.parallel (%i) in (@rows) do %scale[%i] = rsqrt(%scale[%i] / f32(i32(dim(%x, 1))) + 1.0e-05)
    tile.pipelined %s = 0 to ceildiv(dim(%x, 1), @columns) stages(2) {
      tile.copy %x[%b * @rows, %s * @columns], %again
      tile.copy %w[%s * @columns], %ws
      tile.parallel (%i, %j) in (@rows, @columns) do
        %t[%i, %j] = f32(%again[%i, %j]) * %scale[%i] * f32(%ws[%j])
      tile.copy %t, %y[%b * @rows, %s * @columns]
    }
  }
  return
}

func.func @rms_norm_reference(%x: !matrix, %w: !vector, %y: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %eps = arith.constant 1.0e-5 : f64
  %m = memref.dim %x, %c0 : !matrix
  %n = memref.dim %x, %c1 : !matrix
  %ni = arith.index_cast %n : index to i64
  %length = arith.sitofp %ni : i64 to f64
  affine.for %i = 0 to %m {
    %sum = affine.for %j = 0 to %n iter_args(%acc = %zero) -> f64 {
      %v = affine.load %x[%i, %j] : !matrix
      %vd = arith.extf %v : f16 to f64
      %square = arith.mulf %vd, %vd : f64
      %next = arith.addf %acc, %square : f64
      affine.yield %next : f64
    }
    %mean = arith.divf %sum, %length : f64
    %shifted = arith.addf %mean, %eps : f64
    %root = math.sqrt %shifted : f64
    affine.for %j = 0 to %n {
      %v = affine.load %x[%i, %j] : !matrix
      %g = affine.load %w[%j] : !vector
      %vd = arith.extf %v : f16 to f64
      %gd = arith.extf %g : f16 to f64
      %product = arith.mulf %vd, %gd : f64
      %q = arith.divf %product, %root : f64
      %r = arith.truncf %q : f64 to f16
      affine.store %r, %y[%i, %j] : !matrix
    }
  }
  return
}
