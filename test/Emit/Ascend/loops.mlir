// RUN: tile-translate --mlir-to-ascendc %s | FileCheck %s

// Blocks behind guards that differ in buffers, flags and numbers alone are the rounds of a loop, as the steps of a loop with several iterations in
// flight are. Buffers of a pipeline are an array, numbers are computed of the step, and flags that one round has are behind a condition.

// CHECK-LABEL: void steps_kernel(
// CHECK:         LocalTensor<float> [[X:ub[0-9]+]][2]{{[{][{]}}UB, 0, 64}, {UB, 256, 64}}, [[SUM:ub[0-9]+]](UB, 512, 64); // 64
// CHECK-NEXT:    for (int64_t [[I:i[0-9]+]] = 0; [[I]] < s0; [[I]] += 2)
// CHECK-NEXT:      for (int64_t step = 0; step < 2; step += 1) {
// CHECK-NEXT:        if ([[I]] + step < s0) {
// CHECK-NEXT:          const int64_t [[AT:v[0-9]+]] = [[I]] * 64 + step * 64;
// CHECK-NEXT:          WaitFlag<HardEvent::V_MTE2>(step);
// CHECK-NEXT:          DataCopyPad([[X]][step], g0{{\[}}[[AT]]], {1, 256, 0, 0, 0}, {false, 0, 0, float(0)}); HAND_OVER(MTE2_V, step);
// CHECK-NEXT:          Add([[SUM]], [[SUM]], [[X]][step], 64);
// CHECK-NEXT:          Abs([[SUM]], [[SUM]], 64);
// CHECK-NEXT:          Sqrt([[SUM]], [[SUM]], 64);
// CHECK-NEXT:          Relu([[SUM]], [[SUM]], 64); SetFlag<HardEvent::V_MTE2>(step);
// CHECK-NEXT:        } else if (step == 1) {
// CHECK-NEXT:          WaitFlag<HardEvent::V_MTE2>(1); SetFlag<HardEvent::V_MTE2>(1);
// CHECK-NEXT:        }
// CHECK-NEXT:      }
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

// A flag is handed over though another wait stands between its two calls, but not past what its pipe does there: the vector unit sets a flag. Four rounds
// take two buffers and flags in turn, what is loaded ahead is counted from another step, and what is computed once for each round is computed in the loop.

