// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @two_roles
func.func @two_roles(%a: memref<64x1024xf32>) {
  tile.kernel (%b) in (1) {
    %tiles = tile.alloc : memref<2x64x128xf32, #tile.shared>
    %ring = tile.ring : !tile.ring<2>
    // CHECK: tile.roles attributes {consumer_registers = 232 : i64, producer_registers = 40 : i64} producer {
    tile.roles attributes {producer_registers = 40 : i64, consumer_registers = 232 : i64} producer {
      // CHECK: tile.pipelined
      tile.pipelined %k = 0 to 8 {
        %i = tile.producer_acquire %ring bytes(32768) : !tile.ring<2>
        %t = tile.slot %tiles[%i] : memref<2x64x128xf32, #tile.shared> to memref<64x128xf32, #tile.shared>
        // CHECK: tile.copy %{{.*}}[0, %{{.*}} * 128], %{{.*}} signal(%{{.*}} : !tile.ring<2>) {instruction = #tile.transfer<tma>}
        tile.copy %a[0, %k * 128], %t signal(%ring : !tile.ring<2>) {instruction = #tile.transfer<tma>}
            : memref<64x1024xf32>, memref<64x128xf32, #tile.shared>
        tile.producer_commit %ring : !tile.ring<2>
      }
    // CHECK: } consumer {
    } consumer {
      tile.pipelined %k = 0 to 8 {
        %i = tile.consumer_wait %ring : !tile.ring<2>
        tile.consumer_release %ring : !tile.ring<2>
      }
    }
    // CHECK: tile.roles producer {
    // CHECK-NEXT: } consumer {
    // CHECK-NEXT: }
    tile.roles producer {
    } consumer {
    }
  }
  return
}
