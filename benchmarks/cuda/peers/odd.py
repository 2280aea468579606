#!/usr/bin/env python3
"""Products of sizes that forbid tensor copies, beside the same kernels at the next sizes that allow them, and cuBLAS.

    odd.py FOLDER [--rounds=N] [--filter=TEXT]

FOLDER is made by build.sh. The last column is the rate to that of the same kernel where all sizes are rounded up to multiples of
8. Operands are random, outputs are poisoned before they are compared with PyTorch's.
"""
import os
import torch
from harness import Kernel, folder, options, time


def product(a, b, transposed):
    return a @ (b.t() if transposed else b)


class Case:
    """A product of one size: the kernel, cuBLAS, and the error."""

    def __init__(self, name, sizes, type, result, transposed, relu):
        m, n, k = sizes
        a = torch.randn(m, k, device="cuda").to(type)
        b = torch.randn(*((n, k) if transposed else (k, n)), device="cuda").to(type)
        c = torch.empty(m, n, device="cuda", dtype=result)
        c.view(torch.uint8).fill_(255)
        own = torch.empty(m, n, device="cuda", dtype=type)
        self.kernel = Kernel(os.path.join(folder, name), [a, b, c])
        self.vendor = lambda: torch.mm(a, b.t() if transposed else b, out=own)
        self.work = 2 * m * n * k
        self.kernel()
        expected = product(a.float(), b.float(), transposed)
        expected = expected.relu() if relu else expected
        self.error = ((c.float() - expected).norm() / expected.norm()).item()


def aligned(sizes):
    return tuple(-(-s // 8) * 8 for s in sizes)


F16, BF16, F32 = torch.float16, torch.bfloat16, torch.float32
ROWS = [
    ("example_matmul_relu", (F16, F16, False, True),
     [(4096, 4096, 4097), (4096, 4097, 4096), (4095, 4097, 4095), (8191, 8191, 8191), (300, 300, 4097), (129, 1001, 1001)]),
    ("gemm_128_256_64_dynamic", (BF16, BF16, True, False),
     [(4096, 4096, 4097), (4096, 4097, 4096), (4095, 4097, 4095), (8191, 8191, 8191), (257, 8191, 8191), (65, 8191, 8191)]),
    ("example_matmul_splitk", (F16, F32, False, False), [(512, 511, 16383), (512, 512, 16383), (512, 511, 16384)]),
]

torch.manual_seed(0)
torch.backends.cuda.matmul.allow_tf32 = False
for name, types, rows in ROWS:
    for sizes in rows if options.get("filter", "") in name else []:
        odd, even = Case(name, sizes, *types), Case(name, aligned(sizes), *types)
        ms = time({"odd": odd.kernel, "aligned": even.kernel, "cuBLAS": odd.vendor}, launches=2)
        rate, best = odd.work / ms["odd"], even.work / ms["aligned"]
        print(f"{name:24s} {'x'.join(map(str, sizes)):16s} {ms['odd'] * 1e3:8.1f} us {rate / 1e9:6.1f} TFLOP/s"
              f"  to cuBLAS {ms['cuBLAS'] / ms['odd']:5.2f}  aligned {ms['aligned'] * 1e3:8.1f} us  to that {rate / best:5.2f}"
              f"  error {max(odd.error, even.error):.1e}", flush=True)
