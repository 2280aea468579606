// REQUIRES: tile-run
// RUN: tile-run %s --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model | FileCheck %s
// RUN: tile-run %s --target=ascend | FileCheck %s

// A fragment that is both operands of a product, as in the iterations of Newton and Schulz: threads have its elements in the
// places that one of them needs.

// CHECK-NOT: FAIL
// CHECK: {{^}}3 passed, 0 failed

!matrix = memref<32x32xf16>
!tile = memref<32x32xf16, #tile.fragment>
!sums = memref<32x32xf32, #tile.fragment>

func.func @gram(%x: !matrix {tile.init = "integers(-4, 4)"}, %y: memref<32x32xf32> {tile.result})
    attributes {tile.reference = @gram_reference} {
  tile.kernel (%b) in (1) threads(64) {
    %a = tile.alloc : !tile
    %c = tile.alloc : !sums
    tile.copy %x, %a
    tile.gemm %a, %a, %c {clear, transpose_b}
    tile.copy %c, %y
  }
  return
}

func.func private @gram_reference(%x: !matrix, %y: memref<32x32xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<32x32xf32>)
  %t = memref.alloc() : !matrix
  linalg.transpose ins(%x : !matrix) outs(%t : !matrix) permutation = [1, 0]
  linalg.matmul ins(%x, %t : !matrix, !matrix) outs(%y : memref<32x32xf32>)
  memref.dealloc %t : !matrix
  return
}

// In a loop, where the tile changes.
func.func @powers(%x: !matrix {tile.init = "mask(0.1)"}, %y: memref<32x32xf32> {tile.result})
    attributes {tile.reference = @powers_reference} {
  tile.kernel (%b) in (1) threads(128) {
    %a = tile.alloc : !tile
    %c = tile.alloc : !sums
    tile.copy %x, %a
    tile.pipelined %k = 0 to 2 stages(2) {
      tile.gemm %a, %a, %c {clear}
      tile.parallel (%i, %j) in (32, 32) do %a[%i, %j] = f16(min(%c[%i, %j], 3.0))
    }
    tile.copy %a, %y
  }
  return
}

func.func private @powers_reference(%x: !matrix, %y: memref<32x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %three = arith.constant 3.0 : f32
  %t = memref.alloc() : !matrix
  memref.copy %x, %t : !matrix to !matrix
  affine.for %k = 0 to 2 {
    linalg.fill ins(%zero : f32) outs(%y : memref<32x32xf32>)
    linalg.matmul ins(%t, %t : !matrix, !matrix) outs(%y : memref<32x32xf32>)
    affine.for %i = 0 to 32 {
      affine.for %j = 0 to 32 {
        %v = affine.load %y[%i, %j] : memref<32x32xf32>
        %m = arith.minimumf %v, %three : f32
        %h = arith.truncf %m : f32 to f16
        affine.store %h, %t[%i, %j] : !matrix
        affine.store %m, %y[%i, %j] : memref<32x32xf32>
      }
    }
  }
  memref.dealloc %t : !matrix
  return
}

// The transposed tile too, from elements of 8 bits.
func.func @columns(%x: memref<64x32xi8>, %y: memref<32x32xi32> {tile.result}) attributes {tile.reference = @columns_reference} {
  tile.kernel (%b) in (1) threads(32) {
    %a = tile.alloc : memref<64x32xi8, #tile.fragment>
    %c = tile.alloc : memref<32x32xi32, #tile.fragment>
    tile.copy %x, %a
    tile.gemm %a, %a, %c {clear, transpose_a}
    tile.copy %c, %y
  }
  return
}

func.func private @columns_reference(%x: memref<64x32xi8>, %y: memref<32x32xi32>) {
  %zero = arith.constant 0 : i32
  affine.for %i = 0 to 32 {
    affine.for %j = 0 to 32 {
      %s = affine.for %k = 0 to 64 iter_args(%sum = %zero) -> i32 {
        %u = affine.load %x[%k, %i] : memref<64x32xi8>
        %v = affine.load %x[%k, %j] : memref<64x32xi8>
        %p = arith.extsi %u : i8 to i32
        %q = arith.extsi %v : i8 to i32
        %m = arith.muli %p, %q : i32
        %next = arith.addi %sum, %m : i32
        affine.yield %next : i32
      }
      affine.store %s, %y[%i, %j] : memref<32x32xi32>
    }
  }
  return
}
