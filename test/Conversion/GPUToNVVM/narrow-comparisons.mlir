// RUN: tile-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(tile-narrow-comparisons))' | FileCheck %s
// The ranges of a function are the same without the others.
// RUN: tile-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(any(tile-narrow-comparisons)))' | FileCheck %s

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

// -----

// Where the end of a loop is not known, what grows with its variable has 32 bits in the first iterations, and limits beyond are
// the largest that matter.
gpu.module @split {
  // CHECK-LABEL: gpu.func @mask(
  // CHECK-SAME:      %{{.*}}: memref<?xi1>, %[[N:.*]]: index, %[[LIMIT:.*]]: index)
  // CHECK:         %[[LEAST:.*]] = arith.minsi %[[N]], %c65536{{.*}} : index
  // CHECK:         %[[MIDDLE:.*]] = arith.maxsi %[[LEAST]], %{{.*}} : index
  // CHECK:         %[[NEAR:.*]] = arith.minsi %{{.*}}, %c1073741825{{.*}} : index
  // CHECK:         %[[TO:.*]] = arith.index_cast %[[MIDDLE]] : index to i32
  // CHECK:         scf.for %{{.*}} = %{{.*}} to %[[TO]] step %{{.*}} : i32 {
  // CHECK:           %[[L:.*]] = arith.index_cast %[[NEAR]] : index to i32
  // CHECK:           arith.cmpi slt, %{{.*}}, %[[L]] : i32
  // CHECK:           arith.cmpi sge, %{{.*}} : i32
  // CHECK:         %[[MORE:.*]] = arith.cmpi sgt, %[[N]], %[[MIDDLE]] : index
  // CHECK:         scf.if %[[MORE]] {
  // CHECK:           scf.for %{{.*}} = %[[MIDDLE]] to %[[N]] step %{{.*}} {
  // CHECK:             arith.cmpi slt, %{{.*}}, %[[LIMIT]] : index
  // CHECK:             arith.cmpi sge, %{{.*}} : index
  gpu.func @mask(%p: memref<?xi1>, %n: index, %limit: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c128 = arith.constant 128 : index
    %c4096 = arith.constant 4096 : index
    %t = gpu.thread_id x
    scf.for %i = %c0 to %n step %c1 {
      scf.for %j = %c0 to %c8 step %c1 {
        %a = arith.muli %i, %c4096 : index
        %b = arith.muli %j, %c128 : index
        %ab = arith.addi %a, %b : index
        %place = arith.addi %ab, %t : index
        %less = arith.cmpi slt, %place, %limit : index
        %more = arith.cmpi sge, %place, %c128 : index
        %both = arith.andi %less, %more : i1
        memref.store %both, %p[%place] : memref<?xi1>
      }
    }
    gpu.return
  }

  // Results go through both loops.
  // CHECK-LABEL: gpu.func @results(
  // CHECK:         %[[FIRST:.*]] = scf.for {{.*}} iter_args({{.*}}) -> (i32) : i32 {
  // CHECK:         %[[ALL:.*]] = scf.if {{.*}} -> (i32) {
  // CHECK:           %[[REST:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[FIRST]]) -> (i32) {
  // CHECK:           scf.yield %[[REST]] : i32
  // CHECK:         } else {
  // CHECK:           scf.yield %[[FIRST]] : i32
  // CHECK:         memref.store %[[ALL]],
  gpu.func @results(%p: memref<1xi32>, %n: index, %limit: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant 0 : i32
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> i32 {
      %some = scf.for %j = %c0 to %c8 step %c1 iter_args(%r = %s) -> i32 {
        %place = arith.addi %i, %j : index
        %less = arith.cmpi slt, %place, %limit : index
        %one = arith.extui %less : i1 to i32
        %next = arith.addi %r, %one : i32
        scf.yield %next : i32
      }
      scf.yield %some : i32
    }
    memref.store %sum, %p[%c0] : memref<1xi32>
    gpu.return
  }

  // A comparison an iteration is not worth a second loop.
  // CHECK-LABEL: gpu.func @single(
  // CHECK:         scf.for
  // CHECK-NOT:     scf.for
  // CHECK:         gpu.return
  gpu.func @single(%p: memref<?xi1>, %n: index, %limit: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %n step %c1 {
      %less = arith.cmpi slt, %i, %limit : index
      memref.store %less, %p[%i] : memref<?xi1>
    }
    gpu.return
  }

  // A loop with a barrier stays one.
  // CHECK-LABEL: gpu.func @waits(
  // CHECK:         scf.for
  // CHECK:         scf.for
  // CHECK-NOT:     scf.for
  // CHECK:         gpu.return
  gpu.func @waits(%p: memref<?xi1>, %n: index, %limit: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    scf.for %i = %c0 to %n step %c1 {
      %less = arith.cmpi slt, %i, %limit : index
      memref.store %less, %p[%i] : memref<?xi1>
      scf.for %j = %c0 to %c8 step %c1 {
        gpu.barrier
        %place = arith.addi %i, %j : index
        %more = arith.cmpi sgt, %place, %limit : index
        memref.store %more, %p[%place] : memref<?xi1>
      }
    }
    gpu.return
  }
}
