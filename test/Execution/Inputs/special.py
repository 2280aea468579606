"""Runs ops on special values (NaN, infinities, zeros of both signs, subnormal numbers, extremes) on one target.

usage: special.py TILE_OPT TILE_RUN FOLDER TARGET [--cells PATTERN] [--discover]

Each cell of the matrix is an op of a type. Its results are those of special_cases.py, bit by bit, or the compiler refuses it
and special-refused.txt says so: a refusal that is not in the list is a failure, and so is one in the list that works.
--discover runs each cell on its own and prints what is refused, for the list.
"""
import argparse
import fnmatch
import os
import re
import subprocess
import sys

from formats import decode
from run import Program
from special_cases import find_cases

HERE = os.path.dirname(os.path.abspath(__file__))
TARGETS = {"cpu": [], "910B": ["--target=ascend", "--chip=910B"], "950": ["--target=ascend", "--chip=950"],
           **{chip: [f"--target={'cuda' if chip[0] == 's' else 'hip'}", f"--chip={chip}", "--device=model", "--no-notes"]
              for chip in ("sm_80", "sm_90a", "gfx942", "gfx1100")}}

PIPELINES = {"cpu": ["--tile-to-cpu-pipeline"], **{chip: [f"--tile-to-ascend-pipeline=chip={chip}"] for chip in ("910B", "950")},
             **{chip: [f"--tile-to-{kind}-pipeline=chip={chip}"]
                for chip, kind in (("sm_80", "nvvm"), ("sm_90a", "nvvm"), ("gfx942", "rocdl"), ("gfx1100", "rocdl"))}}
BATCH, KERNEL = 200, 4  # cells in one program, and in one kernel
MARKS = ('{tile.init = "zeros"}', "{tile.result}")


def read_refusals(target):
    """Patterns of cells, and of what the compiler says."""
    with open(os.path.join(HERE, "special-refused.txt"), encoding="utf-8") as file:
        rows = [line.split(maxsplit=2) for line in file if line.strip() and not line.startswith("#")]
    return [(cell, message.strip()) for targets, cell, message in rows
            if any(fnmatch.fnmatch(target, pattern) for pattern in targets.split(","))]


def find_refusal(case, refusals):
    return next((message for cell, message in refusals if fnmatch.fnmatchcase(case.name, cell)), None)


def compile_each(tile_opt, folder, target, cases):
    """By name, the first error of each cell, compiled on its own."""
    lines, places, errors = [], [], {}
    for case in cases:
        places.append((len(lines) + 1, case.name))
        program = Program(folder)
        body = case.build(program)
        arguments = ", ".join(f"%arg{i}: {program.type(element, shape)}" for i, (element, shape, _) in enumerate(program.arguments))
        lines += [f"func.func @f({arguments}) {{", "tile.kernel (%block) in (1) {", *body, "}", "return", "}", "// -----"]
    path = os.path.join(folder, f"refused-{target}.mlir")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    done = subprocess.run([tile_opt, path, "--split-input-file", "-o", os.devnull, *PIPELINES[target]], text=True, capture_output=True)
    for start, offset, message in re.findall(re.escape(path) + r":(\d+)(?: offset :(\d+))?(?::\d+)*: error: (.*)", done.stderr):
        line = int(start) + int(offset or 1) - 1
        name = next(name for first, name in reversed(places) if first <= line)
        errors.setdefault(name, message)
    if done.returncode not in (0, 1):
        print(f"wrong: exit code {done.returncode} of {path}: {done.stderr[-500:]}")
    return errors


def run(tile_run, folder, target, cases):
    """Prints wrong results of one program; returns their number, and that of all."""
    program, inputs = Program(os.path.join(folder, target)), {}
    for first in range(0, len(cases), KERNEL):
        program.kernel(*(line for case in cases[first:first + KERNEL] for line in case.build(program, inputs)))
    outputs = program.run(tile_run, *TARGETS[target], "--threads=1")
    count, wrong = 0, 0
    for case in cases:
        got = outputs[case.output][:len(case.expected)]
        bad = [i for i, (code, expected) in enumerate(zip(got, case.expected)) if not expected(code)]
        count, wrong = count + len(case.expected), wrong + len(bad)
        for i in bad[:3]:
            print(f"wrong: {target} {case.name} of {case.describe(i)}: got {got[i]:#x} ({decode(case.result, got[i])}), expected "
                  f"{case.expected[i].text}; {len(bad)} of {len(case.expected)}")
    return wrong, count


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tile_opt")
    parser.add_argument("--verify-roundtrip", action="store_true", help="what lit gives to tile-opt; has no influence")
    parser.add_argument("tile_run")
    parser.add_argument("folder")
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--cells", default="*")
    parser.add_argument("--discover", action="store_true")
    args = parser.parse_args()
    os.makedirs(args.folder, exist_ok=True)
    cases = [case for case in find_cases() if fnmatch.fnmatchcase(case.name, args.cells)]
    if args.discover:
        errors = compile_each(args.tile_opt, args.folder, args.target, cases)
        for name, message in errors.items():
            print(f"{args.target} {name} {message}")
        return
    refusals = read_refusals(args.target)
    refused = [case for case in cases if find_refusal(case, refusals)]
    errors = compile_each(args.tile_opt, args.folder, args.target, refused) if refused else {}
    for case in refused:
        expected = find_refusal(case, refusals)
        if not re.search(expected, errors.get(case.name, "")):
            print(f"wrong: {args.target} {case.name}: expected the error {expected}, got {errors.get(case.name, 'none')}")
    rest, wrong, count = [case for case in cases if case not in refused], 0, 0
    for first in range(0, len(rest), BATCH):
        more, results = run(args.tile_run, args.folder, args.target, rest[first:first + BATCH])
        wrong, count = wrong + more, count + results
    print(f"{args.target}: {len(cases)} cells, {len(refused)} refused, {count} results, {wrong} wrong")


if __name__ == "__main__":
    main()
