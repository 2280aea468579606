# Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiling: source in, functions that can be called out."""
import ctypes
import json
import os
import threading
import weakref
from collections.abc import Mapping
from typing import NamedTuple, Optional, Tuple

from tile import _devices, _launch
from tile import _library as lib
from tile._errors import CompileError, Error

_SEVERITIES = ("error", "warning", "remark", "note")
_VENDORS = {"nvidia": "cuda", "amd": "hip", "ascend": "ascend", "cpu": "cpu"}


class Diagnostic(NamedTuple):
    """What the compiler says about the source."""
    severity: str
    message: str
    file: str  # empty where the place is not known
    line: int
    column: int
    notes: Tuple["Diagnostic", ...] = ()
    # Of a remark about a decision: "passed", "missed", "failed" or "analysis", its name, and the pass.
    outcome: str = ""
    remark: str = ""
    category: str = ""

    def __str__(self):
        place = f"{self.file}:{self.line}:{self.column}: " if self.file else ""
        return "\n".join([f"{place}{self.severity}: {self.message}", *map(str, self.notes)])


class Parameter(NamedTuple):
    """What a function wants for an argument."""
    name: str
    dtype: str
    shape: Optional[tuple]  # sizes, or their names; nothing of a number
    written: bool


def _text(value):
    return (value or b"").decode("utf-8", "replace")


def _convert(fields):
    return Diagnostic(_SEVERITIES[fields.severity], _text(fields.message), _text(fields.file), fields.line, fields.column,
                      tuple(_convert(fields.notes[i].contents) for i in range(fields.noteCount)), _text(fields.outcome),
                      _text(fields.remark), _text(fields.category))


class _Session:
    """A compiler with its options, for one compilation. What it says is in `diagnostics`."""

    def __init__(self, options):
        self.diagnostics = []
        self._handler = lib.Handler(lambda fields, _: self.diagnostics.append(_convert(fields.contents)))
        self.handle = lib.check(lib.compiler().tileCompilerCreate, lib.API_VERSION)
        self._modules = []
        try:
            for name, value in options.items():
                lib.check(lib.compiler().tileCompilerSetOption, self.handle, _encode(name, "an option"),
                          _encode(value, f"option '{name}'"))
            lib.check(lib.compiler().tileCompilerSetDiagnosticHandler, self.handle, self._handler, None)
        except BaseException:
            self.__exit__()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for module in self._modules:
            lib.compiler().tileCompilerModuleDestroy(module, None)
        lib.compiler().tileCompilerDestroy(self.handle, None)

    def call(self, function, *arguments):
        try:
            return lib.check(function, self.handle, *arguments)
        except Error as error:
            raise CompileError(self._explain(str(error)), self.diagnostics) from None

    def _explain(self, message):
        """The message of the first error with its notes."""
        first = next((d for d in self.diagnostics if d.severity == "error"), None)
        return "\n".join([message, *map(str, first.notes)]) if first else message

    def read(self, source, name, function=None):
        function = function or lib.compiler().tileCompilerModuleParse
        module = self.call(function, source, len(source), _encode(name, "a name"))
        self._modules.append(module)
        return module


def _encode(text, what):
    """Text for C."""
    if not isinstance(text, str):
        raise Error(f"{what}: expected text, got {type(text).__name__}")
    if "\0" in text:
        raise Error(f"{what}: expected text without a NUL, got {text!r}")
    return text.encode("utf-8", "surrogateescape")


def read_source(source, name=None, what="MLIR"):
    """The bytes of a source and what stands for its file in messages."""
    if isinstance(source, os.PathLike):
        with open(source, "rb") as file:
            return file.read(), name or os.fspath(source)
    if isinstance(source, str):
        return source.encode("utf-8", "surrogatepass"), name or "source"
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source), name or "source"
    raise Error(f"expected {what} as text, bytes or the path of a file, got {type(source).__name__}")


class _Program:
    """The handles behind a module and its functions; released once, by close or with the last of them."""

    def __init__(self, artifact):
        self.artifact = artifact
        self.kernels = []
        self.lock = threading.RLock()
        self.close = weakref.finalize(self, _Program._release, artifact, self.kernels)

    @staticmethod
    def _release(artifact, kernels):
        # Unloading waits for calls of other threads.
        for kernel in kernels:
            lib.runtime().tile_rt_kernel_unload(kernel)
        lib.compiler().tileCompilerArtifactDestroy(artifact, None)

    def load(self, index, device):
        kernel = lib.check(lib.compiler().tileCompilerArtifactLoad, self.artifact, index, device)
        self.kernels.append(kernel)
        return kernel


