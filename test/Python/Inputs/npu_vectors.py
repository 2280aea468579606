"""What the kernels of npu/ that need no products compute: each returns the arguments of NAME.mlir, and by their number what they are
expected to be and how far off they may be, relative to 1 and the value."""
import math

import numpy as np

f16, f32, f64 = np.float16, np.float32, np.float64
rng = np.random.default_rng(7)


def normal(*shape, dtype=f32):
    return rng.standard_normal(shape).astype(dtype)


def sigmoid(x):
    return 1 / (1 + np.exp(-x.astype(f64)))


def rotate(x, cos, sin):
    a, b = np.split(x, 2, axis=-1)
    return np.concatenate([a * cos - b * sin, b * cos + a * sin], -1)


def hadamard():
    matrix = np.ones((1, 1))
    while len(matrix) < 128:
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    x = normal(21, 128)
    return [x, np.zeros_like(x)], {1: (x @ matrix / math.sqrt(128), 1e-5)}


def merge_sort():
    x = normal(3, 512)
    order = np.argsort(-x, axis=1, kind="stable")
    return [x, np.zeros_like(x), np.zeros(x.shape, np.int32)], {1: (np.take_along_axis(x, order, 1), 0), 2: (order, 0)}


def kda_cumsum():
    g = normal(2, 100, 3, 64)
    chunks = [g[:, i:i + 32].astype(f64) for i in range(0, 100, 32)]
    forward = np.concatenate([np.cumsum(c, 1) for c in chunks], 1)
    backward = np.concatenate([np.cumsum(c[:, ::-1], 1)[:, ::-1] for c in chunks], 1)
    return [g, np.zeros_like(g), np.zeros_like(g)], {1: (forward, 1e-5), 2: (backward, 1e-5)}


