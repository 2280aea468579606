// Many candidates of tile.topk with infinities, NaNs, extremes and zeros of both signs among them, and nearly all of a row: values to
// the bit, and positions, are those of the CPU.
//
// REQUIRES: tile-run, nvidia, amd
// RUN: tile-run --no-notes --target=cuda --chip=sm_90a --device=model --check=cpu --func=specials %s | FileCheck %s
// RUN: tile-run --no-notes --target=hip --chip=gfx942 --device=model --check=cpu --func=nearly_all %s | FileCheck %s
// CHECK: 1 passed, 0 failed

func.func @specials(%x: memref<2500xf32> {tile.init = "integers(-6,6)"}, %v: memref<600xf32> {tile.result}, %p: memref<600xi32> {tile.result}, %bits: memref<600xi32> {tile.result}) attributes {tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%b) in (1) threads(128) {
    %part = tile.alloc : memref<2500xf32, #tile.shared>
    %best = tile.alloc : memref<600xf32, #tile.shared>
    %at = tile.alloc : memref<600xi32, #tile.shared>
    tile.copy %x, %part
    // 6 is +inf, 5 NaN, 4 the largest float, 3 the smallest one, -5 -0, -6 -inf; the rest are themselves.
    tile.parallel (%i) in (2500) {
      %e = memref.load %part[%i] : memref<2500xf32, #tile.shared>
      %inf = arith.constant 0x7F800000 : f32
      %ninf = arith.constant 0xFF800000 : f32
      %nan = arith.constant 0x7FC00001 : f32
      %max = arith.constant 3.40282347E+38 : f32
      %min = arith.constant 0x00000001 : f32
      %nz = arith.constant -0.0 : f32
      %c6 = arith.constant 6.0 : f32
      %c5 = arith.constant 5.0 : f32
      %c4 = arith.constant 4.0 : f32
      %c3 = arith.constant 3.0 : f32
      %n5 = arith.constant -5.0 : f32
      %n6 = arith.constant -6.0 : f32
      %q6 = arith.cmpf oeq, %e, %c6 : f32
      %q5 = arith.cmpf oeq, %e, %c5 : f32
      %q4 = arith.cmpf oeq, %e, %c4 : f32
      %q3 = arith.cmpf oeq, %e, %c3 : f32
      %r5 = arith.cmpf oeq, %e, %n5 : f32
      %r6 = arith.cmpf oeq, %e, %n6 : f32
      %a = arith.select %q6, %inf, %e : f32
      %c = arith.select %q5, %nan, %a : f32
      %d = arith.select %q4, %max, %c : f32
      %f = arith.select %q3, %min, %d : f32
      %g = arith.select %r5, %nz, %f : f32
      %h = arith.select %r6, %ninf, %g : f32
      memref.store %h, %part[%i] : memref<2500xf32, #tile.shared>
    }
    tile.topk %part, %best, %at
    tile.copy %best, %v
    tile.copy %at, %p
    tile.parallel (%i) in (600) {
      %e = memref.load %best[%i] : memref<600xf32, #tile.shared>
      %w = arith.bitcast %e : f32 to i32
      memref.store %w, %bits[%i] : memref<600xi32>
    }
  }
  return
}

func.func @nearly_all(%x: memref<1300xf32> {tile.init = "integers(-6,6)"}, %v: memref<1250xf32> {tile.result}, %p: memref<1250xi32> {tile.result}, %bits: memref<1250xi32> {tile.result}) attributes {tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%b) in (1) threads(128) {
    %part = tile.alloc : memref<1300xf32, #tile.shared>
    %best = tile.alloc : memref<1250xf32, #tile.shared>
    %at = tile.alloc : memref<1250xi32, #tile.shared>
    tile.copy %x, %part
    // 6 is +inf, 5 NaN, 4 the largest float, 3 the smallest one, -5 -0, -6 -inf; the rest are themselves.
    tile.parallel (%i) in (1300) {
      %e = memref.load %part[%i] : memref<1300xf32, #tile.shared>
      %inf = arith.constant 0x7F800000 : f32
      %ninf = arith.constant 0xFF800000 : f32
      %nan = arith.constant 0x7FC00001 : f32
      %max = arith.constant 3.40282347E+38 : f32
      %min = arith.constant 0x00000001 : f32
      %nz = arith.constant -0.0 : f32
      %c6 = arith.constant 6.0 : f32
      %c5 = arith.constant 5.0 : f32
      %c4 = arith.constant 4.0 : f32
      %c3 = arith.constant 3.0 : f32
      %n5 = arith.constant -5.0 : f32
      %n6 = arith.constant -6.0 : f32
      %q6 = arith.cmpf oeq, %e, %c6 : f32
      %q5 = arith.cmpf oeq, %e, %c5 : f32
      %q4 = arith.cmpf oeq, %e, %c4 : f32
      %q3 = arith.cmpf oeq, %e, %c3 : f32
      %r5 = arith.cmpf oeq, %e, %n5 : f32
      %r6 = arith.cmpf oeq, %e, %n6 : f32
      %a = arith.select %q6, %inf, %e : f32
      %c = arith.select %q5, %nan, %a : f32
      %d = arith.select %q4, %max, %c : f32
      %f = arith.select %q3, %min, %d : f32
      %g = arith.select %r5, %nz, %f : f32
      %h = arith.select %r6, %ninf, %g : f32
      memref.store %h, %part[%i] : memref<1300xf32, #tile.shared>
    }
    tile.topk %part, %best, %at
    tile.copy %best, %v
    tile.copy %at, %p
    tile.parallel (%i) in (1250) {
      %e = memref.load %best[%i] : memref<1250xf32, #tile.shared>
      %w = arith.bitcast %e : f32 to i32
      memref.store %w, %bits[%i] : memref<1250xi32>
    }
  }
  return
}
