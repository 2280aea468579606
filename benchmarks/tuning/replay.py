#!/usr/bin/env python3
"""Compares the cost model with measured.csv, by what plan.json has registered.

    replay.py TILE_TUNE [--all] [--heuristics]

Of each kernel: Spearman's rank correlation and the regret of the first ten, which is the time of the best of the model's first ten
over that of the best of all; medians and the worst over the training shapes and over those that were held out. Beside it the
expected regret of ten random configurations, and both figures of carver's score for the products. --all prints each shape,
--heuristics the figures of the package nvidia-matmul-heuristics of PyPI, which needs no GPU. Fails where a registered threshold is
missed.
"""
import csv, json, math, os, re, statistics, subprocess, sys
from collections import defaultdict

here = os.path.dirname(os.path.abspath(__file__))
FIRST = 10


def ranks(values):
    """Places in the order; equal values share theirs."""
    order, result, i = sorted(range(len(values)), key=lambda k: values[k]), [0] * len(values), 0
    while i < len(order):
        j = i
        while j + 1 < len(order) and values[order[j + 1]] == values[order[i]]:
            j += 1
        for k in range(i, j + 1):
            result[order[k]] = (i + j) / 2
        i = j + 1
    return result


def spearman(a, b):
    a, b = ranks(a), ranks(b)
    x, y = statistics.mean(a), statistics.mean(b)
    spread = math.sqrt(sum((p - x) ** 2 for p in a) * sum((q - y) ** 2 for q in b))
    return sum((p - x) * (q - y) for p, q in zip(a, b)) / spread if spread else 0


def regret(times, scores):
    best = sorted(range(len(times)), key=lambda k: scores[k])[:FIRST]
    return min(times[k] for k in best) / min(times)


def random_regret(times):
    """Expected, of ten configurations that are drawn without a look."""
    ordered, n = sorted(times), len(times)
    below = [math.comb(n - i, FIRST) / math.comb(n, FIRST) if n - i >= FIRST else 0 for i in range(n + 1)]
    return sum(t * (below[i] - below[i + 1]) for i, t in enumerate(ordered)) / ordered[0]


def carver(case, bindings, units=132, shared=232448):
    """(traffic + 1) * waves of a product, with as many blocks on a unit as carver counts."""
    s, b = (dict((n, int(v)) for n, v in re.findall(r"(\w+)=(\d+)", text)) for text in (case, bindings))
    grid = math.ceil(s["M"] / b["BM"]) * math.ceil(s["N"] / b["BN"])
    traffic = 2 * s["K"] * (b["BM"] + b["BN"]) + 2 * b["BM"] * b["BN"]
    stage = 2 * b["BK"] * (b["BM"] + b["BN"]) * b["stages"]
    resident = max(1, min(2 * shared // stage, 65536 * 32 * 2 // (b["BM"] * b["BN"] * 32 * 2), 4))
    return (traffic + 1) * math.ceil(grid / (units * resident))


def heuristics():
    """A function that ranks the configurations of a product by the list that nvidia-matmul-heuristics gives for CUTLASS 3."""
    import nvMatmulHeuristics as nv
    chip = nv.NvMatmulHeuristicsInterfaceEx(backend=nv.NvMatmulHeuristicsTarget.CUTLASS3,
                                            gpu=nv.NvMatmulHeuristicsNvidiaGpu.H200_SXM)

    def rank(case, names):
        sizes = [int(v) for v in re.findall(r"=(\d+)", case)]
        problem = chip.makeNvMatmulHeuristicsProblem(*sizes, nv.NvMatmulHeuristicsMatmulLayout.NT_ROW_MAJOR)
        places = {}
        for i, found in enumerate(chip.get(problem, 2000, "TST")):  # bf16, f32, bf16
            k = found["kernel"]
            places.setdefault((k.cta_tile_m, k.cta_tile_n, k.cta_tile_k), i)
        # What is not in the list comes last.
        return [places.get(tuple(int(v) for v in re.findall(r"B.=(\d+)", n)), math.inf) for n in names]

    return rank


def estimate(tool, chip, kernel, case):
    text = subprocess.run([tool, os.path.join(here, f"{kernel}.mlir"), f"--chip={chip}", f"--case={case}", "--list"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True).stdout
    return {bindings: float(us) for us, bindings in re.findall(r"^([\d.]+) us  (.*)$", text, re.M)}


def main():
    tool, everything = sys.argv[1], "--all" in sys.argv
    plan = json.load(open(os.path.join(here, "plan.json")))
    measured = defaultdict(dict)
    for row in csv.DictReader(open(os.path.join(here, "measured.csv"))):
        measured[row["kernel"], row["case"]][row["parameters"]] = float(row["microseconds"])
    missed, others = [], defaultdict(list)
    rank = heuristics() if "--heuristics" in sys.argv else None
    print("kernel     shapes    rank correlation  regret: median  worst  random  carver: correlation  regret")
    for kernel, shapes in plan["kernels"].items():
        figures = defaultdict(list)
        for case in shapes["training"] + shapes["held_out"]:
            times, model = measured[kernel, case], estimate(tool, plan["chip"], kernel, case)
            names = sorted(times)
            t = [times[n] for n in names]
            # What the model says not to fit comes last.
            m = [model.get(n, math.inf) for n in names]
            c = [carver(case, n) for n in names] if kernel == "gemm" else t
            figure = (spearman(t, m), regret(t, m), random_regret(t), spearman(t, c), regret(t, c))
            if rank and kernel == "gemm":
                r = rank(case, names)
                others["training" if case in shapes["training"] else "held out"].append((spearman(t, r), regret(t, r)))
            if everything:
                print(f"  {kernel} {case}: {figure[0]:.3f} {figure[1]:.3f}")
            for group in ("training" if case in shapes["training"] else "held out", "all"):
                figures[group].append(figure)
        for group, values in figures.items():
            rho, first, luck, other, worse = (statistics.median(v) for v in zip(*values))
            worst = max(v[1] for v in values)
            end = f"{other:19.2f}  {worse:6.2f}" if kernel == "gemm" else ""
            print(f"{kernel:10s} {group:9s} {rho:16.2f}  {first:14.2f}  {worst:5.2f}  {luck:6.2f}  {end}".rstrip())
            if group == "training":
                continue
            limits = plan["thresholds"]
            if rho < shapes["spearman"]:
                missed.append(f"{kernel}, {group}: correlation {rho:.3f}, expected {shapes['spearman']}")
            if first > limits["median_regret"] or worst > limits["worst_regret"]:
                missed.append(f"{kernel}, {group}: regret {first:.3f}, worst {worst:.3f}")
    for group, values in others.items():
        rho, first = (statistics.median(v) for v in zip(*values))
        print(f"nvidia-matmul-heuristics, {group}: correlation {rho:.2f}, regret {first:.2f}, worst {max(v[1] for v in values):.2f}")
    print("thresholds: " + ("; ".join(missed) if missed else "all met"))
    return bool(missed)


sys.exit(main())
