// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @require_condition(%c: i32) {
  // expected-error @below {{'tile.require' op operand #0 must be 1-bit signless integer, but got 'i32'}}
  "tile.require"(%c) <{message = ""}> : (i32) -> ()
  return
}
