// RUN: tile-opt --ascend-expand-instructions --split-input-file %s | FileCheck %s

// Ops that take more than one call of Ascend C become ops that take one each.

// At most 255 rows and 256 bytes of columns.
// CHECK-LABEL: func.func @strided
// CHECK:       %[[X:.*]] = memref.subview %{{.*}}[0, 0] [300, 96] [1, 1]
// CHECK-NEXT:  %[[A:.*]] = memref.subview %[[X]][0, 0] [255, 64] [1, 1]
// CHECK-NEXT:  %[[A2:.*]] = memref.subview %[[X]][0, 0] [255, 64] [1, 1]
// CHECK-NEXT:  ascend.unary exp %[[A]], %[[A2]] : memref<255x64xf32, strided<[104, 1]>, #tile.ub>
// CHECK:       memref.subview %[[X]][0, 64] [255, 32] [1, 1]
// CHECK:       ascend.unary exp {{.*}} : memref<255x32xf32, strided<[104, 1], offset: 64>, #tile.ub>
// CHECK:       ascend.unary exp {{.*}} : memref<45x64xf32, strided<[104, 1], offset: 26520>, #tile.ub>
// CHECK:       ascend.unary exp {{.*}} : memref<45x32xf32, strided<[104, 1], offset: 26584>, #tile.ub>
// CHECK-NEXT:  ascend.pipe_barrier all
func.func @strided() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<300x104xf32, #tile.ub>
    %y = memref.subview %x[0, 0] [300, 96] [1, 1] : memref<300x104xf32, #tile.ub> to memref<300x96xf32, strided<[104, 1]>, #tile.ub>
    ascend.unary exp %y, %y : memref<300x96xf32, strided<[104, 1]>, #tile.ub>, memref<300x96xf32, strided<[104, 1]>, #tile.ub>
  }
  return
}

// -----

// All elements at once where they follow one another; many calls are a loop.
// CHECK-LABEL: func.func @columns
// CHECK:       ascend.unary exp %[[X:.*]], %[[X]] : memref<16x1024xf32, #tile.ub>
// CHECK:       scf.for %[[C:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK-NEXT:    %[[T:.*]] = memref.subview %[[X]][0, %[[C]]] [16, 64] [1, 1]
// CHECK-NEXT:    %[[L:.*]] = memref.subview %[[X]][0, %[[C]]] [16, 64] [1, 1]
// CHECK-NEXT:    %[[R:.*]] = memref.subview %{{.*}}[%[[C]]] [64] [1]
// CHECK-NEXT:    ascend.binary add %[[T]], %[[L]], %[[R]] rhs( row)
// CHECK-NEXT:  }
func.func @columns() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x1024xf32, #tile.ub>
    %r = tile.alloc : memref<1024xf32, #tile.ub>
    ascend.unary exp %x, %x : memref<16x1024xf32, #tile.ub>, memref<16x1024xf32, #tile.ub>
    ascend.binary add %x, %x, %r rhs(row) : memref<16x1024xf32, #tile.ub>, memref<16x1024xf32, #tile.ub>, memref<1024xf32, #tile.ub>
  }
  return
}

// -----

// Extents that are known at run time alone are checked, and stores that add are between changes of the mode.
// CHECK-LABEL: func.func @guard
// CHECK:       %[[SOME:.*]] = arith.cmpi sgt, %[[N:.*]], %{{.*}}
// CHECK:       scf.if %[[SOME]] {
// CHECK-NEXT:    ascend.copy_gm_to_ub %{{.*}}, %{{.*}} {checked}
// CHECK-NEXT:  }
// CHECK:       ascend.set_atomic add(f32)
// CHECK:       scf.if %{{.*}} {
// CHECK-NEXT:    ascend.copy_ub_to_gm %{{.*}}, %{{.*}} {atomic, checked}
// CHECK-NEXT:  }
// CHECK-NEXT:  ascend.set_atomic none
// CHECK:       ascend.set_atomic max(f32)
// CHECK-NEXT:  ascend.copy_ub_to_gm %{{.*}}, %{{.*}} {atomic, kind = #ascend<reduce_kind max>}
// CHECK-NEXT:  ascend.set_atomic none
// CHECK-NEXT:  ascend.pipe_barrier all
func.func @guard(%a: memref<64xf32>, %n: index) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64xf32, #tile.ub>
    %p = memref.subview %a[0] [%n] [1] : memref<64xf32> to memref<?xf32, strided<[1]>>
    ascend.copy_gm_to_ub %x, %p : memref<64xf32, #tile.ub>, memref<?xf32, strided<[1]>>
    ascend.copy_ub_to_gm %p, %x {atomic} : memref<?xf32, strided<[1]>>, memref<64xf32, #tile.ub>
    ascend.copy_ub_to_gm %a, %x {atomic, kind = #ascend<reduce_kind max>} : memref<64xf32>, memref<64xf32, #tile.ub>
  }
  return
}

// -----

