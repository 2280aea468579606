# Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of TileLang, compiled here: docs/python.md.

`jit` and `compile` stand in for those of the package `tilelang`, which traces the kernels. `python -m tile.tilelang FILE.py ...`
runs a file as it is; `install` does the same for the modules that a program imports later.
"""
import statistics
import sys
import time

from tile import _arrays, _compiler
from tile._errors import CallError, Error
from tile._jit import Jit

# For how long configurations of `tilelang.autotune` are compiled and timed.
TUNE_SECONDS = 60
# The pass config that has a meaning here: approximate functions and quotients.
_FAST_MATH = "tl.enable_fast_math"
# Elements that arrays hold two in a byte.
_PACKED = {"int4": "i4", "uint4": "i4", "float4_e2m1fn": "f4E2M1FN"}


def _tilelang():
    try:
        import tilelang
        import tilelang.jit
    except ImportError as error:
        raise Error(f"the package 'tilelang' cannot be imported: {error}; pip install tilelang==0.1.15") from error
    return tilelang


class Kernel:
    """A traced kernel. Called with all arguments, or with those that are not in `out_idx`: these are made and returned.

    It is compiled for the device that the first array is on. `text` is the kernel in the tile dialect; `remarks` says what of
    the options has no meaning here.
    """

    def __init__(self, prim_func, out_idx=None, target=None, pass_configs=None, compile_flags=None, **ignored):
        attributes = dict(prim_func.attrs or {})
        if out_idx is None:
            out_idx = [int(i) for i in attributes.get("tilelang_out_idx", ())]
        self.prim_func, self.target = prim_func, target
        self._parameters = [prim_func.buffer_map.get(p) if p in prim_func.buffer_map else None for p in prim_func.params]
        self._dtypes = [None if buffer is None else str(buffer.dtype) for buffer in self._parameters]
        count = len(self._parameters)
        self.out_idx = sorted(self._normalize(i, count) for i in ([out_idx] if isinstance(out_idx, int) else out_idx))
        self._results = {}
        configs = {**dict(attributes.get("tilelang_pass_configs", {})), **(pass_configs or {})}
        configs = {str(getattr(name, "value", name)): value for name, value in configs.items()}
        flags = compile_flags.split() if isinstance(compile_flags, str) else list(compile_flags or ())
        fast_math = configs.pop(_FAST_MATH, any(flag.lstrip("-") == "use_fast_math" for flag in flags))
        prim_func = prim_func.with_attr("tilelang_pass_configs", {_FAST_MATH: bool(fast_math)})
        self.text = _compiler.import_tilelang(prim_func)
        self._jit = Jit(self.text, None, None, None, {})
        ignored["compile_flags"] = [flag for flag in flags if flag.lstrip("-") != "use_fast_math"]
        unused = [f"pass config '{name}'" for name in configs]
        unused += [f"option '{name}'" for name, value in ignored.items() if value]
        self.remarks = tuple(_compiler.Diagnostic("remark", f"{what} has no meaning here: the compiler decides", "", 0, 0)
                             for what in unused)

    @staticmethod
    def _normalize(index, count):
        if not -count <= index < count:
            raise Error(f"out_idx: expected numbers of the {count} arguments, got {index}")
        return index % count

    @property
    def params(self):
        """What TileLang's profiler needs to make arguments."""
        from tilelang.engine.param import KernelParam
        return [KernelParam.from_buffer(b) if b is not None else KernelParam.from_var(p)
                for p, b in zip(self.prim_func.params, self._parameters)]

    def get_kernel_source(self, kernel_only=True):
        return self.text

    def get_profiler(self, tensor_supply_type=None):
        from tilelang.profiler import Profiler
        from tilelang.utils.tensor import TensorSupplyType
        return Profiler(self.params, self.out_idx, tensor_supply_type or TensorSupplyType.Auto).with_default_adapter(self)

    @property
    def adapter(self):
        return self

    def __call__(self, *given, stream=None):
        count, outputs = len(self._parameters), ()
        arguments = list(given)
        if len(given) != count:
            if len(given) + len(self.out_idx) != count:
                raise CallError(f"expected {count - len(self.out_idx)} arguments, or {count} with the results, got {len(given)}")
            outputs = self.out_idx
            for index in outputs:
                arguments.insert(index, None)
            for index, (shape, dtype) in zip(outputs, self._describe_results(arguments)):
                arguments[index] = self._make(shape, dtype, given)
        self._jit(*map(self._pass, arguments, self._dtypes), stream=stream)
        results = [arguments[index] for index in outputs]
        return results[0] if len(results) == 1 else (results or None)

    @staticmethod
    def _pass(argument, dtype):
        # TileLang takes tensors of which gradients are asked; the kernel is no part of their graph.
        if getattr(argument, "requires_grad", False) is True:
            argument = argument.detach()
        packed = _PACKED.get(dtype)
        return _arrays.view(argument, packed) if packed and not isinstance(argument, _arrays.View) else argument

    def _bind(self, arguments):
        """The sizes that the arguments give to names, and the values of scalars."""
        from tvm import tirx
        sizes = {}
        for parameter, buffer, argument in zip(self.prim_func.params, self._parameters, arguments):
            if argument is None:
                continue
            if buffer is None:
                if isinstance(argument, int):
                    sizes[parameter] = argument
                continue
            for extent, size in zip(buffer.shape, getattr(argument, "shape", ())):
                if isinstance(extent, tirx.Var):
                    sizes[extent] = int(size)
        return sizes

    def _describe_results(self, arguments):
        """Shapes and types of the results; they are computed once for arguments of the same sizes."""
        key = tuple(a if a is None or isinstance(a, int) else getattr(a, "shape", None) for a in arguments)
        known = self._results.get(key)
        if known is None:
            if len(self._results) == 1000:
                self._results.clear()
            sizes = self._bind(arguments)
            known = self._results[key] = [self._describe(self._parameters[index], sizes) for index in self.out_idx]
        return known

    def _describe(self, buffer, sizes):
        if buffer is None:
            raise CallError("out_idx: expected arguments that are tensors, got a number")
        shape = [self._evaluate(extent, sizes) for extent in buffer.shape]
        dtype = str(buffer.dtype)
        if dtype in _PACKED:
            shape[-1], dtype = shape[-1] // 2, "int8"
        return shape, {"float8_e4m3": "float8_e4m3fn"}.get(dtype, dtype)

    @staticmethod
    def _make(shape, dtype, given):
        """Memory for a result, on the device and of the kind of the arguments."""
        array = next((a for a in given if hasattr(a, "__dlpack__") or hasattr(a, "__array_interface__")), None)
        torch = sys.modules.get("torch")
        if array is None or (torch and isinstance(getattr(torch, "Tensor", None), type) and isinstance(array, torch.Tensor)):
            import torch
            device = array.device if array is not None else ("cuda" if torch.cuda.is_available() else "cpu")
            return torch.empty(shape, dtype=getattr(torch, dtype), device=device)
        import numpy
        if hasattr(numpy, dtype):
            return numpy.empty(shape, dtype)
        import ml_dtypes
        return numpy.empty(shape, getattr(ml_dtypes, dtype))

    @staticmethod
    def _evaluate(extent, sizes):
        if isinstance(extent, int):
            return extent
        import tvm
        from tvm import tirx
        values = {name: tirx.IntImm(name.dtype, value) for name, value in sizes.items()}
        value = tvm.arith.Analyzer().simplify(tirx.stmt_functor.substitute(extent, values))
        if not isinstance(value, tirx.IntImm):
            raise CallError(f"the size {extent} of a result follows from no argument; pass the result")
        return int(value)

    def __repr__(self):
        return f"<tile kernel of TileLang of {len(self._parameters)} arguments, out_idx={self.out_idx}>"


