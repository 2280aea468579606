// REQUIRES: tile-run
// RUN: tile-run --target=ascend %s | FileCheck %s
// RUN: tile-run --target=ascend --chip=950 %s | FileCheck %s

// Kernels on the Ascend model whose work is in the data: products of a mixture of experts, with offsets; attention to the
// blocks of keys of a list; the gated delta rule, a state that each token updates; rows from a place in memory on, a symbol.

// CHECK-NOT: FAIL
// CHECK: {{^}}9 passed, 0 failed

!tokens = memref<?x?xf16>
!offsets = memref<?xi32>

// Tokens lie by expert: those of expert e from offsets[e] to offsets[e + 1]. A block of rows ends where the expert does.
func.func @experts(%x: !tokens {tile.shape = "TxK", tile.init = "integers(-4,4)"},
    %w: memref<?x?x?xf16> {tile.shape = "ExKxN", tile.init = "integers(-4,4)"},
    %offsets: !offsets {tile.shape = "F", tile.init = "offsets(T)"},
    %y: memref<?x?xf32> {tile.shape = "TxN", tile.result})
    attributes {tile.reference = @experts_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["T=100 K=70 N=80 E=4 F=5", "T=33 K=32 N=64 E=3 F=4"]} {
  tile.kernel (%bx, %e) in (ceildiv(dim(%w, 2), 64), dim(%w, 0)) {
    %xs = tile.alloc : memref<32x32xf16, #tile.shared>
    %ws = tile.alloc : memref<32x64xf16, #tile.shared>
    %acc = tile.alloc : memref<32x64xf32, #tile.fragment>
    %at = tile.alloc : memref<32xi32, #tile.shared>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %next = arith.addi %e, %c1 : index
    %from32 = memref.load %offsets[%e] : !offsets
    %to32 = memref.load %offsets[%next] : !offsets
    %from = arith.index_cast %from32 : i32 to index
    %to = arith.index_cast %to32 : i32 to index
    %begin = arith.maxsi %from, %c0 : index
    %count = arith.subi %to, %begin : index
    %blocks = affine.apply affine_map<(n) -> (n ceildiv 32)>(%count)
    scf.for %r = %c0 to %blocks step %c1 {
      tile.fill %acc, 0.0
      tile.pipelined %s = 0 to ceildiv(dim(%x, 1), 32) stages(2) {
        tile.copy %x[%begin + %r * 32, %s * 32], %xs
        tile.copy %w[%e, %s * 32, %bx * 64], %ws
        tile.gemm %xs, %ws, %acc
      }
      tile.parallel (%i) in (32) do %at[%i] = select(%begin + %r * 32 + %i < %to, i32(%begin + %r * 32 + %i), -1)
      tile.scatter %acc, %y[0, %bx * 64] by %at[0]
    }
  }
  return
}

func.func @experts_reference(%x: !tokens, %w: memref<?x?x?xf16>, %offsets: !offsets, %y: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %e = memref.dim %w, %c0 : memref<?x?x?xf16>
  %k = memref.dim %w, %c1 : memref<?x?x?xf16>
  %n = memref.dim %w, %c2 : memref<?x?x?xf16>
  scf.for %expert = %c0 to %e step %c1 {
    %next = arith.addi %expert, %c1 : index
    %from32 = memref.load %offsets[%expert] : !offsets
    %to32 = memref.load %offsets[%next] : !offsets
    %from = arith.index_cast %from32 : i32 to index
    %to = arith.index_cast %to32 : i32 to index
    scf.for %i = %from to %to step %c1 {
      scf.for %j = %c0 to %n step %c1 {
        %sum = scf.for %l = %c0 to %k step %c1 iter_args(%old = %zero) -> f32 {
          %a = memref.load %x[%i, %l] : !tokens
          %b = memref.load %w[%expert, %l, %j] : memref<?x?x?xf16>
          %aw = arith.extf %a : f16 to f32
          %bw = arith.extf %b : f16 to f32
          %p = arith.mulf %aw, %bw : f32
          %more = arith.addf %old, %p : f32
          scf.yield %more : f32
        }
        memref.store %sum, %y[%i, %j] : memref<?x?xf32>
      }
    }
  }
  return
}

!rows = memref<?x64xf16>
!lists = memref<?x?xi32>
!column = memref<64xf32, #tile.fragment>

