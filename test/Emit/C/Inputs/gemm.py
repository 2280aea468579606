"""Loads the library of matmul_relu by TVM-FFI and calls it with arrays of NumPy, in place."""
import sys

import numpy as np
import tvm_ffi

matmul_relu = tvm_ffi.load_module(sys.argv[1])["matmul_relu"]
random = np.random.default_rng(0)
for m, n, k in [(128, 128, 96), (5, 300, 0), (1, 1, 1), (130, 65, 33)]:
    a = (random.integers(-4, 5, (m, k)) / 4).astype(np.float16)
    b = (random.integers(-4, 5, (k, n)) / 4).astype(np.float16)
    c = np.full((m, n), np.nan, np.float16)
    matmul_relu(*map(tvm_ffi.from_dlpack, (a, b, c)))
    expected = np.maximum(a.astype(np.float64) @ b.astype(np.float64), 0).astype(np.float16)
    print(m, n, k, "right" if np.array_equal(c, expected) else "wrong")
for arguments in [(a, b[:1], c), (a, b), (1, b, c)]:
    try:
        matmul_relu(*(tvm_ffi.from_dlpack(x.copy()) if isinstance(x, np.ndarray) else x for x in arguments))
    except ValueError as error:
        print("error:", error)
