"""The matrix of special values as data: what is computed, of which values, and what it is by definition.

Numbers are those of formats.py. The sum, difference, product, quotient and root of two numbers in f64, rounded once more, is
the rounded exact result for every type of at most 32 bits, since f64 has more than twice their digits and two.
"""
import fractions
import math
import operator

from formats import FLOATS, INTEGERS, decode, encode, largest, value, width
from math_accuracy import error, guard
from reduce import encode_nan, fold

PAIRS = 16  # numbers of a type, of which all pairs are operands


# Values ----------------------------------------------------------------------------------------------------------------

def quiet_nan(element):
    """A NaN whose sign is positive, which copysign sees."""
    return encode_nan(element) if FLOATS[element][3] != "ieee" else largest(element) + 1 | 1 << (FLOATS[element][1] - 1)


def float_codes(element):
    """Codes of 16 numbers."""
    top, sign = largest(element), 1 << (width(element) - 1)
    normal = 1 << FLOATS[element][1]
    ones = [encode(element, x) for x in (1.0, -1.0, 0.5, -1.5, 2.5, -3.0)]
    return [quiet_nan(element), top + 1, (top + 1) | sign, 0, sign, 1, (normal - 1) | sign, normal, top, top | sign] + ones


def integer_codes(element):
    bits = width(element)
    numbers = [0, 1, -1, 2, -2, 3, 7, -7, 100, -128, 127, 1 << (bits - 1), (1 << (bits - 1)) - 1, (1 << (bits - 1)) + 1,
               0x55555555_55555555, 0x33333333_33333333]
    return [number % (1 << bits) for number in numbers]


def codes_of(element):
    return float_codes(element) if element in FLOATS else integer_codes(element)


def pairs(element, second=None):
    """All pairs, as two lists."""
    first = codes_of(element)
    return [x for x in first for _ in range(PAIRS)], [y for _ in first for y in second or first]


def number(element, code, unsigned=False):
    return decode(element, code, unsigned)


# Results ---------------------------------------------------------------------------------------------------------------

class Exact:
    """A code; any NaN where it is one; any zero where `zeros`."""

    def __init__(self, element, x, zeros=False, unsigned=False, saturate=False):
        self.element, self.zeros, self.code = element, zeros, encode(element, x, saturate, unsigned)
        self.text = "NaN" if self.code is None else f"{self.code:#x} ({x})"

    def __call__(self, code):
        if self.code is None:
            return math.isnan(decode(self.element, code))
        return code == self.code or self.zeros and decode(self.element, code) == decode(self.element, self.code) == 0


class Near:
    """Within some ulp of the exact result; of a type of 16 bits within half of one, and a little."""

    def __init__(self, element, x, bound):
        self.element, self.x, self.bound = element, x, bound if width(element) >= 32 else 0.51
        self.text = f"{x} within {self.bound} ulp"

    def __call__(self, code):
        return error(self.element, decode(self.element, code), self.x) <= self.bound


def ieee(function):
    """What C answers where Python raises."""
    def safe(x, y):
        try:
            return function(x, y)
        except OverflowError:
            return math.inf
        except ValueError:
            return math.nan
        except ZeroDivisionError:
            sign = math.copysign(1, x) * math.copysign(1, y)
            return math.nan if x == 0 or x != x else math.copysign(math.inf, sign)
    return safe


def maximum(x, y):
    if x != x or y != y:
        return math.nan
    if x == y:
        return x if math.copysign(1, x) > 0 else y
    return max(x, y)


def minimum(x, y):
    return -maximum(-x, -y)


def leave_out_nan(function):
    return lambda x, y: y if x != x else x if y != y else function(x, y)


def truncate(x, y):
    quotient = abs(x) // abs(y)
    return quotient if (x < 0) == (y < 0) else -quotient


def half_away(x):
    return math.copysign(math.floor(abs(x) + 0.5) if abs(x) < 2 ** 52 else abs(x), x)


def keep(function):
    """Numbers alone; the sign of a zero is that of the operand."""
    return lambda x: math.copysign(function(x), x) if math.isfinite(x) else x


def fused(x, y, z):
    """x * y + z, in f64 with the last bit set where it is inexact: rounded once more it is as if rounded once."""
    if not all(map(math.isfinite, (x, y, z))) or x * y == 0:
        return ieee(operator.add)(ieee(operator.mul)(x, y), z)
    exact = fractions.Fraction(x) * fractions.Fraction(y) + fractions.Fraction(z)
    nearest = float(exact)
    if exact == nearest or math.frexp(nearest)[0] * 2 ** 53 % 2:
        return nearest
    return math.nextafter(nearest, math.inf if exact > nearest else -math.inf)


