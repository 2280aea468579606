"""More programs of TileLang whose traces are the tests here: loops and iterations that are left, indices from the end.

usage: python exit_kernels.py FOLDER, which writes those of kernels.py, too
"""
import tilelang.language as T
from kernels import save


@T.prim_func
def exits(X: T.Tensor((40, 30), "int32"), M: T.Tensor((4,), "int32"), Y: T.Tensor((3, 40), "int32"), Z: T.Tensor((40, 30), "int32"),
          S: T.Tensor((32,), "int32")):
    """Continue and break of threads, at the end of branches and within them, of a while, of a T.Parallel, and of the block."""
    with T.Kernel(2, threads=32) as b:
        t = T.get_thread_binding()
        if b * 32 + t < 40:
            plain = T.alloc_var("int32", init=0)
            deep = T.alloc_var("int32", init=0)
            for j in T.serial(30):
                v = X[b * 32 + t, j]
                if v < 0:
                    plain -= 1
                    continue
                if v > 9:
                    break
                plain += v
            for j in T.serial(30):
                v = X[b * 32 + t, j]
                if v < 3:
                    deep += 1
                    if v < -2:
                        continue
                    deep += 100
                else:
                    if v > 10:
                        break
                deep += v
            Y[0, b * 32 + t] = plain
            Y[1, b * 32 + t] = deep
            for r in T.serial(3):
                i = T.alloc_var("int32", init=0)
                s = T.alloc_var("int32", init=0)
                while i < 30:
                    i += 1
                    if X[b * 32 + t, i - 1] % 3 == r:
                        continue
                    s += X[b * 32 + t, i - 1]
                    if s > 30:
                        break
                Y[2, b * 32 + t] = Y[2, b * 32 + t] * 10 + i
                if s % 4 == 0:
                    break
    with T.Kernel(1, threads=32) as b:
        x = T.alloc_shared((32,), "int32")
        s = T.alloc_fragment((32,), "int32")
        T.clear(s)
        for i, j in T.Parallel(40, 30):
            if X[i, j] < 0:
                Z[i, j] = -1
                continue
            if j % 5 == 0:
                continue
            Z[i, j] = X[i, j] * 2
        for k in T.Pipelined(4, num_stages=2):
            if M[k] == 0:
                continue
            T.copy(X[k, 0:30], x[0:30])
            for i in T.Parallel(32):
                s[i] += T.if_then_else(i < 30, x[i], k)
        T.copy(s, S)


N = T.dynamic("n")


@T.prim_func
def from_end(X: T.Tensor((N, 32), "float32"), Y: T.Tensor((2, 33), "float32")):
    """The last rows and elements, of memory and of a tile; before the first one is what is not there."""
    with T.Kernel(1, threads=32) as b:
        x = T.alloc_shared((32,), "float32")
        T.copy(X[-1, 0:32], x)
        for i in T.Parallel(32):
            Y[-1, -i - 1] = x[i] + x[-2] + X[-3, i]
        for i in T.Parallel(33):
            Y[0, i] = X[0, i - 1]


save(exits, "exits")
save(from_end, "from_end")
