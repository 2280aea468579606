// Atomic updates: kinds, types, contention, old values, regions that leave the target.

// REQUIRES: tile-run
// RUN: tile-run %s | FileCheck %s
// CHECK: {{^}}16 passed, 0 failed{{$}}

// All blocks and threads update the same elements; sums of small integers do not depend on the order.

func.func @contention(%i: memref<4xi32> {tile.init = "zeros", tile.result}, %l: memref<4xi64> {tile.init = "zeros", tile.result},
                      %f: memref<4xf32> {tile.init = "zeros", tile.result}, %d: memref<4xf64> {tile.init = "zeros", tile.result},
                      %h: memref<4xf16> {tile.init = "zeros", tile.result}, %b: memref<4xbf16> {tile.init = "zeros", tile.result})
    attributes {tile.reference = @contention_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  %i1 = arith.constant 3 : i32
  %l1 = arith.constant 5000000000 : i64
  %f1 = arith.constant 1.0 : f32
  %d1 = arith.constant 0.5 : f64
  %h1 = arith.constant 1.0 : f16
  // 256 times a sixteenth: beyond 16, bf16 would lose them if sums were kept in it; see the reference.
  %b1 = arith.constant 0.0625 : bf16
  tile.kernel (%block) in (64) {
    tile.parallel (%t, %j) in (4, 4) {
      tile.atomic add %i1, %i[%j] : i32, memref<4xi32>
      tile.atomic add %l1, %l[%j] : i64, memref<4xi64>
      tile.atomic add %f1, %f[%j] : f32, memref<4xf32>
      tile.atomic add %d1, %d[%j] : f64, memref<4xf64>
      tile.atomic add %h1, %h[%j] : f16, memref<4xf16>
      tile.atomic add %b1, %b[%j] : bf16, memref<4xbf16>
    }
  }
  return
}
func.func @contention_reference(%i: memref<4xi32>, %l: memref<4xi64>, %f: memref<4xf32>, %d: memref<4xf64>,
                                %h: memref<4xf16>, %b: memref<4xbf16>) {
  %i1 = arith.constant 768 : i32
  %l1 = arith.constant 1280000000000 : i64
  %f1 = arith.constant 256.0 : f32
  %d1 = arith.constant 128.0 : f64
  %h1 = arith.constant 256.0 : f16
  // Each update rounds to bf16, whose numbers from 16 on are an eighth apart: a tie, which goes to the even 16.
  %b1 = arith.constant 16.0 : bf16
  linalg.fill ins(%i1 : i32) outs(%i : memref<4xi32>)
  linalg.fill ins(%l1 : i64) outs(%l : memref<4xi64>)
  linalg.fill ins(%f1 : f32) outs(%f : memref<4xf32>)
  linalg.fill ins(%d1 : f64) outs(%d : memref<4xf64>)
  linalg.fill ins(%h1 : f16) outs(%h : memref<4xf16>)
  linalg.fill ins(%b1 : bf16) outs(%b : memref<4xbf16>)
  return
}

// The largest and least number that any block offers; old content takes part.

