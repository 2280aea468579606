#!/usr/bin/env python3
"""The largest elements of rows, next to PyTorch, in one process.

    topk.py FOLDER [--rounds=N] [--filter=TEXT]

FOLDER is made by build.sh. Inputs rotate through copies that the L2 cache does not hold together; times are those of graphs.
"""
import os, re
import torch
from harness import Kernel, folder, options, time

COPIES = 12


def rotate(calls):
    state = [0]

    def call():
        calls[state[0] % len(calls)]()
        state[0] += 1

    return call


def compare(element, rows, columns, k, paths):
    dtype = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}[element]
    xs = [torch.randn(rows, columns, device="cuda").to(dtype) for _ in range(COPIES)]
    expected = torch.topk(xs[0], k)[0]
    candidates, errors = {"torch.topk": rotate([lambda x=x: torch.topk(x, k) for x in xs])}, {}
    for path in paths:
        values = torch.full((rows, k), float("nan"), device="cuda", dtype=dtype)
        places = torch.full((rows, k), -7, device="cuda", dtype=torch.int32)
        kernels = [Kernel(os.path.join(folder, path), [x, values, places]) for x in xs]
        kernels[0]()
        torch.cuda.synchronize()
        at = places.long().clamp(0, columns - 1)
        errors[path] = "equal" if (torch.equal(values, expected) and torch.equal(xs[0].gather(1, at), values)
                                   and all(r.unique().numel() == k for r in places)) else "WRONG"
        candidates[path] = rotate(kernels)
    times = time(candidates, COPIES, graphs=True)
    for name, ms in times.items():
        print(f"topk {element} {rows}x{columns} k={k} {name:44s} {ms * 1e3:8.2f} us {times['torch.topk'] / ms:6.2f} "
              f"{errors.get(name, '')}", flush=True)


torch.manual_seed(0)
groups = {}
for path in sorted(os.listdir(folder)):
    match = re.match(r"topk_([a-z0-9]+)_(\d+)_(\d+)_(\d+)", path)
    if match and options.get("filter", "") in path:
        groups.setdefault((match[1], *map(int, match.groups()[1:])), []).append(path)
for key, paths in groups.items():
    compare(*key, paths)
