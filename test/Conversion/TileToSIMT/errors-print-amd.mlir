// RUN: tile-opt %s --verify-diagnostics --tile-set-target=chip=gfx942 --convert-tile-to-simt

func.func @print(%x: f32) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'tile.print' op cannot be lowered to threads of gfx942, which print nothing; run the kernel on the CPU}}
    tile.print %x, "x" : f32
  }
  return
}
