// Expressions in the place of operands: what ops they stand for, and where these go.
// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --print-short-form | tile-opt | FileCheck %s

tile.param @BM = 64 in [32, 64]

// Extents, bounds and offsets of the host are computed before the kernel, each once.
// CHECK-LABEL: func.func @host(
// CHECK-SAME:    %[[A:.*]]: memref<?x?xf16>, %[[B:.*]]: memref<?x64xf16>
// CHECK-NEXT:  %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT:  %[[M:.*]] = memref.dim %[[A]], %[[C0]]
// CHECK-NEXT:  %[[ROWS:.*]] = affine.apply #{{.*}}(%[[M]])
// CHECK-NEXT:  %[[C64:.*]] = arith.constant 64 : index
// CHECK-NEXT:  %[[C1:.*]] = arith.constant 1 : index
// CHECK-NEXT:  %[[K:.*]] = memref.dim %[[A]], %[[C1]]
// CHECK-NEXT:  %[[STEPS:.*]] = affine.apply #{{.*}}(%[[K]])
// CHECK-NEXT:  %[[REST:.*]] = affine.apply #{{.*}}(%[[M]])
// CHECK-NEXT:  %[[LAST:.*]] = arith.maxsi %[[REST]], %[[C0]] : index
func.func @host(%a: memref<?x?xf16>, %b: memref<?x64xf16>) {
  // CHECK: tile.kernel (%[[X:.*]], %[[Y:.*]], %{{.*}}) in (%[[ROWS]], %[[C64]], %[[STEPS]]) threads(256) {
  tile.kernel (%x, %y, %z) in (ceildiv(dim(%a, 0), 128), dim(%b, 1), dim(%a, 1) ceildiv 32) threads(256) {
    // CHECK-NEXT: %[[AS:.*]] = tile.alloc
    %as = tile.alloc : memref<128x32xf16, #tile.shared>
    // CHECK-NEXT: %[[END:.*]] = affine.apply #{{.*}}(%[[X]])
    // CHECK-NEXT: tile.pipelined %[[S:.*]] = 2 to %[[END]] step %[[STEPS]] stages(2) {
    tile.pipelined %s = 2 to %x * 2 + 2 step ceildiv(dim(%a, 1), 32) stages(2) {
      // CHECK-NEXT: tile.copy %[[A]][%[[X]] * 128 - %[[S]], (%[[S]] + 1) * 32], %[[AS]]
      tile.copy %a[%x * 128 - %s, (%s + 1) * 32], %as
      // CHECK-NEXT: tile.copy %[[A]][%[[LAST]], 0], %[[AS]]
      tile.copy %a[max(dim(%a, 0) - 128, 0), 0], %as
      // CHECK-NEXT: %[[P:.*]] = arith.muli %[[X]], %[[S]] : index
      // CHECK-NEXT: tile.copy %[[A]][%[[P]] + 1, %[[Y]]], %[[AS]]
      tile.copy %a[%x * %s + 1, %y], %as
      // CHECK-NEXT: }
    }
    // CHECK-NEXT: tile.parallel (%{{.*}}) in (%[[K]]) {
    tile.parallel (%i) in (dim(%a, 1)) do %b[%i, 0] = 1.0
  }
  return
}

// Numbers stand beside the buffer, once for all that write it.
// CHECK-LABEL: func.func @numbers
func.func @numbers(%a: memref<?xf32>) {
  tile.kernel (%b) in (2) {
    // CHECK: tile.kernel
    // CHECK-NEXT: %[[LOW:.*]] = arith.constant 0xFF800000 : f32
    // CHECK-NEXT: tile.padding_value %{{.*}}, %[[LOW]]
    %low = arith.constant 0xFF800000 : f32
    tile.padding_value %a, %low
    // CHECK-NEXT: %[[F:.*]] = tile.alloc
    // CHECK-NEXT: %[[I:.*]] = tile.alloc
    // CHECK-NEXT: %[[H:.*]] = tile.alloc
    %f = tile.alloc : memref<8xf32, #tile.fragment>
    %i = tile.alloc : memref<8xi8, #tile.shared>
    %h = tile.alloc : memref<8xbf16, #tile.shared>
    // CHECK-NEXT: tile.fill %[[F]], %[[LOW]]
    tile.fill %f, -inf
    // CHECK-NEXT: %[[I8:.*]] = arith.constant -1 : i8
    // CHECK-NEXT: tile.fill %[[I]], %[[I8]]
    tile.fill %i, -1
    // CHECK-NEXT: tile.fill %[[I]], %[[I8]]
    tile.fill %i, 0xFF
    // CHECK-NEXT: %[[H1:.*]] = arith.constant 1.500000e+00 : bf16
    // CHECK-NEXT: tile.pipelined
    tile.pipelined %k = 0 to 4 {
      // CHECK-NEXT: tile.fill %[[H]], %[[H1]]
      tile.fill %h, 1.5
    }
  }
  return
}

