// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-select-instructions | FileCheck %s
// RUN: tile-opt %s --tile-set-target=chip=sm_80 --tile-select-instructions | FileCheck %s --check-prefix=SM80

!a = memref<128x64xf16, #tile.shared>
!b = memref<64x64xf16, #tile.shared>
!c = memref<128x64xf32, #tile.fragment>
!box = memref<8x16x64xf32, #tile.fragment>

// Sums that are a rectangle of an image leave through a tile as those of a matrix do.
// CHECK-LABEL: func.func @rectangle
// CHECK: %[[T:[0-9]+]] = tile.alloc : memref<128x64xbf16, #tile.shared>
// CHECK: tile.copy %{{[0-9]+}}, %[[T]] {instruction = #tile.transfer<sync, bytes = {{[0-9]+}}>} : memref<128x64xf32, #tile.fragment>, memref<128x64xbf16, #tile.shared>
// CHECK-NEXT: %[[BOX:.*]] = tile.reshape %[[T]] : memref<128x64xbf16, #tile.shared> to memref<8x16x64xbf16, #tile.shared>
// CHECK-NEXT: tile.copy %[[BOX]], %{{.*}}[3, %{{.*}} * 8, %{{.*}} * 16, 0] [1, 8, 16, 64] {instruction = #tile.transfer<tma>} : memref<8x16x64xbf16, #tile.shared>, memref<4x20x40x64xbf16>
// SM80-LABEL: func.func @rectangle
// SM80-NOT: tma
// SM80: tile.copy %{{.*}} : memref<8x16x64xf32, #tile.fragment>, memref<4x20x40x64xbf16>
func.func @rectangle(%r: memref<4x20x40x64xbf16>) {
  tile.kernel (%x, %y) in (3, 3) threads(128) {
    %a = tile.alloc : !a
    %b = tile.alloc : !b
    %c = tile.alloc : !c
    tile.gemm %a, %b, %c {clear} : !a, !b, !c
    %box = tile.reshape %c : !c to !box
    tile.copy %box, %r[3, %y * 8, %x * 16, 0] [1, 8, 16, 64] : !box, memref<4x20x40x64xbf16>
  }
  return
}

// Rows that are no multiple of 16 bytes: what was tried leaves nothing behind, or the threads write whole rows.
// CHECK-LABEL: func.func @unaligned
// CHECK-NOT: #tile.transfer<tma>
// CHECK: return
func.func @unaligned(%r: memref<4x20x40x63xbf16>) {
  tile.kernel (%x, %y) in (3, 3) threads(128) {
    %a = tile.alloc : !a
    %b = tile.alloc : !b
    %c = tile.alloc : !c
    tile.gemm %a, %b, %c {clear} : !a, !b, !c
    %box = tile.reshape %c : !c to !box
    tile.copy %box, %r[3, %y * 8, %x * 16, 0] [1, 8, 16, 64] : !box, memref<4x20x40x63xbf16>
  }
  return
}
