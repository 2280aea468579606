// RUN: tile-opt %s --split-input-file --tile-set-target=chip=gfx942 --tile-schedule | FileCheck %s
// RUN: tile-opt %s --split-input-file --tile-set-target=chip=gfx942 --tile-schedule --tile-insert-barriers --tile-verify-schedule | FileCheck %s --check-prefix=BARRIERS
// RUN: tile-opt %s --split-input-file --tile-set-target=chip=gfx942 --tile-schedule --remarks-filter=tile-schedule -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

!tile = memref<64x32xf16, #tile.shared>

// A static loop: the first tile needs no guard, and the last iteration loads its own tile again.

// CHECK: [[$MIN:#.*]] = affine_map<(d0) -> (d0 + 1, 7)>
// CHECK-LABEL: @static(
// BARRIERS-LABEL: @static(
// REMARK: Prefetch{{.*}}copies=1, stages=2
func.func @static(%a: memref<64x256xf16>, %s: memref<64x256xf32>) {
  tile.kernel (%b) in (1) threads(256) {
    // CHECK: %[[SLOTS:.*]] = tile.alloc : memref<2x64x32xf16, #tile.shared>
    // CHECK: %[[R:.*]] = tile.alloc {layout = #tile.layout<{{.*}}>} : memref<64x32xf16, #tile.fragment>
    %t = tile.alloc : !tile
    %f = tile.alloc : memref<64x32xf32, #tile.fragment>
    // CHECK: tile.copy %{{.*}}[0, {{.*}}] [64, 32], %[[R]]
    // CHECK: %[[FIRST:.*]] = tile.slot %[[SLOTS]][%{{.*}}]
    // CHECK: tile.copy %[[R]], %[[FIRST]]
    // CHECK: tile.pipelined %[[K:.*]] = 0 to 8 {
    // BARRIERS: tile.pipelined
    tile.pipelined %k = 0 to 8 stages(2) {
      // CHECK: %[[NEXT:.*]] = affine.min [[$MIN]](%[[K]])
      // CHECK: tile.copy %{{.*}}[0, %[[NEXT]] * 32] [64, 32], %[[R]]
      // CHECK: affine.apply
      // CHECK: %[[OWN:.*]] = tile.slot
      // One barrier for each iteration, after the loads have begun.
      // BARRIERS: tile.copy
      // BARRIERS-NEXT: affine.apply
      // BARRIERS-NEXT: tile.slot
      // BARRIERS-NEXT: tile.barrier
      // BARRIERS-NOT: tile.barrier
      tile.copy %a[0, %k * 32], %t : memref<64x256xf16>, !tile
      // CHECK: tile.copy %[[OWN]], %{{.*}} : memref<64x32xf16, #tile.shared>, memref<64x32xf32, #tile.fragment>
      tile.copy %t, %f : !tile, memref<64x32xf32, #tile.fragment>
      // CHECK: tile.copy %{{.*}}, %{{.*}}[0, %[[K]] * 32]
      tile.copy %f, %s[0, %k * 32] : memref<64x32xf32, #tile.fragment>, memref<64x256xf32>
      // CHECK: affine.apply
      // CHECK: %[[OTHER:.*]] = tile.slot
      // CHECK: tile.copy %[[R]], %[[OTHER]]
    }
  }
  return
}

// -----

// Any number of iterations, and a step that is known at run time only.

// CHECK-LABEL: @dynamic(
// BARRIERS-LABEL: @dynamic(
func.func @dynamic(%a: memref<64x?xf16>, %s: memref<64x?xf16>, %n: index, %step: index) {
  tile.kernel (%b) in (1) threads(256) {
    %t = tile.alloc : memref<64x32xf16, #tile.shared>
    %f = tile.alloc : memref<64x32xf16, #tile.fragment>
    // CHECK: %[[RUNS:.*]] = arith.cmpi sgt
    // CHECK: scf.if %[[RUNS]] {
    // CHECK: tile.copy
    // CHECK: tile.copy
    // CHECK: }
    // CHECK: tile.pipelined
    tile.pipelined %k = 0 to %n step %step stages(3) {
      // CHECK: %[[NEXT:.*]] = arith.addi
      // CHECK: arith.cmpi slt, %[[NEXT]]
      // CHECK: arith.select
      tile.copy %a[0, %k], %t : memref<64x?xf16>, memref<64x32xf16, #tile.shared>
      tile.copy %t, %f : memref<64x32xf16, #tile.shared>, memref<64x32xf16, #tile.fragment>
      tile.copy %f, %s[0, %k] : memref<64x32xf16, #tile.fragment>, memref<64x?xf16>
    }
  }
  return
}

// -----

