# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lets the compiler insert flags into random nests of loops, guards and branches, and executes what comes out.

    random_sync.py TILE_OPT [--seed N] [--count N] [--chip CHIP]

Each kernel is followed step by step, with small numbers of iterations and each branch taken or not: two instructions that
touch a tile, one of them to write, have to be ordered, and a flag is set only where the wait before is known to be over.
Prints the kernels where that is not so, and at last how many flags and barriers there were, and of how many groups of these
the execution shows that they are needed.
"""
import argparse
import itertools
import random
import re
import subprocess
import sys

TILES, RESULTS = 4, 2
STEPS = {"copy_gm_to_ub": "mte2", "copy_ub_to_gm": "mte3", "binary": "v"}


class Kernel:
    """Random code; `text` is its source, `conditions` are what its branches ask for."""

    def __init__(self, name, rng):
        self.rng, self.name, self.lines, self.count, self.left = rng, name, [], 0, rng.randint(4, 12)
        self.conditions, self.loops = {}, {}
        self.is_grid = rng.random() < 0.4
        self.block(2, None)
        grid = "%n" if self.is_grid else "1"
        self.text = "\n".join([
            f"func.func @{name}(%in: !gm, %r0: !gm, %r1: !gm, %n: index, %m: index, %p: i1, %q: i1) {{",
            "  %c0 = arith.constant 0 : index", "  %c1 = arith.constant 1 : index", "  %c2 = arith.constant 2 : index",
            "  %c4 = arith.constant 4 : index", f"  tile.kernel (%b) in ({grid}) {{",
            *[f"    %t{i} = tile.alloc {{ascend.address = {i * 4096} : i64}} : !tile" for i in range(TILES)],
            *self.lines, "  }", "  return", "}"])

    def next(self):
        self.count += 1
        return self.count

    def instruction(self, depth):
        kind, at = self.rng.choice(list(STEPS)), self.next()
        tiles = [f"%t{self.rng.randrange(TILES)}" for _ in range(3)]
        other = f"%r{self.rng.randrange(RESULTS)}"
        self.lines.append("  " * depth + {
            "copy_gm_to_ub": f"ascend.copy_gm_to_ub {tiles[0]}, %in {{test.id = {at}}} : !tile, !gm",
            "copy_ub_to_gm": f"ascend.copy_ub_to_gm {other}, {tiles[0]} {{test.id = {at}}} : !gm, !tile",
            "binary": f"ascend.binary add {tiles[0]}, {tiles[1]}, {tiles[2]} {{test.id = {at}}} : !tile, !tile, !tile"}[kind])

    def guard(self, depth, loop, later):
        """An iteration that the one of the loop's variable is `later` before."""
        at, end = self.next(), self.loops[loop]["end"]
        name = f"%g{at}"
        pad = "  " * depth
        self.lines += [f"{pad}{name} = affine.apply affine_map<(d0) -> (d0 + {later})>(%i{loop})",
                       f"{pad}{name}e = arith.cmpi slt, {name}, {end} : index"]
        condition = name + "e"
        if later < 0:
            self.lines += [f"{pad}{name}b = arith.cmpi sge, {name}, %c0 : index",
                           f"{pad}{name}x = arith.andi {name}b, {name}e : i1"]
            condition = name + "x"
        self.conditions[at] = ("guard", loop, later)
        self.branch(depth, at, condition, None, 3)

    def branch(self, depth, at, condition, loop, most):
        pad = "  " * depth
        self.lines.append(f"{pad}scf.if {condition} {{")
        self.block(depth + 1, loop, most)
        if self.rng.random() < 0.2:
            self.lines.append(f"{pad}}} else {{")
            self.block(depth + 1, loop, 1)
        self.lines.append(f"{pad}}} {{test.id = {at}}}")

    def loop(self, depth):
        at, pad = self.next(), "  " * depth
        step, end = self.rng.choice([1, 1, 2, 4]), self.rng.choice(["%n", "%n", "%m"])
        more = self.rng.choice([0, step, step, 2 * step])
        self.loops[at] = {"step": step, "end": end, "more": more}
        self.lines += [f"{pad}%u{at} = affine.apply affine_map<()[s0] -> (s0 + {more})>()[{end}]",
                       f"{pad}scf.for %i{at} = %c0 to %u{at} step %c{step} {{"]
        if self.rng.random() < 0.7:
            for _ in range(self.rng.randint(1, 4)):
                if self.rng.random() < 0.2:
                    self.block(depth + 1, at, 1)
                self.guard(depth + 1, at, self.rng.randint(-step, step - 1))
        else:
            self.block(depth + 1, at)
        self.lines.append(f"{pad}}} {{test.id = {at}}}")

    def block(self, depth, loop, most=5):
        for _ in range(self.rng.randint(1, most)):
            if self.left <= 0:
                return
            self.left -= 1
            kind = self.rng.random()
            if kind < 0.3 and depth < 5:
                self.loop(depth)
            elif kind < 0.45 and depth < 6:
                at = self.next()
                condition = self.rng.choice("pq")
                self.conditions[at] = (condition,)
                self.branch(depth, at, "%" + condition, loop, 3)
            else:
                self.instruction(depth)


def parse(lines):
    """The ops of a printed kernel: [text], or [kind, id, blocks]."""
    stack = [[]]
    for line in (line.strip() for line in lines):
        if re.match(r"(scf\.for|scf\.if)\b", line):
            stack.append([])
            stack[-2].append([line, None, [stack[-1]]])
        elif line == "} else {":
            stack.pop()
            side = []
            stack[-1][-1][2].append(side)
            stack.append(side)
        elif line.startswith("}"):
            if len(stack) == 1:  # of the kernel
                return stack[0]
            stack.pop()
            stack[-1][-1][1] = int(re.search(r"test\.id = (\d+)", line)[1])
        elif line.startswith("ascend."):
            stack[-1].append([line])
    raise ValueError("no end of the kernel")


