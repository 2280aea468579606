// FlashAttention by hand: O = softmax(Q · Kᵀ / 8) · V for every batch and head, on the cube core and the vector cores of a
// block, with each memory, address, flag and barrier written here. `ascend-verify-sync` proves both cores together.
//
// The cores transfer tiles through workspaces in GM. Each workspace has a flag for full and one for free; the free flag is
// set initially:
//
//   scores of a tile of keys     cube to vector     full 0, free 1
//   weights of them              vector to cube     full 2, free 3
//   their part of the result     cube to vector     full 4, free 5
//
// The cube core is one step ahead: it computes the scores of the next keys before it waits for the weights of these.
//
//   tile-run --target=ascend examples/ascend/flash_attention.mlir B=1 H=1 S=129

!heads = memref<?x?x?x64xf16>
!part = memref<?x64xf16, strided<[64, 1], offset: ?>>
!space = memref<?x64x64xf32>
!space_part = memref<64x64xf32, strided<[64, 1], offset: ?>>
!weights_space = memref<?x64x64xf16>
!weights_part = memref<64x64xf16, strided<[64, 1], offset: ?>>

!l1 = memref<64x64xf16, #tile.l1>
!left = memref<64x64xf16, #tile.l0a>
!right = memref<64x64xf16, #tile.l0b>
!product = memref<64x64xf32, #tile.l0c>

!scores = memref<64x64xf32, #tile.ub>
!weights = memref<64x64xf16, #tile.ub>
!column = memref<64xf32, #tile.ub>
!blocks = memref<64x8xf32, #tile.ub> // 32 equal bytes for each row
!bits = memref<8xi8, #tile.ub>

#rest = affine_map<(at)[size] -> (size - at, 64)>

