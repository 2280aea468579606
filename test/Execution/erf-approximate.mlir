// The error function where approximation is allowed: within a relative error of 6e-7 of the C library's, on both sides of 1/2 and
// of 4, for tiny numbers, infinities and NaN; of 0 the sign stays.

// REQUIRES: tile-run
// RUN: tile-run %s | FileCheck %s --check-prefix=ALL
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s --check-prefix=ALL
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model --func=erf --arg=0:"uniform(-0.51,0.51)" | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model --func=erf --arg=0:"uniform(-1e-30,1e-30)" | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model --func=erf --arg=0:"uniform(-3e38,3e38)" | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model | FileCheck %s --check-prefix=ALL
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model --func=erf --arg=0:"uniform(-0.51,0.51)" | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model --func=erf --arg=0:"uniform(-1e-30,1e-30)" | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model --func=erf --arg=0:"uniform(-3e38,3e38)" | FileCheck %s
// ALL: {{^}}2 passed, 0 failed{{$}}
// CHECK: {{^}}1 passed, 0 failed{{$}}

!x = memref<4096xf32>
!t = memref<4096xf32, #tile.fragment>

func.func @erf(%x: !x {tile.init = "uniform(-6,6)"}, %y: !x {tile.result})
    attributes {tile.reference = @erf_reference, tile.atol = 0.0, tile.rtol = 6.0e-7} {
  tile.kernel (%b) in (1) threads(128) {
    %v = tile.alloc : !t
    tile.copy %x, %v : !x, !t
    tile.parallel (%i) in (4096) {
      %a = memref.load %v[%i] : !t
      %e = math.erf %a fastmath<afn> : f32
      memref.store %e, %v[%i] : !t
    }
    tile.copy %v, %y : !t, !x
  }
  return
}
func.func @erf_reference(%x: !x, %y: !x) {
  affine.for %i = 0 to 4096 {
    %a = affine.load %x[%i] : !x
    %e = math.erf %a : f32
    affine.store %e, %y[%i] : !x
  }
  return
}

// Infinity, 1 to 1/6, of which 1/2 is the border, NaN and 0, then all of them negative; and the signs of the results.

!k = memref<16xf32>
func.func @special(%k: !k {tile.init = "iota"}, %y: !k {tile.result}, %signs: !k {tile.result})
    attributes {tile.reference = @special_reference, tile.atol = 0.0, tile.rtol = 6.0e-7} {
  tile.kernel (%b) in (1) threads(32) {
    tile.parallel (%i) in (16) {
      %n = memref.load %k[%i] : !k
      %c7 = arith.constant 7.0 : f32
      %c4 = arith.constant 4.0 : f32
      %c8 = arith.constant 8.0 : f32
      %zero = arith.constant 0.0 : f32
      %one = arith.constant 1.0 : f32
      %isNegative = arith.cmpf oge, %n, %c8 : f32
      %k8 = arith.subf %n, %c8 : f32
      %j = arith.select %isNegative, %k8, %n : f32
      %over = arith.subf %j, %c4 : f32
      %under = arith.mulf %j, %over : f32
      %ratio = arith.divf %over, %under : f32
      %is7 = arith.cmpf oeq, %j, %c7 : f32
      %size = arith.select %is7, %zero, %ratio : f32
      %minus = arith.negf %size : f32
      %a = arith.select %isNegative, %minus, %size : f32
      %e = math.erf %a fastmath<afn> : f32
      %sign = math.copysign %one, %e : f32
      %isNumber = arith.cmpf ord, %e, %e : f32
      %s = arith.select %isNumber, %sign, %zero : f32
      memref.store %e, %y[%i] : !k
      memref.store %s, %signs[%i] : !k
    }
  }
  return
}
func.func @special_reference(%k: !k, %y: !k, %signs: !k) {
  affine.for %i = 0 to 16 {
      %n = affine.load %k[%i] : !k
      %c7 = arith.constant 7.0 : f32
      %c4 = arith.constant 4.0 : f32
      %c8 = arith.constant 8.0 : f32
      %zero = arith.constant 0.0 : f32
      %one = arith.constant 1.0 : f32
      %isNegative = arith.cmpf oge, %n, %c8 : f32
      %k8 = arith.subf %n, %c8 : f32
      %j = arith.select %isNegative, %k8, %n : f32
      %over = arith.subf %j, %c4 : f32
      %under = arith.mulf %j, %over : f32
      %ratio = arith.divf %over, %under : f32
      %is7 = arith.cmpf oeq, %j, %c7 : f32
      %size = arith.select %is7, %zero, %ratio : f32
      %minus = arith.negf %size : f32
      %a = arith.select %isNegative, %minus, %size : f32
      %e = math.erf %a : f32
      %sign = math.copysign %one, %e : f32
      %isNumber = arith.cmpf ord, %e, %e : f32
      %s = arith.select %isNumber, %sign, %zero : f32
      affine.store %e, %y[%i] : !k
      affine.store %s, %signs[%i] : !k
  }
  return
}
