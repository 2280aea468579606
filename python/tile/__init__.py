# Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles and runs tile kernels: docs/python.md is the guide."""
from tile import _arrays, _devices, _launch
from tile._arrays import View, view
from tile._compiler import Diagnostic, Module, Parameter, chips, compile, import_tilelang, targets
from tile._errors import CallError, CompileError, Error
from tile._jit import Jit, jit
from tile._version import __version__

_launch.set_up(_arrays.describe, _devices.find_stream, CallError)

__all__ = ["CallError", "CompileError", "Diagnostic", "Error", "Jit", "Module", "Parameter", "View", "chips", "compile",
           "import_tilelang", "jit", "targets", "view", "__version__"]
