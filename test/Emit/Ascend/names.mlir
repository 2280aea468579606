// RUN: tile-translate --tile-to-ascendc %s | FileCheck %s
// RUN: tile-translate --tile-to-ascendc --ascendc-chip=950 %s | FileCheck %s
// RUN: tile-opt --tile-to-ascend-pipeline %s | tile-translate --mlir-to-ascendc | FileCheck %s --check-prefix=LOWERED

// Tensors, coordinates and arguments have the names of the source, with numbers, so that none is a word of C++ or one of the
// headers. A parameter of a function has the name that its arguments have in common. Comments say which line of the source it is.

// CHECK:       // names.mlir
// CHECK-NEXT:  struct twice_kernel_state {
// CHECK-NEXT:    Global<float> g_from, g_to;
// CHECK:         half{{[0-9]+}}{UB, {{[0-9]+}}, 4096}, other
// CHECK:         half{{[0-9]+}}{UB, {{[0-9]+}}, 4096}; // 4096
// CHECK:         __aicore__ inline void loadComputeStore(
// CHECK-SAME:      LocalTensor<float> &half_1
// CHECK:           DataCopyPad(half_1, g_from[
// CHECK:           Mins({{.*}}, half_1, 10.0f, 4096);
// CHECK:           Div(half_1, {{.*}}, 4096);
// CHECK:         void run() {
// CHECK:           do{{[0-9]+}} = block
// CHECK:           loadComputeStore({{.*}}, half{{[0-9]+}}, {{.*}} // line [[# @LINE + 15]]
// CHECK:       void twice_kernel(GM_ADDR gm_from, GM_ADDR gm_to, int64_t gm_to_d0, int64_t s_n)

// Without the text of the source, they have the names of their memories, and the lines of another text are no comments.

// LOWERED-NOT: // line
// LOWERED:     LocalTensor<float> ub{{[0-9]+}}{UB,
// LOWERED-NOT: half
// LOWERED-NOT: // line
func.func @twice(%from: memref<?x4096xf32>, %to: memref<?x4096xf32>) {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %n = memref.dim %from, %c0 : memref<?x4096xf32>
  tile.kernel (%do) in (%n) {
    %more = arith.cmpi sgt, %n, %c7 : index
    scf.if %more {
      %half = tile.alloc : memref<4096xf32, #tile.shared>
      tile.copy %from[%do * 2, 0], %half
      tile.parallel (%i) in (4096) do %half[%i] = tanh(%half[%i])
      tile.copy %half, %to[%do * 2, 0]
    }
    %other = tile.alloc : memref<4096xf32, #tile.shared>
    tile.parallel (%i) in (4096) do %other[%i] = f32(%i)
    tile.copy %other, %to[%do * 2 + 2, 0]
    scf.if %more {
      %half = tile.alloc : memref<4096xf32, #tile.shared>
      tile.copy %from[%do * 2 + 1, 0], %half
      tile.parallel (%i) in (4096) do %half[%i] = tanh(%half[%i])
      tile.copy %half, %to[%do * 2 + 1, 0]
    }
  }
  return
}

// A tile called %c is not the variable of loops of calls, and one called %L no memory; those of a pipeline have one name.

// CHECK-LABEL: void letters_kernel(
// CHECK:         LocalTensor<float> [[L:l[0-9]+]][2]{{.*}}, [[C:c[0-9]+]][2]{{.*}} // 4096
// CHECK:         for (int64_t step = 0; step < 2; step += 1) {
// CHECK:           Exp([[L]][step], [[C]][step], 4096);
func.func @letters(%from: memref<?x4096xf32>, %to: memref<?x4096xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %from, %c0 : memref<?x4096xf32>
  tile.kernel (%b) in (%n) {
    %c = tile.alloc : memref<4096xf32, #tile.shared>
    %L = tile.alloc : memref<4096xf32, #tile.shared>
    tile.pipelined %step = 0 to 8 stages(2) {
      tile.copy %from[%b * 8 + %step, 0], %c
      tile.parallel (%i) in (4096) do %L[%i] = exp(%c[%i])
      tile.copy %L, %to[%b * 8 + %step, 0]
    }
  }
  return
}
