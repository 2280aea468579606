// RUN: tile-opt %s --split-input-file --verify-diagnostics --tile-sink-loads | FileCheck %s

// What is computed from the number goes with it; what does not depend on a load stays.

// CHECK-LABEL: func.func @scale
// CHECK-NOT:   memref.load
// CHECK:       %[[N:.*]] = arith.addf %arg2, %arg2
// CHECK-NOT:   memref.load
// CHECK:       tile.kernel
// CHECK-NEXT:    %[[V:.*]] = memref.load %arg1[] : memref<f32>
// CHECK-NEXT:    %[[W:.*]] = arith.mulf %[[V]], %[[N]]
// CHECK:         tile.parallel
// CHECK:           arith.mulf %{{.*}}, %[[W]]
// CHECK:       tile.kernel
// CHECK-NEXT:    memref.load %arg1[] : memref<f32>
// CHECK:       return
func.func @scale(%a: memref<64xf32>, %factor: memref<f32>, %x: f32) {
  %v = memref.load %factor[] : memref<f32>
  %n = arith.addf %x, %x : f32
  %w = arith.mulf %v, %n : f32
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) {
      %e = memref.load %a[%i] : memref<64xf32>
      %f = arith.mulf %e, %w : f32
      memref.store %f, %a[%i] : memref<64xf32>
    }
  }
  tile.kernel (%b) in (1) {
    tile.fill %a, %w : memref<64xf32>
  }
  return
}

// -----

// Written before the load; the view of another buffer.

// CHECK-LABEL: func.func @after
// CHECK:       tile.kernel
// CHECK:       tile.kernel
// CHECK-NEXT:    memref.load
func.func @after(%a: memref<64xf32>, %n: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    tile.fill %n, %zero : memref<1xf32>
  }
  %v = memref.load %n[%c0] : memref<1xf32>
  tile.kernel (%b) in (1) {
    tile.fill %a, %v : memref<64xf32>
  }
  return
}

// -----

func.func @written_by_another(%a: memref<64xf32>, %n: memref<1xf32>, %c0: index) {
  // expected-error @below {{cannot be moved into the kernel that uses its result: the buffer is written before the kernel ends; copy the number to a buffer of its own first}}
  %v = memref.load %n[%c0] : memref<1xf32>
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    // expected-note @below {{it is written here}}
    tile.fill %n, %zero : memref<1xf32>
  }
  tile.kernel (%b) in (1) {
    tile.fill %a, %v : memref<64xf32>
  }
  return
}

// -----

// Blocks run in any order: one may write before another one reads.
func.func @written_by_itself(%a: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{cannot be moved into the kernel}}
  %v = affine.load %a[0] : memref<64xf32>
  tile.kernel (%b) in (1) {
    // expected-note @below {{it is written here}}
    tile.fill %a, %v : memref<64xf32>
  }
  return
}

// -----

func.func private @unknown()
func.func @unknown_between(%a: memref<64xf32>, %n: memref<1xf32>, %c0: index) {
  // expected-error @below {{cannot be moved into the kernel}}
  %v = memref.load %n[%c0] : memref<1xf32>
  // expected-note @below {{it is written here}}
  func.call @unknown() : () -> ()
  tile.kernel (%b) in (1) {
    tile.fill %a, %v : memref<64xf32>
  }
  return
}

// -----

// What the host asserts is asserted by the kernel behind it; behind the last one it stays.

// CHECK-LABEL: func.func @assertions
// CHECK-NOT:   cf.assert
// CHECK:       tile.kernel
// CHECK-NOT:     tile.device_assert
// CHECK:       %[[SIZE:.*]] = arith.cmpi
// CHECK-NOT:   cf.assert
// CHECK:       tile.kernel
// CHECK-DAG:     %[[HOLDS:.*]] = arith.cmpi sle, %{{.*}}, %c7_i64
// CHECK-DAG:     tile.device_assert %[[HOLDS]], "at most seven"
// CHECK-DAG:     tile.device_assert %[[SIZE]], "one"
// CHECK:       cf.assert %{{.*}}, "none behind"
func.func @assertions(%a: memref<?xf32>, %n: memref<1xi64>, %m: i64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : i64
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) { memref.store %zero, %a[%i] : memref<?xf32> }
  }
  %v = memref.load %n[%c0] : memref<1xi64>
  %few = arith.cmpi sle, %v, %c7 : i64
  cf.assert %few, "at most seven"
  %d = memref.dim %a, %c0 : memref<?xf32>
  %one = arith.cmpi eq, %d, %c1 : index
  cf.assert %one, "one"
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) { memref.store %zero, %a[%i] : memref<?xf32> }
  }
  %last = arith.cmpi eq, %m, %c7 : i64
  cf.assert %last, "none behind"
  return
}

