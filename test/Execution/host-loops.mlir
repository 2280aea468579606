// Kernels in loops of their function: nested, with a variable that decides the grid, with carried values, with no trips.

// REQUIRES: tile-run, nvidia, amd
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model | FileCheck %s
// CHECK: {{^}}2 passed, 0 failed{{$}}

// A prefix sum of 64 elements in six steps, between two workspaces.
func.func @scan(%x: memref<64xi32>, %y: memref<64xi32> {tile.result}) attributes {tile.reference = @scan_reference} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %w = tile.alloc : memref<2x64xi32>
  tile.kernel (%b) in (1) threads(64) {
    tile.copy %x, %w[0, 0] [1, 64] : memref<64xi32>, memref<2x64xi32>
  }
  %last = scf.for %i = %c0 to %c3 step %c1 iter_args(%distance = %c1) -> index {
    %after = scf.for %j = %c0 to %c2 step %c1 iter_args(%d = %distance) -> index {
      tile.kernel (%b) in (1) threads(64) {
        %from = tile.alloc : memref<64xi32, #tile.shared>
        %to = tile.alloc : memref<64xi32, #tile.shared>
        tile.copy %w[%j, 0] [1, 64], %from : memref<2x64xi32>, memref<64xi32, #tile.shared>
        tile.parallel (%k) in (64) {
          %v = memref.load %from[%k] : memref<64xi32, #tile.shared>
          %before = arith.subi %k, %d : index
          %exists = arith.cmpi sge, %before, %c0 : index
          %r = scf.if %exists -> i32 {
            %u = memref.load %from[%before] : memref<64xi32, #tile.shared>
            %s = arith.addi %u, %v : i32
            scf.yield %s : i32
          } else {
            scf.yield %v : i32
          }
          memref.store %r, %to[%k] : memref<64xi32, #tile.shared>
        }
        tile.copy %to, %w[1 - %j, 0] [1, 64] : memref<64xi32, #tile.shared>, memref<2x64xi32>
      }
      %next = arith.addi %d, %d : index
      scf.yield %next : index
    }
    scf.yield %after : index
  }
  scf.for %i = %c3 to %c1 step %c1 {
    tile.kernel (%b) in (1) threads(64) {
      tile.copy %w[1, 0] [1, 64], %y : memref<2x64xi32>, memref<64xi32>
    }
  }
  tile.kernel (%b) in (1) threads(64) {
    tile.copy %w[0, 0] [1, 64], %y : memref<2x64xi32>, memref<64xi32>
  }
  return
}

func.func private @scan_reference(%x: memref<64xi32>, %y: memref<64xi32>) {
  %zero = arith.constant 0 : i32
  affine.for %i = 0 to 64 iter_args(%sum = %zero) -> i32 {
    %v = affine.load %x[%i] : memref<64xi32>
    %s = arith.addi %sum, %v : i32
    affine.store %s, %y[%i] : memref<64xi32>
    affine.yield %s : i32
  }
  return
}

// As many blocks as the variable says: y[i] counts the launches that reach it.
func.func @stairs(%y: memref<4xi32> {tile.init = "zeros", tile.result}) attributes {tile.reference = @stairs_reference} {
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %one = arith.constant 1 : i32
  scf.for %k = %c1 to %c5 step %c1 {
    tile.kernel (%b) in (%k) threads(32) {
      tile.parallel (%i) in (1) {
        %v = memref.load %y[%b] : memref<4xi32>
        %w = arith.addi %v, %one : i32
        memref.store %w, %y[%b] : memref<4xi32>
      }
    }
  }
  return
}

func.func private @stairs_reference(%y: memref<4xi32>) {
  affine.for %i = 0 to 4 {
    %c4 = arith.constant 4 : index
    %count = arith.subi %c4, %i : index
    %v = arith.index_cast %count : index to i32
    affine.store %v, %y[%i] : memref<4xi32>
  }
  return
}
