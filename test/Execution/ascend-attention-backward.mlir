// REQUIRES: tile-run
// RUN: tile-run --target=ascend %s | FileCheck %s
// RUN: tile-run --target=ascend --chip=950 %s | FileCheck %s

// Attention backward on the Ascend model: the sums of dO * O, dK and dV by blocks of keys, dQ by blocks of queries. `l` has
// the logarithms, of base 2, of the sums of the forward pass.

// CHECK-NOT: FAIL
// CHECK: {{^}}2 passed, 0 failed

!heads = memref<?x?x64xf16>
!rows = memref<?x?xf32>
!tile = memref<64x64xf16, #tile.shared>
!part = memref<64x64xf16, #tile.fragment>
!scores = memref<64x64xf32, #tile.fragment>
!column = memref<64xf32, #tile.fragment>

// The scale is 1 / sqrt(64), and that of scores log2(e) / sqrt(64).
func.func @attention_backward(
    %q: !heads {tile.shape = "HxSx64"}, %k: !heads {tile.shape = "HxSx64"}, %v: !heads {tile.shape = "HxSx64"},
    %o: !heads {tile.shape = "HxSx64"}, %g: !heads {tile.shape = "HxSx64"},
    %l: !rows {tile.shape = "HxS", tile.init = "uniform(5,7)"}, %dq: !heads {tile.shape = "HxSx64", tile.result},
    %dk: !heads {tile.shape = "HxSx64", tile.result}, %dv: !heads {tile.shape = "HxSx64", tile.result})
    attributes {tile.reference = @attention_backward_reference, tile.atol = 4.0e-3, tile.rtol = 4.0e-3,
                tile.cases = ["H=2 S=128", "H=1 S=150"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %heads = memref.dim %q, %c0 : !heads
  %size = memref.dim %q, %c1 : !heads
  %delta = memref.alloc(%heads, %size) : !rows
  tile.kernel (%x, %h) in (ceildiv(dim(%q, 1), 64), dim(%q, 0)) {
    %os = tile.alloc : !tile
    %gs = tile.alloc : !tile
    %p = tile.alloc : !scores
    %sum = tile.alloc : !column
    tile.copy %o[%h, %x * 64, 0], %os
    tile.copy %g[%h, %x * 64, 0], %gs
    tile.parallel (%i, %j) in (64, 64) do %p[%i, %j] = f32(%os[%i, %j]) * f32(%gs[%i, %j])
    tile.reduce sum %p, %sum dim(1)
    tile.copy %sum, %delta[%h, %x * 64]
  }
  tile.kernel (%x, %h) in (ceildiv(dim(%q, 1), 64), dim(%q, 0)) {
    %qs = tile.alloc : !tile
    %ks = tile.alloc : !tile
    %vs = tile.alloc : !tile
    %gs = tile.alloc : !tile
    %s = tile.alloc : !scores
    %dp = tile.alloc : !scores
    %p = tile.alloc : !part
    %ds = tile.alloc : !part
    %ls = tile.alloc : !column
    %deltas = tile.alloc : !column
    %dks = tile.alloc : !scores
    %dvs = tile.alloc : !scores
    tile.fill %dks, 0.0
    tile.fill %dvs, 0.0
    tile.copy %k[%h, %x * 64, 0], %ks
    tile.copy %v[%h, %x * 64, 0], %vs
    tile.pipelined %t = 0 to ceildiv(dim(%q, 1), 64) stages(2) {
      tile.copy %q[%h, %t * 64, 0], %qs
      tile.copy %g[%h, %t * 64, 0], %gs
      tile.copy %l[%h, %t * 64], %ls
      tile.copy %delta[%h, %t * 64], %deltas
      tile.gemm %qs, %ks, %s {clear, transpose_b}
      tile.gemm %gs, %vs, %dp {clear, transpose_b}
      tile.parallel (%i, %j) in (64, 64) do %s[%i, %j] = exp2(%s[%i, %j] * 0.180336880 - %ls[%i])
      tile.copy %s, %p
      tile.parallel (%i, %j) in (64, 64) do %s[%i, %j] = %s[%i, %j] * (%dp[%i, %j] - %deltas[%i]) * 0.125
      tile.copy %s, %ds
      tile.gemm %p, %gs, %dvs {transpose_a}
      tile.gemm %ds, %qs, %dks {transpose_a}
    }
    tile.copy %dks, %dk[%h, %x * 64, 0]
    tile.copy %dvs, %dv[%h, %x * 64, 0]
  }
  tile.kernel (%x, %h) in (ceildiv(dim(%q, 1), 64), dim(%q, 0)) {
    %qs = tile.alloc : !tile
    %ks = tile.alloc : !tile
    %vs = tile.alloc : !tile
    %gs = tile.alloc : !tile
    %s = tile.alloc : !scores
    %dp = tile.alloc : !scores
    %ds = tile.alloc : !part
    %ls = tile.alloc : !column
    %deltas = tile.alloc : !column
    %dqs = tile.alloc : !scores
    tile.fill %dqs, 0.0
    tile.copy %q[%h, %x * 64, 0], %qs
    tile.copy %g[%h, %x * 64, 0], %gs
    tile.copy %l[%h, %x * 64], %ls
    tile.copy %delta[%h, %x * 64], %deltas
    tile.pipelined %t = 0 to ceildiv(dim(%q, 1), 64) stages(2) {
      tile.copy %k[%h, %t * 64, 0], %ks
      tile.copy %v[%h, %t * 64, 0], %vs
      tile.gemm %qs, %ks, %s {clear, transpose_b}
      tile.gemm %gs, %vs, %dp {clear, transpose_b}
      tile.parallel (%i, %j) in (64, 64) do
        %s[%i, %j] = exp2(%s[%i, %j] * 0.180336880 - %ls[%i]) * (%dp[%i, %j] - %deltas[%i]) * 0.125
      tile.copy %s, %ds
      tile.gemm %ds, %ks, %dqs
    }
    tile.copy %dqs, %dq[%h, %x * 64, 0]
  }
  memref.dealloc %delta : !rows
  return
}

// One pair of a query and a key at a time.
func.func @attention_backward_reference(%q: !heads, %k: !heads, %v: !heads, %o: !heads, %g: !heads, %l: !rows, %dq: !heads,
                                        %dk: !heads, %dv: !heads) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %scale = arith.constant 0.125 : f64
  %log2e = arith.constant 1.4426950408889634 : f64
  %heads = memref.dim %q, %c0 : !heads
  %size = memref.dim %q, %c1 : !heads
  %sq = memref.alloc(%size) : memref<?x64xf64>
  %sk = memref.alloc(%size) : memref<?x64xf64>
  %sv = memref.alloc(%size) : memref<?x64xf64>
  affine.for %h = 0 to %heads {
    affine.for %i = 0 to %size {
      affine.for %d = 0 to 64 {
        affine.store %zero, %sq[%i, %d] : memref<?x64xf64>
        affine.store %zero, %sk[%i, %d] : memref<?x64xf64>
        affine.store %zero, %sv[%i, %d] : memref<?x64xf64>
      }
    }
    affine.for %i = 0 to %size {
      %lf = affine.load %l[%h, %i] : !rows
      %lw = arith.extf %lf : f32 to f64
      affine.for %j = 0 to %size {
        // The score, the gradient of the weight, and the sum of dO * O.
        %three:3 = affine.for %d = 0 to 64 iter_args(%a0 = %zero, %a1 = %zero, %a2 = %zero) -> (f64, f64, f64) {
          %qf = affine.load %q[%h, %i, %d] : !heads
          %kf = affine.load %k[%h, %j, %d] : !heads
          %vf = affine.load %v[%h, %j, %d] : !heads
          %of = affine.load %o[%h, %i, %d] : !heads
          %gf = affine.load %g[%h, %i, %d] : !heads
          %qd = arith.extf %qf : f16 to f64
          %kd = arith.extf %kf : f16 to f64
          %vd = arith.extf %vf : f16 to f64
          %od = arith.extf %of : f16 to f64
          %gd = arith.extf %gf : f16 to f64
          %p0 = arith.mulf %qd, %kd : f64
          %p1 = arith.mulf %gd, %vd : f64
          %p2 = arith.mulf %gd, %od : f64
          %n0 = arith.addf %a0, %p0 : f64
          %n1 = arith.addf %a1, %p1 : f64
          %n2 = arith.addf %a2, %p2 : f64
          affine.yield %n0, %n1, %n2 : f64, f64, f64
        }
        %s = arith.mulf %three#0, %scale : f64
        %s2 = arith.mulf %s, %log2e : f64
        %e = arith.subf %s2, %lw : f64
        %p = math.exp2 %e : f64
        %dp = arith.subf %three#1, %three#2 : f64
        %ds0 = arith.mulf %p, %dp : f64
        %ds = arith.mulf %ds0, %scale : f64
        affine.for %d = 0 to 64 {
          %qf = affine.load %q[%h, %i, %d] : !heads
          %kf = affine.load %k[%h, %j, %d] : !heads
          %gf = affine.load %g[%h, %i, %d] : !heads
          %qd = arith.extf %qf : f16 to f64
          %kd = arith.extf %kf : f16 to f64
          %gd = arith.extf %gf : f16 to f64
          %x0 = affine.load %sq[%i, %d] : memref<?x64xf64>
          %x1 = affine.load %sk[%j, %d] : memref<?x64xf64>
          %x2 = affine.load %sv[%j, %d] : memref<?x64xf64>
          %p0 = arith.mulf %ds, %kd : f64
          %p1 = arith.mulf %ds, %qd : f64
          %p2 = arith.mulf %p, %gd : f64
          %n0 = arith.addf %x0, %p0 : f64
          %n1 = arith.addf %x1, %p1 : f64
          %n2 = arith.addf %x2, %p2 : f64
          affine.store %n0, %sq[%i, %d] : memref<?x64xf64>
          affine.store %n1, %sk[%j, %d] : memref<?x64xf64>
          affine.store %n2, %sv[%j, %d] : memref<?x64xf64>
        }
      }
    }
    affine.for %i = 0 to %size {
      affine.for %d = 0 to 64 {
        %x0 = affine.load %sq[%i, %d] : memref<?x64xf64>
        %x1 = affine.load %sk[%i, %d] : memref<?x64xf64>
        %x2 = affine.load %sv[%i, %d] : memref<?x64xf64>
        %r0 = arith.truncf %x0 : f64 to f16
        %r1 = arith.truncf %x1 : f64 to f16
        %r2 = arith.truncf %x2 : f64 to f16
        affine.store %r0, %dq[%h, %i, %d] : !heads
        affine.store %r1, %dk[%h, %i, %d] : !heads
        affine.store %r2, %dv[%h, %i, %d] : !heads
      }
    }
  }
  memref.dealloc %sq : memref<?x64xf64>
  memref.dealloc %sk : memref<?x64xf64>
  memref.dealloc %sv : memref<?x64xf64>
  return
}
