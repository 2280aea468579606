// RUN: tile-opt %s --tile-set-target=chip=x86-64-v3 --convert-tile-to-cpu --canonicalize --cse | FileCheck %s
// RUN: tile-opt %s --tile-set-target=chip=avx512 --convert-tile-to-cpu | FileCheck %s --check-prefix=WIDE

// The right operand is packed into panels of two vectors, row by row and of zeros beyond the last column; the left one is read as
// it is. Blocks of six rows keep their sums in registers; the last row and the last columns have blocks of their own, the latter
// with masks and, since a row is one vector, more rows.

// CHECK-LABEL: func.func @direct(
// CHECK-SAME:    %[[A:.*]]: memref<7x5xf32>, %[[B:.*]]: memref<5x20xf32>, %[[C:.*]]: memref<7x20xf32>)
// CHECK:         %[[P:.*]] = memref.alloc() {alignment = 64 : i64} : memref<2x5x16xf32>
// CHECK-NOT:     memref.alloc
// CHECK:         scf.for %[[K:.*]] = %c0 to %c5
// CHECK-DAG:       %[[V0:.*]] = vector.load %[[B]][%[[K]], %c0]
// CHECK-DAG:       %[[V1:.*]] = vector.load %[[B]][%[[K]], %c8]
// CHECK:           vector.store %[[V0]], %[[P]][%c0, %[[K]], %c0]
// CHECK:           vector.store %[[V1]], %[[P]][%c0, %[[K]], %c8]
// CHECK:           scf.for %[[J:.*]] = %c0 to %c4
// CHECK:             memref.store %{{.*}}, %[[P]][%c1, %[[K]], %[[J]]]
// CHECK:           scf.for %[[J:.*]] = %c4 to %c16
// CHECK:             memref.store %cst{{.*}}, %[[P]][%c1, %[[K]], %[[J]]]
// CHECK:         %[[P0:.*]] = memref.subview %[[P]][0, 0, 0] [1, 5, 16]
// CHECK-COUNT-12: vector.load %[[C]]
// CHECK:         scf.for %[[K:.*]] = %c0 to %c5
// CHECK-DAG:       vector.load %[[P0]][%[[K]], %c0]
// CHECK-DAG:       vector.load %[[P0]][%[[K]], %c8]
// CHECK:           memref.load %[[A]][%c0, %[[K]]]
// CHECK:           vector.broadcast
// CHECK:           vector.fma
// CHECK-COUNT-12: vector.store
// CHECK-COUNT-2: vector.load %[[C]][%c6
// CHECK-COUNT-2: vector.store
// CHECK:         memref.subview %[[P]][1, 0, 0] [1, 5, 16]
// CHECK:         %[[M:.*]] = vector.constant_mask [4] : vector<8xi1>
// CHECK-COUNT-7: vector.maskedload %[[C]][%{{.*}}, %c16], %[[M]]
// CHECK-COUNT-7: vector.maskedstore %[[C]][%{{.*}}, %c16], %[[M]]
// CHECK:         memref.dealloc %[[P]]

// WIDE-LABEL: func.func @direct(
// WIDE:         memref.alloc() {alignment = 64 : i64} : memref<1x5x32xf32>
// WIDE:         vector.constant_mask [4] : vector<16xi1>
func.func @direct(%a: memref<7x5xf32, #tile.shared>, %b: memref<5x20xf32, #tile.shared>, %c: memref<7x20xf32, #tile.fragment>) {
  tile.gemm %a, %b, %c : memref<7x5xf32, #tile.shared>, memref<5x20xf32, #tile.shared>, memref<7x20xf32, #tile.fragment>
  return
}

// The width of panels: with 32 registers of 16 elements, four vectors and six rows, which load least for 24 sums; of narrow
// products no more than is needed, with more rows.

