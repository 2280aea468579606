"""The operations of JAX that the models of programs.py use."""
import math

import jax
import jax.numpy as jnp
from jax import lax


class Jax:
    """Operations of JAX, as the models use them."""
    f32, bf16 = (staticmethod(lambda x, t=t: x.astype(t)) for t in (jnp.float32, jnp.bfloat16))
    relu, gelu, rsqrt = (staticmethod(f) for f in (jax.nn.relu, jax.nn.gelu, lax.rsqrt))

    @staticmethod
    def mean(x, dims, keep=False):
        return jnp.mean(x, dims, keepdims=keep)

    @staticmethod
    def product(x, w):
        return x @ w

    @staticmethod
    def convolve(x, w, stride, padding):
        return lax.conv_general_dilated(x, w, (stride,) * 2, [(padding,) * 2] * 2, dimension_numbers=("NHWC", "HWIO", "NHWC"))

    @staticmethod
    def max_pool(x):
        return lax.reduce_window(x, jnp.bfloat16(-jnp.inf), lax.max, (1, 3, 3, 1), (1, 2, 2, 1), ((0, 0), (1, 1), (1, 1), (0, 0)))

    @staticmethod
    def attend(q, k, v, causal):
        scores = jnp.einsum("bqhd,bkhd->bhqk", q, k, preferred_element_type=jnp.float32) / math.sqrt(q.shape[-1])
        if causal:
            n = q.shape[1]
            scores = jnp.where(jnp.arange(n)[:, None] >= jnp.arange(n)[None, :], scores, -jnp.inf)
        return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores, axis=-1).astype(v.dtype), v)
