#!/usr/bin/env python3
"""Refuses words that the project has retired: names of its own for things that the field has names for.

usage: check-words.py SOURCE_DIR

Looks at include, lib, tools, docs, examples and test, at names of files, too. A word is found on its own, in snake_case
and in CamelCase. docs/glossary.md has the words that take their place.
"""
import os
import re
import sys

FOLDERS = ("include", "lib", "tools", "docs", "examples", "test")
ENDINGS = (".td", ".h", ".cpp", ".c", ".inc", ".def", ".txt", ".md", ".mlir", ".test", ".py", ".cfg")
# What must name the earlier words.
TABLES = re.compile(r"RenamedNames\.(def|h)$|Dialect/(Tile|Ascend)/renamed\.mlir$|Docs/Inputs/names-before-|rename-0\.1\.test$|"
                    r"Docs/words\.test$")


def name(word):
    """A word, alone or as a part of a name."""
    return rf"(?<![A-Za-z]){word}s?(?![a-z])|(?<![A-Z]){word.capitalize()}s?(?![a-z])"


# (Pattern, what to say, files in which the word means something else, why).
RETIRED = [
    (name("ring"), "pipeline", r"docs/ranks\.md|examples/ranks/|test/World/", "ranks in a ring"),
    (name("slot"), "stage", r"AOT/EmitC|Driver/|Targets/CPU/", "entries of tables"),
    (name("role"), "partition", r"Dialect/Ascend/|Layout|Mma|Mfma|Wgmma|TileToAscend|docs/reference/Ascend|Fragment",
     "the role of an operand"),
    (name("cursor"), "pipeline state", r"$^", ""),
    (name("tenant"), "live range", r"$^", ""),
    (r"take_turn|pass_turn|[Tt]akeTurn|[Pp]assTurn", "order_wait, order_arrive", r"$^", ""),
    (r"[Ss]afe[ _][Vv]alue|[Ss]afeValue", "padding value", r"Import/TileLang|docs/tilelang", "a name of TileLang's"),
    (name("panel"), "group", r"TileToCPU/|docs/performance", "packed operands of a CPU's GEMM"),
    (r"use_swizzle|UseSwizzle", "rasterize", r"Import/TileLang|docs/tilelang", "a name of TileLang's"),
    (r"\b(?:Describer|Maker)\b", "a noun for what it builds", r"$^", ""),
    (r"holdsSums|beginSums|endSums|\bgetSums\b", "accumulators", r"$^", ""),
    (r"areRegionsApart|[iI]sApart|verifyApart", "disjoint", r"$^", ""),
    (r"\bdisturbs\(", "conflictsWith", r"$^", ""),
    (r"\bBothCores\b", "CrossCoreVerifier", r"$^", ""),
    (r"[Bb]egun[A-Z]|\bbegun loop", "peeled loop", r"$^", ""),
    (r"\blost speed", "performance warning", r"$^", ""),
    (r"split_rows|SplitRows|split-rows|SplitCores|split-cores|SeparateCores", "sub-block tiling, mix kernel", r"$^", ""),
    (r"\bcross_(?:set|wait)\b|\bCross(?:Set|Wait)Op\b", "cross_core_set_flag, cross_core_wait_flag", r"$^", ""),
]


def files(root):
    for folder in FOLDERS:
        for base, names, found in os.walk(os.path.join(root, folder)):
            names[:] = [n for n in names if not n.startswith(".") and n != "__pycache__"]
            yield from (os.path.join(base, n) for n in sorted(found) if n.endswith(ENDINGS))


def check(path, relative, text):
    for pattern, instead, elsewhere, _ in RETIRED:
        if re.search(elsewhere, relative):
            continue
        match = re.search(pattern, os.path.basename(relative))
        if match:
            yield f"{relative}: the file's name has '{match.group(0)}'; say {instead}"
        for match in re.finditer(pattern, text):
            yield f"{relative}:{text.count(chr(10), 0, match.start()) + 1}: '{match.group(0)}' is retired; say {instead}"


def main():
    if len(sys.argv) != 2 or not os.path.isdir(sys.argv[1]):
        print(__doc__.strip())
        return 2
    root, problems, seen = sys.argv[1], [], 0
    for path in files(root):
        relative = os.path.relpath(path, root)
        if TABLES.search(relative):
            continue
        seen += 1
        with open(path, encoding="utf-8", errors="replace") as file:
            problems += check(path, relative, file.read())
    print("\n".join(problems) if problems else f"{seen} files, none with a retired word")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
