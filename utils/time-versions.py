#!/usr/bin/env python3
"""What versions for lucky sizes cost to compile: CPU time of kernels with dynamic and with static sizes, to a cubin or PTX.

    time-versions.py BUILD [--chip=NAME] [--to=cubin|ptx] [--runs=N]

Prints, of each kernel, how many versions it has, and CPU seconds: with static sizes; with dynamic ones and the general form alone,
which is what the kernel is without versions; with all versions; per version, and the ratio of a version to the general form alone;
and up to the first launch where launches have the code made that they choose, with sizes that take the fastest version. Then the
seconds on the clock of all versions, in one thread and in as many as the machine has. The smallest of N runs, without the start of
the process.
"""
import os, re, resource, subprocess, sys, tempfile, time

PEERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "benchmarks", "cuda", "peers")
# Of each kernel: the program that writes it, and its arguments; "dynamic" comes behind them.
KERNELS = {
    "gemm": ["dynamic.py", "gemm", "4096", "4096", "4096"],
    "attention": ["dynamic.py", "attention", "16", "8448", "128"],
    "norm": ["dynamic.py", "norm", "32768", "4096"],
    "int4": ["quantised_kernels.py", "i4", "16", "7168", "16384", "64", "16", "128", "8", "6", "mma", "fragment"],
}
# Sizes of the first launch.
SIZES = {
    "gemm": ["M=128", "N=256", "K=64"],
    "attention": ["H=1", "S=128"],
    "norm": ["M=8", "N=4096"],
    "int4": ["M=16", "K=16384", "N=64", "H=8192", "G=256"],
}


def measure(command, runs, environment=None):
    """The least CPU seconds, those of child processes included, and seconds."""
    least = clock = float("inf")
    for _ in range(runs):
        start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode:
            sys.exit(done.stdout + done.stderr)
        least = min(least, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        clock = min(clock, time.perf_counter() - start)
    return least, clock


def write(name, mode, file):
    program, *arguments = KERNELS[name]
    text = subprocess.run([sys.executable, os.path.join(PEERS, program), *arguments, *(["dynamic"] if mode != "static" else [])],
                          capture_output=True, text=True, check=True).stdout
    if mode == "general":
        # A kernel whose list of facts is empty is the only form.
        text = re.sub(r"(tile.kernel [^{]* threads\(\d+\)) \{", r"\1 attributes {facts = []} {", text)
    with open(file, "w") as out:
        out.write(text)


def count_versions(compile, result):
    subprocess.run([*compile, "--tile-to-ptx"], check=True)
    entries = re.findall(r"\.entry (\w+)", open(result).read())
    # Versions have a suffix; the last has none.
    return len(entries) / len({re.sub(r"_v\d+$", "", entry) for entry in entries})


def main():
    build, options = sys.argv[1], dict(re.match(r"--(\w+)=(.*)", a).groups() for a in sys.argv[2:])
    translate, run = (os.path.join(build, "bin", tool) for tool in ("tile-translate", "tile-run"))
    runs, to, chip = int(options.get("runs", 3)), options.get("to", "cubin"), options.get("chip", "sm_90a")
    # A driver without a GPU, which launches nothing.
    fake = {**os.environ, "FAKE_CUDA_DEVICES": "1",
            "TILE_CUDA_DRIVER": os.path.join(build, "unittests", "Runtime", "libFakeCUDA.so")}
    starts = {tool: measure([tool, "--version"], runs)[0] for tool in (translate, run)}
    print(f"{'kernel':10s} {'versions':>8s} {'static':>7s} {'general':>8s} {'dynamic':>8s} {'a version':>9s} {'ratio':>6s}"
          f" {'first launch':>12s} {'1 thread':>9s} {'threads':>8s}")
    with tempfile.TemporaryDirectory() as folder:
        source, result = os.path.join(folder, "kernel.mlir"), os.path.join(folder, "kernel.out")
        compile = [translate, "--chip=" + chip, "--notes=false", source, "-o", result]
        for name in KERNELS:
            seconds = {}
            for mode in ("static", "general", "dynamic"):
                write(name, mode, source)
                seconds[mode], clock = measure([*compile, "--tile-to-" + to], runs)
                seconds[mode] -= starts[translate]
            _, serial = measure([*compile, "--tile-to-" + to, "--mlir-disable-threading"], runs)
            first, _ = measure([run, source, "--target=cuda", "--chip=" + chip, "--check=none", "--no-notes", *SIZES[name]], runs, fake)
            versions = count_versions(compile, result)
            each = seconds["dynamic"] / versions
            if versions == 1:
                # The only form may assume more than a general one.
                seconds["general"] = each
            print(f"{name:10s} {versions:8.1f} {seconds['static']:7.2f} {seconds['general']:8.2f} {seconds['dynamic']:8.2f}"
                  f" {each:9.2f} {each / seconds['general']:6.2f} {first - starts[run]:12.2f} {serial:9.2f} {clock:8.2f}", flush=True)


if __name__ == "__main__":
    main()
