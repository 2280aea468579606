# Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Devices of the runtime. They are opened when they are first needed, and stay open as long as the process."""
import ctypes
import functools
import sys
import threading

from tile import _library as lib
from tile._errors import CallError, Error

_lock = threading.Lock()


@functools.lru_cache(None)
def _open(kind, ordinal, chip):
    device = ctypes.POINTER(lib.Device)()
    if kind == "cpu":
        return lib.runtime().tile_rt_cpu_device()
    if kind == "ascend-model":
        return lib.runtime().tile_rt_model_device()
    if kind.endswith("-model"):
        lib.check(lib.compiler().tileModelDeviceOpen, kind[:-len("-model")].encode(), chip.encode(), ctypes.byref(device))
    elif kind in ("cuda", "hip"):
        lib.check(getattr(lib.runtime(), f"tile_rt_{kind}_open"), ordinal, ctypes.byref(device))
    else:
        raise Error(f"target '{kind}': its code cannot be run from here; expected cpu, cuda, hip, or a model")
    return device


def open_device(kind, ordinal=0, chip=""):
    """A device by the name of the target that makes its code."""
    with _lock:
        return _open(kind, ordinal, chip)


def parse_device(text):
    """"cuda:1" as its kind and number."""
    kind, _, ordinal = str(text).partition(":")
    if kind not in ("cpu", "cuda", "hip", "model") or (ordinal and not (ordinal.isascii() and ordinal.isdigit())):
        raise Error(f"expected a device (cpu, cuda, cuda:1, hip, model), got '{text}'")
    number = int(ordinal or 0)
    if number > 255 or (number and kind in ("cpu", "model")):
        raise Error(f"there is no device '{text}'")
    return kind, number


def _current_stream(device):
    """PyTorch's, where it is in use, or else the default one."""
    torch = sys.modules.get("torch")
    current = getattr(getattr(torch, "_C", None), "_cuda_getCurrentRawStream", None)
    return current(device) if current else 0


def find_stream(stream, device_type, device, name):
    """A stream as a number; called by _launch."""
    if device_type not in (lib.CUDA, lib.ROCM):
        raise CallError(f"@{name}: expected no stream for code of a CPU or a model")
    if stream is None:
        return _current_stream(device)
    if hasattr(stream, "__cuda_stream__"):
        protocol = stream.__cuda_stream__
        stream = (protocol() if callable(protocol) else protocol)[1]
    for attribute in ("cuda_stream", "ptr"):
        stream = getattr(stream, attribute, stream)
    if isinstance(stream, bool) or not isinstance(stream, int) or not 0 <= stream < 1 << 64:
        raise CallError(f"@{name}: expected a stream as a number or an object of CUDA, got {stream!r}")
    return stream
