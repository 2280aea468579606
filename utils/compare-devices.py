#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the verdicts of an NVIDIA GPU and of the SIMT model on the same cases.

    compare-devices.py save BUILD FOLDER [FILE...]           all cases that the tests have for sm_90a, or those of files
    compare-devices.py mutate CASE FOLDER [--count N]       mutants of a saved case, each without one synchronisation
    compare-devices.py pack FOLDER TO                       what a GPU needs: without bitcode; compare-devices.sh runs it
    compare-devices.py model BUILD FOLDER [--jobs N]        verdicts of the model, to be kept as a file
    compare-devices.py table GPU.txt MODEL.txt              where they agree, and each difference; GPU.txt is what
                                                            compare-devices.sh has printed

A verdict is a line `GROUP | CASE | ok`, or with what is wrong in place of ok. Mutants are made of the module that the model
runs, by deleting an intrinsic or a statement of assembly, so that both run the same code; mutant 0 is the case itself.
"""
import argparse
import collections
import concurrent.futures
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path += [os.path.join(ROOT, "test", "GPU", "Inputs"), os.path.join(ROOT, "test", "fuzz")]
CHIP = "sm_90a"
PTX = "+ptx83"
LLVM = "/usr/lib/llvm-22/bin"
PTXAS = os.environ.get("TILE_PTXAS", "/usr/local/cuda/bin/ptxas")
# Tests of test/Execution beside those of chips.py.
EXECUTION = ["four-bit-weights", "host-loops", "locals", "parts", "simt-found", "simt-hopper", "tensor-copy-offsets", "workspaces"]


def call(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", **more)


# Cases -----------------------------------------------------------------------------------------------------------------

def get_sources(random, files):
    import chips
    from gpu_kernels import Kernel, join
    for path in files:
        with open(path, encoding="utf-8") as file:
            yield os.path.basename(path)[:-5], file.read()
    if files:
        return
    for name in chips.find_sources():
        yield name.replace("/", "-"), chips.get_text(name)
    for name in EXECUTION:
        with open(os.path.join(ROOT, "test", "Execution", name + ".mlir"), encoding="utf-8") as file:
            yield "execution-" + name, file.read()
    for first in range(0, random, 8):
        numbers = range(first, min(first + 8, random))
        yield f"random-{first}", join([Kernel(f"agree-{number}", f"k{number}", CHIP) for number in numbers])


def save(args):
    os.makedirs(os.path.join(args.folder, "sources"), exist_ok=True)

    def one(pair):
        name, text = pair
        path = os.path.join(args.folder, "sources", name + ".mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        out = os.path.join(args.folder, "cases", name)
        if not os.path.exists(out):
            call([os.path.join(args.build, "bin", "tile-run"), path, "--target=cuda", f"--chip={CHIP}", f"--save={out}.new",
                  "--no-notes"])
            if os.path.exists(out + ".new"):
                os.rename(out + ".new", out)
        return len(glob.glob(out + "/**/case.txt", recursive=True))

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        sources = [pair for pair in get_sources(args.random, args.files) if re.search(args.only, pair[0])]
        counts = list(pool.map(one, sources))
    print(f"{sum(counts)} cases of {len(counts)} sources, {counts.count(0)} sources are refused")


def pack(args):
    """Cases whose results are longer than --limit stay behind."""
    left_out = 0
    for path in glob.glob(args.folder + "/**/case.txt", recursive=True):
        folder = os.path.dirname(path)
        if sum(os.path.getsize(file) for file in glob.glob(folder + "/*")) > args.limit:
            left_out += 1
            continue
        parent = os.path.relpath(os.path.dirname(folder), args.folder)
        shutil.copytree(folder, os.path.join(args.to, parent, os.path.basename(folder)), dirs_exist_ok=True)
        for file in glob.glob(os.path.dirname(folder) + "/*.cubin") + glob.glob(os.path.dirname(folder) + "/*.json"):
            shutil.copy(file, os.path.join(args.to, parent))
    print(f"{left_out} cases left out")


# Mutants ---------------------------------------------------------------------------------------------------------------

# Kinds by name. Without an arrival GPUs wait forever: those are left to the model (TILE_SIMT_MUTATE).
KINDS = [("barrier", r"barrier\.cta\.sync|barrier0|bar\.sync|barrier\.cluster"), ("proxy fence", r"fence\.proxy\.async"),
         ("mbarrier wait", r"mbarrier\.try.wait"), ("copy wait", r"cp\.async\.(bulk\.)?wait"),
         ("wgmma wait", r"wgmma\.wait_group"), ("wgmma fence", r"wgmma\.fence"), ("warp", r"bar\.warp\.sync"),
         ("fence", r"fence\.mbarrier|fence\.acq|fence\.sc|membar|^fence")]


def find_sync(lines, kernel):
    """Of a module's text, the numbers of lines with something to leave out, by kind."""
    found, name = collections.defaultdict(list), ""
    for number, line in enumerate(lines):
        defined = re.match(r"define .*@([\w.]+)\(", line)
        name = defined[1] if defined else name
        called = re.search(r'call .*? asm [^"]*"([^"]*)"|call .*?@llvm\.nvvm\.([\w.]+)\(|^  (fence .*)', line)
        if called and re.search(kernel, name):
            text = called[1] or called[2] or called[3]
            for kind, pattern in KINDS:
                if re.search(pattern, text):
                    found[kind].append(number)
                    break
    return found