// Each block of 64 queries attends to the blocks of 64 keys that its list names; a block that is not there has no keys.
func.func @sparse_blocks(%q: !rows {tile.shape = "Sx64"}, %k: !rows {tile.shape = "Tx64"}, %v: !rows {tile.shape = "Tx64"},
    %lists: !lists {tile.shape = "BxL", tile.init = "integers(0,3)"}, %counts: !offsets {tile.shape = "B", tile.init = "integers(1,3)"},
    %o: memref<?x64xf32> {tile.shape = "Sx64", tile.result})
    attributes {tile.reference = @sparse_blocks_reference, tile.atol = 1.0e-3, tile.rtol = 2.0e-3,
                tile.cases = ["S=128 T=256 B=2 L=3", "S=100 T=150 B=2 L=3", "S=64 T=200 B=1 L=3"]} {
  tile.kernel (%x) in (ceildiv(dim(%q, 0), 64)) {
    %qs = tile.alloc : memref<64x64xf16, #tile.shared>
    %ks = tile.alloc : memref<64x64xf16, #tile.shared>
    %vs = tile.alloc : memref<64x64xf16, #tile.shared>
    %s = tile.alloc : memref<64x64xf32, #tile.fragment>
    %p = tile.alloc : memref<64x64xf16, #tile.fragment>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    %max = tile.alloc : !column
    %sum = tile.alloc : !column
    %fade = tile.alloc : !column
    tile.fill %acc, 0.0
    tile.fill %sum, 0.0
    tile.fill %max, -1.0e+09
    tile.copy %q[%x * 64, 0], %qs
    %c0 = arith.constant 0 : index
    %count32 = memref.load %counts[%x] : !offsets
    %count = arith.index_cast %count32 : i32 to index
    tile.pipelined %t = 0 to %count stages(2) {
      %block32 = memref.load %lists[%x, %t] : !lists
      %signed = arith.index_cast %block32 : i32 to index
      %block = arith.maxsi %signed, %c0 : index
      tile.copy %k[%block * 64, 0], %ks
      tile.copy %v[%block * 64, 0], %vs
      tile.gemm %qs, %ks, %s {clear, transpose_b}
      tile.parallel (%i, %j) in (64, 64) do
        %s[%i, %j] = select(%block * 64 + %j < dim(%k, 0), %s[%i, %j] * 0.180336880, -inf)
      tile.copy %max, %fade
      tile.reduce max %s, %max dim(1) {combine}
      tile.parallel (%i) in (64) do {
        %fade[%i] = exp2(%fade[%i] - %max[%i])
        %sum[%i] = %sum[%i] * %fade[%i]
      }
      tile.parallel (%i, %j) in (64, 64) do %s[%i, %j] = exp2(%s[%i, %j] - %max[%i])
      tile.reduce sum %s, %sum dim(1) {combine}
      tile.copy %s, %p
      tile.parallel (%i, %j) in (64, 64) do %acc[%i, %j] = %acc[%i, %j] * %fade[%i]
      tile.gemm %p, %vs, %acc
    }
    tile.parallel (%i, %j) in (64, 64) do %acc[%i, %j] = %acc[%i, %j] / max(%sum[%i], 1.0e-30)
    tile.copy %acc, %o[%x * 64, 0]
  }
  return
}

