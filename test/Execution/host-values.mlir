// Numbers that host code loads, constants, reshapes of arguments, grids by comparisons: GPUs are given launches alone.
//
// REQUIRES: tile-run, nvidia, amd
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run --target=cuda --chip=sm_80 --device=model %s | FileCheck %s
// RUN: tile-run --target=cuda --chip=sm_90a --device=model %s | FileCheck %s
// RUN: tile-run --target=hip --chip=gfx942 --device=model %s | FileCheck %s
// RUN: tile-run --target=hip --chip=gfx1100 --device=model %s | FileCheck %s
// CHECK: {{^}}6 passed, 0 failed{{$}}

// The second kernel is given what the first one has computed.
func.func @computed(%x: memref<64xf32> {tile.init = "integers(-3,3)"}, %y: memref<64xf32> {tile.result})
    attributes {tile.reference = @computed_reference} {
  %c0 = arith.constant 0 : index
  %all = tile.alloc : memref<1xf32>
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64xf32, #tile.fragment>
    %s = tile.alloc : memref<1xf32, #tile.fragment>
    tile.copy %x, %t : memref<64xf32>, memref<64xf32, #tile.fragment>
    tile.reduce sum %t, %s dim(0) : memref<64xf32, #tile.fragment>, memref<1xf32, #tile.fragment>
    tile.copy %s, %all : memref<1xf32, #tile.fragment>, memref<1xf32>
  }
  %sum = memref.load %all[%c0] : memref<1xf32>
  %twice = arith.addf %sum, %sum : f32
  tile.kernel (%b) in (2) {
    tile.parallel (%i) in (32) {
      %at = affine.apply affine_map<(b, i) -> (b * 32 + i)>(%b, %i)
      %v = memref.load %x[%at] : memref<64xf32>
      %w = arith.addf %v, %twice : f32
      memref.store %w, %y[%at] : memref<64xf32>
    }
  }
  return
}
func.func private @computed_reference(%x: memref<64xf32>, %y: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %sum = affine.for %i = 0 to 64 iter_args(%s = %zero) -> f32 {
    %v = affine.load %x[%i] : memref<64xf32>
    %t = arith.addf %s, %v : f32
    affine.yield %t : f32
  }
  affine.for %i = 0 to 64 {
    %v = affine.load %x[%i] : memref<64xf32>
    %w = arith.addf %v, %sum : f32
    %z = arith.addf %w, %sum : f32
    affine.store %z, %y[%i] : memref<64xf32>
  }
  return
}

