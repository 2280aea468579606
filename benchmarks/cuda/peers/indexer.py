#!/usr/bin/env python3
"""Scores of the lightning indexer, beside a product of f8E4M3FN of 8192 x 8192 x 8192 by cuBLASLt, in one process.

    indexer.py FOLDER [--rounds=N]

FOLDER is made by build.sh. The last column is the ratio of the rates of operations.
"""
import os, re
import torch
from harness import Kernel, folder, time

F8 = torch.float8_e4m3fn


def random(*shape):
    return torch.randn(*shape, device="cuda").to(F8)


def compare(s, n, heads, paths):
    q, k, scales, weights = random(s, heads, 128), random(n, 128), torch.rand(n, device="cuda") + 0.5, torch.randn(s, heads, device="cuda")
    rows = torch.arange(0, s, max(1, s // 64), device="cuda")  # those that are checked
    dots = torch.einsum("shd,nd->shn", q[rows].float(), k.float()).relu()
    expected = torch.einsum("shn,sh->sn", dots, weights[rows]) * scales
    a, b, one, peer = random(8192, 8192), random(8192, 8192), torch.ones((), device="cuda"), "cuBLASLt, a product"
    candidates = {peer: lambda: torch._scaled_mm(a, b.t(), one, one, out_dtype=torch.bfloat16)}
    work, errors = {peer: 2 * 8192 ** 3}, {}
    for path in paths:
        scores = torch.full((s, n), float("nan"), device="cuda")
        candidates[path] = Kernel(os.path.join(folder, path), [q, k, scales, weights, scores])
        work[path] = 2 * s * heads * 128 * n
        candidates[path]()
        torch.cuda.synchronize()
        errors[path] = f"error {((scores[rows] - expected).norm() / expected.norm()).item():.1e}"
    rates = {name: work[name] / ms / 1e9 for name, ms in time(candidates).items()}
    for name, rate in rates.items():
        print(f"{name:40s} {work[name] / rate / 1e6:9.1f} us {rate:8.1f} TFLOP/s {rate / rates[peer]:6.3f} {errors.get(name, '')}", flush=True)


torch.manual_seed(0)
groups = {}
for path in sorted(os.listdir(folder)):
    if of := re.match(r"indexer_(\d+)_(\d+)_(\d+)_", path):
        groups.setdefault(tuple(map(int, of.groups())), []).append(path)
for sizes, paths in groups.items():
    compare(*sizes, paths)
