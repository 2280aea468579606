// What the schedule of a sum looked like before 0.1.
func.func @sum_tiles(%a: memref<64x1024xf32>, %s: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%x, %y) in (4, 4) threads(256) {
    tile.safe_value %a, %zero : memref<64x1024xf32>
    tile.use_swizzle panel(2) order(column)
    %tiles = tile.alloc : memref<2x64x128xf32, #tile.shared>
    %acc = tile.alloc : memref<64xf32, #tile.fragment>
    %ring = tile.ring : !tile.ring<2>
    tile.roles producer {
      tile.pipelined %k = 0 to 8 {
        %i = tile.producer_acquire %ring bytes(32768) : !tile.ring<2>
        %t = tile.slot %tiles[%i] : memref<2x64x128xf32, #tile.shared> to memref<64x128xf32, #tile.shared>
        tile.copy %a[0, %k * 128], %t signal(%ring : !tile.ring<2>) {instruction = #tile.transfer<tma>}
            : memref<64x1024xf32>, memref<64x128xf32, #tile.shared>
        tile.producer_commit %ring : !tile.ring<2>
      }
    } consumer {
      tile.pipelined %k = 0 to 8 {
        %i = tile.consumer_wait %ring : !tile.ring<2>
        %t = "tile.slot"(%tiles, %i)
            : (memref<2x64x128xf32, #tile.shared>, index) -> memref<64x128xf32, #tile.shared>
        tile.take_turn
        tile.reduce sum %t, %acc dim(1) {combine} : memref<64x128xf32, #tile.shared>, memref<64xf32, #tile.fragment>
        tile.pass_turn
        tile.consumer_release %ring : !tile.ring<2>
      }
    }
  }
  return
}

func.func @cores() {
  tile.kernel (%b) in (1) {
    %t = tile.alloc {ascend.slots = 2, ascend.split_rows} : memref<16x64xf32, #tile.ub>
    ascend.cross_set fix id(0) {ascend.ring = 1}
    ascend.cross_wait id(0) {ascend.ring = 1}
  }
  return
}
