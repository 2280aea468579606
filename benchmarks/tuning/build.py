#!/usr/bin/env python3
"""Compiles every configuration of the kernels of plan.json that meets tile.require and fits, for measure.py.

    build.py TILE_TRANSLATE LIBTILERUNTIME.a FOLDER [--jobs=N] [--filter=KERNEL]

FOLDER gets libtile-bench.so, and of each kernel a folder for each configuration, with registers, spills and bytes of shared
memory in built.csv. What is there already is not made again. A configuration that does not compile is listed with its reason.
"""
import csv, itertools, json, os, re, subprocess, sys
from concurrent.futures import ThreadPoolExecutor

here = os.path.dirname(os.path.abspath(__file__))
peers = os.path.join(here, "..", "cuda", "peers")


def parameters(path):
    """Candidates by name, in the order of the file."""
    text = open(path).read()
    return {name: [int(v) for v in values.split(",")]
            for name, values in re.findall(r"^tile\.param @(\w+) = -?\d+ in \[([^]]*)\]", text, re.M)}


def compile(translate, chip, kernel, bindings, folder):
    """What went wrong, or the resources of the kernels."""
    log = os.path.join(folder, "resources.json")
    if os.path.exists(log):
        return json.load(open(log))
    os.makedirs(folder, exist_ok=True)
    common = [translate, f"--chip={chip}", f"--gpu-function={kernel}", os.path.join(here, f"{kernel}.mlir")]
    common += [f"--param={name}={value}" for name, value in bindings.items()]
    cubin = subprocess.run(common + ["--tile-to-cubin", "--remarks-filter=tile-emit-nvptx|tile-plan-shared", "-o",
                                     os.path.join(folder, "image.cubin")], stderr=subprocess.PIPE, text=True)
    if cubin.returncode:
        result = {"error": re.sub(r"^.*?error: ", "", cubin.stderr.split("\n")[0])}
    else:
        subprocess.run(common + ["--tile-to-gpu-metadata", "-o", os.path.join(folder, "kernel-0.json")], check=True)
        numbers = lambda name: [int(v) for v in re.findall(rf"\b{name}=(\d+)", cubin.stderr)]
        result = {"registers": max(numbers("registers")), "spills": sum(numbers("spill stores")),
                  "shared": max(numbers("bytes"), default=0)}
    with open(log + ".part", "w") as file:
        json.dump(result, file)
    os.replace(log + ".part", log)
    return result


def main():
    options = dict(re.match(r"--(\w+)=(.*)", a).groups() for a in sys.argv[4:])
    translate, runtime, out = sys.argv[1:4]
    plan = json.load(open(os.path.join(here, "plan.json")))
    os.makedirs(out, exist_ok=True)
    library = os.path.join(out, "libtile-bench.so")
    if not os.path.exists(library):
        subprocess.run(["cc", "-std=c11", "-O2", "-shared", "-fPIC", f"-I{here}/../../runtime/include", f"{peers}/shim.c",
                        "-Wl,--whole-archive", runtime, "-Wl,--no-whole-archive", "-lm", "-lpthread", "-ldl", "-o", library],
                       check=True)
    work = []
    for kernel in plan["kernels"]:
        if options.get("filter", kernel) != kernel:
            continue
        candidates = parameters(os.path.join(here, f"{kernel}.mlir"))
        for values in itertools.product(*candidates.values()):
            work.append((kernel, dict(zip(candidates, values))))
    place = lambda kernel, b: os.path.join(out, kernel, "_".join(f"{n}{v}" for n, v in b.items()))
    with ThreadPoolExecutor(int(options.get("jobs", 2))) as pool:
        results = pool.map(lambda w: compile(translate, plan["chip"], w[0], w[1], place(*w)), work)
        with open(os.path.join(out, "built.csv"), "w", newline="") as file:
            table = csv.writer(file)
            table.writerow(["kernel", "parameters", "registers", "spills", "shared", "error"])
            for done, ((kernel, bindings), result) in enumerate(zip(work, results), 1):
                table.writerow([kernel, " ".join(f"{n}={v}" for n, v in bindings.items())] +
                               [result.get(key, "") for key in ("registers", "spills", "shared", "error")])
                print(f"\r[{done}/{len(work)}] {kernel}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)


main()
