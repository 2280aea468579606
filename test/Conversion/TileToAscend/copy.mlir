// RUN: tile-opt %s --ascend-infer-memory --convert-tile-to-ascend --canonicalize | FileCheck %s

// Copies, fills and atomics of tiles in UB.

// A tile that lies inside of its buffer is one instruction each way.
// CHECK-LABEL: func.func @whole
// CHECK:         %[[T:.*]] = tile.alloc : memref<32x64xf32, #tile.ub>
// CHECK:         %[[X:.*]] = memref.subview %arg0[%{{.*}}, 0] [32, 64] [1, 1]
// CHECK-NEXT:    ascend.copy_gm_to_ub %[[T]], %[[X]]
// CHECK-NOT:     scf.if
// CHECK:         %[[Y:.*]] = memref.subview %arg1[%{{.*}}, 0] [32, 64] [1, 1]
// CHECK-NEXT:    ascend.copy_ub_to_gm %[[Y]], %[[T]]
func.func @whole(%x: memref<64x64xf32>, %y: memref<64x64xf32>) {
  tile.kernel (%b) in (2) {
    %t = tile.alloc : memref<32x64xf32, #tile.shared>
    tile.copy %x[%b * 32, 0], %t : memref<64x64xf32>, memref<32x64xf32, #tile.shared>
    tile.copy %t, %y[%b * 32, 0] : memref<32x64xf32, #tile.shared>, memref<64x64xf32>
  }
  return
}

// Of the last tile, the load takes what is there, over the padding value; the store drops the rest.
// CHECK-LABEL: func.func @tail
// CHECK-DAG:     %[[PAD:.*]] = arith.constant 1.0
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[ALL:.*]] = arith.constant 64 : index
// CHECK:         %[[T:.*]] = tile.alloc : memref<64xf32, #tile.ub>
// CHECK:         %[[LEFT:.*]] = arith.subi
// CHECK-NEXT:    %[[MOST:.*]] = arith.minsi %[[LEFT]], %[[ALL]]
// CHECK-NEXT:    %[[SIZE:.*]] = arith.maxsi %[[MOST]], %[[ZERO]]
// CHECK-NEXT:    %[[X:.*]] = memref.subview %arg0[%{{.*}}] [%[[SIZE]]] [1]
// CHECK-NEXT:    %[[LESS:.*]] = arith.cmpi slt, %[[SIZE]], %[[ALL]]
// CHECK-NEXT:    scf.if %[[LESS]] {
// CHECK-NEXT:      ascend.duplicate %[[T]], %[[PAD]]
// CHECK-NEXT:    }
// CHECK-NEXT:    ascend.copy_gm_to_ub %[[T]], %[[X]] pad(%[[PAD]] : f32)
// CHECK:         %[[Y:.*]] = memref.subview %arg1[%{{.*}}] [%{{.*}}] [1]
// CHECK-NEXT:    ascend.copy_ub_to_gm %[[Y]], %[[T]]
func.func @tail(%x: memref<?xf32>, %y: memref<?xf32>) {
  %one = arith.constant 1.0 : f32
  tile.kernel (%b) in (4) {
    tile.padding_value %x, %one : memref<?xf32>
    %t = tile.alloc : memref<64xf32, #tile.shared>
    tile.copy %x[%b * 64], %t : memref<?xf32>, memref<64xf32, #tile.shared>
    tile.copy %t, %y[%b * 64] : memref<64xf32, #tile.shared>, memref<?xf32>
  }
  return
}

// Rows begin at blocks of 32 bytes in UB; elements are converted there.
// CHECK-LABEL: func.func @padded
// CHECK-DAG:     tile.alloc : memref<4x16xf16, #tile.ub>
// CHECK-DAG:     tile.alloc : memref<4x8xf32, #tile.ub>
// CHECK:         ascend.copy_gm_to_ub %[[T:[^,]*]], %{{.*}} : memref<4x5xf32, strided<[8, 1]>, #tile.ub>
// CHECK:         ascend.cast rint %[[H:.*]], %[[T]] : memref<4x5xf16, strided<[16, 1]>, #tile.ub>, memref<4x5xf32, strided<[8, 1]>, #tile.ub>
// CHECK:         ascend.copy_ub_to_gm %{{.*}}, %[[H]]
func.func @padded(%x: memref<4x5xf32>, %y: memref<4x5xf16>) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<4x5xf32, #tile.shared>
    tile.copy %x, %t : memref<4x5xf32>, memref<4x5xf32, #tile.shared>
    tile.copy %t, %y : memref<4x5xf32, #tile.shared>, memref<4x5xf16>
  }
  return
}

// A region of three dimensions is one matrix after the other.
// CHECK-LABEL: func.func @deep
// CHECK:         %[[T:.*]] = tile.alloc : memref<32x64xf32, #tile.ub>
// CHECK:         scf.for %[[I:.*]] = %c0 to %c4 step %c1 {
// CHECK-NEXT:      %[[ROW:.*]] = arith.muli %[[I]], %c8
// CHECK-NEXT:      %[[PART:.*]] = memref.subview %[[T]][%[[ROW]], 0] [8, 64] [1, 1]
// CHECK-NEXT:      %[[X:.*]] = memref.subview %arg0[%{{.*}}, %[[I]], 0, 0] [1, 1, 8, 64]
// CHECK-NEXT:      ascend.copy_gm_to_ub %[[PART]], %[[X]]
// CHECK:         scf.for
// CHECK:           ascend.copy_ub_to_gm
func.func @deep(%x: memref<2x4x8x64xf32>, %y: memref<2x4x8x64xf32>) {
  tile.kernel (%b) in (2) {
    %t = tile.alloc : memref<4x8x64xf32, #tile.shared>
    tile.copy %x[%b, 0, 0, 0] [1, 4, 8, 64], %t : memref<2x4x8x64xf32>, memref<4x8x64xf32, #tile.shared>
    tile.copy %t, %y[%b, 0, 0, 0] [1, 4, 8, 64] : memref<4x8x64xf32, #tile.shared>, memref<2x4x8x64xf32>
  }
  return
}

// No instruction fills bytes: they are converted.
// CHECK-LABEL: func.func @fills
// CHECK:         ascend.duplicate %[[H:.*]], %{{.*}} : memref<32xf16, #tile.ub>, f16
// CHECK-NEXT:    ascend.cast trunc %{{.*}}, %[[H]] : memref<32xi8, #tile.ub>, memref<32xf16, #tile.ub>
func.func @fills(%y: memref<32xi8>) {
  %v = arith.constant 3 : i8
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<32xi8, #tile.shared>
    tile.fill %t, %v : memref<32xi8, #tile.shared>
    tile.copy %t, %y : memref<32xi8, #tile.shared>, memref<32xi8>
  }
  return
}

// CHECK-LABEL: func.func @atomic
// CHECK:         ascend.copy_ub_to_gm %{{.*}}, %{{.*}} {atomic}
func.func @atomic(%y: memref<64xf32>) {
  %v = arith.constant 3.0 : f32
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64xf32, #tile.shared>
    tile.fill %t, %v : memref<64xf32, #tile.shared>
    tile.atomic add %t, %y[0] [64] : memref<64xf32, #tile.shared>, memref<64xf32>
  }
  return
}
