// RUN: tile-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(tile-narrow-comparisons))' | FileCheck %s

gpu.module @ranges {
  // CHECK-LABEL: gpu.func @known(
  // CHECK-DAG:     %[[T:.*]] = gpu.thread_id x
  // CHECK-DAG:     %[[C:.*]] = arith.constant 40 : index
  // CHECK-DAG:     %[[A:.*]] = arith.index_cast %[[T]] : index to i32
  // CHECK-DAG:     %[[B:.*]] = arith.index_cast %[[C]] : index to i32
  // CHECK:         arith.cmpi slt, %[[A]], %[[B]] : i32
  gpu.func @known(%p: memref<1xi1>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c40 = arith.constant 40 : index
    %t = gpu.thread_id x
    %less = arith.cmpi slt, %t, %c40 : index
    memref.store %less, %p[%c0] : memref<1xi1>
    gpu.return
  }

  // Nobody knows how large an argument is.
  // CHECK-LABEL: gpu.func @unknown(
  // CHECK:         arith.cmpi slt, %{{.*}}, %{{.*}} : index
  gpu.func @unknown(%p: memref<1xi1>, %n: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %less = arith.cmpi slt, %t, %n : index
    memref.store %less, %p[%c0] : memref<1xi1>
    gpu.return
  }

  // -1 has 32 bits as a signed number, and 64 as an unsigned one; 2^32 - 1 the other way about.
  // CHECK-LABEL: gpu.func @signs(
  // CHECK:         arith.cmpi sgt, %{{.*}}, %{{.*}} : i32
  // CHECK:         arith.cmpi ugt, %{{.*}}, %{{.*}} : index
  // CHECK:         arith.cmpi sgt, %{{.*}}, %{{.*}} : index
  // CHECK:         arith.cmpi ugt, %{{.*}}, %{{.*}} : i32
  // CHECK:         arith.cmpi eq, %{{.*}}, %{{.*}} : index
  gpu.func @signs(%p: memref<5xi1>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %minus = arith.constant -1 : index
    %large = arith.constant 4294967295 : index
    %t = gpu.thread_id x
    %0 = arith.cmpi sgt, %t, %minus : index
    %1 = arith.cmpi ugt, %t, %minus : index
    %2 = arith.cmpi sgt, %t, %large : index
    %3 = arith.cmpi ugt, %t, %large : index
    %4 = arith.cmpi eq, %t, %large : index
    memref.store %0, %p[%c0] : memref<5xi1>
    memref.store %1, %p[%c1] : memref<5xi1>
    memref.store %2, %p[%c2] : memref<5xi1>
    memref.store %3, %p[%c3] : memref<5xi1>
    memref.store %4, %p[%c4] : memref<5xi1>
    gpu.return
  }
}

// -----

// The trip count of a loop is a range, too.
gpu.module @loops {
  // CHECK-LABEL: gpu.func @remainder(
  // CHECK:         arith.cmpi eq, %{{.*}}, %{{.*}} : i32
  gpu.func @remainder(%p: memref<?xi1>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    scf.for %i = %c0 to %n step %c1 {
      %r = arith.remui %i, %c7 : index
      %last = arith.cmpi eq, %r, %c1 : index
      memref.store %last, %p[%i] : memref<?xi1>
    }
    gpu.return
  }
}
