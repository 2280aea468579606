#!/usr/bin/env python3
"""Runs TileLang's own test files on the CPU path, and says how many tests of each pass, fail, or are refused.

usage: run-tilelang-tests.py ROOT PATH... [--jobs N] [--seconds N] [--json FILE]

ROOT is a checkout of TileLang, PATH a file or folder below it, as testing/python/language. Needs tile, tilelang, torch and pytest;
no GPU: what a test puts on a GPU is on the CPU, and kernels are compiled for the CPU. A test is refused if tile says so with an
error; it is `text` if it asks for generated CUDA or for passes of TileLang's compiler, which do not run here.
"""
import argparse
import collections
import json
import os
import pathlib
import signal
import sys
import tempfile
import types

REFUSED = ("cannot import", "tile._errors", "Error: unsupported", "cannot be lowered")
# What has no meaning where TileLang's compiler does not run: its sources, its passes, and the mocks that stand for these.
TEXT = ("func.func @", "get_kernel_source", "get_host_source", "tilelang.lower", "kernel_source", "has no attribute", "show_source", "nvcc",
        "tilelang/engine", "tilelang/cache", "show_ptx", "export_", "TVMError", "InternalError", "tl.transform", "DID NOT RAISE",
        "StopIteration")


def stand_in_for_cuda(torch):
    """Whatever asks for a CUDA device gets the CPU."""
    class Anything:
        cuda_stream = 0

        def __init__(self, *_, **__):
            pass

        def __getattr__(self, name):
            return lambda *_, **__: self

        def __enter__(self):
            return self

        def __exit__(self, *_):
            return False

        def elapsed_time(self, _):
            return 1.0
    properties = types.SimpleNamespace(name="CPU", major=9, minor=0, multi_processor_count=132, total_memory=1 << 34, warp_size=32,
                                       shared_memory_per_block_optin=232448, shared_memory_per_multiprocessor=233472,
                                       regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, L2_cache_size=50 << 20)
    constants = {"is_available": True, "is_initialized": True, "device_count": 1, "current_device": 0, "get_device_name": "CPU",
                 "get_device_capability": (9, 0), "get_device_properties": properties, "init": None, "_lazy_init": None,
                 "synchronize": None, "empty_cache": None, "set_device": None, "manual_seed": None, "manual_seed_all": None,
                 "is_bf16_supported": True, "memory_allocated": 0, "max_memory_allocated": 0, "reset_peak_memory_stats": None}
    for name, value in constants.items():
        setattr(torch.cuda, name, lambda *_, result=value, **__: result)
    for name in ("Event", "Stream", "CUDAGraph", "current_stream", "default_stream", "stream", "graph", "device"):
        setattr(torch.cuda, name, Anything)
    torch.Tensor.cuda = torch.nn.Module.cuda = lambda self, *_, **__: self
    torch.Tensor.is_cuda = property(lambda _: True)

    def is_cuda(given):
        return str(given).startswith("cuda") and isinstance(given, (str, torch.device))
    cpu = torch.device("cpu")

    class OnCpu(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, function, kinds, given=(), named=None):
            named = dict(named or {})
            if is_cuda(named.get("device")) or type(named.get("device")) is int:
                named["device"] = cpu
            return function(*(cpu if is_cuda(x) else x for x in given), **named)
    return OnCpu()


def allow_all_targets(testing):
    """Tests that ask for a device are run all the same."""
    def keep(*given, **named):
        return given[0] if len(given) == 1 and callable(given[0]) and not named else keep
    for name in dir(testing):
        if name.startswith("requires_"):
            setattr(testing, name, keep)


def verdict(report, launches):
    text = str(report.longrepr) if report.longrepr else ""
    if report.outcome == "passed":
        return "passed" if launches else "no launch"
    if report.outcome == "skipped":
        return "skipped"
    if any(mark in text for mark in REFUSED):
        return "refused"
    if "Timeout" in text:
        return "time"
    return "text" if any(mark in text for mark in TEXT) else "failed"


def run_file(path, root, seconds, mode, out):
    import pytest
    import tile.tilelang
    launches, found = [0], {}
    call = tile.tilelang.Kernel.__call__

    def counted(self, *given, **named):
        result = call(self, *given, **named)
        launches[0] += 1
        return result
    tile.tilelang.Kernel.__call__ = counted

    class Timeout(BaseException):
        pass

    def stop(*_):
        raise Timeout("Timeout")
    signal.signal(signal.SIGPROF, stop)

    class Plugin:
        @pytest.hookimpl(hookwrapper=True)
        def pytest_runtest_call(self, item):
            launches[0] = 0
            signal.setitimer(signal.ITIMER_PROF, seconds)
            with mode:
                yield
            signal.setitimer(signal.ITIMER_PROF, 0)

        def pytest_runtest_logreport(self, report):
            if report.when == "call" or report.outcome != "passed":
                found[report.nodeid] = [verdict(report, launches[0]), str(report.longrepr or "")[-1500:]]

        def pytest_collectreport(self, report):
            if report.outcome == "failed":
                found[report.nodeid] = ["text", str(report.longrepr)[-1500:]]
    os.chdir(path.parent)
    sys.path[:0] = [str(path.parent)]
    pytest.main([str(path), "-q", "--no-header", "-p", "no:cacheprovider", "--confcutdir", str(root), "--rootdir", str(root),
                 "--tb=short"], plugins=[Plugin()])
    out.write_text(json.dumps(found))


def start(path, out, work):
    pid = os.fork()
    if pid:
        return pid
    log = os.open(str(out) + ".log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(log, 1)
    os.dup2(log, 2)
    try:
        work()
    finally:
        os._exit(0)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=25, help="of CPU time for each test")
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    root = options.root.resolve()
    import torch
    mode = stand_in_for_cuda(torch)
    import tilelang
    import tilelang.testing
    import tile.tilelang
    torch.set_num_threads(1)
    allow_all_targets(tilelang.testing)
    tile.tilelang.install()
    files = []
    for path in options.paths:
        path = root / path
        files += sorted(path.rglob("test_*.py")) if path.is_dir() else [path]
    results, running = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        waiting = list(enumerate(files))
        while waiting or running:
            while waiting and len(running) < options.jobs:
                number, path = waiting.pop(0)
                out = pathlib.Path(folder, str(number))
                running[start(path, out, lambda: run_file(path, root, options.seconds, mode, out))] = path, out
            path, out = running.pop(os.wait()[0])
            name = str(path.relative_to(root))
            results[name] = json.loads(out.read_text()) if out.exists() else {name: ["crash", pathlib.Path(f"{out}.log").read_text()[-1500:]]}
            counts = collections.Counter(kind for kind, _ in results[name].values())
            print(name, ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())), flush=True)
            if options.json:
                options.json.write_text(json.dumps(results, indent=1))
    total = collections.Counter(kind for tests in results.values() for kind, _ in tests.values())
    print(len(results), "files:", ", ".join(f"{count} {kind}" for kind, count in total.most_common()))


if __name__ == "__main__":
    main()
