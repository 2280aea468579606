"""More programs of TileLang whose traces are the tests here: what threads keep.

usage: python thread_kernels.py FOLDER, which writes those of kernels.py, too
"""
import tilelang.language as T
from kernels import save


@T.prim_func
def owned(X: T.Tensor((2, 128), "int32"), Y: T.Tensor((2, 128), "int32")):
    """A fragment with what each thread has read, which lives on over a barrier."""
    with T.Kernel(1, threads=128) as b:
        tx = T.get_thread_binding(0)
        mine = T.alloc_fragment((2,), "int32")
        row = T.alloc_shared((128,), "int32")
        for r in T.serial(2):
            mine[r] = X[r, tx]
        row[tx] = mine[0]
        T.sync_threads()
        for r in T.serial(2):
            Y[r, tx] = row[127 - tx] - mine[r]


save(owned, "owned")
