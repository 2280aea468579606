#!/usr/bin/env python3
"""Kernels of TileLang as tile compiles them beside TileLang's own, on the GPU, in one process.

    compare.py FOLDER [--rounds=N] [--only=TEXT] [--json=FILE] [--also=NAME]

FOLDER holds what build.py made, and libtile-bench.so of benchmarks/cuda/peers. --also measures what another version of tile made, in
a folder NAME of each program. All get the same random inputs; what they write is
poisoned before, and compared; times of programs whose results differ are printed and not counted. The order rotates; before each
call the caches are overwritten. Printed are medians in microseconds.
"""
import ctypes
import json
import math
import os
import re
import signal
import statistics
import sys
import tempfile

import torch

FOLDER = sys.argv[1]
OPTIONS = dict(re.match(r"--(\w+)=(.*)", a).groups() for a in sys.argv[2:])
ROUNDS = int(OPTIONS.get("rounds", 20))
SECONDS = 20  # for a program
AGREES = 0.05  # what differs by more is not roundings of 16-bit floats, and its times are not compared
# TVM's names of types: the code and bits in DLPack of what an import makes of them, without a sign, and a type of torch as wide.
TYPES = {"float16": (2, 16, torch.float16), "bfloat16": (4, 16, torch.bfloat16), "float32": (2, 32, torch.float32),
         "int8": (0, 8, torch.int8), "uint8": (0, 8, torch.uint8), "int16": (0, 16, torch.int16), "int32": (0, 32, torch.int32),
         "uint32": (0, 32, torch.int32), "int64": (0, 64, torch.int64), "bool": (6, 8, torch.bool), "int4": (0, 4, torch.uint8),
         "float8_e4m3fn": (10, 8, torch.float8_e4m3fn), "float8_e4m3": (10, 8, torch.float8_e4m3fn),
         "float8_e5m2": (12, 8, torch.float8_e5m2), "custom[tfloat32]": (2, 32, torch.float32)}


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.c_void_p), ("offset", ctypes.c_uint64)]


def check(status, what):
    if status:
        raise RuntimeError(f"{what}: CUDA error {status}")


# What tile compiled, launched by its runtime.

bench = ctypes.CDLL(os.path.join(FOLDER, "libtile-bench.so"))
bench.tile_bench_error.restype = ctypes.c_char_p
bench.tile_bench_load.restype = ctypes.c_void_p
bench.tile_bench_call.restype = ctypes.c_bool


def split_objects(path):
    """The objects of a file that holds one for each kernel."""
    with open(path, encoding="utf-8") as file:
        text, decoder = file.read(), json.JSONDecoder()
    while text := text.strip():
        end = decoder.raw_decode(text)[1]
        yield text[:end]
        text = text[end:]


class Tile:
    def __init__(self, path, arguments, tensors):
        self.kernels, self.written = [], set()
        for number, text in enumerate(split_objects(os.path.join(path, "kernel-0.json"))):
            single = os.path.join(tempfile.gettempdir(), f"compare-{os.getpid()}-{number}.json")
            with open(single, "w", encoding="utf-8") as file:
                file.write(text)
            self.kernels.append(bench.tile_bench_load(os.path.join(path, "image.cubin").encode(), single.encode()))
            os.remove(single)
            if not self.kernels[-1]:
                raise RuntimeError(bench.tile_bench_error().decode())
        self.descriptions = []
        for about, tensor in zip(arguments, tensors):
            code, bits, _ = TYPES[about["type"]]
            shape = (ctypes.c_int64 * len(about["shape"]))(*about["shape"])
            self.descriptions.append(DLTensor(tensor.data_ptr(), 2, 0, len(shape), code, bits, 1, shape, None, 0))
        self.handles = (ctypes.c_void_p * len(self.kernels))(*self.kernels)
        self.pointers = (ctypes.c_void_p * len(self.descriptions))(*[ctypes.addressof(d) for d in self.descriptions])

    def __call__(self):
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        if not bench.tile_bench_call(self.handles, len(self.handles), self.pointers, len(self.descriptions), stream):
            raise RuntimeError(bench.tile_bench_error().decode())


# What TileLang compiled, launched as its host function says.