// CHECK-LABEL: void turns_kernel(
// CHECK:         LocalTensor<float> [[X:ub[0-9]+]][2]{{[{][{]}}UB, 0, 64}, {UB, 256, 64}}; // 64
// CHECK-NEXT:    HAND_OVER(MTE2_V, 0); WaitFlag<HardEvent::MTE3_MTE2>(0); PipeBarrier<PIPE_MTE2>(); SetFlag<HardEvent::MTE2_V>(0);
// CHECK-NEXT:    HAND_OVER(V_MTE3, 0); WaitFlag<HardEvent::MTE2_V>(0);
// CHECK-NEXT:    for (int64_t [[I:i[0-9]+]] = 0; [[I]] < s0; [[I]] += 4)
// CHECK-NEXT:      for (int64_t step = 0; step < 4; step += 1) {
// CHECK-NEXT:        const int64_t [[AT:v[0-9]+]] = b0 * 4 + (step + 1) % 4;
// CHECK-NEXT:        if (inside([[I]] + step - 3, s0)) {
// CHECK-NEXT:          const int64_t [[FROM:v[0-9]+]] = [[AT]] * 64;
// CHECK-NEXT:          DataCopyPad([[X]][step % 2], g0{{\[}}[[FROM]]], {{.*}}; HAND_OVER(MTE2_V, step % 2);
// CHECK-NEXT:          Abs([[X]][step % 2], [[X]][step % 2], 64);
// CHECK-NEXT:        }
// CHECK-NEXT:        Sqrt([[X]][step % 2], [[X]][step % 2], 64);
// CHECK-NEXT:      }
func.func @turns(%g: !gm, %n: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    %y = tile.alloc {ascend.address = 256 : i64} : !tile
    ascend.set_flag mte2 to v id(0)
    ascend.wait_flag mte3 to mte2 id(0)
    ascend.wait_flag mte2 to v id(0)
    ascend.pipe_barrier mte2
    ascend.set_flag mte2 to v id(0)
    ascend.set_flag v to mte3 id(0)
    ascend.wait_flag mte2 to v id(0)
    ascend.wait_flag v to mte3 id(0)
    %at0 = affine.apply affine_map<(d0) -> (d0 * 4)>(%b)
    %at1 = affine.apply affine_map<(d0) -> (d0 * 4 + 1)>(%b)
    %at2 = affine.apply affine_map<(d0) -> (d0 * 4 + 2)>(%b)
    %at3 = affine.apply affine_map<(d0) -> (d0 * 4 + 3)>(%b)
    scf.for %i = %c0 to %n step %c4 {
      %j0 = affine.apply affine_map<(d0) -> (d0 - 3)>(%i)
      %low0 = arith.cmpi sge, %j0, %c0 : index
      %high0 = arith.cmpi slt, %j0, %n : index
      %in0 = arith.andi %low0, %high0 : i1
      scf.if %in0 {
        %from = affine.apply affine_map<(d0) -> (d0 * 64)>(%at1)
        %part = memref.subview %g[%from] [64] [1] : !gm to !part
        ascend.copy_gm_to_ub %x, %part {checked} : !tile, !part
        ascend.set_flag mte2 to v id(0)
        ascend.wait_flag mte2 to v id(0)
        ascend.unary abs %x, %x : !tile, !tile
      }
      ascend.unary sqrt %x, %x : !tile, !tile
      %j1 = affine.apply affine_map<(d0) -> (d0 - 2)>(%i)
      %low1 = arith.cmpi sge, %j1, %c0 : index
      %high1 = arith.cmpi slt, %j1, %n : index
      %in1 = arith.andi %low1, %high1 : i1
      scf.if %in1 {
        %from = affine.apply affine_map<(d0) -> (d0 * 64)>(%at2)
        %part = memref.subview %g[%from] [64] [1] : !gm to !part
        ascend.copy_gm_to_ub %y, %part {checked} : !tile, !part
        ascend.set_flag mte2 to v id(1)
        ascend.wait_flag mte2 to v id(1)
        ascend.unary abs %y, %y : !tile, !tile
      }
      ascend.unary sqrt %y, %y : !tile, !tile
      %j2 = affine.apply affine_map<(d0) -> (d0 - 1)>(%i)
      %low2 = arith.cmpi sge, %j2, %c0 : index
      %high2 = arith.cmpi slt, %j2, %n : index
      %in2 = arith.andi %low2, %high2 : i1
      scf.if %in2 {
        %from = affine.apply affine_map<(d0) -> (d0 * 64)>(%at3)
        %part = memref.subview %g[%from] [64] [1] : !gm to !part
        ascend.copy_gm_to_ub %x, %part {checked} : !tile, !part
        ascend.set_flag mte2 to v id(0)
        ascend.wait_flag mte2 to v id(0)
        ascend.unary abs %x, %x : !tile, !tile
      }
      ascend.unary sqrt %x, %x : !tile, !tile
      %in3 = arith.cmpi slt, %i, %n : index
      scf.if %in3 {
        %from = affine.apply affine_map<(d0) -> (d0 * 64)>(%at0)
        %part = memref.subview %g[%from] [64] [1] : !gm to !part
        ascend.copy_gm_to_ub %y, %part {checked} : !tile, !part
        ascend.set_flag mte2 to v id(1)
        ascend.wait_flag mte2 to v id(1)
        ascend.unary abs %y, %y : !tile, !tile
      }
      ascend.unary sqrt %y, %y : !tile, !tile
    }
  }
  return
}

// A buffer that all rounds have in common is an element of an array, too, where another place has it in one round alone.

