// RUN: tile-opt %s --tile-set-target=chip=sm_90a --convert-tile-to-simt --canonicalize --cse | FileCheck %s

// A row in one thread: its registers, and nobody else.
// CHECK-LABEL: gpu.func @in_registers_0
// CHECK-COUNT-3: arith.addf
// CHECK-NOT: arith.addf
// CHECK-NOT: gpu.shuffle
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func @in_registers() {
  tile.kernel (%b) in (1) threads(32) {
    %f = tile.alloc {layout = #tile.layout<[32: 32 lane][4: 4 reg]>} : memref<32x4xf32, #tile.fragment>
    %s = tile.alloc {layout = #tile.layout<[32: 32 lane]>} : memref<32xf32, #tile.fragment>
    tile.reduce sum %f, %s dim(1) : memref<32x4xf32, #tile.fragment>, memref<32xf32, #tile.fragment>
  }
  return
}

// 64 elements of a thread are four sums, of every fourth element, so that not each waits for the one before.
// CHECK-LABEL: gpu.func @four_sums_0
// CHECK: %[[A:.*]] = arith.addf %[[V0:.*]], %[[V4:.*]] : f32
// CHECK: %[[B:.*]] = arith.addf
// CHECK: %[[C:.*]] = arith.addf
// CHECK: %[[D:.*]] = arith.addf
// CHECK: %[[A2:.*]] = arith.addf %[[A]], %{{.*}} : f32
// CHECK: arith.addf %[[B]], %{{.*}} : f32
// CHECK-COUNT-54: arith.addf
// CHECK: %[[L:.*]] = arith.addf
// CHECK: %[[M:.*]] = arith.addf
// CHECK: arith.addf %[[L]], %[[M]] : f32
// CHECK-NOT: arith.addf
// CHECK: gpu.return
func.func @four_sums() {
  tile.kernel (%b) in (1) threads(32) {
    %f = tile.alloc {layout = #tile.layout<[32: 32 lane][64: 64 reg]>} : memref<32x64xf32, #tile.fragment>
    %s = tile.alloc {layout = #tile.layout<[32: 32 lane]>} : memref<32xf32, #tile.fragment>
    tile.reduce sum %f, %s dim(1) : memref<32x64xf32, #tile.fragment>, memref<32xf32, #tile.fragment>
  }
  return
}

// One less are one sum.
// CHECK-LABEL: gpu.func @one_sum_0
// CHECK: %[[FIRST:.*]] = arith.addf
// CHECK: %[[SECOND:.*]] = arith.addf %[[FIRST]], %{{.*}} : f32
// CHECK: arith.addf %[[SECOND]], %{{.*}} : f32
// CHECK: gpu.return
func.func @one_sum() {
  tile.kernel (%b) in (1) threads(32) {
    %f = tile.alloc {layout = #tile.layout<[32: 32 lane][63: 63 reg]>} : memref<32x63xf32, #tile.fragment>
    %s = tile.alloc {layout = #tile.layout<[32: 32 lane]>} : memref<32xf32, #tile.fragment>
    tile.reduce sum %f, %s dim(1) : memref<32x63xf32, #tile.fragment>, memref<32xf32, #tile.fragment>
  }
  return
}

// A row in four neighbours: two shuffles for each register that a row has left.
// CHECK-LABEL: gpu.func @in_lanes_0
// CHECK-COUNT-4: gpu.shuffle  xor
// CHECK-NOT: gpu.shuffle
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func @in_lanes() {
  tile.kernel (%b) in (1) threads(32) {
    %f = tile.alloc {layout = #tile.layout<[16: 2 reg*2, 8 lane*4][8: 4 lane, 2 reg]>} : memref<16x8xf32, #tile.fragment>
    %s = tile.alloc {layout = #tile.layout<[16: 2 reg, 8 lane*4] rep(4 lane)>} : memref<16xf32, #tile.fragment>
    tile.reduce max %f, %s dim(1) : memref<16x8xf32, #tile.fragment>, memref<16xf32, #tile.fragment>
  }
  return
}

// A row over two warps: each warp's part goes through a table in shared memory.
// CHECK-LABEL: gpu.func @over_warps_0
// CHECK-COUNT-5: gpu.shuffle  xor
// CHECK: gpu.barrier
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
func.func @over_warps() {
  tile.kernel (%b) in (1) threads(64) {
    %f = tile.alloc {layout = #tile.layout<[1][64: 2 warp, 32 lane]>} : memref<1x64xf32, #tile.fragment>
    %s = tile.alloc {layout = #tile.layout<[1] rep(32 lane, 2 warp)>} : memref<1xf32, #tile.fragment>
    tile.reduce sum %f, %s dim(1) : memref<1x64xf32, #tile.fragment>, memref<1xf32, #tile.fragment>
  }
  return
}

// From shared memory to shared memory; the old content takes part.
// CHECK-LABEL: gpu.func @combine_0
// CHECK-COUNT-8: gpu.shuffle  xor
// CHECK: gpu.barrier
// CHECK: gpu.barrier
// CHECK: %[[ROW:.*]] = llvm.load %{{.*}} : !llvm.ptr<3> -> i32
// CHECK: %[[OLD:.*]] = llvm.load %{{.*}} : !llvm.ptr<3> -> i32
// CHECK: %[[NEW:.*]] = arith.minui %[[OLD]], %[[ROW]] : i32
// CHECK: llvm.store %[[NEW]], %{{.*}} : i32, !llvm.ptr<3>
func.func @combine() {
  tile.kernel (%b) in (1) threads(32) {
    %f = tile.alloc : memref<32x4xi32, #tile.shared>
    %s = tile.alloc : memref<32xi32, #tile.shared>
    tile.reduce min %f, %s dim(1) {combine, is_unsigned} : memref<32x4xi32, #tile.shared>, memref<32xi32, #tile.shared>
  }
  return
}

// A scan within a warp: the lanes by shuffles, then the two registers of each.
// CHECK-LABEL: gpu.func @scan_0
// CHECK-NOT: gpu.barrier
// CHECK: gpu.shuffle up %[[OWN:.*]], %c1_i32
// CHECK: arith.addf
// CHECK: gpu.shuffle up %{{.*}}, %c16_i32
// CHECK: gpu.shuffle idx
// CHECK-NOT: gpu.barrier
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<3>
// CHECK: gpu.return
func.func @scan() {
  tile.kernel (%b) in (1) threads(32) {
    %s = tile.alloc : memref<4x64xf32, #tile.shared>
    tile.scan sum %s, %s dim(1) : memref<4x64xf32, #tile.shared>, memref<4x64xf32, #tile.shared>
  }
  return
}

// Over two warps: their totals go through shared memory. From the end, lanes pass down.
// CHECK-LABEL: gpu.func @scan_of_warps_0
// CHECK: gpu.shuffle down %{{.*}}, %c1_i32
// CHECK: gpu.shuffle idx
// CHECK: gpu.barrier
// CHECK: scf.if
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> f32
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func @scan_of_warps() {
  tile.kernel (%b) in (1) threads(64) {
    %s = tile.alloc {layout = #tile.layout<[64: 2 warp, 32 lane]>} : memref<64xf32, #tile.fragment>
    tile.scan sum %s, %s dim(0) {reverse} : memref<64xf32, #tile.fragment>, memref<64xf32, #tile.fragment>
  }
  return
}

// Of a large tile in shared memory, each thread walks along a row.
// CHECK-LABEL: gpu.func @scan_of_rows_0
// CHECK-NOT: gpu.shuffle
// CHECK: scf.for
// CHECK: scf.for {{.*}} iter_args
// CHECK: arith.maxnumf
// CHECK: gpu.return
func.func @scan_of_rows() {
  tile.kernel (%b) in (1) threads(32) {
    %s = tile.alloc : memref<64x64xf32, #tile.shared>
    tile.scan max %s, %s dim(1) : memref<64x64xf32, #tile.shared>, memref<64x64xf32, #tile.shared>
  }
  return
}

// A vote among the consumers only, at their barrier.
// CHECK-LABEL: gpu.func @consumers_0
// CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.red.and.aligned.count"(%c1_i32, %c128_i32, %{{.*}}) : (i32, i32, i1) -> i1
func.func @consumers(%a: memref<1xi1>) {
  tile.kernel (%b) in (1) threads(128) {
    %m = tile.alloc : memref<128xi32, #tile.shared>
    tile.warp_specialize producer {
    } consumer {
      %all = tile.all_of %m : memref<128xi32, #tile.shared>
      tile.parallel (%i) in (1) {
        memref.store %all, %a[%i] : memref<1xi1>
      }
    }
  }
  return
}