driver = ctypes.CDLL("libcuda.so.1")
SCALARS = {"int32": ctypes.c_int32, "int64": ctypes.c_int64, "uint32": ctypes.c_uint32, "float32": ctypes.c_float, "bool": ctypes.c_bool}


def array(kind, values):
    return (kind * max(1, len(values)))(*values)


def encode(about, address_of):
    """A CUtensorMap, at an address that is a multiple of 64."""
    memory = ctypes.create_string_buffer(192)
    address = (ctypes.addressof(memory) + 63) // 64 * 64
    rank = len(about["sizes"])
    head = (ctypes.c_void_p(address), about["type"], rank, ctypes.c_void_p(address_of(about["data"])),
            array(ctypes.c_uint64, about["sizes"]), array(ctypes.c_uint64, about["strides"]))
    tail = (array(ctypes.c_uint32, about["element_strides"]), about["interleave"], about["swizzle"], about["l2"], about["fill"])
    if "box" in about:
        check(driver.cuTensorMapEncodeTiled(*head, array(ctypes.c_uint32, about["box"]), *tail), "cuTensorMapEncodeTiled")
    else:
        check(driver.cuTensorMapEncodeIm2col(*head, array(ctypes.c_int, about["lower"]), array(ctypes.c_int, about["upper"]),
                                             about["channels"], about["pixels"], *tail), "cuTensorMapEncodeIm2col")
    return memory, address


MOST_BLOCKS = 65535  # of a launch, along y and along z


