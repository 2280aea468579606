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


@T.prim_func
def decided(X: T.Tensor((64,), "int32"), D: T.Tensor((64,), "int32"), Y: T.Tensor((64,), "int32"), Z: T.Tensor((64,), "int32")):
    """What `and` and `or` must not compute: elements that another thread exchanges or that are not there, quotients of 0."""
    with T.Kernel(1, threads=64) as b:
        v = T.alloc_shared((64,), "int32")
        T.copy(X, v)
        for s in T.serial(6):
            for t in T.serial(s + 1):
                for i in T.Parallel(64):
                    up = (i & (1 << (s + 1))) == 0
                    j = i ^ (1 << (s - t))
                    if i < j and ((up and v[i] > v[j]) or (not up and v[i] < v[j])):
                        low = v[j]
                        v[j] = v[i]
                        v[i] = low
        T.copy(v, Y)
        for i in T.Parallel(64):
            Z[i] = 0
            if i == 0 or v[i - 1] != v[i]:
                Z[i] = 1
            if D[i] != 0 and X[i] // D[i] > 2:
                Z[i] += 2
            if i >= 8 and i < 56:
                Z[i] += 4


save(decided, "decided")


@T.prim_func
def drawn(W: T.Tensor((3, 16), "uint32"), U: T.Tensor((3, 8), "float32")):
    """Random numbers of a block with one thread, in order, where some iterations draw none."""
    with T.Kernel(3, threads=1) as b:
        T.rng_init(1234567, b, 5)
        for i in T.Parallel(16):
            if i % 3 != 1:
                W[b, i] = T.rng_rand()
        for i in T.serial(8):
            U[b, i] = T.rng_rand_float()


save(drawn, "drawn")


@T.prim_func
def drawn_together(W: T.Tensor((64,), "uint32"), U: T.Tensor((64,), "float32")):
    """Random numbers that are refused: of several threads, of another generator, with a normal distribution."""
    with T.Kernel(1, threads=64) as b:
        T.rng_init(1234567, 0, 0)
        for i in T.Parallel(64):
            W[i] = T.rng_rand()
    with T.Kernel(1, threads=1) as b:
        T.rng_init(1234567, 0, 0, "curandStateXORWOW_t")
        T.rng_init(1234567, 0, 0)
        for i in T.serial(64):
            U[i] = T.rng_rand_float(dist="normal")


save(drawn_together, "drawn_together")


@T.prim_func
def drawn_apart(V: T.Tensor((6, 7), "uint32"), W: T.Tensor((6, 7), "uint32"), U: T.Tensor((2,), "float32"), X: T.Tensor((20,), "uint32")):
    """Iterations that draw two numbers each, whose places they know; behind it some that draw one or none."""
    with T.Kernel(2, threads=1) as b:
        T.rng_init(987654321, b, 3)
        for i, j in T.Parallel(3, 7):
            row = b * 3 + i
            if row < 6 and 2 * j - row > -6:
                V[row, j] = T.rng_rand()
                W[row, j] = T.rng_rand()
        U[b] = T.rng_rand_float()
        for i in T.Parallel(16):
            if b * 16 + i < 20:
                X[b * 16 + i] = T.rng_rand()


save(drawn_apart, "drawn_apart")


@T.prim_func
def defined_between(X: T.Tensor((64, 8), "float16"), Y: T.Tensor((64, 4), "float16")):
    """What a thread keeps stays its own where the block defines a number before it goes on."""
    with T.Kernel(2, threads=32) as b:
        tx = T.get_thread_binding(0)
        own = T.alloc_local((8,), "float16")
        T.copy(X[b * 32 + tx, 0], own)
        odd = b % 2
        for j in T.serial(4):
            Y[b * 32 + tx, j] = own[2 * j + odd]


save(defined_between, "defined_between")
