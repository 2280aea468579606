#!/usr/bin/env python3
"""The examples of examples/, as they are, next to the vendor's kernels (cuBLAS, cuDNN, PyTorch), in one process.

    examples.py FOLDER [--rounds=N] [--filter=TEXT]

FOLDER holds example_<name> for each of them, made by build.sh. Sizes are dynamic: one kernel runs all rows, those whose sizes
forbid tensor copies, too. Outputs are poisoned before they are compared with PyTorch's in f32.
"""
import os
import torch
from harness import Kernel, folder, options, time
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import rms_norm, scaled_dot_product_attention

F16, F32, I32 = torch.float16, torch.float32, torch.int32


def random(*shape, type=F16):
    return torch.randn(*shape, device="cuda").to(type)


def empty(*shape, type=F16):
    return torch.empty(*shape, device="cuda", dtype=type)


def vector_add(n):
    a, b, own = random(n, type=F32), random(n, type=F32), empty(n, type=F32)
    return [a, b], [empty(n, type=F32)], {"PyTorch": lambda: torch.add(a, b, out=own)}, [a + b], 12 * n


def matmul_relu(m, n, k):
    a, b, own = random(m, k), random(k, n), empty(m, n)
    expected = torch.mm(a, b).float().relu()
    return [a, b], [empty(m, n)], {"cuBLAS": lambda: torch.mm(a, b, out=own)}, [expected], 2 * m * n * k


def matmul_splitk(m, n, k):
    a, b, own = random(m, k), random(k, n), empty(m, n)
    expected = a.float() @ b.float()
    return [a, b], [empty(m, n, type=F32)], {"cuBLAS": lambda: torch.mm(a, b, out=own)}, [expected], 2 * m * n * k


