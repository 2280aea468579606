// RUN: tile-translate --mlir-to-ascendc %s | FileCheck %s

// Functions are called after what they do. Blocks behind guards that differ in buffers, flags and numbers are calls of one function, also where one of them has another
// side, and where they are no rounds of a loop, as something else lies between them.

// CHECK-LABEL: struct steps_kernel_state {
// CHECK:         Global<float> g0;
// CHECK:         LocalTensor<float> {{.*}}, {{ub[0-9]+}}{UB, 256, 64}, [[SUM:ub[0-9]+]]{UB, 512, 64}; // 64
// CHECK:       __aicore__ inline void loadCompute(
// CHECK-SAME:    LocalTensor<float> &[[X:ub]]
// CHECK-NEXT:    const int64_t [[AT:v[0-9]+]] = i * 64 + [[K:n[0-9]*]];
// CHECK-NEXT:    WaitFlag<HardEvent::V_MTE2>([[ID:n[0-9]*]]);
// CHECK-NEXT:    DataCopyPad([[X]], g0{{\[}}[[AT]]],
// CHECK-SAME:      HAND_OVER(MTE2_V, [[ID]]);
// CHECK-NEXT:    Add([[SUM]], [[SUM]], [[X]], 64);
// CHECK-NEXT:    Abs([[SUM]], [[SUM]], 64);
// CHECK-NEXT:    Sqrt([[SUM]], [[SUM]], 64);
// CHECK-NEXT:    Relu([[SUM]], [[SUM]], 64); SetFlag<HardEvent::V_MTE2>([[ID]]);
// CHECK-NEXT:  }
// CHECK:       void run() {
// CHECK:         for (int64_t
// CHECK:           loadCompute([[I:i[0-9]+]], 0, 0, ub
// CHECK-NOT:       DataCopyPad
// CHECK:           Ln(
// CHECK:           loadCompute([[I]], 64, 1, ub
// CHECK:         } else {
// CHECK-NOT:       Add(
!gm = memref<?xf32>
!part = memref<64xf32, strided<[1], offset: ?>>
!tile = memref<64xf32, #tile.ub>
func.func @steps(%g: !gm, %n: index) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    %y = tile.alloc {ascend.address = 256 : i64} : !tile
    %sum = tile.alloc {ascend.address = 512 : i64} : !tile
    scf.for %i = %c0 to %n step %c2 {
      %more = arith.cmpi slt, %i, %n : index
      scf.if %more {
        ascend.wait_flag v to mte2 id(0)
        %at = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
        %part = memref.subview %g[%at] [64] [1] : !gm to !part
        ascend.copy_gm_to_ub %x, %part {checked} : !tile, !part
        ascend.set_flag mte2 to v id(0)
        ascend.wait_flag mte2 to v id(0)
        ascend.binary add %sum, %sum, %x : !tile, !tile, !tile
        ascend.unary abs %sum, %sum : !tile, !tile
        ascend.unary sqrt %sum, %sum : !tile, !tile
        ascend.unary relu %sum, %sum : !tile, !tile
        ascend.set_flag v to mte2 id(0)
      }
      ascend.unary ln %sum, %sum : !tile, !tile
      %next = affine.apply affine_map<(d0) -> (d0 + 1)>(%i)
      %again = arith.cmpi slt, %next, %n : index
      scf.if %again {
        ascend.wait_flag v to mte2 id(1)
        %at = affine.apply affine_map<(d0) -> (d0 * 64 + 64)>(%i)
        %part = memref.subview %g[%at] [64] [1] : !gm to !part
        ascend.copy_gm_to_ub %y, %part {checked} : !tile, !part
        ascend.set_flag mte2 to v id(1)
        ascend.wait_flag mte2 to v id(1)
        ascend.binary add %sum, %sum, %y : !tile, !tile, !tile
        ascend.unary abs %sum, %sum : !tile, !tile
        ascend.unary sqrt %sum, %sum : !tile, !tile
        ascend.unary relu %sum, %sum : !tile, !tile
        ascend.set_flag v to mte2 id(1)
      } else {
        ascend.wait_flag v to mte2 id(1)
        ascend.set_flag v to mte2 id(1)
      }
    }
  }
  return
}
