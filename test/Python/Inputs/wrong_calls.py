"""Calls that are wrong: each is an exception that says what was expected and what was there."""
import array
import pathlib
import sys
import threading
import unittest

import numpy as np

import kernels
import tile

N = 5


def f32(*shape):
    return np.zeros(shape or N, np.float32)


def read_only(a):
    a.setflags(write=False)
    return a


class Raises:
    def __init__(self, exception):
        self.exception = exception

    def __dlpack__(self, stream=None):
        raise self.exception


class Returns:
    def __init__(self, value):
        self.value = value

    def __dlpack__(self, stream=None):
        return self.value


class Number:
    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


class WrongIndex:
    def __index__(self):
        raise ZeroDivisionError("no number today")


ADD = tile.compile(kernels.ADD, name="add.mlir").add
PAIRS = tile.compile(kernels.PAIRS).pairs
SCALARS = tile.compile(kernels.SCALARS).scalars
BUFFERIZED = """
func.func @f(%x: memref<4xf32>) {
  linalg.exp ins(%x : memref<4xf32>) outs(%x : memref<4xf32>)
  return
}"""
COPY = {dtype: tile.compile(kernels.copy(dtype)).copy for dtype in ("f32", "bf16", "i4", "i8", "i64")}


def scalars(at, value):
    values = [1.0, 1.0, 1.0, True, 1, 1, 1, 1, np.zeros(3), np.zeros(5, np.int64)]
    values[at] = value
    SCALARS(*values)


def self_containing():
    items = []
    items.append(items)
    return items


x, y = f32(), f32()
strided = np.zeros(2 * N, np.float32)[::2]
matrix = np.zeros((8, 3), np.float32).T
unaligned = np.frombuffer(bytearray(4 * N + 1), np.uint8)[1:].view(np.float32)

