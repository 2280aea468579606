"""More programs of TileLang whose traces are the tests here: copies by single threads, and loops over the stages of buffers.

usage: python stage_kernels.py FOLDER, which writes those of kernels.py, too
"""
import tilelang.language as T
from kernels import save


@T.prim_func
def staged(A: T.Tensor((64, 192), "float16"), B: T.Tensor((192, 64), "float16"), C: T.Tensor((64, 64), "float32")):
    """Threads of a partition copy vectors to one of two stages, of which the others multiply halves."""
    with T.Kernel(1, threads=256) as b:
        tx = T.get_thread_binding(0)
        x = T.alloc_shared((2, 64, 32), "float16")
        y = T.alloc_shared((2, 32, 64), "float16")
        left = T.alloc_fragment((64, 32), "float32")
        right = T.alloc_fragment((64, 32), "float32")
        full = T.alloc_barrier([128, 128])
        empty = T.alloc_barrier([128, 128])
        if tx < 128:
            T.clear(left)
            T.clear(right)
            for i in T.serial(3):
                for stage in T.unroll(2):
                    T.barrier_wait(full[stage], i & 1)
                    T.gemm(x[stage, :, :], y[stage, :, 0:32], left)
                    T.gemm(x[stage, :, :], y[stage, :, 32:64], right)
                    T.barrier_arrive(empty[stage])
            T.copy(left, C[0, 0])
            T.copy(right, C[0, 32])
        else:
            for i in T.serial(3):
                for stage in T.unroll(2):
                    T.barrier_wait(empty[stage], (i & 1) ^ 1)
                    for r in T.serial(2):
                        row = r * 32 + (tx - 128) // 4
                        column = (tx - 128) % 4 * 8
                        T.ptx_cp_async(
                            T.access_ptr(x[stage, row, column], "w", 8),
                            T.access_ptr(A[row, (i * 2 + stage) * 32 + column], "r", 8), 8)
                    for r in T.serial(2):
                        row = r * 16 + (tx - 128) // 8
                        column = (tx - 128) % 8 * 8
                        T.ptx_cp_async(
                            T.access_ptr(y[stage, row, column], "w", 8),
                            T.access_ptr(B[(i * 2 + stage) * 32 + row, column], "r", 8), 8)
                    T.cp_async_barrier_noinc(full[stage])


save(staged, "staged")


