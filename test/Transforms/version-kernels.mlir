// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-version-kernels | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: tile-opt %s --tile-set-target=chip=sm_80 --tile-version-kernels | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: tile-opt %s --tile-set-target=chip=gfx942 --tile-version-kernels | FileCheck %s --check-prefixes=CHECK,AMD
// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-version-kernels --tile-version-kernels | FileCheck %s --check-prefixes=CHECK,SM90

!tile = memref<64x64xf16, #tile.shared>

// Rows of 16 bytes for the tensor copy, of 4 for copies of threads, and any. AMD has loads of vectors only. That there is a
// row follows from the grid, that there is a column from the loop, but a launch has to describe the tensor.
// CHECK-LABEL: func @matrix
// SM90:      tile.kernel {{.*}}{facts = [#tile.fact<size, argument = 0, dim = 1, min = 1, multiple = 8>, #tile.fact<address, argument = 0, multiple = 16>, #tile.fact<address, argument = 1, multiple = 16>]}
// SM90:      tile.kernel {{.*}}{facts = [#tile.fact<size, argument = 0, dim = 1, min = 1, multiple = 2>, #tile.fact<address, argument = 0, multiple = 16>, #tile.fact<address, argument = 1, multiple = 16>]}
// SM80:      tile.kernel {{.*}}{facts = [#tile.fact<size, argument = 0, dim = 1, min = 1, multiple = 8>, #tile.fact<address, argument = 0, multiple = 16>, #tile.fact<address, argument = 1, multiple = 16>]}
// SM80:      tile.kernel {{.*}}{facts = [#tile.fact<size, argument = 0, dim = 1, min = 1, multiple = 2>, #tile.fact<address, argument = 0, multiple = 16>, #tile.fact<address, argument = 1, multiple = 16>]}
// AMD:       tile.kernel {{.*}}{facts = [#tile.fact<size, argument = 0, dim = 1, min = 1, multiple = 8>, #tile.fact<address, argument = 0, multiple = 16>, #tile.fact<address, argument = 1, multiple = 16>]}
// CHECK:     tile.kernel {{.*}}{facts = []}
// CHECK-NOT: tile.kernel
func.func @matrix(%x: memref<?x?xf16> {tile.shape = "MxK"}, %y: memref<?x?xf16> {tile.shape = "MxK"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : memref<?x?xf16>
  %k = memref.dim %x, %c1 : memref<?x?xf16>
  %blocks = affine.apply affine_map<(n) -> (n ceildiv 64)>(%m)
  %steps = affine.apply affine_map<(n) -> (n ceildiv 64)>(%k)
  tile.kernel (%b) in (%blocks) {
    %t = tile.alloc : !tile
    tile.pipelined %s = 0 to %steps stages(2) {
      tile.copy %x[%b * 64, %s * 64], %t : memref<?x?xf16>, !tile
      tile.copy %t, %y[%b * 64, %s * 64] : !tile, memref<?x?xf16>
    }
  }
  return
}

// Without names the sizes of both buffers are conditions.
// CHECK-LABEL: func @unnamed
// SM80:      #tile.fact<size, argument = 0, dim = 1, min = 1, multiple = 8>
// SM80-SAME: #tile.fact<size, argument = 1, dim = 1, min = 1, multiple = 8>
func.func @unnamed(%x: memref<?x?xf16>, %y: memref<?x?xf16>) {
  tile.kernel (%b) in (4) {
    %t = tile.alloc : !tile
    tile.copy %x[%b * 64, 0], %t : memref<?x?xf16>, !tile
    tile.copy %t, %y[%b * 64, 0] : !tile, memref<?x?xf16>
  }
  return
}

// What is stated is no condition: one version, aligned as a launch checks.
// CHECK-LABEL: func @stated
// CHECK:     tile.kernel (%{{.*}}) in (%{{.*}}) {
// CHECK-NOT: tile.kernel
func.func @stated(%x: memref<?x?xf16> {tile.shape = "M%1xK"}, %y: memref<?x?xf16> {tile.shape = "MxK%8"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : memref<?x?xf16>
  %k = memref.dim %x, %c1 : memref<?x?xf16>
  %blocks = affine.apply affine_map<(n) -> (n ceildiv 64)>(%m)
  %steps = affine.apply affine_map<(n) -> (n ceildiv 64)>(%k)
  tile.kernel (%b) in (%blocks) {
    %t = tile.alloc : !tile
    tile.pipelined %s = 0 to %steps stages(2) {
      tile.copy %x[%b * 64, %s * 64], %t : memref<?x?xf16>, !tile
      tile.copy %t, %y[%b * 64, %s * 64] : !tile, memref<?x?xf16>
    }
  }
  return
}

// The address is stated, too.
// CHECK-LABEL: func @aligned
// SM80:      tile.kernel {{.*}}{facts = [#tile.fact<size, argument = 0, dim = 1, min = 1, multiple = 8>]}
// SM80:      tile.kernel {{.*}}{facts = []}
// CHECK-LABEL: func @unaligned
// CHECK:     tile.kernel (%{{.*}}) in (4) {
// CHECK-NOT: tile.kernel
func.func @aligned(%x: memref<?x?xf16> {tile.align = 16}) {
  tile.kernel (%b) in (4) {
    %t = tile.alloc : !tile
    tile.copy %x[%b * 64, 0], %t : memref<?x?xf16>, !tile
  }
  return
}

// Static shapes have one version; so do element accesses, and what a launch does not know.
func.func @unaligned(%x: memref<256x64xf16>) {
  tile.kernel (%b) in (4) {
    %t = tile.alloc : !tile
    tile.copy %x[%b * 64, 0], %t : memref<256x64xf16>, !tile
  }
  return
}

// CHECK-LABEL: func @elements
// CHECK:     tile.kernel (%{{.*}}) in (4) {
// CHECK-NOT: tile.kernel
func.func @elements(%x: memref<?x?xf16>, %y: memref<?x?xf16>) {
  tile.kernel (%b) in (4) {
    tile.parallel (%i, %j) in (64, 64) {
      %v = memref.load %x[%i, %j] : memref<?x?xf16>
      memref.store %v, %y[%i, %j] : memref<?x?xf16>
    }
  }
  return
}

// Strides are conditions of their own.
// CHECK-LABEL: func @strided
// CHECK:      #tile.fact<size, argument = 0, dim = 1, min = 1, multiple = 8>
// CHECK-SAME: #tile.fact<stride, argument = 0, multiple = 8>
// CHECK-SAME: #tile.fact<address, argument = 0, multiple = 16>
func.func @strided(%x: memref<?x?xf16, strided<[?, 1]>>) {
  tile.kernel (%b) in (4) {
    %t = tile.alloc : !tile
    tile.copy %x[%b * 64, 0], %t : memref<?x?xf16, strided<[?, 1]>>, !tile
  }
  return
}

// Two kernels of one function have versions each.
// CHECK-LABEL: func @two
// CHECK-COUNT-2: facts = []
func.func @two(%x: memref<?x?xf16>, %y: memref<?x?xf16>) {
  tile.kernel (%b) in (4) {
    %t = tile.alloc : !tile
    tile.copy %x[%b * 64, 0], %t : memref<?x?xf16>, !tile
  }
  tile.kernel (%b) in (4) {
    %t = tile.alloc : !tile
    tile.copy %y[%b * 64, 0], %t : memref<?x?xf16>, !tile
  }
  return
}

// Vectors of the program need the alignment of their buffer in all versions.
// CHECK-LABEL: func @vectors
// CHECK-SAME:  memref<?xf16> {tile.align = 16 : i64}
// CHECK:       facts = [#tile.fact<size, argument = 0, dim = 1, min = 1, multiple = 8>, #tile.fact<address, argument = 0, multiple = 16>]
// CHECK:       facts = []
func.func @vectors(%x: memref<?x?xf16>, %v: memref<?xf16>) {
  %c0 = arith.constant 0 : index
  tile.kernel (%b) in (4) {
    %t = tile.alloc : !tile
    tile.copy %x[%b * 64, 0], %t : memref<?x?xf16>, !tile
    tile.parallel (%i) in (1) {
      %w = vector.load %v[%c0] : memref<?xf16>, vector<8xf16>
      vector.store %w, %v[%c0] : memref<?xf16>, vector<8xf16>
    }
  }
  return
}

// Rows of the result may have any length while tensor copies load those of the operands. Where those may, too, a kernel before
// this one copies the operands to whole tiles of workspaces, for the version that reads them and for no other one.
// CHECK-LABEL: func @product
// SM90:      %[[A:.*]] = tile.alloc(%{{.*}}, %{{.*}}) : memref<?x?xf16>
// SM90:      %[[B:.*]] = tile.alloc(%{{.*}}, %{{.*}}) : memref<?x?xf16>
// SM90:      tile.kernel {{.*}} in (0) attributes {facts = [#tile.fact<size, argument = 0, dim = 1, min = 1, multiple = 8>, #tile.fact<address, argument = 0, multiple = 16>, #tile.fact<address, argument = 1, multiple = 16>], tile.pads = array<i64>}
// SM90:      tile.kernel {{.*}}{facts = [#tile.fact<size, argument = 0, min = 1>, #tile.fact<size, argument = 0, dim = 1, min = 128>, #tile.fact<size, argument = 1, min = 1>], tile.pads = array<i64: 0, 1>}
// SM90:        scf.if
// SM90:          tile.copy %arg0[%{{.*}} * 16, %{{.*}} * 256] [16, 256], %[[A]][%{{.*}} * 16, %{{.*}} * 256] [16, 256]
// SM90:        } else {
// SM90:          tile.copy %arg1[%{{.*}} * 16, %{{.*}} * 256] [16, 256], %[[B]][%{{.*}} * 16, %{{.*}} * 256] [16, 256]
// SM90:      tile.kernel {{.*}} in (0) attributes {facts = [], tile.pads = array<i64>}
// SM90:      tile.kernel {{.*}}{facts = [#tile.fact<size, argument = 0, dim = 1, min = 1, multiple = 8>, #tile.fact<address, argument = 0, multiple = 16>, #tile.fact<size, argument = 1, min = 1, multiple = 8>, #tile.fact<address, argument = 1, multiple = 16>, #tile.fact<address, argument = 2, multiple = 16>]}
// SM90:      tile.kernel {{.*}}{facts = [#tile.fact<size, argument = 0, dim = 1, min = 1, multiple = 8>, #tile.fact<address, argument = 0, multiple = 16>, #tile.fact<address, argument = 1, multiple = 16>]}
// SM90:      tile.kernel {{.*}}{facts = [#tile.fact<size, argument = 0, min = 1>, #tile.fact<size, argument = 0, dim = 1, min = 128>, #tile.fact<size, argument = 1, min = 1>]}
// SM90:        tile.copy %[[A]][
// SM90:        tile.copy %[[B]][
// SM90:      tile.kernel {{.*}}{facts = []}
// SM90-NOT:  tile.kernel
func.func @product(%a: memref<?x?xf16> {tile.shape = "MxK"}, %b: memref<?x?xf16> {tile.shape = "NxK"},
                   %c: memref<?x?xf16> {tile.shape = "MxN"}) {
  tile.kernel (%x, %y) in (ceildiv(dim(%b, 0), 64), ceildiv(dim(%a, 0), 64)) threads(128) {
    %as = tile.alloc : !tile
    %bs = tile.alloc : !tile
    %sum = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %sum, 0.0
    tile.pipelined %s = 0 to ceildiv(dim(%a, 1), 64) stages(2) {
      tile.copy %a[%y * 64, %s * 64], %as
      tile.copy %b[%x * 64, %s * 64], %bs
      tile.gemm %as, %bs, %sum {transpose_b}
    }
    tile.copy %sum, %c[%y * 64, %x * 64]
  }
  return
}

// Rows of A have K elements, those of B have N: B, of the larger tile, is read as it is where its rows are aligned. The kernel
// before chooses as the product does. Where A alone is copied, the address of C is asked for, too: its rows are as long as those of
// B, so that the copy engine may store it. A version in which B alone is copied would be the fifth.
// CHECK-LABEL: func @one_of_two
// SM90:      %[[A:.*]] = tile.alloc(%{{.*}}, %{{.*}}) : memref<?x?xf16>
// SM90:      %[[B:.*]] = tile.alloc(%{{.*}}, %{{.*}}) : memref<?x?xf16>
// SM90:      tile.kernel {{.*}} in (0) attributes {facts = {{.*}}, tile.pads = array<i64>}
// SM90:      tile.kernel {{.*}} in (%{{.*}}) attributes {facts = [#tile.fact<size, argument = 1, dim = 1, min = 1, multiple = 8>, #tile.fact<address, argument = 1, multiple = 16>, #tile.fact<address, argument = 2, multiple = 16>, {{.*}}#tile.fact<size, argument = 0, dim = 1, min = 128>], tile.pads = array<i64: 0>}
// SM90:        tile.copy %{{.*}}, %[[A]]
// SM90:      tile.kernel {{.*}} in (%{{.*}}) attributes {facts = [{{.*}}], tile.pads = array<i64: 0, 1>}
// SM90:      tile.kernel {{.*}} in (0) attributes {facts = [], tile.pads = array<i64>}
// SM90:      tile.kernel
// SM90:        tile.copy %arg0
// SM90:        tile.copy %arg1
// SM90:      tile.kernel
// SM90:        tile.copy %[[A]]
// SM90:        tile.copy %arg1
// SM90:      tile.kernel
// SM90:        tile.copy %[[A]]
// SM90:        tile.copy %[[B]]
// SM90:      tile.kernel {{.*}}{facts = []}
// SM90-NOT:  tile.kernel
func.func @one_of_two(%a: memref<?x?xf16> {tile.shape = "MxK"}, %b: memref<?x?xf16> {tile.shape = "KxN"},
                      %c: memref<?x?xf16> {tile.shape = "MxN"}) {
  tile.kernel (%x, %y) in (ceildiv(dim(%b, 1), 128), ceildiv(dim(%a, 0), 64)) threads(128) {
    %as = tile.alloc : !tile
    %bs = tile.alloc : memref<64x128xf16, #tile.shared>
    %sum = tile.alloc : memref<64x128xf32, #tile.fragment>
    tile.fill %sum, 0.0
    tile.pipelined %s = 0 to ceildiv(dim(%a, 1), 64) stages(2) {
      tile.copy %a[%y * 64, %s * 64], %as
      tile.copy %b[%s * 64, %x * 128], %bs
      tile.gemm %as, %bs, %sum
    }
    tile.copy %sum, %c[%y * 64, %x * 128]
  }
  return
}

// Codes become an operand in the loop, and scales multiply the sums: they are copied like operands. Codes, of the fewest bits, are
// read as they are wherever their rows are aligned.
// CHECK-LABEL: func @dequantised
// SM90:      tile.kernel {{.*}} in (0) attributes {facts = {{.*}}, tile.pads = array<i64>}
// SM90:      tile.kernel {{.*}}tile.pads = array<i64: 0, 2>}
// SM90:      tile.kernel {{.*}}tile.pads = array<i64: 0, 1, 2>}
// SM90:      tile.kernel {{.*}} in (0) attributes {facts = [], tile.pads = array<i64>}
// SM90:      tile.kernel {{.*}}{facts = [#tile.fact<size, argument = 1, dim = 1, min = 1, multiple = 16>, #tile.fact<address, argument = 1, multiple = 16>, {{.*}}#tile.fact<size, argument = 0, dim = 1, min = 128>, #tile.fact<size, argument = 2, min = 1>, #tile.fact<size, argument = 1, min = 1>]}
// SM90:        tile.copy %arg1[
func.func @dequantised(%a: memref<128x?xf16> {tile.shape = "128xK"}, %q: memref<?x?xi8> {tile.shape = "NxP"},
                       %s: memref<?x?xf32> {tile.shape = "GxN"}, %c: memref<?x128xf32> {tile.shape = "Nx128"}) {
  tile.kernel (%y, %x) in (2, ceildiv(dim(%q, 0), 64)) threads(128) {
    %as = tile.alloc : memref<64x128xf16, #tile.shared>
    %qs = tile.alloc : memref<64x64xi8, #tile.shared>
    %ss = tile.alloc : memref<64xf32, #tile.shared>
    %ws = tile.alloc : memref<64x128xf16, #tile.fragment>
    %part = tile.alloc : memref<64x64xf32, #tile.fragment>
    %sum = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %sum, 0.0
    tile.pipelined %k = 0 to dim(%s, 0) stages(3) {
      tile.copy %a[%y * 64, %k * 128], %as
      tile.copy %q[%x * 64, %k * 64], %qs
      tile.copy %s[%k, %x * 64], %ss
      %codes = tile.view %qs : memref<64x64xi8, #tile.shared> to memref<64x128xi4, #tile.shared>
      tile.copy %codes, %ws
      tile.gemm %ws, %as, %part {clear, transpose_b}
      tile.parallel (%i, %j) in (64, 64) do %sum[%i, %j] = %part[%i, %j] * %ss[%i] + %sum[%i, %j]
    }
    tile.copy %sum, %c[%x * 64, %y * 64]
  }
  return
}
