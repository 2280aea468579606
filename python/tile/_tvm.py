# Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The little that is needed of TVM, which the package `tilelang` brings."""
import sys

from tile._errors import Error


def save_json(program):
    tvm = sys.modules.get("tvm")
    if not tvm or not isinstance(program, (tvm.ir.BaseFunc, tvm.ir.IRModule)):
        raise Error(f"expected a PrimFunc of TileLang or its JSON, got {type(program).__name__}")
    return tvm.ir.save_json(program)
