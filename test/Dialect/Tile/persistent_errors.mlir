// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @persistent_c1() {
  tile.kernel (%p) in (3) {
    // expected-error @below {{'tile.persistent' op expected a domain of 1 to 3 dimensions, got 0}}
    tile.persistent () in () {
    }
  }
  return
}

// -----

func.func @persistent_c1_argument_count() {
  tile.kernel (%p) in (3) {
    // expected-error @below {{'tile.persistent' op expected 2 induction variables, got 1}}
    "tile.persistent"() <{staticDomain = array<i64: 2, 2>}> ({
    ^bb0(%m: index):
    }) : () -> ()
  }
  return
}

// -----

func.func @persistent_c2() {
  tile.kernel (%p) in (3) {
    // expected-error @below {{'tile.persistent' op expected domain extent 1 not to be negative, got -2}}
    tile.persistent (%m, %n) in (4, -2) {
    }
  }
  return
}

// -----

func.func @persistent_c2_operands(%n: index) {
  tile.kernel (%p) in (3) {
    // expected-error @below {{'tile.persistent' op expected 0 dynamic domain operands, got 1}}
    "tile.persistent"(%n) <{staticDomain = array<i64: 2>}> ({
    ^bb0(%m: index):
    }) : (index) -> ()
  }
  return
}

// -----

func.func @persistent_c3() {
  tile.kernel (%p) in (3) {
    // expected-error @below {{'tile.persistent' op expected a positive 'group', got 0}}
    tile.persistent (%m) in (4) group(0) {
    }
  }
  return
}

// -----

func.func @persistent_c4(%c: i1) {
  tile.kernel (%p) in (3) {
    // Under a condition, some blocks would not take their share.
    scf.if %c {
      // expected-error @below {{'tile.persistent' op expected to be directly in the body of a 'tile.kernel'}}
      tile.persistent (%m) in (4) {
      }
    }
  }
  return
}

// -----

func.func @persistent_c3_negative() {
  tile.kernel (%p) in (3) {
    // expected-error @below {{'tile.persistent' op expected a positive 'group', got -1}}
    tile.persistent (%m) in (4) group(-1) {
    }
  }
  return
}
