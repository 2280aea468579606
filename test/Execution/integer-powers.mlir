// Powers of 1 and -1 by integers, which are no floats beyond 2^24 (bf16: 2^8): the sign says whether the exponent is odd. And
// powers of others by products.

// REQUIRES: tile-run, nvidia, amd, ascend
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=910B | FileCheck %s
// RUN: sed 's/xf32/xbf16/g; s/: f32/: bf16/g; s/to f32/to bf16/; s/rtol = 2.0e-6/rtol = 3.90625e-3/' %s > %t.mlir
// RUN: tile-run %t.mlir | FileCheck %s
// RUN: tile-run %t.mlir --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: tile-run %t.mlir --target=ascend --chip=950 | FileCheck %s
// CHECK: {{^}}2 passed, 0 failed{{$}}

func.func @signs(%x: memref<256xi32> {tile.init = "integers(0,1)"}, %n: memref<256xi32> {tile.init = "integers(-2147483647,2147483647)"},
                 %y: memref<256xf32> {tile.result}) attributes {tile.reference = @signs_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  %one = arith.constant 1 : i32
  tile.kernel (%b) in (4) threads(64) {
    tile.parallel (%i) in (64) {
      %p = affine.apply affine_map<(b, i) -> (b * 64 + i)>(%b, %i)
      %word = memref.load %x[%p] : memref<256xi32>
      %e = memref.load %n[%p] : memref<256xi32>
      %twice = arith.addi %word, %word : i32
      %sign = arith.subi %twice, %one : i32
      %v = arith.sitofp %sign : i32 to f32
      %r = math.fpowi %v, %e : f32, i32
      memref.store %r, %y[%p] : memref<256xf32>
    }
  }
  return
}
func.func @signs_reference(%x: memref<256xi32>, %n: memref<256xi32>, %y: memref<256xf32>) {
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  %plus = arith.constant 1.0 : f32
  %minus = arith.constant -1.0 : f32
  affine.for %i = 0 to 256 {
    %word = affine.load %x[%i] : memref<256xi32>
    %e = affine.load %n[%i] : memref<256xi32>
    %rest = arith.remsi %e, %two : i32
    %even = arith.cmpi eq, %rest, %zero : i32
    %positive = arith.cmpi ne, %word, %zero : i32
    %is = arith.ori %even, %positive : i1
    %r = arith.select %is, %plus, %minus : f32
    affine.store %r, %y[%i] : memref<256xf32>
  }
  return
}

func.func @products(%x: memref<256xf32> {tile.init = "uniform(-1.5,1.5)"}, %n: memref<256xi32> {tile.init = "integers(0,12)"},
                    %y: memref<256xf32> {tile.result}) attributes {tile.reference = @products_reference, tile.atol = 1.0e-30, tile.rtol = 2.0e-6} {
  tile.kernel (%b) in (4) threads(64) {
    tile.parallel (%i) in (64) {
      %p = affine.apply affine_map<(b, i) -> (b * 64 + i)>(%b, %i)
      %v = memref.load %x[%p] : memref<256xf32>
      %e = memref.load %n[%p] : memref<256xi32>
      %r = math.fpowi %v, %e : f32, i32
      memref.store %r, %y[%p] : memref<256xf32>
    }
  }
  return
}
func.func @products_reference(%x: memref<256xf32>, %n: memref<256xi32>, %y: memref<256xf32>) {
  %one = arith.constant 1.0 : f64
  %zero = arith.constant 0 : index
  %step = arith.constant 1 : index
  affine.for %i = 0 to 256 {
    %v = affine.load %x[%i] : memref<256xf32>
    %wide = arith.extf %v : f32 to f64
    %e = affine.load %n[%i] : memref<256xi32>
    %count = arith.index_cast %e : i32 to index
    %r = scf.for %k = %zero to %count step %step iter_args(%p = %one) -> f64 {
      %q = arith.mulf %p, %wide : f64
      scf.yield %q : f64
    }
    %narrow = arith.truncf %r : f64 to f32
    affine.store %narrow, %y[%i] : memref<256xf32>
  }
  return
}
