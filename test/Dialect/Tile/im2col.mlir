// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @defaults
// CHECK-SAME: (%[[IMG:.*]]: memref<1x8x8x4xf32>, %[[T:.*]]: memref<36x36xf32, #tile.shared>, %[[P:.*]]: index)
func.func @defaults(%img: memref<1x8x8x4xf32>, %t: memref<36x36xf32, #tile.shared>, %p: index) {
  // CHECK: tile.im2col %[[IMG]][%[[P]] * 36, 0], %[[T]] kernel(3, 3) : memref<1x8x8x4xf32>, memref<36x36xf32, #tile.shared>
  tile.im2col %img[%p * 36, 0], %t kernel(3, 3) stride(1) dilation(1) pad(0)
      : memref<1x8x8x4xf32>, memref<36x36xf32, #tile.shared>
  return
}

// CHECK-LABEL: func @all_parameters
func.func @all_parameters(%img: memref<?x9x7x4xf16>, %t: memref<16x32xf16, #tile.fragment>) {
  // CHECK: tile.im2col %{{.*}}[0, 16], %{{.*}} kernel(5, 3) stride(2) dilation(2) pad(1) {note = "kept"} :
  tile.im2col %img[0, 16], %t kernel(5, 3) stride(2) dilation(2) pad(1) {note = "kept"}
      : memref<?x9x7x4xf16>, memref<16x32xf16, #tile.fragment>
  return
}

// The clauses come in any order, and are printed in one.
// CHECK-LABEL: func @any_order
func.func @any_order(%img: memref<?x9x7x4xf16>, %t: memref<16x32xf16, #tile.fragment>) {
  // CHECK: tile.im2col %{{.*}}[0, 16], %{{.*}} kernel(5, 3) stride(2) dilation(2) pad(1) {note = "kept"} :
  tile.im2col %img[0, 16], %t pad(1) stride(2) kernel(5, 3) dilation(2) {note = "kept"}
  // CHECK: tile.im2col %{{.*}}[0, 16], %{{.*}} kernel(3, 3) pad(2) :
  tile.im2col %img[0, 16], %t pad(2) kernel(3, 3)
  return
}
