// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-defer-scales --remarks-filter=tile-defer-scales 2> %t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: tile-opt %s --tile-set-target=chip=gfx942 --tile-defer-scales | FileCheck %s --check-prefix=NONE

// NONE-NOT: 5.421010e-20

!q = memref<64x128xi4, #tile.shared>
!f = memref<64x128xf4E2M1FN, #tile.shared>
!s = memref<64xbf16, #tile.shared>
!w = memref<64x128xbf16, #tile.fragment>
!b = memref<16x128xbf16, #tile.shared>
!sum = memref<64x16xf32, #tile.fragment>

// The scale is on either side of the product; two groups are added to one sum, which gets its power back behind the loop.
// REMARK: [Passed] DeferredScale | {{.*}} | exponent=64
// CHECK-LABEL: func.func @loop(
// CHECK: %[[SUM:.*]] = tile.alloc : memref<64x16xf32, #tile.fragment>
// CHECK: tile.pipelined
// CHECK: %[[V:.*]] = memref.load %{{.*}} : memref<64x128xbf16, #tile.fragment>
// CHECK: %[[SCALE:.*]] = memref.load %{{.*}} : memref<64xbf16, #tile.shared>
// CHECK: %[[SMALL:.*]] = arith.constant 5.421010e-20 : bf16
// CHECK: %[[LEFT:.*]] = arith.mulf %[[SCALE]], %[[SMALL]] fastmath<reassoc> : bf16
// CHECK: arith.mulf %[[V]], %[[LEFT]] fastmath<reassoc> : bf16
// CHECK: tile.gemm
// CHECK: %[[LESS:.*]] = arith.mulf %{{.*}}, %{{.*}} fastmath<reassoc> : bf16
// CHECK: arith.mulf %[[LESS]], %{{.*}} fastmath<fast> : bf16
// CHECK: tile.gemm
// CHECK: }
// CHECK: tile.parallel (%[[I:.*]], %[[J:.*]]) in (64, 16)
// CHECK: %[[OLD:.*]] = memref.load %[[SUM]][%[[I]], %[[J]]]
// CHECK: %[[LARGE:.*]] = arith.constant 1.84467441E+19 : f32
// CHECK: %[[NEW:.*]] = arith.mulf %[[OLD]], %[[LARGE]] fastmath<reassoc> : f32
// CHECK: memref.store %[[NEW]], %[[SUM]][%[[I]], %[[J]]]
// CHECK: tile.copy %[[SUM]]
func.func @loop(%c: memref<64x16xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%x) in (1) threads(128) {
    %q = tile.alloc : !q
    %f = tile.alloc : !f
    %s = tile.alloc : !s
    %b = tile.alloc : !b
    %w = tile.alloc : !w
    %w2 = tile.alloc : !w
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
      tile.copy %f, %w2 : !f, !w
      tile.parallel (%i, %j) in (64, 128) {
        %scale = memref.load %s[%i] : !s
        %v = memref.load %w2[%i, %j] : !w
        %next = arith.mulf %scale, %v fastmath<fast> : bf16
        memref.store %next, %w2[%i, %j] : !w
      }
      tile.gemm %w2, %b, %sum {transpose_b} : !w, !b, !sum
    }
    tile.copy %sum, %c : !sum, memref<64x16xf32>
  }
  return
}

// REMARK: [Missed] DeferredScale | {{.*}} | Reason="the scale has no fastmath<reassoc>"
// CHECK-LABEL: func.func @strict(
// CHECK-NOT: 5.421010e-20
// CHECK: return
func.func @strict(%c: memref<64x16xf32>) {
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
      %next = arith.mulf %v, %scale : bf16
      memref.store %next, %w[%i, %j] : !w
    }
    tile.gemm %w, %b, %sum {transpose_b} : !w, !b, !sum
    tile.copy %sum, %c : !sum, memref<64x16xf32>
  }
  return
}

// REMARK: [Missed] DeferredScale | {{.*}} | Reason="another product without a scale is added to the sum"
// CHECK-LABEL: func.func @mixed(
// CHECK-NOT: 5.421010e-20
// CHECK: return
func.func @mixed(%c: memref<64x16xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%x) in (1) threads(128) {
    %q = tile.alloc : !q
    %s = tile.alloc : !s
    %b = tile.alloc : !b
    %w = tile.alloc : !w
    %other = tile.alloc : !w
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
    tile.copy %q, %other : !q, !w
    tile.gemm %other, %b, %sum {transpose_b} : !w, !b, !sum
    tile.copy %sum, %c : !sum, memref<64x16xf32>
  }
  return
}

