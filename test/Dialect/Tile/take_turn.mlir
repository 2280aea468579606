// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @turns
func.func @turns() {
  tile.kernel (%b) in (1) threads(384) {
    tile.roles producer {
    } consumer {
      tile.pipelined %k = 0 to 8 {
        // CHECK: tile.take_turn{{$}}
        tile.take_turn
        // CHECK: tile.pass_turn {note = "kept"}
        tile.pass_turn {note = "kept"}
      }
    }
  }
  return
}
