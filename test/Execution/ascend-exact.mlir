// Products that are added with one rounding (math.fma) and remainders (arith.remf) on NPUs, for any bits: numbers, subnormal ones,
// infinities and NaN. The reference is libm's. Of f16, too, and of numbers where all but the last bits cancel.

// REQUIRES: tile-run, ascend
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=910B | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=950 | FileCheck %s
// CHECK: {{^}}6 passed, 0 failed{{$}}

!words = memref<?xi32>
!halves = memref<?xi16>

func.func @singles(%x: !words {tile.shape = "N", tile.init = "integers(-2147483648,2147483647)"}, %y: !words {tile.shape = "N", tile.init = "integers(-2147483648,2147483647)"},
                   %z: !words {tile.shape = "N", tile.init = "integers(-2147483648,2147483647)"}, %o: memref<3x?xi32> {tile.shape = "3xN", tile.result})
    attributes {tile.reference = @singles_reference, tile.cases = ["N=1", "N=1500"]} {
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 128)) {
    tile.parallel (%i) in (128) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %none = arith.constant 7 : i32
      %p = affine.apply affine_map<(b, i) -> (b * 128 + i)>(%b, %i)
      %xi = memref.load %x[%p] : !words
      %yi = memref.load %y[%p] : !words
      %zi = memref.load %z[%p] : !words
      %xf = arith.bitcast %xi : i32 to f32
      %yf = arith.bitcast %yi : i32 to f32
      %zf = arith.bitcast %zi : i32 to f32
      %sum = math.fma %xf, %yf, %zf : f32
      %product = arith.mulf %xf, %yf : f32
      %minus = arith.negf %product : f32
      %left = math.fma %xf, %yf, %minus : f32
      %rest = arith.remf %xf, %yf : f32
      %sumIs = arith.cmpf oeq, %sum, %sum : f32
      %leftIs = arith.cmpf oeq, %left, %left : f32
      %restIs = arith.cmpf oeq, %rest, %rest : f32
      %sumBits = arith.bitcast %sum : f32 to i32
      %leftBits = arith.bitcast %left : f32 to i32
      %restBits = arith.bitcast %rest : f32 to i32
      %s = arith.select %sumIs, %sumBits, %none : i32
      %l = arith.select %leftIs, %leftBits, %none : i32
      %r = arith.select %restIs, %restBits, %none : i32
      memref.store %s, %o[%c0, %p] : memref<3x?xi32>
      memref.store %l, %o[%c1, %p] : memref<3x?xi32>
      memref.store %r, %o[%c2, %p] : memref<3x?xi32>
    }
  }
  return
}

func.func private @singles_reference(%x: !words, %y: !words, %z: !words, %o: memref<3x?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %none = arith.constant 7 : i32
  %n = memref.dim %x, %c0 : !words
  scf.for %p = %c0 to %n step %c1 {
    %xi = memref.load %x[%p] : !words
    %yi = memref.load %y[%p] : !words
    %zi = memref.load %z[%p] : !words
    %xf = arith.bitcast %xi : i32 to f32
    %yf = arith.bitcast %yi : i32 to f32
    %zf = arith.bitcast %zi : i32 to f32
    %sum = math.fma %xf, %yf, %zf : f32
    %product = arith.mulf %xf, %yf : f32
    %minus = arith.negf %product : f32
    %left = math.fma %xf, %yf, %minus : f32
    %rest = arith.remf %xf, %yf : f32
    %sumIs = arith.cmpf oeq, %sum, %sum : f32
    %leftIs = arith.cmpf oeq, %left, %left : f32
    %restIs = arith.cmpf oeq, %rest, %rest : f32
    %sumBits = arith.bitcast %sum : f32 to i32
    %leftBits = arith.bitcast %left : f32 to i32
    %restBits = arith.bitcast %rest : f32 to i32
    %s = arith.select %sumIs, %sumBits, %none : i32
    %l = arith.select %leftIs, %leftBits, %none : i32
    %r = arith.select %restIs, %restBits, %none : i32
    memref.store %s, %o[%c0, %p] : memref<3x?xi32>
    memref.store %l, %o[%c1, %p] : memref<3x?xi32>
    memref.store %r, %o[%c2, %p] : memref<3x?xi32>
  }
  return
}

