// Kernels of docs/coverage.md that no other test has for all targets.

// REQUIRES: tile-run
// RUN: tile-run %s | FileCheck %s
// CHECK: {{^}}24 passed, 0 failed{{$}}

// Queries, keys and values in one buffer: the middle third of each row, through a view.
func.func @packed(%x: memref<?x192xf32> {tile.shape = "Tx192"}, %y: memref<?x64xf32> {tile.shape = "Tx64", tile.result})
    attributes {tile.reference = @packed_reference, tile.cases = ["T=70", "T=1", "T=0"]} {
  %c0 = arith.constant 0 : index
  %rows = memref.dim %x, %c0 : memref<?x192xf32>
  %k = memref.subview %x[0, 64] [%rows, 64] [1, 1] : memref<?x192xf32> to memref<?x64xf32, strided<[192, 1], offset: 64>>
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 32)) threads(128) {
    %t = tile.alloc : memref<32x64xf32, #tile.shared>
    tile.copy %k[%b * 32, 0], %t
    tile.copy %t, %y[%b * 32, 0]
  }
  return
}
func.func private @packed_reference(%x: memref<?x192xf32>, %y: memref<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %rows = memref.dim %x, %c0 : memref<?x192xf32>
  affine.for %i = 0 to %rows {
    affine.for %j = 0 to 64 {
      %v = affine.load %x[%i, %j + 64] : memref<?x192xf32>
      affine.store %v, %y[%i, %j] : memref<?x64xf32>
    }
  }
  return
}

// A vector divided by its sum, of numbers whose sums are exact. A tile of one dimension is reduced, the whole vector in parts.
func.func @norm(%x: memref<?xf32> {tile.shape = "N", tile.init = "integers(1,8)"}, %y: memref<?xf32> {tile.shape = "N", tile.result})
    attributes {tile.reference = @norm_reference, tile.cases = ["N=1000", "N=129", "N=1", "N=0"]} {
  tile.kernel (%b) in (1) threads(128) {
    %t = tile.alloc : memref<128xf32, #tile.fragment>
    %sum = tile.alloc : memref<1xf32, #tile.fragment>
    tile.fill %sum, 0.0
    tile.pipelined %k = 0 to ceildiv(dim(%x, 0), 128) {
      tile.copy %x[%k * 128], %t
      tile.reduce sum %t, %sum dim(0) {combine}
    }
    tile.pipelined %k = 0 to ceildiv(dim(%x, 0), 128) {
      tile.copy %x[%k * 128], %t
      tile.parallel (%i) in (128) do %t[%i] = %t[%i] / %sum[0]
      tile.copy %t, %y[%k * 128]
    }
  }
  return
}
func.func private @norm_reference(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?xf32>
  %sum = affine.for %i = 0 to %n iter_args(%old = %zero) -> f32 {
    %v = affine.load %x[%i] : memref<?xf32>
    %new = arith.addf %old, %v : f32
    affine.yield %new : f32
  }
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xf32>
    %q = arith.divf %v, %sum : f32
    affine.store %q, %y[%i] : memref<?xf32>
  }
  return
}

// Sums over all but the middle dimension, one dimension after the other.
func.func @group_sums(%x: memref<?x8x32xi32> {tile.shape = "Mx8x32", tile.init = "integers(-9,9)"}, %y: memref<8xi32> {tile.result})
    attributes {tile.reference = @group_sums_reference, tile.cases = ["M=70", "M=1", "M=0"]} {
  tile.kernel (%b) in (1) threads(128) {
    %t = tile.alloc : memref<4x8x32xi32, #tile.fragment>
    %rows = tile.alloc : memref<4x8xi32, #tile.fragment>
    %sum = tile.alloc : memref<8xi32, #tile.fragment>
    tile.fill %sum, 0
    tile.pipelined %k = 0 to ceildiv(dim(%x, 0), 4) {
      tile.copy %x[%k * 4, 0, 0], %t
      tile.reduce sum %t, %rows dim(2)
      tile.reduce sum %rows, %sum dim(0) {combine}
    }
    tile.copy %sum, %y
  }
  return
}
func.func private @group_sums_reference(%x: memref<?x8x32xi32>, %y: memref<8xi32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %m = memref.dim %x, %c0 : memref<?x8x32xi32>
  affine.for %g = 0 to 8 {
    affine.store %zero, %y[%g] : memref<8xi32>
  }
  affine.for %i = 0 to %m {
    affine.for %g = 0 to 8 {
      affine.for %j = 0 to 32 {
        %v = affine.load %x[%i, %g, %j] : memref<?x8x32xi32>
        %old = affine.load %y[%g] : memref<8xi32>
        %new = arith.addi %old, %v : i32
        affine.store %new, %y[%g] : memref<8xi32>
      }
    }
  }
  return
}

