#!/usr/bin/env python3
"""Kernels of tile next to cuBLAS and cuDNN (through PyTorch) and, where they are installed, to Triton, FlashAttention-4 and
quack, which tunes each product first, in one process.

    bench.py FOLDER [--rounds=N] [--filter=TEXT]

FOLDER holds libtile-bench.so and one folder a kernel, made by build.sh. Every
candidate runs in every round, in random order, data is random, outputs are
poisoned; printed are medians, and ratios to the vendor's library.
"""
import os, re
import torch
from harness import Kernel, folder, options, time
from torch.nn.functional import scaled_dot_product_attention as attention
from torch.nn.attention import SDPBackend, sdpa_kernel

try:
    import triton_peers
except ImportError:
    triton_peers = None
try:
    from flash_attn.cute import flash_attn_func
except ImportError:
    flash_attn_func = None
try:
    from quack.gemm_interface import gemm as quack_gemm
except ImportError:
    quack_gemm = None


def report(title, peer, work, candidates, outputs, reference, unit="TFLOP/s"):
    errors = {}
    for name, run in candidates.items():
        if name in outputs:
            outputs[name].fill_(float("nan"))
            run()
            torch.cuda.synchronize()
            got = outputs[name].float()
            errors[name] = ((got - reference).norm() / reference.norm()).item()
    times = time(candidates)
    for name, ms in times.items():
        print(f"{title:44s} {name:40s} {work / ms / (1e9 if unit == 'TFLOP/s' else 1e6):8.1f} {unit}  {times[peer] / ms:6.3f}x"
              f"  error {errors.get(name, 0):.1e}", flush=True)


def gemm(m, n, k, nn, paths):
    a, b = (torch.randn(s, k, device="cuda").bfloat16() for s in (m, n))
    b = b.t().contiguous().t() if nn else b
    outputs = {p: torch.empty(m, n, device="cuda", dtype=torch.bfloat16) for p in paths}
    own = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
    candidates = {"cuBLAS": lambda: torch.mm(a, b.t(), out=own)}
    if triton_peers and not nn and n % 8 == 0 and k % 8 == 0:  # as its tensor descriptors need
        outputs["Triton"] = torch.empty_like(own)
        candidates["Triton"] = triton_peers.make_product(a, b, outputs["Triton"])
    if quack_gemm:
        outputs["quack"] = torch.empty_like(own)
        candidates["quack"] = lambda: quack_gemm(a, b.t(), out=outputs["quack"])
    candidates.update({p: Kernel(os.path.join(folder, p), [a, b.t() if nn else b, outputs[p]]) for p in paths})
    report(f"gemm bf16 {m}x{n}x{k}{' nn' if nn else ''}", "cuBLAS", 2 * m * n * k, candidates, outputs, torch.mm(a, b.t()).float())


def attend(batch, heads, kv_heads, s, d, causal, paths):
    q = torch.randn(batch, heads, s, d, device="cuda").bfloat16()
    k, v = (torch.randn(batch, kv_heads, s, d, device="cuda").bfloat16() for _ in range(2))
    outputs = {p: torch.empty_like(q) for p in paths}

    def vendor():
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            return attention(q, k, v, is_causal=causal, enable_gqa=heads != kv_heads)

    candidates = {"cuDNN": vendor}
    if triton_peers and batch == 1 and heads == kv_heads and not causal and s % 128 == 0 and d in (64, 128):
        outputs["Triton"] = torch.empty_like(q)
        candidates["Triton"] = triton_peers.make_attention(q, k, v, outputs["Triton"])
    if flash_attn_func:
        rows = [t.transpose(1, 2).contiguous() for t in (q, k, v)]
        candidates["FlashAttention-4"] = lambda: flash_attn_func(*rows, causal=causal)
    candidates.update({p: Kernel(os.path.join(folder, p), [q, k, v, outputs[p]]) for p in paths})
    report(f"attention bf16 {batch}x{heads}/{kv_heads} s={s} d={d}{' causal' if causal else ''}", "cuDNN",
           4 * batch * heads * s * s * d / (2 if causal else 1), candidates, outputs, vendor().float())


def softmax(m, n, paths):
    x = torch.randn(m, n, device="cuda")
    own = torch.empty_like(x)
    outputs = {p: torch.empty_like(x) for p in paths}
    candidates = {"copy": lambda: own.copy_(x), "PyTorch": lambda: torch.softmax(x, 1, out=own)}
    candidates.update({p: Kernel(os.path.join(folder, p), [x, outputs[p]]) for p in paths})
    report(f"softmax f32 {m}x{n}", "copy", 8 * m * n, candidates, outputs, torch.softmax(x, 1), "GB/s")


def norm(m, n, paths):
    x, w = torch.randn(m, n, device="cuda").bfloat16(), torch.randn(n, device="cuda").bfloat16()
    own = torch.empty_like(x)
    outputs = {p: torch.empty_like(x) for p in paths}
    candidates = {"copy": lambda: own.copy_(x), "PyTorch": lambda: torch.nn.functional.rms_norm(x, (n,), w, 1e-6)}
    candidates.update({p: Kernel(os.path.join(folder, p), [x, w, outputs[p]]) for p in paths})
    reference = torch.nn.functional.rms_norm(x.float(), (n,), w.float(), 1e-6)
    report(f"rms norm bf16 {m}x{n}", "copy", 4 * m * n, candidates, outputs, reference, "GB/s")


torch.manual_seed(0)
groups = {}
for path in sorted(os.listdir(folder)):
    gemm_of = re.match(r"gemm_(\d+)_(\d+)_(\d+)(_nn)?", path)
    attention_of = re.match(r"attention_(\d+)_(\d+)_(\d+)_(\d+)_(\d+)(_causal)?", path)
    rows_of = re.match(r"(softmax|norm)_(\d+)_(\d+)", path)
    if options.get("filter", "") not in path:
        continue
    if gemm_of:
        groups.setdefault((gemm, *map(int, gemm_of.groups()[:3]), gemm_of[4] is not None), []).append(path)
    elif attention_of:
        sizes = map(int, attention_of.groups()[:5])
        groups.setdefault((attend, *sizes, attention_of[6] is not None), []).append(path)
    elif rows_of:
        run = softmax if rows_of[1] == "softmax" else norm
        groups.setdefault((run, int(rows_of[2]), int(rows_of[3])), []).append(path)
for (run, *sizes), paths in groups.items():
    run(*sizes, paths)
