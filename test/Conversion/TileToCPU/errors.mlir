// RUN: tile-opt %s --split-input-file --verify-diagnostics --tile-set-target=chip=x86-64-v3 --convert-tile-to-cpu

// What cannot be reached is not rewritten.

func.func @unreachable() {
  return
^dead:
  // expected-error @below {{'tile.kernel' cannot be lowered to the CPU}}
  tile.kernel (%b) in (1) {
  }
  return
}
