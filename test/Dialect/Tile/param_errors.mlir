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

func.func private @param_c3_on()
// expected-error @below {{'tile.param' op expected the default 96 to be a candidate (64, 128)}}
tile.param @BM = 64 in [64, 128] on(wgmma = 96)

// -----

func.func private @param_c4()
// expected-error @below {{'tile.param' op expected a family of matrix instructions, got 'tma'; the families are mma, wgmma, tcgen05, mfma, wmma, cube}}
tile.param @BM = 64 in [64, 128] on(tma = 128)

// -----

func.func private @param_c4_unknown()
// expected-error @below {{expected a family of matrix instructions, got 'sm_90a'}}
tile.param @BM = 64 in [64, 128] on(sm_90a = 128)

// -----

func.func private @param_c4_twice()
// expected-error @below {{expected 'mma' once in 'on'}}
tile.param @BM = 64 in [64, 128] on(mma = 128, mma = 64)

// -----

// expected-error @below {{expected 'tile.defaults' to be on a 'tile.param' and to have numbers of i64}}
tile.param @BM = 64 in [64, 128] {tile.defaults = {mma = 128 : i32}}

// -----

// expected-error @below {{expected 'tile.defaults' to be on a 'tile.param' and to have numbers of i64}}
func.func private @defaults() attributes {tile.defaults = {mma = 128}}

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
