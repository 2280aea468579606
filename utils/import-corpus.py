#!/usr/bin/env python3
"""Imports a folder of TileLang programs and says how far each comes, by family and by reason.

usage: import-corpus.py FOLDER --tools DIR [--chip CHIP]... [--model CHIP]... [--state FILE] [--again] [--jobs N] [--seconds N]
                        [--captures N] [--only TEXT]

FOLDER holds FILE.json, as tvm.ir.save_json writes a PrimFunc, each with a FILE.meta.json that says where the program is defined
("site": file and line). A definition counts as far as the last of its captures comes; at most two are tried.
The stages: imported, verified (tile-verify-semantics), lowered for the CPU, compiled for each --chip, and for each --model run on the
model of that chip, with results equal to those of the CPU: small sizes, at most two blocks along each dimension of a grid. Programs
that name an NVIDIA instruction are left out for other chips. A stage has --seconds of CPU time for each program.
What is known is kept in --state, line by line, so that a run that was ended goes on there; --again repeats what has failed.
"""
import argparse
import collections
import concurrent.futures
import json
import math
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

# What is outside of the goals: other people's code, and instructions of chips that have no lowering (by name in the program).
EXCLUDED = re.compile(r"foreign code|without T.Kernel")
NO_LOWERING = re.compile(r"tcgen05|shared\.tmem|tl\.clc_")
NVIDIA_ONLY = re.compile(r'"(tl|tirx?)\.(tileop\.)?(ptx_|tma_|wgmma|wait_wgmma|warpgroup_|mbarrier|create_tma|fence_proxy|cluster_'
                         r'|block_rank_in_cluster|clc_|tcgen05|pdl_|set_max_nreg|named_barrier)')
EXAMPLES = "examples and benchmarks"
MEMORY, MEMORY_OF_MODEL = 8 << 30, 40 << 30


def run(command, seconds, memory=MEMORY, **arguments):
    limits = ["prlimit", f"--cpu={seconds}", f"--as={memory}", "--core=0"]
    try:
        return subprocess.run(limits + command, capture_output=True, text=True, timeout=20 * seconds, check=False, **arguments)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, -24, "", "")


def reasons(process):
    """The errors of a tool, without places."""
    if process.returncode in (-24, -9):
        return ["time limit"]
    if process.returncode < 0:
        return [f"crash by signal {-process.returncode}"]
    found = re.findall(r"error: (.*)", process.stderr)
    return [re.sub(r"'[^']*' op ", "", text) for text in found] or [f"exit status {process.returncode}"]


#===----------------------------------------------------------------------===#
# Arguments for a run
#===----------------------------------------------------------------------===#

SIZE, BATCHES = 80, 2  # dynamic extents: rows that are no multiple of a tile, and few batches
# Python's and NumPy's names of types that lists are made of.
FORMATS = {"f16": ("e", "<f2"), "f32": ("f", "<f4"), "i8": ("b", "<i1"), "i16": ("h", "<i2"), "i32": ("i", "<i4")}
# The places of two of four elements, the first one in the low bits; of one of two, whose halves have a place each.
PLACES_OF_FOUR, PLACES_OF_TWO = (4, 8, 12, 9, 13, 14), (4, 14)


def extent(name):
    """The value of an extent: a number, or a name."""
    if name.isdigit():
        return int(name)
    return BATCHES if re.search(r"^b$|^B$|batch$|batch_size$|batch_plus_one$", name) else SIZE


def parameters(text):
    """Element type, shape (nothing for a scalar), and the name of each argument of the function."""
    head = re.search(r"func\.func @\w+\((.*)\) (attributes .*)?\{$", text, re.MULTILINE)
    found = []
    for name, dims, kind, named in re.findall(r'%([\w$.#-]+): (?:memref<((?:[\d?]+x)*))?(\w+)[^%{]*(?:\{tile\.shape = "([^"]*)"\})?',
                                              head[1] if head else ""):
        found.append((kind, [extent(d) for d in (named or dims.rstrip("x")).split("x")] if dims else None, name))
    return found


