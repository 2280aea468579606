// RUN: tile-opt %s | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-verify-schedule -o /dev/null

// CHECK-LABEL: func @squares
// CHECK: tile.warp_specialize attributes {tile.consumers = 2 : i64} producer {
// CHECK: } consumer {
// CHECK-NEXT: tile.team {
// CHECK-NEXT: tile.pipelined
// CHECK: }
// CHECK: tile.team {
// CHECK-NEXT: tile.fill
func.func @squares(%a: memref<1024xf32>, %s: memref<128xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) threads(128) {
    %tiles = tile.alloc : memref<2x128xf32, #tile.shared>
    %squares = tile.alloc : memref<1x128xf32, #tile.shared>
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    %acc = tile.alloc : memref<128xf32, #tile.fragment>
    %loads = tile.create_pipeline : !tile.pipeline<2>
    %handed = tile.create_pipeline : !tile.pipeline<1>
    tile.warp_specialize attributes {tile.consumers = 2 : i64} producer {
      tile.pipelined %k = 0 to 8 {
        %i = tile.producer_acquire %loads bytes(512) : !tile.pipeline<2>
        %t = tile.stage %tiles[%i] : memref<2x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
        tile.copy %a[%k * 128], %t signal(%loads : !tile.pipeline<2>) {instruction = #tile.transfer<tma>}
            : memref<1024xf32>, memref<128xf32, #tile.shared>
        tile.producer_commit %loads : !tile.pipeline<2>
      }
    } consumer {
      tile.team {
        tile.pipelined %k = 0 to 8 {
          %i = tile.consumer_wait %loads : !tile.pipeline<2>
          %t = tile.stage %tiles[%i] : memref<2x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
          tile.parallel (%j) in (128) {
            %x = memref.load %t[%j] : memref<128xf32, #tile.shared>
            %y = arith.mulf %x, %x : f32
            memref.store %y, %f[%j] : memref<128xf32, #tile.fragment>
          }
          tile.consumer_release %loads : !tile.pipeline<2>
          %h = tile.producer_acquire %handed bytes(0) : !tile.pipeline<1>
          %u = tile.stage %squares[%h] : memref<1x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
          tile.copy %f, %u : memref<128xf32, #tile.fragment>, memref<128xf32, #tile.shared>
          tile.producer_commit %handed : !tile.pipeline<1>
        }
      }
      tile.team {
        tile.fill %acc, %zero : memref<128xf32, #tile.fragment>
        tile.pipelined %k = 0 to 8 {
          %h = tile.consumer_wait %handed : !tile.pipeline<1>
          %u = tile.stage %squares[%h] : memref<1x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
          tile.parallel (%j) in (128) {
            %x = memref.load %u[%j] : memref<128xf32, #tile.shared>
            %y = memref.load %acc[%j] : memref<128xf32, #tile.fragment>
            %z = arith.addf %x, %y : f32
            memref.store %z, %acc[%j] : memref<128xf32, #tile.fragment>
          }
          tile.consumer_release %handed : !tile.pipeline<1>
        }
        tile.copy %acc, %s : memref<128xf32, #tile.fragment>, memref<128xf32>
      }
    }
  }
  return
}
