// RUN: tile-opt %s --tile-set-target=chip=sm_90a --convert-tile-to-simt --canonicalize --cse | FileCheck %s

// Accumulators give a lane two neighbours of every eight. Of bf16, four lanes swap four runs each, in two steps, and store vectors.
// CHECK-LABEL: gpu.func @store_0
// CHECK-COUNT-16: gpu.shuffle xor %{{.*}}, %c{{[12]}}_i32, %c32_i32 : i32
// CHECK-NOT: gpu.shuffle
// CHECK-COUNT-1: llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64}
// CHECK:     gpu.return
func.func @store(%y: memref<16x64xbf16>) {
  tile.kernel (%b) in (1) threads(32) {
    %x = tile.alloc {layout = #tile.layout<[16: 2 reg*2, 8 lane*4][64: 8 reg*4, 4 lane, 2 reg]>} : memref<16x64xf32, #tile.fragment>
    tile.copy %x, %y : memref<16x64xf32, #tile.fragment>, memref<16x64xbf16>
  }
  return
}

// Loads likewise: vectors first, then each lane gets its own.
// CHECK-LABEL: gpu.func @load_0
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64}
// CHECK: gpu.shuffle xor
// CHECK:     gpu.return
func.func @load(%y: memref<16x64xbf16>) {
  tile.kernel (%b) in (1) threads(32) {
    %x = tile.alloc {layout = #tile.layout<[16: 2 reg*2, 8 lane*4][64: 8 reg*4, 4 lane, 2 reg]>} : memref<16x64xf32, #tile.fragment>
    tile.copy %y, %x : memref<16x64xbf16>, memref<16x64xf32, #tile.fragment>
  }
  return
}

// Bytes: four lanes swap, two bytes each, and store 8.
// CHECK-LABEL: gpu.func @bytes_0
// CHECK-COUNT-16: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK-COUNT-1: llvm.store %{{.*}}, %{{.*}} {alignment = 8 : i64}
// CHECK:     gpu.return
func.func @bytes(%y: memref<16x64xi8>) {
  tile.kernel (%b) in (1) threads(32) {
    %x = tile.alloc {layout = #tile.layout<[16: 2 reg*2, 8 lane*4][64: 8 reg*4, 4 lane, 2 reg]>} : memref<16x64xi32, #tile.fragment>
    tile.copy %x, %y : memref<16x64xi32, #tile.fragment>, memref<16x64xi8>
  }
  return
}

// Where a lane has two runs, two of four lanes swap.
// CHECK-LABEL: gpu.func @pairs_0
// CHECK-COUNT-2: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK-COUNT-1: llvm.store %{{.*}}, %{{.*}} {alignment = 8 : i64}
// CHECK:     gpu.return
func.func @pairs(%y: memref<16x16xbf16>) {
  tile.kernel (%b) in (1) threads(32) {
    %x = tile.alloc {layout = #tile.layout<[16: 2 reg*2, 8 lane*4][16: 2 reg*4, 4 lane, 2 reg]>} : memref<16x16xf32, #tile.fragment>
    tile.copy %x, %y : memref<16x16xf32, #tile.fragment>, memref<16x16xbf16>
  }
  return
}

// Four lanes of f32 have a sector, some have whole vectors, or one run; three lanes or runs cannot swap.
// CHECK-LABEL: gpu.func @others_0
// CHECK-NOT: gpu.shuffle
// CHECK:     gpu.return
func.func @others(%f: memref<16x64xf32>, %h: memref<16x64xf16>, %s: memref<16x8xf16>, %n: memref<16x24xf16>) {
  tile.kernel (%b) in (1) threads(32) {
    %0 = tile.alloc {layout = #tile.layout<[16: 2 reg*2, 8 lane*4][64: 8 reg*4, 4 lane, 2 reg]>} : memref<16x64xf32, #tile.fragment>
    tile.copy %0, %f : memref<16x64xf32, #tile.fragment>, memref<16x64xf32>
    %1 = tile.alloc {layout = #tile.layout<[16: 4 reg*8, 4 lane*8][64: 8 lane, 8 reg]>} : memref<16x64xf32, #tile.fragment>
    tile.copy %1, %h : memref<16x64xf32, #tile.fragment>, memref<16x64xf16>
    %2 = tile.alloc {layout = #tile.layout<[16: 2 reg*2, 8 lane*4][8: 4 lane, 2 reg]>} : memref<16x8xf32, #tile.fragment>
    tile.copy %2, %s : memref<16x8xf32, #tile.fragment>, memref<16x8xf16>
    %3 = tile.alloc {layout = #tile.layout<[16: 2 reg*6, 8 lane*4][24: 3 reg*2, 4 lane, 2 reg]>} : memref<16x24xf32, #tile.fragment>
    tile.copy %3, %n : memref<16x24xf32, #tile.fragment>, memref<16x24xf16>
  }
  return
}
