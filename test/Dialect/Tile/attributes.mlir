// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @memory_spaces
func.func @memory_spaces() {
  tile.kernel (%b) in (1) {
    // CHECK: tile.alloc : memref<8x8xf16, #tile.shared>
    %0 = tile.alloc : memref<8x8xf16, #tile.shared>
    // CHECK: tile.alloc : memref<8x8xf16, #tile.fragment>
    %1 = tile.alloc : memref<8x8xf16, #tile.fragment>
    // CHECK: tile.alloc : memref<8x8xf16, #tile.local>
    %2 = tile.alloc : memref<8x8xf16, #tile.local>
    // CHECK: tile.alloc : memref<8x8xf16, #tile.tmem>
    %3 = tile.alloc : memref<8x8xf16, #tile.tmem>
    // CHECK: tile.alloc : memref<8x8xf16, #tile.l1>
    %4 = tile.alloc : memref<8x8xf16, #tile.l1>
    // CHECK: tile.alloc : memref<8x8xf16, #tile.ub>
    %5 = tile.alloc : memref<8x8xf16, #tile.ub>
    // CHECK: tile.alloc : memref<8x8xf16, #tile.l0a>
    %6 = tile.alloc : memref<8x8xf16, #tile.l0a>
    // CHECK: tile.alloc : memref<8x8xf16, #tile.l0b>
    %7 = tile.alloc : memref<8x8xf16, #tile.l0b>
    // CHECK: tile.alloc : memref<8x8xf16, #tile.l0c>
    %8 = tile.alloc : memref<8x8xf16, #tile.l0c>
    // CHECK: tile.alloc : memref<8x8xf16, #tile.bt>
    %9 = tile.alloc : memref<8x8xf16, #tile.bt>
  }
  return
}

