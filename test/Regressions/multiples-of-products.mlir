// What an offset is a multiple of was looked for along each path to it: products of products took for ever.
//
// RUN: tile-opt --tile-verify-semantics %s | FileCheck %s

// CHECK-LABEL: func @squares
func.func @squares(%s: memref<?x?xf32>, %p: index) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<16xf32, #tile.shared>
    %x0 = arith.addi %b, %p : index
    %x1 = arith.muli %x0, %x0 : index
    %x2 = arith.muli %x1, %x1 : index
    %x3 = arith.muli %x2, %x2 : index
    %x4 = arith.muli %x3, %x3 : index
    %x5 = arith.muli %x4, %x4 : index
    %x6 = arith.muli %x5, %x5 : index
    %x7 = arith.muli %x6, %x6 : index
    %x8 = arith.muli %x7, %x7 : index
    %x9 = arith.muli %x8, %x8 : index
    %x10 = arith.muli %x9, %x9 : index
    %x11 = arith.muli %x10, %x10 : index
    %x12 = arith.muli %x11, %x11 : index
    %x13 = arith.muli %x12, %x12 : index
    %x14 = arith.muli %x13, %x13 : index
    %x15 = arith.muli %x14, %x14 : index
    %x16 = arith.muli %x15, %x15 : index
    %x17 = arith.muli %x16, %x16 : index
    %x18 = arith.muli %x17, %x17 : index
    %x19 = arith.muli %x18, %x18 : index
    %x20 = arith.muli %x19, %x19 : index
    %x21 = arith.muli %x20, %x20 : index
    %x22 = arith.muli %x21, %x21 : index
    %x23 = arith.muli %x22, %x22 : index
    %x24 = arith.muli %x23, %x23 : index
    %x25 = arith.muli %x24, %x24 : index
    %x26 = arith.muli %x25, %x25 : index
    %x27 = arith.muli %x26, %x26 : index
    %x28 = arith.muli %x27, %x27 : index
    %x29 = arith.muli %x28, %x28 : index
    %x30 = arith.muli %x29, %x29 : index
    %x31 = arith.muli %x30, %x30 : index
    %x32 = arith.muli %x31, %x31 : index
    %x33 = arith.muli %x32, %x32 : index
    %x34 = arith.muli %x33, %x33 : index
    %x35 = arith.muli %x34, %x34 : index
    %x36 = arith.muli %x35, %x35 : index
    %x37 = arith.muli %x36, %x36 : index
    %x38 = arith.muli %x37, %x37 : index
    %x39 = arith.muli %x38, %x38 : index
    %x40 = arith.muli %x39, %x39 : index
    tile.copy %s[%x40, %p], %t : memref<?x?xf32>, memref<16xf32, #tile.shared>
    tile.copy %t, %s[%x40, %p] : memref<16xf32, #tile.shared>, memref<?x?xf32>
  }
  return
}
