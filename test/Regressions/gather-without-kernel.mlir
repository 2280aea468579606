// A gather outside of a kernel was expanded as if there were one.
//
// RUN: tile-opt %s --tile-expand-indexed="rows lists" | FileCheck %s
// CHECK-LABEL: func.func @columns
// CHECK: scf.for
func.func @columns(%x: memref<?x64xf16>, %list: memref<32xi32>, %t: memref<32x16xf16, #tile.fragment>, %c: index) {
  tile.gather %x[0, %c] by %list[0], %t : memref<?x64xf16>, memref<32xi32>, memref<32x16xf16, #tile.fragment>
  return
}
