// RUN: tile-translate --mlir-to-ascendc %s | FileCheck %s

// Each op is one call: by a number of elements where they follow one another, by mask, repeats and strides where they do
// not.

// CHECK-LABEL: void vectors_kernel(
func.func @vectors(%s: f32) {
  tile.kernel (%b) in (1) {
    // CHECK: LocalTensor<float> [[X:ub[0-9]+]](UB, 0, 1152); // 16x72
    // CHECK: LocalTensor<float> [[Y:ub[0-9]+]](UB, 4608, 1024); // 16x64
    // CHECK: LocalTensor<float> [[C:ub[0-9]+]](UB, 8704, 128); // 16x8
    // CHECK: LocalTensor<float> [[L:ub[0-9]+]](UB, 16384, 2048); // 2048
    // CHECK: LocalTensor<half> [[H:ub[0-9]+]](UB, 32768, 2048); // 2048
    %x = tile.alloc {ascend.address = 0 : i64} : memref<16x72xf32, #tile.ub>
    %y = tile.alloc {ascend.address = 4608 : i64} : memref<16x64xf32, #tile.ub>
    %c = tile.alloc {ascend.address = 8704 : i64} : memref<16x8xf32, #tile.ub>
    %l = tile.alloc {ascend.address = 16384 : i64} : memref<2048xf32, #tile.ub>
    %h = tile.alloc {ascend.address = 32768 : i64} : memref<2048xf16, #tile.ub>
    %m = tile.alloc {ascend.address = 36864 : i64} : memref<256xi8, #tile.ub>
    %p = memref.subview %x[0, 8] [16, 64] [1, 1]
      : memref<16x72xf32, #tile.ub> to memref<16x64xf32, strided<[72, 1], offset: 8>, #tile.ub>
    // CHECK: Exp([[Y]], [[Y]], 1024);
    ascend.unary exp %y, %y : memref<16x64xf32, #tile.ub>, memref<16x64xf32, #tile.ub>
    // CHECK-NEXT: Add([[Y]], [[X]][8], [[C]], uint64_t(64), 16, BinaryRepeatParams{1, 1, 0, 8, 9, 1});
    ascend.binary add %y, %p, %c rhs(column)
      : memref<16x64xf32, #tile.ub>, memref<16x64xf32, strided<[72, 1], offset: 8>, #tile.ub>, memref<16x8xf32, #tile.ub>
    // CHECK-NEXT: Muls([[X]][8], [[X]][8], s0_value, uint64_t(64), 16, UnaryRepeatParams{1, 1, 9, 9});
    ascend.scalar muls %p, %p, %s
      : memref<16x64xf32, strided<[72, 1], offset: 8>, #tile.ub>, memref<16x64xf32, strided<[72, 1], offset: 8>, #tile.ub>, f32
    // CHECK-NEXT: Duplicate([[X]][8], s0_value, uint64_t(64), 16, 1, 9);
    ascend.duplicate %p, %s : memref<16x64xf32, strided<[72, 1], offset: 8>, #tile.ub>, f32
    // CHECK-NEXT: Copy([[Y]], [[X]][8], uint64_t(64), 16, CopyRepeatParams{1, 1, 8, 9});
    ascend.copy_ub %y, %p : memref<16x64xf32, #tile.ub>, memref<16x64xf32, strided<[72, 1], offset: 8>, #tile.ub>
    // A row of whole repeats, of 32 and of 16 bits.
    %r = memref.subview %x[0, 0] [1, 64] [1, 1] : memref<16x72xf32, #tile.ub> to memref<64xf32, strided<[1]>, #tile.ub>
    // CHECK-NEXT: Copy([[Y]], [[X]], uint64_t(64), 1, CopyRepeatParams{1, 1, 8, 8});
    %f = memref.subview %y[0, 0] [1, 64] [1, 1] : memref<16x64xf32, #tile.ub> to memref<64xf32, strided<[1]>, #tile.ub>
    ascend.copy_ub %f, %r : memref<64xf32, strided<[1]>, #tile.ub>, memref<64xf32, strided<[1]>, #tile.ub>
    // CHECK-NEXT: Copy([[L]], [[L]][1024], uint64_t(64), 16, CopyRepeatParams{1, 1, 8, 8});
    %first = memref.subview %l[0] [1024] [1] : memref<2048xf32, #tile.ub> to memref<1024xf32, strided<[1]>, #tile.ub>
    %second = memref.subview %l[1024] [1024] [1] : memref<2048xf32, #tile.ub> to memref<1024xf32, strided<[1], offset: 1024>, #tile.ub>
    ascend.copy_ub %first, %second
      : memref<1024xf32, strided<[1]>, #tile.ub>, memref<1024xf32, strided<[1], offset: 1024>, #tile.ub>
    // CHECK-NEXT: Copy([[H]], [[H]][1024], uint64_t(128), 8, CopyRepeatParams{1, 1, 8, 8});
    %low = memref.subview %h[0] [1024] [1] : memref<2048xf16, #tile.ub> to memref<1024xf16, strided<[1]>, #tile.ub>
    %high = memref.subview %h[1024] [1024] [1] : memref<2048xf16, #tile.ub> to memref<1024xf16, strided<[1], offset: 1024>, #tile.ub>
    ascend.copy_ub %low, %high
      : memref<1024xf16, strided<[1]>, #tile.ub>, memref<1024xf16, strided<[1], offset: 1024>, #tile.ub>
    // Masks are bytes without signs.
    // CHECK-NEXT: Compare([[M:ub[0-9]+]].ReinterpretCast<uint8_t>(), [[L]], [[L]], CMPMODE::EQ, 2048);
    ascend.compare eq %m, %l, %l : memref<256xi8, #tile.ub>, memref<2048xf32, #tile.ub>, memref<2048xf32, #tile.ub>
    // CHECK-NEXT: Select([[L]], [[M]].ReinterpretCast<uint8_t>(), [[L]], s0_value, SELMODE::VSEL_TENSOR_SCALAR_MODE, 2048);
    ascend.select %l, %m, %l, %s : memref<2048xf32, #tile.ub>, memref<256xi8, #tile.ub>, memref<2048xf32, #tile.ub>, f32
    // No barrier that is no op.
    // CHECK-NEXT: }
  }
  return
}

