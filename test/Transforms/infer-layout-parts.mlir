// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-infer-layout --split-input-file | FileCheck %s
// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-infer-layout --split-input-file --remarks-filter=tile-infer-layout 2>&1 | FileCheck %s --check-prefix=REMARK

!f = memref<32x64xf32, #tile.fragment>
!s = memref<16x64xf32, #tile.shared>

// REMARK: remark: {{.*}}Placement{{.*}}Remark="goes over the elements of a fragment that it is for a part of"

// The half that a loop around chooses: the threads that have its elements copy them.
// CHECK: #[[$BACK:.*]] = affine_map<(d0, d1) -> (d0 - d1 * 16)>
// CHECK-LABEL: func @half(
// CHECK-NOT: tile.alloc {{.*}}memref<32x64xf32, #tile.shared>
// CHECK: tile.parallel (%i, %j) in (32, 64)
// CHECK-NEXT: %[[I:.*]] = affine.apply #[[$BACK]](%i,
// CHECK: %[[LOW:.*]] = arith.cmpi sge, %[[I]], %c0
// CHECK: %[[HIGH:.*]] = arith.cmpi slt, %[[I]], %c16
// CHECK: %[[BOTH:.*]] = arith.andi %[[LOW]], %[[HIGH]]
// CHECK: scf.if %[[BOTH]] {
// CHECK: %[[V:.*]] = memref.load %{{.*}}[%i, %j] : memref<32x64xf32, #tile.fragment>
// CHECK-NEXT: memref.store %[[V]], %{{.*}}[%[[I]], %j] : memref<16x64xf32, #tile.shared>
func.func @half(%y: memref<2x16x64xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  tile.kernel (%b) in (1) threads(128) {
    %f = tile.alloc : !f
    %s = tile.alloc : !s
    scf.for %n = %zero to %two step %one {
      tile.parallel (%i, %j) in (16, 64) {
        %k = affine.apply affine_map<(d0, d1) -> (d0 + d1 * 16)>(%i, %n)
        %v = memref.load %f[%k, %j] : !f
        memref.store %v, %s[%i, %j] : !s
      }
      tile.copy %s, %y[%n, 0, 0] {instruction = #tile.transfer<sync, bytes = 16>} : !s, memref<2x16x64xf32>
    }
  }
  return
}

// -----

// A branch around all that an iteration does; a store; no offset.
// CHECK-LABEL: func @guarded(
// CHECK-NOT: #tile.shared
// CHECK: tile.parallel (%i) in (64)
// CHECK: arith.cmpi slt, %i, %c32
// CHECK: memref.store %{{.*}}, %{{.*}}[%i] : memref<64xf32, #tile.fragment>
func.func @guarded(%x: memref<32xf32>, %n: index) {
  tile.kernel (%b) in (1) threads(64) {
    %f = tile.alloc : memref<64xf32, #tile.fragment>
    tile.parallel (%i) in (32) {
      %in = arith.cmpi slt, %i, %n : index
      scf.if %in {
        %v = memref.load %x[%i] : memref<32xf32>
        memref.store %v, %f[%i] : memref<64xf32, #tile.fragment>
      }
    }
  }
  return
}

// -----

// Iterations without an element do something; two offsets; an offset of the iteration; one variable twice.
// CHECK-LABEL: func @exchanged(
func.func @exchanged(%x: memref<64xf32>, %list: memref<32xindex>) {
  tile.kernel (%b) in (1) threads(64) {
    %f = tile.alloc : memref<64xf32, #tile.fragment>
    %q = tile.alloc : memref<64x64xf32, #tile.fragment>
    // CHECK: tile.alloc {{.*}}#tile.shared>
    // CHECK: tile.parallel (%i) in (64)
    tile.parallel (%i) in (64) {
      %c32 = arith.constant 32 : index
      %zero = arith.constant 0.0 : f32
      %in = arith.cmpi slt, %i, %c32 : index
      memref.store %zero, %x[%i] : memref<64xf32>
      scf.if %in {
        %k = affine.apply affine_map<(d0) -> (d0 + 32)>(%i)
        %v = memref.load %f[%k] : memref<64xf32, #tile.fragment>
        memref.store %v, %x[%i] : memref<64xf32>
      }
    }
    // CHECK: tile.alloc {{.*}}#tile.shared>
    // CHECK: tile.parallel (%i) in (32)
    tile.parallel (%i) in (32) {
      %k = affine.apply affine_map<(d0) -> (d0 + 32)>(%i)
      %v = memref.load %f[%k] : memref<64xf32, #tile.fragment>
      %w = memref.load %f[%i] : memref<64xf32, #tile.fragment>
      %a = arith.addf %v, %w : f32
      memref.store %a, %x[%i] : memref<64xf32>
    }
    // CHECK: tile.alloc {{.*}}#tile.shared>
    // CHECK: tile.parallel (%i) in (32)
    tile.parallel (%i) in (32) {
      %n = memref.load %list[%i] : memref<32xindex>
      %k = arith.addi %i, %n : index
      %v = memref.load %f[%k] : memref<64xf32, #tile.fragment>
      memref.store %v, %x[%i] : memref<64xf32>
    }
    // CHECK: tile.alloc {{.*}}#tile.shared>
    // CHECK: tile.parallel (%i) in (32)
    tile.parallel (%i) in (32) {
      %k = affine.apply affine_map<(d0) -> (d0 + 32)>(%i)
      %v = memref.load %q[%k, %k] : memref<64x64xf32, #tile.fragment>
      memref.store %v, %x[%i] : memref<64xf32>
    }
  }
  return
}
