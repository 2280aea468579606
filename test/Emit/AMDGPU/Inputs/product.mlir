// Products of tiles of A and of rows of B, over as many steps of 32 as the launch asks for.
func.func @product(%a: memref<128x96xf16>, %b: memref<64x96xf16>, %c: memref<128x64xf32>, %steps: index) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%y) in (2) threads(256) {
    %as = tile.alloc : memref<64x32xf16, #tile.shared>
    %bs = tile.alloc : memref<64x32xf16, #tile.shared>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<64x64xf32, #tile.fragment>
    tile.pipelined %k = 0 to %steps stages(2) {
      tile.copy %a[%y * 64, %k * 32], %as : memref<128x96xf16>, memref<64x32xf16, #tile.shared>
      tile.copy %b[0, %k * 32], %bs : memref<64x96xf16>, memref<64x32xf16, #tile.shared>
      tile.gemm %as, %bs, %acc {transpose_b} : memref<64x32xf16, #tile.shared>, memref<64x32xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
    }
    tile.copy %acc, %c[%y * 64, 0] : memref<64x64xf32, #tile.fragment>, memref<128x64xf32>
  }
  return
}
