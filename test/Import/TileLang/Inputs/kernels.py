"""Programs of TileLang whose traces are the tests here.

usage: python kernels.py FOLDER

Writes NAME.json.gz for each, as tvm.ir.save_json of tilelang 0.1.15 has it. It needs neither a GPU nor torch beyond its name.
"""
import gzip
import os
import sys

import tilelang
import tilelang.language as T
import tvm


def save(function, name):
    text = tvm.ir.save_json(function.with_attr("global_symbol", name)).replace("\\/", "/")
    text = text.replace(os.path.dirname(os.path.abspath(__file__)) + "/", "")
    text = text.replace(os.path.dirname(tilelang.__file__), "tilelang")
    with open(f"{sys.argv[1]}/{name}.json.gz", "wb") as file:
        file.write(gzip.compress(text.encode(), 9, mtime=0))


@T.prim_func
def gemm_relu(A: T.Tensor((100, 96), "float16"), B: T.Tensor((72, 96), "float16"), C: T.Tensor((100, 72), "float16")):
    with T.Kernel(T.ceildiv(72, 32), T.ceildiv(100, 64), threads=128) as (bx, by):
        A_shared = T.alloc_shared((64, 32), "float16")
        B_shared = T.alloc_shared((32, 32), "float16")
        C_local = T.alloc_fragment((64, 32), "float32")
        T.use_swizzle(4)
        T.clear(C_local)
        for k in T.Pipelined(3, num_stages=2):
            T.copy(A[by * 64, k * 32], A_shared)
            T.copy(B[bx * 32, k * 32], B_shared)
            T.gemm(A_shared, B_shared, C_local, transpose_B=True)
        for i, j in T.Parallel(64, 32):
            C_local[i, j] = T.max(C_local[i, j], 0)
        T.copy(C_local, C[by * 64, bx * 32])
save(gemm_relu, "gemm_relu")

def softmax():
    M, N = T.dynamic("M"), 200
    @T.prim_func
    def softmax(X: T.Tensor((M, N), "float32"), Y: T.Tensor((M, N), "float32")):
        with T.Kernel(M, threads=64) as b:
            x = T.alloc_fragment((1, N), "float32")
            top = T.alloc_fragment((1,), "float32")
            total = T.alloc_fragment((1,), "float32")
            T.copy(X[b, 0], x)
            T.reduce_max(x, top, dim=1)
            for i, j in T.Parallel(1, N):
                x[i, j] = T.exp2((x[i, j] - top[i]) * 1.44269504)
            T.reduce_sum(x, total, dim=1)
            for i, j in T.Parallel(1, N):
                x[i, j] = x[i, j] / total[i]
            T.copy(x, Y[b, 0])
    return softmax
save(softmax(), "softmax")

