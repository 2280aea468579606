// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @defaults
// CHECK-SAME: (%[[A:.*]]: memref<64x32xf16, #tile.shared>, %[[B:.*]]: memref<32x16xf16, #tile.shared>, %[[C:.*]]: memref<64x16xf32, #tile.fragment>)
func.func @defaults(%a: memref<64x32xf16, #tile.shared>, %b: memref<32x16xf16, #tile.shared>,
                    %c: memref<64x16xf32, #tile.fragment>) {
  // CHECK: tile.gemm %[[A]], %[[B]], %[[C]] : memref<64x32xf16, #tile.shared>, memref<32x16xf16, #tile.shared>, memref<64x16xf32, #tile.fragment>
  tile.gemm %a, %b, %c policy(square) precision(ieee)
      : memref<64x32xf16, #tile.shared>, memref<32x16xf16, #tile.shared>, memref<64x16xf32, #tile.fragment>
  return
}

// CHECK-LABEL: func @transposed
func.func @transposed(%a: memref<32x64xf16, #tile.shared>, %b: memref<16x32xf16, #tile.shared>,
                      %c: memref<64x16xf32, #tile.fragment>) {
  // CHECK: tile.gemm %{{.*}}, %{{.*}}, %{{.*}} {clear, transpose_a, transpose_b} :
  tile.gemm %a, %b, %c {clear, transpose_a, transpose_b}
      : memref<32x64xf16, #tile.shared>, memref<16x32xf16, #tile.shared>, memref<64x16xf32, #tile.fragment>
  return
}

// CHECK-LABEL: func @clauses
func.func @clauses(%a: memref<64x32xf32, #tile.shared>, %b: memref<32x16xf32, #tile.shared>,
                   %c: memref<64x16xf32, #tile.fragment>, %first: i1) {
  // CHECK: tile.gemm %{{.*}}, %{{.*}}, %{{.*}} clear_if(%{{.*}}) policy(full_row) precision(tf32) prefer(wgmma) :
  tile.gemm %a, %b, %c clear_if(%first) policy(full_row) precision(tf32) prefer(wgmma)
      : memref<64x32xf32, #tile.shared>, memref<32x16xf32, #tile.shared>, memref<64x16xf32, #tile.fragment>
  return
}

// CHECK-LABEL: func @instructions
func.func @instructions(%a: memref<64x32xf16, #tile.l0a>, %b: memref<32x16xf16, #tile.l0b>, %c: memref<64x16xf32, #tile.l0c>) {
  // CHECK: prefer(cube)
  tile.gemm %a, %b, %c prefer(cube) : memref<64x32xf16, #tile.l0a>, memref<32x16xf16, #tile.l0b>, memref<64x16xf32, #tile.l0c>
  // CHECK: policy(full_col) prefer(fma)
  tile.gemm %a, %b, %c policy(full_col) prefer(fma) : memref<64x32xf16, #tile.l0a>, memref<32x16xf16, #tile.l0b>, memref<64x16xf32, #tile.l0c>
  return
}

// The rows of the table of element types.
// CHECK-LABEL: func @floats
func.func @floats(%h: memref<8x8xf16, #tile.shared>, %b: memref<8x8xbf16, #tile.shared>, %f: memref<8x8xf32, #tile.shared>,
                  %d: memref<8x8xf64, #tile.shared>, %ch: memref<8x8xf16, #tile.fragment>,
                  %cb: memref<8x8xbf16, #tile.fragment>, %cf: memref<8x8xf32, #tile.fragment>,
                  %cd: memref<8x8xf64, #tile.fragment>) {
  // CHECK-COUNT-6: tile.gemm
  tile.gemm %h, %h, %cf : memref<8x8xf16, #tile.shared>, memref<8x8xf16, #tile.shared>, memref<8x8xf32, #tile.fragment>
  tile.gemm %h, %h, %ch : memref<8x8xf16, #tile.shared>, memref<8x8xf16, #tile.shared>, memref<8x8xf16, #tile.fragment>
  tile.gemm %b, %b, %cf : memref<8x8xbf16, #tile.shared>, memref<8x8xbf16, #tile.shared>, memref<8x8xf32, #tile.fragment>
  tile.gemm %b, %b, %cb : memref<8x8xbf16, #tile.shared>, memref<8x8xbf16, #tile.shared>, memref<8x8xbf16, #tile.fragment>
  tile.gemm %f, %f, %cf : memref<8x8xf32, #tile.shared>, memref<8x8xf32, #tile.shared>, memref<8x8xf32, #tile.fragment>
  tile.gemm %d, %d, %cd : memref<8x8xf64, #tile.shared>, memref<8x8xf64, #tile.shared>, memref<8x8xf64, #tile.fragment>
  return
}

// CHECK-LABEL: func @small_floats
func.func @small_floats(%a: memref<8x8xf8E4M3FN, #tile.shared>, %b: memref<8x8xf8E5M2, #tile.shared>,
                        %u: memref<8x8xf8E4M3FNUZ, #tile.shared>, %v: memref<8x8xf8E5M2FNUZ, #tile.shared>,
                        %cf: memref<8x8xf32, #tile.fragment>, %ch: memref<8x8xf16, #tile.fragment>) {
  // CHECK-COUNT-2: tile.gemm
  tile.gemm %a, %b, %cf : memref<8x8xf8E4M3FN, #tile.shared>, memref<8x8xf8E5M2, #tile.shared>, memref<8x8xf32, #tile.fragment>
  tile.gemm %u, %v, %ch : memref<8x8xf8E4M3FNUZ, #tile.shared>, memref<8x8xf8E5M2FNUZ, #tile.shared>, memref<8x8xf16, #tile.fragment>
  return
}

// CHECK-LABEL: func @integers
func.func @integers(%a: memref<8x8xi8, #tile.shared>, %b: memref<8x8xi4, #tile.shared>, %c: memref<8x8xi32, #tile.fragment>) {
  // CHECK: {a_unsigned, b_unsigned}
  tile.gemm %a, %a, %c {a_unsigned, b_unsigned} : memref<8x8xi8, #tile.shared>, memref<8x8xi8, #tile.shared>, memref<8x8xi32, #tile.fragment>
  // CHECK: {b_unsigned}
  tile.gemm %b, %b, %c {b_unsigned} : memref<8x8xi4, #tile.shared>, memref<8x8xi4, #tile.shared>, memref<8x8xi32, #tile.fragment>
  return
}

// An expression in place of a value: its ops precede the gemm.
// CHECK-LABEL: func @condition
func.func @condition(%a: memref<64x32xf16, #tile.shared>, %b: memref<32x64xf16, #tile.shared>, %c: memref<64x64xf32, #tile.fragment>, %n: i32) {
  // CHECK: scf.for %[[K:.*]] =
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %k = %c0 to %c8 step %c1 {
    // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[K]], %{{.*}} : index
    // CHECK: tile.gemm %{{.*}}, %{{.*}}, %{{.*}} clear_if(%[[FIRST]]) policy(full_row) :
    tile.gemm %a, %b, %c clear_if(%k == 0) policy(full_row)
    // CHECK: %[[LESS:.*]] = arith.cmpi slt
    // CHECK: %[[BOTH:.*]] = arith.andi
    // CHECK: tile.gemm %{{.*}}, %{{.*}}, %{{.*}} clear_if(%[[BOTH]]) :
    tile.gemm %a, %b, %c clear_if(and(%k == 1, %n < 3))
  }
  return
}
