#!/usr/bin/env python3
"""Kernels of tile next to cuBLAS and cuDNN (through PyTorch) and to Triton, where it is installed, in one process.

    bench.py FOLDER [--rounds=N] [--filter=TEXT]

FOLDER holds libtile-bench.so and one folder a kernel, made by build.sh. Every
candidate runs in every round, the order rotates, data is random, outputs are
poisoned; printed are medians, and ratios to the vendor's library.
"""
import ctypes, os, re, statistics, sys
import torch
import torch.utils.dlpack as dlpack
from torch.nn.functional import scaled_dot_product_attention as attention
from torch.nn.attention import SDPBackend, sdpa_kernel

try:
    import triton_peers
except ImportError:
    triton_peers = None

folder = sys.argv[1]
options = dict(re.match(r"--(\w+)=(.*)", a).groups() for a in sys.argv[2:])
rounds = int(options.get("rounds", 16))
lib = ctypes.CDLL(os.path.join(folder, "libtile-bench.so"))
lib.tile_bench_error.restype = ctypes.c_char_p
lib.tile_bench_load.restype = ctypes.c_void_p
lib.tile_bench_launch.restype = ctypes.c_bool
pointer = ctypes.pythonapi.PyCapsule_GetPointer
pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


class Kernel:
    def __init__(self, path, tensors):
        load = [os.path.join(path, n).encode() for n in ("image.cubin", "kernel-0.json")]
        self.handle = lib.tile_bench_load(*load)
        if not self.handle:
            raise RuntimeError(lib.tile_bench_error().decode())
        self.capsules = [dlpack.to_dlpack(t) for t in tensors]
        self.pointers = (ctypes.c_void_p * len(tensors))(
            *[pointer(c, b"dltensor") for c in self.capsules])

    def __call__(self):
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        if not lib.tile_bench_launch(ctypes.c_void_p(self.handle), self.pointers, len(self.capsules), stream):
            raise RuntimeError(lib.tile_bench_error().decode())


def time(candidates, launches=4):
    """Median milliseconds of each candidate, order-rotated."""
    names, samples = list(candidates), {n: [] for n in candidates}
    for r in range(rounds + 2):
        for name in names[r % len(names):] + names[:r % len(names)]:
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            for _ in range(launches):
                candidates[name]()
            end.record()
            end.synchronize()
            if r >= 2:
                samples[name].append(begin.elapsed_time(end) / launches)
    return {n: statistics.median(s) for n, s in samples.items()}


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
        print(f"{title:34s} {name:28s} {work / ms / (1e9 if unit == 'TFLOP/s' else 1e6):8.1f} {unit}  {times[peer] / ms:6.3f}x"
              f"  error {errors.get(name, 0):.1e}", flush=True)


def gemm(m, n, k, paths):
    a, b = (torch.randn(s, k, device="cuda").bfloat16() for s in (m, n))
    outputs = {p: torch.empty(m, n, device="cuda", dtype=torch.bfloat16) for p in paths}
    own = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)
    candidates = {"cuBLAS": lambda: torch.mm(a, b.t(), out=own)}
    if triton_peers and n % 8 == 0 and k % 8 == 0:  # as its tensor descriptors need
        outputs["Triton"] = torch.empty_like(own)
        candidates["Triton"] = triton_peers.make_product(a, b, outputs["Triton"])
    candidates.update({p: Kernel(os.path.join(folder, p), [a, b, outputs[p]]) for p in paths})
    report(f"gemm bf16 {m}x{n}x{k}", "cuBLAS", 2 * m * n * k, candidates, outputs, torch.mm(a, b.t()).float())


def attend(h, s, d, paths):
    q, k, v = (torch.randn(1, h, s, d, device="cuda").to(torch.bfloat16) for _ in range(3))
    outputs = {p: torch.empty_like(q) for p in paths}

    def vendor():
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            return attention(q, k, v)

    candidates = {"cuDNN": vendor}
    if triton_peers:
        outputs["Triton"] = torch.empty_like(q)
        candidates["Triton"] = triton_peers.make_attention(q, k, v, outputs["Triton"])
    candidates.update({p: Kernel(os.path.join(folder, p), [q, k, v, outputs[p]]) for p in paths})
    report(f"attention bf16 h={h} s={s} d={d}", "cuDNN", 4 * h * s * s * d, candidates, outputs, vendor().float())


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
kinds = {"gemm": (gemm, 3), "attention": (attend, 3), "softmax": (softmax, 2), "norm": (norm, 2)}
groups = {}
for path in sorted(os.listdir(folder)):
    match = re.match(r"([a-z]+)((?:_\d+)+)", path)
    if match and match[1] in kinds and options.get("filter", "") in path:
        groups.setdefault((match[1], *map(int, match[2].split("_")[1:])), []).append(path)
for (kind, *sizes), paths in groups.items():
    function, count = kinds[kind]
    function(*sizes[:count], paths)
