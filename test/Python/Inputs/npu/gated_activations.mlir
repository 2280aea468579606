!m = memref<?x?xf16>
func.func @gated_activations(%x: !m, %w: !m, %gelu: !m, %swiglu: !m, %tanh: !m) {
  tile.kernel (%c, %r) in (ceildiv(dim(%x, 1), 128), ceildiv(dim(%x, 0), 8)) {
    tile.parallel (%i, %j) in (8, 128) do {
      %a = f32(%x[%r * 8 + %i, %c * 128 + %j])
      %b = f32(%w[%r * 8 + %i, %c * 128 + %j])
      %gelu[%r * 8 + %i, %c * 128 + %j] = f16(0.5 * %a * (1.0 + erf(%a * 0.707106781)) * %b)
      %swiglu[%r * 8 + %i, %c * 128 + %j] = f16(%a / (1.0 + exp(-%a)) * %b)
      %tanh[%r * 8 + %i, %c * 128 + %j] = f16(tanh(%a))
    }
  }
  return
}
