// C = A · B of f16 with sums in f32, for the account of time of an NPU: one tile of C is what a core of a large product
// does again and again.
//
//   tile-run --target=ascend --time --check=none benchmarks/ascend/gemm.mlir M=128 N=256 K=4096

!matrix = memref<?x?xf16>
tile.param @rows = 128 in [64, 128, 256]
tile.param @columns = 256 in [64, 128, 256]
tile.param @depth = 128 in [32, 64, 128, 160, 256]
tile.param @stages = 2 in [1, 2, 3, 4]

func.func @gemm(%a: !matrix {tile.shape = "MxK"}, %b: !matrix {tile.shape = "KxN"},
                %c: !matrix {tile.shape = "MxN", tile.result}) {
  tile.kernel (%bx, %by) in (ceildiv(dim(%b, 1), @columns), ceildiv(dim(%a, 0), @rows)) {
    %as = tile.alloc(@rows, @depth) : memref<?x?xf16, #tile.shared>
    %bs = tile.alloc(@depth, @columns) : memref<?x?xf16, #tile.shared>
    %acc = tile.alloc(@rows, @columns) : memref<?x?xf32, #tile.fragment>
    tile.fill %acc, 0.0
    tile.pipelined %s = 0 to ceildiv(dim(%a, 1), @depth) stages(@stages) {
      tile.copy %a[%by * @rows, %s * @depth], %as
      tile.copy %b[%s * @depth, %bx * @columns], %bs
      tile.gemm %as, %bs, %acc
    }
    tile.copy %acc, %c[%by * @rows, %bx * @columns]
  }
  return
}
