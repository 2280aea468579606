// C = relu(A · B + bias) by hand for Ascend 950, whose cube core writes to the memories of the vector cores: accumulators go
// from L0C to UB directly. `ascend-verify-sync` proves both cores together.
//
// A block computes 64 rows of C, 64 columns at a time. While the vector cores process one tile, 32 rows each, the cube core
// computes the next one in L0C; then it waits until the buffer in UB is free. A wait for the other core holds one pipe only:
//
//   0   the accumulator is in UB       cube, fix to vector, v
//   1   the buffer in UB is free       vector, v to cube, fix
//
// The vector unit completes in order: there are no barriers between its instructions.
//
//   tile-run --target=ascend examples/ascend/gemm_fused_950.mlir M=126 K=80 N=159

!gm = memref<?x?xf16>
!part = memref<?x?xf16, strided<[?, 1], offset: ?>>
!row_part = memref<?xf32, strided<[1], offset: ?>>
!tile = memref<64x64xf16, #tile.l1>
!left = memref<64x64xf16, #tile.l0a>
!right = memref<64x64xf16, #tile.l0b>
!zeros = memref<64x16xf16, #tile.l1>
!zero_left = memref<64x16xf16, #tile.l0a>
!zero_right = memref<16x64xf16, #tile.l0b>
!sum = memref<64x64xf32, #tile.l0c>
!half = memref<32x64xf32, #tile.ub>
!result = memref<32x64xf16, #tile.ub>
!bias = memref<64xf32, #tile.ub>

#rest = affine_map<(at)[size] -> (size - at, 64)>
#rest_of_half = affine_map<(at)[size] -> (size - at, 32)>

