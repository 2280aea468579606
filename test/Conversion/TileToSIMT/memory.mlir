// RUN: tile-opt %s --tile-set-target=chip=sm_90a --convert-tile-to-simt --canonicalize --cse | FileCheck %s

// One element, for each iteration; the old value is a result.
// CHECK-LABEL: gpu.func @elements_0
// CHECK: %[[OLD:.*]] = llvm.atomicrmw umax %{{.*}}, %{{.*}} monotonic : !llvm.ptr<1>, i32
// CHECK: llvm.store %[[OLD]]
// CHECK: llvm.atomicrmw fadd %{{.*}}, %{{.*}} monotonic : !llvm.ptr<3>, f32
func.func @elements(%a: memref<4xi32>, %c: memref<32xi32>, %v: i32, %x: f32) {
  tile.kernel (%b) in (1) threads(32) {
    %s = tile.alloc : memref<4xf32, #tile.shared>
    tile.parallel (%i) in (32) {
      %old = tile.atomic max %v, %a[%i mod 4] {is_unsigned} : i32, memref<4xi32> -> i32
      memref.store %old, %c[%i] : memref<32xi32>
      tile.atomic add %x, %s[%i mod 4] : f32, memref<4xf32, #tile.shared>
    }
  }
  return
}

// A tile: outside of the buffer nothing is updated.
// CHECK-LABEL: gpu.func @tile_0
// CHECK: %[[IN:.*]] = arith.cmpi ult
// CHECK: scf.if %[[IN]]
// CHECK: llvm.atomicrmw fadd
func.func @tile(%a: memref<?xf32>) {
  tile.kernel (%b) in (1) threads(32) {
    %f = tile.alloc {layout = #tile.layout<[32: 32 lane]>} : memref<32xf32, #tile.fragment>
    tile.atomic add %f, %a[%b * 32] : memref<32xf32, #tile.fragment>, memref<?xf32>
  }
  return
}

// Views are other names for addresses.
// CHECK-LABEL: gpu.func @views_0(
// CHECK-SAME: shared = 512>
// CHECK: %[[A:.*]] = llvm.mlir.addressof @tile_shared
// CHECK-NOT: memref
// CHECK: llvm.store %{{.*}} : vector<8xi16>, !llvm.ptr<3>
func.func @views(%v: i16) {
  tile.kernel (%b) in (1) threads(32) {
    %s = tile.alloc : memref<16x8xf32, #tile.shared>
    %r = tile.reshape %s : memref<16x8xf32, #tile.shared> to memref<128xf32, #tile.shared>
    %bits = tile.view %r : memref<128xf32, #tile.shared> to memref<256xi16, #tile.shared>
    tile.fill %bits, %v : memref<256xi16, #tile.shared>
  }
  return
}

// A stage lies its number times its elements behind the first: 64 x 16 of them.
// CHECK-LABEL: gpu.func @stages_0
// CHECK-DAG: %[[C1024:.*]] = arith.constant 1024 : i32
// CHECK: %[[AT:.*]] = arith.muli %{{.*}}, %[[C1024]] : i32
// CHECK: llvm.getelementptr %{{.*}}[%[[AT]]] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
func.func @stages(%n: index, %x: f32) {
  tile.kernel (%b) in (1) threads(32) {
    %s = tile.alloc : memref<3x64x16xf32, #tile.shared>
    %t = tile.stage %s[%n] : memref<3x64x16xf32, #tile.shared> to memref<64x16xf32, #tile.shared>
    tile.fill %t, %x : memref<64x16xf32, #tile.shared>
  }
  return
}

// Planned offsets are kept.
// CHECK-LABEL: gpu.func @planned_0(
// CHECK-SAME: shared = 4096>
// CHECK: llvm.getelementptr %{{.*}}[2048] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
func.func @planned(%x: f32) {
  tile.kernel (%b) in (1) threads(32) attributes {shared_bytes = 4096 : i64} {
    %s = tile.alloc {offset = 2048 : i64} : memref<256xf32, #tile.shared>
    tile.fill %s, %x : memref<256xf32, #tile.shared>
  }
  return
}

// Elements of 4 bits: 32 of them are 16 bytes.
// CHECK-LABEL: gpu.func @half_bytes_0
// CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> i128
// CHECK-COUNT-4: llvm.store %{{.*}} {alignment = 16 : i64} : i128, !llvm.ptr<3>
func.func @half_bytes(%a: memref<64x64xi4>) {
  tile.kernel (%b) in (1) threads(32) {
    %s = tile.alloc : memref<64x64xi4, #tile.shared>
    tile.copy %a, %s : memref<64x64xi4>, memref<64x64xi4, #tile.shared>
  }
  return
}

// Where the tile reaches past the end, a thread stores both halves of a byte.
// CHECK-LABEL: gpu.func @tail_of_half_bytes_0
// CHECK-NOT: atomicrmw
// CHECK: %[[BYTE:.*]] = llvm.bitcast %{{.*}} : vector<2xi4> to i8
// CHECK: llvm.store %[[BYTE]], %{{.*}} {alignment = 1 : i64} : i8, !llvm.ptr<1>
// CHECK-NOT: atomicrmw
// CHECK: gpu.return
func.func @tail_of_half_bytes(%a: memref<5x64xi4>) {
  tile.kernel (%b) in (1) threads(32) {
    %f = tile.alloc {layout = #tile.layout<[16: 16 reg*2][64: 32 lane, 2 reg]>} : memref<16x64xi4, #tile.fragment>
    tile.copy %f, %a[0, 0] : memref<16x64xi4, #tile.fragment>, memref<5x64xi4>
  }
  return
}

// A single one is an atomic update of the word around it: cleared, then set.
// CHECK-LABEL: gpu.func @half_byte_0
// CHECK: llvm.atomicrmw _and %[[WORD:.*]], %{{.*}} monotonic : !llvm.ptr<1>, i32
// CHECK: llvm.atomicrmw _or %[[WORD]], %{{.*}} monotonic : !llvm.ptr<1>, i32
func.func @half_byte(%a: memref<64xi4>, %v: i4) {
  tile.kernel (%b) in (1) threads(32) {
    tile.parallel (%i) in (64) {
      memref.store %v, %a[%i] : memref<64xi4>
    }
  }
  return
}

// Truth values have a byte each, also in vectors.
// CHECK-LABEL: gpu.func @truth_values_0
// CHECK: %[[LOADED:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<16xi8>
// CHECK: llvm.store %{{.*}} {alignment = 16 : i64} : vector<16xi8>, !llvm.ptr<3>
func.func @truth_values(%a: memref<512xi1>) {
  tile.kernel (%b) in (1) threads(32) {
    %s = tile.alloc : memref<512xi1, #tile.shared>
    tile.copy %a, %s : memref<512xi1>, memref<512xi1, #tile.shared>
  }
  return
}

// Outside of a loop the first thread stores and updates for the block, and all
// threads get the old value.
// CHECK-LABEL: gpu.func @once_0
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %{{.*}} : i32
// CHECK: scf.if %[[FIRST]]
// CHECK-NEXT: llvm.store
// CHECK: gpu.barrier
// CHECK-NEXT: scf.if
// CHECK: %[[OLD:.*]] = llvm.atomicrmw add
// CHECK-NEXT: llvm.store %[[OLD]], %[[ROOM:.*]] {alignment = 4 : i64} : i32, !llvm.ptr<3>
// CHECK-NEXT: }
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: %[[ALL:.*]] = llvm.load %[[ROOM]] : !llvm.ptr<3> -> i32
func.func @once(%a: memref<4xi32>, %c: memref<32xi32>, %v: i32) {
  %c0 = arith.constant 0 : index
  tile.kernel (%b) in (1) threads(32) {
    memref.store %v, %a[%c0] : memref<4xi32>
    %old = tile.atomic add %v, %a[3] : i32, memref<4xi32> -> i32
    tile.parallel (%i) in (32) {
      memref.store %old, %c[%i] : memref<32xi32>
    }
  }
  return
}

// Indices are numbers of 64 bits in memory.
// CHECK-LABEL: gpu.func @indices_0
// CHECK: %[[WIDE:.*]] = arith.index_cast %{{.*}} : index to i64
// CHECK: llvm.store %{{.*}} : i64, !llvm.ptr<1>
func.func @indices(%a: memref<32xindex>) {
  tile.kernel (%b) in (1) threads(32) {
    tile.parallel (%i) in (32) {
      memref.store %i, %a[%i] : memref<32xindex>
    }
  }
  return
}

// Nothing is moved, computed or updated where there is nothing.
// CHECK-LABEL: gpu.func @empty_0
// CHECK-NOT: llvm.store
// CHECK: gpu.return
func.func @empty(%a: memref<0x8xf32>, %c: memref<0x8xf32>, %x: f32) {
  tile.kernel (%b) in (1) threads(32) {
    tile.copy %a, %c : memref<0x8xf32>, memref<0x8xf32>
    tile.fill %a, %x : memref<0x8xf32>
    tile.parallel (%i, %j) in (0, 8) {
      memref.store %x, %a[%i, %j] : memref<0x8xf32>
    }
  }
  return
}