# Cells -----------------------------------------------------------------------------------------------------------------

class Case:
    """One cell. Operands are lists of codes by their type."""

    def __init__(self, name, operands, result, lines, expected):
        self.name, self.operands, self.result, self.lines, self.expected = name, operands, result, lines, expected
        self.shapes = [[len(codes)] for _, codes in operands]
        self.result_shape = [len(expected)]

    def describe(self, i):
        return ", ".join(f"{codes[i]:#x} ({decode(element, codes[i])})" for element, codes in self.operands)

    def build(self, program, inputs=None):
        """Part of a kernel; operands that cells have in common are arguments once."""
        inputs = {} if inputs is None else inputs
        lines, types = [], []
        self.tiles = [f"%{self.tag}_{k}" for k in range(len(self.operands))]
        for k, ((element, codes), shape) in enumerate(zip(self.operands, self.shapes)):
            key = (element, tuple(codes), tuple(shape))
            if key not in inputs:
                inputs[key] = program.argument(element, shape, codes)
            argument, argument_type = inputs[key]
            types.append(program.type(element, shape, "shared"))
            lines += [f"{self.tiles[k]} = tile.alloc : {types[k]}",
                      f"tile.copy {argument}, {self.tiles[k]} : {argument_type}, {types[k]}"]
        self.output, output_type = program.argument(self.result, self.result_shape)
        result = program.type(self.result, self.result_shape, "shared")
        target = f"%{self.tag}_r"
        return lines + [f"{target} = tile.alloc : {result}", *self.compute(types, target, result),
                        f"tile.copy {target}, {self.output} : {result}, {output_type}"]

    def compute(self, types, target, result):
        loads = [f"%{name} = memref.load {tile}[%i] : {own}" for tile, own, name in zip(self.tiles, types, "xyz")]
        return [f"tile.parallel (%i) in ({self.result_shape[0]}) {{", *loads, *self.lines,
                f"memref.store %w, {target}[%i] : {result}", "}"]


class Copy(Case):
    def compute(self, types, target, result):
        return [f"tile.copy {self.tiles[0]}, {target} {{{self.lines}}} : {types[0]}, {result}"]


class Lines(Case):
    """A reduction or scan of the lines of a tile."""

    def compute(self, types, target, result):
        return [f"{self.lines.replace('SOURCE', self.tiles[0]).replace('TARGET', target)} : {types[0]}, {result}"]

    def describe(self, i):
        return f"line {i}"