// WIDE-LABEL: func.func @widths(
// WIDE-DAG:     memref.alloc() {alignment = 64 : i64} : memref<2x4x64xf32>
// WIDE-DAG:     memref.alloc() {alignment = 64 : i64} : memref<1x4x16xf32>
// WIDE-COUNT-24: vector.fma
// WIDE-NEXT:    scf.yield
// WIDE-COUNT-24: vector.fma
// WIDE-NEXT:    scf.yield
// CHECK-LABEL: func.func @widths(
// CHECK-DAG:    memref.alloc() {alignment = 64 : i64} : memref<8x4x16xf32>
// CHECK-DAG:    memref.alloc() {alignment = 64 : i64} : memref<1x4x16xf32>
func.func @widths(%a: memref<24x4xf32, #tile.shared>, %b: memref<4x128xf32, #tile.shared>, %c: memref<24x128xf32, #tile.fragment>,
                  %d: memref<4x16xf32, #tile.shared>, %e: memref<24x16xf32, #tile.fragment>) {
  tile.gemm %a, %b, %c : memref<24x4xf32, #tile.shared>, memref<4x128xf32, #tile.shared>, memref<24x128xf32, #tile.fragment>
  tile.gemm %a, %d, %e : memref<24x4xf32, #tile.shared>, memref<4x16xf32, #tile.shared>, memref<24x16xf32, #tile.fragment>
  return
}

// A copy whose tile one product reads writes the panels, row by row: vectors where a panel lies inside of the source, else
// elements between padding. The tile itself is gone. With the vectors, a row that is read later is fetched, the last one at most.

// CHECK-LABEL: func.func @copied(
// CHECK-SAME:    %[[A:.*]]: memref<6x5xf32>, %[[B:.*]]: memref<?x?xf16>
// CHECK:           %[[P:.*]] = memref.alloc() {alignment = 64 : i64} : memref<2x5x16xf32>
// CHECK-NOT:       memref<5x32xf32>
// CHECK:           scf.for %[[K:.*]] = %c0 to %c5
// CHECK:             %[[L:.*]] = arith.select %{{.*}}, %{{.*}}, %c0 : index
// CHECK:             %[[U:.*]] = arith.select %{{.*}}, %{{.*}}, %c0 : index
// CHECK:             scf.for %[[J:.*]] = %c0 to %c2
// CHECK:               %[[FIRST:.*]] = arith.muli %[[J]], %c16
// CHECK:               %[[LAST:.*]] = arith.addi %[[FIRST]], %c16
// CHECK-DAG:           arith.cmpi sle, %[[L]], %[[FIRST]]
// CHECK-DAG:           arith.cmpi sle, %[[LAST]], %[[U]]
// CHECK:               scf.if
// CHECK:                 %[[AHEAD:.*]] = arith.addi %{{.*}}, %c4
// CHECK:                 %[[ROW:.*]] = arith.minsi %[[AHEAD]], %{{.*}}
// CHECK:                 %[[I:.*]] = arith.addi %{{.*}}, %[[ROW]]
// CHECK:                 memref.prefetch %[[B]][%[[I]], %{{.*}}], read, locality<3>, data
// CHECK-COUNT-2:         vector.load %[[B]]{{.*}} vector<8xf16>
// CHECK-COUNT-2:         arith.extf {{.*}} vector<8xf16> to vector<8xf32>
// CHECK:               } else {
// CHECK:                 memref.store %cst{{.*}}, %[[P]]
// CHECK:                 memref.load %[[B]]
// CHECK:                 memref.store %{{.*}}, %[[P]]
// CHECK:                 memref.store %cst{{.*}}, %[[P]]
// CHECK:           vector.fma
func.func @copied(%a: memref<6x5xf32>, %b: memref<?x?xf16>, %c: memref<6x32xf32>) {
  tile.kernel (%x) in (3) {
    %as = tile.alloc : memref<6x5xf32, #tile.shared>
    %bs = tile.alloc : memref<5x32xf32, #tile.shared>
    %sum = tile.alloc : memref<6x32xf32, #tile.fragment>
    tile.copy %a, %as
    tile.copy %b[%x * 5 - 5, %x * 32 - 8], %bs
    tile.gemm %as, %bs, %sum {clear}
    tile.copy %sum, %c
  }
  return
}

// Not if something else reads the tile, or if the product takes it transposed.

// CHECK-LABEL: func.func @not_copied(
// CHECK-COUNT-2: memref.alloc() {{.*}} : memref<8x8xf32>
func.func @not_copied(%b: memref<?x?xf32>, %c: memref<?x?xf32>, %d: memref<?x?xf32>) {
  tile.kernel (%x) in (1) {
    %s = tile.alloc : memref<8x8xf32, #tile.shared>
    %t = tile.alloc : memref<8x8xf32, #tile.shared>
    %sum = tile.alloc : memref<8x8xf32, #tile.fragment>
    tile.copy %b[0, 0], %s
    tile.gemm %s, %s, %sum {clear}
    tile.copy %c[0, 0], %t
    tile.gemm %s, %t, %sum {transpose_b}
    tile.copy %sum, %d[0, 0]
  }
  return
}

