// RUN: tile-opt-plain %s --split-input-file --verify-diagnostics --convert-tile-to-ascend

func.func @repeat() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xbf16, #tile.ub>
    %y = tile.alloc : memref<64xbf16, #tile.ub>
    tile.parallel (%i, %j) in (16, 64) {
      %v = memref.load %y[%j] : memref<64xbf16, #tile.ub>
      // expected-error@+1 {{on Ascend, cannot repeat elements of type 'bf16' along a dimension}}
      memref.store %v, %x[%i, %j] : memref<16x64xbf16, #tile.ub>
    }
  }
  return
}

// -----

func.func @dynamic(%n: index) {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{on Ascend, the extents of 'tile.parallel' are static; guard the tail instead}}
    tile.parallel (%i) in (%n) {
    }
  }
  return
}

// -----

func.func @from_unsigned() {
  tile.kernel (%b) in (1) {
    %y = tile.alloc : memref<64xi32, #tile.ub>
    tile.parallel (%i) in (64) {
      %v = memref.load %y[%i] : memref<64xi32, #tile.ub>
      // expected-error@+1 {{on Ascend, expected an unsigned conversion of i8 or i16, got 'i32'; convert it as a signed number if it is below 2^31}}
      %w = arith.uitofp %v : i32 to f32
    }
  }
  return
}

// -----

func.func @to_unsigned() {
  tile.kernel (%b) in (1) {
    %y = tile.alloc : memref<64xf32, #tile.ub>
    tile.parallel (%i) in (64) {
      %v = memref.load %y[%i] : memref<64xf32, #tile.ub>
      // expected-error@+1 {{on Ascend, expected an unsigned conversion to i8 or i16, got 'i32'}}
      %w = arith.fptoui %v : f32 to i32
    }
  }
  return
}

// -----

func.func @power() {
  tile.kernel (%b) in (1) {
    %y = tile.alloc : memref<64xf32, #tile.ub>
    tile.parallel (%i) in (64) {
      %v = memref.load %y[%i] : memref<64xf32, #tile.ub>
      // expected-error@+1 {{on Ascend, 'math.powf' has no vector instruction and no formula; write one with exp, log, sqrt and arith}}
      %w = math.powf %v, %v : f32
    }
  }
  return
}

// -----

func.func @compare_mode() {
  %z = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %y = tile.alloc : memref<64xf32, #tile.ub>
    tile.parallel (%i) in (64) {
      %v = memref.load %y[%i] : memref<64xf32, #tile.ub>
      // expected-error@+1 {{on Ascend, the comparison 'false' has no vector instruction}}
      %w = arith.cmpf false, %v, %z : f32
    }
  }
  return
}

// -----

func.func @compare_conditions() {
  tile.kernel (%b) in (1) {
    %y = tile.alloc : memref<64xi32, #tile.ub>
    tile.parallel (%i) in (64) {
      %v = memref.load %y[%i] : memref<64xi32, #tile.ub>
      %c = arith.cmpi eq, %v, %v : i32
      // expected-error@+1 {{on Ascend, expected 'eq' or 'ne' of conditions, got 'ult'}}
      %w = arith.cmpi ult, %c, %c : i1
    }
  }
  return
}

// -----

func.func @conditions() {
  tile.kernel (%b) in (1) {
    %y = tile.alloc : memref<64xi32, #tile.ub>
    tile.parallel (%i) in (64) {
      %v = memref.load %y[%i] : memref<64xi32, #tile.ub>
      %c = arith.cmpi eq, %v, %v : i32
      // expected-error@+1 {{on Ascend, 'arith.maxsi' of conditions cannot be vectorised}}
      %w = arith.maxsi %c, %c : i1
    }
  }
  return
}

// -----

func.func @complex(%a: memref<64xcomplex<f32>>) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) {
      // expected-error@+1 {{on Ascend, elements of type 'complex<f32>' cannot be vectorised; pass their parts as a last dimension of 2}}
      %v = memref.load %a[%i] : memref<64xcomplex<f32>>
    }
  }
  return
}

// -----

func.func @indices(%a: memref<64xindex>) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) {
      // expected-error@+1 {{on Ascend, elements of type 'index' cannot be vectorised; keep them as i32 or i64}}
      %v = memref.load %a[%i] : memref<64xindex>
    }
  }
  return
}

// -----

func.func @branch(%t: i1) {
  %z = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xf32, #tile.ub>
    tile.parallel (%i, %j) in (16, 64) {
      // expected-error@+1 {{on Ascend, 'scf.if' in 'tile.parallel' cannot be vectorised}}
      scf.if %t {
        memref.store %z, %x[%i, %j] : memref<16x64xf32, #tile.ub>
      }
    }
  }
  return
}

// -----

func.func @truth() {
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (1) {
    %y = tile.alloc : memref<64xi1, #tile.ub>
    tile.parallel (%i) in (64) {
      %c = arith.cmpi eq, %i, %c1 : index
      // expected-error@+1 {{on Ascend, the value of 'arith.cmpi' cannot be vectorised}}
      memref.store %c, %y[%i] : memref<64xi1, #tile.ub>
    }
  }
  return
}

// -----

func.func @variable(%a: memref<64xindex>) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) {
      // expected-error@+1 {{on Ascend, the value of 'an iteration variable' cannot be vectorised}}
      memref.store %i, %a[%i] : memref<64xindex>
    }
  }
  return
}

// -----

func.func @print(%a: i32) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) {
      // expected-error@+1 {{on Ascend, 'tile.print' cannot be lowered; run the kernel on the CPU}}
      tile.print %a, "a" : i32
    }
  }
  return
}

// -----

func.func @assertion(%a: i1) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) {
      // expected-error@+1 {{on Ascend, 'tile.device_assert' cannot be lowered; run the kernel on the CPU}}
      tile.device_assert %a, "a"
    }
  }
  return
}

// -----

func.func @while() {
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64xi32, #tile.ub>
    tile.parallel (%i) in (64) {
      %v = memref.load %x[%i] : memref<64xi32, #tile.ub>
      // expected-error@+1 {{on Ascend, 'scf.while' in 'tile.parallel' cannot be vectorised; write an 'scf.for' of as many iterations as there may be, which select}}
      %r = scf.while (%w = %v) : (i32) -> i32 {
        %more = arith.cmpi sgt, %w, %zero : i32
        scf.condition(%more) %w : i32
      } do {
      ^bb0(%w: i32):
        %next = arith.subi %w, %one : i32
        scf.yield %next : i32
      }
      memref.store %r, %x[%i] : memref<64xi32, #tile.ub>
    }
  }
  return
}
