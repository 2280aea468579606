"""Operations for which the processor has no instruction call the compiler's library, which Python does not load by itself."""
import fractions
import math
import platform
import unittest

import numpy as np

import tile

N = 64
# The first one is of any machine of the kind, the second one of this one: they call different functions.
CHIPS = ["x86-64", None] if platform.machine() in ("x86_64", "AMD64") else [None]


def kernel(source, result, *body):
    return f"""func.func @f(%x: memref<{N}x{source}>, %y: memref<{N}x{source}>, %r: memref<{N}x{result}>) {{
  tile.kernel (%b) in (2) threads(32) {{
    tile.parallel (%i) in ({N // 2}) {{
      %p = affine.apply affine_map<(b, i) -> (b * {N // 2} + i)>(%b, %i)
      %a = memref.load %x[%p] : memref<{N}x{source}>
      %c = memref.load %y[%p] : memref<{N}x{source}>
      {'''
      '''.join(body)}
      memref.store %v, %r[%p] : memref<{N}x{result}>
    }}
  }}
  return
}}"""


def run(chip, x, y, result, *body, source=None, element=None):
    names = {np.dtype(np.float16): "f16", np.dtype(np.float32): "f32", np.dtype(np.float64): "f64", np.dtype(np.int64): "i64"}
    r = np.zeros(N, result)
    module = tile.compile(kernel(source or names[x.dtype], element or names[r.dtype], *body), "cpu", **({"chip": chip} if chip else {}))
    view = (lambda a, name: tile.view(a, name)) if source else (lambda a, name: a)
    module.f(view(x, source), view(y, source), tile.view(r, element) if element else r)
    return r


def exact(dtype, numbers):
    """Fractions, rounded once: halves of an ulp to the even one."""
    mantissa, least = (10, -24) if dtype == np.float16 else (7, -133)
    results = []
    for x in numbers:
        if x == 0:
            results.append(0.0)
            continue
        exponent = math.floor(math.log2(abs(x)))
        exponent += (abs(x) >= fractions.Fraction(2) ** (exponent + 1)) - (abs(x) < fractions.Fraction(2) ** exponent)
        unit = fractions.Fraction(2) ** max(exponent - mantissa, least)
        results.append(float(round(x / unit) * unit))
    return np.array(results)


