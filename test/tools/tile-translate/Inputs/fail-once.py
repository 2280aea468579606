# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every call of the system by which a tool makes a file, a folder or a process, or writes, fails once, in turn.

usage: fail-once.py LIBRARY FOLDER COMMAND...; the command writes FOLDER/out. Each time it is right, or ends with an error of one
line at least, no output and nothing left behind.
"""
import os
import subprocess
import sys

library, folder, *command = sys.argv[1:]
out, fired, temporary = (os.path.join(folder, name) for name in ["out", "fired", "tmp"])
os.makedirs(temporary, exist_ok=True)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def run(at):
    """The exit code, what was printed, the output or None, and the call that failed or None."""
    for path in [out, fired]:
        if os.path.exists(path):
            os.remove(path)
    environment = dict(os.environ, LD_PRELOAD=library, FAIL_AT=str(at), FAIL_FIRED=fired, TMPDIR=temporary)
    process = subprocess.run(command, env=environment, text=True, errors="replace", stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, timeout=300)
    return (process.returncode, process.stdout, read(out) if os.path.exists(out) else None,
            read(fired).decode() if os.path.exists(fired) else None)


code, text, right, _ = run(0)
assert code == 0 and right, text
at, errors, calls = 1, 0, set()
while True:
    code, text, found, call = run(at)
    if not call:
        break
    calls.add(call)
    errors += code != 0
    problem = None
    if code not in (0, 1):
        problem = f"exit code {code}"
    elif code == 0 and found != right:
        problem = "a wrong output without an error"
    elif code == 1 and (found is not None or "error" not in text and folder not in text):
        problem = "an output beside an error" if found is not None else "no reason"
    left = [name for name in os.listdir(folder) if name not in ("out", "fired", "tmp")] + os.listdir(temporary)
    if left:
        problem = f"left over: {left}"
    if problem:
        print(f"FAIL: call {at} ({call}): {problem}\n{text}")
        sys.exit(1)
    at += 1
assert code == 0 and found == right, text
print(f"{at - 1} faults, {errors} errors: {' '.join(sorted(calls))}")
