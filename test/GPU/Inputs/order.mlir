// What the ops of a block do to global memory, in their order: write and read back, read and overwrite.

// z[i] = 2 x[127 - i], through y.
func.func @read_after_write(%x: memref<128xf32>, %y: memref<128xf32> {tile.result}, %z: memref<128xf32> {tile.result})
    attributes {tile.reference = @read_after_write_reference} {
  tile.kernel (%b) in (1) threads(128) {
    tile.parallel (%i) in (128) {
      %v = memref.load %x[%i] : memref<128xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %y[%i] : memref<128xf32>
    }
    tile.parallel (%i) in (128) {
      %j = affine.apply affine_map<(i) -> (127 - i)>(%i)
      %v = memref.load %y[%j] : memref<128xf32>
      memref.store %v, %z[%i] : memref<128xf32>
    }
  }
  return
}
func.func @read_after_write_reference(%x: memref<128xf32>, %y: memref<128xf32>, %z: memref<128xf32>) {
  affine.for %i = 0 to 128 {
    %v = affine.load %x[%i] : memref<128xf32>
    %w = arith.addf %v, %v : f32
    affine.store %w, %y[%i] : memref<128xf32>
    affine.store %w, %z[127 - %i] : memref<128xf32>
  }
  return
}

// In place: x[i] = x[i] - x[0], where x[0] is read for the block.
func.func @write_after_read(%x: memref<300xf32> {tile.init = "normal", tile.result})
    attributes {tile.reference = @write_after_read_reference} {
  %c0 = arith.constant 0 : index
  tile.kernel (%b) in (1) threads(128) {
    %p = memref.load %x[%c0] : memref<300xf32>
    tile.parallel (%i) in (300) {
      %v = memref.load %x[%i] : memref<300xf32>
      %w = arith.subf %v, %p : f32
      memref.store %w, %x[%i] : memref<300xf32>
    }
  }
  return
}
func.func @write_after_read_reference(%x: memref<300xf32>) {
  %p = affine.load %x[0] : memref<300xf32>
  affine.for %i = 0 to 300 {
    %v = affine.load %x[%i] : memref<300xf32>
    %w = arith.subf %v, %p : f32
    affine.store %w, %x[%i] : memref<300xf32>
  }
  return
}

// Rows of a matrix turn around in place, through a tile; each block has rows of its own.
func.func @reverse_rows(%x: memref<8x70xi32> {tile.init = "integers(-99,99)", tile.result})
    attributes {tile.reference = @reverse_rows_reference} {
  tile.kernel (%b) in (8) threads(64) {
    %s = tile.alloc : memref<70xi32, #tile.shared>
    tile.copy %x[%b, 0] [1, 70], %s : memref<8x70xi32>, memref<70xi32, #tile.shared>
    tile.parallel (%i) in (70) {
      %j = affine.apply affine_map<(i) -> (69 - i)>(%i)
      %v = memref.load %s[%j] : memref<70xi32, #tile.shared>
      memref.store %v, %x[%b, %i] : memref<8x70xi32>
    }
  }
  return
}
func.func @reverse_rows_reference(%x: memref<8x70xi32>) {
  affine.for %r = 0 to 8 {
    affine.for %i = 0 to 35 {
      %v = affine.load %x[%r, %i] : memref<8x70xi32>
      %w = affine.load %x[%r, 69 - %i] : memref<8x70xi32>
      affine.store %w, %x[%r, %i] : memref<8x70xi32>
      affine.store %v, %x[%r, 69 - %i] : memref<8x70xi32>
    }
  }
  return
}

