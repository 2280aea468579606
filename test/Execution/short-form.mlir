// Kernels in the short form, with functions and parameters: a product with bias and GELU, layer norm, causal attention, and the
// product of 4-bit weights with a vector. All sizes are dynamic.
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --param=BK=64 --param=stages=3 --func=gemm_gelu M=70 N=130 K=100 | FileCheck %s --check-prefix=ONE
// RUN: tile-opt %s --print-short-form | tile-run - | FileCheck %s
// RUN: tile-opt %s --tile-to-nvvm-pipeline -o /dev/null
// RUN: tile-opt %s --tile-to-rocdl-pipeline -o /dev/null
// CHECK: 12 passed, 0 failed
// ONE: 1 passed, 0 failed

!matrix = memref<?x?xf16>
!vector = memref<?xf32>
!heads = memref<?x?x64xf16>
!scores = memref<64x64xf32, #tile.fragment>
!column = memref<64xf32, #tile.fragment>

tile.param @BK = 32 in [32, 64]
tile.param @stages = 2 in [2, 3, 4]

// Tolerance: 2 ulp of f16, and the sum of some 100 products of f16 in f32.
func.func @gemm_gelu(%a: !matrix {tile.shape = "MxK"}, %b: !matrix {tile.shape = "KxN"}, %bias: memref<?xf32> {tile.shape = "N"},
                     %c: !matrix {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @gemm_gelu_reference, tile.atol = 2.0e-3, tile.rtol = 1.953125e-3,
                tile.cases = ["M=128 N=256 K=128", "M=129 N=3 K=33", "M=1 N=1 K=1"]} {
  tile.kernel (%x, %y) in (ceildiv(dim(%b, 1), 128), ceildiv(dim(%a, 0), 128)) {
    %as = tile.alloc(@BK) : memref<128x?xf16, #tile.shared>
    %bs = tile.alloc(@BK) : memref<?x128xf16, #tile.shared>
    %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
    tile.fill %acc, 0.0
    tile.pipelined %s = 0 to ceildiv(dim(%a, 1), @BK) stages(@stages) {
      tile.copy %a[%y * 128, %s * @BK], %as
      tile.copy %b[%s * @BK, %x * 128], %bs
      tile.gemm %as, %bs, %acc
    }
    tile.parallel (%i, %j) in (128, 128) do {
      %v = %acc[%i, %j] + %bias[%x * 128 + %j]
      %acc[%i, %j] = 0.5 * %v * (1.0 + erf(%v * 0.70710678))
    }
    tile.copy %acc, %c[%y * 128, %x * 128]
  }
  return
}

// Tolerance: 2 ulp of f16, and what the difference of two means of squares loses.
func.func @layer_norm(%x: !matrix {tile.shape = "MxN"}, %w: !vector {tile.shape = "N"}, %b: !vector {tile.shape = "N"},
                      %y: !matrix {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @layer_norm_reference, tile.atol = 1.0e-3, tile.rtol = 1.953125e-3,
                tile.cases = ["M=32 N=512", "M=17 N=257", "M=3 N=1"]} {
  tile.kernel (%r) in (ceildiv(dim(%x, 0), 16)) {
    %t = tile.alloc : memref<16x256xf32, #tile.fragment>
    %mean = tile.alloc : memref<16xf32, #tile.fragment>
    %scale = tile.alloc : memref<16xf32, #tile.fragment>
    tile.fill %mean, 0.0
    tile.fill %scale, 0.0
    tile.pipelined %s = 0 to ceildiv(dim(%x, 1), 256) {
      tile.copy %x[%r * 16, %s * 256], %t
      tile.reduce sum %t, %mean dim(1) {combine}
      tile.parallel (%i, %j) in (16, 256) do %t[%i, %j] = %t[%i, %j] * %t[%i, %j]
      tile.reduce sum %t, %scale dim(1) {combine}
    }
    tile.parallel (%i) in (16) do {
      %count = f32(i32(dim(%x, 1)))
      %mean[%i] = %mean[%i] / %count
      %scale[%i] = rsqrt(%scale[%i] / %count - %mean[%i] * %mean[%i] + 1.0e-05)
    }
    tile.pipelined %s = 0 to ceildiv(dim(%x, 1), 256) {
      tile.copy %x[%r * 16, %s * 256], %t
      tile.parallel (%i, %j) in (16, 256) do {
        %v = (%t[%i, %j] - %mean[%i]) * %scale[%i]
        %t[%i, %j] = %v * %w[%s * 256 + %j] + %b[%s * 256 + %j]
      }
      tile.copy %t, %y[%r * 16, %s * 256]
    }
  }
  return
}

// The running maximum and sum of a softmax over blocks of columns: scales what was summed so far.
func.func private @online_softmax(%s: !scores, %max: !column, %sum: !column, %acc: !scores) {
  %old = tile.alloc : !column
  tile.copy %max, %old
  tile.reduce max %s, %max dim(1) {combine}
  tile.parallel (%i) in (64) do {
    %old[%i] = exp2(%old[%i] - %max[%i])
    %sum[%i] = %sum[%i] * %old[%i]
  }
  tile.parallel (%i, %j) in (64, 64) do {
    %acc[%i, %j] = %acc[%i, %j] * %old[%i]
    %s[%i, %j] = exp2(%s[%i, %j] - %max[%i])
  }
  tile.reduce sum %s, %sum dim(1) {combine}
  return
}

// Tolerances as in examples/flash_attention_causal.mlir. The scale is log2(e) / sqrt(64).
func.func @attention(%q: !heads {tile.shape = "HxSx64"}, %k: !heads {tile.shape = "HxSx64"},
                     %v: !heads {tile.shape = "HxSx64"}, %o: !heads {tile.shape = "HxSx64", tile.result})
    attributes {tile.reference = @attention_reference, tile.atol = 5.0e-4, tile.rtol = 1.953125e-3,
                tile.cases = ["H=2 S=128", "H=1 S=193", "H=1 S=1"]} {
  tile.kernel (%x, %h) in (ceildiv(dim(%q, 1), 64), dim(%q, 0)) {
    %qs = tile.alloc : memref<64x64xf16, #tile.shared>
    %ks = tile.alloc : memref<64x64xf16, #tile.shared>
    %vs = tile.alloc : memref<64x64xf16, #tile.shared>
    %s = tile.alloc : !scores
    %p = tile.alloc : memref<64x64xf16, #tile.fragment>
    %acc = tile.alloc : !scores
    %max = tile.alloc : !column
    %sum = tile.alloc : !column
    tile.fill %acc, 0.0
    tile.fill %sum, 0.0
    tile.fill %max, -inf
    tile.copy %q[%h, %x * 64, 0], %qs
    tile.pipelined %t = 0 to %x + 1 stages(2) {
      tile.copy %k[%h, %t * 64, 0], %ks
      tile.copy %v[%h, %t * 64, 0], %vs
      tile.gemm %qs, %ks, %s {clear, transpose_b}
      tile.parallel (%i, %j) in (64, 64) do
        %s[%i, %j] = select(%t * 64 + %j <= %x * 64 + %i, %s[%i, %j] * 0.180336880, -inf)
      func.call @online_softmax(%s, %max, %sum, %acc) : (!scores, !column, !column, !scores) -> ()
      tile.copy %s, %p
      tile.gemm %p, %vs, %acc
    }
    tile.parallel (%i, %j) in (64, 64) do %acc[%i, %j] = %acc[%i, %j] / %sum[%i]
    tile.copy %acc, %o[%h, %x * 64, 0]
  }
  return
}

// A byte holds two codes of a row, the low half first; a weight is (code - 8) * scale.
// Tolerance: the order of a sum of up to 1000 products in f32.
func.func @gemv_int4(%q: memref<?x?xi8> {tile.shape = "NxP", tile.init = "integers(-128,127)"},
                     %scale: !vector {tile.shape = "N"}, %x: !vector {tile.shape = "K"},
                     %y: !vector {tile.shape = "N", tile.result})
    attributes {tile.reference = @gemv_int4_reference, tile.atol = 1.0e-3, tile.rtol = 1.0e-5,
                tile.cases = ["N=64 P=256 K=512", "N=33 P=150 K=300", "N=1 P=1 K=2"]} {
  tile.kernel (%b) in (ceildiv(dim(%q, 0), 32)) {
    %qs = tile.alloc : memref<32x128xi8, #tile.shared>
    %xs = tile.alloc : memref<256xf32, #tile.shared>
    %t = tile.alloc : memref<32x128xf32, #tile.fragment>
    %sum = tile.alloc : memref<32xf32, #tile.fragment>
    tile.fill %sum, 0.0
    tile.pipelined %s = 0 to ceildiv(dim(%q, 1), 128) stages(2) {
      tile.copy %q[%b * 32, %s * 128], %qs
      tile.copy %x[%s * 256], %xs
      tile.parallel (%i, %j) in (32, 128) do {
        %low = f32(and(%qs[%i, %j], 15) - 8)
        %high = f32(and(shr(%qs[%i, %j], 4), 15) - 8)
        %t[%i, %j] = %low * %xs[%j * 2] + %high * %xs[%j * 2 + 1]
      }
      tile.reduce sum %t, %sum dim(1) {combine}
    }
    tile.parallel (%i) in (32) do %y[%b * 32 + %i] = %sum[%i] * %scale[%b * 32 + %i]
  }
  return
}

func.func private @gemm_gelu_reference(%a: !matrix, %b: !matrix, %bias: !vector, %c: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %half = arith.constant 0.5 : f64
  %one = arith.constant 1.0 : f64
  %root = arith.constant 0.70710678118654752 : f64
  %m = memref.dim %c, %c0 : !matrix
  %n = memref.dim %c, %c1 : !matrix
  %k = memref.dim %a, %c1 : !matrix
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %sum = affine.for %l = 0 to %k iter_args(%acc = %zero) -> f64 {
        %x = affine.load %a[%i, %l] : !matrix
        %y = affine.load %b[%l, %j] : !matrix
        %xd = arith.extf %x : f16 to f64
        %yd = arith.extf %y : f16 to f64
        %p = arith.mulf %xd, %yd : f64
        %next = arith.addf %acc, %p : f64
        affine.yield %next : f64
      }
      %u = affine.load %bias[%j] : !vector
      %ud = arith.extf %u : f32 to f64
      %v = arith.addf %sum, %ud : f64
      %w = arith.mulf %v, %root : f64
      %e = math.erf %w : f64
      %f = arith.addf %e, %one : f64
      %g = arith.mulf %v, %f : f64
      %h = arith.mulf %g, %half : f64
      %r = arith.truncf %h : f64 to f16
      affine.store %r, %c[%i, %j] : !matrix
    }
  }
  return
}

