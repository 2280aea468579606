# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the kernels of docs/coverage.md on one chip, or on all, and compares with its table.

    coverage.py TILE_RUN PAGE COLUMN...    fails where a cell is not what happens
    coverage.py TILE_RUN PAGE --write      writes the cells and the list of refusals

A cell is `yes`, or `[n](#refusals)` for item n of the list below, a part of what the compiler says.
"""
import os
import re
import subprocess
import sys

ARGUMENTS = {"CPU": [], **{chip: ["--target=cuda", f"--chip={chip}", "--device=model"] for chip in ("sm_80", "sm_90a")},
             **{chip: ["--target=hip", f"--chip={chip}", "--device=model"] for chip in ("gfx942", "gfx1100")},
             **{chip: ["--target=ascend", f"--chip={chip}"] for chip in ("910B", "950")}}
KERNEL = re.compile(r"\[(\w+)\]\((\S+)\)")


def run(tile_run, path, kernel, column):
    """Nothing if all cases are right, else what is said."""
    command = [tile_run, "--no-notes", f"--func={kernel}", *ARGUMENTS[column], path]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", timeout=600)
    if re.search(r"^[1-9]\d* passed, 0 failed$", done.stdout, re.M):
        return ""
    errors = re.findall(r"error: (.*)", done.stderr)
    return errors[0] if errors else "wrong: " + done.stdout + done.stderr


def read(page):
    """The text before the table, its heading, its rows, and the refusals."""
    text = open(page, encoding="utf-8").read()
    before, table = text.split("| what |")
    heading, _, *lines = ("| what |" + table).splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    refusals = re.findall(r"^\d+\. `(.*)`", table, re.M)
    return before, [cell.strip() for cell in heading.strip("|").split("|")], rows, refusals


def write(tile_run, page):
    before, heading, rows, _ = read(page)
    refusals = []
    for row in rows:
        kernel, path = KERNEL.search(row[1]).groups()
        for at, column in enumerate(heading[2:], 2):
            said = run(tile_run, os.path.join(os.path.dirname(page), path), kernel, column)
            if said and said not in refusals:
                refusals.append(said)
            row[at:at + 1] = [f"[{refusals.index(said) + 1}](#refusals)" if said else "yes"]
            print(kernel, column, said or "yes", flush=True)
    table = [heading, ["---"] * len(heading), *rows]
    with open(page, "w", encoding="utf-8") as file:
        file.write(before + "".join(f"| {' | '.join(row)} |\n" for row in table).replace(" --- ", "---"))
        file.write("\n## Refusals\n\n" + "".join(f"{n}. `{text}`\n" for n, text in enumerate(refusals, 1)))


def check(tile_run, page, columns):
    _, heading, rows, refusals = read(page)
    wrong = 0
    for row in rows:
        kernel, path = KERNEL.search(row[1]).groups()
        for column in columns:
            cell = row[heading.index(column)]
            number = re.match(r"\[(\d+)\]", cell)
            expected = refusals[int(number[1]) - 1] if number else cell
            said = run(tile_run, os.path.join(os.path.dirname(page), path), kernel, column) or "yes"
            if not expected or expected not in said:
                wrong += 1
                print(f"{row[0]} ({kernel}), {column}: expected {expected}, got {said}")
    print(f"{len(rows) * len(columns) - wrong} cells agree, {wrong} do not")
    return wrong


if __name__ == "__main__":
    if sys.argv[3:] == ["--write"]:
        write(*sys.argv[1:3])
    else:
        sys.exit(bool(check(sys.argv[1], sys.argv[2], sys.argv[3:])))
