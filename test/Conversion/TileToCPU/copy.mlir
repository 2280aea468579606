// RUN: tile-opt %s --tile-set-target=chip=x86-64-v3 --convert-tile-to-cpu --canonicalize --cse | FileCheck %s

// CHECK-DAG: #[[$AT:.*]] = affine_map<(d0) -> (d0 * 16)>
// CHECK-DAG: #[[$BEFORE:.*]] = affine_map<(d0) -> (d0 * 16 - 1)>

// What is known to lie inside is not tested.

// CHECK-LABEL: func.func @inside(
// CHECK-SAME:    %[[A:.*]]: memref<64x32xf16>, %[[C:.*]]: memref<64x32xf32>)
// CHECK-NOT:     scf.if
func.func @inside(%a: memref<64x32xf16>, %c: memref<64x32xf32>) {
  tile.kernel (%b) in (4) {
    // CHECK:      %[[T:.*]] = memref.alloc
    %t = tile.alloc : memref<16x32xf16, #tile.shared>
    // CHECK:      %[[P:.*]] = affine.apply #[[$AT]]
    // CHECK:      scf.for %[[I:.*]] = %c0 to %c16 step %c1 {
    // CHECK-NEXT:   scf.for %[[J:.*]] = %c0 to %c32 step %c1 {
    // CHECK-NEXT:     %[[R:.*]] = arith.addi %[[P]], %[[I]]
    // CHECK-NEXT:     %[[V:.*]] = memref.load %[[A]][%[[R]], %[[J]]]
    // CHECK-NEXT:     memref.store %[[V]], %[[T]][%[[I]], %[[J]]]
    tile.copy %a[%b * 16, 0], %t : memref<64x32xf16>, memref<16x32xf16, #tile.shared>
    // CHECK:          %[[W:.*]] = memref.load %[[T]]
    // CHECK-NEXT:     %[[E:.*]] = arith.extf %[[W]] : f16 to f32
    // CHECK:          memref.store %[[E]], %[[C]]
    tile.copy %t, %c[%b * 16, 0] : memref<16x32xf16, #tile.shared>, memref<64x32xf32>
  }
  return
}

// Loops run where both sides have elements; what only the target has gets the converted safe value first. A unit dimension that
// is known to lie inside is not tested.

// CHECK-LABEL: func.func @outside(
// CHECK-SAME:    %[[A:.*]]: memref<?xf32>, %[[C:.*]]: memref<?x4xf16>)
func.func @outside(%a: memref<?xf32>, %c: memref<?x4xf16>) {
  // CHECK-DAG: %[[SAFE:.*]] = arith.constant 7.000000e+00 : f16
  %safe = arith.constant 7.0 : f32
  // CHECK: scf.parallel (%[[B:.*]]) =
  tile.kernel (%b) in (4) {
    // CHECK:      %[[P:.*]] = affine.apply #[[$BEFORE]](%[[B]])
    // CHECK:      %[[N:.*]] = memref.dim %[[A]]
    // CHECK:      %[[L0:.*]] = arith.subi %c0, %[[P]]
    // CHECK-NEXT: %[[L1:.*]] = arith.maxsi %[[L0]], %c0
    // CHECK-NEXT: %[[L:.*]] = arith.minsi %[[L1]], %c16
    // CHECK-NEXT: %[[U0:.*]] = arith.subi %[[N]], %[[P]]
    // CHECK-NEXT: %[[U1:.*]] = arith.maxsi %[[U0]], %c0
    // CHECK-NEXT: %[[U:.*]] = arith.minsi %[[U1]], %c16
    // CHECK:      %[[Q:.*]] = affine.apply #[[$AT]](%[[B]])
    // CHECK:      %[[TL:.*]] = arith.minsi %{{.*}}, %c16
    // CHECK:      %[[TU:.*]] = arith.minsi %{{.*}}, %c16
    // CHECK-NEXT: %[[LEFT:.*]] = arith.cmpi sgt, %[[L]], %[[TL]]
    // CHECK-NEXT: %[[RIGHT:.*]] = arith.cmpi slt, %[[U]], %[[TU]]
    // CHECK-NEXT: %[[FILL:.*]] = arith.ori %[[LEFT]], %[[RIGHT]]
    // CHECK-NEXT: scf.if %[[FILL]] {
    // CHECK-NEXT:   scf.for %[[I:.*]] = %[[TL]] to %[[TU]] step %c1 {
    // CHECK-NEXT:     %[[R:.*]] = arith.addi %[[Q]], %[[I]]
    // CHECK-NEXT:     memref.store %[[SAFE]], %[[C]][%[[R]], %[[B]]]
    // CHECK:      %[[LOWER:.*]] = arith.maxsi %[[L]], %[[TL]]
    // CHECK-NEXT: %[[UPPER:.*]] = arith.minsi %[[U]], %[[TU]]
    // CHECK-NEXT: scf.for %[[I:.*]] = %[[LOWER]] to %[[UPPER]] step %c1 {
    // CHECK:        arith.truncf %{{.*}} : f32 to f16
    tile.safe_value %a, %safe : memref<?xf32>
    tile.copy %a[%b * 16 - 1] [16], %c[%b * 16, %b] [16, 1] : memref<?xf32>, memref<?x4xf16>
  }
  return
}

// One unsigned comparison tells whether a unit dimension lies inside.

