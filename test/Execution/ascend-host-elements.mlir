// Host code around kernels of an NPU that loads what they have computed, and stores what they read.

// REQUIRES: tile-run, ascend
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=910B | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=950 | FileCheck %s
// CHECK: {{^}}5 passed, 0 failed{{$}}

// The second kernel is given the sum that the first one has computed, by a number and by memory.
func.func @computed(%x: memref<64xf32> {tile.init = "integers(-3,3)"}, %y: memref<64xf32> {tile.result})
    attributes {tile.reference = @computed_reference} {
  %c0 = arith.constant 0 : index
  %all = tile.alloc : memref<1xf32>
  %more = tile.alloc : memref<8xf32>
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64xf32, #tile.fragment>
    %s = tile.alloc : memref<1xf32, #tile.fragment>
    tile.copy %x, %t
    tile.reduce sum %t, %s dim(0)
    tile.copy %s, %all
  }
  %c3 = arith.constant 3 : index
  %sum = memref.load %all[%c0] : memref<1xf32>
  %twice = arith.addf %sum, %sum : f32
  memref.store %twice, %more[%c3] : memref<8xf32>
  tile.kernel (%b) in (2) {
    tile.parallel (%i) in (32) do %y[%b * 32 + %i] = %x[%b * 32 + %i] + %sum + %more[3]
  }
  return
}
func.func private @computed_reference(%x: memref<64xf32>, %y: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %three = arith.constant 3.0 : f32
  %sum = affine.for %i = 0 to 64 iter_args(%s = %zero) -> f32 {
    %v = affine.load %x[%i] : memref<64xf32>
    %t = arith.addf %s, %v : f32
    affine.yield %t : f32
  }
  %all = arith.mulf %sum, %three : f32
  affine.for %i = 0 to 64 {
    %v = affine.load %x[%i] : memref<64xf32>
    %w = arith.addf %v, %all : f32
    affine.store %w, %y[%i] : memref<64xf32>
  }
  return
}

// Integers of all widths, elements of two dimensions, and a number of blocks that a kernel has counted.
func.func @counted(%a: memref<?x4xi8> {tile.shape = "Nx4", tile.init = "integers(-100,100)"},
                   %b: memref<4xi16> {tile.init = "integers(-30000,30000)"}, %c: memref<4xi64> {tile.init = "integers(-9,9)"},
                   %y: memref<64xi32> {tile.result, tile.init = "zeros"})
    attributes {tile.reference = @counted_reference, tile.cases = ["N=1", "N=2", "N=3", "N=4"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %rows = memref.dim %a, %c0 : memref<?x4xi8>
  %last = arith.subi %rows, %c1 : index
  %count = tile.alloc : memref<1xi32>
  tile.kernel (%k) in (1) {
    tile.parallel (%i) in (1) do %count[%i] = i32(dim(%a, 0))
  }
  %n32 = memref.load %count[%c0] : memref<1xi32>
  %n = arith.index_cast %n32 : i32 to index
  %u8 = memref.load %a[%last, %c2] : memref<?x4xi8>
  %u16 = memref.load %b[%c1] : memref<4xi16>
  %u64 = memref.load %c[%c2] : memref<4xi64>
  %v8 = arith.extsi %u8 : i8 to i32
  %v16 = arith.extsi %u16 : i16 to i32
  %v64 = arith.trunci %u64 : i64 to i32
  %part = arith.addi %v8, %v16 : i32
  %sum = arith.addi %part, %v64 : i32
  tile.kernel (%k) in (%n) {
    tile.parallel (%i) in (16) do %y[%k * 16 + %i] = %sum + i32(%i)
  }
  return
}
func.func private @counted_reference(%a: memref<?x4xi8>, %b: memref<4xi16>, %c: memref<4xi64>, %y: memref<64xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %rows = memref.dim %a, %c0 : memref<?x4xi8>
  %last = arith.subi %rows, %c1 : index
  %u8 = memref.load %a[%last, %c2] : memref<?x4xi8>
  %u16 = memref.load %b[%c1] : memref<4xi16>
  %u64 = memref.load %c[%c2] : memref<4xi64>
  %v8 = arith.extsi %u8 : i8 to i32
  %v16 = arith.extsi %u16 : i16 to i32
  %v64 = arith.trunci %u64 : i64 to i32
  %part = arith.addi %v8, %v16 : i32
  %sum = arith.addi %part, %v64 : i32
  affine.for %k = 0 to %rows {
    affine.for %i = 0 to 16 {
      %at = arith.index_cast %i : index to i32
      %v = arith.addi %sum, %at : i32
      affine.store %v, %y[%k * 16 + %i] : memref<64xi32>
    }
  }
  return
}
