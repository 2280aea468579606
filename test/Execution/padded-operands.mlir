// Rows of any length: products of 256 and more read padded copies of both operands, smaller ones go element by element, and
// where only rows of the result are odd, tensor copies load the operands. Operands with K contiguous and not.

// REQUIRES: tile-run, nvidia
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: tile-translate %s --tile-to-ptx --chip=sm_90a --gpu-function=transposed --notes=false | FileCheck %s --check-prefix=PTX
// CHECK: {{^}}7 passed, 0 failed{{$}}

// Also the tiles at the end of an operand move in vectors: one block that goes element by element takes as long as all others.
// PTX-LABEL: .entry transposed_0_pad_v2(
// PTX-NOT: st.global.b16
// PTX: .entry

!a = memref<?x?xf16>
!a_tile = memref<128x64xf16, #tile.shared>
!b_tile = memref<128x64xf16, #tile.shared>
!acc = memref<128x128xf32, #tile.fragment>

func.func @transposed(%a: !a {tile.shape = "MxK"}, %b: !a {tile.shape = "NxK"}, %bias: memref<?xf32> {tile.shape = "N"},
    %c: !a {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @transposed_reference, tile.atol = 6.0e-3, tile.rtol = 1.953125e-3,
      tile.cases = ["M=257 N=300 K=259", "M=256 N=264 K=257", "M=130 N=131 K=64", "M=255 N=300 K=257", "M=17 N=19 K=0"]} {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%x, %y) in (ceildiv(dim(%b, 0), 128), ceildiv(dim(%a, 0), 128)) threads(256) {
    %as = tile.alloc : !a_tile
    %bs = tile.alloc : !b_tile
    %acc = tile.alloc : !acc
    tile.fill %acc, %zero : !acc
    tile.pipelined %s = 0 to ceildiv(dim(%a, 1), 64) stages(3) {
      tile.copy %a[%y * 128, %s * 64], %as : !a, !a_tile
      tile.copy %b[%x * 128, %s * 64], %bs : !a, !b_tile
      tile.gemm %as, %bs, %acc {transpose_b} : !a_tile, !b_tile, !acc
    }
    tile.parallel (%i, %j) in (128, 128) do %acc[%i, %j] = %acc[%i, %j] + %bias[%x * 128 + %j]
    tile.copy %acc, %c[%y * 128, %x * 128] : !acc, !a
  }
  return
}
func.func @transposed_reference(%a: !a, %b: !a, %bias: memref<?xf32>, %c: !a) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %a, %c0 : !a
  %n = memref.dim %b, %c0 : !a
  %k = memref.dim %a, %c1 : !a
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %first = affine.load %bias[%j] : memref<?xf32>
      %sum = affine.for %l = 0 to %k iter_args(%old = %first) -> f32 {
        %p = affine.load %a[%i, %l] : !a
        %q = affine.load %b[%j, %l] : !a
        %pw = arith.extf %p : f16 to f32
        %qw = arith.extf %q : f16 to f32
        %t = arith.mulf %pw, %qw : f32
        %next = arith.addf %old, %t : f32
        affine.yield %next : f32
      }
      %r = arith.truncf %sum : f32 to f16
      affine.store %r, %c[%i, %j] : !a
    }
  }
  return
}

// A batch, whose rows and planes are padded.
!batch = memref<?x?x?xf16>
!plane = memref<64x64xf16, #tile.shared>

func.func @batched(%a: !batch {tile.shape = "BxMxK"}, %b: !batch {tile.shape = "BxKxN"}, %c: !batch {tile.shape = "BxMxN", tile.result})
    attributes {tile.reference = @batched_reference, tile.atol = 6.0e-3, tile.rtol = 1.953125e-3,
      tile.cases = ["B=2 M=257 N=258 K=259", "B=3 M=65 N=66 K=67"]} {
  tile.kernel (%x, %y, %z) in (ceildiv(dim(%b, 2), 64), ceildiv(dim(%a, 1), 64), dim(%a, 0)) threads(128) {
    %as = tile.alloc : !plane
    %bs = tile.alloc : !plane
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, 0.0
    tile.pipelined %s = 0 to ceildiv(dim(%a, 2), 64) stages(3) {
      tile.copy %a[%z, %y * 64, %s * 64] [1, 64, 64], %as
      tile.copy %b[%z, %s * 64, %x * 64] [1, 64, 64], %bs
      tile.gemm %as, %bs, %acc
    }
    tile.copy %acc, %c[%z, %y * 64, %x * 64] [1, 64, 64]
  }
  return
}
func.func @batched_reference(%a: !batch, %b: !batch, %c: !batch) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %planes = memref.dim %a, %c0 : !batch
  %m = memref.dim %a, %c1 : !batch
  %n = memref.dim %b, %c2 : !batch
  %k = memref.dim %a, %c2 : !batch
  affine.for %z = 0 to %planes {
    affine.for %i = 0 to %m {
      affine.for %j = 0 to %n {
        %sum = affine.for %l = 0 to %k iter_args(%old = %zero) -> f32 {
          %p = affine.load %a[%z, %i, %l] : !batch
          %q = affine.load %b[%z, %l, %j] : !batch
          %pw = arith.extf %p : f16 to f32
          %qw = arith.extf %q : f16 to f32
          %t = arith.mulf %pw, %qw : f32
          %next = arith.addf %old, %t : f32
          affine.yield %next : f32
        }
        %r = arith.truncf %sum : f32 to f16
        affine.store %r, %c[%z, %i, %j] : !batch
      }
    }
  }
  return
}
