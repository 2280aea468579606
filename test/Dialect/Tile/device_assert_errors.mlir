// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @device_assert_message(%c: i1) {
  // expected-error @below {{'tile.device_assert' op requires attribute 'message'}}
  "tile.device_assert"(%c) : (i1) -> ()
  return
}
