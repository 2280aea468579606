// REQUIRES: tile-run, nvidia, amd
// RUN: tile-run --target=ascend %s | FileCheck %s
// RUN: tile-run --target=ascend --chip=950 %s | FileCheck %s
// RUN: tile-run --target=cuda --chip=sm_90a --device=model %s | FileCheck %s
// RUN: tile-run --target=hip --chip=gfx942 --device=model %s | FileCheck %s

// Integers of 64 bits, for which the vector units of NPUs have conversions alone: the scalar unit computes each element. And
// magnitudes of integers and of indices, for which no unit has an instruction.

// CHECK-NOT: FAIL
// CHECK: {{^}}8 passed, 0 failed

!vector = memref<?xi64>
!tile = memref<64xi64, #tile.fragment>

func.func @arithmetic(%x: !vector {tile.shape = "N", tile.init = "integers(-9223372036854775808, 9223372036854775807)"},
                      %y: !vector {tile.shape = "N", tile.init = "integers(-9223372036854775808, 9223372036854775807)"},
                      %r: !vector {tile.shape = "N", tile.result})
    attributes {tile.reference = @arithmetic_reference, tile.cases = ["N=64", "N=101", "N=1"]} {
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 64)) threads(64) {
    %t = tile.alloc : !tile
    %u = tile.alloc : !tile
    %w = tile.alloc : !tile
    tile.copy %x[%b * 64], %t
    tile.copy %t, %u
    tile.fill %w, -1234567890123
    tile.parallel (%i) in (64) do {
      %a = %t[%i]
      %c = %y[%b * 64 + %i]
      %m = xor(%a * %c - %w[%i], ushr(%a, 40))
      %n = max(%m, shl(%c, 13)) + umin(%a, shr(%c, 7))
      %o = or(and(%n, 1234567890123), i64(i32(%c)))
      %u[%i] = select(%a < %c, %o, i64(i8(%a))) + select(i1(%c), 7, %u[%i])
    }
    tile.copy %u, %r[%b * 64]
  }
  return
}

func.func private @arithmetic_reference(%x: !vector, %y: !vector, %r: !vector) {
  %c0 = arith.constant 0 : index
  %w = arith.constant -1234567890123 : i64
  %mask = arith.constant 1234567890123 : i64
  %c40 = arith.constant 40 : i64
  %c13 = arith.constant 13 : i64
  %c7 = arith.constant 7 : i64
  %n = memref.dim %x, %c0 : !vector
  affine.for %i = 0 to %n {
    %a = affine.load %x[%i] : !vector
    %c = affine.load %y[%i] : !vector
    %product = arith.muli %a, %c : i64
    %difference = arith.subi %product, %w : i64
    %high = arith.shrui %a, %c40 : i64
    %mixed = arith.xori %difference, %high : i64
    %left = arith.shli %c, %c13 : i64
    %right = arith.shrsi %c, %c7 : i64
    %large = arith.maxsi %mixed, %left : i64
    %small = arith.minui %a, %right : i64
    %sum = arith.addi %large, %small : i64
    %some = arith.andi %sum, %mask : i64
    %word = arith.trunci %c : i64 to i32
    %extended = arith.extsi %word : i32 to i64
    %any = arith.ori %some, %extended : i64
    %byte = arith.trunci %a : i64 to i8
    %short = arith.extsi %byte : i8 to i64
    %less = arith.cmpi slt, %a, %c : i64
    %one = arith.select %less, %any, %short : i64
    %zero = arith.constant 0 : i64
    %is = arith.cmpi ne, %c, %zero : i64
    %other = arith.select %is, %c7, %a : i64
    %result = arith.addi %one, %other : i64
    affine.store %result, %r[%i] : !vector
  }
  return
}

