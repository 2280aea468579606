// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-split-conversions --remarks-filter=tile-split-conversions 2> %t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: tile-opt %s --tile-set-target=chip=gfx942 --tile-split-conversions | FileCheck %s --check-prefix=NONE

!q = memref<64x128xi4, #tile.shared>
!f = memref<64x128xf4E2M1FN, #tile.shared>
!s = memref<64xbf16, #tile.shared>
!w = memref<64x128xbf16, #tile.fragment>

// REMARK-COUNT-2: [Passed] SplitConversion
// REMARK-NOT: SplitConversion
// NONE-LABEL: func.func @places(
// NONE-COUNT-1: tile.parallel
// NONE-NOT: tile.parallel
// NONE-LABEL: func.func @through_f32(
// CHECK-LABEL: func.func @places(
// CHECK: tile.parallel (%[[I:.*]], %[[J:.*]]) in (64, 128) {
// CHECK-NEXT: %[[PLACE:.*]] = affine.apply #{{.*}}(%[[J]])
// CHECK-NEXT: %[[CODE:.*]] = memref.load %{{.*}}[%[[I]], %[[PLACE]]] : memref<64x128xi4, #tile.shared>
// CHECK-NEXT: %[[V:.*]] = arith.sitofp %[[CODE]] : i4 to bf16
// CHECK-NEXT: memref.store %[[V]], %[[W:.*]][%[[I]], %[[J]]]
// CHECK-NEXT: }
// CHECK-NEXT: tile.parallel (%[[I2:.*]], %[[J2:.*]]) in (64, 128) {
// CHECK-NEXT: %[[OLD:.*]] = memref.load %[[W]][%[[I2]], %[[J2]]]
// CHECK-NEXT: %[[SCALE:.*]] = memref.load %{{.*}}[%[[I2]]]
// CHECK-NEXT: %[[NEW:.*]] = arith.mulf %[[OLD]], %[[SCALE]]
// CHECK-NEXT: memref.store %[[NEW]], %[[W]][%[[I2]], %[[J2]]]
// CHECK-NEXT: }
func.func @places() {
  tile.kernel (%x) in (1) threads(128) {
    %q = tile.alloc : !q
    %s = tile.alloc : !s
    %w = tile.alloc : !w
    tile.parallel (%i, %j) in (64, 128) {
      %place = affine.apply affine_map<(j) -> (j mod 2 * 64 + j floordiv 2)>(%j)
      %code = memref.load %q[%i, %place] : !q
      %v = arith.sitofp %code : i4 to bf16
      %scale = memref.load %s[%i] : !s
      %next = arith.mulf %v, %scale : bf16
      memref.store %next, %w[%i, %j] : !w
    }
  }
  return
}

// CHECK-LABEL: func.func @through_f32(
// CHECK: arith.extf {{.*}} : f4E2M1FN to f32
// CHECK-NEXT: arith.truncf {{.*}} : f32 to bf16
// CHECK-NEXT: memref.store
// CHECK-NEXT: }
// CHECK-NEXT: tile.parallel
func.func @through_f32() {
  tile.kernel (%x) in (1) threads(128) {
    %f = tile.alloc : !f
    %w = tile.alloc : !w
    tile.parallel (%i, %j) in (64, 128) {
      %code = memref.load %f[%i, %j] : !f
      %v = arith.extf %code : f4E2M1FN to f32
      %narrow = arith.truncf %v : f32 to bf16
      %next = arith.negf %narrow : bf16
      memref.store %next, %w[%i, %j] : !w
    }
  }
  return
}

// Left alone: the fragment is read, a place is read from memory, the code has another use, only a conversion, and one under a
// condition.
// CHECK-LABEL: func.func @left_alone(
// CHECK-COUNT-5: tile.parallel
// CHECK-NOT: tile.parallel
func.func @left_alone() {
  tile.kernel (%x) in (1) threads(128) {
    %q = tile.alloc : !q
    %n = tile.alloc : memref<128xindex, #tile.shared>
    %w = tile.alloc : !w
    tile.parallel (%i, %j) in (64, 128) {
      %code = memref.load %q[%i, %j] : !q
      %v = arith.sitofp %code : i4 to bf16
      %old = memref.load %w[%i, %j] : !w
      %next = arith.addf %v, %old : bf16
      memref.store %next, %w[%i, %j] : !w
    }
    tile.parallel (%i, %j) in (64, 128) {
      %place = memref.load %n[%j] : memref<128xindex, #tile.shared>
      %code = memref.load %q[%i, %place] : !q
      %v = arith.sitofp %code : i4 to bf16
      %next = arith.negf %v : bf16
      memref.store %next, %w[%i, %j] : !w
    }
    tile.parallel (%i, %j) in (64, 128) {
      %code = memref.load %q[%i, %j] : !q
      %v = arith.sitofp %code : i4 to bf16
      %u = arith.uitofp %code : i4 to bf16
      %next = arith.addf %v, %u : bf16
      memref.store %next, %w[%i, %j] : !w
    }
    tile.parallel (%i, %j) in (64, 128) {
      %code = memref.load %q[%i, %j] : !q
      %v = arith.sitofp %code : i4 to bf16
      memref.store %v, %w[%i, %j] : !w
    }
    tile.parallel (%i, %j) in (64, 128) {
      %zero = arith.constant 0.0 : bf16
      %code = memref.load %q[%i, %j] : !q
      %is_first = arith.cmpi eq, %i, %j : index
      %next = scf.if %is_first -> bf16 {
        %v = arith.sitofp %code : i4 to bf16
        %negated = arith.negf %v : bf16
        scf.yield %negated : bf16
      } else {
        scf.yield %zero : bf16
      }
      memref.store %next, %w[%i, %j] : !w
    }
  }
  return
}
