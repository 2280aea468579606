// What enters a product, and how it is rounded: tf32 operands, and sums of numbers that are not small integers.

// REQUIRES: tile-run
// RUN: tile-run %s | FileCheck %s
// CHECK: {{^}}4 passed, 0 failed{{$}}

// A product with the matrix that is zero but for one 1 in a row shows the operands as they were rounded: to 10 bits, to nearest,
// ties away from zero. The last mantissa bits of the numbers are at, below and above a tie.

!m = memref<8x8xf32, #tile.shared>
func.func @tf32(%x: memref<8x8xi32> {tile.init = "integers(-2147483648,2147483647)"}, %y: memref<8x8xf32> {tile.result},
                %z: memref<8x8xf32> {tile.result})
    attributes {tile.reference = @tf32_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  tile.kernel (%b) in (1) {
    %a = tile.alloc : !m
    %unit = tile.alloc : !m
    %c = tile.alloc : memref<8x8xf32, #tile.fragment>
    tile.parallel (%i, %j) in (8, 8) {
      %v = func.call @sample(%x, %i, %j) : (memref<8x8xi32>, index, index) -> f32
      memref.store %v, %a[%i, %j] : !m
      %d = arith.cmpi eq, %i, %j : index
      %e = arith.select %d, %one, %zero : f32
      memref.store %e, %unit[%i, %j] : !m
    }
    tile.gemm %a, %unit, %c precision(tf32) {clear} : !m, !m, memref<8x8xf32, #tile.fragment>
    tile.copy %c, %y : memref<8x8xf32, #tile.fragment>, memref<8x8xf32>
    tile.gemm %unit, %a, %c precision(tf32) {clear} : !m, !m, memref<8x8xf32, #tile.fragment>
    tile.copy %c, %z : memref<8x8xf32, #tile.fragment>, memref<8x8xf32>
  }
  return
}
// A number of either sign between 2^-63 and 2. Of the bits that are cut, the highest and the lowest are random.
func.func private @sample(%x: memref<8x8xi32>, %i: index, %j: index) -> f32 {
  %r = memref.load %x[%i, %j] : memref<8x8xi32>
  %mask = arith.constant 0x9FFFF001 : i32
  %middle = arith.constant 0x20000000 : i32
  %cut = arith.andi %r, %mask : i32
  %bits = arith.addi %cut, %middle : i32
  %v = arith.bitcast %bits : i32 to f32
  return %v : f32
}
// |x| is a multiple of the last place, 2^(e - 10), and a rest; half and more counts as one.
func.func @tf32_reference(%x: memref<8x8xi32>, %y: memref<8x8xf32>, %z: memref<8x8xf32>) {
  %exponent = arith.constant 0x7F800000 : i32
  %scale = arith.constant 1024.0 : f64
  %half = arith.constant 0.5 : f64
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 8 {
      %v = func.call @sample(%x, %i, %j) : (memref<8x8xi32>, index, index) -> f32
      %bits = arith.bitcast %v : f32 to i32
      %e = arith.andi %bits, %exponent : i32
      %power = arith.bitcast %e : i32 to f32
      %p = arith.extf %power : f32 to f64
      %w = arith.extf %v : f32 to f64
      %a = math.absf %w : f64
      %q = arith.divf %a, %p : f64
      %s = arith.mulf %q, %scale : f64
      %h = arith.addf %s, %half : f64
      %n = math.floor %h : f64
      %t = arith.divf %n, %scale : f64
      %r = arith.mulf %t, %p : f64
      %signed = math.copysign %r, %w : f64
      %f = arith.truncf %signed : f64 to f32
      affine.store %f, %y[%i, %j] : memref<8x8xf32>
      affine.store %f, %z[%i, %j] : memref<8x8xf32>
    }
  }
  return
}

// Sums of 40 products of normal numbers, in any order: 41 roundings of 2^-24 each, times the sum of magnitudes, which stays
// below 80 (25 on the average).

