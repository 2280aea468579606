func.func @warps(%a: memref<16x16xf16> {tile.init = "ones"}, %e: memref<16x2xi16> {tile.init = "zeros"}, %b: memref<32x8xf16> {tile.init = "ones"},
                 %c: memref<16x8xf32> {tile.result}) {
  tile.kernel (%k) in (1) threads(32) {
    %as = tile.alloc : memref<16x16xf16, #tile.shared>
    %es = tile.alloc : memref<16x2xi16, #tile.shared>
    %bs = tile.alloc : memref<32x8xf16, #tile.shared>
    %cf = tile.alloc : memref<16x8xf32, #tile.fragment>
    tile.copy %a, %as
    tile.copy %e, %es
    tile.copy %b, %bs
    tile.sparse_gemm %as by %es, %bs, %cf {clear}
    tile.copy %cf, %c
  }
  return
}

func.func @warpgroups(%a: memref<64x16xf16> {tile.init = "ones"}, %e: memref<64x2xi16> {tile.init = "zeros"},
                      %b: memref<32x16xf16> {tile.init = "ones"}, %c: memref<64x16xf32> {tile.result}) {
  tile.kernel (%k) in (1) threads(128) {
    %as = tile.alloc : memref<64x16xf16, #tile.shared>
    %es = tile.alloc : memref<64x2xi16, #tile.shared>
    %bs = tile.alloc : memref<32x16xf16, #tile.shared>
    %cf = tile.alloc : memref<64x16xf32, #tile.fragment>
    tile.copy %a, %as
    tile.copy %e, %es
    tile.copy %b, %bs
    tile.sparse_gemm %as by %es, %bs, %cf {clear}
    tile.copy %cf, %c
  }
  return
}
