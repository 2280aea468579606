"""More programs of TileLang whose traces are the tests here: extents that are computed.

usage: python extent_kernels.py FOLDER, which writes those of kernels.py, too
"""
import tilelang.language as T
from kernels import save

n, m = T.dynamic("n"), T.dynamic("m")


@T.prim_func
def solved(O: T.Tensor((n + 1,), "int32"), X: T.Tensor((10, m * 2), "float32"), Y: T.Tensor((n, 8), "float32")):
    """Sums of rows between offsets: each variable is in one extent, which is not its own."""
    with T.Kernel(n, threads=32) as b:
        for j in T.Parallel(8):
            if j < m:
                Y[b, j] = 0
                for r in T.serial(O[b + 1] - O[b]):
                    Y[b, j] += X[O[b] + r, j] - X[O[b] + r, j + m]


@T.prim_func
def joined(I: T.Tensor((n, 3), "int32"), J: T.Tensor((n, 3), "int32"), X: T.Tensor((n, 24), "float32"), Y: T.Tensor((n * 2, 12), "float32")):
    """Memory of dynamic extents whose dimensions are joined, and divided; an element that is not there is 0."""
    with T.Kernel(T.ceildiv(n * 3, 32), threads=32) as b:
        i = T.reshape(I, (n * 3,))
        j = T.reshape(J, (n * 3,))
        t = T.get_thread_binding()
        if b * 32 + t < n * 3:
            j[b * 32 + t] = i[b * 32 + t + 1] * 2
    with T.Kernel(n, threads=32) as b:
        x = T.reshape(X, (n, 2, 12))
        y = T.reshape(Y, (n, 2, 12))
        s = T.alloc_shared((2, 12), "float32")
        T.copy(x[b, 0:2, 0:12], s)
        for k, l in T.Parallel(2, 12):
            y[b, k, l] = s[1 - k, l] * 2


save(solved, "solved")
save(joined, "joined")
