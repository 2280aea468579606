#!/usr/bin/env python3
"""Runs the commands of a Markdown file and compares what they print with what the file says.

usage: run-doc.py --build DIR FILE.md

The blocks are taken in order, all in one new folder, in which 'examples' is that of the sources:
  - a block whose first line is a comment 'file: NAME' becomes that file;
  - a block fenced as 'sh run' is run by sh, and must succeed; one fenced as 'sh run fails' must fail;
  - a block fenced as 'text' right after it is what it prints: stdout, and stderr too where it fails.
In such a text '…' stands for anything in a line, a line '…' for any lines, and blanks for blanks. Other blocks are left
alone. DIR/bin is on PATH; TILE is the folder of the sources, TILE_BUILD is DIR.
"""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
Block = collections.namedtuple("Block", "line info text")


def read_blocks(path):
    """The fenced blocks of a file."""
    fence = None
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            match = re.match(r"```(.*)$", line)
            if match and fence is None:
                fence, info, text = number, match.group(1).strip(), []
            elif match:
                yield Block(fence, info, "".join(text))
                fence = None
            elif fence is not None:
                text.append(line)
    if fence is not None:
        sys.exit(f"{path}:{fence}: code block without an end")


def pattern_of(text):
    """A regular expression for what a text block says."""
    lines = []
    for line in text.rstrip("\n").split("\n"):
        if line.strip() == "…":
            lines.append(r"(?:[^\n]*\n)*?")
        else:
            words = [".*?".join(map(re.escape, word.split("…"))) for word in line.split()]
            lines.append(r"[ \t]*" + "[ \t]+".join(words) + r"[ \t]*\n")
    return "".join(lines)


def run(block, folder, environment):
    """What a block prints. Ends the program where it fails and should not, or the reverse."""
    fails = block.info.endswith("fails")
    done = subprocess.run(["sh", "-eu"], input=block.text, cwd=folder, env=environment, text=True, timeout=300,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT if fails else subprocess.PIPE)
    if (done.returncode != 0) != fails:
        wanted = "a failure" if fails else "success"
        raise ValueError(f"expected {wanted}, got exit code {done.returncode}\n{done.stdout}{done.stderr or ''}")
    return done.stdout


def check(blocks, folder, environment):
    """Returns how many blocks were run."""
    count, output = 0, None
    for block in blocks:
        named = re.match(r"\s*(?://|#|/\*)\s*file: ([\w.-]+)", block.text)
        try:
            if named:
                with open(os.path.join(folder, named.group(1)), "w", encoding="utf-8") as file:
                    file.write(block.text)
            elif block.info in ("sh run", "sh run fails"):
                output = run(block, folder, environment)
                count += 1
                continue
            elif block.info == "text" and output is not None:
                if not re.fullmatch(pattern_of(block.text), output.rstrip("\n") + "\n"):
                    raise ValueError(f"expected\n{block.text}got\n{output}")
        except (ValueError, subprocess.TimeoutExpired) as error:
            raise ValueError(f"{block.line}: {error}") from error
        output = None
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="the build folder")
    parser.add_argument("file")
    args = parser.parse_args()
    build = os.path.abspath(args.build)
    path = os.pathsep.join([os.path.join(build, "bin"), os.environ.get("PATH", os.defpath)])
    environment = {**os.environ, "PATH": path, "TILE": ROOT, "TILE_BUILD": build}
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.join(ROOT, "examples"), os.path.join(folder, "examples"))
        try:
            count = check(read_blocks(args.file), folder, environment)
        except ValueError as error:
            sys.exit(f"{args.file}:{error}")
    print(f"{count} blocks run")
    sys.exit(0 if count else 1)


main()
