// RUN: tile-opt %s --tile-set-target=chip=sm_80 --tile-verify-schedule --verify-diagnostics

func.func @consumers() {
  tile.kernel (%p) in (4) threads(128) {
    // expected-error @below {{expected a target with warpgroups and tensor copies}}
    tile.warp_specialize attributes {tile.consumers = 2 : i64} producer {
    } consumer {
    }
  }
  return
}
