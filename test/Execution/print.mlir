// The output of tile.print: the message, the indices, the value.

// REQUIRES: tile-run
// RUN: tile-run %s --check=none | FileCheck %s --match-full-lines

// CHECK:      x = 1.5
// CHECK-NEXT: x = -0.0625
// CHECK-NEXT: x = nan
// CHECK-NEXT: x = -inf
// CHECK-NEXT: n = -7
// CHECK-NEXT: n = 1
// CHECK-NEXT: n = 9000000000
// CHECK-NEXT: n = 12
// CHECK-NEXT: f8[0, 0] = 0.5
// CHECK-NEXT: f8[0, 1] = 0.5
// CHECK-NEXT: f8[1, 0] = 0.5
// CHECK-NEXT: f8[1, 1] = 0.5
// CHECK-NEXT: i4[0] = -8
// CHECK-NEXT: i4[1] = -8
// CHECK-NEXT: i4[2] = -8
func.func @prints(%unused: memref<1xf32>) {
  %a = arith.constant 1.5 : f32
  %b = arith.constant -0.0625 : f16
  %c = arith.constant 0x7FC0 : bf16
  %d = arith.constant 0xFFF0000000000000 : f64
  %e = arith.constant -7 : i8
  %f = arith.constant true
  %g = arith.constant 9000000000 : i64
  %h = arith.constant 12 : index
  %i = arith.constant 0.5 : f8E4M3FN
  %j = arith.constant -8 : i4
  tile.kernel (%block) in (1) {
    %t = tile.alloc : memref<2x2xf8E4M3FN, #tile.shared>
    %u = tile.alloc : memref<3xi4, #tile.shared>
    tile.fill %t, %i : memref<2x2xf8E4M3FN, #tile.shared>
    tile.fill %u, %j : memref<3xi4, #tile.shared>
    tile.print %a, "x" : f32
    tile.print %b, "x" : f16
    tile.print %c, "x" : bf16
    tile.print %d, "x" : f64
    tile.print %e, "n" : i8
    tile.print %f, "n" : i1
    tile.print %g, "n" : i64
    tile.print %h, "n" : index
    tile.print %t, "f8" : memref<2x2xf8E4M3FN, #tile.shared>
    tile.print %u, "i4" : memref<3xi4, #tile.shared>
  }
  return
}
