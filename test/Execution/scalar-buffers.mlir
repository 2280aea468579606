// Buffers without dimensions that kernels write, read, update and write again; elements of a buffer that the same kernel writes,
// which are not neighbours.

// REQUIRES: tile-run, nvidia, amd, ascend
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model | FileCheck %s
// RUN: env TILE_ASCEND_ORDERS=10 tile-run %s --target=ascend --chip=910B | FileCheck %s
// RUN: env TILE_ASCEND_ORDERS=10 tile-run %s --target=ascend --chip=950 | FileCheck %s
// CHECK-NOT: FAIL
// CHECK: {{^}}5 passed, 0 failed{{$}}

func.func @extremum(%x: memref<64xf32>, %y: memref<f32> {tile.result}, %z: memref<64xf32> {tile.result},
                    %n: memref<i32> {tile.init = "zeros", tile.result}) attributes {tile.reference = @extremum_reference} {
  %one = arith.constant 1 : i32
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64xf32, #tile.fragment>
    %m = tile.alloc : memref<1xf32, #tile.fragment>
    tile.copy %x, %t
    tile.reduce max %t, %m dim(0)
    tile.copy %m, %y
    tile.parallel (%i) in (64) do %t[%i] = %t[%i] - %m[0]
    tile.copy %t, %z
  }
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) do %z[%i] = %z[%i] + %y[]
  }
  tile.kernel (%b) in (5) {
    tile.parallel (%i) in (1) do tile.atomic add %one, %n[]
  }
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (1) do %y[] = %y[] + %y[]
  }
  return
}
func.func private @extremum_reference(%x: memref<64xf32>, %y: memref<f32>, %z: memref<64xf32>, %n: memref<i32>) {
  %ninf = arith.constant 0xFF800000 : f32
  %five = arith.constant 5 : i32
  memref.store %five, %n[] : memref<i32>
  %max = affine.for %i = 0 to 64 iter_args(%most = %ninf) -> f32 {
    %v = memref.load %x[%i] : memref<64xf32>
    %next = arith.maximumf %most, %v : f32
    affine.yield %next : f32
  }
  affine.for %i = 0 to 64 {
    %v = memref.load %x[%i] : memref<64xf32>
    %d = arith.subf %v, %max : f32
    %s = arith.addf %d, %max : f32
    memref.store %s, %z[%i] : memref<64xf32>
  }
  %twice = arith.addf %max, %max : f32
  memref.store %twice, %y[] : memref<f32>
  return
}

// Bytes, numbers of 16 and 64 bits.
func.func @narrow(%a: memref<i8>, %b: memref<f16>, %c: memref<i64>, %d: memref<i8> {tile.result}, %e: memref<f16> {tile.result},
                  %f: memref<i64> {tile.result}) attributes {tile.reference = @narrow_reference} {
  tile.kernel (%k) in (1) {
    tile.parallel (%i) in (1) do {
      %d[] = %a[]
      %e[] = %b[]
      %f[] = %c[]
    }
  }
  return
}
func.func private @narrow_reference(%a: memref<i8>, %b: memref<f16>, %c: memref<i64>, %d: memref<i8>, %e: memref<f16>, %f: memref<i64>) {
  memref.copy %a, %d : memref<i8> to memref<i8>
  memref.copy %b, %e : memref<f16> to memref<f16>
  memref.copy %c, %f : memref<i64> to memref<i64>
  return
}

// A column of each row goes on from the one before it, which another loop has written.
func.func @columns(%a: memref<24x9xf32>, %x: memref<24x9xf32> {tile.result}) attributes {tile.reference = @columns_reference, tile.rtol = 1.0e-6} {
  tile.kernel (%b) in (1) threads(32) {
    tile.parallel (%s) in (24) do {
      %x[%s, 8] = %a[%s, 8]
      for %i = 0 to 8 { %x[%s, 7 - %i] = %a[%s, 7 - %i] - 0.5 * %x[%s, 8 - %i] }
    }
  }
  return
}
func.func private @columns_reference(%a: memref<24x9xf32>, %x: memref<24x9xf32>) {
  %half = arith.constant 0.5 : f32
  affine.for %s = 0 to 24 {
    %last = affine.load %a[%s, 8] : memref<24x9xf32>
    affine.store %last, %x[%s, 8] : memref<24x9xf32>
    affine.for %i = 0 to 8 {
      %v = affine.load %a[%s, 7 - %i] : memref<24x9xf32>
      %w = affine.load %x[%s, 8 - %i] : memref<24x9xf32>
      %p = arith.mulf %w, %half : f32
      %r = arith.subf %v, %p : f32
      affine.store %r, %x[%s, 7 - %i] : memref<24x9xf32>
    }
  }
  return
}

// One element for all, which changes from step to step; places from data.
func.func @pivots(%x: memref<64xi32> {tile.init = "integers(1, 5)"}, %y: memref<64xi32> {tile.result}) attributes {tile.reference = @pivots_reference} {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64xi32, #tile.fragment>
    tile.copy %x, %t
    tile.copy %t, %y
    tile.pipelined %s = 0 to 3 {
      tile.parallel (%i) in (64) do %t[%i] = %t[%i] + %y[%s] + %y[63 - %i]
      tile.copy %t, %y
    }
  }
  return
}
func.func private @pivots_reference(%x: memref<64xi32>, %y: memref<64xi32>) {
  memref.copy %x, %y : memref<64xi32> to memref<64xi32>
  %t = memref.alloc() : memref<64xi32>
  affine.for %s = 0 to 3 {
    memref.copy %y, %t : memref<64xi32> to memref<64xi32>
    affine.for %i = 0 to 64 {
      %v = affine.load %t[%i] : memref<64xi32>
      %p = affine.load %t[%s] : memref<64xi32>
      %r = affine.load %t[63 - %i] : memref<64xi32>
      %a = arith.addi %v, %p : i32
      %n = arith.addi %a, %r : i32
      affine.store %n, %y[%i] : memref<64xi32>
    }
  }
  memref.dealloc %t : memref<64xi32>
  return
}

// Two places of one row, read and written: the first and the last one are exchanged.
func.func @exchange(%x: memref<8x50xf32>, %y: memref<8x50xf32> {tile.result}) attributes {tile.reference = @exchange_reference} {
  tile.kernel (%b) in (8) {
    %t = tile.alloc : memref<50xf32, #tile.fragment>
    tile.copy %x[%b, 0], %t
    tile.copy %t, %y[%b, 0]
    tile.parallel (%i) in (1) do {
      %first = %y[%b, 0]
      %last = %y[%b, 49]
      %y[%b, 0] = %last
      %y[%b, 49] = %first
    }
  }
  return
}
func.func private @exchange_reference(%x: memref<8x50xf32>, %y: memref<8x50xf32>) {
  memref.copy %x, %y : memref<8x50xf32> to memref<8x50xf32>
  affine.for %b = 0 to 8 {
    %first = affine.load %x[%b, 0] : memref<8x50xf32>
    %last = affine.load %x[%b, 49] : memref<8x50xf32>
    affine.store %last, %y[%b, 0] : memref<8x50xf32>
    affine.store %first, %y[%b, 49] : memref<8x50xf32>
  }
  return
}
