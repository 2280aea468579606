"""Deletes each flag, barrier and cross-core flag of a file in turn, and makes each set twice; the verifier must refuse it.

usage: mutate.py TILE_OPT FILE

Prints each line that may go, or come twice, without the verifier's knowledge, and the numbers of mutants that it refused.
"""
import re
import subprocess
import sys

SYNC = re.compile(r"\s*ascend\.(set_flag|wait_flag|pipe_barrier|cross_core_set_flag|cross_core_wait_flag)\b")

tool, path = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    lines = file.read().split("\n")


def passes(text):
    """For each program of the text, whether the verifier takes it."""
    done = subprocess.run([tool, "-", "--ascend-verify-sync", "--split-input-file"], input=text, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return [bool(part.strip()) for part in done.stdout.split("// -----")]


assert passes("\n".join(lines)) == [True]


def mutate(what, how, sites, change):
    results = passes("\n// -----\n".join("\n".join(lines[:i] + change(lines[i]) + lines[i + 1:]) for i in sites))
    assert len(results) == len(sites)
    for i, survives in zip(sites, results):
        if survives:
            print(f"not refused {how} line {i + 1}: {lines[i].strip()}")
    return f"{len(sites)} {what}, {results.count(False)} refused"


sites = [i for i, line in enumerate(lines) if SYNC.match(line)]
sets = [i for i in sites if "set_flag" in lines[i]]
print(mutate("deletions", "without", sites, lambda line: []))
print(mutate("sets made twice", "with twice", sets, lambda line: [line, line]))