func.func @unsigned_words(%x: memref<100xi32> {tile.init = "integers(-2147483648, 2147483647)"},
                          %r: memref<100xi64> {tile.result}) attributes {tile.reference = @unsigned_words_reference} {
  tile.kernel (%b) in (2) threads(64) {
    tile.parallel (%i) in (50) {
      %p = affine.apply affine_map<(b, i) -> (b * 50 + i)>(%b, %i)
      %v = memref.load %x[%p] : memref<100xi32>
      %w = arith.extui %v : i32 to i64
      memref.store %w, %r[%p] : memref<100xi64>
    }
  }
  return
}

func.func private @unsigned_words_reference(%x: memref<100xi32>, %r: memref<100xi64>) {
  %mask = arith.constant 4294967295 : i64
  affine.for %i = 0 to 100 {
    %v = affine.load %x[%i] : memref<100xi32>
    %w = arith.extsi %v : i32 to i64
    %low = arith.andi %w, %mask : i64
    affine.store %low, %r[%i] : memref<100xi64>
  }
  return
}

func.func @magnitudes(%x: memref<200xi8> {tile.init = "integers(-128, 127)"},
                      %y: memref<200xi32> {tile.init = "integers(-2147483648, 2147483647)"},
                      %r: memref<200xi8> {tile.result}, %s: memref<200xi32> {tile.result})
    attributes {tile.reference = @magnitudes_reference} {
  tile.kernel (%b) in (2) threads(64) {
    tile.parallel (%i) in (100) do {
      %r[%b * 100 + %i] = abs(%x[%b * 100 + %i])
      %s[%b * 100 + %i] = abs(%y[%b * 100 + %i])
    }
  }
  return
}

func.func private @magnitudes_reference(%x: memref<200xi8>, %y: memref<200xi32>, %r: memref<200xi8>, %s: memref<200xi32>) {
  affine.for %i = 0 to 200 {
    %v = affine.load %x[%i] : memref<200xi8>
    %w = affine.load %y[%i] : memref<200xi32>
    %a = math.absi %v : i8
    %c = math.absi %w : i32
    affine.store %a, %r[%i] : memref<200xi8>
    affine.store %c, %s[%i] : memref<200xi32>
  }
  return
}

// A bias that falls with the distance, as attention has it.
func.func @distances(%r: memref<40x40xf32> {tile.result}, %s: memref<40x40xi32> {tile.result})
    attributes {tile.reference = @distances_reference} {
  tile.kernel (%bx, %by) in (2, 5) threads(64) {
    tile.parallel (%i, %j) in (8, 20) do {
      %r[%by * 8 + %i, %bx * 20 + %j] = f32(abs(%by * 8 + %i - %bx * 20 - %j)) * 0.125
      %s[%by * 8 + %i, %bx * 20 + %j] = i32(abs(%j - %i))
    }
  }
  return
}

func.func private @distances_reference(%r: memref<40x40xf32>, %s: memref<40x40xi32>) {
  %slope = arith.constant 0.125 : f32
  affine.for %i = 0 to 40 {
    affine.for %j = 0 to 40 {
      %forward = arith.subi %i, %j : index
      %back = arith.subi %j, %i : index
      %distance = arith.maxsi %forward, %back : index
      %n = arith.index_cast %distance : index to i32
      %f = arith.sitofp %n : i32 to f32
      %v = arith.mulf %f, %slope : f32
      affine.store %v, %r[%i, %j] : memref<40x40xf32>
      %row = affine.apply affine_map<(i) -> (i mod 8)>(%i)
      %column = affine.apply affine_map<(j) -> (j mod 20)>(%j)
      %one = arith.subi %column, %row : index
      %two = arith.subi %row, %column : index
      %local = arith.maxsi %one, %two : index
      %m = arith.index_cast %local : index to i32
      affine.store %m, %s[%i, %j] : memref<40x40xi32>
    }
  }
  return
}

