// Puzzle 7: attention in which every query, key and value is one number.

!matrix = memref<?x?xf32>
!staged = memref<16x128xf32, #tile.shared>
!tile = memref<16x128xf32, #tile.fragment>
!column = memref<16xf32, #tile.fragment>

func.func @scalar_attention(
    %q: !matrix {tile.shape = "BxS"}, %k: !matrix {tile.shape = "BxS"}, %v: !matrix {tile.shape = "BxS"},
    %o: !matrix {tile.shape = "BxS", tile.result})
    attributes {tile.reference = @scalar_attention_reference, tile.atol = 1.0e-12, tile.rtol = 1.0e-5,
                tile.cases = ["B=256 S=16384", "B=33 S=1000", "B=17 S=129", "B=16 S=128", "B=3 S=127", "B=5 S=1",
                              "B=1 S=1"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %log2e = arith.constant 1.44269504 : f32
  %rows = memref.dim %q, %c0 : !matrix
  %length = memref.dim %q, %c1 : !matrix
  %blocks = arith.ceildivui %rows, %c16 : index
  %steps = arith.ceildivui %length, %c128 : index
  tile.kernel (%block) in (%blocks) threads(128) {
    %qs = tile.alloc : !staged
    %ks = tile.alloc : !staged
    %vs = tile.alloc : !staged
    %e = tile.alloc : !tile
    %max = tile.alloc : !column
    %old = tile.alloc : !column
    %sum = tile.alloc : !column
    tile.fill %max, %lowest : !column
    tile.fill %sum, %zero : !column
    tile.pipelined %s = 0 to %steps stages(2) {
      tile.copy %q[%block * 16, %s * 128], %qs : !matrix, !staged
      tile.copy %k[%block * 16, %s * 128], %ks : !matrix, !staged
      tile.parallel (%i, %j) in (16, 128) {
        // Past the end both factors are 0; the score there is -inf.
        %p = affine.apply affine_map<(s, j) -> (s * 128 + j)>(%s, %j)
        %inside = arith.cmpi ult, %p, %length : index
        %x = memref.load %qs[%i, %j] : !staged
        %y = memref.load %ks[%i, %j] : !staged
        %xy = arith.mulf %x, %y : f32
        %score = arith.select %inside, %xy, %lowest : f32
        memref.store %score, %e[%i, %j] : !tile
      }
      tile.copy %max, %old : !column, !column
      tile.reduce max %e, %max dim(1) {combine} : !tile, !column
      tile.parallel (%i) in (16) {
        %before = memref.load %old[%i] : !column
        %top = memref.load %max[%i] : !column
        %l = memref.load %sum[%i] : !column
        %d = arith.subf %before, %top : f32
        %d2 = arith.mulf %d, %log2e : f32
        %f = math.exp2 %d2 : f32
        %lf = arith.mulf %l, %f : f32
        memref.store %lf, %sum[%i] : !column
      }
      tile.parallel (%i, %j) in (16, 128) {
        %score = memref.load %e[%i, %j] : !tile
        %top = memref.load %max[%i] : !column
        %d = arith.subf %score, %top : f32
        %d2 = arith.mulf %d, %log2e : f32
        %p = math.exp2 %d2 : f32
        memref.store %p, %e[%i, %j] : !tile
      }
      tile.reduce sum %e, %sum dim(1) {combine} : !tile, !column
    }
    tile.pipelined %s = 0 to %steps stages(2) {
      tile.copy %q[%block * 16, %s * 128], %qs : !matrix, !staged
      tile.copy %k[%block * 16, %s * 128], %ks : !matrix, !staged
      tile.copy %v[%block * 16, %s * 128], %vs : !matrix, !staged
      tile.parallel (%i, %j) in (16, 128) {
        %x = memref.load %qs[%i, %j] : !staged
        %y = memref.load %ks[%i, %j] : !staged
        %z = memref.load %vs[%i, %j] : !staged
        %top = memref.load %max[%i] : !column
        %l = memref.load %sum[%i] : !column
        %xy = arith.mulf %x, %y : f32
        %d = arith.subf %xy, %top : f32
        %d2 = arith.mulf %d, %log2e : f32
        %p = math.exp2 %d2 : f32
        %weight = arith.divf %p, %l : f32
        %r = arith.mulf %weight, %z : f32
        memref.store %r, %e[%i, %j] : !tile
      }
      tile.copy %e, %o[%block * 16, %s * 128] : !tile, !matrix
    }
  }
  return
}
