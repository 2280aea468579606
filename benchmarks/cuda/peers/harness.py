"""Kernels of tile as Python callables on tensors of PyTorch, and timing that rotates the order of candidates."""
import ctypes, os, re, statistics, sys
import torch
import torch.utils.dlpack as dlpack

folder = sys.argv[1]
options = dict(re.match(r"--(\w+)=(.*)", a).groups() for a in sys.argv[2:])
rounds = int(options.get("rounds", 16))
lib = ctypes.CDLL(os.path.join(folder, "libtile-bench.so"))
lib.tile_bench_error.restype = ctypes.c_char_p
lib.tile_bench_load.restype = ctypes.c_void_p
lib.tile_bench_launch.restype = ctypes.c_bool
pointer = ctypes.pythonapi.PyCapsule_GetPointer
pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


class Kernel:
    def __init__(self, path, tensors):
        load = [os.path.join(path, n).encode() for n in ("image.cubin", "kernel-0.json")]
        self.handle = lib.tile_bench_load(*load)
        if not self.handle:
            raise RuntimeError(lib.tile_bench_error().decode())
        self.capsules = [dlpack.to_dlpack(t) for t in tensors]
        self.pointers = (ctypes.c_void_p * len(tensors))(
            *[pointer(c, b"dltensor") for c in self.capsules])

    def __call__(self):
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        if not lib.tile_bench_launch(ctypes.c_void_p(self.handle), self.pointers, len(self.capsules), stream):
            raise RuntimeError(lib.tile_bench_error().decode())


def time(candidates, launches=4):
    """Median milliseconds of each candidate, order-rotated."""
    names, samples = list(candidates), {n: [] for n in candidates}
    for r in range(rounds + 2):
        for name in names[r % len(names):] + names[:r % len(names)]:
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            for _ in range(launches):
                candidates[name]()
            end.record()
            end.synchronize()
            if r >= 2:
                samples[name].append(begin.elapsed_time(end) / launches)
    return {n: statistics.median(s) for n, s in samples.items()}