// A condition, an atomic update with and without its result, the index of the first of a part.
// CHECK-LABEL: func.func @operands(
// CHECK-SAME:    %[[A:.*]]: memref<?xi32>, %[[V:.*]]: memref<64xf32>
func.func @operands(%a: memref<?xi32>, %v: memref<64xf32>) {
  // CHECK:      %[[N:.*]] = memref.dim
  // CHECK:      %[[OK:.*]] = arith.cmpi sge, %[[N]], %{{.*}} : index
  // CHECK-NEXT: tile.assume %[[OK]]
  tile.assume dim(%a, 0) >= 1
  // CHECK-NEXT: %[[ONE:.*]] = arith.constant 1 : i32
  tile.kernel (%b) in (2) {
    %best = tile.alloc : memref<4xf32, #tile.shared>
    %at = tile.alloc : memref<4xi32, #tile.shared>
    %part = tile.alloc : memref<64xf32, #tile.shared>
    // CHECK: %{{.*}} = tile.atomic add %[[ONE]], %[[A]][0] : i32, memref<?xi32> -> i32
    %old = tile.atomic add 1, %a[0]
    // CHECK-NEXT: %[[MORE:.*]] = arith.constant 1 : i32
    // CHECK-NEXT: %[[SUM:.*]] = arith.addi %{{.*}}, %[[MORE]] : i32
    // CHECK-NEXT: tile.atomic max %[[SUM]], %[[A]][%{{.*}} + 1] : i32, memref<?xi32>
    tile.atomic max %old + 1, %a[%b + 1]
    // CHECK-NEXT: tile.atomic add %{{.*}}, %[[V]][0] : memref<64xf32, #tile.shared>, memref<64xf32>
    tile.atomic add %part, %v[0]
    // CHECK-NEXT: %[[BASE:.*]] = affine.apply #{{.*}}(%{{.*}})
    // CHECK-NEXT: tile.topk %{{.*}}, %{{.*}}, %{{.*}} base(%[[BASE]]) {combine}
    tile.topk %part, %best, %at base(%b * 64) {combine}
    // CHECK: %[[LESS:.*]] = arith.cmpi slt
    // CHECK-NEXT: tile.device_assert %[[LESS]], "first"
    tile.device_assert %old < 5, "first"
  }
  return
}

// A parameter is its value, a symbol of offsets.
// CHECK-LABEL: func.func @parameters(
func.func @parameters(%a: memref<?x64xf16>) {
  // CHECK:      %[[BM:.*]] = tile.get_param @BM
  // CHECK-NEXT: %[[ROWS:.*]] = arith.ceildivsi %{{.*}}, %[[BM]] : index
  // CHECK-NEXT: tile.kernel (%[[X:.*]]) in (%[[ROWS]]) {
  tile.kernel (%x) in (ceildiv(dim(%a, 0), @BM)) {
    // CHECK-NEXT: %[[P:.*]] = tile.get_param @BM
    %p = tile.get_param @BM
    // CHECK-NEXT: %[[S:.*]] = tile.alloc(%[[P]]) : memref<?x64xf16, #tile.shared>
    %s = tile.alloc(@BM) : memref<?x64xf16, #tile.shared>
    // CHECK-NEXT: tile.copy %{{.*}}[%[[X]] * symbol(%[[P]]) + 1, 0], %[[S]]
    tile.copy %a[%x * @BM + 1, 0], %s
    // CHECK-NEXT: tile.copy %{{.*}}[%[[X]] * symbol(%[[P]]), 0], %[[S]]
    tile.copy %a[%x * symbol(%p), 0], %s
    // CHECK-NEXT: tile.parallel (%[[I:.*]], %{{.*}}) in (%[[P]], 64) {
    // CHECK-NEXT:   %{{.*}} = arith.constant 0.000000e+00 : f16
    // CHECK-NEXT:   %[[Q:.*]] = tile.get_param @BM
    // CHECK-NEXT:   %[[M:.*]] = arith.muli %[[X]], %[[Q]] : index
    // CHECK-NEXT:   affine.apply #{{.*}}(%[[M]], %[[I]])
    tile.parallel (%i, %j) in (@BM, 64) do %a[%x * @BM + %i, %j] = 0.0
  }
  return
}

