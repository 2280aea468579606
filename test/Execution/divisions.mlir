// Integer divisions by what a read past the end gives, 0, and of the smallest number by -1: what is stored outside of a buffer stays
// dropped, and elements inside are quotients.

// REQUIRES: tile-run, nvidia, amd
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model | FileCheck %s
// CHECK: 6 passed, 0 failed

// No guard but that of the language: x / y is computed for 64 elements, of which N are there.
func.func @quotients(%x: memref<?xi32> {tile.shape = "N", tile.init = "integers(-1000, 1000)"},
                     %y: memref<?xi32> {tile.shape = "N", tile.init = "integers(1, 9)"}, %q: memref<?xi32> {tile.shape = "N", tile.result})
    attributes {tile.reference = @quotients_ref, tile.cases = ["N=1", "N=37", "N=130"]} {
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 64)) {
    tile.parallel (%i) in (64) {
      %p = affine.apply affine_map<(d0, d1) -> (d0 * 64 + d1)>(%b, %i)
      %a = memref.load %x[%p] : memref<?xi32>
      %c = memref.load %y[%p] : memref<?xi32>
      %d = arith.divsi %a, %c : i32
      %e = arith.remsi %a, %c : i32
      %f = arith.muli %d, %c : i32
      %g = arith.addi %f, %e : i32
      memref.store %g, %q[%p] : memref<?xi32>
    }
  }
  return
}
func.func @quotients_ref(%x: memref<?xi32>, %y: memref<?xi32>, %q: memref<?xi32>) {
  memref.copy %x, %q : memref<?xi32> to memref<?xi32>
  return
}

// The smallest number by -1, and numbers by 0, do not trap; what they give is not specified.
func.func @extremes(%x: memref<?xi64> {tile.shape = "N", tile.init = "integers(-9223372036854775807, -9223372036854775807)"},
                    %q: memref<?xi64> {tile.shape = "N", tile.result})
    attributes {tile.reference = @extremes_ref, tile.cases = ["N=1", "N=5", "N=64"]} {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) {
      %a = memref.load %x[%i] : memref<?xi64>
      %one = arith.constant 1 : i64
      %smallest = arith.subi %a, %one : i64
      %minus = arith.divsi %smallest, %a : i64
      %none = arith.subi %minus, %one : i64
      %negative = arith.subi %none, %one : i64
      %u = arith.divsi %smallest, %none : i64
      %v = arith.remsi %smallest, %negative : i64
      %w = arith.divui %smallest, %none : i64
      %zero = arith.constant 0 : i64
      %r = arith.andi %u, %zero : i64
      %s = arith.andi %v, %zero : i64
      %t = arith.andi %w, %zero : i64
      %k = arith.ori %r, %s : i64
      %l = arith.ori %k, %t : i64
      memref.store %l, %q[%i] : memref<?xi64>
    }
  }
  return
}
func.func @extremes_ref(%x: memref<?xi64>, %q: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %n = memref.dim %q, %c0 : memref<?xi64>
  scf.for %i = %c0 to %n step %c1 {
    memref.store %zero, %q[%i] : memref<?xi64>
  }
  return
}
