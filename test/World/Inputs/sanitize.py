"""Runs a function of several ranks under ThreadSanitizer, then without each of its signals and waits in turn.

usage: sanitize.py FILE FUNCTION RANKS ARGUMENT...

The arguments are those of ranks.c. The pass of LLVM 22 makes the calls, the compiler on the PATH has the library. What is deleted
must be reported: as a race, or as a wait that nobody ends. A program that ends in another way, by a crash or for want of memory,
says nothing about what was deleted, and ends this one. TILE_SOURCE is the tree, LLVM_BIN the folder of opt and llc.
"""
import os
import re
import subprocess
import sys
import tempfile

SOURCE = os.environ["TILE_SOURCE"]
LLVM = os.environ["LLVM_BIN"]
RUNTIME = os.path.join(SOURCE, "runtime")
CLANG = ["clang", "-fsanitize=thread", "-g", "-O1", "-pthread", f"-I{RUNTIME}/include"]
REPORT = re.compile(r"WARNING: ThreadSanitizer: (data race)|: (gave up waiting)")
PASSES = ["--world-decompose-collectives", "--world-verify", "--world-resolve", "--symbol-dce"]


def output(*command, text=None):
    return subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True, check=True).stdout


def compile_runtime(folder):
    objects = []
    for name in ["ParallelFor", "Scratch", "Signal", "World", "Error"]:
        objects.append(os.path.join(folder, name + ".o"))
        subprocess.run([*CLANG, "-c", f"{RUNTIME}/lib/{name}.c", "-o", objects[-1]], check=True)
    return objects


def run(folder, objects, module, function, ranks, arguments, tries, wait):
    """What one of so many runs of the module reports, or nothing: who comes first is chance.

    A wait gives up after so many seconds: few where one in vain is expected, many where a busy machine must not look like one.
    """
    text = output("tile-translate", "--tile-to-llvmir", text=module)
    # Where functions share attributes, they stand in a group; without, behind the parentheses.
    text = re.sub(r"(?m)^(define .*\))( [^{]*)?\{", r"\1 sanitize_thread \2{", text)
    text = output(f"{LLVM}/opt", "-S", "-passes=tsan-module,function(tsan)", text=text)
    path = os.path.join(folder, "kernel.o")
    subprocess.run([f"{LLVM}/llc", "-O1", "-filetype=obj", "-relocation-model=pic", "-o", path], input=text, text=True, check=True)
    program = os.path.join(folder, "program")
    main = os.path.join(os.path.dirname(os.path.abspath(__file__)), "ranks.c")
    subprocess.run([*CLANG, f"-DKERNEL=_mlir_ciface_{function}", path, main, *objects, "-lm", "-o", program], check=True)
    for _ in range(tries):
        found = find_report(program, ranks, arguments, wait)
        if found:
            return found
    return ""


def find_report(program, ranks, arguments, wait):
    done = subprocess.Popen([program, ranks, *arguments], stderr=subprocess.PIPE, text=True,
                            env={**os.environ, "TSAN_OPTIONS": "halt_on_error=1 history_size=7", "TILE_WAIT_SECONDS": str(wait)})
    found, text = None, ""
    with done:
        # Each wait in vain takes that long: the first one is enough.
        for line in done.stderr:
            text += line
            found = found or REPORT.search(line)
            if found:
                done.kill()
    if found:
        return next(filter(None, found.groups())).strip()
    if done.returncode != 0:
        sys.exit(f"no report, but exit code {done.returncode}: {text[:1000]}")
    return ""


def main():
    path, function, ranks, *arguments = sys.argv[1:]
    module = output("tile-opt", f"--symbol-privatize=exclude={function}", *PASSES, path)
    lines = module.splitlines()
    places = [k for k, line in enumerate(lines) if re.search(r"\bworld\.(signal|wait)\b", line)]
    reported = 0
    with tempfile.TemporaryDirectory() as folder:
        objects = compile_runtime(folder)
        whole = run(folder, objects, module, function, ranks, arguments, 3, 60)
        print("whole:", whole or "clean")
        for place in places:
            kind = re.search(r"world\.\w+", lines[place])[0]
            found = run(folder, objects, "\n".join(lines[:place] + lines[place + 1:]), function, ranks, arguments, 20, 1)
            reported += bool(found)
            print("without", kind + ":", found or "MISSED")
    print(f"{len(places)} deleted, {reported} reported, {len(places) - reported} missed")
    sys.exit(bool(whole) or reported != len(places))


if __name__ == "__main__":
    main()