func.func @extremes(%x: memref<1000xi32> {tile.init = "integers(-1000000,1000000)"},
                    %max: memref<2xi32> {tile.init = "integers(-10,10)", tile.result},
                    %min: memref<2xi32> {tile.init = "integers(-10,10)", tile.result},
                    %umax: memref<1xi32> {tile.init = "zeros", tile.result},
                    %umin: memref<1xi32> {tile.init = "integers(-1,-1)", tile.result},
                    %or: memref<1xi32> {tile.init = "zeros", tile.result})
    attributes {tile.reference = @extremes_reference} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (10) {
    tile.parallel (%i) in (100) {
      %p = affine.apply affine_map<(b, i) -> (b * 100 + i)>(%b, %i)
      %v = memref.load %x[%p] : memref<1000xi32>
      %thousand = arith.constant 1024 : i32
      %bits = arith.andi %v, %thousand : i32
      tile.atomic max %v, %max[%c0] : i32, memref<2xi32>
      tile.atomic min %v, %min[%c1] : i32, memref<2xi32>
      tile.atomic max %v, %umax[%c0] {is_unsigned} : i32, memref<1xi32>
      tile.atomic min %v, %umin[%c0] {is_unsigned} : i32, memref<1xi32>
      tile.atomic or %bits, %or[%c0] : i32, memref<1xi32>
    }
  }
  return
}
func.func @extremes_reference(%x: memref<1000xi32>, %max: memref<2xi32>, %min: memref<2xi32>, %umax: memref<1xi32>,
                              %umin: memref<1xi32>, %or: memref<1xi32>) {
  %thousand = arith.constant 1024 : i32
  affine.for %i = 0 to 1000 {
    %v = affine.load %x[%i] : memref<1000xi32>
    %a = affine.load %max[0] : memref<2xi32>
    %ac = arith.cmpi sgt, %v, %a : i32
    %an = arith.select %ac, %v, %a : i32
    affine.store %an, %max[0] : memref<2xi32>
    %b = affine.load %min[1] : memref<2xi32>
    %bc = arith.cmpi slt, %v, %b : i32
    %bn = arith.select %bc, %v, %b : i32
    affine.store %bn, %min[1] : memref<2xi32>
    %c = affine.load %umax[0] : memref<1xi32>
    %cc = arith.cmpi ugt, %v, %c : i32
    %cn = arith.select %cc, %v, %c : i32
    affine.store %cn, %umax[0] : memref<1xi32>
    %d = affine.load %umin[0] : memref<1xi32>
    %dc = arith.cmpi ult, %v, %d : i32
    %dn = arith.select %dc, %v, %d : i32
    affine.store %dn, %umin[0] : memref<1xi32>
    %o = affine.load %or[0] : memref<1xi32>
    %bits = arith.andi %v, %thousand : i32
    %on = arith.ori %o, %bits : i32
    affine.store %on, %or[0] : memref<1xi32>
  }
  return
}

// max and min of floats ignore NaN, in the target and in the value.

func.func @nan(%f: memref<4xf32> {tile.result}, %h: memref<4xf16> {tile.result}, %b: memref<4xbf16> {tile.result},
               %d: memref<4xf64> {tile.result})
    attributes {tile.reference = @nan_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %fn = arith.constant 0x7FC00000 : f32
  %f1 = arith.constant -1.5 : f32
  %hn = arith.constant 0x7E00 : f16
  %h1 = arith.constant -1.5 : f16
  %bn = arith.constant 0x7FC0 : bf16
  %b1 = arith.constant -1.5 : bf16
  %dn = arith.constant 0x7FF8000000000000 : f64
  %d1 = arith.constant -1.5 : f64
  tile.kernel (%block) in (1) {
    // All results begin as NaN (poison). 0: a number, then NaN. 1: the other order. 2: min. 3: NaN stays.
    tile.parallel (%t) in (1) {
      tile.atomic max %f1, %f[%c0] : f32, memref<4xf32>
      tile.atomic max %fn, %f[%c0] : f32, memref<4xf32>
      tile.atomic min %fn, %f[%c1] : f32, memref<4xf32>
      tile.atomic max %f1, %f[%c1] : f32, memref<4xf32>
      tile.atomic min %f1, %f[%c2] : f32, memref<4xf32>
      tile.atomic max %h1, %h[%c0] : f16, memref<4xf16>
      tile.atomic max %hn, %h[%c0] : f16, memref<4xf16>
      tile.atomic min %hn, %h[%c1] : f16, memref<4xf16>
      tile.atomic max %h1, %h[%c1] : f16, memref<4xf16>
      tile.atomic min %h1, %h[%c2] : f16, memref<4xf16>
      tile.atomic max %b1, %b[%c0] : bf16, memref<4xbf16>
      tile.atomic max %bn, %b[%c0] : bf16, memref<4xbf16>
      tile.atomic min %bn, %b[%c1] : bf16, memref<4xbf16>
      tile.atomic max %b1, %b[%c1] : bf16, memref<4xbf16>
      tile.atomic min %b1, %b[%c2] : bf16, memref<4xbf16>
      tile.atomic max %d1, %d[%c0] : f64, memref<4xf64>
      tile.atomic max %dn, %d[%c0] : f64, memref<4xf64>
      tile.atomic min %dn, %d[%c1] : f64, memref<4xf64>
      tile.atomic max %d1, %d[%c1] : f64, memref<4xf64>
      tile.atomic min %d1, %d[%c2] : f64, memref<4xf64>
    }
  }
  return
}
func.func @nan_reference(%f: memref<4xf32>, %h: memref<4xf16>, %b: memref<4xbf16>, %d: memref<4xf64>) {
  %f1 = arith.constant -1.5 : f32
  %h1 = arith.constant -1.5 : f16
  %b1 = arith.constant -1.5 : bf16
  %d1 = arith.constant -1.5 : f64
  affine.for %i = 0 to 3 {
    affine.store %f1, %f[%i] : memref<4xf32>
    affine.store %h1, %h[%i] : memref<4xf16>
    affine.store %b1, %b[%i] : memref<4xbf16>
    affine.store %d1, %d[%i] : memref<4xf64>
  }
  return
}

