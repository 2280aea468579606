// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK: tile.param @BM = 128 in [64, 128, 256]
tile.param @BM = 128 in [64, 128, 256]
// CHECK: tile.param @flag = 0 in [0, 1] {note = "kept"}
tile.param @flag = 0 in [0, 1] {note = "kept"}
// CHECK: tile.param @only = -3 in [-3]
tile.param @only = -3 in [-3]
// CHECK: tile.param @columns = 128 in [64, 128, 256] on(tcgen05 = 256, wgmma = 256)
tile.param @columns = 128 in [64, 128, 256] on(wgmma = 256, tcgen05 = 256)
// CHECK: tile.param @stages = 2 in [1, 2] on(mfma = 1) {note = "kept"}
tile.param @stages = 2 in [1, 2] on(mfma = 1) {note = "kept"}

// CHECK-LABEL: func @clauses
func.func @clauses(%n: index) {
  // CHECK: %[[BM:.*]] = tile.get_param @BM
  %bm = tile.get_param @BM
  // CHECK: tile.kernel (%{{.*}}) in (4) threads(@BM) {
  tile.kernel (%b) in (4) threads(@BM) {
    // CHECK: %[[S:.*]] = tile.alloc(%[[BM]], %[[BM]]) : memref<?x32x?xf16, #tile.shared>
    %s = tile.alloc(%bm, %bm) : memref<?x32x?xf16, #tile.shared>
    // CHECK: tile.pipelined %{{.*}} = 0 to 4 stages(@BM) {
    tile.pipelined %k = 0 to 4 stages(@BM) {
    }
    // CHECK: tile.parallel (%{{.*}}) in (%[[BM]]) coalesced_width(@flag) {
    tile.parallel (%i) in (%bm) coalesced_width(@flag) {
    }
    // CHECK: tile.persistent (%{{.*}}) in (4) group(@BM) attributes {note = "kept"} {
    tile.persistent (%t) in (4) group(@BM) attributes {note = "kept"} {
    }
  }
  return
}

// Ops on tiles whose extents are open.
// CHECK-LABEL: func @tiles
func.func @tiles(%a: memref<?x?xf16>, %c: memref<?x?xf32>) {
  %bm = tile.get_param @BM
  %zero = arith.constant 0.0 : f16
  tile.kernel (%b) in (1) {
    %s = tile.alloc(%bm) : memref<?x32xf16, #tile.shared>
    %t = tile.alloc(%bm) : memref<32x?xf16, #tile.shared>
    %acc = tile.alloc(%bm, %bm) : memref<?x?xf32, #tile.fragment>
    %row = tile.alloc(%bm) : memref<?xf32, #tile.fragment>
    // CHECK: tile.fill
    tile.fill %s, %zero : memref<?x32xf16, #tile.shared>
    // CHECK: tile.copy
    tile.copy %a[%b, 0], %s : memref<?x?xf16>, memref<?x32xf16, #tile.shared>
    // CHECK: tile.transpose
    tile.transpose %s, %t : memref<?x32xf16, #tile.shared>, memref<32x?xf16, #tile.shared>
    // CHECK: tile.gemm
    tile.gemm %s, %t, %acc {clear} : memref<?x32xf16, #tile.shared>, memref<32x?xf16, #tile.shared>, memref<?x?xf32, #tile.fragment>
    // CHECK: tile.reduce
    tile.reduce max %acc, %row dim(1) : memref<?x?xf32, #tile.fragment>, memref<?xf32, #tile.fragment>
    // CHECK: tile.scan
    tile.scan sum %row, %row dim(0) : memref<?xf32, #tile.fragment>, memref<?xf32, #tile.fragment>
    // CHECK: tile.copy
    tile.copy %acc, %c[0, 0] : memref<?x?xf32, #tile.fragment>, memref<?x?xf32>
  }
  return
}
