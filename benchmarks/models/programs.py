"""Whole models, for build.py and measure.py: the sizes, the parameters, and what is computed.

A model is a function of the operations of a package (`ops`, of JAX in build.py and of PyTorch in measure.py), an input and
parameters, so that both packages compute the same in the same order. All numbers are bf16; images have their channels innermost.
"""
HIDDEN, HEADS, LENGTH, BATCH, IMAGES, PIXELS, CLASSES = 4096, 32, 2048, 4, 32, 224, 1000
STAGES = [(64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)]  # channels, blocks, stride


def resnet_layers():
    """ResNet-50 (v1.5): extent of the window, channels read and written, and stride of each convolution, in order."""
    yield 7, 3, 64, 2
    before = 64
    for channels, blocks, stride in STAGES:
        for block in range(blocks):
            step = stride if block == 0 else 1
            yield 1, before, channels, 1
            yield 3, channels, channels, step
            if block == 0:
                yield 1, before, 4 * channels, step
            yield 1, channels, 4 * channels, 1
            before = 4 * channels


def resnet_parameters():
    """Shapes, means and deviations. Scale and shift are those of a batch norm."""
    for extent, read, written, _ in resnet_layers():
        yield (extent, extent, read, written), 0, (extent * extent * read) ** -0.5
        yield (written,), 1, 0.1
        yield (written,), 0, 0.1
    yield (2048, CLASSES), 0, 0.02
    yield (CLASSES,), 0, 0.02


def resnet(ops, x, *parameters):
    left, layers = iter(parameters), resnet_layers()

    def layer(x, residual=None, relu=True):
        weight, scale, shift = next(left), next(left), next(left)
        extent, _, _, stride = next(layers)
        y = ops.f32(ops.convolve(x, weight, stride, extent // 2)) * ops.f32(scale) + ops.f32(shift)
        if residual is not None:
            y = y + ops.f32(residual)
        return ops.bf16(ops.relu(y) if relu else y)

    x = ops.max_pool(layer(x))
    for _, blocks, _ in STAGES:
        for block in range(blocks):
            y = layer(layer(x))
            x = layer(y, x if block else layer(x, relu=False))
    return ops.product(ops.bf16(ops.mean(ops.f32(x), (1, 2))), next(left)) + next(left)


def block_parameters():
    for _ in range(2):
        yield (HIDDEN,), 1, 0.1
        yield (HIDDEN,), 0, 0.1
    for shape in [(HIDDEN, HIDDEN)] * 4 + [(HIDDEN, 4 * HIDDEN), (4 * HIDDEN, HIDDEN)]:
        yield shape, 0, 0.02


def gpt_parameters():
    for _ in range(2):
        yield from block_parameters()


def block(ops, x, *parameters, causal=False):
    gain, shift, gain2, shift2, q, k, v, out, up, down = parameters

    def norm(x, gain, shift):
        x = ops.f32(x)
        centred = x - ops.mean(x, (2,), True)
        scaled = centred * ops.rsqrt(ops.mean(centred * centred, (2,), True) + 1e-5)
        return ops.bf16(scaled * ops.f32(gain) + ops.f32(shift))

    y = norm(x, gain, shift)
    heads = [ops.product(y, w).reshape(BATCH, LENGTH, HEADS, HIDDEN // HEADS) for w in (q, k, v)]
    x = x + ops.product(ops.attend(*heads, causal).reshape(BATCH, LENGTH, HIDDEN), out)
    return x + ops.product(ops.gelu(ops.product(norm(x, gain2, shift2), up)), down)


def gpt(ops, x, *parameters):
    return block(ops, block(ops, x, *parameters[:10], causal=True), *parameters[10:], causal=True)


TEXT, IMAGE = (BATCH, LENGTH, HIDDEN), (IMAGES, PIXELS, PIXELS, 3)
MODELS = {"block": (block, TEXT, block_parameters, TEXT), "gpt": (gpt, TEXT, gpt_parameters, TEXT),
          "resnet50": (resnet, IMAGE, resnet_parameters, (IMAGES, CLASSES))}
