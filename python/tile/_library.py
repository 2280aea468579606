# Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libtile-c and libtile-runtime through ctypes: their functions, and their structs as far as they are read here.

Handles are numbers that the libraries check, so a wrong one is an error and not a crash. Calls release the interpreter lock.
"""
import ctypes
import functools
import os
from ctypes import POINTER, Structure, c_bool, c_char, c_char_p, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

from tile._errors import Error

API_VERSION = 0 << 16 | 1
CPU, CUDA, ROCM = 1, 2, 10


class RtError(Structure):
    _fields_ = [("message", c_char * 1024)]

    def __str__(self):
        return self.message.decode("utf-8", "replace")


class Diagnostic(Structure):
    pass


Diagnostic._fields_ = [("severity", c_int32), ("message", c_char_p), ("file", c_char_p), ("line", c_int64),
                       ("column", c_int64), ("outcome", c_char_p), ("remark", c_char_p), ("category", c_char_p),
                       ("noteCount", c_size_t), ("notes", POINTER(POINTER(Diagnostic)))]
Handler = ctypes.CFUNCTYPE(None, POINTER(Diagnostic), c_void_p)


class Device(Structure):
    """The head of a TileRtDevice."""
    _fields_ = [("ops", c_void_p), ("type", c_int32), ("id", c_int32), ("name", c_char * 96), ("chip", c_char * 16)]


class Chip(Structure):
    _fields_ = [("structSize", c_size_t), ("name", c_char_p), ("vendor", c_char_p)]


_ERROR = POINTER(RtError)
_SIZE = POINTER(c_size_t)
_COMPILER = {
    "tileCompilerGetVersion": (c_char_p,),
    "tileCompilerGetTargetCount": (c_size_t,),
    "tileCompilerGetTargetName": (c_char_p, c_size_t),
    "tileCompilerCreate": (c_void_p, c_uint32, _ERROR),
    "tileCompilerDestroy": (c_bool, c_void_p, _ERROR),
    "tileCompilerSetOption": (c_bool, c_void_p, c_char_p, c_char_p, _ERROR),
    "tileCompilerSetDiagnosticHandler": (c_bool, c_void_p, Handler, c_void_p, _ERROR),
    "tileCompilerModuleParse": (c_void_p, c_void_p, c_char_p, c_size_t, c_char_p, _ERROR),
    "tileCompilerModuleImportTileLang": (c_void_p, c_void_p, c_char_p, c_size_t, c_char_p, _ERROR),
    "tileCompilerModuleGetText": (c_void_p, c_void_p, c_void_p, _SIZE, _ERROR),
    "tileCompilerModuleIsArgumentWritten": (c_bool, c_void_p, c_char_p, c_size_t, POINTER(c_bool), _ERROR),
    "tileCompilerModuleDestroy": (c_bool, c_void_p, _ERROR),
    "tileCompilerCompile": (c_void_p, c_void_p, c_void_p, c_char_p, _ERROR),
    "tileCompilerArtifactDestroy": (c_bool, c_void_p, _ERROR),
    "tileCompilerArtifactGetKernelCount": (c_size_t, c_void_p),
    "tileCompilerArtifactIsCached": (c_bool, c_void_p),
    "tileCompilerArtifactGetFunction": (c_char_p, c_void_p, c_size_t, _ERROR),
    "tileCompilerArtifactGetMetadata": (c_void_p, c_void_p, c_size_t, _ERROR),
    "tileCompilerArtifactGetMetadataText": (c_char_p, c_void_p, c_size_t, _ERROR),
    "tileCompilerArtifactGetKind": (c_char_p, c_void_p, c_size_t, c_size_t),
    "tileCompilerArtifactGetCode": (c_void_p, c_void_p, c_size_t, c_char_p, _SIZE, _ERROR),
    "tileCompilerArtifactGetImage": (c_void_p, c_void_p, c_size_t, _SIZE, _ERROR),
    "tileCompilerArtifactLoad": (c_void_p, c_void_p, c_size_t, POINTER(Device), _ERROR),
    "tileCompilerFindChip": (c_char_p, c_char_p, c_char_p, _ERROR),
    "tileModelDeviceOpen": (c_bool, c_char_p, c_char_p, POINTER(POINTER(Device)), _ERROR),
    "tileChipCount": (c_size_t,),
    "tileChipGet": (c_bool, c_size_t, POINTER(Chip)),
    "tileChipFind": (c_bool, c_char_p, POINTER(Chip)),
}
_RUNTIME = {
    "tile_rt_cpu_device": (POINTER(Device),),
    "tile_rt_model_device": (POINTER(Device),),
    "tile_rt_cuda_open": (c_bool, c_int32, POINTER(POINTER(Device)), _ERROR),
    "tile_rt_hip_open": (c_bool, c_int32, POINTER(POINTER(Device)), _ERROR),
    "tile_rt_device_close": (None, POINTER(Device)),
    "tile_rt_comm_open_on": (c_bool, POINTER(Device), c_void_p, POINTER(c_void_p), _ERROR),
    "tile_rt_comm_close": (None, c_void_p),
    "tile_rt_world_create_over": (c_bool, c_void_p, c_size_t, POINTER(c_void_p), _ERROR),
    "tile_rt_world_alloc": (c_bool, c_void_p, c_size_t, _SIZE, _ERROR),
    "tile_rt_world_address": (c_void_p, c_void_p, c_int32, c_size_t),
    "tile_rt_world_table": (c_void_p, c_void_p, c_int32, POINTER(c_int64)),
    "tile_rt_world_set_timeout": (c_bool, c_void_p, c_int64, _ERROR),
    "tile_rt_world_check": (c_bool, c_void_p, _ERROR),
    "tile_rt_world_free": (None, c_void_p),
    "tile_rt_kernel_unload": (None, c_void_p),
}


def _load(name, functions):
    path = os.path.join(os.environ.get("TILE_LIBRARY_PATH") or os.path.join(os.path.dirname(__file__), "lib"), name)
    library = ctypes.CDLL(path)
    for function, (result, *arguments) in functions.items():
        getattr(library, function).restype = result
        getattr(library, function).argtypes = arguments
    return library


@functools.lru_cache(None)
def compiler():
    """libtile-c, which takes a while to load: only when something is compiled."""
    return _load("libtile-c.so.0", _COMPILER)


@functools.lru_cache(None)
def runtime():
    return _load("libtile-runtime.so.0", _RUNTIME)


def check(function, *arguments):
    """Calls a function that takes an error at the end and returns a null or false when it fails."""
    error = RtError()
    result = function(*arguments, ctypes.byref(error))
    if not result:
        raise Error(str(error))
    return result


def read(function, *arguments):
    """The bytes that such a function returns together with their size."""
    size = c_size_t()
    return ctypes.string_at(check(function, *arguments, ctypes.byref(size)), size.value)
