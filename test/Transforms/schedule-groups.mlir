// RUN: tile-opt %s --tile-set-target=chip=sm_80 --tile-schedule | FileCheck %s
// RUN: tile-opt %s --pass-pipeline="builtin.module(tile-set-target{chip=sm_80},tile-schedule,tile-insert-barriers,tile-plan-shared,tile-verify-schedule)" | FileCheck %s --check-prefix=BARRIERS
// RUN: tile-opt %s --tile-set-target=chip=sm_80 --tile-schedule --remarks-filter='tile-schedule' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Two copies ahead, under guards; each step closes one group.
// CHECK-LABEL: func.func @cpasync
// CHECK-DAG: tile.alloc : memref<3x64x32xf16, #tile.shared>
// CHECK-DAG: tile.alloc : memref<3x32x64xf16, #tile.shared>
// CHECK: scf.if
// CHECK-COUNT-2: tile.copy
// CHECK: tile.async_commit
// CHECK: scf.if
// CHECK-COUNT-2: tile.copy
// CHECK: tile.async_commit
// CHECK-NEXT: tile.pipelined
// CHECK-NEXT: tile.async_wait pending(1)
// CHECK-NEXT: tile.barrier{{$}}
// CHECK: scf.if
// CHECK-COUNT-2: tile.copy
// CHECK: tile.async_commit
// CHECK-NOT: tile.copy
// CHECK: tile.gemm
// CHECK-NEXT: {{^ *[}]$}}
// CHECK-NEXT: tile.async_wait pending(0)
// REMARK: [Passed] Groups | Category:tile-schedule | copies=2, stages=3
// The barrier of each iteration is the only one.
// BARRIERS-LABEL: func.func @cpasync
// BARRIERS-COUNT-1: tile.barrier
// BARRIERS-NOT: tile.barrier
// BARRIERS-LABEL: func.func @repeated
func.func @cpasync(%a: memref<64x4096xf16>, %b: memref<4096x64xf16>, %c: memref<64x64xf32>, %n: index, %m: index) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%x) in (1) {
    %as = tile.alloc : memref<64x32xf16, #tile.shared>
    %bs = tile.alloc : memref<32x64xf16, #tile.shared>
    %cf = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %cf, %zero : memref<64x64xf32, #tile.fragment>
    tile.pipelined %k = %m to %n step 2 stages(3) {
      %kk = affine.apply affine_map<(d) -> (d * 32)>(%k)
      tile.copy %a[0, %kk], %as {instruction = #tile.transfer<cp_async, bytes = 16>} : memref<64x4096xf16>, memref<64x32xf16, #tile.shared>
      tile.copy %b[%kk, 0], %bs {instruction = #tile.transfer<cp_async, bytes = 16>} : memref<4096x64xf16>, memref<32x64xf16, #tile.shared>
      tile.gemm %as, %bs, %cf : memref<64x32xf16, #tile.shared>, memref<32x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
    }
    tile.copy %cf, %c : memref<64x64xf32, #tile.fragment>, memref<64x64xf32>
  }
  return
}

// In a loop around it, the prologue must not overwrite what the last iterations
// still read.
// BARRIERS: scf.for
// BARRIERS: tile.barrier
// BARRIERS: tile.async_commit
// BARRIERS: tile.pipelined
// BARRIERS: tile.barrier
// CHECK-LABEL: func.func @repeated
func.func @repeated(%a: memref<64x4096xf16>, %c: memref<64x64xf16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%x) in (1) {
    %t = tile.alloc : memref<64x64xf16, #tile.shared>
    %f = tile.alloc : memref<64x64xf16, #tile.fragment>
    scf.for %i = %c0 to %n step %c1 {
      tile.pipelined %k = 0 to %i stages(2) {
        tile.copy %a[0, %k * 64], %t {instruction = #tile.transfer<cp_async, bytes = 16>} : memref<64x4096xf16>, memref<64x64xf16, #tile.shared>
        tile.copy %t, %f : memref<64x64xf16, #tile.shared>, memref<64x64xf16, #tile.fragment>
      }
    }
    tile.copy %f, %c : memref<64x64xf16, #tile.fragment>, memref<64x64xf16>
  }
  return
}

// A copy that depends on an earlier iteration stays where it is.
// CHECK-LABEL: func.func @in_place
// CHECK: tile.pipelined %{{.*}} = 0 to 8 stages(2) {
// REMARK: [Missed] Pipeline | Category:tile-schedule | Reason="a copy cannot run ahead: the kernel writes its source, too"
func.func @in_place(%a: memref<64x4096xf16>) {
  tile.kernel (%x) in (1) {
    %t = tile.alloc : memref<64x64xf16, #tile.shared>
    tile.pipelined %k = 0 to 8 stages(2) {
      tile.copy %a[0, %k * 64], %t {instruction = #tile.transfer<cp_async, bytes = 16>} : memref<64x4096xf16>, memref<64x64xf16, #tile.shared>
      tile.copy %t, %a[0, %k * 64 + 64] : memref<64x64xf16, #tile.shared>, memref<64x4096xf16>
    }
  }
  return
}

// Two slots of 100 KiB do not fit.
// CHECK-LABEL: func.func @too_large
// CHECK-NOT: tile.async_commit
// CHECK: return
// REMARK: [Missed] Pipeline | Category:tile-schedule | Reason="two stages do not fit into shared memory"
func.func @too_large(%a: memref<64x16384xf16>, %c: memref<64x800xf16>) {
  tile.kernel (%x) in (1) {
    %t = tile.alloc : memref<64x800xf16, #tile.shared>
    tile.pipelined %k = 0 to 8 stages(2) {
      tile.copy %a[0, %k * 800], %t {instruction = #tile.transfer<cp_async, bytes = 16>} : memref<64x16384xf16>, memref<64x800xf16, #tile.shared>
      tile.copy %t, %c : memref<64x800xf16, #tile.shared>, memref<64x800xf16>
    }
  }
  return
}

// A slot begins where the swizzle does: after 512 bytes, not 384.
// CHECK-LABEL: func.func @swizzled
// CHECK: tile.alloc {layout = #tile.layout<[2: 2 offset*256][3: 3 offset*64][64: 64 offset] swizzle(2, 3, 3)>} : memref<2x3x64xf16, #tile.shared>
func.func @swizzled(%a: memref<3x4096xf16>, %c: memref<3x64xf16>) {
  tile.kernel (%x) in (1) {
    %t = tile.alloc {layout = #tile.layout<[3: 3 offset*64][64: 64 offset] swizzle(2, 3, 3)>} : memref<3x64xf16, #tile.shared>
    tile.pipelined %k = 0 to 8 stages(2) {
      tile.copy %a[0, %k * 64], %t {instruction = #tile.transfer<cp_async, bytes = 16>} : memref<3x4096xf16>, memref<3x64xf16, #tile.shared>
      tile.copy %t, %c : memref<3x64xf16, #tile.shared>, memref<3x64xf16>
    }
  }
  return
}
