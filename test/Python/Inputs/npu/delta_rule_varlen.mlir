!x = memref<?x?x64xf32>
!g = memref<?x?xf32>
func.func @delta_rule_varlen(%q: !x {tile.shape="TxHx64"}, %k: !x {tile.shape="TxHx64"}, %v: !x {tile.shape="TxHx64"}, %a: !g {tile.shape="TxH"}, %b: !g {tile.shape="TxH"},
   %al: memref<?xf32> {tile.shape="H"}, %dt: memref<?xf32> {tile.shape="H"}, %seqs: memref<?xi32> {tile.shape="M"}, %idx: memref<?xi32> {tile.shape="N"}, %st: memref<?x?x64x64xf32> {tile.shape="PxHx64x64"}, %o: !x {tile.shape="TxHx64"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%h, %n) in (dim(%q, 1), dim(%idx, 0)) {
    %state = tile.alloc : memref<64x64xf32, #tile.fragment>
    %part = tile.alloc : memref<64x64xf32, #tile.fragment>
    %qs = tile.alloc : memref<64xf32, #tile.fragment>
    %ks = tile.alloc : memref<64xf32, #tile.fragment>
    %vs = tile.alloc : memref<64xf32, #tile.fragment>
    %u = tile.alloc : memref<64xf32, #tile.fragment>
    %next = affine.apply affine_map<(n) -> (n + 1)>(%n)
    %f = memref.load %seqs[%n] : memref<?xi32>
    %e = memref.load %seqs[%next] : memref<?xi32>
    %p = memref.load %idx[%n] : memref<?xi32>
    %from = arith.index_cast %f : i32 to index
    %to = arith.index_cast %e : i32 to index
    %pi = arith.index_cast %p : i32 to index
    %place = arith.maxsi %pi, %c0 : index
    %begin = arith.maxsi %from, %c0 : index
    tile.copy %st[%place, %h, 0, 0], %state
    scf.for %t = %begin to %to step %c1 {
      tile.copy %q[%t, %h, 0], %qs
      tile.copy %k[%t, %h, 0], %ks
      tile.copy %v[%t, %h, 0], %vs
      tile.parallel (%i, %j) in (64, 64) do {
        %gate = exp(-exp(%al[%h]) * log1p(exp(%a[%t, %h] + %dt[%h])))
        %state[%i, %j] = %state[%i, %j] * %gate
        %part[%i, %j] = %state[%i, %j] * %ks[%i]
      }
      tile.reduce sum %part, %u dim(0)
      tile.parallel (%j) in (64) do %u[%j] = (%vs[%j] - %u[%j]) / (1.0 + exp(-%b[%t, %h]))
      tile.parallel (%i, %j) in (64, 64) do {
        %state[%i, %j] = %state[%i, %j] + %ks[%i] * %u[%j]
        %part[%i, %j] = %state[%i, %j] * %qs[%i]
      }
      tile.reduce sum %part, %u dim(0)
      tile.copy %u, %o[%t, %h, 0]
    }
    tile.copy %state, %st[%place, %h, 0, 0]
  }
  return
}
