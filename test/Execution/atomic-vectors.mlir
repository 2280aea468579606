// Sums of tiles that several blocks update at once, from registers and from shared memory, with rows past the end: vectors of
// two and four elements where there are instructions for them.

// REQUIRES: tile-run, nvidia
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run --target=cuda --device=model --chip=sm_90a %s | FileCheck %s
// RUN: tile-run --target=cuda --device=model --chip=sm_80 %s | FileCheck %s
// CHECK: {{^}}8 passed, 0 failed{{$}}

// Sums of small integers do not depend on the order.
func.func @registers(%x: memref<?x48xf32> {tile.shape = "Nx48", tile.init = "integers(-9,9)"},
                     %y: memref<?x48xf32> {tile.shape = "Nx48", tile.init = "integers(-9,9)", tile.result})
    attributes {tile.reference = @reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["N=32", "N=67", "N=1", "N=0"]} {
  tile.kernel (%b, %z) in (ceildiv(dim(%x, 0), 16), 3) threads(64) {
    %f = tile.alloc : memref<16x48xf32, #tile.fragment>
    tile.copy %x[%b * 16, 0], %f
    tile.atomic add %f, %y[%b * 16, 0]
  }
  return
}

func.func @shared(%x: memref<?x48xf32> {tile.shape = "Nx48", tile.init = "integers(-9,9)"},
                  %y: memref<?x48xf32> {tile.shape = "Nx48", tile.init = "integers(-9,9)", tile.result})
    attributes {tile.reference = @reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["N=32", "N=67", "N=1", "N=0"]} {
  tile.kernel (%b, %z) in (ceildiv(dim(%x, 0), 16), 3) threads(64) {
    %s = tile.alloc : memref<16x48xf32, #tile.shared>
    tile.copy %x[%b * 16, 0], %s
    tile.atomic add %s, %y[%b * 16, 0]
  }
  return
}

func.func @reference(%x: memref<?x48xf32>, %y: memref<?x48xf32>) {
  %c0 = arith.constant 0 : index
  %three = arith.constant 3.0 : f32
  %n = memref.dim %x, %c0 : memref<?x48xf32>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 48 {
      %a = affine.load %x[%i, %j] : memref<?x48xf32>
      %b = affine.load %y[%i, %j] : memref<?x48xf32>
      %sum = math.fma %a, %three, %b : f32
      affine.store %sum, %y[%i, %j] : memref<?x48xf32>
    }
  }
  return
}