// In a branch of a loop, and in a block with a terminator.
// CHECK-LABEL: func.func @blocks(
func.func @blocks(%a: memref<?xf32>, %c: i1, %n: index) {
  // CHECK:      %[[E:.*]] = affine.apply #{{.*}}(%{{.*}})
  // CHECK-NEXT: cf.br
  cf.br ^bb1(%n : index)
^bb1(%m: index):
  // CHECK:      ^bb1(%[[M:.*]]: index):
  // CHECK-NEXT: %[[F:.*]] = affine.apply #{{.*}}(%[[M]])
  // CHECK-NEXT: tile.kernel (%{{.*}}, %{{.*}}) in (%[[E]], %[[F]]) {
  tile.kernel (%b, %d) in (%n + 1, %m * 2) {
    // CHECK: scf.if
    scf.if %c {
      // CHECK-NEXT: %[[K:.*]] = arith.constant 7 : index
      %k = arith.constant 7 : index
      // CHECK-NEXT: %[[END:.*]] = affine.apply #{{.*}}(%{{.*}}, %[[K]])
      // CHECK-NEXT: tile.pipelined %{{.*}} = 0 to %[[END]] {
      tile.pipelined %t = 0 to %b + %k {
      }
    }
  }
  return
}

// A divisor that is no number counts as 1 where it is below, so that no division is by 0; one that is 'max(…, 1)' stays.
// CHECK-LABEL: func.func @divisors(
// CHECK-SAME:    %[[A:.*]]: memref<?x?x64xf16>, %[[N:.*]]: index
func.func @divisors(%a: memref<?x?x64xf16>, %n: index) {
  // CHECK:      %[[D:.*]] = arith.maxsi %[[N]], %{{.*}} : index
  // CHECK-NEXT: %[[BLOCKS:.*]] = arith.ceildivsi %{{.*}}, %[[D]] : index
  // CHECK-NEXT: tile.kernel (%[[H:.*]]) in (%[[BLOCKS]]) {
  tile.kernel (%h) in (ceildiv(dim(%a, 0), %n)) {
    %s = tile.alloc : memref<64x64xf16, #tile.shared>
    // CHECK:      %[[CLAMPED:.*]] = arith.maxsi %[[N]], %{{.*}} : index
    // CHECK-NEXT: %[[Q:.*]] = arith.floordivsi %[[H]], %[[CLAMPED]] : index
    // CHECK-NEXT: %[[P:.*]] = arith.muli %[[Q]], %[[CLAMPED]] : index
    // CHECK-NEXT: %[[REST:.*]] = arith.subi %[[H]], %[[P]] : index
    // CHECK-NEXT: tile.copy %[[A]][%[[Q]], %[[REST]] * 64, 0], %{{.*}}
    tile.copy %a[%h floordiv max(%n, 1), mod(%h, %n) * 64, 0], %s
  }
  return
}

// Atomic updates, assertions and prints are statements. Their operands are what every statement takes.
// CHECK-LABEL: func.func @statements(
// CHECK-SAME:    %[[BINS:.*]]: memref<?xi32>, %[[X:.*]]: memref<64xi32>
func.func @statements(%bins: memref<?xi32>, %x: memref<64xi32>) {
  tile.kernel (%b) in (1) {
    // CHECK: tile.parallel (%[[I:.*]]) in (64) {
    tile.parallel (%i) in (64) do {
      // CHECK:      %[[ONE:.*]] = arith.constant 1 : i32
      // CHECK-NEXT: %[[V:.*]] = memref.load %[[X]][%[[I]]]
      // CHECK-NEXT: %[[AT:.*]] = arith.index_cast %[[V]] : i32 to index
      // CHECK-NEXT: tile.atomic add %[[ONE]], %[[BINS]][%[[AT]] + 2] : i32, memref<?xi32>
      tile.atomic add 1, %bins[index(%x[%i]) + 2]
      // CHECK:      %[[OLD:.*]] = tile.atomic max %{{.*}}, %[[BINS]][0] {is_unsigned} : i32, memref<?xi32> -> i32
      %old = tile.atomic max %x[%i] * 2, %bins[0] {is_unsigned}
      // CHECK:      %[[LESS:.*]] = arith.cmpi slt, %[[OLD]], %{{.*}} : i32
      // CHECK-NEXT: tile.device_assert %[[LESS]], "at most 63"
      tile.device_assert %old < 64, "at most 63"
      // CHECK-NEXT: tile.print %[[OLD]], "old" : i32
      tile.print %old, "old"
      // CHECK-NEXT: tile.print %[[OLD]] : i32
      tile.print %old
    }
  }
  return
}
