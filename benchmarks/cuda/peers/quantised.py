#!/usr/bin/env python3
"""Products with weights of 4 bits next to cuBLAS with the same weights in bf16, in one process.

    quantised.py FOLDER [--rounds=N] [--filter=TEXT]

FOLDER is made by build.sh. Weights and activations rotate among as many copies as exceed the L2 cache; outputs are poisoned
and compared with a product in f32. The second ratio is the share of the bandwidth of a copy that the weights alone take.
"""
import os, re
import torch
from harness import Kernel, folder, options, time

E2M1 = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6], device="cuda")
CACHE = 200 << 20


def decode(type, codes):
    """Values of the codes 0 to 15."""
    if type == "i4":
        return (codes.int() ^ 8).float() - 8
    return E2M1[(codes & 7).long()] * (1 - 2 * (codes >> 3).float())


def reorder(codes):
    """Codes in the order that quantised_kernels.py calls packed: of 128, 32 for each of four lanes."""
    parts = codes.view(codes.shape[0], -1, 4, 4, 4, 2)  # word, number in half a word, lane, half
    return parts.permute(0, 1, 4, 2, 5, 3).reshape(codes.shape)


def pack(codes):
    return (codes[:, ::2] | codes[:, 1::2] << 4).view(torch.int8)


def cut(codes, rows, groups):
    """Tiles of so many rows and groups of 128 along K, one after the other, and within them group by group."""
    tiles = codes.view(codes.shape[0] // rows, rows, -1, groups, 128)
    return tiles.permute(0, 2, 3, 1, 4).reshape(-1, 512)


def order(path):
    """How the codes lie that a kernel takes: as they are, `packed`, or with the rows and groups of a tile, `tiles`."""
    if "_tiles" not in path:
        return "packed" if "_packed" in path else "plain"
    return int(re.search(r"_rows(\d+)", path)[1]), int((re.search(r"_tiles_(\d+)t", path) or (0, 1))[1])


def weights(type, n, k, orders):
    """Packed codes, in all these orders, their scales, and what they mean."""
    codes = torch.randint(0, 16, (n, k), device="cuda", dtype=torch.uint8)
    scales = torch.rand(k // 128, n, device="cuda") / 8 + 0.01
    make = {"plain": lambda: codes, "packed": lambda: reorder(codes)}
    packed = {o: pack(make[o]() if o in make else cut(reorder(codes), *o)) for o in orders}
    return packed, scales, decode(type, codes) * scales.t().repeat_interleave(128, 1)


def rotate(calls):
    state = [0]

    def call():
        state[0] = (state[0] + 1) % len(calls)
        return calls[state[0]]()
    return call


def copy_rate():
    x = torch.empty(256 << 20, device="cuda", dtype=torch.int8).random_()
    y = torch.empty_like(x)
    return 2 * x.numel() / time({"copy": lambda: y.copy_(x)})["copy"]


def compare(type, m, n, k, paths):
    a = torch.randn(m, k, device="cuda").bfloat16()
    orders = {order(path) for path in paths}
    sets = [weights(type, n, k, orders)[:2] for _ in range(max(1, CACHE // (n * k // 2)))]
    packed, scales, wide = weights(type, n, k, orders)
    sets.append((packed, scales))
    reference = a.float() @ wide.t()
    wide = wide.bfloat16()
    own = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
    candidates = {"cuBLAS bf16": lambda: torch.mm(a, wide.t(), out=own)}
    errors = {}
    for path in paths:
        out = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
        kernels = [Kernel(os.path.join(folder, path), [a, q[order(path)], s, out]) for q, s in sets]
        out.fill_(float("nan"))
        kernels[-1]()
        torch.cuda.synchronize()
        errors[path] = ((out.float() - reference).norm() / reference.norm()).item()
        candidates[path] = rotate(kernels)
    times, rate = time(candidates, len(sets), graphs=True), copy_rate()
    for name, ms in times.items():
        error = f"  error {errors[name]:.1e}" if name in errors else ""
        print(f"{type} {m}x{n}x{k} {name:52s} {ms * 1e3:8.1f} us {times['cuBLAS bf16'] / ms:6.3f}x"
              f"  {n * k / 2 / ms / rate:6.3f} of copy  {2 * m * n * k / ms / 1e9:7.1f} TFLOP/s{error}", flush=True)


torch.manual_seed(0)
torch.backends.cuda.matmul.allow_tf32 = False
groups = {}
for path in sorted(os.listdir(folder)):
    match = re.match(r"(i4|f4E2M1FN)_(\d+)_(\d+)_(\d+)", path)
    if match and options.get("filter", "") in path:
        groups.setdefault((match[1], *map(int, match.groups()[1:])), []).append(path)
for key, paths in groups.items():
    compare(*key, paths)
