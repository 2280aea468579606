#!/usr/bin/env python3
"""Checks the limits in lines that CONTRIBUTING.md sets for files and functions.

usage: check-lengths.py SOURCE_DIR

A function counts from the first line of its declaration to its last brace, a file all of its lines. The lines of a text
that goes over several of them are data, not code.
"""
import ast
import os
import re
import sys

FOLDERS = ("benchmarks", "examples", "include", "lib", "model", "python", "runtime", "test", "tools", "unittests", "utils")
FILES = {".td": 700, ".cpp": 800, ".c": 800, ".inc": 800, ".py": 800, ".h": 400}
TESTS = {".mlir": 400, ".test": 400}
FUNCTION = 80
DRIVES = re.compile(r"\b[mM]lir\w*Main\(")
DRIVER = 100  # tools/X/X.cpp, which wraps a driver of MLIR's
# Comments, and strings and characters with what they hold.
TEXT = re.compile(r'R"(\w*)\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'', re.S)
# Texts over several lines: of C++ and of Python.
LONG_TEXT = re.compile(r'R"(\w*)\(.*?\)\1"|""".*?"""', re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.M)
SCOPE = re.compile(r"\b(?:namespace|class|struct|union|enum|extern)\b(?![^()]*\()")


def blank(match):
    return re.sub(r"[^\n]", " ", match.group(0))


def lines_between(text, begin, end):
    """The lines of code of a piece, without those of its texts."""
    piece = text[begin:end]
    data = sum(match.group(0).count("\n") for match in LONG_TEXT.finditer(piece))
    return piece.count("\n") + 1 - data


def c_functions(original):
    """(First line, number of lines) of what stands in braces of its own, with a parameter list before them."""
    text = DIRECTIVE.sub(blank, TEXT.sub(blank, original))
    scopes, begin = [], 0
    for match in re.finditer(r"[{};]", text):
        character, at = match.group(0), match.start()
        inside = "function" in scopes
        if character == "{":
            head = text[begin:at]
            kind = "scope" if SCOPE.search(head) else "function" if "(" in head and not inside else "other"
            scopes.append(kind)
            if kind == "function":
                head = head[re.match(r"(?:\s|public:|private:|protected:)*", head).end():]
                start = at - len(head)
        elif character == "}" and scopes:
            if scopes.pop() == "function":
                yield text.count("\n", 0, start) + 1, lines_between(original, start, at)
        if "function" not in scopes:
            begin = match.end()


def python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            lines = text.split("\n")
            piece = "\n".join(lines[node.lineno - 1:node.end_lineno])
            yield node.lineno, lines_between(piece, 0, len(piece))


def problems(path, text):
    ending = os.path.splitext(path)[1]
    lines = text.count("\n")
    limit = {**FILES, **(TESTS if path.startswith("test" + os.sep) else {})}.get(ending)
    folder, name = os.path.split(path)
    if folder == os.path.join("tools", name[:-len(".cpp")]) and ending == ".cpp" and DRIVES.search(text):
        limit = DRIVER
    if limit and lines > limit:
        yield f"{path}: {lines} lines, {limit} at most"
    functions = python_functions if ending == ".py" else c_functions if ending in (".cpp", ".c", ".h") else lambda _: ()
    for first, count in functions(text):
        if count > FUNCTION:
            yield f"{path}:{first}: a function of {count} lines, {FUNCTION} at most"


def main():
    root, = sys.argv[1:]
    count = failures = 0
    for folder in FOLDERS:
        for base, _, names in os.walk(os.path.join(root, folder)):
            for name in sorted(names):
                if os.path.splitext(name)[1] not in {**FILES, **TESTS}:
                    continue
                count += 1
                path = os.path.join(base, name)
                with open(path, encoding="utf-8") as file:
                    for problem in problems(os.path.relpath(path, root), file.read()):
                        failures += 1
                        print(problem)
    print(f"{count} files, {failures} too long")
    sys.exit(1 if failures or not count else 0)


main()
