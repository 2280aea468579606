#!/usr/bin/env python3
"""Type-checks emitted Ascend C against the vendor's public headers.

The headers are not part of this project, and nothing of them is: give the folder of a clone of asc-devkit. They are read in
the mode in which they describe the calls to an ordinary C++ compiler (ASCENDC_CPU_DEBUG). What the vendor's compiler has
besides, number types, enumerations, registers and intrinsics, is declared in a temporary folder as the errors of the headers
say that it is missing. An intrinsic takes anything: what the headers ask of it is not checked, what the emitted text asks of
the headers is.

usage: check-ascend-headers.py HEADERS TOOLS [FILE...]

TOOLS is the folder of tile-opt and tile-translate. Without files: examples/, its puzzles and test/Execution, for each chip.
Prints each line with an error, and how many files were checked. It fails where there is an error, and where one that is put
behind the last text is not found.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

CHIPS = {"910B": ["-D__NPU_ARCH__=2201", "-D__DAV_C220__"], "950": ["-D__NPU_ARCH__=3510", "-D__DAV_C310__"]}
INCLUDES = ["", "include", "include/basic_api", "include/utils", "impl", "impl/basic_api"]

QUALIFIERS = ("aicore global gm ubuf cbuf ca cb cc fbuf ssbuf biasbuf sync_noalias sync_alias check_sync_alias simd_callee simd_vf "
              "simt_vf simt_callee no_simd_vf_fusion VEC_SCOPE disable_kernel_type_autoinfer").split()
NUMBERS = {
    "uint16_t": "half bfloat16_t",
    "uint8_t": "hifloat8_t fp8_e4m3fn_t fp8_e5m2_t fp8_e8m0_t fp4x2_e2m1_t fp4x2_e1m2_t int4x2_t",
}
ALIASES = {"float8_e4m3_t": "fp8_e4m3fn_t", "float8_e5m2_t": "fp8_e5m2_t", "float8_e8m0_t": "fp8_e8m0_t",
           "float4_e2m1x2_t": "fp4x2_e2m1_t", "float4_e1m2x2_t": "fp4x2_e1m2_t"}
PLAIN = {
    "event_t": [f"EVENT_ID{id}" for id in range(8)],
    "pipe_t": "PIPE_S PIPE_V PIPE_M PIPE_MTE1 PIPE_MTE2 PIPE_MTE3 PIPE_ALL PIPE_MTE4 PIPE_MTE5 PIPE_V2 PIPE_FIX".split(),
}
HEADER = """#pragma once
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>
#define __in_pipe__(...)
#define __out_pipe__(...)
#define __inout_pipe__(...)
#define ASCENDC_HOST
#define ASCENDC_AICORE
#define ASCENDC_HOST_AICORE
#define __BLOCK_LOCAL__
#define __WORKGROUP_LOCAL__
template <int kind, typename Bits> struct StubNumber {
  Bits bits;
  StubNumber() = default;
  template <typename T, typename = std::enable_if_t<std::is_arithmetic<T>::value>> constexpr StubNumber(T) : bits(0) {}
  constexpr operator float() const { return 0; }
  constexpr float ToFloat() const { return 0; }
};
struct StubAny {
  template <typename T> constexpr operator T() const { return T(); }
};
enum class KernelMode { MIX_MODE, AIC_MODE, AIV_MODE };
extern KernelMode g_kernelMode;
"""
# What the errors of the headers by themselves say is missing: the vendor's compiler has it. A function takes anything.
MISSING = re.compile(r"(?P<type>unknown type name|no type named) '(?P<t>\w+)'(?: in the global namespace)?(?:;|$)|"
                     r"use of undeclared identifier '(?P<u>\w+)'|no member named '(?P<m>\w+)' in the global namespace|"
                     r"call to function '(?P<f>\w+)' that is neither visible")


# Errors inside of the headers that say nothing of the call: they narrow what they computed themselves, and return what a stub does.
NOT_OURS = re.compile("cannot be narrowed|should not return a value")


def declarations():
    """The types of the vendor's compiler that are known by more than their names."""
    lines = [HEADER]
    for sign in "+ - * / % & | ^ << >> == != < > <= >=".split():
        lines += [f"template <typename T> constexpr int64_t operator{sign}(StubAny, T) {{ return 0; }}",
                  f"template <typename T> constexpr int64_t operator{sign}(T, StubAny) {{ return 0; }}",
                  f"constexpr int64_t operator{sign}(StubAny, StubAny) {{ return 0; }}"]
    lines += [f"#define __{name}__" for name in QUALIFIERS]
    kinds = [(name, bits) for bits, names in NUMBERS.items() for name in names.split()]
    lines += [f"using {name} = StubNumber<{kind}, {bits}>;" for kind, (name, bits) in enumerate(kinds)]
    lines += [f"using {name} = {same};" for name, same in ALIASES.items()]
    lines += [f"enum {name} {{ {', '.join(values)} }};" for name, values in PLAIN.items()]
    return "\n".join(lines) + "\n"


