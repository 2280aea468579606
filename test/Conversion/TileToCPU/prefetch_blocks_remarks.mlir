// RUN: tile-opt %s --tile-set-target=chip=avx512 --tile-prefetch-blocks --remarks-filter='tile-prefetch-blocks' --verify-diagnostics | FileCheck %s

// What is fetched, and in how many pieces; and why nothing is.

!row = memref<4096xf32, #tile.fragment>

// CHECK-LABEL: func.func @fetched(
// CHECK:         memref.prefetch
func.func @fetched(%x: memref<?x4096xf32>, %n: index) {
  // expected-remark @below {{[Passed] PrefetchedNextBlock | Category:tile-prefetch-blocks | lines=256, pieces=32}}
  tile.kernel (%b) in (%n) {
    %t = tile.alloc : !row
    tile.copy %x[%b, 0], %t : memref<?x4096xf32>, !row
    tile.parallel (%i) in (4096) {
      %v = memref.load %t[%i] : !row
      %e = math.exp %v : f32
      memref.store %e, %t[%i] : !row
    }
  }
  return
}

// Nothing is said of kernels that read no long rows of their own: short rows, rows that all blocks share, rows that are only
// written, rows of a loop in the block.

// CHECK-LABEL: func.func @silent(
// CHECK-NOT:     memref.prefetch
func.func @silent(%x: memref<?x4096xf32>, %g: memref<4096xf32>, %n: index) {
  tile.kernel (%b) in (%n) {
    %t = tile.alloc : !row
    %s = tile.alloc : memref<16x256xf32, #tile.fragment>
    %u = tile.alloc : memref<1024xf32, #tile.fragment>
    tile.copy %x[%b * 16, 0], %s : memref<?x4096xf32>, memref<16x256xf32, #tile.fragment>
    tile.copy %g, %t : memref<4096xf32>, !row
    tile.pipelined %k = 0 to 4 stages(2) {
      tile.copy %x[%b, %k * 1024], %u : memref<?x4096xf32>, memref<1024xf32, #tile.fragment>
    }
    tile.parallel (%i) in (4096) {
      %v = memref.load %t[%i] : !row
      %e = math.exp %v : f32
      memref.store %e, %t[%i] : !row
    }
    tile.copy %t, %x[%b, 0] : !row, memref<?x4096xf32>
  }
  return
}

// What a table says of the next block cannot be read ahead: there may be no such entry.

// CHECK-LABEL: func.func @table(
// CHECK-NOT:     memref.prefetch
func.func @table(%x: memref<?x4096xf32>, %pages: memref<?xindex>, %n: index) {
  // expected-remark @below {{[Missed] PrefetchedNextBlock | Category:tile-prefetch-blocks | Reason="where the next block reads does not follow from its coordinates by pure ops"}}
  tile.kernel (%b) in (%n) {
    %t = tile.alloc : !row
    %p = memref.load %pages[%b] : memref<?xindex>
    tile.copy %x[%p, 0], %t : memref<?x4096xf32>, !row
    tile.parallel (%i) in (4096) {
      %v = memref.load %t[%i] : !row
      %e = math.exp %v : f32
      memref.store %e, %t[%i] : !row
    }
  }
  return
}

// CHECK-LABEL: func.func @large(
// CHECK-NOT:     memref.prefetch
func.func @large(%x: memref<?x4096xf32>, %n: index) {
  // expected-remark @below {{Reason="a block reads 262144 bytes, of which at most 131072 may wait in the cache"}}
  tile.kernel (%b) in (%n) {
    %t = tile.alloc : memref<16x4096xf32, #tile.fragment>
    tile.copy %x[%b * 16, 0], %t : memref<?x4096xf32>, memref<16x4096xf32, #tile.fragment>
    tile.parallel (%i, %j) in (16, 4096) {
      %v = memref.load %t[%i, %j] : memref<16x4096xf32, #tile.fragment>
      %e = math.exp %v : f32
      memref.store %e, %t[%i, %j] : memref<16x4096xf32, #tile.fragment>
    }
  }
  return
}

// A loop of dynamic extents is no measure.

// CHECK-LABEL: func.func @no_loop(
// CHECK-NOT:     memref.prefetch
func.func @no_loop(%x: memref<?x4096xf32>, %y: memref<?x4096xf32>, %n: index) {
  // expected-remark @below {{Reason="no 'tile.parallel' of static extents to hide the reads behind"}}
  tile.kernel (%b) in (%n) {
    %t = tile.alloc : !row
    tile.copy %x[%b, 0], %t : memref<?x4096xf32>, !row
    tile.parallel (%i) in (%n) {
      %v = memref.load %t[%i] : !row
      %e = math.exp %v : f32
      memref.store %e, %t[%i] : !row
    }
    tile.parallel (%i) in (0) {
      %v = memref.load %t[%i] : !row
      memref.store %v, %t[%i] : !row
    }
    tile.copy %t, %y[%b, 0] : !row, memref<?x4096xf32>
  }
  return
}

// CHECK-LABEL: func.func @short_loop(
// CHECK-NOT:     memref.prefetch
func.func @short_loop(%x: memref<?x4096xf32>, %n: index) {
  // expected-remark @below {{Reason="the longest 'tile.parallel' has 128 iterations for 256 cache lines"}}
  tile.kernel (%b) in (%n) {
    %t = tile.alloc : !row
    tile.copy %x[%b, 0], %t : memref<?x4096xf32>, !row
    tile.parallel (%i) in (128) {
      %v = memref.load %t[%i] : !row
      %e = math.exp %v : f32
      memref.store %e, %t[%i] : !row
    }
  }
  return
}
