"""Runs an imported kernel and compares it with a reference in plain Python.

usage: check.py KERNEL.mlir NAME FOLDER [OPTION...], options of tile-run; by default it runs on the CPU

The references follow the text of Inputs/kernels.py, not what the import makes of it.
"""
import functools
import itertools
import math
import operator
import os
import random
import struct
import subprocess
import sys

CODES = {"f2": "e", "f4": "f", "i1": "b", "u1": "B", "i4": "i", "i2": "h", "V1": "B"}


class Array:
    """A dense array of NumPy's type code, as a list in row-major order."""

    def __init__(self, code, shape, values):
        self.code, self.shape, self.values = code, shape, list(values)
        assert len(self.values) == math.prod(shape)

    def __getitem__(self, place):
        return self.values[self.offset(place)]

    def offset(self, place):
        place = place if isinstance(place, tuple) else (place,)
        result = 0
        for index, extent in zip(place, self.shape):
            assert 0 <= index < extent
            result = result * extent + index
        return result

    def write(self, path):
        # The integers of memrefs have no sign.
        descr = ("|" if self.code[1] == "1" else "<") + self.code.replace("u", "i")
        text = repr({"descr": descr, "fortran_order": False, "shape": tuple(self.shape)})
        text = text.ljust(-(-(len(text) + 11) // 64) * 64 - 11) + "\n"
        with open(path, "wb") as file:
            file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode())
            file.write(struct.pack(f"<{len(self.values)}{CODES[self.code]}", *self.values))

    def read(self, path):
        with open(path, "rb") as file:
            data = file.read()
        begin = 10 + struct.unpack("<H", data[8:10])[0]
        return struct.unpack(f"<{len(self.values)}{CODES[self.code]}", data[begin:])


def floats(code, *shape, scale=1.0):
    """Numbers that f16 has, too."""
    return Array(code, shape, (scale * random.randint(-64, 64) / 32 for _ in range(math.prod(shape))))


def rounds_to(array):
    """Numbers of 19 bits; any rounding to the 11 of tf32 gives those of the array."""
    return Array(array.code, array.shape, (value * (1 + 2**-12) for value in array.values))


def integers(code, low, high, *shape):
    return Array(code, shape, (random.randint(low, high) for _ in range(math.prod(shape))))


def zeros(code, *shape):
    return Array(code, shape, [0] * math.prod(shape))


def filled(result, function):
    return Array(result.code, result.shape,
                 (function(*place) for place in itertools.product(*(range(extent) for extent in result.shape))))


def gemm_relu():
    a, b, c = floats("f2", 100, 96), floats("f2", 72, 96), zeros("f2", 100, 72)
    return [a, b, c], {2: filled(c, lambda i, j: max(0, sum(a[i, k] * b[j, k] for k in range(96))))}


def softmax():
    x, y = floats("f4", 5, 200), zeros("f4", 5, 200)
    total = [sum(math.exp(x[i, j]) for j in range(200)) for i in range(5)]
    return [x, y], {1: filled(y, lambda i, j: math.exp(x[i, j]) / total[i])}


def attention():
    q, k, v, o = (floats("f2", 2, 128, 64, scale=0.5) for _ in range(4))
    weights = {}
    for h, i in itertools.product(range(2), range(128)):
        row = [math.exp(sum(q[h, i, d] * k[h, j, d] for d in range(64)) / 8) for j in range(i + 1)]
        weights[h, i] = [w / sum(row) for w in row]
    return [q, k, v, o], {3: filled(o, lambda h, i, d: sum(w * v[h, j, d] for j, w in enumerate(weights[h, i])))}


def histogram():
    x, h = integers("u1", 0, 255, 1000), zeros("i4", 16)
    return [x, h], {1: filled(h, lambda i: sum(value % 16 == i for value in x.values))}


def gemv():
    a, x, y = floats("f2", 64, 300), floats("f2", 300), zeros("f4", 64)
    return [a, x, y], {2: filled(y, lambda i: sum(a[i, k] * x[k] for k in range(300)))}


def reverse():
    x, y = integers("i4", -999, 999, 4, 64), zeros("i4", 4, 64)
    return [x, y], {1: filled(y, lambda b, i: x[b, 63 - i] + 10 * x[b, i])}


def dequantize():
    w, s, y = integers("u1", 0, 255, 32, 64), floats("f4", 32), zeros("f2", 32, 128)
    return [w, s, y], {2: filled(y, lambda i, j: (w[i, j // 2] >> j % 2 * 4 & 15) * s[i] - 1)}


def reducer():
    x, y = floats("f4", 64, 96), zeros("f4", 64)
    return [x, y], {1: filled(y, lambda i: sum(x[i, j] ** 2 for j in range(96)))}


def scan():
    x, y = floats("f4", 8, 64), zeros("f4", 8, 64)
    return [x, y], {1: filled(y, lambda i, j: sum(x[i, k] for k in range(j, 64)))}


def steer():
    n, x, y = Array("i4", [4], [0, 128, 33, 5]), floats("f4", 4, 128, 16), zeros("f4", 4, 16)
    return [n, x, y], {2: filled(y, lambda b, j: sum(x[b, i, j] for i in range(n[b])))}


def fp8():
    """E4M3: all codes in their order; what is too large becomes 448."""
    x, y, s = floats("f4", 64, 128), zeros("V1", 64, 128), zeros("f4", 64)
    magnitudes = [(m / 8 * 2**-6 if e == 0 else (1 + m / 8) * 2 ** (e - 7)) for e in range(16) for m in range(8)][:127]

    def encode(value):
        nearest = min(abs(magnitude - abs(value)) for magnitude in magnitudes)
        codes = [code for code, magnitude in enumerate(magnitudes) if abs(magnitude - abs(value)) == nearest]
        code = min(codes, key=lambda code: code % 2)
        return code + 128 * (math.copysign(1, value) < 0)

    return [x, y, s], {1: filled(y, lambda i, j: encode(x[i, j] * 300)),
                       2: filled(s, lambda i: max(abs(x[i, j]) for j in range(128)))}


def two():
    x, z, y = floats("f4", 256), zeros("f4", 256), zeros("f4", 256)
    return [x, z, y], {1: filled(z, lambda i: 2 * x[i]), 2: filled(y, lambda i: 2 * x[255 - i])}


def part():
    a, b, c = floats("f2", 2, 32, 32), floats("f2", 32, 64), zeros("f4", 2, 32, 64)
    return [a, b, c], {2: filled(c, lambda n, i, j: sum(a[n, i, k] * b[k, j] for k in range(32)))}


def partitions():
    x, y, z = floats("f4", 64, 32), zeros("f4", 64), zeros("f4", 64, 32)
    return [x, y, z], {1: filled(y, lambda i: sum(x[i, j] for j in range(32))), 2: filled(z, lambda i, j: x[i, j] + 1)}


def products():
    a, b, c, d = floats("f4", 4, 64), floats("f4", 4, 64), zeros("f4", 4, 4), zeros("f4", 4)
    return [a, b, c, d], {2: filled(c, lambda i, j: sum(a[i, k] * b[j, k] for k in range(64))),
                          3: filled(d, lambda i: max(a[i, k] for k in range(64)))}


def early():
    n, x, y = Array("i4", [4], [0, 10, 3, 1]), floats("f4", 4, 10, 16), zeros("f4", 4, 16)
    return [n, x, y], {2: filled(y, lambda b, j: sum(x[b, t, j] for t in range(n[b])))}


def votes():
    x = integers("i4", 0, 100, 80)
    warps = [range(0, 32), range(32, 64), range(64, 80)]
    of = [next(warp for warp in warps if i in warp) for i in range(80)]

    def signed(bits):
        return bits - (1 << 32) * (bits >> 31)

    def mask(i, holds):
        return signed(sum(1 << (j % 32) for j in of[i] if holds(j)))

    rows = [lambda i: int(any(x[j] > 90 for j in of[i])), lambda i: int(all(x[j] > 1 for j in of[i])),
            lambda i: mask(i, lambda j: x[j] > 50), lambda i: sum(x[j] > 50 for j in range(80)),
            lambda i: mask(i, lambda j: x[j] % 4 == x[i] % 4), lambda i: 1, lambda i: 0, lambda i: i % 32 + 100 * (i // 32),
            lambda i: int(i % 40 == 0), lambda i: mask(i, lambda j: True)]
    y = zeros("i4", 10, 80)
    return [x, y], {1: filled(y, lambda row, i: rows[row](i))}


def shuffles():
    x, i, y, z = floats("f4", 64), integers("i4", 0, 99, 64), zeros("f4", 8, 64), zeros("i4", 6, 64)

    def warp(t):
        return range(t // 32 * 32, t // 32 * 32 + 32)

    rows = [lambda t: x[t ^ 5], lambda t: x[t ^ 9] if t % 16 >= 8 else x[t], lambda t: x[t - 3] if t % 16 >= 3 else x[t],
            lambda t: x[t + 7] if t % 32 < 25 else x[t], lambda t: x[t // 32 * 32 + i[t] % 32], lambda t: x[t // 4 * 4 + 3],
            lambda t: sum(x[k] for k in warp(t)), lambda t: sum(x[k] for k in warp(t))]
    whole = [lambda t: max(i[k] for k in warp(t)), lambda t: min(i[k] for k in warp(t)),
             lambda t: functools.reduce(operator.and_, (i[k] for k in warp(t))),
             lambda t: functools.reduce(operator.or_, (i[k] for k in warp(t))),
             lambda t: sum(1 << (k % 32) for k in warp(t) if i[k] // 16 == i[t] // 16),
             lambda t: max(i[k] for k in warp(t)) if t >= 32 else 0]

    def signed(bits):
        return bits - (1 << 32) * (bits >> 31)

    return [x, i, y, z], {2: filled(y, lambda row, t: rows[row](t)), 3: filled(z, lambda row, t: signed(whole[row](t)))}


def butterflies():
    x, y, z = integers("f4", -9, 9, 64, 2), zeros("f4", 64, 2), zeros("f4", 2, 64)

    def transformed(t, j):
        return sum(x[k, j] * (-1) ** bin(k & t & 31).count("1") for k in range(t // 32 * 32, t // 32 * 32 + 32))

    rows = [lambda t: x[t - 3, 0] if t % 16 >= 3 else x[t, 0], lambda t: x[t + 7, 0] if t % 32 < 25 else x[t, 0]]
    return [x, y, z], {1: filled(y, transformed), 2: filled(z, lambda row, t: rows[row](t))}


def grid():
    x, y, z = floats("f4", 4, 64), zeros("f4", 4, 64), zeros("f4", 4, 64)
    return [x, y, z], {1: filled(y, lambda b, i: 2 * x[b, i]), 2: filled(z, lambda b, i: 2 * x[3 - b, i] + 1)}


def sparse():
    """The dense operand has two elements of four, at random places; it is compressed here, group by group."""
    a, e, b, c = zeros("f2", 32, 32), None, floats("f2", 64, 32), zeros("f4", 32, 32)
    dense = [[0.0] * 64 for _ in range(32)]
    words = [[0] * 4 for _ in range(32)]
    for i in range(32):
        for group in range(16):
            for at, place in enumerate(sorted(random.sample(range(4), 2))):
                value = random.randint(-64, 64) / 32
                dense[i][4 * group + place] = value
                a.values[a.offset((i, 2 * group + at))] = value
                words[i][group // 4] |= place << (group % 4 * 4 + at * 2)
    e = Array("i2", (32, 4), [word - (1 << 16) * (word >> 15) for row in words for word in row])
    return [a, e, b, c], {3: filled(c, lambda i, j: sum(dense[i][k] * b[k, j] for k in range(64)))}


def mixed():
    a, b, c = floats("f2", 32, 32), floats("f4", 32, 32), zeros("f4", 32, 32)
    return [a, rounds_to(b), c], {2: filled(c, lambda i, j: sum(a[i, k] * b[k, j] for k in range(32)))}


def direct():
    a, b, c = floats("f2", 64, 32), floats("f2", 32, 64), zeros("f4", 64, 64)
    return [a, b, c], {2: filled(c, lambda i, j: sum(a[i, k] * b[k, j] for k in range(32)))}


def producer():
    a, b, c = floats("f2", 64, 256), floats("f2", 256, 64), zeros("f4", 64, 64)
    return [a, b, c], {2: filled(c, lambda i, j: sum(a[i, k] * b[k, j] for k in range(256)))}


def exchange():
    x, y, z = floats("f4", 8, 64), zeros("f4", 64), zeros("f4", 64)
    last, total = [0.0] * 64, [0.0] * 64
    for k in range(8):
        for i in range(64):
            right = (x[k, i] + last[i]) * 0.5
            total[i] += right
            last[i] = right - 1
    return [x, y, z], {1: filled(y, lambda i: last[i]), 2: filled(z, lambda i: total[i])}


def rounding():
    a, b, c = floats("f4", 64, 32), floats("f4", 32, 64), zeros("f4", 64, 64)
    sums = filled(c, lambda i, j: sum(a[i, k] * b[k, j] for k in range(32)))
    return [rounds_to(a), rounds_to(b), c], {2: filled(c, lambda i, j: math.exp(sums[i, j] / 4 + 1) / (2 ** sums[i, j] + 1))}


def fast_math():
    return rounding()


def gathered():
    x, l, y = floats("f2", 40, 64), integers("i4", -2, 45, 2, 64), zeros("f2", 2, 64, 64)
    return [x, l, y], {2: filled(y, lambda b, i, j: x[l[b, i], j] if 0 <= l[b, i] < 40 else 0)}


def chosen():
    n, x, y = Array("i4", [3], [0, 16, 33]), floats("f4", 3, 64, 32), zeros("f4", 4, 32)
    return [n, x, y], {2: filled(y, lambda b, j: sum(x[[0, 1, 1, 2][b], i, j] for i in range(64)))}


def scratch():
    x, y = integers("i4", -99, 99, 4, 128), zeros("i4", 4, 128)
    return [x, y], {1: filled(y, lambda k, t: x[k, 127 - t] * (x[k, 127 - t] + 1))}


def serial():
    a, b, c = floats("f2", 64, 128), floats("f2", 128, 64), zeros("f4", 64, 64)
    return [a, b, c], {2: filled(c, lambda i, j: sum(a[i, k] * b[k, j] for k in range(128)))}


def listed():
    m, s, x, y = Array("i1", [4], [1, 0, -3, 1]), floats("f4", 3), floats("f2", 128, 64), zeros("f4", 32, 64)
    return [m, s, x, y], {3: filled(y, lambda i, j: sum(x[k * 32 + i, j] for k in (0, 2, 3)) * sum(s.values))}


def owned():
    x, y = integers("i4", -99, 99, 2, 128), zeros("i4", 2, 128)
    return [x, y], {1: filled(y, lambda r, t: x[0, 127 - t] - x[r, t])}


def contributed():
    x, y = floats("f4", 64), zeros("f4", 64)
    return [x, y], {1: filled(y, lambda t: sum(x[t // 32 * 32 + lane] for lane in range(32)))}


def decided():
    x, d, y, z = integers("i4", -20, 20, 64), integers("i4", -2, 2, 64), zeros("i4", 64), zeros("i4", 64)
    v = sorted(x.values)

    def ask(i):
        return (i == 0 or v[i - 1] != v[i]) + 2 * (d[i] != 0 and x[i] // d[i] > 2) + 4 * (8 <= i < 56)
    return [x, d, y, z], {2: filled(y, lambda i: v[i]), 3: filled(z, ask)}


def philox(counter, key):
    """Ten rounds of Philox4x32, after the paper."""
    (x, y, z, w), (a, b), mask = counter, key, 0xffffffff
    for _ in range(10):
        one, two = x * 0xD2511F53, z * 0xCD9E8D57
        x, y, z, w = two >> 32 ^ y ^ a, two & mask, one >> 32 ^ w ^ b, one & mask
        a, b = a + 0x9E3779B9 & mask, b + 0xBB67AE85 & mask
    return x, y, z, w


def drawn():
    # Known answers of Random123.
    assert philox([0] * 4, [0] * 2) == (0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8)
    assert philox([0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344], [0xa4093822, 0x299f31d0]) == (
        0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1)
    w, u = zeros("i4", 3, 16), zeros("f4", 3, 8)
    numbers = [[philox([n // 4, 0, b, 0], [1234567, 0])[n % 4] for n in range(5, 24)] for b in range(3)]

    def word(b, i):
        number = 0 if i % 3 == 1 else numbers[b][i - (i + 1) // 3]
        return number - (number >> 31 << 32)
    return [w, u], {0: filled(w, word), 1: filled(u, lambda b, i: (numbers[b][11 + i] + 0.5) / 2**32)}


def drawn_apart():
    v, w, u, x = zeros("i4", 6, 7), zeros("i4", 6, 7), zeros("f4", 2), zeros("i4", 20)

    def number(b, n):
        return philox([n // 4, 0, b, 0], [987654321, 0])[n % 4]

    def word(b, n):
        return number(b, n) - (number(b, n) >> 31 << 32)
    # Behind the first loop are 3 + 42 numbers.
    return [v, w, u, x], {0: filled(v, lambda i, j: word(i // 3, 3 + 2 * (i % 3 * 7 + j))),
                          1: filled(w, lambda i, j: word(i // 3, 4 + 2 * (i % 3 * 7 + j))),
                          2: filled(u, lambda b: (number(b, 45) + 0.5) / 2**32),
                          3: filled(x, lambda i: word(i // 16, 46 + i % 16))}


def defined_between():
    x, y = floats("f2", 64, 8), zeros("f2", 64, 4)
    return [x, y], {1: filled(y, lambda i, j: x[i, 2 * j + i // 32])}


def halved():
    q, k, c = floats("f2", 32, 96), floats("f2", 64, 96), zeros("f4", 32, 64)

    def product(i, j):
        low, high, other = (sum(q[i, n] * k[j, m] for n, m in pairs) for pairs in (
            [(n, n) for n in range(64)], [(n, n) for n in range(64, 96)], [(n + 32, n) for n in range(32, 64)]))
        return 2 * low + high + other
    return [q, k, c], {2: filled(c, product)}


def swept():
    a, b, c = floats("f2", 32, 128), floats("f2", 64, 128), zeros("f4", 32, 64)

    def product(i, j):
        turned = sum(a[i, 32 * n + m] * b[j, 96 - 32 * n + m] for n in range(4) for m in range(32))
        return sum(a[i, n] * b[j, n] for n in range(128)) + turned
    return [a, b, c], {2: filled(c, product)}


def staged():
    a, b, c = floats("f2", 64, 192), floats("f2", 192, 64), zeros("f4", 64, 64)
    return [a, b, c], {2: filled(c, lambda i, j: sum(a[i, k] * b[k, j] for k in range(192)))}


def guarded():
    # Some rows that are not copied do not exist.
    x, k, n = floats("f2", 64, 192), floats("f2", 40, 64), Array("i4", [1], [29])
    rows, c = integers("i4", 0, 60, 192), zeros("f4", 64, 64)
    return [x, k, rows, n, c], {4: filled(c, lambda i, j: sum(x[i, e] * k[rows[e], j] for e in range(192) if rows[e] <= 29))}


def lasting():
    k, n, rows, s = floats("f4", 40, 32), Array("i4", [1], [19]), integers("i4", 0, 39, 48), zeros("f4", 16, 32)

    def total(j, d):
        row, value = 1, 0
        for i in range(3):
            row = k[rows[16 * i + j], d] if rows[16 * i + j] <= 19 else row
            value += row
        return value
    return [k, rows, n, s], {3: filled(s, total)}


def returning():
    k, n, s = floats("f4", 40, 32), Array("i4", [1], [19]), zeros("f4", 16, 32)
    rows = Array("i4", [48], integers("i4", 0, 19, 16).values + integers("i4", 0, 39, 32).values)
    kept = [[rows[16 * i + j] for i in range(3) if rows[16 * i + j] <= 19] for j in range(16)]
    assert any(len(row) < 3 for row in kept)

    def total(j, d):
        row, value = 0, 0
        for i in range(3):
            row = k[rows[16 * i + j], d] if rows[16 * i + j] <= 19 else row
            value += row
        return value
    return [k, rows, n, s], {3: filled(s, total)}


def elements():
    x, z, n = floats("f4", 16, 32), floats("f4", 16, 32), Array("i4", [1], [1])
    y, w = zeros("f4", 6, 16, 32), zeros("f4", 32, 16)

    def copied(case, i, j):
        return [x[i, j], z[i + 8, j] if i < 8 else 0, x[i, j] if j % 4 < 3 else 0, x[15 - i, j],
                z[i, j] if i % 8 < 3 else x[i, j], x[i, j] if i < 8 else 0][case]
    return [x, z, n, y, w], {3: filled(y, copied), 4: filled(w, lambda j, i: x[i, j])}


def turns():
    x, n, y = floats("f4", 48, 32), Array("i4", [4], [0, 1, 2, 3]), zeros("f4", 4, 5, 8, 32)

    def total(b, case, j, k):
        result, kept = 0.0, [0.0, 0.0]
        for t in range(2 * n[b]):
            kept[t % 2] = kept[t % 2] * 0.5 + x[t * 8 + j, k]
            term = [x[t * 8 + j, k], x[(t ^ 1) * 8 + j, k], kept[t % 2], x[t * 8 + j, k] if j < 4 else 0,
                    x[(t | 1) * 8 + j, k]][case]
            result = result * 0.5 + term
        return result
    return [x, n, y], {2: filled(y, total)}


def rotated():
    a, b, c = floats("f2", 64, 128), floats("f2", 128, 64), zeros("f4", 4, 64, 64)

    def product(of_a, of_b, i, j):
        return sum(a[i, 32 * of_a + n] * b[32 * of_b + n, j] for n in range(32))

    def element(which, i, j):
        if which == 0:
            return sum(product(k, k, i, j) for k in range(4))
        if which < 3:
            return sum(product(k, 0, i, j) for k in ((1, 2, 3, 3) if which == 1 else (0, 1, 2, 2)))
        return functools.reduce(lambda s, k: (s + max(product(k, k, i, j), 0.0)) * 0.5, range(4), 0.0)
    return [a, b, c], {2: filled(c, element)}


def same_tiles():
    a, b, c = floats("f2", 64, 64), floats("f2", 2, 64, 64), zeros("f4", 3, 64, 64)

    def element(which, i, j):
        first = sum(a[i, n] * b[0, n, j] for n in range(64))
        return (1 + (which > 0)) * first + (which == 2) * sum(b[1, i, n] * b[0, n, j] for n in range(64))
    return [a, b, c], {2: filled(c, element)}


def masked():
    m, a, b = Array("i4", [8], [1, 0, 0, 1, 1, 0, 1, 0]), floats("f2", 64, 256), floats("f2", 256, 64)
    c, d = zeros("f4", 64, 64), zeros("f4", 64, 32)
    return [m, a, b, c, d], {3: filled(c, lambda i, j: sum(a[i, k] * b[k, j] for k in range(256) if m[k // 32])),
                             4: filled(d, lambda i, j: sum(a[i, 32 * k + j] for k in range(8)))}


def unwritten():
    a, b, c = floats("f2", 32, 32), floats("f2", 32, 32), zeros("f4", 32, 32)
    return [a, b, c], {2: filled(c, lambda i, j: sum(a[i, k] * b[k, j] for k in range(32)))}


def groups():
    x, y, z = integers("i4", -99, 99, 3, 128), zeros("i4", 3, 16), zeros("i4", 3, 128)
    return [x, y, z], {1: filled(y, lambda k, i: x[k, 8 * i + 1]),
                       2: filled(z, lambda k, i: 2 * x[k, i] if x[k, i // 8 * 8] > 0 else 7)}


def wide():
    a, x, y = floats("f2", 64, 256, scale=1 / 32), Array("f2", [256], [float(i % 5 - 2) for i in range(256)]), zeros("f4", 64)
    return [a, x, y], {2: filled(y, lambda i: sum(a[i, k] * x[k] for k in range(256)))}


def leave_row(row):
    """What the three loops of a thread of `exits` give, in Python's own words."""
    plain = deep = turns = 0
    for v in row:
        if v < 0:
            plain -= 1
            continue
        if v > 9:
            break
        plain += v
    for v in row:
        if v < 3:
            deep += 1
            if v < -2:
                continue
            deep += 100
        elif v > 10:
            break
        deep += v
    for r in range(3):
        i = s = 0
        while i < len(row):
            i += 1
            if row[i - 1] % 3 == r:
                continue
            s += row[i - 1]
            if s > 30:
                break
        turns = turns * 10 + i
        if s % 4 == 0:
            break
    return plain, deep, turns


def exits():
    x, m, y, z, s = integers("i4", -9, 12, 40, 30), Array("i4", [4], [1, 0, 0, 1]), zeros("i4", 3, 40), zeros("i4", 40, 30), zeros("i4", 32)
    rows = [leave_row([x[i, j] for j in range(30)]) for i in range(40)]
    return [x, m, y, z, s], {2: filled(y, lambda k, i: rows[i][k]),
                             3: filled(z, lambda i, j: -1 if x[i, j] < 0 else 0 if j % 5 == 0 else x[i, j] * 2),
                             4: filled(s, lambda i: x[0, i] + x[3, i] if i < 30 else 3)}


def from_end():
    x, y = floats("f4", 5, 32), zeros("f4", 2, 33)

    def element(k, i):
        if k == 0:
            return x[0, i - 1] if i > 0 else 0.0
        return x[4, 32 - i] + x[4, 30] + x[2, 32 - i] if i > 0 else 0.0
    return [x, y], {1: filled(y, element)}


def solved():
    o, x, y = Array("i4", [4], [0, 3, 3, 10]), floats("f4", 10, 8), zeros("f4", 3, 8)
    return [o, x, y], {2: filled(y, lambda i, j: sum(x[r, j] - x[r, j + 4] for r in range(o[i], o[i + 1])) if j < 4 else 0.0)}


def joined():
    i, j, x, y = integers("i4", -99, 99, 15, 3), zeros("i4", 15, 3), floats("f4", 15, 24), zeros("f4", 30, 12)
    return [i, j, x, y], {1: filled(j, lambda k, l: 2 * (i.values + [0])[3 * k + l + 1]),
                          3: filled(y, lambda k, l: 2 * x[k // 2, 12 * (1 - k % 2) + l])}


def main():
    path, name, folder, *options = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    random.seed(name)
    arguments, expected = globals()[name]()
    command = ["tile-run", path, "--check=none", *options]
    for i, argument in enumerate(arguments):
        argument.write(f"{folder}/{i}.npy")
        command += [f"--arg={i}:{folder}/{i}.npy"] + [f"--out={i}:{folder}/out{i}.npy"] * (i in expected)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    for i, reference in expected.items():
        got = reference.read(f"{folder}/out{i}.npy")
        # Half a unit of the type, with room for the order of sums.
        tolerance = {"f2": 2e-3, "f4": 1e-5}.get(reference.code, 0)
        wrong = [(place, have, want) for place, (have, want) in enumerate(zip(got, reference.values))
                 if not abs(have - want) <= tolerance * (1 + abs(want))]
        if wrong:
            sys.exit(f"{name}: argument {i}: {len(wrong)} of {len(got)} elements differ: {wrong[:3]}")
    print(f"{name}: {len(expected)} results agree")


if __name__ == "__main__":
    main()
