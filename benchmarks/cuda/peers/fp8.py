#!/usr/bin/env python3
"""Products of f8E4M3FN with scales of blocks next to cuBLASLt with one scale a tensor, in one process.

    fp8.py FOLDER [--rounds=N] [--filter=TEXT]

FOLDER is made by build.sh. Errors are to the product of what the codes and scales stand for, in f32.
"""
import os, re
import torch
from harness import Kernel, folder, options, time

e4m3 = torch.float8_e4m3fn


def encode(x, rows):
    """Codes, a scale for `rows` x 128 elements, and what they stand for."""
    blocks = x.reshape(x.shape[0] // rows, rows, x.shape[1] // 128, 128)
    scales = blocks.abs().amax((1, 3), keepdim=True) / 448
    codes = (blocks / scales).to(e4m3)
    return codes.reshape(x.shape), scales[:, 0, :, 0], (codes.float() * scales).reshape(x.shape)


def compare(m, n, k, paths):
    a, a_scales, a_value = encode(torch.randn(m, k, device="cuda"), 1)
    b, b_scales, b_value = encode(torch.randn(n, k, device="cuda"), 128)
    a_scales, b_scales, one = a_scales.t().contiguous(), b_scales.contiguous(), torch.ones((), device="cuda")
    expected = a_value @ b_value.t()
    del a_value, b_value
    candidates = {"cuBLASLt, one scale": lambda: torch._scaled_mm(a, b.t(), one, one, out_dtype=torch.bfloat16, use_fast_accum=True)}
    errors = {}
    for path in paths:
        out = torch.full((m, n), float("nan"), device="cuda").bfloat16()
        candidates[path] = Kernel(os.path.join(folder, path), [a, b, a_scales, b_scales, out])
        candidates[path]()
        torch.cuda.synchronize()
        errors[path] = ((out.float() - expected).norm() / expected.norm()).item()
    times = time(candidates, graphs=True)
    peer = times["cuBLASLt, one scale"]
    for name, ms in times.items():
        error = f"  error {errors[name]:.1e}" if name in errors else ""
        print(f"fp8 {m}x{n}x{k} {name:48s} {ms * 1e3:8.1f} us {2 * m * n * k / ms / 1e9:6.0f} TFLOP/s "
              f"{(m * k + n * k + 2 * m * n) / ms / 1e6:6.0f} GB/s {peer / ms:6.3f}x{error}", flush=True)


torch.manual_seed(0)
torch.backends.cuda.matmul.allow_tf32 = False
print(torch.cuda.get_device_name(), flush=True)
groups = {}
for path in sorted(os.listdir(folder)):
    match = re.match(r"fp8_(\d+)_(\d+)_(\d+)", path)
    if match and options.get("filter", "") in path:
        groups.setdefault(tuple(map(int, match.groups())), []).append(path)
for key, paths in groups.items():
    compare(*key, paths)
