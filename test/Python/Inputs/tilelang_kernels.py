"""tile.tilelang.jit and compile: results, out_idx, sizes, errors. NumPy's arrays do, so that a stand-in for torch does, too."""
import unittest

import numpy as np
import tilelang
import tilelang.language as T

import tile
import tile.tilelang


def scale(rows, columns, dtype="float32", extra=()):
    @T.prim_func
    def scale(X: T.Tensor((rows, columns), dtype), Y: T.Tensor((rows, columns), dtype), by: T.float32):
        with T.Kernel(rows, threads=64) as b:
            for j in T.Parallel(columns):
                Y[b, j] = X[b, j] * T.cast(by, dtype)
    return scale


@tile.tilelang.jit(out_idx=[1], pass_configs={"tl.disable_tma_lower": True})
def scaled(columns):
    rows = T.dynamic("rows")

    @T.prim_func
    def scale(X: T.Tensor((rows, columns), "float32"), Y: T.Tensor((rows, columns), "float32"), by: T.float32):
        with T.Kernel(rows, threads=64) as b:
            for j in T.Parallel(columns):
                Y[b, j] = X[b, j] * by
    return scale


@tilelang.autotune(configs=[{"block": 0}, {"block": 32, "other": 1}, {"block": 64}])
@tile.tilelang.jit(out_idx=[-1])
def tuned(n, block=16):
    assert block, "no configuration of blocks of nothing"

    @T.prim_func
    def tuned(X: T.Tensor((n,), "float32"), Y: T.Tensor((n,), "float32")):
        with T.Kernel(T.ceildiv(n, block), threads=block) as b:
            for i in T.Parallel(block):
                Y[b * block + i] = X[b * block + i] + block
    return tuned


@tilelang.autotune(configs=[{"rounds": 3000}, {"rounds": 1}, {"rounds": 2000}],
                   supply_prog=lambda parameters: [np.ones(4096, np.float32)])
@tile.tilelang.jit(out_idx=[-1])
def fastest(rounds=0):
    @T.prim_func
    def fastest(X: T.Tensor((4096,), "float32"), Y: T.Tensor((4096,), "float32")):
        with T.Kernel(4, threads=64) as b:
            for i in T.Parallel(1024):
                Y[b * 1024 + i] = 0.0
                for r in T.serial(rounds):
                    Y[b * 1024 + i] = Y[b * 1024 + i] + X[b * 1024 + i]
    return fastest


def shuffled():
    @T.prim_func
    def shuffled(X: T.Tensor((32,), "float32")):
        with T.Kernel(1, threads=32):
            t = T.get_thread_binding()
            X[t] = T.shfl_xor(X[t], 1)
    return shuffled


class TileLang(unittest.TestCase):
    def test_the_fastest_configuration_is_taken(self):
        kernel = fastest()
        self.assertEqual(kernel.config, {"rounds": 1})
        self.assertGreater(kernel.latency, 0)
        self.assertTrue((kernel(np.full(4096, 2, np.float32)) == 2).all())

    def test_results_are_made(self):
        kernel = scaled(40)
        for rows in (1, 3, 10):
            x = np.arange(rows * 40, dtype=np.float32).reshape(rows, 40)
            y = kernel(x, 2.5)
            self.assertEqual(y.tolist(), (x * np.float32(2.5)).tolist())
        self.assertIs(scaled(40), kernel)

    def test_all_arguments(self):
        x, y = np.ones((2, 40), np.float32), np.zeros((2, 40), np.float32)
        self.assertIsNone(scaled(40)(x, y, 3.0))
        self.assertEqual(y.sum(), 240)
        self.assertIsNone(tile.tilelang.compile(scale(2, 40))(x, y, 4.0))
        self.assertEqual(y.sum(), 320)

    def test_remarks(self):
        self.assertEqual([r.message for r in scaled(40).remarks],
                         ["pass config 'tl.disable_tma_lower' has no meaning here: the compiler decides"])
        self.assertIn("tile.kernel", scaled(40).get_kernel_source())

    def test_wrong_calls(self):
        x = np.ones((2, 40), np.float32)
        for arguments, message in (((x,), "expected 2 arguments, or 3 with the results, got 1"),
                                   ((x[:, :3], 1.0), "dimension 1: expected 40, got 3"),
                                   ((x, "1"), "expected a number of f32, got str"),
                                   ((x.astype(np.float64), 1.0), "expected elements of f32, got f64")):
            with self.subTest(message), self.assertRaisesRegex(tile.CallError, message):
                scaled(40)(*arguments)
        for index in (3, -4):
            with self.assertRaisesRegex(tile.Error, f"out_idx: expected numbers of the 3 arguments, got {index}"):
                tile.tilelang.compile(scale(2, 40), out_idx=index)

    def test_configurations(self):
        x = np.arange(100, dtype=np.float32)
        for kernel, config in (tuned(100), {"block": 32}), (tuned(100, block=16), {"block": 16}):
            self.assertEqual((kernel.config, (kernel(x) - x).tolist()), (config, [config["block"]] * 100))
        with self.assertRaisesRegex(AssertionError, "no configuration"):
            tuned(100, block=0)

    def test_what_cannot_be_said(self):
        with self.assertRaises(tile.CompileError) as context:
            tile.tilelang.compile(shuffled())
        first = context.exception.diagnostics[0]
        self.assertTrue(first.file.endswith("tilelang_kernels.py") and first.line > 0, first)


if __name__ == "__main__":
    unittest.main()
