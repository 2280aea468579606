#!/usr/bin/env python3
"""Attention of one query a head over a long cache, next to a copy and to PyTorch, in one process.

    decode.py FOLDER [--rounds=N] [--filter=TEXT]

FOLDER is made by build.sh. Printed are the bandwidth of K and V, each read once, and its ratio to that of a copy.
"""
import os, re
import torch
from harness import Kernel, folder, options, time
from torch.nn.functional import scaled_dot_product_attention as attention
from torch.nn.attention import SDPBackend, sdpa_kernel


def reference(q, k, v):
    """In f32, a batch at a time."""
    out = []
    for q1, k1, v1 in zip(q, k, v):
        scores = q1.float() @ k1.float().transpose(1, 2) / q.shape[-1] ** 0.5
        out.append(torch.softmax(scores, -1) @ v1.float())
    return torch.stack(out)


def compare(batch, heads, group, length, d, paths):
    q = torch.randn(batch, heads, group, d, device="cuda").bfloat16()
    k, v = (torch.randn(batch, heads, length, d, device="cuda").bfloat16() for _ in range(2))
    expected, other = reference(q, k, v), torch.empty_like(k)
    flat = q.reshape(batch, heads * group, 1, d)

    def vendor(backend):
        with sdpa_kernel(backend):
            return attention(flat, k, v, enable_gqa=True)

    candidates, errors = {"copy": lambda: other.copy_(k)}, {}
    for name, backend in (("PyTorch flash", SDPBackend.FLASH_ATTENTION), ("cuDNN", SDPBackend.CUDNN_ATTENTION)):
        try:
            vendor(backend)
            candidates[name] = lambda backend=backend: vendor(backend)
        except RuntimeError as reason:
            print(f"{name}: {str(reason)[:80]}")
    for path in paths:
        split = int(re.search(r"split(\d+)", path)[1])
        parts = torch.full((batch, heads, split, group, d), float("nan"), device="cuda")
        stats = torch.full((batch, heads, split, group), float("nan"), device="cuda")
        out = torch.full_like(q, float("nan"))
        candidates[path] = Kernel(os.path.join(folder, path), [q, k, v, parts, stats, out])
        candidates[path]()
        torch.cuda.synchronize()
        errors[path] = ((out.float() - expected).norm() / expected.norm()).item()
    times, moved = time(candidates), 2 * k.numel() * 2
    for name, ms in times.items():
        error = f"  error {errors[name]:.1e}" if name in errors else ""
        print(f"decode {batch}x{heads}/{group} s={length} d={d} {name:48s} {ms * 1e3:8.1f} us "
              f"{moved / ms / 1e6:6.0f} GB/s {times['copy'] / ms:6.3f}{error}", flush=True)


torch.manual_seed(0)
torch.backends.cuda.matmul.allow_tf32 = False
groups = {}
for path in sorted(os.listdir(folder)):
    match = re.match(r"decode_(\d+)_(\d+)_(\d+)_(\d+)_(\d+)", path)
    if match and options.get("filter", "") in path:
        groups.setdefault(tuple(map(int, match.groups())), []).append(path)
for key, paths in groups.items():
    compare(*key, paths)
