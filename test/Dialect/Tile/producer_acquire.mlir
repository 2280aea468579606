// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @acquire
func.func @acquire() {
  tile.kernel (%b) in (1) {
    // CHECK: %[[RING:.*]] = tile.ring
    %ring = tile.ring : !tile.ring<2>
    // CHECK: tile.producer_acquire %[[RING]] bytes(4096) : !tile.ring<2>
    %i = tile.producer_acquire %ring bytes(4096) : !tile.ring<2>
    // CHECK: tile.producer_acquire %[[RING]] bytes(0) {note = "kept"} : !tile.ring<2>
    %j = tile.producer_acquire %ring bytes(0) {note = "kept"} : !tile.ring<2>
  }
  return
}
