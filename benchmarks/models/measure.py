#!/usr/bin/env python3
"""Whole models beside torch.compile and, where JAX is installed, jax.jit of the same operations, on one GPU.

    measure.py FOLDER [--rounds=N] [--only=TEXT] [--profile=1]

FOLDER is what build.py made. Inputs and parameters are random, outputs and workspaces are poisoned before the results are compared with
those in f32. Each is timed as it is called, and as a CUDA graph. --profile prints the time of each kernel. JAX has streams of its own: beside
it, both are timed by the clock, eight calls at a time.
"""
import json
import os
import statistics
from time import perf_counter

import torch
import torch.nn.functional as F

from harness import Kernel, folder, options, time
from programs import MODELS

try:
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    import jax
    from jax_ops import Jax
except ImportError:
    jax = None

TYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32}


class Torch:
    """Operations of PyTorch, as the models use them. Images are seen with channels in front, and lie in memory as they are."""
    f32, bf16 = (staticmethod(lambda x, t=t: x.to(t)) for t in (torch.float32, torch.bfloat16))
    relu, rsqrt, product = (staticmethod(f) for f in (torch.relu, torch.rsqrt, torch.matmul))

    @staticmethod
    def mean(x, dims, keep=False):
        return x.mean(dims, keepdim=keep)

    @staticmethod
    def gelu(x):
        return F.gelu(x, approximate="tanh")

    @staticmethod
    def convolve(x, w, stride, padding):
        return F.conv2d(x.permute(0, 3, 1, 2), w, stride=stride, padding=padding).permute(0, 2, 3, 1)

    @staticmethod
    def max_pool(x):
        return F.max_pool2d(x.permute(0, 3, 1, 2), 3, 2, 1).permute(0, 2, 3, 1)

    @staticmethod
    def attend(q, k, v, causal):
        return F.scaled_dot_product_attention(*(t.transpose(1, 2) for t in (q, k, v)), is_causal=causal).transpose(1, 2)


class Exact(Torch):
    """The same in f32, without a rounding."""
    f32 = bf16 = staticmethod(lambda x: x)


def make(shape, mean, deviation):
    return (torch.randn(shape, device="cuda") * deviation + mean).bfloat16()


def of_filters(parameters):
    """Filters as PyTorch takes them, with channels innermost in memory."""
    return [p.permute(3, 2, 0, 1).contiguous(memory_format=torch.channels_last) if p.dim() == 4 else p for p in parameters]


def profile(name, call):
    """The time of each kernel, in the order of the first call."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as found:
        for _ in range(5):
            call()
        torch.cuda.synchronize()
    events = sorted((e for e in found.events() if "CUDA" in str(e.device_type)), key=lambda e: e.time_range.start)
    count = len(events) // 5
    print(f"{name}: {count} kernels")
    for i in range(count):
        spent = sorted(e.time_range.elapsed_us() for e in events[i::count])
        print(f"  {spent[len(spent) // 2]:8.1f} us  {events[i].name[:100]}")


def compare_with_jax(name, kernel, function, inputs, exact):
    given = [jax.dlpack.from_dlpack(p) for p in inputs]
    compiled = jax.jit(lambda *arguments: function(Jax, *arguments))
    result = torch.from_dlpack(compiled(*given).block_until_ready())
    print(f"{name}: error of jax.jit {((result.float() - exact).norm() / exact.norm()).item():.1e}", flush=True)

    def ours():
        for _ in range(8):
            kernel()
        torch.cuda.synchronize()

    def theirs():
        for _ in range(8):
            last = compiled(*given)
        last.block_until_ready()

    calls, samples = {"tile": ours, "jax.jit": theirs}, {"tile": [], "jax.jit": []}
    for r in range(9):
        for which in list(calls)[:: 1 if r % 2 else -1]:
            start = perf_counter()
            calls[which]()
            samples[which].append((perf_counter() - start) / 8e-3)
    ms = {which: statistics.median(found[1:]) for which, found in samples.items()}
    print(f"{name}: {ms['tile']:.3f} ms, jax.jit {ms['jax.jit']:.3f} ms, ratio {ms['jax.jit'] / ms['tile']:.2f}", flush=True)


def measure(name):
    function, image, shapes, result = MODELS[name]
    inputs = [make(image, 0, 1)] + [make(*parameter) for parameter in shapes()]
    outputs = []
    for kind, shape in json.load(open(os.path.join(folder, name, "arguments.json")))[len(inputs):]:
        outputs.append(torch.full(shape, float("nan"), device="cuda", dtype=TYPES[kind]))
    assert tuple(outputs[0].shape) == tuple(result)
    kernel = Kernel(os.path.join(folder, name), inputs + outputs)
    kernel()
    given = [inputs[0]] + of_filters(inputs[1:])
    with torch.no_grad():
        compiled = torch.compile(lambda: function(Torch, *given))
        exact = function(Exact, *[p.float() for p in given])
        own, other = (((x.float() - exact).norm() / exact.norm()).item() for x in (outputs[0], compiled()))
        print(f"{name}: error {own:.1e}, of torch.compile {other:.1e}", flush=True)
        if jax:
            compare_with_jax(name, kernel, function, inputs, exact)
        del exact
        if options.get("profile"):
            profile("tile", kernel)
            profile("torch.compile", compiled)
        for graphs in (False, True):
            ms = time({"tile": kernel, "torch.compile": compiled}, launches=2, graphs=graphs)
            print(f"{name}{' as graphs' if graphs else ''}: {ms['tile']:.3f} ms, torch.compile {ms['torch.compile']:.3f} ms, "
                  f"ratio {ms['torch.compile'] / ms['tile']:.2f}", flush=True)


def main():
    torch.manual_seed(0)
    torch.backends.cudnn.allow_tf32 = False
    print(torch.cuda.get_device_name())
    for name in (m for m in MODELS if options.get("only", "") in m):
        measure(name)


if __name__ == "__main__":
    main()
