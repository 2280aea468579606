# Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that are compiled when they are first called, for the device that the arguments are on."""
import functools
import os
import threading

from tile import _compiler
from tile import _library as lib
from tile._errors import CallError, Error

_KINDS = {lib.CPU: "cpu", 3: "cpu", 11: "cpu", lib.CUDA: "cuda", 13: "cuda", lib.ROCM: "hip"}


def cache_folder():
    """Where compiled code is kept: TILE_CACHE, or else tile in the user's cache folder; an empty TILE_CACHE is none."""
    folder = os.environ.get("TILE_CACHE")
    if folder is None:
        folder = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "tile")
    return folder or None


# Names of devices by PyTorch's objects for them: asked by DLPack, a tensor takes microseconds to answer.
_names = {}


def find_device(arguments):
    """The device of the first array, "cuda:0"; the CPU for what says nothing."""
    for argument in arguments:
        array = getattr(argument, "array", argument)
        where = getattr(array, "__dlpack_device__", None)
        if where:
            device = getattr(array, "device", None)
            is_torch = type(device).__module__ == "torch"
            name = _names.get(device) if is_torch else None
            if name is None:
                name = _name_device(*where())
                if is_torch:
                    _names[device] = name
            return name
    return "cpu"


def _name_device(kind, ordinal):
    if int(kind) not in _KINDS:
        raise CallError(f"expected arrays of a CPU or a GPU, got the device ({int(kind)}, {ordinal})")
    name = _KINDS[int(kind)]
    return name if name == "cpu" else f"{name}:{ordinal}"


class Jit:
    """A function that compiles itself: `jit` makes it."""

    def __init__(self, source, function, target, device, options):
        self._source, self._function, self._target, self._device, self._options = source, function, target, device, options
        self._functions, self._lock = {}, threading.Lock()
        if callable(source):
            functools.update_wrapper(self, source)

    def compile(self, device=None):
        """The compiled function for a device, "cpu" or "cuda:0"."""
        device = self._device or device or "cpu"
        with self._lock:
            if device not in self._functions:
                self._functions[device] = self._compile(device)
            return self._functions[device]

    def _compile(self, device):
        source = self._source() if callable(self._source) else self._source
        options = {"cache": cache_folder(), "lazy_versions": True, **self._options}
        if self._function:
            options["functions"] = self._function
        module = _compiler.compile(source, self._target, device=device, **options)
        if len(module) != 1:
            raise Error(f"expected the name of one function of the module ({', '.join(module)}), got none")
        return module[next(iter(module))]

    def __call__(self, *arguments, **named):
        device = self._device or find_device((*arguments, *named.values()))
        return (self._functions.get(device) or self.compile(device))(*arguments, **named)

    def __repr__(self):
        return f"<tile jit, compiled for {', '.join(self._functions) or 'nothing yet'}>"


def jit(source=None, *, function=None, target=None, device=None, **options):
    """A function that is compiled at its first call on a device, and kept in a cache for later processes.

    source    MLIR as for `compile`, or a function that returns it: then `jit` is a decorator
    function  the one to call, where the source has several
    target    by default that of the device which the first array is on
    options   as for `compile`; the cache is that of cache_folder where none is given, and versions for lucky sizes are
              compiled by the calls that first choose them, unless `lazy_versions=False`
    """
    if source is None:
        return lambda given: jit(given, function=function, target=target, device=device, **options)
    return Jit(source, function, target, device, options)