// Rows that may be too far apart for one call are copied one by one.
// CHECK-LABEL: func.func @pitch
// CHECK:       %{{.*}}, %{{.*}}, %{{.*}}, %[[PITCH:.*]]:2 = memref.extract_strided_metadata
// CHECK:       %[[NEAR:.*]] = arith.cmpi sle, %[[PITCH]]#0, %{{.*}}
// CHECK:       scf.if %[[NEAR]] {
// CHECK-NEXT:    ascend.copy_gm_to_l1 %{{.*}}, %{{.*}} {checked}
// CHECK-NEXT:  } else {
// CHECK:         scf.for %[[ROW:.*]] =
// CHECK:           memref.subview %{{.*}}[%[[ROW]], 0] [1, 64] [1, 1]
// CHECK:           memref.subview %{{.*}}[%[[ROW]], 0] [1, 64] [1, 1]
// CHECK:           ascend.copy_gm_to_l1 %{{.*}}, %{{.*}} {checked}
func.func @pitch(%a: memref<32x64xf16, strided<[?, 1]>>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<32x64xf16, #tile.l1>
    ascend.copy_gm_to_l1 %x, %a : memref<32x64xf16, #tile.l1>, memref<32x64xf16, strided<[?, 1]>>
  }
  return
}

// -----

// Operands of the cube, fractal by fractal; each vector core gets its half of a result that is converted.
// CHECK-LABEL: func.func @operands
// CHECK:       %[[T0:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [1024], strides: [1]
// CHECK:       ascend.load_data %[[T0]], %{{.*}} repeat(4) stride(2)
// CHECK:       %[[T1:.*]] = memref.reinterpret_cast %{{.*}} to offset: [1024], sizes: [1024], strides: [1]
// CHECK:       ascend.load_data %[[T1]], %{{.*}} repeat(4) stride(2)
// CHECK-NOT:   ascend.pipe_barrier mte1
func.func @operands() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<32x64xf16, #tile.l1>
    %a = tile.alloc : memref<32x64xf16, #tile.l0a>
    ascend.load_l0a %a, %x : memref<32x64xf16, #tile.l0a>, memref<32x64xf16, #tile.l1>
  }
  return
}

// -----

// Along columns where those are fewer: in the target, fractals of a column are a row apart.
// CHECK-LABEL: func.func @tall
// CHECK:       %[[A0:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [6, 16, 16], strides: [512, 16, 1]
// CHECK:       ascend.load_data %[[A0]], %{{.*}} repeat(6) stride(1) :
// CHECK:       %[[A1:.*]] = memref.reinterpret_cast %{{.*}} to offset: [256], sizes: [6, 16, 16], strides: [512, 16, 1]
// CHECK:       ascend.load_data %[[A1]], %{{.*}} repeat(6) stride(1) :
// CHECK:       %[[B0:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [6, 16, 16], strides: [512, 16, 1]
// CHECK:       ascend.load_data %[[B0]], %{{.*}} repeat(6) stride(1) {transpose}
// CHECK:       %[[B1:.*]] = memref.reinterpret_cast %{{.*}} to offset: [256], sizes: [6, 16, 16], strides: [512, 16, 1]
// CHECK:       ascend.load_data %[[B1]], %{{.*}} repeat(6) stride(1) {transpose}
// CHECK-NOT:   ascend.load_data
// CHECK:       return
func.func @tall() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<96x32xf16, #tile.l1>
    %a = tile.alloc : memref<96x32xf16, #tile.l0a>
    %y = tile.alloc : memref<96x32xf16, #tile.l1>
    %c = tile.alloc : memref<96x32xf16, #tile.l0b>
    ascend.load_l0a %a, %x : memref<96x32xf16, #tile.l0a>, memref<96x32xf16, #tile.l1>
    ascend.load_l0b %c, %y : memref<96x32xf16, #tile.l0b>, memref<96x32xf16, #tile.l1>
  }
  return
}

// -----

// CHECK-LABEL: func.func @halves
// CHECK:       ascend.fixpipe %{{.*}}, %[[UPPER:.*]] sub_block(0) :
// CHECK:       %[[LOWER:.*]] = memref.subview %{{.*}}[16, 0] [16, 64] [1, 1]
// CHECK-NEXT:  ascend.fixpipe %{{.*}}, %[[LOWER]] sub_block(1) :
func.func @halves() attributes {tile.target = #tile.target<"950">} {
  tile.kernel (%b) in (1) {
    %c = tile.alloc : memref<32x64xf32, #tile.l0c>
    %y = tile.alloc : memref<16x64xf16, #tile.ub>
    ascend.fixpipe %y, %c {halves} : memref<16x64xf16, #tile.ub>, memref<32x64xf32, #tile.l0c>
  }
  return
}

// -----

// A row that is copied is a call of at most 255 repeats, and one of what is left of the last one.
// CHECK-LABEL: func.func @row
// CHECK:       memref.subview %{{.*}}[0] [16320] [1]
// CHECK:       ascend.copy_ub {{.*}} : memref<16320xf32
// CHECK:       memref.subview %{{.*}}[16320] [180] [1]
// CHECK:       ascend.copy_ub {{.*}} : memref<128xf32
// CHECK:       ascend.copy_ub {{.*}} : memref<52xf32
// CHECK-NOT:   ascend.copy_ub
// CHECK:       return
func.func @row() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : memref<16500xf32, #tile.ub>
    %y = tile.alloc {ascend.address = 66048 : i64} : memref<16500xf32, #tile.ub>
    ascend.copy_ub %y, %x : memref<16500xf32, #tile.ub>, memref<16500xf32, #tile.ub>
  }
  return
}
