// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @assume_condition(%c: i32) {
  // expected-error @below {{'tile.assume' op operand #0 must be 1-bit signless integer, but got 'i32'}}
  "tile.assume"(%c) : (i32) -> ()
  return
}
