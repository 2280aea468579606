#!/usr/bin/env python3
"""Compiles programs of TileLang with tile and with TileLang, for compare.py.

    build.py CORPUS OUT --tools DIR [--only TEXT] [--jobs N] [--tile-only]

CORPUS holds FILE.json and FILE.meta.json, as utils/import-corpus.py takes them. OUT gets a folder for each row of programs.py: two
cubins, how each is launched, and what the arguments are. Needs the package tilelang, nvcc, and no GPU. --tile-only leaves what
TileLang made as it is. Printed are the CPU seconds of each compiler (user time, with its processes, without the start of Python) and
their ratio.
"""
import argparse
import glob
import json
import multiprocessing
import os
import resource
import statistics
import subprocess
import sys
import traceback

from programs import PROGRAMS

CHIP = "sm_90a"
NVCC = ["nvcc", "-cubin", "-O3", "-lineinfo", "-std=c++20", f"-gencode=arch=compute_90a,code={CHIP}"]


def cpu_seconds():
    return sum(resource.getrusage(who).ru_utime for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def pass_configs(about):
    """The names of the configurations in the file are those of an enum, or are themselves."""
    from tilelang.transform import PassConfigKey
    known = {}
    for name, value in (about.get("pass_configs") or {}).items():
        name = name.split(".", 1)[1] if name.startswith("PassConfigKey.") else name
        key = getattr(PassConfigKey, name, None)
        if key is None and not name.startswith("tl.unknown"):
            key = name
        if key is not None:
            known[getattr(key, "value", key)] = {"True": True, "False": False}.get(value, int(value) if value.isdigit() else value)
    return known


def describe(function, sizes):
    """Name, type and extents of each argument."""
    from tvm import tirx
    import tvm
    found = []
    for parameter in function.params:
        if parameter not in function.buffer_map:
            found.append({"name": parameter.name, "type": str(parameter.dtype), "value": sizes[parameter.name]})
            continue
        buffer = function.buffer_map[parameter]
        shape = []
        for extent in buffer.shape:
            names = tirx.analysis.undefined_vars(extent) if not isinstance(extent, int) else []
            value = tirx.stmt_functor.substitute(extent, {v: tirx.IntImm(v.dtype, sizes[v.name]) for v in names})
            shape.append(int(tvm.arith.Analyzer().simplify(value)))
        found.append({"name": parameter.name.removesuffix("_handle"), "type": str(buffer.dtype), "shape": shape})
    return found


def compile_with_tilelang(function, configs, arguments, out):
    import tilelang
    import tvm
    from tilelang.env import CUTLASS_INCLUDE_DIR, TILELANG_TEMPLATE_PATH

    import host
    target = tvm.target.Target({"kind": "cuda", "arch": CHIP})
    begin = cpu_seconds()
    with tvm.transform.PassContext(opt_level=3, config=configs), target:
        artifact = tilelang.lower(function, target=target)
    source, cubin = os.path.join(out, "tilelang.cu"), os.path.join(out, "tilelang.cubin")
    with open(source, "w", encoding="utf-8") as file:
        file.write(artifact.kernel_source)
    command = [*NVCC, "-I" + TILELANG_TEMPLATE_PATH, "-I" + CUTLASS_INCLUDE_DIR, source, "-o", cubin]
    if configs.get("tl.enable_fast_math"):
        command.append("--use_fast_math")
    if "tl.ptxas_register_usage_level" in configs:
        command.append(f"--ptxas-options=--register-usage-level={configs['tl.ptxas_register_usage_level']}")
    subprocess.run(command, check=True, capture_output=True, text=True)
    seconds = cpu_seconds() - begin
    given = [a.get("shape", a.get("value")) for a in arguments]
    with open(os.path.join(out, "tilelang.json"), "w", encoding="utf-8") as file:
        calls, workspaces = host.launches(artifact, given)
        json.dump({"seconds": seconds, "launches": calls, "workspaces": workspaces}, file, indent=1)
    return seconds


def compile_with_tile(function, configs, tools, out):
    import tvm
    translate, program = os.path.join(tools, "tile-translate"), os.path.join(out, "program.json")
    with open(program, "w", encoding="utf-8") as file:
        fast = bool(configs.get("tl.enable_fast_math"))
        file.write(tvm.ir.save_json(function.with_attr("tilelang_pass_configs", {"tl.enable_fast_math": fast})))
    kernel = os.path.join(out, "kernel.mlir")
    begin = cpu_seconds()
    subprocess.run([translate, "--import-tilelang", program, "-o", kernel], check=True, capture_output=True, text=True)
    subprocess.run([translate, "--tile-to-cubin", f"--chip={CHIP}", kernel, "-o", os.path.join(out, "image.cubin")], check=True,
                   capture_output=True, text=True)
    seconds = cpu_seconds() - begin
    subprocess.run([translate, "--tile-to-gpu-metadata", f"--chip={CHIP}", kernel, "-o", os.path.join(out, "kernel-0.json")],
                   check=True, capture_output=True, text=True)
    os.remove(program)
    return seconds


def build(item):
    given, about_row = item
    out = os.path.join(given.out, about_row["capture"])
    os.makedirs(out, exist_ok=True)
    try:
        import tilelang  # registers the nodes
        import tvm
        path = glob.glob(os.path.join(given.corpus, "**", about_row["capture"] + "*.meta.json"), recursive=True)[0]
        with open(path, encoding="utf-8") as file:
            configs = pass_configs(json.load(file)) | about_row["configs"]
        with open(path.replace(".meta.json", ".json"), encoding="utf-8") as file:
            function = tvm.ir.load_json(file.read())
        arguments = describe(function, about_row["sizes"])
        seconds = compile_with_tile(function, configs, given.tools, out) if given.tools else 0
        with open(os.path.join(out, "about.json"), "w", encoding="utf-8") as file:
            json.dump({**about_row, "arguments": arguments, "seconds": seconds}, file, indent=1)
        theirs = 0 if given.tile_only else compile_with_tilelang(function, configs, arguments, out)
        return about_row["name"], seconds, theirs, ""
    except subprocess.CalledProcessError as error:
        return about_row["name"], 0, 0, " ".join(error.cmd[:2]) + ": " + error.stderr[:300]
    except Exception:  # one program that fails is a line of the report
        return about_row["name"], 0, 0, traceback.format_exc()[-400:]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("corpus")
    parser.add_argument("out")
    parser.add_argument("--tools", default="")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--tile-only", action="store_true")
    given = parser.parse_args()
    rows = [r for r in PROGRAMS if given.only in r["name"]]
    failed, ratios = 0, []
    print(f"{'program':45s} {'tile':>7s} {'TileLang':>8s} {'ratio':>6s}")
    # A process for each: a program that ends TileLang's compiler ends no other.
    with multiprocessing.get_context("spawn").Pool(given.jobs, maxtasksperchild=1) as pool:
        for name, ours, theirs, why in pool.imap(build, [(given, r) for r in rows]):
            failed += bool(why)
            if ours and theirs:
                ratios.append(theirs / ours)
            print(f"{name:45s} " + (why or f"{ours:7.2f} {theirs:8.2f} " + (f"{ratios[-1]:6.1f}" if ours and theirs else "")), flush=True)
    print(f"{len(rows) - failed} of {len(rows)}")
    if ratios:
        print(f"compile time: geometric mean of the ratios {statistics.geometric_mean(ratios):.1f}, least {min(ratios):.1f}")
    return int(failed == len(rows))


if __name__ == "__main__":
    sys.exit(main())
