"""Runs the examples of the reference whose arguments have static shapes.

usage: td_examples.py TILE_RUN < EXAMPLES
"""
import re
import subprocess
import sys

count = skipped = 0
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
    count += 1
    if done.returncode != 0 or "1 not checked" not in done.stdout:
        print(f"FAIL: @{name}: {done.stdout}")
print(f"{count} examples ran, {skipped} of dynamic shape")
