// A buffer without dimensions has no stride that could be 1: its accesses are no vectors. The compiler read past the strides where a thread
// has several elements.

// REQUIRES: tile-run, nvidia, amd
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model | FileCheck %s
// CHECK: 2 passed, 0 failed

func.func @largest(%x: memref<37x53xf32> {tile.shape = "37x53"}, %scale: memref<f32>, %y: memref<f32> {tile.result})
    attributes {tile.reference = @largest_reference, tile.cases = ["", ""], tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%b) in (1) {
    %m = tile.alloc : memref<1xf32, #tile.fragment>
    %t = tile.alloc : memref<1x2048xf32, #tile.fragment>
    tile.parallel (%i, %j) in (1, 2048) {
      %c1961 = arith.constant 1961 : index
      %lowest = arith.constant 0xFF800000 : f32
      %inside = arith.cmpi ult, %j, %c1961 : index
      %row = affine.apply affine_map<(d) -> (d floordiv 53)>(%j)
      %column = affine.apply affine_map<(d) -> (d mod 53)>(%j)
      %v = memref.load %scale[] : memref<f32>
      %s = scf.if %inside -> f32 {
        %e = memref.load %x[%row, %column] : memref<37x53xf32>
        %p = arith.mulf %e, %v : f32
        scf.yield %p : f32
      } else {
        scf.yield %lowest : f32
      }
      memref.store %s, %t[%i, %j] : memref<1x2048xf32, #tile.fragment>
    }
    tile.reduce max %t, %m dim(1) {propagate_nan} : memref<1x2048xf32, #tile.fragment>, memref<1xf32, #tile.fragment>
    tile.parallel (%i) in (1) {
      %v = memref.load %m[%i] : memref<1xf32, #tile.fragment>
      memref.store %v, %y[] : memref<f32>
    }
  }
  return
}

func.func @largest_reference(%x: memref<37x53xf32>, %scale: memref<f32>, %y: memref<f32>) {
  %lowest = arith.constant 0xFF800000 : f32
  %s = memref.load %scale[] : memref<f32>
  %m = affine.for %i = 0 to 37 iter_args(%a = %lowest) -> f32 {
    %n = affine.for %j = 0 to 53 iter_args(%b = %a) -> f32 {
      %e = affine.load %x[%i, %j] : memref<37x53xf32>
      %p = arith.mulf %e, %s : f32
      %c = arith.maximumf %b, %p : f32
      affine.yield %c : f32
    }
    affine.yield %n : f32
  }
  memref.store %m, %y[] : memref<f32>
  return
}
