// A tile that is used behind a loop lies where the stages were: with two of them, both do not fit. Loops of no iteration, one, and more.

// REQUIRES: tile-run, nvidia
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: env TILE_SIMT_SEED=1 tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// CHECK: {{^}}4 passed, 0 failed{{$}}

// RUN: tile-translate %s --tile-to-ptx --chip=sm_90a -o /dev/null --remarks-filter='tile-(persistent|schedule|plan-shared)' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK
// REMARK: [Missed] Persistent | {{.*}} | Reason="two stages fit only if tiles behind the loops lie in their place"
// REMARK-NOT: [Missed] Stages
// REMARK: [Passed] Arena | Category:tile-plan-shared | buffers=237616, bytes=172080

// Without the barrier that lets all read the last stage, or any other, the model sees a race.
// RUN: env TILE_SIMT_MUTATE=1 tile-run %s --func=behind M=64 T=2 --target=cuda --chip=sm_90a --device=model \
// RUN:   | FileCheck %s --check-prefix=MUTATE
// MUTATE: 0 missed

func.func @behind(%a: memref<128x384xf16>, %b: memref<384x256xf16>, %p: memref<128x64xf16>, %trips: memref<?xi8> {tile.shape = "T"},
                  %y: memref<?x256xf32> {tile.shape = "Mx256", tile.result})
    attributes {tile.reference = @behind_reference, tile.atol = 6.0e-3, tile.rtol = 1.0e-3,
                tile.cases = ["M=64 T=0", "M=64 T=1", "M=128 T=2", "M=128 T=3"]} {
  %c0 = arith.constant 0 : index
  %count = memref.dim %trips, %c0 : memref<?xi8>
  %zero = arith.constant 0.0 : f32
  tile.kernel (%m) in (ceildiv(dim(%y, 0), 64)) threads(128) {
    %ps = tile.alloc : memref<64x64xf16, #tile.shared>
    %as = tile.alloc : memref<64x128xf16, #tile.shared>
    %bs = tile.alloc : memref<128x256xf16, #tile.shared>
    %e = tile.alloc : memref<64x256xf32, #tile.shared>
    %acc = tile.alloc : memref<64x256xf32, #tile.fragment>
    tile.copy %p[%m * 64, 0], %ps
    tile.fill %acc, %zero : memref<64x256xf32, #tile.fragment>
    tile.pipelined %k = 0 to %count stages(2) {
      tile.copy %a[%m * 64, %k * 128], %as
      tile.copy %b[%k * 128, 0], %bs
      tile.gemm %as, %bs, %acc
      tile.parallel (%i, %j) in (64, 256) {
        %old = memref.load %acc[%i, %j] : memref<64x256xf32, #tile.fragment>
        %column = affine.apply affine_map<(j) -> (j mod 64)>(%j)
        %v = memref.load %ps[%i, %column] : memref<64x64xf16, #tile.shared>
        %w = arith.extf %v : f16 to f32
        %new = arith.addf %old, %w : f32
        memref.store %new, %acc[%i, %j] : memref<64x256xf32, #tile.fragment>
      }
    }
    tile.copy %acc, %e
    tile.copy %e, %y[%m * 64, 0]
  }
  return
}

func.func @behind_reference(%a: memref<128x384xf16>, %b: memref<384x256xf16>, %p: memref<128x64xf16>, %trips: memref<?xi8>,
                            %y: memref<?x256xf32>) {
  %c0 = arith.constant 0 : index
  %count = memref.dim %trips, %c0 : memref<?xi8>
  %rows = memref.dim %y, %c0 : memref<?x256xf32>
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to %rows {
    affine.for %j = 0 to 256 {
      %sum = affine.for %t = 0 to %count iter_args(%s = %zero) -> f32 {
        %v = affine.load %p[%i, %j mod 64] : memref<128x64xf16>
        %w = arith.extf %v : f16 to f32
        %first = arith.addf %s, %w : f32
        %part = affine.for %k = 0 to 128 iter_args(%q = %first) -> f32 {
          %x = affine.load %a[%i, %t * 128 + %k] : memref<128x384xf16>
          %z = affine.load %b[%t * 128 + %k, %j] : memref<384x256xf16>
          %xf = arith.extf %x : f16 to f32
          %zf = arith.extf %z : f16 to f32
          %product = arith.mulf %xf, %zf : f32
          %next = arith.addf %q, %product : f32
          affine.yield %next : f32
        }
        affine.yield %part : f32
      }
      affine.store %sum, %y[%i, %j] : memref<?x256xf32>
    }
  }
  return
}
