"""Compares the functions that a library exports with those that headers declare.

usage: symbols.py LIBRARY HEADER...
"""
import re
import subprocess
import sys

declared = set()
for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"//[^\n]*|/\*.*?\*/", "", file.read(), flags=re.S)
    declared.update(re.findall(r"\b(tile_rt_\w+)\(", text))
output = subprocess.run(["nm", "-D", "--defined-only", sys.argv[1]], check=True, text=True, stdout=subprocess.PIPE).stdout
exported = {line.split()[-1] for line in output.splitlines()}
for name in sorted(declared - exported):
    print(f"declared, not exported: {name}")
for name in sorted(exported - declared):
    print(f"exported, not declared: {name}")
print(f"{len(declared & exported)} functions are declared and exported")