def philox(counter, key):
    """Philox 4x32-10."""
    c, k, word = [counter, 0, 0, 0], list(key), 2**32
    for _ in range(10):
        p, q = c[0] * 0xD2511F53, c[2] * 0xCD9E8D57
        c = [q // word ^ c[1] ^ k[0], q % word, p // word ^ c[3] ^ k[1], p % word]
        k = [(k[0] + 0x9E3779B9) % word, (k[1] + 0xBB67AE85) % word]
    return c


def random_1d():
    key = np.array([123456789, 3307311609], np.uint32)
    numbers = np.array([philox(i, map(int, key)) for i in range(300)], np.uint32)
    arguments = [key.view(np.int32), np.zeros((300, 4), np.int32), np.zeros((300, 4), f32)]
    return arguments, {1: (numbers.view(np.int32), 0), 2: ((numbers >> 8) * 2.0**-24, 0)}


def activation_grads():
    x, w, dy = normal(19, 200), normal(19, 200), normal(19, 200)
    s, wide = sigmoid(x), x.astype(f64)
    normal_cdf = 0.5 * (1 + np.vectorize(math.erf)(wide / math.sqrt(2)))
    gelu = dy * (normal_cdf + wide * np.exp(-wide * wide / 2) / math.sqrt(2 * math.pi))
    results = [np.zeros_like(x) for _ in range(3)]
    return [x, w, dy, *results], {3: (gelu, 1e-5), 4: (dy * w * s * (1 + x * (1 - s)), 1e-5), 5: (dy * x * s, 1e-5)}


def gated_activations():
    x, w = normal(19, 200, dtype=f16), normal(19, 200, dtype=f16)
    wide = x.astype(f64)
    gelu = wide * 0.5 * (1 + np.vectorize(math.erf)(wide / math.sqrt(2)))
    return [x, w, *(np.zeros_like(x) for _ in range(3))], {
        2: (gelu * w, 1e-3), 3: (wide * sigmoid(x) * w, 1e-3), 4: (np.tanh(wide), 1e-3)}


def layer_norm():
    x, w, b = normal(21, 500, dtype=f16), normal(500), normal(500)
    centred = x.astype(f64) - x.astype(f64).mean(1, keepdims=True)
    return [x, w, b, np.zeros_like(x)], {3: (centred / np.sqrt((centred**2).mean(1, keepdims=True) + 1e-5) * w + b, 2e-3)}


def gdn_gating():
    log_a, bias, a, b = normal(24), normal(24), normal(37, 24, dtype=f16), normal(37, 24, dtype=f16)
    a[3, 4] = 40
    x = a.astype(f64) + bias
    softplus = np.where(x > 20, x, np.log1p(np.exp(np.minimum(x, 30))))
    return [log_a, bias, a, b, np.zeros((37, 24), f32), np.zeros((37, 24), f32)], {
        4: (-np.exp(log_a.astype(f64)) * softplus, 1e-5), 5: (sigmoid(b), 1e-5)}


def delta_rule_varlen():
    ends, places = np.array([0, 5, 5, 12, 13], np.int32), np.array([3, 0, 5, 1], np.int32)
    q, k, v = normal(13, 2, 64) * f32(.2), normal(13, 2, 64) * f32(.2), normal(13, 2, 64)
    a, b, log_a, bias = normal(13, 2), normal(13, 2), normal(2) * f32(.3), normal(2) * f32(.3)
    states = normal(6, 2, 64, 64) * f32(.1)
    after, o = states.astype(f64), np.zeros(q.shape)
    gate, beta = np.exp(-np.exp(log_a) * np.log1p(np.exp(a + bias))), sigmoid(b)
    for place, begin, end in zip(places, ends, ends[1:]):
        for h in range(2):
            state = after[place, h]
            for t in range(begin, end):
                state = state * gate[t, h]
                state = state + np.outer(k[t, h], (v[t, h] - state.T @ k[t, h]) * beta[t, h])
                o[t, h] = state.T @ q[t, h]
            after[place, h] = state
    return [q, k, v, a, b, log_a, bias, ends, places, states, np.zeros_like(q)], {9: (after, 1e-4), 10: (o, 1e-4)}


def rope_mask_bwd():
    dy, cos, sin = normal(33, 2, 64, dtype=f16), normal(33, 64), normal(33, 64)
    mask = rng.integers(0, 2, 33).astype(np.int8)
    turned = dy * sin[:, None].astype(f64)
    turned = np.concatenate([turned[..., 32:], -turned[..., :32]], -1)
    expected = np.where(mask[:, None, None] != 0, dy * cos[:, None] + turned, dy)
    return [dy, cos, sin, mask, np.zeros_like(dy)], {4: (expected, 2e-3)}


def qkv_rmsnorm_mrope():
    x, wq, wk = normal(11, 512, dtype=f16), normal(64), normal(64)
    cos, sin = normal(3, 11, 32), normal(3, 11, 32)
    section = np.repeat([0, 1, 2], [8, 12, 12])
    c, s = (table[section, :, np.arange(32)].T[:, None] for table in (cos, sin))
    heads = x.astype(f64).reshape(11, 8, 64)
    norm = heads / np.sqrt((heads * heads).mean(-1, keepdims=True) + 1e-6)
    arguments = [x, wq, wk, cos, sin, np.zeros((11, 4, 64), f16), np.zeros((11, 2, 64), f16), np.zeros((11, 2, 64), f16)]
    return arguments, {5: (rotate(norm[:, :4] * wq, c, s), 2e-3), 6: (rotate(norm[:, 4:6] * wk, c, s), 2e-3), 7: (heads[:, 6:], 0)}


def unpermute_grad():
    dy, rows, weights = normal(13, 96), normal(26, 96), normal(13, 2)
    places = rng.permutation(26).astype(np.int32).reshape(13, 2)
    d_rows = np.zeros((26, 96))
    d_rows[places] = dy[:, None] * weights[..., None]
    d_weights = (dy[:, None].astype(f64) * rows[places]).sum(-1)
    return [dy, rows, places, weights, np.zeros_like(rows), np.zeros_like(weights)], {4: (d_rows, 1e-6), 5: (d_weights, 1e-4)}


def gemv():
    a, x = normal(70, 300, dtype=f16), normal(300, dtype=f16)
    return [a, x, np.zeros(70, f32)], {2: (a.astype(f64) @ x, 1e-4)}


def set_value():
    x = normal(50, 32)
    expected = x.copy()
    expected[:, 3], expected[:, 5] = x[:, 0] * 2, 7
    return [x, np.zeros_like(x)], {1: (expected, 0)}


def piecewise():
    x, z = normal(150), normal(150)
    x[3], x[5], z[7] = np.nan, 0, np.inf
    words = np.nan_to_num(np.clip((x * f32(1e10)).astype(f64), -2**31, 2**31 - 1), nan=0).astype(np.int64)
    with np.errstate(invalid="ignore"):
        y = np.where(x < -1, -1, np.where(x < 0, x * x, np.sqrt(x)))
    words[5] = -7
    return [x, np.zeros_like(x), z, np.zeros(150, np.int32)], {1: (y, 1e-6), 2: (np.where(z > .5, -z, z), 0), 3: (words, 0)}


def collatz():
    def count(n):
        steps = 0
        while n > 1:
            n, steps = n // 2 if n % 2 == 0 else 3 * n + 1, steps + 1
        return steps
    x = rng.integers(-3, 100, 70).astype(np.int32)
    return [x, np.zeros_like(x), np.zeros(1, np.int32)], {1: ([count(int(n)) for n in x], 0), 2: (128, 0)}


def bits():
    x, f = rng.integers(-2**31, 2**31, 130).astype(np.int32), normal(130)
    x[:5] = 0, 1, -1, -2**31, 2**30
    text = [format(int(n) & 0xffffffff, "032b") for n in x]
    results = [np.zeros(130, np.int32) for _ in range(3)]
    bytes_ = np.full(130, 4 * 10 + 1)
    return [x, *results, np.zeros(130, np.int8), f, np.zeros_like(x), np.zeros_like(x)], {
        1: ([t.count("1") for t in text], 0), 2: ([32 - len(t.lstrip("0")) for t in text], 0),
        3: ([32 - len(t.rstrip("0")) for t in text], 0), 4: ([t[24:].count("1") for t in text], 0),
        6: (f.view(np.int32) & 0x7fffff, 0), 7: (bytes_, 0)}


def truth():
    m, x = rng.integers(0, 2, (5, 50)).astype(bool), normal(5, 50)
    m[2] = False
    y = np.where(m, -x, x)
    return [m, x, np.zeros_like(m), np.zeros(5, bool)], {1: (y, 0), 2: (y > 0, 0), 3: (m.any(1), 0)}


def powers():
    x, y = np.abs(normal(200)) * f32(3), normal(200) * f32(4)
    x[:16] = 0, 0, -0.0, -2, -2, -2, 1, np.inf, np.inf, -np.inf, np.nan, np.nan, 1e-42, -1, 2, 0
    y[:16] = 0, -1, -3, 3, 2, .5, np.nan, 1, -1, 3, 0, 1, .5, np.inf, 127.5, -0.0
    with np.errstate(all="ignore"):
        power = np.power(x.astype(f64), y).astype(f32)
        cube = x.astype(f16).astype(f64)**3
        cube = np.where(np.abs(cube) > 65519, np.copysign(np.inf, cube), cube)
        turned = np.sin(x.astype(f64)) - np.cos(x.astype(f64))
    angle = np.arctan2(x.astype(f64), y)
    results = [np.zeros_like(x), np.zeros(200, f16), np.zeros_like(x), np.zeros_like(x)]
    return [x, y, *results], {2: (power, 1e-6), 3: (cube, 1e-3), 4: (angle, 1e-6), 5: (turned, 1e-5)}


def open_extents():
    x = normal(5, 300)
    y = x * 3 + 1
    y[0, :7] = -1
    return [x, np.zeros_like(x), np.zeros(5, f32), 7], {1: (y, 1e-6), 2: (x[:, 0], 0)}


def unsigned_words():
    x, f = rng.integers(0, 2**32, 130, dtype=np.uint32), (rng.random(130) * 4.4e9).astype(f32)
    x[:8] = 0, 1, 2**24 + 1, 2**32 - 1, 2049, 2051, 65519, 65520
    f[:6] = np.nan, -5, np.inf, 2**31, 2**32, .9
    clipped = np.nan_to_num(np.clip(f.astype(f64), 0, 2**32 - 1), nan=0).astype(np.uint32)
    with np.errstate(over="ignore"):
        half = x.astype(f64).astype(f16)
    return [x.view(np.int32), f, np.zeros_like(f), np.zeros(130, f16), np.zeros(130, np.int32)], {
        2: (x.astype(f32), 0), 3: (half, 0), 4: (clipped.view(np.int32), 0)}
