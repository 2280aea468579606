# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs every kernel for every chip on the SIMT model: right and without a report, or refused and in Chips/refused.txt.

    chips.py TILE_RUN [--chips A,B] [--only REGEX] [--kernels] [--refused FILE]    runs them and prints a table
    TILE_ASCEND_ORDERS=20 chips.py TILE_RUN --chips 910B,950    on NPUs, each kernel in twenty more orders of the pipes;
                                        kernels of NPUs alone, too
    chips.py --results FOLDER [--kernels]                                          the table of a run of lit, or of a run above

Lit runs them as the tests GPU/Chips/SOURCE/CHIP (chip_test.py). Each line of refused.txt is `CHIPS SOURCE KERNEL: REGEX`, where KERNEL may have wildcards and REGEX is found in what the
compiler says. A refusal that is not in the list fails, and so does one in the list that works, so that the list stays true.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

NPUS = {"910B": "ascend", "950": "ascend"}  # asked for by name; what they refuse stands in docs/ascend.md
CHIPS = {"sm_80": "cuda", "sm_90a": "cuda", "gfx942": "hip", "gfx950": "hip", "gfx1100": "hip"}
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
REFUSED = os.path.join(os.path.dirname(HERE), "Chips", "refused.txt")

# What writes kernels, and those of test/Execution that are no tests of a CPU's features.
PROGRAMS = {f"{name}-{part}": (f"{name}.py", part) for name, part in [
    ("gemm", "types"), ("gemm", "tiles"), ("gemm", "groups"), ("gemm", "results"), ("rows", "reductions"),
    ("rows", "scans"), ("rows", "tiles"), ("rows", "topk")]}
PROGRAMS.update({"attention": ("attention.py",), "execution/gemm": ("../../Execution/Inputs/gemm.py",)})
EXECUTION = ["atomic", "buffers", "control", "gemm-rounding", "im2col", "infer-layout", "prefetch", "reduce-combine",
             "scan-special", "short-form", "topk", "views"]
# Cases whose size is for the speed of hardware, and what takes their place: several tiles and a rest.
SMALLER = {
    "attention": [(f"B=3 H=2 T=600 G={heads}", f"B=2 H=1 T=400 G={heads // 2}") for heads in (2, 4, 8, 16)],
    "examples/flash_attention*": [("B=2 H=3 S=256", "B=2 H=2 S=128"), ("B=1 H=2 S=1000", "B=1 H=1 S=330")],
    "examples/rms_norm": [("M=256 N=4096", "M=48 N=4096")],
    "examples/softmax": [("M=256 N=4096", "M=48 N=4096")],
    "examples/vector_add": [("N=1048576", "N=65536")],
    "examples/topk_selector": [("B=5 N=10000", "B=2 N=9000")],
    "puzzles/02-vector-add": [("N=4194304", "N=65536")],
    "puzzles/03-outer-add": [("N=8192 M=4096", "N=1024 M=512")],
    "puzzles/04-mul-relu": [("N=8192 M=4096", "N=512 M=512")],
    "puzzles/05-row-sum": [("N=4096 M=16384", "N=64 M=4096")],
    "puzzles/06-softmax": [("N=64 M=16384", "N=16 M=4096")],
    "puzzles/07-scalar-attention": [("B=256 S=16384", "B=32 S=2048")],
    "puzzles/08-matmul": [("M=4096 K=4096", "M=512 K=512"), ("M=1000 K=1001", "M=200 K=1001")],
}
# Where each runs in many orders: each loop still goes round a few times, and has a rest.
SMALLER_FOR_ORDERS = {
    "examples/attention_backward": [("B=2 H=2 S=128", "B=2 H=1 S=128")],
    "examples/flash_attention*": [("B=2 H=2 S=128", "B=2 H=1 S=128")],
    "examples/lightning_indexer": [("S=5 N=512", "S=2 N=512")],
    "examples/matmul_dequant": [("M=192 N=256 K=1024", "M=16 N=64 K=1100"), ("M=130 N=66 K=133", "M=70 N=66 K=133")],
    "examples/matmul_relu": [("M=256 N=384 K=512", "M=256 N=128 K=512")],
    "examples/matmul_splitk": [("M=128 N=192 K=4096", "M=64 N=128 K=2048")],
    "examples/sparse_attention": [("S=3 H=16 N=180 T=128", "S=1 H=16 N=180 T=300")],
    "puzzles/02-vector-add": [("N=65536", "N=8192")],
    "puzzles/03-outer-add": [("N=1024 M=512", "N=256 M=256")],
    "puzzles/04-mul-relu": [("N=512 M=512", "N=256 M=256")],
    "puzzles/05-row-sum": [("N=64 M=4096", "N=16 M=4096")],
    "puzzles/07-scalar-attention": [("B=32 S=2048", "B=4 S=2048")],
    "puzzles/08-matmul": [("M=512 K=512", "M=256 K=512"), ("M=200 K=1001", "M=100 K=1001")],
}
SECONDS = int(os.environ.get("TILE_CHIPS_SECONDS", "900"))  # a compilation and its runs

