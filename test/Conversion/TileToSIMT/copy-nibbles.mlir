// RUN: tile-opt %s --tile-set-target=chip=sm_90a --convert-tile-to-simt --canonicalize --cse | FileCheck %s

// Four lanes share a word of 8 elements: each reads four words, which broadcasts them, shifts its byte down, and converts it.
// CHECK-LABEL: gpu.func @wide_0
// CHECK:     %[[LANE:.*]] = arith.remui %{{.*}}, %c4_i32 : i32
// CHECK:     %[[SHIFT:.*]] = arith.muli %[[LANE]], %c8_i32 : i32
// CHECK:     %[[V:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> i128
// CHECK-NOT: llvm.load %{{.*}} : !llvm.ptr<3>
// CHECK-COUNT-4: arith.shrui %{{.*}}, %[[SHIFT]] : i32
// CHECK-NOT: arith.shrui
// CHECK:     gpu.return
func.func @wide() {
  tile.kernel (%b) in (1) threads(32) {
    %q = tile.alloc {layout = #tile.layout<[8: 8 offset*32][32: 32 offset]>} : memref<8x32xi4, #tile.shared>
    %w = tile.alloc {layout = #tile.layout<[8: 8 lane*4][32: 4 reg*2, 4 lane, 2 reg]>} : memref<8x32xbf16, #tile.fragment>
    tile.copy %q, %w : memref<8x32xi4, #tile.shared>, memref<8x32xbf16, #tile.fragment>
  }
  return
}

// Two words where there are no more.
// CHECK-LABEL: gpu.func @two_0
// CHECK:     llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> i64
// CHECK:     gpu.return
func.func @two() {
  tile.kernel (%b) in (1) threads(32) {
    %q = tile.alloc {layout = #tile.layout<[8: 8 offset*16][16: 16 offset]>} : memref<8x16xi4, #tile.shared>
    %w = tile.alloc {layout = #tile.layout<[8: 8 lane*4][16: 2 reg*2, 4 lane, 2 reg]>} : memref<8x16xbf16, #tile.fragment>
    tile.copy %q, %w : memref<8x16xi4, #tile.shared>, memref<8x16xbf16, #tile.fragment>
  }
  return
}

// Bytes: where eight lanes share K, where a lane has one word, and where the elements of a word have changed places.
// CHECK-LABEL: gpu.func @others_0
// CHECK-NOT: !llvm.ptr<3> -> i128
// CHECK-NOT: !llvm.ptr<3> -> i64
// CHECK:     gpu.return
func.func @others() {
  tile.kernel (%b) in (1) threads(32) {
    %q = tile.alloc {layout = #tile.layout<[4: 4 offset*64][64: 64 offset]>} : memref<4x64xi4, #tile.shared>
    %w = tile.alloc {layout = #tile.layout<[4: 4 lane*8][64: 4 reg*2, 8 lane, 2 reg]>} : memref<4x64xbf16, #tile.fragment>
    tile.copy %q, %w : memref<4x64xi4, #tile.shared>, memref<4x64xbf16, #tile.fragment>
    %r = tile.alloc {layout = #tile.layout<[8: 8 offset*8][8: 8 offset]>} : memref<8x8xi4, #tile.shared>
    %v = tile.alloc {layout = #tile.layout<[8: 8 lane*4][8: 4 lane, 2 reg]>} : memref<8x8xbf16, #tile.fragment>
    tile.copy %r, %v : memref<8x8xi4, #tile.shared>, memref<8x8xbf16, #tile.fragment>
    %s = tile.alloc {layout = #tile.layout<[8: 8 offset*32][32: 32 offset] swizzle(2, 1, 5)>} : memref<8x32xi4, #tile.shared>
    %u = tile.alloc {layout = #tile.layout<[8: 8 lane*4][32: 4 reg*2, 4 lane, 2 reg]>} : memref<8x32xbf16, #tile.fragment>
    tile.copy %s, %u : memref<8x32xi4, #tile.shared>, memref<8x32xbf16, #tile.fragment>
  }
  return
}