def leave_out(line):
    """Nothing, assembly without its text, whose results are its operands, or a wait that is over."""
    result = re.match(r"\s*(%[\w.]+) = ", line)
    if not result:
        return []
    if " asm " in line:
        return [re.sub(r'(asm [^"]*)"[^"]*"', r'\1""', line, count=1)]
    return [f"  {result[1]} = icmp eq i32 0, 0"]


def choose(found, count):
    """So many lines, of all kinds in turn."""
    chosen = []
    for turn in range(max(map(len, found.values()), default=0)):
        chosen += [(kind, found[kind][turn]) for kind, _ in KINDS if turn < len(found[kind])]
    return chosen[:count]


def assemble(text, folder):
    path = os.path.join(folder, "image.ll")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    for command in ([f"{LLVM}/llvm-as", path, "-o", folder + "/image.bc"],
                    [f"{LLVM}/llc", "-O3", f"-mcpu={CHIP}", f"-mattr={PTX}", path, "-o", folder + "/image.ptx"],
                    [PTXAS, f"-arch={CHIP}", folder + "/image.ptx", "-o", folder + "/image.cubin"]):
        done = call(command)
        if done.returncode:
            return done.stderr.strip().splitlines()[0]
    os.remove(folder + "/image.ptx")
    os.remove(path)
    return None


def mutate(args):
    image = os.path.dirname(os.path.abspath(args.case))
    with tempfile.TemporaryDirectory() as temporary:
        text = os.path.join(temporary, "image.ll")
        call([f"{LLVM}/llvm-dis", image + "/image.bc", "-o", text], check=True)
        with open(text, encoding="utf-8") as file:
            lines = file.read().split("\n")
    for index, (kind, number) in enumerate([("nothing", None)] + choose(find_sync(lines, args.kernel), args.count)):
        text = lines if number is None else lines[:number] + leave_out(lines[number]) + lines[number + 1:]
        name = f"{os.path.basename(os.path.normpath(args.folder))}-{index}-{kind.replace(' ', '-')}"
        folder = os.path.join(args.folder, name)
        shutil.copytree(args.case, os.path.join(folder, "case"), dirs_exist_ok=True)
        for path in glob.glob(image + "/kernel-*.json"):
            shutil.copy(path, folder)
        error = assemble("\n".join(text), folder)
        if error:
            shutil.rmtree(folder)
        print(f"{name}: {error or 'made'}")


# Verdicts --------------------------------------------------------------------------------------------------------------

def read_rows(group, output):
    rows = []
    for line in output.splitlines():
        row = re.match(r"(\S+ .*?)  +[-\w.+]+  +[-\w.+]+  +.*?(?: us|FAIL)", line)
        if row:
            failure = line.partition("FAIL: ")[2]
            rows.append(f"{group} | {row[1].strip()} | {failure or 'ok'}")
    return rows or [f"{group} | - | {output.strip()[-300:]}"]


