#!/usr/bin/env python3
"""Checks that the ops of a dialect are documented, and that what is documented is checked and tested.

usage: check-td.py TBLGEN FILE.td INCLUDE_DIR... [--executed=FILE]

For each op, with FILE.td in include/Tile/Dialect/<D>/IR:
  - a summary, and a description with **Targets.** and an **Example.** that uses the op, or that refers to the example of
    another one, "See `tile.other`.", which does;
  - **Constraints.** numbered from C1 on, if the op has a verifier. Each has a comment `<d>.<op> Cn` in lib/, unless it
    says '(ODS)', and a function @<op>_cn... in test/Dialect/<D>/<op>_errors.mlir, unless it says 'checked by' a pass or,
    of chips, '(all do)';
  - each message that **Errors.** quotes is expected in that file, unless the name of a pass follows it. A '…' stands for
    any text;
  - test/Dialect/<D>/<op>.mlir.

A dialect of instructions has no file of tests for each op. <group>_errors.mlir and <group>_..._errors.mlir stand for
those of the ops that include/Tile/Dialect/<D>/IR/<D><Group>Ops.td defines; and in the place of test/Dialect/<D>/<op>.mlir,
FILE, what tests execute after its lowering, has the op.
"""
import argparse
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def read(*parts):
    path = os.path.join(ROOT, *parts)
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        return file.read()


def read_all(folder, group):
    """The texts of <group>_errors.mlir and <group>_..._errors.mlir."""
    names = os.listdir(os.path.join(ROOT, folder))
    texts = [read(folder, name) for name in sorted(names) if re.fullmatch(rf"{group}(_\w+)?_errors\.mlir", name)]
    return "\n".join(texts) if texts else None


def section(description, name):
    """The text from a bold label to the next one."""
    match = re.search(rf"\*\*{name}\.\*\*(.*?)(?=\n\s*\*\*\w+\.\*\*|\Z)", description, re.S)
    return match and match.group(1)


def one_line(text):
    return re.sub(r"\s+", " ", text)


def commented_constraints():
    """(op, number) pairs of the comments in lib/."""
    found = set()
    for base, _, files in os.walk(os.path.join(ROOT, "lib")):
        for name in files:
            if name.endswith(".cpp"):
                text = read(base, name)
                for op, numbers in re.findall(r"// ([\w.]+) (C\d+(?:, C\d+)*)", text):
                    found.update((op, number) for number in numbers.split(", "))
    return found


def check_constraints(name, mnemonic, constraints, errors, commented):
    if constraints.strip() == "None.":
        return
    items = re.findall(r"- \((C\d+)\)(.*?)(?=\n\s*- \(C|\Z)", constraints, re.S)
    if [number for number, _ in items] != [f"C{i}" for i in range(1, len(items) + 1)] or not items:
        yield "the constraints are not numbered C1, C2, ..."
    for number, text in items:
        if "checked by" in one_line(text):
            continue
        if "(ODS)" not in text and (name, number) not in commented:
            yield f"no comment '// {name} {number}' in lib"
        if "(all do)" not in text and not re.search(rf"@{mnemonic}_{number.lower()}(_\w+)?\(", errors):
            yield f"no test @{mnemonic}_{number.lower()} in the errors file"


def check_errors(text, errors):
    for message, by_pass in re.findall(r"`([^`]+)`(\s+\(`[\w-]+`\))?", one_line(text)):
        pattern = ".*".join(re.escape(part) for part in message.split("…"))
        if not by_pass and not re.search(rf"expected-error[^\n]*{{{{[^\n]*{pattern}", errors):
            yield f"the error '{message}' is not tested"


def has_example(name, descriptions):
    example = section(descriptions[name], "Example") or ""
    shared = re.fullmatch(r"\s*See `([\w.]+)`\.\s*", example)
    if shared:
        example = section(descriptions.get(shared.group(1), ""), "Example") or ""
    return re.search(rf"```mlir\n(?:(?!```).)*\b{re.escape(name)}\b", example, re.S)


def groups(td):
    """The names of the groups of ops, by the names of their definitions."""
    folder, dialect = os.path.dirname(td), os.path.basename(td)[:-len("Ops.td")]
    found = {}
    for name in os.listdir(folder):
        match = re.fullmatch(rf"{dialect}(\w+)Ops\.td", name)
        if match:
            definitions = re.findall(r"^def (\w+)", read(folder, name), re.M)
            found.update((definition, match.group(1).lower()) for definition in definitions)
    return found


def check_accepted(name, tests, executed):
    accepted = os.path.join(tests, name.split(".", 1)[1] + ".mlir")
    if executed is None and read(accepted) is None:
        yield f"no {accepted}"
    elif executed is not None and not re.search(rf"\b{re.escape(name)}\s", executed):
        yield "in no kernel that a test executes"


def check_op(name, record, descriptions, tests, errors, commented):
    mnemonic = name.split(".", 1)[1]
    description = descriptions[name]
    if not record["summary"]:
        yield "no summary"
    if section(description, "Targets") is None:
        yield "no **Targets.**"
    if not has_example(name, descriptions):
        yield "no **Example.** that uses the op"
    if errors is None:
        yield f"no {tests}/{mnemonic}_errors.mlir"
        return
    constraints = section(description, "Constraints")
    if constraints is not None:
        yield from check_constraints(name, mnemonic, constraints, errors, commented)
    elif record["hasVerifier"] or record["hasRegionVerifier"]:
        yield "a verifier, but no **Constraints.**"
    yield from check_errors(section(description, "Errors") or "", errors)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tblgen")
    parser.add_argument("td")
    parser.add_argument("includes", nargs="+")
    parser.add_argument("--executed", type=argparse.FileType(encoding="utf-8"))
    arguments = parser.parse_args()
    td = os.path.abspath(arguments.td)
    executed = arguments.executed and arguments.executed.read()
    group = groups(td) if executed else {}
    command = [arguments.tblgen, "--dump-json", *(f"-I{path}" for path in arguments.includes), td]
    records = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    dialect = os.path.basename(os.path.dirname(os.path.dirname(td)))
    commented = commented_constraints()
    ops = {records[record["opDialect"]["def"]]["name"] + "." + record["opName"]: record
           for record in (records[key] for key in records["!instanceof"]["Op"])}
    descriptions = {name: record["description"] or "" for name, record in ops.items()}
    tests = os.path.join("test", "Dialect", dialect)
    count = failures = 0
    for name, record in ops.items():
        count += 1
        errors = (read_all(tests, group.get(record["!name"], "")) if executed else
                  read(tests, record["opName"] + "_errors.mlir"))
        for problem in (*check_op(name, record, descriptions, tests, errors, commented),
                        *check_accepted(name, tests, executed)):
            failures += 1
            print(f"{name}: {problem}")
    print(f"{count} ops, {failures} problems")
    sys.exit(1 if failures or not count else 0)


main()