class Module(Mapping):
    """Compiled functions by name: `module["add"]`, or `module.add` where no method has the name.

    `diagnostics` has the warnings and remarks of the compilation. It can be closed, or used in a `with` statement; else it
    lives as long as it or one of its functions is in use.
    """

    def __init__(self, program, source, device, diagnostics):
        self._program, self._device, self._functions = program, device, {}
        self.diagnostics = tuple(diagnostics)
        api = lib.compiler()
        self.cached = api.tileCompilerArtifactIsCached(program.artifact)
        self._kernels = {}
        self._metadata = []
        for index in range(api.tileCompilerArtifactGetKernelCount(program.artifact)):
            function = lib.check(api.tileCompilerArtifactGetFunction, program.artifact, index).decode()
            self._kernels.setdefault(function, []).append(index)
            self._metadata.append(json.loads(lib.check(api.tileCompilerArtifactGetMetadataText, program.artifact, index)))
        self._parameters = {function: tuple(self._describe(source, function, i, argument)
                                            for i, argument in enumerate(self._metadata[indices[0]]["arguments"]))
                            for function, indices in self._kernels.items()}

    @staticmethod
    def _describe(source, function, index, argument):
        """What _launch is told of an argument: its name, whether it is a scalar, its type, whether it is written."""
        written = ctypes.c_bool()
        lib.check(lib.compiler().tileCompilerModuleIsArgumentWritten, source, function.encode(), index, ctypes.byref(written))
        return argument.get("name", ""), argument["kind"] == "scalar", argument["dtype"], written.value

    @property
    def remarks(self):
        return tuple(d for d in self.diagnostics if d.severity == "remark")

    @property
    def closed(self):
        return not self._program.close.alive

    def close(self):
        """Unloads the functions; calls of them are errors from then on."""
        with self._program.lock:
            self._program.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __len__(self):
        return len(self._kernels)

    def __iter__(self):
        return iter(self._kernels)

    def __getitem__(self, name):
        if name not in self._kernels:
            raise KeyError(f"expected a function of the module ({', '.join(self._kernels)}), got {name!r}")
        with self._program.lock:
            if name not in self._functions:
                self._functions[name] = self._load(name)
            return self._functions[name]

    def __getattr__(self, name):
        if name.startswith("_") or name not in self._kernels:
            raise AttributeError(f"expected a function of the module ({', '.join(self.__dict__.get('_kernels', ()))}), got '{name}'")
        return self[name]

    def __dir__(self):
        return [*super().__dir__(), *self._kernels]

    def __repr__(self):
        return f"<tile module: {', '.join(self._kernels)}{' (closed)' if self.closed else ''}>"

    def _load(self, name):
        if self.closed:
            raise Error("expected a module, got one that is closed")
        kind, ordinal, chip = self._device
        device = _devices.open_device(kind, ordinal, chip)
        kernels = tuple(self._program.load(index, device) for index in self._kernels[name])
        # Devices stay open. The model of a GPU has memory of its own, that of an NPU runs on the host's.
        return _launch.Function(name, self._program, kernels, self._parameters[name], ctypes.addressof(device.contents),
                                kind.endswith("-model"), kind in ("cuda-model", "hip-model"))

    def metadata(self, name):
        """Launch metadata of a function's kernels: docs/LaunchMetadata.md."""
        return [self._metadata[index] for index in self._kernels[name]]

    def parameters(self, name):
        """The arguments of a function, as Parameter."""
        if name not in self._kernels:
            raise KeyError(f"expected a function of the module ({', '.join(self._kernels)}), got {name!r}")
        arguments = self._metadata[self._kernels[name][0]]["arguments"]
        return tuple(Parameter(known, dtype, None if scalar else tuple(argument["shape"]), written)
                     for (known, scalar, dtype, written), argument in zip(self._parameters[name], arguments))

    def code(self, name, kind=None):
        """The code of a function's first kernel: "object", "cubin", "ptx", "asm", "llvmir" ... by `emit`."""
        with self._program.lock:
            if self.closed:
                raise Error("expected a module, got one that is closed")
            return lib.read(lib.compiler().tileCompilerArtifactGetCode, self._program.artifact, self._kernels[name][0],
                            _encode(kind, "a kind of code") if kind is not None else None)


