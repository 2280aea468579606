// RUN: tile-opt-plain %s --ascend-verify-sync --split-input-file --verify-diagnostics

// Both cores of a block. The cube writes a workspace, the vector cores read it.

!acc = memref<32x32xf32, #tile.l0c>
!tile = memref<32x32xf32, #tile.ub>
!gm = memref<32x32xf32>

func.func @right(%w: !gm, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (1) {
    %c = tile.alloc {ascend.address = 0 : i64} : !acc
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    ascend.section cube {
      scf.for %i = %c0 to %n step %c1 {
        ascend.cross_core_wait_flag id(1)
        ascend.fixpipe %w, %c : !gm, !acc
        ascend.cross_core_set_flag fix id(0)
      }
      ascend.cross_core_wait_flag id(1)
    }
    ascend.section vector {
      ascend.cross_core_set_flag mte2 id(1)
      scf.for %i = %c0 to %n step %c1 {
        ascend.cross_core_wait_flag id(0)
        ascend.pipe_barrier mte2
        ascend.copy_gm_to_ub %x, %w : !tile, !gm
        ascend.cross_core_set_flag mte2 id(1)
      }
    }
  }
  return
}

// -----

!acc = memref<32x32xf32, #tile.l0c>
!tile = memref<32x32xf32, #tile.ub>
!gm = memref<32x32xf32>

func.func @no_order(%w: !gm) {
  tile.kernel (%b) in (1) {
    %c = tile.alloc {ascend.address = 0 : i64} : !acc
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    ascend.section cube {
      // expected-note@+1 {{the other one is here}}
      ascend.fixpipe %w, %c : !gm, !acc
    }
    ascend.section vector {
      // expected-error@+1 {{nothing orders this instruction of pipe 'mte2' after one of pipe 'fix' of the other core: read after write}}
      ascend.copy_gm_to_ub %x, %w : !tile, !gm
    }
  }
  return
}

// -----

!acc = memref<32x32xf32, #tile.l0c>
!tile = memref<32x32xf32, #tile.ub>
!gm = memref<32x32xf32>

// The flag says that pipe M has come so far, not that FIX has.
func.func @other_pipe(%w: !gm) {
  tile.kernel (%b) in (1) {
    %c = tile.alloc {ascend.address = 0 : i64} : !acc
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    ascend.section cube {
      // expected-note@+1 {{the other one is here}}
      ascend.fixpipe %w, %c : !gm, !acc
      ascend.cross_core_set_flag m id(0)
    }
    ascend.section vector {
      ascend.cross_core_wait_flag id(0)
      // expected-error@+1 {{nothing orders this instruction of pipe 'mte2' after one of pipe 'fix' of the other core: read after write}}
      ascend.copy_gm_to_ub %x, %w : !tile, !gm
    }
  }
  return
}

// -----

!acc = memref<32x32xf32, #tile.l0c>
!tile = memref<32x32xf32, #tile.ub>
!gm = memref<32x32xf32>

// Full, but never free: the second tile is written while the first one is read.
func.func @no_reverse(%w: !gm, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (1) {
    %c = tile.alloc {ascend.address = 0 : i64} : !acc
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    ascend.section cube {
      scf.for %i = %c0 to %n step %c1 {
        ascend.pipe_barrier fix
        // expected-note@+1 {{the other one is here}}
        ascend.fixpipe %w, %c : !gm, !acc
        ascend.cross_core_set_flag fix id(0)
      }
    }
    ascend.section vector {
      scf.for %i = %c0 to %n step %c1 {
        ascend.cross_core_wait_flag id(0)
        // expected-error@+1 {{nothing orders this instruction of pipe 'mte2' after one of pipe 'fix' of the other core: read after write}}
        ascend.copy_gm_to_ub %x, %w : !tile, !gm
        ascend.pipe_barrier mte2
      }
    }
  }
  return
}

// -----

!acc = memref<32x32xf32, #tile.l0c>
!tile = memref<32x32xf32, #tile.ub>
!gm = memref<2x32x32xf32>
!stage = memref<32x32xf32, strided<[32, 1], offset: ?>>

// Two stages in turns, two tiles in flight.
func.func @stages(%w: !gm, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (1) {
    %c = tile.alloc {ascend.address = 0 : i64} : !acc
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    ascend.section cube {
      scf.for %i = %c0 to %n step %c1 {
        %turn = affine.apply affine_map<(i) -> (i mod 2)>(%i)
        %part = memref.subview %w[%turn, 0, 0] [1, 32, 32] [1, 1, 1] : !gm to !stage
        ascend.cross_core_wait_flag id(1)
        ascend.fixpipe %part, %c : !stage, !acc
        ascend.cross_core_set_flag fix id(0)
      }
      ascend.cross_core_wait_flag id(1)
      ascend.cross_core_wait_flag id(1)
    }
    ascend.section vector {
      ascend.cross_core_set_flag mte2 id(1)
      ascend.cross_core_set_flag mte2 id(1)
      scf.for %i = %c0 to %n step %c1 {
        %turn = affine.apply affine_map<(i) -> (i mod 2)>(%i)
        %part = memref.subview %w[%turn, 0, 0] [1, 32, 32] [1, 1, 1] : !gm to !stage
        ascend.cross_core_wait_flag id(0)
        ascend.pipe_barrier mte2
        ascend.copy_gm_to_ub %x, %part : !tile, !stage
        ascend.cross_core_set_flag mte2 id(1)
      }
    }
  }
  return
}

