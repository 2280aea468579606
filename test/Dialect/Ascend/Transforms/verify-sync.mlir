// RUN: tile-opt-plain %s --ascend-verify-sync --split-input-file --verify-diagnostics

!tile = memref<64xf32, #tile.ub>
!gm = memref<64xf32>

func.func @raw(%a: !gm) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    // expected-note@+1 {{the other one is here}}
    ascend.copy_gm_to_ub %x, %a : !tile, !gm
    // expected-error@+1 {{nothing orders this instruction of pipe 'v' after one of pipe 'mte2': read after write}}
    ascend.unary exp %x, %x : !tile, !tile
  }
  return
}

// -----

!tile = memref<64xf32, #tile.ub>
!gm = memref<64xf32>

// A flag orders them; the second instruction of the same pipe needs a barrier.
func.func @pipe(%a: !gm) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    ascend.copy_gm_to_ub %x, %a : !tile, !gm
    ascend.set_flag mte2 to v id(0)
    ascend.wait_flag mte2 to v id(0)
    // expected-note@+1 {{the other one is here}}
    ascend.unary exp %x, %x : !tile, !tile
    // expected-error@+1 {{nothing orders this instruction of pipe 'v' after one of pipe 'v': write after read}}
    ascend.unary abs %x, %x : !tile, !tile
  }
  return
}

// -----

!tile = memref<64xf32, #tile.ub>
!gm = memref<64xf32>

// Other buffers at the same address.
func.func @address(%a: !gm) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    %y = tile.alloc {ascend.address = 128 : i64} : !tile
    // expected-note@+1 {{the other one is here}}
    ascend.copy_ub_to_gm %a, %x : !gm, !tile
    // expected-error@+1 {{nothing orders this instruction of pipe 'v' after one of pipe 'mte3': write after read}}
    ascend.unary exp %y, %y : !tile, !tile
  }
  return
}

// -----

!tile = memref<64xf32, #tile.ub>
!gm = memref<64xf32>

// In order within an iteration, but the next one may begin early.
func.func @loop(%a: !gm, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    %r = tile.alloc {ascend.address = 512 : i64} : memref<1xf32, #tile.ub>
    scf.for %i = %c0 to %n step %c1 {
      ascend.pipe_barrier mte2
      // expected-error@+1 {{nothing orders this instruction of pipe 'mte2' after one of pipe 'v': write after read from one iteration to a later one}}
      ascend.copy_gm_to_ub %x, %a : !tile, !gm
      ascend.set_flag mte2 to v id(0)
      ascend.wait_flag mte2 to v id(0)
      // expected-note@+1 {{the other one is here}}
      ascend.reduce max %r, %x : memref<1xf32, #tile.ub>, !tile
      ascend.pipe_barrier v
    }
  }
  return
}

// -----

!tile = memref<64xf32, #tile.ub>
!gm = memref<64xf32>

// What one path orders is not ordered on the other.
func.func @branch(%a: !gm, %c: i1) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    // expected-note@+1 {{the other one is here}}
    ascend.copy_gm_to_ub %x, %a : !tile, !gm
    scf.if %c {
      ascend.pipe_barrier all
    }
    // expected-error@+1 {{nothing orders this instruction of pipe 'v' after one of pipe 'mte2': read after write}}
    ascend.unary exp %x, %x : !tile, !tile
  }
  return
}

// -----

func.func @no_set() {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{the flag is not set before}}
    ascend.wait_flag mte2 to v id(0)
  }
  return
}

// -----

func.func @twice() {
  tile.kernel (%b) in (1) {
    // expected-note@+1 {{the other one is here}}
    ascend.set_flag mte2 to v id(0)
    // expected-error@+1 {{the flag is already set}}
    ascend.set_flag mte2 to v id(0)
  }
  return
}

// -----

// A flag is one bit, and V may not have come to its wait.
func.func @again() {
  tile.kernel (%b) in (1) {
    ascend.set_flag mte2 to v id(0)
    // expected-note@+1 {{the other one is here}}
    ascend.wait_flag mte2 to v id(0)
    // expected-error@+1 {{the flag may still be set: nothing orders this set after the wait before}}
    ascend.set_flag mte2 to v id(0)
    ascend.wait_flag mte2 to v id(0)
  }
  return
}

// -----

func.func @again_in_loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (1) {
    scf.for %i = %c0 to %n step %c1 {
      // expected-error@+1 {{the flag may still be set: nothing orders this set after the wait before}}
      ascend.set_flag mte2 to v id(0)
      // expected-note@+1 {{the other one is here}}
      ascend.wait_flag mte2 to v id(0)
    }
  }
  return
}

// -----

// A way back shows it: a flag in the other direction, a third pipe, what the scalar unit waits for, a barrier of all pipes.
func.func @way_back(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (1) {
    ascend.set_flag v to mte2 id(0)
    scf.for %i = %c0 to %n step %c1 {
      ascend.wait_flag v to mte2 id(0)
      ascend.set_flag mte2 to v id(0)
      ascend.wait_flag mte2 to v id(0)
      ascend.set_flag v to mte2 id(0)
    }
    ascend.wait_flag v to mte2 id(0)
    ascend.set_flag mte2 to v id(0)
    ascend.wait_flag mte2 to v id(0)
    ascend.set_flag v to mte3 id(0)
    ascend.wait_flag v to mte3 id(0)
    ascend.set_flag mte3 to mte2 id(0)
    ascend.wait_flag mte3 to mte2 id(0)
    ascend.set_flag mte2 to v id(0)
    ascend.wait_flag mte2 to v id(0)
    ascend.set_flag v to s id(0)
    ascend.wait_flag v to s id(0)
    ascend.set_flag mte2 to v id(0)
    ascend.wait_flag mte2 to v id(0)
    ascend.pipe_barrier all
    ascend.set_flag mte2 to v id(0)
    ascend.wait_flag mte2 to v id(0)
  }
  return
}

// -----

func.func @left() {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{the flag is still set at the end of the kernel}}
    ascend.set_flag mte2 to v id(0)
  }
  return
}

// -----

func.func @one_path(%c: i1) {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{a flag is set or waited for on one path only}}
    scf.if %c {
      ascend.set_flag mte2 to v id(0)
    }
  }
  return
}

// -----

// Two buffers that share bytes.
func.func @shared_bytes(%a: memref<64xf32>, %c: memref<32xf32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : memref<64xf32, #tile.ub>
    %y = tile.alloc {ascend.address = 128 : i64} : memref<32xf32, #tile.ub>
    ascend.copy_gm_to_ub %x, %a : memref<64xf32, #tile.ub>, memref<64xf32>
    ascend.set_flag mte2 to mte3 id(0)
    ascend.wait_flag mte2 to mte3 id(0)
    // expected-note@+1 {{the other one is here}}
    ascend.copy_ub_to_gm %a, %x : memref<64xf32>, memref<64xf32, #tile.ub>
    // expected-error@+1 {{nothing orders this instruction of pipe 'mte2' after one of pipe 'mte3': write after read}}
    ascend.copy_gm_to_ub %y, %c : memref<32xf32, #tile.ub>, memref<32xf32>
  }
  return
}
