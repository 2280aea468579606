// Powers of 1 and -1 by integers, which are no floats beyond 2^24 (bf16: 2^8): the sign says whether the exponent is odd. And
// powers of others by products. Powers of integers, which wrap, in three widths: what remains of 1 and -1 where the exponent is
// below 0, and 0 of others.

// REQUIRES: tile-run, nvidia, amd, ascend
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=910B | FileCheck %s
// RUN: sed 's/xf32/xbf16/g; s/: f32/: bf16/g; s/to f32/to bf16/; s/rtol = 2.0e-6/rtol = 3.90625e-3/' %s > %t.mlir
// RUN: tile-run %t.mlir | FileCheck %s
// RUN: tile-run %t.mlir --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: tile-run %t.mlir --target=ascend --chip=950 | FileCheck %s
// CHECK: {{^}}5 passed, 0 failed{{$}}

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

func.func @wrapped_8(%x: memref<64xi8> {tile.init = "integers(-128,127)"}, %n: memref<64xi8> {tile.init = "integers(-3,70)"},
                     %y: memref<4x64xi8> {tile.result}) attributes {tile.reference = @wrapped_8_reference} {
  tile.kernel (%b) in (1) threads(64) {
    tile.parallel (%i) in (64) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %odd = arith.constant 1 : i8
      %five = arith.constant 5 : i8
      %p = affine.apply affine_map<(b, i) -> (b * 64 + i)>(%b, %i)
      %v = memref.load %x[%p] : memref<64xi8>
      %e = memref.load %n[%p] : memref<64xi8>
      %near = arith.remsi %v, %five : i8
      %unit = arith.ori %near, %odd : i8
      %r = math.ipowi %v, %e : i8
      %s = math.ipowi %unit, %e : i8
      %t = math.ipowi %v, %five : i8
      %u = math.ipowi %unit, %v : i8
      memref.store %r, %y[%c0, %p] : memref<4x64xi8>
      memref.store %s, %y[%c1, %p] : memref<4x64xi8>
      memref.store %t, %y[%c2, %p] : memref<4x64xi8>
      memref.store %u, %y[%c3, %p] : memref<4x64xi8>
    }
  }
  return
}
func.func private @power_8(%x: i8, %n: i8) -> i8 {
  %zero = arith.constant 0 : i8
  %one = arith.constant 1 : i8
  %two = arith.constant 2 : i8
  %minus = arith.constant -1 : i8
  %r:3 = scf.while (%p = %one, %s = %x, %m = %n) : (i8, i8, i8) -> (i8, i8, i8) {
    %go = arith.cmpi sgt, %m, %zero : i8
    scf.condition(%go) %p, %s, %m : i8, i8, i8
  } do {
  ^bb0(%p: i8, %s: i8, %m: i8):
    %rest = arith.remsi %m, %two : i8
    %is = arith.cmpi eq, %rest, %one : i8
    %q = arith.muli %p, %s : i8
    %next = arith.select %is, %q, %p : i8
    %square = arith.muli %s, %s : i8
    %half = arith.divsi %m, %two : i8
    scf.yield %next, %square, %half : i8, i8, i8
  }
  %low = arith.remsi %n, %two : i8
  %even = arith.cmpi eq, %low, %zero : i8
  %sign = arith.select %even, %one, %minus : i8
  %isOne = arith.cmpi eq, %x, %one : i8
  %isMinus = arith.cmpi eq, %x, %minus : i8
  %a = arith.select %isMinus, %sign, %zero : i8
  %c = arith.select %isOne, %one, %a : i8
  %negative = arith.cmpi slt, %n, %zero : i8
  %v = arith.select %negative, %c, %r#0 : i8
  return %v : i8
}
func.func @wrapped_8_reference(%x: memref<64xi8>, %n: memref<64xi8>, %y: memref<4x64xi8>) {
  %odd = arith.constant 1 : i8
  %five = arith.constant 5 : i8
  affine.for %i = 0 to 64 {
    %v = affine.load %x[%i] : memref<64xi8>
    %e = affine.load %n[%i] : memref<64xi8>
    %near = arith.remsi %v, %five : i8
    %unit = arith.ori %near, %odd : i8
    %r = func.call @power_8(%v, %e) : (i8, i8) -> i8
    %s = func.call @power_8(%unit, %e) : (i8, i8) -> i8
    %t = func.call @power_8(%v, %five) : (i8, i8) -> i8
    %u = func.call @power_8(%unit, %v) : (i8, i8) -> i8
    affine.store %r, %y[0, %i] : memref<4x64xi8>
    affine.store %s, %y[1, %i] : memref<4x64xi8>
    affine.store %t, %y[2, %i] : memref<4x64xi8>
    affine.store %u, %y[3, %i] : memref<4x64xi8>
  }
  return
}

