// RUN: tile-opt-plain %s --ascend-verify-sync --split-input-file --verify-diagnostics

// The cores of 950 write into each other's memories, and a wait holds the pipe that it names alone.

!acc = memref<32x32xf32, #tile.l0c>
!half = memref<16x32xf32, #tile.ub>
!p = memref<32x32xf32, #tile.l1>
!left = memref<32x32xf32, #tile.l0a>

module attributes {tile.target = #tile.target<"950">} {
  func.func @right(%n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    tile.kernel (%b) in (1) {
      %c = tile.alloc {ascend.address = 0 : i64} : !acc
      %x = tile.alloc {ascend.address = 0 : i64} : !half
      %y = tile.alloc {ascend.address = 2048 : i64} : !half
      %p = tile.alloc {ascend.address = 0 : i64} : !p
      %l = tile.alloc {ascend.address = 0 : i64} : !left
      ascend.section cube {
        ascend.cross_core_set_flag mte1 id(3)
        scf.for %i = %c0 to %n step %c1 {
          ascend.cross_core_wait_flag id(1) on fix
          ascend.fixpipe %x, %c {halves} : !half, !acc
          ascend.cross_core_set_flag fix id(0)
          ascend.cross_core_wait_flag id(2) on mte1
          ascend.load_l0a %l, %p : !left, !p
          ascend.cross_core_set_flag mte1 id(3)
        }
        ascend.cross_core_wait_flag id(1) on fix
      }
      ascend.section vector {
        ascend.cross_core_set_flag v id(1)
        scf.for %i = %c0 to %n step %c1 {
          ascend.cross_core_wait_flag id(0) on v
          ascend.cross_core_wait_flag id(3) on v
          ascend.unary exp %y, %x : !half, !half
          ascend.cross_core_set_flag v id(1)
          ascend.set_flag v to mte3 id(0)
          ascend.wait_flag v to mte3 id(0)
          ascend.copy_ub_to_l1 %p, %y {halves} : !p, !half
          ascend.cross_core_set_flag mte3 id(2)
          ascend.set_flag mte3 to v id(0)
          ascend.wait_flag mte3 to v id(0)
        }
        ascend.cross_core_wait_flag id(3) on mte3
      }
    }
    return
  }
}

// -----

// The vector unit may read before Fixpipe has written.

!acc = memref<32x32xf32, #tile.l0c>
!half = memref<16x32xf32, #tile.ub>

module attributes {tile.target = #tile.target<"950">} {
  func.func @no_order() {
    tile.kernel (%b) in (1) {
      %c = tile.alloc {ascend.address = 0 : i64} : !acc
      %x = tile.alloc {ascend.address = 0 : i64} : !half
      ascend.section cube {
        // expected-note@+1 {{the other one is here}}
        ascend.fixpipe %x, %c {halves} : !half, !acc
      }
      ascend.section vector {
        // expected-error@+1 {{nothing orders this instruction of pipe 'v' after one of pipe 'fix' of the other core: read after write}}
        ascend.unary exp %x, %x : !half, !half
      }
    }
    return
  }
}

// -----

// The wait holds another pipe than the one that reads.

!acc = memref<32x32xf32, #tile.l0c>
!half = memref<16x32xf32, #tile.ub>

module attributes {tile.target = #tile.target<"950">} {
  func.func @other_pipe() {
    tile.kernel (%b) in (1) {
      %c = tile.alloc {ascend.address = 0 : i64} : !acc
      %x = tile.alloc {ascend.address = 0 : i64} : !half
      ascend.section cube {
        // expected-note@+1 {{the other one is here}}
        ascend.fixpipe %x, %c {halves} : !half, !acc
        ascend.cross_core_set_flag fix id(0)
      }
      ascend.section vector {
        ascend.cross_core_wait_flag id(0) on mte3
        // expected-error@+1 {{nothing orders this instruction of pipe 'v' after one of pipe 'fix' of the other core: read after write}}
        ascend.unary exp %x, %x : !half, !half
      }
    }
    return
  }
}

// -----

// The flag of the other core is raised by a pipe that has not waited for the copy.

!half = memref<16x32xf32, #tile.ub>
!p = memref<32x32xf32, #tile.l1>
!left = memref<32x32xf32, #tile.l0a>

module attributes {tile.target = #tile.target<"950">} {
  func.func @other_set() {
    tile.kernel (%b) in (1) {
      %y = tile.alloc {ascend.address = 0 : i64} : !half
      %p = tile.alloc {ascend.address = 0 : i64} : !p
      %l = tile.alloc {ascend.address = 0 : i64} : !left
      ascend.section cube {
        ascend.cross_core_wait_flag id(2) on mte1
        // expected-error@+1 {{nothing orders this instruction of pipe 'mte1' after one of pipe 'mte3' of the other core: read after write}}
        ascend.load_l0a %l, %p : !left, !p
      }
      ascend.section vector {
        // expected-note@+1 {{the other one is here}}
        ascend.copy_ub_to_l1 %p, %y {halves} : !p, !half
        ascend.cross_core_set_flag v id(2)
      }
    }
    return
  }
}

// -----

// The next tile is written while the cube may still load the one before.

!half = memref<16x32xf32, #tile.ub>
!p = memref<32x32xf32, #tile.l1>
!left = memref<32x32xf32, #tile.l0a>

module attributes {tile.target = #tile.target<"950">} {
  func.func @not_free() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    tile.kernel (%b) in (1) {
      %y = tile.alloc {ascend.address = 0 : i64} : !half
      %p = tile.alloc {ascend.address = 0 : i64} : !p
      %l = tile.alloc {ascend.address = 0 : i64} : !left
      ascend.section cube {
        scf.for %i = %c0 to %c2 step %c1 {
          ascend.cross_core_wait_flag id(2) on mte1
          ascend.pipe_barrier mte1
          // expected-error@+1 {{nothing orders this instruction of pipe 'mte1' after one of pipe 'mte3' of the other core: read after write}}
          ascend.load_l0a %l, %p : !left, !p
        }
      }
      ascend.section vector {
        scf.for %i = %c0 to %c2 step %c1 {
          ascend.pipe_barrier mte3
          // expected-note@+1 {{the other one is here}}
          ascend.copy_ub_to_l1 %p, %y {halves} : !p, !half
          ascend.cross_core_set_flag mte3 id(2)
        }
      }
    }
    return
  }
}

// -----

// Before the kernel is divided, too.

!acc = memref<32x32xf32, #tile.l0c>
!half = memref<16x32xf32, #tile.ub>

module attributes {tile.target = #tile.target<"950">} {
  func.func @joint() {
    tile.kernel (%b) in (1) {
      %c = tile.alloc {ascend.address = 0 : i64} : !acc
      %x = tile.alloc {ascend.address = 0 : i64} : !half
      // expected-note@+1 {{the other one is here}}
      ascend.fixpipe %x, %c {halves} : !half, !acc
      ascend.cross_core_set_flag fix id(0) {ascend.core = #ascend<core cube>}
      ascend.cross_core_wait_flag id(0) on mte3 {ascend.core = #ascend<core vector>}
      // expected-error@+1 {{nothing orders this instruction of pipe 'v' after one of pipe 'fix': read after write}}
      ascend.unary exp %x, %x : !half, !half
    }
    return
  }
}
