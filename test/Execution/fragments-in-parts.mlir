// Fragments that a serial loop writes a column at a time, with bounds of affine loops.

// REQUIRES: tile-run, nvidia, amd, ascend
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx1100 --device=model | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=910B | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=950 | FileCheck %s
// CHECK: {{^}}6 passed, 0 failed{{$}}

// The two largest of 16 gates and their experts: each iteration writes one column of both fragments, which other threads read.

func.func @top2(%x: memref<?x16xf32> {tile.shape = "Nx16", tile.init = "permutation"},
                %w: memref<?x2xf32> {tile.shape = "Nx2", tile.result}, %e: memref<?x2xi32> {tile.shape = "Nx2", tile.result})
    attributes {tile.reference = @top2_reference, tile.cases = ["N=1", "N=33", "N=64"]} {
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 32)) threads(128) {
    %t = tile.alloc : memref<32x16xf32, #tile.fragment>
    %c = tile.alloc : memref<32x16xi32, #tile.fragment>
    %largest = tile.alloc : memref<32x2xf32, #tile.fragment>
    %experts = tile.alloc : memref<32x2xi32, #tile.fragment>
    %v = tile.alloc : memref<32xf32, #tile.fragment>
    %p = tile.alloc : memref<32xi32, #tile.fragment>
    tile.copy %x[%b * 32, 0], %t
    affine.for %r = 0 to 2 {
      tile.reduce max %t, %v dim(1)
      tile.parallel (%i, %j) in (32, 16) do %c[%i, %j] = select(%t[%i, %j] == %v[%i], i32(%j), 99)
      tile.reduce min %c, %p dim(1)
      tile.parallel (%i) in (32) do {
        %largest[%i, %r] = %v[%i]
        %experts[%i, %r] = %p[%i]
      }
      tile.parallel (%i, %j) in (32, 16) do %t[%i, %j] = select(i32(%j) == %p[%i], -inf, %t[%i, %j])
    }
    tile.parallel (%i, %j) in (32, 2) do %w[%b * 32 + %i, %j] = %largest[%i, %j] - %largest[%i, 1]
    tile.copy %experts, %e[%b * 32, 0]
  }
  return
}
func.func private @top2_reference(%x: memref<?x16xf32>, %w: memref<?x2xf32>, %e: memref<?x2xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0xFF800000 : f32
  %rows = memref.dim %x, %c0 : memref<?x16xf32>
  affine.for %i = 0 to %rows {
    %best:4 = affine.for %j = 0 to 16 iter_args(%a = %none, %at = %c0, %b = %none, %bt = %c0) -> (f32, index, f32, index) {
      %u = affine.load %x[%i, %j] : memref<?x16xf32>
      %first = arith.cmpf ogt, %u, %a : f32
      %second = arith.cmpf ogt, %u, %b : f32
      %b1 = arith.select %second, %u, %b : f32
      %bt1 = arith.select %second, %j, %bt : index
      %b2 = arith.select %first, %a, %b1 : f32
      %bt2 = arith.select %first, %at, %bt1 : index
      %a1 = arith.select %first, %u, %a : f32
      %at1 = arith.select %first, %j, %at : index
      affine.yield %a1, %at1, %b2, %bt2 : f32, index, f32, index
    }
    %apart = arith.subf %best#0, %best#2 : f32
    %zero = arith.constant 0.0 : f32
    affine.store %apart, %w[%i, 0] : memref<?x2xf32>
    affine.store %zero, %w[%i, 1] : memref<?x2xf32>
    %e0 = arith.index_cast %best#1 : index to i32
    %e1 = arith.index_cast %best#3 : index to i32
    affine.store %e0, %e[%i, 0] : memref<?x2xi32>
    affine.store %e1, %e[%i, 1] : memref<?x2xi32>
  }
  return
}

// Sums in front of each part of a row, and a loop of a step and of the smaller of two bounds.

func.func @sums_before(%x: memref<?x256xi32> {tile.shape = "Nx256", tile.init = "integers(-9,9)"},
                       %y: memref<?x256xi32> {tile.shape = "Nx256", tile.result})
    attributes {tile.reference = @sums_before_reference, tile.cases = ["N=1", "N=5", "N=8"]} {
  %c0 = arith.constant 0 : index
  %rows = memref.dim %x, %c0 : memref<?x256xi32>
  tile.kernel (%b) in (1) threads(64) {
    %t = tile.alloc : memref<1x64xi32, #tile.fragment>
    %sum = tile.alloc : memref<1xi32, #tile.fragment>
    %before = tile.alloc : memref<1xi32, #tile.fragment>
    affine.for %i = 0 to min affine_map<()[n] -> (n, 7)>()[%rows] step 2 {
      tile.fill %before, 0
      affine.for %k = 0 to 4 {
        tile.copy %x[%i, %k * 64], %t
        tile.reduce sum %t, %sum dim(1)
        tile.parallel (%r, %j) in (1, 64) do %t[%r, %j] = %before[%r]
        tile.copy %t, %y[%i, %k * 64]
        tile.parallel (%r) in (1) do %before[%r] = %before[%r] + %sum[%r]
      }
    }
  }
  return
}
func.func private @sums_before_reference(%x: memref<?x256xi32>, %y: memref<?x256xi32>) {
  %c0 = arith.constant 0 : index
  %c0_i32 = arith.constant 0 : i32
  %rows = memref.dim %x, %c0 : memref<?x256xi32>
  affine.for %i = 0 to min affine_map<()[n] -> (n, 7)>()[%rows] step 2 {
    affine.for %k = 0 to 256 step 64 {
      %sum = affine.for %j = 0 to affine_map<(k) -> (k)>(%k) iter_args(%old = %c0_i32) -> i32 {
        %u = affine.load %x[%i, %j] : memref<?x256xi32>
        %new = arith.addi %old, %u : i32
        affine.yield %new : i32
      }
      affine.for %j = 0 to 64 {
        affine.store %sum, %y[%i, %k + %j] : memref<?x256xi32>
      }
    }
  }
  return
}
