!x = memref<?x64xf16>
func.func @linear_attention_normalize(%q: !x {tile.shape="Sx64"}, %k: !x {tile.shape="Sx64"}, %v: !x {tile.shape="Sx64"}, %o: !x {tile.shape="Sx64"}) {
  %c1 = arith.constant 1 : index
  tile.kernel (%z) in (%c1) {
    %qs = tile.alloc : memref<64x64xf16, #tile.shared>
    %ks = tile.alloc : memref<64x64xf16, #tile.shared>
    %vs = tile.alloc : memref<64x64xf16, #tile.shared>
    %h = tile.alloc : memref<64x64xf16, #tile.shared>
    %state = tile.alloc : memref<64x64xf32, #tile.fragment>
    %ksum = tile.alloc : memref<64xf32, #tile.fragment>
    %kp = tile.alloc : memref<64x64xf32, #tile.fragment>
    %qk = tile.alloc : memref<64x64xf32, #tile.fragment>
    %p = tile.alloc : memref<64x64xf16, #tile.fragment>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    %n = tile.alloc : memref<64xf32, #tile.fragment>
    tile.fill %state, 0.0
    tile.fill %ksum, 0.0
    tile.pipelined %t = 0 to ceildiv(dim(%q, 0), 64) {
      tile.copy %q[%t * 64, 0], %qs
      tile.copy %k[%t * 64, 0], %ks
      tile.copy %v[%t * 64, 0], %vs
      tile.copy %state, %h
      tile.gemm %qs, %h, %acc {clear}
      tile.gemm %qs, %ks, %qk {clear, transpose_b}
      tile.parallel (%i, %j) in (64, 64) do {
        %qk[%i, %j] = select(%i >= %j, %qk[%i, %j], 0.0)
        %p[%i, %j] = f16(%qk[%i, %j])
        %kp[%i, %j] = f32(%qs[%i, %j]) * %ksum[%j]
      }
      tile.gemm %p, %vs, %acc
      tile.reduce sum %qk, %n dim(1)
      tile.reduce sum %kp, %n dim(1) {combine}
      tile.parallel (%i, %j) in (64, 64) do %acc[%i, %j] = %acc[%i, %j] / (%n[%i] + 1.0e-6)
      tile.copy %acc, %o[%t * 64, 0]
      tile.gemm %ks, %vs, %state {transpose_a}
      tile.parallel (%i, %j) in (64, 64) do %kp[%i, %j] = f32(%ks[%i, %j])
      tile.reduce sum %kp, %ksum dim(0) {combine}
    }
  }
  return
}
