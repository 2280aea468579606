// RUN: tile-opt %s --ascend-infer-memory --convert-tile-to-ascend --canonicalize | FileCheck %s
// RUN: tile-opt %s --ascend-infer-memory --convert-tile-to-ascend --remarks-filter='convert-tile-to-ascend' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// The channels of a pixel are two blocks of 32 bytes, and windows begin at multiples of them: copies of one row or none.

// CHECK-LABEL: @copies
// CHECK: ascend.duplicate
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[COUNT:.*]] = arith.select %{{.*}}, %c1, %c0
// CHECK: %[[SOURCE:.*]] = memref.subview %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, 0] [1, 1, %[[COUNT]], 16] [1, 1, 1, 1]
// CHECK: ascend.copy_gm_to_ub %{{.*}}, %[[SOURCE]]
func.func @copies(%x: memref<?x8x8x16xf32>, %y: memref<32x48xf32>) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<32x48xf32, #tile.shared>
    tile.im2col %x[%b * 32, %b * 48], %t kernel(3, 3) pad(1) : memref<?x8x8x16xf32>, memref<32x48xf32, #tile.shared>
    tile.copy %t, %y : memref<32x48xf32, #tile.shared>, memref<32x48xf32>
  }
  return
}

// A window begins within a pixel: the scalar unit reads elements, 0 outside.

// CHECK-LABEL: @elements
// CHECK-NOT: ascend.duplicate
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[V:.*]] = scf.if
// CHECK-NEXT: memref.load
// CHECK: memref.store %[[V]]
// REMARK: im2col.mlir:[[#@LINE+4]]:{{.*}}[Missed] ScalarWindows | {{.*}}the scalar unit moves each element: the channels of a pixel are no whole blocks of 32 bytes
func.func @elements(%x: memref<?x8x8x16xf32>, %y: memref<32x48xf32>) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<32x48xf32, #tile.shared>
    tile.im2col %x[%b * 32, %b * 48 + 8], %t kernel(3, 3) pad(1) : memref<?x8x8x16xf32>, memref<32x48xf32, #tile.shared>
    tile.copy %t, %y : memref<32x48xf32, #tile.shared>, memref<32x48xf32>
  }
  return
}
