# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two texts of one program: tile ops for the compiler, and loops over elements, which say what must come out.

The loops are MLIR, too, `scf`, `memref` and `arith` alone, so that one file holds a kernel and its reference. They know no
tile: each op is written out from its definition in the reference of the dialect.
"""
FLOAT_WIDTH = {"f64": 64, "f32": 32, "f16": 16, "bf16": 16, "f8E4M3FN": 8, "f8E5M2": 8, "f8E4M3FNUZ": 8, "f8E5M2FNUZ": 8,
               "f4E2M1FN": 4}
LARGEST = {"f32": 3.4028234663852886e38, "f16": 65504.0, "bf16": 3.3895313892515355e38, "f8E4M3FN": 448.0, "f8E5M2": 57344.0,
           "f8E4M3FNUZ": 240.0, "f8E5M2FNUZ": 57344.0, "f4E2M1FN": 6.0}
# NaN and the infinities, bit by bit.
SPECIAL = {"f64": ["0x7FF8000000000000", "0x7FF0000000000000", "0xFFF0000000000000"],
           "f32": ["0x7FC00000", "0x7F800000", "0xFF800000"], "f16": ["0x7E00", "0x7C00", "0xFC00"],
           "bf16": ["0x7FC0", "0x7F80", "0xFF80"]}
# What tiles of 4 bits are in the loops: their elements have an address each.
HELD = {"i4": "i8", "f4E2M1FN": "f32"}


def is_float(element):
    return element in FLOAT_WIDTH


def get_width(element):
    return FLOAT_WIDTH[element] if is_float(element) else int(element[1:])


def is_computed(element):
    """Whether there is arithmetic of the type; of smaller floats there are conversions alone."""
    return not is_float(element) or get_width(element) >= 16


def memref(shape, element, space=""):
    return "memref<" + "".join(f"{extent}x" for extent in shape) + element + (f", #tile.{space}>" if space else ">")


def held_type(rank, element):
    return memref("?" * rank, HELD.get(element, element))


class Tile:
    """A tile; `dims` are names of extents."""

    def __init__(self, name, dims, shape, element, space, is_sum=False):
        self.name, self.dims, self.shape, self.element, self.space, self.is_sum = name, dims, shape, element, space, is_sum
        self.type, self.held = memref(shape, element, space), held_type(len(shape), element)


class Argument:
    """A global buffer with the extents of `shape`, which are names of sizes or numbers; `dims` are those of its tiles."""

    def __init__(self, name, dims, shape, element, is_result):
        self.name, self.dims, self.shape, self.element, self.is_result = name, dims, shape, element, is_result
        self.padding = None
        self.writers, self.readers = set(), set()
        self.is_aligned = False
        self.type = memref(["?" if isinstance(extent, str) else extent for extent in shape], element)
        # A type for all extents, if there is one: buffers of 4-bit elements are not cast.
        self.any, self.loose = memref("?" * len(shape), element), f"%any{name[1:]}"
        if get_width(element) < 8:
            self.any, self.loose = self.type, name

    def get_parameter(self, bound):
        result = ", tile.align = 16" * self.is_aligned + ", tile.result" * self.is_result
        return (f"{self.name}: {self.type} {{tile.shape = \"{'x'.join(map(str, self.shape))}\", "
                f"tile.init = \"integers({-bound},{bound})\"{result}}}")


class Place:
    """An index: `value * scale + shift`; without a value the shift alone."""

    def __init__(self, value=None, scale=1, shift=0):
        self.value, self.scale, self.shift = value, scale, shift

    def get_text(self):
        if not self.value:
            return str(self.shift)
        return f"{self.value} * {self.scale}" + (f" + {self.shift}" if self.shift else "")


class Writer:
    def __init__(self, rng):
        self.rng, self.count, self.depth = rng, 0, 0
        self.lines, self.loops = [], []
        self.numbers, self.library = set(), {}

    def fresh(self, prefix):
        self.count += 1
        return f"%{prefix}{self.count}"

    def tile(self, line):
        self.lines.append("  " * self.depth + line)

    def loop(self, line):
        self.loops.append("  " * self.depth + line)

    def both(self, line):
        self.tile(line)
        self.loop(line)

    def let(self, prefix, text):
        """A value that both texts compute."""
        name = self.fresh(prefix)
        self.both(f"{name} = {text}")
        return name

    def find(self, prefix, text):
        """A value of the loops alone."""
        name = self.fresh(prefix)
        self.loop(f"{name} = {text}")
        return name

    def number(self, value):
        """An index of the loops; what has a name is one already."""
        if isinstance(value, str):
            return value
        self.numbers.add(value)
        return f"%x{value}"

    def index(self, value):
        return self.let("n", f"arith.constant {value} : index")

    @staticmethod
    def literal(value, element):
        return value if isinstance(value, str) else f"{float(value)}" if is_float(element) else str(value)

    def constant(self, value, element):
        return self.let("k", f"arith.constant {self.literal(value, element)} : {element}")

    def find_constant(self, value, element):
        return self.find("k", f"arith.constant {self.literal(value, element)} : {element}")

    #===-- the loops ---------------------------------------------------------------------------------------------------===#

    def open_loops(self, extents):
        """A nest of loops; returns their variables."""
        names = [self.fresh("i") for _ in extents]
        for name, extent in zip(names, extents):
            self.loop(f"scf.for {name} = {self.number(0)} to {self.number(extent)} step {self.number(1)} {{")
        self.depth += 1
        return names

    def close_loops(self, count):
        self.depth -= 1
        self.loop("}" * count)

    def fold(self, extents, start, element, combine):
        """The combination of `combine(variables, old)` over a nest of loops."""
        variables, old, results = [], start, []
        for extent in extents:
            name, inner, result = self.fresh("i"), self.fresh("a"), self.fresh("r")
            self.loop(f"{result} = scf.for {name} = {self.number(0)} to {self.number(extent)} step {self.number(1)} "
                      f"iter_args({inner} = {old}) -> ({element}) {{")
            variables.append(name)
            results.append(result)
            old = inner
        self.depth += 1
        value = combine(variables, old)
        for result in reversed(results):
            self.loop(f"scf.yield {value} : {element} }}")
            value = result
        self.depth -= 1
        return value

    def locate(self, place, variable=None):
        """The index of an element: that of the place, and the variable on top."""
        values = [value for value in (place.value, variable) if value]
        if not values:
            return self.number(place.shift)
        names = ["a", "b"][:len(values)]
        terms = ([f"a * {place.scale}"] if place.value else []) + ([names[-1]] if variable else []) + [str(place.shift)]
        return self.find("p", f"affine.apply affine_map<({', '.join(names)}) -> ({' + '.join(terms)})>({', '.join(values)})")

    def find_element(self, tile, variables):
        """Reads an element of a tile in the loops."""
        value = self.find("v", f"memref.load {tile.name}[{', '.join(variables)}] : {tile.held}")
        return self.unhold(value, tile.element)

    def unhold(self, value, element):
        if element not in HELD:
            return value
        return self.find("v", f"arith.trunc{'f' if is_float(element) else 'i'} {value} : {HELD[element]} to {element}")

    def keep_element(self, value, tile, variables):
        if tile.element in HELD:
            value = self.find("v", f"arith.ext{'f' if is_float(tile.element) else 'si'} {value} : {tile.element} to "
                                   f"{HELD[tile.element]}")
        self.loop(f"memref.store {value}, {tile.name}[{', '.join(variables)}] : {tile.held}")

    def get_access(self, verb, argument):
        """The name of the function that reads or writes an element of a global buffer where it is in bounds."""
        rank, element = len(argument.shape), argument.element
        name = f"@{verb}_{element}_{'x'.join('n' if e == '?' else e for e in argument.any[7:-1].split('x')[:rank])}"
        if name in self.library:
            return name
        at = [f"%i{d}" for d in range(rank)]
        indices = ", ".join(f"{i}: index" for i in at)
        lines = ["%in = arith.constant true"]
        for d, i in enumerate(at):
            lines += [f"%d{d} = arith.constant {d} : index", f"%n{d} = memref.dim %b, %d{d} : {argument.any}",
                      f"%c{d} = arith.cmpi ult, {i}, %n{d} : index",
                      f"%in{d} = arith.andi {f'%in{d - 1}' if d else '%in'}, %c{d} : i1"]
        if verb == "get":
            lines += [f"%r = scf.if %in{rank - 1} -> {element} {{",
                      f"  %v = memref.load %b[{', '.join(at)}] : {argument.any}", f"  scf.yield %v : {element}",
                      "} else {", f"  scf.yield %other : {element}", "}", f"return %r : {element}"]
            head = f"func.func private {name}(%b: {argument.any}, {indices}, %other: {element}) -> {element} {{"
        else:
            lines += [f"scf.if %in{rank - 1} {{", f"  memref.store %v, %b[{', '.join(at)}] : {argument.any}", "}", "return"]
            head = f"func.func private {name}(%b: {argument.any}, {indices}, %v: {element}) {{"
        self.library[name] = "\n".join([head] + ["  " + line for line in lines] + ["}"])
        return name

    def get_global(self, argument, indices):
        other = self.find_constant(argument.padding or 0, argument.element)
        types = ", ".join([argument.any] + ["index"] * len(indices) + [argument.element])
        return self.find("v", f"func.call {self.get_access('get', argument)}({argument.loose}, {', '.join(indices)}, {other}) : "
                              f"({types}) -> {argument.element}")

    def put_global(self, value, argument, indices):
        types = ", ".join([argument.any] + ["index"] * len(indices) + [argument.element])
        self.loop(f"func.call {self.get_access('put', argument)}({argument.loose}, {', '.join(indices)}, {value}) : "
                  f"({types}) -> ()")

    #===-- conversions of elements -------------------------------------------------------------------------------------===#

    def convert(self, value, source, target, say=None):
        """From one type to another by ops that both texts have, or with `find` the loops; the number is one of both."""
        say = say or self.let
        if source == target:
            return value
        if is_float(source) != is_float(target):
            if is_float(target) and get_width(target) < 32 or is_float(source) and get_width(source) < 32:
                return self.convert(self.convert(value, source, "f32", say), "f32", target, say)
            return say("v", f"arith.{'sitofp' if is_float(target) else 'fptosi'} {value} : {source} to {target}")
        a, b = get_width(source), get_width(target)
        if is_float(source) and source != "f32" and target != "f32" and not (a > 32 and b == 16 or b > 32 and a == 16):
            return self.convert(self.convert(value, source, "f32", say), "f32", target, say)
        ops = ("extf", "truncf") if is_float(source) else ("extsi", "trunci")
        return say("v", f"arith.{ops[a > b]} {value} : {source} to {target}")

    def find_integer(self, value, source, target, unsigned):
        """A float as an integer: towards zero, cut to the range; NaN is 0."""
        value, bits = self.convert(value, source, "f64", self.find), get_width(target)
        low, high = (0, 1 << bits) if unsigned else (-(1 << bits - 1), 1 << bits - 1)
        above = self.find("v", f"arith.cmpf oge, {value}, {self.find_constant(high, 'f64')} : f64")
        below = self.find("v", f"arith.cmpf ole, {value}, {self.find_constant(low, 'f64')} : f64")
        none = self.find("v", f"arith.cmpf uno, {value}, {value} : f64")
        out = self.find("v", f"arith.ori {above}, {below} : i1")
        out = self.find("v", f"arith.ori {out}, {none} : i1")
        value = self.find("v", f"arith.select {out}, {self.find_constant(0, 'f64')}, {value} : f64")
        wide = f"i{bits}" if bits == 64 else "i64"
        value = self.find("v", f"arith.fpto{'u' if unsigned else 's'}i {value} : f64 to {wide}")
        value = self.convert(value, wide, target, self.find)
        top = -1 if unsigned else high - 1
        value = self.find("v", f"arith.select {above}, {self.find_constant(top, target)}, {value} : {target}")
        return self.find("v", f"arith.select {below}, {self.find_constant(low, target)}, {value} : {target}")

    def find_converted(self, value, source, target, flags=()):
        """What a copy makes of an element."""
        unsigned = "is_unsigned" in flags
        if source == target:
            return value
        if is_float(source) and not is_float(target):
            return self.find_integer(value, source, target, unsigned)
        if not is_float(source) and is_float(target):
            wide = "f64" if target == "f64" else "f32"
            value = self.find("v", f"arith.{'u' if unsigned else 's'}itofp {value} : {source} to {wide}")
            source = wide
        if not is_float(source):
            narrows = get_width(source) > get_width(target)
            return self.find("v", f"arith.{'trunci' if narrows else 'extui' if unsigned else 'extsi'} {value} : {source} to {target}")
        if "saturate" in flags and target in LARGEST:
            value = self.convert(value, source, "f64", self.find)
            for op, limit in (("maximumf", -LARGEST[target]), ("minimumf", LARGEST[target])):
                value = self.find("v", f"arith.{op} {value}, {self.find_constant(limit, 'f64')} : f64")
            source = "f64"
        return self.convert(value, source, target, self.find)
