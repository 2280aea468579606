"""Runs the examples of the reference whose arguments have static shapes. Those that are part of a schedule for a GPU are
lowered to it.

usage: td_examples.py TILE_RUN TILE_OPT < EXAMPLES
"""
import re
import subprocess
import sys

GPU_ONLY = "it is part of a schedule for a GPU"

count = skipped = lowered = 0
for text in sys.stdin.read().split("// -----"):
    signature = re.search(r"func\.func @(\w+)\(([^{]*)\{", text)
    if not signature:
        continue
    name, arguments = signature.groups()
    if "?" in arguments:
        skipped += 1
        continue
    numbers = [f"--arg={i}:1" for i, kind in enumerate(re.findall(r"%\w+: (\w+)", arguments)) if kind != "memref"]
    done = subprocess.run([sys.argv[1], "-", "--check=none", *numbers], input=text, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if GPU_ONLY in done.stdout:
        done = subprocess.run([sys.argv[2], "-", "--tile-to-gpu-pipeline=chip=sm_90a"], input=text, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        lowered += 1
        if done.returncode != 0 or f"gpu.func @{name}_0" not in done.stdout:
            print(f"FAIL: @{name}: {done.stdout}")
        continue
    count += 1
    if done.returncode != 0 or "1 not checked" not in done.stdout:
        print(f"FAIL: @{name}: {done.stdout}")
print(f"{count} examples ran, {lowered} lowered to a GPU, {skipped} of dynamic shape")
