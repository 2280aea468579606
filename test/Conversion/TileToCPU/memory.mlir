// RUN: tile-opt %s --tile-set-target=chip=x86-64-v3 --convert-tile-to-cpu --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @fill(
// CHECK-SAME:    %[[S:.*]]: memref<4x6xf16>, %[[V:.*]]: f16)
// CHECK:         scf.for %[[I:.*]] = %c0 to %c4 step %c1 {
// CHECK-NEXT:      scf.for %[[J:.*]] = %c0 to %c6 step %c1 {
// CHECK-NEXT:        memref.store %[[V]], %[[S]][%[[I]], %[[J]]]
func.func @fill(%s: memref<4x6xf16, #tile.shared>, %v: f16) {
  tile.fill %s, %v : memref<4x6xf16, #tile.shared>
  return
}

// CHECK-LABEL: func.func @transpose(
// CHECK-SAME:    %[[S:.*]]: memref<4x6xf16>, %[[T:.*]]: memref<6x4xf16>)
// CHECK:         %[[V:.*]] = memref.load %[[S]][%[[I:.*]], %[[J:.*]]]
// CHECK-NEXT:    memref.store %[[V]], %[[T]][%[[J]], %[[I]]]
func.func @transpose(%s: memref<4x6xf16, #tile.shared>, %t: memref<6x4xf16, #tile.shared>) {
  tile.transpose %s, %t : memref<4x6xf16, #tile.shared>, memref<6x4xf16, #tile.shared>
  return
}

// A view is the address with other extents.

// CHECK-LABEL: func.func @view(
// CHECK-SAME:    %[[S:.*]]: memref<6x4xf16>,
// CHECK-DAG:     %[[C16:.*]] = llvm.mlir.constant(16 : index)
// CHECK-DAG:     %[[C8:.*]] = llvm.mlir.constant(8 : index)
// CHECK-DAG:     %[[C3:.*]] = llvm.mlir.constant(3 : index)
// CHECK-DAG:     %[[C2:.*]] = llvm.mlir.constant(2 : index)
// CHECK-DAG:     %[[C1:.*]] = llvm.mlir.constant(1 : index)
// CHECK-DAG:     %[[C0:.*]] = llvm.mlir.constant(0 : index)
// CHECK:         %[[D:.*]] = builtin.unrealized_conversion_cast %[[S]]
// CHECK:         %[[P:.*]] = llvm.extractvalue %[[D]][1]
// CHECK:         llvm.insertvalue %[[P]], %{{.*}}[1]
// CHECK:         llvm.insertvalue %[[C0]], %{{.*}}[2]
// CHECK:         llvm.insertvalue %[[C2]], %{{.*}}[3, 2]
// CHECK:         llvm.insertvalue %[[C1]], %{{.*}}[4, 2]
// CHECK:         llvm.insertvalue %[[C8]], %{{.*}}[3, 1]
// CHECK:         llvm.insertvalue %[[C2]], %{{.*}}[4, 1]
// CHECK:         llvm.insertvalue %[[C3]], %{{.*}}[3, 0]
// CHECK:         %[[E:.*]] = llvm.insertvalue %[[C16]], %{{.*}}[4, 0]
// CHECK:         builtin.unrealized_conversion_cast %[[E]] : {{.*}} to memref<3x8x2xi8>
func.func @view(%s: memref<6x4xf16, #tile.shared>, %z: i8) {
  %w = tile.view %s : memref<6x4xf16, #tile.shared> to memref<3x8x2xi8, #tile.shared>
  tile.fill %w, %z : memref<3x8x2xi8, #tile.shared>
  return
}

// Elements of 4 bits are counted in pairs, and as one row where a row would end in the middle of a byte.

// CHECK-LABEL: func.func @view_nibbles(
// CHECK-DAG:     %[[C6:.*]] = llvm.mlir.constant(6 : index)
// CHECK:         builtin.unrealized_conversion_cast %{{.*}} : memref<4x3xi4> to !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
// CHECK:         llvm.insertvalue %[[C6]], %{{.*}}[3, 0]
// CHECK:         builtin.unrealized_conversion_cast %{{.*}} to memref<12xi4>
func.func @view_nibbles(%s: memref<4x3xi4, #tile.shared>, %z: i4) {
  %w = tile.reshape %s : memref<4x3xi4, #tile.shared> to memref<12xi4, #tile.shared>
  tile.fill %w, %z : memref<12xi4, #tile.shared>
  return
}

// OH = (4 + 2 - 3 - 1) / 2 + 1 = 2, OW = (9 + 2 - 6 - 1) / 2 + 1 = 3.

// CHECK-LABEL: func.func @im2col(
// CHECK-SAME:    %[[X:.*]]: memref<?x4x9x2xf32>, %[[T:.*]]: memref<8x7xf32>, %[[B:.*]]: index)
// CHECK:         scf.for %[[I:.*]] = %c0 to %c8
// CHECK:           scf.for %[[J:.*]] = %c0 to %c7
// CHECK:             %[[P:.*]] = arith.addi %[[B]], %[[I]]
// CHECK:             %[[Q:.*]] = arith.addi %[[J]], %c3
// CHECK-DAG:         %[[NH:.*]] = arith.divui %[[P]], %c3
// CHECK-DAG:         %[[OW:.*]] = arith.remui %[[P]], %c3
// CHECK-DAG:         %[[N:.*]] = arith.divui %[[NH]], %c2
// CHECK-DAG:         %[[OH:.*]] = arith.remui %[[NH]], %c2
// CHECK-DAG:         %[[WINDOW:.*]] = arith.divui %[[Q]], %c2
// CHECK-DAG:         %[[C:.*]] = arith.remui %[[Q]], %c2
// CHECK-DAG:         %[[KH:.*]] = arith.divui %[[WINDOW]], %c3
// CHECK-DAG:         %[[KW:.*]] = arith.remui %[[WINDOW]], %c3
// CHECK:             %[[IN:.*]] = arith.andi
// CHECK:             %[[V:.*]] = scf.if %{{.*}} -> (f32) {
// CHECK-NEXT:          memref.load %[[X]][%[[N]], %{{.*}}, %{{.*}}, %[[C]]]
// CHECK:             } else {
// CHECK-NEXT:          scf.yield %cst
// CHECK:             memref.store %[[V]], %[[T]][%[[I]], %[[J]]]
func.func @im2col(%x: memref<?x4x9x2xf32>, %t: memref<8x7xf32, #tile.shared>, %b: index) {
  tile.im2col %x[%b, 3], %t kernel(2, 3) stride(2) dilation(3) pad(1) : memref<?x4x9x2xf32>, memref<8x7xf32, #tile.shared>
  return
}
