// All ranks run the same program, and a wait is for what was signalled for it.
// RUN: tile-opt %s --split-input-file --verify-diagnostics --world-verify

func.func @some_meet(%w: !world.ranks) {
  tile.kernel (%b) in (1) {
    %r = world.rank %w
    %c0 = arith.constant 0 : index
    %first = arith.cmpi eq, %r, %c0 : index
    // expected-note@+1 {{'scf.if' depends on it}}
    scf.if %first {
      // expected-error@+1 {{is not reached alike by all ranks, which meet there; move it out of what 'world.rank' decides}}
      %t = world.barrier %w
    }
  }
  return
}

// -----

func.func @some_meet_more_often(%w: !world.ranks) {
  tile.kernel (%b) in (1) {
    %r = world.rank %w
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-note@+1 {{'scf.for' depends on it}}
    scf.for %i = %c0 to %r step %c1 {
      // expected-error@+1 {{is not reached alike by all ranks}}
      %t = world.barrier %w
    }
  }
  return
}

// -----

func.func @some_have_more_blocks(%w: !world.ranks) {
  %r = world.rank %w
  // expected-note@+1 {{'tile.kernel' depends on it}}
  tile.kernel (%b) in (%r) {
    // expected-error@+1 {{is not reached alike by all ranks}}
    %t = world.barrier %w
  }
  return
}

// -----

// What blocks and sizes decide is the same everywhere; what a loop carries does not decide.
func.func @all_meet(%w: !world.ranks) {
  tile.kernel (%b) in (4) {
    %r = world.rank %w
    %n = world.size %w
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %first = arith.cmpi eq, %b, %c0 : index
    scf.if %first {
      %last = scf.for %i = %c0 to %n step %c1 iter_args(%at = %r) -> index {
        %t = world.barrier %w
        %next = arith.addi %at, %i : index
        scf.yield %next : index
      }
    }
  }
  return
}

// -----

func.func @same_flag_twice(%w: !world.ranks, %flags: memref<4xi32, #world.symmetric>) {
  tile.kernel (%b) in (1) {
    %n = world.size %w
    %c0 = arith.constant 0 : index
    %p = world.peer %flags at %w[%c0]
    world.signal %p[2] add 1
    // expected-note@+1 {{the earlier wait}}
    %t = world.wait %flags[2] ge 1
  }
  tile.kernel (%b) in (1) {
    // expected-note@+1 {{signalled again here}}
    world.signal %flags[2] add 1 on %w
    // expected-error@+1 {{is fulfilled by the signals of an earlier wait; wait for more, or for another flag}}
    %t = world.wait %flags[2] ge 1
  }
  return
}

// -----

func.func @same_flag_of_each_block(%w: !world.ranks, %flags: memref<?xi32, #world.symmetric>) {
  tile.kernel (%b) in (4) {
    world.signal %flags[%b] add 1 on %w
    // expected-note@+1 {{the earlier wait}}
    %t = world.wait %flags[%b] ge 1
  }
  tile.kernel (%b) in (4) {
    // expected-note@+1 {{signalled again here}}
    world.signal %flags[%b] add 1 on %w
    // expected-error@+1 {{is fulfilled by the signals of an earlier wait}}
    %t = world.wait %flags[%b] ge 1
  }
  return
}

// -----

func.func @same_flag_in_a_loop(%w: !world.ranks, %flags: memref<1xi64, #world.symmetric>) {
  tile.kernel (%b) in (1) {
    %n = world.size %w
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %all = arith.index_cast %n : index to i64
    scf.for %i = %c0 to %n step %c1 {
      // expected-note@+1 {{signalled again here}}
      world.signal %flags[0] add 1 on %w
      // expected-error@+1 {{is fulfilled by the signals of the iteration before; wait for more in each iteration, or for another flag}}
      %t = world.wait %flags[0] ge %all
    }
  }
  return
}

// -----

// Counters that grow, other flags, flags that are set back, and a wait for the token alone.
func.func @rounds(%w: !world.ranks, %flags: memref<4xi64, #world.symmetric>, %other: memref<4xi64, #world.symmetric>) {
  tile.kernel (%b) in (1) {
    %n = world.size %w
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %i = %c0 to %n step %c1 {
      %round = arith.addi %i, %c1 : index
      %all = arith.muli %round, %n : index
      %value = arith.index_cast %all : index to i64
      world.signal %flags[0] add 1 on %w
      %t = world.wait %flags[0] ge %value
    }
    scf.for %i = %c1 to %c4 step %c1 {
      world.signal %flags[%i] add 1 on %w
      %t = world.wait %flags[%i] ge 1
    }
    world.signal %other[0] set 1 on %w
    %a = world.wait %other[0] ge 1
    world.signal %other[0] set 0
    world.signal %other[0] set 1 on %w
    %c = world.wait %other[0] ge 1
    %again = world.wait %other[0] ge 1
  }
  return
}
