// RUN: tile-opt --tile-to-ascend-pipeline %S/../../../examples/matmul_relu.mlir | tile-translate --mlir-to-ascendc | FileCheck %s
// RUN: tile-opt %s | tile-translate --mlir-to-ascendc | FileCheck %s --check-prefix=OWN
// RUN: tile-opt %s | tile-translate --mlir-to-ascendc | FileCheck %s --check-prefix=STORES

// Tensors of a type in GM, and tiles of a type, have one declaration each; those of a pipeline are an array. Flags in a row share a line, in the order of
// their numbers, and are a loop from five on. The three steps of the loop over K are rounds of a loop, and so are the iterations that are left, of which
// each has the next one in its branch. A and B are loaded by one function, numbers that differ are parameters, and guards have variables before comparisons.

// CHECK:       #define HAND_OVER(pipes, id) (SetFlag<HardEvent::pipes>(id), WaitFlag<HardEvent::pipes>(id))
// CHECK:       static __aicore__ inline void [[LOAD:load]](bool [[A:v[_0-9]*]], int64_t [[B:v[_0-9]*]],
// CHECK:         if ([[A]] | ([[B]] < 32)) {
// CHECK:         DataCopy(l1, {{.*}}, Nd2NzParams(1, {{.*}}, [[N:n[0-9]*]], 1, 0));
// CHECK:       extern "C" __global__ __aicore__ void matmul_relu_kernel(GM_ADDR gm0, int64_t gm0_d0, int64_t gm0_d1, GM_ADDR gm1,{{[[:space:]]+}}int64_t gm1_d1, GM_ADDR gm2,
// CHECK:         Global<float> g2(gm2);
// CHECK-NEXT:    Global<half> g0(gm0), g1(gm1), g3(gm3);
// CHECK:         LocalTensor<half> [[X:l1_[0-9]+]][3]{{[{][{]}}L1, 0, 4096}, {L1, 8192, 4096}, {L1, 16384, 4096}}; // 128x32
// CHECK:         HAND_OVER(MTE1_M, 0);
// CHECK:         for (int64_t c = 0; c < 6; c += 1) SetFlag<HardEvent::MTE1_MTE2>(c);
// CHECK:         for (int64_t [[I:i[0-9]+]] = 0; [[I]] < [[WHOLE:v[0-9]+]]; [[I]] += 3)
// CHECK-NEXT:      for (int64_t step = 0; step < 3; step += 1) {
// CHECK:             [[LOAD]]({{.*}}, [[X]][step], {{.*}}, 128, step, 0);
// CHECK:             [[LOAD]]({{.*}}, 32, step, 1);
// CHECK:             if (step % 2 == 0) WaitFlag<HardEvent::M_MTE1>(0);
// CHECK:             HAND_OVER(MTE1_M, step % 2);
// CHECK:             if (step % 2 == 0) SetFlag<HardEvent::M_MTE1>(0);
// CHECK-NEXT:      }
// CHECK:         for (int64_t c = 0; c < 6; c += 1) WaitFlag<HardEvent::MTE1_MTE2>(c);
// CHECK:         for (int64_t step = 0; step < 2 && [[WHOLE]] + step < s0; step += 1) {
// CHECK:           [[LOAD]]({{.*}}, [[X]][step], {{.*}}, 128, step, 0);

!tile = memref<64xf32, #tile.ub>

