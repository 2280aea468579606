// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @kernel_c1() {
  // expected-error @below {{'tile.kernel' op expected a grid of 1 to 3 dimensions, got 4}}
  tile.kernel (%a, %b, %c, %d) in (1, 2, 3, 4) {
  }
  return
}

// -----

func.func @kernel_c1_none() {
  // expected-error @below {{'tile.kernel' op expected a grid of 1 to 3 dimensions, got 0}}
  tile.kernel () in () {
  }
  return
}

// -----

func.func @kernel_c1_text() {
  // expected-error @below {{expected as many extents as induction variables, got 1 and 2}}
  tile.kernel (%x, %y) in (8) {
  }
  return
}

// -----

func.func @kernel_c1_argument_count() {
  // expected-error @below {{'tile.kernel' op expected 2 induction variables, got 1}}
  "tile.kernel"() <{staticGrid = array<i64: 2, 2>}> ({
  ^bb0(%x: index):
  }) : () -> ()
  return
}

// -----

func.func @kernel_c1_argument_type() {
  // expected-error @below {{'tile.kernel' op expected induction variable 1 to be an index, got 'i32'}}
  "tile.kernel"() <{staticGrid = array<i64: 2, 2>}> ({
  ^bb0(%x: index, %y: i32):
  }) : () -> ()
  return
}

// -----

func.func @kernel_c2() {
  // expected-error @below {{'tile.kernel' op expected grid extent 1 not to be negative, got -3}}
  tile.kernel (%x, %y) in (2, -3) {
  }
  return
}

// -----

func.func @kernel_c2_operands(%n: index) {
  // expected-error @below {{'tile.kernel' op expected 0 dynamic grid operands, got 1}}
  "tile.kernel"(%n) <{staticGrid = array<i64: 2>}> ({
  ^bb0(%x: index):
  }) : (index) -> ()
  return
}

// -----

func.func @kernel_c3() {
  // expected-error @below {{'tile.kernel' op expected 'threads' between 1 and 1024, got 0}}
  tile.kernel (%b) in (1) threads(0) {
  }
  return
}

// -----

func.func @kernel_c3_many() {
  // expected-error @below {{'tile.kernel' op expected 'threads' between 1 and 1024, got 1025}}
  tile.kernel (%b) in (1) threads(1025) {
  }
  return
}

// -----

func.func @kernel_c4() {
  // expected-error @below {{'tile.kernel' op expected cluster extent 3 to divide grid extent 8 in dimension 0}}
  tile.kernel (%x, %y) in (8, 8) cluster(3, 1) {
  }
  return
}

// -----

func.func @kernel_c4_rank() {
  // expected-error @below {{'tile.kernel' op expected 2 cluster extents, one for each grid dimension, got 1}}
  tile.kernel (%x, %y) in (8, 8) cluster(2) {
  }
  return
}

// -----

func.func @kernel_c4_zero() {
  // expected-error @below {{'tile.kernel' op expected cluster extent 1 to be positive, got 0}}
  tile.kernel (%x, %y) in (8, 8) cluster(2, 0) {
  }
  return
}

// -----

func.func @kernel_c5() {
  // expected-note @below {{the outer kernel is here}}
  tile.kernel (%a) in (2) {
    // expected-error @below {{'tile.kernel' op is nested in another kernel}}
    tile.kernel (%b) in (2) {
    }
  }
  return
}

// -----

func.func @kernel_c5_parallel() {
  // expected-note @below {{the loop is here}}
  tile.parallel (%i) in (4) {
    // expected-error @below {{'tile.kernel' op is not allowed in 'tile.parallel'}}
    tile.kernel (%b) in (2) {
    }
  }
  return
}

// -----

func.func @kernel_c3_negative() {
  // expected-error @below {{'tile.kernel' op expected 'threads' between 1 and 1024, got -1}}
  tile.kernel (%b) in (1) threads(-1) {
  }
  return
}

// -----

func.func @kernel_c6() {
  // expected-error @below {{attribute 'shared_bytes' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  tile.kernel (%b) in (1) attributes {shared_bytes = -16 : i64} {
  }
  return
}

// -----

func.func @persistent_grid() {
  // expected-error @below {{attribute 'persistent_grid' failed to satisfy constraint: unit attribute}}
  tile.kernel (%b) in (1) attributes {persistent_grid = 132} {
  }
  return
}

// -----

func.func @kernel_c7(%a: memref<?x?xf32>) {
  // expected-error @below {{expected facts about a buffer that the function takes, got argument 3}}
  tile.kernel (%b) in (1) attributes {facts = [#tile.fact<size, argument = 3, min = 1>]} {
  }
  tile.kernel (%b) in (1) attributes {facts = []} {
  }
  return
}

// -----

func.func @kernel_c7_scalar(%n: index, %a: memref<?x?xf32>) {
  // expected-error @below {{expected facts about a buffer that the function takes, got argument 0}}
  tile.kernel (%b) in (1) attributes {facts = [#tile.fact<size, argument = 0, min = 1>]} {
  }
  tile.kernel (%b) in (1) attributes {facts = []} {
  }
  return
}

// -----

func.func @kernel_c7_dim(%a: memref<?x?xf32>) {
  // expected-error @below {{expected a dimension below 2 of argument 0, got 2}}
  tile.kernel (%b) in (1) attributes {facts = [#tile.fact<stride, argument = 0, dim = 2, multiple = 4>]} {
  }
  tile.kernel (%b) in (1) attributes {facts = []} {
  }
  return
}

// -----

func.func @kernel_c8(%a: memref<?x?xf32>) {
  // expected-error @below {{expected the kernel of which this is a version behind it}}
  tile.kernel (%b) in (1) attributes {facts = [#tile.fact<size, argument = 0, min = 1>]} {
  }
  tile.kernel (%b) in (1) {
  }
  return
}

// -----

func.func @kernel_c8_none(%a: memref<?x?xf32>) {
  // expected-error @below {{expected the kernel of which this is a version behind it}}
  tile.kernel (%b) in (1) attributes {facts = [#tile.fact<size, argument = 0, min = 1>]} {
  }
  return
}
