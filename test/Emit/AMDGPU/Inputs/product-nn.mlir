// A tile of B as K x N, an accumulator that is not square, four waves of which two share columns.
func.func @product(%a: memref<64x64xbf16>, %b: memref<64x128xbf16>, %c: memref<64x128xf32>) {
  tile.kernel (%x) in (1) threads(256) {
    %as = tile.alloc : memref<64x64xbf16, #tile.shared>
    %bs = tile.alloc : memref<64x128xbf16, #tile.shared>
    %acc = tile.alloc : memref<64x128xf32, #tile.fragment>
    tile.copy %a, %as : memref<64x64xbf16>, memref<64x64xbf16, #tile.shared>
    tile.copy %b, %bs : memref<64x128xbf16>, memref<64x128xbf16, #tile.shared>
    tile.gemm %as, %bs, %acc {clear} : memref<64x64xbf16, #tile.shared>, memref<64x128xbf16, #tile.shared>, memref<64x128xf32, #tile.fragment>
    tile.copy %acc, %c : memref<64x128xf32, #tile.fragment>, memref<64x128xf32>
  }
  return
}
