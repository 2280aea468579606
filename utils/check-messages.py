#!/usr/bin/env python3
"""Checks that each error message of the sources is expected by some test.

usage: check-messages.py SOURCE_DIR TEST_DIR [--tools]

A message is known by the constant pieces of its statement; each piece must stand in an expected-error of TEST_DIR, or with
--tools, for what command lines and files bring about, in a line of FileCheck's. A comment '// untested: WHY' in front of a
statement is for what no test can bring about.
"""
import os
import re
import sys

LITERAL = r'"(?:[^"\\\n]|\\.)*"'
STATEMENT = re.compile(rf"\b(?:emit(?:Op)?Error|attachNote)\b(?:{LITERAL}|[^;\"])*;")


CHECK = re.compile(r"^\W*[A-Z][A-Z0-9_]*(-[A-Z0-9]+)*:")


def files(folder, *suffixes):
    for base, _, names in os.walk(folder):
        for name in sorted(names):
            if name.endswith(suffixes):
                path = os.path.join(base, name)
                with open(path, encoding="utf-8") as file:
                    yield path, file.read()


def pieces(statement):
    """The literals of a statement, neighbours joined."""
    for group in re.findall(rf"{LITERAL}(?:\s*{LITERAL})*", statement):
        text = "".join(literal[1:-1] for literal in re.findall(LITERAL, group))
        yield text.replace('\\"', '"').replace("\\n", "\n")


def is_expectation(line, tools):
    return "expected-" in line or tools and CHECK.match(line) and "RUN:" not in line


def main():
    tools = "--tools" in sys.argv
    source, tests = (argument for argument in sys.argv[1:] if argument != "--tools")
    suffixes = (".mlir", ".test") if tools else (".mlir",)
    expected = "\n".join(line for _, text in files(tests, *suffixes) for line in text.split("\n")
                         if is_expectation(line, tools))
    count = failures = 0
    for path, text in files(source, ".cpp"):
        for match in STATEMENT.finditer(text):
            count += 1
            before = text[:text.rfind("\n", 0, match.start())].rsplit("\n", 4)[1:]
            if any(re.match(r"\s*// untested: ", line) for line in before):
                continue
            for piece in pieces(match.group(0)):
                # Short pieces are separators and plurals.
                if len(piece.strip()) > 3 and piece.strip() not in expected:
                    failures += 1
                    line = text.count("\n", 0, match.start()) + 1
                    print(f"{path}:{line}: no test expects '{piece}'")
    print(f"{count} messages, {failures} without a test")
    sys.exit(1 if failures or not count else 0)


main()
