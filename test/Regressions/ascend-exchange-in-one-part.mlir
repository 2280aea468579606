// A loop whose product reads a tile that a copy behind it overwrites: the tile goes from the vector core to the cube core and is
// free again within one part. Where an iteration does not exist, nothing passed its turn on, so that the proof found the next but one
// in the buffer before it was read, and the kernel was refused: "nothing orders this instruction".
//
// REQUIRES: tile-run, ascend
// RUN: tile-run --no-notes --target=ascend %s | FileCheck %s
// RUN: tile-run --no-notes --target=ascend --chip=950 %s | FileCheck %s
// CHECK: 6 passed, 0 failed

func.func @sums(%n: index {tile.shape = "N"}, %a: memref<32x256xi8>, %b: memref<256x32xi8>, %c: memref<32x32xi32> {tile.result})
    attributes {tile.reference = @sums_reference, tile.cases = ["N=0", "N=1", "N=2", "N=3", "N=4", "N=7"]} {
  tile.kernel (%x) in (1) {
    %lhs = tile.alloc : memref<32x32xi8, #tile.shared>
    %rhs = tile.alloc : memref<32x32xi8, #tile.shared>
    %sum = tile.alloc : memref<32x32xi32, #tile.fragment>
    %ones = tile.alloc : memref<32xf32, #tile.shared>
    %zero = arith.constant 0 : i32
    tile.fill %sum, %zero : memref<32x32xi32, #tile.fragment>
    tile.parallel (%i, %j) in (32, 32) {
      %three = arith.constant 3 : i8
      memref.store %three, %lhs[%i, %j] : memref<32x32xi8, #tile.shared>
    }
    tile.pipelined %k = 0 to %n step 1 stages(2) {
      %one = arith.constant 1.0 : f32
      tile.fill %ones, %one : memref<32xf32, #tile.shared>
      tile.copy %b[%k * 32, 0], %rhs : memref<256x32xi8>, memref<32x32xi8, #tile.shared>
      tile.gemm %lhs, %rhs, %sum : memref<32x32xi8, #tile.shared>, memref<32x32xi8, #tile.shared>, memref<32x32xi32, #tile.fragment>
      tile.copy %a[0, %k * 32], %lhs : memref<32x256xi8>, memref<32x32xi8, #tile.shared>
    }
    tile.copy %sum, %c : memref<32x32xi32, #tile.fragment>, memref<32x32xi32>
  }
  return
}

// The left operand is what the iteration before has loaded, and 3 in the first one.
func.func private @sums_reference(%n: index, %a: memref<32x256xi8>, %b: memref<256x32xi8>, %c: memref<32x32xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %three = arith.constant 3 : i32
  %zero = arith.constant 0 : i32
  %depth = arith.muli %n, %c32 : index
  scf.for %i = %c0 to %c32 step %c1 {
    scf.for %j = %c0 to %c32 step %c1 {
      %sum = scf.for %k = %c0 to %depth step %c1 iter_args(%before = %zero) -> (i32) {
        %isFirst = arith.cmpi slt, %k, %c32 : index
        %left = scf.if %isFirst -> (i32) {
          scf.yield %three : i32
        } else {
          %at = arith.subi %k, %c32 : index
          %code = memref.load %a[%i, %at] : memref<32x256xi8>
          %number = arith.extsi %code : i8 to i32
          scf.yield %number : i32
        }
        %code = memref.load %b[%k, %j] : memref<256x32xi8>
        %right = arith.extsi %code : i8 to i32
        %product = arith.muli %left, %right : i32
        %next = arith.addi %before, %product : i32
        scf.yield %next : i32
      }
      memref.store %sum, %c[%i, %j] : memref<32x32xi32>
    }
  }
  return
}
