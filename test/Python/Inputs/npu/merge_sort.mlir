func.func @merge_sort(%x: memref<?x512xf32> {tile.shape="Mx512"}, %v: memref<?x512xf32> {tile.shape="Mx512"}, %p: memref<?x512xi32> {tile.shape="Mx512"}) {
  tile.kernel (%b) in (dim(%x, 0)) {
    %s = tile.alloc : memref<1x512xf32, #tile.shared>
    %vs = tile.alloc : memref<1x512xf32, #tile.fragment>
    %ps = tile.alloc : memref<1x512xi32, #tile.shared>
    tile.copy %x[%b, 0], %s
    tile.topk %s, %vs, %ps : memref<1x512xf32, #tile.shared>, memref<1x512xf32, #tile.fragment>, memref<1x512xi32, #tile.shared>
    tile.copy %vs, %v[%b, 0]
    tile.copy %ps, %p[%b, 0]
  }
  return
}
