// RUN: tile-translate --tile-to-amdgcn --chip=gfx950 %s | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: tile-translate --tile-to-amdgcn --chip=gfx942 %s | FileCheck %s --check-prefixes=CHECK,NARROW
// RUN: sed 's/ prefer(cp_async)//' %s | tile-translate --tile-to-amdgcn --chip=gfx950 - | FileCheck %s --check-prefixes=CHECK,WIDE

// The loop waits for its own group, four loads of 16 bytes of a lane or sixteen of 4, and LLVM adds no wait for the others: not in
// front of the barrier, and not in front of what reads LDS. No tile passes through registers.

// CHECK-LABEL: product_0:
// CHECK: {{^}}.LBB0_[[LOOP:[0-9]+]]:
// CHECK-NOT: {{global_load_dword|ds_write|vmcnt|scratch_}}
// CHECK: ds_read_b128
// CHECK-NOT: {{global_load_dword|ds_write|vmcnt|scratch_}}
// CHECK: v_mfma_f32
// Fewer groups are under way at the end of the loop.
// CHECK: s_waitcnt vmcnt(0)
// WIDE: s_waitcnt vmcnt(4)
// NARROW: s_waitcnt vmcnt(16)
// CHECK-NOT: vmcnt
// CHECK: s_barrier
// CHECK-NOT: {{global_load_dword|ds_write|vmcnt|scratch_}}
// WIDE-COUNT-4: global_load_lds_dwordx4
// NARROW-COUNT-16: global_load_lds_dword v
// CHECK-NOT: {{global_load_dword|ds_write|vmcnt|scratch_}}
// CHECK: s_branch .LBB0_[[LOOP]]
// CHECK: .private_segment_fixed_size: 0
// CHECK: .sgpr_spill_count: 0
// CHECK: .vgpr_spill_count: 0
func.func @product(%a: memref<1024x1024xf16>, %b: memref<1024x1024xf16>, %c: memref<1024x1024xf16>) {
  tile.kernel (%x, %y) in (8, 8) threads(256) {
    %as = tile.alloc : memref<128x32xf16, #tile.shared>
    %bs = tile.alloc : memref<128x32xf16, #tile.shared>
    %acc = tile.alloc : memref<128x128xf32, #tile.fragment>
    tile.fill %acc, 0.0
    tile.pipelined %k = 0 to 32 stages(3) {
      tile.copy %a[%y * 128, %k * 32], %as prefer(cp_async)
      tile.copy %b[%x * 128, %k * 32], %bs prefer(cp_async)
      tile.gemm %as, %bs, %acc {transpose_b}
    }
    tile.copy %acc, %c[%y * 128, %x * 128]
  }
  return
}
