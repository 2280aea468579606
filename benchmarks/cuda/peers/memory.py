#!/usr/bin/env python3
"""Kernels of tile whose time is that of their bytes, next to a copy of the input, to PyTorch and, where it is installed, to
quack, in one process.

    memory.py FOLDER [--rounds=N] [--filter=TEXT]

FOLDER is made by build.sh. Printed are medians of rounds in random order as bandwidth, each byte counted once, and ratios to
that of the copy. Each kernel moves 512 MB or more, so that nothing stays in the cache. Of outputs, poisoned before, the first
4096 rows are compared with PyTorch's in f32; the last row must be free of NaN.
"""
import os, re
import torch
from harness import Kernel, folder, options, time

try:
    from quack.rmsnorm import layernorm_fwd, rmsnorm_fwd
    from quack.softmax import softmax_fwd
except ImportError:
    softmax_fwd = None

functional = torch.nn.functional
TYPES = {"bf16": torch.bfloat16, "f32": torch.float32}


def quantise(x):
    groups = x.float().view(x.shape[0], -1, 128)
    scale = groups.abs().amax(2).clamp(min=1e-4) / 448
    return [groups / scale[..., None], scale]


# Of input and weight; what PyTorch has no function for has no peer.
FUNCTIONS = {
    "softmax": lambda x, w: torch.softmax(x, 1),
    "rms_norm": lambda x, w: functional.rms_norm(x, x.shape[1:], w, 1e-5),
    "layer_norm": lambda x, w: functional.layer_norm(x, x.shape[1:], w, None),
    "gelu": lambda x, w: functional.gelu(x),
    "row_sum": lambda x, w: x.sum(1, dtype=torch.float32),
    "cumsum": lambda x, w: x.cumsum(1),
    "transpose": lambda x, w: x.t().contiguous(),
}


# As many as quack has.
QUACK = {
    "softmax": lambda x, w: softmax_fwd(x),
    "rms_norm": lambda x, w: rmsnorm_fwd(x, w, eps=1e-5),
    "layer_norm": lambda x, w: layernorm_fwd(x, w, eps=1e-5),
}


def make_outputs(kind, x):
    rows, columns = x.shape
    if kind == "row_sum":
        return [torch.empty(rows, device="cuda")]
    if kind == "transpose":
        return [torch.empty(columns, rows, device="cuda", dtype=x.dtype)]
    if kind == "act_quant":
        groups = columns // 128
        return [torch.empty(rows, groups, 128, device="cuda", dtype=torch.float8_e4m3fn),
                torch.empty(rows, groups, device="cuda")]
    return [torch.empty_like(x)]


def check(run, outputs, expected):
    for output in outputs:
        output.view(torch.uint8).fill_(255)
    run()
    torch.cuda.synchronize()
    errors = [((o[:len(e)].float() - e).norm() / e.norm()).item() for o, e in zip(outputs, expected)]
    return max(errors) if all(o[-1].float().isfinite().all() for o in outputs) else float("nan")


def compare(kind, type, rows, columns, paths):
    x = torch.randn(rows, columns, device="cuda").to(TYPES[type])
    w = torch.randn(columns, device="cuda").to(TYPES[type])
    outputs, copy = make_outputs(kind, x), torch.empty_like(x)
    some = x if kind == "transpose" else x[:4096]
    expected = quantise(some) if kind == "act_quant" else [FUNCTIONS[kind](some.float(), w.float())]
    inputs = [x, w] if "norm" in kind else [x]
    candidates = {p: Kernel(os.path.join(folder, p), inputs + outputs) for p in paths}
    errors = {p: check(run, outputs, expected) for p, run in candidates.items()}
    candidates["copy"] = lambda: copy.copy_(x)
    if kind in FUNCTIONS:
        candidates["PyTorch"] = lambda: FUNCTIONS[kind](x, w)
    if softmax_fwd and kind in QUACK and columns % 8 == 0:  # as it wants
        weight = w.float() if kind == "layer_norm" else w
        candidates["quack"] = lambda: QUACK[kind](x, weight)
    times = time(candidates, launches=2)
    moved = sum(t.numel() * t.element_size() for t in [x] + outputs)
    rate = 2 * x.numel() * x.element_size() / times["copy"]
    for name, ms in times.items():
        done = (2 * x.numel() * x.element_size() if name == "copy" else moved) / ms
        error = f"  error {errors[name]:.1e}" if name in errors else ""
        print(f"{kind:10s} {type:4s} {rows:7d}x{columns:<6d} {name:36s} {done / 1e6:6.0f} GB/s {done / rate:6.3f}{error}",
              flush=True)


torch.manual_seed(0)
groups = {}
for path in sorted(os.listdir(folder)):
    match = re.match(r"(\w+)_(bf16|f32)_(\d+)_(\d+)", path)
    if match and (match[1] in FUNCTIONS or match[1] == "act_quant") and options.get("filter", "") in path:
        groups.setdefault((match[1], match[2], int(match[3]), int(match[4])), []).append(path)
for key, paths in groups.items():
    compare(*key, paths)
