# Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imported by tile.pth when Python starts, where TILE_TILELANG is set: programs of TileLang compile here, as they are."""
import importlib.abc
import importlib.util
import sys


class _Finder(importlib.abc.MetaPathFinder):
    """Has `tile.tilelang.install()` run as soon as the package `tilelang` is there."""

    def find_spec(self, name, path, target=None):
        if name != "tilelang":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def execute_and_install(module):
            execute(module)
            from tile import tilelang
            tilelang.install()
        spec.loader.exec_module = execute_and_install
        return spec


sys.meta_path.insert(0, _Finder())
