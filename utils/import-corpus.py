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
import os
import re
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

def parameters(text):
    """Element type, whether it is a tensor, and the name of each argument of the function."""
    head = re.search(r"func\.func @\w+\((.*)\) (attributes .*)?\{$", text, re.MULTILINE)
    found = []
    for name, rank, kind in re.findall(r"%([\w$.#-]+): (?:memref<((?:[\d?]+x)*))?(\w+)", head[1] if head else ""):
        found.append((kind, bool(rank), name))
    return found


def sizes(text):
    """Dynamic extents: few batches, rows that are no multiple of a tile."""
    names = set()
    for shape in re.findall(r'tile\.shape = "([^"]*)"', text):
        names.update(part for part in shape.split("x") if not part.isdigit())
    return [f"{name}={2 if re.match('b$|B$|batch$|batch_size$', name) else 80}" for name in sorted(names)]


def values(text):
    """Numbers that suit the arguments: indices in range, offsets that grow."""
    given = []
    for i, (kind, is_tensor, name) in enumerate(parameters(text)):
        if not is_tensor and re.fullmatch(r"i\d+|index", kind):
            given.append(f"--arg={i}:64")
        elif not is_tensor:
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


def run_model(text, tools, chip, seconds):
    """Results on the model of a chip beside those of the CPU."""
    tolerance = 0.15 if re.search(r"xf8E|xf4E", text) else 0.02
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(cut(text))
        file.flush()
        target = "hip" if chip.startswith("gfx") else "cuda"
        return run([os.path.join(tools, "tile-run"), file.name, *sizes(text), *values(text), f"--target={target}", f"--chip={chip}",
                    "--device=model", "--check=cpu", "--threads=1", "--no-notes", f"--atol={tolerance}", f"--rtol={tolerance}"], seconds,
                   MEMORY_OF_MODEL)


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
                stage(f"model of {chip}", lambda: run_model(self.text, given.tools, chip, given.seconds))

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
