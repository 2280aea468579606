// RUN: tile-opt %s --tile-insert-barriers | FileCheck %s
// RUN: tile-opt %s --tile-insert-barriers --tile-verify-schedule -o /dev/null

// A wait that leaves the last copy under way is enough where there are two
// buffers in turn.
// CHECK-LABEL: func.func @two_buffers
// CHECK: tile.pipelined
// CHECK-NEXT: tile.store_wait pending(1)
// CHECK-NEXT: tile.barrier{{$}}
// CHECK-NEXT: affine.apply
// CHECK-NEXT: tile.stage
// CHECK-NEXT: tile.fill
// CHECK-NEXT: tile.barrier async
// CHECK-NEXT: tile.copy
// CHECK-NOT: tile.store_wait
func.func @two_buffers(%c: memref<512x64xf32>, %f: f32) {
  tile.kernel (%p) in (1) {
    %s = tile.alloc : memref<2x64x64xf32, #tile.shared>
    tile.pipelined %k = 0 to 8 {
      tile.store_wait pending(1)
      tile.barrier
      %stage = affine.apply affine_map<(d) -> (d mod 2)>(%k)
      %t = tile.stage %s[%stage] : memref<2x64x64xf32, #tile.shared> to memref<64x64xf32, #tile.shared>
      tile.fill %t, %f : memref<64x64xf32, #tile.shared>
      tile.copy %t, %c[%k * 64, 0] {instruction = #tile.transfer<tma>} : memref<64x64xf32, #tile.shared>, memref<512x64xf32>
    }
  }
  return
}
