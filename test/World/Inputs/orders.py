"""Runs programs of several ranks on the SIMT model with many orders of threads and messages.

usage: orders.py SOURCE FOLDER COUNT [FIRST]

SOURCE is the tree. Each program is compiled once, to FOLDER; each seed from FIRST (0) on is another order. A program whose results are wrong,
or that the model reports, is named with its seed.
"""
import os
import subprocess
import sys

EXAMPLES = {
    "ag_gemm": "ranks=3 M=65 N=33 K=40",
    "ag_gemm_copy_engine": "ranks=3 M=65 N=33 K=40",
    "all_reduce_ring": "ranks=3 P=40",
    "cannon": "M=20 N=17 K=9 FLAGSA=3 FLAGSB=3",
    "gather_attention": "ranks=2 H=1 S=70 FLAGS=4",
    "gemm_ar": "ranks=2 M=65 N=16 K=20 TILES=2",
    "gemm_rs": "ranks=3 M=65 N=33 K=40 TILES=2",
    "moe": "ranks=3 T=5 H=30 E=2 SLOTS=10",
    "ring_attention": "ranks=3 H=1 S=70 TILES=2",
    "summa": "M=33 N=17 K=5",
}
COLLECTIVES = {
    "gather": "--ranks=3 N=30 ALL=270",
    "scatter": "--ranks=3 N=1030 ALL=3090",
    "exchange": "--ranks=3 ALL=3090",
    "send": "--ranks=3 N=1030",
    "sum": "--ranks=3 N=1030",
    "sum_two_shot": "--ranks=3 N=2050",
}


def list_programs(source):
    for name, sizes in EXAMPLES.items():
        yield name, [os.path.join(source, "examples", "ranks", name + ".mlir"), *sizes.split()]
    for name, sizes in COLLECTIVES.items():
        yield name, [os.path.join(source, "test", "World", "Inputs", "collectives.mlir"), "--func=" + name, *sizes.split()]


def main():
    source, folder = sys.argv[1:3]
    count, first = int(sys.argv[3]), int((sys.argv[4:] or ["0"])[0])
    programs = dict(list_programs(source))
    for name, arguments in programs.items():
        subprocess.run(["tile-run", *arguments, "--target=cuda", "--chip=sm_90a", "--no-notes", f"--save={folder}/{name}"],
                       check=True, stdout=subprocess.DEVNULL)
    wrong = 0
    for seed in range(first, first + count):
        done = subprocess.run(["tile-replay", *(f"{folder}/{name}" for name in programs), "--device=model"], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, "TILE_SIMT_SEED": str(seed)})
        lines = [line for line in done.stdout.splitlines() if "FAIL" in line]
        wrong += len(lines) if lines else done.returncode != 0
        for line in lines or ([] if done.returncode == 0 else [done.stdout[-400:]]):
            print(f"seed {seed}: {line}", flush=True)
    print(f"{len(programs)} programs, {count} orders: {len(programs) * count - wrong} right, {wrong} wrong")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
