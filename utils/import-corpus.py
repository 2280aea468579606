#!/usr/bin/env python3
"""Imports a folder of TileLang programs and says how far each comes, by family and by reason.

usage: import-corpus.py FOLDER --tools DIR [--chip CHIP] [--jobs N] [--all] [--only TEXT] [--json FILE]

FOLDER holds FILE.json, as tvm.ir.save_json writes a PrimFunc, each with a FILE.meta.json that says where the program is defined
("site": file and line). A definition counts as far as the last of its captures comes; at most two are tried, all with --all.
The stages: imported, verified (tile-verify-semantics), lowered for the CPU, and with --chip compiled for that GPU.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import subprocess

STAGES = ["import", "verify", "cpu", "gpu"]
# What is outside of the goals: other people's code, and instructions of chips that have no lowering.
EXCLUDED = re.compile(r"foreign code|tcgen05|sm_100|cluster launch control|memory of scope 'shared.tmem'|tmem|without T.Kernel")


def run(command, **arguments):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, **arguments)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", "error: time limit")


def reasons(process):
    """The errors of a tool, without places and with numbers and names made equal."""
    if process.returncode < 0:
        return [f"crash by signal {-process.returncode}"]
    found = re.findall(r"error: (.*)", process.stderr)
    return [re.sub(r"'[^']*' op ", "", text) for text in found] or [f"exit status {process.returncode}"]


def check(path, tools, chip):
    """The stages that a program passes, and why the next one fails."""
    translate, opt = os.path.join(tools, "tile-translate"), os.path.join(tools, "tile-opt")
    imported = run([translate, "--import-tilelang", path])
    if imported.returncode:
        return 0, reasons(imported)
    verified = run([opt, "--tile-verify-semantics", "-o", os.devnull], input=imported.stdout)
    if verified.returncode:
        return 1, reasons(verified)
    lowered = run([translate, "--tile-to-llvmir", "-o", os.devnull], input=imported.stdout)
    if lowered.returncode:
        return 2, reasons(lowered)
    if not chip:
        return 3, []
    compiled = run([translate, "--tile-to-cubin", f"--chip={chip}", "-o", os.devnull], input=imported.stdout)
    return (3, reasons(compiled)) if compiled.returncode else (4, [])


def definitions(folder, only):
    """Captures by the place of the definition."""
    found = collections.defaultdict(list)
    for base, _, names in os.walk(folder):
        for name in sorted(names):
            if not name.endswith(".meta.json"):
                continue
            path = os.path.join(base, name)
            with open(path, encoding="utf-8") as file:
                about = json.load(file)
            site = about["site"] or [about["file"], about["name"]]
            if only in path:
                found[tuple(map(str, site[:2]))].append(path.replace(".meta.json", ".json"))
    return found


def family(site):
    parts = site[0].split("/")
    return "/".join(parts[:3] if parts[0] == "testing" else parts[:2])


def general(reason):
    """Without the names and numbers of one program."""
    return re.sub(r"\d+(x\d+)*", "N", re.sub(r"'[^']*'", "'…'", reason))[:150]


def print_table(results, stages):
    table = collections.defaultdict(lambda: [0] * (len(stages) + 2))
    for site, (stage, why) in results.items():
        groups = [family(site), "examples and benchmarks" if site[0].split("/")[0] != "testing" else "tests", "all"]
        excluded = stage == 0 and any(EXCLUDED.search(text) for text in why)
        for group in groups:
            row = table[group]
            row[0] += 1
            row[1] += excluded
            for i in range(len(stages)):
                row[i + 2] += stage > i
    names = sorted(set(table) - {"all", "tests", "examples and benchmarks"})
    print("| family | definitions | left out | " + " | ".join(stages) + " |")
    print("|---|---|---|" + "---|" * len(stages))
    for name in names + ["examples and benchmarks", "tests", "all"]:
        if name in table:
            row = table[name]
            counted = row[0] - row[1]
            share = [f"{n} ({100 * n / counted:.0f} %)" if counted and name in ("all", "examples and benchmarks") else str(n)
                     for n in row[2:]]
            print(f"| {name} | {row[0]} | {row[1]} | " + " | ".join(share) + " |")


def print_reasons(results):
    count, alone, example = collections.Counter(), collections.Counter(), {}
    for site, (stage, why) in results.items():
        keys = {f"{STAGES[stage]}: {general(text)}" for text in why}
        for key in keys:
            count[key] += 1
            alone[key] += len(keys) == 1
            example.setdefault(key, site)
    print("\n| reason | definitions | nothing else | first |\n|---|---|---|---|")
    for key, number in count.most_common():
        print(f"| {key.replace('|', '/')} | {number} | {alone[key]} | {example[key][0]}:{example[key][1]} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder")
    parser.add_argument("--tools", required=True)
    parser.add_argument("--chip", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--json", default="")
    arguments = parser.parse_args()
    found = definitions(arguments.folder, arguments.only)
    work = [(site, path) for site, paths in sorted(found.items()) for path in (paths if arguments.all else paths[:2])]
    results = {}
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        outcomes = pool.map(lambda item: check(item[1], arguments.tools, arguments.chip), work)
        for (site, path), outcome in zip(work, outcomes):
            if site not in results or outcome[0] < results[site][0]:
                results[site] = outcome
            if arguments.json:
                results[site] += (path,) if len(results[site]) == 2 else ()
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump([[*site, *outcome] for site, outcome in results.items()], file, indent=1)
    results = {site: outcome[:2] for site, outcome in results.items()}
    stages = STAGES if arguments.chip else STAGES[:3]
    print_table(results, stages)
    print_reasons(results)


if __name__ == "__main__":
    main()
