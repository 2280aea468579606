// RUN: tile-opt-plain %s --split-input-file --verify-diagnostics

func.func @group() {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{expected 'ascend.group' to be an integer}}
    ascend.pipe_barrier v {ascend.group = "a"}
  }
  return
}

// -----

func.func @stages() {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{expected 'ascend.multi_buffer' to be an integer between 1 and 16}}
    %x = tile.alloc {ascend.multi_buffer = 0} : memref<64xf32, #tile.ub>
  }
  return
}

// -----

func.func @address() {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{expected 'ascend.address' to be an integer on a 'tile.alloc'}}
    %x = tile.alloc {ascend.address = "a"} : memref<64xf32, #tile.ub>
  }
  return
}

// -----

func.func @address_memory() {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{has an address, but the chip has no memory 'shared'}}
    %x = tile.alloc {ascend.address = 0} : memref<64xf32, #tile.shared>
  }
  return
}

// -----

func.func @address_align() {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{expected 'ascend.address' to be a multiple of 32, got 4}}
    %x = tile.alloc {ascend.address = 4} : memref<64xf32, #tile.ub>
  }
  return
}

// -----

func.func @address_end() {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{ends at byte 196864 of 'ub', of which programs have 196352}}
    %x = tile.alloc {ascend.address = 196608} : memref<64xf32, #tile.ub>
  }
  return
}

// -----

func.func @other() {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{unknown attribute 'ascend.other'; expected ascend.address or ascend.group}}
    ascend.pipe_barrier v {ascend.other}
  }
  return
}

// -----

// expected-error@+1 {{expected 'tile.target' to be a #tile.target}}
module attributes {tile.target = "910B"} {
}

// -----

// The destination of Mmad is aligned further than its memory.
func.func @accumulator() {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{expected 'ascend.address' to be a multiple of 1024, got 64}}
    %c = tile.alloc {ascend.address = 64 : i64} : memref<32x32xf32, #tile.l0c>
  }
  return
}

// -----

func.func @vector_cores() {
  // expected-error@+1 {{expected 'ascend.vector_cores' to be an integer between 1 and 2 on a 'tile.kernel'}}
  tile.kernel (%b) in (1) attributes {ascend.vector_cores = 3} {
  }
  return
}