func.func private @layer_norm_reference(%x: !matrix, %w: !vector, %b: !vector, %y: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %eps = arith.constant 1.0e-5 : f64
  %m = memref.dim %x, %c0 : !matrix
  %n = memref.dim %x, %c1 : !matrix
  %ni = arith.index_cast %n : index to i64
  %count = arith.sitofp %ni : i64 to f64
  affine.for %i = 0 to %m {
    %sum = affine.for %j = 0 to %n iter_args(%acc = %zero) -> f64 {
      %v = affine.load %x[%i, %j] : !matrix
      %d = arith.extf %v : f16 to f64
      %next = arith.addf %acc, %d : f64
      affine.yield %next : f64
    }
    %mean = arith.divf %sum, %count : f64
    %squares = affine.for %j = 0 to %n iter_args(%acc = %zero) -> f64 {
      %v = affine.load %x[%i, %j] : !matrix
      %d = arith.extf %v : f16 to f64
      %e = arith.subf %d, %mean : f64
      %f = arith.mulf %e, %e : f64
      %next = arith.addf %acc, %f : f64
      affine.yield %next : f64
    }
    %variance = arith.divf %squares, %count : f64
    %more = arith.addf %variance, %eps : f64
    %deviation = math.sqrt %more : f64
    affine.for %j = 0 to %n {
      %v = affine.load %x[%i, %j] : !matrix
      %u = affine.load %w[%j] : !vector
      %t = affine.load %b[%j] : !vector
      %d = arith.extf %v : f16 to f64
      %ud = arith.extf %u : f32 to f64
      %td = arith.extf %t : f32 to f64
      %e = arith.subf %d, %mean : f64
      %f = arith.divf %e, %deviation : f64
      %g = arith.mulf %f, %ud : f64
      %h = arith.addf %g, %td : f64
      %r = arith.truncf %h : f64 to f16
      affine.store %r, %y[%i, %j] : !matrix
    }
  }
  return
}

