// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @whole
// CHECK-SAME: (%[[A:.*]]: memref<64x32xf16>, %[[T:.*]]: memref<64x32xf16, #tile.shared>)
func.func @whole(%a: memref<64x32xf16>, %t: memref<64x32xf16, #tile.shared>) {
  // CHECK: tile.copy %[[A]], %[[T]] : memref<64x32xf16>, memref<64x32xf16, #tile.shared>
  tile.copy %a, %t : memref<64x32xf16>, memref<64x32xf16, #tile.shared>
  return
}

// CHECK-LABEL: func @offsets
// CHECK-SAME: (%[[A:.*]]: memref<?x?xf16>, %[[T:.*]]: memref<64x32xf16, #tile.shared>, %[[I:.*]]: index, %[[J:.*]]: index)
func.func @offsets(%a: memref<?x?xf16>, %t: memref<64x32xf16, #tile.shared>, %i: index, %j: index) {
  // CHECK: tile.copy %[[A]][%[[I]] * 64, (%[[I]] + %[[J]]) floordiv 2 + 7], %[[T]]
  tile.copy %a[%i * 64, (%j + %i) floordiv 2 + 7], %t : memref<?x?xf16>, memref<64x32xf16, #tile.shared>
  return
}

// CHECK-LABEL: func @symbol_offset
// CHECK-SAME: (%{{.*}}: memref<?xf16>, %{{.*}}: memref<64xf16, #tile.shared>, %[[I:.*]]: index)
func.func @symbol_offset(%a: memref<?xf16>, %t: memref<64xf16, #tile.shared>, %i: index) {
  // CHECK: tile.copy %{{.*}}[symbol(%[[I]]) * 2], %{{.*}} :
  tile.copy %a[symbol(%i) * 2], %t : memref<?xf16>, memref<64xf16, #tile.shared>
  return
}

// CHECK-LABEL: func @negative_offset
func.func @negative_offset(%a: memref<64xf16>, %t: memref<64xf16, #tile.shared>) {
  // Legal on a global buffer: what lies outside reads as the padding value.
  // CHECK: tile.copy %{{.*}}[-8], %{{.*}} :
  tile.copy %a[-8], %t : memref<64xf16>, memref<64xf16, #tile.shared>
  return
}

// CHECK-LABEL: func @sizes
func.func @sizes(%a: memref<64x64xf32, #tile.shared>, %c: memref<2x64x4x32xf32>, %i: index) {
  // CHECK: tile.copy %{{.*}}[8, 32] [56, 32], %{{.*}}[%{{.*}}, 0, 3, 0] [1, 56, 1, 32] :
  tile.copy %a[8, 32] [56, 32], %c[%i, 0, 3, 0] [1, 56, 1, 32]
      : memref<64x64xf32, #tile.shared>, memref<2x64x4x32xf32>
  return
}

// CHECK-LABEL: func @largest_offset
func.func @largest_offset(%a: memref<?xf32>, %t: memref<4xf32, #tile.shared>) {
  // The sum of offset and size does not fit an int64; nothing may add them.
  // CHECK: tile.copy %{{.*}}[9223372036854775807], %{{.*}} :
  tile.copy %a[9223372036854775807], %t : memref<?xf32>, memref<4xf32, #tile.shared>
  return
}

// CHECK-LABEL: func @dynamic_target
func.func @dynamic_target(%t: memref<64x32xf16, #tile.shared>, %a: memref<?x?xf16>) {
  // CHECK: tile.copy %{{.*}}, %{{.*}} : memref<64x32xf16, #tile.shared>, memref<?x?xf16>
  tile.copy %t, %a : memref<64x32xf16, #tile.shared>, memref<?x?xf16>
  return
}

// CHECK-LABEL: func @unit_dimensions
func.func @unit_dimensions(%a: memref<8x64xf32>, %t: memref<1x64xf32, #tile.fragment>, %r: memref<64xf32, #tile.local>) {
  // CHECK: tile.copy %{{.*}}[3, 0], %{{.*}} : memref<8x64xf32>, memref<64xf32, #tile.local>
  tile.copy %a[3, 0], %r : memref<8x64xf32>, memref<64xf32, #tile.local>
  // CHECK: tile.copy %{{.*}}, %{{.*}} : memref<64xf32, #tile.local>, memref<1x64xf32, #tile.fragment>
  tile.copy %r, %t : memref<64xf32, #tile.local>, memref<1x64xf32, #tile.fragment>
  return
}

// CHECK-LABEL: func @scalars
func.func @scalars(%a: memref<f32>, %b: memref<1x1xf64>) {
  // CHECK: tile.copy %{{.*}}, %{{.*}} : memref<f32>, memref<1x1xf64>
  tile.copy %a, %b : memref<f32>, memref<1x1xf64>
  return
}

// CHECK-LABEL: func @conversion
func.func @conversion(%a: memref<64xi8>, %b: memref<64xf8E4M3FN, #tile.shared>, %c: memref<64xi4>) {
  // CHECK: tile.copy %{{.*}}, %{{.*}} {is_unsigned, saturate} : memref<64xi8>, memref<64xf8E4M3FN, #tile.shared>
  tile.copy %a, %b {is_unsigned, saturate} : memref<64xi8>, memref<64xf8E4M3FN, #tile.shared>
  // CHECK: tile.copy %{{.*}}, %{{.*}} {saturate} : memref<64xf8E4M3FN, #tile.shared>, memref<64xi4>
  tile.copy %b, %c {saturate} : memref<64xf8E4M3FN, #tile.shared>, memref<64xi4>
  return
}

// CHECK-LABEL: func @hints
func.func @hints(%a: memref<64xf32>, %t: memref<64xf32, #tile.shared>) {
  // CHECK: tile.copy %{{.*}}, %{{.*}} prefer(tma) :
  tile.copy %a, %t prefer(tma) : memref<64xf32>, memref<64xf32, #tile.shared>
  // CHECK: tile.copy %{{.*}}, %{{.*}} prefer(sync) {coalesced_width = 4 : i64} :
  tile.copy %a, %t prefer(sync) {coalesced_width = 4} : memref<64xf32>, memref<64xf32, #tile.shared>
  // CHECK: prefer(cp_async)
  tile.copy %a, %t prefer(cp_async) : memref<64xf32>, memref<64xf32, #tile.shared>
  // CHECK: prefer(bulk)
  tile.copy %a, %t prefer(bulk) : memref<64xf32>, memref<64xf32, #tile.shared>
  // CHECK: prefer(ldmatrix)
  tile.copy %a, %t prefer(ldmatrix) : memref<64xf32>, memref<64xf32, #tile.shared>
  return
}

// CHECK-LABEL: func @within_one_buffer
func.func @within_one_buffer(%t: memref<8x8xf32, #tile.shared>, %i: index) {
  // CHECK: tile.copy %{{.*}}[0, 0] [4, 8], %{{.*}}[4, 0] :
  tile.copy %t[0, 0] [4, 8], %t[4, 0] : memref<8x8xf32, #tile.shared>, memref<8x8xf32, #tile.shared>
  // Whether these overlap is not known before the run time.
  // CHECK: tile.copy %{{.*}}[%{{.*}}, 0] [1, 8], %{{.*}}[0, 0] :
  tile.copy %t[%i, 0] [1, 8], %t[0, 0] : memref<8x8xf32, #tile.shared>, memref<8x8xf32, #tile.shared>
  return
}
