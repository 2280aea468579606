// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-persistent --remarks-filter=tile-persistent 2> %t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: tile-opt %s --tile-set-target=chip=sm_120 --tile-persistent | FileCheck %s --check-prefix=NONE

// Two blocks along y need the same tile of B, and each brings half of it to both.
// NONE-NOT: multicast
// CHECK-LABEL: func.func @product(
// CHECK: tile.kernel (%{{.*}}, %{{.*}}) in (64, 16) threads(256) cluster(1, 2) attributes {persistent_grid}
// CHECK: tile.copy %{{.*}}, %[[A:.*]] {instruction = #tile.transfer<tma>}
// CHECK: tile.copy %{{.*}} {instruction = #tile.transfer<tma>, tile.multicast = 2 : i64}
// REMARK: [Missed] Multicast | Category:tile-persistent | Reason="each block of the cluster has a tile of its own"
// REMARK: [Passed] Multicast | Category:tile-persistent | blocks=2
func.func @product(%a: memref<2048x1024xf16>, %b: memref<8192x1024xf16>, %c: memref<2048x8192xf16>) {
  tile.kernel (%x, %y) in (64, 16) threads(256) cluster(1, 2) {
    %as = tile.alloc : memref<128x64xf16, #tile.shared>
    %bs = tile.alloc : memref<128x64xf16, #tile.shared>
    %sum = tile.alloc : memref<128x128xf32, #tile.fragment>
    tile.pipelined %k = 0 to 16 stages(4) {
      tile.copy %a[%y * 128, %k * 64], %as {instruction = #tile.transfer<tma>}
          : memref<2048x1024xf16>, memref<128x64xf16, #tile.shared>
      tile.copy %b[%x * 128, %k * 64], %bs {instruction = #tile.transfer<tma>}
          : memref<8192x1024xf16>, memref<128x64xf16, #tile.shared>
      tile.gemm %as, %bs, %sum {transpose_b}
          : memref<128x64xf16, #tile.shared>, memref<128x64xf16, #tile.shared>, memref<128x128xf32, #tile.fragment>
    }
    tile.copy %sum, %c[%y * 128, %x * 128] : memref<128x128xf32, #tile.fragment>, memref<2048x8192xf16>
  }
  return
}

// Tiles along y follow each other, and not those along x, of which clusters are.
// CHECK-LABEL: func.func @parted(
// CHECK: in (64, 16) threads(256) cluster(2, 1) {
// CHECK-NOT: tile.persistent
// REMARK: [Passed] Multicast | Category:tile-persistent | blocks=2
// REMARK: [Missed] Multicast | Category:tile-persistent | Reason="each block of the cluster has a tile of its own"
// REMARK: [Missed] Persistent | Category:tile-persistent | Reason="the order of its tiles parts the blocks of its clusters"
func.func @parted(%a: memref<2048x1024xf16>, %b: memref<8192x1024xf16>, %c: memref<2048x8192xf16>) {
  tile.kernel (%x, %y) in (64, 16) threads(256) cluster(2, 1) {
    %as = tile.alloc : memref<128x64xf16, #tile.shared>
    %bs = tile.alloc : memref<128x64xf16, #tile.shared>
    %sum = tile.alloc : memref<128x128xf32, #tile.fragment>
    tile.pipelined %k = 0 to 16 stages(4) {
      tile.copy %a[%y * 128, %k * 64], %as {instruction = #tile.transfer<tma>}
          : memref<2048x1024xf16>, memref<128x64xf16, #tile.shared>
      tile.copy %b[%x * 128, %k * 64], %bs {instruction = #tile.transfer<tma>}
          : memref<8192x1024xf16>, memref<128x64xf16, #tile.shared>
      tile.gemm %as, %bs, %sum {transpose_b}
          : memref<128x64xf16, #tile.shared>, memref<128x64xf16, #tile.shared>, memref<128x128xf32, #tile.fragment>
    }
    tile.copy %sum, %c[%y * 128, %x * 128] : memref<128x128xf32, #tile.fragment>, memref<2048x8192xf16>
  }
  return
}

// By hand; blocks that do not stay are neighbours behind the order of a hint, too. Twelve rows are no halves of a swizzle; a loop that
// depends on the block may copy more often in one of them.
// CHECK-LABEL: func.func @by_hand(
// CHECK: tile.kernel (%[[X:.*]], %[[Y:.*]]) in (4, 2) cluster(2, 1) {
// CHECK: %[[TWO:.*]] = arith.constant 2 : index
// CHECK: arith.divui %[[X]], %{{.*}} : index
// CHECK: arith.remui %[[X]], %{{.*}} : index
// CHECK: tile.copy %arg0{{.*}} {instruction = #tile.transfer<tma>, tile.multicast = 2 : i64}
// CHECK: tile.copy %arg1{{.*}} {instruction = #tile.transfer<tma>} :
// CHECK: tile.pipelined
// CHECK: tile.copy %arg0{{.*}} {instruction = #tile.transfer<tma>} :
// REMARK: [Passed] Multicast | Category:tile-persistent | blocks=2
// REMARK: [Missed] Multicast | Category:tile-persistent | Reason="expected a multiple of 16 rows, 256 at most"
// REMARK: [Missed] Multicast | Category:tile-persistent | Reason="blocks of the cluster may copy it more or less often"
// REMARK: [Missed] Persistent
func.func @by_hand(%a: memref<128x256xf32>, %b: memref<24x256xf32>, %c: memref<128x128xf32>) {
  tile.kernel (%x, %y) in (4, 2) cluster(2, 1) {
    tile.rasterize group(2)
    %as = tile.alloc : memref<64x32xf32, #tile.shared>
    %bs = tile.alloc : memref<12x32xf32, #tile.shared>
    %af = tile.alloc : memref<64x32xf32, #tile.fragment>
    tile.pipelined %k = 0 to 8 stages(2) {
      tile.copy %a[%y * 64, %k * 32], %as {instruction = #tile.transfer<tma>}
          : memref<128x256xf32>, memref<64x32xf32, #tile.shared>
      tile.copy %b[%y * 12, %k * 32], %bs {instruction = #tile.transfer<tma>}
          : memref<24x256xf32>, memref<12x32xf32, #tile.shared>
      tile.copy %as, %af : memref<64x32xf32, #tile.shared>, memref<64x32xf32, #tile.fragment>
    }
    tile.pipelined %k = 0 to %x stages(2) {
      tile.copy %a[%y * 64, %k * 32], %as {instruction = #tile.transfer<tma>}
          : memref<128x256xf32>, memref<64x32xf32, #tile.shared>
      tile.copy %as, %af : memref<64x32xf32, #tile.shared>, memref<64x32xf32, #tile.fragment>
    }
    tile.copy %af, %c[%y * 64, %x * 32] : memref<64x32xf32, #tile.fragment>, memref<128x128xf32>
  }
  return
}

// Processors are pairs: four blocks of a cluster that stay would leave some without one.
// CHECK-LABEL: func.func @four(
// CHECK: in (64, 16) threads(256) cluster(1, 4) {
// CHECK: tile.multicast = 4 : i64
// REMARK: [Missed] Persistent | Category:tile-persistent | Reason="processors without a whole cluster would be idle"
func.func @four(%b: memref<8192x1024xf16>, %c: memref<2048x8192xf16>) {
  tile.kernel (%x, %y) in (64, 16) threads(256) cluster(1, 4) {
    %bs = tile.alloc : memref<128x64xf16, #tile.shared>
    tile.pipelined %k = 0 to 16 stages(4) {
      tile.copy %b[%x * 128, %k * 64], %bs {instruction = #tile.transfer<tma>}
          : memref<8192x1024xf16>, memref<128x64xf16, #tile.shared>
      tile.copy %bs, %c[%y * 128, %x * 128] : memref<128x64xf16, #tile.shared>, memref<2048x8192xf16>
    }
  }
  return
}

// A row that memory names: blocks may find another one there.
// CHECK-LABEL: func.func @listed(
// CHECK: tile.copy %{{.*}} {instruction = #tile.transfer<tma>} :
// REMARK: [Missed] Multicast | Category:tile-persistent | Reason="each block of the cluster has a tile of its own"
func.func @listed(%list: memref<64xindex>, %b: memref<8192x1024xf16>, %c: memref<2048x8192xf16>) {
  tile.kernel (%x, %y) in (64, 16) threads(256) cluster(1, 2) {
    %row = memref.load %list[%x] : memref<64xindex>
    %bs = tile.alloc : memref<128x64xf16, #tile.shared>
    tile.pipelined %k = 0 to 16 stages(4) {
      tile.copy %b[%row, %k * 64], %bs {instruction = #tile.transfer<tma>}
          : memref<8192x1024xf16>, memref<128x64xf16, #tile.shared>
      tile.copy %bs, %c[%y * 128, %k * 64] : memref<128x64xf16, #tile.shared>, memref<2048x8192xf16>
    }
  }
  return
}