// Functions of a number that is the same for all iterations: the root of the number of a block.
func.func @uniform(%x: memref<?x64xf32> {tile.shape = "Mx64"}, %y: memref<?x64xf32> {tile.shape = "Mx64", tile.result})
    attributes {tile.reference = @uniform_reference, tile.cases = ["M=5", "M=1", "M=0"]} {
  tile.kernel (%b) in (dim(%x, 0)) threads(64) {
    tile.parallel (%j) in (64) do %y[%b, %j] = %x[%b, %j] * sqrt(f32(i32(%b * %b)) * 4.0)
  }
  return
}
func.func private @uniform_reference(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %two = arith.constant 2.0 : f32
  %m = memref.dim %x, %c0 : memref<?x64xf32>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to 64 {
      %v = affine.load %x[%i, %j] : memref<?x64xf32>
      %word = arith.index_cast %i : index to i32
      %number = arith.sitofp %word : i32 to f32
      %twice = arith.mulf %number, %two : f32
      %w = arith.mulf %v, %twice : f32
      affine.store %w, %y[%i, %j] : memref<?x64xf32>
    }
  }
  return
}

// 512 KB of iterations in one loop: more than the registers of a block, and more than UB holds.
func.func @large(%x: memref<?x512xf32> {tile.shape = "Mx512", tile.init = "integers(-9,9)"}, %y: memref<?x512xf32> {tile.shape = "Mx512", tile.result})
    attributes {tile.reference = @large_reference, tile.cases = ["M=256", "M=300", "M=1", "M=0"]} {
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 256)) threads(256) {
    tile.parallel (%i, %j) in (256, 512) do %y[%b * 256 + %i, %j] = %x[%b * 256 + %i, %j] * 2.0 + 1.0
  }
  return
}
func.func private @large_reference(%x: memref<?x512xf32>, %y: memref<?x512xf32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %m = memref.dim %x, %c0 : memref<?x512xf32>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to 512 {
      %v = affine.load %x[%i, %j] : memref<?x512xf32>
      %twice = arith.addf %v, %v : f32
      %w = arith.addf %twice, %one : f32
      affine.store %w, %y[%i, %j] : memref<?x512xf32>
    }
  }
  return
}

// What is printed is in debug.mlir; here it is beside what is computed.
func.func @printed(%x: memref<?xi32> {tile.shape = "N", tile.init = "iota"}, %y: memref<?xi32> {tile.shape = "N", tile.result})
    attributes {tile.reference = @printed_reference, tile.cases = ["N=5", "N=1", "N=0", "N=64"]} {
  tile.kernel (%b) in (1) threads(64) {
    tile.parallel (%i) in (64) do {
      %v = %x[%i] + 1
      if and(%i == 3, %i < dim(%x, 0)) { tile.print %v, "v" }
      %y[%i] = %v
    }
  }
  return
}
func.func private @printed_reference(%x: memref<?xi32>, %y: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %n = memref.dim %x, %c0 : memref<?xi32>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xi32>
    %w = arith.addi %v, %one : i32
    affine.store %w, %y[%i] : memref<?xi32>
  }
  return
}

// Assertions that hold, of the block and of iterations.
func.func @asserted(%x: memref<?xi32> {tile.shape = "N", tile.init = "iota"}, %y: memref<?xi32> {tile.shape = "N", tile.result})
    attributes {tile.reference = @printed_reference, tile.cases = ["N=5", "N=1", "N=64"]} {
  tile.kernel (%b) in (1) threads(64) {
    tile.device_assert dim(%x, 0) < 100, "one block is enough"
    tile.parallel (%i) in (64) do {
      tile.device_assert %x[%i] < 64, "x counts"
      %y[%i] = %x[%i] + 1
    }
  }
  return
}
