// RUN: tile-opt %s --tile-set-target=chip=sm_90a --convert-tile-to-simt --verify-diagnostics

// Warps of both teams would meet in the same bytes.
#f = #tile.layout<[64: 32 reg*2, 2 warp*2][64: 2 warp, 32 lane, 1 reg]>
#c = #tile.layout<[64: 32 reg*1, 2 warp*2] rep(2 warp, 32 lane)>
func.func @exchange(%g: f32) {
  tile.kernel (%p) in (4) threads(128) {
    %f = tile.alloc {layout = #f} : memref<64x64xf32, #tile.fragment>
    %sum = tile.alloc {layout = #c} : memref<64xf32, #tile.fragment>
    tile.warp_specialize attributes {tile.consumers = 2 : i64} producer {
    } consumer {
      // expected-error @below {{'tile.team' op expected no exchanges between threads through shared memory}}
      tile.team {
        tile.fill %f, %g : memref<64x64xf32, #tile.fragment>
        // expected-note @below {{it is here}}
        tile.reduce sum %f, %sum dim(1) : memref<64x64xf32, #tile.fragment>, memref<64xf32, #tile.fragment>
      }
      tile.team {
      }
    }
  }
  return
}
