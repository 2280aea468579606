func.func @number(%w: !world.ranks, %out: memref<1xi64> {tile.result}) attributes {world.reference = @number_ref} {
  tile.kernel (%b) in (1) {
    %r = world.rank %w
    %c0 = arith.constant 0 : index
    %v = arith.index_cast %r : index to i64
    memref.store %v, %out[%c0] : memref<1xi64>
  }
  return
}
func.func @number_ref(%out: memref<?x1xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %out, %c0 : memref<?x1xi64>
  scf.for %i = %c0 to %n step %c1 {
    %v = arith.index_cast %i : index to i64
    memref.store %v, %out[%i, %c0] : memref<?x1xi64>
  }
  return
}
func.func @all_gather(%w: !world.ranks, %row: memref<64xf32>, %rows: memref<?x64xf32, #world.symmetric> {tile.shape = "ranksx64", tile.result}) attributes {world.reference = @all_gather_ref} {
  tile.kernel (%to) in (dim(%rows, 0)) {
    %r = world.rank %w
    %t = tile.alloc : memref<64xf32, #tile.shared>
    %p = world.peer %rows at %w[%to]
    tile.copy %row, %t
    tile.copy %t, %p[%r, 0] [1, 64]
  }
  return
}
func.func @all_gather_ref(%row: memref<?x64xf32>, %rows: memref<?x?x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %n = memref.dim %row, %c0 : memref<?x64xf32>
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      scf.for %k = %c0 to %c64 step %c1 {
        %v = memref.load %row[%j, %k] : memref<?x64xf32>
        memref.store %v, %rows[%i, %j, %k] : memref<?x?x64xf32>
      }
    }
  }
  return
}
func.func @shift(%w: !world.ranks, %x: memref<64xf32>, %box: memref<64xf32, #world.symmetric>,
                 %flags: memref<1xi64, #world.symmetric> {tile.init = "zeros"}, %y: memref<64xf32> {tile.result}) attributes {world.reference = @shift_ref} {
  tile.kernel (%b) in (1) {
    %r = world.rank %w
    %n = world.size %w
    %t = tile.alloc : memref<64xf32, #tile.shared>
    %c1 = arith.constant 1 : index
    %r1 = arith.addi %r, %c1 : index
    %next = arith.remui %r1, %n : index
    %to = world.peer %box at %w[%next]
    %flag = world.peer %flags at %w[%next]
    tile.copy %x, %t
    tile.copy %t, %to
    world.signal %flag[0] add 1
    %arrived = world.wait %flags[0] ge 1
    %mine = world.acquire %box after %arrived
    tile.copy %mine, %t
    tile.copy %t, %y
  }
  return
}
func.func @shift_ref(%x: memref<?x64xf32>, %box: memref<?x64xf32>, %flags: memref<?x1xi64>, %y: memref<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %n = memref.dim %x, %c0 : memref<?x64xf32>
  scf.for %i = %c0 to %n step %c1 {
    %j0 = arith.addi %i, %c1 : index
    %j = arith.remui %j0, %n : index
    scf.for %k = %c0 to %c64 step %c1 {
      %v = memref.load %x[%i, %k] : memref<?x64xf32>
      memref.store %v, %y[%j, %k] : memref<?x64xf32>
    }
  }
  return
}
