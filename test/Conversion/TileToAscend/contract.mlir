// RUN: tile-opt %s --ascend-infer-memory --convert-tile-to-ascend --canonicalize | FileCheck %s

// A product and a sum in place that may be contracted are one instruction.

!t = memref<16x64xf32, #tile.shared>
!c = memref<16xf32, #tile.shared>

// The rows of the factor are small: it may be kept until the sum.
// CHECK-LABEL: func.func @apart
// CHECK:         ascend.brcb %[[BLOCKS:.*]], %{{.*}}
// CHECK-NOT:     mul %
// CHECK:         ascend.unary
// CHECK:         ascend.mul_add %[[T:.*]], %[[BLOCKS]], %[[U:.*]] factor({{ *}}column)
func.func @apart(%a: memref<16x64xf32>, %o: memref<16x64xf32>) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : !t
    %u = tile.alloc : !t
    %c = tile.alloc : !c
    tile.copy %a, %t : memref<16x64xf32>, !t
    tile.fill %c, 0.5
    tile.parallel (%i, %j) in (16, 64) do fastmath<contract> %t[%i, %j] = %t[%i, %j] * %c[%i]
    tile.parallel (%i, %j) in (16, 64) do %u[%i, %j] = exp(%u[%i, %j])
    tile.parallel (%i, %j) in (16, 64) do fastmath<contract> %t[%i, %j] = %t[%i, %j] + %u[%i, %j]
    tile.copy %t, %o : !t, memref<16x64xf32>
  }
  return
}

// Both have to say so.
// CHECK-LABEL: func.func @exact
// CHECK-NOT:     ascend.mul_add
func.func @exact(%a: memref<16x64xf32>, %o: memref<16x64xf32>) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : !t
    %u = tile.alloc : !t
    tile.copy %a, %t : memref<16x64xf32>, !t
    tile.parallel (%i, %j) in (16, 64) do fastmath<contract> %t[%i, %j] = %t[%i, %j] * %u[%i, %j]
    tile.parallel (%i, %j) in (16, 64) do %t[%i, %j] = %t[%i, %j] + %u[%i, %j]
    tile.copy %t, %o : !t, memref<16x64xf32>
  }
  return
}

// The factor is another one when the sum is computed.
// CHECK-LABEL: func.func @overwritten
// CHECK-NOT:     ascend.mul_add
func.func @overwritten(%a: memref<16x64xf32>, %o: memref<16x64xf32>) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : !t
    %r = tile.alloc : memref<64xf32, #tile.shared>
    tile.copy %a, %t : memref<16x64xf32>, !t
    tile.parallel (%i, %j) in (16, 64) do fastmath<contract> %t[%i, %j] = %t[%i, %j] * %r[%j]
    tile.fill %r, 1.0
    tile.parallel (%i, %j) in (16, 64) do fastmath<contract> %t[%i, %j] = %t[%i, %j] + %r[%j]
    tile.copy %t, %o : !t, memref<16x64xf32>
  }
  return
}

// The tile is read in between.
// CHECK-LABEL: func.func @read
// CHECK-NOT:     ascend.mul_add
func.func @read(%a: memref<16x64xf32>, %o: memref<16x64xf32>) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : !t
    %u = tile.alloc : !t
    %r = tile.alloc : memref<64xf32, #tile.shared>
    tile.copy %a, %t : memref<16x64xf32>, !t
    tile.parallel (%i, %j) in (16, 64) do fastmath<contract> %t[%i, %j] = %t[%i, %j] * %r[%j]
    tile.copy %t, %u : !t, !t
    tile.parallel (%i, %j) in (16, 64) do fastmath<contract> %t[%i, %j] = %t[%i, %j] + %u[%i, %j]
    tile.copy %t, %o : !t, memref<16x64xf32>
  }
  return
}

// A factor of a whole tile is not kept for longer.
// CHECK-LABEL: func.func @whole
// CHECK-NOT:     ascend.mul_add
func.func @whole(%a: memref<16x64xf32>, %o: memref<16x64xf32>) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : !t
    %u = tile.alloc : !t
    %v = tile.alloc : !t
    tile.copy %a, %t : memref<16x64xf32>, !t
    tile.parallel (%i, %j) in (16, 64) do fastmath<contract> %t[%i, %j] = %t[%i, %j] * %u[%i, %j]
    tile.parallel (%i, %j) in (16, 64) do %v[%i, %j] = exp(%v[%i, %j])
    tile.parallel (%i, %j) in (16, 64) do fastmath<contract> %t[%i, %j] = %t[%i, %j] + %v[%i, %j]
    tile.copy %t, %o : !t, memref<16x64xf32>
  }
  return
}

// Next to each other they are one whatever the factor is.
// CHECK-LABEL: func.func @next
// CHECK:         ascend.mul_add %[[T:.*]], %[[U:.*]], %[[V:[^ ]*]] :
func.func @next(%a: memref<16x64xf32>, %o: memref<16x64xf32>) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : !t
    %u = tile.alloc : !t
    %v = tile.alloc : !t
    tile.copy %a, %t : memref<16x64xf32>, !t
    tile.parallel (%i, %j) in (16, 64) do fastmath<contract> %t[%i, %j] = %u[%i, %j] * %t[%i, %j]
    tile.parallel (%i, %j) in (16, 64) do fastmath<contract> %t[%i, %j] = %v[%i, %j] + %t[%i, %j]
    tile.copy %t, %o : !t, memref<16x64xf32>
  }
  return
}
