// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-schedule --split-input-file --verify-diagnostics

func.func @order(%a: memref<64x1024xf32>, %s: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    %tile = tile.alloc : memref<64x128xf32, #tile.shared>
    %acc = tile.alloc : memref<64xf32, #tile.fragment>
    // expected-error @below {{cannot follow 'order' and 'stage': expected the copies to shared memory in stage 0 and all other ops in one later stage, in the order of the program}}
    tile.pipelined %k = 0 to 8 attributes {order = array<i64: 1, 0>, stage = array<i64: 0, 1>} {
      tile.copy %a[0, %k * 128], %tile {instruction = #tile.transfer<tma>}
          : memref<64x1024xf32>, memref<64x128xf32, #tile.shared>
      tile.reduce sum %tile, %acc dim(1) {combine} : memref<64x128xf32, #tile.shared>, memref<64xf32, #tile.fragment>
    }
  }
  return
}

// -----

func.func @stage(%a: memref<64x1024xf32>, %s: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    %tile = tile.alloc : memref<64x128xf32, #tile.shared>
    %acc = tile.alloc : memref<64xf32, #tile.fragment>
    // expected-error @below {{cannot follow 'order' and 'stage': expected the copies to shared memory in stage 0 and all other ops in one later stage, in the order of the program}}
    tile.pipelined %k = 0 to 8 attributes {order = array<i64: 0, 1>, stage = array<i64: 1, 0>} {
      tile.copy %a[0, %k * 128], %tile {instruction = #tile.transfer<tma>}
          : memref<64x1024xf32>, memref<64x128xf32, #tile.shared>
      tile.reduce sum %tile, %acc dim(1) {combine} : memref<64x128xf32, #tile.shared>, memref<64xf32, #tile.fragment>
    }
  }
  return
}

// -----

func.func @prefer(%a: memref<64x128xf32>) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64x128xf32, #tile.shared>
    // expected-error @below {{cannot use a tensor copy: nothing reads its target}}
    tile.copy %a, %t prefer(tma) {instruction = #tile.transfer<tma>} : memref<64x128xf32>, memref<64x128xf32, #tile.shared>
  }
  return
}
