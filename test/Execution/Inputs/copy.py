"""Runs tile.copy between random regions and compares with the definition, element by element.

usage: copy.py TILE_RUN FOLDER TYPE...

Regions leave global buffers on all sides, have unit dimensions that the other side has not, and begin at constants or at
values that the compiler does not know. The copy goes directly or through a tile.
"""
import itertools
import os
import random
import sys

from formats import encode, width
from run import Program


def with_units(sizes, generator):
    """The sizes with unit dimensions among them; those in front of a size that is left out stay in front."""
    result = list(sizes)
    while generator.random() < 0.4 and len(result) < 4:
        result.insert(generator.randint(0, len(result)), 1)
    return result


def region(sizes, generator, element):
    """The shape of a global buffer and the offsets of a region of it."""
    shape, offsets = [], []
    for size in sizes:
        shape.append(max(1, size + generator.choice([-3, -1, 0, 0, 2, 5])))
        offsets.append(generator.choice([0, 0, 1, -1, -2, shape[-1] - 1, shape[-1], -size, -size - 1, shape[-1] + 3]))
    if element == "i4":
        shape[-1] += shape[-1] % 2
    return shape, offsets


def inside(position, shape):
    return all(0 <= p < extent for p, extent in zip(position, shape))


def linear(position, shape):
    result = 0
    for p, extent in zip(position, shape):
        result = result * extent + p
    return result


def copied(case):
    """The target afterwards."""
    result = list(case["old"])
    positions = zip(itertools.product(*map(range, case["from_sizes"])), itertools.product(*map(range, case["to_sizes"])))
    for source, target in positions:
        source = [p + o for p, o in zip(source, case["from_offsets"])]
        target = [p + o for p, o in zip(target, case["to_offsets"])]
        if inside(target, case["to_shape"]):
            result[linear(target, case["to_shape"])] = (
                case["codes"][linear(source, case["from_shape"])] if inside(source, case["from_shape"]) else case["safe"])
    return result


def make(program, element, generator, unknown):
    sizes = [generator.choice([2, 3, 5, 8, 17]) for _ in range(generator.randint(1, 3))]
    case = {"from_sizes": with_units(sizes, generator), "to_sizes": with_units(sizes, generator)}
    for side in ("from", "to"):
        case[side + "_shape"], case[side + "_offsets"] = region(case[side + "_sizes"], generator, element)
    count = lambda shape: linear([extent - 1 for extent in shape], shape) + 1
    top = 1 << (width(element) - 1)
    case["codes"] = [generator.randrange(top) for _ in range(count(case["from_shape"]))]
    case["old"] = [generator.randrange(top) for _ in range(count(case["to_shape"]))]
    a, at = program.argument(element, case["from_shape"], case["codes"])
    o, ot = program.argument(element, case["to_shape"], case["old"])
    r, rt = program.argument(element, case["to_shape"])
    case["result"] = r
    start = lambda offset: f"%u + {offset}" if generator.random() < 0.5 else str(offset)
    texts = {side: f"[{', '.join(start(x) for x in case[side + '_offsets'])}] {case[side + '_sizes']}"
             for side in ("from", "to")}
    lines = [f"%z = memref.load {unknown}[%c0] : memref<1xi64>", "%u = arith.index_cast %z : i64 to index"]
    case["safe"] = 0
    if generator.random() < 0.5:
        value = generator.choice([1, 2, 3])
        case["safe"] = encode(element, value)
        lines += [f"%safe = arith.constant {value}{'.0' if element[0] in 'fb' else ''} : {element}",
                  f"tile.padding_value {a}, %safe : {at}"]
    lines.append(f"tile.copy {o}, {r} : {ot}, {rt}")
    if generator.random() < 0.5:
        tile = program.type(element, sizes, "shared")
        lines += [f"%t = tile.alloc : {tile}", f"tile.copy {a}{texts['from']}, %t : {at}, {tile}",
                  f"tile.copy %t, {r}{texts['to']} : {tile}, {rt}"]
    else:
        lines.append(f"tile.copy {a}{texts['from']}, {r}{texts['to']} : {at}, {rt}")
    program.kernel(*lines)
    return case


def main():
    tile_run, folder, *elements = sys.argv[1:]
    for element in elements:
        generator, program = random.Random(element), Program(os.path.join(folder, element))
        program.lines.append("%c0 = arith.constant 0 : index")
        unknown, _ = program.argument("i64", [1], [0])
        cases = [make(program, element, generator, unknown) for _ in range(30)]
        outputs = program.run(tile_run)
        wrong = [case for case in cases if outputs[case["result"]] != copied(case)]
        print(f"{element}: {len(cases)} copies, {len(wrong)} wrong")
        for case in wrong[:3]:
            print(" ", {key: value for key, value in case.items() if key not in ("codes", "old")})


main()
