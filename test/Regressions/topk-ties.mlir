// Long rows with many equal elements, most of them above the lowest that is found: in vectors, more elements of a thread than a word
// has bits; and a length that neither vectors nor threads divide.

// REQUIRES: tile-run, nvidia, amd
// RUN: tile-run --no-notes --target=cuda --chip=sm_90a --device=model --check=cpu --func=vectors --func=tails %s | FileCheck %s
// RUN: tile-run --no-notes --target=hip --chip=gfx942 --device=model --check=cpu --func=vectors --func=tails %s | FileCheck %s
// CHECK: {{^}}2 passed, 0 failed{{$}}

func.func @vectors(%x: memref<8192xbf16>, %v: memref<600xbf16> {tile.result}, %p: memref<600xi32> {tile.result}) {
  tile.kernel (%b) in (1) threads(128) {
    %row = tile.alloc : memref<8192xbf16, #tile.shared>
    %best = tile.alloc : memref<600xbf16, #tile.shared>
    %at = tile.alloc : memref<600xi32, #tile.shared>
    tile.copy %x, %row
    tile.topk %row, %best, %at
    tile.copy %best, %v
    tile.copy %at, %p
  }
  return
}

func.func @tails(%x: memref<5001xf16>, %v: memref<700xf16> {tile.result}, %p: memref<700xi32> {tile.result}) {
  tile.kernel (%b) in (1) threads(128) {
    %row = tile.alloc : memref<5001xf16, #tile.shared>
    %best = tile.alloc : memref<700xf16, #tile.shared>
    %at = tile.alloc : memref<700xi32, #tile.shared>
    tile.copy %x, %row
    // 16 different numbers.
    tile.parallel (%i) in (5001) do %row[%i] = floor(%row[%i] * 4.0)
    tile.topk %row, %best, %at
    tile.copy %best, %v
    tile.copy %at, %p
  }
  return
}