# What is called, and what the message has.
CALLS = [
    (lambda: ADD(), r"^@add: expected 3 arguments, got 0$"),
    (lambda: ADD(x, y), r"^@add: expected 3 arguments, got 2$"),
    (lambda: ADD(x, y, x, y), r"^@add: expected 3 arguments, got 4$"),
    (lambda: ADD(*[x] * 600), r"^@add: expected 3 arguments, got 600$"),
    (lambda: ADD(x, y, z=x, w=x), r"^@add: there is no argument 'w'$"),
    (lambda: ADD(x, y, y=x), r"^@add: argument 1 \(y\) is given twice$"),
    (lambda: ADD(x=x, y=y), r"^@add: expected 3 arguments, got 2$"),
    (lambda: ADD(x, y, None), r"^@add: argument 2 \(z\): expected a tensor of f32, got NoneType$"),
    (lambda: ADD(x, y, "text"), r"argument 2 \(z\): expected a tensor of f32, got str$"),
    (lambda: ADD(x, y, 3), r"argument 2 \(z\): expected a tensor of f32, got int$"),
    (lambda: ADD(x, y, 10 ** 400), r"argument 2 \(z\): expected a tensor of f32, got int$"),
    (lambda: ADD(x, y, np.float32(3)), r"argument 2 \(z\): expected memory that may be written, got a read-only array$"),
    (lambda: ADD(x, [1.0] * N, y), r"argument 1 \(y\): expected a tensor of f32, got list$"),
    (lambda: ADD(x, self_containing(), y), r"expected a tensor of f32, got list$"),
    (lambda: ADD(x, ADD, y), r"expected a tensor of f32, got Function$"),
    (lambda: ADD(x, np, y), r"expected a tensor of f32, got module$"),
    (lambda: ADD(x, np.ndarray, y), r"expected a tensor of f32, got type$|must be|missing|needs an argument"),
    (lambda: ADD(x.astype(np.float64), y, x), r"argument 0 \(x\): expected elements of f32, got f64$"),
    (lambda: ADD(x.astype(np.int32), y, x), r"expected elements of f32, got i32$"),
    (lambda: ADD(x.astype(np.float16), y, x), r"expected elements of f32, got f16$"),
    (lambda: ADD(x.astype(bool), y, x), r"expected elements of f32, got i1$"),
    (lambda: ADD(x.astype(np.complex64), y, x), r"expected elements of (a type that kernels know|f32), got"),
    (lambda: ADD(x.astype(object), y, x), r"expected elements of a type that kernels know, got object$"),
    (lambda: ADD(x.astype("S4"), y, x), r"expected elements of a type that kernels know, got"),
    (lambda: ADD(np.zeros(N, "datetime64[s]"), y, x), r"expected elements of a type that kernels know, got datetime64\[s\]$"),
    (lambda: ADD(np.zeros(N, [("a", "f4")]), y, x), r"expected elements of a type that kernels know, got"),
    (lambda: ADD(x.astype(">f4"), y, x), r"expected elements in the byte order of this machine, got '>f4'$"),
    (lambda: ADD(x, f32(3), y), r"argument 1 \(y\): dimension 0: expected N = 5 \(argument 0 \(x\): dimension 0\), got 3$"),
    (lambda: PAIRS(x, f32(2)), r"argument 1 \(y\): dimension 0: expected 3 \(\"N 2 ceildiv\"\), got 2$"),
    (lambda: ADD(x, f32(N, N), y), r"argument 1 \(y\): expected a rank of 1, got 2$"),
    (lambda: ADD(x, np.float32(1).reshape(()), y), r"argument 1 \(y\): expected a rank of 1, got 0$"),
    (lambda: ADD(x, f32(*[1] * 16), y), r"expected a rank of 1, got 16$"),
    (lambda: ADD(x, read_only(f32(*[1] * 20)), y), r"expected at most 16 dimensions, got 20$"),
    (lambda: ADD(x, y, strided), r"argument 2 \(z\): expected the strides \[1\] of a dense tensor, got \[2\]$"),
    (lambda: ADD(x, y, f32()[::-1]), r"argument 2 \(z\): expected the strides \[1\] of a dense tensor, got \[-1\]$"),
    (lambda: COPY["f32"](matrix, f32(3, 8)), r"argument 0.*expected the strides \[8, 1\] of a dense tensor, got \[1, 3\]$"),
    (lambda: ADD(x, y, unaligned), r"argument 2 \(z\): expected an address aligned to 4 bytes, got 0x"),
    (lambda: ADD(x, y, read_only(f32())), r"argument 2 \(z\): expected memory that may be written, got a read-only array$"),
    (lambda: ADD(x, y, bytes(4 * N)), r"expected memory that may be written, got a read-only array$"),
    (lambda: ADD(x, y, np.broadcast_to(np.float32(1), N)), r"expected memory that may be written, got a read-only array$"),
    (lambda: ADD(x, y, bytearray(4 * N)), r"argument 2 \(z\): expected elements of f32, got ui8$"),
    (lambda: ADD(x, y, array.array("d", [0] * N)), r"argument 2 \(z\): expected elements of f32, got f64$"),
    (lambda: ADD(x, y, memoryview(b"abc").cast("c")), r"expected elements of a type that kernels know, got the format 'c'$"),
    (lambda: ADD(x, y, Raises(BufferError("not today"))), r"^@add: argument 2 \(z\): not today$"),
    (lambda: ADD(x, y, Raises(AttributeError("inner"))), r"^@add: argument 2 \(z\): inner$"),
    (lambda: ADD(x, y, Returns(None)), r"argument 2 \(z\): expected __dlpack__ to return a capsule with a tensor$"),
    (lambda: ADD(x, y, Returns(x)), r"expected __dlpack__ to return a capsule with a tensor$"),
    (lambda: ADD(x, y, z=x, stream=7), r"^@add: expected no stream for code of a CPU or a model$"),
    (lambda: ADD(x, y, x, stream="s"), r"^@add: expected no stream for code of a CPU or a model$"),
    (lambda: scalars(0, None), r"^@scalars: argument 0 \(h\): expected a number of f16, got NoneType$"),
    (lambda: scalars(1, "1"), r"argument 1 \(f\): expected a number of f32, got str$"),
    (lambda: scalars(1, 1j), r"argument 1 \(f\): expected a number of f32, got complex$"),
    (lambda: scalars(2, np.zeros(3)), r"argument 2 \(d\): .*(number of f64, got ndarray|only)"),
    (lambda: scalars(2, 10 ** 400), r"argument 2 \(d\): int too large to convert to float$"),
    (lambda: scalars(0, 1e30), r"argument 0 \(h\): expected a number of f16 or an infinity, got 1e\+30, which is too large$"),
    (lambda: scalars(0, -65520), r"argument 0 \(h\): expected a number of f16 or an infinity, got -65520, which is too large$"),
    (lambda: scalars(0, np.float32(65520)), r"argument 0 \(h\): expected a number of f16 or an infinity, got 65520.0, which is too"),
    (lambda: scalars(1, 3.5e38), r"argument 1 \(f\): expected a number of f32 or an infinity, got 3.5e\+38, which is too large$"),
    (lambda: scalars(1, np.float64(-1e300)), r"expected a number of f32 or an infinity, got -1e\+300, which is too large$"),
    (lambda: scalars(3, 2), r"argument 3 \(b\): expected a number of i1, got 2$"),
    (lambda: scalars(4, 128), r"argument 4 \(c\): expected a number of i8, got 128$"),
    (lambda: scalars(4, -129), r"argument 4 \(c\): expected a number of i8, got -129$"),
    (lambda: scalars(5, 1 << 15), r"argument 5 \(s\): expected a number of i16, got 32768$"),
    (lambda: scalars(6, 1 << 31), r"argument 6 \(i\): expected a number of i32, got 2147483648$"),
    (lambda: scalars(6, 1.0), r"argument 6 \(i\): expected a number of i32, got float$"),
    (lambda: scalars(7, 1 << 63), r"argument 7 \(l\): expected a number of i64, got 9223372036854775808$"),
    (lambda: scalars(7, -10 ** 100), r"argument 7 \(l\): expected a number of i64, got -1000"),
    (lambda: scalars(7, Number(1 << 70)), r"argument 7 \(l\): expected a number of i64, got 1180591620717411303424$"),
    (lambda: scalars(7, WrongIndex()), r"argument 7 \(l\): no number today$"),
    (lambda: scalars(8, 1.0), r"argument 8 \(floats\): expected a tensor of f64, got float$"),
    (lambda: COPY["i64"](np.zeros((3, 8), np.int32), np.zeros((3, 8), np.int64)), r"expected elements of i64, got i32$"),
    (lambda: COPY["bf16"](np.zeros((3, 8), np.float16), np.zeros((3, 8), np.float16)), r"expected elements of bf16, got f16$"),
    (lambda: COPY["i4"](np.zeros((3, 8), np.int8), np.zeros((3, 8), np.int8)), r"expected elements of i4, got i8$"),
    (lambda: COPY["i4"](tile.view(bytearray(8), "i4"), tile.view(bytearray(12), "i4", (3, 8))), r"expected a rank of 2, got 1$"),
    (lambda: COPY["f32"](f32(3, 7), f32(3, 8)), r"argument 0.*dimension 1: expected 8, got 7$"),
    (lambda: tile.view(None, "i4"), r"^expected an array, got NoneType$"),
    (lambda: tile.view(x, "float"), r"^expected a type of elements \(bf16, .*\), got 'float'$"),
    (lambda: tile.view(x, []), r"^expected a type of elements"),
    (lambda: tile.view(strided, "i8"), r"^expected a dense array, got one with the strides \[2\]$"),
    (lambda: tile.view(bytearray(3), "f32"), r"^expected rows of a multiple of 32 bits, got 24$"),
    (lambda: tile.view(x, "i8", (3, 8)), r"^expected a shape of 160 bits, got \[3, 8\] of 192$"),
    (lambda: tile.view(x, "i8", (-4, -5)), r"^expected extents of at least 0, got \[-4, -5\]$"),
    (lambda: tile.compile(None), r"^expected MLIR as text, bytes or the path of a file, got NoneType$"),
    (lambda: tile.compile(3), r"got int$"),
    (lambda: tile.compile(""), r"expected a public function with a 'tile.kernel', got none$"),
    (lambda: tile.compile(BUFFERIZED), r"got none\n.*expected linalg ops on tensors, .* got 'linalg.exp' on memrefs$"),
    (lambda: tile.compile("\0"), r"^source: "),
    (lambda: tile.compile("\ud800"), r"source:1:1: "),
    (lambda: tile.compile(b"ML\xefR"), r"source"),
    (lambda: tile.compile("func.func", name="a\0b"), r"^a name: expected text without a NUL, got 'a\\x00b'$"),
    (lambda: tile.compile("func.func", name=3), r"^a name: expected text, got int$"),
    (lambda: tile.compile("func.func @f() {", name="f.mlir"), r"^f.mlir:1:"),
    (lambda: tile.compile(kernels.ADD, "tpu"), r"^unknown target 'tpu'; expected one of 'cpu'"),
    (lambda: tile.compile(kernels.ADD, 3), r"^target: expected text, got int$"),
    (lambda: tile.compile(kernels.ADD, chip=3), r"^chip: expected text, got int$"),
    (lambda: tile.compile(kernels.ADD, "cpu", chip="z80"), r"^unknown target 'cpu:z80'"),
    (lambda: tile.compile(kernels.ADD, device="tpu"), r"^expected a device \(cpu, cuda, cuda:1, hip, model\), got 'tpu'$"),
    (lambda: tile.compile(kernels.ADD, device="cuda:-1"), r"got 'cuda:-1'$"),
    (lambda: tile.compile(kernels.ADD, device="cuda:4294967296"), r"^there is no device 'cuda:4294967296'$"),
    (lambda: tile.compile(kernels.ADD, device="cpu:1"), r"^there is no device 'cpu:1'$"),
    (lambda: tile.compile(kernels.ADD, "cpu", device="cuda:0"), r"^expected code for the device 'cuda:0', got the target 'cpu'$"),
    (lambda: tile.compile(kernels.ADD, speed=3), r"^unknown option 'speed'; expected one of cache"),
    (lambda: tile.compile(kernels.ADD, opt_level=9), r"^option 'opt-level': expected 0 to 3, got '9'$"),
    (lambda: tile.compile(kernels.ADD, remarks="("), r"^option 'remarks': expected a regular expression, got '\('$"),
    (lambda: tile.compile(kernels.ADD, functions=["f"]), r"expected a function '@f' with a body, got none$"),
    (lambda: tile.compile(kernels.ADD, parameters={"B": 1}), r"cannot bind '@B'"),
    (lambda: tile.compile(kernels.ADD)["sub"], r"expected a function of the module \(add\), got 'sub'"),
    (lambda: tile.compile(kernels.ADD).sub, r"expected a function of the module \(add\), got 'sub'"),
    (lambda: tile.compile(kernels.ADD).code("add", "ptx"), r"expected a kind of code that was made \(object.*got 'ptx'"),
    (lambda: tile.compile(pathlib.Path("/nonexistent/file")), r"No such file"),
    (lambda: tile.import_tilelang("{"), r"cannot read TVM's JSON"),
    (lambda: tile.import_tilelang(3), r"^expected a PrimFunc of TileLang or its JSON, got int$"),
    (lambda: tile.jit(kernels.ADD + kernels.TWICE, cache=None)(x, y, y), r"^expected the name of one function .*\(add, twice\)"),
]


