// RUN: tile-opt %s --ascend-insert-sync --split-input-file | FileCheck %s
// RUN: tile-opt %s --ascend-insert-sync --split-input-file --remarks-filter='ascend-insert-sync' -o /dev/null 2>&1 \
// RUN:     | FileCheck %s --check-prefix=REMARK

// The numbers of transfers that go beyond the ids of the chip, 11, become ids that are free once implied flags are gone.

// CHECK-LABEL: func.func @free
// CHECK:       ascend.copy_ub_to_gm
// CHECK-NEXT:  ascend.cross_core_set_flag{{ +}}mte3 id(2)
// CHECK-NEXT:  ascend.cross_core_wait_flag id(2)
// CHECK-NEXT:  ascend.copy_gm_to_l1
// CHECK-NOT:   cross_core
func.func @free(%a: memref<16x16xf16>) {
  %space = memref.alloc() {ascend.cross_core_transfer = 0} : memref<16x16xf16>
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : memref<16x16xf16, #tile.ub>
    %y = tile.alloc {ascend.address = 0 : i64} : memref<16x16xf16, #tile.l1>
    ascend.copy_gm_to_ub %x, %a : memref<16x16xf16, #tile.ub>, memref<16x16xf16>
    ascend.cross_core_set_flag mte2 id(13) {ascend.core = #ascend<core cube>, ascend.cross_core_transfer = 6}
    ascend.cross_core_set_flag fix id(0) {ascend.core = #ascend<core cube>}
    ascend.cross_core_wait_flag id(0) {ascend.core = #ascend<core vector>}
    ascend.cross_core_set_flag fix id(1) {ascend.core = #ascend<core cube>}
    ascend.cross_core_wait_flag id(1) {ascend.core = #ascend<core vector>}
    ascend.cross_core_set_flag fix id(3) {ascend.core = #ascend<core cube>}
    ascend.cross_core_wait_flag id(3) {ascend.core = #ascend<core vector>}
    ascend.cross_core_wait_flag id(13) {ascend.core = #ascend<core vector>, ascend.cross_core_transfer = 6}
    ascend.copy_ub_to_gm %space, %x : memref<16x16xf16>, memref<16x16xf16, #tile.ub>
    ascend.cross_core_set_flag mte3 id(12) {ascend.core = #ascend<core vector>, ascend.cross_core_transfer = 6}
    ascend.cross_core_wait_flag id(12) {ascend.core = #ascend<core cube>, ascend.cross_core_transfer = 6}
    ascend.copy_gm_to_l1 %y, %space : memref<16x16xf16, #tile.l1>, memref<16x16xf16>
    ascend.cross_core_set_flag mte2 id(13) {ascend.core = #ascend<core cube>, ascend.cross_core_transfer = 6}
    ascend.cross_core_wait_flag id(13) {ascend.core = #ascend<core vector>, ascend.cross_core_transfer = 6}
  }
  return
}

// -----

// Of an id, each core has its own counter.

// REMARK: {{.*}}[Passed] SharedCrossCoreId{{.*}}id=1
// CHECK-LABEL: func.func @shared
// CHECK:       ascend.copy_ub_to_gm
// CHECK-NEXT:  ascend.cross_core_set_flag{{ +}}mte3 id(1)
// CHECK-NEXT:  ascend.cross_core_wait_flag id(1)
// CHECK-NEXT:  ascend.copy_gm_to_l1
// CHECK-NOT:   cross_core
func.func @shared(%a: memref<16x16xf16>) {
  %space = memref.alloc() {ascend.cross_core_transfer = 0} : memref<16x16xf16>
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : memref<16x16xf16, #tile.ub>
    %y = tile.alloc {ascend.address = 0 : i64} : memref<16x16xf16, #tile.l1>
    ascend.copy_gm_to_ub %x, %a : memref<16x16xf16, #tile.ub>, memref<16x16xf16>
    ascend.cross_core_set_flag mte2 id(13) {ascend.core = #ascend<core cube>, ascend.cross_core_transfer = 6}
    ascend.cross_core_set_flag mte3 id(0) {ascend.core = #ascend<core vector>}
    ascend.cross_core_wait_flag id(0) {ascend.core = #ascend<core cube>}
    ascend.cross_core_set_flag fix id(1) {ascend.core = #ascend<core cube>}
    ascend.cross_core_wait_flag id(1) {ascend.core = #ascend<core vector>}
    ascend.cross_core_set_flag fix id(2) {ascend.core = #ascend<core cube>}
    ascend.cross_core_wait_flag id(2) {ascend.core = #ascend<core vector>}
    ascend.cross_core_set_flag fix id(3) {ascend.core = #ascend<core cube>}
    ascend.cross_core_wait_flag id(3) {ascend.core = #ascend<core vector>}
    ascend.cross_core_set_flag fix id(4) {ascend.core = #ascend<core cube>}
    ascend.cross_core_wait_flag id(4) {ascend.core = #ascend<core vector>}
    ascend.cross_core_set_flag fix id(5) {ascend.core = #ascend<core cube>}
    ascend.cross_core_wait_flag id(5) {ascend.core = #ascend<core vector>}
    ascend.cross_core_set_flag fix id(6) {ascend.core = #ascend<core cube>}
    ascend.cross_core_wait_flag id(6) {ascend.core = #ascend<core vector>}
    ascend.cross_core_set_flag fix id(7) {ascend.core = #ascend<core cube>}
    ascend.cross_core_wait_flag id(7) {ascend.core = #ascend<core vector>}
    ascend.cross_core_set_flag fix id(8) {ascend.core = #ascend<core cube>}
    ascend.cross_core_wait_flag id(8) {ascend.core = #ascend<core vector>}
    ascend.cross_core_set_flag fix id(9) {ascend.core = #ascend<core cube>}
    ascend.cross_core_wait_flag id(9) {ascend.core = #ascend<core vector>}
    ascend.cross_core_set_flag fix id(10) {ascend.core = #ascend<core cube>}
    ascend.cross_core_wait_flag id(10) {ascend.core = #ascend<core vector>}
    ascend.cross_core_wait_flag id(13) {ascend.core = #ascend<core vector>, ascend.cross_core_transfer = 6}
    ascend.copy_ub_to_gm %space, %x : memref<16x16xf16>, memref<16x16xf16, #tile.ub>
    ascend.cross_core_set_flag mte3 id(12) {ascend.core = #ascend<core vector>, ascend.cross_core_transfer = 6}
    ascend.cross_core_wait_flag id(12) {ascend.core = #ascend<core cube>, ascend.cross_core_transfer = 6}
    ascend.copy_gm_to_l1 %y, %space : memref<16x16xf16, #tile.l1>, memref<16x16xf16>
    ascend.cross_core_set_flag mte2 id(13) {ascend.core = #ascend<core cube>, ascend.cross_core_transfer = 6}
    ascend.cross_core_wait_flag id(13) {ascend.core = #ascend<core vector>, ascend.cross_core_transfer = 6}
  }
  return
}
