// An asynchronous copy by hand without a width divided by 0 where its loads are counted.
//
// REQUIRES: amd
// RUN: tile-opt %s --tile-to-rocdl-pipeline=chip=gfx942 | FileCheck %s
// CHECK-LABEL: llvm.func @copy_0
// CHECK: rocdl.global.load.lds
// CHECK: rocdl.s.waitcnt
func.func @copy(%x: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<64xf32, #tile.shared>
    tile.copy %x, %s {instruction = #tile.transfer<cp_async>} : memref<64xf32>, memref<64xf32, #tile.shared>
    tile.async_commit
    tile.async_wait pending(0)
  }
  return
}
