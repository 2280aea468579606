"""Arrays of DLPack made by hand: both kinds of capsules, who frees them and when, devices and streams.

With TILE_CUDA_DRIVER set to the driver without a GPU, calls of kernels for a GPU too.
"""
import array
import ctypes
import os
import unittest

import kernels
import tile
from tile import _launch


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


class Managed(ctypes.Structure):
    _fields_ = [("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", DLTensor)]


api = ctypes.pythonapi
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
NAMES = {Managed: b"dltensor", Versioned: b"dltensor_versioned"}


class Array:
    """Speaks DLPack, counts the capsules that are alive, and knows the stream that it was given."""

    def __init__(self, values, kind=Managed, device=(1, 0), bits=32, lanes=1, major=1, flags=0, offset=0, strides=None):
        self.values = array.array("f", values)
        self.alive = self.made = 0
        self.stream = "none"
        self.shape = (ctypes.c_int64 * 1)(len(values))
        self.strides = strides and (ctypes.c_int64 * 1)(*strides)
        address = self.values.buffer_info()[0]
        tensor = DLTensor(address - offset, *device, 1, 2, bits, lanes, self.shape, self.strides, offset)
        self.managed = Managed(tensor) if kind is Managed else Versioned(major, 0, None, None, flags, tensor)
        self.destructor = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.release)

    def release(self, _):
        self.alive -= 1

    def __dlpack_device__(self):
        return self.managed.tensor.device_type, self.managed.tensor.device

    def __dlpack__(self, stream=None):
        self.stream = stream
        self.alive += 1
        self.made += 1
        return api.PyCapsule_New(ctypes.addressof(self.managed), NAMES[type(self.managed)],
                                 ctypes.cast(self.destructor, ctypes.c_void_p))


class Exchange(ctypes.Structure):
    """DLPackExchangeAPI."""
    Describe = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(DLTensor))
    Stream = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("previous", ctypes.c_void_p),
                ("unused", ctypes.c_void_p * 3), ("describe", Describe), ("stream", Stream)]


def make_tensor(major=1, current=None, previous=None):
    """A type with a table of functions; `current` is its current stream."""
    class Tensor(Array):
        requires_grad = False
        described = 0

    def describe(tensor, out):
        Tensor.described += 1
        ctypes.memmove(out, ctypes.addressof(tensor.managed.tensor), ctypes.sizeof(DLTensor))
        return 0

    def stream(device_type, device, out):
        out[0] = current
        return 0

    table = Exchange(major, 0, previous and ctypes.addressof(previous), (ctypes.c_void_p * 3)(), Exchange.Describe(describe),
                     Exchange.Stream(stream))
    Tensor.table = table
    Tensor.__dlpack_c_exchange_api__ = api.PyCapsule_New(ctypes.addressof(table), b"dlpack_exchange_api", None)
    return Tensor


class Tables(unittest.TestCase):
    def test_described_without_capsules(self):
        Tensor, add = make_tensor(), tile.compile(kernels.ADD).add
        x, y, z = Tensor([1, 2, 3]), Array([10, 20, 30]), Tensor([0, 0, 0])
        add(x, y, z)
        add(x, y, z)
        self.assertEqual((z.values.tolist(), Tensor.described, x.made, y.made), ([11, 22, 33], 4, 0, 2))
        # A tensor that wants gradients says so itself, by __dlpack__.
        x.requires_grad = True
        add(x, y, z)
        self.assertEqual((Tensor.described, x.made), (5, 1))
        with self.assertRaisesRegex(tile.CallError, "argument 1 .*expected N = 3"):
            add(z, Tensor([1]), z)

    def test_versions(self):
        old = make_tensor()
        add = tile.compile(kernels.ADD).add
        for kind, described in (make_tensor(2), 0), (make_tensor(2, previous=old.table), 0), (make_tensor(3), 0):
            x = kind([1, 2, 3])
            before = old.described
            add(x, x, x)
            self.assertEqual((x.values.tolist(), kind.described, old.described - before > 0),
                             ([2, 4, 6], described, kind.table.previous is not None))

    def test_what_is_no_table(self):
        class Tensor(Array):
            __dlpack_c_exchange_api__ = 7

        x = Tensor([1, 2, 3])
        tile.compile(kernels.ADD).add(x, x, x)
        self.assertEqual((x.values.tolist(), x.made), ([2, 4, 6], 3))