@T.prim_func
def elements(X: T.Tensor((16, 32), "float32"), Z: T.Tensor((16, 32), "float32"), N: T.Tensor((1,), "int32"),
             Y: T.Tensor((6, 16, 32), "float32"), W: T.Tensor((32, 16), "float32")):
    """What threads copy: a region, half of one, and what is none: gaps, rows in another order, a place with two sources, a part
    that depends on data, a transposed region."""
    with T.Kernel(1, threads=64) as b:
        tx = T.get_thread_binding(0)
        region = T.alloc_shared((16, 32), "float32")
        upper = T.alloc_shared((16, 32), "float32")
        gaps = T.alloc_shared((16, 32), "float32")
        turned = T.alloc_shared((16, 32), "float32")
        twice = T.alloc_shared((16, 32), "float32")
        some = T.alloc_shared((16, 32), "float32")
        other = T.alloc_shared((32, 16), "float32")
        T.clear(upper)
        T.clear(gaps)
        T.clear(some)
        for r in T.serial(2):
            for v in T.serial(4):
                region[r * 8 + tx // 8, tx % 8 * 4 + v] = X[r * 8 + tx // 8, tx % 8 * 4 + v]
        T.sync_threads()
        if tx >= 32:
            for v in T.serial(8):
                upper[(tx - 32) // 4, (tx - 32) % 4 * 8 + v] = Z[8 + (tx - 32) // 4, (tx - 32) % 4 * 8 + v]
        T.sync_threads()
        for r in T.serial(2):
            for v in T.serial(3):
                gaps[r * 8 + tx // 8, tx % 8 * 4 + v] = X[r * 8 + tx // 8, tx % 8 * 4 + v]
        T.sync_threads()
        for r in T.serial(2):
            for v in T.serial(4):
                turned[r * 8 + tx // 8, tx % 8 * 4 + v] = X[15 - r * 8 - tx // 8, tx % 8 * 4 + v]
        T.sync_threads()
        for r in T.serial(2):
            for v in T.serial(4):
                twice[r * 8 + tx // 8, tx % 8 * 4 + v] = X[r * 8 + tx // 8, tx % 8 * 4 + v]
                if tx < 24:
                    twice[r * 8 + tx // 8, tx % 8 * 4 + v] = Z[r * 8 + tx // 8, tx % 8 * 4 + v]
        T.sync_threads()
        for r in T.serial(2):
            if r < N[0]:
                for v in T.serial(4):
                    some[r * 8 + tx // 8, tx % 8 * 4 + v] = X[r * 8 + tx // 8, tx % 8 * 4 + v]
        T.sync_threads()
        for r in T.serial(2):
            for v in T.serial(4):
                other[tx % 8 * 4 + v, r * 8 + tx // 8] = X[r * 8 + tx // 8, tx % 8 * 4 + v]
        T.sync_threads()
        T.copy(region, Y[0, 0, 0])
        T.copy(upper, Y[1, 0, 0])
        T.copy(gaps, Y[2, 0, 0])
        T.copy(turned, Y[3, 0, 0])
        T.copy(twice, Y[4, 0, 0])
        T.copy(some, Y[5, 0, 0])
        T.copy(other, W)


save(elements, "elements")


@T.prim_func
def turns(X: T.Tensor((48, 32), "float32"), N: T.Tensor((4,), "int32"), Y: T.Tensor((4, 5, 8, 32), "float32")):
    """Loops over stages, 0 to 3 times: one that is left, and those where a stage is read that another iteration writes, lives on,
    is written in part, or is none."""
    with T.Kernel(4, threads=64) as b:
        tiles = T.alloc_shared((2, 8, 32), "float32")
        crossed = T.alloc_shared((2, 8, 32), "float32")
        kept = T.alloc_shared((2, 8, 32), "float32")
        upper = T.alloc_shared((2, 8, 32), "float32")
        single = T.alloc_shared((8, 32), "float32")
        sums = T.alloc_fragment((5, 8, 32), "float32")
        T.clear(sums)
        T.clear(kept)
        T.clear(upper)
        for i in T.serial(N[b]):
            for stage in T.unroll(2):
                T.copy(X[(i * 2 + stage) * 8:(i * 2 + stage) * 8 + 8, 0:32], tiles[stage, :, :])
            for stage in T.unroll(2):
                for j, k in T.Parallel(8, 32):
                    sums[0, j, k] = sums[0, j, k] * 0.5 + tiles[stage, j, k]
        for i in T.serial(N[b]):
            for stage in T.unroll(2):
                T.copy(X[(i * 2 + stage) * 8:(i * 2 + stage) * 8 + 8, 0:32], crossed[stage, :, :])
            for stage in T.unroll(2):
                for j, k in T.Parallel(8, 32):
                    sums[1, j, k] = sums[1, j, k] * 0.5 + crossed[1 - stage, j, k]
        for i in T.serial(N[b]):
            for stage in T.unroll(2):
                for j, k in T.Parallel(8, 32):
                    kept[stage, j, k] = kept[stage, j, k] * 0.5 + X[(i * 2 + stage) * 8 + j, k]
            for stage in T.unroll(2):
                for j, k in T.Parallel(8, 32):
                    sums[2, j, k] = sums[2, j, k] * 0.5 + kept[stage, j, k]
        for i in T.serial(N[b]):
            for stage in T.unroll(2):
                T.copy(X[(i * 2 + stage) * 8:(i * 2 + stage) * 8 + 4, 0:32], upper[stage, 0:4, :])
            for stage in T.unroll(2):
                for j, k in T.Parallel(8, 32):
                    sums[3, j, k] = sums[3, j, k] * 0.5 + upper[stage, j, k]
        for i in T.serial(N[b]):
            for stage in T.unroll(2):
                T.copy(X[(i * 2 + stage) * 8:(i * 2 + stage) * 8 + 8, 0:32], single)
            for stage in T.unroll(2):
                for j, k in T.Parallel(8, 32):
                    sums[4, j, k] = sums[4, j, k] * 0.5 + single[j, k]
        for n, j, k in T.Parallel(5, 8, 32):
            Y[b, n, j, k] = sums[n, j, k]


save(turns, "turns")


@T.prim_func
def guarded(X: T.Tensor((64, 192), "float16"), K: T.Tensor((40, 64), "float16"), L: T.Tensor((192,), "int32"),
            N: T.Tensor((1,), "int32"), C: T.Tensor((64, 64), "float32")):
    """Threads of a partition copy the rows that a list names, as far as their numbers are at most another, and say which these are."""
    with T.Kernel(1, threads=256) as b:
        tx = T.get_thread_binding(0)
        x = T.alloc_shared((64, 32), "float16")
        y = T.alloc_shared((2, 32, 64), "float16")
        valid = T.alloc_shared((2, 32), "bool")
        entry = T.alloc_var("int32")
        left = T.alloc_fragment((64, 32), "float32")
        right = T.alloc_fragment((64, 32), "float32")
        full = T.alloc_barrier([128, 128])
        empty = T.alloc_barrier([128, 128])
        most = N[0]
        if tx < 128:
            T.clear(left)
            T.clear(right)
            for i in T.serial(3):
                for stage in T.unroll(2):
                    T.barrier_wait(full[stage], i & 1)
                    for j, k in T.Parallel(64, 32):
                        x[j, k] = T.if_then_else(valid[stage, k], X[j, (i * 2 + stage) * 32 + k], T.float16(0))
                    T.gemm(x, y[stage, :, 0:32], left)
                    T.gemm(x, y[stage, :, 32:64], right)
                    T.barrier_arrive(empty[stage])
            T.copy(left, C[0, 0])
            T.copy(right, C[0, 32])
        else:
            for i in T.serial(3):
                for stage in T.unroll(2):
                    T.barrier_wait(empty[stage], (i & 1) ^ 1)
                    for r in T.serial(2):
                        row = r * 16 + (tx - 128) // 8
                        column = (tx - 128) % 8 * 8
                        entry = L[(i * 2 + stage) * 32 + row]
                        if (tx - 128) % 8 == 0:
                            valid[stage, row] = entry <= most
                        if entry <= most:
                            T.ptx_cp_async(
                                T.access_ptr(y[stage, row, column], "w", 8),
                                T.access_ptr(K[entry, column], "r", 8), 8)
                    T.cp_async_barrier_noinc(full[stage])


save(guarded, "guarded")


@T.prim_func
def lasting(K: T.Tensor((40, 32), "float32"), L: T.Tensor((48,), "int32"), N: T.Tensor((1,), "int32"), S: T.Tensor((16, 32), "float32")):
    """Rows that are not copied are those of an earlier iteration, or what was there at first."""
    with T.Kernel(1, threads=64) as b:
        tx = T.get_thread_binding(0)
        y = T.alloc_shared((16, 32), "float32")
        entry = T.alloc_var("int32")
        sums = T.alloc_fragment((16, 32), "float32")
        T.clear(sums)
        most = N[0]
        T.fill(y, 1)
        for i in T.serial(3):
            for r in T.serial(2):
                entry = L[i * 16 + r * 8 + tx // 8]
                if entry <= most:
                    for v in T.serial(4):
                        y[r * 8 + tx // 8, tx % 8 * 4 + v] = K[entry, tx % 8 * 4 + v]
            for j, k in T.Parallel(16, 32):
                sums[j, k] = sums[j, k] + y[j, k]
        T.copy(sums, S)


save(lasting, "lasting")


@T.prim_func
def returning(K: T.Tensor((40, 32), "float32"), L: T.Tensor((48,), "int32"), N: T.Tensor((1,), "int32"), S: T.Tensor((16, 32), "float32")):
    """All rows are copied in the first iteration; those that are not later on are still there."""
    with T.Kernel(1, threads=64) as b:
        tx = T.get_thread_binding(0)
        y = T.alloc_shared((16, 32), "float32")
        entry = T.alloc_var("int32")
        sums = T.alloc_fragment((16, 32), "float32")
        T.clear(sums)
        most = N[0]
        for i in T.serial(3):
            for r in T.serial(2):
                entry = L[i * 16 + r * 8 + tx // 8]
                if entry <= most:
                    for v in T.serial(4):
                        y[r * 8 + tx // 8, tx % 8 * 4 + v] = K[entry, tx % 8 * 4 + v]
            for j, k in T.Parallel(16, 32):
                sums[j, k] = sums[j, k] + y[j, k]
        T.copy(sums, S)


save(returning, "returning")
