"""Runs a function of several ranks under ThreadSanitizer, then without each of its signals and waits in turn.

usage: sanitize.py FILE FUNCTION RANKS ARGUMENT...

The arguments are those of ranks.c. The pass of LLVM 22 makes the calls, the compiler on the PATH has the library; schedule.c says
which rank runs, so that a busy machine reports what an idle one does. What is deleted must be reported: as a race, or as a wait that
nobody ends. A program that ends in another way, by a crash or for want of memory, says nothing about what was deleted, and ends this
one. TILE_SOURCE is the tree, LLVM_BIN the folder of opt and llc.
"""
import itertools
import os
import re
import subprocess
import sys
import tempfile

SOURCE = os.environ["TILE_SOURCE"]
LLVM = os.environ["LLVM_BIN"]
RUNTIME = os.path.join(SOURCE, "runtime")
INPUTS = os.path.dirname(os.path.abspath(__file__))
CLANG = ["clang", "-fsanitize=thread", "-g", "-O1", "-pthread", f"-I{RUNTIME}/include"]
REPORT = re.compile(r"WARNING: ThreadSanitizer: (data race)|: (gave up waiting)")
PASSES = ["--world-decompose-collectives", "--world-verify", "--world-resolve", "--symbol-dce"]


def output(*command, text=None):
    return subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True, check=True).stdout


def compile_objects(folder):
    """The runtime and the program, but for the kernel; the schedule is not instrumented."""
    objects = []
    for name in ["ParallelFor", "Scratch", "Signal", "World", "Error"]:
        objects.append(os.path.join(folder, name + ".o"))
        subprocess.run([*CLANG, "-c", f"{RUNTIME}/lib/{name}.c", "-o", objects[-1]], check=True)
    objects.append(os.path.join(folder, "schedule.o"))
    subprocess.run(["clang", "-g", "-O1", "-c", f"{INPUTS}/schedule.c", "-o", objects[-1]], check=True)
    return objects


def build(folder, objects, module, function):
    text = output("tile-translate", "--tile-to-llvmir", text=module)
    # Where functions share attributes, they stand in a group; without, behind the parentheses.
    text = re.sub(r"(?m)^(define .*\))( [^{]*)?\{", r"\1 sanitize_thread \2{", text)
    text = output(f"{LLVM}/opt", "-S", "-passes=tsan-module,function(tsan)", text=text)
    path = os.path.join(folder, "kernel.o")
    subprocess.run([f"{LLVM}/llc", "-O1", "-filetype=obj", "-relocation-model=pic", "-o", path], input=text, text=True, check=True)
    program = os.path.join(folder, "program")
    subprocess.run([*CLANG, f"-DKERNEL=_mlir_ciface_{function}", path, f"{INPUTS}/ranks.c", *objects,
                    *(f"-Wl,--wrap=tile_rt_{name}" for name in ("signal_add", "signal_set", "wait_ge", "wait_eq")),
                    "-lm", "-o", program], check=True)
    return program


def list_schedules(ranks, stops):
    """Each order of ranks; then the first ones up and down, with a rank that becomes the last one at each stop."""
    yield from range(2 * ranks)
    for stop in range(1, stops + 1):
        yield 2 * ranks * stop
        yield 2 * ranks * stop + ranks


def find_first(program, ranks, arguments, most=None):
    """What the first of all schedules, or of the first ones, with a report reports, and its number."""
    found, stops = run(program, ranks, arguments, 0)
    if found:
        return found, 0
    for number in itertools.islice(list_schedules(int(ranks), stops), 1, most):
        found, _ = run(program, ranks, arguments, number)
        if found:
            return found, number
    return "", 0


def run(program, ranks, arguments, number):
    """What it reports, or nothing, and how often a rank could stop."""
    done = subprocess.run([program, ranks, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, "TSAN_OPTIONS": "halt_on_error=1 history_size=7", "TILE_SCHEDULE": str(number)})
    found = REPORT.search(done.stderr)
    if found:
        return next(filter(None, found.groups())).strip(), 0
    if done.returncode != 0:
        sys.exit(f"no report, but exit code {done.returncode}: {done.stderr[:1000]}")
    return "", int(done.stdout)


def main():
    path, function, ranks, *arguments = sys.argv[1:]
    module = output("tile-opt", f"--symbol-privatize=exclude={function}", *PASSES, path)
    lines = module.splitlines()
    places = [k for k, line in enumerate(lines) if re.search(r"\bworld\.(signal|wait)\b", line)]
    reported = 0
    with tempfile.TemporaryDirectory() as folder:
        objects = compile_objects(folder)
        whole, _ = find_first(build(folder, objects, module, function), ranks, arguments, 20)
        print("whole:", whole or "clean")
        for place in places:
            kind = re.search(r"world\.\w+", lines[place])[0]
            program = build(folder, objects, "\n".join(lines[:place] + lines[place + 1:]), function)
            found, number = find_first(program, ranks, arguments)
            reported += bool(found)
            print("without", kind + ":", f"{found}, schedule {number}" if found else "MISSED")
    print(f"{len(places)} deleted, {reported} reported, {len(places) - reported} missed")
    sys.exit(bool(whole) or reported != len(places))


if __name__ == "__main__":
    main()
