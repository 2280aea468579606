!heads = memref<?x?x64xf16>
!gates = memref<?x?xf32>
!square = memref<64x64xf16, #tile.shared>
!wide = memref<64x64xf32, #tile.fragment>
!row = memref<64xf32, #tile.fragment>
!srow = memref<64xf32, #tile.shared>

func.func @gated_delta_chunks(%q: !heads {tile.shape = "HxTx64"},
    %k: !heads {tile.shape = "HxTx64"}, %v: !heads {tile.shape = "HxTx64"},
    %g: !gates {tile.shape = "HxT"}, %b: !gates {tile.shape = "HxT"},
    %o: !heads {tile.shape = "HxTx64"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %h = memref.dim %q, %c0 : !heads
  %t = memref.dim %q, %c1 : !heads
  %chunks = affine.apply affine_map<(d) -> (d ceildiv 64)>(%t)
  %sums = tile.alloc(%h, %t) : !gates
  %inverse = tile.alloc(%h, %t) : !heads
  %us = tile.alloc(%h, %t) : !heads
  %ws = tile.alloc(%h, %t) : !heads
  %states = tile.alloc(%h, %chunks) : memref<?x?x64x64xf16>

  // Running sums of the logarithms of gates in each chunk.
  tile.kernel (%c, %n) in (%chunks, %h) {
    %x = tile.alloc : !row
    tile.copy %g[%n, %c * 64], %x
    tile.scan sum %x, %x dim(0)
    tile.copy %x, %sums[%n, %c * 64]
  }

  // The inverse of I + A, A strictly lower triangular: row i is that of I less the rows before, by A[i, j].
  tile.kernel (%c, %n) in (%chunks, %h) {
    %ks = tile.alloc : !square
    %gs = tile.alloc : !srow
    %bs = tile.alloc : !srow
    %acc = tile.alloc : !wide
    %a = tile.alloc : memref<64x64xf32, #tile.shared>
    %inv = tile.alloc : memref<64x64xf32, #tile.shared>
    %part = tile.alloc : !wide
    %new = tile.alloc : !row
    tile.copy %k[%n, %c * 64, 0], %ks
    tile.copy %sums[%n, %c * 64], %gs
    tile.copy %b[%n, %c * 64], %bs
    tile.gemm %ks, %ks, %acc {clear, transpose_b}
    tile.parallel (%i, %j) in (64, 64) do {
      %d = select(%i > %j, %gs[%i] - %gs[%j], -inf)
      %a[%i, %j] = %acc[%i, %j] * %bs[%i] * exp(%d)
      %inv[%i, %j] = select(%i == %j, 1.0, 0.0)
    }
    scf.for %i = %c1 to %c64 step %c1 {
      tile.parallel (%j, %e) in (64, 64) do %part[%j, %e] = select(%j < %i, %a[%i, %j] * %inv[%j, %e], 0.0)
      tile.reduce sum %part, %new dim(0)
      tile.parallel (%e) in (64) do %inv[%i, %e] = %inv[%i, %e] - %new[%e]
    }
    tile.copy %inv, %inverse[%n, %c * 64, 0]
  }

  tile.kernel (%c, %n) in (%chunks, %h) {
    %is = tile.alloc : !square
    %ks = tile.alloc : !square
    %vs = tile.alloc : !square
    %gs = tile.alloc : !srow
    %bs = tile.alloc : !srow
    %u = tile.alloc : !wide
    %w = tile.alloc : !wide
    tile.copy %inverse[%n, %c * 64, 0], %is
    tile.copy %k[%n, %c * 64, 0], %ks
    tile.copy %v[%n, %c * 64, 0], %vs
    tile.copy %sums[%n, %c * 64], %gs
    tile.copy %b[%n, %c * 64], %bs
    tile.parallel (%i, %j) in (64, 64) do {
      %vs[%i, %j] = f16(f32(%vs[%i, %j]) * %bs[%i])
      %ks[%i, %j] = f16(f32(%ks[%i, %j]) * %bs[%i] * exp(%gs[%i]))
    }
    tile.gemm %is, %vs, %u {clear}
    tile.gemm %is, %ks, %w {clear}
    tile.copy %u, %us[%n, %c * 64, 0]
    tile.copy %w, %ws[%n, %c * 64, 0]
  }

  // The state before each chunk, keys by values; %us becomes what the chunk adds.
  tile.kernel (%n) in (%h) {
    %state = tile.alloc : !wide
    %half = tile.alloc : !square
    %ks = tile.alloc : !square
    %w = tile.alloc : !square
    %us_ = tile.alloc : !square
    %gs = tile.alloc : !srow
    %new = tile.alloc : !wide
    %scaled = tile.alloc : !square
    tile.fill %state, 0.0
    tile.pipelined %c = 0 to %chunks {
      tile.copy %k[%n, %c * 64, 0], %ks
      tile.copy %ws[%n, %c * 64, 0], %w
      tile.copy %us[%n, %c * 64, 0], %us_
      tile.copy %sums[%n, %c * 64], %gs
      tile.copy %state, %half
      tile.copy %half, %states[%n, %c, 0, 0]
      tile.gemm %w, %half, %new {clear}
      %last = affine.min affine_map<(c)[t] -> (t - c * 64 - 1, 63)>(%c)[%t]
      tile.parallel (%i, %j) in (64, 64) do {
        %new[%i, %j] = f32(%us_[%i, %j]) - %new[%i, %j]
        %scaled[%i, %j] = f16(%new[%i, %j] * exp(%gs[%last] - %gs[%i]))
      }
      tile.copy %new, %us[%n, %c * 64, 0]
      tile.parallel (%i, %j) in (64, 64) do %state[%i, %j] = %state[%i, %j] * exp(%gs[%last])
      tile.gemm %ks, %scaled, %state {transpose_a}
    }
  }

  tile.kernel (%c, %n) in (%chunks, %h) {
    %qs = tile.alloc : !square
    %ks = tile.alloc : !square
    %u = tile.alloc : !square
    %s = tile.alloc : !square
    %gs = tile.alloc : !srow
    %p = tile.alloc : !square
    %scores = tile.alloc : !wide
    %out = tile.alloc : !wide
    tile.copy %q[%n, %c * 64, 0], %qs
    tile.copy %k[%n, %c * 64, 0], %ks
    tile.copy %us[%n, %c * 64, 0], %u
    tile.copy %states[%n, %c, 0, 0], %s
    tile.copy %sums[%n, %c * 64], %gs
    tile.gemm %qs, %s, %out {clear}
    tile.gemm %qs, %ks, %scores {clear, transpose_b}
    tile.parallel (%i, %j) in (64, 64) do {
      %out[%i, %j] = %out[%i, %j] * exp(%gs[%i])
      %p[%i, %j] = f16(%scores[%i, %j] * exp(select(%i >= %j, %gs[%i] - %gs[%j], -inf)))
    }
    tile.gemm %p, %u, %out
    tile.copy %out, %o[%n, %c * 64, 0]
  }
  return
}
