// Puzzle 6: the softmax of every row, in three passes and in two.

!matrix = memref<?x?xf32>
!staged = memref<16x256xf32, #tile.shared>
!tile = memref<16x256xf32, #tile.fragment>
!column = memref<16xf32, #tile.fragment>

func.func @softmax(%a: !matrix {tile.shape = "NxM"}, %b: !matrix {tile.shape = "NxM", tile.result})
    attributes {tile.reference = @softmax_reference, tile.atol = 0.0, tile.rtol = 1.0e-5,
                tile.cases = ["N=64 M=16384", "N=33 M=1000", "N=17 M=257", "N=16 M=256", "N=3 M=255", "N=5 M=1",
                              "N=1 M=1"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %log2e = arith.constant 1.44269504 : f32
  %n = memref.dim %a, %c0 : !matrix
  %m = memref.dim %a, %c1 : !matrix
  %blocks = arith.ceildivui %n, %c16 : index
  %steps = arith.ceildivui %m, %c256 : index
  tile.kernel (%block) in (%blocks) threads(128) {
    tile.padding_value %a, %lowest : !matrix
    %as = tile.alloc : !staged
    %e = tile.alloc : !tile
    %max = tile.alloc : !column
    %sum = tile.alloc : !column
    tile.fill %max, %lowest : !column
    tile.fill %sum, %zero : !column
    tile.pipelined %s = 0 to %steps stages(2) {
      tile.copy %a[%block * 16, %s * 256], %as : !matrix, !staged
      tile.reduce max %as, %max dim(1) {combine} : !staged, !column
    }
    tile.pipelined %s = 0 to %steps stages(2) {
      tile.copy %a[%block * 16, %s * 256], %as : !matrix, !staged
      tile.parallel (%i, %j) in (16, 256) {
        %x = memref.load %as[%i, %j] : !staged
        %top = memref.load %max[%i] : !column
        %d = arith.subf %x, %top : f32
        %d2 = arith.mulf %d, %log2e : f32
        %p = math.exp2 %d2 : f32
        memref.store %p, %e[%i, %j] : !tile
      }
      tile.reduce sum %e, %sum dim(1) {combine} : !tile, !column
    }
    tile.pipelined %s = 0 to %steps stages(2) {
      tile.copy %a[%block * 16, %s * 256], %as : !matrix, !staged
      tile.parallel (%i, %j) in (16, 256) {
        %x = memref.load %as[%i, %j] : !staged
        %top = memref.load %max[%i] : !column
        %l = memref.load %sum[%i] : !column
        %d = arith.subf %x, %top : f32
        %d2 = arith.mulf %d, %log2e : f32
        %p = math.exp2 %d2 : f32
        %q = arith.divf %p, %l : f32
        memref.store %q, %e[%i, %j] : !tile
      }
      tile.copy %e, %b[%block * 16, %s * 256] : !tile, !matrix
    }
  }
  return
}

func.func @softmax_online(%a: !matrix {tile.shape = "NxM"}, %b: !matrix {tile.shape = "NxM", tile.result})
    attributes {tile.reference = @softmax_reference, tile.atol = 0.0, tile.rtol = 1.0e-5,
                tile.cases = ["N=64 M=16384", "N=33 M=1000", "N=17 M=257", "N=16 M=256", "N=3 M=255", "N=5 M=1",
                              "N=1 M=1"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %log2e = arith.constant 1.44269504 : f32
  %n = memref.dim %a, %c0 : !matrix
  %m = memref.dim %a, %c1 : !matrix
  %blocks = arith.ceildivui %n, %c16 : index
  %steps = arith.ceildivui %m, %c256 : index
  tile.kernel (%block) in (%blocks) threads(128) {
    tile.padding_value %a, %lowest : !matrix
    %as = tile.alloc : !staged
    %e = tile.alloc : !tile
    %max = tile.alloc : !column
    %old = tile.alloc : !column
    %sum = tile.alloc : !column
    tile.fill %max, %lowest : !column
    tile.fill %sum, %zero : !column
    tile.pipelined %s = 0 to %steps stages(2) {
      tile.copy %a[%block * 16, %s * 256], %as : !matrix, !staged
      tile.copy %max, %old : !column, !column
      tile.reduce max %as, %max dim(1) {combine} : !staged, !column
      tile.parallel (%i) in (16) {
        // Terms summed so far were relative to the old maximum.
        %before = memref.load %old[%i] : !column
        %top = memref.load %max[%i] : !column
        %l = memref.load %sum[%i] : !column
        %d = arith.subf %before, %top : f32
        %d2 = arith.mulf %d, %log2e : f32
        %f = math.exp2 %d2 : f32
        %lf = arith.mulf %l, %f : f32
        memref.store %lf, %sum[%i] : !column
      }
      tile.parallel (%i, %j) in (16, 256) {
        %x = memref.load %as[%i, %j] : !staged
        %top = memref.load %max[%i] : !column
        %d = arith.subf %x, %top : f32
        %d2 = arith.mulf %d, %log2e : f32
        %p = math.exp2 %d2 : f32
        memref.store %p, %e[%i, %j] : !tile
      }
      tile.reduce sum %e, %sum dim(1) {combine} : !tile, !column
    }
    tile.pipelined %s = 0 to %steps stages(2) {
      tile.copy %a[%block * 16, %s * 256], %as : !matrix, !staged
      tile.parallel (%i, %j) in (16, 256) {
        %x = memref.load %as[%i, %j] : !staged
        %top = memref.load %max[%i] : !column
        %l = memref.load %sum[%i] : !column
        %d = arith.subf %x, %top : f32
        %d2 = arith.mulf %d, %log2e : f32
        %p = math.exp2 %d2 : f32
        %q = arith.divf %p, %l : f32
        memref.store %q, %e[%i, %j] : !tile
      }
      tile.copy %e, %b[%block * 16, %s * 256] : !tile, !matrix
    }
  }
  return
}
