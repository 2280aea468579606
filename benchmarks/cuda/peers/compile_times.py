#!/usr/bin/env python3
"""What kernels cost to compile with tile and with Triton, from source to cubin for sm_90a. Needs the package triton, and no GPU.

    compile_times.py TILE_TRANSLATE [RUNS]

Prints CPU seconds (user and system time, with processes that the compiler starts), the least of RUNS (5), without the start of the
process: for tile that of `--version`, for Triton the imports. Triton compiles one configuration, which need not be the fastest, in a
new process with an empty cache each time; autotuning is not counted.
"""
import os
import resource
import subprocess
import sys
import tempfile

# The arguments of kernels.py; the kernel of triton_peers.py with its tile, warps and stages.
KERNELS = {
    "GEMM 4096": ("gemm 4096 4096 4096", "product", {"BM": 128, "BN": 256, "BK": 64, "PANEL": 8, "PROCESSORS": 132}, 8, 3),
    "attention, D = 128": ("attention 1 16 16 8448 128 176 128", "attention", {"D": 128, "BM": 128, "BN": 128}, 8, 3),
    "attention, D = 64": ("attention 1 32 32 8192 64 128 128", "attention", {"D": 64, "BM": 128, "BN": 128}, 8, 3),
}


def cpu_seconds(who=resource.RUSAGE_CHILDREN):
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def compile_with_triton(kernel, values, warps, stages):
    import triton
    from triton.backends.compiler import GPUTarget

    import triton_peers
    function = getattr(triton_peers, kernel)
    if kernel == "product":
        shapes = {"a": ("BM", "BK"), "b": ("BN", "BK"), "c": ("BM", "BN")}
        numbers = {"m": "i32", "n": "i32", "k": "i32"}
    else:
        shapes = {"q": ("BM", "D"), "k": ("BN", "D"), "v": ("BN", "D"), "o": ("BM", "D")}
        numbers = {"scale": "fp32", "length": "i32"}
    signature = {name: f"tensordesc<bf16{[values[extent] for extent in shape]}>" for name, shape in shapes.items()}
    signature.update(numbers, **{name: "constexpr" for name in values})
    # Sizes are multiples of 16, which a launch would say, too.
    places = {name: i for i, name in enumerate(function.arg_names)}
    facts = {(places[name],): [["tt.divisibility", 16]] for name, kind in numbers.items() if kind == "i32"}
    source = triton.compiler.ASTSource(function, {name: signature[name] for name in function.arg_names}, values, facts)
    before = cpu_seconds(resource.RUSAGE_SELF) + cpu_seconds()
    made = triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": warps, "num_stages": stages})
    assert made.asm["cubin"]
    print(cpu_seconds(resource.RUSAGE_SELF) + cpu_seconds() - before)


def time_triton(name):
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run([sys.executable, os.path.abspath(__file__), "--triton", name], capture_output=True, text=True,
                              env={**os.environ, "TRITON_CACHE_DIR": cache})
    if done.returncode:
        sys.exit(done.stderr)
    return float(done.stdout)


def time_process(command):
    before = cpu_seconds()
    subprocess.run(command, check=True, capture_output=True)
    return cpu_seconds() - before


def main():
    translate, runs = sys.argv[1], range(int(sys.argv[2]) if len(sys.argv) > 2 else 5)
    start = min(time_process([translate, "--version"]) for _ in runs)
    print(f"{'kernel':20s} {'tile':>6s} {'Triton':>7s} {'ratio':>6s}")
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "kernel.mlir")
        for name, (arguments, *_) in KERNELS.items():
            with open(source, "w", encoding="utf-8") as file:
                writer = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernels.py")
                subprocess.run([sys.executable, writer, *arguments.split()], check=True, stdout=file)
            command = [translate, "--tile-to-cubin", "--chip=sm_90a", source, "-o", os.path.join(folder, "kernel.cubin")]
            # In turns, so that other work of the machine meets both.
            times = [(time_process(command) - start, time_triton(name)) for _ in runs]
            tile, triton = (min(column) for column in zip(*times))
            print(f"{name:20s} {tile:6.2f} {triton:7.2f} {triton / tile:6.1f}", flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "--triton":
        compile_with_triton(*KERNELS[sys.argv[2]][1:])
    else:
        main()
