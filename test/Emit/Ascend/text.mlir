// RUN: tile-opt --tile-to-ascend-pipeline %S/../../../examples/matmul_relu.mlir | tile-translate --mlir-to-ascendc | FileCheck %s
// RUN: tile-opt %s | tile-translate --mlir-to-ascendc | FileCheck %s --check-prefix=OWN

// Tensors of a type in GM, and the stages of a tile, have one declaration. Flags in a row are in the order of their numbers, and a loop from
// three on. A and B are loaded by one function: numbers of 16 bits in braces are parameters, and guards have variables before comparisons.

// CHECK:       inline void [[LOAD:matmul_relu_kernel_part[0-9]+]](bool [[A:v[0-9]+]], int64_t [[B:v[0-9]+]], {{.*}} int64_t [[N:n[0-9]*]], int64_t {{n[0-9]+}}) {
// CHECK-NEXT:    if ([[A]] | ([[B]] < 32)) {
// CHECK:         Nd2NzParams{1, {{.*}}, uint16_t([[N]]), 1, 0});
// CHECK:       [[LOAD]]({{.*}}, 128, {{n[0-9]*}});
// CHECK:       [[LOAD]]({{.*}}, 32, {{n[0-9]*}});
// CHECK:       GlobalTensor<half> g0, g1, g3;
// CHECK-NEXT:  g0.SetGlobalBuffer((__gm__ half *)gm0);
// CHECK:       LocalTensor<half> [[FIRST:l1_[0-9]+]](TPosition::A1, 0, 4096), {{l1_[0-9]+}}(TPosition::A1, 8192, 4096), {{l1_[0-9]+}}(TPosition::A1, 16384, 4096); // 128x32
// CHECK:       for (int64_t c = 0; c < 6; c += 1)
// CHECK-NEXT:    SetFlag<HardEvent::MTE1_MTE2>(c);
// CHECK:       for (int64_t c = 0; c < 6; c += 1)
// CHECK-NEXT:    WaitFlag<HardEvent::MTE1_MTE2>(c);

!tile = memref<64xf32, #tile.ub>

// OWN:      LocalTensor<float> [[X:ub[0-9]+]](TPosition::VECCALC, 0, 64), [[Y:ub[0-9]+]](TPosition::VECCALC, 256, 64); // 64
// OWN-NEXT: LocalTensor<float> {{ub[0-9]+}}(TPosition::VECCALC, 512, 64); // 64
// OWN-NEXT: if (s0 > 0)
// OWN-NEXT:   Exp([[X]], [[X]], 64);
// OWN-NEXT: else
// OWN-NEXT:   Ln([[Y]], [[Y]], 64);
// OWN-NEXT: if (s0 < 8) {
// OWN-NEXT:   Exp
// OWN-NEXT: } else {
// OWN-NEXT:   Ln
// OWN-NEXT:   Ln
// OWN-NEXT: }
// OWN-NEXT: for (int64_t [[I:i[0-9]+]] = 0; [[I]] < s0; [[I]] += 1)
// OWN-NEXT:   Exp
// OWN-NEXT: SetFlag<HardEvent::V_MTE3>(0);
// OWN-NEXT: SetFlag<HardEvent::V_MTE3>(2);
// OWN-NEXT: SetFlag<HardEvent::V_S>(1);
// OWN-NEXT: WaitFlag<HardEvent::V_MTE3>(0);
// OWN-NEXT: WaitFlag<HardEvent::V_MTE3>(2);
// OWN-NEXT: WaitFlag<HardEvent::V_S>(1);
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
    ascend.wait_flag v to mte3 id(2)
    ascend.wait_flag v to s id(1)
    ascend.wait_flag v to mte3 id(0)
  }
  return
}
