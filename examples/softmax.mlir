// Softmax over the rows of a matrix, in two passes (online softmax).
//
// Shows reductions, a padding value and a running rescale. The first pass keeps the maximum m of the columns seen so far
// and the sum l of exp(x - m); when m grows, l is scaled to the new maximum. The second pass writes exp(x - m) / l.
// Columns past the end read as -inf: they are never the maximum, and their exponential is 0.
//
//   tile-run examples/softmax.mlir
//   tile-run examples/softmax.mlir M=64 N=50000

!matrix = memref<?x?xf32>
!staged = memref<16x256xf32, #tile.shared>
!tile = memref<16x256xf32, #tile.fragment>
!column = memref<16xf32, #tile.fragment>

func.func @softmax(%x: !matrix {tile.shape = "MxN"}, %y: !matrix {tile.shape = "MxN", tile.result})
    attributes {
      tile.reference = @softmax_reference,
      tile.cases = ["M=256 N=4096", "M=33 N=1000", "M=17 N=257", "M=16 N=256", "M=3 N=255", "M=5 N=1", "M=1 N=1"],
      // Two roundings of an exponent below 16 cost 1e-6, a sum of 4096 positive terms in any order a few times that.
      tile.atol = 0.0, tile.rtol = 1.0e-5} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %log2e = arith.constant 1.44269504 : f32
  %m = memref.dim %x, %c0 : !matrix
  %n = memref.dim %x, %c1 : !matrix
  %blocks = arith.ceildivui %m, %c16 : index
  %steps = arith.ceildivui %n, %c256 : index
  tile.kernel (%b) in (%blocks) threads(128) {
    tile.padding_value %x, %lowest : !matrix
    %xs = tile.alloc : !staged
    %again = tile.alloc : !staged
    %e = tile.alloc : !tile
    %max = tile.alloc : !column
    %old = tile.alloc : !column
    %sum = tile.alloc : !column
    tile.fill %max, %lowest : !column
    tile.fill %sum, %zero : !column
    tile.pipelined %s = 0 to %steps stages(2) {
      tile.copy %x[%b * 16, %s * 256], %xs : !matrix, !staged
      tile.copy %max, %old : !column, !column
      tile.reduce max %xs, %max dim(1) {combine} : !staged, !column
      tile.parallel (%i) in (16) {
        %before = memref.load %old[%i] : !column
        %now = memref.load %max[%i] : !column
        %d = arith.subf %before, %now : f32
        %d2 = arith.mulf %d, %log2e : f32
        %scale = math.exp2 %d2 : f32
        %l = memref.load %sum[%i] : !column
        %scaled = arith.mulf %l, %scale : f32
        memref.store %scaled, %sum[%i] : !column
      }
      tile.parallel (%i, %j) in (16, 256) {
        %v = memref.load %xs[%i, %j] : !staged
        %now = memref.load %max[%i] : !column
        %d = arith.subf %v, %now : f32
        %d2 = arith.mulf %d, %log2e : f32
        %p = math.exp2 %d2 : f32
        memref.store %p, %e[%i, %j] : !tile
      }
      tile.reduce sum %e, %sum dim(1) {combine} : !tile, !column
    }
    tile.pipelined %s = 0 to %steps stages(2) {
      tile.copy %x[%b * 16, %s * 256], %again : !matrix, !staged
      tile.parallel (%i, %j) in (16, 256) {
        %v = memref.load %again[%i, %j] : !staged
        %now = memref.load %max[%i] : !column
        %l = memref.load %sum[%i] : !column
        %d = arith.subf %v, %now : f32
        %d2 = arith.mulf %d, %log2e : f32
        %p = math.exp2 %d2 : f32
        %r = arith.divf %p, %l : f32
        memref.store %r, %e[%i, %j] : !tile
      }
      tile.copy %e, %y[%b * 16, %s * 256] : !tile, !matrix
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
