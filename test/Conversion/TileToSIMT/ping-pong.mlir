// RUN: tile-opt %s --tile-set-target=chip=sm_90a --convert-tile-to-simt --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s

// Two teams of 128 threads, and a warp of a producer. Team t takes the points p + t P, p + (t + 2) P, … and passes over the stages of the
// others', 3 each; its tile of results is the t-th. The barriers of the two are numbers 4 and 5, and 2 and 3 where they take turns.
!tile = memref<64x64xf32, #tile.shared>
!tiles = memref<2x64x64xf32, #tile.shared>
!f = memref<64x64xf32, #tile.fragment>
#f = #tile.layout<[64: 32 reg*2, 2 warp*2][64: 2 warp, 32 lane, 1 reg]>
// CHECK-LABEL: gpu.func @teams
// CHECK-DAG: %[[C128:.*]] = arith.constant 128 : i32
// CHECK-DAG: %[[C256:.*]] = arith.constant 256 : i32
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : i32
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : i32
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : i32
// CHECK-DAG: %[[BYTES:.*]] = arith.constant 16384 : i32
// CHECK: arith.cmpi uge, %{{.*}}, %[[C256]] : i32
// CHECK: } else {
// CHECK: arith.divui
// CHECK: %[[TEAM:.*]], %{{.*}} = gpu.shuffle idx
// CHECK: arith.muli %[[TEAM]], %[[BYTES]]
// CHECK: arith.muli %[[TEAM]], %[[C3]]
// CHECK: scf.for %{{.*}} step %c8
// CHECK: arith.addi %[[TEAM]], %[[C2]]
// CHECK: nvvm.barrier id = %{{.*}} number_of_threads = %[[C256]]
// CHECK: arith.addi %[[TEAM]], %[[C4]]
// CHECK: nvvm.barrier id = %{{.*}} number_of_threads = %[[C128]]
func.func @teams(%a: memref<1024x64xf32>, %c: memref<1024x64xf32>) {
  tile.kernel (%p) in (4) threads(128) {
    %s = tile.alloc {offset = 0 : i64} : !tiles
    %r = tile.alloc {tile.consumers = 2 : i64, offset = 32768 : i64} : !tile
    %f = tile.alloc {layout = #f} : !f
    %pipeline = tile.create_pipeline {offset = 65536 : i64} : !tile.pipeline<2>
    tile.warp_specialize attributes {tile.consumers = 2 : i64} producer {
      tile.persistent (%x) in (8) {
        tile.pipelined %k = 0 to 3 {
          %i = tile.producer_acquire %pipeline bytes(16384) : !tile.pipeline<2>
          %t = tile.stage %s[%i] : !tiles to !tile
          tile.copy %a[%k * 64, 0], %t signal(%pipeline : !tile.pipeline<2>) {instruction = #tile.transfer<tma>} : memref<1024x64xf32>, !tile
          tile.producer_commit %pipeline : !tile.pipeline<2>
        }
      }
    } consumer {
      tile.persistent (%x) in (8) {
        tile.order_wait
        tile.pipelined %k = 0 to 3 {
          %i = tile.consumer_wait %pipeline : !tile.pipeline<2>
          %t = tile.stage %s[%i] : !tiles to !tile
          tile.copy %t, %f : !tile, !f
          tile.consumer_release %pipeline : !tile.pipeline<2>
        }
        tile.order_arrive
        tile.barrier
        tile.copy %f, %r : !f, !tile
        tile.barrier
        tile.copy %r, %c[%x * 64, 0] : !tile, memref<1024x64xf32>
      }
    }
  }
  return
}

// -----

// Warps of both teams would meet in the same bytes.
#f = #tile.layout<[64: 32 reg*2, 2 warp*2][64: 2 warp, 32 lane, 1 reg]>
#c = #tile.layout<[64: 32 reg*1, 2 warp*2] rep(2 warp, 32 lane)>
func.func @exchange(%c: memref<1024xf32>, %g: f32) {
  tile.kernel (%p) in (4) threads(128) {
    %f = tile.alloc {layout = #f} : memref<64x64xf32, #tile.fragment>
    %sum = tile.alloc {layout = #c} : memref<64xf32, #tile.fragment>
    // expected-error @below {{cannot have 2 consumers: expected no exchanges between threads through shared memory}}
    tile.warp_specialize attributes {tile.consumers = 2 : i64} producer {
      tile.persistent (%x) in (8) {
      }
    } consumer {
      tile.persistent (%x) in (8) {
        tile.fill %f, %g : memref<64x64xf32, #tile.fragment>
        // expected-note @below {{it is here}}
        tile.reduce sum %f, %sum dim(1) : memref<64x64xf32, #tile.fragment>, memref<64xf32, #tile.fragment>
        tile.copy %sum, %c[%x * 64] : memref<64xf32, #tile.fragment>, memref<1024xf32>
      }
    }
  }
  return
}

// -----

// As tile-verify-schedule says, too.
func.func @no_points() {
  tile.kernel (%p) in (4) threads(128) {
    // expected-error @below {{cannot have 2 consumers: expected one 'tile.persistent' and nothing else in both partitions}}
    tile.warp_specialize attributes {tile.consumers = 2 : i64} producer {
    } consumer {
    }
  }
  return
}

// -----

// A buffer within the partition has no place that teams could share.
func.func @own_buffer(%c: memref<1024x64xf32>, %g: f32) {
  tile.kernel (%p) in (4) threads(128) {
    tile.warp_specialize attributes {tile.consumers = 2 : i64} producer {
      tile.persistent (%x) in (8) {
      }
    } consumer {
      // expected-note @below {{the buffer comes from here}}
      %r = tile.alloc {tile.consumers = 2 : i64} : memref<64x64xf32, #tile.shared>
      tile.persistent (%x) in (8) {
        // expected-error @below {{uses a buffer that has no place on a GPU}}
        tile.fill %r, %g : memref<64x64xf32, #tile.shared>
      }
    }
  }
  return
}
