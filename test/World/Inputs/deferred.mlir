// Tiles of twice x go to the next rank; a block sends the signal of a tile behind the loop of the next one.

func.func @send(%w: !world.ranks, %x: memref<512xf32>, %box: memref<512xf32, #world.symmetric>,
                %flags: memref<8xi32, #world.symmetric> {tile.init = "zeros"}, %y: memref<512xf32> {tile.result}) attributes {world.reference = @reference} {
  tile.kernel (%b) in (2) threads(128) {
    %r = world.rank %w
    %n = world.size %w
    %c1 = arith.constant 1 : index
    %after = arith.addi %r, %c1 : index
    %right = arith.remui %after, %n : index
    %to = world.peer %box at %w[%right]
    %flag = world.peer %flags at %w[%right]
    %t = tile.alloc : memref<64xf32, #tile.shared>
    %s = tile.alloc : memref<64xf32, #tile.fragment>
    tile.persistent (%i) in (8) {
      tile.fill %s, 0.0
      tile.pipelined %k = 0 to 2 stages(2) {
        tile.copy %x[%i * 64] [64], %t
        tile.parallel (%j) in (64) do %s[%j] = %s[%j] + %t[%j]
      }
      tile.copy %s, %to[%i * 64] [64]
      world.signal %flag[%i] add 1
    }
  }
  tile.kernel (%i) in (8) {
    %token = world.wait %flags[%i] ge 1
    %ready = world.acquire %box after %token
    %t = tile.alloc : memref<64xf32, #tile.shared>
    tile.copy %ready[%i * 64] [64], %t
    tile.copy %t, %y[%i * 64] [64]
  }
  return
}
// The same by hand, with more blocks than tiles.
func.func @by_hand(%w: !world.ranks, %x: memref<512xf32>, %box: memref<512xf32, #world.symmetric>,
                %flags: memref<8xi32, #world.symmetric> {tile.init = "zeros"}, %y: memref<512xf32> {tile.result}) attributes {world.reference = @reference} {
  tile.kernel (%b) in (10) threads(128) {
    %r = world.rank %w
    %n = world.size %w
    %c1 = arith.constant 1 : index
    %after = arith.addi %r, %c1 : index
    %right = arith.remui %after, %n : index
    %to = world.peer %box at %w[%right]
    %flag = world.peer %flags at %w[%right]
    %t = tile.alloc : memref<64xf32, #tile.shared>
    %s = tile.alloc : memref<64xf32, #tile.fragment>
    %later = world.create_deferred : !world.deferred<i32>
    tile.persistent (%i) in (8) {
      tile.fill %s, 0.0
      tile.pipelined %k = 0 to 2 {
        tile.copy %x[%i * 64] [64], %t
        tile.parallel (%j) in (64) do %s[%j] = %s[%j] + %t[%j]
      }
      world.flush %later : !world.deferred<i32>
      tile.copy %s, %to[%i * 64] [64]
      world.signal %flag[%i] add 1 deferred %later
    }
    world.flush %later : !world.deferred<i32>
  }
  tile.kernel (%i) in (8) {
    %token = world.wait %flags[%i] ge 1
    %ready = world.acquire %box after %token
    %t = tile.alloc : memref<64xf32, #tile.shared>
    tile.copy %ready[%i * 64] [64], %t
    tile.copy %t, %y[%i * 64] [64]
  }
  return
}
func.func @reference(%x: memref<?x512xf32>, %box: memref<?x512xf32>, %flags: memref<?x8xi32>, %y: memref<?x512xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?x512xf32>
  affine.for %r = 0 to %n { affine.for %i = 0 to 512 {
    %b = affine.load %x[%r, %i] : memref<?x512xf32>
    %v = arith.addf %b, %b : f32
    %a = arith.addi %r, %c1 : index
    %to = arith.remui %a, %n : index
    memref.store %v, %y[%to, %i] : memref<?x512xf32>
  } }
  return
}
