// RUN: tile-opt %s --split-input-file --tile-legalize-accesses | FileCheck %s

// One bound is open: the upper one. The lower one follows from the loops.

// CHECK-LABEL: @upper_bound
// CHECK-SAME:    %[[X:.*]]: memref<?xf32>, %[[Y:.*]]: memref<?xf32>
func.func @upper_bound(%x: memref<?xf32>, %y: memref<?xf32>, %blocks: index) {
  tile.kernel (%b) in (%blocks) {
    tile.parallel (%i) in (256) {
      // CHECK:      %[[P:.*]] = affine.apply
      // CHECK:      %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
      // CHECK-NOT:  arith.cmpi sge
      // CHECK:      %[[N:.*]] = memref.dim %[[X]]
      // CHECK:      %[[IN:.*]] = arith.cmpi slt, %[[P]], %[[N]] : index
      // CHECK-NOT:  arith.andi
      // CHECK:      %[[V:.*]] = scf.if %[[IN]] -> (f32) {
      // CHECK-NEXT:   %[[L:.*]] = memref.load %[[X]][%[[P]]]
      // CHECK-NEXT:   scf.yield %[[L]]
      // CHECK-NEXT: } else {
      // CHECK-NEXT:   scf.yield %[[ZERO]]
      %p = affine.apply affine_map<(b, i) -> (b * 256 + i)>(%b, %i)
      %v = memref.load %x[%p] : memref<?xf32>
      // CHECK:      %[[M:.*]] = memref.dim %[[Y]]
      // CHECK:      %[[IN2:.*]] = arith.cmpi slt, %[[P]], %[[M]] : index
      // CHECK:      scf.if %[[IN2]] {
      // CHECK-NEXT:   memref.store %[[V]], %[[Y]][%[[P]]]
      // CHECK-NEXT: }
      memref.store %v, %y[%p] : memref<?xf32>
    }
  }
  return
}

// -----

// Both sides and two dimensions make one condition; a dimension that is proven is left out.

// CHECK-LABEL: @conjunction
func.func @conjunction(%x: memref<8x32x100xf32>, %p: index, %y: memref<8x32xf32>) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i, %j) in (8, 32) {
      // CHECK:      %[[ZERO:.*]] = arith.constant 0.000000e+00
      // CHECK:      %[[C0:.*]] = arith.constant 0 : index
      // CHECK:      %[[LOW:.*]] = arith.cmpi sge, %[[P:.*]], %[[C0]]
      // CHECK:      %[[HIGH:.*]] = arith.cmpi slt, %[[P]], %{{.*}}
      // CHECK:      %[[IN:.*]] = arith.andi %[[LOW]], %[[HIGH]]
      // CHECK:      scf.if %[[IN]]
      %v = memref.load %x[%i, %j, %p] : memref<8x32x100xf32>
      // CHECK-NOT:  scf.if
      // CHECK:      memref.store
      memref.store %v, %y[%i, %j] : memref<8x32xf32>
    }
  }
  return
}

// -----

// What is proven, what is no global buffer and what stands outside of a kernel stays.

// CHECK-LABEL: @untouched
// CHECK-NOT: scf.if
// CHECK: return
func.func @untouched(%x: memref<1024xf32>, %p: index, %d: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %d, %c0 : memref<?xf32>
  %outside = memref.load %x[%p] : memref<1024xf32>
  tile.kernel (%b) in (4) {
    %s = tile.alloc : memref<256xf32, #tile.shared>
    tile.copy %x[%p], %s : memref<1024xf32>, memref<256xf32, #tile.shared>
    tile.parallel (%i) in (256) {
      %q = affine.apply affine_map<(b, i) -> (b * 256 + i)>(%b, %i)
      %u = memref.load %s[%p] : memref<256xf32, #tile.shared>
      %v = memref.load %x[%q] : memref<1024xf32>
      %w = arith.addf %u, %v : f32
      memref.store %w, %x[%q] : memref<1024xf32>
    }
    tile.parallel (%i) in (%n) {
      memref.store %outside, %d[%i] : memref<?xf32>
    }
  }
  return
}

