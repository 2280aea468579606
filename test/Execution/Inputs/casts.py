"""Runs tile.copy between all pairs of element types and compares every code with formats.py.

usage: casts.py TILE_RUN FOLDER SOURCE...

Sources of up to 16 bits are converted exhaustively, wider ones at and next to the values and ties of all targets.
"""
import math
import os
import sys

from formats import FLOATS, INTEGERS, decode, encode, largest, table, width
from run import Program


def neighbours(code, top):
    return {c for c in (code - 1, code, code + 1) if 0 <= c < top}


def sample(source):
    bits, codes = width(source), set()
    if bits <= 16:
        return list(range(1 << bits))
    unsigned = 1 << (bits - 1)
    for name in FLOATS:
        if width(name) >= 32:
            continue
        values = table(name)
        step = 1 if width(name) <= 8 else 37
        for i in list(range(0, len(values) - 1, step)) + [len(values) - 2]:
            for x in (values[i], (values[i] + values[i + 1]) / 2, values[i + 1]):
                if source in FLOATS:
                    codes |= neighbours(encode(source, x), unsigned)
                elif x < 1 << bits:
                    codes |= neighbours(int(x), 1 << bits)
    for power in range(bits):
        for x in (1 << power, (1 << power) - 1, (1 << power) + (1 << power >> 24), (1 << power) + (1 << power >> 53)):
            codes |= neighbours(encode(source, x), unsigned) if source in FLOATS else neighbours(x, 1 << bits)
    if source in FLOATS:
        infinity = largest(source) + 1
        codes |= {0, 1, 2, infinity - 1, infinity, infinity + 1, infinity | infinity >> 1, unsigned - 1}
        codes |= {code | unsigned for code in codes}
    else:
        codes |= {-code % (1 << bits) for code in codes}
    codes = sorted(codes)
    return codes + codes[-1:] * (len(codes) % 2)


def convert(tile_run, folder, source, flag):
    """Returns the number of conversions and the wrong ones."""
    codes = sample(source)
    # What a flag has no influence on is not run again.
    kinds = {"saturate": FLOATS, "is_unsigned": INTEGERS if source in FLOATS else {**FLOATS, **INTEGERS}}
    targets = [name for name in kinds.get(flag, {**FLOATS, **INTEGERS}) if name != source]
    program = Program(os.path.join(folder, source))
    a, a_type = program.argument(source, [len(codes)], codes)
    results = [program.argument(name, [len(codes)]) for name in targets]
    program.kernel(*(f"tile.copy {a}, {b} {{{flag}}} : {a_type}, {b_type}" for b, b_type in results))
    outputs = program.run(tile_run)
    unsigned, saturate, wrong = flag == "is_unsigned", flag == "saturate", []
    numbers = [decode(source, code, unsigned) for code in codes]
    for name, (argument, _) in zip(targets, results):
        for code, number, got in zip(codes, numbers, outputs[argument]):
            expected = encode(name, number, saturate, unsigned)
            if got == expected or expected is None and math.isnan(decode(name, got)):
                continue
            text = "NaN" if expected is None else hex(expected)
            wrong.append(f"{source} -> {name} {flag}: {code:#x} ({number}) gives {got:#x}, expected {text}")
    return len(codes) * len(targets), wrong


def main():
    tile_run, folder, *sources = sys.argv[1:]
    for source in sources:
        for flag in ["", "saturate", "is_unsigned"]:
            count, wrong = convert(tile_run, folder, source, flag)
            print(f"{source} {flag or 'plain'}: {count} conversions, {len(wrong)} wrong")
            for line in wrong[:20]:
                print(" ", line)


main()