class Capsules(unittest.TestCase):
    def setUp(self):
        self.add = tile.compile(kernels.ADD).add

    def refuse(self, message, *arguments):
        with self.assertRaisesRegex(tile.CallError, message):
            self.add(*arguments)
        for argument in arguments:
            self.assertEqual(getattr(argument, "alive", 0), 0)

    def test_both_kinds(self):
        for kind in Managed, Versioned:
            x, y, z = Array([1, 2, 3], kind), Array([10, 20, 30], kind, offset=64), Array([0, 0, 0], kind, strides=[1])
            for _ in range(3):
                self.add(x, y, z)
            self.assertEqual(z.values.tolist(), [11, 22, 33])
            self.assertEqual([(a.made, a.alive, a.stream) for a in (x, y, z)], [(3, 0, None)] * 3)

    def test_refused(self):
        x = Array([1, 2, 3])
        self.refuse(r"argument 2 \(z\): expected memory that may be written, got a read-only array", x, x,
                    Array([0] * 3, Versioned, flags=1))
        self.add(Array([0] * 3, Versioned, flags=1), x, Array([0] * 3))
        self.refuse("argument 0 .*expected version 1 of DLPack, got 2", Array([0] * 3, Versioned, major=2), x, x)
        self.refuse("argument 1 .*expected elements of f32, got", x, Array([0] * 3, bits=16), x)
        self.refuse("argument 1 .*expected", x, Array([0] * 3, lanes=2), x)
        self.refuse("argument 1 .*expected memory of device cpu:0, got cuda:3", x, Array([0] * 3, device=(2, 3)), x)
        self.refuse("argument 2 .*expected N = 3", x, x, Array([0] * 2))
        self.refuse("argument 2 .*expected a tensor of f32, got str", x, x, "z")

    def test_inspect(self):
        x = Array([1, 2, 3], offset=8)
        address, code, bits, shape, strides, read_only, device_type, device, owner = _launch.inspect(x)
        self.assertEqual((address, code, bits, shape, strides), (x.values.buffer_info()[0], 2, 32, (3,), None))
        self.assertEqual((bool(read_only), device_type, device, x.alive), (False, 1, 0, 1))
        del owner
        self.assertEqual(x.alive, 0)
        view = tile.view(x, "i8")
        self.assertEqual((view.shape, x.alive), ((12,), 1))
        for wrong, message in ((Array([1], lanes=4), "expected a tensor of elements of one lane, got 4 lanes and a rank of 1"),
                               (Array([1], Versioned, major=2), "expected version 1 of DLPack, got 2")):
            with self.assertRaisesRegex(tile.Error, message):
                tile.view(wrong, "i8")
            self.assertEqual(wrong.alive, 0)
        for wrong in None, "text", object():
            with self.assertRaisesRegex(TypeError, "expected an object with __dlpack__"):
                _launch.inspect(wrong)

    def test_models_take_memory_of_the_host(self):
        for target in {"cuda", "hip"}.intersection(tile.targets()):
            add = tile.compile(kernels.ADD, target, device="model").add
            x = Array([1, 2, 3], device=(2, 0))
            with self.assertRaisesRegex(tile.CallError, "argument 0 .*expected memory of the CPU for a model"):
                add(x, x, x)
            self.assertEqual(x.alive, 0)


class State(ctypes.Structure):
    """FakeCudaState of unittests/Runtime/FakeCUDA.h."""
    _fields_ = [("pretend", ctypes.c_int * 5), ("failCall", ctypes.c_char_p), ("failResult", ctypes.c_int),
                ("parameterCount", ctypes.c_int), ("parameterBytes", ctypes.c_int * 8),
                *[(name, ctypes.c_int) for name in ("calls", "retained", "pushes", "modules", "allocations", "streams", "events",
                                                    "graphAllocations", "graphFrees", "peers", "fills", "syncs", "encodes",
                                                    "launches", "functionAttributes",
                                                    "jitRegisters", "imageLength", "dynamicShared", "nonPortable")],
                ("function", ctypes.c_char * 64), ("launched", ctypes.c_char * 64), ("sizes", ctypes.c_uint32 * 10),
                ("cooperative", ctypes.c_bool), ("pdl", ctypes.c_bool), ("stream", ctypes.c_void_p)]


class Stream:
    def __init__(self, **attributes):
        self.__dict__.update(attributes)