// A step of a recurrence reads what the step before it wrote, from other threads: n steps, also none.
func.func @recurrence(%x: memref<130xi32> {tile.init = "integers(0,9)"}, %y: memref<?x130xi32> {tile.shape = "Nx130", tile.result})
    attributes {tile.reference = @recurrence_reference, tile.cases = ["N=7", "N=2", "N=1"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %y, %c0 : memref<?x130xi32>
  tile.kernel (%b) in (1) threads(96) {
    tile.parallel (%i) in (130) {
      %v = memref.load %x[%i] : memref<130xi32>
      memref.store %v, %y[%c0, %i] : memref<?x130xi32>
    }
    scf.for %t = %c1 to %n step %c1 {
      %before = arith.subi %t, %c1 : index
      tile.parallel (%i) in (130) {
        %j = affine.apply affine_map<(i) -> ((i + 77) mod 130)>(%i)
        %v = memref.load %y[%before, %i] : memref<?x130xi32>
        %w = memref.load %y[%before, %j] : memref<?x130xi32>
        %s = arith.addi %v, %w : i32
        memref.store %s, %y[%t, %i] : memref<?x130xi32>
      }
    }
  }
  return
}
func.func @recurrence_reference(%x: memref<130xi32>, %y: memref<?x130xi32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %y, %c0 : memref<?x130xi32>
  affine.for %i = 0 to 130 {
    %v = affine.load %x[%i] : memref<130xi32>
    affine.store %v, %y[0, %i] : memref<?x130xi32>
  }
  affine.for %t = 1 to %n {
    affine.for %i = 0 to 130 {
      %v = affine.load %y[%t - 1, %i] : memref<?x130xi32>
      %w = affine.load %y[%t - 1, (%i + 77) mod 130] : memref<?x130xi32>
      %s = arith.addi %v, %w : i32
      affine.store %s, %y[%t, %i] : memref<?x130xi32>
    }
  }
  return
}

// A pipelined loop whose copies read what the loop writes: iteration k fills row k + 1 from row k.
func.func @pipeline_through_global(%y: memref<9x128xf32> {tile.init = "integers(0,5)", tile.result})
    attributes {tile.reference = @pipeline_through_global_reference} {
  %one = arith.constant 1.0 : f32
  tile.kernel (%b) in (1) threads(128) {
    %s = tile.alloc : memref<128xf32, #tile.shared>
    tile.pipelined %k = 0 to 8 stages(3) {
      tile.copy %y[%k, 0] [1, 128], %s : memref<9x128xf32>, memref<128xf32, #tile.shared>
      tile.parallel (%i) in (128) {
        %j = affine.apply affine_map<(i) -> (127 - i)>(%i)
        %v = memref.load %s[%j] : memref<128xf32, #tile.shared>
        %w = arith.addf %v, %one : f32
        %r = affine.apply affine_map<(k) -> (k + 1)>(%k)
        memref.store %w, %y[%r, %i] : memref<9x128xf32>
      }
    }
  }
  return
}
func.func @pipeline_through_global_reference(%y: memref<9x128xf32>) {
  %one = arith.constant 1.0 : f32
  affine.for %k = 0 to 8 {
    affine.for %i = 0 to 128 {
      %v = affine.load %y[%k, 127 - %i] : memref<9x128xf32>
      %w = arith.addf %v, %one : f32
      affine.store %w, %y[%k + 1, %i] : memref<9x128xf32>
    }
  }
  return
}

// A block adds one to its own element.
func.func @read_modify_write(%y: memref<8xi32> {tile.init = "integers(0,99)", tile.result})
    attributes {tile.reference = @read_modify_write_reference} {
  %one = arith.constant 1 : i32
  tile.kernel (%b) in (8) threads(128) {
    %v = memref.load %y[%b] : memref<8xi32>
    %w = arith.addi %v, %one : i32
    memref.store %w, %y[%b] : memref<8xi32>
  }
  return
}
func.func @read_modify_write_reference(%y: memref<8xi32>) {
  %one = arith.constant 1 : i32
  affine.for %i = 0 to 8 {
    %v = affine.load %y[%i] : memref<8xi32>
    %w = arith.addi %v, %one : i32
    affine.store %w, %y[%i] : memref<8xi32>
  }
  return
}

// Three kernels; the second reads what the first wrote, the third overwrites it.
func.func @three_kernels(%x: memref<200xi32> {tile.init = "integers(0,9)", tile.result}, %y: memref<200xi32> {tile.result})
    attributes {tile.reference = @three_kernels_reference} {
  %three = arith.constant 3 : i32
  tile.kernel (%b) in (2) threads(64) {
    tile.parallel (%i) in (100) {
      %p = affine.apply affine_map<(b, i) -> (b * 100 + i)>(%b, %i)
      %v = memref.load %x[%p] : memref<200xi32>
      %w = arith.muli %v, %three : i32
      memref.store %w, %x[%p] : memref<200xi32>
    }
  }
  tile.kernel (%b) in (1) threads(128) {
    tile.parallel (%i) in (200) {
      %j = affine.apply affine_map<(i) -> (199 - i)>(%i)
      %v = memref.load %x[%j] : memref<200xi32>
      memref.store %v, %y[%i] : memref<200xi32>
    }
  }
  tile.kernel (%b) in (4) threads(32) {
    tile.parallel (%i) in (50) {
      %p = affine.apply affine_map<(b, i) -> (b * 50 + i)>(%b, %i)
      memref.store %three, %x[%p] : memref<200xi32>
    }
  }
  return
}
func.func @three_kernels_reference(%x: memref<200xi32>, %y: memref<200xi32>) {
  %three = arith.constant 3 : i32
  affine.for %i = 0 to 200 {
    %v = affine.load %x[%i] : memref<200xi32>
    %w = arith.muli %v, %three : i32
    affine.store %w, %y[199 - %i] : memref<200xi32>
  }
  affine.for %i = 0 to 200 {
    affine.store %three, %x[%i] : memref<200xi32>
  }
  return
}
