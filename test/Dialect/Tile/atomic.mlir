// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @element
// CHECK-SAME: (%[[V:.*]]: i32, %[[BINS:.*]]: memref<16xi32>)
func.func @element(%v: i32, %bins: memref<16xi32>) {
  // CHECK: tile.parallel (%[[I:.*]]) in (16)
  tile.parallel (%i) in (16) {
    // CHECK-NEXT: tile.atomic add %[[V]], %[[BINS]][%[[I]] mod 4] : i32, memref<16xi32>
    tile.atomic add %v, %bins[%i mod 4] : i32, memref<16xi32>
  }
  return
}

// CHECK-LABEL: func @old_value
func.func @old_value(%v: f32, %a: memref<8x8xf32, #tile.shared>) -> f32 {
  // CHECK: %[[OLD:.*]] = tile.atomic max %{{.*}}, %{{.*}}[0, 7] : f32, memref<8x8xf32, #tile.shared> -> f32
  // CHECK-NEXT: return %[[OLD]]
  %old = tile.atomic max %v, %a[0, 7] : f32, memref<8x8xf32, #tile.shared> -> f32
  return %old : f32
}

// CHECK-LABEL: func @rank_zero
func.func @rank_zero(%v: i64, %a: memref<i64>) {
  // CHECK: tile.atomic or %{{.*}}, %{{.*}} : i64, memref<i64>
  tile.atomic or %v, %a : i64, memref<i64>
  // CHECK: tile.atomic min %{{.*}}, %{{.*}} {is_unsigned} : i64, memref<i64>
  tile.atomic min %v, %a {is_unsigned} : i64, memref<i64>
  return
}

// CHECK-LABEL: func @half
func.func @half(%v: f16, %w: bf16, %x: f64, %a: memref<4xf16>, %b: memref<4xbf16>, %c: memref<4xf64>) {
  // CHECK: tile.atomic add %{{.*}}, %{{.*}}[1] : f16, memref<4xf16>
  tile.atomic add %v, %a[1] : f16, memref<4xf16>
  // CHECK: tile.atomic add %{{.*}}, %{{.*}}[1] : bf16, memref<4xbf16>
  tile.atomic add %w, %b[1] : bf16, memref<4xbf16>
  // CHECK: tile.atomic add %{{.*}}, %{{.*}}[1] : f64, memref<4xf64>
  tile.atomic add %x, %c[1] : f64, memref<4xf64>
  return
}

// CHECK-LABEL: func @whole_tile
func.func @whole_tile(%t: memref<8x8xf32, #tile.fragment>, %a: memref<8x8xf32>) {
  // CHECK: tile.atomic add %{{.*}}, %{{.*}} : memref<8x8xf32, #tile.fragment>, memref<8x8xf32>
  tile.atomic add %t, %a : memref<8x8xf32, #tile.fragment>, memref<8x8xf32>
  return
}

// CHECK-LABEL: func @tile_at
func.func @tile_at(%t: memref<8x8xf32, #tile.fragment>, %a: memref<?x64x64xf32>, %i: index) {
  // CHECK: tile.atomic add %{{.*}}, %{{.*}}[%{{.*}}, 8, 0] : memref<8x8xf32, #tile.fragment>, memref<?x64x64xf32>
  tile.atomic add %t, %a[%i, 8, 0] : memref<8x8xf32, #tile.fragment>, memref<?x64x64xf32>
  // CHECK: tile.atomic add %{{.*}}, %{{.*}}[%{{.*}}, 8, 0] [8, 1, 8] :
  tile.atomic add %t, %a[%i, 8, 0] [8, 1, 8] : memref<8x8xf32, #tile.fragment>, memref<?x64x64xf32>
  return
}