// The forms that any dialect attribute has are read too.
// CHECK-LABEL: func private @spelling
// CHECK-SAME: (memref<4xf32, #tile.global>, memref<4xf32, #tile.shared>, memref<4xf32, #tile.ub>)
func.func private @spelling(memref<4xf32, #tile.global>, memref<4xf32, #tile<shared>>, memref<4xf32, #tile.space<ub>>)

// CHECK-LABEL: func @element_types
func.func @element_types() {
  tile.kernel (%b) in (1) {
    // CHECK: tile.alloc : memref<8xi1, #tile.shared>
    %0 = tile.alloc : memref<8xi1, #tile.shared>
    // CHECK: tile.alloc : memref<8xi2, #tile.shared>
    %1 = tile.alloc : memref<8xi2, #tile.shared>
    // CHECK: tile.alloc : memref<8xi4, #tile.shared>
    %2 = tile.alloc : memref<8xi4, #tile.shared>
    // CHECK: tile.alloc : memref<8xi8, #tile.shared>
    %3 = tile.alloc : memref<8xi8, #tile.shared>
    // CHECK: tile.alloc : memref<8xi16, #tile.shared>
    %4 = tile.alloc : memref<8xi16, #tile.shared>
    // CHECK: tile.alloc : memref<8xi32, #tile.shared>
    %5 = tile.alloc : memref<8xi32, #tile.shared>
    // CHECK: tile.alloc : memref<8xi64, #tile.shared>
    %6 = tile.alloc : memref<8xi64, #tile.shared>
    // CHECK: tile.alloc : memref<8xf16, #tile.shared>
    %7 = tile.alloc : memref<8xf16, #tile.shared>
    // CHECK: tile.alloc : memref<8xbf16, #tile.shared>
    %8 = tile.alloc : memref<8xbf16, #tile.shared>
    // CHECK: tile.alloc : memref<8xf32, #tile.shared>
    %9 = tile.alloc : memref<8xf32, #tile.shared>
    // CHECK: tile.alloc : memref<8xf64, #tile.shared>
    %10 = tile.alloc : memref<8xf64, #tile.shared>
    // CHECK: tile.alloc : memref<8xf8E4M3FN, #tile.shared>
    %11 = tile.alloc : memref<8xf8E4M3FN, #tile.shared>
    // CHECK: tile.alloc : memref<8xf8E5M2, #tile.shared>
    %12 = tile.alloc : memref<8xf8E5M2, #tile.shared>
    // CHECK: tile.alloc : memref<8xf8E4M3FNUZ, #tile.shared>
    %13 = tile.alloc : memref<8xf8E4M3FNUZ, #tile.shared>
    // CHECK: tile.alloc : memref<8xf8E5M2FNUZ, #tile.shared>
    %14 = tile.alloc : memref<8xf8E5M2FNUZ, #tile.shared>
    // CHECK: tile.alloc : memref<8xf8E4M3B11FNUZ, #tile.shared>
    %15 = tile.alloc : memref<8xf8E4M3B11FNUZ, #tile.shared>
    // CHECK: tile.alloc : memref<8xf8E4M3, #tile.shared>
    %16 = tile.alloc : memref<8xf8E4M3, #tile.shared>
    // CHECK: tile.alloc : memref<8xf8E3M4, #tile.shared>
    %17 = tile.alloc : memref<8xf8E3M4, #tile.shared>
    // CHECK: tile.alloc : memref<8xf8E8M0FNU, #tile.shared>
    %18 = tile.alloc : memref<8xf8E8M0FNU, #tile.shared>
    // CHECK: tile.alloc : memref<8xf4E2M1FN, #tile.shared>
    %19 = tile.alloc : memref<8xf4E2M1FN, #tile.shared>
    // CHECK: tile.alloc : memref<8xf6E2M3FN, #tile.shared>
    %20 = tile.alloc : memref<8xf6E2M3FN, #tile.shared>
    // CHECK: tile.alloc : memref<8xf6E3M2FN, #tile.shared>
    %21 = tile.alloc : memref<8xf6E3M2FN, #tile.shared>
    // CHECK: tile.alloc : memref<8xindex, #tile.shared>
    %22 = tile.alloc : memref<8xindex, #tile.shared>
  }
  return
}

// CHECK-LABEL: func @foreign_space
func.func @foreign_space(%a: memref<64xf32, 1>) {
  // A memory space of another dialect counts as global.
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64xf32, #tile.shared>
    // CHECK: tile.copy %{{.*}}[-4], %{{.*}} : memref<64xf32, 1>
    tile.copy %a[-4], %t : memref<64xf32, 1>, memref<64xf32, #tile.shared>
  }
  return
}

// How a function is run.
// CHECK-LABEL: func @run
// CHECK-SAME: {tile.init = "uniform(-1,1)", tile.shape = "MxN"}
// CHECK-SAME: {tile.result, tile.shape = "M"}
// CHECK-SAME: tile.atol = 1.000000e-03 : f32, tile.cases = ["M=64 N=32", "M=1 N=1"], tile.reference = @reference, tile.rtol = 1.000000e-02 : f64
func.func @run(%a: memref<?x?xf32> {tile.shape = "MxN", tile.init = "uniform(-1,1)"},
               %r: memref<?xf32> {tile.shape = "M", tile.result})
    attributes {tile.reference = @reference, tile.cases = ["M=64 N=32", "M=1 N=1"], tile.atol = 1.0e-3 : f32,
                tile.rtol = 1.0e-2 : f64} {
  return
}
func.func private @reference(memref<?x?xf32>, memref<?xf32>)

// Extents that follow from others, also from one of a later argument.
// CHECK: func.func private @formulas(memref<?x?xf32> {tile.shape = "ceildiv(K, 2)xfloordiv(M, 4)"}
func.func private @formulas(memref<?x?xf32> {tile.shape = "ceildiv(K, 2)xfloordiv(M, 4)"},
                            memref<?x?x?xf32> {tile.shape = "K*2xM + 1xM - 1"}, memref<?x?xf32> {tile.shape = "KxM%8"})
