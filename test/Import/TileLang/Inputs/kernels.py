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
    text = text.replace(os.path.abspath(__file__), "kernels.py")
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
        A[tx] = T.shfl_xor(A[tx], 1)
save(shuffle, "shuffle")
@T.prim_func
def grid(X: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64) as b:
        T.sync_grid()
        for i in T.Parallel(64):
            for j in T.serial(2):
                X[i] = X[i] + T.cast(j, "float32")
save(grid, "grid")
