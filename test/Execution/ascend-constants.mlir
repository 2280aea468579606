// Constant buffers on NPUs: host code keeps the data and gives kernels a copy. Of halves, of truth values, read where the
// kernel stands and in front of it, and all elements the same.

// REQUIRES: tile-run, ascend
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=910B | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=950 | FileCheck %s
// CHECK: {{^}}8 passed, 0 failed{{$}}

memref.global "private" constant @steps : memref<16xf32> = dense<[
  -8.0, -5.5, -4.0, -3.0, -2.25, -1.5, -0.75, 0.0, 0.5, 1.25, 2.0, 2.75, 3.5, 4.5, 6.0, 9.0]>
memref.global "private" constant @few : memref<3xf16> = dense<[-1.0, 2.0, 0.5]>
memref.global "private" constant @kept : memref<5xi1> = dense<[true, false, false, true, true]>
// What is made of the last one has another name than these.
memref.global "private" constant @kept_bytes : memref<5xi8> = dense<7>
memref.global "private" constant @kept_0 : memref<5xi8> = dense<7>
memref.global "private" constant @same : memref<7x9xi32> = dense<41>

// Codes of 4 bits by a table.
func.func @codes(%x: memref<?xi8> {tile.shape = "N", tile.init = "integers(-100,100)"}, %s: memref<?xf32> {tile.shape = "N", tile.init = "integers(-3,3)"},
                 %y: memref<?xf32> {tile.shape = "N", tile.result})
    attributes {tile.reference = @codes_reference, tile.cases = ["N=1", "N=300"]} {
  %t = memref.get_global @steps : memref<16xf32>
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 128)) {
    tile.parallel (%i) in (128) do
      %y[%b * 128 + %i] = %t[index(and(i32(%x[%b * 128 + %i]), 15))] * %s[%b * 128 + %i]
  }
  return
}

func.func private @codes_reference(%x: memref<?xi8>, %s: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xi8>
  %mask = arith.constant 15 : i8
  %t = memref.get_global @steps : memref<16xf32>
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xi8>
    %code = arith.andi %v, %mask : i8
    %place = arith.index_cast %code : i8 to index
    %e = memref.load %t[%place] : memref<16xf32>
    %f = memref.load %s[%i] : memref<?xf32>
    %r = arith.mulf %e, %f : f32
    memref.store %r, %y[%i] : memref<?xf32>
  }
  return
}

// Halves, in the kernel.
func.func @halves(%x: memref<?xf16> {tile.shape = "N", tile.init = "integers(-9,9)"}, %y: memref<?xf16> {tile.shape = "N", tile.result})
    attributes {tile.reference = @halves_reference, tile.cases = ["N=1", "N=130"]} {
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 128)) {
    %t = memref.get_global @few : memref<3xf16>
    tile.parallel (%i) in (128) do %y[%b * 128 + %i] = %t[1] * %x[%b * 128 + %i]
  }
  return
}

func.func private @halves_reference(%x: memref<?xf16>, %y: memref<?xf16>) {
  linalg.add ins(%x, %x : memref<?xf16>, memref<?xf16>) outs(%y : memref<?xf16>)
  return
}

// Truth values: the constant stays what it is for the reference.
func.func @truth(%x: memref<?xf32> {tile.shape = "N"}, %y: memref<?xf32> {tile.shape = "N", tile.result})
    attributes {tile.reference = @truth_reference, tile.cases = ["N=4", "N=101"]} {
  %t = memref.get_global @kept : memref<5xi1>
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 64)) {
    tile.parallel (%i) in (64) do
      %y[%b * 64 + %i] = select(%t[mod(%b * 64 + %i, 5)], %x[%b * 64 + %i], 0.0)
  }
  return
}

func.func private @truth_reference(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?xf32>
  %t = memref.get_global @kept : memref<5xi1>
  scf.for %i = %c0 to %n step %c1 {
    %m = arith.remui %i, %c5 : index
    %k = memref.load %t[%m] : memref<5xi1>
    %v = memref.load %x[%i] : memref<?xf32>
    %r = arith.select %k, %v, %zero : f32
    memref.store %r, %y[%i] : memref<?xf32>
  }
  return
}

// A tile of the constant, past its end.
func.func @rows(%y: memref<?x9xi32> {tile.shape = "Nx9", tile.result})
    attributes {tile.reference = @rows_reference, tile.cases = ["N=1", "N=12"]} {
  %t = memref.get_global @same : memref<7x9xi32>
  tile.kernel (%b) in (ceildiv(dim(%y, 0), 4)) {
    %x = tile.alloc : memref<4x9xi32, #tile.shared>
    tile.copy %t[%b * 4, 0], %x
    tile.copy %x, %y[%b * 4, 0]
  }
  return
}

func.func private @rows_reference(%y: memref<?x9xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c9 = arith.constant 9 : index
  %in = arith.constant 41 : i32
  %out = arith.constant 0 : i32
  %n = memref.dim %y, %c0 : memref<?x9xi32>
  scf.for %i = %c0 to %n step %c1 {
    %c = arith.cmpi ult, %i, %c7 : index
    %v = arith.select %c, %in, %out : i32
    scf.for %j = %c0 to %c9 step %c1 {
      memref.store %v, %y[%i, %j] : memref<?x9xi32>
    }
  }
  return
}