// OWN:      LocalTensor<float> [[X:ub[0-9]+]](UB, 0, 64), [[Y:ub[0-9]+]](UB, 256, 64), {{ub[0-9]+}}(UB, 512, 64); // 64
// OWN-NEXT: if (s0 > 0) Exp([[X]], [[X]], 64);
// OWN-NEXT: else Ln([[Y]], [[Y]], 64);
// OWN-NEXT: if (s0 < 8) {
// OWN-NEXT:   Exp
// OWN-NEXT: } else {
// OWN-NEXT:   Ln
// OWN-NEXT:   Ln
// OWN-NEXT: }
// OWN-NEXT: for (int64_t [[I:i[0-9]+]] = 0; [[I]] < s0; [[I]] += 1) Exp
// OWN-NEXT: SetFlag<HardEvent::V_MTE3>(0); SetFlag<HardEvent::V_MTE3>(2); SetFlag<HardEvent::V_S>(1); WaitFlag<HardEvent::MTE2_V>(0);
// OWN-NEXT: WaitFlag<HardEvent::MTE2_V>(2); WaitFlag<HardEvent::MTE3_V>(1);
func.func @own(%s: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  tile.kernel (%b) in (%s) {
    %x = tile.alloc {ascend.address = 0 : i64, ascend.multi_buffer = 2 : i64} : !tile
    %y = tile.alloc {ascend.address = 256 : i64, ascend.multi_buffer = 2 : i64} : !tile
    %z = tile.alloc {ascend.address = 512 : i64, ascend.multi_buffer = 2 : i64} : !tile
    %isThere = arith.cmpi sgt, %n, %c0 : index
    scf.if %isThere {
      ascend.unary exp %x, %x : !tile, !tile
    } else {
      ascend.unary ln %y, %y : !tile, !tile
    }
    %isShort = arith.cmpi slt, %n, %c8 : index
    scf.if %isShort {
      ascend.unary exp %x, %x : !tile, !tile
    } else {
      ascend.unary ln %y, %y : !tile, !tile
      ascend.unary ln %z, %z : !tile, !tile
    }
    scf.for %i = %c0 to %n step %c1 {
      ascend.unary exp %x, %x : !tile, !tile
    }
    ascend.set_flag v to s id(1)
    ascend.set_flag v to mte3 id(2)
    ascend.set_flag v to mte3 id(0)
    ascend.wait_flag mte2 to v id(2)
    ascend.wait_flag mte3 to v id(1)
    ascend.wait_flag mte2 to v id(0)
  }
  return
}

// Stores of numbers that grow by a step are a loop; two comparisons are one condition.

// STORES:      inline bool inside(int64_t a, int64_t size) { return a >= 0 && a < size; }
// STORES:      LocalTensor<int32_t> [[I:ub[0-9]+]]
// STORES:      LocalTensor<float> [[F:ub[0-9]+]]
// STORES:      for (int64_t c = 0; c < 4; c += 1) [[F]].SetValue(c + 2, float(c * 3 - 1));
// STORES-NEXT: [[F]].SetValue(6, 0.5f);
// STORES-NEXT: for (int64_t c = 0; c < 4; c += 1) [[I]].SetValue(c, int32_t(7));
// STORES-NEXT: [[I]].SetValue(4, int32_t(8));
// STORES-NEXT: [[I]].SetValue(5, int32_t(9));
// STORES-NEXT: [[I]].SetValue(6, int32_t(10));
// STORES-NEXT: if (inside(s0 - 4, s1)) Exp(
func.func @stores(%s: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %i7 = arith.constant 7 : i32
  %i8 = arith.constant 8 : i32
  %i9 = arith.constant 9 : i32
  %i10 = arith.constant 10 : i32
  %fm1 = arith.constant -1.0 : f32
  %f2 = arith.constant 2.0 : f32
  %f5 = arith.constant 5.0 : f32
  %f8 = arith.constant 8.0 : f32
  %half = arith.constant 0.5 : f32
  tile.kernel (%b) in (1) {
    %i = tile.alloc {ascend.address = 0 : i64} : memref<64xi32, #tile.ub>
    %x = tile.alloc {ascend.address = 256 : i64} : !tile
    memref.store %fm1, %x[%c2] : !tile
    memref.store %f2, %x[%c3] : !tile
    memref.store %f5, %x[%c4] : !tile
    memref.store %f8, %x[%c5] : !tile
    memref.store %half, %x[%c6] : !tile
    memref.store %i7, %i[%c0] : memref<64xi32, #tile.ub>
    memref.store %i7, %i[%c1] : memref<64xi32, #tile.ub>
    memref.store %i7, %i[%c2] : memref<64xi32, #tile.ub>
    memref.store %i7, %i[%c3] : memref<64xi32, #tile.ub>
    memref.store %i8, %i[%c4] : memref<64xi32, #tile.ub>
    memref.store %i9, %i[%c5] : memref<64xi32, #tile.ub>
    memref.store %i10, %i[%c6] : memref<64xi32, #tile.ub>
    %at = affine.apply affine_map<(d0) -> (d0 - 4)>(%s)
    %low = arith.cmpi sge, %at, %c0 : index
    %high = arith.cmpi slt, %at, %n : index
    %isInside = arith.andi %low, %high : i1
    scf.if %isInside {
      ascend.unary exp %x, %x : !tile, !tile
    }
  }
  return
}
