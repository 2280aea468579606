#!/usr/bin/env python3
"""Attention to chosen keys, as of DeepSeek V3.2, in one process.

    sparse.py FOLDER [--rounds=N] [--filter=TEXT]

FOLDER is made by build.sh. Of the lists, one entry in 50 is -1, and one in 100 is the last key, which most queries do not see.
"""
import os, re
import torch
from harness import Kernel, folder, options, time


def reference(q, kv, lists):
    """In f32, some queries at a time."""
    queries, keys, out = len(q), len(kv), []
    last = torch.arange(queries, device="cuda")[:, None] + keys - queries
    hidden = (lists < 0) | (lists > last)
    for i in range(0, queries, 64):
        chosen = kv[lists[i:i + 64].clamp(min=0).long()].float()
        scores = torch.bmm(q[i:i + 64].float(), chosen.transpose(1, 2)) / 576 ** 0.5
        weights = torch.softmax(scores.masked_fill(hidden[i:i + 64, None], float("-inf")), 2)
        out.append(torch.bmm(weights, chosen[:, :, :512]))
    return torch.cat(out)


def compare(queries, heads, keys, chosen, paths):
    q = torch.randn(queries, heads, 576, device="cuda").half()
    kv = torch.randn(keys, 576, device="cuda").half()
    lists = torch.randint(0, keys - queries, (queries, chosen), device="cuda", dtype=torch.int32)
    lists[torch.rand(queries, chosen, device="cuda") < 0.02] = -1
    lists[torch.rand(queries, chosen, device="cuda") < 0.01] = keys - 1
    expected, candidates, errors = reference(q, kv, lists), {}, {}
    for path in paths:
        out = torch.full((queries, heads, 512), float("nan"), device="cuda").half()
        candidates[path] = Kernel(os.path.join(folder, path), [q, kv, lists, out])
        candidates[path]()
        torch.cuda.synchronize()
        errors[path] = ((out.float() - expected).norm() / expected.norm()).item()
    flops = 2 * queries * heads * chosen * (576 + 512)
    for name, ms in time(candidates).items():
        print(f"sparse {queries}x{heads} {chosen} of {keys} {name:44s} {ms * 1e3:8.1f} us {flops / ms / 1e9:6.0f} TFLOP/s"
              f"  error {errors[name]:.1e}", flush=True)


torch.manual_seed(0)
torch.backends.cuda.matmul.allow_tf32 = False
groups = {}
for path in sorted(os.listdir(folder)):
    match = re.match(r"sparse_(\d+)_(\d+)_(\d+)_(\d+)", path)
    if match and options.get("filter", "") in path:
        groups.setdefault(tuple(map(int, match.groups())), []).append(path)
for key, paths in groups.items():
    compare(*key, paths)
