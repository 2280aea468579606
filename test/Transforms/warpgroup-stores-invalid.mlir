// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-verify-schedule --split-input-file --verify-diagnostics

#rows = #tile.layout<[128: 2 warp*4, 4 warp, 2 reg*2, 8 lane*4][64: 8 reg*4, 4 lane, 2 reg]>
#tile = #tile.layout<[128: 128 offset*64][64: 64 offset] swizzle(3, 3, 3)>
!tile = memref<128x64xbf16, #tile.shared>
!sums = memref<128x64xf32, #tile.fragment>
!c = memref<1024x1024xbf16>

// A barrier of each warpgroup is not enough where another copy reads all rows.
func.func @read_by_all(%c: !c, %f: f32) {
  tile.kernel (%p) in (4) threads(256) {
    %s = tile.alloc {layout = #tile} : !tile
    %sums = tile.alloc {layout = #rows} : !sums
    tile.warp_specialize producer {
    } consumer {
      tile.fill %sums, %f : !sums
      // expected-note @below {{the first access is here}}
      tile.copy %sums, %s {tile.warpgroups} : !sums, !tile
      tile.barrier async {tile.warpgroups}
      // expected-error @below {{expected 'tile.barrier async' between the write of 'tile.copy' and the read of 'tile.copy'}}
      tile.copy %s, %c[0, 0] {instruction = #tile.transfer<tma>} : !tile, !c
    }
  }
  return
}

// -----

#rows = #tile.layout<[128: 2 warp*4, 4 warp, 2 reg*2, 8 lane*4][64: 8 reg*4, 4 lane, 2 reg]>
#tile = #tile.layout<[128: 128 offset*64][64: 64 offset] swizzle(3, 3, 3)>
!tile = memref<128x64xbf16, #tile.shared>
!sums = memref<128x64xf32, #tile.fragment>
!c = memref<1024x1024xbf16>

// The engine reads what threads wrote, through another path.
func.func @no_fence(%c: !c, %f: f32) {
  tile.kernel (%p) in (4) threads(256) {
    %s = tile.alloc {layout = #tile} : !tile
    %sums = tile.alloc {layout = #rows} : !sums
    tile.warp_specialize producer {
    } consumer {
      tile.fill %sums, %f : !sums
      // expected-note @below {{the first access is here}}
      tile.copy %sums, %s {tile.warpgroups} : !sums, !tile
      tile.barrier {tile.warpgroups}
      // expected-error @below {{expected 'tile.barrier async' between the write of 'tile.copy' and the read of 'tile.copy'}}
      tile.copy %s, %c[0, 0] {instruction = #tile.transfer<tma>, tile.warpgroups} : !tile, !c
    }
  }
  return
}

// -----

#rows = #tile.layout<[128: 2 warp*4, 4 warp, 2 reg*2, 8 lane*4][64: 8 reg*4, 4 lane, 2 reg]>
#tile = #tile.layout<[128: 128 offset*64][64: 64 offset] swizzle(3, 3, 3)>
!tile = memref<128x64xbf16, #tile.shared>
!sums = memref<128x64xf32, #tile.fragment>
!c = memref<1024x1024xbf16>

// A warpgroup may still store what it overwrites; and no number of stores is known to each.
func.func @overwritten(%c: !c, %f: f32) {
  tile.kernel (%p) in (4) threads(256) {
    %s = tile.alloc {layout = #tile} : !tile
    %sums = tile.alloc {layout = #rows} : !sums
    tile.warp_specialize producer {
    } consumer {
      tile.persistent (%x, %y) in (8, 16) {
        tile.fill %sums, %f : !sums
        tile.store_wait pending(1)
        tile.barrier {tile.warpgroups}
        // expected-error @below {{expected 'tile.store_wait' and 'tile.barrier' between the read of 'tile.copy' and the write of 'tile.copy' in a later iteration}}
        tile.copy %sums, %s {tile.warpgroups} : !sums, !tile
        tile.barrier async {tile.warpgroups}
        // expected-note @below {{the first access is here}}
        tile.copy %s, %c[%x * 128, %y * 64] {instruction = #tile.transfer<tma>, tile.warpgroups} : !tile, !c
      }
    }
  }
  return
}

// -----

#columns = #tile.layout<[128: 2 reg*32, 4 warp, 2 reg*2, 8 lane*4][64: 2 warp*4, 4 reg*4, 4 lane, 2 reg]>
!tile = memref<128x64xbf16, #tile.shared>
!sums = memref<128x64xf32, #tile.fragment>
func.func @columns(%f: f32) {
  tile.kernel (%p) in (4) threads(256) {
    %s = tile.alloc : !tile
    %sums = tile.alloc {layout = #columns} : !sums
    tile.warp_specialize producer {
    } consumer {
      // expected-error @below {{cannot be done by each warpgroup: expected each of the 2 warpgroups to have rows of the tile for itself, got [128: 2 reg*32, 4 warp, 2 reg*2, 8 lane*4][64: 2 warp*4, 4 reg*4, 4 lane, 2 reg]}}
      tile.copy %sums, %s {tile.warpgroups} : !sums, !tile
    }
  }
  return
}

// -----

!tile = memref<128x64xbf16, #tile.shared>
func.func @loaded(%c: memref<128x64xbf16>) {
  tile.kernel (%p) in (4) threads(256) {
    %s = tile.alloc : !tile
    tile.warp_specialize producer {
    } consumer {
      // expected-error @below {{cannot be done by each warpgroup: expected a copy of a whole fragment to a shared tile}}
      tile.copy %c, %s {tile.warpgroups} : memref<128x64xbf16>, !tile
    }
  }
  return
}

// -----

#rows = #tile.layout<[64: 4 warp, 2 reg*2, 8 lane*4][64: 8 reg*4, 4 lane, 2 reg]>
!tile = memref<64x64xbf16, #tile.shared>
!sums = memref<64x64xf32, #tile.fragment>
func.func @one_group(%f: f32) {
  tile.kernel (%p) in (4) threads(128) {
    %s = tile.alloc : !tile
    %sums = tile.alloc {layout = #rows} : !sums
    tile.warp_specialize producer {
    } consumer {
      // expected-error @below {{cannot be done by each warpgroup: expected two or more warpgroups of 128 threads, got 128 threads}}
      tile.copy %sums, %s {tile.warpgroups} : !sums, !tile
    }
  }
  return
}

// -----

!tile = memref<8x64xbf16, #tile.shared>
func.func @few_rows(%c: memref<8x64xbf16>) {
  tile.kernel (%p) in (4) threads(256) {
    %s = tile.alloc {layout = #tile.layout<[8: 8 offset*64][64: 64 offset] swizzle(3, 3, 3)>} : !tile
    tile.warp_specialize producer {
    } consumer {
      // expected-error @below {{cannot be done by each warpgroup: expected a multiple of 16 rows that one box holds, got 8}}
      tile.copy %s, %c {instruction = #tile.transfer<tma>, tile.warpgroups} : !tile, memref<8x64xbf16>
    }
  }
  return
}

// -----

!tile = memref<128x64xbf16, #tile.shared>
func.func @no_layout(%c: memref<128x64xbf16>) {
  tile.kernel (%p) in (4) threads(256) {
    %s = tile.alloc : !tile
    tile.warp_specialize producer {
    } consumer {
      // expected-error @below {{cannot be done by each warpgroup: expected a layout of the shared tile}}
      tile.copy %s, %c {instruction = #tile.transfer<tma>, tile.warpgroups} : !tile, memref<128x64xbf16>
    }
  }
  return
}

// -----

func.func @view(%c: memref<128x64xbf16>) {
  tile.kernel (%p) in (4) threads(256) {
    %s = tile.alloc : memref<2x128x64xbf16, #tile.shared>
    %zero = arith.constant 0 : index
    %t = tile.stage %s[%zero] : memref<2x128x64xbf16, #tile.shared> to memref<128x64xbf16, #tile.shared>
    tile.warp_specialize producer {
    } consumer {
      // expected-error @below {{cannot be done by each warpgroup: expected the store of a whole shared tile}}
      tile.copy %t, %c {instruction = #tile.transfer<tma>, tile.warpgroups} : memref<128x64xbf16, #tile.shared>, memref<128x64xbf16>
    }
  }
  return
}
