"""Element types and their conversions, from their definitions: a table of all values, and the nearest of them.

A number is a Python int or float; comparisons between the two are exact, and so are all values and midpoints of the small
formats in f64. `encode` returns None for NaN, whatever its code is.
"""
import bisect
import functools
import math
import struct

# Name: width, bits of mantissa, bias, what the highest codes mean.
FLOATS = {
    "f64": (64, 52, 1023, "ieee"), "f32": (32, 23, 127, "ieee"), "f16": (16, 10, 15, "ieee"),
    "bf16": (16, 7, 127, "ieee"), "f8E5M2": (8, 2, 15, "ieee"), "f8E4M3FN": (8, 3, 7, "one NaN"),
    "f8E5M2FNUZ": (8, 2, 16, "NaN is -0"), "f8E4M3FNUZ": (8, 3, 8, "NaN is -0"),
    "f8E8M0FNU": (8, 0, 127, "powers of two"), "f4E2M1FN": (4, 1, 1, "finite"),
}
INTEGERS = {"i1": 1, "i4": 4, "i8": 8, "i16": 16, "i32": 32, "i64": 64}


def width(name):
    return FLOATS[name][0] if name in FLOATS else INTEGERS[name]


def largest(name):
    bits, mantissa, _, kind = FLOATS[name]
    if kind == "powers of two":
        return 254
    top = (1 << (bits - 1)) - 1
    return {"ieee": (top >> mantissa << mantissa) - 1, "one NaN": top - 1}.get(kind, top)


def value(name, code):
    """The number of a code without sign, as if all codes were numbers."""
    _, mantissa, bias, kind = FLOATS[name]
    if kind == "powers of two":
        return math.ldexp(1.0, code - bias)
    exponent, fraction = code >> mantissa, code & ((1 << mantissa) - 1)
    if exponent == 0:
        return math.ldexp(fraction, 1 - bias - mantissa)
    return math.ldexp(fraction + (1 << mantissa), exponent - bias - mantissa)


def decode(name, code, unsigned=False):
    bits = width(name)
    if name in INTEGERS:
        return code - (1 << bits) if not unsigned and bits > 1 and code >> (bits - 1) else code
    kind = FLOATS[name][3]
    if name in ("f32", "f64"):
        return struct.unpack("<f" if bits == 32 else "<d", code.to_bytes(bits // 8, "little"))[0]
    if kind == "powers of two":
        return math.nan if code == 255 else value(name, code)
    magnitude, negative = code & ((1 << (bits - 1)) - 1), code >> (bits - 1)
    if kind == "NaN is -0" and code == 1 << (bits - 1):
        return math.nan
    if magnitude > largest(name):
        return math.nan if kind != "ieee" or magnitude > largest(name) + 1 else math.copysign(math.inf, -negative or 1)
    return -value(name, magnitude) if negative else value(name, magnitude)


@functools.lru_cache(None)
def table(name):
    """All magnitudes and the one that would come next."""
    return [value(name, code) for code in range(largest(name) + 2)]


def nearest(name, magnitude):
    """The code of the nearest value, ties to the even code; largest + 1 for what overflows."""
    values = table(name)
    above = min(bisect.bisect_left(values, magnitude), len(values) - 1)
    if above == 0 or magnitude >= values[above]:
        return above
    middle = (values[above - 1] + values[above]) / 2
    if magnitude == middle:
        return above - above % 2
    return above if magnitude > middle else above - 1


def nearest_f32(x):
    if isinstance(x, int):
        drop = max(x.bit_length() - 24, 0)
        rest, x = x & ((1 << drop) - 1), x >> drop
        x += 2 * rest > 1 << drop or (2 * rest == 1 << drop and x & 1)
        x = math.ldexp(x, drop) if drop else x
    try:
        return int.from_bytes(struct.pack("<f", x), "little")
    except OverflowError:
        return 0x7F800000


def encode(name, x, saturate=False, unsigned=False):
    bits = width(name)
    if name in INTEGERS:
        if name == "i1":
            return int(x != 0)
        if isinstance(x, int):
            return x % (1 << bits)
        low, high = (0, (1 << bits) - 1) if unsigned else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        x = 0 if math.isnan(x) else low if x < low else high if x > high else math.trunc(x)
        return x % (1 << bits)
    kind, top = FLOATS[name][3], largest(name)
    if math.isnan(x):
        return top if kind == "finite" else None
    negative, magnitude = math.copysign(1, x) < 0, abs(x)
    if kind == "powers of two" and x < 0:
        return 0 if saturate else None
    if name == "f64":
        code = int.from_bytes(struct.pack("<d", magnitude), "little")
    else:
        code = nearest_f32(magnitude) if name == "f32" else nearest(name, magnitude)
    if code > top:
        if not saturate and kind not in ("ieee", "finite"):
            return None
        code = top if saturate or kind == "finite" else top + 1
    hasSign = kind != "powers of two" and (code or kind != "NaN is -0")
    return code | (1 << (bits - 1)) if negative and hasSign else code
