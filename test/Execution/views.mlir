// Transposes, other names for a buffer, and votes.

// REQUIRES: tile-run
// RUN: tile-run %s | FileCheck %s
// CHECK: {{^}}16 passed, 0 failed{{$}}

func.func @transpose(%x: memref<5x33xf16>, %y: memref<33x5xf16> {tile.result})
    attributes {tile.reference = @transpose_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<5x33xf16, #tile.shared>
    %t = tile.alloc : memref<33x5xf16, #tile.fragment>
    tile.copy %x, %s : memref<5x33xf16>, memref<5x33xf16, #tile.shared>
    tile.transpose %s, %t : memref<5x33xf16, #tile.shared>, memref<33x5xf16, #tile.fragment>
    tile.copy %t, %y : memref<33x5xf16, #tile.fragment>, memref<33x5xf16>
  }
  return
}
func.func @transpose_reference(%x: memref<5x33xf16>, %y: memref<33x5xf16>) {
  affine.for %i = 0 to 5 {
    affine.for %j = 0 to 33 {
      %v = affine.load %x[%i, %j] : memref<5x33xf16>
      affine.store %v, %y[%j, %i] : memref<33x5xf16>
    }
  }
  return
}

// One row, and elements of 4 bits.

func.func @transpose_row(%x: memref<1x8xi4>, %y: memref<8x2xi4> {tile.init = "zeros", tile.result})
    attributes {tile.reference = @transpose_row_reference} {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<1x8xi4, #tile.shared>
    %t = tile.alloc : memref<8x1xi4, #tile.shared>
    tile.copy %x, %s : memref<1x8xi4>, memref<1x8xi4, #tile.shared>
    tile.transpose %s, %t : memref<1x8xi4, #tile.shared>, memref<8x1xi4, #tile.shared>
    tile.copy %t, %y[0, 1] : memref<8x1xi4, #tile.shared>, memref<8x2xi4>
  }
  return
}
func.func @transpose_row_reference(%x: memref<1x8xi4>, %y: memref<8x2xi4>) {
  affine.for %j = 0 to 8 {
    %v = affine.load %x[0, %j] : memref<1x8xi4>
    affine.store %v, %y[%j, 1] : memref<8x2xi4>
  }
  return
}

// Elements keep their row-major order.

func.func @reshape(%x: memref<4x6xf32>, %y: memref<3x8xf32> {tile.result})
    attributes {tile.reference = @reshape_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<4x6xf32, #tile.fragment>
    %r = tile.reshape %s : memref<4x6xf32, #tile.fragment> to memref<3x8xf32, #tile.fragment>
    %f = tile.reshape %r : memref<3x8xf32, #tile.fragment> to memref<24x1xf32, #tile.fragment>
    tile.copy %x, %s : memref<4x6xf32>, memref<4x6xf32, #tile.fragment>
    // Writes through one name are read through another.
    tile.parallel (%i) in (24) {
      %c0 = arith.constant 0 : index
      %v = memref.load %f[%i, %c0] : memref<24x1xf32, #tile.fragment>
      %n = arith.negf %v : f32
      memref.store %n, %f[%i, %c0] : memref<24x1xf32, #tile.fragment>
    }
    tile.copy %r, %y : memref<3x8xf32, #tile.fragment>, memref<3x8xf32>
  }
  return
}
func.func @reshape_reference(%x: memref<4x6xf32>, %y: memref<3x8xf32>) {
  affine.for %k = 0 to 24 {
    %v = affine.load %x[%k floordiv 6, %k mod 6] : memref<4x6xf32>
    %n = arith.negf %v : f32
    affine.store %n, %y[%k floordiv 8, %k mod 8] : memref<3x8xf32>
  }
  return
}

// Global buffers have other names, too, outside of kernels as well.

func.func @reshape_global(%x: memref<4x6xf32>, %y: memref<24xf32> {tile.result})
    attributes {tile.reference = @flatten, tile.atol = 0.0, tile.rtol = 0.0} {
  %r = tile.reshape %x : memref<4x6xf32> to memref<24xf32>
  tile.kernel (%b) in (3) {
    tile.copy %r[%b * 10] [10], %y[%b * 10] : memref<24xf32>, memref<24xf32>
  }
  return
}
func.func @flatten(%x: memref<4x6xf32>, %y: memref<24xf32>) {
  affine.for %k = 0 to 24 {
    %v = affine.load %x[%k floordiv 6, %k mod 6] : memref<4x6xf32>
    affine.store %v, %y[%k] : memref<24xf32>
  }
  return
}

