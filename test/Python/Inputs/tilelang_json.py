"""usage: tilelang_json.py FOLDER, with NAME.json and NAME.mlir of gemm_relu and softmax"""
import pathlib
import sys

import numpy as np

import tile

folder = pathlib.Path(sys.argv[1])
kernels = {}
for name in "gemm_relu", "softmax":
    text = tile.import_tilelang(folder / f"{name}.json")
    assert text == (folder / f"{name}.mlir").read_text(), name
    assert text == tile.import_tilelang((folder / f"{name}.json").read_bytes())
    kernels[name] = tile.compile(text)[name]

random = np.random.default_rng(1)
a, b = (random.standard_normal(shape).astype(np.float16) for shape in ((100, 96), (72, 96)))
c = np.empty((100, 72), np.float16)
kernels["gemm_relu"](a, b, c)
expected = np.maximum(a.astype(np.float64) @ b.astype(np.float64).T, 0)
# One rounding to 11 bits, of sums whose 96 terms were added in f32.
assert np.all(np.abs(c - expected) <= 1e-4 + expected * 2.0 ** -11), np.abs(c - expected).max()

x, y = random.standard_normal((7, 200)).astype(np.float32), np.empty((7, 200), np.float32)
kernels["softmax"](x, y)
e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
assert np.allclose(y, e / e.sum(1, keepdims=True), rtol=1e-5, atol=0)

foreign = '{"root_index": 0, "nodes": [{"type": "None"}]}'
try:
    tile.import_tilelang(foreign, name="none.json")
except tile.CompileError as error:
    assert error.diagnostics and error.diagnostics[0].severity == "error"
else:
    raise AssertionError("no error")
