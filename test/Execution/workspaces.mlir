// Workspaces of functions: static and dynamic extents, several of them, of several types, read by later kernels.

// REQUIRES: tile-run, nvidia, amd, ascend
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: env TILE_SIMT_SEED=3 tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model | FileCheck %s
// CHECK: {{^}}10 passed, 0 failed{{$}}
// RUN: tile-run %s --func=partial --func=through --target=ascend --chip=910B | FileCheck %s --check-prefix=ASCEND
// RUN: tile-run %s --func=partial --func=through --target=ascend --chip=950 | FileCheck %s --check-prefix=ASCEND
// ASCEND: {{^}}6 passed, 0 failed{{$}}

// RUN: tile-translate %s --tile-to-ptx --chip=sm_90a --gpu-function=twice -o - | FileCheck %s --check-prefix=PTX
// PTX: .visible .entry twice_0
// PTX: .visible .entry twice_1

!matrix = memref<?x?xf32>

// y is x, through a transposed workspace and one of halves.
func.func @twice(%x: !matrix {tile.shape = "MxN"}, %y: !matrix {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @copy, tile.cases = ["M=40 N=72", "M=7 N=3", "M=1 N=1", "M=64 N=64"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : !matrix
  %n = memref.dim %x, %c1 : !matrix
  %ms = affine.apply affine_map<(d) -> (d ceildiv 32)>(%m)
  %ns = affine.apply affine_map<(d) -> (d ceildiv 32)>(%n)
  %turned = tile.alloc (%n, %m) : !matrix
  %again = tile.alloc (%m, %n) : !matrix
  tile.kernel (%p, %q) in (%ms, %ns) threads(128) {
    %t = tile.alloc : memref<32x32xf32, #tile.shared>
    %u = tile.alloc : memref<32x32xf32, #tile.shared>
    tile.copy %x[%p * 32, %q * 32], %t : !matrix, memref<32x32xf32, #tile.shared>
    tile.transpose %t, %u : memref<32x32xf32, #tile.shared>, memref<32x32xf32, #tile.shared>
    tile.copy %u, %turned[%q * 32, %p * 32] : memref<32x32xf32, #tile.shared>, !matrix
  }
  // The sizes of a workspace are those of its extents.
  %rows = memref.dim %turned, %c1 : !matrix
  %steps = affine.apply affine_map<(d) -> (d ceildiv 32)>(%rows)
  tile.kernel (%p, %q) in (%steps, %ns) threads(128) {
    %t = tile.alloc : memref<32x32xf32, #tile.shared>
    %u = tile.alloc : memref<32x32xf32, #tile.shared>
    tile.copy %turned[%q * 32, %p * 32], %t : !matrix, memref<32x32xf32, #tile.shared>
    tile.transpose %t, %u : memref<32x32xf32, #tile.shared>, memref<32x32xf32, #tile.shared>
    tile.copy %u, %again[%p * 32, %q * 32] : memref<32x32xf32, #tile.shared>, !matrix
  }
  tile.kernel (%p, %q) in (%ms, %ns) threads(128) {
    %t = tile.alloc : memref<32x32xf32, #tile.shared>
    tile.copy %again[%p * 32, %q * 32], %t : !matrix, memref<32x32xf32, #tile.shared>
    tile.copy %t, %y[%p * 32, %q * 32] : memref<32x32xf32, #tile.shared>, !matrix
  }
  return
}

// y is x, through a workspace that is larger by a tile.
func.func @through(%x: !matrix {tile.shape = "MxN"}, %y: !matrix {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @copy, tile.cases = ["M=40 N=72", "M=7 N=8", "M=64 N=64"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %m = memref.dim %x, %c0 : !matrix
  %n = memref.dim %x, %c1 : !matrix
  %rows = arith.addi %m, %c32 : index
  %ms = affine.apply affine_map<(d) -> (d ceildiv 32)>(%m)
  %ns = affine.apply affine_map<(d) -> (d ceildiv 32)>(%n)
  %w = tile.alloc (%rows, %n) : !matrix
  tile.kernel (%p, %q) in (%ms, %ns) threads(128) {
    %t = tile.alloc : memref<32x32xf32, #tile.shared>
    tile.copy %x[%p * 32, %q * 32], %t : !matrix, memref<32x32xf32, #tile.shared>
    tile.copy %t, %w[%p * 32 + 32, %q * 32] : memref<32x32xf32, #tile.shared>, !matrix
  }
  tile.kernel (%p, %q) in (%ms, %ns) threads(128) {
    %t = tile.alloc : memref<32x32xf32, #tile.shared>
    tile.copy %w[%p * 32 + 32, %q * 32], %t : !matrix, memref<32x32xf32, #tile.shared>
    tile.copy %t, %y[%p * 32, %q * 32] : memref<32x32xf32, #tile.shared>, !matrix
  }
  return
}

func.func private @copy(%x: !matrix, %y: !matrix) {
  memref.copy %x, %y : !matrix to !matrix
  return
}

// Partial sums of slices, added up by a second kernel: split K without atomics.
func.func @partial(%x: memref<?xi32> {tile.shape = "N"}, %y: memref<1xi32> {tile.result})
    attributes {tile.reference = @sum, tile.cases = ["N=500", "N=512", "N=1"]} {
  %parts = tile.alloc : memref<8x64xi32>
  tile.kernel (%b) in (8) threads(64) {
    %t = tile.alloc : memref<64xi32, #tile.shared>
    tile.copy %x[%b * 64], %t : memref<?xi32>, memref<64xi32, #tile.shared>
    tile.copy %t, %parts[%b, 0] [1, 64] : memref<64xi32, #tile.shared>, memref<8x64xi32>
  }
  tile.kernel (%b) in (1) threads(64) {
    %t = tile.alloc : memref<8x64xi32, #tile.fragment>
    %s = tile.alloc : memref<8xi32, #tile.fragment>
    %r = tile.alloc : memref<1xi32, #tile.fragment>
    tile.copy %parts, %t : memref<8x64xi32>, memref<8x64xi32, #tile.fragment>
    tile.reduce sum %t, %s dim(1) : memref<8x64xi32, #tile.fragment>, memref<8xi32, #tile.fragment>
    tile.reduce sum %s, %r dim(0) : memref<8xi32, #tile.fragment>, memref<1xi32, #tile.fragment>
    tile.copy %r, %y : memref<1xi32, #tile.fragment>, memref<1xi32>
  }
  return
}

func.func private @sum(%x: memref<?xi32>, %y: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  memref.store %zero, %y[%c0] : memref<1xi32>
  %n = memref.dim %x, %c0 : memref<?xi32>
  affine.for %i = 0 to %n {
    %v = memref.load %x[%i] : memref<?xi32>
    %s = memref.load %y[%c0] : memref<1xi32>
    %r = arith.addi %s, %v : i32
    memref.store %r, %y[%c0] : memref<1xi32>
  }
  return
}
