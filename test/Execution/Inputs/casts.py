"""Runs tile.copy between all pairs of element types and compares every code with formats.py.

usage: casts.py TILE_RUN FOLDER SOURCE...

Sources of up to 16 bits are converted exhaustively, wider ones at and next to the values and ties of all targets.
"""
import math
import os
import struct
import subprocess
import sys

from formats import FLOATS, INTEGERS, decode, encode, largest, table, width

NPY = {"f64": "<f8", "f32": "<f4", "f16": "<f2", "bf16": "|V2", "i1": "|b1", "i8": "|i1", "i16": "<i2", "i32": "<i4",
       "i64": "<i8"}


def write(path, name, codes):
    bits = width(name)
    if bits == 4:
        codes = [low | high << 4 for low, high in zip(codes[::2], codes[1::2])]
    data = b"".join(code.to_bytes(max(bits, 8) // 8, "little") for code in codes)
    header = f"{{'descr': '{NPY.get(name, '|V1')}', 'fortran_order': False, 'shape': ({len(codes)},), }}"
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def read(path, name):
    with open(path, "rb") as file:
        content = file.read()
    data = content[10 + struct.unpack_from("<H", content, 8)[0]:]
    if width(name) == 4:
        return [code for byte in data for code in (byte & 15, byte >> 4)]
    size = max(width(name), 8) // 8
    return [int.from_bytes(data[i:i + size], "little") for i in range(0, len(data), size)]


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
                    code = encode(source, x)
                    codes |= neighbours(code, unsigned)
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


def convert(run, folder, source, flag):
    """Returns the number of conversions and the wrong ones."""
    codes = sample(source)
    n = len(codes)
    # What a flag has no influence on is not run again.
    kinds = {"saturate": FLOATS, "is_unsigned": INTEGERS if source in FLOATS else {**FLOATS, **INTEGERS}}
    targets = [name for name in kinds.get(flag, {**FLOATS, **INTEGERS}) if name != source]
    types = ", ".join(f"%t{i}: memref<{n}x{name}> {{tile.result}}" for i, name in enumerate(targets))
    copies = "\n".join(f"tile.copy %a, %t{i} {{{flag}}} : memref<{n}x{source}>, memref<{n}x{name}>"
                       for i, name in enumerate(targets))
    program = f"func.func @f(%a: memref<{n}x{source}>, {types}) {{ tile.kernel (%b) in (1) {{ {copies} }} return }}"
    base = os.path.join(folder, source)
    write(base + ".npy", source, codes)
    outputs = [f"--out={i + 1}:{base}.{name}.npy" for i, name in enumerate(targets)]
    subprocess.run([run, "-", "--check=none", f"--arg=0:{base}.npy", *outputs], input=program, text=True, check=True,
                   stdout=subprocess.DEVNULL)
    unsigned, saturate, wrong = flag == "is_unsigned", flag == "saturate", []
    numbers = [decode(source, code, unsigned) for code in codes]
    for name in targets:
        for code, number, got in zip(codes, numbers, read(f"{base}.{name}.npy", name)):
            expected = encode(name, number, saturate, unsigned)
            if got == expected or expected is None and math.isnan(decode(name, got)):
                continue
            text = "NaN" if expected is None else hex(expected)
            wrong.append(f"{source} -> {name} {flag}: {code:#x} ({number}) gives {got:#x}, expected {text}")
    return n * len(targets), wrong


def main():
    run, folder, *sources = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    for source in sources:
        for flag in ["", "saturate", "is_unsigned"]:
            count, wrong = convert(run, folder, source, flag)
            print(f"{source} {flag or 'plain'}: {count} conversions, {len(wrong)} wrong")
            for line in wrong[:20]:
                print(" ", line)


main()
