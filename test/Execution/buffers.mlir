// Buffers of kernels and functions: lifetimes, several kernels, local buffers, rows long enough for memcpy.

// REQUIRES: tile-run
// RUN: tile-run %s | FileCheck %s
// CHECK: {{^}}16 passed, 0 failed{{$}}

// Kernels of a function run one after another and hand data on through a workspace.

func.func @workspace(%x: memref<?xi32> {tile.shape = "N"}, %y: memref<?xi32> {tile.shape = "N", tile.result})
    attributes {tile.reference = @workspace_reference, tile.cases = ["N=256", "N=100", "N=1", "N=0"]} {
  %w = tile.alloc : memref<256xi32>
  tile.kernel (%b) in (16) {
    tile.copy %x[%b * 16] [16], %w[%b * 16] : memref<?xi32>, memref<256xi32>
  }
  tile.kernel (%b) in (16) {
    // Another block wrote what this one reads.
    tile.copy %w[255 - %b * 16 - 15] [16], %y[240 - %b * 16] : memref<256xi32>, memref<?xi32>
  }
  return
}
func.func @workspace_reference(%x: memref<?xi32>, %y: memref<?xi32>) {
  memref.copy %x, %y : memref<?xi32> to memref<?xi32>
  return
}

// Blocks have tiles of their own, and threads buffers of their own.

func.func @private(%y: memref<8x64xi32> {tile.result}) attributes {tile.reference = @private_reference} {
  tile.kernel (%b) in (8) {
    %t = tile.alloc : memref<64xi32, #tile.shared>
    %l = tile.alloc : memref<4xi32, #tile.local>
    tile.parallel (%i) in (64) {
      affine.for %k = 0 to 4 {
        %p = affine.apply affine_map<(b, i, k) -> (b * 1000 + i * 10 + k)>(%b, %i, %k)
        %v = arith.index_cast %p : index to i32
        affine.store %v, %l[%k] : memref<4xi32, #tile.local>
      }
      %zero = arith.constant 0 : i32
      %sum = affine.for %k = 0 to 4 iter_args(%acc = %zero) -> i32 {
        %v = affine.load %l[%k] : memref<4xi32, #tile.local>
        %next = arith.addi %acc, %v : i32
        affine.yield %next : i32
      }
      memref.store %sum, %t[%i] : memref<64xi32, #tile.shared>
    }
    tile.copy %t, %y[%b, 0] : memref<64xi32, #tile.shared>, memref<8x64xi32>
  }
  return
}
func.func @private_reference(%y: memref<8x64xi32>) {
  affine.for %b = 0 to 8 {
    affine.for %i = 0 to 64 {
      %p = affine.apply affine_map<(b, i) -> (b * 4000 + i * 40 + 6)>(%b, %i)
      %v = arith.index_cast %p : index to i32
      affine.store %v, %y[%b, %i] : memref<8x64xi32>
    }
  }
  return
}

// Rows of 2048 bytes and more, inside and across the edges.

!rows = memref<?x?xf32>
!tile = memref<3x700xf32, #tile.shared>
func.func @long_rows(%x: !rows {tile.shape = "MxN"}, %y: !rows {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @long_rows_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["M=3 N=700", "M=7 N=1400", "M=4 N=1399", "M=3 N=2", "M=1 N=1", "M=0 N=700", "M=5 N=0"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c700 = arith.constant 700 : index
  %m = memref.dim %x, %c0 : !rows
  %n = memref.dim %x, %c1 : !rows
  %bm = arith.ceildivui %m, %c3 : index
  %bn = arith.ceildivui %n, %c700 : index
  tile.kernel (%i, %j) in (%bm, %bn) {
    %t = tile.alloc : !tile
    tile.copy %x[%i * 3, %j * 700], %t : !rows, !tile
    tile.copy %t, %y[%i * 3, %j * 700] : !tile, !rows
  }
  return
}
func.func @long_rows_reference(%x: !rows, %y: !rows) {
  memref.copy %x, %y : !rows to !rows
  return
}

// Both regions stick out on the left and on the right, by different amounts.

func.func @long_rows_outside(%x: memref<1000xf32>, %y: memref<900xf32> {tile.init = "ones", tile.result})
    attributes {tile.reference = @outside_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  %safe = arith.constant 5.0 : f32
  tile.kernel (%b) in (1) {
    tile.padding_value %x, %safe : memref<1000xf32>
    tile.copy %x[%b - 7] [1020], %y[%b - 3] : memref<1000xf32>, memref<900xf32>
  }
  return
}
func.func @outside_reference(%x: memref<1000xf32>, %y: memref<900xf32>) {
  %safe = arith.constant 5.0 : f32
  affine.for %i = 0 to 4 {
    affine.store %safe, %y[%i] : memref<900xf32>
  }
  affine.for %i = 4 to 900 {
    %v = affine.load %x[%i - 4] : memref<1000xf32>
    affine.store %v, %y[%i] : memref<900xf32>
  }
  return
}

// A buffer in a loop over tiles is one buffer; its content need not survive an iteration.

func.func @in_loop(%x: memref<64xi32>, %y: memref<64xi32> {tile.result}) attributes {tile.reference = @in_loop_reference} {
  tile.kernel (%b) in (2) {
    tile.pipelined %k = 0 to 4 stages(2) {
      %t = tile.alloc : memref<8xi32, #tile.shared>
      tile.copy %x[%b * 32 + %k * 8], %t : memref<64xi32>, memref<8xi32, #tile.shared>
      tile.copy %t, %y[%b * 32 + %k * 8] : memref<8xi32, #tile.shared>, memref<64xi32>
    }
  }
  return
}
func.func @in_loop_reference(%x: memref<64xi32>, %y: memref<64xi32>) {
  memref.copy %x, %y : memref<64xi32> to memref<64xi32>
  return
}

// A function with two ends frees its workspace at both.

func.func @two_ends(%n: index {tile.shape = "N"}, %y: memref<4xi32> {tile.result})
    attributes {tile.reference = @two_ends_reference, tile.cases = ["N=0", "N=9"]} {
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %w = tile.alloc : memref<4xi32>
  %few = arith.cmpi slt, %n, %c1 : index
  tile.kernel (%b) in (1) {
    tile.fill %w, %one : memref<4xi32>
  }
  cf.cond_br %few, ^few, ^many
^few:
  tile.kernel (%b) in (1) {
    tile.copy %w, %y : memref<4xi32>, memref<4xi32>
  }
  return
^many:
  %nine = arith.constant 9 : i32
  tile.kernel (%b) in (1) {
    tile.fill %y, %nine : memref<4xi32>
  }
  return
}
func.func @two_ends_reference(%n: index, %y: memref<4xi32>) {
  %one = arith.constant 1 : i32
  %c0 = arith.constant 0 : index
  %v = arith.index_cast %n : index to i32
  %isZero = arith.cmpi eq, %n, %c0 : index
  %e = arith.select %isZero, %one, %v : i32
  affine.for %i = 0 to 4 {
    affine.store %e, %y[%i] : memref<4xi32>
  }
  return
}
