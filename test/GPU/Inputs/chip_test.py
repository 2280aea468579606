# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lit tests GPU/Chips/SOURCE/CHIP; see chips.py."""
import os

import chips
import lit.formats
import lit.Test

FEATURES = {"cuda": "nvidia", "hip": "amd"}


class ChipTest(lit.formats.TestFormat):
    def getTestsInDirectory(self, suite, path, config, local):
        for source in chips.find_sources():
            for chip in chips.CHIPS:
                yield lit.Test.Test(suite, path + (*source.split("/"), chip), local)

    def execute(self, test, config):
        *source, chip = test.path_in_suite[2:]
        features = test.config.available_features
        missing = {"tile-run", "cpu", FEATURES[chips.CHIPS[chip]]} - features
        if missing or "sanitizer" in features:
            return lit.Test.Result(lit.Test.UNSUPPORTED, f"not with this build: {', '.join(sorted(missing))}")
        tests = os.path.join(test.config.tile_obj_root, "test", "GPU", "Chips", "Output")
        tile_run = os.path.join(test.config.tile_obj_root, "bin", "tile-run")
        complaints = chips.execute(tile_run, "/".join(source), chip, tests)
        return lit.Test.Result(lit.Test.FAIL if complaints else lit.Test.PASS, "\n".join(complaints))
