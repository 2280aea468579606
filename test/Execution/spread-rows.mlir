// Blocks of a cluster share rows: each has a part of the columns, and all get the results of reductions. On the model, which
// reports races between them, against whole rows on the CPU.

// REQUIRES: tile-run, nvidia
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: tile-opt %s --tile-to-gpu-pipeline=chip=sm_90a | FileCheck %s --check-prefix=CLUSTER
// CHECK: {{^}}7 passed, 0 failed{{$}}

// Two reductions; two rows a block; the last part of short rows is only padding.
// CLUSTER-LABEL: gpu.func @softmax
// CLUSTER-SAME: cluster = [1, 4]
// CLUSTER: nvvm.cluster.arrive.relaxed
// CLUSTER: nvvm.cluster.wait
// CLUSTER: st.async
func.func @softmax(%x: memref<?x?xf32> {tile.shape = "MxN"}, %y: memref<?x?xf32> {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @softmax_reference, tile.cases = ["M=5 N=512", "M=2 N=500", "M=3 N=100", "M=1 N=1"],
                tile.atol = 1.0e-6, tile.rtol = 1.0e-5} {
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 2)) threads(128) attributes {tile.spread_rows = 4} {
    %lowest = arith.constant 0xFF800000 : f32
    tile.padding_value %x, %lowest : memref<?x?xf32>
    %v = tile.alloc : memref<2x512xf32, #tile.fragment>
    %max = tile.alloc : memref<2xf32, #tile.fragment>
    %sum = tile.alloc : memref<2xf32, #tile.fragment>
    tile.copy %x[%b * 2, 0], %v
    tile.reduce max %v, %max dim(1)
    tile.parallel (%i, %j) in (2, 512) do %v[%i, %j] = exp(%v[%i, %j] - %max[%i])
    tile.reduce sum %v, %sum dim(1)
    tile.parallel (%i, %j) in (2, 512) do %v[%i, %j] = %v[%i, %j] / %sum[%i]
    tile.copy %v, %y[%b * 2, 0]
  }
  return
}
func.func private @softmax_reference(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  tile.kernel (%b) in (dim(%x, 0)) {
    %lowest = arith.constant 0xFF800000 : f32
    tile.padding_value %x, %lowest : memref<?x?xf32>
    %v = tile.alloc : memref<1x512xf32, #tile.shared>
    %max = tile.alloc : memref<1xf32, #tile.shared>
    %sum = tile.alloc : memref<1xf32, #tile.shared>
    tile.copy %x[%b, 0], %v
    tile.reduce max %v, %max dim(1)
    tile.parallel (%i, %j) in (1, 512) do %v[%i, %j] = exp(%v[%i, %j] - %max[%i])
    tile.reduce sum %v, %sum dim(1)
    tile.parallel (%i, %j) in (1, 512) do %v[%i, %j] = %v[%i, %j] / %sum[%i]
    tile.copy %v, %y[%b, 0]
  }
  return
}

// In shared memory; weights by column; a result for each row beside them.
func.func @norm(%x: memref<3x768xbf16>, %w: memref<768xbf16>, %y: memref<3x768xbf16> {tile.result}, %r: memref<3xf32> {tile.result})
    attributes {tile.reference = @norm_reference, tile.atol = 2.0e-2, tile.rtol = 1.0e-2} {
  tile.kernel (%b) in (3) threads(96) attributes {tile.spread_rows = 2} {
    %row = tile.alloc : memref<1x768xbf16, #tile.shared>
    %square = tile.alloc : memref<1x768xf32, #tile.fragment>
    %sum = tile.alloc : memref<1xf32, #tile.fragment>
    tile.copy %x[%b, 0], %row
    tile.parallel (%i, %j) in (1, 768) do %square[%i, %j] = f32(%row[%i, %j]) * f32(%row[%i, %j])
    tile.reduce sum %square, %sum dim(1)
    tile.parallel (%i, %j) in (1, 768) do
      %row[%i, %j] = bf16(f32(%row[%i, %j]) * rsqrt(%sum[%i] / 768.0) * f32(%w[%j]))
    tile.copy %row, %y[%b, 0]
    tile.copy %sum, %r[%b]
  }
  return
}
func.func private @norm_reference(%x: memref<3x768xbf16>, %w: memref<768xbf16>, %y: memref<3x768xbf16>, %r: memref<3xf32>) {
  tile.kernel (%b) in (3) {
    %row = tile.alloc : memref<1x768xbf16, #tile.shared>
    %square = tile.alloc : memref<1x768xf32, #tile.shared>
    %sum = tile.alloc : memref<1xf32, #tile.shared>
    tile.copy %x[%b, 0], %row
    tile.parallel (%i, %j) in (1, 768) do %square[%i, %j] = f32(%row[%i, %j]) * f32(%row[%i, %j])
    tile.reduce sum %square, %sum dim(1)
    tile.parallel (%i, %j) in (1, 768) do
      %row[%i, %j] = bf16(f32(%row[%i, %j]) * rsqrt(%sum[%i] / 768.0) * f32(%w[%j]))
    tile.copy %row, %y[%b, 0]
    tile.copy %sum, %r[%b]
  }
  return
}

