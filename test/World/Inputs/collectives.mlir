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

// Part r of the sums, which are computed in f32.
func.func @scatter(%w: !world.ranks, %x: memref<?xf16, #world.symmetric> {tile.shape = "ALL"}, %y: memref<?xf16> {tile.shape = "N", tile.result}) attributes {world.reference = @scatter_ref} {
  world.reduce_scatter sum %x to %y over %w blocks(3) : memref<?xf16, #world.symmetric>, memref<?xf16>, !world.ranks
  return
}
func.func @scatter_ref(%x: memref<?x?xf16>, %y: memref<?x?xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ranks = memref.dim %y, %c0 : memref<?x?xf16>
  %n = memref.dim %y, %c1 : memref<?x?xf16>
  scf.for %r = %c0 to %ranks step %c1 {
    scf.for %i = %c0 to %n step %c1 {
      %a = arith.muli %r, %n : index
      %at = arith.addi %a, %i : index
      %zero = arith.constant -0.0 : f32
      %s = scf.for %k = %c0 to %ranks step %c1 iter_args(%acc = %zero) -> f32 {
        %v = memref.load %x[%k, %at] : memref<?x?xf16>
        %e = arith.extf %v : f16 to f32
        %sum = arith.addf %acc, %e : f32
        scf.yield %sum : f32
      }
      %t = arith.truncf %s : f32 to f16
      memref.store %t, %y[%r, %i] : memref<?x?xf16>
    }
  }
  return
}

func.func @exchange(%w: !world.ranks, %x: memref<?xi8, #world.symmetric> {tile.shape = "ALL"}, %y: memref<?xi8> {tile.shape = "ALL", tile.result}) attributes {world.reference = @exchange_ref} {
  world.all_to_all %x to %y over %w : memref<?xi8, #world.symmetric>, memref<?xi8>, !world.ranks
  return
}
func.func @exchange_ref(%x: memref<?x?xi8>, %y: memref<?x?xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ranks = memref.dim %x, %c0 : memref<?x?xi8>
  %all = memref.dim %x, %c1 : memref<?x?xi8>
  %n = arith.divui %all, %ranks : index
  scf.for %r = %c0 to %ranks step %c1 {
    scf.for %k = %c0 to %ranks step %c1 {
      scf.for %i = %c0 to %n step %c1 {
        %a = arith.muli %r, %n : index
        %from = arith.addi %a, %i : index
        %b = arith.muli %k, %n : index
        %to = arith.addi %b, %i : index
        %v = memref.load %x[%k, %from] : memref<?x?xi8>
        memref.store %v, %y[%r, %to] : memref<?x?xi8>
      }
    }
  }
  return
}

// The last rank sends; maxima and minima of integers follow.
func.func @send(%w: !world.ranks, %x: memref<?xi32, #world.symmetric> {tile.shape = "N"}, %y: memref<?xi32> {tile.shape = "N", tile.result}) attributes {world.reference = @send_ref} {
  %n = world.size %w
  %c1 = arith.constant 1 : index
  %root = arith.subi %n, %c1 : index
  world.broadcast %x from %root to %y over %w blocks(2) : memref<?xi32, #world.symmetric>, memref<?xi32>, !world.ranks
  return
}
func.func @send_ref(%x: memref<?x?xi32>, %y: memref<?x?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ranks = memref.dim %x, %c0 : memref<?x?xi32>
  %n = memref.dim %x, %c1 : memref<?x?xi32>
  %root = arith.subi %ranks, %c1 : index
  scf.for %r = %c0 to %ranks step %c1 {
    scf.for %i = %c0 to %n step %c1 {
      %v = memref.load %x[%root, %i] : memref<?x?xi32>
      memref.store %v, %y[%r, %i] : memref<?x?xi32>
    }
  }
  return
}
func.func @most(%w: !world.ranks, %x: memref<?xi32, #world.symmetric> {tile.shape = "N"}, %y: memref<?xi32> {tile.shape = "N", tile.result}) attributes {world.reference = @most_ref} {
  world.all_reduce max %x to %y over %w blocks(4096) : memref<?xi32, #world.symmetric>, memref<?xi32>, !world.ranks
  return
}
func.func @most_ref(%x: memref<?x?xi32>, %y: memref<?x?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ranks = memref.dim %x, %c0 : memref<?x?xi32>
  %n = memref.dim %x, %c1 : memref<?x?xi32>
  scf.for %i = %c0 to %n step %c1 {
    %first = memref.load %x[%c0, %i] : memref<?x?xi32>
    %s = scf.for %k = %c1 to %ranks step %c1 iter_args(%acc = %first) -> i32 {
      %v = memref.load %x[%k, %i] : memref<?x?xi32>
      %a = arith.maxsi %acc, %v : i32
      scf.yield %a : i32
    }
    scf.for %k = %c0 to %ranks step %c1 {
      memref.store %s, %y[%k, %i] : memref<?x?xi32>
    }
  }
  return
}

// A NaN of one rank is everybody's maximum; the target may be symmetric.
func.func @nan(%w: !world.ranks, %x: memref<?xf32, #world.symmetric> {tile.shape = "N"}, %y: memref<?xf32> {tile.shape = "N", tile.result}) attributes {world.reference = @nan_ref} {
  %c0 = arith.constant 0 : index
  %nan = arith.constant 0x7FC00000 : f32
  %r = world.rank %w
  %first = arith.cmpi eq, %r, %c0 : index
  scf.if %first {
    memref.store %nan, %x[%c0] : memref<?xf32, #world.symmetric>
  }
  world.all_reduce max %x to %y over %w : memref<?xf32, #world.symmetric>, memref<?xf32>, !world.ranks
  return
}
func.func @nan_ref(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %nan = arith.constant 0x7FC00000 : f32
  memref.store %nan, %x[%c0, %c0] : memref<?x?xf32>
  %ranks = memref.dim %x, %c0 : memref<?x?xf32>
  %n = memref.dim %x, %c1 : memref<?x?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %first = memref.load %x[%c0, %i] : memref<?x?xf32>
    %s = scf.for %k = %c1 to %ranks step %c1 iter_args(%acc = %first) -> f32 {
      %v = memref.load %x[%k, %i] : memref<?x?xf32>
      %a = arith.maximumf %acc, %v : f32
      scf.yield %a : f32
    }
    scf.for %k = %c0 to %ranks step %c1 {
      memref.store %s, %y[%k, %i] : memref<?x?xf32>
    }
  }
  return
}
func.func @gather_symmetric(%w: !world.ranks, %x: memref<?xi64, #world.symmetric> {tile.shape = "N"}, %y: memref<?x?xi64, #world.symmetric> {tile.shape = "ranksxN", tile.result}) attributes {world.reference = @gather_symmetric_ref} {
  world.all_gather %x to %y over %w : memref<?xi64, #world.symmetric>, memref<?x?xi64, #world.symmetric>, !world.ranks
  return
}
func.func @gather_symmetric_ref(%x: memref<?x?xi64>, %y: memref<?x?x?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ranks = memref.dim %x, %c0 : memref<?x?xi64>
  %n = memref.dim %x, %c1 : memref<?x?xi64>
  scf.for %r = %c0 to %ranks step %c1 {
    scf.for %k = %c0 to %ranks step %c1 {
      scf.for %i = %c0 to %n step %c1 {
        %v = memref.load %x[%k, %i] : memref<?x?xi64>
        memref.store %v, %y[%r, %k, %i] : memref<?x?x?xi64>
      }
    }
  }
  return
}
