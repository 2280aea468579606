// RUN: tile-opt %s --ascend-prune-sync | FileCheck %s
// RUN: tile-opt-plain %s --ascend-prune-sync --ascend-split-mix-kernels --ascend-verify-sync \
// RUN:   --remarks-filter=ascend-verify-sync -o /dev/null 2>&1 | FileCheck %s --check-prefix=PROOF --allow-empty

// Where the tile is stored and read, flag 2 says that it has been read, and flag 1 does not order anything. Where it is not,
// flag 1 alone bounds how often flag 0 is set before it is taken.

!acc = memref<32x32xf32, #tile.l0c>
!tile = memref<32x32xf32, #tile.ub>
!gm = memref<32x32xf32>

// PROOF-NOT: SmallCounts

// CHECK-LABEL: func.func @bound
// CHECK:     ascend.cross_core_set_flag fix id(0)
// CHECK-NEXT: ascend.cross_core_wait_flag id(0)
// CHECK:     ascend.cross_core_set_flag mte2 id(1)
// CHECK-NEXT: ascend.cross_core_wait_flag id(1)
func.func @bound(%n: index, %isThere: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %w = memref.alloc() : !gm
  tile.kernel (%b) in (1) {
    %c = tile.alloc {ascend.address = 0 : i64} : !acc
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    scf.for %i = %c0 to %n step %c1 {
      scf.if %isThere {
        ascend.pipe_barrier fix {ascend.core = #ascend<core cube>}
        ascend.fixpipe %w, %c : !gm, !acc
      }
      ascend.cross_core_set_flag fix id(0) {ascend.core = #ascend<core cube>, ascend.cross_core_transfer = 0}
      ascend.cross_core_wait_flag id(0) {ascend.core = #ascend<core vector>, ascend.cross_core_transfer = 0}
      scf.if %isThere {
        ascend.pipe_barrier mte2 {ascend.core = #ascend<core vector>}
        ascend.copy_gm_to_ub %x, %w : !tile, !gm
        ascend.cross_core_set_flag mte2 id(2) {ascend.core = #ascend<core vector>}
        ascend.cross_core_wait_flag id(2) {ascend.core = #ascend<core cube>}
      }
      ascend.cross_core_set_flag mte2 id(1) {ascend.core = #ascend<core vector>, ascend.cross_core_transfer = 0}
      ascend.cross_core_wait_flag id(1) {ascend.core = #ascend<core cube>, ascend.cross_core_transfer = 0}
    }
  }
  memref.dealloc %w : !gm
  return
}

// Where flag 2 is set in each iteration, it bounds that, too.

// CHECK-LABEL: func.func @bound_by_other
// CHECK-NOT: id(1)
func.func @bound_by_other(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %w = memref.alloc() : !gm
  tile.kernel (%b) in (1) {
    %c = tile.alloc {ascend.address = 0 : i64} : !acc
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    scf.for %i = %c0 to %n step %c1 {
      ascend.fixpipe %w, %c : !gm, !acc
      ascend.cross_core_set_flag fix id(0) {ascend.core = #ascend<core cube>, ascend.cross_core_transfer = 0}
      ascend.cross_core_wait_flag id(0) {ascend.core = #ascend<core vector>, ascend.cross_core_transfer = 0}
      ascend.pipe_barrier mte2 {ascend.core = #ascend<core vector>}
      ascend.copy_gm_to_ub %x, %w : !tile, !gm
      ascend.cross_core_set_flag mte2 id(2) {ascend.core = #ascend<core vector>}
      ascend.cross_core_wait_flag id(2) {ascend.core = #ascend<core cube>}
      ascend.cross_core_set_flag mte2 id(1) {ascend.core = #ascend<core vector>, ascend.cross_core_transfer = 0}
      ascend.cross_core_wait_flag id(1) {ascend.core = #ascend<core cube>, ascend.cross_core_transfer = 0}
    }
  }
  memref.dealloc %w : !gm
  return
}