// -----

// The padding value: through a view, from a constant behind the access, from a function argument, as an old value.

// CHECK-LABEL: @padding_value
// CHECK-SAME:    %[[S:[^:]*]]: i32)
func.func @padding_value(%x: memref<64x4xf32>, %h: memref<16xi32>, %p: index, %y: memref<1xf32>, %one: i32,
                      %safe: i32) {
  %c0 = arith.constant 0 : index
  tile.kernel (%b) in (1) {
    %flat = tile.reshape %x : memref<64x4xf32> to memref<256xf32>
    tile.parallel (%i) in (1) {
      // CHECK: %[[INF:.*]] = arith.constant 0xFF800000 : f32
      // CHECK: scf.if
      // CHECK: else
      // CHECK: scf.yield %[[INF]]
      %v = memref.load %flat[%p] : memref<256xf32>
      memref.store %v, %y[%i] : memref<1xf32>
      // CHECK: scf.if %{{.*}} -> (i32)
      // CHECK:   %[[OLD:.*]] = tile.atomic add
      // CHECK:   scf.yield %[[OLD]]
      // CHECK: } else {
      // CHECK:   scf.yield %[[S]]
      %old = tile.atomic add %one, %h[%p] : i32, memref<16xi32> -> i32
      // CHECK: scf.if %{{.*}} -> (i32)
      // CHECK:   memref.atomic_rmw addi
      %old2 = memref.atomic_rmw addi %old, %h[%p] : (i32, memref<16xi32>) -> i32
      // CHECK:      scf.if %{{[^ ]*}} {
      // CHECK-NEXT:   tile.atomic max
      // CHECK-NEXT: }
      tile.atomic max %old2, %h[%p] : i32, memref<16xi32>
    }
    %neg = arith.constant 0xFF800000 : f32
    tile.padding_value %x, %neg : memref<64x4xf32>
    tile.padding_value %h, %safe : memref<16xi32>
  }
  return
}

// -----

// Memrefs of vectors are scalar accesses; vectors of a scalar memref are masked lane by lane.

// CHECK-LABEL: @vectors
func.func @vectors(%v4: memref<?xvector<4xf32>>, %x: memref<16x?xf32>, %p: index) {
  tile.kernel (%b) in (16) {
    tile.parallel (%i) in (64) {
      // CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<4xf32>
      // CHECK: scf.if %{{.*}} -> (vector<4xf32>)
      %v = memref.load %v4[%i] : memref<?xvector<4xf32>>
      // CHECK: %[[Q:.*]] = affine.apply
      // CHECK: %[[STEP:.*]] = vector.step : vector<4xindex>
      // CHECK: %[[Q4:.*]] = vector.broadcast %[[Q]]
      // CHECK: %[[LANES:.*]] = arith.addi %[[STEP]], %[[Q4]]
      // CHECK: %[[N:.*]] = memref.dim %[[X:.*]], %
      // CHECK: %[[N4:.*]] = vector.broadcast %[[N]]
      // CHECK: %[[MASK:.*]] = arith.cmpi slt, %[[LANES]], %[[N4]]
      // CHECK: %[[SAFE:.*]] = arith.constant dense<0.000000e+00>
      // CHECK: %[[W:.*]] = vector.maskedload %[[X]][%{{.*}}, %[[Q]]], %[[MASK]], %[[SAFE]]
      %q = affine.apply affine_map<(i) -> (i * 4)>(%i)
      %w = vector.load %x[%b, %q] : memref<16x?xf32>, vector<4xf32>
      %u = arith.addf %v, %w : vector<4xf32>
      // CHECK: %[[LANEMASK:.*]] = arith.cmpi slt, %{{.*}} : vector<4xindex>
      // CHECK: %[[ROW:.*]] = arith.andi
      // CHECK: %[[ROW4:.*]] = vector.broadcast %[[ROW]] : i1 to vector<4xi1>
      // CHECK: %[[BOTH:.*]] = arith.andi %[[LANEMASK]], %[[ROW4]]
      // CHECK: vector.maskedstore %{{.*}}, %[[BOTH]]
      vector.store %u, %x[%p, %q] : memref<16x?xf32>, vector<4xf32>
    }
  }
  return
}

