// What a block does once, by its first thread: counters, tickets and the control flow that follows from them.

// Once for each block: 5 blocks count themselves.
func.func @count_blocks(%y: memref<1xi32> {tile.init = "zeros", tile.result})
    attributes {tile.reference = @count_blocks_reference} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  tile.kernel (%b) in (5) threads(128) {
    tile.atomic add %one, %y[%c0] : i32, memref<1xi32>
  }
  return
}
func.func @count_blocks_reference(%y: memref<1xi32>) {
  %five = arith.constant 5 : i32
  affine.store %five, %y[0] : memref<1xi32>
  return
}

// The same, in shared memory: the atomic, a read of the block, another atomic.
func.func @count_in_shared(%y: memref<6x2xi32> {tile.result}) attributes {tile.reference = @count_in_shared_reference} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  tile.kernel (%b) in (6) threads(160) {
    %s = tile.alloc : memref<4xi32, #tile.shared>
    tile.fill %s, %zero : memref<4xi32, #tile.shared>
    tile.atomic add %two, %s[%c1] : i32, memref<4xi32, #tile.shared>
    %v = memref.load %s[%c1] : memref<4xi32, #tile.shared>
    %old = tile.atomic add %v, %s[%c1] : i32, memref<4xi32, #tile.shared> -> i32
    %new = memref.load %s[%c1] : memref<4xi32, #tile.shared>
    memref.store %old, %y[%b, %c0] : memref<6x2xi32>
    memref.store %new, %y[%b, %c1] : memref<6x2xi32>
  }
  return
}
func.func @count_in_shared_reference(%y: memref<6x2xi32>) {
  %two = arith.constant 2 : i32
  %four = arith.constant 4 : i32
  affine.for %b = 0 to 6 {
    affine.store %two, %y[%b, 0] : memref<6x2xi32>
    affine.store %four, %y[%b, 1] : memref<6x2xi32>
  }
  return
}

// Each block takes a number and writes a row of the result with all of its threads.
func.func @ticket(%q: memref<1xi32> {tile.init = "zeros", tile.result}, %y: memref<8x100xi32> {tile.init = "zeros", tile.result})
    attributes {tile.reference = @ticket_reference} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  tile.kernel (%b) in (8) threads(128) {
    %t = tile.atomic add %one, %q[%c0] : i32, memref<1xi32> -> i32
    %p = arith.index_cast %t : i32 to index
    tile.parallel (%i) in (100) {
      memref.store %t, %y[%p, %i] : memref<8x100xi32>
    }
  }
  return
}
func.func @ticket_reference(%q: memref<1xi32>, %y: memref<8x100xi32>) {
  %eight = arith.constant 8 : i32
  affine.store %eight, %q[0] : memref<1xi32>
  affine.for %r = 0 to 8 {
    %t = arith.index_cast %r : index to i32
    affine.for %i = 0 to 100 {
      affine.store %t, %y[%r, %i] : memref<8x100xi32>
    }
  }
  return
}

// Blocks take numbers until there are no more: a dynamic scheduler of tiles, each of which goes through shared memory.
func.func @scheduler(%x: memref<?x65xf32> {tile.shape = "Nx65", tile.init = "integers(-9,9)"},
    %q: memref<1xi32> {tile.init = "zeros"}, %y: memref<?x65xf32> {tile.shape = "Nx65", tile.result})
    attributes {tile.reference = @scheduler_reference, tile.cases = ["N=10", "N=1", "N=0"]} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %rows = memref.dim %x, %c0 : memref<?x65xf32>
  %n = arith.index_cast %rows : index to i32
  tile.kernel (%b) in (3) threads(128) {
    %s = tile.alloc : memref<65xf32, #tile.shared>
    scf.while : () -> () {
      %t = tile.atomic add %one, %q[%c0] : i32, memref<1xi32> -> i32
      %go = arith.cmpi slt, %t, %n : i32
      scf.if %go {
        %p = arith.index_cast %t : i32 to index
        tile.copy %x[%p, 0] [1, 65], %s : memref<?x65xf32>, memref<65xf32, #tile.shared>
        tile.parallel (%i) in (65) {
          %j = affine.apply affine_map<(i) -> (64 - i)>(%i)
          %v = memref.load %s[%j] : memref<65xf32, #tile.shared>
          memref.store %v, %y[%p, %i] : memref<?x65xf32>
        }
      }
      scf.condition(%go)
    } do {
      scf.yield
    }
  }
  return
}
func.func @scheduler_reference(%x: memref<?x65xf32>, %q: memref<1xi32>, %y: memref<?x65xf32>) {
  %c0 = arith.constant 0 : index
  %rows = memref.dim %x, %c0 : memref<?x65xf32>
  affine.for %p = 0 to %rows {
    affine.for %i = 0 to 65 {
      %v = affine.load %x[%p, 64 - %i] : memref<?x65xf32>
      affine.store %v, %y[%p, %i] : memref<?x65xf32>
    }
  }
  return
}