// Bits of the row-major order, little endian.

func.func @view_halves(%x: memref<3x4xf32>, %y: memref<3x8xi16> {tile.result}) attributes {tile.reference = @view_halves_reference} {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<3x4xf32, #tile.shared>
    tile.copy %x, %s : memref<3x4xf32>, memref<3x4xf32, #tile.shared>
    %v = tile.view %s : memref<3x4xf32, #tile.shared> to memref<3x8xi16, #tile.shared>
    tile.copy %v, %y : memref<3x8xi16, #tile.shared>, memref<3x8xi16>
  }
  return
}
func.func @view_halves_reference(%x: memref<3x4xf32>, %y: memref<3x8xi16>) {
  %c16 = arith.constant 16 : i32
  affine.for %i = 0 to 3 {
    affine.for %j = 0 to 4 {
      %v = affine.load %x[%i, %j] : memref<3x4xf32>
      %bits = arith.bitcast %v : f32 to i32
      %high = arith.shrui %bits, %c16 : i32
      %l = arith.trunci %bits : i32 to i16
      %h = arith.trunci %high : i32 to i16
      affine.store %l, %y[%i, %j * 2] : memref<3x8xi16>
      affine.store %h, %y[%i, %j * 2 + 1] : memref<3x8xi16>
    }
  }
  return
}

func.func @view_wide(%x: memref<16xi8>, %y: memref<2xf64> {tile.result})
    attributes {tile.reference = @view_wide_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<16xi8, #tile.shared>
    tile.copy %x, %s : memref<16xi8>, memref<16xi8, #tile.shared>
    %v = tile.view %s : memref<16xi8, #tile.shared> to memref<2xf64, #tile.shared>
    tile.copy %v, %y : memref<2xf64, #tile.shared>, memref<2xf64>
  }
  return
}
func.func @view_wide_reference(%x: memref<16xi8>, %y: memref<2xf64>) {
  %zero = arith.constant 0 : i64
  affine.for %i = 0 to 2 {
    %bits = affine.for %k = 0 to 8 iter_args(%acc = %zero) -> i64 {
      %v = affine.load %x[%i * 8 + %k] : memref<16xi8>
      %w = arith.extui %v : i8 to i64
      %at = affine.apply affine_map<(k) -> (k * 8)>(%k)
      %shift = arith.index_cast %at : index to i64
      %up = arith.shli %w, %shift : i64
      %next = arith.ori %acc, %up : i64
      affine.yield %next : i64
    }
    %r = arith.bitcast %bits : i64 to f64
    affine.store %r, %y[%i] : memref<2xf64>
  }
  return
}

// The low half of a byte comes first, and rows of an odd length go on in the middle of a byte.

func.func @view_nibbles(%x: memref<5xi8>, %y: memref<2x6xi4> {tile.init = "zeros", tile.result},
                        %z: memref<2x6xi4> {tile.init = "zeros", tile.result})
    attributes {tile.reference = @view_nibbles_reference} {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<5xi8, #tile.shared>
    %v = tile.view %s : memref<5xi8, #tile.shared> to memref<2x5xi4, #tile.shared>
    %r = tile.reshape %v : memref<2x5xi4, #tile.shared> to memref<10xi4, #tile.shared>
    tile.copy %x, %s : memref<5xi8>, memref<5xi8, #tile.shared>
    tile.copy %v, %y[0, 1] : memref<2x5xi4, #tile.shared>, memref<2x6xi4>
    %one = arith.constant 1 : i4
    %c1 = arith.constant 1 : index
    tile.parallel (%i) in (5) {
      %old = memref.load %v[%c1, %i] : memref<2x5xi4, #tile.shared>
      %new = arith.addi %old, %one : i4
      memref.store %new, %v[%c1, %i] : memref<2x5xi4, #tile.shared>
    }
    tile.copy %r[5] [5], %z[0, 0] [1, 5] : memref<10xi4, #tile.shared>, memref<2x6xi4>
  }
  return
}
func.func @view_nibbles_reference(%x: memref<5xi8>, %y: memref<2x6xi4>, %z: memref<2x6xi4>) {
  %one = arith.constant 1 : i4
  affine.for %k = 0 to 10 {
    %byte = affine.load %x[%k floordiv 2] : memref<5xi8>
    %at = affine.apply affine_map<(k) -> ((k mod 2) * 4)>(%k)
    %shift = arith.index_cast %at : index to i8
    %down = arith.shrui %byte, %shift : i8
    %v = arith.trunci %down : i8 to i4
    affine.store %v, %y[%k floordiv 5, %k mod 5 + 1] : memref<2x6xi4>
    affine.if affine_set<(k) : (k - 5 >= 0)>(%k) {
      %n = arith.addi %v, %one : i4
      affine.store %n, %z[0, %k - 5] : memref<2x6xi4>
    }
  }
  return
}

