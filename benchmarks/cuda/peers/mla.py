#!/usr/bin/env python3
"""Decoding with multi-head latent attention, next to a copy of the cache, in one process.

    mla.py FOLDER [--rounds=N] [--filter=TEXT]

FOLDER is made by build.sh. Printed are the rate of both products, the bandwidth of the cache, which is read once, and the
times of a copy of it.
"""
import os, re
import torch
from harness import Kernel, folder, options, time


def reference(q, kv):
    """In f32, a sequence at a time."""
    out = []
    for q1, kv1 in zip(q.float(), kv):
        scores = q1 @ kv1.float().t() / 576 ** 0.5
        out.append(torch.softmax(scores, -1) @ kv1[:, :512].float())
    return torch.stack(out)


def compare(batch, heads, length, paths):
    q = torch.randn(batch, heads, 576, device="cuda").bfloat16()
    kv = torch.randn(batch, length, 576, device="cuda").bfloat16()
    expected, other = reference(q, kv), torch.empty_like(kv)
    candidates, errors = {"copy": lambda: other.copy_(kv)}, {}
    for path in paths:
        out = torch.full((batch, heads, 512), float("nan"), device="cuda").bfloat16()
        candidates[path] = Kernel(os.path.join(folder, path), [q, kv, out])
        candidates[path]()
        torch.cuda.synchronize()
        errors[path] = ((out.float() - expected).norm() / expected.norm()).item()
    times, flops = time(candidates), 2 * batch * heads * length * (576 + 512)
    for name, ms in times.items():
        rate = f"{flops / ms / 1e9:6.0f} TFLOP/s  error {errors[name]:.1e}" if name in errors else ""
        print(f"mla {batch}x{heads} s={length} {name:44s} {ms * 1e3:8.1f} us {kv.numel() * 2 / ms / 1e6:6.0f} GB/s "
              f"{times['copy'] / ms:6.3f} {rate}", flush=True)


torch.manual_seed(0)
torch.backends.cuda.matmul.allow_tf32 = False
groups = {}
for path in sorted(os.listdir(folder)):
    match = re.match(r"mla_(\d+)_(\d+)_(\d+)", path)
    if match and options.get("filter", "") in path:
        groups.setdefault(tuple(map(int, match.groups())), []).append(path)
for key, paths in groups.items():
    compare(*key, paths)