class TileLang:
    def __init__(self, path, tensors, parts):
        """`parts` are the numbers of parts of arguments, if the grid is too large for one launch."""
        with open(os.path.join(path, "tilelang.cubin"), "rb") as file:
            image = file.read()
        with open(os.path.join(path, "tilelang.json"), encoding="utf-8") as file:
            self.about = json.load(file)
        module, self.kept, self.launches = ctypes.c_void_p(), [image], []
        workspaces = {name: torch.empty(size, dtype=torch.uint8, device="cuda") for name, size in self.about["workspaces"].items()}
        self.kept.append(workspaces)

        def address_of(data, part):
            if isinstance(data, str):
                return workspaces[data].data_ptr()
            return tensors[data].data_ptr() + (part * (tensors[data].nbytes // parts[data]) if data in parts else 0)
        check(driver.cuModuleLoadData(ctypes.byref(module), image), "cuModuleLoadData")
        for launch in self.about["launches"]:
            if "tags" in launch or "cluster" in launch:
                raise RuntimeError(f"a launch with {launch.get('tags', 'clusters')}")
            function = ctypes.c_void_p()
            check(driver.cuModuleGetFunction(ctypes.byref(function), module, launch["kernel"].encode()), launch["kernel"])
            check(driver.cuFuncSetAttribute(function, 8, launch["shared"]), "shared memory")
            start = driver.cuLaunchCooperativeKernel if launch["cooperative"] else driver.cuLaunchKernel
            rest = () if launch["cooperative"] else (None,)
            grid, count = list(launch["grid"]), 1
            if grid[1] > MOST_BLOCKS and parts:
                count = max(parts.values())
                grid[1] //= count
            for part in range(count):
                pointers = self._prepare(launch["parameters"], lambda data, part=part: address_of(data, part))
                self.launches.append((start, function, (*grid, *launch["block"], launch["shared"]),
                                      (array(ctypes.c_void_p, pointers), *rest)))

    def _prepare(self, parameters, address_of):
        """The addresses of the parameters of a launch."""
        pointers = []
        for parameter in parameters:
            if "map" in parameter:
                memory, address = encode(parameter["map"], address_of)
                self.kept.append(memory)
                pointers.append(address)
                continue
            value = (ctypes.c_void_p(address_of(parameter["data"])) if "data" in parameter
                     else SCALARS[parameter["type"]](parameter["value"]))
            self.kept.append(value)
            pointers.append(ctypes.addressof(value))
        return pointers

    def __call__(self):
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        for start, function, numbers, parameters in self.launches:
            check(start(function, *numbers, stream, *parameters), "the launch")


# Arguments.

PAIRS = (4, 8, 12, 9, 13, 14)  # the places of two of four elements, the first one in the low bits


def make_metadata(count, bits):
    """Words of places of 2:4 sparse operands, four bits for each four elements."""
    words = torch.zeros(count, dtype=torch.int64, device="cuda")
    for shift in range(0, bits, 4):
        words |= torch.tensor(PAIRS, device="cuda")[torch.randint(0, len(PAIRS), (count,), device="cuda")] << shift
    return words - ((words >> (bits - 1)) << bits)


def make_sparse(count, dtype):
    """Of four neighbours at most two are not 0; of two at most one, where they have 32 bits."""
    group = 2 if dtype.itemsize == 4 else 4
    is_kept = torch.rand(count // group, group, device="cuda").argsort(-1) < group // 2
    return torch.randn(count, device="cuda") * is_kept.flatten()


def make_values(rule, shape, dtype):
    kind, rest = rule[0], rule[1:]
    count = math.prod(shape)
    made = {"below": lambda: torch.randint(0, rest[0], (count,)), "all": lambda: torch.full((count,), rest[0]),
            "ramp": lambda: torch.linspace(rest[0], rest[1], count).round(), "numbers": lambda: torch.arange(count),
            "shuffled": lambda: torch.randperm(count), "each": lambda: torch.tensor(rest),
            "metadata": lambda: make_metadata(count, 8 * dtype.itemsize), "sparse": lambda: make_sparse(count, dtype),
            "pairs": lambda: torch.stack([torch.zeros(count // 2, dtype=torch.int64), torch.arange(count // 2)], 1)}[kind]()
    return made.reshape(shape).to(dtype).cuda()


def make_input(about, rule):
    _, bits, dtype = TYPES[about["type"]]
    shape = list(about["shape"])
    if bits == 4:
        shape[-1] //= 2
    if rule:
        return make_values(rule, shape, dtype)
    if dtype == torch.bool:
        return torch.rand(shape, device="cuda") < 0.5
    if not dtype.is_floating_point:
        # Of wide types, no more than a product's sum can hold.
        low, high = (0, 256) if dtype == torch.uint8 else (-128, 128)
        return torch.randint(low, high, shape, device="cuda", dtype=dtype)
    made = torch.empty(shape, device="cuda", dtype=dtype)
    parts, whole = made.flatten().split(1 << 26), torch.float16 if bits == 16 else torch.float32
    for part in parts:
        part.copy_(torch.randn(part.numel(), device="cuda", dtype=whole) * 0.5)
    return made


def find_written(path):
    """For each argument, whether a kernel writes it without having read it, or both."""
    access = {}
    for text in split_objects(os.path.join(path, "kernel-0.json")):
        for number, argument in enumerate(json.loads(text)["arguments"]):
            access.setdefault(number, []).append(argument.get("access", "read_write"))
    first = {number: next((kind for kind in kinds if kind != "none"), "none") for number, kinds in access.items()}
    return {n for n, kinds in access.items() if any("write" in kind for kind in kinds)}, {n for n, kind in first.items() if kind == "write"}


def difference(got, expected):
    """The norm of the difference over that of what is expected, and how many elements were compared: those that one of them wrote."""
    pairs = list(zip(got.flatten().split(1 << 26), expected.flatten().split(1 << 26)))
    if not got.dtype.is_floating_point:
        return sum((a != b).sum().item() for a, b in pairs) / max(1, got.numel()), got.numel()
    poison = torch.full((1,), 255, dtype=torch.uint8, device="cuda").expand(got.element_size()).contiguous()
    bits = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[got.element_size()]
    error = norm = 0.0
    written = [(a.view(bits) != poison.view(bits)) | (b.view(bits) != poison.view(bits)) for a, b in pairs]
    is_finite = all(torch.isfinite(b[w].double()).all() for (_, b), w in zip(pairs, written))
    for (a, b), is_written in zip(pairs, written):
        a, b = (t[is_written].double() for t in (a, b))
        same = (a == b) | (a.isnan() & b.isnan())
        a, b = (a, b) if is_finite else (torch.where(same, 0.0, t) for t in (a, b))
        error, norm = error + (a - b).square().sum().item(), norm + b.square().sum().item()
    return math.sqrt(error) / math.sqrt(norm) if norm else math.sqrt(error), sum(w.sum().item() for w in written)


def compare(path):
    with open(os.path.join(path, "about.json"), encoding="utf-8") as file:
        about = json.load(file)
    arguments = about["arguments"]
    if any("shape" not in a for a in arguments):
        raise RuntimeError("a scalar argument")
    written, fresh = find_written(path)
    torch.manual_seed(0)
    inputs = [make_input(a, about["values"].get(a["name"])) for a in arguments]
    other = os.path.join(path, OPTIONS["also"]) if "also" in OPTIONS else ""
    sets = []
    for _ in range(2 + os.path.isdir(other)):
        sets.append([t.clone() if n in written else t for n, t in enumerate(inputs)])
        for n in fresh:
            sets[-1][n].view(torch.uint8).fill_(255)
    parts = {n: about["slices"][a["name"]] for n, a in enumerate(arguments) if a["name"] in about.get("slices", {})}
    candidates = {"tile": Tile(path, arguments, sets[0]), "tilelang": TileLang(path, sets[1], parts)}
    if len(sets) > 2:
        candidates[OPTIONS["also"]] = Tile(other, arguments, sets[2])
    for name, call in candidates.items():
        for _ in range(about.get("calls", 1) if name == "tilelang" else 1):
            call()
        try:
            torch.cuda.synchronize()
        except RuntimeError as error:
            raise RuntimeError(f"{name}: {error}") from error
    # A NaN is larger than any number here.
    found = [difference(sets[0][n], sets[1][n]) for n in written]
    worst = max((d for d, _ in found), default=0.0, key=lambda d: (math.isnan(d), d))
    return about, candidates, worst, sum(count for _, count in found) / max(1, sum(sets[0][n].numel() for n in written))


def time(candidates):
    flush = torch.empty(1 << 28, dtype=torch.uint8, device="cuda")
    names, samples = list(candidates), {n: [] for n in candidates}
    rounds = ROUNDS
    for r in range(ROUNDS + 2):
        for name in names[r % len(names):] + names[:r % len(names)]:
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            flush.zero_()
            begin.record()
            candidates[name]()
            end.record()
            end.synchronize()
            if r >= 2:
                samples[name].append(begin.elapsed_time(end) * 1000)
        if r == 1 and begin.elapsed_time(end) > 20:
            rounds = 5
        if r == rounds + 1:
            break
    return {n: statistics.median(s) for n, s in samples.items()}


def measure(path):
    about, candidates, worst, compared = compare(path)
    times = time(candidates)
    return {"name": about["name"], **times, "ratio": times["tilelang"] / times["tile"], "difference": worst, "compared": compared,
            "seconds": about["seconds"], "seconds_tilelang": candidates["tilelang"].about["seconds"]}


def in_child(path):
    """A kernel that faults takes its process with it, and no other."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        try:
            result = measure(path)
        except Exception as error:  # a line of the table
            result = {"error": str(error).split("\n", maxsplit=1)[0][:150]}
        os.write(writer, json.dumps(result).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        text = file.read()
    status = os.waitpid(child, 0)[1]
    return json.loads(text) if text else {"error": f"ended with status {status}"}


def main():
    found = []
    print(f"{'program':46s} {'tile':>9s} {'TileLang':>9s} ratio  difference")
    for name in sorted(os.listdir(FOLDER)):
        path = os.path.join(FOLDER, name)
        if not all(os.path.exists(os.path.join(path, f)) for f in ("about.json", "kernel-0.json", "tilelang.json")):
            continue
        with open(os.path.join(path, "about.json"), encoding="utf-8") as file:
            title = json.load(file)["name"]
        if OPTIONS.get("only", "") not in title:
            continue
        row = in_child(path)
        if "error" in row:
            print(f"{title:46s} {row['error']}", flush=True)
            continue
        found.append(row)
        also = f"  {OPTIONS['also']} {row[OPTIONS['also']]:.1f}" if OPTIONS.get("also") in row else ""
        print(f"{title:46s} {row['tile']:9.1f} {row['tilelang']:9.1f} {row['ratio']:5.2f}  {row['difference']:.1e}{also}", flush=True)
    ratios = [f["ratio"] for f in found if f["difference"] <= AGREES]
    if ratios:
        print(f"{len(ratios)} programs: geometric mean {statistics.geometric_mean(ratios):.3f}, {sum(r >= 1 for r in ratios)} at least 1, "
              f"{sum(r < 0.8 for r in ratios)} below 0.8")
    if "json" in OPTIONS:
        with open(OPTIONS["json"], "w", encoding="utf-8") as file:
            json.dump(found, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
