// RUN: tile-opt %s --split-input-file --verify-diagnostics --tile-set-target=chip=sm_90a --convert-tile-to-simt --canonicalize --cse | FileCheck %s

// Of 32 rows each block loads 16 into both, at its place. A stage is empty when 4 warps of 2 blocks have read it: lanes 0 and 1
// arrive in blocks 0 and 1. Blocks begin and end together.
// CHECK-LABEL: gpu.func @shared_0(
// CHECK-SAME: nvvm.cluster_dim = array<i32: 2, 1, 1>
// CHECK-SAME: box = [32, 16]
// CHECK-SAME: cluster = [2]
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : i32
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : i32
// CHECK-DAG: %[[C16:.*]] = arith.constant 16 : i32
// CHECK-DAG: %[[C512:.*]] = arith.constant 512 : i32
// CHECK-DAG: %[[ALL:.*]] = arith.constant 3 : i16
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[C8]] : !llvm.ptr<3>, i32
// CHECK: nvvm.fence.mbarrier.init
// CHECK-NOT: gpu.barrier
// CHECK: nvvm.cluster.arrive
// CHECK-NEXT: nvvm.cluster.wait
// CHECK: %[[RANK:.*]] = nvvm.read.ptx.sreg.cluster.ctarank : i32
// CHECK: %[[ROW:.*]] = arith.muli %[[RANK]], %[[C16]] : i32
// CHECK: arith.muli %[[RANK]], %[[C512]] : i32
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} multicast_mask = %[[ALL]]
// CHECK: nvvm.bar.warp.sync
// CHECK: %[[ARRIVES:.*]] = arith.cmpi ult, %[[LANE:.*]], %[[C2]] : i32
// CHECK: scf.if %[[ARRIVES]]
// CHECK: %[[REMOTE:.*]] = nvvm.mapa %{{.*}}, %[[LANE]] : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK: nvvm.mbarrier.arrive %[[REMOTE]] : !llvm.ptr<7>
// CHECK: nvvm.cluster.arrive
// CHECK-NEXT: nvvm.cluster.wait
// CHECK-NEXT: gpu.return
func.func @shared(%a: memref<32x64xf32>, %s: memref<64xf32>) {
  tile.kernel (%b) in (2) cluster(2) {
    %tiles = tile.alloc : memref<2x32x32xf32, #tile.shared>
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    tile.warp_specialize producer {
      tile.pipelined %k = 0 to 2 {
        %i = tile.producer_acquire %pipeline bytes(4096) : !tile.pipeline<2>
        %t = tile.stage %tiles[%i] : memref<2x32x32xf32, #tile.shared> to memref<32x32xf32, #tile.shared>
        tile.copy %a[0, %k * 32], %t signal(%pipeline : !tile.pipeline<2>) {instruction = #tile.transfer<tma>, tile.multicast = 2}
            : memref<32x64xf32>, memref<32x32xf32, #tile.shared>
        tile.producer_commit %pipeline : !tile.pipeline<2>
      }
    } consumer {
      tile.pipelined %k = 0 to 2 {
        %i = tile.consumer_wait %pipeline : !tile.pipeline<2>
        %t = tile.stage %tiles[%i] : memref<2x32x32xf32, #tile.shared> to memref<32x32xf32, #tile.shared>
        %v = memref.load %t[%k, %k] : memref<32x32xf32, #tile.shared>
        memref.store %v, %s[%k] : memref<64xf32>
        tile.consumer_release %pipeline : !tile.pipeline<2>
      }
    }
  }
  return
}

// -----

func.func @no_cluster(%a: memref<32x32xf32>) {
  // expected-error @below {{expected a cluster of 2 blocks, which share a tile, got 1}}
  tile.kernel (%b) in (2) {
    %tiles = tile.alloc : memref<2x32x32xf32, #tile.shared>
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    tile.warp_specialize producer {
      %i = tile.producer_acquire %pipeline bytes(4096) : !tile.pipeline<2>
      %t = tile.stage %tiles[%i] : memref<2x32x32xf32, #tile.shared> to memref<32x32xf32, #tile.shared>
      tile.copy %a, %t signal(%pipeline : !tile.pipeline<2>) {instruction = #tile.transfer<tma>, tile.multicast = 2}
          : memref<32x32xf32>, memref<32x32xf32, #tile.shared>
      tile.producer_commit %pipeline : !tile.pipeline<2>
    } consumer {
    }
  }
  return
}

// -----

func.func @odd_rows(%a: memref<24x32xf32>) {
  tile.kernel (%b) in (2) cluster(2) {
    %tiles = tile.alloc : memref<2x24x32xf32, #tile.shared>
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    tile.warp_specialize producer {
      %i = tile.producer_acquire %pipeline bytes(3072) : !tile.pipeline<2>
      %t = tile.stage %tiles[%i] : memref<2x24x32xf32, #tile.shared> to memref<24x32xf32, #tile.shared>
      // expected-error @below {{'tile.copy' op expected the copy that blocks share to load a multiple of 16 rows, which one box holds, got 24}}
      tile.copy %a, %t signal(%pipeline : !tile.pipeline<2>) {instruction = #tile.transfer<tma>, tile.multicast = 2}
          : memref<24x32xf32>, memref<24x32xf32, #tile.shared>
      tile.producer_commit %pipeline : !tile.pipeline<2>
    } consumer {
    }
  }
  return
}

// -----

func.func @no_number(%a: memref<32x32xf32>, %b: memref<32x32xf32>) {
  // expected-error @below {{expected 'tile.multicast' on a copy to be a number of blocks above 1, got 1 : i64}}
  tile.copy %a, %b {tile.multicast = 1} : memref<32x32xf32>, memref<32x32xf32>
  return
}