// REMARK: [Missed] DeferredScale | {{.*}} | Reason="the sum does not begin with one fill of 0"
// CHECK-LABEL: func.func @cleared(
// CHECK-NOT: 5.421010e-20
// CHECK: return
func.func @cleared(%c: memref<64x16xf32>) {
  tile.kernel (%x) in (1) threads(128) {
    %q = tile.alloc : !q
    %s = tile.alloc : !s
    %b = tile.alloc : !b
    %w = tile.alloc : !w
    %sum = tile.alloc : !sum
    tile.copy %q, %w : !q, !w
    tile.parallel (%i, %j) in (64, 128) {
      %v = memref.load %w[%i, %j] : !w
      %scale = memref.load %s[%i] : !s
      %next = arith.mulf %v, %scale fastmath<reassoc> : bf16
      memref.store %next, %w[%i, %j] : !w
    }
    tile.gemm %w, %b, %sum {clear, transpose_b} : !w, !b, !sum
    tile.copy %sum, %c : !sum, memref<64x16xf32>
  }
  return
}

// REMARK: [Missed] DeferredScale | {{.*}} | Reason="the sum is used between its products"
// CHECK-LABEL: func.func @used(
// CHECK-NOT: 5.421010e-20
// CHECK: return
func.func @used(%c: memref<64x16xf32>) {
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
      tile.copy %sum, %c : !sum, memref<64x16xf32>
    }
  }
  return
}

// No elements of 4 bits, and a loop that does more: neither is meant, and there is no remark.
// REMARK-NOT: DeferredScale
// CHECK-LABEL: func.func @others(
// CHECK-NOT: 5.421010e-20
// CHECK: return
func.func @others(%c: memref<64x16xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%x) in (1) threads(128) {
    %q = tile.alloc : !q
    %bytes = tile.alloc : memref<64x128xi8, #tile.shared>
    %s = tile.alloc : !s
    %b = tile.alloc : !b
    %w = tile.alloc : !w
    %w2 = tile.alloc : !w
    %sum = tile.alloc : !sum
    tile.fill %sum, %zero : !sum
    tile.copy %bytes, %w : memref<64x128xi8, #tile.shared>, !w
    tile.parallel (%i, %j) in (64, 128) {
      %v = memref.load %w[%i, %j] : !w
      %scale = memref.load %s[%i] : !s
      %next = arith.mulf %v, %scale fastmath<reassoc> : bf16
      memref.store %next, %w[%i, %j] : !w
    }
    tile.gemm %w, %b, %sum {transpose_b} : !w, !b, !sum
    tile.copy %q, %w2 : !q, !w
    tile.parallel (%i, %j) in (64, 128) {
      %v = memref.load %w2[%i, %j] : !w
      %scale = memref.load %s[%i] : !s
      %next = arith.mulf %v, %scale fastmath<reassoc> : bf16
      memref.store %next, %w2[%i, %j] : !w
      memref.store %next, %s[%i] : !s
    }
    tile.gemm %w2, %b, %sum {transpose_b} : !w, !b, !sum
    tile.copy %sum, %c : !sum, memref<64x16xf32>
  }
  return
}

// A product that is started by hand: the sum is there behind the wait.
// REMARK: [Missed] DeferredScale | {{.*}} | Reason="a product is asynchronous, so that the sum is not there behind it"
// CHECK-LABEL: func.func @asynchronous(
// CHECK-NOT: 5.421010e-20
// CHECK: tile.gemm {{.*}}async
// CHECK-NEXT: tile.gemm_wait
func.func @asynchronous(%c: memref<64x16xf32>) {
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
    tile.gemm %w, %b, %sum {async, transpose_b, instruction = #tile.mma<wgmma, m = 64, n = 16, k = 16, warps_m = 4, warps_n = 1>}
        : !w, !b, !sum
    tile.gemm_wait %sum pending(0) : !sum
    tile.copy %sum, %c : !sum, memref<64x16xf32>
  }
  return
}

