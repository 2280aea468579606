// RUN: tile-opt-plain %s --split-input-file --verify-diagnostics --tile-to-ascend-pipeline

// An index that a loop in tile.parallel carries.

func.func @carried_index(%x: memref<64xf32>, %y: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) {
      // expected-error@+1 {{on Ascend, a value of type 'index' cannot pass a branch or a loop of 'tile.parallel'; use i32}}
      %at = scf.for %k = %c0 to %c3 step %c1 iter_args(%p = %c0) -> index {
        %q = arith.addi %p, %i : index
        scf.yield %q : index
      }
      %m = arith.remui %at, %c3 : index
      %v = memref.load %x[%m] : memref<64xf32>
      memref.store %v, %y[%i] : memref<64xf32>
    }
  }
  return
}

// -----

func.func @while(%x: memref<64xi32>, %y: memref<64xi32>) {
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %c3 = arith.constant 3 : index
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) {
      %v = memref.load %x[%i] : memref<64xi32>
      // expected-error@+1 {{on Ascend, 'scf.while' in 'tile.parallel' cannot be vectorised; write an 'scf.for' of as many iterations as there may be, which select}}
      %r = scf.while (%w = %v) : (i32) -> i32 {
        %more = arith.cmpi sgt, %w, %zero : i32
        scf.condition(%more) %w : i32
      } do {
      ^bb0(%w: i32):
        %next = arith.subi %w, %one : i32
        scf.yield %next : i32
      }
      %first = arith.cmpi slt, %b, %c3 : index
      scf.if %first {
        memref.store %r, %y[%i] : memref<64xi32>
      }
    }
  }
  return
}

// -----

func.func @carried_condition(%n: index, %y: memref<64xf32>, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64xf32, #tile.shared>
    tile.fill %t, 0.0 : memref<64xf32, #tile.shared>
    // expected-error@+1 {{on Ascend, a loop cannot carry a value of type 'i1'; carry a number of whole bytes}}
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%p = %c) -> i1 {
      tile.parallel (%i) in (64) {
        %v = memref.load %t[%i] : memref<64xf32, #tile.shared>
        %w = arith.addf %v, %v : f32
        memref.store %w, %t[%i] : memref<64xf32, #tile.shared>
      }
      %even = arith.cmpi eq, %k, %c0 : index
      %q = arith.xori %p, %even : i1
      scf.yield %q : i1
    }
    scf.if %r {
      tile.copy %t, %y : memref<64xf32, #tile.shared>, memref<64xf32>
    }
  }
  return
}

// -----

func.func @dynamic(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %n = memref.dim %x, %c0 : memref<?xf32>
    // expected-error@+1 {{on Ascend, the extents of 'tile.parallel' are static; guard the tail instead}}
    tile.parallel (%i) in (%n) {
      %v = memref.load %x[%i] : memref<?xf32>
      %positive = arith.cmpf ogt, %v, %zero : f32
      scf.if %positive {
        memref.store %v, %y[%i] : memref<?xf32>
      }
    }
  }
  return
}

// -----

func.func @ticket(%count: memref<1xi32>, %y: memref<64xi32>) {
  %one = arith.constant 1 : i32
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) {
      // expected-error@+1 {{on Ascend, 'tile.atomic' returns no old value of global memory; let one block count, or count in a tile}}
      %old = tile.atomic add %one, %count[0] : i32, memref<1xi32> -> i32
      memref.store %old, %y[%i] : memref<64xi32>
    }
  }
  return
}

// -----

func.func @most(%x: memref<64xf32>, %y: memref<1xf32>) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) {
      %v = memref.load %x[%i] : memref<64xf32>
      // expected-error@+1 {{on Ascend, 'tile.atomic' of global memory adds, got 'max'; combine tiles, and let one block finish}}
      tile.atomic max %v, %y[0] : f32, memref<1xf32>
    }
  }
  return
}

// -----

func.func @wide_bits(%x: memref<64xi64>, %y: memref<64xf64>) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) {
      %v = memref.load %x[%i] : memref<64xi64>
      // expected-error@+1 {{on Ascend, bits of 16 or 32 are reinterpreted, got 'i64' and 'f64'}}
      %w = arith.bitcast %v : i64 to f64
      memref.store %w, %y[%i] : memref<64xf64>
    }
  }
  return
}
