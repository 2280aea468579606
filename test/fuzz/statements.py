# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The statements of random kernels: a method for each op, which writes the op, and the loops that it stands for."""
from writer import HELD, SPECIAL, Place, Writer, get_width, is_computed, is_float

LARGE = 4


def get_bound(element):
    return {"f4E2M1FN": 2, "bf16": 4}.get(element, LARGE)


class Statements(Writer):
    @staticmethod
    def get_start_bound(argument):
        """Of what an argument holds at first."""
        return 3 if argument.is_result or not is_float(argument.element) else 2

    def pick(self, scope, wanted):
        found = [tile for tile in scope if wanted(tile)]
        return self.rng.choice(found) if found else None

    def list_dims(self, tile):
        return ", ".join(map(str, tile.shape))

    #===-- global memory -----------------------------------------------------------------------------------------------===#

    def source(self, dims, element, batched=True):
        """A buffer to load a tile from, that no block of this kernel writes."""
        known = [a for a in self.arguments if a.dims == tuple(dims) and a.element == element and self.kernel not in a.writers and
                 (batched or len(a.shape) == len(dims))]
        if not known or self.rng.random() < 0.3:
            batches = self.rng.choice([1, 3]) if batched and len(dims) < 4 and self.rng.random() < 0.15 else 0
            known = [self.argument(dims, element, False, batches)]
        argument = self.rng.choice(known)
        if argument.is_result:
            argument.readers.add(self.kernel)
        return argument

    def result(self, dims, element):
        known = [a for a in self.arguments if a.is_result and a.dims == tuple(dims) and a.element == element and
                 self.kernel not in a.readers]
        if not known or self.rng.random() < 0.3:
            known = [self.argument(dims, element, True)]
        argument = self.rng.choice(known)
        argument.writers.add(self.kernel)
        return argument

    def place(self, extent):
        """A place along a dimension that is anyone's."""
        rng = self.rng
        choices = [Place(), Place(shift=rng.randrange(0, 40))]
        choices += [Place(iv, extent) for iv in self.ivs + [self.owner]] * 3
        choices += [Place(iv, extent, rng.randrange(1, 9)) for iv in self.ivs]
        return rng.choice(choices)

    def find_places(self, argument, tile):
        places = [self.place(extent) for extent in tile.shape]
        return [Place(self.rng.choice(self.ivs + [None]), 1, 0)] * (len(argument.shape) - len(places)) + places

    def own(self, tile):
        """The region of a result that this block writes."""
        places = [Place(self.owner, tile.shape[0])]
        places += [self.place(extent) for extent in tile.shape[1:]]
        if self.column:
            places[-1] = Place(self.column, tile.shape[-1])
        return places

    def can_own(self, tile):
        return not self.column or len(tile.shape) > 1

    @staticmethod
    def region(argument, places):
        return f"{argument.name}[{', '.join(place.get_text() for place in places)}]"

    def locate_all(self, places, variables):
        extra = len(places) - len(variables)
        return [self.locate(place, variable) for place, variable in zip(places, [None] * extra + variables)]

    #===-- copies ------------------------------------------------------------------------------------------------------===#

    def load(self, tile, source=None, places=None):
        source = source or self.source(tile.dims, self.choose_other(tile))
        places = places or self.find_places(source, tile)
        flags = self.choose_flags(source.element, tile.element)
        self.tile(f"tile.copy {self.region(source, places)}, {tile.name}{self.prefer(tile, source, places)}"
                  f"{self.attach(flags)} : {source.type}, {tile.type}")
        variables = self.open_loops(tile.shape)
        value = self.get_global(source, self.locate_all(places, variables))
        self.keep_element(self.find_converted(value, source.element, tile.element, flags), tile, variables)
        self.close_loops(len(variables))

    def prefer(self, tile, source, places):
        """The instruction that a copy asks for, if it does."""
        return ""

    def choose_other(self, tile):
        """The type of a buffer that a tile is copied to or from."""
        if self.rng.random() < 0.85:
            return tile.element
        return self.rng.choice([e for e in self.elements if is_float(e) == is_float(tile.element)] or [tile.element])

    def choose_flags(self, source, target):
        flags = []
        if source != target and is_float(target) and get_width(target) < 32 and self.rng.random() < 0.3:
            flags.append("saturate")
        return flags

    @staticmethod
    def attach(flags):
        return f" {{{', '.join(flags)}}}" if flags else ""

    def load_part(self, scope):
        """Some columns, or rows, of a tile; what is beside them stays."""
        tile = self.pick(scope, lambda tile: not tile.is_sum and tile.space == "shared")
        if not tile:
            return
        source, even = self.source(tile.dims, tile.element, False), 2 if get_width(tile.element) < 8 else 1
        first = [self.rng.choice([0, 0, 3]) % extent // even * even for extent in tile.shape]
        sizes = [self.rng.randrange(1, extent - at + 1) for extent, at in zip(tile.shape, first)]
        places = [self.place(extent) for extent in tile.shape]
        size, at = ", ".join(map(str, sizes)), ", ".join(map(str, first))
        self.tile(f"tile.copy {self.region(source, places)} [{size}], {tile.name}[{at}] [{size}] : {source.type}, {tile.type}")
        variables = self.open_loops(sizes)
        value = self.get_global(source, self.locate_all(places, variables))
        self.keep_element(value, tile, [self.locate(Place(shift=at), v) for at, v in zip(first, variables)])
        self.close_loops(len(variables))

    def define(self, tile):
        """First content."""
        if tile.is_sum or self.rng.random() < 0.3:
            value = 0 if tile.is_sum else self.rng.randrange(-2, 3)
            if self.has_specials and tile.element in SPECIAL and not tile.is_sum and self.rng.random() < 0.3:
                value = self.rng.choice(SPECIAL[tile.element] + ["-0.0"])
            value = self.constant(value, tile.element)
            self.tile(f"tile.fill {tile.name}, {value} : {tile.type}")
            variables = self.open_loops(tile.shape)
            self.keep_element(value, tile, variables)
            self.close_loops(len(variables))
        else:
            self.load(tile)

    def local(self, scope):
        """A tile of this block alone."""
        tile = self.alloc(self.rng.choice(self.shapes), self.rng.choice(self.elements))
        self.define(tile)
        scope.append(tile)

    def reload(self, scope):
        tile = self.pick(scope, lambda tile: not tile.is_sum)
        if tile:
            self.load(tile)

    def move(self, scope):
        source = self.pick(scope, lambda tile: True)
        target = self.pick(scope, lambda tile: not tile.is_sum and source and tile.dims == source.dims and
                           tile.name != source.name)
        if not target:
            return
        flags = self.choose_flags(source.element, target.element)
        self.tile(f"tile.copy {source.name}, {target.name}{self.attach(flags)} : {source.type}, {target.type}")
        variables = self.open_loops(source.shape)
        value = self.find_element(source, variables)
        self.keep_element(self.find_converted(value, source.element, target.element, flags), target, variables)
        self.close_loops(len(variables))
        if source.is_sum or get_bound(source.element) > get_bound(target.element):
            self.cut(target)

    def transpose(self, scope):
        source = self.pick(scope, lambda tile: len(tile.dims) == 2 and not tile.is_sum)
        target = source and self.pick(scope, lambda tile: tile.dims == source.dims[::-1] and tile.element == source.element)
        if not target or target.is_sum:
            return
        self.tile(f"tile.transpose {source.name}, {target.name} : {source.type}, {target.type}")
        variables = self.open_loops(source.shape)
        self.keep_element(self.find_element(source, variables), target, variables[::-1])
        self.close_loops(2)

    def store(self, scope):
        tile = self.pick(scope, self.can_own)
        if not tile:
            return
        adds = self.rng.random() < 0.08 and tile.element in ("f32", "i32", "f64", "i64", "f16", "bf16") and not tile.is_sum
        target = self.result(tile.dims, tile.element if adds else self.choose_other(tile))
        places, flags = self.own(tile), []
        if adds:
            self.tile(f"tile.atomic add {tile.name}, {self.region(target, places)} : {tile.type}, {target.type}")
        else:
            flags = self.choose_flags(tile.element, target.element)
            self.tile(f"tile.copy {tile.name}, {self.region(target, places)}{self.attach(flags)} : {tile.type}, {target.type}")
        variables = self.open_loops(tile.shape)
        indices = self.locate_all(places, variables)
        value = self.find_converted(self.find_element(tile, variables), tile.element, target.element, flags)
        if adds:
            old = self.get_global(target, indices)
            value = self.find("v", f"arith.add{'f' if is_float(tile.element) else 'i'} {old}, {value} : {tile.element}")
        self.put_global(value, target, indices)
        self.close_loops(len(variables))

    def read_back(self, scope):
        """What this block has stored, or will store."""
        tile = self.pick(scope, lambda tile: not tile.is_sum and self.can_own(tile))
        known = [a for a in self.arguments if tile and a.is_result and a.element == tile.element and a.dims == tile.dims and
                 self.kernel in a.writers]
        if known:
            self.load(tile, self.rng.choice(known), self.own(tile))
            self.cut(tile)

    def gather(self, scope):
        """Rows at indices that are read."""
        tile = self.pick(scope, lambda tile: len(tile.shape) == 2 and not tile.is_sum and tile.space == "shared")
        if not tile:
            return
        source, indices = self.source(tile.dims, tile.element, False), self.source(("R",), "i32", False)
        row, at = self.fresh("s"), self.fresh("v")
        self.tile(f"tile.pipelined {row} = 0 to {tile.shape[0]} stages({self.rng.choice([1, 2])}) {{")
        self.loop(f"scf.for {row} = {self.number(0)} to {self.number(tile.shape[0])} step {self.number(1)} {{")
        self.depth += 1
        at = self.let("v", f"affine.apply affine_map<(d0) -> (d0 mod 7)>({row})")
        self.tile(f"%read{at[1:]} = memref.load {indices.name}[{at}] : {indices.type}")
        self.loop(f"%read{at[1:]} = arith.addi {self.get_global(indices, [at])}, {self.find_constant(0, 'i32')} : i32")
        cast = self.let("v", f"arith.index_cast %read{at[1:]} : i32 to index")
        width = tile.shape[1]
        self.tile(f"tile.copy {source.name}[{cast}, 0] [1, {width}], {tile.name}[{row}, 0] [1, {width}] : {source.type}, {tile.type}")
        column, = self.open_loops([width])
        self.keep_element(self.get_global(source, [cast, column]), tile, [row, column])
        self.close_loops(1)
        self.depth -= 1
        self.both("}")

    #===-- elements ----------------------------------------------------------------------------------------------------===#

    def open_parallel(self, shape):
        variables = self.open_loops(shape)
        self.tile_at(-1, f"tile.parallel ({', '.join(variables)}) in ({', '.join(map(str, shape))}) {{")
        return variables

    def tile_at(self, shift, line):
        self.depth += shift
        self.tile(line)
        self.depth -= shift

    def close_parallel(self, count):
        self.close_loops(count)
        self.tile("}")

    def read(self, tile, variables, element):
        """The element of a tile at these coordinates, as a number of the type that is computed in."""
        name = self.fresh("v")
        self.tile(f"{name} = memref.load {tile.name}[{', '.join(variables)}] : {tile.type}")
        if tile.element in HELD:
            held = self.find("v", f"memref.load {tile.name}[{', '.join(variables)}] : {tile.held}")
            self.loop(f"{name} = arith.trunc{'f' if is_float(tile.element) else 'i'} {held} : {HELD[tile.element]} to {tile.element}")
        else:
            self.loop(f"{name} = memref.load {tile.name}[{', '.join(variables)}] : {tile.held}")
        if tile.is_sum:
            name = self.clamp(name, tile.element)
        return self.convert(name, tile.element, element)

    def write(self, value, tile, variables):
        self.tile(f"memref.store {value}, {tile.name}[{', '.join(variables)}] : {tile.type}")
        self.keep_element(value, tile, variables)

    def clamp(self, value, element, bound=None):
        bound = bound or get_bound(element)
        if not is_computed(element):
            wide = self.clamp(self.convert(value, element, "f32"), "f32", bound)
            return self.convert(wide, "f32", element)
        kind = "imumf" if is_float(element) else "si"
        low, high = self.constant(-bound, element), self.constant(bound, element)
        a = self.let("v", f"arith.max{kind} {value}, {low} : {element}")
        return self.let("v", f"arith.min{kind} {a}, {high} : {element}")

    def choose_computed(self, element):
        """The type that elements of a type are computed in."""
        if not is_computed(element) or element in ("f16", "bf16") and self.rng.random() < 0.5:
            return "f32"
        return "i32" if element in ("i8", "i4") and self.rng.random() < 0.5 else element

    def operand(self, scope, target, variables, element):
        """An element that belongs to the iteration, or a constant."""
        places = dict(zip(target.dims, variables))

        def is_usable(tile):
            alike = is_float(tile.element) == is_float(element) or not self.has_specials
            return alike and all(dim in places for dim in tile.dims)
        tile = self.pick(scope, is_usable)
        if not tile or self.rng.random() < 0.1:
            return self.constant(self.rng.choice([-2, -1, 1, 2]), element)
        indices = [places[dim] for dim in tile.dims]
        if tile.space == "shared" and tile.name != target.name and self.rng.random() < 0.2:
            # Another element of the tile.
            d = self.rng.randrange(len(indices))
            extent = tile.shape[d]
            text = self.rng.choice([f"{extent - 1} - a", f"(a + {self.rng.randrange(1, 9)}) mod {extent}"])
            indices[d] = self.let("p", f"affine.apply affine_map<(a) -> ({text})>({indices[d]})")
        return self.read(tile, indices, element)

    def operate(self, a, c, element):
        rng = self.rng
        if is_float(element):
            kind = rng.choice(["addf", "subf", "mulf", "maximumf", "minimumf"] * 3 + ["maxnumf", "minnumf", "select", "select",
                                                                                    "negf", "absf", "floor", "fma", "divf"])
        else:
            kind = rng.choice(["addi", "subi", "muli", "maxsi", "minsi"] * 2 + ["maxui", "minui", "andi", "ori", "xori", "select",
                                                                              "select", "shift", "divide", "uitofp"])
        if kind == "select":
            tests = ["olt", "ogt", "oeq", "une", "ult", "uge", "ord", "uno"] if is_float(element) else \
                ["eq", "ne", "slt", "sge", "ult", "ugt"]
            test = self.let("v", f"arith.cmp{'f' if is_float(element) else 'i'} {rng.choice(tests)}, {a}, {c} : {element}")
            return self.let("v", f"arith.select {test}, {c}, {a} : {element}")
        if kind == "negf":
            return self.let("v", f"arith.negf {a} : {element}")
        if kind == "absf":
            return self.let("v", f"math.absf {a} : {element}")
        if kind == "fma":
            return self.let("v", f"math.fma {a}, {c}, {c} : {element}")
        if kind in ("floor", "divf"):
            op = "arith.mulf" if kind == "floor" else "arith.divf"
            half = self.let("v", f"{op} {a}, {self.constant(0.5 if kind == 'floor' else -2, element)} : {element}")
            return self.let("v", f"math.{rng.choice(['floor', 'ceil', 'trunc', 'roundeven'])} {half} : {element}")
        if kind == "shift":
            op = rng.choice(["shli", "shrsi", "shrui"])
            return self.let("v", f"arith.{op} {a}, {self.constant(rng.randrange(1, 3), element)} : {element}")
        if kind == "divide":
            op = rng.choice(["divsi", "remsi", "divui", "remui", "floordivsi", "ceildivsi"])
            return self.let("v", f"arith.{op} {a}, {self.constant(rng.choice([2, 3]), element)} : {element}")
        if kind == "uitofp":
            few = self.let("v", f"arith.andi {a}, {self.constant(3, element)} : {element}")
            number = self.let("v", f"arith.uitofp {few} : {element} to f32")
            return self.let("v", f"arith.{rng.choice(['fptosi', 'fptoui'])} {number} : f32 to {element}")
        return self.let("v", f"arith.{kind} {a}, {c} : {element}")

    def compute(self, scope, target, variables, element):
        value = self.operand(scope, target, variables, element)
        for _ in range(self.rng.randrange(1, 4)):
            value = self.clamp(self.operate(value, self.operand(scope, target, variables, element), element), element)
        return value

    def work(self, scope):
        """target[i, j] = f(tiles)"""
        target = self.pick(scope, lambda tile: not tile.is_sum)
        if not target:
            return
        variables = self.open_parallel(target.shape)
        element = self.choose_computed(target.element)
        value = self.compute(scope, target, variables, element)
        masked = self.rng.random() < 0.15
        if masked:
            test = self.let("v", f"arith.cmpi ult, {variables[-1]}, {self.index(self.rng.randrange(target.shape[-1] + 1))} : index")
            self.both(f"scf.if {test} {{")
        if get_bound(target.element) < get_bound(element):
            value = self.clamp(value, element, get_bound(target.element))
        self.write(self.convert(value, element, target.element), target, variables)
        if masked:
            self.both("}")
        self.close_parallel(len(variables))

    def season(self, scope):
        """Some elements become NaN, an infinity or -0."""
        tile = self.pick(scope, lambda tile: is_float(tile.element) and not tile.is_sum and tile.element != "f4E2M1FN")
        if not tile:
            return
        variables, element = self.open_parallel(tile.shape), tile.element if is_computed(tile.element) else "f32"
        value = self.read(tile, variables, element)
        test = self.let("v", f"arith.cmpf oeq, {value}, {self.constant(self.rng.choice([-2, 0, 1, 2]), element)} : {element}")
        special = self.constant(self.rng.choice(SPECIAL[element] + ["-0.0"]), element)
        value = self.let("v", f"arith.select {test}, {special}, {value} : {element}")
        self.write(self.convert(value, element, tile.element), tile, variables)
        self.close_parallel(len(variables))

    def cut(self, tile):
        """Brings a tile back below its bound."""
        variables = self.open_parallel(tile.shape)
        self.write(self.clamp(self.read(tile, variables, tile.element), tile.element), tile, variables)
        self.close_parallel(len(variables))

    def work_on_global(self, scope):
        """result[p, q] = f(tiles, source[p, q]), element by element, in bounds or not"""
        shape = self.pick(scope, lambda tile: self.can_own(tile) and not tile.is_sum and tile.element not in HELD)
        if not shape:
            return
        source, target, places = self.source(shape.dims, shape.element, False), self.result(shape.dims, shape.element), self.own(shape)
        variables, element = self.open_parallel(shape.shape), self.choose_computed(shape.element)
        indices = [self.place_index(place, v) for place, v in zip(places, variables)]
        name = self.fresh("v")
        self.tile(f"{name} = memref.load {source.name}[{', '.join(indices)}] : {source.type}")
        self.loop(f"{name} = arith.select {self.find('v', 'arith.constant true')}, {(v := self.get_global(source, indices))}, {v} : "
                  f"{source.element}")
        value = self.clamp(self.convert(name, source.element, element), element)
        value = self.clamp(self.operate(value, self.operand(scope, shape, variables, element), element), element)
        value = self.convert(value, element, target.element)
        self.tile(f"memref.store {value}, {target.name}[{', '.join(indices)}] : {target.type}")
        self.put_global(value, target, indices)
        self.close_parallel(len(variables))

    def place_index(self, place, variable):
        names = ["a", "b"] if place.value else ["b"]
        text = (f"a * {place.scale} + " if place.value else "") + f"b + {place.shift}"
        values = [place.value, variable] if place.value else [variable]
        return self.let("p", f"affine.apply affine_map<({', '.join(names)}) -> ({text})>({', '.join(values)})")

    def scatter(self, scope):
        """Counts of what a tile holds, by atomic updates of all blocks."""
        tile = self.pick(scope, lambda tile: tile.element in ("i32", "i16", "i8"))
        if not tile:
            return
        counts = self.counts()
        one = self.constant(1, "i32")
        variables = self.open_parallel(tile.shape)
        value = self.clamp(self.read(tile, variables, "i32"), "i32")
        index = self.let("p", f"arith.index_cast {value} : i32 to index")
        self.tile(f"tile.atomic add {one}, {counts.name}[{index}] : i32, {counts.type}")
        old = self.get_global(counts, [index])
        self.put_global(self.find("v", f"arith.addi {old}, {one} : i32"), counts, [index])
        self.close_parallel(len(variables))

    def counts(self):
        """A buffer that all blocks add to."""
        known = [a for a in self.arguments if a.dims == ("X",)]
        if not known:
            known = [self.argument(("X",), "i32", True)]
        return known[0]

    def write_scalar(self, scope):
        """One element, of which the block makes one."""
        tile = self.pick(scope, lambda tile: tile.space == "shared" and not tile.is_sum and tile.element not in HELD)
        if not tile or self.column:
            return
        target, zero = self.result(("R",), tile.element), self.index(0)
        name, zeros = self.fresh("v"), ", ".join([zero] * len(tile.shape))
        self.tile(f"{name} = memref.load {tile.name}[{zeros}] : {tile.type}")
        self.loop(f"{name} = memref.load {tile.name}[{zeros}] : {tile.held}")
        index = self.let("p", f"affine.apply affine_map<(a) -> (a * {self.extents['R']})>({self.owner})")
        self.tile(f"memref.store {name}, {target.name}[{index}] : {target.type}")
        self.put_global(name, target, [index])

    def collect(self, scope):
        """A loop within an iteration: target[i] = sum of source[i, k]."""
        source = self.pick(scope, lambda tile: tile.space == "shared" and len(tile.dims) > 1 and is_computed(tile.element) and
                           tile.element not in HELD)
        target = source and self.pick(scope, lambda tile: tile.dims == source.dims[:-1] and tile.element == source.element and
                                      not tile.is_sum)
        if not target:
            return
        element, variables = target.element, self.open_parallel(target.shape)
        start = self.constant(0, element)
        low, step, high = self.index(0), self.index(1), self.index(source.shape[-1])
        result, k, old = self.fresh("v"), self.fresh("i"), self.fresh("a")
        self.both(f"{result} = scf.for {k} = {low} to {high} step {step} iter_args({old} = {start}) -> ({element}) {{")
        value = self.read(source, variables + [k], element)
        value = self.let("v", f"arith.add{'f' if is_float(element) else 'i'} {old}, {value} : {element}")
        self.both(f"scf.yield {value} : {element} }}")
        self.write(self.clamp(result, element), target, variables)
        self.close_parallel(len(variables))

    #===-- lines of a tile ---------------------------------------------------------------------------------------------===#

    def find_neutral(self, kind, element, flags):
        """What a fold begins with: without effect, but that a line of NaN alone yields one."""
        if "sum" in kind or kind in ("or", "xor"):
            return self.find_constant(0, element)
        if kind == "and":
            return self.find_constant(-1, element)
        if is_float(element):
            lowest = SPECIAL[element][1 if kind == "min" else 2]
            return self.find_constant(lowest if "propagate_nan" in flags else SPECIAL[element][0], element)
        bits = get_width(element)
        if "is_unsigned" in flags:
            return self.find_constant(-1 if kind == "min" else 0, element)
        return self.find_constant((1 << bits - 1) - 1 if kind == "min" else -(1 << bits - 1), element)

    def find_absolute(self, value, element):
        if is_float(element):
            return self.find("v", f"math.absf {value} : {element}")
        return self.find("v", f"math.absi {value} : {element}")

    def find_combined(self, kind, a, c, element, flags):
        if kind.endswith("sum"):
            op = "addf" if is_float(element) else "addi"
        elif kind in ("and", "or", "xor"):
            op = kind + "i"
        elif is_float(element):
            op = ("minimumf" if kind == "min" else "maximumf") if "propagate_nan" in flags else \
                "minnumf" if kind == "min" else "maxnumf"
        else:
            op = ("min" if kind == "min" else "max") + ("ui" if "is_unsigned" in flags else "si")
        return self.find("v", f"arith.{op} {a}, {c} : {element}")

    @staticmethod
    def get_wide(element, kind):
        """The type of sums."""
        return "f32" if is_float(element) and element != "f64" else element

    def choose_reduction(self, element):
        kinds, flags = ["sum", "sum", "max", "min", "absmax", "abssum"], []
        if not is_float(element):
            kinds += ["and", "or", "xor"]
        kind = self.rng.choice(kinds)
        if is_float(element) and kind in ("max", "min", "absmax") and self.rng.random() < 0.4:
            flags.append("propagate_nan")
        if not is_float(element) and kind in ("max", "min") and self.rng.random() < 0.3:
            flags.append("is_unsigned")
        return kind, flags

    def reduce(self, scope):
        source = self.pick(scope, lambda tile: len(tile.dims) > 1 and not tile.is_sum)
        if not source:
            return
        dim = self.rng.randrange(len(source.dims))
        dims = source.dims[:dim] + source.dims[dim + 1:]
        target = self.pick(scope, lambda tile: tile.dims == dims and tile.element == source.element)
        if not target:
            target = self.alloc(dims, source.element)
            self.define(target)
            scope.append(target)
        kind, flags = self.choose_reduction(source.element)
        if target.is_sum:
            kind, flags = "sum", []
        if target.is_sum or self.rng.random() < 0.5:
            flags.append("combine")
        self.tile(f"tile.reduce {kind} {source.name}, {target.name} dim({dim}){self.attach(flags)} : {source.type}, {target.type}")
        wide, element = self.get_wide(source.element, kind), source.element
        variables = self.open_loops(target.shape)

        def combine(inner, old):
            value = self.find_element(source, variables[:dim] + inner + variables[dim:])
            value = self.convert(value, element, wide, self.find)
            if kind.startswith("abs"):
                value = self.find_absolute(value, wide)
            return self.find_combined(kind, old, value, wide, flags)
        value = self.fold([source.shape[dim]], self.find_neutral(kind, wide, flags), wide, combine)
        if "combine" in flags:
            old = self.convert(self.find_element(target, variables), element, wide, self.find)
            value = self.find_combined(kind, value, old, wide, flags)
        self.keep_element(self.convert(value, wide, element, self.find), target, variables)
        self.close_loops(len(variables))
        if "sum" in kind and not target.is_sum or kind in ("and", "or", "xor"):
            self.cut(target)

    def scan(self, scope):
        tile = self.pick(scope, lambda tile: not tile.is_sum)
        if not tile:
            return
        dim, kind = self.rng.randrange(len(tile.dims)), self.rng.choice(["sum", "max"])
        flags = ["reverse"] if self.rng.random() < 0.5 else []
        if not is_float(tile.element) and kind == "max" and self.rng.random() < 0.3:
            flags.append("is_unsigned")
        target = self.pick(scope, lambda t: t.dims == tile.dims and t.element == tile.element and not t.is_sum)
        self.tile(f"tile.scan {kind} {tile.name}, {target.name} dim({dim}){self.attach(flags)} : {tile.type}, {target.type}")
        wide, extent = self.get_wide(tile.element, kind), tile.shape[dim]
        variables = self.open_loops(tile.shape[:dim] + tile.shape[dim + 1:] or [1])
        variables = variables if len(tile.shape) > 1 else []

        def combine(inner, old):
            at = inner[0]
            if "reverse" in flags:
                at = self.find("p", f"affine.apply affine_map<(a) -> ({extent - 1} - a)>({at})")
            indices = variables[:dim] + [at] + variables[dim:]
            value = self.convert(self.find_element(tile, indices), tile.element, wide, self.find)
            value = self.find_combined(kind, old, value, wide, flags)
            self.keep_element(self.convert(value, wide, tile.element, self.find), target, indices)
            return value
        self.fold([extent], self.find_neutral(kind, wide, flags), wide, combine)
        self.close_loops(max(len(variables), 1))
        if kind == "sum":
            self.cut(target)

    def vote(self, tile):
        """Whether any or all elements are not zero."""
        kind, result = self.rng.choice(["any", "all"]), self.fresh("v")
        self.tile(f"{result} = tile.{kind}_of {tile.name} : {tile.type}")
        start = self.find("v", f"arith.constant {'false' if kind == 'any' else 'true'}")

        def combine(variables, old):
            zero = self.find_constant(0, tile.element)
            test = self.find("v", f"arith.cmpi ne, {self.find_element(tile, variables)}, {zero} : {tile.element}")
            return self.find("v", f"arith.{'ori' if kind == 'any' else 'andi'} {old}, {test} : i1")
        value = self.fold(tile.shape, start, "i1", combine)
        self.loop(f"{result} = arith.ori {value}, {value} : i1")
        return result

    def rank(self, scope):
        """The largest elements of each row: an element's place is how many come before it."""
        source = self.pick(scope, lambda tile: tile.dims == ("R", "C") and tile.element in ("f32", "f16", "bf16"))
        if not source:
            return
        count = self.extents["T"]
        values, at = self.alloc(("R", "T"), source.element, source.is_sum), self.alloc(("R", "T"), "i32", True)
        base = self.index(self.rng.randrange(3))
        self.tile(f"tile.topk {source.name}, {values.name}, {at.name} base({base}) : {source.type}, {values.type}, {at.type}")
        i, j = self.open_loops(source.shape)
        lowest = self.find_constant(SPECIAL[source.element][2], source.element)

        def get(k):
            value = self.find_element(source, [i, k])
            none = self.find("v", f"arith.cmpf uno, {value}, {value} : {source.element}")
            return self.find("v", f"arith.select {none}, {lowest}, {value} : {source.element}")
        mine = get(j)

        def combine(inner, old):
            other = get(inner[0])
            above = self.find("v", f"arith.cmpf ogt, {other}, {mine} : {source.element}")
            same = self.find("v", f"arith.cmpf oeq, {other}, {mine} : {source.element}")
            first = self.find("v", f"arith.cmpi ult, {inner[0]}, {j} : index")
            tie = self.find("v", f"arith.andi {same}, {first} : i1")
            before = self.find("v", f"arith.ori {above}, {tie} : i1")
            more = self.find("v", f"arith.addi {old}, {self.number(1)} : index")
            return self.find("v", f"arith.select {before}, {more}, {old} : index")
        place = self.fold([source.shape[1]], self.number(0), "index", combine)
        test = self.find("v", f"arith.cmpi ult, {place}, {self.number(count)} : index")
        self.loop(f"scf.if {test} {{")
        self.keep_element(mine, values, [i, place])
        position = self.find("v", f"arith.index_cast {self.find('v', f'arith.addi {base}, {j} : index')} : index to i32")
        self.keep_element(position, at, [i, place])
        self.loop("}")
        self.close_loops(2)
        scope += [values, at]

    #===-- products ----------------------------------------------------------------------------------------------------===#

    def multiply(self, a, b, total, flags):
        text = self.attach(flags)
        self.tile(f"tile.gemm {a.name}, {b.name}, {total.name}{text} : {a.type}, {b.type}, {total.type}")
        wide = "i32" if not is_float(total.element) else "f64" if total.element == "f64" else "f32"
        i, j = self.open_loops(total.shape)

        def extend(value, element, name):
            if f"{name}_unsigned" in flags:
                return self.find("v", f"arith.extui {value} : {element} to {wide}")
            return self.convert(value, element, wide, self.find)

        def combine(inner, old):
            k, = inner
            left = extend(self.find_element(a, [k, i] if "transpose_a" in flags else [i, k]), a.element, "a")
            right = extend(self.find_element(b, [j, k] if "transpose_b" in flags else [k, j]), b.element, "b")
            suffix = "f" if is_float(wide) else "i"
            product = self.find("v", f"arith.mul{suffix} {left}, {right} : {wide}")
            return self.find("v", f"arith.add{suffix} {old}, {product} : {wide}")
        start = self.find_constant(0, wide) if "clear" in flags else \
            self.convert(self.find_element(total, [i, j]), total.element, wide, self.find)
        depth = a.shape[0 if "transpose_a" in flags else 1]
        value = self.fold([depth], start, wide, combine)
        self.keep_element(self.convert(value, wide, total.element, self.find), total, [i, j])
        self.close_loops(2)

    def choose_factors(self, scope):
        """Two tiles, of those that there are or new ones, and the flags of their product."""
        flags, factors = [], []
        for name, dims, chance in (("a", ("R", "D"), 0.2), ("b", ("D", "C"), 0.4)):
            tile = self.has_vectors and self.rng.random() < 0.35 and \
                self.pick(scope, lambda tile: tile.dims == dims and tile.element == self.product and not tile.is_sum)
            if not tile:
                if self.rng.random() < chance:
                    dims, flags = dims[::-1], flags + [f"transpose_{name}"]
                tile = self.alloc(dims, self.product, space="shared" if self.rng.random() < 0.9 else "fragment")
                self.state(lambda _, tile=tile: self.define(tile), scope)
            factors.append(tile)
        if not is_float(self.product) and self.rng.random() < 0.2:
            flags.append(self.rng.choice(["a_unsigned", "b_unsigned"]))
        return factors, flags

    def gemm(self, scope):
        total = self.pick(scope, lambda tile: tile.is_sum and tile.dims == ("R", "C") and tile.element == self.sum)
        if not total:
            return
        (a, b), flags = self.choose_factors(scope)
        if self.rng.random() < 0.3:
            flags.append("clear")
        self.multiply(a, b, total, flags)

    def accumulate(self, scope):
        """The usual loop of a matrix product, with more or less done to the factors on their way."""
        total = self.pick(scope, lambda tile: tile.is_sum and tile.dims == ("R", "C") and tile.element == self.sum)
        if not total:
            return
        iv, stages = self.fresh("s"), self.rng.choice([1, 2, 3, 3, 4])
        self.tile(f"tile.pipelined {iv} = 0 to %steps stages({stages}) {{")
        self.loop(f"scf.for {iv} = {self.number(0)} to %steps step {self.number(1)} {{")
        self.ivs.append(iv)
        self.depth += 1
        factors, flags = [], []
        for name, dims, owner, chance in (("a", ("R", "D"), self.owner, 0.2), ("b", ("D", "C"), self.column, 0.4)):
            places = [Place(owner, self.extents["R"]), Place(iv, self.extents["D"])] if name == "a" else \
                [Place(iv, self.extents["D"]), Place(owner, self.extents["C"])]
            if self.rng.random() < chance:
                dims, places, flags = dims[::-1], places[::-1], flags + [f"transpose_{name}"]
            tile = self.alloc(dims, self.product, space="shared")
            self.load(tile, self.source(dims, self.product, False), places)
            factors.append(tile)
        if self.has_vectors and self.rng.random() < 0.3:
            self.state(self.work, [factors[self.rng.randrange(2)]])
        self.multiply(*factors, total, flags)
        if self.rng.random() < 0.2:
            self.state(lambda s: self.branch(s, 2), scope + factors)
        self.depth -= 1
        self.ivs.pop()
        self.both("}")