// The first and the last row of a region of GM, and the mode of stores.
// CHECK-LABEL: void stores_kernel(
func.func @stores(%g: memref<16x?xf32>) {
  tile.kernel (%b) in (1) {
    // CHECK: [[X:ub[0-9]+]](UB
    %x = tile.alloc {ascend.address = 0 : i64} : memref<16x64xf32, #tile.ub>
    // CHECK: SetAtomicAdd<float>();
    ascend.set_atomic add(f32)
    // CHECK-NEXT: DataCopyPad(g0, [[X]], DataCopyExtParams(16, gm0_d1 * 4, 8 - (gm0_d1 + 7) / 8, 0, 0));
    ascend.copy_ub_to_gm %g, %x {atomic, checked} : memref<16x?xf32>, memref<16x64xf32, #tile.ub>
    // CHECK-NEXT: SetAtomicNone();
    ascend.set_atomic none
    // CHECK-NEXT: SetAtomicMin<int32_t>();
    ascend.set_atomic min(i32)
    // CHECK-NEXT: SetAtomicNone(); PipeBarrier<PIPE_ALL>();
    ascend.set_atomic none
    ascend.pipe_barrier all
  }
  return
}

// A NaN is the result, or is none, as the op says.
// CHECK-LABEL: void nan_kernel(
// CHECK: const float [[A:v[0-9]+]] = g0.GetValue(0), [[B:v[0-9]+]] = g0.GetValue(1), {{.*}} = [[A]] > [[B]] || [[A]] != [[A]] ? [[A]] : [[B]]
// CHECK-SAME: = [[A]] < [[B]] || [[A]] != [[A]] ? [[A]] : [[B]]
// CHECK-NEXT: = [[A]] > [[B]] || [[B]] != [[B]] ? [[A]] : [[B]]
// CHECK-SAME: = [[A]] < [[B]] || [[B]] != [[B]] ? [[A]] : [[B]]
func.func @nan(%x: memref<2xf32>, %y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  tile.kernel (%i) in (1) {
    %a = memref.load %x[%c0] : memref<2xf32>
    %b = memref.load %x[%c1] : memref<2xf32>
    %p = arith.maximumf %a, %b : f32
    %q = arith.minimumf %a, %b : f32
    %r = arith.maxnumf %a, %b : f32
    %s = arith.minnumf %a, %b : f32
    memref.store %p, %y[%c0] : memref<4xf32>
    memref.store %q, %y[%c1] : memref<4xf32>
    memref.store %r, %y[%c2] : memref<4xf32>
    memref.store %s, %y[%c3] : memref<4xf32>
  }
  return
}
