// Conversions to and from floats of 8 bits, of every f32 whose low half is one of four patterns, and of every code: numbers of
// all exponents, ties and their neighbours, infinities, NaN. And the error function on the same numbers, which the reference
// computes in f64.

!codes = memref<4x65536xf8E4M3FN>
!wide_codes = memref<4x65536xf8E5M2>
!values = memref<4x65536xf32>

func.func @truncate(%a: !codes {tile.result}, %b: !wide_codes {tile.result}, %e: !values {tile.result})
    attributes {tile.reference = @truncate_reference, tile.atol = 3.0e-45, tile.rtol = 2.5e-7} {
  %c16 = arith.constant 16 : i32
  %low = arith.constant 43691 : i32
  %mask = arith.constant 65535 : i32
  tile.kernel (%x, %y) in (256, 4) threads(128) {
    tile.parallel (%i) in (256) {
      %j = affine.apply affine_map<(d0, d1) -> (d0 * 256 + d1)>(%x, %i)
      %j32 = arith.index_cast %j : index to i32
      %y32 = arith.index_cast %y : index to i32
      %high = arith.shli %j32, %c16 : i32
      // 0, 0xaaab, 0x5556, 1.
      %pattern = arith.muli %y32, %low : i32
      %rest = arith.andi %pattern, %mask : i32
      %bits = arith.ori %high, %rest : i32
      %v = arith.bitcast %bits : i32 to f32
      %narrow = arith.truncf %v : f32 to f8E4M3FN
      %wide = arith.truncf %v : f32 to f8E5M2
      %erf = math.erf %v : f32
      memref.store %narrow, %a[%y, %j] : !codes
      memref.store %wide, %b[%y, %j] : !wide_codes
      memref.store %erf, %e[%y, %j] : !values
    }
  }
  return
}
func.func @truncate_reference(%a: !codes, %b: !wide_codes, %e: !values) {
  %c16 = arith.constant 16 : i32
  %low = arith.constant 43691 : i32
  %mask = arith.constant 65535 : i32
  affine.for %y = 0 to 4 {
    affine.for %j = 0 to 65536 {
      %j32 = arith.index_cast %j : index to i32
      %y32 = arith.index_cast %y : index to i32
      %high = arith.shli %j32, %c16 : i32
      %pattern = arith.muli %y32, %low : i32
      %rest = arith.andi %pattern, %mask : i32
      %bits = arith.ori %high, %rest : i32
      %v = arith.bitcast %bits : i32 to f32
      %narrow = arith.truncf %v : f32 to f8E4M3FN
      %wide = arith.truncf %v : f32 to f8E5M2
      %vd = arith.extf %v : f32 to f64
      %erfd = math.erf %vd : f64
      %erf = arith.truncf %erfd : f64 to f32
      affine.store %narrow, %a[%y, %j] : !codes
      affine.store %wide, %b[%y, %j] : !wide_codes
      affine.store %erf, %e[%y, %j] : !values
    }
  }
  return
}

func.func @extend(%h: memref<2x256xf16> {tile.result}, %b: memref<2x256xbf16> {tile.result},
                  %f: memref<2x256xf32> {tile.result})
    attributes {tile.reference = @extend_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%x) in (1) threads(128) {
    tile.parallel (%i) in (256) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %code = arith.index_cast %i : index to i8
      %narrow = arith.bitcast %code : i8 to f8E4M3FN
      %wide = arith.bitcast %code : i8 to f8E5M2
      %nh = arith.extf %narrow : f8E4M3FN to f16
      %nb = arith.extf %narrow : f8E4M3FN to bf16
      %nf = arith.extf %narrow : f8E4M3FN to f32
      %wh = arith.extf %wide : f8E5M2 to f16
      %wb = arith.extf %wide : f8E5M2 to bf16
      %wf = arith.extf %wide : f8E5M2 to f32
      memref.store %nh, %h[%c0, %i] : memref<2x256xf16>
      memref.store %nb, %b[%c0, %i] : memref<2x256xbf16>
      memref.store %nf, %f[%c0, %i] : memref<2x256xf32>
      memref.store %wh, %h[%c1, %i] : memref<2x256xf16>
      memref.store %wb, %b[%c1, %i] : memref<2x256xbf16>
      memref.store %wf, %f[%c1, %i] : memref<2x256xf32>
    }
  }
  return
}
func.func @extend_reference(%h: memref<2x256xf16>, %b: memref<2x256xbf16>, %f: memref<2x256xf32>) {
  affine.for %i = 0 to 256 {
    %code = arith.index_cast %i : index to i8
    %narrow = arith.bitcast %code : i8 to f8E4M3FN
    %wide = arith.bitcast %code : i8 to f8E5M2
    %nh = arith.extf %narrow : f8E4M3FN to f16
    %nb = arith.extf %narrow : f8E4M3FN to bf16
    %nf = arith.extf %narrow : f8E4M3FN to f32
    %wh = arith.extf %wide : f8E5M2 to f16
    %wb = arith.extf %wide : f8E5M2 to bf16
    %wf = arith.extf %wide : f8E5M2 to f32
    affine.store %nh, %h[0, %i] : memref<2x256xf16>
    affine.store %nb, %b[0, %i] : memref<2x256xbf16>
    affine.store %nf, %f[0, %i] : memref<2x256xf32>
    affine.store %wh, %h[1, %i] : memref<2x256xf16>
    affine.store %wb, %b[1, %i] : memref<2x256xbf16>
    affine.store %wf, %f[1, %i] : memref<2x256xf32>
  }
  return
}