// The reference computes in f64, where products of halves are exact, and sums but for what lies 53 bits below them.
func.func @halves(%x: !halves {tile.shape = "N", tile.init = "integers(-32768,32767)"}, %y: !halves {tile.shape = "N", tile.init = "integers(-32768,32767)"},
                  %z: !halves {tile.shape = "N", tile.init = "integers(-32768,32767)"}, %o: memref<2x?xi16> {tile.shape = "2xN", tile.result})
    attributes {tile.reference = @halves_reference, tile.cases = ["N=1", "N=1500"]} {
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 128)) {
    tile.parallel (%i) in (128) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %none = arith.constant 7 : i16
      %p = affine.apply affine_map<(b, i) -> (b * 128 + i)>(%b, %i)
      %xi = memref.load %x[%p] : !halves
      %yi = memref.load %y[%p] : !halves
      %zi = memref.load %z[%p] : !halves
      %xf = arith.bitcast %xi : i16 to f16
      %yf = arith.bitcast %yi : i16 to f16
      %zf = arith.bitcast %zi : i16 to f16
      %sum = math.fma %xf, %yf, %zf : f16
      %rest = arith.remf %xf, %yf : f16
      %sumIs = arith.cmpf oeq, %sum, %sum : f16
      %restIs = arith.cmpf oeq, %rest, %rest : f16
      %sumBits = arith.bitcast %sum : f16 to i16
      %restBits = arith.bitcast %rest : f16 to i16
      %s = arith.select %sumIs, %sumBits, %none : i16
      %r = arith.select %restIs, %restBits, %none : i16
      memref.store %s, %o[%c0, %p] : memref<2x?xi16>
      memref.store %r, %o[%c1, %p] : memref<2x?xi16>
    }
  }
  return
}

func.func private @halves_reference(%x: !halves, %y: !halves, %z: !halves, %o: memref<2x?xi16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 7 : i16
  %n = memref.dim %x, %c0 : !halves
  scf.for %p = %c0 to %n step %c1 {
    %xi = memref.load %x[%p] : !halves
    %yi = memref.load %y[%p] : !halves
    %zi = memref.load %z[%p] : !halves
    %xh = arith.bitcast %xi : i16 to f16
    %yh = arith.bitcast %yi : i16 to f16
    %zh = arith.bitcast %zi : i16 to f16
    %xf = arith.extf %xh : f16 to f64
    %yf = arith.extf %yh : f16 to f64
    %zf = arith.extf %zh : f16 to f64
    %product = arith.mulf %xf, %yf : f64
    %wide = arith.addf %product, %zf : f64
    %rem = arith.remf %xf, %yf : f64
    %sum = arith.truncf %wide : f64 to f16
    %rest = arith.truncf %rem : f64 to f16
    %sumIs = arith.cmpf oeq, %sum, %sum : f16
    %restIs = arith.cmpf oeq, %rest, %rest : f16
    %sumBits = arith.bitcast %sum : f16 to i16
    %restBits = arith.bitcast %rest : f16 to i16
    %s = arith.select %sumIs, %sumBits, %none : i16
    %r = arith.select %restIs, %restBits, %none : i16
    memref.store %s, %o[%c0, %p] : memref<2x?xi16>
    memref.store %r, %o[%c1, %p] : memref<2x?xi16>
  }
  return
}

// What may be approximate is a product and a sum: integers, of which both are exact.
func.func @approximate(%x: memref<?xf32> {tile.shape = "N", tile.init = "integers(-99,99)"}, %y: memref<?xf32> {tile.shape = "N", tile.init = "integers(-99,99)"}, %o: memref<?xf32> {tile.shape = "N", tile.result})
    attributes {tile.reference = @approximate_reference, tile.cases = ["N=3", "N=300"]} {
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 128)) {
    tile.parallel (%i) in (128) do fastmath<afn> %o[%b * 128 + %i] = fma(%x[%b * 128 + %i], %y[%b * 128 + %i], %x[%b * 128 + %i])
  }
  return
}

func.func private @approximate_reference(%x: memref<?xf32>, %y: memref<?xf32>, %o: memref<?xf32>) {
  linalg.mul ins(%x, %y : memref<?xf32>, memref<?xf32>) outs(%o : memref<?xf32>)
  linalg.add ins(%x, %o : memref<?xf32>, memref<?xf32>) outs(%o : memref<?xf32>)
  return
}
