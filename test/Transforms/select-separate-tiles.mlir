// A tile that holds an operand and, behind the loop, results on their way out is two: a producer loads the operand then, also where the
// loop gathers its rows. The results lie in the place of what nobody needs any more.

// RUN: tile-opt %s --split-input-file --tile-set-target=chip=sm_90a --tile-select-instructions=async | FileCheck %s
// RUN: tile-opt %s --split-input-file --tile-set-target=chip=sm_90a --tile-select-instructions=async --tile-infer-layout --tile-schedule --tile-insert-barriers --tile-plan-shared --tile-verify-schedule --remarks-filter='tile-schedule|tile-plan-shared' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// CHECK-LABEL: @gathered(
// CHECK: %[[Q:.*]] = tile.alloc : memref<64x64xf16, #tile.shared>
// CHECK-NEXT: %[[R:.*]] = tile.alloc : memref<64x64xf16, #tile.shared>
// CHECK: tile.copy %{{.*}}, %[[Q]] {instruction = #tile.transfer<tma>}
// CHECK: tile.gemm %[[Q]],
// CHECK: tile.copy %{{.*}}, %[[R]] {instruction
// CHECK-NEXT: tile.copy %[[R]], %{{.*}} {instruction
// REMARK: [Passed] WarpSpecialization {{.*}} copies=2, pipelines=2
// REMARK: [Passed] Arena {{.*}} | buffers=41024, bytes=32832
func.func @gathered(%q: memref<64x64xf16>, %k: memref<4096x64xf16>, %list: memref<4096xi32>, %o: memref<64x64xf16>) {
  tile.kernel (%b) in (1) threads(128) {
    %qs = tile.alloc : memref<64x64xf16, #tile.shared>
    %ks = tile.alloc : memref<64x64xf16, #tile.shared>
    %s = tile.alloc : memref<64x64xf32, #tile.fragment>
    %zero = arith.constant 0.0 : f32
    tile.fill %s, %zero : memref<64x64xf32, #tile.fragment>
    tile.copy %q, %qs : memref<64x64xf16>, memref<64x64xf16, #tile.shared>
    tile.pipelined %i = 0 to 64 stages(3) {
      tile.gather %k[0, 0] by %list[%i * 64], %ks
          : memref<4096x64xf16>, memref<4096xi32>, memref<64x64xf16, #tile.shared>
      tile.gemm %qs, %ks, %s {transpose_b}
          : memref<64x64xf16, #tile.shared>, memref<64x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
    }
    tile.copy %s, %qs : memref<64x64xf32, #tile.fragment>, memref<64x64xf16, #tile.shared>
    tile.copy %qs, %o : memref<64x64xf16, #tile.shared>, memref<64x64xf16>
  }
  return
}

// -----

// Not where the tile is written in part, or while it is still needed.
// CHECK-LABEL: @kept(
// CHECK: tile.alloc : memref<64x64xf16, #tile.shared>
// CHECK-NEXT: tile.alloc : memref<64x64xf16, #tile.shared>
// CHECK-NEXT: tile.alloc : memref<64x64xf16, #tile.shared>
// CHECK-NEXT: tile.alloc : memref<64x64xf32, #tile.fragment>
func.func @kept(%q: memref<64x64xf16>, %k: memref<4096x64xf16>, %list: memref<4096xi32>, %o: memref<64x64xf16>, %u: memref<64x64xf16>) {
  tile.kernel (%b) in (1) threads(128) {
    %part = tile.alloc : memref<64x64xf16, #tile.shared>
    %updated = tile.alloc : memref<64x64xf16, #tile.shared>
    %ks = tile.alloc : memref<64x64xf16, #tile.shared>
    %s = tile.alloc : memref<64x64xf32, #tile.fragment>
    %f = tile.alloc : memref<32x64xf16, #tile.fragment>
    %zero = arith.constant 0.0 : f32
    tile.fill %s, %zero : memref<64x64xf32, #tile.fragment>
    tile.copy %q, %part : memref<64x64xf16>, memref<64x64xf16, #tile.shared>
    tile.copy %q, %updated : memref<64x64xf16>, memref<64x64xf16, #tile.shared>
    tile.parallel (%i) in (64) {
      %x = memref.load %updated[%i, %i] : memref<64x64xf16, #tile.shared>
      %y = arith.addf %x, %x : f16
      memref.store %y, %updated[%i, %i] : memref<64x64xf16, #tile.shared>
    }
    tile.pipelined %i = 0 to 64 stages(3) {
      tile.gather %k[0, 0] by %list[%i * 64], %ks
          : memref<4096x64xf16>, memref<4096xi32>, memref<64x64xf16, #tile.shared>
      tile.gemm %part, %ks, %s {transpose_b}
          : memref<64x64xf16, #tile.shared>, memref<64x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
      tile.gemm %updated, %ks, %s {transpose_b}
          : memref<64x64xf16, #tile.shared>, memref<64x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
    }
    tile.copy %q[0, 0] [32, 64], %f : memref<64x64xf16>, memref<32x64xf16, #tile.fragment>
    tile.copy %f, %part[0, 0] [32, 64] : memref<32x64xf16, #tile.fragment>, memref<64x64xf16, #tile.shared>
    tile.copy %part, %o : memref<64x64xf16, #tile.shared>, memref<64x64xf16>
    tile.copy %s, %updated : memref<64x64xf32, #tile.fragment>, memref<64x64xf16, #tile.shared>
    tile.copy %updated, %u : memref<64x64xf16, #tile.shared>, memref<64x64xf16>
  }
  return
}

// -----

// Nor where the producer runs ahead into the next tile: what lies in the place of its stages would be in its way.
// CHECK-LABEL: @ahead(
// CHECK: tile.alloc : memref<64x64xf16, #tile.shared>
// CHECK-NEXT: tile.alloc : memref<64x64xf16, #tile.shared>
// CHECK-NEXT: tile.alloc : memref<64x64xf32, #tile.fragment>
func.func @ahead(%q: memref<64x64xf16>, %k: memref<4096x64xf16>, %o: memref<64x64xf16>) {
  tile.kernel (%b) in (1) threads(128) {
    %qs = tile.alloc : memref<64x64xf16, #tile.shared>
    %ks = tile.alloc : memref<64x64xf16, #tile.shared>
    %s = tile.alloc : memref<64x64xf32, #tile.fragment>
    %zero = arith.constant 0.0 : f32
    tile.fill %s, %zero : memref<64x64xf32, #tile.fragment>
    tile.copy %q, %qs : memref<64x64xf16>, memref<64x64xf16, #tile.shared>
    tile.pipelined %i = 0 to 64 stages(3) {
      tile.copy %k[%i * 64, 0], %ks : memref<4096x64xf16>, memref<64x64xf16, #tile.shared>
      tile.gemm %qs, %ks, %s {transpose_b}
          : memref<64x64xf16, #tile.shared>, memref<64x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
    }
    tile.copy %s, %qs : memref<64x64xf32, #tile.fragment>, memref<64x64xf16, #tile.shared>
    tile.copy %qs, %o : memref<64x64xf16, #tile.shared>, memref<64x64xf16>
  }
  return
}