def matmul_dequant(m, n, k):
    a, own = random(m, k), empty(m, n)
    packed = torch.randint(-128, 128, (n, -(-k // 2)), device="cuda", dtype=torch.int8)
    scales = torch.rand(-(-k // 128), n, device="cuda") / 4
    codes = torch.stack([packed << 4 >> 4, packed >> 4], 2).view(n, -1)[:, :k]
    weights = (codes * scales.t().repeat_interleave(128, 1)[:, :k]).half()
    del codes
    expected = torch.mm(a, weights.t()).float()
    peers = {"cuBLAS": lambda: torch.mm(a, weights.t(), out=own)}
    return [a, packed, scales], [empty(m, n)], peers, [expected], 2 * m * n * k


def flash_attention(heads, s, causal=False):
    q, k, v = (random(1, heads, s, 64) for _ in range(3))

    def vendor():
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            return scaled_dot_product_attention(q, k, v, is_causal=causal)
    return [q, k, v], [torch.empty_like(q)], {"cuDNN": vendor}, [vendor().float()], 4 * heads * s * s * 64 // (1 + causal)


def flash_attention_causal(heads, s):
    return flash_attention(heads, s, causal=True)


def softmax(m, n):
    x, own = random(m, n, type=F32), empty(m, n, type=F32)
    peers = {"copy": lambda: own.copy_(x), "PyTorch": lambda: torch.softmax(x, 1, out=own)}
    return [x], [empty(m, n, type=F32)], peers, [torch.softmax(x, 1)], 8 * m * n


def rms(m, n):
    x, w, own = random(m, n), random(n), empty(m, n)
    peers = {"copy": lambda: own.copy_(x), "PyTorch": lambda: rms_norm(x, (n,), w, 1e-5)}
    return [x, w], [empty(m, n)], peers, [rms_norm(x.float(), (n,), w.float(), 1e-5)], 4 * m * n


def topk_selector(m, n):
    x = random(m, n, type=F32)
    return ([x], [empty(m, 64, type=F32), empty(m, 64, type=I32)], {"PyTorch": lambda: torch.topk(x, 64)},
            [torch.topk(x, 64)[0]], 4 * m * n)


def lightning_indexer(s, n):
    q, k, w = random(s, 64, 128), random(n, 128), random(s, 64, type=F32)
    hidden = torch.arange(n, device="cuda") > torch.arange(s, device="cuda")[:, None] + n - s

    def peer():
        dots = torch.mm(q.view(-1, 128), k.t()).view(s, 64, n).relu_()
        return torch.topk(torch.bmm(w[:, None].half(), dots)[:, 0].masked_fill_(hidden, float("-inf")), 64)
    return [q, k, w], [empty(s, 64, type=I32)], {"PyTorch": peer}, [], 2 * 64 * 128 * s * n


def sparse_attention(s, heads, n, keys):
    q, kv = random(s, heads, 576), random(n, 576)
    lists = torch.randint(0, n - s, (s, keys), device="cuda", dtype=I32)

    def peer():
        chosen = kv[lists]
        p = torch.softmax(torch.bmm(q, chosen.transpose(1, 2)) / 24, 2)
        return torch.bmm(p, chosen[:, :, :512])
    return ([q, kv, lists], [empty(s, heads, 512)], {"PyTorch": peer}, [peer().float()],
            2 * (576 + 512) * s * heads * keys)


# Of each example: a vendor's call, and sizes, those of the fast form first.
ROWS = [
    (vector_add, "GB/s", [(1 << 27,), ((1 << 27) - 1,)]),
    (matmul_relu, "TFLOP/s", [(4096,) * 3, (8192,) * 3, (4096, 4096, 4098), (4096, 4096, 4097), (4096, 4097, 4096)]),
    (matmul_splitk, "TFLOP/s", [(512, 512, 16384), (512, 511, 16383)]),
    (matmul_dequant, "TFLOP/s", [(m, 7168, 16384) for m in (1, 16, 64, 4096)] + [(16, 7166, 16383)]),
    (flash_attention, "TFLOP/s", [(16, 8448), (16, 8400), (32, 1000)]),
    (flash_attention_causal, "TFLOP/s", [(16, 8192), (16, 8100)]),
    (softmax, "GB/s", [(8192, 8192), (8192, 8190), (8192, 8191)]),
    (rms, "GB/s", [(32768, 4096), (32768, 4094), (32768, 4095)]),
    (topk_selector, "GB/s", [(64, 32768), (1024, 32767)]),
    (lightning_indexer, "TFLOP/s", [(512, 8192)]),
    (sparse_attention, "TFLOP/s", [(256, 128, 16384, 2048)]),
]


def compare(make, unit, sizes, path):
    inputs, outputs, candidates, expected, work = make(*sizes)
    kernel = Kernel(path, inputs + outputs)
    for output in outputs:
        output.view(torch.uint8).fill_(255)
    kernel()
    torch.cuda.synchronize()
    errors = [((o.float() - e).norm() / e.norm()).item() for o, e in zip(outputs, expected)]
    peer = next(iter(candidates))
    times = time(dict(candidates, tile=kernel), launches=2)
    for name, ms in times.items():
        error = f"  error {max(errors):.1e}" if name == "tile" and errors else ""
        print(f"{make.__name__:22s} {'x'.join(map(str, sizes)):20s} {name:8s} {ms * 1e3:9.1f} us"
              f" {work / ms / (1e9 if unit == 'TFLOP/s' else 1e6):8.1f} {unit:8s} {times[peer] / ms:6.3f}{error}", flush=True)


torch.manual_seed(0)
torch.backends.cuda.matmul.allow_tf32 = False
for make, unit, rows in ROWS:
    name = "rms_norm" if make is rms else make.__name__
    path = os.path.join(folder, "example_" + name)
    for sizes in rows if os.path.isdir(path) and options.get("filter", "") in name else []:
        try:
            compare(make, unit, sizes, path)
        except RuntimeError as error:  # what a kernel refuses is a row, too
            print(f"{name:22s} {'x'.join(map(str, sizes)):20s} {str(error).splitlines()[0][:160]}", flush=True)
