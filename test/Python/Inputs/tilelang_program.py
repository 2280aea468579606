"""A program of TileLang that knows nothing of tile."""
import sys

import numpy as np
import tilelang
import tilelang.language as T

N = int(sys.argv[1])


@tilelang.jit(out_idx=[-1])
def add(n, block=64):
    @T.prim_func
    def add(X: T.Tensor((n,), "float32"), Y: T.Tensor((n,), "float32"), Z: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, block), threads=block) as b:
            for i in T.Parallel(block):
                Z[b * block + i] = X[b * block + i] + Y[b * block + i]
    return add


if __name__ == "__main__":
    kernel = add(N)
    print(kernel)
    x, y = np.arange(N, dtype=np.float32), np.ones(N, np.float32)
    print("right:", int((kernel(x, y) == x + y).sum()))
