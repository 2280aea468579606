// RUN: tile-opt %s --ascend-infer-memory --convert-tile-to-ascend --canonicalize | FileCheck %s

// The largest elements by sorting records of a key and an index.

// The indices are a sequence that is made once; nan counts as -inf; two sorted groups are merged.
// CHECK-LABEL: func.func @topk
// CHECK-DAG:     %[[LOWEST:.*]] = arith.constant 0xFF800000 : f32
// CHECK:         memref.store %{{.*}}, %[[INDICES:.*]][%c0] : memref<64xi32, #tile.ub>
// CHECK:         %[[X:.*]] = memref.cast %arg0
// CHECK-NEXT:    ascend.copy_gm_to_ub %[[T:[^,]*]], %[[X]]
// CHECK-NEXT:    ascend.duplicate %[[BOTTOM:.*]], %[[LOWEST]]
// CHECK-NEXT:    ascend.copy_ub %[[KEYS:.*]], %[[T]]
// CHECK-NEXT:    ascend.compare eq %[[BITS:.*]], %[[KEYS]], %[[KEYS]]
// CHECK-NEXT:    ascend.select %[[KEYS]], %[[BITS]], %[[KEYS]], %[[BOTTOM]]
// CHECK-NEXT:    ascend.sort32 %[[GROUPS:.*]], %[[KEYS]], %[[INDICES]]
// CHECK-NEXT:    ascend.merge_sort %[[SORTED:.*]], %[[GROUPS]] lengths [32, 32]
// CHECK-NEXT:    %[[FIRST:.*]] = memref.subview %[[SORTED]][0] [8] [1]
// CHECK-NEXT:    ascend.gather_mask odd %{{.*}}, %[[FIRST]] : memref<4xi32, #tile.ub>
// CHECK-NEXT:    ascend.gather_mask even %{{.*}}, %[[FIRST]] : memref<4xf32, #tile.ub>
func.func @topk(%x: memref<64xf32>, %y: memref<4xf32>, %z: memref<4xi32>) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64xf32, #tile.shared>
    %v = tile.alloc : memref<4xf32, #tile.shared>
    %i = tile.alloc : memref<4xi32, #tile.shared>
    tile.copy %x, %t : memref<64xf32>, memref<64xf32, #tile.shared>
    tile.topk %t, %v, %i : memref<64xf32, #tile.shared>, memref<4xf32, #tile.shared>, memref<4xi32, #tile.shared>
    tile.copy %v, %y : memref<4xf32, #tile.shared>, memref<4xf32>
    tile.copy %i, %z : memref<4xi32, #tile.shared>, memref<4xi32>
  }
  return
}
