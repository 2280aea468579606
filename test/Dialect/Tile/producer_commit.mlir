// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @producer_commit
func.func @producer_commit() {
  tile.kernel (%b) in (1) {
    // CHECK: %[[RING:.*]] = tile.ring
    %ring = tile.ring : !tile.ring<2>
    // CHECK: tile.producer_commit %[[RING]] {note = "kept"} : !tile.ring<2>
    tile.producer_commit %ring {note = "kept"} : !tile.ring<2>
  }
  return
}