module attributes {tile.target = #tile.target<"950">} {
  // Tolerances: 1 ulp of f16.
  func.func @gemm_fused(%a: !gm {tile.shape = "MxK"}, %b: !gm {tile.shape = "KxN"}, %bias: memref<?xf32> {tile.shape = "N"},
      %c: !gm {tile.shape = "MxN", tile.result})
      attributes {tile.reference = @gemm_fused_reference, tile.atol = 1.0e-3, tile.rtol = 1.953125e-3,
                  tile.cases = ["M=128 K=256 N=64", "M=126 K=80 N=159", "M=64 K=192 N=192", "M=3 K=64 N=5", "M=97 K=0 N=70"]} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c192 = arith.constant 192 : index
    %zero = arith.constant 0.0 : f16
    %true = arith.constant true
    %false = arith.constant false
    %m = memref.dim %a, %c0 : !gm
    %k = memref.dim %a, %c1 : !gm
    %n = memref.dim %b, %c1 : !gm
    %rows = affine.apply affine_map<(n) -> (n ceildiv 64)>(%m)
    %columns = affine.apply affine_map<(n) -> (n ceildiv 64)>(%n)
    %steps = affine.apply affine_map<(n) -> (n ceildiv 64)>(%k)
    tile.kernel (%by) in (%rows) {
      %at = tile.alloc {ascend.address = 0 : i64} : !tile
      %bt = tile.alloc {ascend.address = 8192 : i64} : !tile
      %zeros = tile.alloc {ascend.address = 16384 : i64} : !zeros
      %left = tile.alloc {ascend.address = 0 : i64} : !left
      %zero_left = tile.alloc {ascend.address = 8192 : i64} : !zero_left
      %right = tile.alloc {ascend.address = 0 : i64} : !right
      %zero_right = tile.alloc {ascend.address = 8192 : i64} : !zero_right
      %sum = tile.alloc {ascend.address = 0 : i64} : !sum
      %x = tile.alloc {ascend.address = 0 : i64} : !half
      %y = tile.alloc {ascend.address = 8192 : i64} : !half
      %h = tile.alloc {ascend.address = 16384 : i64} : !result
      %w = tile.alloc {ascend.address = 20480 : i64} : !bias

      ascend.section cube {
        %row = affine.apply affine_map<(b) -> (b * 64)>(%by)
        %height = affine.min #rest(%row)[%m]
        // Each sum begins with a product of zeros, which stay in L0A and L0B. The chip does not fill them: they come from L1.
        ascend.fill_l1 %zeros, %zero : !zeros, f16
        ascend.set_flag mte2 to mte1 id(1)
        ascend.wait_flag mte2 to mte1 id(1)
        ascend.load_l0a %zero_left, %zeros : !zero_left, !zeros
        ascend.load_l0b %zero_right, %zeros {transpose} : !zero_right, !zeros
        ascend.set_flag mte1 to m id(1)
        ascend.wait_flag mte1 to m id(1)
        ascend.set_flag mte1 to mte2 id(0)
        ascend.set_flag m to mte1 id(0)
        ascend.set_flag fix to m id(0)
        scf.for %t = %c0 to %columns step %c1 {
          %column = affine.apply affine_map<(t) -> (t * 64)>(%t)
          %width = affine.min #rest(%column)[%n]
          ascend.wait_flag fix to m id(0)
          ascend.mmad %sum, %zero_left, %zero_right init(%true) : !sum, !zero_left, !zero_right
          scf.for %s = %c0 to %steps step %c1 {
            %depth_at = affine.apply affine_map<(s) -> (s * 64)>(%s)
            %depth = affine.min #rest(%depth_at)[%k]
            %ga = memref.subview %a[%row, %depth_at] [%height, %depth] [1, 1] : !gm to !part
            %gb = memref.subview %b[%depth_at, %column] [%depth, %width] [1, 1] : !gm to !part
            ascend.wait_flag mte1 to mte2 id(0)
            // What lies outside is 0; the barrier orders the copies after the fills.
            %area = affine.apply affine_map<(h, w, d) -> (h + w + d)>(%height, %width, %depth)
            %is_part = arith.cmpi slt, %area, %c192 : index
            scf.if %is_part {
              ascend.fill_l1 %at, %zero : !tile, f16
              ascend.fill_l1 %bt, %zero : !tile, f16
              ascend.pipe_barrier mte2
            }
            ascend.copy_gm_to_l1 %at, %ga : !tile, !part
            ascend.copy_gm_to_l1 %bt, %gb : !tile, !part
            ascend.set_flag mte2 to mte1 id(0)
            ascend.wait_flag mte2 to mte1 id(0)
            ascend.wait_flag m to mte1 id(0)
            ascend.load_l0a %left, %at : !left, !tile
            ascend.load_l0b %right, %bt : !right, !tile
            ascend.set_flag mte1 to mte2 id(0)
            ascend.set_flag mte1 to m id(0)
            ascend.wait_flag mte1 to m id(0)
            ascend.mmad %sum, %left, %right init(%false) : !sum, !left, !right
            ascend.set_flag m to mte1 id(0)
          }
          ascend.set_flag m to fix id(0)
          ascend.wait_flag m to fix id(0)
          ascend.cross_core_wait_flag id(1) on fix
          // The upper 32 rows to the first vector core, the lower ones to the second.
          ascend.fixpipe %x, %sum {halves} : !half, !sum
          ascend.cross_core_set_flag fix id(0)
          ascend.set_flag fix to m id(0)
        }
        ascend.wait_flag mte1 to mte2 id(0)
        ascend.wait_flag m to mte1 id(0)
        ascend.wait_flag fix to m id(0)
        ascend.cross_core_wait_flag id(1) on fix
      }

      ascend.section vector {
        %sub = ascend.sub_block
        %row = affine.apply affine_map<(b, s) -> (b * 64 + s * 32)>(%by, %sub)
        %left_over = affine.min #rest_of_half(%row)[%m]
        %height = arith.maxsi %left_over, %c0 : index
        ascend.cross_core_set_flag v id(1)
        ascend.set_flag v to mte2 id(0)
        ascend.set_flag mte3 to v id(0)
        scf.for %t = %c0 to %columns step %c1 {
          %column = affine.apply affine_map<(t) -> (t * 64)>(%t)
          %width = affine.min #rest(%column)[%n]
          %gw = memref.subview %bias[%column] [%width] [1] : memref<?xf32> to !row_part
          ascend.wait_flag v to mte2 id(0)
          ascend.copy_gm_to_ub %w, %gw : !bias, !row_part
          ascend.set_flag mte2 to v id(0)
          ascend.wait_flag mte2 to v id(0)
          ascend.cross_core_wait_flag id(0) on v
          ascend.binary add %y, %x, %w rhs(row) : !half, !half, !bias
          ascend.cross_core_set_flag v id(1)
          ascend.set_flag v to mte2 id(0)
          ascend.unary relu %y, %y : !half, !half
          ascend.wait_flag mte3 to v id(0)
          ascend.cast rint %h, %y : !result, !half
          ascend.set_flag v to mte3 id(0)
          ascend.wait_flag v to mte3 id(0)
          // A core whose rows lie past the last one stores nothing.
          %gc = memref.subview %c[%row, %column] [%height, %width] [1, 1] : !gm to !part
          ascend.copy_ub_to_gm %gc, %h : !part, !result
          ascend.set_flag mte3 to v id(0)
        }
        ascend.wait_flag v to mte2 id(0)
        ascend.wait_flag mte3 to v id(0)
      }
    }
    return
  }

  func.func @gemm_fused_reference(%a: !gm, %b: !gm, %bias: memref<?xf32>, %c: !gm) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f64
    %m = memref.dim %a, %c0 : !gm
    %k = memref.dim %a, %c1 : !gm
    %n = memref.dim %b, %c1 : !gm
    affine.for %i = 0 to %m {
      affine.for %j = 0 to %n {
        %w = affine.load %bias[%j] : memref<?xf32>
        %first = arith.extf %w : f32 to f64
        %sum = affine.for %l = 0 to %k iter_args(%old = %first) -> f64 {
          %x = affine.load %a[%i, %l] : !gm
          %y = affine.load %b[%l, %j] : !gm
          %xd = arith.extf %x : f16 to f64
          %yd = arith.extf %y : f16 to f64
          %p = arith.mulf %xd, %yd : f64
          %next = arith.addf %old, %p : f64
          affine.yield %next : f64
        }
        %r = arith.maximumf %sum, %zero : f64
        %h = arith.truncf %r : f64 to f16
        affine.store %h, %c[%i, %j] : !gm
      }
    }
    return
  }
}
