// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @cross_set() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'ascend.cross_set' is now 'ascend.cross_core_set_flag'}}
    ascend.cross_set fix id(0)
  }
  return
}

// -----

func.func @cross_wait() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'ascend.cross_wait' is now 'ascend.cross_core_wait_flag'}}
    ascend.cross_wait id(0)
  }
  return
}

// -----

func.func @slots() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'ascend.slots' is now 'ascend.multi_buffer'}}
    %t = tile.alloc {ascend.slots = 2} : memref<64xf32, #tile.ub>
  }
  return
}

// -----

func.func @ring() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'ascend.ring' is now 'ascend.cross_core_transfer'}}
    ascend.cross_core_set_flag fix id(0) {ascend.ring = 1}
  }
  return
}

// -----

func.func @split_rows() {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'ascend.split_rows' is now 'ascend.sub_block_tiled'}}
    %t = tile.alloc {ascend.split_rows} : memref<64xf32, #tile.ub>
  }
  return
}
