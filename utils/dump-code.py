#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shows what a change of the compiler does to the code that it generates.

usage: dump-code.py dump BUILD FOLDER [--jobs=N] [--only=REGEX]     with a build of before, and one of after
       dump-code.py compare BEFORE AFTER [--show=N]

dump compiles every function of the examples, puzzles, GPU families and execution tests of the source tree that BUILD is
a build of: to PTX (sm_80, sm_90a, sm_120), to AMD's assembly (gfx942, gfx950) and to Ascend C (910B, 950), a file each. What is
refused is a file with the first error. compare lists the files that differ and counts instructions before and after.
"""
import argparse
import concurrent.futures
import difflib
import glob
import os
import re
import subprocess
import sys

GPU = {"sm_80": "--tile-to-ptx", "sm_90a": "--tile-to-ptx", "sm_120": "--tile-to-ptx", "gfx942": "--tile-to-amdgcn",
       "gfx950": "--tile-to-amdgcn"}
NPU = ["910B", "950"]
FAMILY_CHIPS = ["sm_80", "sm_90a", "gfx942"]
FAMILIES = [("gemm.py", name) for name in ("types", "tiles", "groups", "results")] + [("attention.py", "")] + [
    ("rows.py", name) for name in ("reductions", "scans", "tiles", "topk")]


def functions(text):
    """Names and texts of the functions that have a reference; it goes with them, and so does what stands before the first."""
    matches = list(re.finditer(r"^ *func\.func (?:private )?@([\w-]+)", text, re.M))
    if not matches:
        return
    ends = [m.start() for m in matches[1:]] + [len(text)]
    head = text[:matches[0].start()]
    found = {m.group(1): text[m.start():end] for m, end in zip(matches, ends)}
    for name, body in found.items():
        reference = re.search(r"tile\.reference = @(\w+)", body)
        if reference and reference.group(1) in found:
            yield name, head + body + found[reference.group(1)]


def sources(root):
    for path in sorted(glob.glob(f"{root}/examples/*.mlir") + glob.glob(f"{root}/examples/puzzles/*/answer.mlir") +
                       glob.glob(f"{root}/test/Execution/*.mlir") + glob.glob(f"{root}/test/GPU/Inputs/*.mlir")):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        beside = os.path.join(os.path.dirname(path), "reference.mlir")
        if path.endswith("answer.mlir") and os.path.exists(beside):
            with open(beside, encoding="utf-8") as file:
                text += file.read()
        yield os.path.relpath(path, root).replace("/", "-").removesuffix(".mlir"), text, [*GPU, *NPU]
    for script, family in FAMILIES:
        run = subprocess.run([sys.executable, f"{root}/test/GPU/Inputs/{script}", *([family] if family else [])], text=True,
                             capture_output=True, check=True)
        yield f"{script.removesuffix('.py')}-{family}", run.stdout, FAMILY_CHIPS


def run(command, text):
    result = subprocess.run(command, input=text, text=True, capture_output=True)
    if result.returncode == 0:
        return result.stdout, ""
    errors = [re.sub(r"^.*?error: ", "error: ", line) for line in result.stderr.splitlines() if "error" in line]
    return "", (errors or [f"exit code {result.returncode}"])[0] + "\n"


def compile_one(tools, chip, name, text):
    if chip in GPU:
        return run([f"{tools}/tile-translate", GPU[chip], f"--chip={chip}", f"--gpu-function={name}"], text)
    lowered, error = run([f"{tools}/tile-opt", f"--tile-to-ascend-pipeline=chip={chip}"], text)
    return ("", error) if error else run([f"{tools}/tile-translate", "--mlir-to-ascendc"], lowered)


def dump(arguments):
    with open(os.path.join(arguments.build, "CMakeCache.txt"), encoding="utf-8") as file:
        root = re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", file.read(), re.M).group(1)
    os.makedirs(arguments.folder, exist_ok=True)
    jobs = [(f"{source}.{name}.{chip}", chip, name, text) for source, content, chips in sources(root)
            for name, text in functions(content) for chip in chips]
    jobs = [job for job in jobs if re.search(arguments.only, job[0])]

    def work(job):
        code, error = compile_one(os.path.join(arguments.build, "bin"), *job[1:])
        with open(os.path.join(arguments.folder, job[0]), "w", encoding="utf-8") as file:
            file.write(code or error)
        return bool(error)

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        refused = sum(pool.map(work, jobs))
    print(f"{len(jobs) - refused} compiled, {refused} refused")


def read(folder, name):
    """The lines of a file without comments, which hold places of the source."""
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        lines = [re.sub(r"\s*(//|;).*$", "", line.rstrip()) for line in file]
    return [line for line in lines if line.strip()]


def compare(arguments):
    before, after = set(os.listdir(arguments.before)), set(os.listdir(arguments.after))
    for name in sorted(before ^ after):
        print(f"only {'before' if name in before else 'after'}: {name}")
    differ = []
    for name in sorted(before & after):
        a, b = read(arguments.before, name), read(arguments.after, name)
        if a == b:
            continue
        differ.append(name)
        print(f"differs: {name}: {len(a)} lines, {len(b)} lines")
        if len(differ) <= arguments.show:
            print("\n".join(list(difflib.unified_diff(a, b, "before", "after", lineterm="", n=1))[:40]))
    print(f"{len(before & after) - len(differ)} identical, {len(differ)} differ, {len(before ^ after)} on one side")
    return int(bool(differ) or before != after)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("dump")
    command.add_argument("build")
    command.add_argument("folder")
    command.add_argument("--jobs", type=int, default=os.cpu_count())
    command.add_argument("--only", default="")
    command.set_defaults(function=dump)
    command = commands.add_parser("compare")
    command.add_argument("before")
    command.add_argument("after")
    command.add_argument("--show", type=int, default=0)
    command.set_defaults(function=compare)
    arguments = parser.parse_args()
    return arguments.function(arguments)


if __name__ == "__main__":
    sys.exit(main())