func.func private @attention_reference(%q: !heads, %k: !heads, %v: !heads, %o: !heads) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %scale = arith.constant 0.125 : f64
  %count = memref.dim %q, %c0 : !heads
  %length = memref.dim %q, %c1 : !heads
  %weights = memref.alloc(%length) : memref<?xf64>
  affine.for %h = 0 to %count {
    affine.for %i = 0 to %length {
      %sum = affine.for %j = 0 to affine_map<(i) -> (i + 1)>(%i) iter_args(%total = %zero) -> f64 {
        %dot = affine.for %d = 0 to 64 iter_args(%acc = %zero) -> f64 {
          %x = affine.load %q[%h, %i, %d] : !heads
          %y = affine.load %k[%h, %j, %d] : !heads
          %xd = arith.extf %x : f16 to f64
          %yd = arith.extf %y : f16 to f64
          %p = arith.mulf %xd, %yd : f64
          %next = arith.addf %acc, %p : f64
          affine.yield %next : f64
        }
        // Some 10 at most, so that e to it needs no maximum in f64.
        %score = arith.mulf %dot, %scale : f64
        %e = math.exp %score : f64
        affine.store %e, %weights[%j] : memref<?xf64>
        %next = arith.addf %total, %e : f64
        affine.yield %next : f64
      }
      affine.for %d = 0 to 64 {
        %out = affine.for %j = 0 to affine_map<(i) -> (i + 1)>(%i) iter_args(%acc = %zero) -> f64 {
          %e = affine.load %weights[%j] : memref<?xf64>
          %y = affine.load %v[%h, %j, %d] : !heads
          %yd = arith.extf %y : f16 to f64
          %p = arith.mulf %e, %yd : f64
          %next = arith.addf %acc, %p : f64
          affine.yield %next : f64
        }
        %mean = arith.divf %out, %sum : f64
        %r = arith.truncf %mean : f64 to f16
        affine.store %r, %o[%h, %i, %d] : !heads
      }
    }
  }
  memref.dealloc %weights : memref<?xf64>
  return
}

