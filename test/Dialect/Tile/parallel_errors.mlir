// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @parallel_c1() {
  // expected-error @below {{'tile.parallel' op expected at least one iteration dimension}}
  tile.parallel () in () {
  }
  return
}

// -----

func.func @parallel_c1_text() {
  // expected-error @below {{expected as many extents as induction variables, got 3 and 2}}
  tile.parallel (%i, %j) in (8, 8, 8) {
  }
  return
}

// -----

func.func @parallel_c1_argument_count() {
  // expected-error @below {{'tile.parallel' op expected 1 induction variables, got 0}}
  "tile.parallel"() <{staticExtents = array<i64: 2>}> ({
  ^bb0:
  }) : () -> ()
  return
}

// -----

func.func @parallel_c2() {
  // expected-error @below {{'tile.parallel' op expected iteration extent 0 not to be negative, got -1}}
  tile.parallel (%i) in (-1) {
  }
  return
}

// -----

func.func @parallel_c2_operands() {
  // expected-error @below {{'tile.parallel' op expected 1 dynamic iteration operands, got 0}}
  "tile.parallel"() <{staticExtents = array<i64: 2, -9223372036854775808>}> ({
  ^bb0(%i: index, %j: index):
  }) : () -> ()
  return
}

// -----

func.func @parallel_c3() {
  // expected-error @below {{'tile.parallel' op expected a positive 'coalesced_width', got 0}}
  tile.parallel (%i) in (8) coalesced_width(0) {
  }
  return
}

// -----

func.func @parallel_c3_remainder() {
  // expected-error @below {{'tile.parallel' op expected 'coalesced_width' 4 to divide the innermost extent 6}}
  tile.parallel (%i, %j) in (8, 6) coalesced_width(4) {
  }
  return
}

// -----

func.func @parallel_c4() {
  // expected-note @below {{the outer loop is here}}
  tile.parallel (%i) in (8) {
    // expected-error @below {{'tile.parallel' op is nested in another 'tile.parallel'; merge the two into one iteration space}}
    tile.parallel (%j) in (8) {
    }
  }
  return
}

// -----

func.func @parallel_c4_collective(%a: memref<8xf32>, %v: f32, %c: i1) {
  // expected-note @below {{the loop is here}}
  tile.parallel (%i) in (8) {
    scf.if %c {
      // expected-error @below {{'tile.fill' op works on whole tiles and is not allowed in 'tile.parallel'; move it out of the loop}}
      tile.fill %a, %v : memref<8xf32>
    }
  }
  return
}

// -----

func.func @parallel_c5() {
  // expected-error @below {{'tile.parallel' op expected a layout of shape 8x4, got 4x8}}
  tile.parallel (%i, %j) in (8, 4) attributes {layout = #tile.layout<[4: 4 lane*8][8: 8 lane]>} {
  }
  return
}

// -----

func.func @parallel_c5_places() {
  // expected-error @below {{'tile.parallel' op expected a layout that gives each element a place of its own, got #tile.layout<[8: 2 none, 4 lane]>}}
  tile.parallel (%i) in (8) attributes {layout = #tile.layout<[8: 2 none, 4 lane]>} {
  }
  return
}

// -----

func.func @parallel_c5_offsets() {
  // expected-error @below {{'tile.parallel' op expected a layout that goes to registers of threads, got #tile.layout<[8: 8 offset]>}}
  tile.parallel (%i) in (8) attributes {layout = #tile.layout<[8: 8 offset]>} {
  }
  return
}

// -----

// Their product does not fit 63 bits.
func.func @too_many(%a: memref<?xf32>) {
  // expected-error @below {{expected less than 2^31 iterations, got extents 9223372036854775807x8; divide them among blocks}}
  tile.parallel (%i, %j) in (9223372036854775807, 8) {
    %v = memref.load %a[%i] : memref<?xf32>
  }
  return
}

// -----

func.func @too_many_of_two(%a: memref<?xf32>) {
  // expected-error @below {{expected less than 2^31 iterations, got extents 65536x65536; divide them among blocks}}
  tile.parallel (%i, %j) in (65536, 65536) {
    %v = memref.load %a[%i] : memref<?xf32>
  }
  return
}

// -----

func.func @one_too_many(%a: memref<?xf32>, %n: index) {
  // expected-error @below {{expected less than 2^31 iterations, got extents 65536x?x32768; divide them among blocks}}
  tile.parallel (%i, %j, %k) in (65536, %n, 32768) {
    %v = memref.load %a[%i] : memref<?xf32>
  }
  return
}