// Operands of other types are widened once; a narrow accumulator is, too, and rounded at the end.

// CHECK-LABEL: func.func @converted(
// CHECK-SAME:    %[[A:.*]]: memref<5x2xf16>, %[[B:.*]]: memref<8x5xf16>, %[[C:.*]]: memref<2x8xf16>)
// CHECK-DAG:     %[[WA:.*]] = memref.alloc() {alignment = 64 : i64} : memref<5x2xf32>
// CHECK-DAG:     %[[WC:.*]] = memref.alloc() {alignment = 64 : i64} : memref<2x8xf32>
// CHECK-DAG:     %[[P:.*]] = memref.alloc() {alignment = 64 : i64} : memref<1x5x8xf32>
// CHECK:         memref.load %[[C]]
// CHECK:         arith.extf
// CHECK:         memref.store %{{.*}}, %[[WC]]
// CHECK:         memref.load %[[A]]
// CHECK:         memref.store %{{.*}}, %[[WA]]
// CHECK:         scf.for %[[J:.*]] = %c0 to %c8
// CHECK:           scf.for %[[K:.*]] = %c0 to %c5
// CHECK:             memref.load %[[B]][%[[J]], %[[K]]]
// CHECK:             memref.store %{{.*}}, %[[P]][%c0, %[[K]], %[[J]]]
// CHECK:         scf.for %[[K:.*]] = %c0 to %c5
// CHECK:           memref.load %[[WA]][%[[K]], %c0]
// CHECK:           memref.load %[[WA]][%[[K]], %c1]
// CHECK:         vector.store %{{.*}}, %[[WC]]
// CHECK:         arith.truncf %{{.*}} : f32 to f16
// CHECK:         memref.store %{{.*}}, %[[C]]
func.func @converted(%a: memref<5x2xf16, #tile.shared>, %b: memref<8x5xf16, #tile.shared>, %c: memref<2x8xf16, #tile.fragment>) {
  tile.gemm %a, %b, %c {transpose_a, transpose_b}
      : memref<5x2xf16, #tile.shared>, memref<8x5xf16, #tile.shared>, memref<2x8xf16, #tile.fragment>
  return
}

// CHECK-LABEL: func.func @integers(
// CHECK:         arith.extui %{{.*}} : i8 to i32
// CHECK:         arith.extsi %{{.*}} : vector<8xi8> to vector<8xi32>
// CHECK:         arith.muli %{{.*}} : vector<8xi32>
// CHECK:         arith.addi %{{.*}} : vector<8xi32>
func.func @integers(%a: memref<1x4xi8, #tile.shared>, %b: memref<4x8xi8, #tile.shared>, %c: memref<1x8xi32, #tile.fragment>) {
  tile.gemm %a, %b, %c {a_unsigned} : memref<1x4xi8, #tile.shared>, memref<4x8xi8, #tile.shared>, memref<1x8xi32, #tile.fragment>
  return
}

// Products that begin with zeros read no accumulator, and nothing writes zeros to it first.

// CHECK-LABEL: func.func @clear(
// CHECK-SAME:    %[[C:[^:]*]]: memref<1x8xf32>
// CHECK-NOT:     scf.if
// CHECK-NOT:     {{load|store}} {{.*}}%[[C]][
// CHECK:         %[[SUM:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %cst{{.*}}) -> (vector<8xf32>)
// CHECK:         vector.store %[[SUM]], %[[C]][%c0, %c0]
func.func @clear(%c: memref<1x8xf32, #tile.fragment>, %a: memref<1x4xf32, #tile.shared>, %b: memref<4x8xf32, #tile.shared>) {
  tile.gemm %a, %b, %c {clear} : memref<1x4xf32, #tile.shared>, memref<4x8xf32, #tile.shared>, memref<1x8xf32, #tile.fragment>
  return
}

