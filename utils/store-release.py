#!/usr/bin/env python3
"""Stores files that this version writes in test/Compat/MAJOR.MINOR, for the tests of later versions that read them.

usage: store-release.py BUILD

Done when a release is made, from the tree that gets the tag. Until the tag is there, what was stored before is replaced; from
then on it is never written again.
"""
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# The passes before threads, and what becomes of them.
SCHEDULED = ["--tile-set-target=chip=sm_90a", "--tile-verify-semantics", "--tile-legalize-accesses",
             "--tile-select-instructions", "--tile-infer-layout", "--tile-persistent", "--tile-schedule",
             "--tile-insert-barriers", "--tile-plan-shared"]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    build = os.path.abspath(sys.argv[1])
    # Relative: locations name the sources.
    tools, examples = os.path.join(build, "bin"), "examples"
    os.chdir(ROOT)

    def run(tool, *arguments):
        return subprocess.run([os.path.join(tools, tool), *arguments], check=True, stdout=subprocess.PIPE).stdout

    version = re.match(rb"tile-opt (\d+\.\d+)", run("tile-opt", "--version")).group(1).decode()
    folder = os.path.join("test", "Compat", version)
    if subprocess.run(["git", "tag", "--list", version], check=True, stdout=subprocess.PIPE).stdout:
        sys.exit(f"{version} is tagged: {folder} stays as it is")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)

    def store(name, source, *passes):
        run("tile-opt", "--emit-bytecode", *passes, source, "-o", os.path.join(folder, name + ".mlirbc"))

    for source in sorted(os.listdir(examples)):
        if source.endswith(".mlir"):
            store(source[:-len(".mlir")], os.path.join(examples, source))
    store("ranks", os.path.join(examples, "ranks", "gemm_rs.mlir"))
    store("scheduled", os.path.join("test", "Compat", "Inputs", "gemm.mlir"), *SCHEDULED)
    store("ascend", os.path.join(examples, "softmax.mlir"), "--tile-to-ascend-pipeline=chip=910B")
    vector_add = os.path.join(examples, "vector_add.mlir")
    for kind, ending in [("c", "c"), ("c-header", "h")]:
        run("tile-translate", f"--mlir-to-{kind}", "--c-kernel=vector_add", "--c-targets=cpu:generic", vector_add, "-o",
            os.path.join(folder, f"tile_vector_add.{ending}"))
    run("tile-run", "--target=cuda", "--chip=sm_80", f"--save={os.path.join(folder, 'replay')}", vector_add, "N=1001")
    for library in ["tile-c", "tile-runtime"]:
        path = os.path.join(build, "lib", f"lib{library}.so")
        text = subprocess.run(["nm", "-D", "--defined-only", path], check=True, text=True, stdout=subprocess.PIPE).stdout
        names = {line.split()[-1] for line in text.splitlines()}
        with open(os.path.join(folder, f"{library}.symbols"), "w", encoding="utf-8") as file:
            file.writelines(f"{name}\n" for name in sorted(names) if re.match("tile|mlirTile", name))
    print(folder)


main()
