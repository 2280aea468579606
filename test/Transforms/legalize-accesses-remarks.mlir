// RUN: tile-opt %s --tile-legalize-accesses --remarks-filter='tile-legalize-accesses' --verify-diagnostics -o /dev/null

func.func @counts(%x: memref<?xf32>, %y: memref<1024xf32>) {
  // expected-remark @below {{[Passed] GuardedAccesses | Category:tile-legalize-accesses | guarded=1, proven=2}}
  tile.kernel (%b) in (4) {
    tile.parallel (%i) in (256) {
      %p = affine.apply affine_map<(b, i) -> (b * 256 + i)>(%b, %i)
      %v = memref.load %x[%p] : memref<?xf32>
      %w = memref.load %y[%p] : memref<1024xf32>
      %r = arith.addf %v, %w : f32
      memref.store %r, %y[%p] : memref<1024xf32>
    }
  }
  // A kernel without such accesses says nothing.
  tile.kernel (%b) in (4) {
    %t = tile.alloc : memref<64xf32, #tile.shared>
    tile.copy %y[%b * 64], %t : memref<1024xf32>, memref<64xf32, #tile.shared>
  }
  return
}
