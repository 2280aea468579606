// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @scalars
// CHECK-SAME: (%[[X:.*]]: f32, %[[I:.*]]: index)
func.func @scalars(%x: f32, %i: index) {
  // CHECK: tile.print %[[X]] : f32
  tile.print %x : f32
  // CHECK: tile.print %[[I]], "i =\22" {note = "kept"} : index
  tile.print %i, "i =\22" {note = "kept"} : index
  return
}

// CHECK-LABEL: func @buffers
func.func @buffers(%t: memref<8x8xf16, #tile.fragment>, %n: memref<4xindex>) {
  // CHECK: tile.print %{{.*}}, "tile" : memref<8x8xf16, #tile.fragment>
  tile.print %t, "tile" : memref<8x8xf16, #tile.fragment>
  // CHECK: tile.print %{{.*}} : memref<4xindex>
  tile.print %n : memref<4xindex>
  return
}
