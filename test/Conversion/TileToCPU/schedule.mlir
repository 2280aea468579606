// RUN: tile-opt %s --tile-set-target=chip=x86-64-v3 --convert-tile-to-cpu | FileCheck %s

// One thread runs a block: it has nobody to wait for, and its copies are done where they stand.
// CHECK-LABEL: func.func @barriers
// CHECK-NOT: tile.
// CHECK: return
func.func @barriers(%a: memref<64xf32>, %c: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<64xf32, #tile.shared>
    tile.copy %a, %s {instruction = #tile.transfer<cp_async>} : memref<64xf32>, memref<64xf32, #tile.shared>
    tile.async_commit
    tile.async_wait pending(0)
    tile.barrier
    tile.copy %s, %c : memref<64xf32, #tile.shared>, memref<64xf32>
    tile.barrier async
  }
  return
}