func.func @sparse_blocks_reference(%q: !rows, %k: !rows, %v: !rows, %lists: !lists, %counts: !offsets, %o: memref<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f64
  %scale = arith.constant 0.125 : f64
  %least = arith.constant 1.0e-30 : f64
  %size = memref.dim %q, %c0 : !rows
  %keys = memref.dim %k, %c0 : !rows
  %sums = memref.alloc() : memref<65xf64>
  scf.for %i = %c0 to %size step %c1 {
    %x = arith.divui %i, %c64 : index
    %count32 = memref.load %counts[%x] : !offsets
    %count = arith.index_cast %count32 : i32 to index
    affine.for %d = 0 to 65 {
      affine.store %zero, %sums[%d] : memref<65xf64>
    }
    scf.for %t = %c0 to %count step %c1 {
      %block32 = memref.load %lists[%x, %t] : !lists
      %block = arith.index_cast %block32 : i32 to index
      %first = arith.muli %block, %c64 : index
      %last = arith.addi %first, %c64 : index
      %end = arith.minsi %last, %keys : index
      scf.for %j = %first to %end step %c1 {
        %dot = affine.for %d = 0 to 64 iter_args(%old = %zero) -> f64 {
          %a = memref.load %q[%i, %d] : !rows
          %b = memref.load %k[%j, %d] : !rows
          %aw = arith.extf %a : f16 to f64
          %bw = arith.extf %b : f16 to f64
          %p = arith.mulf %aw, %bw : f64
          %more = arith.addf %old, %p : f64
          affine.yield %more : f64
        }
        %score = arith.mulf %dot, %scale : f64
        %weight = math.exp %score : f64
        %all = memref.load %sums[%c64] : memref<65xf64>
        %sum = arith.addf %all, %weight : f64
        memref.store %sum, %sums[%c64] : memref<65xf64>
        affine.for %d = 0 to 64 {
          %a = affine.load %sums[%d] : memref<65xf64>
          %b = memref.load %v[%j, %d] : !rows
          %bw = arith.extf %b : f16 to f64
          %p = arith.mulf %weight, %bw : f64
          %more = arith.addf %a, %p : f64
          affine.store %more, %sums[%d] : memref<65xf64>
        }
      }
    }
    %all = memref.load %sums[%c64] : memref<65xf64>
    %sum = arith.maximumf %all, %least : f64
    affine.for %d = 0 to 64 {
      %a = affine.load %sums[%d] : memref<65xf64>
      %r = arith.divf %a, %sum : f64
      %rf = arith.truncf %r : f64 to f32
      memref.store %rf, %o[%i, %d] : memref<?x64xf32>
    }
  }
  memref.dealloc %sums : memref<65xf64>
  return
}

!heads = memref<?x?x64xf32>
!gates = memref<?x?xf32>

// The state S of a head, keys by values: S = g S; S = S + b k (v - Sᵀ k)ᵀ; o = Sᵀ q.
func.func @gated_delta_rule(%q: !heads {tile.shape = "HxTx64", tile.init = "uniform(-0.2,0.2)"},
    %k: !heads {tile.shape = "HxTx64", tile.init = "uniform(-0.2,0.2)"}, %v: !heads {tile.shape = "HxTx64"},
    %g: !gates {tile.shape = "HxT", tile.init = "uniform(0.8,1)"}, %b: !gates {tile.shape = "HxT", tile.init = "uniform(0,1)"},
    %o: !heads {tile.shape = "HxTx64", tile.result})
    attributes {tile.reference = @gated_delta_rule_reference, tile.atol = 1.0e-5, tile.rtol = 1.0e-5,
                tile.cases = ["H=2 T=9", "H=1 T=1"]} {
  tile.kernel (%h) in (dim(%q, 0)) {
    %state = tile.alloc : memref<64x64xf32, #tile.fragment>
    %part = tile.alloc : memref<64x64xf32, #tile.fragment>
    %qs = tile.alloc : !column
    %ks = tile.alloc : !column
    %vs = tile.alloc : !column
    %u = tile.alloc : !column
    tile.fill %state, 0.0
    tile.pipelined %t = 0 to dim(%q, 1) stages(2) {
      tile.copy %q[%h, %t, 0], %qs
      tile.copy %k[%h, %t, 0], %ks
      tile.copy %v[%h, %t, 0], %vs
      %gate = memref.load %g[%h, %t] : !gates
      %beta = memref.load %b[%h, %t] : !gates
      tile.parallel (%i, %j) in (64, 64) do {
        %state[%i, %j] = %state[%i, %j] * %gate
        %part[%i, %j] = %state[%i, %j] * %ks[%i]
      }
      tile.reduce sum %part, %u dim(0)
      tile.parallel (%j) in (64) do %u[%j] = (%vs[%j] - %u[%j]) * %beta
      tile.parallel (%i, %j) in (64, 64) do {
        %state[%i, %j] = %state[%i, %j] + %ks[%i] * %u[%j]
        %part[%i, %j] = %state[%i, %j] * %qs[%i]
      }
      tile.reduce sum %part, %u dim(0)
      tile.copy %u, %o[%h, %t, 0]
    }
  }
  return
}

