// As gemm.mlir, where one core does several tiles: its share of a large product. 4096³ has 512 tiles of 128x256, 22 for the
// busiest of 24 cores.
//
//   tile-run --target=ascend --time --check=none benchmarks/ascend/gemm_persistent.mlir M=1408 N=512 K=4096

!matrix = memref<?x?xf16>
tile.param @rows = 128 in [64, 128, 256]
tile.param @columns = 256 in [64, 128, 256]
tile.param @depth = 128 in [32, 64, 128, 256]
tile.param @stages = 2 in [1, 2, 3, 4]

func.func @gemm_persistent(%a: !matrix {tile.shape = "MxK"}, %b: !matrix {tile.shape = "KxN"},
                           %c: !matrix {tile.shape = "MxN", tile.result}) {
  tile.kernel (%core) in (1) {
    %as = tile.alloc(@rows, @depth) : memref<?x?xf16, #tile.shared>
    %bs = tile.alloc(@depth, @columns) : memref<?x?xf16, #tile.shared>
    %acc = tile.alloc(@rows, @columns) : memref<?x?xf32, #tile.fragment>
    tile.persistent (%bx, %by) in (ceildiv(dim(%b, 1), @columns), ceildiv(dim(%a, 0), @rows)) {
      tile.fill %acc, 0.0
      tile.pipelined %s = 0 to ceildiv(dim(%a, 1), @depth) stages(@stages) {
        tile.copy %a[%by * @rows, %s * @depth], %as
        tile.copy %b[%s * @depth, %bx * @columns], %bs
        tile.gemm %as, %bs, %acc
      }
      tile.copy %acc, %c[%by * @rows, %bx * @columns]
    }
  }
  return
}