def sizes(text):
    names = set()
    for shape in re.findall(r'tile\.shape = "([^"]*)"', text):
        names.update(part for part in shape.split("x") if not part.isdigit())
    return [f"{name}={extent(name)}" for name in sorted(names)]


def find_metadata(path):
    """The names of arguments that hold metadata of sparse products, and the bits of the elements: what is copied to the operand."""
    with open(path, encoding="utf-8") as file:
        nodes = json.load(file)["nodes"]

    def buffers(call):
        """The buffers that are operands of a call."""
        loads = [nodes[nodes[a]["data"]["args"]]["data"][0] for a in nodes[call["args"]]["data"] if nodes[a]["type"].endswith("Call")]
        return [nodes[load]["data"]["buffer"] for load in loads if nodes[load]["type"].endswith("BufferLoad")]

    calls = [(str(nodes[node["data"]["op"]].get("data")), node["data"]) for node in nodes if node["type"].endswith(".Call")]
    products = [buffers(call) for name, call in calls if name.endswith("gemm_sp")]
    copies = [buffers(call) for name, call in calls if name.endswith(".copy")]
    sources = {(source, stored) for stored, tile, *_ in products for source, *rest in copies if rest == [tile]}
    sources |= {(tile, stored) for stored, tile, *_ in products}
    return {nodes[nodes[source]["data"]["name"]]["data"]: int(re.sub(r"\D", "", nodes[stored]["data"]["dtype"].split("_")[0][-2:]))
            for source, stored in sources}


