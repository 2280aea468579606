// RUN: tile-opt %s --split-input-file --tile-verify-semantics --verify-diagnostics

func.func @thread_id(%x: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<64xf32, #tile.shared>
    // expected-note @below {{this value may differ between threads}}
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    // expected-note @below {{the control flow is here}}
    scf.if %first {
      // expected-error @below {{'tile.copy' op must be reached by all threads of the block, but the condition of 'scf.if' may differ between threads}}
      tile.copy %x, %s : memref<64xf32>, memref<64xf32, #tile.shared>
      // One error is enough.
      tile.copy %s, %x : memref<64xf32, #tile.shared>, memref<64xf32>
    }
  }
  return
}

// -----

// The number of trips, through a value that a loop carries.
func.func @trips(%x: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<64xf32, #tile.shared>
    // expected-note @below {{this value may differ between threads}}
    %lane = gpu.lane_id
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0) -> index {
      %next = arith.addi %a, %lane : index
      scf.yield %next : index
    }
    // expected-note @below {{the control flow is here}}
    scf.for %i = %c0 to %sum step %c1 {
      // expected-error @below {{'tile.parallel' op must be reached by all threads of the block, but the number of trips of 'scf.for' may differ between threads}}
      tile.parallel (%j) in (64) {
        %v = memref.load %s[%j] : memref<64xf32, #tile.shared>
      }
    }
    // expected-error @below {{'tile.parallel' op has bounds that may differ between threads}}
    tile.parallel (%j) in (%sum) {
      %v = memref.load %x[%j] : memref<64xf32>
    }
  }
  return
}

// -----

// A private buffer, a while loop, a switch.
func.func @local(%x: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  tile.kernel (%b) in (1) {
    %l = tile.alloc : memref<4xi1, #tile.local>
    %s = tile.alloc : memref<64xf32, #tile.shared>
    tile.parallel (%i) in (4) {
      %first = arith.cmpi eq, %i, %c0 : index
      memref.store %first, %l[%c0] : memref<4xi1, #tile.local>
    }
    // expected-note @below {{the control flow is here}}
    scf.while : () -> () {
      // expected-note @below {{this value may differ between threads}}
      %again = memref.load %l[%c0] : memref<4xi1, #tile.local>
      scf.condition(%again)
    } do {
      // expected-error @below {{'tile.copy' op must be reached by all threads of the block, but the condition of 'scf.while' may differ between threads}}
      tile.copy %x, %s : memref<64xf32>, memref<64xf32, #tile.shared>
      scf.yield
    }
    // expected-note @below {{this value may differ between threads}}
    %t = gpu.thread_id x
    // expected-note @below {{the control flow is here}}
    scf.index_switch %t
    case 0 {
      // expected-error @below {{the condition of 'scf.index_switch' may differ between threads}}
      tile.copy %x, %s : memref<64xf32>, memref<64xf32, #tile.shared>
      scf.yield
    }
    default {
      scf.yield
    }
  }
  return
}

// -----

// Branches: what all paths reach is fine.
func.func @branches(%x: memref<64xf32>, %s: memref<64xf32, #tile.shared>) {
  %c0 = arith.constant 0 : index
  // expected-note @below {{this value may differ between threads}}
  %t = gpu.thread_id x
  %first = arith.cmpi eq, %t, %c0 : index
  // expected-note @below {{the control flow is here}}
  cf.cond_br %first, ^then, ^join
^then:
  // expected-error @below {{the condition of 'cf.cond_br' may differ between threads}}
  tile.copy %x, %s : memref<64xf32>, memref<64xf32, #tile.shared>
  cf.br ^join
^join:
  tile.copy %s, %x : memref<64xf32, #tile.shared>, memref<64xf32>
  return
}

// -----

// Uniform: arguments, blocks, loops over tiles, loads at uniform places, votes.
func.func @uniform(%x: memref<64xf32>, %n: index, %lengths: memref<4xindex>, %flag: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (4) {
    %s = tile.alloc : memref<64xf32, #tile.shared>
    %m = tile.alloc : memref<64xi8, #tile.shared>
    tile.fill %m, 0
    scf.if %flag {
      tile.copy %x, %s : memref<64xf32>, memref<64xf32, #tile.shared>
    }
    %length = memref.load %lengths[%b] : memref<4xindex>
    scf.for %i = %c0 to %length step %c1 {
      %odd = arith.remui %i, %c1 : index
      %is = arith.cmpi eq, %odd, %b : index
      scf.if %is {
        tile.copy %x, %s : memref<64xf32>, memref<64xf32, #tile.shared>
      }
    }
    tile.pipelined %k = 0 to %length {
      %any = tile.any_of %m : memref<64xi8, #tile.shared>
      scf.if %any {
        tile.copy %x, %s : memref<64xf32>, memref<64xf32, #tile.shared>
      }
    }
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0) -> index {
      %next = arith.addi %a, %i : index
      scf.yield %next : index
    }
    tile.parallel (%i) in (%sum) {
      %v = memref.load %s[%c0] : memref<64xf32, #tile.shared>
    }
  }
  return
}
