"""Counts the kernels of docs/comparison.md.

usage: comparison.py ROOT

Its table must say what utils/count-tokens counts, its kernels must be those that test/Execution/short-form.mlir runs, and none
may take more than 1.2 times the lines of TileLang or 1.5 times its tokens.
"""
import importlib.machinery
import importlib.util
import os
import re
import sys

LINES, TOKENS = 1.2, 1.5
LANGUAGES = ["tile", "TileLang", "Triton"]


def load(path):
    loader = importlib.machinery.SourceFileLoader("count_tokens", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("count_tokens", loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


def read(*parts):
    with open(os.path.join(*parts), encoding="utf-8") as file:
        return file.read()


def kernels(page):
    """The code of each language, by the titles of the kernels."""
    for section in page.split("\n## ")[1:]:
        title = section.split("\n", 1)[0]
        blocks = re.findall(r"^### (\w+)\n\n```\w+\n(.*?)^```", section, re.M | re.S)
        assert [name for name, _ in blocks] == LANGUAGES, f"{title}: expected code in {LANGUAGES}"
        yield title, dict(blocks)


def main():
    root = sys.argv[1]
    tool = load(os.path.join(root, "utils", "count-tokens"))
    page, executed = read(root, "docs", "comparison.md"), read(root, "test", "Execution", "short-form.mlir")
    rows, failed = 0, False
    for title, code in kernels(page):
        kernel = re.search(r"func\.func @(\w+)", code["tile"]).group(1)
        if tool.TOKEN.findall(tool.mlir(executed, [kernel])) != tool.TOKEN.findall(tool.mlir(code["tile"], [kernel])):
            sys.exit(f"{title}: @{kernel} is not that of short-form.mlir")
        text = {"tile": tool.mlir(code["tile"], [kernel])}
        text.update((name, tool.code(code[name], "#")) for name in LANGUAGES[1:])
        counts = {name: tool.count(text[name]) for name in LANGUAGES}
        row = f"| {title} | " + " | ".join(f"{counts[name][0]} / {counts[name][1]}" for name in LANGUAGES) + " |"
        if row + "\n" not in page:
            print(f"expected in the table: {row}")
            failed = True
        ratios = [counts["tile"][i] / counts["TileLang"][i] for i in range(2)]
        print(f"{title}: {ratios[0]:.2f} of the lines, {ratios[1]:.2f} of the tokens of TileLang")
        failed |= ratios[0] > LINES or ratios[1] > TOKENS
        rows += 1
    if failed or rows != 4:
        sys.exit(f"comparison.py: {rows} kernels, expected 4 that are short enough and whose counts are in the table")


main()
