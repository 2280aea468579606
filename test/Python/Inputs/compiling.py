"""Compiling: sources, targets, diagnostics, remarks, the cache, jit."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy as np

import kernels
import tile

WRONG = """func.func @f(%x: memref<64xf32>) {
  tile.kernel (%b) in (1) threads(32) {
    %t = tile.alloc : memref<32xf32, #tile.shared>
    tile.copy %x[0], %t : 64
  }
  return
}
"""
PARAMETER = """
tile.param @N = 2 in [2, 5]
func.func @fill(%x: memref<?xf32>) {
  %n = tile.get_param @N
  tile.kernel (%b) in (%n) threads(32) {
    tile.parallel (%i) in (1) do %x[%b] = 1.0
  }
  return
}
"""


def run(function, n=5):
    x, y, z = np.arange(n, dtype=np.float32), np.ones(n, np.float32), np.zeros(n, np.float32)
    function(x, y, z)
    return z.tolist() == [k + 1 for k in range(n)]


class Sources(unittest.TestCase):
    def test_forms(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "add.mlir")
            path.write_text(kernels.ADD)
            for source in (kernels.ADD, kernels.ADD.encode(), bytearray(kernels.ADD.encode()), path):
                self.assertTrue(run(tile.compile(source).add))
            path.write_text("func.func @f() {")
            with self.assertRaisesRegex(tile.CompileError, f"^{path}:1:"):
                tile.compile(path)

    def test_targets(self):
        self.assertIn("cpu", tile.targets())
        self.assertEqual(tile.chips()["generic"], "cpu")
        self.assertTrue(run(tile.compile(kernels.ADD, "cpu:generic").add))
        self.assertTrue(run(tile.compile(kernels.ADD, "cpu", chip="generic").add))
        self.assertTrue(run(tile.compile(kernels.ADD, device="cpu").add))
        self.assertTrue(run(tile.compile(kernels.ADD, "cpu", device="model").add))

    def test_code_and_metadata(self):
        module = tile.compile(kernels.ADD, emit=["llvmir", "asm"])
        self.assertEqual(module.code("add")[:4], b"\x7fELF")
        self.assertIn(b"define ", module.code("add", "llvmir"))
        self.assertEqual([a["name"] for a in module.metadata("add")[0]["arguments"]], ["x", "y", "z"])
        json.dumps(module.metadata("add"))

    def test_parameters(self):
        for values, count in ({}, 2), ({"N": 5}, 5):
            x = np.zeros(8, np.float32)
            tile.compile(PARAMETER, parameters=values).fill(x)
            self.assertEqual(x.sum(), count)


class Diagnostics(unittest.TestCase):
    def test_error_with_place(self):
        with self.assertRaises(tile.CompileError) as context:
            tile.compile(WRONG, name="wrong.mlir")
        first = context.exception.diagnostics[0]
        self.assertEqual((first.severity, first.file, first.line), ("error", "wrong.mlir", 4))
        self.assertTrue(str(context.exception).startswith(f"wrong.mlir:4:{first.column}: {first.message}"))

    def test_notes(self):
        source = kernels.ADD.replace("return", "").replace("}\n  \n}", "}\n  return\n}\nfunc.func @add() { return }")
        with self.assertRaises(tile.CompileError) as context:
            tile.compile(source, name="twice.mlir")
        error = context.exception
        self.assertEqual([note.severity for note in error.diagnostics[0].notes], ["note"])
        self.assertIn("note: see existing symbol definition", str(error))

    def test_remarks(self):
        self.assertEqual(tile.compile(kernels.ADD).remarks, ())
        remarks = tile.compile(kernels.ADD, remarks=True, name="add.mlir").remarks
        self.assertIn(("tile-legalize-accesses", "GuardedAccesses", "passed", "add.mlir"),
                      [(r.category, r.remark, r.outcome, r.file) for r in remarks])
        self.assertEqual(tile.compile(kernels.ADD, remarks="no-such-pass").remarks, ())

    def test_threads(self):
        results = []

        def work(number):
            try:
                results.append(run(tile.compile(kernels.ADD, name=f"{number}.mlir").add))
                tile.compile(WRONG, name=f"{number}.mlir")
            except tile.CompileError as error:
                results.append(str(error).startswith(f"{number}.mlir:4:"))

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, [True] * 16)


class Cache(unittest.TestCase):
    def setUp(self):
        # Nobody else may write to a folder above the cache, so it is where the user's own files are.
        self.folder = tempfile.TemporaryDirectory(dir=os.path.expanduser("~"))
        self.addCleanup(self.folder.cleanup)
        self.cache = os.path.join(self.folder.name, "cache")

    def test_compile(self):
        self.assertFalse(tile.compile(kernels.ADD, cache=self.cache).cached)
        module = tile.compile(kernels.ADD, cache=self.cache)
        self.assertTrue(module.cached and run(module.add))
        # What an argument is for is known of cached code, too.
        z = np.zeros(5, np.float32)
        z.setflags(write=False)
        with self.assertRaisesRegex(tile.CallError, "read-only"):
            module.add(z, z, z)

    def test_a_cache_that_cannot_be_used_is_a_warning(self):
        module = tile.compile(kernels.ADD, cache="/dev/null/x")
        self.assertEqual([d.severity for d in module.diagnostics], ["warning"])
        self.assertTrue(run(module.add))

    def test_jit(self):
        environment = {**os.environ, "TILE_CACHE": self.cache}
        program = ("import numpy, kernels, tile\n"
                   "add, x = tile.jit(kernels.ADD), numpy.ones(3, numpy.float32)\n"
                   "add(x, x, x)\n"
                   "print(x, repr(add))\n")
        texts = {subprocess.run([sys.executable, "-c", program], env=environment, cwd=os.path.dirname(__file__), check=True,
                                capture_output=True, text=True).stdout for _ in range(2)}
        self.assertEqual(texts, {"[2. 2. 2.] <tile jit, compiled for cpu>\n"})
        self.assertEqual(len(os.listdir(self.cache)), 1)


class Jit(unittest.TestCase):
    def test_decorator(self):
        calls = []

        @tile.jit(cache=None)
        def add():
            """Adds."""
            calls.append(1)
            return kernels.ADD

        self.assertEqual((add.__name__, add.__doc__, calls), ("add", "Adds.", []))
        self.assertTrue(run(add) and run(add, 100))
        self.assertEqual(calls, [1])

    def test_one_of_several(self):
        self.assertTrue(run(tile.jit(kernels.ADD + kernels.TWICE, function="add", cache=None)))

    def test_an_error_stays_one(self):
        wrong = tile.jit(WRONG, cache=None)
        for _ in range(2):
            with self.assertRaises(tile.CompileError):
                wrong(np.zeros(64, np.float32))

    def test_threads_compile_once(self):
        calls = []
        add = tile.jit(lambda: calls.append(1) or kernels.ADD, cache=None)
        threads = [threading.Thread(target=run, args=(add,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(calls, [1])


if __name__ == "__main__":
    unittest.main()
