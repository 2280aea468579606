// The unsigned form of a copy that widens was ignored on Ascend: 255 became -1.
//
// REQUIRES: tile-run
// RUN: not tile-run --no-notes --target=ascend %s 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not tile-run --no-notes --target=ascend --chip=950 %s 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: error: a copy converts signed integers on Ascend; from unsigned 'i8' to 'i32', 'arith.extui' or 'arith.uitofp' in 'tile.parallel' does

func.func @widen(%a: memref<16x32xi8> {tile.init = "integers(-128,127)"}, %c: memref<16x32xi32> {tile.result}) {
  tile.kernel (%p) in (1) {
    %x = tile.alloc : memref<16x32xi8, #tile.fragment>
    %z = tile.alloc : memref<16x32xi32, #tile.fragment>
    tile.copy %a, %x : memref<16x32xi8>, memref<16x32xi8, #tile.fragment>
    tile.copy %x, %z {is_unsigned} : memref<16x32xi8, #tile.fragment>, memref<16x32xi32, #tile.fragment>
    tile.copy %z, %c : memref<16x32xi32, #tile.fragment>, memref<16x32xi32>
  }
  return
}