// CHECK-LABEL: func.func @clear_if(
// CHECK-SAME:    %[[C:[^:]*]]: memref<1x8xf16>, {{.*}}, %[[FIRST:.*]]: i1)
// CHECK:         scf.if %[[FIRST]] {
// CHECK:           memref.store %cst{{.*}} : memref<1x8xf32>
// CHECK:         } else {
// CHECK:           memref.load %[[C]]
// CHECK:           memref.store %{{.*}} : memref<1x8xf32>
// CHECK:         }
func.func @clear_if(%c: memref<1x8xf16, #tile.fragment>, %a: memref<1x4xf16, #tile.shared>, %b: memref<4x8xf16, #tile.shared>,
                    %first: i1) {
  tile.gemm %a, %b, %c clear_if(%first) : memref<1x4xf16, #tile.shared>, memref<4x8xf16, #tile.shared>, memref<1x8xf16, #tile.fragment>
  return
}

// CHECK-LABEL: func.func @clear_if_direct(
// CHECK-SAME:    %[[C:[^:]*]]: memref<1x8xf32>, {{.*}}, %[[FIRST:.*]]: i1)
// CHECK-NOT:     %[[C]][
// CHECK:         %[[OLD:.*]] = scf.if %[[FIRST]] -> (vector<8xf32>) {
// CHECK-NEXT:      scf.yield %cst
// CHECK-NEXT:    } else {
// CHECK-NEXT:      vector.load %[[C]][%c0, %c0]
// CHECK-NEXT:      scf.yield
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %[[OLD]])
func.func @clear_if_direct(%c: memref<1x8xf32, #tile.fragment>, %a: memref<1x4xf32, #tile.shared>, %b: memref<4x8xf32, #tile.shared>,
                           %first: i1) {
  tile.gemm %a, %b, %c clear_if(%first) : memref<1x4xf32, #tile.shared>, memref<4x8xf32, #tile.shared>, memref<1x8xf32, #tile.fragment>
  return
}

// Zeros in front of a loop are the first sums of its first step, and written only if it has none.

// CHECK-LABEL: func.func @filled(
// CHECK-SAME:    %[[A:[^:]*]]: memref<1x4xf32>, %{{[^:]*}}: memref<4x8xf32>, %{{[^:]*}}: memref<1x8xf32>, %[[BEGIN:.*]]: index, %[[END:.*]]: index)
// CHECK:           %[[SUM:.*]] = memref.alloc() {{.*}} : memref<1x8xf32>
// CHECK:           %[[EMPTY:.*]] = arith.cmpi sge, %[[BEGIN]], %[[END]]
// CHECK:           scf.if %[[EMPTY]] {
// CHECK:             memref.store %cst{{.*}}, %[[SUM]]
// CHECK:           scf.for %[[S:.*]] = %[[BEGIN]] to %[[END]]
// CHECK:             %[[FIRST:.*]] = arith.cmpi eq, %[[S]], %[[BEGIN]]
// CHECK:             scf.if %[[FIRST]] -> (vector<8xf32>) {
// CHECK-NEXT:          scf.yield %cst
// CHECK-NEXT:        } else {
// CHECK-NEXT:          vector.load %[[SUM]]
func.func @filled(%a: memref<1x4xf32, #tile.shared>, %b: memref<4x8xf32, #tile.shared>, %c: memref<1x8xf32>, %begin: index, %end: index) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%x) in (1) {
    %sum = tile.alloc : memref<1x8xf32, #tile.fragment>
    tile.fill %sum, %zero
    tile.pipelined %s = %begin to %end {
      tile.gemm %a, %b, %sum
    }
    tile.copy %sum, %c
  }
  return
}

// Not other numbers, -0 among them; not if a step does not multiply, if it has two products, or if something else reads or writes
// the sums before the loop has ended.

