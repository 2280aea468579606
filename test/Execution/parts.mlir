// Parts of buffers: of fragments, of tiles that an op takes, of arguments.

// REQUIRES: tile-run, nvidia, amd
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: env TILE_SIMT_SEED=3 tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model | FileCheck %s
// CHECK: {{^}}9 passed, 0 failed{{$}}

// Halves of a fragment, at a static and at a dynamic place, to global and to shared memory.
func.func @halves(%x: memref<32x64xf32>, %y: memref<2x32x32xf32> {tile.result}) attributes {tile.reference = @halves_reference} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  tile.kernel (%b) in (1) threads(128) {
    %f = tile.alloc : memref<32x64xf32, #tile.fragment>
    %s = tile.alloc : memref<32x32xf32, #tile.shared>
    tile.copy %x, %f : memref<32x64xf32>, memref<32x64xf32, #tile.fragment>
    tile.copy %f[0, 32] [32, 32], %y[1, 0, 0] [1, 32, 32] : memref<32x64xf32, #tile.fragment>, memref<2x32x32xf32>
    scf.for %k = %c0 to %c1 step %c1 {
      tile.copy %f[0, %k * 32] [32, 32], %s : memref<32x64xf32, #tile.fragment>, memref<32x32xf32, #tile.shared>
      tile.copy %s, %y[%k, 0, 0] [1, 32, 32] : memref<32x32xf32, #tile.shared>, memref<2x32x32xf32>
    }
  }
  return
}

func.func private @halves_reference(%x: memref<32x64xf32>, %y: memref<2x32x32xf32>) {
  affine.for %h = 0 to 2 {
    affine.for %i = 0 to 32 {
      affine.for %j = 0 to 32 {
        %v = affine.load %x[%i, %j + %h * 32] : memref<32x64xf32>
        affine.store %v, %y[%h, %i, %j] : memref<2x32x32xf32>
      }
    }
  }
  return
}

// Odd places; a row; what a copy does not reach keeps its value, and so does what lies outside of the source's buffer: 0.
func.func @assemble(%x: memref<?xf32> {tile.shape = "N"}, %y: memref<6x40xf32> {tile.result})
    attributes {tile.reference = @assemble_reference, tile.cases = ["N=29", "N=7"]} {
  %one = arith.constant 1.0 : f32
  tile.kernel (%b) in (1) threads(64) {
    %f = tile.alloc : memref<6x40xf32, #tile.fragment>
    %g = tile.alloc : memref<3x20xf32, #tile.fragment>
    tile.fill %f, %one : memref<6x40xf32, #tile.fragment>
    tile.copy %x, %f[3, 5] [1, 29] : memref<?xf32>, memref<6x40xf32, #tile.fragment>
    tile.copy %f[2, 4] [3, 20], %g : memref<6x40xf32, #tile.fragment>, memref<3x20xf32, #tile.fragment>
    tile.copy %g[1, 0] [2, 20], %f[0, 20] [2, 20] : memref<3x20xf32, #tile.fragment>, memref<6x40xf32, #tile.fragment>
    tile.copy %f, %y : memref<6x40xf32, #tile.fragment>, memref<6x40xf32>
  }
  return
}

func.func private @assemble_reference(%x: memref<?xf32>, %y: memref<6x40xf32>) {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  affine.for %i = 0 to 6 {
    affine.for %j = 0 to 40 {
      affine.store %one, %y[%i, %j] : memref<6x40xf32>
    }
  }
  affine.for %j = 0 to 29 {
    affine.store %zero, %y[3, %j + 5] : memref<6x40xf32>
  }
  affine.for %j = 0 to min affine_map<(n) -> (n, 29)>(%n) {
    %v = affine.load %x[%j] : memref<?xf32>
    affine.store %v, %y[3, %j + 5] : memref<6x40xf32>
  }
  affine.for %i = 0 to 2 {
    affine.for %j = 0 to 20 {
      %v = affine.load %y[%i + 3, %j + 4] : memref<6x40xf32>
      affine.store %v, %y[%i, %j + 20] : memref<6x40xf32>
    }
  }
  return
}

// Operands and the accumulator of a gemm that are parts of tiles: y[h] = a[:, h] . b[h].
!a = memref<32x64xf16, #tile.shared>
!b = memref<2x32x32xf16, #tile.shared>
!part = memref<32x32xf16, strided<[64, 1], offset: ?>, #tile.shared>
!slice = memref<32x32xf16, strided<[32, 1], offset: ?>, #tile.shared>
func.func @products(%a: memref<32x64xf16> {tile.init = "integers(-3,3)"}, %b: memref<2x32x32xf16> {tile.init = "integers(-3,3)"},
                    %y: memref<2x32x32xf32> {tile.result}) attributes {tile.reference = @products_reference} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  tile.kernel (%k) in (1) threads(128) {
    %as = tile.alloc : !a
    %bs = tile.alloc : !b
    %c = tile.alloc : memref<32x32xf32, #tile.fragment>
    tile.copy %a, %as : memref<32x64xf16>, !a
    tile.copy %b, %bs : memref<2x32x32xf16>, !b
    scf.for %h = %c0 to %c2 step %c1 {
      %at = affine.apply affine_map<(h) -> (h * 32)>(%h)
      %ah = memref.subview %as[0, %at] [32, 32] [1, 1] : !a to !part
      %bh = memref.subview %bs[%h, 0, 0] [1, 32, 32] [1, 1, 1] : !b to !slice
      tile.fill %c, %zero : memref<32x32xf32, #tile.fragment>
      tile.gemm %ah, %bh, %c : !part, !slice, memref<32x32xf32, #tile.fragment>
      tile.copy %c, %y[%h, 0, 0] [1, 32, 32] : memref<32x32xf32, #tile.fragment>, memref<2x32x32xf32>
    }
  }
  return
}

