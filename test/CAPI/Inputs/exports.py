"""Compares the functions that a library exports with those that headers declare.

usage: exports.py LIBRARY OUR_FOLDER,... UPSTREAM_FOLDER,...

Functions that a header defines, and those of upstream's headers for Python, need not be exported; nor need those of the
headers that are generated for upstream's passes, whose archives are not complete.
"""
import os
import re
import subprocess
import sys

NAME = r"\b((?:mlir|tile)[A-Z]\w*)\s*\("


def headers(folders):
    for folder in folders.split(","):
        for base, _, names in os.walk(folder):
            for name in names:
                if name.endswith((".capi.h.inc", ".h") if folder.endswith("-c") else ".capi.h.inc"):
                    yield os.path.join(base, name)


def declared(folders):
    """What is declared, and what is only defined in place."""
    functions, inline = set(), set()
    for path in headers(folders):
        with open(path, encoding="utf-8") as file:
            text = re.sub(r"//[^\n]*|/\*.*?\*/", "", file.read(), flags=re.S)
        text = re.sub(r"^\s*#(\\\n|[^\n])*", "", text, flags=re.M)
        functions.update(re.findall(NAME, text))
        for found in re.findall(r"MLIR_DECLARE_CAPI_DIALECT_REGISTRATION\(\s*\w+,\s*(\w+)\)", text):
            functions.add(f"mlirGetDialectHandle__{found}__")
        if "Bindings/Python" in path or (path.endswith(".inc") and "-c/" not in path):
            inline.update(re.findall(NAME, text))
        inline.update(re.findall(r"\binline\b[^;{]*?" + NAME, text))
    return functions, inline


ours, _ = declared(sys.argv[2])
upstream, inline = declared(sys.argv[3])
output = subprocess.run(["nm", "-D", "--defined-only", "--extern-only", sys.argv[1]], check=True, text=True, stdout=subprocess.PIPE).stdout
exported = {line.split()[-1] for line in output.splitlines()}
# Identities of types, and constants in templates of the C++ library, which are one for the whole process.
exported = {name for name in exported if not re.match(r"_Z(GVZ|Z|)N(4mlir6detail14TypeIDResolver|St)", name)}
for name in sorted(exported - ours - upstream):
    print(f"exported, not declared: {name}")
for name in sorted((ours | upstream - inline) - exported):
    print(f"declared, not exported: {name}")
print(f"{len(exported & ours)} functions of ours and {len(exported & upstream - ours)} of mlir-c")
