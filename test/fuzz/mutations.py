"""Random changes to MLIR text: tokens and lines deleted, repeated, swapped and replaced; numbers and types changed."""
import re

TOKEN = re.compile(r'\s+|[%@#!^]?[\w.$]+|"[^"\n]*"|->|.', re.S)
NUMBER = re.compile(r"(?<![\w%#.])-?\d+(?![\w.])|(?<=x)\d+(?=x)|(?<=<)\d+(?=x)")
# Not in array<i64: ...>, where MLIR 22 crashes on a type that is neither an integer nor a float.
TYPE = re.compile(r"(?<!array<)\b(?:[if]\d+\b|bf16|index\b|memref<[^<>]*>|f8E\w+|#tile\.\w+)")
NUMBERS = ["0", "-1", "1", "2", "7", "1025", "4294967296", "9223372036854775807", "-9223372036854775808"]
TYPES = ["i1", "i4", "i8", "i32", "i64", "f16", "bf16", "f32", "f64", "index", "f8E4M3FN", "f8E8M0FNU", "f4E2M1FN",
         "none", "complex<f32>", "vector<4xf32>", "memref<f32>", "memref<?xf32>", "memref<*xf32>", "memref<0x4xf32>",
         "memref<8x8xf32, strided<[1, 8]>>", "memref<64x32xf16, #tile.shared>", "memref<1x8x8x4xf32>",
         "memref<4294967296x4294967296xf64>", "tensor<4xf32>", "#tile.fragment", "#tile.global", "#tile.tmem", "3"]


def substitute(pattern, choices, text, rng):
    places = list(pattern.finditer(text))
    place = rng.choice(places) if places else None
    return text[:place.start()] + rng.choice(choices) + text[place.end():] if place else text


def edit(parts, rng, other):
    """Deletes, repeats, swaps or replaces one element."""
    i, j = rng.randrange(len(parts)), rng.randrange(len(parts))
    kind = rng.randrange(4)
    if kind == 0:
        del parts[i]
    elif kind == 1:
        parts.insert(j, parts[i])
    elif kind == 2:
        parts[i], parts[j] = parts[j], parts[i]
    else:
        parts[i] = rng.choice(other)
    return parts


def mutate(seeds, rng):
    """One of the seeds, changed in one to six places, perhaps with a piece of another."""
    text, other = rng.choice(seeds), rng.choice(seeds)
    for _ in range(rng.choice([1, 1, 1, 2, 3, 6])):
        kind = rng.randrange(8)
        if kind < 3:
            text = substitute(NUMBER, NUMBERS, text, rng)
        elif kind < 5:
            text = substitute(TYPE, TYPES, text, rng)
        elif kind < 6:
            text = "".join(edit(TOKEN.findall(text) or [" "], rng, TOKEN.findall(other) or [" "]))
        else:
            text = "\n".join(edit(text.split("\n"), rng, other.split("\n")))
    return text
