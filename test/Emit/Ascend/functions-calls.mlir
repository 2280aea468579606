// RUN: tile-translate --mlir-to-ascendc %s | FileCheck %s

// The function of statements that call another function stands behind it, though it is found in a later round.

// Functions that use no variable of the kernel are no part of a structure.

// CHECK-NOT:   struct
// CHECK:       static __aicore__ inline void [[A:compute[0-9]*]](
// CHECK-NEXT:    Exp(
// CHECK:       static __aicore__ inline void [[B:compute[0-9]*]](
// CHECK-NEXT:    [[A]](
// CHECK-NEXT:    Add(
// CHECK:       void nested_kernel(
// CHECK:         [[B]](
// CHECK-NEXT:    Relu(
// CHECK-NEXT:    [[B]](
// CHECK-NEXT:    [[A]](
!tile = memref<64xf32, #tile.ub>
func.func @nested() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    %y = tile.alloc {ascend.address = 256 : i64} : !tile
    %z = tile.alloc {ascend.address = 512 : i64} : !tile
    ascend.unary exp %x, %y : !tile, !tile
    ascend.unary ln %x, %y : !tile, !tile
    ascend.binary mul %x, %x, %y : !tile, !tile, !tile
    ascend.unary abs %y, %x : !tile, !tile
    ascend.unary sqrt %y, %y : !tile, !tile
    ascend.binary add %x, %x, %y : !tile, !tile, !tile
    ascend.unary abs %x, %y : !tile, !tile
    ascend.binary max %x, %y, %x : !tile, !tile, !tile
    ascend.unary ln %y, %x : !tile, !tile
    ascend.binary sub %x, %x, %y : !tile, !tile, !tile
    ascend.binary min %y, %x, %y : !tile, !tile, !tile
    ascend.unary relu %x, %y : !tile, !tile
    ascend.unary exp %y, %z : !tile, !tile
    ascend.unary ln %y, %z : !tile, !tile
    ascend.binary mul %y, %y, %z : !tile, !tile, !tile
    ascend.unary abs %z, %y : !tile, !tile
    ascend.unary sqrt %z, %z : !tile, !tile
    ascend.binary add %y, %y, %z : !tile, !tile, !tile
    ascend.unary abs %y, %z : !tile, !tile
    ascend.binary max %y, %z, %y : !tile, !tile, !tile
    ascend.unary ln %z, %y : !tile, !tile
    ascend.binary sub %y, %y, %z : !tile, !tile, !tile
    ascend.binary min %z, %y, %z : !tile, !tile, !tile
    ascend.unary exp %z, %x : !tile, !tile
    ascend.unary ln %z, %x : !tile, !tile
    ascend.binary mul %z, %z, %x : !tile, !tile, !tile
    ascend.unary abs %x, %z : !tile, !tile
    ascend.unary sqrt %x, %x : !tile, !tile
    ascend.unary exp %x, %x : !tile, !tile
    ascend.unary relu %z, %x : !tile, !tile
    ascend.unary exp %x, %z : !tile, !tile
    ascend.unary ln %x, %z : !tile, !tile
    ascend.binary mul %x, %x, %z : !tile, !tile, !tile
    ascend.unary abs %z, %x : !tile, !tile
    ascend.unary sqrt %z, %z : !tile, !tile
    ascend.unary exp %x, %x : !tile, !tile
  }
  return
}

// A variable to which both sides of a branch give a value stays where it is declared: the branches are no function, though
// they are alike.

// CHECK-LABEL: void branches_kernel(
// CHECK:         float [[V:v[0-9]+]];
// CHECK-NEXT:    if (
// CHECK:           [[V]] = s1_value;
// CHECK:         } else {
// CHECK:           [[V]] =
// CHECK:         Muls({{.*}}, [[V]],
// CHECK:         float [[W:v[0-9]+]];
// CHECK-NEXT:    if (
// CHECK:           [[W]] =
// CHECK:         } else {
// CHECK:           [[W]] =
// CHECK:         Muls({{.*}}, [[W]],
func.func @branches(%n: index, %s: f32) {
  %c0 = arith.constant 0 : index
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    %y = tile.alloc {ascend.address = 256 : i64} : !tile
    %more = arith.cmpi slt, %b, %n : index
    %r = scf.if %more -> f32 {
      ascend.unary exp %x, %x : !tile, !tile
      ascend.unary ln %x, %x : !tile, !tile
      ascend.unary abs %x, %x : !tile, !tile
      scf.yield %s : f32
    } else {
      ascend.unary sqrt %x, %x : !tile, !tile
      %twice = arith.addf %s, %s : f32
      scf.yield %twice : f32
    }
    ascend.scalar muls %x, %x, %r : !tile, !tile, f32
    %q = scf.if %more -> f32 {
      ascend.unary exp %y, %y : !tile, !tile
      ascend.unary ln %y, %y : !tile, !tile
      ascend.unary abs %y, %y : !tile, !tile
      scf.yield %s : f32
    } else {
      ascend.unary sqrt %y, %y : !tile, !tile
      %twice = arith.addf %s, %s : f32
      scf.yield %twice : f32
    }
    ascend.scalar muls %y, %y, %q : !tile, !tile, f32
  }
  return
}

// What a comparison compares with is a variable like any other: here one that the kernel computes once.
// CHECK-LABEL: struct compared_kernel_state {
//       CHECK: void compute{{[0-9]*}}(
//       CHECK:   if ({{.*}} > [[LIMIT:v[0-9]+]]) {
//       CHECK:   [[LIMIT]] = b0 * s0;
func.func @compared(%n: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    %y = tile.alloc {ascend.address = 256 : i64} : !tile
    %limit = arith.muli %b, %n : index
    %one = arith.addi %n, %c1 : index
    %first = arith.cmpi sgt, %one, %limit : index
    scf.if %first {
      ascend.unary exp %x, %x : !tile, !tile
      ascend.unary ln %x, %x : !tile, !tile
      ascend.unary abs %x, %x : !tile, !tile
      ascend.unary sqrt %x, %x : !tile, !tile
      ascend.unary relu %x, %x : !tile, !tile
    }
    ascend.unary relu %x, %y : !tile, !tile
    %two = arith.addi %n, %c2 : index
    %second = arith.cmpi sgt, %two, %limit : index
    scf.if %second {
      ascend.unary exp %y, %y : !tile, !tile
      ascend.unary ln %y, %y : !tile, !tile
      ascend.unary abs %y, %y : !tile, !tile
      ascend.unary sqrt %y, %y : !tile, !tile
      ascend.unary relu %y, %y : !tile, !tile
    }
  }
  return
}
