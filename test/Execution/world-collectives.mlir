func.func @gather(%w: !world.ranks, %x: memref<?x3xf32, #world.symmetric> {tile.shape = "Nx3"}, %y: memref<?xf32> {tile.shape = "ALL", tile.result}) attributes {world.reference = @gather_ref} {
  world.all_gather %x to %y over %w blocks(3) : memref<?x3xf32, #world.symmetric>, memref<?xf32>, !world.ranks
  return
}
func.func @gather_ref(%x: memref<?x?x3xf32>, %y: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %ranks = memref.dim %x, %c0 : memref<?x?x3xf32>
  %n = memref.dim %x, %c1 : memref<?x?x3xf32>
  scf.for %r = %c0 to %ranks step %c1 {
    scf.for %k = %c0 to %ranks step %c1 {
      scf.for %i = %c0 to %n step %c1 {
        scf.for %j = %c0 to %c3 step %c1 {
          %v = memref.load %x[%k, %i, %j] : memref<?x?x3xf32>
          %a = arith.muli %k, %n : index
          %b = arith.addi %a, %i : index
          %c = arith.muli %b, %c3 : index
          %d = arith.addi %c, %j : index
          memref.store %v, %y[%r, %d] : memref<?x?xf32>
        }
      }
    }
  }
  return
}
func.func @sum(%w: !world.ranks, %x: memref<?xf32, #world.symmetric> {tile.shape = "N"}, %y: memref<?xf32> {tile.shape = "N", tile.result}) attributes {world.reference = @sum_ref} {
  world.all_reduce sum %x to %y over %w : memref<?xf32, #world.symmetric>, memref<?xf32>, !world.ranks
  return
}
func.func @sum_two_shot(%w: !world.ranks, %x: memref<?xf32, #world.symmetric> {tile.shape = "N"}, %y: memref<?xf32, #world.symmetric> {tile.shape = "N", tile.result}) attributes {world.reference = @sum_ref} {
  world.all_reduce sum %x to %y over %w algorithm(two_shot) blocks(2) : memref<?xf32, #world.symmetric>, memref<?xf32, #world.symmetric>, !world.ranks
  return
}
func.func @sum_ref(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ranks = memref.dim %x, %c0 : memref<?x?xf32>
  %n = memref.dim %x, %c1 : memref<?x?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %first = memref.load %x[%c0, %i] : memref<?x?xf32>
    %s = scf.for %k = %c1 to %ranks step %c1 iter_args(%acc = %first) -> f32 {
      %v = memref.load %x[%k, %i] : memref<?x?xf32>
      %a = arith.addf %acc, %v : f32
      scf.yield %a : f32
    }
    scf.for %k = %c0 to %ranks step %c1 {
      memref.store %s, %y[%k, %i] : memref<?x?xf32>
    }
  }
  return
}
