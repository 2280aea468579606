// A wait that leaves more groups under way than loads can be counted took a register for each of them.
//
// REQUIRES: amd
// RUN: tile-opt %s --tile-to-rocdl-pipeline=chip=gfx942 | FileCheck %s
// CHECK-LABEL: llvm.func @wait_0
// CHECK: rocdl.s.waitcnt
// CHECK: llvm.return
func.func @wait() {
  tile.kernel (%b) in (1) {
    tile.async_wait pending(9223372036854775807)
  }
  return
}
