"""What the kernels of npu/ that multiply matrices compute, as in npu_vectors.py."""
import numpy as np

from npu_vectors import f16, f32, f64, normal, rng


def gated_delta_chunks():
    """The chunks give what the rule gives token by token."""
    q, k, v = (normal(2, 200, 64, dtype=f16) * f16(scale) for scale in (.1, .1, 1))
    log_gate, beta = (-.2 * rng.random((2, 200))).astype(f32), rng.random((2, 200)).astype(f32)
    o = np.zeros((2, 200, 64))
    for h in range(2):
        state = np.zeros((64, 64))
        for t in range(200):
            state = state * np.exp(log_gate[h, t])
            state = state + np.outer(k[h, t], (v[h, t] - state.T @ k[h, t]) * beta[h, t])
            o[h, t] = state.T @ q[h, t]
    return [q, k, v, log_gate, beta, np.zeros_like(q)], {5: (o, 2e-3)}


def xattention_mask():
    q, k = normal(256, 64, dtype=f16), normal(256, 64, dtype=f16)
    # Of 8 queries and 8 keys the antidiagonal.
    x = q.astype(f64).reshape(32, 8, 64)[:, ::-1].reshape(32, 512) @ k.astype(f64).reshape(32, 512).T / 64
    p = np.exp(x - x.max(1, keepdims=True))
    sums = (p / p.sum(1, keepdims=True)).reshape(4, 8, 4, 8).sum((1, 3))
    return [q, k, np.zeros((4, 4), f32), np.zeros((4, 4), np.int8)], {2: (sums, 1e-3), 3: (sums > 2, 0)}


def blocksparse_gemm():
    a, b, mask = normal(96, 200, dtype=f16), normal(200, 130, dtype=f16), rng.integers(0, 2, (3, 3, 4)).astype(np.int8)
    c = np.zeros((96, 130))
    for i, j, t in np.argwhere(mask):
        rows, columns, keys = (slice(n * size, (n + 1) * size) for n, size in ((i, 32), (j, 64), (t, 64)))
        c[rows, columns] += a[rows, keys].astype(f64) @ b[keys, columns]
    return [a, b, mask, np.zeros(c.shape, f32)], {3: (c, 2e-3)}


def grouped_gemm_bwd():
    ends = np.array([0, 20, 20, 75, 100], np.int32)
    x, dy = normal(100, 70, dtype=f16), normal(100, 80, dtype=f16)
    dw = np.stack([x[i:j].astype(f64).T @ dy[i:j] for i, j in zip(ends, ends[1:])])
    return [x, dy, ends, np.zeros(dw.shape, f32)], {3: (dw, 2e-3)}


def quant_batch_matmul():
    a, b = rng.integers(-128, 128, (2, 40, 130)).astype(np.int8), rng.integers(-128, 128, (2, 130, 72)).astype(np.int8)
    scale, token = (rng.random(72) * 1e-3).astype(f32), (rng.random((2, 40)) + .5).astype(f32)
    bias = rng.integers(-1000, 1000, 72).astype(np.int32)
    c = (a.astype(np.int64) @ b.astype(np.int64) + bias) * scale.astype(f64) * token[..., None]
    return [a, b, scale, token, bias, np.zeros(c.shape, f16)], {5: (c, 1e-3)}


def linear_attention_normalize():
    q, k, v = abs(normal(150, 64, dtype=f16)), abs(normal(150, 64, dtype=f16)), normal(150, 64, dtype=f16)
    p = np.tril(q.astype(f64) @ k.T)
    return [q, k, v, np.zeros_like(q)], {3: (p @ v / (p.sum(1, keepdims=True) + 1e-6), 4e-3)}


def hisa_paged_mqa():
    q, k, w = normal(5, 16, 64, dtype=f16), normal(9, 64, 64, dtype=f16), normal(5, 16)
    table, blocks = rng.permutation(9).astype(np.int32), rng.integers(-1, 7, (5, 4)).astype(np.int32)
    logits = np.maximum(np.einsum("shd,stkd->sthk", q.astype(f64), k[table[blocks]]), 0)
    logits = np.where(blocks[..., None] < 0, -np.inf, np.einsum("sthk,sh->stk", logits, w))
    return [q, k, w, table, blocks, np.zeros(logits.shape, f32)], {5: (logits, 1e-3)}


def dequant_fine_grained():
    a, w = normal(33, 256, dtype=f16), rng.integers(0, 16, (64, 256)).astype(np.uint8)
    scale, zero = (rng.random((64, 4)) * .1).astype(f16), rng.integers(0, 16, (64, 4)).astype(f16)
    packed = (w[:, ::2] | w[:, 1::2] << 4).view(np.int8)
    weights = ((w.reshape(64, 4, 64).astype(f16) - zero[..., None]) * scale[..., None]).reshape(64, 256)
    c = a.astype(f64) @ weights.T
    return [a, packed, scale, zero, np.zeros(c.shape, f32)], {4: (c, 2e-3)}


def dequant_w4a8():
    a, w = rng.integers(-128, 128, (33, 200)).astype(np.int8), rng.integers(-8, 8, (64, 200)).astype(np.int8)
    scale = (rng.random(64) * 1e-3).astype(f32)
    packed = (w[:, ::2] & 15 | w[:, 1::2] << 4).astype(np.int8)
    c = (a.astype(np.int64) @ w.astype(np.int64).T) * scale.astype(f64)
    return [a, packed, scale, np.zeros(c.shape, f16)], {3: (c, 1e-3)}