// -----

// CHECK-LABEL: @affine_ops
func.func @affine_ops(%x: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    affine.for %i = 0 to 64 {
      // CHECK: affine.for
      // CHECK: %[[P:.*]] = affine.apply
      // CHECK: arith.cmpi slt, %[[P]]
      // CHECK: scf.if
      // CHECK:   affine.load
      %v = affine.load %x[%i + 1] : memref<64xf32>
      // CHECK-NOT: scf.if
      // CHECK: affine.store
      affine.store %v, %x[%i] : memref<64xf32>
    }
  }
  return
}

// -----

// What a guard or an assumption of the program says is not asked again.

// CHECK-LABEL: @guarded
// CHECK:     scf.if
// CHECK-NOT: scf.if
// CHECK:     return
func.func @guarded(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<64xf32>, %p: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %low = arith.cmpi sge, %p, %c0 : index
  %high = arith.cmpi slt, %p, %c64 : index
  tile.kernel (%b) in (8) {
    tile.assume %low
    tile.assume %high
    tile.parallel (%i) in (256) {
      %q = affine.apply affine_map<(b, i) -> (b * 256 + i)>(%b, %i)
      %m = memref.dim %x, %c0 : memref<?xf32>
      %in = arith.cmpi ult, %q, %m : index
      scf.if %in {
        %v = memref.load %x[%q] : memref<?xf32>
        %r = arith.divui %i, %c64 : index
        memref.store %v, %z[%r] : memref<64xf32>
        memref.store %v, %z[%p] : memref<64xf32>
      }
    }
    tile.parallel (%i) in (%n) {
      %v = memref.load %x[%i] : memref<?xf32>
    }
  }
  return
}

// -----

// An index of a tile that comes from data is guarded on both sides, in its own type, which NPUs compare; a read is moved into the
// tile, and what is read there does not count. The types and masks of others prove them.

// CHECK-LABEL: @from_data
func.func @from_data(%x: memref<64xi32>, %y: memref<64xi32>) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<16xi32, #tile.shared>
    %c15 = arith.constant 15 : i32
    tile.parallel (%i) in (64) {
      %v = memref.load %x[%i] : memref<64xi32>
      // CHECK:      %[[V:.*]] = memref.load
      %p = arith.index_cast %v : i32 to index
      // CHECK:      %[[LOW:.*]] = arith.cmpi sge, %[[V]], %{{.*}} : i32
      // CHECK:      %[[HIGH:.*]] = arith.cmpi slt, %[[V]], %{{.*}} : i32
      // CHECK:      %[[IN:.*]] = arith.andi %[[LOW]], %[[HIGH]]
      // CHECK:      scf.if %[[IN]] {
      // CHECK-NEXT:   tile.atomic add
      // CHECK-NEXT: }
      tile.atomic add %v, %t[%p] : i32, memref<16xi32, #tile.shared>
      // CHECK:      %[[MIN:.*]] = arith.minsi %[[V]], %c15
      // CHECK:      %[[SAFE:.*]] = arith.maxsi %[[MIN]], %c0
      // CHECK:      %[[SAME:.*]] = arith.cmpi eq, %[[V]], %[[SAFE]] : i32
      // CHECK:      %[[AT:.*]] = arith.index_cast %[[SAFE]]
      // CHECK:      %[[READ:.*]] = memref.load %{{.*}}[%[[AT]]]
      // CHECK:      arith.select %[[SAME]], %[[READ]], %c0
      %o = memref.load %t[%p] : memref<16xi32, #tile.shared>
      %m = arith.andi %o, %c15 : i32
      // CHECK:      %[[Q:.*]] = arith.index_cast
      %q = arith.index_cast %m : i32 to index
      // CHECK-NOT:  arith.select
      // CHECK:      memref.load %{{.*}}[%[[Q]]]
      %w = memref.load %t[%q] : memref<16xi32, #tile.shared>
      %n = arith.trunci %v : i32 to i4
      %r = arith.index_castui %n : i4 to index
      // CHECK-NOT:  arith.select
      // CHECK:      memref.load %{{.*}}[%{{.*}}]
      %z = memref.load %t[%r] : memref<16xi32, #tile.shared>
      %s = arith.addi %w, %z : i32
      memref.store %s, %y[%i] : memref<64xi32>
    }
  }
  return
}

