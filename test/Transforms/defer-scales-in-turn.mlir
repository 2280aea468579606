// Operands of 4 bits that share a tile.

// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-defer-scales --remarks-filter=tile-defer-scales 2> %t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks

!q = memref<64x128xi4, #tile.shared>
!s = memref<64xbf16, #tile.shared>
!w = memref<64x128xbf16, #tile.fragment>
!b = memref<16x128xbf16, #tile.shared>
!sum = memref<64x16xf32, #tile.fragment>

// One tile for two groups, each converted and scaled for a product of its own.
// REMARK: [Passed] DeferredScale | {{.*}} | exponent=64
// CHECK-LABEL: func.func @in_turn(
// CHECK: tile.copy
// CHECK: 5.421010e-20
// CHECK: tile.gemm
// CHECK: tile.copy
// CHECK: 5.421010e-20
// CHECK: tile.gemm
// CHECK: 1.84467441E+19
func.func @in_turn(%c: memref<64x16xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%x) in (1) threads(128) {
    %q = tile.alloc : !q
    %s = tile.alloc : !s
    %b = tile.alloc : !b
    %w = tile.alloc : !w
    %sum = tile.alloc : !sum
    tile.fill %sum, %zero : !sum
    tile.pipelined %t = 0 to 4 stages(2) {
      tile.copy %q, %w : !q, !w
      tile.parallel (%i, %j) in (64, 128) {
        %v = memref.load %w[%i, %j] : !w
        %scale = memref.load %s[%i] : !s
        %next = arith.mulf %v, %scale fastmath<reassoc> : bf16
        memref.store %next, %w[%i, %j] : !w
      }
      tile.gemm %w, %b, %sum {transpose_b} : !w, !b, !sum
      tile.copy %q, %w : !q, !w
      tile.parallel (%i, %j) in (64, 128) {
        %v = memref.load %w[%i, %j] : !w
        %scale = memref.load %s[%i] : !s
        %next = arith.mulf %v, %scale fastmath<reassoc> : bf16
        memref.store %next, %w[%i, %j] : !w
      }
      tile.gemm %w, %b, %sum {transpose_b} : !w, !b, !sum
    }
    tile.copy %sum, %c : !sum, memref<64x16xf32>
  }
  return
}

// The second product takes the scaled tile once more, and the third one a tile without a scale.
// REMARK-NOT: DeferredScale
// CHECK-LABEL: func.func @again(
// CHECK-NOT: 5.421010e-20
// CHECK: return
func.func @again(%c: memref<64x16xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%x) in (1) threads(128) {
    %q = tile.alloc : !q
    %s = tile.alloc : !s
    %b = tile.alloc : !b
    %w = tile.alloc : !w
    %sum = tile.alloc : !sum
    tile.fill %sum, %zero : !sum
    tile.copy %q, %w : !q, !w
    tile.parallel (%i, %j) in (64, 128) {
      %v = memref.load %w[%i, %j] : !w
      %scale = memref.load %s[%i] : !s
      %next = arith.mulf %v, %scale fastmath<reassoc> : bf16
      memref.store %next, %w[%i, %j] : !w
    }
    tile.gemm %w, %b, %sum {transpose_b} : !w, !b, !sum
    tile.gemm %w, %b, %sum {transpose_b} : !w, !b, !sum
    tile.copy %q, %w : !q, !w
    tile.gemm %w, %b, %sum {transpose_b} : !w, !b, !sum
    tile.copy %sum, %c : !sum, memref<64x16xf32>
  }
  return
}

// Two products of one scaled tile: the scale would be taken away twice.
// REMARK-NOT: DeferredScale
// CHECK-LABEL: func.func @shared_by_two(
// CHECK-NOT: 5.421010e-20
// CHECK: return
func.func @shared_by_two(%c: memref<64x16xf32>, %d: memref<64x16xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%x) in (1) threads(128) {
    %q = tile.alloc : !q
    %s = tile.alloc : !s
    %b = tile.alloc : !b
    %w = tile.alloc : !w
    %sum = tile.alloc : !sum
    %other = tile.alloc : !sum
    tile.fill %sum, %zero : !sum
    tile.fill %other, %zero : !sum
    tile.copy %q, %w : !q, !w
    tile.parallel (%i, %j) in (64, 128) {
      %v = memref.load %w[%i, %j] : !w
      %scale = memref.load %s[%i] : !s
      %next = arith.mulf %v, %scale fastmath<reassoc> : bf16
      memref.store %next, %w[%i, %j] : !w
    }
    tile.gemm %w, %b, %sum {transpose_b} : !w, !b, !sum
    tile.gemm %w, %b, %other {transpose_b} : !w, !b, !sum
    tile.copy %sum, %c : !sum, memref<64x16xf32>
    tile.copy %other, %d : !sum, memref<64x16xf32>
  }
  return
}
