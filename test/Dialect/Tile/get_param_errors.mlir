// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @get_param_c1() -> index {
  // expected-error @below {{'tile.get_param' op expected the name of a 'tile.param', got '@BX'}}
  %b = tile.get_param @BX
  return %b : index
}

// -----

func.func @get_param_c1_function() -> index {
  // expected-error @below {{expected the name of a 'tile.param', got '@get_param_c1_function'}}
  %b = tile.get_param @get_param_c1_function
  return %b : index
}
