// RUN: tile-opt-plain %s --split-input-file --verify-diagnostics --convert-tile-to-ascend

func.func @gather() {
  tile.kernel (%b) in (1) {
    %y = tile.alloc : memref<64xf32, #tile.ub>
    %x = tile.alloc : memref<16x64xf32, #tile.ub>
    %i = tile.alloc : memref<64xi32, #tile.ub>
    tile.parallel (%i0) in (64) {
      %v = memref.load %i[%i0] : memref<64xi32, #tile.ub>
      %p = arith.index_cast %v : i32 to index
      %q = arith.addi %p, %p : index
      // expected-error@+1 {{on Ascend, index 0 is no linear function of the iteration variables; a gather has no lowering}}
      %w = memref.load %y[%q] : memref<64xf32, #tile.ub>
    }
  }
  return
}

// -----

func.func @global_gather(%a: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    %i = tile.alloc : memref<64xi32, #tile.ub>
    tile.parallel (%i0) in (64) {
      %v = memref.load %i[%i0] : memref<64xi32, #tile.ub>
      %p = arith.index_cast %v : i32 to index
      %q = arith.addi %p, %p : index
      // expected-error@+1 {{on Ascend, index 0 of a global buffer is no linear function of the iteration variables; a gather has no lowering}}
      %w = memref.load %a[%q] : memref<64xf32>
    }
  }
  return
}

// -----

func.func @one() {
  tile.kernel (%b) in (1) {
    %y = tile.alloc : memref<1xf32, #tile.ub>
    tile.parallel (%i) in (64) {
      %c0 = arith.constant 0 : index
      // expected-error@+1 {{on Ascend, a tile of one element cannot be read or written in 'tile.parallel'; use a scalar}}
      %v = memref.load %y[%c0] : memref<1xf32, #tile.ub>
    }
  }
  return
}

// -----

func.func @stride() {
  tile.kernel (%b) in (1) {
    %y = tile.alloc : memref<128xf32, #tile.ub>
    tile.parallel (%i) in (64) {
      %p = affine.apply affine_map<(i) -> (i * 2)>(%i)
      // expected-error@+1 {{on Ascend, a stride in an index has no vector instruction}}
      %v = memref.load %y[%p] : memref<128xf32, #tile.ub>
    }
  }
  return
}

// -----

func.func @transposed() {
  tile.kernel (%b) in (1) {
    %y = tile.alloc : memref<64x16xf32, #tile.ub>
    tile.parallel (%i, %j) in (16, 64) {
      // expected-error@+1 {{on Ascend, a transposed access has no vector instruction; use 'tile.transpose'}}
      %v = memref.load %y[%j, %i] : memref<64x16xf32, #tile.ub>
    }
  }
  return
}

// -----

func.func @one_column() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xf32, #tile.ub>
    tile.parallel (%i) in (16) {
      %c3 = arith.constant 3 : index
      // expected-error@+1 {{on Ascend, a transposed access has no vector instruction; use 'tile.transpose'}}
      %v = memref.load %x[%i, %c3] : memref<16x64xf32, #tile.ub>
    }
  }
  return
}

// -----

func.func @one_place() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xf32, #tile.ub>
    tile.parallel (%i, %j) in (16, 64) {
      %c3 = arith.constant 3 : index
      // expected-error@+1 {{on Ascend, one column of a tile cannot be taken by a vector instruction}}
      %v = memref.load %x[%i, %c3] : memref<16x64xf32, #tile.ub>
    }
  }
  return
}

// -----

func.func @global_stride(%a: memref<128xf32>) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) {
      %p = affine.apply affine_map<(i) -> (i * 2)>(%i)
      // expected-error@+1 {{on Ascend, index 0 of a global buffer is not an iteration variable of stride 1 in the order of the loops}}
      %v = memref.load %a[%p] : memref<128xf32>
    }
  }
  return
}

// -----

func.func @global_place(%a: memref<128xf32>) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) {
      %c3 = arith.constant 3 : index
      // expected-error@+1 {{on Ascend, a global buffer is read at one place by all iterations; read it before the loop}}
      %v = memref.load %a[%c3] : memref<128xf32>
    }
  }
  return
}

// -----

