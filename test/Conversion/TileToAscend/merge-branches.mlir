// RUN: tile-opt %s --ascend-merge-branches | FileCheck %s

// Both sides store to one element, in a branch of a branch: one store.

// CHECK-LABEL: func.func @choose
// CHECK:       tile.parallel
// CHECK-NOT:   scf.if
// CHECK-COUNT-2: arith.select %{{.*}} : f32
// CHECK-NEXT:  memref.store
// CHECK-NOT:   memref.store
// CHECK:       return
func.func @choose(%x: memref<256xf32>, %y: memref<256xf32>) {
  tile.kernel (%b) in (4) {
    tile.parallel (%i) in (64) do {
      if %x[%b * 64 + %i] > 0.0 {
        if %x[%b * 64 + %i] > 1.0 { %y[%b * 64 + %i] = 1.0 } else { %y[%b * 64 + %i] = %x[%b * 64 + %i] }
      } else {
        %y[%b * 64 + %i] = %x[%b * 64 + %i] * 0.1
      }
    }
  }
  return
}

// Several of both sides.

// CHECK-LABEL: func.func @pairs
// CHECK-NOT:   scf.if
// CHECK-COUNT-2: arith.select
// CHECK-COUNT-2: memref.store
// CHECK-NOT:   memref.store
// CHECK:       return
func.func @pairs(%x: memref<64xf32>, %y: memref<64xf32>, %z: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) do {
      if %x[%i] > 0.0 {
        %y[%i] = 1.0
        %z[%i] = 2.0
      } else {
        %z[%i] = 3.0
        %y[%i] = 4.0
      }
    }
  }
  return
}

// Stores to other elements have a guard each, one below another have one of both conditions; what is computed stands before them.

// CHECK-LABEL: func.func @guards
// CHECK:       %[[C:.*]] = arith.cmpf
// CHECK:       %[[V:.*]] = arith.addf
// CHECK:       %[[D:.*]] = arith.cmpf
// CHECK:       %[[BOTH:.*]] = arith.andi %[[C]], %[[D]]
// CHECK-NEXT:  scf.if %[[C]] {
// CHECK-NEXT:    memref.store %[[V]]
// CHECK-NEXT:  }
// CHECK-NEXT:  scf.if %[[BOTH]] {
// CHECK-NEXT:    memref.store
// CHECK-NEXT:  }
// CHECK-NEXT:  }
func.func @guards(%x: memref<64xf32>, %y: memref<64xf32>, %z: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) do {
      if %x[%i] > 0.0 {
        %v = %x[%i] + 1.0
        %y[%i] = %v
        if %v < 3.0 { %z[%i] = 5.0 }
      }
    }
  }
  return
}

// An element that may be before its buffer is not read; one behind the end of a global buffer is padding.

// CHECK-LABEL: func.func @outside
// CHECK:       %[[C:.*]] = arith.cmpi sge
// CHECK:       %[[AT:.*]] = arith.select %[[C]], %{{.*}}, %{{.*}} : index
// CHECK-NEXT:  memref.load %{{.*}}[%[[AT]]]
// CHECK-NOT:   arith.select %{{.*}} : index
// CHECK:       return
func.func @outside(%x: memref<64xf32>, %y: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) do {
      if %i - 3 >= 0 { %y[%i] = %x[%i - 3] } else { %y[%i] = %x[%i + 3] }
    }
  }
  return
}

// Not moved: what is loaded behind a store to its buffer, loops, updates, and branches that are the same for all iterations.

// CHECK-LABEL: func.func @stays
// CHECK:       scf.if
// CHECK:         memref.store
// CHECK-NEXT:    memref.load
// CHECK:       scf.if
// CHECK:         scf.for
// CHECK:       scf.if
// CHECK-NEXT:    tile.atomic
// CHECK:       scf.if
// CHECK-NEXT:    memref.load
// CHECK:       return
func.func @stays(%x: memref<64xf32>, %y: memref<64xf32>, %n: index {tile.shape = "N"}) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) do {
      if %x[%i] > 0.0 {
        %y[%i] = 1.0
        %y[%i] = %y[%i] * 2.0
      }
      if %x[%i] > 1.0 { for %k = 0 to %n { %y[%i] = 3.0 } }
      if %x[%i] > 2.0 { tile.atomic add 1.0, %y[%i] }
      if %n > 3 { %y[%i] = %x[%i] }
    }
  }
  return
}

// The scalar unit computes a loop that loads what it stores. It loads elements that nothing uses, so the tile begins with zeros.

// CHECK-LABEL: func.func @diagonals
// CHECK:       %[[d:.*]] = tile.alloc
// CHECK-NEXT:  %[[zero:.*]] = arith.constant 0 : i32
// CHECK-NEXT:  tile.fill %[[d]], %[[zero]]
// CHECK-NEXT:  scf.for
func.func @diagonals() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c15 = arith.constant 15 : index
  tile.kernel (%b) in (1) {
    %d = tile.alloc : memref<8x8xi32, #tile.shared>
    scf.for %k = %c0 to %c15 step %c1 {
      tile.parallel (%i) in (8) do {
        if and(%i > 0, %i < %k) { %d[%i, %k - %i] = %d[%i - 1, %k - %i] + 1 } else { %d[%i, 0] = 2 }
      }
    }
  }
  return
}

// All of it is written before.

// CHECK-LABEL: func.func @written
// CHECK:       tile.fill
// CHECK-NOT:   tile.fill
// CHECK:       return
func.func @written(%x: memref<8xi32>, %y: memref<8x8xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c15 = arith.constant 15 : index
  tile.kernel (%b) in (1) {
    %d = tile.alloc : memref<8x8xi32, #tile.shared>
    %e = tile.alloc : memref<8x8xi32, #tile.shared>
    %f = tile.alloc : memref<8x8xi32, #tile.shared>
    tile.fill %d, 3
    tile.parallel (%i, %j) in (8, 8) do %e[%i, %j] = %x[%j]
    scf.for %k = %c0 to %c15 step %c1 {
      tile.copy %y, %f
      tile.parallel (%i) in (8) do {
        if and(%i > 0, %i < %k) {
          %d[%i, %k - %i] = %d[%i - 1, %k - %i] + 1
          %e[%i, %k - %i] = %e[%i - 1, %k - %i] + 1
          %f[%i, %k - %i] = %f[%i - 1, %k - %i] + 1
        }
      }
    }
  }
  return
}

// What is private to each iteration is no tile.

// CHECK-LABEL: func.func @private
// CHECK-NOT:   tile.fill
// CHECK:       return
func.func @private(%x: memref<64xi32>, %y: memref<64xi32>) {
  tile.kernel (%b) in (1) {
    %n = tile.alloc : memref<1xi32, #tile.local>
    tile.parallel (%i) in (64) do {
      %n[0] = 0
      for %j = 0 to 64 {
        if %x[%j] > %x[%i] { %n[0] = %n[0] + 1 }
      }
      %y[%i] = %n[0]
    }
  }
  return
}
