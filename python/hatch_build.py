# Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The wheel has code of this machine, and one file for Python 3.9 and later."""
import sysconfig

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class StableABI(BuildHookInterface):
    def initialize(self, version, build_data):
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data.update(pure_python=False, tag=f"cp39-abi3-{platform}")