// Every kind, of integers, in eight blocks; `max` of the tile and what it had; more rows than warps.
func.func @kinds(%x: memref<9x256xi32> {tile.init = "integers(-1000,1000)"}, %y: memref<9x7xi32> {tile.result})
    attributes {tile.reference = @kinds_reference} {
  tile.kernel (%b) in (1) threads(32) attributes {tile.spread_rows = 8} {
    %t = tile.alloc : memref<9x256xi32, #tile.fragment>
    tile.copy %x, %t
    %0 = tile.alloc : memref<9xi32, #tile.fragment>
    %1 = tile.alloc : memref<9xi32, #tile.fragment>
    %2 = tile.alloc : memref<9xi32, #tile.fragment>
    %3 = tile.alloc : memref<9xi32, #tile.fragment>
    %4 = tile.alloc : memref<9xi32, #tile.fragment>
    %5 = tile.alloc : memref<9xi32, #tile.fragment>
    %6 = tile.alloc : memref<9xi32, #tile.fragment>
    tile.fill %0, 900
    tile.reduce max %t, %0 dim(1) {combine}
    tile.reduce min %t, %1 dim(1)
    tile.reduce sum %t, %2 dim(1)
    tile.reduce absmax %t, %3 dim(1)
    tile.reduce and %t, %4 dim(1)
    tile.reduce or %t, %5 dim(1)
    tile.reduce xor %t, %6 dim(1)
    tile.copy %0, %y[0, 0] [9, 1]
    tile.copy %1, %y[0, 1] [9, 1]
    tile.copy %2, %y[0, 2] [9, 1]
    tile.copy %3, %y[0, 3] [9, 1]
    tile.copy %4, %y[0, 4] [9, 1]
    tile.copy %5, %y[0, 5] [9, 1]
    tile.copy %6, %y[0, 6] [9, 1]
  }
  return
}
func.func private @kinds_reference(%x: memref<9x256xi32>, %y: memref<9x7xi32>) {
  %nine = arith.constant 900 : i32
  %zero = arith.constant 0 : i32
  %ones = arith.constant -1 : i32
  affine.for %i = 0 to 9 {
    %first = affine.load %x[%i, 0] : memref<9x256xi32>
    %r:7 = affine.for %j = 0 to 256 iter_args(%max = %nine, %min = %first, %sum = %zero, %top = %zero, %and = %ones, %or = %zero,
        %xor = %zero) -> (i32, i32, i32, i32, i32, i32, i32) {
      %a = affine.load %x[%i, %j] : memref<9x256xi32>
      %b = math.absi %a : i32
      %0 = arith.maxsi %max, %a : i32
      %1 = arith.minsi %min, %a : i32
      %2 = arith.addi %sum, %a : i32
      %3 = arith.maxsi %top, %b : i32
      %4 = arith.andi %and, %a : i32
      %5 = arith.ori %or, %a : i32
      %6 = arith.xori %xor, %a : i32
      affine.yield %0, %1, %2, %3, %4, %5, %6 : i32, i32, i32, i32, i32, i32, i32
    }
    affine.store %r#0, %y[%i, 0] : memref<9x7xi32>
    affine.store %r#1, %y[%i, 1] : memref<9x7xi32>
    affine.store %r#2, %y[%i, 2] : memref<9x7xi32>
    affine.store %r#3, %y[%i, 3] : memref<9x7xi32>
    affine.store %r#4, %y[%i, 4] : memref<9x7xi32>
    affine.store %r#5, %y[%i, 5] : memref<9x7xi32>
    affine.store %r#6, %y[%i, 6] : memref<9x7xi32>
  }
  return
}

