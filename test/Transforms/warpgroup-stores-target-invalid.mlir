// RUN: tile-opt %s --tile-set-target=chip=sm_80 --tile-verify-schedule --verify-diagnostics

func.func @barrier() {
  tile.kernel (%p) in (4) threads(256) {
    tile.warp_specialize producer {
    } consumer {
      // expected-error @below {{expected a target with warpgroups and tensor copies}}
      tile.barrier {tile.warpgroups}
    }
  }
  return
}