class Headers:
    """The vendor's headers for a chip, and a folder with declarations of what only its compiler has."""

    def __init__(self, tree, chip, folder):
        self.tree, self.folder = Path(tree), Path(folder) / chip
        self.folder.mkdir()
        self.flags = ["-std=c++17", "-fsyntax-only", "-ferror-limit=0", "-w", "-DASCENDC_CPU_DEBUG=1", *CHIPS[chip]]
        self.flags += [f"-I{self.folder}"] + [f"-I{self.tree / part}" for part in INCLUDES]
        # The calls of higher level, which are not emitted, are left out.
        interface = (self.tree / "include/basic_api/kernel_operator_intf.h").read_text()
        for name in re.findall(r'#include "(include/adv_api/\S+)"', interface):
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text("")
        self.known = {}
        (self.folder / "kernel_tiling").mkdir()
        for name in ("stub_fun.h", "kernel_fp16.h", "kernel_bf16.h", "simt_stub.h", "kernel_tiling/kernel_tiling.h"):
            (self.folder / name).write_text('#pragma once\n#include "stub_def.h"\n')
        self.write()
        sources = [path for part in ("impl/basic_api", "include/basic_api", "impl/utils", "include/utils")
                   for path in (self.tree / part).rglob("*.h")]
        text = "\n".join(path.read_text(errors="replace") for path in sources)
        self.values = {}
        for name, value in re.findall(r"\b(\w+)::(\w+)", text):
            self.values.setdefault(name, set()).add(value)
        self.called = set(re.findall(r"(?<![\w.>])(\w+)(?:<[^<>;]*>)?\(", text))
        self.types = set(re.findall(r"<::(\w+)|\b(vector_\w+)>", text))
        self.types = {name for pair in self.types for name in pair if name}

    def write(self):
        text = declarations() + "\n".join(self.known[name] for name in sorted(self.known)) + "\n"
        (self.folder / "stub_def.h").write_text(text)

    def compile(self, source):
        done = subprocess.run(["clang++", *self.flags, "-x", "c++", str(source)], capture_output=True, text=True, check=False)
        return done.stderr

    def declare(self, name, is_type):
        """Declares a name as it is used in the headers."""
        values = sorted(self.values.get(name, ()))
        if name.startswith("vector_") and (is_type or name in self.types):
            return f"struct {name} {{}};"
        if is_type or name.endswith("_t") or name in self.types or values and name[0].isupper():
            return f"enum class {name} {{ {', '.join(values)} }};"
        if name in self.called:
            return (f"template <typename... A> StubAny {name}(A &&...);\n"
                    f"template <auto... V, typename... A> std::enable_if_t<(sizeof...(V) > 0), StubAny> {name}(A &&...);")
        return f"static constexpr {'StubAny' if name[0].isupper() else 'int64_t'} {name}{{}};"

    def complete(self, source):
        """Compiles a source, and declares what errors in the headers say is missing until there are none of that kind."""
        for _ in range(60):
            errors = self.compile(source)
            missing = set()
            for line in errors.splitlines():
                found = MISSING.search(line)
                if found and ": error: " in line and line.startswith(str(self.tree)):
                    name = next(found[key] for key in "tumf" if found[key])
                    missing |= {(name, bool(found["type"]))}
            known = dict(self.known)
            for name, is_type in sorted(missing):
                if name not in self.known or is_type:
                    self.known[name] = self.declare(name, is_type)
            for name in re.findall(r"fatal error: '(\S+)' file not found", errors):
                (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
                (self.folder / name).write_text("")
                known[name] = ""
            if self.known == known:
                return errors
            self.write()
        return errors


def emit(tools, source, chip, folder):
    """The kernels of a source, or nothing where it is not for this chip."""
    lowered = folder / "lowered.mlir"
    text = source.read_text()
    reference = source.parent / "reference.mlir"
    if source.name == "answer.mlir" and reference.exists():
        text += reference.read_text()
    # Programs of a file that is split are one module each.
    parts = re.split(r"^// -----.*$", text, flags=re.M)
    emitted = []
    for part in parts:
        done = subprocess.run([tools / "tile-opt", f"--tile-to-ascend-pipeline=chip={chip}", "-o", lowered], input=part, text=True,
                              capture_output=True, check=False)
        if done.returncode == 0:
            done = subprocess.run([tools / "tile-translate", "--mlir-to-ascendc", lowered], text=True, capture_output=True, check=False)
        if done.returncode == 0 and "__global__" in done.stdout:
            emitted.append(done.stdout)
    return emitted


# An error that must be found, or else the texts were not reached.
CONTROL = ("control", "static __aicore__ inline void control(LocalTensor<float> &x, LocalTensor<half> &y) { Add(x, y, x, 64); }\n")


def join(texts):
    """All texts as one, each in a namespace of its own: the headers take most of the time."""
    lines = ['#include "kernel_operator.h"']
    for number, (name, text) in enumerate(texts):
        text = text.replace('#include "kernel_operator.h"', "").replace('extern "C" ', "")
        lines += [f"namespace emitted{number} {{ using namespace AscendC;", f'#line 1 "{name}"', text, "}"]
    return "\n".join(lines)


def errors_of(output, names):
    """The errors at, or required by, a line of an emitted text, one for each line of it."""
    found = {}
    for block in re.split(r"^(?=\S+:\d+:\d+: (?:fatal )?error: |In file included from )", output, flags=re.M):
        error = re.search(r"^(\S+):\d+:\d+: (?:fatal )?error: (.*)$", block, re.M)
        place = re.search(rf"^({names}):(\d+):\d+: ", block, re.M)
        if error and place and (error[1] == place[1] or not NOT_OURS.search(error[2])):
            found.setdefault((place[1], int(place[2])), error[2])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("headers", type=Path, help="folder of asc-devkit")
    parser.add_argument("tools", type=Path, help="folder of tile-opt and tile-translate")
    parser.add_argument("sources", type=Path, nargs="*")
    options = parser.parse_args()
    root = Path(__file__).resolve().parent.parent
    sources = options.sources or sorted([*root.glob("examples/*.mlir"), *root.glob("examples/ascend/*.mlir"),
                                         *root.glob("examples/puzzles/*/answer.mlir"), *root.glob("test/Execution/*.mlir")])
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for chip in CHIPS:
            texts = [(f"{source}#{index}", text) for source in sources
                     for index, text in enumerate(emit(options.tools, source, chip, Path(folder)))]
            headers = Headers(options.headers, chip, folder)
            joined = Path(folder) / f"{chip}.cpp"
            joined.write_text(join([*texts, CONTROL]))
            errors = errors_of(headers.complete(joined), "|".join(re.escape(name) for name, _ in [*texts, CONTROL]))
            reached = errors.pop((CONTROL[0], 1), None)
            if not reached:
                print(f"{chip}: the error behind the last text was not found")
            for (name, line), message in sorted(errors.items()):
                print(f"{chip}: {name}:{line}: {message}")
            kernels = sum(text.count("__global__") for _, text in texts)
            print(f"{chip}: {len(texts)} modules with {kernels} kernels, {sum(text.count(chr(10)) for _, text in texts)} lines, "
                  f"{len(errors)} lines with errors")
            failed |= bool(errors) or not reached or not texts
    return failed


if __name__ == "__main__":
    sys.exit(main())
