// Defaults follow the matrix instructions of the chip: what is bound goes first, then the last family that the chip has.
// RUN: tile-opt %s --tile-bind-parameters | FileCheck %s --check-prefix=PLAIN
// RUN: tile-opt %s --tile-set-target='chip=sm_80' --tile-bind-parameters | FileCheck %s --check-prefix=MMA
// RUN: tile-opt %s --tile-set-target='chip=sm_90a' --tile-bind-parameters | FileCheck %s --check-prefix=WGMMA
// RUN: tile-opt %s --tile-set-target='chip=gfx942' --tile-bind-parameters | FileCheck %s --check-prefix=MFMA
// RUN: tile-opt %s --tile-set-target='chip=generic' --tile-bind-parameters | FileCheck %s --check-prefix=PLAIN
// RUN: tile-opt %s --tile-set-target='chip=sm_90a' --tile-bind-parameters='bindings=columns=64' | FileCheck %s --check-prefix=BOUND

tile.param @columns = 128 in [32, 64, 128, 256] on(mma = 64, wgmma = 256, mfma = 32)

// PLAIN-LABEL: func.func @fill
// MMA-LABEL:   func.func @fill
// WGMMA-LABEL: func.func @fill
// MFMA-LABEL:  func.func @fill
// BOUND-LABEL: func.func @fill
func.func @fill(%a: memref<?xf32>) {
  tile.kernel (%b) in (ceildiv(dim(%a, 0), @columns)) {
    // PLAIN: tile.alloc : memref<128xf32, #tile.shared>
    // MMA:   tile.alloc : memref<64xf32, #tile.shared>
    // WGMMA: tile.alloc : memref<256xf32, #tile.shared>
    // MFMA:  tile.alloc : memref<32xf32, #tile.shared>
    // BOUND: tile.alloc : memref<64xf32, #tile.shared>
    %t = tile.alloc(@columns) : memref<?xf32, #tile.shared>
    tile.fill %t, 0.0
    tile.copy %t, %a[%b * @columns]
  }
  return
}
