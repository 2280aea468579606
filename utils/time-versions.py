#!/usr/bin/env python3
"""What versions for lucky sizes cost to compile: CPU time of kernels with dynamic and with static sizes, to a cubin or PTX.

    time-versions.py BUILD [--chip=NAME] [--to=cubin|ptx] [--runs=N]

Prints, of each kernel, how many versions it has, CPU seconds with static sizes, with dynamic ones and per version, and the ratio
of a version to the static kernel: the smallest of N runs, without the start of the process.
"""
import os, re, resource, subprocess, sys, tempfile

PEERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "benchmarks", "cuda", "peers")
# Of each kernel: the program that writes it, and its arguments; "dynamic" comes behind them.
KERNELS = {
    "gemm": ["dynamic.py", "gemm", "4096", "4096", "4096"],
    "attention": ["dynamic.py", "attention", "16", "8448", "128"],
    "norm": ["dynamic.py", "norm", "32768", "4096"],
    "int4": ["quantised_kernels.py", "i4", "16", "7168", "16384", "64", "16", "128", "8", "6", "mma", "fragment"],
}


def measure(command, runs):
    """The least CPU seconds, those of child processes included, and the output."""
    least = float("inf")
    for _ in range(runs):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode:
            sys.exit(done.stderr)
        least = min(least, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return least


def main():
    options = dict(re.match(r"--(\w+)=(.*)", a).groups() for a in sys.argv[2:])
    translate = os.path.join(sys.argv[1], "bin", "tile-translate")
    runs, to = int(options.get("runs", 3)), options.get("to", "cubin")
    start = measure([translate, "--version"], runs)
    print(f"{'kernel':10s} {'versions':>8s} {'static s':>9s} {'dynamic s':>9s} {'a version':>9s} {'ratio':>6s}")
    with tempfile.TemporaryDirectory() as folder:
        for name, (program, *arguments) in KERNELS.items():
            seconds, versions = {}, 0
            for mode in ("", "dynamic"):
                source, result = os.path.join(folder, "kernel.mlir"), os.path.join(folder, "kernel.out")
                with open(source, "w") as file:
                    subprocess.run([sys.executable, os.path.join(PEERS, program), *arguments, *([mode] if mode else [])],
                                   stdout=file, check=True)
                compile = [translate, "--chip=" + options.get("chip", "sm_90a"), "--notes=false", source, "-o", result]
                seconds[mode] = measure([*compile, "--tile-to-" + to], runs) - start
                if mode:
                    subprocess.run([*compile, "--tile-to-ptx"], check=True)
                    entries = re.findall(r"\.entry (\w+)", open(result).read())
                    # Versions have a suffix; the last has none.
                    versions = len(entries) / len({re.sub(r"_v\d+$", "", entry) for entry in entries})
            each = seconds["dynamic"] / versions
            print(f"{name:10s} {versions:8.1f} {seconds['']:9.2f} {seconds['dynamic']:9.2f} {each:9.2f}"
                  f" {each / seconds['']:6.2f}", flush=True)


if __name__ == "__main__":
    main()
