import os
import subprocess
import sys

import lit.formats
from lit.llvm import llvm_config
from lit.llvm.subst import FindTool, ToolSubst

sys.path.insert(0, os.path.join(config.tile_src_root, "test"))
from target_test import TargetTest

config.name = "tile"
# The targets of the build are features.
config.available_features.update(name.lower() for name in config.tile_targets)
config.test_format = TargetTest(not llvm_config.use_lit_shell)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.join(config.tile_src_root, "test")
config.test_exec_root = os.path.join(config.tile_obj_root, "test")

# A variable of one function's checks does not leak into the next one's.
config.environment["FILECHECK_OPTS"] = "-enable-var-scope"
# Scripts next to the tests leave nothing there.
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"

tools_dir = os.path.join(config.tile_obj_root, "bin")
for directory in [config.llvm_tools_dir, tools_dir]:
    llvm_config.with_environment("PATH", directory, append_path=True)

config.substitutions += [("%tile_src", config.tile_src_root), ("%tile_obj", config.tile_obj_root),
                         ("%llvm_bin", config.llvm_tools_dir), ("%mlir_include", config.mlir_include_dir),
                         ("%python", sys.executable)]

# What the tests read is printed and parsed again, as text and as bytecode, in every test that does not opt out.
tile_opt = FindTool("tile-opt")
llvm_config.use_default_substitutions()
llvm_config.add_tool_substitutions(
    [ToolSubst("tile-opt", tile_opt, extra_args=["--verify-roundtrip"]), ToolSubst("tile-opt-plain", tile_opt),
     "mlir-opt", "split-file"],
    [tools_dir, config.llvm_tools_dir])

# Tools that may not be built are features: a test names what it needs.
for name in ["tile-layout", "tile-lsp-server", "tile-reduce", "tile-replay", "tile-run", "tile-tblgen", "tile-translate",
             "tile-tune"]:
    if os.path.exists(os.path.join(tools_dir, name)):
        config.available_features.add(name)
        llvm_config.add_tool_substitutions([name], [tools_dir])

# C clients of the libraries, built as a user does: by one compiler, with no help of the build.
libraries = os.path.join(config.tile_obj_root, "lib")
c_client = (f"-std=c11 -Wall -Wextra -Wpedantic -Werror -I{config.tile_src_root}/include -I{config.tile_obj_root}/include "
            f"-I{config.tile_src_root}/runtime/include -isystem {config.mlir_include_dir} "
            f"-L{libraries} -Wl,-rpath,{libraries}")
# A library of a sanitizer build finds what it needs of the sanitizer in the program.
if config.sanitize:
    c_client += f" -fsanitize={config.sanitize}"
    # As in cmake/SanitizerOptions.c.
    config.environment["ASAN_OPTIONS"] = "detect_container_overflow=0:allow_user_poisoning=0:allocator_may_return_null=1"
    config.environment["TSAN_OPTIONS"] = "ignore_noninstrumented_modules=1:allocator_may_return_null=1:die_after_fork=0"
config.substitutions += [("%cc_c11", f"{'clang' if config.sanitize else 'gcc'} {c_client}"),
                         ("%clang_c11", f"clang {c_client}")]
if os.path.exists(os.path.join(libraries, "libtile-c.so")):
    config.available_features.add("tile-c")

