# Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays that DLPack does not cover: read-only ones, types of ml_dtypes, buffers, and views with another type."""
import ctypes
import re

from tile import _launch
from tile._errors import CallError, Error

_INT, _UINT, _FLOAT, _BFLOAT, _BOOL = 0, 1, 2, 4, 6
# Codes of DLPack and bits, by the names of MLIR, NumPy with ml_dtypes and PyTorch.
_TYPES = {
    "bf16": (_BFLOAT, 16, "bfloat16"),
    "f16": (_FLOAT, 16, "float16"),
    "f32": (_FLOAT, 32, "float32"),
    "f64": (_FLOAT, 64, "float64"),
    "f8E4M3FN": (10, 8, "float8_e4m3fn"),
    "f8E4M3FNUZ": (11, 8, "float8_e4m3fnuz"),
    "f8E5M2": (12, 8, "float8_e5m2"),
    "f8E5M2FNUZ": (13, 8, "float8_e5m2fnuz"),
    "f8E8M0FNU": (14, 8, "float8_e8m0fnu"),
    "f4E2M1FN": (17, 4, "float4_e2m1fn_x2"),
    "i1": (_BOOL, 8, "bool"),
    "i4": (_INT, 4, "int4_x2"),
    **{f"i{bits}": (_INT, bits, f"int{bits}") for bits in (8, 16, 32, 64)},
    **{f"ui{bits}": (_UINT, bits, f"uint{bits}") for bits in (8, 16, 32, 64)},
}
_NAMES = {name: (code, bits) for code, bits, name in _TYPES.values()}
_FORMATS = {"f": _FLOAT, "d": _FLOAT, "e": _FLOAT, "?": _BOOL, **dict.fromkeys("bhilqn", _INT), **dict.fromkeys("BHILQN", _UINT)}


class View:
    """Memory of another array, read as elements of a type: `view` makes it."""

    def __init__(self, array, dtype, shape, described):
        self.array, self.dtype, self.shape, self._described = array, dtype, shape, described

    def __repr__(self):
        return f"tile.view({type(self.array).__name__}, {self.dtype!r}, shape={self.shape})"


def view(array, dtype, shape=None):
    """The bytes of a dense array as elements of a type by MLIR's name: "bf16", "f8E4M3FN", "i4" (two in each byte) ...

    Without a shape the last dimension becomes longer or shorter. The memory is that of the array.
    """
    if not isinstance(dtype, str) or dtype not in _TYPES:
        raise Error(f"expected a type of elements ({', '.join(_TYPES)}), got {dtype!r}")
    code, bits, _ = _TYPES[dtype]
    described = describe(array, None)
    if described is None and hasattr(array, "__dlpack__"):
        try:
            described = _launch.inspect(array)
        except (BufferError, TypeError, ValueError, RuntimeError) as error:
            raise Error(str(error)) from error
    if described is None:
        raise Error(f"expected an array, got {type(array).__name__}")
    address, _, old_bits, old_shape, strides, read_only, device_type, device, owner = described
    if strides is not None and strides != _row_major(old_shape) and 0 not in old_shape:
        raise Error(f"expected a dense array, got one with the strides {list(strides)}")
    total = old_bits
    for extent in old_shape:
        total *= extent
    if shape is None:
        last = (old_shape[-1] if old_shape else 1) * old_bits
        if last % bits:
            raise Error(f"expected rows of a multiple of {bits} bits, got {last}")
        shape = (*old_shape[:-1], last // bits)
    shape = tuple(int(extent) for extent in shape)
    wanted = bits
    for extent in shape:
        if extent < 0:
            raise Error(f"expected extents of at least 0, got {list(shape)}")
        wanted *= extent
    if wanted != total:
        raise Error(f"expected a shape of {total} bits, got {list(shape)} of {wanted}")
    return View(array, dtype, shape, (address, code, bits, shape, None, read_only, device_type, device, owner))


def _row_major(shape):
    strides, stride = [], 1
    for extent in reversed(shape):
        strides.append(stride)
        stride *= max(extent, 1)
    return tuple(reversed(strides))


def _elements(strides, size):
    """Strides in elements, from bytes."""
    if strides is None:
        return None
    if any(stride % size for stride in strides):
        raise CallError(f"expected strides of whole elements of {size} bytes, got {list(strides)} bytes")
    return tuple(stride // size for stride in strides)


def _describe_interface(array, interface):
    """NumPy's protocol, which knows of read-only memory."""
    shape, text = tuple(interface["shape"]), interface["typestr"]
    name = str(getattr(array, "dtype", ""))
    size = int((re.match(r"\d+", text[2:]) or "0")[0])
    if text[0] == ">":
        raise CallError(f"expected elements in the byte order of this machine, got '{text}'")
    if name in _NAMES:
        code, bits = _NAMES[name]
    elif text[1] in "iuf" and size in (1, 2, 4, 8):
        code, bits = {"i": _INT, "u": _UINT, "f": _FLOAT}[text[1]], 8 * size
    else:
        raise CallError(f"expected elements of a type that kernels know, got {name or text}")
    address, read_only = interface["data"]
    return address, code, bits, shape, _elements(interface.get("strides"), size), read_only, 1, 0, array


_FULL_READ_ONLY = 0x11c  # PyBUF_FULL_RO


class _Buffer(ctypes.Structure):
    """The head of a Py_buffer, with room for the rest."""
    _fields_ = [("buf", ctypes.c_void_p), ("obj", ctypes.c_void_p), ("rest", ctypes.c_byte * 256)]


def _address(memory):
    """Where the bytes of a memoryview are."""
    buffer = _Buffer()
    ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(memory), ctypes.byref(buffer), _FULL_READ_ONLY)
    address = buffer.buf
    ctypes.pythonapi.PyBuffer_Release(ctypes.byref(buffer))
    return address


def _describe_buffer(array, memory):
    text = memory.format.lstrip("@=<")
    if text not in _FORMATS:
        raise CallError(f"expected elements of a type that kernels know, got the format '{memory.format}'")
    strides = _elements(memory.strides, memory.itemsize)
    return (_address(memory) or 0, _FORMATS[text], 8 * memory.itemsize, tuple(memory.shape), strides, memory.readonly, 1, 0,
            memory)


def describe(array, cause):
    """Address, code and bits of the type, shape, strides, whether read-only, device, owner; None for what is no array.

    Called by _launch where __dlpack__ is not there, or has raised `cause`.
    """
    if isinstance(array, View):
        return array._described
    interface = getattr(array, "__array_interface__", None)
    # Numbers of NumPy have the protocol, too, but no memory to write to.
    if isinstance(interface, dict) and hasattr(array, "__setitem__"):
        return _describe_interface(array, interface)
    if cause is not None:
        raise CallError(str(cause) or type(cause).__name__)
    try:
        memory = memoryview(array)
    except TypeError:
        return None
    return _describe_buffer(array, memory)