// -----

// However much is computed from the number, none of it stays.

// CHECK-LABEL: func.func @long
// CHECK-NEXT:  arith.constant
// CHECK-NEXT:  tile.kernel
// CHECK-NEXT:    memref.load
// CHECK-COUNT-60: arith.addi
// CHECK:         memref.store
func.func @long(%a: memref<64xi32>, %n: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %v0 = memref.load %n[%c0] : memref<1xi32>
  %v1 = arith.addi %v0, %v0 : i32
  %v2 = arith.addi %v1, %v0 : i32
  %v3 = arith.addi %v2, %v1 : i32
  %v4 = arith.addi %v3, %v2 : i32
  %v5 = arith.addi %v4, %v3 : i32
  %v6 = arith.addi %v5, %v4 : i32
  %v7 = arith.addi %v6, %v5 : i32
  %v8 = arith.addi %v7, %v6 : i32
  %v9 = arith.addi %v8, %v7 : i32
  %v10 = arith.addi %v9, %v8 : i32
  %v11 = arith.addi %v10, %v9 : i32
  %v12 = arith.addi %v11, %v10 : i32
  %v13 = arith.addi %v12, %v11 : i32
  %v14 = arith.addi %v13, %v12 : i32
  %v15 = arith.addi %v14, %v13 : i32
  %v16 = arith.addi %v15, %v14 : i32
  %v17 = arith.addi %v16, %v15 : i32
  %v18 = arith.addi %v17, %v16 : i32
  %v19 = arith.addi %v18, %v17 : i32
  %v20 = arith.addi %v19, %v18 : i32
  %v21 = arith.addi %v20, %v19 : i32
  %v22 = arith.addi %v21, %v20 : i32
  %v23 = arith.addi %v22, %v21 : i32
  %v24 = arith.addi %v23, %v22 : i32
  %v25 = arith.addi %v24, %v23 : i32
  %v26 = arith.addi %v25, %v24 : i32
  %v27 = arith.addi %v26, %v25 : i32
  %v28 = arith.addi %v27, %v26 : i32
  %v29 = arith.addi %v28, %v27 : i32
  %v30 = arith.addi %v29, %v28 : i32
  %v31 = arith.addi %v30, %v29 : i32
  %v32 = arith.addi %v31, %v30 : i32
  %v33 = arith.addi %v32, %v31 : i32
  %v34 = arith.addi %v33, %v32 : i32
  %v35 = arith.addi %v34, %v33 : i32
  %v36 = arith.addi %v35, %v34 : i32
  %v37 = arith.addi %v36, %v35 : i32
  %v38 = arith.addi %v37, %v36 : i32
  %v39 = arith.addi %v38, %v37 : i32
  %v40 = arith.addi %v39, %v38 : i32
  %v41 = arith.addi %v40, %v39 : i32
  %v42 = arith.addi %v41, %v40 : i32
  %v43 = arith.addi %v42, %v41 : i32
  %v44 = arith.addi %v43, %v42 : i32
  %v45 = arith.addi %v44, %v43 : i32
  %v46 = arith.addi %v45, %v44 : i32
  %v47 = arith.addi %v46, %v45 : i32
  %v48 = arith.addi %v47, %v46 : i32
  %v49 = arith.addi %v48, %v47 : i32
  %v50 = arith.addi %v49, %v48 : i32
  %v51 = arith.addi %v50, %v49 : i32
  %v52 = arith.addi %v51, %v50 : i32
  %v53 = arith.addi %v52, %v51 : i32
  %v54 = arith.addi %v53, %v52 : i32
  %v55 = arith.addi %v54, %v53 : i32
  %v56 = arith.addi %v55, %v54 : i32
  %v57 = arith.addi %v56, %v55 : i32
  %v58 = arith.addi %v57, %v56 : i32
  %v59 = arith.addi %v58, %v57 : i32
  %v60 = arith.addi %v59, %v58 : i32
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) { memref.store %v60, %a[%i] : memref<64xi32> }
  }
  return
}
