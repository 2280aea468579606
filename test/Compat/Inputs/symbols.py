"""Says which functions of an earlier version a library lacks.

usage: symbols.py LIBRARY NAMES
"""
import subprocess
import sys

library, names = sys.argv[1:]
output = subprocess.run(["nm", "-D", "--defined-only", library], check=True, text=True, stdout=subprocess.PIPE).stdout
exported = {line.split()[-1] for line in output.splitlines()}
with open(names, encoding="utf-8") as file:
    missing = [name for name in file.read().split() if name not in exported]
for name in missing:
    print(f"{library}: expected '{name}', which earlier versions have")
sys.exit(1 if missing else 0)