class WrongCalls(unittest.TestCase):
    def test_each(self):
        self.assertGreaterEqual(len(CALLS), 100)
        for number, (call, message) in enumerate(CALLS):
            with self.subTest(number=number, message=message):
                expected = (tile.Error, KeyError, AttributeError, OSError)
                with self.assertRaisesRegex(expected, message):
                    call()
        # What was refused has left nothing behind.
        z = f32()
        ADD(np.arange(N, dtype=np.float32), f32() + 1, z)
        self.assertEqual(z.tolist(), [1, 2, 3, 4, 5])

    def test_arguments_are_released(self):
        a = f32()
        before = sys.getrefcount(a)
        for wrong in (f32(3), None, "text", f32(N, N), read_only(f32())):
            for _ in range(10):
                with self.assertRaises(tile.CallError):
                    ADD(a, a, wrong)
        for _ in range(10):
            ADD(a, a, a)
        self.assertEqual(sys.getrefcount(a), before)

    def test_the_cause_is_kept(self):
        cause = BufferError("not today")
        with self.assertRaises(tile.CallError) as context:
            ADD(x, y, Raises(cause))
        self.assertIsInstance(context.exception.__cause__, tile.CallError)

    def test_interrupts_go_on(self):
        for exception in (KeyboardInterrupt, SystemExit):
            with self.assertRaises(exception):
                ADD(x, y, Raises(exception()))

    def test_closed(self):
        module = tile.compile(kernels.ADD)
        add = module.add
        module.close()
        module.close()
        self.assertTrue(module.closed)
        with self.assertRaisesRegex(tile.CallError, "expected a kernel, got one that was unloaded"):
            add(x, y, f32())
        for use in (lambda: module.code("add"), lambda: module["add"](x, y, f32())):
            with self.assertRaisesRegex(tile.Error, "module, got one that is closed|kernel, got one that was unloaded"):
                use()
        with tile.compile(kernels.ADD) as unused:
            pass
        with self.assertRaisesRegex(tile.Error, "expected a module, got one that is closed"):
            unused["add"]

    def test_closed_by_an_argument(self):
        module = tile.compile(kernels.ADD)

        class Closes:
            def __dlpack__(self, stream=None):
                module.close()
                return f32().__dlpack__()

        with self.assertRaisesRegex(tile.CallError, "expected a kernel, got one that was unloaded"):
            module.add(x, y, Closes())

    def test_closed_by_other_threads(self):
        for _ in range(20):
            module = tile.compile(kernels.ADD)
            add, refused = module.add, []

            def call():
                a, b, c = f32(1000), f32(1000), f32(1000)
                try:
                    while True:
                        add(a, b, c)
                except tile.CallError as error:
                    refused.append(str(error))

            threads = [threading.Thread(target=call) for _ in range(4)]
            for thread in threads:
                thread.start()
            module.close()
            for thread in threads:
                thread.join()
            self.assertEqual(refused, ["expected a kernel, got one that was unloaded"] * 4)


if __name__ == "__main__":
    unittest.main()
