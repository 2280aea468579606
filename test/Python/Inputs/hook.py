"""TILE_TILELANG: what tile.pth does when Python starts. A package that only looks like TileLang stands in for it."""
import os
import subprocess
import sys
import tempfile
import unittest

FILES = {
    "__init__.py": "from . import cache, jit\nfrom .jit import JITKernel, cached\n",
    "jit.py": "class JITKernel: pass\ndef cached(): pass\n",
    "cache.py": "def cached(): pass\n",
    "autotuner/__init__.py": "",
    "autotuner/tuner.py": "class AutoTuneImpl:\n    def __call__(self): pass\n",
}
PROGRAM = """
import site, sys
if len(sys.argv) > 2:
    site.addsitedir(sys.argv[2])
sys.path.append(sys.argv[1])
import json
print("tile" in sys.modules, end=" ")
import tilelang
print(tilelang.cached.__module__, tilelang.jit.cached.__module__, tilelang.JITKernel.__module__)
"""


class Hook(unittest.TestCase):
    def run_program(self, value):
        here = os.path.dirname(os.path.abspath(__file__))
        # A wheel has the file where Python looks for it.
        source = os.path.join(here, "..", "..", "..", "python")
        with tempfile.TemporaryDirectory() as folder:
            for name, text in FILES.items():
                path = os.path.join(folder, "tilelang", name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            environment = {name: v for name, v in os.environ.items() if name != "TILE_TILELANG"}
            if value is not None:
                environment["TILE_TILELANG"] = value
            command = [sys.executable, "-c", PROGRAM, folder] + ([source] if os.path.exists(source + "/tile.pth") else [])
            return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.split()

    def test_is_set(self):
        self.assertEqual(self.run_program("1"), ["True"] + ["tile.tilelang"] * 3)

    def test_is_not_set(self):
        for value in (None, "", "0"):
            self.assertEqual(self.run_program(value), ["False", "tilelang.jit", "tilelang.jit", "tilelang.jit"])


if __name__ == "__main__":
    unittest.main()
