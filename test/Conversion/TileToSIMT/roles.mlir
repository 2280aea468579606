// RUN: tile-opt %s --tile-set-target=chip=sm_90a --convert-tile-to-gpu --canonicalize --cse | FileCheck %s

// A warpgroup more than the kernel's threads produces: one of its threads works, with the barriers of two slots full and
// empty. 64 x 32 x f32 come as one box.
// CHECK-LABEL: gpu.func @ring_0(
// CHECK-SAME: %[[A:[a-z0-9]+]]: !llvm.ptr<1>
// CHECK-SAME: %[[MAP:[a-z0-9]+]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>}
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>
// CHECK-SAME: maps = [<argument = 0, element = f32, sizes = [s0, 64], strides = [s0 * 4], box = [32, 64], swizzle = 128, l2_promotion = 256>]
// CHECK-SAME: <tensor_map, map = 0>
// CHECK-SAME: block = [256]
//
// Arrivals: the producer's one, and one of each of 4 warps.
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i32
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : i32
// CHECK: scf.if
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[C1]] : !llvm.ptr<3>, i32
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[C4]] : !llvm.ptr<3>, i32
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[C1]]
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[C4]]
// CHECK: nvvm.fence.mbarrier.init
// CHECK: gpu.barrier
//
// The producer.
// CHECK: arith.cmpi uge
// CHECK: scf.if
// CHECK: nvvm.setmaxregister decrease 40
// CHECK: nvvm.elect.sync
// CHECK: scf.if
// CHECK: scf.for
// CHECK: scf.while
// CHECK: nvvm.mbarrier.try_wait
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[MAP]]
// CHECK-NOT: nvvm.cp.async.bulk.tensor
//
// The consumer, whose threads meet at a barrier of their own.
// CHECK: } else {
// CHECK: nvvm.setmaxregister increase 232
// CHECK: scf.for
// CHECK: nvvm.mbarrier.try_wait
// CHECK: nvvm.barrier id = %[[C1]] number_of_threads = %{{.*}}
// CHECK: nvvm.bar.warp.sync
// CHECK: scf.if
// CHECK: nvvm.mbarrier.arrive %
func.func @ring(%a: memref<64x?xf32>, %s: memref<64xf32>, %n: index) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %tiles = tile.alloc {layout = #tile.layout<[2: 2 offset*2048][64: 64 offset*32][32: 32 offset] swizzle(3, 2, 3)>}
        : memref<2x64x32xf32, #tile.shared>
    %acc = tile.alloc {layout = #tile.layout<[64: 4 warp, 16 lane*2] rep(2 lane)>} : memref<64xf32, #tile.fragment>
    %ring = tile.ring : !tile.ring<2>
    tile.roles attributes {producer_registers = 40 : i64, consumer_registers = 232 : i64} producer {
      tile.pipelined %k = 0 to %n {
        %i = tile.producer_acquire %ring bytes(8192) : !tile.ring<2>
        %t = tile.slot %tiles[%i] : memref<2x64x32xf32, #tile.shared> to memref<64x32xf32, #tile.shared>
        tile.copy %a[0, %k * 32], %t signal(%ring : !tile.ring<2>) {instruction = #tile.transfer<tma>}
            : memref<64x?xf32>, memref<64x32xf32, #tile.shared>
        tile.producer_commit %ring : !tile.ring<2>
      }
    } consumer {
      tile.fill %acc, %zero : memref<64xf32, #tile.fragment>
      tile.pipelined %k = 0 to %n {
        %i = tile.consumer_wait %ring : !tile.ring<2>
        %t = tile.slot %tiles[%i] : memref<2x64x32xf32, #tile.shared> to memref<64x32xf32, #tile.shared>
        tile.reduce sum %t, %acc dim(1) {combine} : memref<64x32xf32, #tile.shared>, memref<64xf32, #tile.fragment>
        tile.barrier
        tile.consumer_release %ring : !tile.ring<2>
      }
      tile.copy %acc, %s : memref<64xf32, #tile.fragment>, memref<64xf32>
    }
  }
  return
}

// One thread stores a tile, a box for each 64 columns. It waits where the
// program says so, and at the end of the kernel.
// CHECK-LABEL: gpu.func @tensor_store_0(
// CHECK-SAME: element = f16, sizes = [128, 32], strides = [256], box = [64, 32], swizzle = 128
// CHECK-NOT: nvvm.fence.proxy
// CHECK-NOT: gpu.barrier
// CHECK: scf.if
// CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK-NOT: nvvm.cp.async.bulk.tensor
// CHECK: nvvm.cp.async.bulk.commit.group
// CHECK-NEXT: }
// CHECK: scf.if
// CHECK-NEXT: nvvm.cp.async.bulk.wait_group 1 {read}
// CHECK: scf.if
// CHECK-NEXT: nvvm.cp.async.bulk.wait_group 0 {read}
func.func @tensor_store(%a: memref<32x128xf16>) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc {layout = #tile.layout<[32: 32 offset*64][128: 2 offset*2048, 64 offset] swizzle(3, 3, 3)>}
        : memref<32x128xf16, #tile.shared>
    tile.copy %s, %a {instruction = #tile.transfer<tma>} : memref<32x128xf16, #tile.shared>, memref<32x128xf16>
    tile.store_wait pending(1)
  }
  return
}
