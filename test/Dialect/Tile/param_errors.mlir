// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @param_c1() {
  // expected-error @below {{'tile.param' op expects parent op 'builtin.module'}}
  tile.param @BM = 64 in [64]
  return
}

// -----

func.func private @param_c2()
// expected-error @below {{'tile.param' op expected candidates}}
tile.param @BM = 64 in []

// -----

func.func private @param_c2_twice()
// expected-error @below {{'tile.param' op expected different candidates, got 64 twice}}
tile.param @BM = 64 in [64, 128, 64]

// -----

func.func private @param_c3()
// expected-error @below {{'tile.param' op expected the default 96 to be a candidate (64, 128)}}
tile.param @BM = 96 in [64, 128]

// -----

// expected-note @below {{see existing symbol definition here}}
tile.param @BM = 64 in [64]
// expected-error @below {{redefinition of symbol named 'BM'}}
tile.param @BM = 64 in [64]

// -----

func.func @unknown_clause() {
  // expected-error @below {{expected the name of a 'tile.param' in 'threads', got '@T'}}
  tile.kernel (%b) in (1) threads(@T) {
  }
  return
}

// -----

func.func @clause_of_function() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{expected the name of a 'tile.param' in 'stages', got '@clause_of_function'}}
    tile.pipelined %k = 0 to 4 stages(@clause_of_function) {
    }
  }
  return
}

// -----

tile.param @S = 2 in [2]
func.func @clause_of_another_op() {
  // expected-error @below {{expected 'tile.parameters' to name the parameter of 'threads'}}
  tile.kernel (%b) in (1) attributes {tile.parameters = {stages = @S}} {
  }
  return
}

// -----

tile.param @S = 2 in [2]
func.func @clause_twice() {
  // expected-error @below {{'tile.kernel' op expected 'tile.parameters' once}}
  tile.kernel (%b) in (1) threads(@S) attributes {tile.parameters = {threads = @S}} {
  }
  return
}

// -----

tile.param @S = 2 in [2]
// expected-error @below {{expected 'tile.parameters' to be on a kernel or loop}}
func.func private @no_clause() attributes {tile.parameters = {stages = @S}}

// -----

// expected-error @below {{expected 'tile.bindings' to be on a module and to have numbers of i64}}
module attributes {tile.bindings = {BM = 64 : i32}} {
}

// -----

// expected-error @below {{expected 'tile.bindings' to be on a module and to have numbers of i64}}
func.func private @bindings() attributes {tile.bindings = {BM = 64}}
