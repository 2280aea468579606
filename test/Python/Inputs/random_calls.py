"""usage: random_calls.py [SEED [SECONDS]]: random calls return or raise tile.CallError, and nothing else happens.

Arguments are arrays of all types, shapes and strides, hand-made ones of DLPack, buffers, numbers, and what is none of these.
"""
import array
import random
import sys
import time

import numpy as np

import dlpack
import kernels
import tile

pick = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
Tensor = dlpack.make_tensor()
functions = [tile.compile(kernels.ADD).add, tile.compile(kernels.SCALARS).scalars, tile.compile(kernels.TWICE).twice]
functions += [tile.compile(kernels.copy(dtype)).copy for dtype in ("f32", "i8", "i4", "bf16", "i1")]
functions += [tile.compile(kernels.ADD, chip, device="model").add for chip, target in (("sm_80", "cuda"), ("gfx942", "hip"))
              if target in tile.targets()]


def some_array():
    shape = tuple(pick.choice([0, 1, 2, 3, 5, 8, 64]) for _ in range(pick.choice([0, 1, 1, 2, 2, 3])))
    made = np.zeros(pick.choice([shape, shape, (1,) * 20]), pick.choice("f4 f4 f8 i1 u1 i8 f2 ? c8 O S3 M8[s] >f4 V4".split()))
    if made.shape and pick.random() < 0.3:
        made = made[::pick.choice([-1, 1, 2])].T
    made.setflags(write=pick.random() < 0.7)
    return made


def by_hand():
    flags, major = pick.randrange(2), pick.randrange(3)
    return pick.choice([dlpack.Array([1] * 3), Tensor([1] * 5), dlpack.Array([1] * 5, dlpack.Versioned, flags=flags, major=major),
                        dlpack.Array([0] * 5, bits=pick.choice([4, 8, 16, 64]), lanes=pick.choice([0, 1, 4]),
                                     device=pick.choice([(1, 0), (2, 0), (99, -1)]))])


def anything():
    return pick.choice([some_array, some_array, some_array, by_hand, lambda: pick.choice([0, -1, 2 ** 31, 2 ** 200, True, 1e400]),
                        lambda: pick.choice([None, "s", b"bytes", object, bytearray(20), memoryview(b"12345678").cast("d")]),
                        lambda: array.array(pick.choice("fdbi"), [0] * pick.choice([0, 5]))])()


def fitting(function):
    if function.__name__ == "scalars":
        return [pick.choice([1, 0.5, 0]) for _ in range(3)] + [1, 2, 3, 4, 5, np.zeros(3), np.zeros(5, np.int64)]
    if function.__name__ == "copy":
        return [pick.choice([np.zeros((3, 8), "f4"), np.zeros((3, 8), "i1"), np.zeros((3, 8), "?"),
                             tile.view(bytearray(12), "i4", (3, 8)), tile.view(np.zeros((3, 8), "u2"), "bf16")]) for _ in range(2)]
    n = pick.choice([0, 3, 64, 1000])
    return [pick.choice([lambda: np.zeros(n, "f4"), lambda: dlpack.Array([1] * n), lambda: Tensor([2] * n),
                         lambda: array.array("f", [0] * n)])() for _ in function.arguments]


end, calls, right = time.time() + float(sys.argv[2] if len(sys.argv) > 2 else 5), 0, 0
while time.time() < end or right < 10:
    function, named = pick.choice(functions), {}
    arguments = fitting(function) if pick.random() < 0.6 else [anything() for _ in range(pick.randrange(12))]
    if arguments and pick.random() < 0.3:
        arguments[pick.randrange(len(arguments))] = anything()
    if pick.random() < 0.1:
        named["stream"] = pick.choice([None, 0, 1, "s"])
    if arguments and pick.random() < 0.1:
        named[pick.choice([*function.arguments, "other"])] = arguments.pop()
    calls += 1
    try:
        function(*arguments, **named)
        right += 1
    except tile.CallError as error:
        assert str(error), arguments
    for argument in arguments:
        assert getattr(argument, "alive", 0) == 0, argument
    try:
        tile.view(anything(), pick.choice(["i4", "f32", "bf16", "other"]), pick.choice([None, (3,), (0,), (2, 2)]))
    except tile.Error:
        pass
print(f"{calls} calls, {right} of them right")
