// A producer reads the entries of its list before it waits for a free stage, and once for gathers that follow each other.

// RUN: tile-opt %s --tile-set-target=chip=sm_90a --convert-tile-to-simt --canonicalize --cse | FileCheck %s

!rows = memref<2x64x64xf16, #tile.shared>
!tile = memref<64x64xf16, #tile.shared>
!stages = !tile.pipeline<2>

// 128 threads, 8 of them for a row, four rows each: tiles of 64 and 128 columns have the same rows.
// CHECK-LABEL: gpu.func @once_0(
// CHECK: scf.for
// CHECK-COUNT-4: llvm.load {{.*}} : !llvm.ptr<1> -> i32
// CHECK-NOT: !llvm.ptr<1> -> i32
// CHECK: nvvm.mbarrier.try_wait
// CHECK-NOT: !llvm.ptr<1> -> i32
// CHECK: nvvm.cp.async.mbarrier.arrive
// CHECK-NOT: !llvm.ptr<1> -> i32
// CHECK: nvvm.mbarrier.try_wait
// CHECK: nvvm.cp.async.shared.global
// CHECK-NOT: !llvm.ptr<1> -> i32
// CHECK: nvvm.cp.async.mbarrier.arrive
func.func @once(%a: memref<512x192xf16>, %list: memref<256xi32>) {
  tile.kernel (%b) in (1) threads(128) {
    %t0 = tile.alloc : !rows
    %t1 = tile.alloc : memref<2x64x128xf16, #tile.shared>
    %p0 = tile.create_pipeline : !stages
    %p1 = tile.create_pipeline : !stages
    tile.warp_specialize producer {
      tile.pipelined %k = 0 to 4 {
        %i0 = tile.producer_acquire %p0 bytes(0) : !stages
        %s0 = tile.stage %t0[%i0] : !rows to !tile
        tile.gather %a[0, 0] by %list[%k * 64], %s0 signal(%p0 : !stages) {instruction = #tile.transfer<cp_async, bytes = 16>}
        tile.producer_commit %p0 : !stages
        %i1 = tile.producer_acquire %p1 bytes(0) : !stages
        %s1 = tile.stage %t1[%i1] : memref<2x64x128xf16, #tile.shared> to memref<64x128xf16, #tile.shared>
        tile.gather %a[0, 64] by %list[%k * 64], %s1 signal(%p1 : !stages) {instruction = #tile.transfer<cp_async, bytes = 16>}
        tile.producer_commit %p1 : !stages
      }
    } consumer {
      tile.pipelined %k = 0 to 4 {
        %i0 = tile.consumer_wait %p0 : !stages
        tile.consumer_release %p0 : !stages
        %i1 = tile.consumer_wait %p1 : !stages
        tile.consumer_release %p1 : !stages
      }
    }
  }
  return
}

// The second gather is by other entries.
// CHECK-LABEL: gpu.func @others_0(
// CHECK-COUNT-4: llvm.load {{.*}} : !llvm.ptr<1> -> i32
// CHECK: nvvm.mbarrier.try_wait
// CHECK: nvvm.cp.async.mbarrier.arrive
// CHECK-COUNT-4: llvm.load {{.*}} : !llvm.ptr<1> -> i32
// CHECK: nvvm.mbarrier.try_wait
// CHECK-NOT: !llvm.ptr<1> -> i32
// CHECK: nvvm.cp.async.mbarrier.arrive
func.func @others(%a: memref<512x64xf16>, %list: memref<256xi32>) {
  tile.kernel (%b) in (1) threads(128) {
    %t0 = tile.alloc : !rows
    %p0 = tile.create_pipeline : !stages
    tile.warp_specialize producer {
      %i0 = tile.producer_acquire %p0 bytes(0) : !stages
      %s0 = tile.stage %t0[%i0] : !rows to !tile
      tile.gather %a[0, 0] by %list[0], %s0 signal(%p0 : !stages) {instruction = #tile.transfer<cp_async, bytes = 16>}
      tile.producer_commit %p0 : !stages
      %i1 = tile.producer_acquire %p0 bytes(0) : !stages
      %s1 = tile.stage %t0[%i1] : !rows to !tile
      tile.gather %a[0, 0] by %list[64], %s1 signal(%p0 : !stages) {instruction = #tile.transfer<cp_async, bytes = 16>}
      tile.producer_commit %p0 : !stages
    } consumer {
      %i0 = tile.consumer_wait %p0 : !stages
      tile.consumer_release %p0 : !stages
      %i1 = tile.consumer_wait %p0 : !stages
      tile.consumer_release %p0 : !stages
    }
  }
  return
}

// The kernel writes the list: nothing is read early.
// CHECK-LABEL: gpu.func @written_0(
// CHECK: nvvm.setmaxregister decrease
// CHECK-NOT: !llvm.ptr<1> -> i32
// CHECK: nvvm.mbarrier.try_wait
// CHECK-COUNT-4: llvm.load {{.*}} : !llvm.ptr<1> -> i32
// CHECK: nvvm.cp.async.mbarrier.arrive
func.func @written(%a: memref<512x64xf16>, %list: memref<256xi32>) {
  tile.kernel (%b) in (1) threads(128) {
    %t0 = tile.alloc : !rows
    %f = tile.alloc {layout = #tile.layout<[64: 4 warp, 16 lane*2] rep(2 lane)>} : memref<64xi32, #tile.fragment>
    %p0 = tile.create_pipeline : !stages
    tile.warp_specialize attributes {producer_registers = 40 : i64, consumer_registers = 232 : i64} producer {
      %i0 = tile.producer_acquire %p0 bytes(0) : !stages
      %s0 = tile.stage %t0[%i0] : !rows to !tile
      tile.gather %a[0, 0] by %list[0], %s0 signal(%p0 : !stages) {instruction = #tile.transfer<cp_async, bytes = 16>}
      tile.producer_commit %p0 : !stages
    } consumer {
      %i0 = tile.consumer_wait %p0 : !stages
      tile.copy %f, %list[64] : memref<64xi32, #tile.fragment>, memref<256xi32>
      tile.consumer_release %p0 : !stages
    }
  }
  return
}