// CHECK-LABEL: func.func @not_filled(
// CHECK-NOT:     scf.if {{.*}} -> (vector
// CHECK-NOT:     arith.cmpi sge, %c0
// CHECK:         return
func.func @not_filled(%a: memref<1x4xf32, #tile.shared>, %b: memref<4x8xf32, #tile.shared>, %c: memref<6x8xf32>, %n: index, %p: i1) {
  %zero = arith.constant 0.0 : f32
  %minus = arith.constant -0.0 : f32
  tile.kernel (%x) in (1) {
    %negative = tile.alloc : memref<1x8xf32, #tile.fragment>
    tile.fill %negative, %minus
    tile.pipelined %s = 0 to %n {
      tile.gemm %a, %b, %negative
    }
    tile.copy %negative, %c[0, 0]
    %sometimes = tile.alloc : memref<1x8xf32, #tile.fragment>
    tile.fill %sometimes, %zero
    tile.pipelined %s = 0 to %n {
      scf.if %p {
        tile.gemm %a, %b, %sometimes
      }
    }
    tile.copy %sometimes, %c[1, 0]
    %twice = tile.alloc : memref<1x8xf32, #tile.fragment>
    tile.fill %twice, %zero
    tile.pipelined %s = 0 to %n {
      tile.gemm %a, %b, %twice
      tile.gemm %a, %b, %twice
    }
    tile.copy %twice, %c[2, 0]
    %read = tile.alloc : memref<1x8xf32, #tile.fragment>
    tile.fill %read, %zero
    tile.copy %read, %c[3, 0]
    tile.pipelined %s = 0 to %n {
      tile.gemm %a, %b, %read
    }
    tile.copy %read, %c[3, 0]
    %scaled = tile.alloc : memref<1x8xf32, #tile.fragment>
    tile.fill %scaled, %zero
    tile.pipelined %s = 0 to %n {
      tile.parallel (%i, %j) in (1, 8) {
        %v = memref.load %scaled[%i, %j] : memref<1x8xf32, #tile.fragment>
        %w = arith.addf %v, %v : f32
        memref.store %w, %scaled[%i, %j] : memref<1x8xf32, #tile.fragment>
      }
      tile.gemm %a, %b, %scaled
    }
    tile.copy %scaled, %c[4, 0]
    %again = tile.alloc : memref<1x8xf32, #tile.fragment>
    tile.fill %again, %zero
    tile.pipelined %r = 0 to %n {
      tile.pipelined %s = 0 to %n {
        tile.gemm %a, %b, %again
      }
    }
    tile.copy %again, %c[5, 0]
  }
  return
}

// Half of the last of ten bits is added to the bits of finite numbers, and the rest cut off.

// CHECK-LABEL: func.func @tf32(
// CHECK:         %[[BITS:.*]] = arith.bitcast %{{.*}} : f32 to i32
// CHECK-NEXT:    %[[UP:.*]] = arith.addi %[[BITS]], %c4096_i32
// CHECK-NEXT:    %[[CUT:.*]] = arith.andi %[[UP]], %c-8192_i32
// CHECK-NEXT:    %[[E:.*]] = arith.andi %[[BITS]], %c2139095040_i32
// CHECK-NEXT:    %[[FINITE:.*]] = arith.cmpi ne, %[[E]], %c2139095040_i32
// CHECK-NEXT:    arith.select %[[FINITE]], %[[CUT]], %[[BITS]]
func.func @tf32(%a: memref<1x4xf32, #tile.shared>, %b: memref<4x8xf32, #tile.shared>, %c: memref<1x8xf32, #tile.fragment>) {
  tile.gemm %a, %b, %c precision(tf32) : memref<1x4xf32, #tile.shared>, memref<4x8xf32, #tile.shared>, memref<1x8xf32, #tile.fragment>
  return
}

// A left operand with rows of 2 KiB stays where it is: blocks whose rows lie inside of the source read it there, others a copy of
// the rows from there on. Both end with the deeper of the two sources; rows and columns past the result are left out. The last
// step writes blocks that lie in the result itself, unless it shares memory with the left operand; the copy writes the rest. Rows
// whose distance is known at run time only have an address each.

