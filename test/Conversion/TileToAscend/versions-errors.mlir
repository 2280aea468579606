// RUN: tile-opt-plain %s --split-input-file --verify-diagnostics --convert-tile-to-ascend

module attributes {tile.target = #tile.target<"910B">} {
  func.func @versions(%x: memref<?xf32>) {
    // expected-error @below {{expected a kernel without versions on an Ascend chip; leave 'facts' and all but one version out}}
    tile.kernel (%b) in (1) attributes {facts = []} {
    }
    return
  }
}