func.func @gated_delta_rule_reference(%q: !heads, %k: !heads, %v: !heads, %g: !gates, %b: !gates, %o: !heads) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %heads = memref.dim %q, %c0 : !heads
  %size = memref.dim %q, %c1 : !heads
  %state = memref.alloc() : memref<64x64xf64>
  affine.for %h = 0 to %heads {
    affine.for %i = 0 to 64 {
      affine.for %j = 0 to 64 {
        affine.store %zero, %state[%i, %j] : memref<64x64xf64>
      }
    }
    affine.for %t = 0 to %size {
      %gf = affine.load %g[%h, %t] : !gates
      %bf = affine.load %b[%h, %t] : !gates
      %gate = arith.extf %gf : f32 to f64
      %beta = arith.extf %bf : f32 to f64
      affine.for %j = 0 to 64 {
        %u = affine.for %i = 0 to 64 iter_args(%old = %zero) -> f64 {
          %s = affine.load %state[%i, %j] : memref<64x64xf64>
          %kf = affine.load %k[%h, %t, %i] : !heads
          %kd = arith.extf %kf : f32 to f64
          %faded = arith.mulf %s, %gate : f64
          affine.store %faded, %state[%i, %j] : memref<64x64xf64>
          %p = arith.mulf %faded, %kd : f64
          %next = arith.addf %old, %p : f64
          affine.yield %next : f64
        }
        %vf = affine.load %v[%h, %t, %j] : !heads
        %vd = arith.extf %vf : f32 to f64
        %d = arith.subf %vd, %u : f64
        %w = arith.mulf %d, %beta : f64
        %r = affine.for %i = 0 to 64 iter_args(%old = %zero) -> f64 {
          %s = affine.load %state[%i, %j] : memref<64x64xf64>
          %kf = affine.load %k[%h, %t, %i] : !heads
          %qf = affine.load %q[%h, %t, %i] : !heads
          %kd = arith.extf %kf : f32 to f64
          %qd = arith.extf %qf : f32 to f64
          %p = arith.mulf %kd, %w : f64
          %n = arith.addf %s, %p : f64
          affine.store %n, %state[%i, %j] : memref<64x64xf64>
          %m = arith.mulf %n, %qd : f64
          %next = arith.addf %old, %m : f64
          affine.yield %next : f64
        }
        %rf = arith.truncf %r : f64 to f32
        affine.store %rf, %o[%h, %t, %j] : !heads
      }
    }
  }
  memref.dealloc %state : memref<64x64xf64>
  return
}

// The rows of the left operand begin where memory says, which is not known to be in the buffer: each vector core pads its half.
func.func @rows_from(%x: memref<?x64xf16> {tile.shape = "Mx64", tile.init = "integers(-4,4)"},
                     %w: memref<64x64xf16> {tile.init = "integers(-4,4)"}, %first: memref<1xi32> {tile.init = "ones"},
                     %y: memref<64x64xf32> {tile.result})
    attributes {tile.reference = @rows_from_reference, tile.cases = ["M=64", "M=40"]} {
  %c0 = arith.constant 0 : index
  tile.kernel (%b) in (1) threads(128) {
    %v = memref.load %first[%c0] : memref<1xi32>
    %row = arith.index_cast %v : i32 to index
    %xs = tile.alloc : memref<64x64xf16, #tile.shared>
    %ws = tile.alloc : memref<64x64xf16, #tile.shared>
    %sum = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.copy %x[symbol(%row), 0], %xs
    tile.copy %w, %ws
    tile.gemm %xs, %ws, %sum {clear, transpose_b}
    tile.copy %sum, %y[0, 0]
  }
  return
}

func.func private @rows_from_reference(%x: memref<?x64xf16>, %w: memref<64x64xf16>, %first: memref<1xi32>,
                                       %y: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %x, %c0 : memref<?x64xf16>
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      affine.store %zero, %y[%i, %j] : memref<64x64xf32>
      affine.if affine_set<(i)[m] : (m - i - 2 >= 0)>(%i)[%m] {
        affine.for %k = 0 to 64 {
          %a = affine.load %x[%i + 1, %k] : memref<?x64xf16>
          %b = affine.load %w[%j, %k] : memref<64x64xf16>
          %c = arith.extf %a : f16 to f32
          %d = arith.extf %b : f16 to f32
          %e = arith.mulf %c, %d : f32
          %old = affine.load %y[%i, %j] : memref<64x64xf32>
          %new = arith.addf %old, %e : f32
          affine.store %new, %y[%i, %j] : memref<64x64xf32>
        }
      }
    }
  }
  return
}