Verdict = collections.namedtuple("Verdict", "kind text")  # ok, refused, late, or wrong
Variant = collections.namedtuple("Variant", "path pairs")  # of a file whose RUN lines replace words


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def find_sources(for_npus=False):
    """By name, the files of a source, or the program that writes it."""
    sources = dict(PROGRAMS)
    for path in glob.glob(os.path.join(ROOT, "examples", "ascend", "*.mlir")) if for_npus else []:
        sources["examples/ascend/" + os.path.basename(path)[:-5]] = path
    for path in glob.glob(os.path.join(ROOT, "test", "Execution", "ascend-*.mlir")) if for_npus else []:
        name, text = "execution/" + os.path.basename(path)[:-5], read(path)
        variants = re.findall(r"RUN: sed -e '(.*)' %s > %t\.(\w+)\.mlir", text)
        for words, kind in variants if "tile.reference" in text else []:
            sources[f"{name}-{kind}"] = Variant(path, re.findall(r"s/(\w+)/(.*?)/g", words))
        if "tile.reference" in text and not variants:
            sources[name] = path
    for path in sorted(glob.glob(os.path.join(HERE, "*.mlir"))):
        sources["kernels/" + os.path.basename(path)[:-5]] = path
    for path in sorted(glob.glob(os.path.join(ROOT, "examples", "*.mlir"))):
        sources["examples/" + os.path.basename(path)[:-5]] = path
    for path in sorted(glob.glob(os.path.join(ROOT, "examples", "puzzles", "*", "answer.mlir"))):
        sources["puzzles/" + os.path.basename(os.path.dirname(path))] = path
    for name in EXECUTION:
        sources["execution/" + name] = os.path.join(ROOT, "test", "Execution", name + ".mlir")
    return sources


def get_text(name, is_npu=False):
    source = find_sources(is_npu)[name]
    if isinstance(source, Variant):
        text = read(source.path)
        for word, other in source.pairs:
            text = text.replace(word, other)
    elif isinstance(source, tuple):
        command = [sys.executable, os.path.join(HERE, source[0]), *source[1:]]
        text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    else:
        reference = os.path.join(os.path.dirname(source), "reference.mlir")
        text = read(source) + (read(reference) if name.startswith("puzzles/") else "")
    smaller = [*SMALLER.items(), *(SMALLER_FOR_ORDERS.items() if is_npu and os.environ.get("TILE_ASCEND_ORDERS") else [])]
    for pattern, pairs in smaller:
        for old, new in pairs if fnmatch.fnmatch(name, pattern) else []:
            text, count = re.subn(old, new, text)
            if not count:
                raise ValueError(f"{name} has no case {old}")
    return text


