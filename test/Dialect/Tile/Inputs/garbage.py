"""Prints programs whose expressions are random, most of them wrong, and some that nest deeply.

usage: garbage.py SEED COUNT
"""
import random
import sys

TOKENS = ["%a", "%i", "%x", "%n", "%a[%i]", "%c[%i, 0]", "%missing", "%a[", "]", "(", ")", ",", "+", "-", "*", "/", "<", ">",
          "<>", "<=", "==", "=", "floordiv", "ceildiv", "mod", "dim", "dim(%a, 0)", "dim(%c, 9)", "symbol(%n)", "@P", "@Q", "0",
          "1", "-1", "0.5", "0xFF", "inf", "nan", "max(", "select(", "f32(", "index(", "i1(", "exp2(", "i9999(", "foo(", "{",
          "}", ":", "\"s\"", "do", "fastmath<afn>", "if", "else", "for %l =", "to", "sum(", "sum(%l = 0 to 4,", "%l", "99999999999999999999", "9223372036854775807", "-9223372036854775808", "#0", "%0#1"]
PLACES = ["tile.parallel (%i) in (8) do %a[%i] = EXPR",
          "tile.parallel (%i) in (8) do {\n%v = EXPR\n%a[%v] = EXPR\n}",
          "tile.parallel (%i) in (8) do {\nif EXPR {\n%v = EXPR\n} else {\nfor %l = EXPR to EXPR {\n%a[%l] = EXPR\n}\n}\n}",
          "tile.parallel (%i) in (EXPR, 8) {\n}",
          "tile.pipelined %i = EXPR to EXPR step EXPR {\n}",
          "tile.persistent (%i) in (EXPR) {\n}",
          "tile.copy %a[EXPR], %t",
          "tile.copy %t, %c[EXPR, EXPR] [1, 8]",
          "tile.fill %t, EXPR",
          "%t2 = tile.alloc(EXPR) : memref<?xf32, #tile.shared>",
          "tile.padding_value %a, EXPR",
          "tile.assume EXPR",
          "tile.device_assert EXPR, \"s\"",
          "%old = tile.atomic add EXPR, %a[EXPR]",
          "tile.topk %t, %t, %t base(EXPR)"]
FUNCTION = """tile.param @P = 8 in [8]
func.func @f(%a: memref<?xf32>, %c: memref<?x8xf32>, %n: index, %s: f32) {
  tile.kernel (%x) in (GRID) {
    %t = tile.alloc : memref<8xf32, #tile.shared>
    PLACE
  }
  return
}
"""


def expression(choose):
    return " ".join(choose.choice(TOKENS) for _ in range(choose.randint(1, 7)))


def program(choose, place, grid="1"):
    while "EXPR" in place:
        place = place.replace("EXPR", expression(choose), 1)
    return FUNCTION.replace("GRID", grid).replace("PLACE", place)


def deep(place, depth=20000):
    """What nests too deeply to be read by recursion alone."""
    for whole in ["(" * depth + "%n" + ")" * depth, "- " * depth + "%n", "%n + " * depth + "1", "max(" * depth + "1", "sum(%l = 0 to " * depth + "1",
                  "%a[index(" * depth + "1", "1 + (" * depth + "2"]:
        yield FUNCTION.replace("GRID", "1").replace("PLACE", place.replace("EXPR", whole))


def deep_statements(depth=20000):
    for statement in ["if %n < 1 {\n", "for %lNUMBER = 0 to 1 {\n"]:
        nested = "".join(statement.replace("NUMBER", str(number)) for number in range(depth))
        yield FUNCTION.replace("GRID", "1").replace("PLACE", "tile.parallel (%i) in (8) do {\n" + nested)


def main():
    choose = random.Random(int(sys.argv[1]))
    programs = [program(choose, choose.choice(PLACES)) for _ in range(int(sys.argv[2]))]
    programs += [program(choose, "", expression(choose)) for _ in range(int(sys.argv[2]) // 10)]
    for place in PLACES[:2] + ["tile.copy %a[EXPR], %t", "tile.fill %t, EXPR", "tile.persistent (%i) in (EXPR) {\n}"]:
        programs += deep(place)
    programs += deep_statements()
    print("\n// -----\n".join(programs))


main()