func.func @wrapped_32(%x: memref<64xi32> {tile.init = "integers(-2147483648,2147483647)"}, %n: memref<64xi32> {tile.init = "integers(-3,70)"},
                     %y: memref<4x64xi32> {tile.result}) attributes {tile.reference = @wrapped_32_reference} {
  tile.kernel (%b) in (1) threads(64) {
    tile.parallel (%i) in (64) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %odd = arith.constant 1 : i32
      %five = arith.constant 5 : i32
      %p = affine.apply affine_map<(b, i) -> (b * 64 + i)>(%b, %i)
      %v = memref.load %x[%p] : memref<64xi32>
      %e = memref.load %n[%p] : memref<64xi32>
      %near = arith.remsi %v, %five : i32
      %unit = arith.ori %near, %odd : i32
      %r = math.ipowi %v, %e : i32
      %s = math.ipowi %unit, %e : i32
      %t = math.ipowi %v, %five : i32
      %u = math.ipowi %unit, %v : i32
      memref.store %r, %y[%c0, %p] : memref<4x64xi32>
      memref.store %s, %y[%c1, %p] : memref<4x64xi32>
      memref.store %t, %y[%c2, %p] : memref<4x64xi32>
      memref.store %u, %y[%c3, %p] : memref<4x64xi32>
    }
  }
  return
}
func.func private @power_32(%x: i32, %n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %minus = arith.constant -1 : i32
  %r:3 = scf.while (%p = %one, %s = %x, %m = %n) : (i32, i32, i32) -> (i32, i32, i32) {
    %go = arith.cmpi sgt, %m, %zero : i32
    scf.condition(%go) %p, %s, %m : i32, i32, i32
  } do {
  ^bb0(%p: i32, %s: i32, %m: i32):
    %rest = arith.remsi %m, %two : i32
    %is = arith.cmpi eq, %rest, %one : i32
    %q = arith.muli %p, %s : i32
    %next = arith.select %is, %q, %p : i32
    %square = arith.muli %s, %s : i32
    %half = arith.divsi %m, %two : i32
    scf.yield %next, %square, %half : i32, i32, i32
  }
  %low = arith.remsi %n, %two : i32
  %even = arith.cmpi eq, %low, %zero : i32
  %sign = arith.select %even, %one, %minus : i32
  %isOne = arith.cmpi eq, %x, %one : i32
  %isMinus = arith.cmpi eq, %x, %minus : i32
  %a = arith.select %isMinus, %sign, %zero : i32
  %c = arith.select %isOne, %one, %a : i32
  %negative = arith.cmpi slt, %n, %zero : i32
  %v = arith.select %negative, %c, %r#0 : i32
  return %v : i32
}
func.func @wrapped_32_reference(%x: memref<64xi32>, %n: memref<64xi32>, %y: memref<4x64xi32>) {
  %odd = arith.constant 1 : i32
  %five = arith.constant 5 : i32
  affine.for %i = 0 to 64 {
    %v = affine.load %x[%i] : memref<64xi32>
    %e = affine.load %n[%i] : memref<64xi32>
    %near = arith.remsi %v, %five : i32
    %unit = arith.ori %near, %odd : i32
    %r = func.call @power_32(%v, %e) : (i32, i32) -> i32
    %s = func.call @power_32(%unit, %e) : (i32, i32) -> i32
    %t = func.call @power_32(%v, %five) : (i32, i32) -> i32
    %u = func.call @power_32(%unit, %v) : (i32, i32) -> i32
    affine.store %r, %y[0, %i] : memref<4x64xi32>
    affine.store %s, %y[1, %i] : memref<4x64xi32>
    affine.store %t, %y[2, %i] : memref<4x64xi32>
    affine.store %u, %y[3, %i] : memref<4x64xi32>
  }
  return
}

