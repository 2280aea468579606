// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func private @canonical
// CHECK-SAME: merged = #tile.layout<[8: 8 lane]>
func.func private @canonical() attributes {merged = #tile.layout<[8: 2 lane*4, 4 lane]>}

// CHECK-LABEL: func private @scalar
// CHECK-SAME: l = #tile.layout<[]>
func.func private @scalar() attributes {l = #tile.layout<[]>}

// CHECK-LABEL: func private @spaces
// CHECK-SAME: l = #tile.layout<[5: 3 lane, 2 reg]>
func.func private @spaces() attributes {l = #tile.layout< [ 5 :
  3 lane , 2 reg ] >}

// CHECK-LABEL: func private @everything
// CHECK-SAME: block = #tile.layout<[4: 2 block, 2 device]>
// CHECK-SAME: rep = #tile.layout<[4: 4 lane*2] rep(2 lane)>
// CHECK-SAME: swizzle = #tile.layout<[4: 4 offset*4][4: 4 offset] swizzle(2, 0, 2)>
// CHECK-SAME: vector = #tile.layout<[4: 4 none][4: 4 warp]>
func.func private @everything() attributes {
  rep = #tile.layout<[4: 4 lane*2] rep(2 lane)>,
  swizzle = #tile.layout<[4: 4 offset*4][4: 4 offset] swizzle(2, 0, 2)>,
  vector = #tile.layout<[4: 4 none][4: 4 warp]>,
  block = #tile.layout<[4: 2 block, 2 device]>}

// CHECK-LABEL: func private @long_form
// CHECK-SAME: l = #tile.layout<[4: 4 reg]>
func.func private @long_form() attributes {l = #tile<layout<[4: 4 reg]>>}
