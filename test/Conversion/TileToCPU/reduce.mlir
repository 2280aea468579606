// RUN: tile-opt %s --tile-set-target=chip=x86-64-v3 --convert-tile-to-cpu --canonicalize --cse | FileCheck %s

// A contiguous row is reduced by up to four vectors, then by one, then by elements; the old content comes last.

// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[S:.*]]: memref<7x107xf16>, %[[T:.*]]: memref<7xf32>)
// CHECK:         scf.for %[[I:.*]] = %c0 to %c7
// CHECK-COUNT-4:   vector.load %[[S]][%[[I]], %{{.*}}] : memref<7x107xf16>, vector<8xf16>
// CHECK:           scf.for %{{.*}} = %c32 to %c96 step %c32
// CHECK-COUNT-4:     vector.load
// CHECK:             scf.yield
// CHECK:           vector.load %[[S]][%[[I]], %c96]
// CHECK:           vector.reduction <add>, %{{.*}} fastmath<reassoc> : vector<8xf32> into f32
// CHECK:           scf.for %{{.*}} = %c104 to %c107 step %c1
// CHECK:             memref.load %[[S]]
// CHECK:           %[[OLD:.*]] = memref.load %[[T]][%[[I]]]
// CHECK:           arith.addf %[[OLD]]
// CHECK:           memref.store %{{.*}}, %[[T]][%[[I]]]
func.func @rows(%s: memref<7x107xf16, #tile.shared>, %t: memref<7xf32, #tile.shared>) {
  tile.reduce sum %s, %t dim(1) {combine} : memref<7x107xf16, #tile.shared>, memref<7xf32, #tile.shared>
  return
}

// Where there may be NaN, the last vector is folded by halves, which LLVM would do lane by lane.

// CHECK-LABEL: func.func @row_max(
// CHECK-NOT:     vector.reduction
// CHECK:         %[[V:.*]] = arith.maxnumf %{{.*}} : vector<8xf32>
// CHECK-NEXT:    %[[L4:.*]] = vector.extract_strided_slice %[[V]] {offsets = [0], sizes = [4], strides = [1]}
// CHECK-NEXT:    %[[H4:.*]] = vector.extract_strided_slice %[[V]] {offsets = [4], sizes = [4], strides = [1]}
// CHECK-NEXT:    %[[M4:.*]] = arith.maxnumf %[[L4]], %[[H4]] : vector<4xf32>
// CHECK:         arith.maxnumf %{{.*}} : vector<2xf32>
// CHECK:         %[[M1:.*]] = arith.maxnumf %{{.*}} : vector<1xf32>
// CHECK-NEXT:    %[[M:.*]] = vector.extract %[[M1]][0]
// CHECK-NEXT:    memref.store %[[M]]
func.func @row_max(%s: memref<4x16xf32, #tile.shared>, %t: memref<4xf32, #tile.shared>) {
  tile.reduce max %s, %t dim(1) : memref<4x16xf32, #tile.shared>, memref<4xf32, #tile.shared>
  return
}

// A row shorter than a vector.

// CHECK-LABEL: func.func @short_rows(
// CHECK-NOT:     vector
// CHECK:         arith.minui
func.func @short_rows(%s: memref<7x5xi8, #tile.shared>, %t: memref<7x1xi8, #tile.shared>) {
  tile.reduce min %s, %t dim(1) {is_unsigned} : memref<7x5xi8, #tile.shared>, memref<7x1xi8, #tile.shared>
  return
}

// Another dimension is the outer loop over a row of sums.

// CHECK-LABEL: func.func @columns(
// CHECK-SAME:    %[[S:.*]]: memref<2x7x5xf32>, %[[T:.*]]: memref<2x1x5xf32>)
// CHECK:         %[[SUMS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<2x5xf32>
// CHECK:         memref.load %[[S]][%[[I:.*]], %c0, %[[J:.*]]]
// CHECK:         memref.store %{{.*}}, %[[SUMS]][%[[I]], %[[J]]]
// CHECK:         scf.for %[[K:.*]] = %c1 to %c7
// CHECK:           %[[X:.*]] = memref.load %[[S]][%[[I:.*]], %[[K]], %[[J:.*]]]
// CHECK:           %[[A:.*]] = math.absf %[[X]]
// CHECK:           arith.maximumf %{{.*}}, %[[A]]
// CHECK:         memref.store %{{.*}}, %[[T]][%{{.*}}, %c0, %{{.*}}]
func.func @columns(%s: memref<2x7x5xf32, #tile.shared>, %t: memref<2x1x5xf32, #tile.shared>) {
  tile.reduce absmax %s, %t dim(1) {propagate_nan} : memref<2x7x5xf32, #tile.shared>, memref<2x1x5xf32, #tile.shared>
  return
}