// Every ticket is drawn once: the old values of an atomic counter are all different.

func.func @tickets(%drawn: memref<640xi32> {tile.init = "zeros", tile.result}) attributes {tile.reference = @tickets_reference} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %counter = tile.alloc : memref<1xi32>
  tile.kernel (%b) in (1) {
    tile.fill %counter, %zero : memref<1xi32>
  }
  tile.kernel (%b) in (64) {
    tile.parallel (%i) in (10) {
      %old = tile.atomic add %one, %counter[%c0] : i32, memref<1xi32> -> i32
      %ticket = arith.index_cast %old : i32 to index
      tile.atomic add %one, %drawn[%ticket] : i32, memref<640xi32>
    }
  }
  return
}
func.func @tickets_reference(%drawn: memref<640xi32>) {
  %one = arith.constant 1 : i32
  linalg.fill ins(%one : i32) outs(%drawn : memref<640xi32>)
  return
}

// Outside of the target nothing happens, and the old value is the padding value.

func.func @outside(%x: memref<?xi32> {tile.shape = "N", tile.init = "iota", tile.result}, %old: memref<8xi32> {tile.result})
    attributes {tile.reference = @outside_reference, tile.cases = ["N=0", "N=1", "N=5", "N=8", "N=100"]} {
  %ten = arith.constant 10 : i32
  %safe = arith.constant -7 : i32
  tile.kernel (%b) in (1) {
    tile.padding_value %x, %safe : memref<?xi32>
    tile.parallel (%i) in (8) {
      %o = tile.atomic add %ten, %x[%i - 2] : i32, memref<?xi32> -> i32
      memref.store %o, %old[%i] : memref<8xi32>
    }
  }
  return
}
func.func @outside_reference(%x: memref<?xi32>, %old: memref<8xi32>) {
  %c0 = arith.constant 0 : index
  %ten = arith.constant 10 : i32
  %safe = arith.constant -7 : i32
  %n = memref.dim %x, %c0 : memref<?xi32>
  linalg.fill ins(%safe : i32) outs(%old : memref<8xi32>)
  affine.for %i = 0 to min affine_map<()[n] -> (6, n)>()[%n] {
    %v = affine.load %x[%i] : memref<?xi32>
    affine.store %v, %old[%i + 2] : memref<8xi32>
    %s = arith.addi %v, %ten : i32
    affine.store %s, %x[%i] : memref<?xi32>
  }
  return
}

// The tile form combines what lies inside, from all blocks.

