// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @consumer_release
func.func @consumer_release() {
  tile.kernel (%b) in (1) {
    // CHECK: %[[RING:.*]] = tile.ring
    %ring = tile.ring : !tile.ring<2>
    // CHECK: tile.consumer_release %[[RING]] {note = "kept"} : !tile.ring<2>
    tile.consumer_release %ring {note = "kept"} : !tile.ring<2>
  }
  return
}
