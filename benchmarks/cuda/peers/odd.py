#!/usr/bin/env python3
"""Products of sizes that forbid tensor copies, beside the same kernels at the next sizes that allow them, and cuBLAS.

    odd.py FOLDER [--rounds=N] [--filter=TEXT]

FOLDER is made by build.sh. The last column is the rate to that of the same kernel where N and K are rounded up to multiples of 8,
and K of weights of 4 bits to one of 32, so that rows of codes are 16 bytes; any M allows tensor copies. Operands are random,
outputs are poisoned before they are compared with PyTorch's.
"""
import os
import torch
from harness import Kernel, folder, options, time


def product(a, b, transposed):
    return a @ (b.t() if transposed else b)


class Case:
    """A product of one size: the kernel, cuBLAS, and the error."""

    def __init__(self, name, sizes, *kind):
        m, n, k = sizes
        self.work = 2 * m * n * k
        operands, c, expected, self.vendor = (self.dequantised if kind == () else self.plain)(m, n, k, *kind)
        c.view(torch.uint8).fill_(255)
        self.kernel = Kernel(os.path.join(folder, name), operands + [c])
        self.kernel()
        self.error = ((c.float() - expected).norm() / expected.norm()).item()

    @staticmethod
    def plain(m, n, k, type, result, transposed, relu):
        a = torch.randn(m, k, device="cuda").to(type)
        b = torch.randn(*((n, k) if transposed else (k, n)), device="cuda").to(type)
        own = torch.empty(m, n, device="cuda", dtype=type)
        expected = product(a.float(), b.float(), transposed)
        return ([a, b], torch.empty(m, n, device="cuda", dtype=result), expected.relu() if relu else expected,
                lambda: torch.mm(a, b.t() if transposed else b, out=own))

    @staticmethod
    def dequantised(m, n, k):
        a = torch.randn(m, k, device="cuda").half()
        packed = torch.randint(-128, 128, (n, -(-k // 2)), device="cuda", dtype=torch.int8)
        scales = torch.rand(-(-k // 128), n, device="cuda") / 4
        codes = torch.stack([packed << 4 >> 4, packed >> 4], 2).view(n, -1)[:, :k]
        weights = codes * scales.t().repeat_interleave(128, 1)[:, :k]
        half, own = weights.half(), torch.empty(m, n, device="cuda", dtype=torch.float16)
        return [a, packed, scales], torch.empty_like(own), a.float() @ weights.t(), lambda: torch.mm(a, half.t(), out=own)


def aligned(sizes, kind):
    m, n, k = sizes
    return m, -(-n // 8) * 8, -(-k // 8) * 8 if kind else -(-k // 32) * 32


F16, BF16, F32 = torch.float16, torch.bfloat16, torch.float32
ROWS = [
    ("example_matmul_relu", (F16, F16, False, True),
     [(4096, 4096, 4097), (4096, 4097, 4096), (4095, 4097, 4095), (8191, 8191, 8191), (300, 300, 4097), (129, 1001, 1001),
      (17, 4097, 4097), (64, 64, 129), (512, 16384, 4097), (8192, 257, 4096)]),
    ("gemm_128_256_64_dynamic", (BF16, BF16, True, False),
     [(4096, 4096, 4097), (4096, 4097, 4096), (4095, 4097, 4095), (8191, 8191, 8191), (257, 8191, 8191), (65, 8191, 8191),
      (255, 255, 1023), (4095, 4095, 129)]),
    ("example_matmul_splitk", (F16, F32, False, False), [(512, 511, 16383), (512, 512, 16383), (512, 511, 16384)]),
    ("example_matmul_dequant", (),
     [(16, 7166, 16383), (16, 7168, 16383), (16, 7166, 16384), (16, 7167, 16382), (1, 7166, 16383), (64, 7166, 16383),
      (512, 7166, 16383)]),
]

torch.manual_seed(0)
torch.backends.cuda.matmul.allow_tf32 = False
for name, kind, rows in ROWS:
    for sizes in rows if options.get("filter", "") in name else []:
        odd, even = Case(name, sizes, *kind), Case(name, aligned(sizes, kind), *kind)
        ms = time({"odd": odd.kernel, "aligned": even.kernel, "cuBLAS": odd.vendor}, launches=2)
        rate, best = odd.work / ms["odd"], even.work / ms["aligned"]
        print(f"{name:24s} {'x'.join(map(str, sizes)):16s} {ms['odd'] * 1e3:8.1f} us {rate / 1e9:6.1f} TFLOP/s"
              f"  to cuBLAS {ms['cuBLAS'] / ms['odd']:5.2f}  aligned {ms['aligned'] * 1e3:8.1f} us  to that {rate / best:5.2f}"
              f"  error {max(odd.error, even.error):.1e}", flush=True)