func.func private @products_reference(%a: memref<32x64xf16>, %b: memref<2x32x32xf16>, %y: memref<2x32x32xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %h = 0 to 2 {
    affine.for %i = 0 to 32 {
      affine.for %j = 0 to 32 {
        %s = affine.for %k = 0 to 32 iter_args(%sum = %zero) -> f32 {
          %u = affine.load %a[%i, %k + %h * 32] : memref<32x64xf16>
          %v = affine.load %b[%h, %k, %j] : memref<2x32x32xf16>
          %p = arith.extf %u : f16 to f32
          %q = arith.extf %v : f16 to f32
          %r = arith.mulf %p, %q : f32
          %t = arith.addf %sum, %r : f32
          affine.yield %t : f32
        }
        affine.store %s, %y[%h, %i, %j] : memref<2x32x32xf32>
      }
    }
  }
  return
}

// The middle of packed rows: q, k, v of which a kernel takes k. What lies beside it is not read, not even past the tile's end.
!packed = memref<?x192xf16>
!k = memref<?x60xf16, strided<[192, 1], offset: 64>>
func.func @packed(%x: !packed {tile.shape = "Mx192"}, %y: memref<?x64xf16> {tile.shape = "Mx64", tile.result})
    attributes {tile.reference = @packed_reference, tile.cases = ["M=64", "M=37", "M=1"]} {
  %c0 = arith.constant 0 : index
  %m = memref.dim %x, %c0 : !packed
  %k = memref.subview %x[0, 64] [%m, 60] [1, 1] : !packed to !k
  %blocks = affine.apply affine_map<(m) -> (m ceildiv 32)>(%m)
  tile.kernel (%b) in (%blocks) threads(128) {
    %t = tile.alloc : memref<32x64xf16, #tile.shared>
    tile.copy %k[%b * 32, 0], %t : !k, memref<32x64xf16, #tile.shared>
    tile.copy %t, %y[%b * 32, 0] : memref<32x64xf16, #tile.shared>, memref<?x64xf16>
  }
  return
}

func.func private @packed_reference(%x: !packed, %y: memref<?x64xf16>) {
  %zero = arith.constant 0.0 : f16
  %c0 = arith.constant 0 : index
  %m = memref.dim %x, %c0 : !packed
  affine.for %i = 0 to %m {
    affine.for %j = 0 to 64 {
      affine.store %zero, %y[%i, %j] : memref<?x64xf16>
    }
    affine.for %j = 0 to 60 {
      %v = affine.load %x[%i, %j + 64] : !packed
      affine.store %v, %y[%i, %j] : memref<?x64xf16>
    }
  }
  return
}

// Every second column, by element accesses and in a fragment's reduction.
!even = memref<16x8xf32, strided<[16, 2]>>
func.func @columns(%x: memref<16x16xf32> {tile.init = "integers(-9,9)"}, %y: memref<8xf32> {tile.result})
    attributes {tile.reference = @columns_reference} {
  tile.kernel (%b) in (1) threads(32) {
    %even = memref.subview %x[0, 0] [16, 8] [1, 2] : memref<16x16xf32> to !even
    %f = tile.alloc : memref<16x8xf32, #tile.fragment>
    %s = tile.alloc : memref<8xf32, #tile.fragment>
    tile.copy %even, %f : !even, memref<16x8xf32, #tile.fragment>
    tile.reduce sum %f, %s dim(0) : memref<16x8xf32, #tile.fragment>, memref<8xf32, #tile.fragment>
    tile.parallel (%j) in (8) {
      %v = memref.load %s[%j] : memref<8xf32, #tile.fragment>
      %c0 = arith.constant 0 : index
      %w = memref.load %even[%c0, %j] : !even
      %r = arith.subf %v, %w : f32
      memref.store %r, %y[%j] : memref<8xf32>
    }
  }
  return
}

func.func private @columns_reference(%x: memref<16x16xf32>, %y: memref<8xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %j = 0 to 8 {
    %s = affine.for %i = 1 to 16 iter_args(%sum = %zero) -> f32 {
      %v = affine.load %x[%i, %j * 2] : memref<16x16xf32>
      %t = arith.addf %sum, %v : f32
      affine.yield %t : f32
    }
    affine.store %s, %y[%j] : memref<8xf32>
  }
  return
}

// A filter of four dimensions as a matrix.
func.func @filter(%w: memref<3x3x64x32xf16>, %y: memref<576x32xf16> {tile.result}) attributes {tile.reference = @filter_reference} {
  %flat = tile.reshape %w : memref<3x3x64x32xf16> to memref<576x32xf16>
  tile.kernel (%b) in (1) threads(128) {
    %t = tile.alloc : memref<32x32xf16, #tile.shared>
    tile.pipelined %k = 0 to 18 stages(2) {
      tile.copy %flat[%k * 32, 0], %t : memref<576x32xf16>, memref<32x32xf16, #tile.shared>
      tile.copy %t, %y[%k * 32, 0] : memref<32x32xf16, #tile.shared>, memref<576x32xf16>
    }
  }
  return
}

func.func private @filter_reference(%w: memref<3x3x64x32xf16>, %y: memref<576x32xf16>) {
  affine.for %i = 0 to 3 {
    affine.for %j = 0 to 3 {
      affine.for %c = 0 to 64 {
        affine.for %f = 0 to 32 {
          %v = affine.load %w[%i, %j, %c, %f] : memref<3x3x64x32xf16>
          affine.store %v, %y[%i * 192 + %j * 64 + %c, %f] : memref<576x32xf16>
        }
      }
    }
  }
  return
}
