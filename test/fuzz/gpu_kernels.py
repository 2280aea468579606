# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random tile kernels for GPUs, each with its meaning as plain loops (writer.py).

Results are exact, whatever the order of the sums: values are small integers, and where the kernel has them NaN and
infinities. A kernel is a tree of loops and branches over the statements of statements.py. Blocks own the rows that they
write. Each tile is either small, its values below a bound, or a sum that only grows and is cut to that bound where it is
read.
"""
import random
import re

from statements import Statements
from writer import HELD, Argument, Tile, get_width, is_float

# Of tiles and of the elements that they are made of; more often those of products.
ELEMENTS = ["f32", "f32", "f32", "f16", "f16", "bf16", "bf16", "f64", "i32", "i32", "i16", "i8", "i8", "i64", "i4",
            "f8E4M3FN", "f8E5M2", "f4E2M1FN"]
PRODUCTS = [("f16", "f32")] * 4 + [("bf16", "f32")] * 3 + [("f16", "f16"), ("f32", "f32"), ("f64", "f64")] + [("i8", "i32")] * 2 + [
    ("bf16", "bf16"), ("i4", "i32")]
FLOATS_8 = [("f8E4M3FN", "f32"), ("f8E5M2", "f32"), ("f8E4M3FN", "f16")]
FLOATS_8_FNUZ = [("f8E4M3FNUZ", "f32"), ("f8E5M2FNUZ", "f32"), ("f8E4M3FNUZ", "f16")]
# What the compiler is asked for, the products of 8-bit floats that the chip has, and how many threads execute together.
CHIPS = {
    "sm_80": ("cuda", [], 32), "sm_90a": ("cuda", FLOATS_8, 32), "sm_120": ("cuda", FLOATS_8, 32),
    "gfx90a": ("hip", [], 64), "gfx942": ("hip", FLOATS_8_FNUZ, 64), "gfx950": ("hip", FLOATS_8, 64),
    "gfx1100": ("hip", [], 32), "gfx1201": ("hip", FLOATS_8, 32),
}
SIZE_OF = {"R": "M", "C": "N", "D": "K", "E": "E", "F": "E", "T": "T", "X": "T"}


class Kernel(Statements):
    """A function with one kernel or a few. What `left_out` numbers is not written."""

    def __init__(self, seed, name, chip, left_out=(), asks=False):
        super().__init__(random.Random(f"{seed}"))
        self.asks = asks
        self.name, self.left_out, self.statements = name, set(left_out), 0
        self.allocs, self.buffers, self.arguments, self.ivs = [], [], [], []
        rng = self.rng
        _, floats, self.warp = CHIPS[chip]
        self.has_products = rng.random() < 0.45
        self.has_vectors = not self.has_products or rng.random() < 0.75
        self.has_specials = rng.random() < 0.2
        self.is_static = rng.random() < 0.35
        # Rows of a whole number of vectors, which the compiler is told or has to find out.
        self.multiple = rng.choice([1, 1, 1, 8, 16])
        self.says_multiple = rng.random() < 0.5
        self.choose_extents()
        count = rng.choice([1, 2, 2, 3])
        self.elements = rng.sample(ELEMENTS, count)
        if self.has_specials:
            self.elements = [e for e in self.elements if e != "f4E2M1FN"] + ["f32"]
        self.product, self.sum = rng.choice(PRODUCTS + floats * 2)
        if self.has_products:
            self.elements += [self.product] * 2 + ([self.sum] if rng.random() < 0.5 else [])
        if any(get_width(e) < 8 for e in self.elements + [self.product] * self.has_products):
            self.multiple = max(self.multiple, 2)
        self.build()

    def prefer(self, tile, source, places):
        """Copies whose rows are known to be whole words are asynchronous."""
        width, last = get_width(tile.element), places[-1]
        rows = (source.shape[-1], tile.shape[-1], last.scale if last.value else 0, last.shift)
        if (not self.asks or tile.space != "shared" or source.element != tile.element or width < 8 or
                any(isinstance(extent, str) or extent * width % 32 for extent in rows)):
            return ""
        source.is_aligned = True
        return " prefer(cp_async)"

    def choose_extents(self):
        rng = self.rng
        rows = rng.choice([8, 16, 32, 64, 5, 19, 1])
        columns, depth = rng.choice([16, 32, 64, 128, 24, 33, 7]), rng.choice([16, 32, 40, 9])
        if self.has_products:
            rows, columns = rng.choice([16, 32, 64, 64, 128, 48, 17]), rng.choice([16, 32, 64, 64, 128, 24, 8, 40])
            depth = rng.choice([16, 32, 32, 64, 8, 24, 5])
        self.extents = {"R": rows, "C": columns, "D": depth, "E": rng.choice([1, 2, 3, 4, 8]), "F": rng.choice([2, 3, 4]),
                        "T": min(rng.choice([1, 2, 5, 8]), columns), "X": 9}
        self.shapes = [("R", "C")] * 5 + [("R",), ("C",), ("R", "D"), ("C", "R"), ("D", "C")]
        if rows * columns <= 2048:
            self.shapes += [("R", "E", "C"), ("E", "R", "C"), ("R", "E"), ("E", "C")] * 2
        if rows * columns <= 512:
            self.shapes += [("R", "E", "F", "C"), ("E", "F", "R", "C"), ("R", "F", "C")]
        self.threads = rng.choice([32, 64, 128, 128, 128, 256]) if self.warp == 32 else rng.choice([64, 128, 256, 256])

    #===-- buffers -----------------------------------------------------------------------------------------------------===#

    def alloc(self, dims, element, is_sum=False, space=None):
        shape = tuple(self.extents[dim] for dim in dims)
        space = space or self.rng.choice(["shared", "fragment"])
        tile = Tile(self.fresh("t"), tuple(dims), shape, element, space, is_sum)
        self.allocs.append(f"    {tile.name} = tile.alloc : {tile.type}")
        sizes = ", ".join(self.number(extent) for extent in shape)
        self.buffers.append(f"  {tile.name} = memref.alloc({sizes}) : {tile.held}")
        return tile

    def get_extent(self, dim, tile_dim):
        """Of an argument: a name, or a number."""
        if not self.is_static:
            size = SIZE_OF[dim]
            if size in ("M", "N", "K") and self.rng.random() < 0.75:
                return size
        number = self.rng.choice([tile_dim, tile_dim + 1, 2 * tile_dim, 70, self.static_sizes[SIZE_OF.get(dim, "M")]])
        return -(-number // self.multiple) * self.multiple

    def argument(self, dims, element, is_result, batches=0):
        shape = [self.get_extent(dim, self.extents[dim]) for dim in dims]
        if is_result:
            shape[0] = self.static_sizes["M"] if self.is_static else "M"
        # Two elements of 4 bits share a byte, which no two rows do.
        if get_width(element) < 8 and isinstance(shape[-1], str) and shape[-1] == "M":
            shape[-1] = 34
        if get_width(element) < 8 and not isinstance(shape[-1], str):
            shape[-1] += shape[-1] % 2
        if batches:
            shape.insert(0, batches)
        argument = Argument(f"%g{len(self.arguments)}", tuple(dims), shape, element, is_result)
        self.arguments.append(argument)
        if not is_result and self.rng.random() < 0.1:
            argument.padding = self.rng.choice([1, -1, 2])
        return argument

    def pad(self, text):
        """The padding values of what a kernel reads."""
        lines = []
        for argument in self.arguments:
            if argument.padding and f"{argument.name}[" in text:
                name = self.fresh("k")
                lines += [f"    {name} = arith.constant {self.literal(argument.padding, argument.element)} : {argument.element}",
                          f"    tile.padding_value {argument.name}, {name} : {argument.type}"]
        return lines

    #===-- control -----------------------------------------------------------------------------------------------------===#

    def bounds(self):
        low = self.rng.choice([0, 0, 0, 0, 1, 2])
        high = self.rng.choice(["%steps"] * 3 + ["%few"] + list(range(6)))
        return low, high, self.rng.choice([1, 1, 1, 2])

    def repeat(self, scope, level):
        iv, (low, high, step) = self.fresh("s"), self.bounds()
        if self.rng.random() < 0.65:
            stages = self.rng.choice([1, 2, 2, 3, 3, 4])
            self.tile(f"tile.pipelined {iv} = {low} to {high} step {step} stages({stages}) {{")
        else:
            names = [number if isinstance(number, str) else self.index(number) for number in (low, high, step)]
            self.tile(f"scf.for {iv} = {names[0]} to {names[1]} step {names[2]} {{")
        self.loop(f"scf.for {iv} = {self.number(low)} to {self.number(high)} step {self.number(step)} {{")
        self.ivs.append(iv)
        self.block(scope, level + 1)
        self.ivs.pop()
        self.both("}")

    def branch(self, scope, level):
        flag = self.pick(scope, lambda tile: not is_float(tile.element) and not tile.is_sum)
        kind = self.rng.randrange(3)
        if kind == 0 and flag:
            test = self.vote(flag)
        elif kind == 1 and flag and flag.space == "shared" and flag.element not in HELD:
            zeros = ", ".join([self.index(0)] * len(flag.shape))
            read = self.fresh("v")
            self.tile(f"{read} = memref.load {flag.name}[{zeros}] : {flag.type}")
            self.loop(f"{read} = memref.load {flag.name}[{zeros}] : {flag.held}")
            test = self.let("v", f"arith.cmpi sgt, {read}, {self.constant(0, flag.element)} : {flag.element}")
        else:
            value = self.rng.choice(self.ivs + ["%steps", self.owner])
            kind = self.rng.choice(["eq", "ne", "ult", "ugt"])
            test = self.let("v", f"arith.cmpi {kind}, {value}, {self.index(self.rng.randrange(4))} : index")
        self.both(f"scf.if {test} {{")
        self.block(scope, level + 1)
        if self.rng.random() < 0.4:
            self.both("} else {")
            self.block(scope, level + 1)
        self.both("}")

    def state(self, statement, scope):
        """Writes a statement, unless it is one of those that are left out."""
        number, marks = self.statements, (len(self.lines), len(self.loops))
        self.statements += 1
        statement(scope)
        if number in self.left_out:
            del self.lines[marks[0]:], self.loops[marks[1]:]

    def block(self, outer, level):
        self.depth += 1
        scope = list(outer)
        for _ in range(self.rng.randrange(1, 4 if level else 7)):
            choices = [(self.store, 3), (self.reload, 2)]
            if self.has_vectors:
                choices += [(self.work, 6), (self.reduce, 3), (self.move, 1.5), (self.local, 3), (self.load_part, 0.7),
                            (self.read_back, 0.7), (self.scan, 1), (self.gather, 0.4), (self.transpose, 0.7), (self.rank, 0.3),
                            (self.scatter, 0.4), (self.work_on_global, 1), (self.write_scalar, 0.3), (self.collect, 0.5)]
            if self.has_specials:
                choices += [(self.season, 2)]
            if self.has_products:
                choices += [(self.gemm, 5), (self.accumulate, 2)]
            if level < 2:
                choices += [(lambda s: self.repeat(s, level), 4 if level == 0 else 1.5), (lambda s: self.branch(s, level), 1)]
            statement, = self.rng.choices([c for c, _ in choices], [w for _, w in choices])
            self.state(statement, scope)
        self.depth -= 1

    #===-- the function ------------------------------------------------------------------------------------------------===#

    def start(self):
        scope = []
        if self.has_vectors:
            for _ in range(self.rng.randrange(2, 5)):
                scope.append(self.alloc(self.rng.choice(self.shapes), self.rng.choice(self.elements)))
        if self.has_products:
            for _ in range(self.rng.randrange(1, 3)):
                scope.append(self.alloc(("R", "C"), self.sum, True, "fragment"))
        for tile in scope:
            self.state(lambda _, tile=tile: self.define(tile), scope)
        return scope

    def walk(self):
        """The body of a persistent kernel: tiles begin anew, since the order in which a block walks is no matter here."""
        domain = self.rng.choice([["%rows"], ["%columns", "%rows"]])
        names = [self.fresh("w") for _ in domain]
        group = self.rng.choice(["", " group(2)"])
        self.tile(f"tile.persistent ({', '.join(names)}) in ({', '.join(domain)}){group} {{")
        for name, extent in zip(names, domain):
            self.loop(f"scf.for {name} = {self.number(0)} to {extent} step {self.number(1)} {{")
        self.owner, self.column = names[-1], names[0] if len(names) == 2 else None
        self.depth += 1
        scope = self.start()
        self.depth -= 1
        self.block(scope, 0)
        self.tile("}")
        self.loop("}" * len(domain))

    def write_kernel(self):
        rng, outer = self.rng, (self.lines, self.loops)
        self.lines, self.loops, self.allocs, self.ivs = [], [], [], []
        self.owner, self.column, persistent = "%b", None, rng.random() < 0.15
        grid = "(%b) in (%blocks)"
        heads = [f"scf.for %b = {self.number(0)} to %blocks step {self.number(1)} {{"]
        if persistent:
            grid, heads = "(%b) in (%few_blocks)", ["scf.if %yes {"]
        elif rng.random() < 0.3:
            grid, self.column = "(%a, %b) in (%columns, %blocks)", "%a"
            heads.append(f"scf.for %a = {self.number(0)} to %columns step {self.number(1)} {{")
        self.depth = 2
        if persistent:
            self.walk()
        else:
            scope = self.start()
            self.depth -= 1
            self.block(scope, 0)
            self.depth += 1
            if not self.pick(scope, self.can_own):
                scope = [self.alloc(("R", "C"), self.elements[0])]
                self.define(scope[0])
            self.state(self.store, scope)
        lines, loops, allocs = self.lines, self.loops, self.allocs
        self.lines, self.loops, self.depth = *outer, 1
        self.tile(f"tile.kernel {grid} threads({self.threads}) {{")
        for head in heads:
            self.loop(head)
        used = "\n".join(lines)
        self.lines += [line for line in allocs if f"{line.split()[0]}" in used] + self.pad(used) + lines
        self.loops += loops
        self.tile("}")
        self.loop("}" * len(heads))

    def choose_sizes(self):
        rng, r, c, d = self.rng, self.extents["R"], self.extents["C"], self.extents["D"]
        up = lambda sizes: sorted({-(-size // self.multiple) * self.multiple for size in sizes})
        rows = [1, r, r + 1, 2 * r, 3 * r - 1] + [0] * (rng.random() < 0.1)
        columns, depths = up([1, c - 1, c, c + 1, 2 * c, 2 * c + 3, 4 * c - 1]), up([1, d, d + 1, 2 * d, 3 * d + 2])
        if not self.says_multiple and rng.random() < 0.2:
            columns.append(0)
        self.static_sizes = {"M": max(rng.choice(rows), 1), "N": max(rng.choice(columns), 1), "K": rng.choice(depths),
                             "F": rng.randrange(5), "E": self.extents["E"], "T": self.extents["T"]}
        self.cases = sorted({f"M={rng.choice(rows)} N={rng.choice(columns)} K={rng.choice(depths)} F={f}"
                             for f in rng.sample(range(5), 3)})

    def write_host(self):
        parameters = []
        for size, name in (("M", "%m"), ("N", "%n"), ("K", "%k"), ("F", "%few")):
            if self.is_static:
                self.both(f"{name} = arith.constant {self.static_sizes[size]} : index")
            else:
                parameters.append(f"{name}: index {{tile.shape = \"{size}\"}}")
        rows = self.rng.choice([self.extents["R"], max(1, self.extents["R"] - 3)])
        for name, value, unit in (("%steps", "%k", self.extents["D"]), ("%columns", "%n", self.extents["C"]),
                                  ("%rows", "%m", self.extents["R"]), ("%blocks", "%m", rows)):
            self.both(f"{name} = affine.apply affine_map<()[n] -> (n ceildiv {unit})>()[{value}]")
        self.tile("%few_blocks = arith.constant 3 : index")
        self.loop("%yes = arith.constant true")
        return parameters

    def build(self):
        self.depth = 1
        self.choose_sizes()
        parameters = self.write_host()
        for self.kernel in range(self.rng.choice([1, 1, 1, 2, 3])):
            self.write_kernel()
        if self.says_multiple and self.multiple > 1 and not self.is_static:
            for argument in self.arguments:
                argument.shape = [f"{extent}%{self.multiple}" if extent in ("N", "K") else extent for extent in argument.shape]
        text = "\n".join(self.lines + self.loops)
        self.arguments = [a for a in self.arguments if re.search(rf"{a.name}\b|{a.loose}\b", text)]
        parameters += [argument.get_parameter(self.get_start_bound(argument)) for argument in self.arguments]
        cases = "" if self.is_static else ", tile.cases = [" + ", ".join(f'"{case}"' for case in self.cases) + "]"
        head = f"({', '.join(parameters)})"
        casts = [f"  %x{number} = arith.constant {number} : index" for number in sorted(self.numbers)]
        casts += [f"  {a.loose} = memref.cast {a.name} : {a.type} to {a.any}" for a in self.arguments if a.loose != a.name]
        frees = [line.split(" = ")[0].strip() for line in self.buffers]
        frees = [f"  memref.dealloc {name} : {line.rsplit(' : ')[1]}" for name, line in zip(frees, self.buffers)]
        self.text = "\n".join([f"func.func @{self.name}{head} attributes {{tile.reference = @{self.name}_reference{cases}}} {{"] +
                              self.lines + ["  return", "}"])
        self.reference = "\n".join([f"func.func private @{self.name}_reference{head} {{"] + casts + self.buffers + self.loops +
                                   frees + ["  return", "}"])


def join(kernels):
    """One file."""
    library = {name: text for kernel in kernels for name, text in kernel.library.items()}
    return "\n\n".join([kernel.text + "\n" + kernel.reference for kernel in kernels] + list(library.values())) + "\n"