# Python with the package apache-tvm-ffi: the one that TILE_TVM_FFI_PYTHON names, the one that `make check` has installed, or
# the one that runs the tests.
for ffi_python in [os.environ.get("TILE_TVM_FFI_PYTHON"), os.path.join(config.tile_obj_root, "tvm-ffi", "bin", "python"),
                   sys.executable]:
    if ffi_python and os.path.exists(ffi_python) and subprocess.run(
            [ffi_python, "-c", "import tvm_ffi, numpy"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0:
        config.available_features.add("tvm-ffi")
        config.substitutions.append(("%tvm_ffi_python", ffi_python))
        break

# What installs has been built.
names = ["bin/tile-" + name for name in ["layout", "lsp-server", "opt", "reduce", "run", "translate"]]
names += ["lib/TilePlugin.so", "lib/libtile-c.so", "lib/libtile-runtime.so", "lib/libtile_cpu_runtime.so",
          "lib/Targets/libTileAllTargets.a"]
if all(os.path.exists(os.path.join(config.tile_obj_root, name)) for name in names):
    config.available_features.add("complete-build")

# The C runtime alone, under sanitizers, where clang has them.
if lit.util.which("clang", os.environ.get("PATH", "")):
    found = subprocess.run(["clang", "-print-file-name=libclang_rt.tsan-x86_64.a"], text=True, stdout=subprocess.PIPE).stdout
    if os.path.exists(found.strip()):
        config.available_features.add("clang-sanitizers")
        config.substitutions.append(("%clang_sanitized", "clang -std=c11 -O1 -g -pthread -ffp-contract=off "
                                     f"-DTILE_VERSION='\"test\"' -I{config.tile_src_root}/runtime/include"))

# Ranks that are processes.
if lit.util.which("mpirun", os.environ.get("PATH", "")):
    config.available_features.add("mpi")

# Valgrind, where it is installed.
valgrind = lit.util.which("valgrind", os.environ.get("PATH", ""))
if valgrind and not config.sanitize:
    config.available_features.add("valgrind")
    config.substitutions.append(
        ("%valgrind", f"{valgrind} -q --leak-check=full --show-leak-kinds=definite,possible --error-exitcode=99"))
# Attacks by another user of the machine, whom only root can be.
if os.geteuid() == 0 and lit.util.which("setpriv", os.environ.get("PATH", "")):
    config.available_features.add("other-user")
# Tests that take minutes: ci-tests run in .ci/run behind `make check`, long-tests before a release.
for name in ["ci", "long"]:
    if lit_config.params.get(name):
        config.available_features.add(f"{name}-tests")

# Programs that link our libraries by hand lack the run-time library of a sanitizer.
if config.sanitize:
    config.available_features.add("sanitizer")

# A CUDA driver without a GPU, which comes with the unit tests of the runtime.
fake_cuda = os.path.join(config.tile_obj_root, "unittests", "Runtime", "libFakeCUDA.so")
if os.path.exists(fake_cuda):
    config.available_features.add("fake-cuda")
config.substitutions.append(("%fake_cuda", fake_cuda))
fake_hip = os.path.join(config.tile_obj_root, "unittests", "Runtime", "libFakeHIP.so")
if os.path.exists(fake_hip):
    config.available_features.add("fake-hip")
config.substitutions.append(("%fake_hip", fake_hip))

# LLVM's linker makes code objects for AMD GPUs where it is installed.
if os.path.exists(os.path.join(config.llvm_tools_dir, "ld.lld")):
    config.available_features.add("lld")

# NVIDIA's assembler checks generated PTX where it is installed.
search = os.pathsep.join([config.environment["PATH"], os.environ.get("PATH", ""), "/usr/local/cuda/bin"])
ptxas = lit.util.which("ptxas", search)
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))

# The Python package as it is built, for the Python that TILE_NUMPY_PYTHON names, one of those that TVM-FFI has, or the one that
# runs the tests; without NumPy, what needs it is left out.
if os.path.exists(os.path.join(config.tile_obj_root, "python", "tile", "_launch.abi3.so")) and \
        "tile-c" in config.available_features:
    config.available_features.add("python")
    config.substitutions.append(
        ("%tile_python", f"env PYTHONPATH={config.tile_obj_root}/python {sys.executable} -X dev"))
for numpy_python in [os.environ.get("TILE_NUMPY_PYTHON"), os.path.join(config.tile_obj_root, "tvm-ffi", "bin", "python"),
                     sys.executable]:
    if numpy_python and os.path.exists(numpy_python) and subprocess.run(
            [numpy_python, "-c", "import numpy"], stderr=subprocess.DEVNULL).returncode == 0:
        config.available_features.add("numpy")
        config.substitutions.append(
            ("%numpy_python", f"env PYTHONPATH={config.tile_obj_root}/python {numpy_python} -X dev"))
        if subprocess.run([numpy_python, "-c", "import torch; torch.library.custom_op"], stderr=subprocess.DEVNULL).returncode == 0:
            config.available_features.add("torch")
        break
tilelang_python = os.environ.get("TILE_TILELANG_PYTHON")
if tilelang_python and "python" in config.available_features:
    config.available_features.add("tilelang")
    paths = os.pathsep.join(filter(None, [f"{config.tile_obj_root}/python", os.environ.get("PYTHONPATH")]))
    config.substitutions.append(("%tilelang_python", f"env PYTHONPATH={paths} {tilelang_python}"))
