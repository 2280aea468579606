// Extrema and where they are: ties, dimensions, parts of long rows, types.

// REQUIRES: tile-run, nvidia, amd, ascend
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx1100 --device=model | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=910B | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=950 | FileCheck %s
// CHECK: {{^}}10 passed, 0 failed{{$}}

// Few values make many ties.

func.func @rows(%x: memref<?x100xf32> {tile.shape = "Nx100", tile.init = "integers(-9,9)"},
                %v: memref<?xf32> {tile.shape = "N", tile.result}, %p: memref<?xi32> {tile.shape = "N", tile.result})
    attributes {tile.reference = @rows_reference, tile.cases = ["N=20", "N=16", "N=1"]} {
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 16)) threads(128) {
    %t = tile.alloc : memref<16x100xf32, #tile.fragment>
    %best = tile.alloc : memref<16xf32, #tile.fragment>
    %at = tile.alloc : memref<16xi32, #tile.fragment>
    tile.copy %x[%b * 16, 0], %t
    tile.arg_reduce max %t, %best, %at dim(1)
    tile.copy %best, %v[%b * 16]
    tile.copy %at, %p[%b * 16]
  }
  return
}
func.func private @rows_reference(%x: memref<?x100xf32>, %v: memref<?xf32>, %p: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x100xf32>
  affine.for %i = 0 to %n {
    %first = affine.load %x[%i, 0] : memref<?x100xf32>
    %best:2 = affine.for %j = 1 to 100 iter_args(%old = %first, %place = %c0) -> (f32, index) {
      %e = affine.load %x[%i, %j] : memref<?x100xf32>
      %better = arith.cmpf ogt, %e, %old : f32
      %new = arith.select %better, %e, %old : f32
      %at = arith.select %better, %j, %place : index
      affine.yield %new, %at : f32, index
    }
    affine.store %best#0, %v[%i] : memref<?xf32>
    %at = arith.index_cast %best#1 : index to i32
    affine.store %at, %p[%i] : memref<?xi32>
  }
  return
}

// Along the first dimension, of a shared tile to shared tiles.

func.func @columns(%x: memref<24x64xi32> {tile.init = "integers(-5,5)"}, %v: memref<64xi32> {tile.result}, %p: memref<64xi32> {tile.result})
    attributes {tile.reference = @columns_reference} {
  tile.kernel (%b) in (1) threads(128) {
    %t = tile.alloc : memref<24x64xi32, #tile.shared>
    %best = tile.alloc : memref<64xi32, #tile.shared>
    %at = tile.alloc : memref<64xi32, #tile.shared>
    tile.copy %x, %t
    tile.arg_reduce min %t, %best, %at dim(0) base(100)
    tile.copy %best, %v
    tile.copy %at, %p
  }
  return
}
func.func private @columns_reference(%x: memref<24x64xi32>, %v: memref<64xi32>, %p: memref<64xi32>) {
  %c100 = arith.constant 100 : index
  affine.for %j = 0 to 64 {
    %first = affine.load %x[0, %j] : memref<24x64xi32>
    %best:2 = affine.for %i = 1 to 24 iter_args(%old = %first, %place = %c100) -> (i32, index) {
      %e = affine.load %x[%i, %j] : memref<24x64xi32>
      %better = arith.cmpi slt, %e, %old : i32
      %new = arith.select %better, %e, %old : i32
      %here = affine.apply affine_map<(i) -> (i + 100)>(%i)
      %at = arith.select %better, %here, %place : index
      affine.yield %new, %at : i32, index
    }
    affine.store %best#0, %v[%j] : memref<64xi32>
    %at = arith.index_cast %best#1 : index to i32
    affine.store %at, %p[%j] : memref<64xi32>
  }
  return
}

// A long row in parts: the first of equal elements wins over later parts, too. What lies behind the end is -inf.