// Kinds.

// CHECK-LABEL: func.func @kinds(
// CHECK:         arith.maxnumf
// CHECK:         arith.minnumf
// CHECK:         arith.minimumf
// CHECK:         arith.maxsi
// CHECK:         math.absi
// CHECK:         arith.maxui
// CHECK:         arith.andi
// CHECK:         arith.ori
// CHECK:         arith.xori
func.func @kinds(%f: memref<4xf32, #tile.shared>, %fr: memref<1xf32, #tile.shared>, %i: memref<4xi32, #tile.shared>,
                 %ir: memref<1xi32, #tile.shared>) {
  tile.reduce max %f, %fr dim(0) : memref<4xf32, #tile.shared>, memref<1xf32, #tile.shared>
  tile.reduce min %f, %fr dim(0) : memref<4xf32, #tile.shared>, memref<1xf32, #tile.shared>
  tile.reduce min %f, %fr dim(0) {propagate_nan} : memref<4xf32, #tile.shared>, memref<1xf32, #tile.shared>
  tile.reduce max %i, %ir dim(0) : memref<4xi32, #tile.shared>, memref<1xi32, #tile.shared>
  tile.reduce absmax %i, %ir dim(0) : memref<4xi32, #tile.shared>, memref<1xi32, #tile.shared>
  tile.reduce and %i, %ir dim(0) : memref<4xi32, #tile.shared>, memref<1xi32, #tile.shared>
  tile.reduce or %i, %ir dim(0) : memref<4xi32, #tile.shared>, memref<1xi32, #tile.shared>
  tile.reduce xor %i, %ir dim(0) : memref<4xi32, #tile.shared>, memref<1xi32, #tile.shared>
  return
}

// The running sum stays wide; what is written is rounded.

// CHECK-LABEL: func.func @scan(
// CHECK-SAME:    %[[S:.*]]: memref<7x35xf16>)
// CHECK:         scf.for %[[I:.*]] = %c0 to %c7
// CHECK:           memref.load %[[S]][%[[I]], %c34]
// CHECK:           scf.for %[[K:.*]] = %c1 to %c35 step %c1 iter_args(%[[SUM:.*]] = %{{.*}}) -> (f32)
// CHECK:             %[[AT:.*]] = arith.subi %c34, %[[K]]
// CHECK:             %[[X:.*]] = memref.load %[[S]][%[[I]], %[[AT]]]
// CHECK:             %[[W:.*]] = arith.extf %[[X]]
// CHECK:             %[[NEXT:.*]] = arith.addf %[[SUM]], %[[W]]
// CHECK:             %[[R:.*]] = arith.truncf %[[NEXT]]
// CHECK:             memref.store %[[R]], %[[S]][%[[I]], %[[AT]]]
// CHECK:             scf.yield %[[NEXT]]
func.func @scan(%s: memref<7x35xf16, #tile.shared>) {
  tile.scan sum %s, %s dim(1) {reverse} : memref<7x35xf16, #tile.shared>, memref<7x35xf16, #tile.shared>
  return
}

// CHECK-LABEL: func.func @votes(
// CHECK:         %[[ANY:.*]] = scf.for {{.*}} iter_args(%[[A:.*]] = %false) -> (i1)
// CHECK:           %[[SET:.*]] = arith.cmpi ne, %{{.*}}, %c0_i8
// CHECK:           arith.ori %[[A]], %[[SET]]
// CHECK:         %[[ALL:.*]] = scf.for {{.*}} iter_args(%[[B:.*]] = %true) -> (i1)
// CHECK:           arith.andi %[[B]]
// CHECK:         return %[[ANY]], %[[ALL]]
func.func @votes(%s: memref<3xi8, #tile.shared>) -> (i1, i1) {
  %any = tile.any_of %s : memref<3xi8, #tile.shared>
  %all = tile.all_of %s : memref<3xi8, #tile.shared>
  return %any, %all : i1, i1
}