func.func private @gemv_int4_reference(%q: memref<?x?xi8>, %scale: !vector, %x: !vector, %y: !vector) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %sixteen = arith.constant 16 : i32
  %eight = arith.constant 8 : i32
  %two = arith.constant 2 : i32
  %n = memref.dim %q, %c0 : memref<?x?xi8>
  %k = memref.dim %x, %c0 : !vector
  affine.for %i = 0 to %n {
    %sum = affine.for %l = 0 to %k iter_args(%acc = %zero) -> f64 {
      %byte = affine.load %q[%i, %l floordiv 2] : memref<?x?xi8>
      %value = arith.extui %byte : i8 to i32
      %column = arith.index_cast %l : index to i32
      %odd = arith.remui %column, %two : i32
      %is_odd = arith.trunci %odd : i32 to i1
      %quotient = arith.divui %value, %sixteen : i32
      %rest = arith.remui %value, %sixteen : i32
      %code = arith.select %is_odd, %quotient, %rest : i32
      %weight = arith.subi %code, %eight : i32
      %wd = arith.sitofp %weight : i32 to f64
      %v = affine.load %x[%l] : !vector
      %vd = arith.extf %v : f32 to f64
      %p = arith.mulf %wd, %vd : f64
      %next = arith.addf %acc, %p : f64
      affine.yield %next : f64
    }
    %u = affine.load %scale[%i] : !vector
    %ud = arith.extf %u : f32 to f64
    %r = arith.mulf %sum, %ud : f64
    %f = arith.truncf %r : f64 to f32
    affine.store %f, %y[%i] : !vector
  }
  return
}