// Two tiles of 40 KiB do not fit into 64: one slot, and a barrier more.

// CHECK-LABEL: @one_slot(
// BARRIERS-LABEL: @one_slot(
// REMARK: 81920 bytes do not fit into 65536; 1 stages are left
// REMARK: Prefetch{{.*}}copies=1, stages=1
func.func @one_slot(%a: memref<160x2048xf16>, %s: memref<160x2048xf16>) {
  tile.kernel (%b) in (1) threads(1024) {
    // CHECK: memref<1x160x128xf16, #tile.shared>
    %t = tile.alloc : memref<160x128xf16, #tile.shared>
    %f = tile.alloc : memref<160x128xf16, #tile.fragment>
    // BARRIERS: tile.pipelined
    // BARRIERS: tile.barrier
    // BARRIERS: tile.barrier
    // BARRIERS-NOT: tile.barrier
    tile.pipelined %k = 0 to 16 stages(2) {
      tile.copy %a[0, %k * 128], %t : memref<160x2048xf16>, memref<160x128xf16, #tile.shared>
      tile.copy %t, %f : memref<160x128xf16, #tile.shared>, memref<160x128xf16, #tile.fragment>
      tile.copy %f, %s[0, %k * 128] : memref<160x128xf16, #tile.fragment>, memref<160x2048xf16>
    }
  }
  return
}

// -----

// A conversion waits until the tile has arrived; what fills a part stays a part.

// CHECK-LABEL: @converts(
// BARRIERS-LABEL: @converts(
func.func @converts(%a: memref<64x256xf32>, %s: memref<64x256xf16>) {
  tile.kernel (%b) in (1) threads(256) {
    %t = tile.alloc : memref<64x64xf16, #tile.shared>
    %f = tile.alloc : memref<64x64xf16, #tile.fragment>
    // CHECK-DAG: %[[R0:.*]] = tile.alloc {{.*}} : memref<64x32xf32, #tile.fragment>
    // CHECK-DAG: %[[R1:.*]] = tile.alloc {{.*}} : memref<64x32xf32, #tile.fragment>
    // CHECK: tile.pipelined
    tile.pipelined %k = 0 to 4 stages(2) {
      tile.copy %a[0, %k * 64], %t[0, 0] [64, 32] : memref<64x256xf32>, memref<64x64xf16, #tile.shared>
      tile.copy %a[0, %k * 64 + 32], %t[0, 32] [64, 32] : memref<64x256xf32>, memref<64x64xf16, #tile.shared>
      tile.copy %t, %f : memref<64x64xf16, #tile.shared>, memref<64x64xf16, #tile.fragment>
      tile.copy %f, %s[0, %k * 64] : memref<64x64xf16, #tile.fragment>, memref<64x256xf16>
      // CHECK: tile.copy %{{.*}}, %{{.*}}[0, 0]
      // CHECK: tile.copy %{{.*}}, %{{.*}}[0, 32]
    }
  }
  return
}

// -----

// Fragments leave no registers for the next tile: 1024 threads have 128 each.

// REMARK: the registers do not hold the next tiles, too
// CHECK-LABEL: @no_registers(
// CHECK: stages(2)
func.func @no_registers(%a: memref<160x2048xf32>, %s: memref<160x2048xf32>) {
  tile.kernel (%b) in (1) threads(1024) {
    %t = tile.alloc : memref<64x128xf32, #tile.shared>
    %f = tile.alloc : memref<512x128xf32, #tile.fragment>
    %g = tile.alloc : memref<64x128xf32, #tile.fragment>
    tile.pipelined %k = 0 to 16 stages(2) {
      tile.copy %a[0, %k * 128], %t : memref<160x2048xf32>, memref<64x128xf32, #tile.shared>
      tile.copy %t, %g : memref<64x128xf32, #tile.shared>, memref<64x128xf32, #tile.fragment>
      tile.copy %g, %s[0, %k * 128] : memref<64x128xf32, #tile.fragment>, memref<160x2048xf32>
    }
    tile.copy %f, %s[0, 0] : memref<512x128xf32, #tile.fragment>, memref<160x2048xf32>
  }
  return
}

// -----

// What computes its own tile cannot load ahead.

// REMARK: it has no copy from global to shared memory
// CHECK-LABEL: @nothing(
func.func @nothing(%a: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) threads(64) {
    %f = tile.alloc : memref<64xf32, #tile.fragment>
    tile.pipelined %k = 0 to 4 stages(2) {
      tile.fill %f, %zero : memref<64xf32, #tile.fragment>
    }
    tile.copy %f, %a : memref<64xf32, #tile.fragment>, memref<64xf32>
  }
  return
}