func.func @parts(%x: memref<?xf32> {tile.shape = "N", tile.init = "integers(-30,30)"}, %v: memref<1xf32> {tile.result}, %p: memref<1xi32> {tile.result})
    attributes {tile.reference = @parts_reference, tile.cases = ["N=1000", "N=128", "N=1", "N=129"]} {
  tile.kernel (%b) in (1) threads(128) {
    tile.padding_value %x, -inf
    %t = tile.alloc : memref<128xf32, #tile.fragment>
    %best = tile.alloc : memref<1xf32, #tile.fragment>
    %at = tile.alloc : memref<1xi32, #tile.fragment>
    tile.fill %best, -inf
    tile.fill %at, -1
    tile.pipelined %k = 0 to ceildiv(dim(%x, 0), 128) {
      tile.copy %x[%k * 128], %t
      tile.arg_reduce max %t, %best, %at dim(0) base(%k * 128) {combine}
    }
    tile.copy %best, %v
    tile.copy %at, %p
  }
  return
}
func.func private @parts_reference(%x: memref<?xf32>, %v: memref<1xf32>, %p: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %first = affine.load %x[0] : memref<?xf32>
  %best:2 = affine.for %j = 1 to %n iter_args(%old = %first, %place = %c0) -> (f32, index) {
    %e = affine.load %x[%j] : memref<?xf32>
    %better = arith.cmpf ogt, %e, %old : f32
    %new = arith.select %better, %e, %old : f32
    %at = arith.select %better, %j, %place : index
    affine.yield %new, %at : f32, index
  }
  affine.store %best#0, %v[0] : memref<1xf32>
  %at = arith.index_cast %best#1 : index to i32
  affine.store %at, %p[0] : memref<1xi32>
  return
}

// The middle dimension of three, of halves.

func.func @middle(%x: memref<4x12x32xf16> {tile.init = "integers(-3,3)"}, %v: memref<4x32xf16> {tile.result}, %p: memref<4x32xi32> {tile.result})
    attributes {tile.reference = @middle_reference} {
  tile.kernel (%b) in (1) threads(64) {
    %t = tile.alloc : memref<4x12x32xf16, #tile.shared>
    %best = tile.alloc : memref<4x32xf16, #tile.fragment>
    %at = tile.alloc : memref<4x32xi32, #tile.fragment>
    tile.copy %x, %t
    tile.arg_reduce min %t, %best, %at dim(1)
    tile.copy %best, %v
    tile.copy %at, %p
  }
  return
}
func.func private @middle_reference(%x: memref<4x12x32xf16>, %v: memref<4x32xf16>, %p: memref<4x32xi32>) {
  %c0 = arith.constant 0 : index
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 32 {
      %first = affine.load %x[%i, 0, %j] : memref<4x12x32xf16>
      %best:2 = affine.for %k = 1 to 12 iter_args(%old = %first, %place = %c0) -> (f16, index) {
        %e = affine.load %x[%i, %k, %j] : memref<4x12x32xf16>
        %better = arith.cmpf olt, %e, %old : f16
        %new = arith.select %better, %e, %old : f16
        %at = arith.select %better, %k, %place : index
        affine.yield %new, %at : f16, index
      }
      affine.store %best#0, %v[%i, %j] : memref<4x32xf16>
      %at = arith.index_cast %best#1 : index to i32
      affine.store %at, %p[%i, %j] : memref<4x32xi32>
    }
  }
  return
}

// Bytes without a sign.

func.func @bytes(%x: memref<8x64xi8> {tile.init = "integers(-128,127)"}, %v: memref<8xi8> {tile.result}, %p: memref<8xi32> {tile.result})
    attributes {tile.reference = @bytes_reference} {
  tile.kernel (%b) in (1) threads(64) {
    %t = tile.alloc : memref<8x64xi8, #tile.shared>
    %best = tile.alloc : memref<8xi8, #tile.fragment>
    %at = tile.alloc : memref<8xi32, #tile.fragment>
    tile.copy %x, %t
    tile.arg_reduce max %t, %best, %at dim(1) {is_unsigned}
    tile.copy %best, %v
    tile.copy %at, %p
  }
  return
}
func.func private @bytes_reference(%x: memref<8x64xi8>, %v: memref<8xi8>, %p: memref<8xi32>) {
  %c0 = arith.constant 0 : index
  affine.for %i = 0 to 8 {
    %first = affine.load %x[%i, 0] : memref<8x64xi8>
    %best:2 = affine.for %j = 1 to 64 iter_args(%old = %first, %place = %c0) -> (i8, index) {
      %e = affine.load %x[%i, %j] : memref<8x64xi8>
      %better = arith.cmpi ugt, %e, %old : i8
      %new = arith.select %better, %e, %old : i8
      %at = arith.select %better, %j, %place : index
      affine.yield %new, %at : i8, index
    }
    affine.store %best#0, %v[%i] : memref<8xi8>
    %at = arith.index_cast %best#1 : index to i32
    affine.store %at, %p[%i] : memref<8xi32>
  }
  return
}
