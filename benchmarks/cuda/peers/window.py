#!/usr/bin/env python3
"""Attention in windows, with sinks, and of packed sequences, next to FlashAttention-2 and FlexAttention (PyTorch), in one process.

    window.py FOLDER [--rounds=N] [--filter=TEXT]

FOLDER is made by build.sh.
"""
import os, re
import torch
from harness import Kernel, folder, options, time
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

flash = torch.ops.aten._flash_attention_forward
BF16 = torch.bfloat16


def report(title, peer, work, candidates, outputs, expected):
    errors = {}
    for name, output in outputs.items():
        output.fill_(float("nan"))
        candidates[name]()
        torch.cuda.synchronize()
        errors[name] = ((output.float() - expected).norm() / expected.norm()).item()
    times = time(candidates)
    for name, ms in times.items():
        print(f"{title:44s} {name:40s} {ms * 1e3:9.1f} us {work / ms / 1e9:8.1f} TFLOP/s {times[peer] / ms:6.3f}"
              f"  {f'error {errors[name]:.1e}' if name in errors else ''}", flush=True)


def window(heads, kv_heads, s, d, width, paths):
    q = torch.randn(1, heads, s, d, device="cuda").to(BF16)
    k, v = (torch.randn(1, kv_heads, s, d, device="cuda").to(BF16) for _ in range(2))
    sinks = torch.randn(heads, device="cuda")
    rows = [t.transpose(1, 2).contiguous() for t in (q, k, v)]
    seen = lambda b, h, i, j: (j <= i) & (j + width > i)
    mask = create_block_mask(seen, None, None, s, s, device="cuda")
    flex = torch.compile(flex_attention, mode="max-autotune-no-cudagraphs")
    gqa = heads != kv_heads
    i, expected = torch.arange(s, device="cuda"), torch.empty(1, heads, s, d, device="cuda")
    hidden = (i[None] > i[:, None]) | (i[None] + width <= i[:, None])
    for h in range(heads):  # softmax over the scores and the sink
        g = h * kv_heads // heads
        scores = (q[0, h].float() @ k[0, g].float().t() / d ** 0.5).masked_fill_(hidden, float("-inf"))
        scores = torch.cat([scores, sinks[h].expand(s, 1)], 1).softmax(1)
        expected[0, h] = scores[:, :-1] @ v[0, g].float()
    outputs = {p: torch.empty_like(q) for p in paths}
    candidates = {"FlashAttention-2": lambda: flash(*rows, None, None, s, s, 0.0, True, False, window_size_left=width - 1, window_size_right=0),
                  "FlexAttention": lambda: flex(q, k, v, block_mask=mask, enable_gqa=gqa)}
    candidates.update({p: Kernel(os.path.join(folder, p), [q, k, v, sinks, outputs[p]]) for p in paths})
    pairs = sum(min(n + 1, width) for n in range(s))
    report(f"window {width} {heads}/{kv_heads} s={s} d={d}", "FlashAttention-2", 4 * heads * pairs * d, candidates, outputs, expected)


def packed(heads, kv_heads, batch, longest, d, causal, paths):
    lengths = torch.randint(longest // 8, longest + 1, (batch,))
    lengths[0] = longest
    ends = lengths.cumsum(0)
    starts = torch.cat([torch.zeros(1, dtype=torch.long), ends]).to(torch.int32).cuda()
    total = int(ends[-1])
    q = torch.randn(total, heads, d, device="cuda").to(BF16)
    k, v = (torch.randn(total, kv_heads, d, device="cuda").to(BF16) for _ in range(2))
    outputs = {p: torch.empty_like(q) for p in paths}
    peer = lambda: flash(q, k, v, starts, starts, longest, longest, 0.0, causal, False)
    candidates = {"FlashAttention-2": peer}
    try:
        cudnn = lambda: torch.ops.aten._cudnn_attention_forward(q, k, v, None, starts, starts, longest, longest, False, 0.0, causal, False)
        cudnn()
        candidates["cuDNN"] = cudnn
    except RuntimeError as error:
        print("cuDNN:", str(error).splitlines()[0][:150])
    candidates.update({p: Kernel(os.path.join(folder, p), [q, k, v, starts, outputs[p]]) for p in paths})
    pairs = sum(n * (n + 1) // 2 if causal else n * n for n in lengths.tolist())
    report(f"packed {batch} up to {longest}, {heads}/{kv_heads} d={d}{' causal' if causal else ''}", "FlashAttention-2",
           4 * heads * pairs * d, candidates, outputs, peer()[0].float())


torch.manual_seed(0)
groups = {}
for path in sorted(os.listdir(folder)):
    if options.get("filter", "") not in path:
        continue
    if of := re.match(r"window_(\d+)_(\d+)_(\d+)_(\d+)_(\d+)", path):
        groups.setdefault((window, *map(int, of.groups())), []).append(path)
    elif of := re.match(r"packed_(\d+)_(\d+)_(\d+)_(\d+)_(\d+)(_causal)?", path):
        groups.setdefault((packed, *map(int, of.groups()[:5]), of[6] is not None), []).append(path)
for (run, *sizes), paths in groups.items():
    run(*sizes, paths)