// A loop whose trips a ticket decides, and a branch on it, around copies and gathers.
func.func @ticket_trips(%x: memref<64xi32> {tile.init = "integers(0,9)"}, %q: memref<1xi32> {tile.init = "zeros"},
    %y: memref<4x64xi32> {tile.result}) attributes {tile.reference = @ticket_trips_reference} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  tile.kernel (%b) in (4) threads(64) {
    %s = tile.alloc : memref<64xi32, #tile.shared>
    %t = tile.atomic add %one, %q[%c0] : i32, memref<1xi32> -> i32
    %p = arith.index_cast %t : i32 to index
    tile.fill %s, %zero : memref<64xi32, #tile.shared>
    scf.for %k = %c0 to %p step %c1 {
      tile.parallel (%i) in (64) {
        %j = affine.apply affine_map<(i, k) -> ((i + k * 5) mod 64)>(%i, %k)
        %v = memref.load %x[%j] : memref<64xi32>
        %w = memref.load %s[%i] : memref<64xi32, #tile.shared>
        %r = arith.addi %v, %w : i32
        memref.store %r, %s[%i] : memref<64xi32, #tile.shared>
      }
    }
    %odd = arith.andi %t, %one : i32
    %isOdd = arith.cmpi eq, %odd, %one : i32
    scf.if %isOdd {
      tile.parallel (%i) in (64) {
        %j = affine.apply affine_map<(i) -> (63 - i)>(%i)
        %v = memref.load %s[%j] : memref<64xi32, #tile.shared>
        memref.store %v, %y[%p, %i] : memref<4x64xi32>
      }
    } else {
      tile.copy %s, %y[%p, 0] [1, 64] : memref<64xi32, #tile.shared>, memref<4x64xi32>
    }
  }
  return
}
func.func @ticket_trips_reference(%x: memref<64xi32>, %q: memref<1xi32>, %y: memref<4x64xi32>) {
  %zero = arith.constant 0 : i32
  affine.for %p = 0 to 4 {
    affine.for %i = 0 to 64 {
      %sum = affine.for %k = 0 to affine_map<(p) -> (p)>(%p) iter_args(%acc = %zero) -> i32 {
        %v = affine.load %x[(%i + %k * 5) mod 64] : memref<64xi32>
        %r = arith.addi %acc, %v : i32
        affine.yield %r : i32
      }
      affine.if affine_set<(p) : (p mod 2 - 1 == 0)>(%p) {
        affine.store %sum, %y[%p, 63 - %i] : memref<4x64xi32>
      } else {
        affine.store %sum, %y[%p, %i] : memref<4x64xi32>
      }
    }
  }
  return
}

