// A buffer of rank 0 in tile.parallel has no last dimension, whose stride GPUs asked for.
//
// RUN: %if nvidia %{ tile-opt-plain --tile-to-nvvm-pipeline=chip=sm_90a %s -o /dev/null %}
// RUN: %if amd %{ tile-opt-plain --tile-to-rocdl-pipeline=chip=gfx942 %s -o /dev/null %}

func.func @one_element(%x: memref<f32>) {
  %v = arith.constant 1.0 : f32
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (1) {
      memref.store %v, %x[] : memref<f32>
    }
  }
  return
}