class CudaStream:
    def __cuda_stream__(self):
        return (0, 77)


@unittest.skipUnless(os.environ.get("TILE_CUDA_DRIVER"), "no driver that has no GPU")
class GPU(unittest.TestCase):
    def setUp(self):
        driver = ctypes.CDLL(os.environ["TILE_CUDA_DRIVER"])
        driver.fakeCudaState.restype = ctypes.POINTER(State)
        self.state = driver.fakeCudaState().contents
        self.module = tile.compile(kernels.ADD, "sm_90a")
        self.x, self.y, self.z = (Array([0] * 64, device=(2, 0)) for _ in range(3))

    def launch(self, **named):
        before = self.state.launches
        self.module.add(self.x, self.y, self.z, **named)
        self.assertEqual(self.state.launches, before + 1)
        self.assertEqual([a.alive for a in (self.x, self.y, self.z)], [0] * 3)
        return self.state.stream, self.x.stream

    def test_streams(self):
        # DLPack calls the default stream 1.
        self.assertEqual(self.launch(), (None, 1))
        self.assertEqual(self.launch(stream=None), (None, 1))
        self.assertEqual(self.launch(stream=0), (None, 1))
        self.assertEqual(self.launch(stream=4096), (4096, 4096))
        self.assertEqual(self.launch(stream=2 ** 64 - 1), (2 ** 64 - 1, 2 ** 64 - 1))
        self.assertEqual(self.launch(stream=Stream(cuda_stream=55)), (55, 55))
        self.assertEqual(self.launch(stream=Stream(ptr=66)), (66, 66))
        self.assertEqual(self.launch(stream=CudaStream()), (77, 77))
        for wrong in "s", -1, 2 ** 64, True, 1.0, Stream():
            with self.assertRaisesRegex(tile.CallError, "^@add: expected a stream as a number or an object of CUDA, got"):
                self.launch(stream=wrong)

    def test_current_stream_of_a_table(self):
        Tensor = make_tensor(current=4711)
        self.x = Tensor([0] * 64, device=(2, 0))
        self.assertEqual((self.launch(), self.y.stream, Tensor.described), ((4711, "none"), 4711, 1))
        self.assertEqual((self.launch(stream=4711), Tensor.described), ((4711, "none"), 2))
        # Another stream has to wait for the current one: __dlpack__ sees to that.
        self.assertEqual((self.launch(stream=12), Tensor.described), ((12, 12), 2))

    def test_devices(self):
        with self.assertRaisesRegex(tile.CallError, "argument 0 .*expected memory of device cuda:0, got cpu:0"):
            self.module.add(array.array("f", [0] * 64), self.y, self.z)
        with self.assertRaisesRegex(tile.CallError, "argument 1 .*expected memory of device cuda:0, got cuda:1"):
            self.module.add(self.x, Array([0] * 64, device=(2, 1)), self.z)
        with self.assertRaisesRegex(tile.Error, "^expected a CUDA device of 0 to 0, got 7$"):
            tile.compile(kernels.ADD, device="cuda:7")

    def test_chip_by_device(self):
        module = tile.compile(kernels.ADD, device="cuda:0")
        self.assertEqual(module.metadata("add")[0]["chip"], "sm_90a")
        add = tile.jit(kernels.ADD, cache=None)
        before = self.state.launches
        add(self.x, self.y, self.z)
        self.assertEqual((self.state.launches, repr(add)), (before + 1, "<tile jit, compiled for cuda:0>"))
        add(*[Array([0] * 3)] * 3)
        self.assertEqual(repr(add), "<tile jit, compiled for cuda:0, cpu>")

    def test_current_stream_of_torch(self):
        import sys
        import types
        torch = types.ModuleType("torch")
        torch._C = types.SimpleNamespace(_cuda_getCurrentRawStream=lambda device: 123 + device)
        sys.modules["torch"] = torch
        try:
            self.assertEqual(self.launch(), (123, 123))
        finally:
            del sys.modules["torch"]

    def test_failures_of_the_driver(self):
        self.state.failCall, self.state.failResult = b"cuLaunchKernelEx", 700
        try:
            with self.assertRaisesRegex(tile.CallError, "^@add"):
                self.launch(stream=9)
        finally:
            self.state.failCall = None
        self.launch(stream=9)


if __name__ == "__main__":
    unittest.main()
