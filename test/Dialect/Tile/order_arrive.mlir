// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @turns
func.func @turns() {
  tile.kernel (%b) in (1) threads(384) {
    tile.warp_specialize producer {
    } consumer {
      tile.pipelined %k = 0 to 8 {
        // CHECK: tile.order_wait{{$}}
        tile.order_wait
        // CHECK: tile.order_arrive {note = "kept"}
        tile.order_arrive {note = "kept"}
      }
    }
  }
  return
}
