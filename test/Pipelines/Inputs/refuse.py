"""Gives invalid programs to all pipelines from tile ops on, which must refuse each with its message at its place.

usage: refuse.py TILE_OPT FILE...   (with `expected-error` comments, split by `// -----`)
"""

import re
import subprocess
import sys

# Beside its default, what a pipeline is run for.
CHIPS = {"tile-to-gpu-pipeline": ["sm_80", "gfx942"], "tile-to-ascend-pipeline": ["950"]}


def main():
    tile_opt, *files = sys.argv[1:]
    programs = []
    for name in files:
        with open(name) as file:
            programs += [part for part in file.read().split("// -----\n") if "expected-error" in part]
    text = "// -----\n".join(programs)
    # Those that are registered, so that none is forgotten.
    options = subprocess.run([tile_opt, "--help"], text=True, capture_output=True, check=True).stdout
    pipelines = sorted(set(re.findall(r"--(tile-to-\w+-pipeline)\b", options)))
    for pipeline in pipelines:
        for chip in ["", *CHIPS.get(pipeline, [])]:
            passes = f"--{pipeline}" + (f"=chip={chip}" if chip else "")
            done = subprocess.run([tile_opt, "-", "--split-input-file", "--verify-diagnostics",
                                   "--allow-unregistered-dialect", passes, "-o", "/dev/null"],
                                  input=text, text=True, capture_output=True)
            print(f"{passes}: {len(programs)} programs {'refused' if done.returncode == 0 else 'FAIL'}")
            sys.stdout.write(done.stderr)


main()
