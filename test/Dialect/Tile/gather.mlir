// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @rows
func.func @rows(%a: memref<?x64xf16>, %list: memref<?xi32>, %s: memref<32x64xf16, #tile.shared>, %i: index) {
  // CHECK: tile.gather %{{.*}}[0, 0] by %{{.*}}[%{{.*}} * 32], %{{.*}} : memref<?x64xf16>, memref<?xi32>, memref<32x64xf16, #tile.shared>
  tile.gather %a[0, 0] by %list[%i * 32], %s : memref<?x64xf16>, memref<?xi32>, memref<32x64xf16, #tile.shared>
  return
}

// A shared list of 64 bits; a part of the columns; an offset that is added to positions; types left out.
// CHECK-LABEL: func @columns
func.func @columns(%a: memref<?x64xf16>, %list: memref<4x32xi64, #tile.shared>, %s: memref<32x16xf16, #tile.fragment>, %i: index) {
  // CHECK: tile.gather %{{.*}}[-%{{.*}}, 48] by %{{.*}}[2, 0], %{{.*}} : memref<?x64xf16>, memref<4x32xi64, #tile.shared>, memref<32x16xf16, #tile.fragment>
  tile.gather %a[-%i, 48] by %list[2, 0], %s
  return
}

// Pages: positions in the second dimension, of a buffer of four.
// CHECK-LABEL: func @pages
func.func @pages(%kv: memref<?x?x16x64xf16>, %list: memref<?x?xi32>, %s: memref<4x16x64xf16, #tile.shared>, %h: index, %b: index) {
  // CHECK: tile.gather %{{.*}}[%{{.*}}, 0, 0, 0] [1, 4, 16, 64] by %{{.*}}[%{{.*}}, 0] dim(1), %{{.*}} {instruction = #tile.transfer<cp_async, bytes = 16>} :
  tile.gather %kv[%h, 0, 0, 0] [1, 4, 16, 64] by %list[%b, 0] dim(1), %s {instruction = #tile.transfer<cp_async, bytes = 16>}
      : memref<?x?x16x64xf16>, memref<?x?xi32>, memref<4x16x64xf16, #tile.shared>
  return
}

// One row of a list of one.
// CHECK-LABEL: func @one
func.func @one(%a: memref<?x64xi8>, %list: memref<1xi32>, %s: memref<64xi8, #tile.shared>) {
  // CHECK: tile.gather %{{.*}}[0, 0] [1, 64] by %{{.*}}[0], %{{.*}} :
  tile.gather %a[0, 0] [1, 64] by %list[0], %s : memref<?x64xi8>, memref<1xi32>, memref<64xi8, #tile.shared>
  return
}

// Into a stage of a pipeline.
// CHECK-LABEL: func @stage
func.func @stage(%a: memref<64x64xf16>, %list: memref<64xi32>) {
  tile.kernel (%b) in (1) {
    %tiles = tile.alloc : memref<2x16x64xf16, #tile.shared>
    %p = tile.create_pipeline : !tile.pipeline<2>
    tile.warp_specialize producer {
      %i = tile.producer_acquire %p bytes(0) : !tile.pipeline<2>
      %t = tile.stage %tiles[%i] : memref<2x16x64xf16, #tile.shared> to memref<16x64xf16, #tile.shared>
      // CHECK: tile.gather %{{.*}}[0, 0] by %{{.*}}[16], %{{.*}} signal(%{{.*}} : !tile.pipeline<2>) {instruction = #tile.transfer<cp_async, bytes = 16>} :
      tile.gather %a[0, 0] by %list[16], %t signal(%p : !tile.pipeline<2>) {instruction = #tile.transfer<cp_async, bytes = 16>}
      tile.producer_commit %p : !tile.pipeline<2>
    } consumer {
      %i = tile.consumer_wait %p : !tile.pipeline<2>
      tile.consumer_release %p : !tile.pipeline<2>
    }
  }
  return
}