def model(args):
    def one(group):
        done = call([os.path.join(args.build, "bin", "tile-replay"), os.path.join(args.folder, group), "--device=model",
                     "--timeout=600"])
        return read_rows(group, done.stdout + done.stderr)

    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for rows in pool.map(one, sorted(os.listdir(args.folder))):
            print("\n".join(rows), flush=True)


def read_verdicts(path):
    verdicts, seen = {}, collections.Counter()
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            if line.count(" | ") >= 2:
                group, case, verdict = line.rstrip("\n").split(" | ", 2)
                seen[group, case] += 1
                verdicts[group, case, seen[group, case]] = verdict
    return verdicts


def read_sections(path):
    """Of what compare-devices.sh prints, by kind and name the text."""
    sections, at = collections.defaultdict(dict), None
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            head = re.match(r"== (\w+) (?:mutants/|cases/)?(\S+)$", line)
            if head:
                at = head.groups()
                sections[at[0]][at[1]] = ""
            elif at:
                sections[at[0]][at[1]] += line
    return sections


def describe(text):
    """What a checker or a run says, in a word."""
    if re.search(r"exit 124|did not end", text):
        return "no end"
    if re.search(r"FAIL", text):
        return "wrong"
    return "reported" if re.search(r"========= Error|[1-9]\d* (hazards|errors)", text) else "nothing"


def table(args):
    sections, model_ = read_sections(args.gpu), read_verdicts(args.model)
    gpu, seen = {}, collections.Counter()
    for group, text in sections["plain"].items():
        for row in read_rows(group, text):
            _, case, verdict = row.split(" | ", 2)
            seen[group, case] += 1
            gpu[group, case, seen[group, case]] = verdict
    counts, first = collections.Counter(), "cases: right on both"
    for key in sorted(gpu):
        both = gpu[key] == "ok", model_.get(key) == "ok"
        counts[first if all(both) else "cases: wrong on both" if not any(both) else "cases: verdicts differ"] += 1
        if both[0] != both[1] or args.all:
            print(f"{' | '.join(key[:2])}\n  GPU:   {gpu[key][:200]}\n  model: {model_.get(key, 'not run')[:300]}")
    for kind in ("racecheck", "memcheck"):
        for name, text in sections[kind].items():
            if name not in sections["repeat"]:
                counts[f"cases: {kind}: {describe(text)}"] += 1
    for name, text in sections["repeat"].items():
        verdict = next((verdict for key, verdict in model_.items() if key[0] == name), "not run")
        said = "nothing" if verdict == "ok" else "reported"
        row = f"racecheck {describe(sections['racecheck'].get(name, ''))}, 50 runs {describe(text)}, model {said}"
        print(f"{name}: {row}" + (f": {re.sub('.*the model reports: ', '', verdict)[:200]}" if said != "nothing" else ""))
        counts["mutants: " + row if "nothing" not in name else "mutants of nothing: " + row] += 1
    for what, count in sorted(counts.items()):
        print(f"{count:6}  {what}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    actions = parser.add_subparsers(required=True)
    for function, names in [(save, ["build", "folder"]), (mutate, ["case", "folder"]), (pack, ["folder", "to"]),
                            (model, ["build", "folder"]), (table, ["gpu", "model"])]:
        action = actions.add_parser(function.__name__)
        action.set_defaults(function=function)
        for name in names:
            action.add_argument(name)
        action.add_argument("--jobs", type=int, default=2)
        action.add_argument("--random", type=int, default=60)
        action.add_argument("--count", type=int, default=4, help="mutants, of all kinds in turn")
        action.add_argument("--kernel", default="", help="regular expression: of which version of a kernel")
        action.add_argument("--limit", type=int, default=1_200_000, help="bytes of a case")
        action.add_argument("--only", default="", help="sources whose names have it")
        action.add_argument("--all", action="store_true", help="print those that agree, too")
        if function is save:
            action.add_argument("files", nargs="*")
    args = parser.parse_args()
    args.function(args)


if __name__ == "__main__":
    sys.exit(main())