// CHECK-LABEL: func.func @unit(
// CHECK-SAME:    %[[A:.*]]: memref<?x4xf32>, %[[T:.*]]: memref<4xf32>, %[[I:.*]]: index)
func.func @unit(%a: memref<?x4xf32>, %t: memref<4xf32, #tile.shared>, %i: index) {
  // CHECK:      %[[N:.*]] = memref.dim %[[A]], %c0
  // CHECK-NEXT: %[[IN:.*]] = arith.cmpi ult, %[[I]], %[[N]]
  // CHECK-NEXT: scf.if %[[IN]] {
  // CHECK-NEXT:   scf.for %[[J:.*]] = %c0 to %c4
  // CHECK-NEXT:     memref.load %[[A]][%[[I]], %[[J]]]
  // CHECK:      } else {
  // CHECK-NEXT:   scf.for %[[J:.*]] = %c0 to %c4
  // CHECK-NEXT:     memref.store %cst, %[[T]][%[[J]]]
  tile.copy %a[%i, 0] [1, 4], %t : memref<?x4xf32>, memref<4xf32, #tile.shared>
  return
}

// Long contiguous rows of one type are left to the C library.

// CHECK-LABEL: func.func @rows(
// CHECK:         scf.for
// CHECK:           "llvm.intr.memcpy"(%{{.*}}, %{{.*}}, %c2048_i64)
func.func @rows(%a: memref<4x512xf32>, %t: memref<4x512xf32, #tile.shared>) {
  tile.copy %a, %t : memref<4x512xf32>, memref<4x512xf32, #tile.shared>
  return
}

// Conversions. Floats saturate on the way to integers; NaN becomes 0.

// CHECK-LABEL: func.func @to_integer(
// CHECK-DAG:     %[[ABOVE:.*]] = arith.constant 1.280000e+02 : f32
// CHECK-DAG:     %[[BELOW:.*]] = arith.constant -1.280000e+02 : f32
// CHECK:         %[[V:.*]] = memref.load
// CHECK:         %[[W:.*]] = arith.extf %[[V]] : f16 to f32
// CHECK:         %[[HIGH:.*]] = arith.cmpf oge, %[[W]], %[[ABOVE]]
// CHECK:         %[[LOW:.*]] = arith.cmpf olt, %[[W]], %[[BELOW]]
// CHECK:         %[[NUMBER:.*]] = arith.cmpf ord, %[[W]], %[[W]]
// CHECK:         arith.select %[[NUMBER]], %[[W]], %cst
// CHECK:         %[[R:.*]] = arith.fptosi %{{.*}} : f32 to i8
// CHECK:         %[[S:.*]] = arith.select %[[HIGH]], %c127_i8, %[[R]]
// CHECK:         arith.select %[[LOW]], %c-128_i8, %[[S]]
func.func @to_integer(%a: memref<4xf16>, %t: memref<4xi8, #tile.shared>) {
  tile.copy %a, %t : memref<4xf16>, memref<4xi8, #tile.shared>
  return
}

// CHECK-LABEL: func.func @to_unsigned(
// CHECK-DAG:     arith.constant 2.560000e+02 : f32
// CHECK:         arith.fptoui %{{.*}} : f32 to i8
func.func @to_unsigned(%a: memref<4xf32>, %t: memref<4xi8, #tile.shared>) {
  tile.copy %a, %t {is_unsigned} : memref<4xf32>, memref<4xi8, #tile.shared>
  return
}

// CHECK-LABEL: func.func @saturate(
// CHECK-DAG:     %[[HIGH:.*]] = arith.constant 4.480000e+02 : f32
// CHECK-DAG:     %[[LOW:.*]] = arith.constant -4.480000e+02 : f32
// CHECK:         %[[V:.*]] = arith.minimumf %{{.*}}, %[[HIGH]]
// CHECK:         %[[W:.*]] = arith.maximumf %[[V]], %[[LOW]]
// CHECK:         arith.truncf %[[W]] : f32 to f8E4M3FN
func.func @saturate(%a: memref<4xf32>, %t: memref<4xf8E4M3FN, #tile.shared>) {
  tile.copy %a, %t {saturate} : memref<4xf32>, memref<4xf8E4M3FN, #tile.shared>
  return
}

// Neither of these two formats holds the other.

// CHECK-LABEL: func.func @sideways(
// CHECK:         arith.extf %{{.*}} : f16 to f32
// CHECK:         arith.truncf %{{.*}} : f32 to bf16
func.func @sideways(%a: memref<4xf16>, %t: memref<4xbf16, #tile.shared>) {
  tile.copy %a, %t : memref<4xf16>, memref<4xbf16, #tile.shared>
  return
}

// CHECK-LABEL: func.func @integers(
// CHECK:         arith.extsi %{{.*}} : i4 to i8
// CHECK:         arith.extui %{{.*}} : i8 to i32
// CHECK:         arith.trunci %{{.*}} : i32 to i16
// CHECK:         arith.cmpi ne, %{{.*}} : i16
// CHECK:         arith.uitofp %{{.*}} : i1 to f32
func.func @integers(%a: memref<4xi4>, %b: memref<4xi8>, %c: memref<4xi32>, %d: memref<4xi16>, %e: memref<4xi1>,
                    %f: memref<4xf32>) {
  tile.copy %a, %b : memref<4xi4>, memref<4xi8>
  tile.copy %b, %c {is_unsigned} : memref<4xi8>, memref<4xi32>
  tile.copy %c, %d : memref<4xi32>, memref<4xi16>
  tile.copy %d, %e : memref<4xi16>, memref<4xi1>
  tile.copy %e, %f : memref<4xi1>, memref<4xf32>
  return
}
