// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @rings
func.func @rings() {
  tile.kernel (%b) in (1) {
    // CHECK: %{{.*}} = tile.ring : !tile.ring<3>
    %a = tile.ring : !tile.ring<3>
    // CHECK: %{{.*}} = tile.ring {offset = 65536 : i64} : !tile.ring<1>
    %c = tile.ring {offset = 65536} : !tile.ring<1>
  }
  return
}
