// Grids by divisions of numbers below zero, which round towards zero, and by numbers without a sign.
//
// REQUIRES: tile-run, nvidia, amd
// RUN: tile-run %s --arg=0:-9 --arg=1:-56 | FileCheck %s
// RUN: tile-run %s --arg=0:-9 --arg=1:-56 --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --arg=0:-8 --arg=1:-1 --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: tile-run %s --arg=0:-7 --arg=1:7 --target=hip --chip=gfx942 --device=model | FileCheck %s
// RUN: tile-run %s --arg=0:0 --arg=1:0 --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --arg=0:1 --arg=1:-128 --target=hip --chip=gfx1100 --device=model | FileCheck %s
// RUN: tile-run %s --arg=0:11 --arg=1:127 --target=cuda --chip=sm_90a --device=model | FileCheck %s
// CHECK: {{^}}1 passed, 0 failed{{$}}

// (%n - 5) / 2 + 9 rows of (%n - 5) mod 3 + 3 blocks, and a row of %m / 10 blocks.
func.func @count(%n: index, %m: i8, %y: memref<32x32xi32> {tile.result}) attributes {tile.reference = @count_reference} {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c9 = arith.constant 9 : index
  %c10 = arith.constant 10 : index
  %d = arith.subi %n, %c5 : index
  %quotient = arith.divsi %d, %c2 : index
  %remainder = arith.remsi %d, %c3 : index
  %rows = arith.addi %quotient, %c9 : index
  %columns = arith.addi %remainder, %c3 : index
  %byte = arith.index_castui %m : i8 to index
  %blocks = arith.divsi %byte, %c10 : index
  tile.kernel (%b) in (1) {
    tile.fill %y, 0
  }
  tile.kernel (%j, %i) in (%columns, %rows) {
    tile.parallel (%e) in (1) do %y[%i, %j] = 7
  }
  tile.kernel (%j) in (%blocks) {
    tile.parallel (%e) in (1) do %y[31, %j] = 5
  }
  return
}
func.func private @count_reference(%n: index, %m: i8, %y: memref<32x32xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c9 = arith.constant 9 : index
  %c10 = arith.constant 10 : index
  %c31 = arith.constant 31 : index
  %zero = arith.constant 0 : i32
  %five = arith.constant 5 : i32
  %seven = arith.constant 7 : i32
  %d = arith.subi %n, %c5 : index
  %quotient = arith.divsi %d, %c2 : index
  %remainder = arith.remsi %d, %c3 : index
  %rows = arith.addi %quotient, %c9 : index
  %columns = arith.addi %remainder, %c3 : index
  %byte = arith.index_castui %m : i8 to index
  %blocks = arith.divui %byte, %c10 : index
  linalg.fill ins(%zero : i32) outs(%y : memref<32x32xi32>)
  scf.for %i = %c0 to %rows step %c1 {
    scf.for %j = %c0 to %columns step %c1 {
      memref.store %seven, %y[%i, %j] : memref<32x32xi32>
    }
  }
  scf.for %j = %c0 to %blocks step %c1 {
    memref.store %five, %y[%c31, %j] : memref<32x32xi32>
  }
  return
}
