// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s

// CHECK-LABEL: func @two_partitions
func.func @two_partitions(%a: memref<64x1024xf32>) {
  tile.kernel (%b) in (1) {
    %tiles = tile.alloc : memref<2x64x128xf32, #tile.shared>
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    // CHECK: tile.warp_specialize attributes {consumer_registers = 232 : i64, producer_registers = 40 : i64} producer {
    tile.warp_specialize attributes {producer_registers = 40 : i64, consumer_registers = 232 : i64} producer {
      // CHECK: tile.pipelined
      tile.pipelined %k = 0 to 8 {
        %i = tile.producer_acquire %pipeline bytes(32768) : !tile.pipeline<2>
        %t = tile.stage %tiles[%i] : memref<2x64x128xf32, #tile.shared> to memref<64x128xf32, #tile.shared>
        // CHECK: tile.copy %{{.*}}[0, %{{.*}} * 128], %{{.*}} signal(%{{.*}} : !tile.pipeline<2>) {instruction = #tile.transfer<tma>}
        tile.copy %a[0, %k * 128], %t signal(%pipeline : !tile.pipeline<2>) {instruction = #tile.transfer<tma>}
            : memref<64x1024xf32>, memref<64x128xf32, #tile.shared>
        tile.producer_commit %pipeline : !tile.pipeline<2>
      }
    // CHECK: } consumer {
    } consumer {
      tile.pipelined %k = 0 to 8 {
        %i = tile.consumer_wait %pipeline : !tile.pipeline<2>
        tile.consumer_release %pipeline : !tile.pipeline<2>
      }
    }
    // CHECK: tile.warp_specialize producer {
    // CHECK-NEXT: } consumer {
    // CHECK-NEXT: }
    tile.warp_specialize producer {
    } consumer {
    }
  }
  return
}