// Sums from the last row up, and unsigned maxima along rows, in place.
func.func @scans(%x: memref<9x33xi64> {tile.init = "integers(-9223372036854775808, 9223372036854775807)"},
                 %r: memref<9x33xi64> {tile.result}, %s: memref<9x33xi64> {tile.result})
    attributes {tile.reference = @scans_reference} {
  tile.kernel (%b) in (1) threads(64) {
    %t = tile.alloc : memref<9x33xi64, #tile.shared>
    %u = tile.alloc : memref<9x33xi64, #tile.shared>
    tile.copy %x, %t
    tile.scan sum %t, %u dim(0) {reverse}
    tile.scan max %t, %t dim(1) {is_unsigned}
    tile.copy %u, %r
    tile.copy %t, %s
  }
  return
}

func.func private @scans_reference(%x: memref<9x33xi64>, %r: memref<9x33xi64>, %s: memref<9x33xi64>) {
  %zero = arith.constant 0 : i64
  affine.for %i = 0 to 9 {
    affine.for %j = 0 to 33 {
      %sum = affine.for %k = affine_map<(i) -> (i)>(%i) to 9 iter_args(%old = %zero) -> i64 {
        %v = affine.load %x[%k, %j] : memref<9x33xi64>
        %new = arith.addi %old, %v : i64
        affine.yield %new : i64
      }
      %most = affine.for %k = 0 to affine_map<(j) -> (j + 1)>(%j) iter_args(%old = %zero) -> i64 {
        %v = affine.load %x[%i, %k] : memref<9x33xi64>
        %new = arith.maxui %old, %v : i64
        affine.yield %new : i64
      }
      affine.store %sum, %r[%i, %j] : memref<9x33xi64>
      affine.store %most, %s[%i, %j] : memref<9x33xi64>
    }
  }
  return
}

// Beside a product, whose block has two vector cores.
func.func @beside_product(%x: memref<64x8xi64> {tile.init = "integers(-1000, 1000)"},
                          %a: memref<64x64xf16> {tile.init = "integers(-3, 3)"}, %r: memref<64xi64> {tile.result},
                          %c: memref<64x64xf32> {tile.result})
    attributes {tile.reference = @beside_product_reference} {
  tile.kernel (%b) in (1) threads(128) {
    %t = tile.alloc : memref<64x8xi64, #tile.shared>
    %sum = tile.alloc : memref<64xi64, #tile.shared>
    %as = tile.alloc : memref<64x64xf16, #tile.shared>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.copy %x, %t
    tile.copy %a, %as
    tile.reduce sum %t, %sum dim(1)
    tile.gemm %as, %as, %acc {clear, transpose_b}
    tile.copy %sum, %r
    tile.copy %acc, %c
  }
  return
}

func.func private @beside_product_reference(%x: memref<64x8xi64>, %a: memref<64x64xf16>, %r: memref<64xi64>,
                                            %c: memref<64x64xf32>) {
  %zero = arith.constant 0 : i64
  %none = arith.constant 0.0 : f32
  affine.for %i = 0 to 64 {
    %sum = affine.for %k = 0 to 8 iter_args(%old = %zero) -> i64 {
      %v = affine.load %x[%i, %k] : memref<64x8xi64>
      %new = arith.addi %old, %v : i64
      affine.yield %new : i64
    }
    affine.store %sum, %r[%i] : memref<64xi64>
    affine.for %j = 0 to 64 {
      %dot = affine.for %k = 0 to 64 iter_args(%old = %none) -> f32 {
        %u = affine.load %a[%i, %k] : memref<64x64xf16>
        %v = affine.load %a[%j, %k] : memref<64x64xf16>
        %f = arith.extf %u : f16 to f32
        %g = arith.extf %v : f16 to f32
        %p = arith.mulf %f, %g : f32
        %new = arith.addf %old, %p : f32
        affine.yield %new : f32
      }
      affine.store %dot, %c[%i, %j] : memref<64x64xf32>
    }
  }
  return
}
