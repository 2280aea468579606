// RUN: tile-translate --tile-to-amdgcn --chip=gfx90a %s | FileCheck %s --check-prefixes=CHECK,K8
// RUN: tile-translate --tile-to-amdgcn --chip=gfx942 %s | FileCheck %s --check-prefixes=CHECK,K8
// RUN: tile-translate --tile-to-amdgcn --chip=gfx950 %s | FileCheck %s --check-prefixes=CHECK,K16
// RUN: tile-translate --tile-to-gpu-metadata --chip=gfx942 %s | FileCheck %s --check-prefix=METADATA

// METADATA-DAG: "target": "hip"
// METADATA-DAG: "chip": "gfx942"
// METADATA-DAG: "shared": 32768

// The loop has the loads of the next tiles first, reads 16 bytes of LDS at once, and keeps the sums where they are: no copies
// between the two halves of the registers, no scratch memory, one barrier.

// CHECK-LABEL: product_0:
// CHECK: {{^}}.LBB0_[[LOOP:[0-9]+]]:
// CHECK-NOT: v_accvgpr
// CHECK-NOT: scratch_
// CHECK-COUNT-4: global_load_dwordx4
// CHECK-NOT: {{v_accvgpr|scratch_|ds_read_(b32|b64|u)}}
// CHECK: s_barrier
// CHECK-NOT: {{v_accvgpr|scratch_|ds_read_(b32|b64|u)|s_barrier}}
// CHECK: ds_read_b128
// K8: v_mfma_f32_32x32x8{{_?}}f16
// K16: v_mfma_f32_32x32x16_f16
// CHECK-NOT: {{v_accvgpr|scratch_|ds_read_(b32|b64|u)|s_barrier}}
// CHECK: ds_write_b128
// CHECK-NOT: {{v_accvgpr|scratch_|ds_read_(b32|b64|u)|s_barrier}}
// CHECK: s_cbranch_scc{{.*}} .LBB0_[[LOOP]]
// CHECK: .private_segment_fixed_size: 0
// CHECK: .sgpr_spill_count: 0
// CHECK: .vgpr_spill_count: 0
func.func @product(%a: memref<1024x1024xf16>, %b: memref<1024x1024xf16>, %c: memref<1024x1024xf16>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%x, %y) in (8, 8) threads(256) {
    %as = tile.alloc : memref<128x32xf16, #tile.shared>
    %bs = tile.alloc : memref<128x32xf16, #tile.shared>
    %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<128x128xf32, #tile.fragment>
    tile.pipelined %k = 0 to 32 stages(2) {
      tile.copy %a[%y * 128, %k * 32], %as prefer(sync) : memref<1024x1024xf16>, memref<128x32xf16, #tile.shared>
      tile.copy %b[%x * 128, %k * 32], %bs prefer(sync) : memref<1024x1024xf16>, memref<128x32xf16, #tile.shared>
      tile.gemm %as, %bs, %acc {transpose_b} : memref<128x32xf16, #tile.shared>, memref<128x32xf16, #tile.shared>, memref<128x128xf32, #tile.fragment>
    }
    tile.copy %acc, %c[%y * 128, %x * 128] : memref<128x128xf32, #tile.fragment>, memref<1024x1024xf16>
  }
  return
}
