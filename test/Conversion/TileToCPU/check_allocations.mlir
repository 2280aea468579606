// RUN: tile-opt %s --tile-check-allocations --split-input-file | FileCheck %s

// One test serves what is allocated together. What was allocated is freed either way.
// CHECK-LABEL: func.func @together
func.func @together(%x: memref<?xf32>, %n: index) {
  // CHECK:      %[[MISSING:.*]] = memref.alloca() : memref<i64>
  // CHECK:      %[[FITS:.*]] = arith.cmpi ule, %{{.*}}, %{{.*}} : index
  // CHECK:      %[[EXTENT:.*]] = arith.select %[[FITS]], %{{.*}}, %{{.*}} : index
  // CHECK:      %[[A:.*]] = memref.alloc(%[[EXTENT]]) : memref<?xf32>
  // CHECK:      %[[B:.*]] = memref.alloc() : memref<16xf32>
  // CHECK:      scf.if
  // CHECK:        memref.copy
  // CHECK:      } else {
  // CHECK:        memref.atomic_rmw assign %{{.*}}, %[[MISSING]][] : (i64, memref<i64>) -> i64
  // CHECK-NEXT: }
  // CHECK-NEXT: memref.dealloc %[[B]]
  // CHECK-NEXT: memref.dealloc %[[A]]
  // CHECK-NEXT: %[[BYTES:.*]] = memref.load %[[MISSING]][]
  // CHECK:      scf.if
  // CHECK:        %[[LINKED:.*]] = llvm.icmp "ne"
  // CHECK-NEXT:   scf.if %[[LINKED]] {
  // CHECK-NEXT:     call @tile_rt_note_missing_memory(%[[BYTES]])
  // CHECK-NEXT:   } else {
  // CHECK-NEXT:     call @abort()
  %a = memref.alloc(%n) : memref<?xf32>
  %b = memref.alloc() : memref<16xf32>
  memref.copy %x, %a : memref<?xf32> to memref<?xf32>
  memref.dealloc %b : memref<16xf32>
  memref.dealloc %a : memref<?xf32>
  return
}

// -----

// What is freed early is freed early, or where the rest is left out. The function returns 0 then.
// CHECK-LABEL: func.func @early
func.func @early(%x: memref<16xf32>) -> f32 {
  // CHECK:      %[[A:.*]] = memref.alloc()
  // CHECK:      %[[RESULT:.*]] = scf.if
  // CHECK:        memref.dealloc %[[A]]
  // CHECK:        %[[B:.*]] = memref.alloc()
  // CHECK:        scf.if
  // CHECK:          memref.copy
  // CHECK:          memref.load
  // CHECK:        } else {
  // CHECK:        memref.dealloc %[[B]]
  // CHECK:      } else {
  // CHECK:        %[[ZERO:.*]] = arith.constant 0.000000e+00
  // CHECK:        memref.dealloc %[[A]]
  // CHECK:        scf.yield %[[ZERO]]
  // CHECK:      return %[[RESULT]]
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<16xf32>
  memref.copy %x, %a : memref<16xf32> to memref<16xf32>
  memref.dealloc %a : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  memref.copy %x, %b : memref<16xf32> to memref<16xf32>
  %v = memref.load %b[%c0] : memref<16xf32>
  memref.dealloc %b : memref<16xf32>
  return %v : f32
}

// -----

// What a function returns has to be there: nothing is tested, neither with branches.
// CHECK-LABEL: func.func @returned
// CHECK-NOT:   scf.if
func.func @returned() -> memref<16xf32> {
  %a = memref.alloc() : memref<16xf32>
  return %a : memref<16xf32>
}

// CHECK-LABEL: func.func @branches
// CHECK-NOT:   scf.if
func.func @branches(%p: i1) {
  cf.cond_br %p, ^a, ^b
^a:
  %a = memref.alloc() : memref<16xf32>
  memref.dealloc %a : memref<16xf32>
  cf.br ^b
^b:
  return
}