def _make_kernel(func=None, out_idx=None, execution_backend=None, target=None, target_host=None, verbose=None,
                 pass_configs=None, compile_flags=None, **_):
    return Kernel(func, out_idx, target, pass_configs, compile_flags=compile_flags)


def _time(kernel, arguments):
    """Milliseconds that a call takes, nothing where what was supplied does not fit. The arguments stay as they are."""
    copies = [getattr(a, "clone", getattr(a, "copy", lambda a=a: a))() for a in arguments]
    torch = sys.modules.get("torch")
    on_gpu = any(getattr(getattr(a, "device", None), "type", None) == "cuda" for a in copies)
    calls, samples, begin = 10 if on_gpu else 1, [], time.perf_counter()
    try:
        kernel(*copies)
    except CallError:
        return None
    while len(samples) < 3 or (len(samples) < 20 and time.perf_counter() - begin < 0.2):
        if on_gpu:
            torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(calls):
            kernel(*copies)
        if on_gpu:
            torch.cuda.synchronize()
        samples.append((time.perf_counter() - start) / calls)
    return 1000 * statistics.median(samples)


def _make_inputs(tuner, kernel, gives_kernel, arguments, chosen):
    """What a kernel is timed with: arguments of the call, or what the program or TileLang supplies. Nothing where neither can."""
    if not gives_kernel:
        return list(tuner.jit_impl.func.parse_args(*arguments, **chosen)[1].values())
    try:
        if tuner.supply_prog:
            return tuner.supply_prog(kernel.params)
        return kernel.get_profiler(tensor_supply_type=tuner.supply_type)._get_inputs()
    except Exception:  # sizes that only calls know, no torch, a program's own reason
        return None


