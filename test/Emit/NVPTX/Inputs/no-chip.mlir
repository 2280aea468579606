gpu.module @m {
  gpu.func @k() kernel attributes {tile.launch = #tile.launch<kernel = "k">} {
    gpu.return
  }
}