def _choose_target(target, chip, device):
    """What the compiler calls the target, and the device that runs its code."""
    kind, ordinal = _devices.parse_device(device) if device is not None else (None, 0)
    if target is None:
        target = "cpu" if kind in (None, "model") else kind
    name, _, chip_of_target = target.partition(":")
    chip = chip or chip_of_target
    found = lib.Chip(ctypes.sizeof(lib.Chip))
    # A chip alone says which target it is of.
    if not chip_of_target and lib.compiler().tileChipFind(_encode(name, "a target"), ctypes.byref(found)):
        name, chip = _VENDORS[_text(found.vendor)], name
    if kind == "model" and not name.endswith("-model"):
        name = name if name == "cpu" else f"{name}-model"
    elif kind and kind != name:
        raise Error(f"expected code for the device '{device}', got the target '{target}'")
    if name in ("cuda", "hip") and kind and not chip:
        opened = _devices.open_device(name, ordinal).contents.chip
        chip = _text(lib.check(lib.compiler().tileCompilerFindChip, name.encode(), opened))
    return f"{name}:{chip}" if chip else name, (name, ordinal, chip if name.endswith("-model") else "")


def _list(values):
    return values if isinstance(values, str) else ",".join(values)


def _options(parameters, functions, remarks, cache, emit, options):
    named = {name.replace("_", "-"): str(value).lower() if isinstance(value, bool) else str(value)
             for name, value in options.items()}
    if parameters:
        named["parameters"] = ",".join(f"{name}={int(value)}" for name, value in dict(parameters).items())
    if functions is not None:
        named["functions"] = _list(functions)
    if remarks:
        named["remarks"] = ".*" if remarks is True else remarks
    if cache is not None:
        named["cache"] = os.path.abspath(os.fspath(cache))
    if emit is not None:
        named["emit"] = _list(emit)
    return named


def compile(source, target=None, *, chip=None, device=None, name=None, parameters=None, functions=None, remarks=None,
            cache=None, emit=None, **options):
    """Compiles MLIR (text, bytecode, or the path of a file) and returns a Module.

    target      a target, a chip, or both: "cpu" (by default), "cuda", "sm_90a", "cpu:x86-64-v3"; `chip` may name the chip
    device      where functions run: "cuda:1"; "model" runs code of GPUs and NPUs on a model. It chooses the chip, too
    name        what stands for the file in messages
    parameters  values of `tile.param`, by name
    functions   those to compile; all public ones with kernels otherwise
    remarks     True, or a regular expression for passes whose decisions are wanted
    cache       a folder of compiled code
    emit        kinds of code to keep besides the one that is loaded: docs/c-api.md, which has all `options`
    """
    text, file = read_source(source, name)
    for argument, value in (("target", target), ("chip", chip)):
        if value is not None and not isinstance(value, str):
            raise Error(f"{argument}: expected text, got {type(value).__name__}")
    full_target, place = _choose_target(target, chip, device)
    with _Session(_options(parameters, functions, remarks, cache, emit, options)) as session:
        module = session.read(text, file)
        program = _Program(session.call(lib.compiler().tileCompilerCompile, module, _encode(full_target, "target")))
        return Module(program, module, place, session.diagnostics)


def import_tilelang(program, name=None):
    """A kernel of TileLang in the tile dialect, as text.

    `program` is a PrimFunc or an IRModule of the installed `tilelang`, or the JSON that `tvm.ir.save_json` writes.
    """
    text = None
    if not isinstance(program, (str, bytes, bytearray, memoryview, os.PathLike)):
        from tile import _tvm
        text = _tvm.save_json(program)
    text, file = read_source(program if text is None else text, name or "program", "a program of TileLang")
    with _Session({"remarks": ""}) as session:
        module = session.read(text, file, lib.compiler().tileCompilerModuleImportTileLang)
        return lib.read(lib.compiler().tileCompilerModuleGetText, session.handle, module).decode()


def targets():
    """The names of the targets of this build."""
    return tuple(_text(lib.compiler().tileCompilerGetTargetName(i)) for i in range(lib.compiler().tileCompilerGetTargetCount()))


def chips():
    """All known chips, by name, with their target."""
    found, chip = {}, lib.Chip(ctypes.sizeof(lib.Chip))
    for i in range(lib.compiler().tileChipCount()):
        if lib.compiler().tileChipGet(i, ctypes.byref(chip)):
            found[_text(chip.name)] = _VENDORS[_text(chip.vendor)]
    return found