func.func @f32(%a: memref<19x40xf32>, %b: memref<40x37xf32>, %c: memref<19x37xf32> {tile.init = "normal", tile.result})
    attributes {tile.reference = @f32_reference, tile.atol = 2.0e-4, tile.rtol = 0.0} {
  tile.kernel (%block) in (1) {
    %as = tile.alloc : memref<19x40xf32, #tile.shared>
    %bs = tile.alloc : memref<40x37xf32, #tile.shared>
    %cs = tile.alloc : memref<19x37xf32, #tile.fragment>
    tile.copy %a, %as : memref<19x40xf32>, memref<19x40xf32, #tile.shared>
    tile.copy %b, %bs : memref<40x37xf32>, memref<40x37xf32, #tile.shared>
    tile.copy %c, %cs : memref<19x37xf32>, memref<19x37xf32, #tile.fragment>
    tile.gemm %as, %bs, %cs : memref<19x40xf32, #tile.shared>, memref<40x37xf32, #tile.shared>, memref<19x37xf32, #tile.fragment>
    tile.copy %cs, %c : memref<19x37xf32, #tile.fragment>, memref<19x37xf32>
  }
  return
}
func.func @f32_reference(%a: memref<19x40xf32>, %b: memref<40x37xf32>, %c: memref<19x37xf32>) {
  affine.for %i = 0 to 19 {
    affine.for %j = 0 to 37 {
      %old = affine.load %c[%i, %j] : memref<19x37xf32>
      %start = arith.extf %old : f32 to f64
      %sum = affine.for %k = 0 to 40 iter_args(%acc = %start) -> f64 {
        %x = affine.load %a[%i, %k] : memref<19x40xf32>
        %y = affine.load %b[%k, %j] : memref<40x37xf32>
        %xd = arith.extf %x : f32 to f64
        %yd = arith.extf %y : f32 to f64
        %p = arith.mulf %xd, %yd : f64
        %next = arith.addf %acc, %p : f64
        affine.yield %next : f64
      }
      %r = arith.truncf %sum : f64 to f32
      affine.store %r, %c[%i, %j] : memref<19x37xf32>
    }
  }
  return
}

// A sum that f16 could not hold on the way: 2048 + 1 - 2048 is 1 when it is rounded once.

func.func @once(%c: memref<1x1xf16> {tile.result}) attributes {tile.reference = @once_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  %big = arith.constant 2048.0 : f16
  %one = arith.constant 1.0 : f16
  %minus = arith.constant -2048.0 : f16
  tile.kernel (%block) in (1) {
    %a = tile.alloc : memref<1x3xf16, #tile.shared>
    %b = tile.alloc : memref<3x1xf16, #tile.shared>
    %s = tile.alloc : memref<1x1xf16, #tile.fragment>
    tile.fill %b, %one : memref<3x1xf16, #tile.shared>
    tile.parallel (%t) in (1) {
      affine.store %big, %a[0, 0] : memref<1x3xf16, #tile.shared>
      affine.store %one, %a[0, 1] : memref<1x3xf16, #tile.shared>
      affine.store %minus, %a[0, 2] : memref<1x3xf16, #tile.shared>
    }
    tile.gemm %a, %b, %s {clear} : memref<1x3xf16, #tile.shared>, memref<3x1xf16, #tile.shared>, memref<1x1xf16, #tile.fragment>
    tile.copy %s, %c : memref<1x1xf16, #tile.fragment>, memref<1x1xf16>
  }
  return
}
func.func @once_reference(%c: memref<1x1xf16>) {
  %one = arith.constant 1.0 : f16
  affine.store %one, %c[0, 0] : memref<1x1xf16>
  return
}

// Infinities and NaN pass through a rounding to tf32; the largest number becomes infinite.

func.func @tf32_special(%y: memref<1x4xf32> {tile.result})
    attributes {tile.reference = @tf32_special_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %inf = arith.constant 0x7F800000 : f32
  // Its payload lies where tf32 has no bits.
  %nan = arith.constant 0x7FC00001 : f32
  %max = arith.constant 0x7F7FFFFF : f32
  %tie = arith.constant 0x3F801000 : f32
  tile.kernel (%block) in (1) {
    %a = tile.alloc : memref<1x1xf32, #tile.shared>
    %b = tile.alloc : memref<1x4xf32, #tile.shared>
    %c = tile.alloc : memref<1x4xf32, #tile.fragment>
    tile.fill %a, %one : memref<1x1xf32, #tile.shared>
    tile.parallel (%t) in (1) {
      affine.store %inf, %b[0, 0] : memref<1x4xf32, #tile.shared>
      affine.store %nan, %b[0, 1] : memref<1x4xf32, #tile.shared>
      affine.store %max, %b[0, 2] : memref<1x4xf32, #tile.shared>
      affine.store %tie, %b[0, 3] : memref<1x4xf32, #tile.shared>
    }
    tile.gemm %a, %b, %c precision(tf32) {clear} : memref<1x1xf32, #tile.shared>, memref<1x4xf32, #tile.shared>, memref<1x4xf32, #tile.fragment>
    tile.copy %c, %y : memref<1x4xf32, #tile.fragment>, memref<1x4xf32>
  }
  return
}
func.func @tf32_special_reference(%y: memref<1x4xf32>) {
  %inf = arith.constant 0x7F800000 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %up = arith.constant 0x3F802000 : f32
  affine.store %inf, %y[0, 0] : memref<1x4xf32>
  affine.store %nan, %y[0, 1] : memref<1x4xf32>
  affine.store %inf, %y[0, 2] : memref<1x4xf32>
  affine.store %up, %y[0, 3] : memref<1x4xf32>
  return
}
