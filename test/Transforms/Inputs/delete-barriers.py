#!/usr/bin/env python3
"""Checks that every barrier, wait and turn of a scheduled file is needed.

usage: delete-barriers.py TILE_OPT FILE.mlir PIPELINE

Runs the passes of PIPELINE over the file. Then takes away each barrier in turn, each fence of a barrier, each wait for
tensor copies out of shared memory or for gemms, and each turn that is taken or passed, lets all threads do what each
warpgroup does, and expects tile-verify-schedule to complain, as it must not about the whole.
"""
import re
import subprocess
import sys


def verifies(tile_opt, text):
    run = subprocess.run([tile_opt, "--tile-verify-schedule", "-o", "/dev/null"], input=text.encode(),
                         stderr=subprocess.PIPE, check=False)
    return run.returncode == 0, run.stderr.decode()


def main():
    tile_opt, path, pipeline = sys.argv[1:]
    run = subprocess.run([tile_opt, path, "--pass-pipeline=" + pipeline], stdout=subprocess.PIPE, check=True)
    text = run.stdout.decode()
    ok, errors = verifies(tile_opt, text)
    if not ok:
        sys.exit("the schedule is rejected as it is:\n" + errors)
    count = failures = 0
    for match in re.finditer(r"^ *tile\.(?:barrier( async)?(?: \{tile.warpgroups\})?|(?:store_wait|gemm_wait|order_wait|order_arrive)\b.*)$", text, re.M):
        mutants = [""] + ([match.group(0).replace(" async", "")] if match.group(1) else [])
        for mutant in mutants:
            count += 1
            ok, _ = verifies(tile_opt, text[:match.start()] + mutant + text[match.end():])
            if ok:
                failures += 1
                line = text.count("\n", 0, match.start()) + 1
                print(f"line {line}: nobody misses this{', or its fence' if mutant else ''}")
    # Copies of each warpgroup beside one of all.
    for match in re.finditer(r"^ *tile\.copy.*tile\.warpgroups.*$", text, re.M):
        count += 1
        mutant = re.sub(r"(, )?tile\.warpgroups", "", match.group(0)).replace(" {}", "")
        if verifies(tile_opt, text[:match.start()] + mutant + text[match.end():])[0]:
            failures += 1
            print(f"nobody misses the warpgroups of {match.group(0).strip()}")
    print(f"{count} mutations, {failures} not noticed")
    sys.exit(1 if failures or not count else 0)


main()
