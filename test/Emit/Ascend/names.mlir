// RUN: tile-translate --tile-to-ascendc %s | FileCheck %s
// RUN: tile-translate --tile-to-ascendc --ascendc-chip=950 %s | FileCheck %s
// RUN: tile-opt --tile-to-ascend-pipeline %s | tile-translate --mlir-to-ascendc | FileCheck %s --check-prefix=LOWERED

// Tensors, coordinates and arguments have the names of the source, with numbers, so that none is a word of C++ or one of the
// headers. A parameter of a function has the name that its arguments have in common. Comments say which line of the source it is.

// CHECK:       // names.mlir
// CHECK-NEXT:  struct twice_kernel_state {
// CHECK-NEXT:    Global<float> g_to, g_from;
// CHECK:         LocalTensor<float> half{{[0-9]+}}{UB, {{[0-9]+}}, 4096}, half{{[0-9]+}}{UB,
// CHECK:         __aicore__ inline void loadComputeStore(
// CHECK-SAME:      LocalTensor<float> &half_1
// CHECK:           DataCopyPad(half_1, g_from[
// CHECK:           Exp(half_1, half_1, 4096); {{.*}} // line [[# @LINE + 18]]
// CHECK:         void run() {
// CHECK:           int64_t {{.*}}do{{[0-9]+}} = block
// CHECK:       void twice_kernel(GM_ADDR gm_to, {{.*}}GM_ADDR gm_from,

// Without the text of the source, they have the names of their memories, and the lines of another text are no comments.

// LOWERED-NOT: // line
// LOWERED:     LocalTensor<float> ub{{[0-9]+}}{UB,
// LOWERED-NOT: half
// LOWERED-NOT: // line
func.func @twice(%from: memref<?x4096xf32>, %to: memref<?x4096xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %from, %c0 : memref<?x4096xf32>
  tile.kernel (%do) in (%n) {
    %half = tile.alloc : memref<4096xf32, #tile.shared>
    tile.pipelined %step = 0 to 8 stages(2) {
      tile.copy %from[%do * 8 + %step, 0], %half
      tile.parallel (%i) in (4096) do %half[%i] = exp(%half[%i])
      tile.copy %half, %to[%do * 8 + %step, 0]
    }
  }
  return
}

// A tile called %c is not the variable of loops of calls, and one called %L no memory.

// CHECK-LABEL: struct letters_kernel_state {
// CHECK-DAG:     c{{[0-9]+}}{UB,
// CHECK-DAG:     l{{[0-9]+}}{UB,
// CHECK:         __aicore__ inline void loadComputeStore(
// CHECK-SAME:      LocalTensor<float> &c_1
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
