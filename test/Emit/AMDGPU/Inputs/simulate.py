#!/usr/bin/env python3
# Runs a kernel that was compiled for an AMD GPU on the CPU, thread by thread.
#
# usage: simulate.py TILE_OPT LLVM_BIN CHIP KERNEL.mlir MAIN.c
#
# The module of the ROCDL dialect becomes LLVM IR, the IR loses its address spaces and the calling convention, each intrinsic of
# the machine becomes a call, and the host's compiler does the rest. MAIN.c launches the kernel and says what it expects.
import os
import re
import subprocess
import sys
import tempfile

FOLDER = os.path.dirname(os.path.abspath(__file__))


def run(*command, text=None):
    result = subprocess.run(command, input=text, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{command[0]}: {result.stderr}{result.stdout}")
    return result.stdout


def device_module(text):
    """The body of the gpu.module as a module of its own."""
    lines = text.splitlines()
    first = next(i for i, line in enumerate(lines) if line.lstrip().startswith("gpu.module"))
    indent = len(lines[first]) - len(lines[first].lstrip())
    last = next(i for i in range(first + 1, len(lines)) if lines[i] == " " * indent + "}")
    aliases = [line for line in lines if line.startswith("#")]
    return "\n".join(aliases + ["module {"] + lines[first + 1:last] + ["}"])


def wrapper(result, name, types):
    """Operands of matrix instructions go through memory: vectors have no calling convention in C."""
    a, b, c = types[:3]
    rest = "".join(f", {t} %r{i}" for i, t in enumerate(types[3:]))
    label = name.split("mfma.", 1)[1]
    lines = [f'@name.{name} = private constant [{len(label) + 1} x i8] c"{label}\\00"',
             f"define {result} @{name}({a} %a, {b} %b, {c} %c{rest}) {{"]
    # As large as what sim_mfma copies.
    lines += [f"  %p{x} = alloca [128 x i8], align 64" for x in "abcd"]
    lines += [f"  store {t} %{x}, ptr %p{x}" for x, t in zip("abc", (a, b, c))]
    lines += [f"  call void @sim_mfma(ptr @name.{name}, ptr %pa, ptr %pb, ptr %pc, ptr %pd)",
              f"  %d = load {result}, ptr %pd", f"  ret {result} %d", "}"]
    return "\n".join(lines)


def to_host(text):
    text = re.sub(r",? addrspace\(\d+\)", "", text)
    text = text.replace("amdgpu_kernel ", "").replace(" immarg", "").replace('"=s,0"', '"=r,0"')
    text = re.sub(r"^attributes #\d+ = .*$", "", text, flags=re.M)
    text = re.sub(r" #\d+(?=$| \{| !)", "", text, flags=re.M)
    out, wrappers = [], []
    for line in text.splitlines():
        match = re.match(r"declare (.*?) @llvm\.amdgcn\.([\w.]+)\((.*)\)", line)
        if match:
            result, name, types = match[1].split()[-1] if "<" not in match[1] else match[1], match[2], match[3]
            if name.startswith("mfma"):
                wrappers.append(wrapper(re.sub(r"^.*?(<)", r"\1", result), "sim." + name,
                                        re.findall(r"<[^>]*>|\w+", types)))
                continue
        out.append(line)
    text = "\n".join(out)
    text = re.sub(r"@llvm\.amdgcn\.(mfma[\w.]*)", r"@sim.\1", text)
    text = re.sub(r"@llvm\.amdgcn\.([\w.]+)", lambda m: "@sim_" + m[1].replace(".", "_"), text)
    return "\n".join([text, "declare void @sim_mfma(ptr, ptr, ptr, ptr, ptr)" if wrappers else ""] + wrappers)


def main():
    tile_opt, llvm_bin, chip, kernel, program = sys.argv[1:]
    rocdl = run(tile_opt, f"--tile-to-rocdl-pipeline=chip={chip}", kernel)
    ir = run(os.path.join(llvm_bin, "mlir-translate"), "--allow-unregistered-dialect", "--mlir-to-llvmir",
             text=device_module(rocdl))
    with tempfile.TemporaryDirectory() as folder:
        path, obj, binary = (os.path.join(folder, name) for name in ("kernel.ll", "kernel.o", "program"))
        with open(path, "w") as file:
            file.write(to_host(ir))
        run(os.path.join(llvm_bin, "llc"), "-O1", "-mcpu=x86-64-v3", "-relocation-model=pic", "-filetype=obj", path, "-o", obj)
        run("clang", "-std=c11", "-O1", "-mf16c", f"-I{FOLDER}", program, os.path.join(FOLDER, "lanes.c"), obj, "-o", binary, "-lm")
        print(run(binary), end="")


if __name__ == "__main__":
    main()
