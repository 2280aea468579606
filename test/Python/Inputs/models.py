"""device="model": code of GPUs and NPUs on models, which report what hardware would punish silently."""
import unittest

import numpy as np

import kernels
import tile


class Models(unittest.TestCase):
    def targets(self):
        return [name for name in ("cuda", "hip", "ascend") if name in tile.targets()]

    def test_two_kernels(self):
        chips = {"cuda": ["cuda", "sm_80", "sm_90a"], "hip": ["hip", "gfx942", "gfx1100"], "ascend": ["ascend", "910B"]}
        for target in self.targets():
            for name in chips[target]:
                with self.subTest(name):
                    x, y = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
                    tile.compile(kernels.TWICE, name, device="model").twice(x, y)
                    self.assertEqual(y.tolist(), [2 * k + 1 for k in range(100)])

    def test_chip_apart(self):
        for target, chip in {"cuda": "sm_90a", "hip": "gfx942"}.items():
            if target in self.targets():
                x = np.ones((3, 8), np.float32)
                y = np.zeros_like(x)
                tile.compile(kernels.copy("f32"), target, chip=chip, device="model").copy(x, y)
                self.assertEqual(y.tolist(), x.tolist())

    def test_arrays_that_share_memory(self):
        for target in self.targets():
            with self.subTest(target):
                base = np.arange(12, dtype=np.float32)
                add = tile.compile(kernels.ADD, target, device="model").add
                add(base[:4], base[4:8], base[8:])
                add(base[8:], base[8:], base[8:])
                self.assertEqual(base.tolist(), [*range(8), 8, 12, 16, 20])
                add(base[:0], base[:0], base[:0])

    def test_arrays_that_overlap(self):
        for target in {"cuda", "hip"}.intersection(self.targets()):
            with self.subTest(target):
                base, z = np.arange(12, dtype=np.float32), np.zeros(8, np.float32)
                base.setflags(write=False)
                add = tile.compile(kernels.ADD, target, device="model").add
                add(base[:8], base[4:], z)
                self.assertEqual(z.tolist(), [4 + 2 * k for k in range(8)])

    def test_strides(self):
        matrix = "memref<3x8xf32, strided<[?, 1]>>"
        source = kernels.copy("f32").replace("%x: memref<3x8xf32>", f"%x: {matrix}").replace("%y: memref<3x8xf32>", f"%y: {matrix}")
        x, y = np.arange(48, dtype=np.float32).reshape(6, 8), np.zeros((3, 16), np.float32)
        for target in {"cuda", "hip"}.intersection(self.targets()):
            with self.subTest(target):
                y[:] = -1
                tile.compile(source, target, device="model").copy(x[::2], y[:, 4:12])
                self.assertEqual(y[:, 4:12].tolist(), x[::2].tolist())
                self.assertEqual(np.unique(y[:, [0, 1, 2, 3, 12, 13, 14, 15]]).tolist(), [-1])

    def test_wrong_calls(self):
        for target in self.targets():
            add = tile.compile(kernels.ADD, target, device="model").add
            x = np.ones(5, np.float32)
            with self.assertRaisesRegex(tile.CallError, "dimension 0: expected N = 5"):
                add(x, x[:4], x)
            with self.assertRaisesRegex(tile.CallError, "^@add: expected no stream for code of a CPU or a model$"):
                add(x, x, x, stream=1)

    def test_without_a_gpu(self):
        for target, kind in {"sm_90a": "cuda", "gfx942": "hip"}.items():
            if kind not in self.targets():
                continue
            module = tile.compile(kernels.ADD, target)
            self.assertEqual(module.metadata("add")[0]["target"], kind)
            self.assertGreater(len(module.code("add")), 100)
            try:
                add = module.add
            except tile.Error as error:
                self.assertRegex(str(error), "^no (CUDA|HIP) ")
            else:
                with self.assertRaises(tile.CallError):
                    add(np.ones(5, np.float32), np.ones(5, np.float32), np.ones(5, np.float32))


if __name__ == "__main__":
    unittest.main()
