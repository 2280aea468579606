// RUN: tile-opt %s --split-input-file --verify-diagnostics --tile-verify-semantics

// Reads of tiles that nobody has written, and those that only look like it.

!tile = memref<64x64xf32, #tile.fragment>

func.func @nobody_writes(%y: memref<64x64xf32>) {
  tile.kernel (%b) in (1) {
    // expected-note@+1 {{the tile is allocated here}}
    %t = tile.alloc : !tile
    // expected-error@+1 {{reads what nobody has written; write it before, as by 'tile.fill' or 'tile.copy'}}
    tile.copy %t, %y : !tile, memref<64x64xf32>
  }
  return
}

// -----

// The first iteration adds to what is not there.

!a = memref<64x64xf16, #tile.shared>
!acc = memref<64x64xf32, #tile.fragment>

func.func @accumulates(%x: memref<64x640xf16>, %y: memref<64x64xf32>) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : !a
    // expected-note@+1 {{the tile is allocated here}}
    %acc = tile.alloc : !acc
    tile.pipelined %k = 0 to 10 stages(2) {
      tile.copy %x[0, %k * 64], %s : memref<64x640xf16>, !a
      // expected-error@+1 {{reads what nobody has written}}
      tile.gemm %s, %s, %acc : !a, !a, !acc
    }
    tile.copy %acc, %y : !acc, memref<64x64xf32>
  }
  return
}

// -----

// Written behind the read, by the same loop.

!row = memref<64xf32, #tile.shared>

func.func @too_late(%x: memref<640xf32>, %y: memref<640xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    // expected-note@+1 {{the tile is allocated here}}
    %s = tile.alloc : !row
    tile.pipelined %k = 0 to 10 {
      tile.parallel (%i) in (64) {
        // expected-error@+1 {{reads what nobody has written}}
        %v = memref.load %s[%i] : !row
        %at = affine.apply affine_map<(k, i) -> (k * 64 + i)>(%k, %i)
        memref.store %v, %y[%at] : memref<640xf32>
      }
      // expected-note@+1 {{the first write is here}}
      tile.copy %x[%k * 64], %s : memref<640xf32>, !row
    }
  }
  return
}

// -----

// Other elements are written: the upper half is not.

!tile = memref<64x64xf32, #tile.shared>

func.func @other_half(%x: memref<64x64xf32>, %y: memref<64x64xf32>) {
  tile.kernel (%b) in (1) {
    // expected-note@+1 {{the tile is allocated here}}
    %s = tile.alloc : !tile
    // expected-note@+1 {{the first write is here}}
    tile.copy %x[0, 0] [32, 64], %s[0, 0] [32, 64] : memref<64x64xf32>, !tile
    // expected-error@+1 {{reads what nobody has written}}
    tile.copy %s[32, 0] [32, 64], %y[32, 0] [32, 64] : !tile, memref<64x64xf32>
  }
  return
}

// -----

// Nothing below is an error.

!tile = memref<64x64xf32, #tile.shared>
!row = memref<64xf32, #tile.shared>
!column = memref<64xf32, #tile.fragment>

// Rows are written one by one, and some of them not at all.
func.func @by_rows(%x: memref<64x64xf32>, %y: memref<64x64xf32>, %n: index) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : !tile
    tile.pipelined %i = 0 to %n {
      tile.copy %x[%i, 0] [1, 64], %s[%i, 0] [1, 64] : memref<64x64xf32>, !tile
    }
    tile.copy %s, %y : !tile, memref<64x64xf32>
  }
  return
}

// Part of what is read is written: the rest may not matter.
func.func @part(%x: memref<32x64xf32>, %y: memref<32x64xf32>) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : !tile
    %sums = tile.alloc : !column
    tile.copy %x, %s[0, 0] [32, 64] : memref<32x64xf32>, !tile
    tile.reduce sum %s, %sums dim(1) : !tile, !column
    tile.copy %s[0, 0] [32, 64], %y : !tile, memref<32x64xf32>
  }
  return
}

// The first iteration takes something else.
func.func @selected(%x: memref<640xf32>, %y: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  tile.kernel (%b) in (1) {
    %s = tile.alloc : !row
    tile.pipelined %k = 0 to 10 {
      %first = arith.cmpi eq, %k, %c0 : index
      tile.parallel (%i) in (64) {
        %v = memref.load %s[%i] : !row
        %before = arith.select %first, %zero, %v : f32
        %at = affine.apply affine_map<(k, i) -> (k * 64 + i)>(%k, %i)
        %w = memref.load %x[%at] : memref<640xf32>
        %sum = arith.addf %before, %w : f32
        memref.store %sum, %s[%i] : !row
      }
    }
    tile.copy %s, %y : !row, memref<64xf32>
  }
  return
}

