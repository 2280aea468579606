// RUN: tile-opt %s --split-input-file --verify-diagnostics --tile-set-target=chip=x86-64-v3 --convert-tile-to-cpu

func.func @pipeline() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'tile.create_pipeline' cannot be lowered to the CPU: it is part of a schedule for a GPU}}
    %r = tile.create_pipeline : !tile.pipeline<2>
  }
  return
}

// -----

func.func @stage(%n: index, %x: f32) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<3x64xf32, #tile.shared>
    // expected-error @below {{'tile.stage' cannot be lowered to the CPU: it is part of a schedule for a GPU}}
    %t = tile.stage %s[%n] : memref<3x64xf32, #tile.shared> to memref<64xf32, #tile.shared>
    tile.fill %t, %x : memref<64xf32, #tile.shared>
  }
  return
}