// -----

// An index that is read from a guarded element is that of the guard.

// CHECK-LABEL: @index_of_index
// CHECK:      %[[P:.*]] = scf.if {{.*}} -> (index) {
// CHECK:      arith.cmpi sge, %[[P]]
// CHECK:      memref.load %{{.*}}[%[[P]]]
func.func @index_of_index(%x: memref<?xindex>, %y: memref<64xf32>, %z: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) {
      %p = memref.load %x[%i] : memref<?xindex>
      %v = memref.load %y[%p] : memref<64xf32>
      memref.store %v, %z[%i] : memref<64xf32>
    }
  }
  return
}

// -----

// Neighbouring updates of one row share a branch; what reads tiles in between
// goes in front of it.

// CHECK-LABEL: @updates_of_a_row
// CHECK:      memref.load %{{.*}} : memref<4xf32, #tile.shared>
// CHECK-NOT:  scf.if
// CHECK:      memref.load %{{.*}} : memref<4xf32, #tile.shared>
// CHECK:      scf.if
// CHECK-NEXT:   tile.atomic add
// CHECK-NEXT:   tile.atomic add
// CHECK-NEXT: }
func.func @updates_of_a_row(%y: memref<64x4xf32>, %rows: memref<8xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<4xf32, #tile.shared>
    tile.fill %t, %one : memref<4xf32, #tile.shared>
    tile.parallel (%i) in (8) {
      %p = memref.load %rows[%i] : memref<8xindex>
      %v = memref.load %t[%c0] : memref<4xf32, #tile.shared>
      tile.atomic add %v, %y[%p, %c0] : f32, memref<64x4xf32>
      %w = memref.load %t[%c1] : memref<4xf32, #tile.shared>
      tile.atomic add %w, %y[%p, %c1] : f32, memref<64x4xf32>
    }
  }
  return
}

// -----

// Not of two rows, nor over a read of global memory, which the update may write.

// CHECK-LABEL: @updates_of_rows
// CHECK:      scf.if
// CHECK-NEXT:   tile.atomic add
// CHECK-NEXT: }
// CHECK:      memref.load
// CHECK:      scf.if
// CHECK-NEXT:   tile.atomic add
// CHECK-NEXT: }
// CHECK:      scf.if
// CHECK-NEXT:   tile.atomic add
// CHECK-NEXT: }
func.func @updates_of_rows(%y: memref<64x4xf32>, %x: memref<4xf32>, %rows: memref<8xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (8) {
      %p = memref.load %rows[%i] : memref<8xindex>
      %q = arith.addi %p, %c1 : index
      tile.atomic add %one, %y[%p, %c0] : f32, memref<64x4xf32>
      %v = memref.load %x[%c0] : memref<4xf32>
      tile.atomic add %v, %y[%p, %c1] : f32, memref<64x4xf32>
      tile.atomic add %one, %y[%q, %c1] : f32, memref<64x4xf32>
    }
  }
  return
}
