// c = a + b by hand: two buffers in UB take turns, so that loads, additions and stores of neighbouring tiles overlap. A
// flag with the number of the buffer says in each direction how far the other pipe is.
//
//   tile-run --target=ascend examples/ascend/vector_add.mlir N=100003

!gm = memref<?xf32>
!part = memref<?xf32, strided<[1], offset: ?>>
!tile = memref<2048xf32, #tile.ub>

#rest = affine_map<(at)[size] -> (size - at, 2048)>

func.func @vector_add(%a: !gm {tile.shape = "N"}, %b: !gm {tile.shape = "N"}, %c: !gm {tile.shape = "N", tile.result})
    attributes {tile.reference = @vector_add_reference, tile.cases = ["N=16384", "N=100003", "N=2049", "N=1"]} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = memref.dim %a, %c0 : !gm
  %tiles = affine.apply affine_map<(n) -> (n ceildiv 2048)>(%n)
  tile.kernel (%k) in (4) {
    %x0 = tile.alloc {ascend.address = 0 : i64} : !tile
    %y0 = tile.alloc {ascend.address = 8192 : i64} : !tile
    %x1 = tile.alloc {ascend.address = 16384 : i64} : !tile
    %y1 = tile.alloc {ascend.address = 24576 : i64} : !tile
    // Each block takes every fourth pair of tiles.
    %first = affine.apply affine_map<(k) -> (k * 2)>(%k)
    %c8 = arith.constant 8 : index
    ascend.set_flag mte3 to mte2 id(0)
    ascend.set_flag mte3 to mte2 id(1)
    scf.for %t = %first to %tiles step %c8 {
      %at0 = affine.apply affine_map<(t) -> (t * 2048)>(%t)
      %size0 = affine.min #rest(%at0)[%n]
      %ga0 = memref.subview %a[%at0] [%size0] [1] : !gm to !part
      %gb0 = memref.subview %b[%at0] [%size0] [1] : !gm to !part
      %gc0 = memref.subview %c[%at0] [%size0] [1] : !gm to !part
      ascend.wait_flag mte3 to mte2 id(0)
      ascend.copy_gm_to_ub %x0, %ga0 : !tile, !part
      ascend.copy_gm_to_ub %y0, %gb0 : !tile, !part
      ascend.set_flag mte2 to v id(0)
      ascend.wait_flag mte2 to v id(0)
      ascend.binary add %x0, %x0, %y0 : !tile, !tile, !tile
      ascend.set_flag v to mte3 id(0)
      ascend.wait_flag v to mte3 id(0)
      ascend.copy_ub_to_gm %gc0, %x0 : !part, !tile
      ascend.set_flag mte3 to mte2 id(0)

      %next = affine.apply affine_map<(t) -> (t + 1)>(%t)
      %hasNext = arith.cmpi slt, %next, %tiles : index
      scf.if %hasNext {
        %at1 = affine.apply affine_map<(t) -> (t * 2048)>(%next)
        %size1 = affine.min #rest(%at1)[%n]
        %ga1 = memref.subview %a[%at1] [%size1] [1] : !gm to !part
        %gb1 = memref.subview %b[%at1] [%size1] [1] : !gm to !part
        %gc1 = memref.subview %c[%at1] [%size1] [1] : !gm to !part
        ascend.wait_flag mte3 to mte2 id(1)
        ascend.copy_gm_to_ub %x1, %ga1 : !tile, !part
        ascend.copy_gm_to_ub %y1, %gb1 : !tile, !part
        ascend.set_flag mte2 to v id(1)
        ascend.wait_flag mte2 to v id(1)
        ascend.binary add %x1, %x1, %y1 : !tile, !tile, !tile
        ascend.set_flag v to mte3 id(1)
        ascend.wait_flag v to mte3 id(1)
        ascend.copy_ub_to_gm %gc1, %x1 : !part, !tile
        ascend.set_flag mte3 to mte2 id(1)
      }
    }
    ascend.wait_flag mte3 to mte2 id(0)
    ascend.wait_flag mte3 to mte2 id(1)
  }
  return
}

func.func @vector_add_reference(%a: !gm, %b: !gm, %c: !gm) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : !gm
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : !gm
    %y = affine.load %b[%i] : !gm
    %s = arith.addf %x, %y : f32
    affine.store %s, %c[%i] : !gm
  }
  return
}
