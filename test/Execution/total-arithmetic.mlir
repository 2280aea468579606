// Arithmetic in bodies of tile.parallel that LLVM leaves undefined: floats that no integer of the type is near, shifts by as many
// bits as there are, and what becomes a truth value. An index made of such a number stays guarded.

// REQUIRES: tile-run, nvidia, amd, ascend
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx1100 --device=model | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=910B --func=narrow --func=lookup | FileCheck %s --check-prefix=NPU
// RUN: tile-run %s --target=ascend --chip=950 --func=narrow --func=lookup | FileCheck %s --check-prefix=NPU
// CHECK: {{^}}5 passed, 0 failed{{$}}
// NPU: {{^}}2 passed, 0 failed{{$}}

!numbers = memref<12xf32>

memref.global "private" constant @numbers : !numbers = dense<[0x7FC00000, 0x7F800000, 0xFF800000, 300.7, -300.7, 3.0e9, -3.0e9,
    127.9, -0.5, 1.0e20, 0.0, -0.0]>
memref.global "private" constant @bytes : memref<12xi8> = dense<[0, 127, -128, 127, -128, 127, -128, 127, 0, 127, 0, 0]>
memref.global "private" constant @halves : memref<12xi16> =
    dense<[0, 32767, -32768, 300, -300, 32767, -32768, 127, 0, 32767, 0, 0]>
memref.global "private" constant @words : memref<12xi32> =
    dense<[0, 2147483647, -2147483648, 300, -300, 2147483647, -2147483648, 127, 0, 2147483647, 0, 0]>
memref.global "private" constant @longs : memref<12xi64> =
    dense<[0, 9223372036854775807, -9223372036854775808, 300, -300, 3000000000, -3000000000, 127, 0, 9223372036854775807, 0, 0]>
memref.global "private" constant @unsigned : memref<12xi8> = dense<[0, 255, 0, 255, 0, 255, 0, 127, 0, 255, 0, 0]>
memref.global "private" constant @truths : memref<12xi32> = dense<[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0]>

// Rule 4 of the dialect: to integers, floats truncate towards zero and saturate, and a NaN becomes 0.
func.func @narrow(%one: memref<1xf32> {tile.init = "ones"}, %x: !numbers {tile.init = "zeros"}, %a: memref<12xi8> {tile.result},
                  %b: memref<12xi16> {tile.result}, %c: memref<12xi32> {tile.result})
    attributes {tile.reference = @narrow_reference} {
  tile.kernel (%k) in (1) threads(32) {
    tile.parallel (%i) in (1) do {
      %x[0] = %one[0] * nan
      %x[1] = %one[0] * inf
      %x[2] = %one[0] * -inf
      %x[3] = %one[0] * 300.7
      %x[4] = %one[0] * -300.7
      %x[5] = %one[0] * 3.0e9
      %x[6] = %one[0] * -3.0e9
      %x[7] = %one[0] * 127.9
      %x[8] = %one[0] * -0.5
      %x[9] = %one[0] * 1.0e20
      %x[10] = %one[0] * 0.0
      %x[11] = %one[0] * -0.0
    }
  }
  tile.kernel (%k) in (1) threads(32) {
    tile.parallel (%i) in (12) do {
      %a[%i] = i8(%x[%i])
      %b[%i] = i16(%x[%i])
      %c[%i] = i32(%x[%i])
    }
  }
  return
}
func.func private @narrow_reference(%one: memref<1xf32>, %x: !numbers, %a: memref<12xi8>, %b: memref<12xi16>, %c: memref<12xi32>) {
  %n = memref.get_global @numbers : !numbers
  memref.copy %n, %x : !numbers to !numbers
  %bytes = memref.get_global @bytes : memref<12xi8>
  memref.copy %bytes, %a : memref<12xi8> to memref<12xi8>
  %halves = memref.get_global @halves : memref<12xi16>
  memref.copy %halves, %b : memref<12xi16> to memref<12xi16>
  %words = memref.get_global @words : memref<12xi32>
  memref.copy %words, %c : memref<12xi32> to memref<12xi32>
  return
}

// What Ascend has no vectors of.
func.func @wide(%one: memref<1xf32> {tile.init = "ones"}, %a: memref<12xi64> {tile.result}, %u: memref<12xi8> {tile.result},
                %t: memref<12xi32> {tile.result}) attributes {tile.reference = @wide_reference} {
  tile.kernel (%k) in (1) threads(32) {
    %x = tile.alloc : memref<12xf32, #tile.shared>
    tile.parallel (%i) in (1) do {
      %x[0] = %one[0] * nan
      %x[1] = %one[0] * inf
      %x[2] = %one[0] * -inf
      %x[3] = %one[0] * 300.7
      %x[4] = %one[0] * -300.7
      %x[5] = %one[0] * 3.0e9
      %x[6] = %one[0] * -3.0e9
      %x[7] = %one[0] * 127.9
      %x[8] = %one[0] * -0.5
      %x[9] = %one[0] * 1.0e20
      %x[10] = %one[0] * 0.0
      %x[11] = %one[0] * -0.0
    }
    tile.parallel (%i) in (12) do {
      %a[%i] = i64(%x[%i])
      %t[%i] = i32(i1(%x[%i]))
    }
    tile.parallel (%i) in (12) {
      %v = memref.load %x[%i] : memref<12xf32, #tile.shared>
      %w = arith.fptoui %v : f32 to i8
      memref.store %w, %u[%i] : memref<12xi8>
    }
  }
  return
}
func.func private @wide_reference(%one: memref<1xf32>, %a: memref<12xi64>, %u: memref<12xi8>, %t: memref<12xi32>) {
  %longs = memref.get_global @longs : memref<12xi64>
  memref.copy %longs, %a : memref<12xi64> to memref<12xi64>
  %unsigned = memref.get_global @unsigned : memref<12xi8>
  memref.copy %unsigned, %u : memref<12xi8> to memref<12xi8>
  %truths = memref.get_global @truths : memref<12xi32>
  memref.copy %truths, %t : memref<12xi32> to memref<12xi32>
  return
}

