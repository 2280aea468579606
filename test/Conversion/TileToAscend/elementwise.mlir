// RUN: tile-opt %s --ascend-infer-memory --convert-tile-to-ascend --canonicalize | FileCheck %s

// Scalar arithmetic of tile.parallel as vector instructions.

// A row is repeated for all rows, a column as a block for each row, and a scalar is an operand. The last instruction writes
// to the tile.
// CHECK-LABEL: func.func @elementwise
// CHECK-DAG:     %[[TWO:.*]] = arith.constant 2.0
// CHECK-DAG:     %[[BLOCKS:.*]] = tile.alloc : memref<16x8xf32, #tile.ub>
// CHECK-DAG:     %[[C:.*]] = tile.alloc : memref<16xf32, #tile.ub>
// CHECK-DAG:     %[[R:.*]] = tile.alloc : memref<64xf32, #tile.ub>
// CHECK:         ascend.binary add %[[S:.*]], %[[T:.*]], %[[R]] rhs({{ *}}row) : memref<16x64xf32, #tile.ub>
// CHECK-NEXT:    ascend.brcb %[[BLOCKS]], %[[C]]
// CHECK-NEXT:    ascend.binary mul %[[P:.*]], %[[S]], %[[BLOCKS]] rhs({{ *}}column)
// CHECK-NEXT:    ascend.scalar muls %[[Q:.*]], %[[P]], %[[TWO]]
// CHECK-NEXT:    ascend.unary exp %[[T]], %[[Q]]
func.func @elementwise(%o: memref<16x64xf32>) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<16x64xf32, #tile.shared>
    %r = tile.alloc : memref<64xf32, #tile.shared>
    %c = tile.alloc : memref<16xf32, #tile.shared>
    %two = arith.constant 2.0 : f32
    tile.parallel (%i, %j) in (16, 64) {
      %x = memref.load %t[%i, %j] : memref<16x64xf32, #tile.shared>
      %y = memref.load %r[%j] : memref<64xf32, #tile.shared>
      %z = memref.load %c[%i] : memref<16xf32, #tile.shared>
      %s = arith.addf %x, %y : f32
      %p = arith.mulf %s, %z : f32
      %q = arith.mulf %p, %two : f32
      %e = math.exp %q : f32
      memref.store %e, %t[%i, %j] : memref<16x64xf32, #tile.shared>
    }
    tile.copy %t, %o : memref<16x64xf32, #tile.shared>, memref<16x64xf32>
  }
  return
}

// Bytes are computed with as i16; the low half of a sum is taken with its sign.
// CHECK-LABEL: func.func @bytes
// CHECK:         ascend.cast none %[[H:.*]], %[[T:.*]] : memref<64xf16, #tile.ub>, memref<64xi8, #tile.ub>
// CHECK-NEXT:    ascend.cast trunc %[[X:.*]], %[[H]] : memref<64xi16, #tile.ub>
// CHECK-NEXT:    ascend.binary add %[[S:.*]], %[[X]], %[[X]]
// CHECK-NEXT:    ascend.scalar shl %[[HIGH:.*]], %[[S]], %c8_i16
// CHECK-NEXT:    ascend.scalar shrs %[[LOW:.*]], %[[HIGH]], %c8_i16
// CHECK-NEXT:    ascend.cast rint %[[H:.*]], %[[LOW]] : memref<64xf16, #tile.ub>
// CHECK-NEXT:    ascend.cast trunc %[[T]], %[[H]] : memref<64xi8, #tile.ub>
func.func @bytes(%o: memref<64xi8>) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64xi8, #tile.shared>
    tile.parallel (%i) in (64) {
      %v = memref.load %t[%i] : memref<64xi8, #tile.shared>
      %s = arith.addi %v, %v : i8
      memref.store %s, %t[%i] : memref<64xi8, #tile.shared>
    }
    tile.copy %t, %o : memref<64xi8, #tile.shared>, memref<64xi8>
  }
  return
}

// Where powers of 2 may be approximate, the logarithm of 2 is in the factors of a softmax: 0.125 ln 2. Others are exact.
// CHECK-LABEL: func.func @power
// CHECK-DAG:     %[[SCALE:.*]] = arith.constant 0.0866433978
// CHECK-DAG:     %[[LN2:.*]] = arith.constant 0.693147182
// CHECK-NOT:     ascend.scalar muls %{{.*}}, %{{.*}}, %[[LN2]]
// CHECK-DAG:     ascend.scalar muls %[[X:.*]], %{{.*}}, %[[SCALE]] : memref<16x64xf32
// CHECK-DAG:     ascend.scalar muls %{{.*}}, %{{.*}}, %[[SCALE]] : memref<16xf32
// CHECK:         ascend.binary sub
// CHECK-NEXT:    ascend.unary exp
// CHECK:         ascend.scalar muls %[[Y:.*]], %{{.*}}, %[[LN2]]
// CHECK-NEXT:    ascend.unary exp %{{.*}}, %[[Y]]
func.func @power() {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<16x64xf32, #tile.shared>
    %c = tile.alloc : memref<16xf32, #tile.shared>
    %scale = arith.constant 0.125 : f32
    tile.parallel (%i, %j) in (16, 64) {
      %x = memref.load %t[%i, %j] : memref<16x64xf32, #tile.shared>
      %y = memref.load %c[%i] : memref<16xf32, #tile.shared>
      %xs = arith.mulf %x, %scale : f32
      %ys = arith.mulf %y, %scale : f32
      %d = arith.subf %xs, %ys : f32
      %e = math.exp2 %d fastmath<afn> : f32
      memref.store %e, %t[%i, %j] : memref<16x64xf32, #tile.shared>
    }
    tile.parallel (%i) in (16) {
      %y = memref.load %c[%i] : memref<16xf32, #tile.shared>
      %e = math.exp2 %y : f32
      memref.store %e, %c[%i] : memref<16xf32, #tile.shared>
    }
  }
  return
}