def is_for_other(name, chip):
    """Whether a source of NPUs names another chip."""
    match = re.search(r'#tile\.target<"(\w+)">', get_text(name, True)) if chip in NPUS else None
    return bool(match) and match[1] != chip


# What tile-run has to say ----------------------------------------------------------------------------------------------

def find_diagnostics(text, errors, path):
    """By function, the errors in its lines, with their notes."""
    starts = [(number, match[1]) for number, line in enumerate(text.splitlines(), 1)
              if (match := re.match(r"\s*func\.func (?:private )?@(\w+)", line))]
    found, current = collections.defaultdict(str), None
    for line in errors.splitlines():
        place = re.search(re.escape(path) + r":(\d+)", line)
        if place and "error:" in line:
            current = next((name for start, name in reversed(starts) if start <= int(place[1])), None)
        if current and re.search("error:|note:", line):
            found[current] += re.sub(r".*?(error|note): ", "", line) + "\n"
    return found


def find_verdicts(output, diagnostics):
    """By kernel, the worst of its cases."""
    verdicts = {}
    rows = output.splitlines()
    for row in rows[1:-1] if rows and rows[0].startswith("kernel") else []:
        kernel = row.split()[0]
        failure = row.partition("FAIL: ")[2]
        verdict = Verdict("ok", "")
        if "could not be compiled" in failure:
            # An error in a function that several kernels call is that of all of them.
            verdict = Verdict("refused", diagnostics.get(kernel) or "".join(diagnostics.values()))
        elif failure:
            verdict = Verdict("wrong", row.split("  ")[0] + ": " + failure)
        if verdicts.get(kernel, verdict).kind in ("ok", verdict.kind):
            verdicts[kernel] = verdict
    return verdicts


def run_each(tile_run, text, path, chip):
    """The verdicts of the kernels, each compiled on its own: for an NPU, a file is compiled as a whole."""
    verdicts = {}
    for kernel in re.findall(r"func\.func @(\w+)\((?:(?!func\.func).)*?tile\.reference = @", text, re.S):
        command = [tile_run, "--no-notes", f"--target={NPUS[chip]}", f"--chip={chip}", f"--func={kernel}", path]
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                                  timeout=SECONDS)
        except subprocess.TimeoutExpired:
            verdicts[kernel] = Verdict("late", f"no end after {SECONDS} s")
            continue
        diagnostics = find_diagnostics(text, done.stderr, path)
        refused = Verdict("refused" if diagnostics else "wrong", "".join(diagnostics.values()) or done.stderr[-2000:])
        verdicts[kernel] = find_verdicts(done.stdout, diagnostics).get(kernel, refused)
    return verdicts