// Both operands are one fragment: a scale that is left out of it is left out twice.
// CHECK-LABEL: func.func @square(
// CHECK-NOT: 5.421010e-20
// CHECK: tile.gemm
// CHECK-NEXT: tile.copy
func.func @square(%c: memref<64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%x) in (1) threads(128) {
    %q = tile.alloc : !q
    %s = tile.alloc : !s
    %w = tile.alloc : !w
    %sum = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %sum, %zero : memref<64x64xf32, #tile.fragment>
    tile.copy %q, %w : !q, !w
    tile.parallel (%i, %j) in (64, 128) {
      %v = memref.load %w[%i, %j] : !w
      %scale = memref.load %s[%i] : !s
      %next = arith.mulf %v, %scale fastmath<reassoc> : bf16
      memref.store %next, %w[%i, %j] : !w
    }
    tile.gemm %w, %w, %sum {transpose_b} : !w, !w, memref<64x64xf32, #tile.fragment>
    tile.copy %sum, %c : memref<64x64xf32, #tile.fragment>, memref<64x64xf32>
  }
  return
}

// A loop that converts, through a wider float or not, in place of a copy.
// REMARK: [Passed] DeferredScale | {{.*}} | exponent=64
// REMARK-NOT: [Passed] DeferredScale
// CHECK-LABEL: func.func @converted_by_loops(
// CHECK-COUNT-2: arith.constant 5.421010e-20
// CHECK: return
func.func @converted_by_loops(%c: memref<64x16xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%x) in (1) threads(128) {
    %q = tile.alloc : !q
    %f = tile.alloc : !f
    %s = tile.alloc : !s
    %b = tile.alloc : !b
    %w = tile.alloc : !w
    %w2 = tile.alloc : !w
    %sum = tile.alloc : !sum
    tile.fill %sum, %zero : !sum
    tile.parallel (%i, %j) in (64, 128) {
      %place = affine.apply affine_map<(j) -> (127 - j)>(%j)
      %code = memref.load %q[%i, %place] : !q
      %v = arith.sitofp %code : i4 to bf16
      memref.store %v, %w[%i, %j] : !w
    }
    tile.parallel (%i, %j) in (64, 128) {
      %v = memref.load %w[%i, %j] : !w
      %scale = memref.load %s[%i] : !s
      %next = arith.mulf %v, %scale fastmath<reassoc> : bf16
      memref.store %next, %w[%i, %j] : !w
    }
    tile.gemm %w, %b, %sum {transpose_b} : !w, !b, !sum
    tile.parallel (%i, %j) in (64, 128) {
      %code = memref.load %f[%i, %j] : !f
      %v = arith.extf %code : f4E2M1FN to f32
      %narrow = arith.truncf %v : f32 to bf16
      memref.store %narrow, %w2[%i, %j] : !w
    }
    tile.parallel (%i, %j) in (64, 128) {
      %v = memref.load %w2[%i, %j] : !w
      %scale = memref.load %s[%i] : !s
      %next = arith.mulf %v, %scale fastmath<reassoc> : bf16
      memref.store %next, %w2[%i, %j] : !w
    }
    tile.gemm %w2, %b, %sum {transpose_b} : !w, !b, !sum
    tile.copy %sum, %c : !sum, memref<64x16xf32>
  }
  return
}

// The loop that converts writes half of the tile.
// CHECK-LABEL: func.func @part_of_the_tile(
// CHECK-NOT: 5.421010e-20
// CHECK: return
func.func @part_of_the_tile(%c: memref<64x16xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%x) in (1) threads(128) {
    %q = tile.alloc : !q
    %s = tile.alloc : !s
    %b = tile.alloc : !b
    %w = tile.alloc : !w
    %sum = tile.alloc : !sum
    tile.fill %sum, %zero : !sum
    tile.parallel (%i, %j) in (64, 64) {
      %code = memref.load %q[%i, %j] : !q
      %v = arith.sitofp %code : i4 to bf16
      memref.store %v, %w[%i, %j] : !w
    }
    tile.parallel (%i, %j) in (64, 128) {
      %v = memref.load %w[%i, %j] : !w
      %scale = memref.load %s[%i] : !s
      %next = arith.mulf %v, %scale fastmath<reassoc> : bf16
      memref.store %next, %w[%i, %j] : !w
    }
    tile.gemm %w, %b, %sum {transpose_b} : !w, !b, !sum
    tile.copy %sum, %c : !sum, memref<64x16xf32>
  }
  return
}
