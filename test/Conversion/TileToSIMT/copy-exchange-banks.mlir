// RUN: tile-opt %s --tile-set-target=chip=sm_90a --convert-tile-to-simt --canonicalize --cse | FileCheck %s

// Eight rows of a fragment meet in the same banks where a row of shared memory fills them: vectors of 16 bytes change places
// by the row, in what is written and in what is read. The room is no larger.
// CHECK-LABEL: gpu.func @wide_0
// CHECK-SAME: shared = 8192
// CHECK-COUNT-2: arith.xori
// CHECK: llvm.store %{{.*}} : vector<2xbf16>, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK: arith.xori
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<2xbf16>
// CHECK: gpu.return
func.func @wide() {
  tile.kernel (%b) in (1) threads(256) {
    %a = tile.alloc {layout = #tile.layout<[64: 4 warp, 2 reg*2, 8 lane*4][64: 2 warp*4, 4 reg*4, 4 lane, 2 reg]>} : memref<64x64xbf16, #tile.fragment>
    %c = tile.alloc {layout = #tile.layout<[64: 4 warp, 2 reg*2, 8 lane*4][64: 8 reg*4, 4 lane, 2 reg] rep(2 warp*4)>} : memref<64x64xbf16, #tile.fragment>
    tile.copy %a, %c : memref<64x64xbf16, #tile.fragment>, memref<64x64xbf16, #tile.fragment>
  }
  return
}

// Rows of 64 bytes, and rows that are no power of two, lie as they are.
// CHECK-LABEL: gpu.func @narrow_0
// CHECK-NOT: arith.xori
// CHECK: gpu.return
func.func @narrow() {
  tile.kernel (%b) in (1) threads(128) {
    %a = tile.alloc {layout = #tile.layout<[32: 4 warp, 8 lane*4][32: 4 reg*2, 4 lane, 2 reg]>} : memref<32x32xbf16, #tile.fragment>
    %c = tile.alloc {layout = #tile.layout<[32: 8 reg, 4 warp][32: 32 lane]>} : memref<32x32xbf16, #tile.fragment>
    tile.copy %a, %c : memref<32x32xbf16, #tile.fragment>, memref<32x32xbf16, #tile.fragment>
  }
  return
}
