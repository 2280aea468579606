"""More programs of TileLang whose traces are the tests here: loops that load tiles for their next iteration.

usage: python loop_kernels.py FOLDER, which writes those of kernels.py, too
"""
import tilelang.language as T
from kernels import save


@T.prim_func
def rotated(A: T.Tensor((64, 128), "float16"), B: T.Tensor((128, 64), "float16"), C: T.Tensor((4, 64, 64), "float32")):
    """A loop with a product behind its loads, one whose loads would pass the product, one that loads too seldom, and one in two parts."""
    with T.Kernel(1, threads=128) as b:
        x = T.alloc_shared((64, 32), "float16")
        y = T.alloc_shared((32, 64), "float16")
        z = T.alloc_shared((32, 64), "float16")
        c = T.alloc_fragment((64, 64), "float32")
        d = T.alloc_fragment((64, 64), "float32")
        T.clear(c)
        T.copy(B[0:32, 0:64], y)
        T.copy(A[0:64, 0:32], x)
        for k in T.serial(4):
            T.gemm(x, y, c)
            if k < 3:
                T.copy(A[0:64, k * 32 + 32:k * 32 + 64], x)
                T.copy(B[k * 32 + 32:k * 32 + 64, 0:64], y)
        T.copy(c, C[0, 0:64, 0:64])
        T.clear(c)
        T.copy(A[0:64, 0:32], x)
        T.copy(B[0:32, 0:64], y)
        for k in T.serial(4):
            if k < 3:
                T.copy(A[0:64, k * 32 + 32:k * 32 + 64], x)
            T.gemm(x, y, c)
        T.copy(c, C[1, 0:64, 0:64])
        T.clear(c)
        T.copy(A[0:64, 0:32], x)
        for k in T.serial(4):
            T.gemm(x, y, c)
            if k < 2:
                T.copy(A[0:64, k * 32 + 32:k * 32 + 64], x)
        T.copy(c, C[2, 0:64, 0:64])
        T.clear(c)
        T.copy(A[0:64, 0:32], x)
        T.copy(B[0:32, 0:64], z)
        T.gemm(x, z, d, clear_accum=True)
        for k in T.serial(4):
            for i, j in T.Parallel(64, 64):
                c[i, j] = c[i, j] + T.max(d[i, j], 0.0)
            if 3 > k:
                T.copy(A[0:64, k * 32 + 32:k * 32 + 64], x)
            for i, j in T.Parallel(64, 64):
                c[i, j] = c[i, j] * 0.5
            if k + 1 != 4:
                T.copy(B[k * 32 + 32:k * 32 + 64, 0:64], z)
                T.gemm(x, z, d, clear_accum=True)
        T.copy(c, C[3, 0:64, 0:64])


@T.prim_func
def same_tiles(A: T.Tensor((64, 64), "float16"), B: T.Tensor((2, 64, 64), "float16"), C: T.Tensor((3, 64, 64), "float32")):
    """Three operands in registers: two are the same, and of the third the source is another one by then."""
    with T.Kernel(1, threads=128) as b:
        s = T.alloc_shared((64, 64), "float16")
        y = T.alloc_shared((64, 64), "float16")
        p = T.alloc_fragment((64, 64), "float16")
        q = T.alloc_fragment((64, 64), "float16")
        r = T.alloc_fragment((64, 64), "float16")
        c = T.alloc_fragment((64, 64), "float32")
        T.copy(A, s)
        T.copy(s, p)
        T.copy(B[0, 0:64, 0:64], y)
        T.copy(s, q)
        T.copy(B[1, 0:64, 0:64], s)
        T.copy(s, r)
        T.gemm(p, y, c, clear_accum=True)
        T.copy(c, C[0, 0:64, 0:64])
        T.gemm(q, y, c)
        T.copy(c, C[1, 0:64, 0:64])
        T.gemm(r, y, c)
        T.copy(c, C[2, 0:64, 0:64])


save(rotated, "rotated")
save(same_tiles, "same_tiles")