// Scalars of a block between its tiles: a running sum of row maxima is stored and read back.
func.func @scalars_between_tiles(%x: memref<5x33xf32> {tile.init = "integers(-9,9)"}, %y: memref<5xf32> {tile.result})
    attributes {tile.reference = @scalars_between_tiles_reference} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) threads(64) {
    %t = tile.alloc : memref<1x33xf32, #tile.fragment>
    %m = tile.alloc : memref<1xf32, #tile.fragment>
    %s = tile.alloc : memref<1xf32, #tile.shared>
    scf.for %r = %c0 to %c5 step %c1 {
      tile.copy %x[%r, 0], %t : memref<5x33xf32>, memref<1x33xf32, #tile.fragment>
      tile.reduce max %t, %m dim(1) : memref<1x33xf32, #tile.fragment>, memref<1xf32, #tile.fragment>
      tile.copy %m, %s : memref<1xf32, #tile.fragment>, memref<1xf32, #tile.shared>
      %v = memref.load %s[%c0] : memref<1xf32, #tile.shared>
      %isFirst = arith.cmpi eq, %r, %c0 : index
      %before = arith.subi %r, %c1 : index
      %last = scf.if %isFirst -> f32 {
        scf.yield %zero : f32
      } else {
        %u = memref.load %y[%before] : memref<5xf32>
        scf.yield %u : f32
      }
      %sum = arith.addf %v, %last : f32
      memref.store %sum, %y[%r] : memref<5xf32>
    }
  }
  return
}
func.func @scalars_between_tiles_reference(%x: memref<5x33xf32>, %y: memref<5xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %r = 0 to 5 iter_args(%sum = %zero) -> f32 {
    %first = affine.load %x[%r, 0] : memref<5x33xf32>
    %m = affine.for %i = 1 to 33 iter_args(%acc = %first) -> f32 {
      %v = affine.load %x[%r, %i] : memref<5x33xf32>
      %n = arith.maximumf %acc, %v : f32
      affine.yield %n : f32
    }
    %next = arith.addf %sum, %m : f32
    affine.store %next, %y[%r] : memref<5xf32>
    affine.yield %next : f32
  }
  return
}

// Few iterations for many threads: each doubles an element in place, and keeps the old one in a fragment that all threads
// have; those of another loop take the old values of atomics.
func.func @update_and_keep(%x: memref<32xf32> {tile.init = "integers(-9,9)", tile.result},
    %q: memref<1xi32> {tile.init = "zeros", tile.result}, %y: memref<64x32xf32> {tile.result})
    attributes {tile.reference = @update_and_keep_reference} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  tile.kernel (%b) in (1) threads(128) {
    %f = tile.alloc : memref<32xf32, #tile.fragment>
    %n = tile.alloc : memref<8xi32, #tile.fragment>
    %t = tile.alloc : memref<64x32xf32, #tile.fragment>
    tile.parallel (%i) in (32) {
      %v = memref.load %x[%i] : memref<32xf32>
      memref.store %v, %f[%i] : memref<32xf32, #tile.fragment>
      %w = arith.addf %v, %v : f32
      memref.store %w, %x[%i] : memref<32xf32>
    }
    tile.parallel (%i) in (8) {
      %old = tile.atomic add %one, %q[%c0] : i32, memref<1xi32> -> i32
      memref.store %old, %n[%i] : memref<8xi32, #tile.fragment>
    }
    tile.parallel (%i, %j) in (64, 32) {
      %v = memref.load %f[%j] : memref<32xf32, #tile.fragment>
      memref.store %v, %t[%i, %j] : memref<64x32xf32, #tile.fragment>
    }
    tile.copy %t, %y : memref<64x32xf32, #tile.fragment>, memref<64x32xf32>
  }
  return
}
func.func @update_and_keep_reference(%x: memref<32xf32>, %q: memref<1xi32>, %y: memref<64x32xf32>) {
  %eight = arith.constant 8 : i32
  affine.store %eight, %q[0] : memref<1xi32>
  affine.for %j = 0 to 32 {
    %v = affine.load %x[%j] : memref<32xf32>
    %w = arith.addf %v, %v : f32
    affine.store %w, %x[%j] : memref<32xf32>
    affine.for %i = 0 to 64 {
      affine.store %v, %y[%i, %j] : memref<64x32xf32>
    }
  }
  return
}