def run(tile_run, source, chip, folder):
    """The verdicts of all kernels of a source, and what went wrong as a whole."""
    text = get_text(source, chip in NPUS)
    path = os.path.join(folder, f"{source.replace('/', '-')}.{chip}.mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    if chip in NPUS:
        return run_each(tile_run, text, path, chip), []
    command = [tile_run, "--no-notes", f"--target={CHIPS[chip]}", f"--chip={chip}", "--device=model", path]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                              timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return {}, [f"no end after {SECONDS} s"]
    verdicts = find_verdicts(done.stdout, find_diagnostics(text, done.stderr, path))
    count = len(re.findall(r"\btile\.reference = @", text))
    return verdicts, [] if count == len(verdicts) > 0 else [
        f"expected results of {count} kernels, got {len(verdicts)}\n{done.stderr[-4000:]}"]


# The list of refusals --------------------------------------------------------------------------------------------------

def read_refusals(path):
    refusals = []
    for line in read(path).splitlines():
        if line and not line.startswith("#"):
            head, _, reason = line.partition(": ")
            chips, source, kernel = head.split()
            refusals.append((CHIPS if chips == "all" else chips.split(","), source, kernel, reason))
    return refusals


def judge(source, chip, verdicts, refused):
    """What the list and the verdicts disagree about."""
    complaints = []
    listed = [(kernel, reason) for chips, name, kernel, reason in read_refusals(refused) if name == source and chip in chips]
    for kernel, verdict in verdicts.items():
        reasons = [reason for pattern, reason in listed if fnmatch.fnmatch(kernel, pattern)]
        if verdict.kind in ("late", "wrong"):
            complaints.append(f"{kernel}: {verdict.text}")
        elif verdict.kind == "ok" and reasons:
            complaints.append(f"{kernel}: listed as refused, but it works")
        elif chip in CHIPS and verdict.kind == "refused" and not any(re.search(r, verdict.text, re.S) for r in reasons):
            complaints.append(f"{kernel}: refused, and not for a reason that is listed:\n{verdict.text}")
    for pattern, _ in listed:
        if not fnmatch.filter(verdicts, pattern):
            complaints.append(f"{pattern}: listed as refused, but no kernel of {source}")
    return complaints


def execute(tile_run, source, chip, folder, refused=REFUSED):
    os.makedirs(folder, exist_ok=True)
    verdicts, complaints = run(tile_run, source, chip, folder)
    complaints += judge(source, chip, verdicts, refused)
    name = f"{source.replace('/', '-')}.{chip}.json"
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        json.dump({"source": source, "chip": chip, "complaints": complaints,
                   "verdicts": {k: v._asdict() for k, v in verdicts.items()}}, file)
    return complaints


# The table -------------------------------------------------------------------------------------------------------------

def describe(kinds):
    counts = collections.Counter(kinds)
    return ", ".join(f"{counts[kind]} {kind}" for kind in ("ok", "refused", "late", "wrong") if counts[kind]) or "-"


def print_table(folder, by_kernel):
    cells, total, refused = collections.defaultdict(lambda: collections.defaultdict(list)), collections.Counter(), set()
    for path in sorted(glob.glob(os.path.join(folder, "*.json"))):
        result = json.loads(read(path))
        if result["source"] not in find_sources(result["chip"] in NPUS):
            continue
        for kernel, verdict in result["verdicts"].items():
            row = f"{result['source']} {kernel}" if by_kernel else result["source"]
            cells[row][result["chip"]].append(verdict["kind"])
            total[verdict["kind"]] += 1
    chips = [chip for chip in (*CHIPS, *NPUS) if any(chip in row for row in cells.values())]
    width = max([len(row) for row in cells] + [6])
    print(f"{'source':{width}}  " + "  ".join(f"{chip:18}" for chip in chips))
    for row in sorted(cells):
        print(f"{row:{width}}  " + "  ".join(f"{describe(cells[row][chip]):18}" for chip in chips).rstrip())
    print(f"kernels and chips: {total['ok']} right, {total['refused']} refused, {total['wrong']} wrong"
          + (f", {total['late']} without an end" if total["late"] else ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tile_run", nargs="?")
    parser.add_argument("--chips", default=",".join(CHIPS))
    parser.add_argument("--only", default="", help="sources whose names have it")
    parser.add_argument("--kernels", action="store_true", help="a row for each kernel")
    parser.add_argument("--refused", default=REFUSED, help="another list")
    parser.add_argument("--results", help="keeps what each source gave; without TILE_RUN, prints that")
    args = parser.parse_args()
    if not args.tile_run:
        return print_table(args.results, args.kernels)
    failed = 0
    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        folder = args.results or temporary
        chips = args.chips.split(",")
        runs = {pool.submit(execute, args.tile_run, source, chip, folder, args.refused): (source, chip)
                for source in find_sources(set(chips) <= set(NPUS)) if re.search(args.only, source) for chip in chips
                if not is_for_other(source, chip)}
        for done in concurrent.futures.as_completed(runs):
            for complaint in done.result():
                failed += 1
                print(*runs[done], complaint, flush=True)
        print_table(folder, args.kernels)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
