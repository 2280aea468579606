#!/usr/bin/env python3
"""The backward pass of attention next to cuDNN and FlashAttention-2 (through PyTorch), in one process.

    backward.py FOLDER [--rounds=N] [--filter=TEXT]

FOLDER is made by build.sh. The vendors get the outputs and the sums of rows of their own forward pass. Work is that of
five products, half of it with a causal mask; errors are to f32, of the first two heads.
"""
import os, re
import torch
from harness import Kernel, folder, options, time

aten = torch.ops.aten


def reference(q, k, v, do, causal):
    """In f32, a head at a time."""
    q, k, v = (t.float().requires_grad_() for t in (q, k, v))
    scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
    if causal:
        scores = scores.masked_fill(torch.ones_like(scores, dtype=torch.bool).triu(1), float("-inf"))
    return torch.autograd.grad(torch.softmax(scores, -1) @ v, (q, k, v), do.float())


def make_cudnn(q, k, v, do, causal):
    out, lse, _, _, max_q, max_k, seed, offset, _ = aten._scaled_dot_product_cudnn_attention(q, k, v, None, True, 0.0, causal)
    return out, lse, lambda: aten._scaled_dot_product_cudnn_attention_backward(
        do, q, k, v, out, lse, seed, offset, None, None, None, max_q, max_k, 0.0, causal)


def make_flash(q, k, v, do, causal):
    out, lse, _, _, max_q, max_k, seed, offset, _ = aten._scaled_dot_product_flash_attention(q, k, v, 0.0, causal)
    return lambda: aten._scaled_dot_product_flash_attention_backward(
        do, q, k, v, out, lse, None, None, max_q, max_k, 0.0, causal, seed, offset)


def compare(batch, heads, length, d, causal, paths):
    q, k, v, do = (torch.randn(batch, heads, length, d, device="cuda").bfloat16() for _ in range(4))
    out, lse, cudnn = make_cudnn(q, k, v, do, causal)
    lse = lse.reshape(batch, heads, length).contiguous()
    candidates = {"cuDNN": cudnn, "FlashAttention-2": make_flash(q, k, v, do, causal)}
    results = {name: run for name, run in candidates.items()}
    delta = torch.empty_like(lse)
    sums = torch.empty(batch, heads, length, d, device="cuda")
    for path in paths:
        grads = [torch.full_like(q, float("nan")) for _ in range(3)]
        sums.fill_(float("nan"))
        kernel = Kernel(os.path.join(folder, path), [q, k, v, out, do, lse, delta, sums, *grads])
        candidates[path] = kernel
        results[path] = lambda kernel=kernel, grads=grads: (kernel(), grads)[1]
    expected = [reference(q[0, h], k[0, h], v[0, h], do[0, h], causal) for h in range(min(heads, 2))]
    errors = {}
    for name, run in results.items():
        got = run()
        torch.cuda.synchronize()
        errors[name] = [max(((g[0, h].float() - e[i]).norm() / e[i].norm()).item() for h, e in enumerate(expected))
                        for i, g in enumerate(got[:3])]
    work = 10 * batch * heads * length * length * d / (2 if causal else 1)
    times = time(candidates)
    for name, ms in times.items():
        print(f"backward {batch}x{heads} s={length} d={d}{' causal' if causal else ''} {name:56s} {ms:8.3f} ms "
              f"{work / ms / 1e9:6.0f} TFLOP/s  {times['cuDNN'] / ms:6.3f}x  errors "
              + " ".join(f"{e:.1e}" for e in errors[name]), flush=True)


torch.manual_seed(0)
torch.backends.cuda.matmul.allow_tf32 = False
print(torch.cuda.get_device_name(), flush=True)
groups = {}
for path in sorted(os.listdir(folder)):
    match = re.match(r"backward_(\d+)_(\d+)_(\d+)_(\d+)(_causal)?", path)
    if match and options.get("filter", "") in path:
        groups.setdefault((*map(int, match.groups()[:4]), match[5] is not None), []).append(path)
for key, paths in groups.items():
    try:
        compare(*key, paths)
    except RuntimeError as error:
        print(f"backward {key}: {error}", flush=True)