// Tolerances: 2 ulp of f16, and 1e-3 of the spread of a mean over 63 keys.
func.func @flash_attention(
    %q: !heads {tile.shape = "BxHxSx64"}, %k: !heads {tile.shape = "BxHxSx64"},
    %v: !heads {tile.shape = "BxHxSx64"}, %o: !heads {tile.shape = "BxHxSx64", tile.result})
    attributes {tile.reference = @attention_reference, tile.atol = 2.0e-4, tile.rtol = 1.953125e-3,
                tile.cases = ["B=1 H=2 S=128", "B=2 H=1 S=300", "B=1 H=1 S=129", "B=1 H=1 S=63", "B=1 H=1 S=1"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %zero_f16 = arith.constant 0.0 : f16
  %lowest = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.125 : f32
  %true = arith.constant true
  %batches = memref.dim %q, %c0 : !heads
  %count = memref.dim %q, %c1 : !heads
  %length = memref.dim %q, %c2 : !heads
  %tiles = affine.apply affine_map<(n) -> (n ceildiv 64)>(%length)
  %all_heads = arith.muli %batches, %count : index
  %all_tiles = arith.muli %all_heads, %tiles : index
  %scores_gm = memref.alloc(%all_tiles) : !space
  %weights_gm = memref.alloc(%all_tiles) : !weights_space
  %result_gm = memref.alloc(%all_tiles) : !space
  tile.kernel (%x, %h, %b) in (%tiles, %count, %batches) {
    %row = affine.apply affine_map<(x) -> (x * 64)>(%x)
    %height = affine.min #rest(%row)[%length]
    %first_head = arith.muli %b, %count : index
    %head = arith.addi %first_head, %h : index
    %first_tile = arith.muli %head, %tiles : index
    %workspace = arith.addi %first_tile, %x : index
    %scores_ws = memref.subview %scores_gm[%workspace, 0, 0] [1, 64, 64] [1, 1, 1] : !space to !space_part
    %weights_ws = memref.subview %weights_gm[%workspace, 0, 0] [1, 64, 64] [1, 1, 1] : !weights_space to !weights_part
    %result_ws = memref.subview %result_gm[%workspace, 0, 0] [1, 64, 64] [1, 1, 1] : !space to !space_part

    ascend.section cube {
      %q1 = tile.alloc {ascend.address = 0 : i64} : !l1
      %k1 = tile.alloc {ascend.address = 8192 : i64} : !l1
      %v1 = tile.alloc {ascend.address = 16384 : i64} : !l1
      %p1 = tile.alloc {ascend.address = 24576 : i64} : !l1
      %q0 = tile.alloc {ascend.address = 0 : i64} : !left
      %p0 = tile.alloc {ascend.address = 8192 : i64} : !left
      %k0 = tile.alloc {ascend.address = 0 : i64} : !right
      %v0 = tile.alloc {ascend.address = 8192 : i64} : !right
      %s = tile.alloc {ascend.address = 0 : i64} : !product
      %r = tile.alloc {ascend.address = 16384 : i64} : !product
      %stop = affine.apply affine_map<(n) -> (n + 1)>(%tiles)
      // The weights are free, and so is all that the loop fills.
      ascend.cross_core_set_flag mte2 id(3)
      ascend.set_flag mte1 to mte2 id(0)
      ascend.set_flag mte1 to mte2 id(1)
      ascend.set_flag m to mte1 id(0)
      ascend.set_flag m to mte1 id(1)
      ascend.set_flag fix to m id(0)
      ascend.set_flag fix to m id(1)
      // Q stays in L0A.
      %gq = memref.subview %q[%b, %h, %row, 0] [1, 1, %height, 64] [1, 1, 1, 1] : !heads to !part
      ascend.fill_l1 %q1, %zero_f16 : !l1, f16
      ascend.pipe_barrier mte2
      ascend.copy_gm_to_l1 %q1, %gq : !l1, !part
      ascend.set_flag mte2 to mte1 id(2)
      ascend.wait_flag mte2 to mte1 id(2)
      ascend.load_l0a %q0, %q1 : !left, !l1
      scf.for %t = %c0 to %stop step %c1 {
        %isKey = arith.cmpi slt, %t, %tiles : index
        scf.if %isKey {
          %key = affine.apply affine_map<(t) -> (t * 64)>(%t)
          %keys = affine.min #rest(%key)[%length]
          %gk = memref.subview %k[%b, %h, %key, 0] [1, 1, %keys, 64] [1, 1, 1, 1] : !heads to !part
          ascend.wait_flag mte1 to mte2 id(0)
          ascend.fill_l1 %k1, %zero_f16 : !l1, f16
          ascend.pipe_barrier mte2
          ascend.copy_gm_to_l1 %k1, %gk : !l1, !part
          ascend.set_flag mte2 to mte1 id(0)
          ascend.wait_flag mte2 to mte1 id(0)
          ascend.wait_flag m to mte1 id(0)
          ascend.load_l0b %k0, %k1 {transpose} : !right, !l1
          ascend.set_flag mte1 to mte2 id(0)
          ascend.set_flag mte1 to m id(0)
          ascend.wait_flag mte1 to m id(0)
          ascend.wait_flag fix to m id(0)
          ascend.mmad %s, %q0, %k0 init(%true) : !product, !left, !right
          ascend.set_flag m to mte1 id(0)
          ascend.set_flag m to fix id(0)
          ascend.wait_flag m to fix id(0)
          ascend.cross_core_wait_flag id(1)
          ascend.fixpipe %scores_ws, %s : !space_part, !product
          ascend.cross_core_set_flag fix id(0)
          ascend.set_flag fix to m id(0)
        }
        %isValue = arith.cmpi sgt, %t, %c0 : index
        scf.if %isValue {
          %value = affine.apply affine_map<(t) -> (t * 64 - 64)>(%t)
          %values = affine.min #rest(%value)[%length]
          %gv = memref.subview %v[%b, %h, %value, 0] [1, 1, %values, 64] [1, 1, 1, 1] : !heads to !part
          ascend.wait_flag mte1 to mte2 id(1)
          ascend.fill_l1 %v1, %zero_f16 : !l1, f16
          ascend.pipe_barrier mte2
          ascend.copy_gm_to_l1 %v1, %gv : !l1, !part
          ascend.cross_core_wait_flag id(2)
          ascend.copy_gm_to_l1 %p1, %weights_ws : !l1, !weights_part
          ascend.cross_core_set_flag mte2 id(3)
          ascend.set_flag mte2 to mte1 id(1)
          ascend.wait_flag mte2 to mte1 id(1)
          ascend.wait_flag m to mte1 id(1)
          ascend.load_l0a %p0, %p1 : !left, !l1
          ascend.load_l0b %v0, %v1 : !right, !l1
          ascend.set_flag mte1 to mte2 id(1)
          ascend.set_flag mte1 to m id(1)
          ascend.wait_flag mte1 to m id(1)
          ascend.wait_flag fix to m id(1)
          ascend.mmad %r, %p0, %v0 init(%true) : !product, !left, !right
          ascend.set_flag m to mte1 id(1)
          ascend.set_flag m to fix id(1)
          ascend.wait_flag m to fix id(1)
          ascend.cross_core_wait_flag id(5)
          ascend.fixpipe %result_ws, %r : !space_part, !product
          ascend.cross_core_set_flag fix id(4)
          ascend.set_flag fix to m id(1)
        }
      }
      ascend.wait_flag mte1 to mte2 id(0)
      ascend.wait_flag mte1 to mte2 id(1)
      ascend.wait_flag m to mte1 id(0)
      ascend.wait_flag m to mte1 id(1)
      ascend.wait_flag fix to m id(0)
      ascend.wait_flag fix to m id(1)
      ascend.cross_core_wait_flag id(1)
      ascend.cross_core_wait_flag id(5)
    }

    ascend.section vector {
      // Both vector cores of the block compute the same, and the first one stores it.
      %sub = ascend.sub_block
      %first = arith.cmpi eq, %sub, %c0 : index
      %s = tile.alloc {ascend.address = 0 : i64} : !scores
      %r = tile.alloc {ascend.address = 16384 : i64} : !scores
      %acc = tile.alloc {ascend.address = 32768 : i64} : !scores
      %p = tile.alloc {ascend.address = 49152 : i64} : !weights
      %wide = tile.alloc {ascend.address = 57344 : i64} : !blocks
      %max = tile.alloc {ascend.address = 59392 : i64} : !column
      %before = tile.alloc {ascend.address = 59648 : i64} : !column
      %fade = tile.alloc {ascend.address = 59904 : i64} : !column
      %sum = tile.alloc {ascend.address = 60160 : i64} : !column
      %part = tile.alloc {ascend.address = 60416 : i64} : !column
      %lanes = tile.alloc {ascend.address = 60672 : i64} : !column
      %zeros = tile.alloc {ascend.address = 60928 : i64} : !column
      %lows = tile.alloc {ascend.address = 61184 : i64} : !column
      %bias = tile.alloc {ascend.address = 61440 : i64} : !column
      %bits = tile.alloc {ascend.address = 61696 : i64} : !bits
      // The scores and the result are free, and so is all that the loop fills.
      ascend.cross_core_set_flag mte2 id(1)
      ascend.cross_core_set_flag mte2 id(5)
      ascend.set_flag v to mte2 id(0)
      ascend.set_flag v to mte2 id(1)
      ascend.set_flag mte3 to v id(0)
      ascend.duplicate %acc, %zero : !scores, f32
      ascend.duplicate %sum, %zero : !column, f32
      ascend.duplicate %zeros, %zero : !column, f32
      ascend.duplicate %max, %lowest : !column, f32
      ascend.duplicate %lows, %lowest : !column, f32
      // 0, 1, ... 63: the scalar unit writes them.
      scf.for %i = %c0 to %c64 step %c1 {
        %number = arith.index_cast %i : index to i32
        %lane = arith.sitofp %number : i32 to f32
        memref.store %lane, %lanes[%i] : !column
      }
      ascend.set_flag s to v id(0)
      ascend.wait_flag s to v id(0)
      scf.for %t = %c0 to %tiles step %c1 {
        ascend.cross_core_wait_flag id(0)
        ascend.wait_flag v to mte2 id(0)
        ascend.copy_gm_to_ub %s, %scores_ws : !scores, !space_part
        ascend.cross_core_set_flag mte2 id(1)
        ascend.set_flag mte2 to v id(0)
        ascend.wait_flag mte2 to v id(0)
        // Keys past the end are no keys of score 0: their bias is the lowest number.
        %left = affine.apply affine_map<(t)[n] -> (n - t * 64)>(%t)[%length]
        %left_int = arith.index_cast %left : index to i32
        %left_float = arith.sitofp %left_int : i32 to f32
        ascend.compare lt %bits, %lanes, %left_float : !bits, !column, f32
        ascend.scalar muls %s, %s, %scale : !scores, !scores, f32
        ascend.pipe_barrier v
        ascend.select %bias, %bits, %zeros, %lows : !column, !bits, !column, !column
        ascend.copy_ub %before, %max : !column, !column
        ascend.pipe_barrier v
        ascend.binary add %s, %s, %bias rhs(row) : !scores, !scores, !column
        ascend.pipe_barrier v
        ascend.reduce max %part, %s : !column, !scores
        ascend.pipe_barrier v
        ascend.binary max %max, %before, %part : !column, !column, !column
        ascend.pipe_barrier v
        ascend.brcb %wide, %max : !blocks, !column
        ascend.binary sub %fade, %before, %max : !column, !column, !column
        ascend.pipe_barrier v
        ascend.binary sub %s, %s, %wide rhs(column) : !scores, !scores, !blocks
        ascend.unary exp %fade, %fade : !column, !column
        ascend.pipe_barrier v
        ascend.unary exp %s, %s : !scores, !scores
        ascend.binary mul %sum, %sum, %fade : !column, !column, !column
        ascend.brcb %wide, %fade : !blocks, !column
        ascend.pipe_barrier v
        ascend.reduce sum %part, %s : !column, !scores
        ascend.binary mul %acc, %acc, %wide rhs(column) : !scores, !scores, !blocks
        // The weights, for the cube.
        ascend.wait_flag mte3 to v id(0)
        ascend.cast rint %p, %s : !weights, !scores
        ascend.set_flag v to mte2 id(0)
        ascend.set_flag v to mte3 id(0)
        ascend.wait_flag v to mte3 id(0)
        ascend.cross_core_wait_flag id(3)
        scf.if %first {
          ascend.copy_ub_to_gm %weights_ws, %p : !weights_part, !weights
        }
        ascend.cross_core_set_flag mte3 id(2)
        ascend.set_flag mte3 to v id(0)
        ascend.pipe_barrier v
        ascend.binary add %sum, %sum, %part : !column, !column, !column
        // Their part of the result.
        ascend.cross_core_wait_flag id(4)
        ascend.wait_flag v to mte2 id(1)
        ascend.copy_gm_to_ub %r, %result_ws : !scores, !space_part
        ascend.cross_core_set_flag mte2 id(5)
        ascend.set_flag mte2 to v id(1)
        ascend.wait_flag mte2 to v id(1)
        ascend.binary add %acc, %acc, %r : !scores, !scores, !scores
        ascend.set_flag v to mte2 id(1)
      }
      ascend.pipe_barrier v
      ascend.brcb %wide, %sum : !blocks, !column
      ascend.pipe_barrier v
      ascend.binary div %acc, %acc, %wide rhs(column) : !scores, !scores, !blocks
      ascend.pipe_barrier v
      ascend.wait_flag mte3 to v id(0)
      ascend.cast rint %p, %acc : !weights, !scores
      ascend.set_flag v to mte3 id(0)
      ascend.wait_flag v to mte3 id(0)
      %go = memref.subview %o[%b, %h, %row, 0] [1, 1, %height, 64] [1, 1, 1, 1] : !heads to !part
      scf.if %first {
        ascend.copy_ub_to_gm %go, %p : !part, !weights
      }
      ascend.wait_flag v to mte2 id(0)
      ascend.wait_flag v to mte2 id(1)
      ascend.cross_core_wait_flag id(3)
    }
  }
  memref.dealloc %scores_gm : !space
  memref.dealloc %weights_gm : !weights_space
  memref.dealloc %result_gm : !space
  return
}

// One query at a time: all scores, their softmax, the weighted mean.
func.func @attention_reference(%q: !heads, %k: !heads, %v: !heads, %o: !heads) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f64
  %lowest = arith.constant 0xFFF0000000000000 : f64
  %scale = arith.constant 0.125 : f64 // 1 / sqrt(64)
  %batches = memref.dim %q, %c0 : !heads
  %count = memref.dim %q, %c1 : !heads
  %length = memref.dim %q, %c2 : !heads
  %scores = memref.alloc(%length) : memref<?xf64>
  affine.for %b = 0 to %batches {
    affine.for %h = 0 to %count {
      affine.for %i = 0 to %length {
        %max = affine.for %j = 0 to %length iter_args(%old = %lowest) -> f64 {
          %dot = affine.for %d = 0 to 64 iter_args(%acc = %zero) -> f64 {
            %x = affine.load %q[%b, %h, %i, %d] : !heads
            %y = affine.load %k[%b, %h, %j, %d] : !heads
            %xd = arith.extf %x : f16 to f64
            %yd = arith.extf %y : f16 to f64
            %product = arith.mulf %xd, %yd : f64
            %next = arith.addf %acc, %product : f64
            affine.yield %next : f64
          }
          %score = arith.mulf %dot, %scale : f64
          affine.store %score, %scores[%j] : memref<?xf64>
          %new = arith.maximumf %old, %score : f64
          affine.yield %new : f64
        }
        %sum = affine.for %j = 0 to %length iter_args(%acc = %zero) -> f64 {
          %score = affine.load %scores[%j] : memref<?xf64>
          %d = arith.subf %score, %max : f64
          %e = math.exp %d : f64
          affine.store %e, %scores[%j] : memref<?xf64>
          %next = arith.addf %acc, %e : f64
          affine.yield %next : f64
        }
        affine.for %d = 0 to 64 {
          %out = affine.for %j = 0 to %length iter_args(%acc = %zero) -> f64 {
            %e = affine.load %scores[%j] : memref<?xf64>
            %y = affine.load %v[%b, %h, %j, %d] : !heads
            %yd = arith.extf %y : f16 to f64
            %product = arith.mulf %e, %yd : f64
            %next = arith.addf %acc, %product : f64
            affine.yield %next : f64
          }
          %mean = arith.divf %out, %sum : f64
          %r = arith.truncf %mean : f64 to f16
          affine.store %r, %o[%b, %h, %i, %d] : !heads
        }
      }
    }
  }
  memref.dealloc %scores : memref<?xf64>
  return
}
