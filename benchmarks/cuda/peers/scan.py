#!/usr/bin/env python3
"""The chunk scan of Mamba-2 next to a copy of what it reads, in one process.

    scan.py FOLDER [--rounds=N] [--filter=TEXT]

FOLDER is made by build.sh. Work is that of both products, the second one of the lower triangle; errors are to f32, of the first
sequence.
"""
import os, re
import torch
from harness import Kernel, folder, options, time

CHUNK, D, STATE = 256, 64, 128


def reference(cb, x, dt, a, c, states, skip):
    """In f32, of one sequence: chunks x heads x positions x D."""
    heads = x.shape[1]
    x = x.float().view(-1, CHUNK, heads, D).permute(0, 2, 1, 3)
    dt, a = dt.permute(1, 0, 2), a.permute(1, 0, 2)
    past = torch.einsum("cln,chdn->chld", c.float().view(-1, CHUNK, STATE), states.float()) * a[..., None].exp()
    decay = (a[..., :, None] - a[..., None, :]).exp().tril()
    weights = cb.float()[:, None] * decay * dt[..., None, :]
    y = past + weights @ x + skip[None, :, None, None] * x
    return y.permute(0, 2, 1, 3).reshape(-1, heads, D)


def compare(batch, heads, length, paths):
    chunks, device = length // CHUNK, "cuda"
    cb = torch.randn(batch, chunks, CHUNK, CHUNK, device=device).bfloat16()
    x = torch.randn(batch, length, heads, D, device=device).bfloat16()
    dt = torch.rand(batch, heads, chunks, CHUNK, device=device) * 0.1
    a = (-torch.rand(batch, heads, chunks, CHUNK, device=device) * 0.1).cumsum(-1)
    c = torch.randn(batch, length, STATE, device=device).bfloat16()
    states = torch.randn(batch, chunks, heads, D, STATE, device=device).bfloat16()
    skip = torch.randn(heads, device=device)
    inputs = [cb, x, dt, a, c, states, skip]
    other = torch.empty_like(x)
    expected = reference(cb[0], x[0], dt[0], a[0], c[0], states[0], skip)
    candidates = {"copy of x": lambda: other.copy_(x)}
    errors = {}
    for path in paths:
        y = torch.full_like(x, float("nan"))
        candidates[path] = Kernel(os.path.join(folder, path), [*inputs, y])
        candidates[path]()
        torch.cuda.synchronize()
        errors[path] = ((y[0].float() - expected).norm() / expected.norm()).item()
    times = time(candidates)
    flops = batch * length * heads * D * (CHUNK + 2 * STATE)
    moved = sum(t.numel() * t.element_size() for t in [*inputs, x])
    rate = 2 * x.numel() * 2 / times["copy of x"]
    for name, ms in times.items():
        if name in errors:
            print(f"scan {batch}x{heads} s={length} {name:40s} {ms * 1e3:8.1f} us {flops / ms / 1e9:6.0f} TFLOP/s "
                  f"{moved / ms / 1e6:6.0f} GB/s {moved / ms / rate:6.3f} of a copy  error {errors[name]:.1e}", flush=True)


torch.manual_seed(0)
torch.backends.cuda.matmul.allow_tf32 = False
print(torch.cuda.get_device_name(), flush=True)
groups = {}
for path in sorted(os.listdir(folder)):
    match = re.match(r"scan_(\d+)_(\d+)_(\d+)", path)
    if match and options.get("filter", "") in path:
        groups.setdefault(tuple(map(int, match.groups())), []).append(path)
for key, paths in groups.items():
    compare(*key, paths)
