// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-select-instructions | FileCheck %s
// RUN: tile-opt %s --tile-set-target=chip=sm_80 --tile-select-instructions | FileCheck %s --check-prefix=SM80
// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-select-instructions=async=false | FileCheck %s --check-prefix=SM80
// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-select-instructions --remarks-filter='tile-select-instructions' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

!a = memref<128x64xf16, #tile.shared>
!b = memref<64x128xf16, #tile.shared>
!c = memref<128x128xf32, #tile.fragment>
!half = memref<128x128xbf16, #tile.fragment>

// Sums leave through a tile of the type of the result, in fragments of their
// own type or of another; coordinates stay.
// CHECK-LABEL: func.func @sums
// CHECK-COUNT-2: tile.alloc : memref<128x128xbf16, #tile.shared>
// CHECK: tile.copy %[[C:[0-9]+]], %[[T:[0-9]+]] {instruction = #tile.transfer<sync, bytes = {{[0-9]+}}>} : memref<128x128xf32, #tile.fragment>, memref<128x128xbf16, #tile.shared>
// CHECK-NEXT: tile.copy %[[T]], %{{.*}}[1, %{{.*}} * 128, %{{.*}} * 128] {instruction = #tile.transfer<tma>} : memref<128x128xbf16, #tile.shared>, memref<4x1000x1000xbf16>
// CHECK-NEXT: tile.copy %[[C]], %{{.*}} : memref<128x128xf32, #tile.fragment>, memref<128x128xbf16, #tile.fragment>
// CHECK: tile.copy %{{[0-9]+}}, %[[U:[0-9]+]] {{.*}} : memref<128x128xbf16, #tile.fragment>, memref<128x128xbf16, #tile.shared>
// CHECK-NEXT: tile.copy %[[U]], %{{.*}} {instruction = #tile.transfer<tma>}
// SM80-NOT: #tile.transfer<tma>
// REMARK: [Passed] StagedStore | Category:tile-select-instructions | Remark="stmatrix and tma"
// REMARK: [Passed] StagedStore
func.func @sums(%r: memref<4x1000x1000xbf16>, %s: memref<4x1000x1000xbf16>) {
  tile.kernel (%x, %y) in (8, 8) threads(128) {
    %a = tile.alloc : !a
    %b = tile.alloc : !b
    %c = tile.alloc : !c
    %half = tile.alloc : !half
    tile.gemm %a, %b, %c {clear} : !a, !b, !c
    tile.copy %c, %r[1, %y * 128, %x * 128] : !c, memref<4x1000x1000xbf16>
    tile.copy %c, %half : !c, !half
    tile.copy %half, %s[1, %y * 128, %x * 128] : !half, memref<4x1000x1000xbf16>
  }
  return
}

// What stays as it is: elements that are no sums, f32, a hint, a loop.
// CHECK-LABEL: func.func @others
// CHECK-NOT: #tile.transfer<tma>
// CHECK: return
func.func @others(%x: memref<128x128xbf16>, %y: memref<128x128xf32>, %z: memref<128x128xbf16>, %w: memref<128x128xbf16>) {
  tile.kernel (%i) in (1) threads(128) {
    %a = tile.alloc : !a
    %b = tile.alloc : !b
    %c = tile.alloc : !c
    %half = tile.alloc : !half
    tile.gemm %a, %b, %c {clear} : !a, !b, !c
    tile.copy %half, %x : !half, memref<128x128xbf16>
    tile.copy %c, %y : !c, memref<128x128xf32>
    tile.copy %c, %z prefer(sync) : !c, memref<128x128xbf16>
    tile.pipelined %k = 0 to 2 {
      tile.copy %c, %w : !c, memref<128x128xbf16>
    }
  }
  return
}

// Rows that begin anywhere leave through a tile, too, by the threads; where rows are aligned, engines alone are worth it.
// CHECK-LABEL: func.func @refused
// CHECK-NOT: #tile.transfer<tma>
// CHECK: tile.copy %{{.*}}, %[[T:.*]] {instruction = #tile.transfer<sync, bytes = 8>} : memref<128x128xf32, #tile.fragment>, memref<128x128xbf16, #tile.shared>
// CHECK-NEXT: tile.copy %[[T]], %{{.*}}[0, 0] {instruction = #tile.transfer<sync, bytes = 2>} : memref<128x128xbf16, #tile.shared>, memref<128x129xbf16>
// CHECK-NEXT: tile.copy %{{.*}} : memref<128x128xf32, #tile.fragment>, memref<128x128xbf16>
// CHECK-NOT: #tile.transfer<tma>
// CHECK: return
// REMARK: [Passed] StagedStore | {{.*}}"stmatrix and rows of threads, no tma: expected rows of a multiple of 16 bytes, got an extent that is not known to be a multiple of 8; say so with 'tile.assume'"
// REMARK: [Missed] StagedStore | {{.*}}expected the only use of the target in the kernel
func.func @refused(%odd: memref<128x129xbf16>, %used: memref<128x128xbf16>) {
  tile.kernel (%i) in (1) threads(128) {
    %a = tile.alloc : !a
    %b = tile.alloc : !b
    %c = tile.alloc : !c
    %half = tile.alloc : !half
    tile.copy %used, %half : memref<128x128xbf16>, !half
    tile.gemm %a, %b, %c {clear} : !a, !b, !c
    tile.copy %c, %odd[0, 0] : !c, memref<128x129xbf16>
    tile.copy %c, %used : !c, memref<128x128xbf16>
  }
  return
}

// Two stages of 96 KiB leave no room.
// CHECK-LABEL: func.func @full
// CHECK-NOT: memref<128x128xbf16, #tile.shared>
// CHECK: return
// REMARK: [Missed] StagedStore | {{.*}}expected room for 32768 bytes of shared memory in addition to {{[0-9]+}}, got 232448
// REMARK-NOT: StagedStore
func.func @full(%x: memref<1024x384xf16>, %r: memref<128x128xbf16>) {
  tile.kernel (%i) in (1) threads(128) {
    %big = tile.alloc : memref<128x384xf16, #tile.shared>
    %a = tile.alloc : !a
    %c = tile.alloc : !c
    tile.pipelined %k = 0 to 8 stages(2) {
      tile.copy %x[%k * 128, 0], %big : memref<1024x384xf16>, memref<128x384xf16, #tile.shared>
      tile.gemm %a, %a, %c {transpose_b} : !a, !a, !c
    }
    tile.copy %c, %r : !c, memref<128x128xbf16>
  }
  return
}