// The first iteration skips the read, by a branch or by a loop of no trips.
func.func @skipped(%x: memref<640xf32>, %y: memref<640xf32>) {
  %c0 = arith.constant 0 : index
  tile.kernel (%b) in (1) {
    %s = tile.alloc : !row
    %t = tile.alloc : !row
    tile.pipelined %k = 0 to 10 {
      %later = arith.cmpi sgt, %k, %c0 : index
      scf.if %later {
        tile.copy %s, %y[%k * 64] : !row, memref<640xf32>
      }
      tile.pipelined %i = 0 to %k {
        tile.copy %t, %y[%i * 64] : !row, memref<640xf32>
      }
      tile.copy %x[%k * 64], %s : memref<640xf32>, !row
      tile.copy %x[%k * 64], %t : memref<640xf32>, !row
    }
  }
  return
}

// One branch writes in an iteration what the other one reads in a later one.
func.func @branches(%x: memref<640xf32>, %y: memref<640xf32>) {
  %c0 = arith.constant 0 : index
  tile.kernel (%b) in (1) {
    %s = tile.alloc : !row
    tile.pipelined %k = 0 to 10 {
      %first = arith.cmpi eq, %k, %c0 : index
      scf.if %first {
        tile.copy %x[%k * 64], %s : memref<640xf32>, !row
      } else {
        tile.copy %s, %y[%k * 64] : !row, memref<640xf32>
      }
    }
  }
  return
}

// Through a view, and with nothing read at all.
func.func @views(%x: memref<4096xf32>, %y: memref<64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<4096xf32, #tile.shared>
    %unused = tile.alloc : !row
    %sums = tile.alloc : !column
    %m = tile.reshape %s : memref<4096xf32, #tile.shared> to !tile
    tile.copy %x, %s : memref<4096xf32>, memref<4096xf32, #tile.shared>
    tile.reduce sum %m, %sums dim(1) : !tile, !column
    tile.copy %m, %y : !tile, memref<64x64xf32>
    tile.fill %unused, %zero : !row
  }
  return
}

// -----

// The first product takes the place of what is there.

!a = memref<64x64xf16, #tile.shared>
!acc = memref<64x64xf32, #tile.fragment>

func.func @cleared_if(%x: memref<64x640xf16>, %y: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  tile.kernel (%b) in (1) {
    %s = tile.alloc : !a
    %acc = tile.alloc : !acc
    tile.pipelined %k = 0 to 10 stages(2) {
      tile.copy %x[0, %k * 64], %s : memref<64x640xf16>, !a
      %first = arith.cmpi eq, %k, %c0 : index
      tile.gemm %s, %s, %acc clear_if(%first) : !a, !a, !acc
    }
    tile.copy %acc, %y : !acc, memref<64x64xf32>
  }
  return
}

// -----

// Nothing runs there.

!row = memref<64xf32, #tile.shared>

func.func @dead(%y: memref<640xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (4) {
    %s = tile.alloc : !row
    %t = tile.alloc : !row
    tile.fill %s, %zero : !row
    tile.fill %t, %zero : !row
    tile.pipelined %k = 0 to 0 {
      tile.copy %s, %y[%k * 64] : !row, memref<640xf32>
    }
    tile.pipelined %k = 2 to 5 {
      %first = arith.cmpi eq, %k, %c0 : index
      scf.if %first {
        tile.copy %t, %y[%k * 64] : !row, memref<640xf32>
      }
    }
  }
  return
}

// -----

// All of it is written in front of the read, by a loop that never runs.

!tile = memref<64x64xf32, #tile.fragment>

func.func @written_never(%y: memref<64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (1) {
    // expected-note@+1 {{the tile is allocated here}}
    %t = tile.alloc : !tile
    scf.for %i = %c0 to %c0 step %c1 {
      // expected-note@+1 {{the first write is here}}
      tile.fill %t, %zero : !tile
    }
    // expected-error@+1 {{reads what nobody has written}}
    tile.copy %t, %y : !tile, memref<64x64xf32>
  }
  return
}

// -----

// The half that nobody writes.

!row = memref<64xf32, #tile.fragment>

func.func @beside(%y: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    // expected-note@+1 {{the tile is allocated here}}
    %t = tile.alloc : !row
    tile.parallel (%i) in (32) {
      // expected-note@+1 {{the first write is here}}
      memref.store %zero, %t[%i] : !row
    }
    tile.parallel (%i) in (32) {
      %at = affine.apply affine_map<(i) -> (i + 32)>(%i)
      // expected-error@+1 {{reads what nobody has written}}
      %v = memref.load %t[%at] : !row
      memref.store %v, %y[%at] : memref<64xf32>
    }
  }
  return
}
