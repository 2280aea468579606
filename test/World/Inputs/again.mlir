// A collective between kernels that write its source: all of its signals, waits and fences are needed.

func.func @again(%w: !world.ranks, %x: memref<64xf32, #world.symmetric>, %sum: memref<64xf32> {tile.result},
                 %next: memref<64xf32> {tile.result}) attributes {world.reference = @again_ref} {
  tile.kernel (%b) in (2) threads(32) {
    %r = world.rank %w
    %i = arith.index_cast %r : index to i32
    %f = arith.sitofp %i : i32 to f32
    %t = tile.alloc : memref<32xf32, #tile.fragment>
    tile.fill %t, %f
    tile.copy %t, %x[%b * 32]
  }
  world.all_reduce sum %x to %sum over %w blocks(2) : memref<64xf32, #world.symmetric>, memref<64xf32>, !world.ranks
  tile.kernel (%b) in (2) threads(32) {
    %t = tile.alloc : memref<32xf32, #tile.fragment>
    tile.fill %t, 2.0
    tile.copy %t, %x[%b * 32]
  }
  world.all_reduce sum %x to %next over %w blocks(2) : memref<64xf32, #world.symmetric>, memref<64xf32>, !world.ranks
  tile.kernel (%b) in (2) threads(32) {
    %t = tile.alloc : memref<32xf32, #tile.fragment>
    tile.fill %t, 3.0
    tile.copy %t, %x[%b * 32]
  }
  return
}
func.func @again_ref(%x: memref<?x64xf32>, %sum: memref<?x64xf32>, %next: memref<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %ranks = memref.dim %sum, %c0 : memref<?x64xf32>
  %less = arith.subi %ranks, %c1 : index
  %product = arith.muli %ranks, %less : index
  %half = arith.divui %product, %c2 : index
  %double = arith.muli %ranks, %c2 : index
  %a = arith.index_cast %half : index to i32
  %b = arith.index_cast %double : index to i32
  %first = arith.sitofp %a : i32 to f32
  %second = arith.sitofp %b : i32 to f32
  scf.for %r = %c0 to %ranks step %c1 {
    scf.for %i = %c0 to %c64 step %c1 {
      memref.store %first, %sum[%r, %i] : memref<?x64xf32>
      memref.store %second, %next[%r, %i] : memref<?x64xf32>
    }
  }
  return
}