class Calls(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(1)

    def halves(self):
        return self.random.uniform(-9, 9, N).astype(np.float16)

    def longs(self):
        return self.random.integers(-2 ** 63, 2 ** 63, N, endpoint=False)

    def test_products_and_sums(self):
        for chip in CHIPS:
            with self.subTest(chip=chip):
                x, y = self.halves(), self.halves()
                r = run(chip, x, y, np.float16, "%v = math.fma %a, %c, %a : f16")
                fraction = [fractions.Fraction(float(a)) * fractions.Fraction(float(c)) + fractions.Fraction(float(a))
                            for a, c in zip(x, y)]
                np.testing.assert_array_equal(r.astype(float), exact(np.float16, fraction))

    def test_bf16(self):
        for chip in CHIPS:
            with self.subTest(chip=chip):
                wide = [self.random.uniform(-9, 9, N).astype(np.float32).view(np.uint32) >> 16 for _ in range(2)]
                x, y = (w.astype(np.uint16) for w in wide)
                r = run(chip, x, y, np.uint16, "%v = math.fma %a, %c, %a : bf16", source="bf16", element="bf16")
                a, c = ((w << 16).astype(np.uint32).view(np.float32) for w in wide)
                fraction = [fractions.Fraction(float(p)) * fractions.Fraction(float(q)) + fractions.Fraction(float(p))
                            for p, q in zip(a, c)]
                got = (r.astype(np.uint32) << 16).view(np.float32)
                np.testing.assert_array_equal(got.astype(float), exact("bf16", fraction))

    def test_floats_of_8_bits(self):
        for chip in CHIPS:
            with self.subTest(chip=chip):
                # 0x38 is 1 in f8E4M3FN; the low three bits are eighths.
                codes = (0x38 + np.arange(N) % 8).astype(np.uint8)
                r = run(chip, codes, codes, np.float64, "%w = math.fma %a, %c, %a : f8E4M3FN", "%v = arith.extf %w : f8E4M3FN to f64",
                        source="f8E4M3FN", element="f64")
                number = 1 + np.arange(N) % 8 / 8
                product = number * number + number
                unit = 2.0 ** (np.floor(np.log2(product)) - 3)
                np.testing.assert_array_equal(r, np.round(product / unit) * unit)

    def test_conversions(self):
        for chip in CHIPS:
            with self.subTest(chip=chip):
                x, y = self.random.uniform(-60000, 60000, N), np.zeros(N)
                r = run(chip, x, y, np.float16, "%v = arith.truncf %a : f64 to f16")
                np.testing.assert_array_equal(r, x.astype(np.float16))
                r = run(chip, x.astype(np.float32), y.astype(np.float32), np.float16, "%v = arith.truncf %a : f32 to f16")
                np.testing.assert_array_equal(r, x.astype(np.float32).astype(np.float16))
                h = self.halves()
                r = run(chip, h, h, np.float64, "%v = arith.extf %a : f16 to f64")
                np.testing.assert_array_equal(r, h.astype(float))
                r = run(chip, h, h, np.int64, "%v = arith.fptosi %a : f16 to i64")
                np.testing.assert_array_equal(r, np.trunc(h.astype(float)).astype(np.int64))
                i = self.random.integers(-60000, 60000, N)
                r = run(chip, i, i, np.float16, "%v = arith.sitofp %a : i64 to f16")
                np.testing.assert_array_equal(r, i.astype(np.float16))

    def test_integers_of_128_bits(self):
        widen = ["%wa = arith.extsi %a : i64 to i128", "%wc = arith.extsi %c : i64 to i128", "%product = arith.muli %wa, %wc : i128"]
        operations = {
            "arith.divsi %product, %n : i128": lambda p, c: abs(p) // abs(c) * (1 if (p < 0) == (c < 0) else -1),
            "arith.remsi %product, %n : i128": lambda p, c: abs(p) % abs(c) * (1 if p >= 0 else -1),
            "arith.divui %product, %n : i128": lambda p, c: p % 2 ** 128 // (c % 2 ** 128),
            "arith.remui %product, %n : i128": lambda p, c: p % 2 ** 128 % (c % 2 ** 128)}
        for chip in CHIPS:
            for operation, function in operations.items():
                with self.subTest(chip=chip, operation=operation):
                    x, y = self.longs(), self.longs()
                    y[y == 0] = 1
                    r = run(chip, x, y, np.int64, *widen, "%three = arith.constant 3 : i128", "%n = arith.ori %wa, %three : i128",
                            f"%q = {operation}", "%v = arith.trunci %q : i128 to i64")
                    expected = [function(int(a) * int(c), int(a) | 3) % 2 ** 64 for a, c in zip(x, y)]
                    self.assertEqual([int(v) % 2 ** 64 for v in r], expected)

    def test_floats_of_128_bits(self):
        for chip in CHIPS:
            with self.subTest(chip=chip):
                x, y = self.longs(), self.longs()
                widen = ["%wa = arith.extsi %a : i64 to i128", "%wc = arith.extsi %c : i64 to i128", "%q = arith.muli %wa, %wc : i128"]
                r = run(chip, x, y, np.float64, *widen, "%v = arith.sitofp %q : i128 to f64")
                self.assertEqual(r.tolist(), [float(int(a) * int(c)) for a, c in zip(x, y)])
                f = self.random.uniform(-2.0 ** 100, 2.0 ** 100, N)
                r = run(chip, f, f, np.int64, "%q = arith.fptosi %a : f64 to i128", "%c64 = arith.constant 64 : i128",
                        "%h = arith.shrsi %q, %c64 : i128", "%v = arith.trunci %h : i128 to i64")
                self.assertEqual(r.tolist(), [int(v) >> 64 for v in f])

    def test_functions(self):
        for chip in CHIPS:
            with self.subTest(chip=chip):
                h, g = self.halves(), self.halves()
                r = run(chip, h, g, np.float16, "%v = arith.remf %a, %c : f16")
                np.testing.assert_array_equal(r, np.fmod(h, g))
                f, g = (self.random.uniform(-9, 9, N) for _ in range(2))
                np.testing.assert_array_equal(run(chip, f, g, np.float64, "%v = arith.remf %a, %c : f64"), np.fmod(f, g))
                r = run(chip, f, g, np.float64, "%v = math.fma %a, %c, %a : f64")
                np.testing.assert_array_equal(r, [float(fractions.Fraction(a) * fractions.Fraction(c) + fractions.Fraction(a))
                                                  for a, c in zip(f, g)])


if __name__ == "__main__":
    unittest.main()