func.func @view_float4(%x: memref<2x4xi8>, %y: memref<2x8xf32> {tile.result})
    attributes {tile.reference = @view_float4_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<2x4xi8, #tile.shared>
    tile.copy %x, %s : memref<2x4xi8>, memref<2x4xi8, #tile.shared>
    %v = tile.view %s : memref<2x4xi8, #tile.shared> to memref<2x8xf4E2M1FN, #tile.shared>
    tile.copy %v, %y : memref<2x8xf4E2M1FN, #tile.shared>, memref<2x8xf32>
  }
  return
}
func.func @view_float4_reference(%x: memref<2x4xi8>, %y: memref<2x8xf32>) {
  affine.for %i = 0 to 2 {
    affine.for %j = 0 to 8 {
      %byte = affine.load %x[%i, %j floordiv 2] : memref<2x4xi8>
      %at = affine.apply affine_map<(k) -> ((k mod 2) * 4)>(%j)
      %shift = arith.index_cast %at : index to i8
      %down = arith.shrui %byte, %shift : i8
      %code = arith.trunci %down : i8 to i4
      %wide = arith.extui %code : i4 to i32
      // 0, 1/2, 1, 3/2, 2, 3, 4, 6: sign, two bits of exponent, one of mantissa.
      %c1 = arith.constant 1 : i32
      %c3 = arith.constant 3 : i32
      %m = arith.andi %wide, %c1 : i32
      %e1 = arith.shrui %wide, %c1 : i32
      %e = arith.andi %e1, %c3 : i32
      %s = arith.shrui %wide, %c3 : i32
      %zero = arith.constant 0 : i32
      %isSmall = arith.cmpi eq, %e, %zero : i32
      %c2 = arith.constant 2 : i32
      %significand = arith.addi %m, %c2 : i32
      %up = arith.subi %e, %c1 : i32
      %upOrZero = arith.maxsi %up, %zero : i32
      %normal = arith.shli %significand, %upOrZero : i32
      %twice = arith.select %isSmall, %m, %normal : i32
      %f = arith.sitofp %twice : i32 to f32
      %half = arith.constant 0.5 : f32
      %v = arith.mulf %f, %half : f32
      %n = arith.negf %v : f32
      %isNegative = arith.cmpi ne, %s, %zero : i32
      %r = arith.select %isNegative, %n, %v : f32
      affine.store %r, %y[%i, %j] : memref<2x8xf32>
    }
  }
  return
}

// Two blocks write the two halves of a byte, over and over; neither loses what it has written.

func.func @halves(%y: memref<2xi4> {tile.result}) attributes {tile.reference = @halves_reference} {
  %c0 = arith.constant 0 : index
  %s = tile.alloc : memref<1xi32>
  tile.kernel (%b) in (2) {
    tile.parallel (%t) in (1) {
      affine.for %k = 0 to 300004 {
        %v = arith.index_cast %k : index to i32
        %w = arith.trunci %v : i32 to i4
        memref.store %w, %y[%b] : memref<2xi4>
        // Keeps the compiler from leaving out all stores but the last.
        tile.atomic add %v, %s[%c0] : i32, memref<1xi32>
      }
    }
  }
  return
}
func.func @halves_reference(%y: memref<2xi4>) {
  %three = arith.constant 3 : i4
  linalg.fill ins(%three : i4) outs(%y : memref<2xi4>)
  return
}

// Votes over all elements, one of which is different; types see different bits of it.