// NaN in one part is ignored where there are numbers in others, or passed on; the place of the largest is that in the whole row.
func.func @places(%x: memref<3x128xf32>, %y: memref<3x2xf32> {tile.result}, %p: memref<3xi32> {tile.result})
    attributes {tile.reference = @places_reference} {
  tile.kernel (%b) in (3) threads(32) attributes {tile.spread_rows = 2} {
    %t = tile.alloc : memref<1x128xf32, #tile.fragment>
    %best = tile.alloc : memref<1xf32, #tile.fragment>
    %nan = tile.alloc : memref<1xf32, #tile.fragment>
    %at = tile.alloc : memref<1xi32, #tile.fragment>
    tile.copy %x[%b, 0], %t
    // The first half of row 1 is NaN, and all of row 2; the second half of row 0 has an infinity.
    tile.parallel (%i, %j) in (1, 128) {
      %a = memref.load %t[%i, %j] : memref<1x128xf32, #tile.fragment>
      %c64 = arith.constant 64 : index
      %c100 = arith.constant 100 : index
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %none = arith.constant 0x7FC00000 : f32
      %inf = arith.constant 0x7F800000 : f32
      %low = arith.cmpi slt, %j, %c64 : index
      %row0 = arith.cmpi eq, %b, %c0 : index
      %row2 = arith.cmpi eq, %b, %c2 : index
      %is100 = arith.cmpi eq, %j, %c100 : index
      %has = arith.andi %row0, %is100 : i1
      %some = arith.select %has, %inf, %a : f32
      %half = arith.select %low, %none, %some : f32
      %rest = arith.select %row0, %some, %half : f32
      %r = arith.select %row2, %none, %rest : f32
      memref.store %r, %t[%i, %j] : memref<1x128xf32, #tile.fragment>
    }
    tile.arg_reduce max %t, %best, %at dim(1)
    tile.reduce max %t, %nan dim(1) {propagate_nan}
    tile.copy %best, %y[%b, 0] [1, 1]
    tile.copy %nan, %y[%b, 1] [1, 1]
    tile.copy %at, %p[%b]
  }
  return
}
func.func private @places_reference(%x: memref<3x128xf32>, %y: memref<3x2xf32>, %p: memref<3xi32>) {
  %none = arith.constant 0x7FC00000 : f32
  %inf = arith.constant 0x7F800000 : f32
  %low = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : i32
  %c100 = arith.constant 100 : i32
  %zero = arith.constant 0 : index
  affine.store %inf, %y[0, 0] : memref<3x2xf32>
  affine.store %inf, %y[0, 1] : memref<3x2xf32>
  affine.store %c100, %p[0] : memref<3xi32>
  %best:2 = affine.for %j = 64 to 128 iter_args(%old = %low, %place = %zero) -> (f32, index) {
    %a = affine.load %x[1, %j] : memref<3x128xf32>
    %better = arith.cmpf ogt, %a, %old : f32
    %new = arith.select %better, %a, %old : f32
    %at = arith.select %better, %j, %place : index
    affine.yield %new, %at : f32, index
  }
  %at = arith.index_cast %best#1 : index to i32
  affine.store %best#0, %y[1, 0] : memref<3x2xf32>
  affine.store %none, %y[1, 1] : memref<3x2xf32>
  affine.store %at, %p[1] : memref<3xi32>
  affine.store %none, %y[2, 0] : memref<3x2xf32>
  affine.store %none, %y[2, 1] : memref<3x2xf32>
  affine.store %c0, %p[2] : memref<3xi32>
  return
}
