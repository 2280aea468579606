// REQUIRES: tile-run
// DEFINE: %{kernels} = --func=group_norm --func=cross_entropy --func=rope --func=sinkhorn --func=act_quant
// RUN: tile-run %{kernels} --target=ascend %s | FileCheck %s
// RUN: tile-run %{kernels} --target=ascend --chip=950 %s | FileCheck %s

// Kernels that are examples of TileLang's Ascend backend and stand nowhere else in the tree: see the table of docs/ascend.md.
// Expected values are those of the CPU.

// CHECK-NOT: FAIL
// CHECK: {{^}}11 passed, 0 failed

!groups = memref<?x32x?xf32>
!heads = memref<?x?x64xf16>
!angles = memref<?x32xf32>
!streams = memref<?x16x16xf32>

func.func @group_norm(%x: !groups {tile.shape = "Bx32xL"}, %w: memref<32xf32>, %bias: memref<32xf32>, %y: !groups {tile.shape = "Bx32xL", tile.result})
    attributes {tile.cases = ["B=2 L=100", "B=1 L=1", "B=2 L=260"], tile.atol = 1.0e-4, tile.rtol = 1.0e-4} {
  tile.kernel (%g, %n) in (8, dim(%x, 0)) {
    %t = tile.alloc : memref<4x128xf32, #tile.fragment>
    %sq = tile.alloc : memref<4x128xf32, #tile.fragment>
    %r = tile.alloc : memref<4xf32, #tile.fragment>
    %r2 = tile.alloc : memref<4xf32, #tile.fragment>
    %s = tile.alloc : memref<1xf32, #tile.fragment>
    %s2 = tile.alloc : memref<1xf32, #tile.fragment>
    tile.fill %r, 0.0
    tile.fill %r2, 0.0
    tile.pipelined %k = 0 to ceildiv(dim(%x, 2), 128) {
      tile.copy %x[%n, %g * 4, %k * 128], %t
      tile.parallel (%i, %j) in (4, 128) do %sq[%i, %j] = %t[%i, %j] * %t[%i, %j]
      tile.reduce sum %t, %r dim(1) {combine}
      tile.reduce sum %sq, %r2 dim(1) {combine}
    }
    tile.reduce sum %r, %s dim(0)
    tile.reduce sum %r2, %s2 dim(0)
    tile.pipelined %k = 0 to ceildiv(dim(%x, 2), 128) {
      tile.parallel (%i, %j) in (4, 128) do {
        %count = f32(i32(dim(%x, 2))) * 4.0
        %mean = %s[0] / %count
        %var = %s2[0] / %count - %mean * %mean
        %v = (%x[%n, %g * 4 + %i, %k * 128 + %j] - %mean) * rsqrt(%var + 1.0e-05)
        %y[%n, %g * 4 + %i, %k * 128 + %j] = %v * %w[%g * 4 + %i] + %bias[%g * 4 + %i]
      }
    }
  }
  return
}

func.func @cross_entropy(%x: memref<?x?xf32> {tile.shape = "MxN"}, %t: memref<?xi32> {tile.shape = "M", tile.init = "integers(0,5)"},
                         %y: memref<?xf32> {tile.shape = "M", tile.result})
    attributes {tile.cases = ["M=33 N=1000", "M=3 N=6"], tile.atol = 1.0e-4, tile.rtol = 1.0e-4} {
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 8)) {
    tile.padding_value %x, -inf
    %xs = tile.alloc : memref<8x256xf32, #tile.shared>
    %e = tile.alloc : memref<8x256xf32, #tile.fragment>
    %max = tile.alloc : memref<8xf32, #tile.fragment>
    %old = tile.alloc : memref<8xf32, #tile.fragment>
    %sum = tile.alloc : memref<8xf32, #tile.fragment>
    tile.fill %max, -inf
    tile.fill %sum, 0.0
    tile.pipelined %s = 0 to ceildiv(dim(%x, 1), 256) stages(2) {
      tile.copy %x[%b * 8, %s * 256], %xs
      tile.copy %max, %old
      tile.reduce max %xs, %max dim(1) {combine}
      tile.parallel (%i) in (8) do %sum[%i] = %sum[%i] * exp(%old[%i] - %max[%i])
      tile.parallel (%i, %j) in (8, 256) do %e[%i, %j] = exp(%xs[%i, %j] - %max[%i])
      tile.reduce sum %e, %sum dim(1) {combine}
    }
    tile.parallel (%i) in (8) do %y[%b * 8 + %i] = log(%sum[%i]) + %max[%i] - %x[%b * 8 + %i, index(%t[%b * 8 + %i])]
  }
  return
}

