// RUN: tile-opt %s --split-input-file --verify-diagnostics --tile-set-target=chip=x86-64-v3 --convert-tile-to-cpu

func.func @ring() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'tile.ring' cannot be lowered to the CPU: it is part of a schedule for a GPU}}
    %r = tile.ring : !tile.ring<2>
  }
  return
}

// -----

func.func @slot(%n: index, %x: f32) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<3x64xf32, #tile.shared>
    // expected-error @below {{'tile.slot' cannot be lowered to the CPU: it is part of a schedule for a GPU}}
    %t = tile.slot %s[%n] : memref<3x64xf32, #tile.shared> to memref<64xf32, #tile.shared>
    tile.fill %t, %x : memref<64xf32, #tile.shared>
  }
  return
}
