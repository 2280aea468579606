// Loads whose rows begin before their buffer, by any number of columns: constant ones, and those that data decide.

// REQUIRES: tile-run, ascend
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=910B | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=950 | FileCheck %s
// CHECK: {{^}}13 passed, 0 failed{{$}}

// Two blocks of 32 bytes less one element, another number, and more than a tile: blocks are passed over, and what is left is padded.
func.func @shifts(%x: memref<?x?xf16> {tile.shape = "MxN", tile.init = "integers(1,99)"}, %y: memref<3x?x?xf16> {tile.shape = "3xMxN", tile.result})
    attributes {tile.reference = @shifts_reference, tile.cases = ["M=1 N=1", "M=3 N=20", "M=9 N=131", "M=8 N=64", "M=5 N=33"]} {
  tile.kernel (%c, %b) in (ceildiv(dim(%x, 1), 64), ceildiv(dim(%x, 0), 8)) {
    %t = tile.alloc : memref<8x64xf16, #tile.shared>
    %u = tile.alloc : memref<8x64xf16, #tile.shared>
    %v = tile.alloc : memref<8x64xf16, #tile.shared>
    tile.copy %x[%b * 8, %c * 64 - 31], %t
    tile.copy %x[%b * 8, %c * 64 - 20], %u
    tile.copy %x[%b * 8, %c * 64 - 70], %v
    tile.copy %t, %y[0, %b * 8, %c * 64] [1, 8, 64]
    tile.copy %u, %y[1, %b * 8, %c * 64] [1, 8, 64]
    tile.copy %v, %y[2, %b * 8, %c * 64] [1, 8, 64]
  }
  return
}

func.func private @shift(%x: memref<?x?xf16>, %y: memref<3x?x?xf16>, %at: index, %by: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : memref<?x?xf16>
  %n = memref.dim %x, %c1 : memref<?x?xf16>
  %zero = arith.constant 0.0 : f16
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %k = arith.subi %j, %by : index
      %inside = arith.cmpi sge, %k, %c0 : index
      %v = scf.if %inside -> f16 {
        %e = memref.load %x[%i, %k] : memref<?x?xf16>
        scf.yield %e : f16
      } else {
        scf.yield %zero : f16
      }
      memref.store %v, %y[%at, %i, %j] : memref<3x?x?xf16>
    }
  }
  return
}

func.func private @shifts_reference(%x: memref<?x?xf16>, %y: memref<3x?x?xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c20 = arith.constant 20 : index
  %c31 = arith.constant 31 : index
  %c70 = arith.constant 70 : index
  call @shift(%x, %y, %c0, %c31) : (memref<?x?xf16>, memref<3x?x?xf16>, index, index) -> ()
  call @shift(%x, %y, %c1, %c20) : (memref<?x?xf16>, memref<3x?x?xf16>, index, index) -> ()
  call @shift(%x, %y, %c2, %c70) : (memref<?x?xf16>, memref<3x?x?xf16>, index, index) -> ()
  return
}

// Where each row begins is data, and may be before the buffer by far; what is outside is 7.
func.func @begins(%x: memref<?xi32> {tile.shape = "N", tile.init = "integers(1,99)"}, %o: memref<?xi32> {tile.shape = "M", tile.init = "integers(-90,40)"},
                  %y: memref<?x40xi32> {tile.shape = "Mx40", tile.result})
    attributes {tile.reference = @begins_reference, tile.cases = ["N=1 M=3", "N=100 M=40", "N=17 M=25", "N=64 M=1"]} {
  %seven = arith.constant 7 : i32
  tile.kernel (%b) in (dim(%o, 0)) {
    tile.padding_value %x, %seven : memref<?xi32>
    %t = tile.alloc : memref<40xi32, #tile.shared>
    %v = memref.load %o[%b] : memref<?xi32>
    %k = arith.index_cast %v : i32 to index
    tile.copy %x[%k], %t
    tile.copy %t, %y[%b, 0]
  }
  return
}

func.func private @begins_reference(%x: memref<?xi32>, %o: memref<?xi32>, %y: memref<?x40xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c40 = arith.constant 40 : index
  %n = memref.dim %x, %c0 : memref<?xi32>
  %m = memref.dim %o, %c0 : memref<?xi32>
  %seven = arith.constant 7 : i32
  scf.for %i = %c0 to %m step %c1 {
    %o0 = memref.load %o[%i] : memref<?xi32>
    %o1 = arith.index_cast %o0 : i32 to index
    scf.for %j = %c0 to %c40 step %c1 {
      %k = arith.addi %o1, %j : index
      %inside = arith.cmpi ult, %k, %n : index
      %v = scf.if %inside -> i32 {
        %e = memref.load %x[%k] : memref<?xi32>
        scf.yield %e : i32
      } else {
        scf.yield %seven : i32
      }
      memref.store %v, %y[%i, %j] : memref<?x40xi32>
    }
  }
  return
}

// Sums of parts of a vector, whose ends are data.
func.func @segments(%x: memref<?xf32> {tile.shape = "N", tile.init = "integers(-9,9)"}, %y: memref<5xf32> {tile.result})
    attributes {tile.reference = @segments_reference, tile.cases = ["N=5", "N=64", "N=301", "N=1000"]} {
  %ends = memref.get_global @ends : memref<6xi32>
  tile.kernel (%b) in (5) {
    %t = tile.alloc : memref<64xf32, #tile.shared>
    %s = tile.alloc : memref<1xf32, #tile.shared>
    tile.fill %s, 0.0
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %c0 = arith.addi %b, %c1 : index
    %v = memref.load %ends[%b] : memref<6xi32>
    %w = memref.load %ends[%c0] : memref<6xi32>
    %begin = arith.index_cast %v : i32 to index
    %end = arith.index_cast %w : i32 to index
    scf.for %k = %begin to %end step %c64 {
      tile.copy %x[%k], %t
      tile.parallel (%i) in (64) do %t[%i] = select(%k + %i < %end, %t[%i], 0.0)
      tile.reduce sum %t, %s dim(0) {combine}
    }
    tile.copy %s, %y[%b]
  }
  return
}

memref.global "private" constant @ends : memref<6xi32> = dense<[0, 0, 3, 150, 151, 300]>

func.func private @segments_reference(%x: memref<?xf32>, %y: memref<5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %zero = arith.constant 0.0 : f32
  %ends = memref.get_global @ends : memref<6xi32>
  scf.for %i = %c0 to %c5 step %c1 {
    %i1 = arith.addi %i, %c1 : index
    %v = memref.load %ends[%i] : memref<6xi32>
    %w = memref.load %ends[%i1] : memref<6xi32>
    %begin = arith.index_cast %v : i32 to index
    %last = arith.index_cast %w : i32 to index
    %end = arith.minsi %last, %n : index
    %sum = scf.for %k = %begin to %end step %c1 iter_args(%all = %zero) -> f32 {
      %e = memref.load %x[%k] : memref<?xf32>
      %next = arith.addf %all, %e : f32
      scf.yield %next : f32
    }
    memref.store %sum, %y[%i] : memref<5xf32>
  }
  return
}
