// RUN: tile-translate --mlir-to-ascendc %s | FileCheck %s
// RUN: tile-translate --mlir-to-ascend-host %s | FileCheck %s --check-prefix=HOST

// A scalar that is used once stands in its use, with the sign that it has: a quotient of unsigned numbers is a variable
// before it is compared with a negative one.

// CHECK:       static __aicore__ inline int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
// CHECK-LABEL: void signs_kernel(
// CHECK:         const int64_t {{.*}}[[Q:v[0-9]+]] = (uint64_t)(s0) / (uint64_t)(16);
// CHECK-NEXT:    const int64_t [[M:v[0-9]+]] = (uint64_t)(s0) > (uint64_t)(s1) ? (uint64_t)(s0) : (uint64_t)(s1);
// CHECK:         if ([[Q]] > s1)
// CHECK-NEXT:    if ([[M]] < 0)
// CHECK:         if ((larger(s0, s1) - 1) > 0)

// The host has the functions of its own text, in C.

// HOST:       static inline int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
// HOST-NOT:   smaller
// HOST:       const int64_t [[N:v[0-9]+]] = larger(
// HOST:       [[N]]
!tile = memref<64xf32, #tile.ub>
func.func @signs(%a: index, %c: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %blocks = arith.maxsi %a, %c1 : index
  tile.kernel (%b) in (%blocks) {
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    %q = arith.divui %a, %c16 : index
    %isMore = arith.cmpi sgt, %q, %c : index
    scf.if %isMore {
      ascend.unary exp %x, %x : !tile, !tile
    }
    %m = arith.maxui %a, %c : index
    %isLess = arith.cmpi slt, %m, %c0 : index
    scf.if %isLess {
      ascend.unary ln %x, %x : !tile, !tile
    }
    %l = arith.maxsi %a, %c : index
    %before = arith.subi %l, %c1 : index
    %isPositive = arith.cmpi sgt, %before, %c0 : index
    scf.if %isPositive {
      ascend.unary abs %x, %x : !tile, !tile
    }
  }
  return
}
