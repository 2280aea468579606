#!/usr/bin/env python3
"""What the kernels of the comparison need, as a table: the gate for their speed on machines without a GPU.

    resources.py TILE_TRANSLATE          prints the table that resources.txt holds

Registers, spilled bytes and stack are those of ptxas, shared memory is that of the launch, of several kernels the most; then
how often instructions occur in the PTX: wgmma, tensor copies, comparisons, selects, conversions, shuffles and barriers of all
threads.
"""
import json, os, re, subprocess, sys, tempfile

here = os.path.dirname(os.path.abspath(__file__))
KERNELS = ["gemm 4096 4096 4096", "gemm 5120 5120 13824 128 224 64", "gemm 96 8192 8192 96 64 128 128",
           "gemm 16384 8192 1024 128 192 64 128",
           "attention 1 16 16 8448 128 128", "attention 1 16 16 8448 128 176", "attention 1 32 32 8192 64 128",
           "attention 1 16 16 5120 256 80", "attention 1 16 16 8192 128 128 causal",
           "attention 4 32 32 3000 128 128 causal", "attention 1 64 8 8192 128 128 causal",
           "mla_kernels.py 128 128 8192", "sparse_kernels.py 1024 128 8192 2048",
           "backward_kernels.py 1 32 8192 64 64 128 256 3", "fp8_kernels.py 4096 7168 16384 128 128 256 3 1 2"]
MIX = {"wgmma": r"wgmma\.mma_async", "tma": r"cp\.async\.bulk\.tensor", "setp": r"setp\.", "selp": r"selp\.",
       "cvt": r"cvt\.", "shfl": r"shfl\.", "bar": r"bar(rier)?\.sync"}


def run(*command, text=None):
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True)


def split(text):
    """The values of a text of several in JSON."""
    decoder = json.JSONDecoder()
    while text.strip():
        value, end = decoder.raw_decode(text.lstrip())
        text = text.lstrip()[end:]
        yield value


def measure(translate, arguments, scratch):
    program, *arguments = arguments.split() if ".py" in arguments else ["kernels.py", *arguments.split()]
    source = run(sys.executable, os.path.join(here, program), *arguments).stdout
    path = os.path.join(scratch, "kernel.mlir")
    with open(path, "w") as file:
        file.write(source)
    remarks = run(translate, "--tile-to-cubin", "--chip=sm_90a", "--ptxas-strict", "--remarks-filter=tile-emit-nvptx",
                  path, "-o", os.devnull).stderr
    ptx = run(translate, "--tile-to-ptx", "--chip=sm_90a", path).stdout
    shared = max(kernel.get("shared", 0) for kernel in split(run(translate, "--tile-to-gpu-metadata", "--chip=sm_90a", path).stdout))
    found = {name: max(map(int, re.findall(name + r"=(\d+)", remarks)))
             for name in ("registers", "spill loads", "spill stores", "stack")}
    counts = [len(re.findall(r"^\s+(?:@!?%p\d+ +)?" + pattern, ptx, re.M)) for pattern in MIX.values()]
    return [found["registers"], found["spill loads"] + found["spill stores"], found["stack"], shared, *counts]


with tempfile.TemporaryDirectory() as scratch:
    print(f"{'kernel':48s}" + "".join(f"{n:>8s}" for n in ("regs", "spills", "stack", "shared", *MIX)))
    for kernel in KERNELS:
        print(f"{kernel:48s}" + "".join(f"{v:>8}" for v in measure(sys.argv[1], kernel, scratch)), flush=True)
