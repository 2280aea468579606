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


@T.prim_func
def butterflies(X: T.Tensor((64, 2), "float32"), Y: T.Tensor((64, 2), "float32"), Z: T.Tensor((2, 64), "float32")):
    """A Hadamard transform of warps by TVM's own shuffles; who the partner is stands in front of the loop around them."""
    with T.Kernel(1, threads=64) as b:
        tx = T.get_thread_binding(0)
        own = T.alloc_local((2,), "float32")
        other = T.alloc_local((2,), "float32")
        for j in T.serial(2):
            own[j] = X[tx, j]
        Z[0, tx] = T.tvm_warp_shuffle_up(0xFFFFFFFF, X[tx, 0], 3, 16, 32)
        Z[1, tx] = T.tvm_warp_shuffle_down(0xFFFFFFFF, X[tx, 0], 7, 32, 32)
        for i in T.serial(5):
            partner = tx ^ (1 << i)
            sign = (tx >> i) & 1
            for j in T.serial(2):
                other[j] = T.tvm_warp_shuffle(0xFFFFFFFF, own[j], partner % 32, 32, 32)
                own[j] = T.if_then_else(sign == 0, own[j] + other[j], other[j] - own[j])
        for j in T.serial(2):
            Y[tx, j] = own[j]


save(butterflies, "butterflies")


@T.prim_func
def contributed(X: T.Tensor((64,), "float32"), Y: T.Tensor((64,), "float32")):
    """A reduction over warps of what each thread keeps, right behind where it was written."""
    with T.Kernel(1, threads=64) as b:
        tx = T.get_thread_binding(0)
        mine = T.alloc_local((1,), "float32")
        total = T.alloc_local((1,), "float32")
        mine[0] = X[tx]
        total[0] = T.warp_reduce_sum(mine[0])
        Y[tx] = total[0]


save(contributed, "contributed")
