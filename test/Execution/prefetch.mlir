// Loops that tile-prefetch-blocks cuts into pieces still visit every point once: uneven pieces, several dimensions, edges of
// the buffer, a single block and none. What is prefetched has no influence; places past the end must do no harm.

// REQUIRES: tile-run
// RUN: tile-run %s | FileCheck %s
// RUN: tile-opt %s --tile-set-target=chip=x86-64-v3 --tile-prefetch-blocks --remarks-filter=tile-prefetch-blocks -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// CHECK: {{^}}21 passed, 0 failed{{$}}
// REMARK-COUNT-3: [Passed] PrefetchedNextBlock

!matrix = memref<?x?xf32>

func.func @row(%x: !matrix {tile.shape = "MxN"}, %y: !matrix {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @square, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["M=9 N=4099", "M=1 N=4099", "M=5 N=4096", "M=6 N=100", "M=3 N=1", "M=0 N=4099", "M=4 N=0"]} {
  %c0 = arith.constant 0 : index
  %m = memref.dim %x, %c0 : !matrix
  tile.kernel (%b) in (%m) {
    %t = tile.alloc : memref<4099xf32, #tile.fragment>
    tile.copy %x[%b, 0] [1, 4099], %t : !matrix, memref<4099xf32, #tile.fragment>
    tile.parallel (%i) in (4099) {
      %v = memref.load %t[%i] : memref<4099xf32, #tile.fragment>
      %s = arith.mulf %v, %v : f32
      memref.store %s, %t[%i] : memref<4099xf32, #tile.fragment>
    }
    tile.copy %t, %y[%b, 0] [1, 4099] : memref<4099xf32, #tile.fragment>, !matrix
  }
  return
}

// A grid of two dimensions whose blocks stick out on all sides, and a loop of three, cut in the second one.

func.func @blocks(%x: !matrix {tile.shape = "MxN"}, %y: !matrix {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @square, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["M=14 N=2500", "M=3 N=1002", "M=7 N=1001", "M=1 N=3", "M=8 N=1", "M=0 N=5", "M=5 N=0"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : !matrix
  %n = memref.dim %x, %c1 : !matrix
  %bm = affine.apply affine_map<(m) -> ((m + 1) ceildiv 3)>(%m)
  %bn = affine.apply affine_map<(n) -> ((n + 7) ceildiv 1002)>(%n)
  tile.kernel (%j, %i) in (%bn, %bm) {
    %t = tile.alloc : memref<3x1002xf32, #tile.fragment>
    tile.copy %x[%i * 3 - 1, %j * 1002 - 7], %t : !matrix, memref<3x1002xf32, #tile.fragment>
    tile.parallel (%p, %q, %r) in (3, 501, 2) coalesced_width(2) {
      %c = affine.apply affine_map<(q, r) -> (q * 2 + r)>(%q, %r)
      %v = memref.load %t[%p, %c] : memref<3x1002xf32, #tile.fragment>
      %s = arith.mulf %v, %v : f32
      memref.store %s, %t[%p, %c] : memref<3x1002xf32, #tile.fragment>
    }
    tile.copy %t, %y[%i * 3 - 1, %j * 1002 - 7] : memref<3x1002xf32, #tile.fragment>, !matrix
  }
  return
}

// The outermost dimension is cut, and each iteration has a buffer of its own.

func.func @outer(%x: !matrix {tile.shape = "MxN"}, %y: !matrix {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @square, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["M=14 N=1024", "M=7 N=1024", "M=1 N=1024", "M=0 N=1024", "M=15 N=1023", "M=9 N=1", "M=2 N=0"]} {
  %c0 = arith.constant 0 : index
  %m = memref.dim %x, %c0 : !matrix
  %blocks = affine.apply affine_map<(m) -> (m ceildiv 7)>(%m)
  tile.kernel (%b) in (%blocks) {
    %t = tile.alloc : memref<7x1024xf32, #tile.fragment>
    tile.copy %x[%b * 7, 0], %t : !matrix, memref<7x1024xf32, #tile.fragment>
    tile.parallel (%p, %q, %r) in (112, 8, 8) {
      %own = tile.alloc : memref<1xf32, #tile.local>
      %i = affine.apply affine_map<(p) -> (p floordiv 16)>(%p)
      %c = affine.apply affine_map<(p, q, r) -> ((p mod 16) * 64 + q * 8 + r)>(%p, %q, %r)
      %v = memref.load %t[%i, %c] : memref<7x1024xf32, #tile.fragment>
      memref.store %v, %own[%c0] : memref<1xf32, #tile.local>
      %w = memref.load %own[%c0] : memref<1xf32, #tile.local>
      %s = arith.mulf %v, %w : f32
      memref.store %s, %t[%i, %c] : memref<7x1024xf32, #tile.fragment>
    }
    tile.copy %t, %y[%b * 7, 0] : memref<7x1024xf32, #tile.fragment>, !matrix
  }
  return
}

func.func @square(%x: !matrix, %y: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : !matrix
  %n = memref.dim %x, %c1 : !matrix
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %v = memref.load %x[%i, %j] : !matrix
      %s = arith.mulf %v, %v : f32
      memref.store %s, %y[%i, %j] : !matrix
    }
  }
  return
}
