#!/usr/bin/env python3
"""What a launch costs where it chooses among versions: host microseconds of a call, the static twin in the same process.

    launches.py FOLDER

FOLDER holds gemm_128_256_64_static and _dynamic, made by build.sh: the kernel itself takes no longer than its launch. Of each,
medians and minima of 400 samples of 50 calls, in alternating order.
"""
import os, statistics, time
import torch
from harness import Kernel, folder

a, b = (torch.randn(s, 64, device="cuda").bfloat16() for s in (128, 256))
c = torch.empty(128, 256, device="cuda", dtype=torch.bfloat16)
kernels = {n: Kernel(os.path.join(folder, f"gemm_128_256_64_{n}"), [a, b, c]) for n in ("static", "dynamic")}
samples = {n: [] for n in kernels}
for r in range(420):
    for name in list(kernels)[:: 1 if r % 2 else -1]:
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(50):
            kernels[name]()
        if r >= 20:
            samples[name].append((time.perf_counter() - begin) / 50 * 1e6)
for name, s in samples.items():
    print(f"launch {name:8s} median {statistics.median(s):6.2f} us, minimum {min(s):6.2f} us, through Python")
