"""Runs functions of the math dialect in tile.parallel and measures their error against f64.

usage: math_accuracy.py TILE_RUN FOLDER TYPE... [--OPTION of TILE_RUN]...

Bounds are in ulp of the result, subnormal results included. exp and exp2 of f32 are computed inline and promise 1; the C
library's manual grants its functions 2, counted from the rounded result, hence 2.5; rsqrt rounds twice. Types below f32 are
computed in f32 and rounded: half an ulp, and a little more where f32 errs next to a tie. Of f64, GPUs have exponentials and
logarithms, within 3, counted from what the C library gives.
"""
import functools
import math
import os
import random
import sys

from formats import decode, encode, largest, value, width
from run import Program


def guard(function):
    """C's answers where Python raises."""
    @functools.wraps(function)
    def safe(x):
        try:
            return function(x)
        except OverflowError:
            return math.inf
        except ValueError:
            return -math.inf if function in (math.log, math.log2, math.log10) and x == 0 or function is math.log1p and x == -1 \
                else math.nan
        except ZeroDivisionError:
            return math.copysign(math.inf, x)
    return safe


# Exact function, bound in f32, and where the arguments lie.
FUNCTIONS = {
    "exp": (math.exp, 1, (-105, 90)), "exp2": (lambda x: math.pow(2, x), 1, (-152, 130)),
    "expm1": (math.expm1, 2.5, (-20, 90)), "log": (math.log, 2.5, (0, 1000)), "log2": (math.log2, 2.5, (0, 1000)),
    "log10": (math.log10, 2.5, (0, 1000)), "log1p": (math.log1p, 2.5, (-1, 1)), "tanh": (math.tanh, 2.5, (-12, 12)), "erf": (math.erf, 2.5, (-5, 5)),
    "sin": (math.sin, 2.5, (-1000, 1000)), "cos": (math.cos, 2.5, (-1000, 1000)), "atan": (math.atan, 2.5, (-100, 100)),
    "sqrt": (math.sqrt, 0.5, (0, 1000)), "rsqrt": (lambda x: 1 / math.sqrt(x), 1.5, (0, 1000)),
    "floor": (lambda x: math.floor(x) if math.isfinite(x) else x, 0, (-10, 10)),
    "roundeven": (lambda x: round(x) if math.isfinite(x) else x, 0, (-10, 10)),
}
# Of f64, what Python and the C library compute alike is not worth a test.
INLINE = ["exp", "exp2", "expm1", "log1p", "tanh"]
ON_GPU = INLINE + ["log", "log2", "log10"]


def arguments(element, low, high, generator):
    count = 1 << 16 if width(element) == 16 else 20000
    if width(element) == 16:
        return list(range(count))
    numbers = [generator.uniform(low, high) for _ in range(count)]
    # Small ones, where differences cancel; whole and half ones; the ends.
    numbers += [math.ldexp(generator.uniform(-1, 1), -generator.randint(0, 140)) for _ in range(2000)]
    numbers += [k / 2 for k in range(-310, 311)]
    numbers += [0.0, -0.0, math.inf, -math.inf, 1e30, -1e30, low, high]
    codes = [encode(element, x) for x in numbers]
    bits = largest(element) + 1
    return codes + [bits | bits >> 1]


def ulp(element, x):
    """The distance of numbers at the magnitude of x, at least that of the subnormal ones."""
    if element == "f64":
        return math.ulp(x)
    mantissa, least = {"f32": (23, -126), "f16": (10, -14), "bf16": (7, -126)}[element]
    return math.ldexp(1.0, max(math.frexp(x)[1] - 1, least) - mantissa)


def error(element, got, exact):
    if math.isnan(exact) or math.isnan(got):
        return 0 if math.isnan(exact) and math.isnan(got) else math.inf
    top = value(element, largest(element))
    if got == exact or math.isinf(got) and abs(exact) > top and got * exact > 0:
        return 0
    return abs(got - exact) / ulp(element, exact) if math.isfinite(got) else math.inf


def report(element, name, function, codes, results):
    """Prints the worst error; types of fewer than 32 bits are rounded once from an f32."""
    exact, bound, _ = function
    bound = 3 if element == "f64" else bound if width(element) == 32 else min(bound, 0.51)
    worst, at = max((error(element, decode(element, got), guard(exact)(decode(element, code))), code)
                    for code, got in zip(codes, results))
    verdict = "fine" if worst <= bound else f"wrong, at {at:#x} = {decode(element, at)}"
    print(f"{element} {name}: {len(codes)} arguments, {worst:.3f} ulp, {verdict}")


def main():
    tile_run, folder, *elements = [word for word in sys.argv[1:] if not word.startswith("--")]
    options = [word for word in sys.argv[1:] if word.startswith("--")]
    for element in elements:
        names = list(FUNCTIONS) if element != "f64" else ON_GPU if options else INLINE
        generator, program, checks = random.Random(element), Program(os.path.join(folder, element)), []
        for name in names:
            codes = arguments(element, *FUNCTIONS[name][2], generator)
            (x, xt), (y, yt) = program.argument(element, [len(codes)], codes), program.argument(element, [len(codes)])
            program.kernel(f"tile.parallel (%i) in ({len(codes)}) {{", f"%v = memref.load {x}[%i] : {xt}",
                           f"%r = math.{name} %v : {element}", f"memref.store %r, {y}[%i] : {yt}", "}")
            checks.append((name, codes, y))
        outputs = program.run(tile_run, *options)
        for name, codes, y in checks:
            report(element, name, FUNCTIONS[name], codes, outputs[y])


if __name__ == "__main__":
    main()
