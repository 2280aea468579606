"""Kernels of tile as Python callables on tensors of PyTorch, and timing of candidates in random order."""
import ctypes, json, os, random, re, statistics, sys, tempfile
import torch
import torch.utils.dlpack as dlpack

folder = sys.argv[1]
options = dict(re.match(r"--(\w+)=(.*)", a).groups() for a in sys.argv[2:])
rounds = int(options.get("rounds", 16))
lib = ctypes.CDLL(os.path.join(folder, "libtile-bench.so"))
lib.tile_bench_error.restype = ctypes.c_char_p
lib.tile_bench_load.restype = ctypes.c_void_p
lib.tile_bench_call.restype = ctypes.c_bool
pointer = ctypes.pythonapi.PyCapsule_GetPointer
pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def split_metadata(path):
    """Files of one kernel each, of a file that describes all kernels of a function."""
    text, decoder = open(path).read(), json.JSONDecoder()
    while text.strip():
        end = decoder.raw_decode(text.lstrip())[1]
        with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
            file.write(text.lstrip()[:end])
        text = text.lstrip()[end:]
        yield file.name
        os.unlink(file.name)


class Kernel:
    """The kernels of a function, one after the other."""

    def __init__(self, path, tensors):
        self.handles = [lib.tile_bench_load(os.path.join(path, "image.cubin").encode(), name.encode())
                        for name in split_metadata(os.path.join(path, "kernel-0.json"))]
        if not all(self.handles):
            raise RuntimeError(lib.tile_bench_error().decode())
        self.kernels = (ctypes.c_void_p * len(self.handles))(*self.handles)
        self.capsules = [dlpack.to_dlpack(t) for t in tensors]
        self.pointers = (ctypes.c_void_p * len(tensors))(
            *[pointer(c, b"dltensor") for c in self.capsules])

    def __call__(self):
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        if not lib.tile_bench_call(self.kernels, len(self.handles), self.pointers, len(self.capsules), stream):
            raise RuntimeError(lib.tile_bench_error().decode())


def record(call, launches):
    """`launches` calls as a graph: short kernels then take no longer than the GPU needs."""
    call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(launches):
            call()
    return graph.replay


def time(candidates, launches=4, graphs=False):
    """Median milliseconds of each candidate, in random order: what runs before one changes its clock."""
    if graphs:
        replays = {n: record(c, launches) for n, c in candidates.items()}
        return {n: t / launches for n, t in time(replays, 1).items()}
    order, samples = random.Random(0), {n: [] for n in candidates}
    for r in range(rounds + 2):
        for name in order.sample(list(candidates), len(candidates)):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            for _ in range(launches):
                candidates[name]()
            end.record()
            end.synchronize()
            if r >= 2:
                samples[name].append(begin.elapsed_time(end) / launches)
    return {n: statistics.median(s) for n, s in samples.items()}
