// Stages of a loop whose step does not divide its range: all but the first of the iterations behind the last whole group of stages
// were left out, so that 0 to 3 step 2 in two stages did one of its two.
//
// REQUIRES: tile-run, ascend
// RUN: tile-run --no-notes --target=ascend %s | FileCheck %s
// RUN: tile-run --no-notes --target=ascend --chip=950 %s | FileCheck %s
// RUN: sed 's/stages(2)/stages(3)/; s/step 2/step 3/; s/constant 2/constant 3/' %s > %t.mlir
// RUN: tile-run --no-notes --target=ascend %t.mlir | FileCheck %s
// CHECK: 7 passed, 0 failed

func.func @fixed(%a: memref<16x128xf16>, %b: memref<128x16xf16>, %c: memref<16x16xf32> {tile.result})
    attributes {tile.reference = @fixed_reference} {
  tile.kernel (%x) in (1) {
    %at = tile.alloc : memref<16x16xf16, #tile.shared>
    %bt = tile.alloc : memref<16x16xf16, #tile.shared>
    %ct = tile.alloc : memref<16x16xf32, #tile.fragment>
    %zero = arith.constant 0.0 : f32
    tile.fill %ct, %zero : memref<16x16xf32, #tile.fragment>
    tile.pipelined %k = 0 to 7 step 2 stages(2) {
      tile.copy %a[0, %k * 16], %at : memref<16x128xf16>, memref<16x16xf16, #tile.shared>
      tile.copy %b[%k * 16, 0], %bt : memref<128x16xf16>, memref<16x16xf16, #tile.shared>
      tile.gemm %at, %bt, %ct : memref<16x16xf16, #tile.shared>, memref<16x16xf16, #tile.shared>, memref<16x16xf32, #tile.fragment>
    }
    tile.copy %ct, %c : memref<16x16xf32, #tile.fragment>, memref<16x16xf32>
  }
  return
}
func.func private @fixed_reference(%a: memref<16x128xf16>, %b: memref<128x16xf16>, %c: memref<16x16xf32>) {
  %seven = arith.constant 7 : index
  func.call @sum(%seven, %a, %b, %c) : (index, memref<16x128xf16>, memref<128x16xf16>, memref<16x16xf32>) -> ()
  return
}

func.func @dynamic(%n: index {tile.shape = "N"}, %a: memref<16x128xf16>, %b: memref<128x16xf16>, %c: memref<16x16xf32> {tile.result})
    attributes {tile.reference = @sum, tile.cases = ["N=0", "N=1", "N=3", "N=4", "N=5", "N=8"]} {
  tile.kernel (%x) in (1) {
    %at = tile.alloc : memref<16x16xf16, #tile.shared>
    %bt = tile.alloc : memref<16x16xf16, #tile.shared>
    %ct = tile.alloc : memref<16x16xf32, #tile.fragment>
    %zero = arith.constant 0.0 : f32
    tile.fill %ct, %zero : memref<16x16xf32, #tile.fragment>
    tile.pipelined %k = 0 to %n step 2 stages(2) {
      tile.copy %a[0, %k * 16], %at : memref<16x128xf16>, memref<16x16xf16, #tile.shared>
      tile.copy %b[%k * 16, 0], %bt : memref<128x16xf16>, memref<16x16xf16, #tile.shared>
      tile.gemm %at, %bt, %ct : memref<16x16xf16, #tile.shared>, memref<16x16xf16, #tile.shared>, memref<16x16xf32, #tile.fragment>
    }
    tile.copy %ct, %c : memref<16x16xf32, #tile.fragment>, memref<16x16xf32>
  }
  return
}

func.func private @sum(%n: index, %a: memref<16x128xf16>, %b: memref<128x16xf16>, %c: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %step = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<16x16xf32>)
  scf.for %k = %c0 to %n step %step {
    %from = arith.muli %k, %c16 : index
    %at = memref.subview %a[0, %from] [16, 16] [1, 1] : memref<16x128xf16> to memref<16x16xf16, strided<[128, 1], offset: ?>>
    %bt = memref.subview %b[%from, 0] [16, 16] [1, 1] : memref<128x16xf16> to memref<16x16xf16, strided<[16, 1], offset: ?>>
    linalg.matmul ins(%at, %bt : memref<16x16xf16, strided<[128, 1], offset: ?>>, memref<16x16xf16, strided<[16, 1], offset: ?>>)
      outs(%c : memref<16x16xf32>)
  }
  return
}