func.func @votes(%n: index {tile.shape = "N"}, %p: index {tile.shape = "P"}, %any: memref<4xi32> {tile.result},
                 %all: memref<4xi32> {tile.result})
    attributes {tile.reference = @votes_reference,
                tile.cases = ["N=0 P=0", "N=0 P=24", "N=1 P=0", "N=1 P=24", "N=2 P=23", "N=3 P=5", "N=256 P=3"]} {
  tile.kernel (%b) in (1) {
    %wide = tile.alloc : memref<5x5xi32, #tile.fragment>
    %small = tile.alloc : memref<25xi4, #tile.shared>
    %bits = tile.alloc : memref<5x5xi1, #tile.shared>
    %long = tile.alloc : memref<1x25x1xi64, #tile.fragment>
    tile.parallel (%i, %j) in (5, 5) {
      %c0 = arith.constant 0 : index
      %k = affine.apply affine_map<(i, j) -> (i * 5 + j)>(%i, %j)
      %isP = arith.cmpi eq, %k, %p : index
      %odd = arith.constant 1 : index
      %flag = arith.andi %n, %odd : index
      // N even: zero but at P; N odd: one but at P. The value at P is N / 2.
      %half = arith.shrui %n, %odd : index
      %v = arith.select %isP, %half, %flag : index
      %v32 = arith.index_cast %v : index to i32
      %v64 = arith.index_cast %v : index to i64
      %v4 = arith.trunci %v32 : i32 to i4
      %v1 = arith.trunci %v32 : i32 to i1
      memref.store %v32, %wide[%i, %j] : memref<5x5xi32, #tile.fragment>
      memref.store %v4, %small[%k] : memref<25xi4, #tile.shared>
      memref.store %v1, %bits[%i, %j] : memref<5x5xi1, #tile.shared>
      memref.store %v64, %long[%c0, %k, %c0] : memref<1x25x1xi64, #tile.fragment>
    }
    %a0 = tile.any_of %wide : memref<5x5xi32, #tile.fragment>
    %a1 = tile.any_of %small : memref<25xi4, #tile.shared>
    %a2 = tile.any_of %bits : memref<5x5xi1, #tile.shared>
    %a3 = tile.any_of %long : memref<1x25x1xi64, #tile.fragment>
    %l0 = tile.all_of %wide : memref<5x5xi32, #tile.fragment>
    %l1 = tile.all_of %small : memref<25xi4, #tile.shared>
    %l2 = tile.all_of %bits : memref<5x5xi1, #tile.shared>
    %l3 = tile.all_of %long : memref<1x25x1xi64, #tile.fragment>
    tile.parallel (%t) in (1) {
      func.call @write(%any, %a0, %a1, %a2, %a3) : (memref<4xi32>, i1, i1, i1, i1) -> ()
      func.call @write(%all, %l0, %l1, %l2, %l3) : (memref<4xi32>, i1, i1, i1, i1) -> ()
    }
  }
  return
}
func.func private @write(%y: memref<4xi32>, %a: i1, %b: i1, %c: i1, %d: i1) {
  %v0 = arith.extui %a : i1 to i32
  %v1 = arith.extui %b : i1 to i32
  %v2 = arith.extui %c : i1 to i32
  %v3 = arith.extui %d : i1 to i32
  affine.store %v0, %y[0] : memref<4xi32>
  affine.store %v1, %y[1] : memref<4xi32>
  affine.store %v2, %y[2] : memref<4xi32>
  affine.store %v3, %y[3] : memref<4xi32>
  return
}
func.func @votes_reference(%n: index, %p: index, %any: memref<4xi32>, %all: memref<4xi32>) {
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : index
  %odd = arith.andi %n, %one : index
  %half = arith.shrui %n, %one : index
  %others = arith.cmpi ne, %odd, %zero : index
  %c15 = arith.constant 15 : index
  %low4 = arith.andi %half, %c15 : index
  %low1 = arith.andi %half, %one : index
  %at = arith.cmpi ne, %half, %zero : index
  %at4 = arith.cmpi ne, %low4, %zero : index
  %at1 = arith.cmpi ne, %low1, %zero : index
  %a0 = arith.ori %others, %at : i1
  %a1 = arith.ori %others, %at4 : i1
  %a2 = arith.ori %others, %at1 : i1
  %l0 = arith.andi %others, %at : i1
  %l1 = arith.andi %others, %at4 : i1
  %l2 = arith.andi %others, %at1 : i1
  func.call @write(%any, %a0, %a1, %a2, %a0) : (memref<4xi32>, i1, i1, i1, i1) -> ()
  func.call @write(%all, %l0, %l1, %l2, %l0) : (memref<4xi32>, i1, i1, i1, i1) -> ()
  return
}
