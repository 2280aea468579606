// Loops are not run twice for each loop around them: these would take hours.
// RUN: tile-opt %s --ascend-insert-sync --ascend-verify-sync | FileCheck %s

!tile = memref<64xf32, #tile.ub>

// CHECK-LABEL: func.func @nest
// The tile is free again in each iteration of each loop: one flag around the outermost says so for all of them.
// CHECK:       ascend.set_flag mte3 to mte2 id(0)
// CHECK-NEXT:  scf.for
// CHECK:         ascend.wait_flag mte3 to mte2
// CHECK-NEXT:    ascend.copy_gm_to_ub
// CHECK-NEXT:    ascend.set_flag mte2 to mte3
// CHECK-NEXT:    ascend.wait_flag mte2 to mte3
// CHECK-NEXT:    ascend.copy_ub_to_gm
// CHECK-NEXT:    ascend.set_flag mte3 to mte2
func.func @nest(%a: memref<64xf32>, %o: memref<64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (1) {
    scf.for %i0 = %c0 to %n step %c1 {
    scf.for %i1 = %c0 to %n step %c1 {
    scf.for %i2 = %c0 to %n step %c1 {
    scf.for %i3 = %c0 to %n step %c1 {
    scf.for %i4 = %c0 to %n step %c1 {
    scf.for %i5 = %c0 to %n step %c1 {
    scf.for %i6 = %c0 to %n step %c1 {
    scf.for %i7 = %c0 to %n step %c1 {
    scf.for %i8 = %c0 to %n step %c1 {
    scf.for %i9 = %c0 to %n step %c1 {
    scf.for %i10 = %c0 to %n step %c1 {
    scf.for %i11 = %c0 to %n step %c1 {
    scf.for %i12 = %c0 to %n step %c1 {
    scf.for %i13 = %c0 to %n step %c1 {
    scf.for %i14 = %c0 to %n step %c1 {
    scf.for %i15 = %c0 to %n step %c1 {
    scf.for %i16 = %c0 to %n step %c1 {
    scf.for %i17 = %c0 to %n step %c1 {
    scf.for %i18 = %c0 to %n step %c1 {
    scf.for %i19 = %c0 to %n step %c1 {
    scf.for %i20 = %c0 to %n step %c1 {
    scf.for %i21 = %c0 to %n step %c1 {
    scf.for %i22 = %c0 to %n step %c1 {
    scf.for %i23 = %c0 to %n step %c1 {
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    ascend.copy_gm_to_ub %x, %a : !tile, memref<64xf32>
    ascend.copy_ub_to_gm %o, %x : memref<64xf32>, !tile
    }}}}}}}}}}}}}}}}}}}}}}}}
  }
  return
}