class Run:
    """An execution on a path: what each pipe knows to be complete before it begins the next instruction."""

    def __init__(self, kernel, scalars, is_v_ordered):
        self.kernel, self.scalars, self.is_v_ordered = kernel, scalars, is_v_ordered
        self.known = {pipe: set() for pipe in ("mte2", "v", "mte3")}
        self.issued = {pipe: set() for pipe in self.known}
        self.flags, self.waits, self.done, self.count, self.wrong = {}, {}, [], 0, None

    def new(self):
        self.count += 1
        return self.count

    def block(self, ops, env):
        for op in ops:
            if self.wrong:
                return
            if len(op) == 1:
                self.step(op[0])
            elif op[0].startswith("scf.for"):
                loop = self.kernel.loops[op[1]]
                for i in range(0, self.scalars[loop["end"][1]] + loop["more"], loop["step"]):
                    self.block(op[2][0], {**env, op[1]: i})
            else:
                side = 0 if self.holds(self.kernel.conditions[op[1]], env) else 1
                if side < len(op[2]):
                    self.block(op[2][side], env)
        if self.flags and not env and ops is self.top:
            self.wrong = "a flag is left"

    def holds(self, condition, env):
        if condition[0] != "guard":
            return self.scalars[condition[0]]
        _, loop, later = condition
        return 0 <= env[loop] + later < self.scalars[self.kernel.loops[loop]["end"][1]]

    def step(self, text):
        flag = re.match(r"ascend\.(set|wait)_flag\s+(\w+) to\s+(\w+) id\((\d+)\)", text)
        barrier = re.match(r"ascend\.pipe_barrier\s+(\w+)", text)
        if barrier:
            pipes = list(self.known) if barrier[1] == "all" else [barrier[1]]
            all_known = set().union(*(self.known[p] | self.issued[p] for p in pipes))
            for pipe in pipes:
                self.known[pipe] |= all_known
        elif flag and flag[1] == "set":
            key = flag.group(2, 3, 4)
            if key in self.flags:
                self.wrong = f"set twice: {text}"
            if key in self.waits and self.waits[key] not in self.known[key[0]]:
                self.wrong = f"set where it may not be taken: {text}"
            self.flags[key] = self.known[key[0]] | self.issued[key[0]]
        elif flag:
            key = flag.group(2, 3, 4)
            if key not in self.flags:
                self.wrong = f"not set: {text}"
                return
            self.known[key[1]] |= self.flags.pop(key)
            self.waits[key] = self.new()
            self.known[key[1]].add(self.waits[key])
        else:
            self.execute(text)

    def execute(self, text):
        kind = re.match(r"ascend\.(\w+)", text)[1]
        names = re.findall(r"%[\w]+", text.split("{")[0])
        pipe, at = STEPS[kind], self.new()
        for number, other, first, others in self.done:
            clash = names[0] in others or others[0] in names
            is_ordered = number in self.known[pipe] or (pipe == first == "v" and self.is_v_ordered)
            if clash and not is_ordered:
                self.wrong = f"not in order: {other}\n    before {text}"
        self.issued[pipe].add(at)
        self.done.append((at, text, pipe, names))


def execute(kernel, ops, is_v_ordered):
    """What is wrong with the kernel, and for which numbers, or nothing."""
    for n, m, p, q in itertools.product((0, 1, 2, 3, 5, 9), (0, 1, 3, 6), (False, True), (False, True)):
        if kernel.is_grid and n == 0:
            continue
        run = Run(kernel, {"n": n, "m": m, "p": p, "q": q}, is_v_ordered)
        run.top = ops
        run.block(ops, {})
        if run.wrong:
            return f"n={n} m={m} p={p} q={q}: {run.wrong}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tile_opt")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--chip", default="910B")
    args = parser.parse_args()
    kernels = [Kernel(f"k{i}", random.Random(f"{args.seed}-{i}")) for i in range(args.count)]
    types = "!tile = memref<32x32xf32, #tile.ub>\n!gm = memref<32x32xf32>\n"
    done = subprocess.run([args.tile_opt, "-", f"--tile-set-target=chip={args.chip}", "--ascend-insert-sync", "--ascend-verify-sync",
                           "--mlir-print-local-scope"],
                          input=types + "\n".join(kernel.text for kernel in kernels), text=True, capture_output=True)
    if done.returncode:
        sys.exit(done.stderr)
    texts = re.split(r"(?m)^  func\.func @", done.stdout)[1:]
    assert len(texts) == len(kernels)
    failed, groups, needed = 0, 0, 0
    for kernel, text in zip(kernels, texts):
        lines = text.split("\n")
        begin = next(i for i, line in enumerate(lines) if "tile.kernel" in line)
        wrong = execute(kernel, parse(lines[begin + 1:]), args.chip == "950")
        for group in sorted(set(re.findall(r"ascend\.group = \d+", text))):
            without = [line for line in lines[begin + 1:] if not re.search(rf"{group}\b", line)]
            groups += 1
            needed += execute(kernel, parse(without), args.chip == "950") is not None
        if wrong:
            failed += 1
            print(f"{kernel.name} {wrong}\n{text}")
    flags = len(re.findall(r"ascend\.set_flag", done.stdout))
    print(f"{len(kernels)} kernels, {flags} sets, {done.stdout.count('pipe_barrier')} barriers, {failed} wrong; "
          f"{groups} groups, {needed} needed")
    sys.exit(int(failed > 0))


if __name__ == "__main__":
    main()
