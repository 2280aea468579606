// The unsigned form of a copy that widens was ignored on Ascend: 255 became -1.
//
// REQUIRES: tile-run
// RUN: tile-run --no-notes --target=ascend %s | FileCheck %s
// RUN: tile-run --no-notes --target=ascend --chip=950 %s | FileCheck %s

// CHECK: {{^}}1 passed, 0 failed{{$}}

func.func @widen(%a: memref<16x32xi8> {tile.init = "integers(-128,127)"}, %c: memref<16x32xi32> {tile.result})
    attributes {tile.reference = @widen_reference} {
  tile.kernel (%p) in (1) {
    %x = tile.alloc : memref<16x32xi8, #tile.fragment>
    %z = tile.alloc : memref<16x32xi32, #tile.fragment>
    tile.copy %a, %x : memref<16x32xi8>, memref<16x32xi8, #tile.fragment>
    tile.copy %x, %z {is_unsigned} : memref<16x32xi8, #tile.fragment>, memref<16x32xi32, #tile.fragment>
    tile.copy %z, %c : memref<16x32xi32, #tile.fragment>, memref<16x32xi32>
  }
  return
}
func.func private @widen_reference(%a: memref<16x32xi8>, %c: memref<16x32xi32>) {
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 32 {
      %v = affine.load %a[%i, %j] : memref<16x32xi8>
      %w = arith.extui %v : i8 to i32
      affine.store %w, %c[%i, %j] : memref<16x32xi32>
    }
  }
  return
}