// CHECK-LABEL: func.func @in_place(
// CHECK-SAME:    %[[A:.*]]: memref<?x?xf32>, %[[B:.*]]: memref<?x?xf32>, %[[C:.*]]: memref<?x?xf32>, %[[N:.*]]: index)
// CHECK:           %[[SUM:.*]] = memref.alloc() {alignment = 64 : i64} : memref<12x32xf32>
// CHECK-DAG:       %[[START:.*]] = memref.extract_aligned_pointer_as_index %[[A]]
// CHECK-DAG:       %[[TARGET:.*]] = memref.subview %[[C]]
// CHECK:           scf.for %[[S:.*]] = %c0 to %[[N]] step %c1 {
// CHECK:             %[[DEPTH:.*]] = arith.maxsi %{{.*}}, %{{[0-9]+}} : index
// CHECK:             %[[SOURCE:.*]] = memref.subview %[[A]]
// CHECK:             memref.cast %{{.*}} : memref<12x512xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
// CHECK:             scf.for
// CHECK:               %[[LEFT:.*]] = arith.select %{{.*}}, %[[SOURCE]], %{{.*}} : memref<?x?xf32, strided<[?, 1], offset: ?>>
// CHECK:               scf.for
// CHECK:                 %[[TO:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : memref<?x?xf32, strided<[?, 1], offset: ?>>
// CHECK:                 %{{.*}}, %[[STRIDES:.*]]:2 = memref.extract_strided_metadata %[[LEFT]]
// CHECK:                 arith.muli %{{.*}}, %[[STRIDES]]#0
// CHECK:                 %[[FROZEN:.*]] = llvm.freeze %{{.*}} : i64
// CHECK-NEXT:            %[[OFFSET:.*]] = arith.index_cast %[[FROZEN]] : i64 to index
// CHECK-NEXT:            %[[ROW:.*]] = memref.reinterpret_cast %[[LEFT]] to offset: [%[[OFFSET]]], sizes: [512], strides: [1]
// CHECK-COUNT-5:         llvm.freeze
// CHECK-NOT:             llvm.freeze
// CHECK:                 scf.for %[[K:.*]] = %c0 to %[[DEPTH]]
// CHECK:                   memref.load %[[ROW]][%[[K]]]
// CHECK-COUNT-12:        vector.store %{{.*}}, %[[TO]]
// CHECK:           scf.for
// CHECK:             %[[REST:.*]] = arith.select %{{.*}}, %{{.*}}, %c0 : index
func.func @in_place(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>, %n: index) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%y) in (4) {
    %as = tile.alloc : memref<12x512xf32, #tile.shared>
    %bs = tile.alloc : memref<512x32xf32, #tile.shared>
    %sum = tile.alloc : memref<12x32xf32, #tile.fragment>
    tile.fill %sum, %zero
    tile.pipelined %s = 0 to %n {
      tile.copy %a[%y * 12, %s * 512], %as
      tile.copy %b[%s * 512, 0], %bs
      tile.gemm %as, %bs, %sum
    }
    tile.copy %sum, %c[%y * 12, 0]
  }
  return
}

// Not if rows are shorter, if the source may have changed, or if the sums are read before they are copied.

// CHECK-LABEL: func.func @not_in_place(
// CHECK-SAME:    %[[A:.*]]: memref<12x512xf32>, %[[B:.*]]: memref<512x16xf32>, %[[C:.*]]: memref<12x16xf32>)
// CHECK-NOT:     memref.extract_aligned_pointer_as_index
// CHECK-NOT:     arith.select %{{.*}} : memref
// CHECK:         return
func.func @not_in_place(%a: memref<12x512xf32>, %b: memref<512x16xf32>, %c: memref<12x16xf32>) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  tile.kernel (%x) in (1) {
    %as = tile.alloc : memref<12x512xf32, #tile.shared>
    %ones = tile.alloc : memref<12x512xf32, #tile.shared>
    %bs = tile.alloc : memref<512x16xf32, #tile.shared>
    %short = tile.alloc : memref<12x256xf32, #tile.shared>
    %part = tile.alloc : memref<256x16xf32, #tile.shared>
    %sum = tile.alloc : memref<12x16xf32, #tile.fragment>
    tile.fill %sum, %zero
    tile.fill %ones, %zero
    tile.pipelined %s = 0 to %c1 {
      tile.copy %a[0, 0], %short
      tile.copy %b[0, 0], %part
      tile.gemm %short, %part, %sum
      tile.copy %a, %as
      tile.copy %b, %bs
      tile.copy %ones, %a
      tile.gemm %as, %bs, %sum
    }
    tile.parallel (%i, %j) in (12, 16) {
      %v = memref.load %sum[%i, %j] : memref<12x16xf32, #tile.fragment>
      %w = arith.addf %v, %v : f32
      memref.store %w, %sum[%i, %j] : memref<12x16xf32, #tile.fragment>
    }
    tile.copy %sum, %c
  }
  return
}