// Floats, bytes that are bits, one value for all, a resource.
memref.global "private" constant @table : memref<2x4xbf16> = dense<[[1.0, -2.0, 3.0, -0.5], [8.0, 0.25, -1.0, 16.0]]>
memref.global "private" constant @bytes : memref<4xi8> = dense<[7, -8, 3, -1]>
memref.global "private" constant @bits : memref<4xi1> = dense<[true, false, false, true]>
memref.global "private" constant @same : memref<4xi32> = dense<1000000>
memref.global "private" constant @ready : memref<4xi16> = dense_resource<numbers>
func.func @constants(%y: memref<2x4xf32> {tile.result}, %z: memref<4xi32> {tile.result})
    attributes {tile.reference = @constants_reference} {
  %table = memref.get_global @table : memref<2x4xbf16>
  %bytes = memref.get_global @bytes : memref<4xi8>
  %bits = memref.get_global @bits : memref<4xi1>
  %same = memref.get_global @same : memref<4xi32>
  %ready = memref.get_global @ready : memref<4xi16>
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<2x4xbf16, #tile.shared>
    tile.copy %table, %t : memref<2x4xbf16>, memref<2x4xbf16, #tile.shared>
    tile.copy %t, %y : memref<2x4xbf16, #tile.shared>, memref<2x4xf32>
    tile.parallel (%i) in (4) {
      %h = memref.load %bytes[%i] : memref<4xi8>
      %g = arith.extsi %h : i8 to i32
      %c = memref.load %bits[%i] : memref<4xi1>
      %s = memref.load %same[%i] : memref<4xi32>
      %r = memref.load %ready[%i] : memref<4xi16>
      %q = arith.extsi %r : i16 to i32
      %o = arith.addi %g, %q : i32
      %p = arith.addi %o, %s : i32
      %v = arith.select %c, %p, %o : i32
      memref.store %v, %z[%i] : memref<4xi32>
    }
  }
  return
}
func.func private @constants_reference(%y: memref<2x4xf32>, %z: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %y00 = arith.constant 1.0 : f32
  %y01 = arith.constant -2.0 : f32
  %y02 = arith.constant 3.0 : f32
  %y03 = arith.constant -0.5 : f32
  %y10 = arith.constant 8.0 : f32
  %y11 = arith.constant 0.25 : f32
  %y12 = arith.constant -1.0 : f32
  %y13 = arith.constant 16.0 : f32
  memref.store %y00, %y[%c0, %c0] : memref<2x4xf32>
  memref.store %y01, %y[%c0, %c1] : memref<2x4xf32>
  memref.store %y02, %y[%c0, %c2] : memref<2x4xf32>
  memref.store %y03, %y[%c0, %c3] : memref<2x4xf32>
  memref.store %y10, %y[%c1, %c0] : memref<2x4xf32>
  memref.store %y11, %y[%c1, %c1] : memref<2x4xf32>
  memref.store %y12, %y[%c1, %c2] : memref<2x4xf32>
  memref.store %y13, %y[%c1, %c3] : memref<2x4xf32>
  %z0 = arith.constant 1000009 : i32
  %z1 = arith.constant -7 : i32
  %z2 = arith.constant 1 : i32
  %z3 = arith.constant 1000255 : i32
  memref.store %z0, %z[%c0] : memref<4xi32>
  memref.store %z1, %z[%c1] : memref<4xi32>
  memref.store %z2, %z[%c2] : memref<4xi32>
  memref.store %z3, %z[%c3] : memref<4xi32>
  return
}

// One block for a few rows, one for four of many; a shape of an argument with a dimension more.
func.func @chosen(%x: memref<?x8xf32> {tile.shape = "Mx8", tile.init = "integers(-3,3)"}, %w: memref<8xf32> {tile.init = "integers(-3,3)"},
                  %y: memref<?x8xf32> {tile.shape = "Mx8", tile.result})
    attributes {tile.reference = @chosen_reference, tile.cases = ["M=3", "M=4", "M=5", "M=37"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %m = memref.dim %x, %c0 : memref<?x8xf32>
  %few = arith.cmpi sle, %m, %c4 : index
  %many = arith.ceildivsi %m, %c4 : index
  %blocks = arith.select %few, %c1, %many : index
  %row = memref.expand_shape %w [[0, 1]] output_shape [1, 8] : memref<8xf32> into memref<1x8xf32>
  tile.kernel (%b) in (%blocks) {
    %t = tile.alloc : memref<4x8xf32, #tile.fragment>
    %s = tile.alloc : memref<1x8xf32, #tile.fragment>
    tile.copy %x[%b * 4, 0], %t : memref<?x8xf32>, memref<4x8xf32, #tile.fragment>
    tile.copy %row, %s : memref<1x8xf32>, memref<1x8xf32, #tile.fragment>
    tile.parallel (%i, %j) in (4, 8) {
      %v = memref.load %t[%i, %j] : memref<4x8xf32, #tile.fragment>
      %c = memref.load %row[%c0, %j] : memref<1x8xf32>
      %u = arith.addf %v, %c : f32
      memref.store %u, %t[%i, %j] : memref<4x8xf32, #tile.fragment>
    }
    tile.copy %t, %y[%b * 4, 0] : memref<4x8xf32, #tile.fragment>, memref<?x8xf32>
  }
  return
}
func.func private @chosen_reference(%x: memref<?x8xf32>, %w: memref<8xf32>, %y: memref<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %m = memref.dim %x, %c0 : memref<?x8xf32>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to 8 {
      %v = affine.load %x[%i, %j] : memref<?x8xf32>
      %c = affine.load %w[%j] : memref<8xf32>
      %u = arith.addf %v, %c : f32
      affine.store %u, %y[%i, %j] : memref<?x8xf32>
    }
  }
  return
}

{-#
  dialect_resources: {
    builtin: {
      numbers: "0x0200000002000100FEFF0001"
    }
  }
#-}
