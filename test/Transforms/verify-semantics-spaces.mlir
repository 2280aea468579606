// RUN: tile-opt %s --split-input-file --tile-verify-semantics --verify-diagnostics

// expected-note @below {{the buffer is defined here}}
func.func @capture(%s: memref<64xf32, #tile.shared>, %v: f32) {
  // expected-error @below {{uses a buffer in 'shared' memory that is not its own; allocate it in the kernel with 'tile.alloc'}}
  tile.kernel (%b) in (1) {
    tile.fill %s, %v : memref<64xf32, #tile.shared>
  }
  return
}

// -----

// A function that kernels call may take tiles.
func.func @callee(%s: memref<64xf32, #tile.shared>, %v: f32) {
  tile.fill %s, %v : memref<64xf32, #tile.shared>
  return
}
func.func @caller(%v: f32) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<64xf32, #tile.shared>
    func.call @callee(%s, %v) : (memref<64xf32, #tile.shared>, f32) -> ()
  }
  return
}

// -----

func.func @allocation() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'memref.alloc' op cannot allocate a buffer in 'shared' memory; use 'tile.alloc'}}
    %s = memref.alloc() : memref<64xf32, #tile.shared>
    // expected-error @below {{'memref.alloca' op cannot allocate a buffer in 'local' memory; use 'tile.alloc'}}
    %l = memref.alloca() : memref<4xf32, #tile.local>
    %g = memref.alloca() : memref<4xf32>
  }
  return
}

// -----

func.func @local_index(%x: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  tile.kernel (%b) in (1) {
    %l = tile.alloc : memref<4xf32, #tile.local>
    // expected-note @below {{the iterations are of this loop}}
    tile.parallel (%i, %j) in (16, 4) {
      %v = memref.load %x[%i] : memref<64xf32>
      %p = arith.remui %j, %c4 : index
      // expected-error @below {{indexes a buffer in 'local' memory by iteration variable 1, but each iteration has a buffer of its own; use a constant index, an inner 'scf.for', or a buffer in 'fragment' memory}}
      memref.store %v, %l[%p] : memref<4xf32, #tile.local>
      scf.for %k = %c0 to %c4 step %c1 {
        memref.store %v, %l[%k] : memref<4xf32, #tile.local>
      }
    }
  }
  return
}