FLOAT_PAIRS = {
    "arith.addf": (operator.add, False), "arith.subf": (operator.sub, False), "arith.mulf": (operator.mul, False),
    "arith.divf": (operator.truediv, False), "arith.remf": (math.fmod, False), "arith.maximumf": (maximum, False),
    "arith.minimumf": (minimum, False), "arith.maxnumf": (leave_out_nan(maximum), True),
    "arith.minnumf": (leave_out_nan(minimum), True), "math.copysign": (math.copysign, False),
}
FLOAT_EXACT = {
    "arith.negf": operator.neg, "math.absf": abs, "math.sqrt": guard(math.sqrt), "math.floor": keep(math.floor), "math.ceil": keep(math.ceil),
    "math.trunc": keep(math.trunc), "math.round": keep(half_away), "math.roundeven": keep(round),
}
# With the bounds in ulp of docs/ascend.md and math_accuracy.py, the larger one.
FLOAT_NEAR = {
    "math.exp": (math.exp, 1), "math.exp2": (lambda x: math.pow(2, x), 2.5), "math.expm1": (math.expm1, 4),
    "math.log": (math.log, 2.5), "math.log2": (math.log2, 2.5), "math.log10": (lambda x: math.log10(x) if x else -math.inf, 2.5),
    "math.log1p": (math.log1p, 2.5), "math.tanh": (math.tanh, 4), "math.erf": (math.erf, 6),
    "math.rsqrt": (lambda x: 1 / math.sqrt(x), 2.5), "math.atan": (math.atan, 3), "math.sinh": (lambda x: math.copysign(guard(math.sinh)(abs(x)), x), 5),
    "math.cosh": (math.cosh, 3), "math.asin": (math.asin, 4), "math.acos": (math.acos, 5),
}
TESTS = {"math.isnan": math.isnan, "math.isinf": math.isinf, "math.isfinite": math.isfinite}
INTEGER_PAIRS = {
    "arith.addi": operator.add, "arith.subi": operator.sub, "arith.muli": operator.mul, "arith.andi": operator.and_,
    "arith.ori": operator.or_, "arith.xori": operator.xor, "arith.maxsi": max, "arith.minsi": min,
}
ORDERS = {"lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge}


def order_of(predicate):
    """A comparison of floats by the name of its predicate."""
    unordered, name = predicate[0] == "u", predicate[1:]
    compare = {**ORDERS, "eq": operator.eq, "ne": operator.ne}[name]
    return lambda x, y: unordered if x != x or y != y else compare(x, y)


def fused_cell(element):
    """Multiplication and addition rounded once; the last operands have products in the middle of two numbers, and an addend
    of which another type that holds the product keeps nothing."""
    first, second = pairs(element)
    third = [code for shift in range(PAIRS) for code in codes_of(element)[shift:] + codes_of(element)[:shift]]
    sign, above_one = 1 << (width(element) - 1), encode(element, 1.0) + 1
    ties = [(a, c, d) for a in (encode(element, 1.5), encode(element, -384.0)) for c in (above_one, above_one + 2) for d in (1, 1 | sign)]
    columns = [list(column) for column in zip(*(list(zip(first, second, third))[:-len(ties)] + ties))]
    return Case(f"math.fma-{element}", [(element, codes) for codes in columns], element, [f"%w = math.fma %x, %y, %z : {element}"],
                [Exact(element, fused(*(decode(element, code) for code in codes))) for codes in zip(*columns)])


def float_cells(element):
    yield fused_cell(element)
    first, second = pairs(element)
    numbers = [(decode(element, a), decode(element, c)) for a, c in zip(first, second)]
    both, one, singles = [(element, first), (element, second)], [(element, codes_of(element))], [decode(element, c) for c in codes_of(element)]
    for op, (function, zeros) in FLOAT_PAIRS.items():
        yield Case(f"{op}-{element}", both, element, [f"%w = {op} %x, %y : {element}"],
                   [Exact(element, ieee(function)(x, y), zeros) for x, y in numbers])
    for op, function in FLOAT_EXACT.items():
        yield Case(f"{op}-{element}", one, element, [f"%w = {op} %x : {element}"], [Exact(element, function(x)) for x in singles])
    for op, (function, bound) in FLOAT_NEAR.items():
        yield Case(f"{op}-{element}", one, element, [f"%w = {op} %x : {element}"],
                   [Near(element, guard(function)(x), bound) for x in singles])
    flag = [f"%yes = arith.constant 1.0 : {element}", f"%no = arith.constant 0.0 : {element}",
            f"%w = arith.select %c, %yes, %no : {element}"]
    for op, function in TESTS.items():
        yield Case(f"{op}-{element}", one, element, [f"%c = {op} %x : {element}", *flag],
                   [Exact(element, float(function(x))) for x in singles])
    for predicate in [a + c for a in "ou" for c in ("lt", "le", "gt", "ge", "eq", "ne")] + ["ord", "uno"]:
        compare = order_of(predicate) if len(predicate) == 3 and predicate not in ("ord", "uno") else \
            lambda x, y, wanted=predicate == "uno": (x != x or y != y) == wanted
        yield Case(f"arith.cmpf.{'one' if predicate == 'one' else predicate}-{element}", both, element,
                   [f"%c = arith.cmpf {predicate}, %x, %y : {element}", *flag],
                   [Exact(element, float(compare(x, y))) for x, y in numbers])
    yield Case(f"arith.select-{element}", both, element,
               [f"%c = arith.cmpf olt, %x, %y : {element}", f"%w = arith.select %c, %x, %y : {element}"],
               [Exact(element, x if x < y else y) for x, y in numbers])


def integer_cells(element):
    first, second = pairs(element)
    bits = width(element)

    def cell(op, second, function, unsigned=False):
        numbers = [(decode(element, a, unsigned), decode(element, c, unsigned)) for a, c in zip(first, second)]
        return Case(f"{op}-{element}", [(element, first), (element, second)], element, [f"%w = {op} %x, %y : {element}"],
                    [Exact(element, int(function(x, y))) for x, y in numbers])
    for op, function in INTEGER_PAIRS.items():
        yield cell(op, second, function)
    for op, function in (("arith.maxui", max), ("arith.minui", min)):
        yield cell(op, second, function, True)
    # No division by 0, and none of the smallest number by -1.
    divisors = [y if y not in (0, (1 << bits) - 1) else 5 for y in second]
    for op, function in (("divsi", truncate), ("remsi", lambda x, y: x - truncate(x, y) * y), ("floordivsi", operator.floordiv),
                         ("ceildivsi", lambda x, y: -(-x // y))):
        yield cell(f"arith.{op}", divisors, function)
    for op, function in (("divui", operator.floordiv), ("remui", operator.mod), ("ceildivui", lambda x, y: -(-x // y))):
        yield cell(f"arith.{op}", divisors, function, True)
    amounts = [y % bits for y in second]
    for op, function, unsigned in (("shli", operator.lshift, False), ("shrsi", operator.rshift, False), ("shrui", operator.rshift, True)):
        yield cell(f"arith.{op}", amounts, lambda x, y, f=function: f(x, y % bits), unsigned)
        amount = bits - 3
        yield Case(f"arith.{op}-by-{amount}-{element}", [(element, codes_of(element))], element,
                   [f"%y = arith.constant {amount} : {element}", f"%w = arith.{op} %x, %y : {element}"],
                   [Exact(element, function(decode(element, x, unsigned), amount)) for x in codes_of(element)])
    flag = [f"%yes = arith.constant 1 : {element}", f"%no = arith.constant 0 : {element}",
            f"%w = arith.select %c, %yes, %no : {element}"]
    for name, compare in [*((k + n, f) for k in "su" for n, f in ORDERS.items()), ("eq", operator.eq), ("ne", operator.ne)]:
        unsigned = name in ("ult", "ule", "ugt", "uge")
        yield Case(f"arith.cmpi.{name}-{element}", [(element, first), (element, second)], element,
                   [f"%c = arith.cmpi {name}, %x, %y : {element}", *flag],
                   [Exact(element, int(compare(decode(element, x, unsigned), decode(element, y, unsigned)))) for x, y in zip(first, second)])


# Conversions -----------------------------------------------------------------------------------------------------------

CONVERTED = ["f32", "f16", "bf16", "f8E4M3FN", "f8E5M2", "i8", "i16", "i32"]
BOUNDS = [0.4999, 0.5, 1.5, 2.5, 126.5, 127.0, 127.5, 128.5, 255.0, 255.5, 256.0, 447.0, 464.0, 465.0, 32767.0, 32767.5, 57344.0, 61440.0,
          65504.0, 65519.0, 65519.996, 65520.0, 65536.0, 1e6, 2147483520.0, 2147483648.0, 4294967040.0, 4294967296.0,
          2.0 ** -24, 2.0 ** -25, 1.5 * 2.0 ** -25, 3.3895e38, 3.3961e38, 1 + 2.0 ** -8, 1 + 2.0 ** -11, 1 + 3 * 2.0 ** -8]
WHOLE = [0x1010001, 0x10101, 16777217, 16777219, 33554435, 65519, 65520, 100000, 32768, 65535, 255, 256, 257, 2049, 2051, 0x1018001]


def conversion_codes(element):
    if element in INTEGERS:
        codes = integer_codes(element) + [n % (1 << width(element)) for n in WHOLE + [-n for n in WHOLE]]
    else:
        base = float_codes(element) if FLOATS[element][3] == "ieee" else [encode_nan(element), 0, 1, largest(element), 1 << (width(element) - 1)]
        limits = [code for x in BOUNDS for code in (encode(element, x), encode(element, -x)) if code is not None]
        codes = base + limits
    codes = list(dict.fromkeys(codes))
    return codes + codes[-1:] * (-len(codes) % 32)


def copy_cells(source):
    codes = conversion_codes(source)
    for target in CONVERTED:
        flags = [""] if target != source else []
        flags += ["saturate"] * (target in FLOATS and target != source)
        flags += ["is_unsigned"] * ((source in INTEGERS or target in INTEGERS) and target != source)
        for flag in flags:
            expected = [Exact(target, decode(source, code, flag == "is_unsigned"), False, flag == "is_unsigned", flag == "saturate")
                        for code in codes]
            yield Copy(f"copy{'.' + flag if flag else ''}-{source}-{target}", [(source, codes)], target, flag, expected)


def cast_cells(source):
    """Conversions of numbers, where arith defines them: those that fit."""
    for target in ["f32", "f16", "bf16", "i8", "i16", "i32"]:
        if source in FLOATS and target in FLOATS and width(source) != width(target):
            ops = ["extf" if width(target) > width(source) else "truncf"]
        elif source in INTEGERS and target in INTEGERS and source != target:
            ops = ["extsi", "extui"] if width(target) > width(source) else ["trunci"]
        elif source in INTEGERS and target in FLOATS:
            ops = ["sitofp", "uitofp"]
        elif source in FLOATS and target in INTEGERS:
            ops = ["fptosi", "fptoui"]
        else:
            continue
        for op in ops:
            unsigned, codes = op in ("extui", "uitofp", "fptoui"), conversion_codes(source)
            if op[:2] == "fp":
                low, high = (0, 1 << width(target)) if unsigned else (-(1 << (width(target) - 1)), 1 << (width(target) - 1))
                fits = [c for c in codes if math.isfinite(decode(source, c)) and low - (not unsigned) < decode(source, c) < high]
                codes = fits + fits[-1:] * (-len(fits) % 32)
            yield Case(f"arith.{op}-{source}-{target}", [(source, codes)], target, [f"%w = arith.{op} %x : {source} to {target}"],
                       [Exact(target, decode(source, c, unsigned), unsigned=unsigned) for c in codes])


# Lines -----------------------------------------------------------------------------------------------------------------

def special_lines(element, extent):
    """Lines in which the special numbers stand at the ends, in the middle, or everywhere."""
    nan, infinity = encode_nan(element), largest(element) + 1
    sign = 1 << (width(element) - 1)
    one, minus = encode(element, 1.0), encode(element, -2.0)
    def line(rest, **places):
        codes = [rest] * extent
        for place, code in places.items():
            codes[{"first": 0, "middle": extent // 2, "last": extent - 1}[place]] = code
        return codes
    return [line(nan), line(one, first=nan), line(minus, last=nan), line(one, middle=nan), line(nan, middle=minus), line(nan, last=infinity | sign),
            line(infinity, first=nan), line(infinity | sign), line(infinity | sign, last=one), line(one, first=infinity, last=nan),
            line(sign), line(1, middle=sign | 1), line(largest(element) | sign, first=nan), line(minus, first=infinity | sign, middle=infinity),
            line(nan, first=0), line(sign, last=nan)]


def fold_numbers(kind, numbers, flags=()):
    return fold(kind, numbers, None, flags)


def line_cells(element):
    for extent, dim in ((137, 1), (16, 0)):
        lines = special_lines(element, extent)
        codes = [code for line in lines for code in line] if dim else [line[k] for k in range(extent) for line in lines]
        shape = [len(lines), extent] if dim else [extent, len(lines)]
        numbers = [[decode(element, code) for code in line] for line in lines]
        for kind, flags in [("max", []), ("min", []), ("absmax", []), ("max", ["propagate_nan"]), ("min", ["propagate_nan"]),
                            ("absmax", ["propagate_nan"]), ("sum", [])]:
            name = ".".join(["reduce", kind, *flags])
            case = Lines(f"{name}-dim{dim}-{element}", [(element, codes)], element, f"tile.reduce {kind} SOURCE, TARGET dim({dim}) {{{', '.join(flags)}}}",
                         [Exact(element, fold_numbers(kind, line, flags), True) for line in numbers])
            case.shapes = [shape]
            yield case
        for kind in ("max", "sum"):
            sums = [[fold_numbers(kind, line[:k + 1]) for k in range(extent)] for line in numbers]
            ordered = [x for line in sums for x in line] if dim else [line[k] for k in range(extent) for line in sums]
            case = Lines(f"scan.{kind}-dim{dim}-{element}", [(element, codes)], element, f"tile.scan {kind} SOURCE, TARGET dim({dim})",
                         [Exact(element, x, True) for x in ordered])
            case.shapes, case.result_shape = [shape], shape
            yield case


def find_cases():
    """All cells; their names are unique."""
    cases = [case for element in ("f32", "f16", "bf16") for case in float_cells(element)]
    cases += [fused_cell(element) for element in ("f8E4M3FN", "f8E5M2")]
    cases += [case for element in ("i8", "i16", "i32") for case in integer_cells(element)]
    cases += [case for element in CONVERTED for case in copy_cells(element)]
    cases += [case for element in CONVERTED if element[:2] != "f8" for case in cast_cells(element)]
    cases += [case for element in ("f32", "f16", "bf16") for case in line_cells(element)]
    assert len({case.name for case in cases}) == len(cases)
    for i, case in enumerate(cases):
        case.tag = f"c{i}"
    return cases
