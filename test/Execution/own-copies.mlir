// Threads that read what they have copied asynchronously themselves wait for their own copies alone, and read weights before the
// blocks of a cluster exchange sums. The model reports what another thread had not yet written.

// REQUIRES: tile-run, nvidia
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: env TILE_SIMT_SEED=3 tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: tile-opt %s --tile-to-gpu-pipeline=chip=sm_90a --remarks-filter='tile-insert-barriers|tile-schedule' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OWN
// CHECK: {{^}}4 passed, 0 failed{{$}}
// OWN: [Passed] EarlyConstants
// OWN: [Passed] OwnCopies
// OWN-NOT: OwnCopies

!x = memref<3x8192xbf16>
!w = memref<8192xbf16>
!row = memref<1x8192xbf16, #tile.shared>
!wide = memref<1x8192xf32, #tile.fragment>
!one = memref<1xf32, #tile.fragment>
func.func @layer_norm(%x: !x, %w: !w, %y: !x {tile.result})
    attributes {tile.reference = @layer_norm_reference, tile.atol = 2.0e-2, tile.rtol = 1.0e-2} {
  %n = arith.constant 8192.0 : f32
  tile.kernel (%b) in (3) threads(128) attributes {tile.spread_rows = 2} {
    %row = tile.alloc : !row
    %square = tile.alloc : !wide
    %total = tile.alloc : !one
    %squares = tile.alloc : !one
    tile.copy %x[%b, 0], %row prefer(cp_async) : !x, !row
    tile.reduce sum %row, %total dim(1) : !row, !one
    tile.parallel (%i, %j) in (1, 8192) do %square[%i, %j] =
      (f32(%row[%i, %j]) - %total[%i] / %n) * (f32(%row[%i, %j]) - %total[%i] / %n)
    tile.reduce sum %square, %squares dim(1) : !wide, !one
    tile.parallel (%i, %j) in (1, 8192) do %y[%b, %j] =
      bf16((f32(%row[%i, %j]) - %total[%i] / %n) * rsqrt(%squares[%i] / %n + 1.0e-5) * f32(%w[%j]))
  }
  return
}
func.func private @layer_norm_reference(%x: !x, %w: !w, %y: !x) {
  %n = arith.constant 8192.0 : f32
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  affine.for %i = 0 to 3 {
    %total = affine.for %j = 0 to 8192 iter_args(%s = %zero) -> f32 {
      %v = affine.load %x[%i, %j] : !x
      %e = arith.extf %v : bf16 to f32
      %t = arith.addf %s, %e : f32
      affine.yield %t : f32
    }
    %mean = arith.divf %total, %n : f32
    %squares = affine.for %j = 0 to 8192 iter_args(%s = %zero) -> f32 {
      %v = affine.load %x[%i, %j] : !x
      %e = arith.extf %v : bf16 to f32
      %d = arith.subf %e, %mean : f32
      %q = arith.mulf %d, %d : f32
      %t = arith.addf %s, %q : f32
      affine.yield %t : f32
    }
    %variance = arith.divf %squares, %n : f32
    %shifted = arith.addf %variance, %eps : f32
    %r = math.rsqrt %shifted : f32
    affine.for %j = 0 to 8192 {
      %v = affine.load %x[%i, %j] : !x
      %e = arith.extf %v : bf16 to f32
      %d = arith.subf %e, %mean : f32
      %g = affine.load %w[%j] : !w
      %f = arith.extf %g : bf16 to f32
      %a = arith.mulf %d, %r : f32
      %o = arith.mulf %a, %f : f32
      %z = arith.truncf %o : f32 to bf16
      affine.store %z, %y[%i, %j] : !x
    }
  }
  return
}

// At tails, other threads copy elements: all wait for all.
!any = memref<?x1000xbf16>
!tile = memref<1x1024xbf16, #tile.shared>
func.func @tails(%x: !any {tile.shape = "Mx1000"}, %y: !any {tile.shape = "Mx1000", tile.result},
                 %z: memref<?x1024xbf16> {tile.shape = "Mx1024", tile.result})
    attributes {tile.reference = @tails_reference, tile.atol = 0.0, tile.rtol = 0.0, tile.cases = ["M=3", "M=1", "M=0"]} {
  tile.kernel (%i) in (dim(%x, 0)) threads(64) {
    %t = tile.alloc : !tile
    tile.copy %x[%i, 0], %t prefer(cp_async) : !any, !tile
    %f = tile.alloc : memref<1x1024xbf16, #tile.fragment>
    tile.copy %t, %f : !tile, memref<1x1024xbf16, #tile.fragment>
    tile.copy %f, %y[%i, 0] : memref<1x1024xbf16, #tile.fragment>, !any
    tile.parallel (%r, %c) in (1, 1024) {
      %last = affine.apply affine_map<(c) -> (1023 - c)>(%c)
      %v = memref.load %t[%r, %last] : !tile
      memref.store %v, %z[%i, %c] : memref<?x1024xbf16>
    }
  }
  return
}
func.func private @tails_reference(%x: !any, %y: !any, %z: memref<?x1024xbf16>) {
  %c0 = arith.constant 0 : index
  %m = memref.dim %x, %c0 : !any
  %zero = arith.constant 0.0 : bf16
  memref.copy %x, %y : !any to !any
  affine.for %i = 0 to %m {
    affine.for %j = 0 to 1000 {
      %v = affine.load %x[%i, %j] : !any
      affine.store %v, %z[%i, 1023 - %j] : memref<?x1024xbf16>
    }
    affine.for %j = 0 to 24 {
      affine.store %zero, %z[%i, %j] : memref<?x1024xbf16>
    }
  }
  return
}