func.func @rope(%x: !heads {tile.shape = "SxHx64"}, %c: !angles {tile.shape = "Sx32"}, %s: !angles {tile.shape = "Sx32"}, %y: !heads {tile.shape = "SxHx64", tile.result})
    attributes {tile.cases = ["S=70 H=3", "S=1 H=1"], tile.atol = 1.0e-3, tile.rtol = 1.0e-3} {
  tile.kernel (%h, %b) in (dim(%x, 1), ceildiv(dim(%x, 0), 32)) {
    tile.parallel (%i, %j) in (32, 32) do {
      %u = f32(%x[%b * 32 + %i, %h, %j])
      %v = f32(%x[%b * 32 + %i, %h, %j + 32])
      %co = %c[%b * 32 + %i, %j]
      %si = %s[%b * 32 + %i, %j]
      %y[%b * 32 + %i, %h, %j] = f16(%u * %co - %v * %si)
      %y[%b * 32 + %i, %h, %j + 32] = f16(%v * %co + %u * %si)
    }
  }
  return
}

// Rows and columns in turn, until both sum to 1: the mixing matrix of hyper-connections.

func.func @sinkhorn(%x: !streams {tile.shape = "Bx16x16"}, %y: !streams {tile.shape = "Bx16x16", tile.result})
    attributes {tile.cases = ["B=3", "B=1"], tile.atol = 1.0e-5, tile.rtol = 1.0e-4} {
  tile.kernel (%b) in (dim(%x, 0)) {
    %p = tile.alloc : memref<16x16xf32, #tile.shared>
    %r = tile.alloc : memref<16xf32, #tile.shared>
    %c = tile.alloc : memref<16xf32, #tile.shared>
    tile.copy %x[%b, 0, 0], %p
    tile.parallel (%i, %j) in (16, 16) do %p[%i, %j] = exp(%p[%i, %j])
    tile.pipelined %k = 0 to 20 {
      tile.reduce sum %p, %r dim(1)
      tile.parallel (%i, %j) in (16, 16) do %p[%i, %j] = %p[%i, %j] / (%r[%i] + 1.0e-06)
      tile.reduce sum %p, %c dim(0)
      tile.parallel (%i, %j) in (16, 16) do %p[%i, %j] = %p[%i, %j] / (%c[%j] + 1.0e-06)
    }
    tile.copy %p, %y[%b, 0, 0]
  }
  return
}

// 8-bit integers with a scale for each group of 128.

func.func @act_quant(%x: memref<?x?xbf16> {tile.shape = "MxN"}, %q: memref<?x?xi8> {tile.shape = "MxN", tile.result}, %s: memref<?x?xf32> {tile.shape = "MxG", tile.result})
    attributes {tile.cases = ["M=40 N=384 G=3", "M=1 N=128 G=1"], tile.atol = 1.0e-6, tile.rtol = 1.0e-5} {
  tile.kernel (%g, %b) in (dim(%s, 1), ceildiv(dim(%x, 0), 16)) {
    %xs = tile.alloc : memref<16x128xbf16, #tile.shared>
    %t = tile.alloc : memref<16x128xf32, #tile.fragment>
    %m = tile.alloc : memref<16xf32, #tile.fragment>
    tile.copy %x[%b * 16, %g * 128], %xs
    tile.copy %xs, %t
    tile.reduce absmax %t, %m dim(1)
    tile.parallel (%i) in (16) do {
      %m[%i] = max(%m[%i], 1.0e-4) / 127.0
      %s[%b * 16 + %i, %g] = %m[%i]
    }
    tile.parallel (%i, %j) in (16, 128) do %q[%b * 16 + %i, %g * 128 + %j] = i8(floor(%t[%i, %j] / %m[%i] + 0.5))
  }
  return
}
