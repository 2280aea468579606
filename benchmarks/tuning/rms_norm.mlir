// RMS norm of rows, bf16, in two passes over parts of rows: what the tuner may choose in a kernel that moves bytes.
//
//   tile-tune benchmarks/tuning/rms_norm.mlir --chip=sm_90a --case="M=32768 N=4096"

tile.param @rows = 4 in [1, 2, 4, 8]
tile.param @columns = 1024 in [256, 512, 1024, 2048, 4096]
tile.param @stages = 2 in [2, 3]
tile.param @threads = 128 in [128, 256]

!matrix = memref<?x?xbf16>
!weights = memref<?xbf16>
!tile = memref<?x?xbf16, #tile.shared>

func.func @rms_norm(%x: !matrix {tile.shape = "MxN%8", tile.align = 16}, %w: !weights {tile.shape = "N%8", tile.align = 16},
                    %y: !matrix {tile.shape = "MxN%8", tile.align = 16, tile.result})
    attributes {tile.cases = ["M=33 N=2048"], tile.atol = 1.0e-2, tile.rtol = 7.8125e-3,
                tile.reference = @rms_norm_reference} {
  %threads = tile.get_param @threads
  tile.require @rows * @columns >= %threads * 8, "a thread has less than one wide access"
  tile.require @rows * @columns <= %threads * 64, "a thread has more than 64 elements"
  tile.kernel (%b) in (ceildiv(dim(%x, 0), @rows)) threads(@threads) {
    %t = tile.alloc(@rows, @columns) : !tile
    %u = tile.alloc(@rows, @columns) : !tile
    %ws = tile.alloc(@columns) : memref<?xbf16, #tile.shared>
    %e = tile.alloc(@rows, @columns) : memref<?x?xf32, #tile.fragment>
    %sum = tile.alloc(@rows) : memref<?xf32, #tile.fragment>
    tile.fill %sum, 0.0
    tile.pipelined %s = 0 to ceildiv(dim(%x, 1), @columns) stages(@stages) {
      tile.copy %x[%b * @rows, %s * @columns], %t
      tile.parallel (%i, %j) in (@rows, @columns) do {
        %v = f32(%t[%i, %j])
        %e[%i, %j] = %v * %v
      }
      tile.reduce sum %e, %sum dim(1) {combine}
    }
    tile.parallel (%i) in (@rows) do %sum[%i] = rsqrt(%sum[%i] / f32(i32(dim(%x, 1))) + 1.0e-06)
    tile.pipelined %s = 0 to ceildiv(dim(%x, 1), @columns) stages(@stages) {
      tile.copy %x[%b * @rows, %s * @columns], %u
      tile.copy %w[%s * @columns], %ws
      tile.parallel (%i, %j) in (@rows, @columns) do %e[%i, %j] = f32(%u[%i, %j]) * %sum[%i] * f32(%ws[%j])
      tile.copy %e, %y[%b * @rows, %s * @columns]
    }
  }
  return
}

func.func @rms_norm_reference(%x: !matrix, %w: !weights, %y: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %eps = arith.constant 1.0e-6 : f64
  %m = memref.dim %x, %c0 : !matrix
  %n = memref.dim %x, %c1 : !matrix
  %ni = arith.index_cast %n : index to i64
  %nf = arith.sitofp %ni : i64 to f64
  affine.for %i = 0 to %m {
    %sum = affine.for %j = 0 to %n iter_args(%acc = %zero) -> f64 {
      %v = affine.load %x[%i, %j] : !matrix
      %d = arith.extf %v : bf16 to f64
      %p = arith.mulf %d, %d : f64
      %next = arith.addf %acc, %p : f64
      affine.yield %next : f64
    }
    %mean = arith.divf %sum, %nf : f64
    %shifted = arith.addf %mean, %eps : f64
    %r = math.rsqrt %shifted : f64
    affine.for %j = 0 to %n {
      %v = affine.load %x[%i, %j] : !matrix
      %g = affine.load %w[%j] : !weights
      %d = arith.extf %v : bf16 to f64
      %gd = arith.extf %g : bf16 to f64
      %scaled = arith.mulf %d, %r : f64
      %q = arith.mulf %scaled, %gd : f64
      %t = arith.truncf %q : f64 to bf16
      affine.store %t, %y[%i, %j] : !matrix
    }
  }
  return
}
