#!/usr/bin/env python3
"""Compiles the models of programs.py, from JAX to cubins, for measure.py.

    build.py BUILD OUT [--iree=iree-compile] [--only=TEXT] [--chip=sm_90a] [--linalg-only]

Needs the packages jax and iree-base-compiler of PyPI, a C compiler, and no GPU. OUT gets measure.py with what it needs, and a folder for
each model: linalg.mlir, the kernels, how each is launched, and the shapes of the arguments, of which results and workspaces are the
last ones.
"""
import argparse
import json
import os
import re
import shutil
import subprocess

import jax
import jax.numpy as jnp

from jax_ops import Jax
from programs import MODELS

OPTIONS = "approximate workspace-arguments"


def run(*command, text=None):
    return subprocess.run(command, input=text, check=True, stdout=subprocess.PIPE, text=True).stdout


def make_linalg(name, iree):
    function, image, parameters, _ = MODELS[name]
    types = [jax.ShapeDtypeStruct(shape, jnp.bfloat16) for shape in [image, *(p[0] for p in parameters())]]
    lowered = jax.jit(lambda *arguments: function(Jax, *arguments)).lower(*types).as_text()
    text = run(iree, "--iree-input-type=stablehlo", "--compile-to=input", "-", "-o", "-", text=lowered)
    return text.replace("util.func", "func.func").replace("util.return", "return")


def find_arguments(tile):
    """The types and shapes of the function's arguments, in order."""
    header = next(line for line in tile.splitlines() if "func.func" in line)
    found = re.findall(r"%arg\d+: memref<((?:\d+x)*)([a-z]+\d+)", header)
    return [(kind, [int(n) for n in shape.split("x")[:-1]]) for shape, kind in found]


def make_harness(build, out):
    here = os.path.dirname(os.path.abspath(__file__))
    peers = os.path.join(here, "..", "cuda", "peers")
    for file in (os.path.join(here, "measure.py"), os.path.join(here, "programs.py"), os.path.join(here, "jax_ops.py"),
                 os.path.join(peers, "harness.py")):
        shutil.copy(file, out)
    run("cc", "-std=c11", "-O2", "-shared", "-fPIC", "-I" + os.path.join(here, "..", "..", "runtime", "include"),
        os.path.join(peers, "shim.c"), "-Wl,--whole-archive", os.path.join(build, "runtime", "libTileRuntime.a"),
        "-Wl,--no-whole-archive", "-lm", "-lpthread", "-ldl", "-o", os.path.join(out, "libtile-bench.so"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("out")
    parser.add_argument("--iree", default="iree-compile")
    parser.add_argument("--only", default="")
    parser.add_argument("--chip", default="sm_90a")
    parser.add_argument("--linalg-only", action="store_true")
    args = parser.parse_args()
    tools = os.path.join(args.build, "bin")
    os.makedirs(args.out, exist_ok=True)
    if not args.linalg_only:
        make_harness(args.build, args.out)
    for name in (n for n in MODELS if args.only in n):
        folder = os.path.join(args.out, name)
        os.makedirs(folder, exist_ok=True)
        at = lambda file: os.path.join(folder, file)
        if not os.path.exists(at("linalg.mlir")):
            open(at("linalg.mlir"), "w").write(make_linalg(name, args.iree))
        if args.linalg_only:
            continue
        tile = run(os.path.join(tools, "tile-opt"), f"--tile-from-linalg={OPTIONS}", at("linalg.mlir"))
        open(at("tile.mlir"), "w").write(tile)
        for kind, file in [("cubin", "image.cubin"), ("gpu-metadata", "kernel-0.json")]:
            run(os.path.join(tools, "tile-translate"), f"--tile-to-{kind}", f"--chip={args.chip}", at("tile.mlir"), "-o", at(file))
        json.dump(find_arguments(tile), open(at("arguments.json"), "w"))
        print(f"{name}: {tile.count('tile.kernel')} kernels")


if __name__ == "__main__":
    main()