// A number that no element has: the read is outside, and gives 0.
func.func @lookup(%table: memref<8xf32> {tile.init = "ones"}, %one: memref<1xf32> {tile.init = "ones"}, %y: memref<64xf32> {tile.result})
    attributes {tile.reference = @lookup_reference} {
  tile.kernel (%k) in (1) threads(32) {
    tile.parallel (%i) in (64) do %y[%i] = %table[index(i32(%one[0] * (f32(%i) - 32.0) * 1.0e30))]
  }
  return
}
func.func private @lookup_reference(%table: memref<8xf32>, %one: memref<1xf32>, %y: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %first = arith.constant 1.0 : f32
  affine.for %i = 0 to 64 {
    affine.store %zero, %y[%i] : memref<64xf32>
  }
  affine.store %first, %y[32] : memref<64xf32>
  return
}

// The amount counts modulo the number of bits.
func.func @shifts(%x: memref<100xi32> {tile.init = "iota"}, %a: memref<100xi32> {tile.result}, %b: memref<100xi64> {tile.result},
                  %c: memref<100xi8> {tile.result}) attributes {tile.reference = @shifts_reference} {
  tile.kernel (%k) in (1) threads(32) {
    tile.parallel (%i) in (100) do {
      %a[%i] = shl(i32(3), %x[%i])
      %b[%i] = ushr(i64(-1), i64(%x[%i]))
      %c[%i] = shr(i8(-128), i8(%x[%i]))
    }
  }
  return
}
func.func private @shifts_reference(%x: memref<100xi32>, %a: memref<100xi32>, %b: memref<100xi64>, %c: memref<100xi8>) {
  %three = arith.constant 3 : i32
  %ones = arith.constant -1 : i64
  %least = arith.constant -128 : i8
  affine.for %i = 0 to 100 {
    %r32 = affine.apply affine_map<(i) -> (i mod 32)>(%i)
    %r64 = affine.apply affine_map<(i) -> (i mod 64)>(%i)
    %r8 = affine.apply affine_map<(i) -> (i mod 8)>(%i)
    %n32 = arith.index_cast %r32 : index to i32
    %n64 = arith.index_cast %r64 : index to i64
    %n8 = arith.index_cast %r8 : index to i8
    %p = arith.shli %three, %n32 : i32
    %q = arith.shrui %ones, %n64 : i64
    %r = arith.shrsi %least, %n8 : i8
    affine.store %p, %a[%i] : memref<100xi32>
    affine.store %q, %b[%i] : memref<100xi64>
    affine.store %r, %c[%i] : memref<100xi8>
  }
  return
}

// Conversions of the short form to and from truth values and indices.
func.func @truths_and_indices(%x: memref<64xi32> {tile.init = "integers(-3, 3)"}, %a: memref<64xi32> {tile.result},
                              %f: memref<64xf32> {tile.result}, %g: memref<64xf32> {tile.result})
    attributes {tile.reference = @truths_and_indices_reference} {
  tile.kernel (%b) in (2) threads(32) {
    tile.parallel (%i) in (32) do {
      %p = %b * 32 + %i
      %a[%p] = i32(i1(%x[%p])) + i32(index(%x[%p] < 0)) * 10
      %f[%p] = f32(%p) / 4.0
      %g[%p] = f32(index(f32(%p) / 4.0))
    }
  }
  return
}
func.func private @truths_and_indices_reference(%x: memref<64xi32>, %a: memref<64xi32>, %f: memref<64xf32>, %g: memref<64xf32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  %four = arith.constant 4.0 : f32
  affine.for %i = 0 to 64 {
    %v = affine.load %x[%i] : memref<64xi32>
    %is = arith.cmpi ne, %v, %zero : i32
    %below = arith.cmpi slt, %v, %zero : i32
    %s = arith.select %is, %one, %zero : i32
    %t = arith.select %below, %ten, %zero : i32
    %sum = arith.addi %s, %t : i32
    affine.store %sum, %a[%i] : memref<64xi32>
    %n = arith.index_cast %i : index to i32
    %e = arith.sitofp %n : i32 to f32
    %quarter = arith.divf %e, %four : f32
    affine.store %quarter, %f[%i] : memref<64xf32>
    %whole = affine.apply affine_map<(i) -> (i floordiv 4)>(%i)
    %m = arith.index_cast %whole : index to i32
    %h = arith.sitofp %m : i32 to f32
    affine.store %h, %g[%i] : memref<64xf32>
  }
  return
}
