// RUN: tile-opt %s --tile-set-target=chip=sm_90a --convert-tile-to-simt --canonicalize --cse | FileCheck %s
// RUN: tile-opt %s --tile-set-target=chip=sm_90a --convert-tile-to-simt --remarks-filter=convert-tile-to-simt -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#rows = #tile.layout<[64: 4 warp, 2 reg*2, 8 lane*4][32: 4 reg*4, 4 lane, 2 reg]>

// Lanes of odd rows store, 8 registers apart, each vector where the others store the other one: their offsets differ by 16 elements.
// REMARK: [Passed] StoreTurns | Category:convert-tile-to-simt | lanes=4, registers=8
// CHECK-LABEL: gpu.func @swizzled_0
// CHECK: %[[OWN:.*]] = arith.andi %{{.*}}, %c4_i32
// CHECK: %[[OTHER:.*]] = arith.cmpi ne, %[[OWN]], %c0_i32
// CHECK: %[[FLIP:.*]] = arith.select %[[OTHER]], %c16_i32, %c0_i32
// CHECK: %[[BASE:.*]] = arith.xori %{{.*}}, %[[FLIP]]
// CHECK: %[[FIRST:.*]] = arith.select %[[OTHER]], %[[B:.*]], %[[A:.*]] : vector<2xf32>
// CHECK: %[[SECOND:.*]] = arith.select %[[OTHER]], %[[A]], %[[B]] : vector<2xf32>
// CHECK-NOT: llvm.store
// CHECK: arith.select {{.*}} : vector<2xf32>
// CHECK: %[[TO:.*]] = llvm.getelementptr %{{.*}}[%[[BASE]]]
// CHECK: llvm.store %[[FIRST]], %[[TO]] {{.*}} : vector<2xf32>, !llvm.ptr<3>
// CHECK: arith.xori %[[BASE]], %c16_i32
// CHECK: llvm.store %[[SECOND]], %{{.*}} : vector<2xf32>, !llvm.ptr<3>
// CHECK-COUNT-3: llvm.store %{{.*}} : vector<2xf32>, !llvm.ptr<3>
// CHECK: gpu.return
func.func @swizzled() {
  tile.kernel (%b) in (1) threads(128) {
    %a = tile.alloc {layout = #rows} : memref<64x32xf32, #tile.fragment>
    %s = tile.alloc {layout = #tile.layout<[64: 64 offset*32][32: 32 offset] swizzle(3, 2, 3)>} : memref<64x32xf32, #tile.shared>
    tile.copy %a, %s : memref<64x32xf32, #tile.fragment>, memref<64x32xf32, #tile.shared>
  }
  return
}

// No lanes meet; all rows do, whatever the order; a part of a tile; loads.
// REMARK-NOT: StoreTurns
// CHECK-LABEL: gpu.func @padded_0
// CHECK-NOT: arith.select
// CHECK: gpu.return
func.func @padded() {
  tile.kernel (%b) in (1) threads(128) {
    %a = tile.alloc {layout = #rows} : memref<64x32xf32, #tile.fragment>
    %s = tile.alloc {layout = #tile.layout<[64: 64 offset*40][32: 32 offset]>} : memref<64x32xf32, #tile.shared>
    tile.copy %a, %s : memref<64x32xf32, #tile.fragment>, memref<64x32xf32, #tile.shared>
  }
  return
}
// CHECK-LABEL: gpu.func @part_0
// CHECK-NOT: arith.select
// CHECK: gpu.return
func.func @part() {
  tile.kernel (%b) in (1) threads(128) {
    %a = tile.alloc {layout = #rows} : memref<64x32xf32, #tile.fragment>
    %s = tile.alloc {layout = #tile.layout<[128: 128 offset*32][32: 32 offset] swizzle(3, 2, 3)>} : memref<128x32xf32, #tile.shared>
    tile.copy %a, %s[64, 0] : memref<64x32xf32, #tile.fragment>, memref<128x32xf32, #tile.shared>
  }
  return
}
// CHECK-LABEL: gpu.func @load_0
// CHECK-NOT: arith.select
// CHECK: gpu.return
func.func @load() {
  tile.kernel (%b) in (1) threads(128) {
    %a = tile.alloc {layout = #rows} : memref<64x32xf32, #tile.fragment>
    %s = tile.alloc {layout = #tile.layout<[64: 64 offset*32][32: 32 offset] swizzle(3, 2, 3)>} : memref<64x32xf32, #tile.shared>
    tile.copy %s, %a : memref<64x32xf32, #tile.shared>, memref<64x32xf32, #tile.fragment>
  }
  return
}
