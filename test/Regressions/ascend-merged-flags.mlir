// Two products in a loop of stages within a loop have more flags than the chip has ids. Two that became one were set again before the
// wait was known to be over ("the flag may still be set"), and of a guard with two tests neither was decided.
//
// REQUIRES: tile-run, ascend
// RUN: tile-run --no-notes --target=ascend %s | FileCheck %s
// CHECK: 4 passed, 0 failed

func.func @two(%n: index {tile.shape = "N"}, %a: memref<16x32xf16> {tile.init = "integers(-2,2)"},
               %b: memref<?x?xf16> {tile.shape = "128x256", tile.init = "integers(-2,2)"},
               %d: memref<?x64xf16> {tile.shape = "96x64", tile.init = "integers(-2,2)"},
               %c: memref<16x64xf32> {tile.result}, %e: memref<16x64xf32> {tile.result})
    attributes {tile.reference = @two_reference, tile.cases = ["N=0", "N=1", "N=2", "N=4"]} {
  tile.kernel (%x) in (1) {
    %left = tile.alloc : memref<16x32xf16, #tile.shared>
    %first = tile.alloc : memref<16x64xf32, #tile.fragment>
    %second = tile.alloc : memref<16x64xf32, #tile.fragment>
    %most = tile.alloc : memref<16x64xf32, #tile.shared>
    %right = tile.alloc : memref<32x64xf16, #tile.shared>
    %rows = tile.alloc : memref<16x32xf16, #tile.shared>
    %columns = tile.alloc : memref<64x32xf16, #tile.shared>
    tile.copy %a, %left : memref<16x32xf16>, memref<16x32xf16, #tile.shared>
    %zero = arith.constant 0.0 : f32
    tile.fill %first, %zero : memref<16x64xf32, #tile.fragment>
    tile.fill %second, %zero : memref<16x64xf32, #tile.fragment>
    tile.fill %most, %zero : memref<16x64xf32, #tile.shared>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %s = %c0 to %n step %c1 {
      tile.pipelined %k = 0 to 2 step 1 stages(2) {
        tile.copy %b[%s * 32, %s * 64], %right : memref<?x?xf16>, memref<32x64xf16, #tile.shared>
        tile.gemm %left, %right, %second : memref<16x32xf16, #tile.shared>, memref<32x64xf16, #tile.shared>, memref<16x64xf32, #tile.fragment>
        tile.copy %d[%k * 16 + 1, 0], %rows : memref<?x64xf16>, memref<16x32xf16, #tile.shared>
        tile.copy %d[0, %k * 32], %columns : memref<?x64xf16>, memref<64x32xf16, #tile.shared>
        tile.gemm %rows, %columns, %first {transpose_b} : memref<16x32xf16, #tile.shared>, memref<64x32xf16, #tile.shared>, memref<16x64xf32, #tile.fragment>
        tile.parallel (%i, %j) in (16, 64) {
          %v = memref.load %first[%i, %j] : memref<16x64xf32, #tile.fragment>
          %w = memref.load %most[%i, %j] : memref<16x64xf32, #tile.shared>
          %m = arith.addf %v, %w : f32
          memref.store %m, %most[%i, %j] : memref<16x64xf32, #tile.shared>
        }
      }
      tile.parallel (%i, %j) in (16, 32) {
        %v = memref.load %left[%i, %j] : memref<16x32xf16, #tile.shared>
        %w = arith.negf %v : f16
        memref.store %w, %left[%i, %j] : memref<16x32xf16, #tile.shared>
      }
    }
    tile.copy %second, %c : memref<16x64xf32, #tile.fragment>, memref<16x64xf32>
    tile.copy %most, %e : memref<16x64xf32, #tile.shared>, memref<16x64xf32>
  }
  return
}

// In each of the outer iterations the left operand has the other sign, and each product is made twice.
func.func private @two_reference(%n: index, %a: memref<16x32xf16>, %b: memref<?x?xf16>, %d: memref<?x64xf16>, %c: memref<16x64xf32>,
                                 %e: memref<16x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  scf.for %i = %c0 to %c16 step %c1 {
    scf.for %j = %c0 to %c64 step %c1 {
      %sums:4 = scf.for %s = %c0 to %n step %c1 iter_args(%sign = %one, %second = %zero, %first = %zero, %most = %zero) -> (f32, f32, f32, f32) {
        %row = arith.muli %s, %c32 : index
        %column = arith.muli %s, %c64 : index
        %after:3 = scf.for %k = %c0 to %c2 step %c1 iter_args(%x = %second, %y = %first, %z = %most) -> (f32, f32, f32) {
          %from = arith.muli %k, %c16 : index
          %down = arith.addi %from, %i : index
          %at = arith.addi %down, %c1 : index
          %right = arith.muli %k, %c32 : index
          %products:2 = scf.for %p = %c0 to %c32 step %c1 iter_args(%u = %x, %v = %y) -> (f32, f32) {
            %bi = arith.addi %row, %p : index
            %bj = arith.addi %column, %j : index
            %dj = arith.addi %right, %p : index
            %l = memref.load %a[%i, %p] : memref<16x32xf16>
            %r = memref.load %b[%bi, %bj] : memref<?x?xf16>
            %o = memref.load %d[%at, %p] : memref<?x64xf16>
            %q = memref.load %d[%j, %dj] : memref<?x64xf16>
            %lw = arith.extf %l : f16 to f32
            %rw = arith.extf %r : f16 to f32
            %ow = arith.extf %o : f16 to f32
            %qw = arith.extf %q : f16 to f32
            %ls = arith.mulf %lw, %sign : f32
            %lr = arith.mulf %ls, %rw : f32
            %oq = arith.mulf %ow, %qw : f32
            %un = arith.addf %u, %lr : f32
            %vn = arith.addf %v, %oq : f32
            scf.yield %un, %vn : f32, f32
          }
          %zn = arith.addf %z, %products#1 : f32
          scf.yield %products#0, %products#1, %zn : f32, f32, f32
        }
        %other = arith.negf %sign : f32
        scf.yield %other, %after#0, %after#1, %after#2 : f32, f32, f32, f32
      }
      memref.store %sums#1, %c[%i, %j] : memref<16x64xf32>
      memref.store %sums#3, %e[%i, %j] : memref<16x64xf32>
    }
  }
  return
}