@T.prim_func
def attention(Q: T.Tensor((2, 128, 64), "float16"), K: T.Tensor((2, 128, 64), "float16"), V: T.Tensor((2, 128, 64), "float16"), O: T.Tensor((2, 128, 64), "float16")):
    with T.Kernel(2, 2, threads=128) as (bx, by):
        q = T.alloc_shared((64, 64), "float16"); k = T.alloc_shared((32, 64), "float16"); v = T.alloc_shared((32, 64), "float16")
        s = T.alloc_fragment((64, 32), "float32"); p = T.alloc_fragment((64, 32), "float16"); o = T.alloc_fragment((64, 64), "float32")
        m = T.alloc_fragment((64,), "float32"); m_old = T.alloc_fragment((64,), "float32"); scale = T.alloc_fragment((64,), "float32")
        part = T.alloc_fragment((64,), "float32"); l = T.alloc_fragment((64,), "float32")
        T.copy(Q[by, bx * 64, 0], q)
        T.fill(o, 0); T.fill(l, 0); T.fill(m, -T.infinity("float32"))
        for t in T.Pipelined(T.ceildiv((bx + 1) * 64, 32), num_stages=2):
            T.copy(K[by, t * 32, 0], k)
            for i, j in T.Parallel(64, 32):
                s[i, j] = T.if_then_else(bx * 64 + i >= t * 32 + j, 0, -T.infinity("float32"))
            T.gemm(q, k, s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
            T.copy(m, m_old)
            T.reduce_max(s, m, dim=1, clear=False)
            for i in T.Parallel(64):
                scale[i] = T.exp2((m_old[i] - m[i]) * 0.18033688)
            for i, j in T.Parallel(64, 32):
                s[i, j] = T.exp2((s[i, j] - m[i]) * 0.18033688)
            T.reduce_sum(s, part, dim=1)
            for i in T.Parallel(64):
                l[i] = l[i] * scale[i] + part[i]
            for i, j in T.Parallel(64, 64):
                o[i, j] *= scale[i]
            T.copy(s, p)
            T.copy(V[by, t * 32, 0], v)
            T.gemm(p, v, o, policy=T.GemmWarpPolicy.FullRow)
        for i, j in T.Parallel(64, 64):
            o[i, j] /= l[i]
        T.copy(o, O[by, bx * 64, 0])
save(attention, "attention")

@T.prim_func
def histogram(X: T.Tensor((1000,), "uint8"), H: T.Tensor((16,), "int32")):
    with T.Kernel(T.ceildiv(1000, 256), threads=128) as b:
        bins = T.alloc_shared((16,), "int32")
        T.clear(bins)
        for i in T.Parallel(256):
            if b * 256 + i < 1000:
                T.atomic_add(bins[X[b * 256 + i] % 16], 1)
        for i in T.Parallel(16):
            T.atomic_add(H[i], bins[i])
save(histogram, "histogram")

@T.prim_func
def gemv(A: T.Tensor((64, 300), "float16"), x: T.Tensor((300,), "float16"), y: T.Tensor((64,), "float32")):
    """By the numbers of threads, with a sum over those of one row."""
    with T.Kernel(8, threads=(16, 8)) as b:
        tk = T.get_thread_binding(0)
        tn = T.get_thread_binding(1)
        total = T.alloc_local((1,), "float32")
        result = T.alloc_local((1,), "float32")
        T.clear(total)
        for k in T.serial(19):
            if k * 16 + tk < 300:
                total[0] += T.cast(A[b * 8 + tn, k * 16 + tk], "float32") * T.cast(x[k * 16 + tk], "float32")
        with T.attr(T.comm_reducer(lambda a, c: a + c, [T.cast(0, "float32")]), "reduce_scope", T.reinterpret(T.uint64(0), dtype="handle")):
            T.evaluate(T.tvm_thread_allreduce(T.uint32(1), total[0], True, result[0], tk, dtype="handle"))
        y[b * 8 + tn] = result[0]
save(gemv, "gemv")

@T.prim_func
def reverse(X: T.Tensor((4, 64), "int32"), Y: T.Tensor((4, 64), "int32")):
    """What a thread writes to shared memory another one reads."""
    with T.Kernel(4, threads=64) as b:
        tx = T.get_thread_binding(0)
        keep = T.alloc_local((1,), "int32")
        row = T.alloc_shared((64,), "int32")
        row[tx] = X[b, tx]
        keep[0] = X[b, tx] * 10
        T.sync_threads()
        Y[b, tx] = row[63 - tx] + keep[0]
save(reverse, "reverse")

@T.prim_func
def dequantize(W: T.Tensor((32, 64), "uint8"), S: T.Tensor((32,), "float32"), Y: T.Tensor((32, 128), "float16")):
    with T.Kernel(2, threads=128) as b:
        w = T.alloc_shared((16, 64), "uint8")
        y = T.alloc_fragment((16, 128), "float16")
        T.copy(W[b * 16, 0], w)
        for i, j in T.Parallel(16, 128):
            y[i, j] = T.cast(T.cast((w[i, j // 2] >> T.cast((j % 2) * 4, "uint8")) & T.cast(15, "uint8"), "float32") * S[b * 16 + i] - 1.0, "float16")
        T.copy(y, Y[b * 16, 0])
save(dequantize, "dequantize")

@T.prim_func
def reducer(X: T.Tensor((64, 96), "float32"), Y: T.Tensor((64,), "float32")):
    with T.Kernel(2, threads=128) as b:
        x = T.alloc_fragment((32, 96), "float32")
        total = T.alloc_reducer((32,), "float32", op="sum")
        T.copy(X[b * 32, 0], x)
        T.clear(total)
        for i, j in T.Parallel(32, 96):
            total[i] += x[i, j] * x[i, j]
        T.finalize_reducer(total)
        T.copy(total, Y[b * 32])
save(reducer, "reducer")

@T.prim_func
def scan(X: T.Tensor((8, 64), "float32"), Y: T.Tensor((8, 64), "float32")):
    with T.Kernel(1, threads=128) as b:
        x = T.alloc_shared((8, 64), "float32")
        T.copy(X, x)
        T.cumsum(x, dim=1, reverse=True)
        T.copy(x, Y)
save(scan, "scan")

@T.prim_func
def steer(N: T.Tensor((4,), "int32"), X: T.Tensor((4, 128, 16), "float32"), Y: T.Tensor((4, 16), "float32")):
    """A scalar of the block decides how many tiles it takes."""
    with T.Kernel(4, threads=64) as b:
        x = T.alloc_shared((32, 16), "float32")
        part = T.alloc_fragment((16,), "float32")
        total = T.alloc_fragment((16,), "float32")
        at = T.alloc_var("int32")
        at = 0
        T.clear(total)
        while at < N[b]:
            T.copy(X[b, at, 0], x)
            for i, j in T.Parallel(32, 16):
                x[i, j] = T.if_then_else(at + i < N[b], x[i, j], 0)
            T.reduce_sum(x, part, dim=0)
            for j in T.Parallel(16):
                total[j] += part[j]
            at = at + 32
        T.copy(total, Y[b, 0])
save(steer, "steer")

@T.prim_func
def fp8(X: T.Tensor((64, 128), "float32"), Y: T.Tensor((64, 128), "float8_e4m3fn"), S: T.Tensor((64,), "float32")):
    """Scales rows to fp8; what is too large saturates."""
    with T.Kernel(2, threads=128) as b:
        x = T.alloc_fragment((32, 128), "float32")
        top = T.alloc_fragment((32,), "float32")
        T.copy(X[b * 32, 0], x)
        T.reduce_absmax(x, top, dim=1)
        for i in T.Parallel(32):
            S[b * 32 + i] = top[i]
        for i, j in T.Parallel(32, 128):
            Y[b * 32 + i, j] = T.cast(x[i, j] * 300.0, "float8_e4m3fn")
save(fp8, "fp8")

@T.prim_func
def two(X: T.Tensor((256,), "float32"), Z: T.Tensor((256,), "float32"), Y: T.Tensor((256,), "float32")):
    """Two kernels, and vectors of four elements."""
    with T.Kernel(1, threads=64) as b:
        tx = T.get_thread_binding(0)
        for v in T.vectorized(4):
            Z[tx * 4 + v] = X[tx * 4 + v] * 2.0
    with T.Kernel(2, threads=64) as b:
        for i in T.Parallel(128):
            Y[b * 128 + i] = Z[255 - (b * 128 + i)]
save(two, "two")

@T.prim_func
def part(A: T.Tensor((2, 32, 32), "float16"), B: T.Tensor((32, 64), "float16"), C: T.Tensor((2, 32, 64), "float32")):
    """Products of parts of buffers."""
    with T.Kernel(1, threads=128) as b:
        a = T.alloc_shared((2, 32, 32), "float16")
        w = T.alloc_shared((32, 64), "float16")
        c = T.alloc_fragment((32, 64), "float32")
        T.copy(A, a)
        T.copy(B, w)
        for n in T.serial(2):
            T.gemm(a[n, :, :], w, c, clear_accum=True)
            T.copy(c, C[n, 0, 0])
save(part, "part")

@T.prim_func
def partitions(X: T.Tensor((64, 32), "float32"), Y: T.Tensor((64,), "float32"), Z: T.Tensor((64, 32), "float32")):
    """Two groups of warps with work of their own."""
    with T.Kernel(1, threads=128) as b:
        tx = T.get_thread_binding(0)
        x = T.alloc_fragment((64, 32), "float32")
        s = T.alloc_fragment((64,), "float32")
        z = T.alloc_shared((64, 32), "float32")
        if tx < 64:
            T.copy(X, x)
            T.reduce_sum(x, s, dim=1)
            T.copy(s, Y)
        else:
            T.copy(X, z)
            for i, j in T.Parallel(64, 32):
                Z[i, j] = z[i, j] + 1.0
save(partitions, "partitions")

@T.prim_func
def products(A: T.Tensor((4, 64), "float32"), B: T.Tensor((4, 64), "float32"), C: T.Tensor((4, 4), "float32"), D: T.Tensor((4,), "float32")):
    """Reducers that loops around index, and that each iteration has an element of."""
    with T.Kernel(1, threads=128) as b:
        x = T.alloc_fragment((4, 64), "float32")
        y = T.alloc_fragment((4, 64), "float32")
        c = T.alloc_reducer((4, 4), "float32", op="sum")
        d = T.alloc_reducer((4,), "float32", op="max")
        T.copy(A, x)
        T.copy(B, y)
        T.clear(c)
        T.fill(d, -T.infinity("float32"))
        for i, j in T.grid(4, 4):
            for k in T.Parallel(64):
                c[i, j] += x[i, k] * y[j, k]
        for i in T.Parallel(4):
            for k in T.serial(64):
                d[i] = T.max(d[i], x[i, k])
        T.finalize_reducer(c)
        T.finalize_reducer(d)
        T.copy(c, C)
        T.copy(d, D)


save(products, "products")


@T.prim_func
def early(N: T.Tensor((4,), "int32"), X: T.Tensor((4, 10, 16), "float32"), Y: T.Tensor((4, 16), "float32")):
    """A loop that the block leaves early."""
    with T.Kernel(4, threads=64) as b:
        total = T.alloc_fragment((16,), "float32")
        T.clear(total)
        for t in T.serial(10):
            if t >= N[b]:
                T.loop_break()
            for j in T.Parallel(16):
                total[j] += X[b, t, j]
        T.copy(total, Y[b, 0])


save(early, "early")

@T.prim_func
def votes(X: T.Tensor((80,), "int32"), Y: T.Tensor((10, 80), "int32")):
    """What the threads of a warp, the last of which is not full, and of a block tell one another."""
    with T.Kernel(1, threads=80) as b:
        tx = T.get_thread_binding(0)
        some = T.any_sync(X[tx] > 90)
        every = T.all_sync(X[tx] > 1)
        ballot = T.ballot_sync(X[tx] > 50)
        count = T.syncthreads_count(X[tx] > 50)
        Y[0, tx] = some
        Y[1, tx] = every
        Y[2, tx] = T.cast(T.cast(ballot, "uint32"), "int32")
        Y[3, tx] = count
        Y[4, tx] = T.cast(T.match_any_sync(X[tx] % 4), "int32")
        Y[5, tx] = T.syncthreads_and(X[tx] >= 0)
        Y[6, tx] = T.syncthreads_or(X[tx] > 100)
        Y[7, tx] = T.get_lane_idx() + 100 * T.get_warp_idx()
        Y[8, tx] = T.cast(T.shuffle_elect(40), "int32")
        Y[9, tx] = T.cast(T.match_all_sync(T.get_warp_idx()), "int32")


save(votes, "votes")


@T.prim_func
def grid(X: T.Tensor((4, 64), "float32"), Y: T.Tensor((4, 64), "float32"), Z: T.Tensor((4, 64), "float32")):
    """A barrier over the grid: blocks read what others have written."""
    with T.Kernel(4, threads=64) as b:
        x = T.alloc_fragment((64,), "float32")
        z = T.alloc_fragment((64,), "float32")
        other = 3 - b
        T.copy(X[b, 0], x)
        for i in T.Parallel(64):
            Y[b, i] = x[i] * 2.0
        T.sync_grid()
        T.copy(Y[other, 0], z)
        for i in T.Parallel(64):
            Z[b, i] = z[i] + 1.0


save(grid, "grid")


@T.prim_func
def sparse(A: T.Tensor((32, 32), "float16"), E: T.Tensor((32, 4), "int16"), B: T.Tensor((64, 32), "float16"), C: T.Tensor((32, 32), "float32")):
    """A product whose left operand stores two elements of four, transposed and not."""
    with T.Kernel(1, threads=128) as b:
        a = T.alloc_shared((32, 16), "float16")
        e = T.alloc_shared((32, 2), "int16")
        w = T.alloc_shared((32, 32), "float16")
        c = T.alloc_fragment((32, 32), "float32")
        T.clear(c)
        for k in T.Pipelined(2, num_stages=2):
            T.copy(A[0, k * 16], a)
            T.copy(E[0, k * 2], e)
            T.copy(B[k * 32, 0], w)
            T.gemm_sp(a, e, w, c)
        T.copy(c, C)


save(sparse, "sparse")


@T.prim_func
def mixed(A: T.Tensor((32, 32), "float16"), B: T.Tensor((32, 32), "float32"), C: T.Tensor((32, 32), "float32")):
    """A product of operands of two types."""
    with T.Kernel(1, threads=128) as b:
        x = T.alloc_shared((32, 32), "float16")
        y = T.alloc_fragment((32, 32), "float32")
        c = T.alloc_fragment((32, 32), "float32")
        T.copy(A, x)
        T.copy(B, y)
        T.gemm(x, y, c, clear_accum=True)
        T.copy(c, C)


save(mixed, "mixed")


@T.prim_func
def direct(A: T.Tensor((64, 32), "float16"), B: T.Tensor((32, 64), "float16"), C: T.Tensor((64, 64), "float32")):
    """A product in global memory."""
    with T.Kernel(1, threads=128) as b:
        T.gemm(A, B, C, clear_accum=True)


save(direct, "direct")


@T.prim_func
def producer(A: T.Tensor((64, 256), "float16"), B: T.Tensor((256, 64), "float16"), C: T.Tensor((64, 64), "float32")):
    """A producer and a consumer that wait for one another at barriers of two stages."""
    with T.Kernel(1, threads=256) as b:
        tx = T.get_thread_binding(0)
        x = T.alloc_shared((2, 64, 32), "float16")
        y = T.alloc_shared((2, 32, 64), "float16")
        c = T.alloc_fragment((64, 64), "float32")
        full = T.alloc_barrier([128, 128])
        empty = T.alloc_barrier([128, 128])
        if tx < 128:
            T.clear(c)
            for k in T.serial(8):
                T.barrier_wait(full[k % 2], (k // 2) % 2)
                T.gemm(x[k % 2, :, :], y[k % 2, :, :], c)
                T.barrier_arrive(empty[k % 2])
            T.copy(c, C)
        else:
            for k in T.serial(8):
                T.barrier_wait(empty[k % 2], (k // 2 + 1) % 2)
                T.copy(A[:, k * 32:k * 32 + 32], x[k % 2, :, :])
                T.copy(B[k * 32:k * 32 + 32, :], y[k % 2, :, :])
                T.barrier_arrive(full[k % 2])


save(producer, "producer")


@T.prim_func
def exchange(X: T.Tensor((8, 64), "float32"), Y: T.Tensor((64,), "float32"), Z: T.Tensor((64,), "float32")):
    """Two partitions, each of which needs in each iteration what the other has made, and a prologue that runs ahead."""
    with T.Kernel(1, threads=256) as b:
        tx = T.get_thread_binding(0)
        x = T.alloc_shared((64,), "float32")
        left = T.alloc_shared((64,), "float32")
        right = T.alloc_shared((64,), "float32")
        y = T.alloc_fragment((64,), "float32")
        z = T.alloc_fragment((64,), "float32")
        first = T.alloc_barrier(128)
        second = T.alloc_barrier(128)
        loaded = T.alloc_barrier(128)
        if tx < 128:
            T.clear(y)
            for k in T.serial(8):
                T.barrier_wait(loaded, k % 2)
                for i in T.Parallel(64):
                    left[i] = x[i] + y[i]
                T.barrier_arrive(first)
                T.barrier_wait(second, k % 2)
                for i in T.Parallel(64):
                    y[i] = right[i] - 1.0
            T.copy(y, Y)
        else:
            T.clear(z)
            T.copy(X[0, 0], x)
            T.barrier_arrive(loaded)
            for k in T.serial(8):
                T.barrier_wait(first, k % 2)
                for i in T.Parallel(64):
                    right[i] = left[i] * 0.5
                for i in T.Parallel(64):
                    z[i] = z[i] + right[i]
                T.barrier_arrive(second)
                if k < 7:
                    T.copy(X[k + 1, 0], x)
                    T.barrier_arrive(loaded)
            T.copy(z, Z)


save(exchange, "exchange")

# Refused.
@T.prim_func
def foreign(A: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as b:
        tx = T.get_thread_binding(0)
        A[tx] = T.call_extern("float32", "my_function", A[tx])
save(foreign, "foreign")
@T.prim_func
def shuffle(A: T.Tensor((32,), "float32")):
    with T.Kernel(1, threads=32) as b:
        tx = T.get_thread_binding(0)
        A[tx] = T.shfl_xor(A[tx], 1, mask=0xFFFF)
save(shuffle, "shuffle")
@T.prim_func
def grid_tile(X: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as b:
        x = T.alloc_fragment((64,), "float32")
        T.copy(X, x)
        T.sync_grid()
        T.copy(x, X)
save(grid_tile, "grid_tile")
@T.prim_func
def deadlock(X: T.Tensor((64,), "float32"), Y: T.Tensor((64,), "float32")):
    """Each partition waits for the other one first."""
    with T.Kernel(1, threads=256) as b:
        tx = T.get_thread_binding(0)
        x = T.alloc_shared((64,), "float32")
        y = T.alloc_shared((64,), "float32")
        first = T.alloc_barrier(128)
        second = T.alloc_barrier(128)
        if tx < 128:
            T.barrier_wait(second, 0)
            T.copy(X, x)
            T.barrier_arrive(first)
        else:
            T.barrier_wait(first, 0)
            T.copy(Y, y)
            T.barrier_arrive(second)
save(deadlock, "deadlock")
@T.prim_func
def uneven(X: T.Tensor((64,), "float32")):
    """More threads arrive than the barrier counts."""
    with T.Kernel(1, threads=256) as b:
        tx = T.get_thread_binding(0)
        x = T.alloc_shared((64,), "float32")
        full = T.alloc_barrier(64)
        if tx < 128:
            T.copy(X, x)
            T.barrier_arrive(full)
        else:
            T.barrier_wait(full, 0)
            T.copy(x, X)
save(uneven, "uneven")
@T.prim_func
def unknown(N: T.Tensor((1,), "int32"), X: T.Tensor((64,), "float32")):
    """How often partitions take turns is in memory."""
    with T.Kernel(1, threads=256) as b:
        tx = T.get_thread_binding(0)
        x = T.alloc_shared((64,), "float32")
        full = T.alloc_barrier(128)
        if tx < 128:
            for k in T.serial(N[0]):
                T.copy(X, x)
                T.barrier_arrive(full)
        else:
            for k in T.serial(N[0]):
                T.barrier_wait(full, k % 2)
                T.copy(x, X)
save(unknown, "unknown")
@T.prim_func
def vote_of_memory(X: T.Tensor((32,), "int32"), Y: T.Tensor((32,), "int32")):
    with T.Kernel(1, threads=32) as b:
        tx = T.get_thread_binding(0)
        some = T.any_sync(X[tx] > 1) + X[tx]
        Y[tx] = some
save(vote_of_memory, "vote_of_memory")
@T.prim_func
def rounding(A: T.Tensor((64, 32), "float32"), B: T.Tensor((32, 64), "float32"), C: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=128) as b:
        a = T.alloc_shared((64, 32), "float32")
        w = T.alloc_shared((32, 64), "float32")
        c = T.alloc_fragment((64, 64), "float32")
        T.copy(A, a)
        T.copy(B, w)
        T.gemm(a, w, c, clear_accum=True)
        for i, j in T.Parallel(64, 64):
            c[i, j] = T.exp(c[i, j] * 0.25 + 1.0) / (T.exp2(c[i, j]) + 1.0)
        T.copy(c, C)
save(rounding, "rounding")
save(rounding.with_attr("tilelang_pass_configs", {"tl.enable_fast_math": True}), "fast_math")


@T.prim_func
def gathered(X: T.Tensor((40, 64), "float16"), L: T.Tensor((2, 64), "int32"), Y: T.Tensor((2, 64, 64), "float16")):
    """Rows that a list names; some of its entries name none."""
    with T.Kernel(2, threads=128) as b:
        rows = T.alloc_shared((64, 64), "float16")
        for i, j in T.Parallel(64, 64):
            rows[i, j] = X[L[b, i], j]
        T.copy(rows, Y[b, 0, 0])


save(gathered, "gathered")


@T.prim_func
def chosen(N: T.Tensor((3,), "int32"), X: T.Tensor((3, 64, 32), "float32"), Y: T.Tensor((4, 32), "float32")):
    """A variable of the block decides what a pipeline loads."""
    with T.Kernel(4, threads=128) as b:
        part = T.alloc_shared((16, 32), "float32")
        y = T.alloc_fragment((32,), "float32")
        which = T.alloc_var("int32")
        which = 0
        for i in T.serial(3):
            if b * 16 >= N[i]:
                which = i
        T.clear(y)
        for k in T.Pipelined(4, num_stages=2):
            T.copy(X[which, k * 16, 0], part)
            T.reduce_sum(part, y, dim=0, clear=False)
        T.copy(y, Y[b, 0])


save(chosen, "chosen")


@T.prim_func
def scratch(X: T.Tensor((4, 128), "int32"), Y: T.Tensor((4, 128), "int32")):
    """Each iteration begins with what it writes: nothing of a local buffer lives on."""
    with T.Kernel(1, threads=128) as b:
        tx = T.get_thread_binding(0)
        pair = T.alloc_local((2,), "int32")
        s = T.alloc_shared((128,), "int32")
        for k in T.serial(4):
            for v in T.serial(2):
                pair[v] = X[k, tx] + v
            s[127 - tx] = pair[0] * pair[1]
            Y[k, tx] = s[tx]


save(scratch, "scratch")


@T.prim_func
def nothing(X: T.Tensor((64,), "float32")):
    with T.Kernel(4, threads=64) as b:
        pass


save(nothing, "nothing")


@T.prim_func
def serial(A: T.Tensor((64, 128), "float16"), B: T.Tensor((128, 64), "float16"), C: T.Tensor((64, 64), "float32")):
    """A loop whose loads nobody asked to hide."""
    with T.Kernel(1, threads=128) as b:
        x = T.alloc_shared((64, 32), "float16")
        y = T.alloc_shared((32, 64), "float16")
        c = T.alloc_fragment((64, 64), "float32")
        T.clear(c)
        for k in T.serial(4):
            T.copy(A[0, k * 32], x)
            T.copy(B[k * 32, 0], y)
            T.gemm(x, y, c)
        T.copy(c, C)


save(serial, "serial")


rows, length = T.dynamic("rows"), T.dynamic("length")


@T.prim_func
def dense(X: T.Tensor((rows, length, 32), "float32"),
          Y: T.StridedTensor((rows, length, 32), (length * 64, 64, 1), "float32")):
    """Extents behind the first are dynamic: strides are products of names."""
    with T.Kernel(rows, threads=32) as b:
        for i, j in T.Parallel(8, 32):
            Y[b, i, j] = X[b, i, j]


save(dense, "dense")


@T.prim_func
def halved(Q: T.Tensor((32, 96), "float16"), K: T.Tensor((64, 96), "float16"), C: T.Tensor((32, 64), "float32")):
    """Products of parts of tiles: of one that is a tile for each part, and of one that changes."""
    with T.Kernel(1, threads=128) as b:
        q = T.alloc_shared((32, 96), "float16")
        k = T.alloc_shared((64, 96), "float16")
        c = T.alloc_fragment((32, 64), "float32")
        T.copy(Q[0:32, 0:64], q[0:32, 0:64])
        T.copy(Q[0:32, 64:96], q[0:32, 64:96])
        T.copy(K[0:64, 64:96], k[0:64, 64:96])
        T.copy(K[0:64, 0:64], k[0:64, 0:64])
        T.clear(c)
        for i in T.serial(2):
            T.gemm(q[0:32, 0:64], k[0:64, 0:64], c, transpose_B=True)
            T.gemm(q[0:32, 64:96], k[0:64, 64:96], c, transpose_B=True)
            T.copy(K[0:64, 32:64], k[0:64, 64:96])
        T.copy(c, C)


save(halved, "halved")


@T.prim_func
def masked(M: T.Tensor((8,), "int32"), A: T.Tensor((64, 256), "float16"), B: T.Tensor((256, 64), "float16"),
           C: T.Tensor((64, 64), "float32"), D: T.Tensor((64, 32), "float32")):
    """Loads in a branch of a loop, and a loop that converts what it loads."""
    with T.Kernel(1, threads=128) as b:
        x = T.alloc_shared((64, 32), "float16")
        y = T.alloc_shared((32, 64), "float16")
        c = T.alloc_fragment((64, 64), "float32")
        z = T.alloc_shared((64, 32), "float32")
        d = T.alloc_fragment((64, 32), "float32")
        T.clear(c)
        for k in T.Pipelined(8, num_stages=2):
            if M[k] > 0:
                T.copy(A[0, k * 32], x)
                T.copy(B[k * 32, 0], y)
                T.gemm(x, y, c)
        T.copy(c, C)
        T.clear(d)
        for k in T.serial(8):
            T.copy(A[0, k * 32], z)
            for i, j in T.Parallel(64, 32):
                d[i, j] = d[i, j] + z[i, j]
        T.copy(d, D)


save(masked, "masked")


@T.prim_func
def shuffles(X: T.Tensor((64,), "float32"), I: T.Tensor((64,), "int32"), Y: T.Tensor((8, 64), "float32"), Z: T.Tensor((6, 64), "int32")):
    """Elements of other lanes, and reductions over warps."""
    with T.Kernel(1, threads=64) as b:
        tx = T.get_thread_binding(0)
        own = T.alloc_local((1,), "float32")
        Y[0, tx] = T.shfl_xor(X[tx], 5)
        Y[1, tx] = T.shfl_xor(X[tx], 9, 8)
        Y[2, tx] = T.shfl_up(X[tx], 3, 16)
        Y[3, tx] = T.shfl_down(X[tx], 7)
        Y[4, tx] = T.shfl_sync(X[tx], I[tx] % 32)
        Y[5, tx] = T.shfl_sync(X[tx], 11, 4)
        own[0] = X[tx]
        for step in T.serial(5):
            own[0] = own[0] + T.shfl_down(own[0], 16 >> step)
        Y[6, tx] = T.shfl_sync(own[0], 0)
        Y[7, tx] = T.warp_reduce_sum(X[tx])
        Z[0, tx] = T.warp_reduce_max(I[tx])
        Z[1, tx] = T.warp_reduce_min(I[tx])
        Z[2, tx] = T.warp_reduce_bitand(I[tx])
        Z[3, tx] = T.warp_reduce_bitor(I[tx])
        before = T.match_any_sync(I[tx] // 16)
        I[tx] = 0
        Z[4, tx] = T.cast(before, "int32")
        warp = tx // 32
        if warp == 1:
            Z[5, tx] = T.shfl_xor(Z[0, tx], 1)


save(shuffles, "shuffles")


@T.prim_func
def unwritten(A: T.Tensor((32, 32), "float16"), B: T.Tensor((32, 32), "float16"), C: T.Tensor((32, 32), "float32")):
    """Nobody clears the accumulator."""
    with T.Kernel(1, threads=128) as b:
        x = T.alloc_shared((32, 32), "float16")
        y = T.alloc_shared((32, 32), "float16")
        c = T.alloc_fragment((32, 32), "float32")
        T.copy(A, x)
        T.copy(B, y)
        T.gemm(x, y, c)
        T.copy(c, C)


save(unwritten, "unwritten")


@T.prim_func
def groups(X: T.Tensor((3, 128), "int32"), Y: T.Tensor((3, 16), "int32"), Z: T.Tensor((3, 128), "int32")):
    """Eight threads write one element, which each reads back; the first of them is not always there."""
    with T.Kernel(1, threads=256) as b:
        tx = T.get_thread_binding(0)
        flag = T.alloc_shared((2, 16), "bool")
        if tx >= 128:
            for k in T.serial(3):
                flag[k % 2, (tx - 128) // 8] = X[k, (tx - 128) // 8 * 8] > 0
                if flag[k % 2, (tx - 128) // 8]:
                    Z[k, tx - 128] = X[k, tx - 128] * 2
                else:
                    Z[k, tx - 128] = 7
        if tx % 16 == 3:
            for k in T.serial(3):
                Y[k, tx // 16] = X[k, tx // 2]


save(groups, "groups")


@T.prim_func
def wide(A: T.Tensor((64, 256), "float16"), X: T.Tensor((256,), "float16"), Y: T.Tensor((64,), "float32")):
    """A reducer with more terms than threads have registers."""
    with T.Kernel(1, threads=32) as b:
        a = T.alloc_shared((64, 128), "float16")
        f = T.alloc_fragment((64, 128), "float16")
        x = T.alloc_fragment((128,), "float16")
        y = T.alloc_reducer((64,), "float32", op="sum", replication="all")
        T.clear(y)
        for k in T.serial(2):
            T.copy(A[0, k * 128], a)
            T.copy(a, f)
            T.copy(X[k * 128], x)
            for i, j in T.Parallel(64, 128):
                y[i] += f[i, j] * x[j]
        T.finalize_reducer(y)
        T.copy(y, Y)


save(wide, "wide")


@T.prim_func
def listed(M: T.Tensor((4,), "int8"), S: T.Tensor((3,), "float32"), X: T.Tensor((128, 64), "float16"), Y: T.Tensor((32, 64), "float32")):
    """A list in registers decides what is loaded; a fragment of one element is a number of the block."""
    with T.Kernel(1, threads=128) as b:
        mask = T.alloc_fragment((4,), "int8")
        scale = T.alloc_fragment((1,), "float32")
        x = T.alloc_shared((32, 64), "float16")
        y = T.alloc_fragment((32, 64), "float32")
        T.copy(M, mask)
        T.clear(y)
        scale[0] = 0
        for i in T.serial(3):
            scale[0] = scale[0] + S[i]
        for k in T.Pipelined(4, num_stages=1):
            if mask[k] != 0:
                T.copy(X[k * 32, 0], x)
                for i, j in T.Parallel(32, 64):
                    y[i, j] += x[i, j] * scale[0]
        T.copy(y, Y)


save(listed, "listed")