// CHECK-LABEL: void common_kernel(
// CHECK:         LocalTensor<float> [[A:ub[0-9]+]][2]{{.*}}, [[X:ub[0-9]+]][2]
// CHECK:         for (int64_t step = 0; step < 2; step += 1) {
// CHECK-NEXT:      Add([[A]][step], [[X]][0], [[X]][step], 64);
// CHECK-NEXT:      Exp([[A]][step], [[X]][step], 64);
// CHECK-NEXT:      Abs([[A]][step], [[A]][step], 64);
// CHECK-NEXT:      Sqrt([[A]][step], [[X]][0], 64);
// CHECK-NEXT:    }
func.func @common() {
  tile.kernel (%b) in (1) {
    %a = tile.alloc {ascend.address = 0 : i64} : !tile
    %c = tile.alloc {ascend.address = 256 : i64} : !tile
    %x = tile.alloc {ascend.address = 512 : i64} : !tile
    %y = tile.alloc {ascend.address = 768 : i64} : !tile
    ascend.binary add %a, %x, %x : !tile, !tile, !tile
    ascend.unary exp %a, %x : !tile, !tile
    ascend.unary abs %a, %a : !tile, !tile
    ascend.unary sqrt %a, %x : !tile, !tile
    ascend.binary add %c, %x, %y : !tile, !tile, !tile
    ascend.unary exp %c, %y : !tile, !tile
    ascend.unary abs %c, %c : !tile, !tile
    ascend.unary sqrt %c, %x : !tile, !tile
  }
  return
}

// Tensors in GM are no arrays, and what a round reads of memory is not computed at its beginning: here of a tile that the round before writes.

// CHECK-LABEL: void reads_kernel(
// CHECK:         for (int64_t step = 0; step < 3; step += 1) {
// CHECK-NEXT:      Adds([[X:ub[0-9]+]], [[X]], 1.0f, 64);
// CHECK-NEXT:      const float [[V:v[0-9]+]] = [[X]].GetValue(step), [[W:v[0-9]+]] = [[V]] + [[V]];
// CHECK-NEXT:      Muls([[X]], [[X]], [[W]], 64);
// CHECK-NEXT:      Abs([[X]], [[X]], 64);
// CHECK-NEXT:    }
// CHECK-NEXT:    DataCopyPad([[X]], g0, {{.*}};
// CHECK-NEXT:    Relu([[X]], [[X]], 64);
// CHECK-NEXT:    Abs([[X]], [[X]], 64);
// CHECK-NEXT:    Sqrt([[X]], [[X]], 64);
// CHECK-NEXT:    DataCopyPad([[X]], g1, {{.*}};
// CHECK-NEXT:    Relu([[X]], [[X]], 64);
// CHECK-NEXT:    Abs([[X]], [[X]], 64);
// CHECK-NEXT:    Sqrt([[X]], [[X]], 64);
// CHECK-NEXT:  }
func.func @reads(%g: memref<64xf32>, %h: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1.0 : f32
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    ascend.scalar adds %x, %x, %one : !tile, !tile, f32
    %v0 = memref.load %x[%c0] : !tile
    %w0 = arith.addf %v0, %v0 : f32
    ascend.scalar muls %x, %x, %w0 : !tile, !tile, f32
    ascend.unary abs %x, %x : !tile, !tile
    ascend.scalar adds %x, %x, %one : !tile, !tile, f32
    %v1 = memref.load %x[%c1] : !tile
    %w1 = arith.addf %v1, %v1 : f32
    ascend.scalar muls %x, %x, %w1 : !tile, !tile, f32
    ascend.unary abs %x, %x : !tile, !tile
    ascend.scalar adds %x, %x, %one : !tile, !tile, f32
    %v2 = memref.load %x[%c2] : !tile
    %w2 = arith.addf %v2, %v2 : f32
    ascend.scalar muls %x, %x, %w2 : !tile, !tile, f32
    ascend.unary abs %x, %x : !tile, !tile
    ascend.copy_gm_to_ub %x, %g : !tile, memref<64xf32>
    ascend.unary relu %x, %x : !tile, !tile
    ascend.unary abs %x, %x : !tile, !tile
    ascend.unary sqrt %x, %x : !tile, !tile
    ascend.copy_gm_to_ub %x, %h : !tile, memref<64xf32>
    ascend.unary relu %x, %x : !tile, !tile
    ascend.unary abs %x, %x : !tile, !tile
    ascend.unary sqrt %x, %x : !tile, !tile
  }
  return
}