def _choose_configuration(self, *arguments, **named):
    """In place of TileLang's tuner: the fastest configuration, or the first that compiles where there is nothing to call it with.

    Those of the call go before. No more are tried after TUNE_SECONDS.
    """
    gives_kernel = named.pop("__return_kernel", False)
    configurations = self.configs(*arguments, **named) if callable(self.configs) else self.configs
    known, failure = self.jit_impl.signature.parameters, Error("autotune: expected configurations, got none")
    gives_kernel |= self.jit_impl.initialize_jit_mode(*arguments, **named) == "lazy"
    best, end = None, time.perf_counter() + TUNE_SECONDS
    for configuration in [configurations] if isinstance(configurations, dict) else configurations:
        chosen = {**{name: value for name, value in configuration.items() if name in known}, **named}
        try:
            kernel = self.jit_impl.compile(*arguments, **chosen)
            kernel.config, kernel.latency = chosen, None
            inputs = _make_inputs(self, kernel, gives_kernel, arguments, chosen)
            if inputs is not None:
                kernel.latency = _time(kernel, inputs)
        except Exception as error:  # what tracing raises is the program's choice
            failure = error
            continue
        if best is None or kernel.latency < best.latency:
            best = kernel
        if kernel.latency is None or time.perf_counter() > end:
            break
    if best is None:
        raise failure
    return best if gives_kernel else best(*self.jit_impl.func.parse_args(*arguments, **best.config)[1].values())


def _replace_tuner():
    """Has functions that compile here choose their configuration here; others go on with TileLang's tuner."""
    import tilelang.autotuner.tuner
    tuner = tilelang.autotuner.tuner.AutoTuneImpl
    original = tuner.__call__
    if original.__module__ == __name__:
        return

    def call(self, *arguments, **named):
        here = _installed or getattr(self.jit_impl, "compiles_here", False)
        return (_choose_configuration if here else original)(self, *arguments, **named)
    tuner.__call__ = call


_installed = False


def compile(func, out_idx=None, **options):
    """As tilelang.compile: a Kernel."""
    _tilelang()
    return _make_kernel(func, out_idx, **options)


def jit(func=None, **options):
    """As tilelang.jit: the decorated function gives kernels, or runs them, that are compiled here."""
    def decorate(given):
        made = _tilelang().jit(given, **options)
        # It asks itself for a kernel.
        made.compile = lambda *arguments, **named: _make_kernel(
            made.get_tir(*arguments, **named), made.out_idx, target=made.target, pass_configs=made.pass_configs,
            compile_flags=made.compile_flags)
        made.compiles_here = True
        _replace_tuner()
        return made
    return decorate if func is None else decorate(func)


def install():
    """From now on tilelang.jit and tilelang.compile of this process compile here."""
    global _installed
    tilelang = _tilelang()
    _installed = True
    _replace_tuner()
    for name in ("tilelang.jit", "tilelang.cache"):
        sys.modules[name].cached = _make_kernel
    for name in ("tilelang", "tilelang.jit"):
        sys.modules[name].JITKernel = _make_kernel
    tilelang.cached = _make_kernel


def main(arguments):
    if not arguments or arguments[0].startswith("-"):
        sys.exit("usage: python -m tile.tilelang FILE.py ARGUMENTS...: runs a program with TileLang's kernels compiled here")
    import os
    import runpy

    from tile import tilelang
    tilelang.install()
    sys.argv = arguments
    sys.path[0] = os.path.dirname(os.path.abspath(arguments[0]))
    runpy.run_path(arguments[0], run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1:])
