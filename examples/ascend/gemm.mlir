// C = A · B by hand: each memory, address, flag and barrier is written here, and `ascend-verify-sync` proves them.
//
// L1, L0A and L0B are double-buffered: stage 0 has the even steps of K and stage 1 the odd ones, so that the loads from GM,
// the loads from L1 and the cube instructions overlap. A flag in each direction, with the number of the stage, synchronises
// the two pipes:
//
//   mte2 to mte1   the tiles in L1 are loaded       mte1 to mte2   they may be overwritten
//   mte1 to m      the operands in L0 are loaded    m to mte1      they may be overwritten
//
// Flags that say "may be overwritten" are raised once before the loop and taken down once behind it.
//
//   tile-run --target=ascend examples/ascend/gemm.mlir M=126 K=80 N=159

!gm = memref<?x?xf16>
!part = memref<?x?xf16, strided<[?, 1], offset: ?>>
!tile = memref<64x64xf16, #tile.l1>
!left = memref<64x64xf16, #tile.l0a>
!right = memref<64x64xf16, #tile.l0b>
!sum = memref<64x64xf32, #tile.l0c>

#rest = affine_map<(at)[size] -> (size - at, 64)>

// Tolerances: 1 ulp of f16.
func.func @gemm(%a: !gm {tile.shape = "MxK"}, %b: !gm {tile.shape = "KxN"}, %c: !gm {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @gemm_reference, tile.atol = 1.0e-3, tile.rtol = 1.953125e-3,
                tile.cases = ["M=128 K=256 N=64", "M=126 K=80 N=159", "M=64 K=192 N=64", "M=3 K=64 N=5", "M=65 K=0 N=3"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
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
  tile.kernel (%bx, %by) in (%columns, %rows) {
    %a0 = tile.alloc {ascend.address = 0 : i64} : !tile
    %b0 = tile.alloc {ascend.address = 8192 : i64} : !tile
    %a1 = tile.alloc {ascend.address = 16384 : i64} : !tile
    %b1 = tile.alloc {ascend.address = 24576 : i64} : !tile
    %left0 = tile.alloc {ascend.address = 0 : i64} : !left
    %left1 = tile.alloc {ascend.address = 8192 : i64} : !left
    %right0 = tile.alloc {ascend.address = 0 : i64} : !right
    %right1 = tile.alloc {ascend.address = 8192 : i64} : !right
    %sum = tile.alloc {ascend.address = 0 : i64} : !sum
    %row = affine.apply affine_map<(b) -> (b * 64)>(%by)
    %column = affine.apply affine_map<(b) -> (b * 64)>(%bx)
    %height = affine.min #rest(%row)[%m]
    %width = affine.min #rest(%column)[%n]

    // The sum begins with a product of zeros, which also serves where K is 0.
    ascend.fill_l0a %left0, %zero : !left, f16
    ascend.fill_l0b %right0, %zero : !right, f16
    ascend.set_flag mte1 to m id(0)
    ascend.wait_flag mte1 to m id(0)
    ascend.mmad %sum, %left0, %right0 init(%true) : !sum, !left, !right
    ascend.set_flag m to mte1 id(0)
    ascend.set_flag m to mte1 id(1)
    ascend.set_flag mte1 to mte2 id(0)
    ascend.set_flag mte1 to mte2 id(1)

    scf.for %s = %c0 to %steps step %c2 {
      %at0 = affine.apply affine_map<(s) -> (s * 64)>(%s)
      %depth0 = affine.min #rest(%at0)[%k]
      %ga0 = memref.subview %a[%row, %at0] [%height, %depth0] [1, 1] : !gm to !part
      %gb0 = memref.subview %b[%at0, %column] [%depth0, %width] [1, 1] : !gm to !part
      ascend.wait_flag mte1 to mte2 id(0)
      // What lies outside is 0; the barrier orders the copies after the fills.
      %area0 = affine.apply affine_map<(h, w, d) -> (h + w + d)>(%height, %width, %depth0)
      %isPart0 = arith.cmpi slt, %area0, %c192 : index
      scf.if %isPart0 {
        ascend.fill_l1 %a0, %zero : !tile, f16
        ascend.fill_l1 %b0, %zero : !tile, f16
        ascend.pipe_barrier mte2
      }
      ascend.copy_gm_to_l1 %a0, %ga0 : !tile, !part
      ascend.copy_gm_to_l1 %b0, %gb0 : !tile, !part
      ascend.set_flag mte2 to mte1 id(0)
      ascend.wait_flag mte2 to mte1 id(0)
      ascend.wait_flag m to mte1 id(0)
      ascend.load_l0a %left0, %a0 : !left, !tile
      ascend.load_l0b %right0, %b0 : !right, !tile
      ascend.set_flag mte1 to mte2 id(0)
      ascend.set_flag mte1 to m id(0)
      ascend.wait_flag mte1 to m id(0)
      ascend.mmad %sum, %left0, %right0 init(%false) : !sum, !left, !right
      ascend.set_flag m to mte1 id(0)

      %next = affine.apply affine_map<(s) -> (s + 1)>(%s)
      %hasNext = arith.cmpi slt, %next, %steps : index
      scf.if %hasNext {
        %at1 = affine.apply affine_map<(s) -> (s * 64)>(%next)
        %depth1 = affine.min #rest(%at1)[%k]
        %ga1 = memref.subview %a[%row, %at1] [%height, %depth1] [1, 1] : !gm to !part
        %gb1 = memref.subview %b[%at1, %column] [%depth1, %width] [1, 1] : !gm to !part
        ascend.wait_flag mte1 to mte2 id(1)
        %area1 = affine.apply affine_map<(h, w, d) -> (h + w + d)>(%height, %width, %depth1)
        %isPart1 = arith.cmpi slt, %area1, %c192 : index
        scf.if %isPart1 {
          ascend.fill_l1 %a1, %zero : !tile, f16
          ascend.fill_l1 %b1, %zero : !tile, f16
          ascend.pipe_barrier mte2
        }
        ascend.copy_gm_to_l1 %a1, %ga1 : !tile, !part
        ascend.copy_gm_to_l1 %b1, %gb1 : !tile, !part
        ascend.set_flag mte2 to mte1 id(1)
        ascend.wait_flag mte2 to mte1 id(1)
        ascend.wait_flag m to mte1 id(1)
        ascend.load_l0a %left1, %a1 : !left, !tile
        ascend.load_l0b %right1, %b1 : !right, !tile
        ascend.set_flag mte1 to mte2 id(1)
        ascend.set_flag mte1 to m id(1)
        ascend.wait_flag mte1 to m id(1)
        ascend.mmad %sum, %left1, %right1 init(%false) : !sum, !left, !right
        ascend.set_flag m to mte1 id(1)
      }
    }

    ascend.wait_flag mte1 to mte2 id(0)
    ascend.wait_flag mte1 to mte2 id(1)
    ascend.wait_flag m to mte1 id(0)
    ascend.wait_flag m to mte1 id(1)
    ascend.set_flag m to fix id(0)
    ascend.wait_flag m to fix id(0)
    %gc = memref.subview %c[%row, %column] [%height, %width] [1, 1] : !gm to !part
    ascend.fixpipe %gc, %sum : !part, !sum
  }
  return
}

func.func @gemm_reference(%a: !gm, %b: !gm, %c: !gm) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %m = memref.dim %a, %c0 : !gm
  %k = memref.dim %a, %c1 : !gm
  %n = memref.dim %b, %c1 : !gm
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %sum = affine.for %l = 0 to %k iter_args(%old = %zero) -> f64 {
        %x = affine.load %a[%i, %l] : !gm
        %y = affine.load %b[%l, %j] : !gm
        %xd = arith.extf %x : f16 to f64
        %yd = arith.extf %y : f16 to f64
        %p = arith.mulf %xd, %yd : f64
        %next = arith.addf %old, %p : f64
        affine.yield %next : f64
      }
      %r = arith.truncf %sum : f64 to f16
      affine.store %r, %c[%i, %j] : !gm
    }
  }
  return
}