func.func @one_element(%a: memref<128xf32>) {
  %z = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) {
      %c3 = arith.constant 3 : index
      // expected-error@+1 {{on Ascend, all iterations write one element}}
      memref.store %z, %a[%c3] : memref<128xf32>
    }
  }
  return
}

// -----

func.func @iteration(%a: memref<64xi32>) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) {
      // expected-error@+1 {{on Ascend, the value of 'an iteration variable' has no vector form}}
      %v = arith.index_cast %i : index to i32
      memref.store %v, %a[%i] : memref<64xi32>
    }
  }
  return
}

// -----

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

func.func @shift() {
  tile.kernel (%b) in (1) {
    %y = tile.alloc : memref<64xi8, #tile.ub>
    tile.parallel (%i) in (64) {
      %v = memref.load %y[%i] : memref<64xi8, #tile.ub>
      // expected-error@+1 {{on Ascend, the vector unit has no Add for 'i8'}}
      %w = arith.addi %v, %v : i8
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
      // expected-error@+1 {{on Ascend, 'math.powf' has no vector instruction, and no formula of those that there are; write one with exp, log, sqrt and arith}}
      %w = math.powf %v, %v : f32
    }
  }
  return
}

// -----

func.func @absolute() {
  tile.kernel (%b) in (1) {
    %y = tile.alloc : memref<64xi32, #tile.ub>
    tile.parallel (%i) in (64) {
      %v = memref.load %y[%i] : memref<64xi32, #tile.ub>
      // expected-error@+1 {{on Ascend, 'math.absi' of 'i32' has no vector instruction}}
      %w = math.absi %v : i32
    }
  }
  return
}

// -----

func.func @compare_few() {
  %z = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %y = tile.alloc : memref<16xf32, #tile.ub>
    tile.parallel (%i) in (16) {
      %v = memref.load %y[%i] : memref<16xf32, #tile.ub>
      // expected-error@+1 {{on Ascend, a comparison of 16 elements does not fill vectors of 256 bytes}}
      %w = arith.cmpf olt, %v, %z : f32
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
      // expected-error@+1 {{on Ascend, the comparison 'ult' has no vector instruction}}
      %w = arith.cmpf ult, %v, %z : f32
    }
  }
  return
}

// -----

func.func @compare_integers() {
  tile.kernel (%b) in (1) {
    %y = tile.alloc : memref<64xi32, #tile.ub>
    tile.parallel (%i) in (64) {
      %v = memref.load %y[%i] : memref<64xi32, #tile.ub>
      // expected-error@+1 {{on Ascend, expected a comparison of i32, as signed numbers, or of linear functions of the iteration variables, got 'ult' of 'i32'}}
      %w = arith.cmpi ult, %v, %v : i32
    }
  }
  return
}

// -----

func.func @compare_range(%n: index) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) {
      %p = affine.apply affine_map<(i) -> (i * 1048576)>(%i)
      // expected-error@+1 {{on Ascend, the indices of a comparison range over 67108866 values; expected less than 2^24}}
      %w = arith.cmpi slt, %p, %n : index
    }
  }
  return
}

// -----

func.func @condition(%t: i1) {
  %z = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %y = tile.alloc : memref<64xf32, #tile.ub>
    tile.parallel (%i) in (64) {
      %v = memref.load %y[%i] : memref<64xf32, #tile.ub>
      // expected-error@+1 {{on Ascend, the condition of a selection is no comparison}}
      %w = arith.select %t, %v, %z : f32
    }
  }
  return
}

// -----

func.func @narrow() {
  %z = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %y = tile.alloc : memref<64xf32, #tile.ub>
    %x = tile.alloc : memref<16x64xf32, #tile.ub>
    tile.parallel (%i, %j) in (16, 64) {
      %v = memref.load %y[%j] : memref<64xf32, #tile.ub>
      %u = memref.load %x[%i, %j] : memref<16x64xf32, #tile.ub>
      %w = arith.cmpf olt, %v, %z : f32
      // expected-error@+1 {{on Ascend, the condition of a selection varies less than its values}}
      %s = arith.select %w, %u, %z : f32
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
      // expected-error@+1 {{on Ascend, 'scf.if' in 'tile.parallel' has no vector form}}
      scf.if %t {
        memref.store %z, %x[%i, %j] : memref<16x64xf32, #tile.ub>
      }
    }
  }
  return
}
