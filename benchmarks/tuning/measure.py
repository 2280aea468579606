#!/usr/bin/env python3
"""Times the configurations that build.py compiled, on every shape of plan.json, in one process.

    measure.py FOLDER [--out=CSV] [--rounds=N] [--filter=KERNEL]

Each configuration is compared with PyTorch before it is timed, and left out if it differs. Before each launch the L2 cache is
flushed; the order of configurations rotates from round to round; CSV (measured.csv) gets medians in microseconds.
"""
import csv, ctypes, json, os, re, statistics
import torch
import torch.utils.dlpack as dlpack
from harness import folder, lib, options, pointer, split_metadata

rounds = int(options.get("rounds", 11))
flush = torch.empty(256 << 20, device="cuda", dtype=torch.int8)


class Code:
    """The kernels of one configuration, for tensors of any shape."""

    def __init__(self, path):
        self.handles = [ctypes.c_void_p(lib.tile_bench_load(os.path.join(path, "image.cubin").encode(), name.encode()))
                        for name in split_metadata(os.path.join(path, "kernel-0.json"))]
        if not all(h.value for h in self.handles):
            raise RuntimeError(lib.tile_bench_error().decode())

    def bind(self, tensors):
        capsules = [dlpack.to_dlpack(t) for t in tensors]
        pointers = (ctypes.c_void_p * len(tensors))(*[pointer(c, b"dltensor") for c in capsules])

        def call(capsules=capsules):
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            for handle in self.handles:
                if not lib.tile_bench_launch(handle, pointers, len(capsules), stream):
                    raise RuntimeError(lib.tile_bench_error().decode())
        return call


def normal(*shape):
    return torch.randn(*shape, device="cuda").bfloat16()


def gemm(M, N, K):
    a, b, c = normal(M, K), normal(N, K), normal(M, N)
    return [a, b, c], a.float() @ b.float().t()


def attention(H, S):
    q, k, v, o = (normal(H, S, 128) for _ in range(4))
    return [q, k, v, o], torch.nn.functional.scaled_dot_product_attention(q, k, v).float()


def rms_norm(M, N):
    x, w, y = normal(M, N), normal(N), normal(M, N)
    return [x, w, y], torch.nn.functional.rms_norm(x.float(), (N,), w.float(), 1e-6)


def dequant(M, N, K, P, G, Z):
    a, c = normal(M, K), normal(M, N)
    codes = torch.randint(0, 16, (N, K), device="cuda", dtype=torch.uint8)
    scales = torch.rand(G, N, device="cuda") / 8 + 0.01
    packed = (codes[:, ::2] | codes[:, 1::2] << 4).view(torch.int8)
    wide = ((codes.int() ^ 8).float() - 8) * scales.t().repeat_interleave(128, 1)
    return [a, packed, scales, torch.empty(Z, M, N, device="cuda"), c], a.float() @ wide.t()


def sample(call):
    flush.zero_()
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    call()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1e3


def measure(make, case, codes):
    """Rows of a shape: configuration, microseconds, relative error."""
    tensors, reference = make(**{n: int(v) for n, v in re.findall(r"(\w+)=(\d+)", case)})
    calls, errors = {}, {}
    for name, code in codes.items():
        try:
            call = code.bind(tensors)
            tensors[-1].fill_(float("nan"))
            call()
            torch.cuda.synchronize()
        except RuntimeError as error:
            print(f"{case} {name}: {error}", flush=True)
            continue
        errors[name] = ((tensors[-1].float() - reference).norm() / reference.norm()).item()
        if errors[name] < 2e-2:
            calls[name] = call
        else:
            print(f"{case} {name}: wrong, relative error {errors[name]:.1e}", flush=True)
    names, samples = list(calls), {n: [] for n in calls}
    for r in range(rounds + 1):
        start = r * 7 % max(1, len(names))
        for name in names[start:] + names[:start]:
            t = sample(calls[name])
            if r:
                samples[name].append(t)
    return [(n, statistics.median(s), errors[n]) for n, s in samples.items()]


def main():
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = False
    plan = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "plan.json")))
    built = [r for r in csv.DictReader(open(os.path.join(folder, "built.csv"))) if not r["error"] and r["spills"] == "0"]
    with open(options.get("out", "measured.csv"), "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["kernel", "case", "parameters", "microseconds", "registers", "shared", "error"])
        for kernel, shapes in plan["kernels"].items():
            if options.get("filter", kernel) != kernel:
                continue
            rows = {r["parameters"]: r for r in built if r["kernel"] == kernel}
            codes = {p: Code(os.path.join(folder, kernel, re.sub("[= ]", lambda m: "_" if m[0] == " " else "", p)))
                     for p in rows}
            for case in shapes["training"] + shapes["held_out"]:
                for name, time, error in sorted(measure(globals()[kernel], case, codes), key=lambda r: r[1]):
                    row = rows[name]
                    table.writerow([kernel, case, name, f"{time:.2f}", row["registers"], row["shared"], f"{error:.1e}"])
                file.flush()
                torch.cuda.empty_cache()
                print(kernel, case, "done", flush=True)


main()