// -----

!acc = memref<32x32xf32, #tile.l0c>
!tile = memref<32x32xf32, #tile.ub>
!gm = memref<2x32x32xf32>
!stage = memref<32x32xf32, strided<[32, 1], offset: ?>>

// Two stages, but three tiles in flight.
func.func @too_many_stages(%w: !gm, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (1) {
    %c = tile.alloc {ascend.address = 0 : i64} : !acc
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    ascend.section cube {
      scf.for %i = %c0 to %n step %c1 {
        %turn = affine.apply affine_map<(i) -> (i mod 2)>(%i)
        %part = memref.subview %w[%turn, 0, 0] [1, 32, 32] [1, 1, 1] : !gm to !stage
        ascend.cross_core_wait_flag id(1)
        // expected-error@+2 {{nothing orders this instruction of pipe 'fix' after one of pipe 'fix': write after write}}
        // expected-note@+1 {{the other one is here}}
        ascend.fixpipe %part, %c : !stage, !acc
        ascend.cross_core_set_flag fix id(0)
      }
      ascend.cross_core_wait_flag id(1)
      ascend.cross_core_wait_flag id(1)
      ascend.cross_core_wait_flag id(1)
    }
    ascend.section vector {
      ascend.cross_core_set_flag mte2 id(1)
      ascend.cross_core_set_flag mte2 id(1)
      ascend.cross_core_set_flag mte2 id(1)
      scf.for %i = %c0 to %n step %c1 {
        %turn = affine.apply affine_map<(i) -> (i mod 2)>(%i)
        %part = memref.subview %w[%turn, 0, 0] [1, 32, 32] [1, 1, 1] : !gm to !stage
        ascend.cross_core_wait_flag id(0)
        ascend.pipe_barrier mte2
        ascend.copy_gm_to_ub %x, %part : !tile, !stage
        ascend.cross_core_set_flag mte2 id(1)
      }
    }
  }
  return
}

// -----

func.func @deadlock() {
  tile.kernel (%b) in (1) {
    ascend.section cube {
      ascend.cross_core_set_flag fix id(0)
    }
    ascend.section vector {
      ascend.cross_core_wait_flag id(0)
      // expected-error@+1 {{the other core does not set the flag as often}}
      ascend.cross_core_wait_flag id(0)
    }
  }
  return
}

// -----

// Each waits for the other one.
func.func @embrace() {
  tile.kernel (%b) in (1) {
    ascend.section cube {
      // expected-error@+1 {{the other core does not set the flag as often}}
      ascend.cross_core_wait_flag id(1)
      ascend.cross_core_set_flag fix id(0)
    }
    ascend.section vector {
      ascend.cross_core_wait_flag id(0)
      ascend.cross_core_set_flag mte2 id(1)
    }
  }
  return
}

// -----

func.func @left() {
  tile.kernel (%b) in (1) {
    ascend.section cube {
      // expected-error@+1 {{the flag of the other core is still set at the end of the kernel}}
      ascend.cross_core_set_flag fix id(0)
    }
    ascend.section vector {
    }
  }
  return
}

// -----

func.func @overflow() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  tile.kernel (%b) in (1) {
    ascend.section cube {
      scf.for %i = %c0 to %c16 step %c1 {
        // expected-error@+1 {{the flag of the other core may be set more often than it can count}}
        ascend.cross_core_set_flag fix id(0)
      }
    }
    ascend.section vector {
      scf.for %i = %c0 to %c16 step %c1 {
        ascend.cross_core_wait_flag id(0)
      }
    }
  }
  return
}

// -----

// The loops have other lengths: one more and one less than each other.
func.func @trips(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (1) {
    %more = affine.apply affine_map<(n) -> (n + 1)>(%n)
    ascend.section cube {
      scf.for %i = %c0 to %n step %c1 {
        ascend.cross_core_set_flag fix id(0)
      }
    }
    ascend.section vector {
      scf.for %i = %c0 to %more step %c1 {
        // expected-error@+1 {{the other core does not set the flag as often}}
        ascend.cross_core_wait_flag id(0)
      }
    }
  }
  return
}

// -----

// A path that both take or neither.
func.func @path(%n: index) {
  tile.kernel (%b) in (1) {
    ascend.section cube {
      %c7 = arith.constant 7 : index
      %is = arith.cmpi slt, %n, %c7 : index
      scf.if %is {
        ascend.cross_core_set_flag fix id(0)
      }
    }
    ascend.section vector {
      %c7 = arith.constant 7 : index
      %is = arith.cmpi slt, %n, %c7 : index
      scf.if %is {
        ascend.cross_core_wait_flag id(0)
      }
    }
  }
  return
}

// -----

func.func @one_path(%n: index) {
  tile.kernel (%b) in (1) {
    ascend.section cube {
      %c7 = arith.constant 7 : index
      %is = arith.cmpi slt, %n, %c7 : index
      scf.if %is {
        ascend.cross_core_set_flag fix id(0)
      }
    }
    ascend.section vector {
      // expected-error@+1 {{the other core does not set the flag as often}}
      ascend.cross_core_wait_flag id(0)
    }
  }
  return
}
