!gm = memref<?xf32>
!part = memref<?xf32, strided<[1], offset: ?>>
!tile = memref<64xf32, #tile.ub>

// y = a x, through a workspace.
func.func @scale(%x: !gm, %y: !gm, %a: f32) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : !gm
  %blocks = affine.apply affine_map<(n) -> (n ceildiv 64)>(%n)
  %space = memref.alloc(%n) : !gm
  tile.kernel (%b) in (%blocks) {
    %t = tile.alloc : !tile
    %at = affine.apply affine_map<(b) -> (b * 64)>(%b)
    %size = affine.min affine_map<(b)[n] -> (n - b * 64, 64)>(%b)[%n]
    %gx = memref.subview %x[%at] [%size] [1] : !gm to !part
    %gs = memref.subview %space[%at] [%size] [1] : !gm to !part
    %gy = memref.subview %y[%at] [%size] [1] : !gm to !part
    ascend.copy_gm_to_ub %t, %gx : !tile, !part
    ascend.scalar muls %t, %t, %a : !tile, !tile, f32
    ascend.copy_ub_to_gm %gs, %t : !part, !tile
    ascend.copy_gm_to_ub %t, %gs : !tile, !part
    ascend.copy_ub_to_gm %gy, %t : !part, !tile
  }
  memref.dealloc %space : !gm
  return
}
