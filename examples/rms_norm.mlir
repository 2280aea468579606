// RMS norm, y[i, j] = x[i, j] · w[j] / sqrt(mean_j(x[i, j]²) + 1e-5): f16 in and out, f32 in between.
//
// Shows a reduction over a row that is longer than a tile, and a vector that is broadcast over the rows of a tile.
// The zeros read past the end of a row add nothing to the sum; the mean divides by the true length.
//
//   tile-run examples/rms_norm.mlir
//   tile-run examples/rms_norm.mlir M=100 N=8192

!matrix = memref<?x?xf16>
!vector = memref<?xf16>
!staged = memref<16x256xf16, #tile.shared>
!weights = memref<256xf16, #tile.shared>
!tile = memref<16x256xf32, #tile.fragment>
!column = memref<16xf32, #tile.fragment>

func.func @rms_norm(
    %x: !matrix {tile.shape = "MxN"}, %w: !vector {tile.shape = "N"}, %y: !matrix {tile.shape = "MxN", tile.result})
    attributes {
      tile.reference = @rms_norm_reference,
      tile.cases = ["M=256 N=4096", "M=33 N=1000", "M=17 N=257", "M=16 N=256", "M=3 N=255", "M=5 N=1", "M=1 N=1"],
      // 1 ulp of f16: both sides round once, the kernel a value that is off by a few ulp of f32.
      tile.atol = 6.0e-8, tile.rtol = 9.765625e-4} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %m = memref.dim %x, %c0 : !matrix
  %n = memref.dim %x, %c1 : !matrix
  %ni = arith.index_cast %n : index to i32
  %length = arith.sitofp %ni : i32 to f32
  %blocks = arith.ceildivui %m, %c16 : index
  %steps = arith.ceildivui %n, %c256 : index
  tile.kernel (%b) in (%blocks) threads(128) {
    %xs = tile.alloc : !staged
    %again = tile.alloc : !staged
    %ws = tile.alloc : !weights
    %t = tile.alloc : !tile
    %scale = tile.alloc : !column
    tile.fill %scale, %zero : !column
    tile.pipelined %s = 0 to %steps stages(2) {
      tile.copy %x[%b * 16, %s * 256], %xs : !matrix, !staged
      tile.parallel (%i, %j) in (16, 256) {
        %v = memref.load %xs[%i, %j] : !staged
        %vf = arith.extf %v : f16 to f32
        %square = arith.mulf %vf, %vf : f32
        memref.store %square, %t[%i, %j] : !tile
      }
      tile.reduce sum %t, %scale dim(1) {combine} : !tile, !column
    }
    tile.parallel (%i) in (16) {
      %sum = memref.load %scale[%i] : !column
      %mean = arith.divf %sum, %length : f32
      %shifted = arith.addf %mean, %eps : f32
      %r = math.rsqrt %shifted : f32
      memref.store %r, %scale[%i] : !column
    }
    tile.pipelined %s = 0 to %steps stages(2) {
      tile.copy %x[%b * 16, %s * 256], %again : !matrix, !staged
      tile.copy %w[%s * 256], %ws : !vector, !weights
      tile.parallel (%i, %j) in (16, 256) {
        %v = memref.load %again[%i, %j] : !staged
        %g = memref.load %ws[%j] : !weights
        %r = memref.load %scale[%i] : !column
        %vf = arith.extf %v : f16 to f32
        %gf = arith.extf %g : f16 to f32
        %normed = arith.mulf %vf, %r : f32
        %out = arith.mulf %normed, %gf : f32
        memref.store %out, %t[%i, %j] : !tile
      }
      tile.copy %t, %y[%b * 16, %s * 256] : !tile, !matrix
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
