"""More programs of TileLang whose traces are the tests here: loops over parts of tiles.

usage: python part_kernels.py FOLDER, which writes those of kernels.py, too
"""
import tilelang.language as T
from kernels import save


@T.prim_func
def swept(A: T.Tensor((32, 128), "float16"), B: T.Tensor((64, 128), "float16"), C: T.Tensor((32, 64), "float32")):
    """Loops over columns of tiles: of copies, of products of all of them, and of columns that are no neighbours."""
    with T.Kernel(1, threads=128) as b:
        x = T.alloc_shared((32, 128), "float16")
        y = T.alloc_shared((64, 128), "float16")
        c = T.alloc_fragment((32, 64), "float32")
        for j in T.unroll(4):
            T.copy(A[0:32, j * 32:j * 32 + 32], x[0:32, j * 32:j * 32 + 32])
        for j in T.serial(4):
            T.copy(B[0:64, j * 32:j * 32 + 32], y[0:64, j * 32:j * 32 + 32])
        for j in T.unroll(4):
            T.gemm(x[0:32, j * 32:j * 32 + 32], y[0:64, j * 32:j * 32 + 32], c, transpose_B=True, clear_accum=j == 0)
        for j in T.unroll(4):
            T.gemm(x[0:32, j * 32:j * 32 + 32], y[0:64, 96 - j * 32:128 - j * 32], c, transpose_B=True)
        T.copy(c, C)


save(swept, "swept")
