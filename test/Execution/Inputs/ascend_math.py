"""Runs functions of the math dialect on the Ascend model and measures their error against f64.

usage: ascend_math.py TILE_RUN FOLDER TYPE...

Bounds are in ulp of the result. Exp, Ln, Sqrt and Div are as exact in the model as the C library; what is left is that of the
formulas, which are of f32: types below are rounded once more. Sines hold for arguments of which the multiples of pi are exact.
"""
import math
import os
import random
import sys

from formats import encode, largest, width
from math_accuracy import report
from run import Program

BLOCK = 512


def finite(function):
    return lambda x: function(x) if math.isfinite(x) else x


def half_away(x):
    return math.copysign(math.floor(abs(x) + 0.5), x)


def cube_root(x):
    return math.copysign(abs(x) ** (1 / 3), x)


def inverse_tanh(x):
    return math.copysign(math.inf, x) if abs(x) == 1 else math.atanh(x)


# Exact function, bound in f32, and where the arguments lie.
FUNCTIONS = {
    "floor": (finite(math.floor), 0, (-10, 10)), "ceil": (finite(math.ceil), 0, (-10, 10)),
    "trunc": (finite(math.trunc), 0, (-10, 10)), "round": (finite(half_away), 0, (-10, 10)),
    "roundeven": (finite(round), 0, (-10, 10)), "erf": (math.erf, 6, (-5, 5)), "expm1": (math.expm1, 4, (-20, 88)),
    "log1p": (math.log1p, 2.5, (-1, 10)), "log10": (lambda x: math.log10(x) if x else -math.inf, 2.5, (0, 1000)), "sin": (math.sin, 3, (-1000, 1000)),
    "cos": (math.cos, 3, (-1000, 1000)), "tan": (math.tan, 5, (-1000, 1000)), "atan": (math.atan, 3, (-100, 100)),
    "asin": (math.asin, 4, (-1, 1)), "acos": (math.acos, 5, (-1, 1)), "sinh": (math.sinh, 5, (-80, 80)),
    "cosh": (math.cosh, 3, (-80, 80)), "tanh": (math.tanh, 4, (-12, 12)), "cbrt": (cube_root, 3, (-1000, 1000)),
    "erfc": (math.erfc, 6, (-5, 9)), "asinh": (math.asinh, 4, (-1000, 1000)), "acosh": (math.acosh, 4, (1, 1000)),
    "atanh": (inverse_tanh, 4, (-1, 1)),
}


def arguments(element, low, high, generator):
    # A conversion to f16 saturates.
    if element == "f16" and 80 <= high <= 88:
        low, high = -10, 10
    numbers = [generator.uniform(low, high) for _ in range(4 * BLOCK - 151)]
    # Small ones, where differences cancel; whole and half ones; the ends.
    numbers += [math.ldexp(generator.uniform(-1, 1), -generator.randint(0, 12)) for _ in range(100)]
    numbers += [k / 2 for k in range(-20, 21) if low <= k / 2 <= high]
    numbers += [0.0, -0.0, math.inf, -math.inf, low, high]
    bits = largest(element) + 1
    return [encode(element, x) for x in numbers] + [bits | bits >> 1]


def main():
    tile_run, folder, *elements = sys.argv[1:]
    for element in elements:
        generator, program, checks = random.Random(element), Program(os.path.join(folder, element)), []
        for name, (_, _, (low, high)) in FUNCTIONS.items():
            codes = arguments(element, low, high, generator)
            (x, xt), (y, yt) = program.argument(element, [len(codes)], codes), program.argument(element, [len(codes)])
            tile = program.type(element, [BLOCK], "shared")
            program.lines += [
                f"tile.kernel (%b) in ({-(-len(codes) // BLOCK)}) {{", f"%t = tile.alloc : {tile}",
                f"tile.copy {x}[%b * {BLOCK}], %t : {xt}, {tile}", f"tile.parallel (%i) in ({BLOCK}) {{",
                f"%v = memref.load %t[%i] : {tile}", f"%r = math.{name} %v : {element}",
                f"memref.store %r, %t[%i] : {tile}", "}", f"tile.copy %t, {y}[%b * {BLOCK}] : {tile}, {yt}", "}"]
            checks.append((name, codes, y))
        outputs = program.run(tile_run, "--target=ascend")
        for name, codes, y in checks:
            report(element, name, FUNCTIONS[name], codes, outputs[y])


main()
