// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @consumer_wait
func.func @consumer_wait() {
  tile.kernel (%b) in (1) {
    // CHECK: %[[RING:.*]] = tile.ring
    %ring = tile.ring : !tile.ring<2>
    // CHECK: tile.consumer_wait %[[RING]] {note = "kept"} : !tile.ring<2>
    %i = tile.consumer_wait %ring {note = "kept"} : !tile.ring<2>
  }
  return
}