func.func @tiles(%x: memref<?x?xf32> {tile.shape = "MxN", tile.init = "ones", tile.result})
    attributes {tile.reference = @tiles_reference, tile.cases = ["M=6 N=9", "M=1 N=1", "M=3 N=40", "M=0 N=4", "M=30 N=30"],
                tile.atol = 0.0, tile.rtol = 0.0} {
  %two = arith.constant 2.0 : f32
  tile.kernel (%b) in (16) {
    %t = tile.alloc : memref<4x8xf32, #tile.fragment>
    tile.fill %t, %two : memref<4x8xf32, #tile.fragment>
    tile.atomic add %t, %x[-1, 3] : memref<4x8xf32, #tile.fragment>, memref<?x?xf32>
  }
  return
}
func.func @tiles_reference(%x: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = arith.constant 33.0 : f32
  %m = memref.dim %x, %c0 : memref<?x?xf32>
  %n = memref.dim %x, %c1 : memref<?x?xf32>
  affine.for %i = 0 to min affine_map<()[n] -> (3, n)>()[%m] {
    affine.for %j = 3 to min affine_map<()[n] -> (11, n)>()[%n] {
      affine.store %sum, %x[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// A tile in shared memory is updated by all threads of its block.

func.func @histogram(%x: memref<4x1000xi32> {tile.init = "integers(0,15)"}, %bins: memref<4x16xi32> {tile.result})
    attributes {tile.reference = @histogram_reference} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  tile.kernel (%b) in (4) {
    %t = tile.alloc : memref<16xi32, #tile.shared>
    tile.fill %t, %zero : memref<16xi32, #tile.shared>
    tile.parallel (%i) in (1000) {
      %v = memref.load %x[%b, %i] : memref<4x1000xi32>
      %bin = arith.index_cast %v : i32 to index
      tile.atomic add %one, %t[%bin] : i32, memref<16xi32, #tile.shared>
    }
    tile.copy %t, %bins[%b, 0] : memref<16xi32, #tile.shared>, memref<4x16xi32>
  }
  return
}
func.func @histogram_reference(%x: memref<4x1000xi32>, %bins: memref<4x16xi32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  linalg.fill ins(%zero : i32) outs(%bins : memref<4x16xi32>)
  affine.for %b = 0 to 4 {
    affine.for %i = 0 to 1000 {
      %v = affine.load %x[%b, %i] : memref<4x1000xi32>
      %bin = arith.index_cast %v : i32 to index
      %old = memref.load %bins[%b, %bin] : memref<4x16xi32>
      %new = arith.addi %old, %one : i32
      memref.store %new, %bins[%b, %bin] : memref<4x16xi32>
    }
  }
  return
}

// Subnormal numbers count in bf16, too, on machines whose own conversion drops them.

func.func @subnormal(%b: memref<3xbf16> {tile.result}) attributes {tile.reference = @subnormal_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : bf16
  %s = arith.constant 0x0003 : bf16
  %n = arith.constant 0x0080 : bf16
  %m = arith.constant 0x8001 : bf16
  tile.kernel (%block) in (1) {
    tile.fill %b, %z : memref<3xbf16>
    tile.parallel (%t) in (1) {
      tile.atomic add %s, %b[%c0] : bf16, memref<3xbf16>
      tile.atomic add %s, %b[%c0] : bf16, memref<3xbf16>
      tile.atomic max %s, %b[%c1] : bf16, memref<3xbf16>
      tile.atomic add %n, %b[%c2] : bf16, memref<3xbf16>
      tile.atomic add %m, %b[%c2] : bf16, memref<3xbf16>
    }
  }
  return
}
func.func @subnormal_reference(%b: memref<3xbf16>) {
  %s = arith.constant 0x0006 : bf16
  %n = arith.constant 0x0003 : bf16
  %o = arith.constant 0x007F : bf16
  affine.store %s, %b[0] : memref<3xbf16>
  affine.store %n, %b[1] : memref<3xbf16>
  affine.store %o, %b[2] : memref<3xbf16>
  return
}