def make_list(kind, shape, name, metadata, text):
    """Numbers that random ones are not; none where these will do."""
    count, bits = math.prod(shape), 8 * struct.calcsize(FORMATS[kind][0])
    if name in metadata:
        places = PLACES_OF_TWO if metadata[name] == 32 else PLACES_OF_FOUR
        words = [sum(random.choice(places) << shift for shift in range(0, bits, 4)) for _ in range(count)]
        return [word - (word >> (bits - 1) << bits) for word in words]
    if re.fullmatch(r"(?i)token_?indices", name) and shape[1:] == [2]:
        return [number for i in range(shape[0]) for number in (0, i)]
    if name == "dense" and "nonzeros" in text:
        group = 2 if bits == 32 else 4
        kept = [place for i in range(0, count, group) for place in random.sample(range(i, i + group), group // 2)]
        values = [0] * count
        for place in kept:
            values[place] = random.randint(-8, 8)
        return values
    return None


def save_list(path, kind, shape, numbers):
    """A file as numpy.save writes it."""
    code, name = FORMATS[kind]
    head = f"{{'descr': '{name}', 'fortran_order': False, 'shape': ({', '.join(map(str, shape))},), }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack(f"<{len(numbers)}{code}", *numbers))


def values(text, path, folder):
    """Numbers that suit the arguments: indices in range, offsets that grow, lists in files of the folder."""
    given, metadata = [], find_metadata(path)
    random.seed(0)
    for i, (kind, shape, name) in enumerate(parameters(text)):
        numbers = make_list(kind, shape, name, metadata, text) if shape and kind in FORMATS else None
        if numbers is not None:
            save_list(os.path.join(folder, f"{i}.npy"), kind, shape, numbers)
            given.append(f"--arg={i}:{os.path.join(folder, f'{i}.npy')}")
        elif not shape and re.fullmatch(r"i\d+|index", kind):
            given.append(f"--arg={i}:64")
        elif not shape:
            given.append(f"--arg={i}:0.5")
        elif kind in ("i32", "i64") and re.search(r"(?i)offset|cu_?seq|indptr|start", name):
            given.append(f"--arg={i}:offsets(64)")
        elif kind in ("i32", "i64"):
            given.append(f"--arg={i}:integers(0,63)")
        elif kind == "i8":
            given.append(f"--arg={i}:integers(-128,127)")
    return given


def cut(text):
    """At most two blocks along each dimension; all of them where they form clusters, or another kernel reads what they write."""
    if text.count("tile.kernel") > 1 or "cluster(" in text:
        return text
    return re.sub(r"(tile\.kernel \([^)]*\) in \()([^)]*)\)",
                  lambda found: found[1] + re.sub(r"\b\d+\b", lambda n: str(min(2, int(n[0]))), found[2]) + ")", text)


def run_model(text, path, tools, chip, seconds):
    """Results on the model of a chip beside those of the CPU."""
    tolerance = 0.15 if re.search(r"xf8E|xf4E", text) else 0.02
    with tempfile.TemporaryDirectory() as folder:
        kernel = os.path.join(folder, "kernel.mlir")
        with open(kernel, "w", encoding="utf-8") as file:
            file.write(cut(text))
        target = "hip" if chip.startswith("gfx") else "cuda"
        return run([os.path.join(tools, "tile-run"), kernel, *sizes(text), *values(text, path, folder), f"--target={target}",
                    f"--chip={chip}", "--device=model", "--check=cpu", "--threads=1", "--no-notes", f"--atol={tolerance}",
                    f"--rtol={tolerance}"], seconds, MEMORY_OF_MODEL)


def model_reasons(process):
    if process.returncode in (-24, -9) or "error: " in process.stderr:
        return reasons(process)
    lines = [line.strip() for line in (process.stdout + process.stderr).splitlines()]
    found = [line for line in lines if re.search(r"race|differ|wrong|expected|FAIL|nobody|bounds|deadlock", line)]
    return found[:2] or lines[-2:] or [f"exit status {process.returncode}"]


#===----------------------------------------------------------------------===#
# Stages
#===----------------------------------------------------------------------===#

class Program:
    """A capture, and what is known of it: the reasons why stages fail, by stage; none for one that passes."""

    def __init__(self, path, known):
        self.path, self.known, self.text = path, known, None

    def check(self, given):
        """The stages that are not known; a stage needs the ones in front of it, but chips do not need one another."""
        translate, opt = os.path.join(given.tools, "tile-translate"), os.path.join(given.tools, "tile-opt")

        def stage(name, compute):
            if name not in self.known:
                process = compute()
                self.known[name] = [] if process.returncode == 0 else model_reasons(process) if name.startswith("model") else \
                    reasons(process)
            return not self.known[name]

        def imported():
            process = run([translate, "--import-tilelang", self.path], given.seconds)
            self.text = process.stdout
            return process

        def piped(*command):
            if self.text is None:
                imported()
            return lambda: run([*command, "-o", os.devnull], given.seconds, input=self.text)

        names = {"import", "verify", "cpu"} | set(given.chip) | {f"model of {chip}" for chip in given.model}
        if not names - set(self.known) or not stage("import", imported):
            return
        if not stage("verify", piped(opt, "--tile-verify-semantics")) or not stage("cpu", piped(translate, "--tile-to-llvmir")):
            return
        for chip in given.chip:
            if self.is_for(chip):
                image = "--tile-to-hsaco" if chip.startswith("gfx") else "--tile-to-cubin"
                stage(chip, piped(translate, image, f"--chip={chip}"))
        for chip in given.model:
            if self.is_for(chip) and not self.known.get(chip):
                stage(f"model of {chip}", lambda: run_model(self.text, self.path, given.tools, chip, given.seconds))

    def names(self, pattern):
        with open(self.path, encoding="utf-8") as file:
            return bool(pattern.search(file.read()))

    def is_for(self, stage):
        """Whether the program is to pass the stage."""
        return "gfx" not in stage or not self.names(NVIDIA_ONLY)

    def is_left_out(self):
        return any(EXCLUDED.search(why) for why in self.known.get("import", [])) or self.names(NO_LOWERING)


def definitions(folder, only, captures):
    """Captures by the place of the definition, examples first."""
    found = collections.defaultdict(list)
    for base, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(base, name)
            if not name.endswith(".meta.json") or only not in path:
                continue
            with open(path, encoding="utf-8") as file:
                about = json.load(file)
            site = about["site"] or [about["file"], about["name"]]
            found[tuple(map(str, site[:2]))].append(path.replace(".meta.json", ".json"))
    return {site: sorted(found[site])[:captures] for site in sorted(found, key=lambda site: (site[0].startswith("testing"), site))}


def read_state(path, again):
    known = {}
    if path and os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            for line in file:
                name, stages = json.loads(line)
                known[name] = {stage: why for stage, why in stages.items() if not (again and why)}
    return known


#===----------------------------------------------------------------------===#
# Tables
#===----------------------------------------------------------------------===#

def family(site):
    parts = site[0].split("/")
    return "/".join(parts[:3] if parts[0] == "testing" else parts[:2])


def general(reason):
    """Without the names and numbers of one program."""
    return re.sub(r"\d+(x\d+)*", "N", re.sub(r"'[^']*'|@\w+", "'…'", reason))[:150]


def group_of(site):
    return "tests" if site[0].startswith("testing") else EXAMPLES


def print_table(results, stages):
    """Of each group the definitions that pass a stage, of those that are to pass it."""
    table = collections.defaultdict(collections.Counter)
    for site, programs in results.items():
        left_out = any(program.is_left_out() for program in programs)
        for row in (table[family(site)], table[group_of(site)], table["all"]):
            row.update({"definitions": 1, "left out": left_out})
            for stage in stages if not left_out else []:
                outcomes = [program.known.get(stage, ["not reached"]) for program in programs if program.is_for(stage)]
                row.update({("of", stage): bool(outcomes), stage: bool(outcomes) and not any(outcomes)})
    print("| family | definitions | left out | " + " | ".join(stages) + " |")
    print("|---|---|---|" + "---|" * len(stages))
    for name in sorted(set(table) - {"all", "tests", EXAMPLES}) + [EXAMPLES, "tests", "all"]:
        row = table[name]
        cells = [f"{row[s]} of {row['of', s]}" for s in stages]
        if name in (EXAMPLES, "tests", "all"):
            cells = [f"{cell} ({100 * row[s] / max(1, row['of', s]):.0f} %)" for s, cell in zip(stages, cells)]
        print(f"| {name} | {row['definitions']} | {row['left out']} | " + " | ".join(cells) + " |")


def print_reasons(results, stages):
    count, alone, example = collections.Counter(), collections.Counter(), {}
    for site, programs in results.items():
        if any(program.is_left_out() for program in programs):
            continue
        failed = {(stage, general(why)) for program in programs for stage in stages for why in program.known.get(stage, [])}
        for key in failed:
            key = (*key, group_of(site))
            count[key] += 1
            alone[key] += len(failed) == 1
            example.setdefault(key, site)
    print("\n| stage | reason | group | definitions | nothing else | first |\n|---|---|---|---|---|---|")
    for key in sorted(count, key=lambda key: (stages.index(key[0]), -count[key])):
        stage, why, group = key
        print(f"| {stage} | {why.replace('|', '/')} | {group} | {count[key]} | {alone[key]} | {':'.join(example[key])} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder")
    parser.add_argument("--tools", required=True)
    parser.add_argument("--chip", action="append", default=[])
    parser.add_argument("--model", action="append", default=[])
    parser.add_argument("--state", default="")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--captures", type=int, default=2)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    known = read_state(given.state, given.again)
    results = {site: [Program(path, known.get(os.path.relpath(path, given.folder), {})) for path in paths]
               for site, paths in definitions(given.folder, given.only, given.captures).items()}
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        def check(program):
            before = len(program.known)
            program.check(given)
            program.text = None
            return program, len(program.known) > before
        for program, is_new in pool.map(check, [program for programs in results.values() for program in programs]):
            if given.state and is_new:
                with open(given.state, "a", encoding="utf-8") as file:
                    print(json.dumps([os.path.relpath(program.path, given.folder), program.known]), file=file)
    stages = ["import", "verify", "cpu", *given.chip, *(f"model of {chip}" for chip in given.model)]
    print_table(results, stages)
    print_reasons(results, stages)


if __name__ == "__main__":
    sys.exit(main())
