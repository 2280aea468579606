// Compiled code finds the printing functions of the runtime in tile-run itself.

// RUN: tile-run %s | FileCheck %s
// CHECK: kernel case
// CHECK-NEXT: here[0, 0] = 1.5
// CHECK-NEXT: here[0, 1] = 1.5
// CHECK-NEXT: block = 0
// CHECK-NEXT: prints - - -

func.func @prints() {
  %v = arith.constant 1.5 : f32
  tile.kernel (%b) in (1) threads(32) {
    %t = tile.alloc : memref<1x2xf32, #tile.shared>
    tile.fill %t, %v : memref<1x2xf32, #tile.shared>
    tile.print %t, "here" : memref<1x2xf32, #tile.shared>
    tile.print %b, "block" : index
  }
  return
}
