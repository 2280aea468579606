!m = memref<?x?xf32>
func.func @activation_grads(%x: !m {tile.shape="MxN"}, %w: !m {tile.shape="MxN"}, %dy: !m {tile.shape="MxN"}, %dg: !m {tile.shape="MxN"}, %dx: !m {tile.shape="MxN"}, %dw: !m {tile.shape="MxN"}) {
  tile.kernel (%c, %r) in (ceildiv(dim(%x, 1), 128), ceildiv(dim(%x, 0), 8)) {
    tile.parallel (%i, %j) in (8, 128) do {
      %a = %x[%r * 8 + %i, %c * 128 + %j]
      %g = %dy[%r * 8 + %i, %c * 128 + %j]
      %dg[%r * 8 + %i, %c * 128 + %j] = %g * (0.5 * (1.0 + erf(%a * 0.707106781)) + %a * exp(%a * %a * -0.5) * 0.398942280)
      %s = 1.0 / (1.0 + exp(-%a))
      %b = %w[%r * 8 + %i, %c * 128 + %j]
      %dx[%r * 8 + %i, %c * 128 + %j] = %g * %b * %s * (1.0 + %a * (1.0 - %s))
      %dw[%r * 8 + %i, %c * 128 + %j] = %g * %a * %s
    }
  }
  return
}
