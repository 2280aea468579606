// The old content of the target takes part in a reduction as it is: what absmax and abssum do to elements, they do not do to it.
// The random cases of Inputs/reduce.py hold this against another reference; here are the corners, written out.

// REQUIRES: tile-run
// RUN: tile-run %s | FileCheck %s
// CHECK: {{^}}4 passed, 0 failed{{$}}

// A negative number loses against every absolute value; where all elements are NaN, it is the only number.

memref.global "private" constant @absmax_f32_elements : memref<6x2xf32> = dense<[[1.0, -3.0], [1.0, -3.0], [0.0, -0.0], [0.0, 0.0], [0x7FC00000, 1.0], [0x7FC00000, 0x7FC00000]]>
memref.global "private" constant @absmax_f32_old : memref<6xf32> = dense<[-5.0, 4.0, -1.0, 0xFF800000, -2.0, -4.0]>
memref.global "private" constant @absmax_f32_result : memref<6xf32> = dense<[3.0, 4.0, 0.0, 0.0, 1.0, -4.0]>

func.func @absmax_f32(%r: memref<6xf32> {tile.result})
    attributes {tile.reference = @absmax_f32_expected, tile.atol = 0.0, tile.rtol = 0.0} {
  %x = memref.get_global @absmax_f32_elements : memref<6x2xf32>
  %o = memref.get_global @absmax_f32_old : memref<6xf32>
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<6x2xf32, #tile.fragment>
    %m = tile.alloc : memref<6xf32, #tile.fragment>
    tile.copy %x, %t : memref<6x2xf32>, memref<6x2xf32, #tile.fragment>
    tile.copy %o, %m : memref<6xf32>, memref<6xf32, #tile.fragment>
    tile.reduce absmax %t, %m dim(1) {combine} : memref<6x2xf32, #tile.fragment>, memref<6xf32, #tile.fragment>
    tile.copy %m, %r : memref<6xf32, #tile.fragment>, memref<6xf32>
  }
  return
}
func.func @absmax_f32_expected(%r: memref<6xf32>) {
  %v = memref.get_global @absmax_f32_result : memref<6xf32>
  memref.copy %v, %r : memref<6xf32> to memref<6xf32>
  return
}

// Integers alike.

memref.global "private" constant @absmax_i32_elements : memref<3x2xi32> = dense<[[1, -3], [1, -3], [0, 0]]>
memref.global "private" constant @absmax_i32_old : memref<3xi32> = dense<[-5, 4, -1]>
memref.global "private" constant @absmax_i32_result : memref<3xi32> = dense<[3, 4, 0]>

func.func @absmax_i32(%r: memref<3xi32> {tile.result})
    attributes {tile.reference = @absmax_i32_expected, tile.atol = 0.0, tile.rtol = 0.0} {
  %x = memref.get_global @absmax_i32_elements : memref<3x2xi32>
  %o = memref.get_global @absmax_i32_old : memref<3xi32>
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<3x2xi32, #tile.fragment>
    %m = tile.alloc : memref<3xi32, #tile.fragment>
    tile.copy %x, %t : memref<3x2xi32>, memref<3x2xi32, #tile.fragment>
    tile.copy %o, %m : memref<3xi32>, memref<3xi32, #tile.fragment>
    tile.reduce absmax %t, %m dim(1) {combine} : memref<3x2xi32, #tile.fragment>, memref<3xi32, #tile.fragment>
    tile.copy %m, %r : memref<3xi32, #tile.fragment>, memref<3xi32>
  }
  return
}
func.func @absmax_i32_expected(%r: memref<3xi32>) {
  %v = memref.get_global @absmax_i32_result : memref<3xi32>
  memref.copy %v, %r : memref<3xi32> to memref<3xi32>
  return
}

// A negative sum is continued.

memref.global "private" constant @abssum_f32_elements : memref<2x2xf32> = dense<[[1.0, -3.0], [0.0, -2.0]]>
memref.global "private" constant @abssum_f32_old : memref<2xf32> = dense<[-5.0, 4.0]>
memref.global "private" constant @abssum_f32_result : memref<2xf32> = dense<[-1.0, 6.0]>

func.func @abssum_f32(%r: memref<2xf32> {tile.result})
    attributes {tile.reference = @abssum_f32_expected, tile.atol = 0.0, tile.rtol = 0.0} {
  %x = memref.get_global @abssum_f32_elements : memref<2x2xf32>
  %o = memref.get_global @abssum_f32_old : memref<2xf32>
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<2x2xf32, #tile.fragment>
    %m = tile.alloc : memref<2xf32, #tile.fragment>
    tile.copy %x, %t : memref<2x2xf32>, memref<2x2xf32, #tile.fragment>
    tile.copy %o, %m : memref<2xf32>, memref<2xf32, #tile.fragment>
    tile.reduce abssum %t, %m dim(1) {combine} : memref<2x2xf32, #tile.fragment>, memref<2xf32, #tile.fragment>
    tile.copy %m, %r : memref<2xf32, #tile.fragment>, memref<2xf32>
  }
  return
}
func.func @abssum_f32_expected(%r: memref<2xf32>) {
  %v = memref.get_global @abssum_f32_result : memref<2xf32>
  memref.copy %v, %r : memref<2xf32> to memref<2xf32>
  return
}

// Integers alike.

memref.global "private" constant @abssum_i32_elements : memref<2x2xi32> = dense<[[1, -3], [0, -2]]>
memref.global "private" constant @abssum_i32_old : memref<2xi32> = dense<[-5, 4]>
memref.global "private" constant @abssum_i32_result : memref<2xi32> = dense<[-1, 6]>

func.func @abssum_i32(%r: memref<2xi32> {tile.result})
    attributes {tile.reference = @abssum_i32_expected, tile.atol = 0.0, tile.rtol = 0.0} {
  %x = memref.get_global @abssum_i32_elements : memref<2x2xi32>
  %o = memref.get_global @abssum_i32_old : memref<2xi32>
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<2x2xi32, #tile.fragment>
    %m = tile.alloc : memref<2xi32, #tile.fragment>
    tile.copy %x, %t : memref<2x2xi32>, memref<2x2xi32, #tile.fragment>
    tile.copy %o, %m : memref<2xi32>, memref<2xi32, #tile.fragment>
    tile.reduce abssum %t, %m dim(1) {combine} : memref<2x2xi32, #tile.fragment>, memref<2xi32, #tile.fragment>
    tile.copy %m, %r : memref<2xi32, #tile.fragment>, memref<2xi32>
  }
  return
}
func.func @abssum_i32_expected(%r: memref<2xi32>) {
  %v = memref.get_global @abssum_i32_result : memref<2xi32>
  memref.copy %v, %r : memref<2xi32> to memref<2xi32>
  return
}
