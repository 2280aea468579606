"""What a call of a C file costs from Python, through TVM-FFI with PyTorch tensors, beside PyTorch's own and Triton's.

usage: call.py LIBRARY    (a shared library of the C file of matmul_relu, made with --c-tvm-ffi)

The results are compared with PyTorch's in double precision first.
"""
import statistics
import sys
import time

import torch
import triton
import tvm_ffi

matmul_relu = tvm_ffi.load_module(sys.argv[1])["matmul_relu"]


@triton.jit
def nothing(x, y, z, m, n, k):
    pass


def matrix(rows, columns, fill=None):
    result = torch.empty(rows, columns, device="cuda", dtype=torch.float16)
    return result.normal_() if fill is None else result.fill_(fill)


def check(m, n, k):
    a, b, c = matrix(m, k), matrix(k, n), matrix(m, n, float("nan"))
    matmul_relu(a, b, c)
    expected = torch.relu(a.double() @ b.double())
    error = ((c.double() - expected).abs() / expected.clamp(min=1)).max().item()
    print(f"M={m} N={n} K={k}: largest error {error:.1e}, of max(1, result)")


def measure(name, call):
    for _ in range(100):
        call()
    samples = []
    for _ in range(200):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(50):
            call()
        samples.append((time.perf_counter() - start) / 50 * 1e6)
    print(f"{name}: median {statistics.median(samples):.2f} us, min {min(samples):.2f} us")


for shape in [(256, 384, 512), (128, 128, 96), (130, 65, 33), (257, 127, 7), (1, 1, 1), (5, 300, 0), (4096, 4096, 4096)]:
    check(*shape)
a, b, c = matrix(128, 32), matrix(32, 128), matrix(128, 128)
for arguments in [(a, b[:5].contiguous(), c), (a, b.cpu(), c), (a, b.float(), c), (a, b)]:
    try:
        matmul_relu(*arguments)
        print("accepted")
    except ValueError as error:
        print(f"error: {error}")
measure("tile through TVM-FFI", lambda: matmul_relu(a, b, c))
measure("torch.mm(out=)", lambda: torch.mm(a, b, out=c))
measure("empty Triton kernel of 6 arguments", lambda: nothing[(1,)](a, b, c, 128, 128, 32))
print(torch.cuda.get_device_name())
