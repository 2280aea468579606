# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random tile kernels whose results are exact, whatever the order of the sums: values are small integers.

A kernel is a tree of loops and branches over copies, element-wise work, reductions, scans, products and stores. Blocks own
the rows that they write. Each tile is either small, its values below a bound of its type, or a sum that only grows and is
cut to that bound where it is read.
"""
import random

BOUND = {"f32": 4, "f16": 4, "bf16": 2, "i32": 5, "i16": 5, "i8": 5}
PRODUCTS = [("f16", "f32"), ("bf16", "f32"), ("f16", "f32"), ("f32", "f32"), ("i8", "i32")]


def is_float(element):
    return element[0] != "i"


def memref(shape, element, space=""):
    return "memref<" + "".join(f"{extent}x" for extent in shape) + element + (f", #tile.{space}>" if space else ">")


class Tile:
    def __init__(self, name, shape, element, space, is_sum=False):
        self.name, self.shape, self.element, self.is_sum = name, shape, element, is_sum
        self.type = memref(shape, element, space)


class Argument:
    """A buffer in GM with the extents of `shape`, which are names of sizes or numbers; results are written by tiles of one
    shape."""

    def __init__(self, name, shape, element, tile=()):
        self.name, self.shape, self.element, self.tile = name, shape, element, tuple(tile)
        self.is_result = bool(tile)
        self.type = memref(["?" if isinstance(extent, str) else extent for extent in shape], element)


class Kernel:
    """The text of one function with one kernel."""

    def __init__(self, seed, name):
        self.rng, self.name = random.Random(seed), name
        self.count, self.lines, self.allocs, self.arguments = 0, [], [], []
        rng = self.rng
        self.has_products = rng.random() < 0.5
        self.r, self.c, self.d = rng.choice([8, 16, 32, 5, 19]), rng.choice([16, 32, 64, 24, 33]), rng.choice([16, 32, 40])
        if self.has_products and rng.random() < 0.95:
            self.r, self.c, self.d = rng.choice([16, 32]), rng.choice([16, 32, 64]), rng.choice([16, 32])
        self.has_vectors = not self.has_products or rng.random() < 0.8
        self.elements = rng.sample(["f32", "f32", "f16", "bf16", "i32", "i16"], 2)
        self.product, self.sum = rng.choice(PRODUCTS)
        # The vector unit reduces no short integers; a kernel that tries is refused.
        self.reducible = ["f32", "f16", "bf16"] + (["i32", "i16"] if rng.random() < 0.1 else [])
        self.persistent = rng.random() < 0.2
        # What loops run over, as (value, whether it is of the block that owns the rows).
        self.ivs = []
        self.build()

    #===-- text --------------------------------------------------------------------------------------------------------===#

    def fresh(self, prefix):
        self.count += 1
        return f"%{prefix}{self.count}"

    def emit(self, line):
        self.lines.append("  " * (2 + self.depth) + line)

    def alloc(self, shape, element, is_sum=False, space=None):
        tile = Tile(self.fresh("t"), tuple(shape), element, space or self.rng.choice(["shared", "fragment"]), is_sum)
        self.allocs.append(f"    {tile.name} = tile.alloc : {tile.type}")
        return tile

    def argument(self, shape, element, tile=()):
        argument = Argument(f"%g{len(self.arguments)}", shape, element, tile)
        self.arguments.append(argument)
        return argument

    def constant(self, value, element):
        name = self.fresh("k")
        text = f"{float(value)}" if is_float(element) else str(value)
        self.emit(f"{name} = arith.constant {text} : {element}")
        return name

    #===-- regions of GM -----------------------------------------------------------------------------------------------===#

    def source(self, shape, element):
        """A buffer to load a tile of that shape from."""
        rank = len(shape)
        known = [a for a in self.arguments if not a.is_result and a.element == element and len(a.shape) == rank]
        if known and self.rng.random() < 0.7:
            return self.rng.choice(known)
        names = ["M", "N"] if rank == 2 else ["N"]
        return self.argument([self.rng.choice([name, name, 70]) for name in names], element)

    def result(self, shape, element):
        known = [a for a in self.arguments if a.tile == shape and a.element == element]
        if known and self.rng.random() < 0.7:
            return self.rng.choice(known)
        return self.argument(["M", "N"][:len(shape)], element, shape)

    def offset(self, extent):
        """A place along a dimension that is anyone's."""
        choices = ["0", str(self.rng.randrange(0, 40))] + [f"{iv} * {extent}" for iv in self.ivs + [self.owner]] * 2
        choices += [f"{iv} * {extent} + {self.rng.randrange(1, 9)}" for iv in self.ivs]
        return self.rng.choice(choices)

    def own(self, shape):
        """Offsets of a region that this block owns."""
        offsets = [f"{self.owner} * {shape[0]}"]
        if len(shape) == 2:
            offsets.append(f"{self.column} * {shape[1]}" if self.column else self.offset(shape[1]))
        return ", ".join(offsets)

    #===-- tiles -------------------------------------------------------------------------------------------------------===#

    def shape(self):
        return self.rng.choice([(self.r, self.c)] * 5 + [(self.r,), (self.c,), (self.r, self.d)])

    def pick(self, scope, wanted):
        found = [tile for tile in scope if wanted(tile)]
        return self.rng.choice(found) if found else None

    def load(self, tile):
        source = self.source(tile.shape, tile.element)
        offsets = ", ".join(self.offset(extent) for extent in tile.shape)
        self.emit(f"tile.copy {source.name}[{offsets}], {tile.name} : {source.type}, {tile.type}")

    def load_part(self, scope):
        """Some columns, or rows, of a tile; what is beside them stays."""
        tile = self.pick(scope, lambda tile: not tile.is_sum)
        if not tile:
            return
        source, step = self.source(tile.shape, tile.element), 32 // {"f32": 4, "i32": 4, "i8": 1}.get(tile.element, 2)
        first = [self.rng.choice([0, 0, 3]) % extent for extent in tile.shape[:-1]]
        first.append(self.rng.randrange(0, tile.shape[-1], step))
        sizes = [self.rng.randrange(1, extent - at + 1) for extent, at in zip(tile.shape, first)]
        places = ", ".join(self.offset(extent) for extent in tile.shape)
        size, at = ", ".join(map(str, sizes)), ", ".join(map(str, first))
        self.emit(f"tile.copy {source.name}[{places}] [{size}], {tile.name}[{at}] [{size}] : {source.type}, {tile.type}")

    def define(self, tile):
        """First content."""
        if tile.is_sum or self.rng.random() < 0.3 and tile.element != "i8":
            value = 0 if tile.is_sum else self.rng.randrange(-2, 3)
            self.emit(f"tile.fill {tile.name}, {self.constant(value, tile.element)} : {tile.type}")
        else:
            self.load(tile)

    def local(self, scope):
        """A tile of this block alone."""
        tile = self.alloc(self.shape(), self.rng.choice(self.elements))
        self.define(tile)
        scope.append(tile)

    #===-- statements --------------------------------------------------------------------------------------------------===#

    def convert(self, value, source, target):
        """From one element type to another; the numbers are those of both."""
        if source == target:
            return value
        if is_float(source) != is_float(target):
            name = self.fresh("v")
            self.emit(f"{name} = arith.{'sitofp' if is_float(target) else 'fptosi'} {value} : {source} to {target}")
            return name
        width = {"f32": 32, "f16": 16, "bf16": 16, "i32": 32, "i16": 16, "i8": 8}
        if width[source] == width[target]:
            return self.convert(self.convert(value, source, "f32"), "f32", target)
        ops = ("extf", "truncf") if is_float(source) else ("extsi", "trunci")
        name = self.fresh("v")
        self.emit(f"{name} = arith.{ops[width[source] > width[target]]} {value} : {source} to {target}")
        return name

    def clamp(self, value, element):
        kind = "imumf" if is_float(element) else "si"
        low, high = self.constant(-BOUND[element], element), self.constant(BOUND[element], element)
        a, c = self.fresh("v"), self.fresh("v")
        self.emit(f"{a} = arith.max{kind} {value}, {low} : {element}")
        self.emit(f"{c} = arith.min{kind} {a}, {high} : {element}")
        return c

    def operand(self, scope, shape, variables, element):
        """The element of a tile that belongs to the iteration, or a constant."""
        places = {shape: variables}
        if len(shape) == 2:
            places[(shape[1],)] = variables[1:]
            places[(shape[0],)] = variables[:1]

        def is_usable(tile):
            same = is_float(tile.element) == is_float(element)
            return tile.shape in places and (same or {tile.element, element} == {"f32", "i32"})
        tile = self.pick(scope, is_usable)
        if not tile or self.rng.random() < 0.1:
            return self.constant(self.rng.choice([-2, -1, 1, 2]), element)
        name = self.fresh("v")
        self.emit(f"{name} = memref.load {tile.name}[{', '.join(places[tile.shape])}] : {tile.type}")
        if tile.is_sum:
            name = self.clamp(name, tile.element)
        return self.convert(name, tile.element, element)

    def operate(self, a, c, element):
        suffix = "f" if is_float(element) else "i"
        kind, name = self.rng.choice(["add", "sub", "mul", "max", "min"] * 4 + ["select", "neg"]), self.fresh("v")
        if kind in ("max", "min"):
            self.emit(f"{name} = arith.{kind}{'imumf' if suffix == 'f' else 'si'} {a}, {c} : {element}")
        elif kind == "select":
            test = self.fresh("v")
            self.emit(f"{test} = arith.cmp{suffix} {'olt' if suffix == 'f' else 'slt'}, {a}, {c} : {element}")
            self.emit(f"{name} = arith.select {test}, {c}, {a} : {element}")
        elif kind == "neg" and suffix == "f":
            self.emit(f"{name} = arith.negf {a} : {element}")
        else:
            self.emit(f"{name} = arith.{kind if kind != 'neg' else 'sub'}{suffix} {a}, {c} : {element}")
        return name

    def work(self, scope):
        """target[i, j] = f(tiles)"""
        target = self.pick(scope, lambda tile: not tile.is_sum)
        if not target:
            return
        variables = [self.fresh("i") for _ in target.shape]
        self.emit(f"tile.parallel ({', '.join(variables)}) in ({', '.join(map(str, target.shape))}) {{")
        self.depth += 1
        element = target.element
        if element in ("f16", "bf16") and self.rng.random() < 0.5:
            element = "f32"
        value = self.operand(scope, target.shape, variables, element)
        for _ in range(self.rng.randrange(1, 4)):
            value = self.clamp(self.operate(value, self.operand(scope, target.shape, variables, element), element), element)
        if BOUND[target.element] < BOUND[element]:
            value = self.clamp(self.convert(value, element, target.element), target.element)
        else:
            value = self.convert(value, element, target.element)
        self.emit(f"memref.store {value}, {target.name}[{', '.join(variables)}] : {target.type}")
        self.depth -= 1
        self.emit("}")

    def cut(self, tile):
        """Brings a tile back below its bound."""
        variables = [self.fresh("i") for _ in tile.shape]
        self.emit(f"tile.parallel ({', '.join(variables)}) in ({', '.join(map(str, tile.shape))}) {{")
        self.depth += 1
        value = self.fresh("v")
        place = f"{tile.name}[{', '.join(variables)}] : {tile.type}"
        self.emit(f"{value} = memref.load {place}")
        self.emit(f"memref.store {self.clamp(value, tile.element)}, {place}")
        self.depth -= 1
        self.emit("}")

    def reduce(self, scope):
        source = self.pick(scope, lambda tile: len(tile.shape) == 2 and not tile.is_sum and tile.element in self.reducible)
        if not source:
            return
        dim = self.rng.choice([1, 1, 0])
        shape = (source.shape[1 - dim],)
        target = self.pick(scope, lambda tile: tile.shape == shape and tile.element == source.element)
        if not target:
            target = self.alloc(shape, source.element)
            self.define(target)
            scope.append(target)
        kind = "sum" if target.is_sum else self.rng.choice(["sum", "max", "min", "absmax", "abssum"])
        combine = " {combine}" if target.is_sum or self.rng.random() < 0.5 else ""
        self.emit(f"tile.reduce {kind} {source.name}, {target.name} dim({dim}){combine} : {source.type}, {target.type}")
        if "sum" in kind and not target.is_sum:
            self.cut(target)

    def scan(self, scope):
        tile = self.pick(scope, lambda tile: len(tile.shape) == 2 and not tile.is_sum)
        if not tile:
            return
        reverse = self.rng.choice(["", " {reverse}"])
        self.emit(f"tile.scan sum {tile.name}, {tile.name} dim({self.rng.choice([0, 1])}){reverse} : {tile.type}, {tile.type}")
        self.cut(tile)

    def gemm(self, scope):
        total = self.pick(scope, lambda tile: tile.is_sum and len(tile.shape) == 2)
        if not total:
            return
        (m, n), k = total.shape, self.d
        a = b = None
        if self.has_vectors and self.rng.random() < 0.4:
            a = self.pick(scope, lambda tile: tile.shape == (m, k) and tile.element == self.product and not tile.is_sum)
            b = self.pick(scope, lambda tile: tile.shape == (k, n) and tile.element == self.product and not tile.is_sum)
        flags = []
        if not a:
            shape = (m, k)
            if self.rng.random() < 0.2:
                shape, flags = (k, m), ["transpose_a"]
            a = self.alloc(shape, self.product, space="shared")
            self.load(a)
        if not b or b.name == a.name:
            shape = (k, n)
            if self.rng.random() < 0.4:
                shape, flags = (n, k), flags + ["transpose_b"]
            b = self.alloc(shape, self.product, space="shared")
            self.load(b)
        if self.rng.random() < 0.3:
            flags.append("clear")
        text = f" {{{', '.join(flags)}}}" if flags else ""
        self.emit(f"tile.gemm {a.name}, {b.name}, {total.name}{text} : {a.type}, {b.type}, {total.type}")

    def move(self, scope):
        source = self.pick(scope, lambda tile: True)
        target = self.pick(scope, lambda tile: not tile.is_sum and source and tile.shape == source.shape and
                           is_float(tile.element) == is_float(source.element) and tile.name != source.name)
        if target:
            self.emit(f"tile.copy {source.name}, {target.name} : {source.type}, {target.type}")
            if source.is_sum or BOUND[source.element] > BOUND[target.element]:
                self.cut(target)

    def reload(self, scope):
        tile = self.pick(scope, lambda tile: not tile.is_sum)
        if tile:
            self.load(tile)

    def store(self, scope):
        tile = self.pick(scope, lambda tile: len(tile.shape) == 2 or not self.column)
        if not tile:
            return
        target = self.result(tile.shape, tile.element)
        place = f"{target.name}[{self.own(tile.shape)}]"
        if self.rng.random() < 0.1 and tile.element in ("f32", "f16", "bf16", "i32"):
            self.emit(f"tile.atomic add {tile.name}, {place} : {tile.type}, {target.type}")
        else:
            self.emit(f"tile.copy {tile.name}, {place} : {tile.type}, {target.type}")

    def read_back(self, scope):
        """What this block has stored, or will store."""
        tile = self.pick(scope, lambda tile: not tile.is_sum)
        known = [a for a in self.arguments if tile and a.element == tile.element and a.tile == tile.shape]
        if not known:
            return
        source = self.rng.choice(known)
        self.emit(f"tile.copy {source.name}[{self.own(tile.shape)}], {tile.name} : {source.type}, {tile.type}")
        self.cut(tile)

    def gather(self, scope):
        """Rows at indices that are read."""
        tile = self.pick(scope, lambda tile: len(tile.shape) == 2 and not tile.is_sum)
        if not tile:
            return
        source, indices = self.source(tile.shape, tile.element), self.source((1,), "i32")
        row, at, read, cast = self.fresh("s"), self.fresh("v"), self.fresh("v"), self.fresh("v")
        self.emit(f"tile.pipelined {row} = 0 to {tile.shape[0]} stages({self.rng.choice([1, 2])}) {{")
        self.depth += 1
        self.emit(f"{at} = affine.apply affine_map<(d0) -> (d0 mod 7)>({row})")
        self.emit(f"{read} = memref.load {indices.name}[{at}] : {indices.type}")
        self.emit(f"{cast} = arith.index_cast {read} : i32 to index")
        self.emit(f"tile.copy {source.name}[{cast}, 0] [1, {tile.shape[1]}], {tile.name}[{row}, 0] [1, {tile.shape[1]}] : "
                  f"{source.type}, {tile.type}")
        self.depth -= 1
        self.emit("}")

    def bounds(self):
        low = self.rng.choice([0, 0, 0, 0, 1, 2])
        high = self.rng.choice(["%steps", "%steps", "%steps", "%few"] + [str(n) for n in range(6)])
        return low, high, self.rng.choice([1, 1, 1, 2])

    def loop(self, scope, level):
        iv, (low, high, step) = self.fresh("s"), self.bounds()
        if self.rng.random() < 0.65:
            # Each loop repeats its body for each stage, and again for what is left.
            stages = self.rng.choice([1, 2, 2, 2, 3, 3, 4] if level == 0 else [1, 2])
            self.emit(f"tile.pipelined {iv} = {low} to {high} step {step} stages({stages}) {{")
        else:
            names = [number if str(number).startswith("%") else self.index(number) for number in (low, high, step)]
            self.emit(f"scf.for {iv} = {names[0]} to {names[1]} step {names[2]} {{")
        self.ivs.append(iv)
        self.block(scope, level + 1)
        self.ivs.pop()
        self.emit("}")

    def index(self, number):
        name = self.fresh("n")
        self.emit(f"{name} = arith.constant {number} : index")
        return name

    def branch(self, scope, level):
        test = self.fresh("v")
        kind = self.rng.randrange(3)
        flag = self.pick(scope, lambda tile: tile.element == "i32" and not tile.is_sum)
        if kind == 0 and flag:
            read = self.fresh("v")
            zeros = ", ".join([self.index(0)] * len(flag.shape))
            self.emit(f"{read} = memref.load {flag.name}[{zeros}] : {flag.type}")
            self.emit(f"{test} = arith.cmpi sgt, {read}, {self.constant(0, 'i32')} : i32")
        else:
            value = self.rng.choice(self.ivs + ["%steps", self.owner])
            kind = self.rng.choice(["eq", "ne", "ult", "ugt"])
            self.emit(f"{test} = arith.cmpi {kind}, {value}, {self.index(self.rng.randrange(4))} : index")
        self.emit(f"scf.if {test} {{")
        self.block(scope, level + 1)
        if self.rng.random() < 0.4:
            self.emit("} else {")
            self.block(scope, level + 1)
        self.emit("}")

    def block(self, outer, level):
        self.depth += 1
        scope = list(outer)
        for _ in range(self.rng.randrange(1, 4 if level else 7)):
            choices = [(self.store, 3), (self.reload, 2)]
            if self.has_vectors:
                choices += [(self.work, 6), (self.reduce, 2), (self.move, 1), (self.local, 3), (self.load_part, 0.7), (self.read_back, 0.7),
                            (self.scan, 0.3), (self.gather, 0.3)]
            if self.has_products:
                choices += [(self.gemm, 6)]
            if level < 2:
                choices += [(lambda s: self.loop(s, level), 4 if level == 0 else 1.5), (lambda s: self.branch(s, level), 1)]
            statement, = self.rng.choices([c for c, _ in choices], [w for _, w in choices])
            statement(scope)
        self.depth -= 1

    #===-- the function ------------------------------------------------------------------------------------------------===#

    def body(self):
        scope = []
        if self.has_vectors:
            for _ in range(self.rng.randrange(2, 5)):
                scope.append(self.alloc(self.shape(), self.rng.choice(self.elements)))
            if self.has_products:
                scope.append(self.alloc((self.r, self.d), self.product))
        if self.has_products:
            for _ in range(self.rng.randrange(1, 3)):
                scope.append(self.alloc((self.r, self.c), self.sum, True, "fragment"))
        for tile in scope:
            self.define(tile)
        if self.persistent:
            domain = self.rng.choice([["%rows"], ["%columns", "%rows"]])
            names = [self.fresh("p") for _ in domain]
            self.emit(f"tile.persistent ({', '.join(names)}) in ({', '.join(domain)}) {{")
            self.owner, self.column = names[-1], names[0] if len(names) == 2 else None
            self.block(scope, 0)
            self.emit("}")
            return
        self.depth -= 1
        self.block(scope, 0)
        self.depth += 1
        # Something is seen of what was computed.
        self.store(scope)

    def sizes(self):
        rng, c = self.rng, self.c
        columns = [0, 1, c - 1, c, c + 1, 2 * c, 2 * c + 3, 3 * c, 4 * c - 1, 5 * c]
        rows = [0, 1, self.r, self.r + 1, 2 * self.r, 3 * self.r - 1]
        return sorted({f"M={rng.choice(rows[1:] if rng.random() < 0.95 else rows)} N={rng.choice(columns)} F={f}"
                       for f in rng.sample(range(5), 3)})

    def build(self):
        self.depth, self.owner, self.column = 0, "%b", None
        self.body()
        grid = "3" if self.persistent else "%blocks"
        parameters = ["%sizes: memref<?x?x?xi8> {tile.shape = \"MxNxF\", tile.init = \"zeros\"}"]
        for argument in self.arguments:
            result = ", tile.result" if argument.is_result else ""
            bound = "-1,40" if argument.element == "i32" and len(argument.shape) == 1 and not argument.is_result else "-2,2"
            parameters.append(f"{argument.name}: {argument.type} {{tile.shape = \"{'x'.join(map(str, argument.shape))}\", "
                              f"tile.init = \"integers({bound})\"{result}}}")
        cases = ", ".join(f'"{case}"' for case in self.sizes())
        self.head, self.cases = f"func.func @{self.name}({', '.join(parameters)})", f"tile.cases = [{cases}]"
        lines = ["{"]
        lines += [f"  %c{i} = arith.constant {i} : index" for i in range(3)]
        lines += [f"  %{name} = memref.dim %sizes, %c{i} : memref<?x?x?xi8>" for i, name in enumerate(["m", "n", "few"])]
        rows = [self.r] + [a.tile[0] for a in self.arguments if a.is_result]
        lines += [f"  %steps = affine.apply affine_map<()[n] -> (n ceildiv {self.c})>()[%n]",
                  f"  %columns = affine.apply affine_map<()[n] -> (n ceildiv {self.c})>()[%n]",
                  f"  %rows = affine.apply affine_map<()[n] -> (n ceildiv {self.r})>()[%m]",
                  f"  %blocks = affine.apply affine_map<()[n] -> (n ceildiv {self.rng.choice([min(rows), max(rows)])})>()[%m]",
                  f"  tile.kernel (%b) in ({grid}) {{"]
        lines += self.allocs + self.lines + ["  }", "  return", "}"]
        self.rest = "\n".join(lines)

    def get_text(self, with_reference=True):
        """The function; its reference is the same kernel on the CPU."""
        reference = f"tile.reference = @{self.name}_reference, " if with_reference else ""
        return f"{self.head} attributes {{{reference}{self.cases}}} {self.rest}"

    def get_reference(self):
        return self.head.replace(f"@{self.name}(", f"@{self.name}_reference(") + " " + self.rest
