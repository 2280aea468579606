// The kernels of a program are compiled in parallel, and the threads change nothing: the parts are one program, in which what
// several kernels use has several names.

// REQUIRES: tile-translate
// RUN: tile-translate --tile-to-ptx --chip=sm_90a %s -o %t.ptx
// RUN: tile-translate --tile-to-ptx --chip=sm_90a --mlir-disable-threading %s | cmp - %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx
// CHECK-COUNT-1: .address_size 64
// CHECK-NOT:     .address_size
// CHECK-DAG:     .global {{.*}}table[16]
// CHECK-DAG:     .global {{.*}}table_1[16]
// CHECK-DAG:     .entry rows_0_v1(
// CHECK-DAG:     .global {{.*}}table$rows_0_v2[16]
// CHECK-DAG:     .global {{.*}}table_1$rows_0_v2[16]
// CHECK-DAG:     .entry rows_0_v2(
// CHECK-DAG:     .global {{.*}}table$rows_0[16]
// CHECK-DAG:     .entry rows_0(

!matrix = memref<?x?xf16>
!tile = memref<64x64xf16, #tile.shared>

memref.global "private" constant @table : memref<4xi32> = dense<[3, 1, 4, 1]>
memref.global "private" constant @table_1 : memref<4xi32> = dense<[5, 9, 2, 6]>

func.func @rows(%x: !matrix {tile.shape = "MxK"}, %y: !matrix {tile.shape = "MxK"}, %z: memref<8xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : !matrix
  %k = memref.dim %x, %c1 : !matrix
  %blocks = affine.apply affine_map<(n) -> (n ceildiv 64)>(%m)
  %steps = affine.apply affine_map<(n) -> (n ceildiv 64)>(%k)
  %first = memref.get_global @table : memref<4xi32>
  %second = memref.get_global @table_1 : memref<4xi32>
  tile.kernel (%b) in (%blocks) threads(128) {
    %t = tile.alloc : !tile
    tile.pipelined %s = 0 to %steps stages(2) {
      tile.copy %x[%b * 64, %s * 64], %t : !matrix, !tile
      tile.copy %t, %y[%b * 64, %s * 64] : !tile, !matrix
    }
    %few = arith.cmpi ult, %b, %m : index
    tile.device_assert %few, "few blocks"
    tile.print %b, "block" : index
    tile.copy %first, %z[0] : memref<4xi32>, memref<8xi32>
    tile.copy %second, %z[4] : memref<4xi32>, memref<8xi32>
  }
  return
}
