// Running maxima of rows with NaN and -inf, from both ends: a NaN is passed by, a row that begins with NaN is NaN up to its first
// number.
//
// REQUIRES: tile-run, nvidia, amd
// UNSUPPORTED: sanitizer
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model | FileCheck %s
// CHECK: {{^}}1 passed, 0 failed{{$}}
func.func @maxima(%a: memref<3x100xf32>, %o: memref<3x100xf32> {tile.result}, %r: memref<3x100xf32> {tile.result})
    attributes {tile.reference = @maxima_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%b) in (1) threads(64) {
    %x = tile.alloc : memref<3x100xf32, #tile.fragment>
    tile.parallel (%i, %j) in (3, 100) {
      %s = arith.addi %i, %j : index
      %c7 = arith.constant 7 : index
      %m = arith.remui %s, %c7 : index
      %c0 = arith.constant 0 : index
      %c3 = arith.constant 3 : index
      %nan = arith.constant 0x7FC00000 : f32
      %ninf = arith.constant 0xFF800000 : f32
      %v = memref.load %a[%i, %j] : memref<3x100xf32>
      %is0 = arith.cmpi eq, %m, %c0 : index
      %is3 = arith.cmpi eq, %m, %c3 : index
      %v1 = arith.select %is0, %nan, %v : f32
      %v2 = arith.select %is3, %ninf, %v1 : f32
      memref.store %v2, %x[%i, %j] : memref<3x100xf32, #tile.fragment>
    }
    %y = tile.alloc : memref<3x100xf32, #tile.fragment>
    tile.scan max %x, %y dim(1) : memref<3x100xf32, #tile.fragment>, memref<3x100xf32, #tile.fragment>
    tile.copy %y, %o : memref<3x100xf32, #tile.fragment>, memref<3x100xf32>
    tile.scan max %x, %y dim(1) {reverse} : memref<3x100xf32, #tile.fragment>, memref<3x100xf32, #tile.fragment>
    tile.copy %y, %r : memref<3x100xf32, #tile.fragment>, memref<3x100xf32>
  }
  return
}
func.func @maxima_reference(%a: memref<3x100xf32>, %o: memref<3x100xf32>, %r: memref<3x100xf32>) {
  %nan = arith.constant 0x7FC00000 : f32
  %ninf = arith.constant 0xFF800000 : f32
  affine.for %i = 0 to 3 {
    affine.for %j = 0 to 100 {
      affine.for %way = 0 to 2 {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c3 = arith.constant 3 : index
        %c7 = arith.constant 7 : index
        %c100 = arith.constant 100 : index
        %back = arith.cmpi eq, %way, %c1 : index
        %j1 = arith.addi %j, %c1 : index
        %from = arith.select %back, %j, %c0 : index
        %to = arith.select %back, %c100, %j1 : index
        %m = scf.for %k = %from to %to step %c1 iter_args(%acc = %nan) -> f32 {
          %s = arith.addi %i, %k : index
          %q = arith.remui %s, %c7 : index
          %v = memref.load %a[%i, %k] : memref<3x100xf32>
          %is0 = arith.cmpi eq, %q, %c0 : index
          %is3 = arith.cmpi eq, %q, %c3 : index
          %v1 = arith.select %is0, %nan, %v : f32
          %v2 = arith.select %is3, %ninf, %v1 : f32
          %n = arith.maxnumf %acc, %v2 : f32
          scf.yield %n : f32
        }
        scf.if %back {
          memref.store %m, %r[%i, %j] : memref<3x100xf32>
        } else {
          memref.store %m, %o[%i, %j] : memref<3x100xf32>
        }
      }
    }
  }
  return
}