func.func @wrapped_64(%x: memref<64xi64> {tile.init = "integers(-9223372036854775808,9223372036854775807)"}, %n: memref<64xi64> {tile.init = "integers(-3,70)"},
                     %y: memref<4x64xi64> {tile.result}) attributes {tile.reference = @wrapped_64_reference} {
  tile.kernel (%b) in (1) threads(64) {
    tile.parallel (%i) in (64) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %odd = arith.constant 1 : i64
      %five = arith.constant 5 : i64
      %p = affine.apply affine_map<(b, i) -> (b * 64 + i)>(%b, %i)
      %v = memref.load %x[%p] : memref<64xi64>
      %e = memref.load %n[%p] : memref<64xi64>
      %near = arith.remsi %v, %five : i64
      %unit = arith.ori %near, %odd : i64
      %r = math.ipowi %v, %e : i64
      %s = math.ipowi %unit, %e : i64
      %t = math.ipowi %v, %five : i64
      %u = math.ipowi %unit, %v : i64
      memref.store %r, %y[%c0, %p] : memref<4x64xi64>
      memref.store %s, %y[%c1, %p] : memref<4x64xi64>
      memref.store %t, %y[%c2, %p] : memref<4x64xi64>
      memref.store %u, %y[%c3, %p] : memref<4x64xi64>
    }
  }
  return
}
func.func private @power_64(%x: i64, %n: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %minus = arith.constant -1 : i64
  %r:3 = scf.while (%p = %one, %s = %x, %m = %n) : (i64, i64, i64) -> (i64, i64, i64) {
    %go = arith.cmpi sgt, %m, %zero : i64
    scf.condition(%go) %p, %s, %m : i64, i64, i64
  } do {
  ^bb0(%p: i64, %s: i64, %m: i64):
    %rest = arith.remsi %m, %two : i64
    %is = arith.cmpi eq, %rest, %one : i64
    %q = arith.muli %p, %s : i64
    %next = arith.select %is, %q, %p : i64
    %square = arith.muli %s, %s : i64
    %half = arith.divsi %m, %two : i64
    scf.yield %next, %square, %half : i64, i64, i64
  }
  %low = arith.remsi %n, %two : i64
  %even = arith.cmpi eq, %low, %zero : i64
  %sign = arith.select %even, %one, %minus : i64
  %isOne = arith.cmpi eq, %x, %one : i64
  %isMinus = arith.cmpi eq, %x, %minus : i64
  %a = arith.select %isMinus, %sign, %zero : i64
  %c = arith.select %isOne, %one, %a : i64
  %negative = arith.cmpi slt, %n, %zero : i64
  %v = arith.select %negative, %c, %r#0 : i64
  return %v : i64
}
func.func @wrapped_64_reference(%x: memref<64xi64>, %n: memref<64xi64>, %y: memref<4x64xi64>) {
  %odd = arith.constant 1 : i64
  %five = arith.constant 5 : i64
  affine.for %i = 0 to 64 {
    %v = affine.load %x[%i] : memref<64xi64>
    %e = affine.load %n[%i] : memref<64xi64>
    %near = arith.remsi %v, %five : i64
    %unit = arith.ori %near, %odd : i64
    %r = func.call @power_64(%v, %e) : (i64, i64) -> i64
    %s = func.call @power_64(%unit, %e) : (i64, i64) -> i64
    %t = func.call @power_64(%v, %five) : (i64, i64) -> i64
    %u = func.call @power_64(%unit, %v) : (i64, i64) -> i64
    affine.store %r, %y[0, %i] : memref<4x64xi64>
    affine.store %s, %y[1, %i] : memref<4x64xi64>
    affine.store %t, %y[2, %i] : memref<4x64xi64>
    affine.store %u, %y[3, %i] : memref<4x64xi64>
  }
  return
}
