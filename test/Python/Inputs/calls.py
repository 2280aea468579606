"""Calls that are right: every type, every kind of memory, scalars, names, threads."""
import array
import gc
import threading
import unittest
import weakref

import numpy as np

import kernels
import tile

ROWS, COLUMNS = 3, 8


def copy(dtype):
    return tile.compile(kernels.copy(dtype, ROWS, COLUMNS)).copy


class Types(unittest.TestCase):
    def test_types_of_numpy(self):
        for mlir, names in {"i1": ["bool"], "i8": ["int8", "uint8"], "i16": ["int16", "uint16"], "i32": ["int32", "uint32"],
                            "i64": ["int64", "uint64"], "f16": ["float16"], "f32": ["float32"], "f64": ["float64"]}.items():
            function = copy(mlir)
            for name in names:
                with self.subTest(name):
                    x = (np.arange(ROWS * COLUMNS) % 2 if mlir == "i1" else np.arange(-4, 20)).astype(name).reshape(ROWS, COLUMNS)
                    y = np.zeros_like(x)
                    function(x, y)
                    self.assertEqual(y.tolist(), x.tolist())

    def test_types_that_numpy_has_not(self):
        # Codes that are numbers in each of the types, two in a byte or one in one or two bytes.
        for mlir, bits in {"bf16": 16, "f8E4M3FN": 8, "f8E5M2": 8, "f8E4M3FNUZ": 8, "f8E5M2FNUZ": 8, "f8E8M0FNU": 8, "i4": 4,
                           "f4E2M1FN": 4}.items():
            with self.subTest(mlir):
                x = np.arange(1, 1 + ROWS * COLUMNS * bits // 8, dtype=np.uint8).reshape(ROWS, -1)
                y = np.zeros_like(x)
                copy(mlir)(tile.view(x, mlir), tile.view(y, mlir, (ROWS, COLUMNS)))
                self.assertEqual(y.tolist(), x.tolist())

    def test_ml_dtypes(self):
        try:
            import ml_dtypes
        except ImportError:
            self.skipTest("no ml_dtypes")
        for mlir, name in {"bf16": "bfloat16", "f8E4M3FN": "float8_e4m3fn", "f8E5M2": "float8_e5m2"}.items():
            with self.subTest(name):
                x = np.arange(ROWS * COLUMNS).reshape(ROWS, COLUMNS).astype(getattr(ml_dtypes, name))
                y = np.zeros_like(x)
                copy(mlir)(x, y)
                self.assertEqual(y.tolist(), x.tolist())

    def test_torch(self):
        try:
            import torch
        except ImportError:
            self.skipTest("no torch")
        for mlir, name in {"f32": "float32", "bf16": "bfloat16", "f16": "float16", "i64": "int64"}.items():
            with self.subTest(name):
                x = torch.arange(ROWS * COLUMNS).reshape(ROWS, COLUMNS).to(getattr(torch, name))
                y = torch.zeros_like(x)
                copy(mlir)(x, y)
                self.assertTrue(torch.equal(y, x))
        with self.assertRaisesRegex(tile.CallError, "grad"):
            copy("f32")(torch.zeros(ROWS, COLUMNS), torch.zeros(ROWS, COLUMNS, requires_grad=True))


class Memory(unittest.TestCase):
    def setUp(self):
        self.add = tile.compile(kernels.ADD).add

    def test_sizes(self):
        for n in (0, 1, 63, 64, 65, 1000):
            x, y, z = np.arange(n, dtype=np.float32), np.full(n, 2, np.float32), np.full(n, -1, np.float32)
            self.assertIsNone(self.add(x, y, z))
            self.assertEqual(z.tolist(), [k + 2 for k in range(n)])

    def test_parts_of_arrays(self):
        base = np.arange(12, dtype=np.float32)
        z = np.zeros(12, np.float32)
        self.add(base[2:6], base[3:7], z[4:8])
        self.assertEqual(z.tolist(), [0] * 4 + [5, 7, 9, 11] + [0] * 4)
        # The stride of one element is no stride.
        self.add(base[::11][:1], base[5:6], z[::7][:1])
        self.assertEqual(z[0], 5)

    def test_read_only_inputs(self):
        x = np.arange(5, dtype=np.float32)
        x.setflags(write=False)
        z = np.zeros(5, np.float32)
        self.add(x, np.frombuffer(bytes(20), np.float32), z)
        self.assertEqual(z.tolist(), x.tolist())

    def test_buffers(self):
        x, y, z = array.array("f", [1, 2, 3]), memoryview(array.array("f", [10, 20, 30])), array.array("f", [0] * 3)
        self.add(x, y, z)
        self.assertEqual(z.tolist(), [11, 22, 33])
        raw = bytearray(12)
        self.add(x, y, memoryview(raw).cast("f"))
        self.assertEqual(memoryview(raw).cast("f").tolist(), [11, 22, 33])
        raw.extend(b"more")  # nobody holds the buffer any more

    def test_names(self):
        x, y, z = np.arange(5, dtype=np.float32), np.ones(5, np.float32), np.zeros(5, np.float32)
        self.add(x, z=z, y=y)
        self.assertEqual(z.tolist(), [1, 2, 3, 4, 5])
        self.assertEqual((self.add.__name__, self.add.arguments), ("add", ("x", "y", "z")))
        self.add(x, y, z, stream=None)

    def test_many_arguments(self):
        names = [f"%a{i}: memref<4xf32>" for i in range(40)]
        sums = "\n".join(f"%s{i} = arith.addf %s{i - 1}, %v{i} : f32" for i in range(1, 39))
        loads = "\n".join(f"%v{i} = memref.load %a{i}[%i] : memref<4xf32>" for i in range(39))
        source = f"""func.func @sum({', '.join(names)}) {{
          tile.kernel (%b) in (1) threads(32) {{
            tile.parallel (%i) in (4) {{
              {loads}
              %zero = arith.constant 0.0 : f32
              %s0 = arith.addf %zero, %v0 : f32
              {sums}
              memref.store %s38, %a39[%i] : memref<4xf32>
            }}
          }}
          return
        }}"""
        arguments = [np.full(4, i, np.float32) for i in range(40)]
        tile.compile(source).sum(*arguments)
        self.assertEqual(arguments[-1].tolist(), [sum(range(39))] * 4)

    def test_nothing_is_kept(self):
        class Array(np.ndarray):
            pass

        x = np.zeros(5, np.float32).view(Array)
        seen = weakref.ref(x)
        self.add(x, x, x)
        del x
        gc.collect()
        self.assertIsNone(seen())


class Scalars(unittest.TestCase):
    def test_scalars(self):
        function = tile.compile(kernels.SCALARS).scalars
        low = [1.5, -2.25, 1e300, False, -128, -32768, -2 ** 31, -2 ** 63]
        high = [2048.0, 3.5, -0.5, True, 127, 32767, 2 ** 31 - 1, 2 ** 63 - 1]
        numpy = [np.float16(0.5), np.float32(7), np.float64(8), np.bool_(True), np.int8(-1), np.uint8(2), np.int64(3), np.array(4)]
        for values in (low, high, numpy):
            floats, integers = np.zeros(3), np.zeros(5, np.int64)
            function(*values, floats, integers)
            self.assertEqual([*floats.tolist(), *integers.tolist()], [*map(float, values[:3]), *map(int, values[3:])])

    def test_extremes(self):
        # 65519 is rounded to the largest f16, 65504; infinities and NaN are passed on.
        function, infinity = tile.compile(kernels.SCALARS).scalars, float("inf")
        for given, expected in [((65519, 3.4028235e38, 1.7e308), (65504, float(np.float32(3.4028235e38)), 1.7e308)),
                                ((-infinity, infinity, -infinity), (-infinity, infinity, -infinity)),
                                ((np.float32("inf"), np.float16("-inf"), infinity), (infinity, -infinity, infinity)),
                                ((float("nan"), np.float64("nan"), np.float32("nan")), (float("nan"),) * 3)]:
            floats = np.zeros(3)
            function(*given, 0, 0, 0, 0, 0, floats, np.zeros(5, np.int64))
            np.testing.assert_array_equal(floats, expected)

    def test_integers_are_floats(self):
        floats = np.zeros(3)
        tile.compile(kernels.SCALARS).scalars(1, 2, 3, 0, 0, 0, 0, 0, floats, np.zeros(5, np.int64))
        self.assertEqual(floats.tolist(), [1, 2, 3])


class Functions(unittest.TestCase):
    def test_several(self):
        module = tile.compile(kernels.ADD + kernels.TWICE)
        self.assertEqual((sorted(module), len(module), "add" in module), (["add", "twice"], 2, True))
        x, y = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
        module["twice"](x, y)
        self.assertEqual(y.tolist(), [2 * k + 1 for k in range(100)])

    def test_function_outlives_module(self):
        add = tile.compile(kernels.ADD).add
        gc.collect()
        z = np.zeros(2, np.float32)
        add(z + 1, z + 2, z)
        self.assertEqual(z.tolist(), [3, 3])

    def test_threads(self):
        module, failures = tile.compile(kernels.ADD + kernels.TWICE), []

        def work(seed):
            for n in range(200):
                x = np.full(seed * 10 + n, seed, np.float32)
                y, z = np.zeros_like(x), np.zeros_like(x)
                module.twice(x, y)
                module.add(x, y, z)
                if not (z == 3 * seed + 1).all():
                    failures.append((seed, n))

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])


if __name__ == "__main__":
    unittest.main()
