// RUN: tile-opt %s --ascend-insert-sync --verify-diagnostics

// The vector core counts all ids, so that none is left for what it sets.

func.func @none(%a: memref<16x16xf16>) {
  %space = memref.alloc() {ascend.cross_core_transfer = 0} : memref<16x16xf16>
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : memref<16x16xf16, #tile.ub>
    %y = tile.alloc {ascend.address = 0 : i64} : memref<16x16xf16, #tile.l1>
    ascend.copy_gm_to_ub %x, %a : memref<16x16xf16, #tile.ub>, memref<16x16xf16>
    ascend.cross_core_set_flag mte2 id(13) {ascend.core = #ascend<core cube>, ascend.cross_core_transfer = 6}
    ascend.cross_core_set_flag mte3 id(0) {ascend.core = #ascend<core vector>}
    ascend.cross_core_wait_flag id(0) {ascend.core = #ascend<core cube>}
    ascend.cross_core_set_flag mte3 id(1) {ascend.core = #ascend<core vector>}
    ascend.cross_core_wait_flag id(1) {ascend.core = #ascend<core cube>}
    ascend.cross_core_set_flag mte3 id(2) {ascend.core = #ascend<core vector>}
    ascend.cross_core_wait_flag id(2) {ascend.core = #ascend<core cube>}
    ascend.cross_core_set_flag mte3 id(3) {ascend.core = #ascend<core vector>}
    ascend.cross_core_wait_flag id(3) {ascend.core = #ascend<core cube>}
    ascend.cross_core_set_flag mte3 id(4) {ascend.core = #ascend<core vector>}
    ascend.cross_core_wait_flag id(4) {ascend.core = #ascend<core cube>}
    ascend.cross_core_set_flag mte3 id(5) {ascend.core = #ascend<core vector>}
    ascend.cross_core_wait_flag id(5) {ascend.core = #ascend<core cube>}
    ascend.cross_core_set_flag mte3 id(6) {ascend.core = #ascend<core vector>}
    ascend.cross_core_wait_flag id(6) {ascend.core = #ascend<core cube>}
    ascend.cross_core_set_flag mte3 id(7) {ascend.core = #ascend<core vector>}
    ascend.cross_core_wait_flag id(7) {ascend.core = #ascend<core cube>}
    ascend.cross_core_set_flag mte3 id(8) {ascend.core = #ascend<core vector>}
    ascend.cross_core_wait_flag id(8) {ascend.core = #ascend<core cube>}
    ascend.cross_core_set_flag mte3 id(9) {ascend.core = #ascend<core vector>}
    ascend.cross_core_wait_flag id(9) {ascend.core = #ascend<core cube>}
    ascend.cross_core_set_flag mte3 id(10) {ascend.core = #ascend<core vector>}
    ascend.cross_core_wait_flag id(10) {ascend.core = #ascend<core cube>}
    ascend.cross_core_wait_flag id(13) {ascend.core = #ascend<core vector>, ascend.cross_core_transfer = 6}
    ascend.copy_ub_to_gm %space, %x : memref<16x16xf16>, memref<16x16xf16, #tile.ub>
    // expected-error @+1 {{all 11 ids of flags between the cores are in use}}
    ascend.cross_core_set_flag mte3 id(12) {ascend.core = #ascend<core vector>, ascend.cross_core_transfer = 6}
    ascend.cross_core_wait_flag id(12) {ascend.core = #ascend<core cube>, ascend.cross_core_transfer = 6}
    ascend.copy_gm_to_l1 %y, %space : memref<16x16xf16, #tile.l1>, memref<16x16xf16>
    ascend.cross_core_set_flag mte2 id(13) {ascend.core = #ascend<core cube>, ascend.cross_core_transfer = 6}
    ascend.cross_core_wait_flag id(13) {ascend.core = #ascend<core vector>, ascend.cross_core_transfer = 6}
  }
  return
}
