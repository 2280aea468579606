// Short serial loops of a thread whose iterations are neighbours in memory: they are in lockstep, unless one iteration reads what
// another writes, two ops write to one buffer, or arguments may be one memory. What a thread keeps, with indices that data give.

// REQUIRES: tile-run, nvidia, amd
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run --target=cuda --device=model --chip=sm_90a %s | FileCheck %s
// RUN: tile-run --target=cuda --device=model --chip=sm_80 %s | FileCheck %s
// RUN: tile-run --target=hip --device=model --chip=gfx942 %s | FileCheck %s
// CHECK: {{^}}5 passed, 0 failed{{$}}

// Codes of 4 bits, unpacked by the thread that has read them.
func.func @unpack(%x: memref<64x32xi8> {tile.init = "integers(-128,127)"}, %y: memref<64x64xbf16> {tile.result})
    attributes {tile.reference = @unpack_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%b) in (1) threads(128) {
    %s = tile.alloc : memref<64x32xi8, #tile.shared>
    %codes = tile.alloc : memref<4xi8, #tile.local>
    %numbers = tile.alloc : memref<8xbf16, #tile.local>
    %t = tile.alloc : memref<64x64xbf16, #tile.shared>
    tile.copy %x, %s : memref<64x32xi8>, memref<64x32xi8, #tile.shared>
    tile.parallel (%tx) in (128) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %low = arith.constant 15 : i8
      scf.for %i = %c0 to %c4 step %c1 {
        scf.for %v = %c0 to %c4 step %c1 {
          %at = affine.apply affine_map<(i, t, v) -> (i * 512 + t * 4 + v)>(%i, %tx, %v)
          %row = affine.apply affine_map<(a) -> (a floordiv 32)>(%at)
          %column = affine.apply affine_map<(a) -> (a mod 32)>(%at)
          %code = memref.load %s[%row, %column] : memref<64x32xi8, #tile.shared>
          memref.store %code, %codes[%v] : memref<4xi8, #tile.local>
        }
        scf.for %v = %c0 to %c8 step %c1 {
          %half = affine.apply affine_map<(v) -> (v floordiv 2)>(%v)
          %code = memref.load %codes[%half] : memref<4xi8, #tile.local>
          %odd = affine.apply affine_map<(v) -> ((v mod 2) * 4)>(%v)
          %bits = arith.index_cast %odd : index to i8
          %shifted = arith.shrsi %code, %bits : i8
          %number = arith.andi %shifted, %low : i8
          %float = arith.sitofp %number : i8 to bf16
          memref.store %float, %numbers[%v] : memref<8xbf16, #tile.local>
        }
        scf.for %v = %c0 to %c8 step %c1 {
          %at = affine.apply affine_map<(i, t, v) -> (i * 1024 + t * 8 + v)>(%i, %tx, %v)
          %row = affine.apply affine_map<(a) -> (a floordiv 64)>(%at)
          %column = affine.apply affine_map<(a) -> (a mod 64)>(%at)
          %number = memref.load %numbers[%v] : memref<8xbf16, #tile.local>
          memref.store %number, %t[%row, %column] : memref<64x64xbf16, #tile.shared>
        }
      }
    }
    tile.copy %t, %y : memref<64x64xbf16, #tile.shared>, memref<64x64xbf16>
  }
  return
}

func.func @unpack_reference(%x: memref<64x32xi8>, %y: memref<64x64xbf16>) {
  %low = arith.constant 15 : i8
  %four = arith.constant 4 : i8
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 32 {
      %code = affine.load %x[%i, %j] : memref<64x32xi8>
      %first = arith.andi %code, %low : i8
      %shifted = arith.shrui %code, %four : i8
      %a = arith.sitofp %first : i8 to bf16
      %b = arith.sitofp %shifted : i8 to bf16
      affine.store %a, %y[%i, %j * 2] : memref<64x64xbf16>
      affine.store %b, %y[%i, %j * 2 + 1] : memref<64x64xbf16>
    }
  }
  return
}

// Each iteration reads what the one before has written.
func.func @chain(%x: memref<32x9xi32> {tile.init = "integers(-9,9)"}, %y: memref<32x8xi32> {tile.result})
    attributes {tile.reference = @chain_reference} {
  tile.kernel (%b) in (1) threads(32) {
    %s = tile.alloc : memref<32x9xi32, #tile.shared>
    tile.copy %x, %s : memref<32x9xi32>, memref<32x9xi32, #tile.shared>
    tile.parallel (%tx) in (32) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      scf.for %v = %c0 to %c8 step %c1 {
        %next = arith.addi %v, %c1 : index
        %a = memref.load %s[%tx, %v] : memref<32x9xi32, #tile.shared>
        %c = memref.load %s[%tx, %next] : memref<32x9xi32, #tile.shared>
        %sum = arith.addi %a, %c : i32
        memref.store %sum, %s[%tx, %next] : memref<32x9xi32, #tile.shared>
        memref.store %sum, %y[%tx, %v] : memref<32x8xi32>
      }
    }
  }
  return
}

func.func @chain_reference(%x: memref<32x9xi32>, %y: memref<32x8xi32>) {
  affine.for %i = 0 to 32 {
    %first = affine.load %x[%i, 0] : memref<32x9xi32>
    affine.for %j = 0 to 8 iter_args(%all = %first) -> i32 {
      %v = affine.load %x[%i, %j + 1] : memref<32x9xi32>
      %sum = arith.addi %all, %v : i32
      affine.store %sum, %y[%i, %j] : memref<32x8xi32>
      affine.yield %sum : i32
    }
  }
  return
}

// Two ops write to one buffer: the second of an iteration, and the first of the next, are one place.
func.func @overlap(%x: memref<32x8xi32> {tile.init = "integers(-9,9)"}, %y: memref<32x9xi32> {tile.result})
    attributes {tile.reference = @overlap_reference} {
  tile.kernel (%b) in (1) threads(32) {
    %s = tile.alloc : memref<32x9xi32, #tile.shared>
    tile.parallel (%tx) in (32) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      %ten = arith.constant 10 : i32
      scf.for %v = %c0 to %c8 step %c1 {
        %next = arith.addi %v, %c1 : index
        %a = memref.load %x[%tx, %v] : memref<32x8xi32>
        %more = arith.muli %a, %ten : i32
        memref.store %a, %s[%tx, %v] : memref<32x9xi32, #tile.shared>
        memref.store %more, %s[%tx, %next] : memref<32x9xi32, #tile.shared>
      }
    }
    tile.copy %s, %y : memref<32x9xi32, #tile.shared>, memref<32x9xi32>
  }
  return
}

func.func @overlap_reference(%x: memref<32x8xi32>, %y: memref<32x9xi32>) {
  %ten = arith.constant 10 : i32
  affine.for %i = 0 to 32 {
    affine.for %j = 0 to 8 {
      %a = affine.load %x[%i, %j] : memref<32x8xi32>
      affine.store %a, %y[%i, %j] : memref<32x9xi32>
    }
    %last = affine.load %x[%i, 7] : memref<32x8xi32>
    %more = arith.muli %last, %ten : i32
    affine.store %more, %y[%i, 8] : memref<32x9xi32>
  }
  return
}

// A count that is known where the bounds are not, and steps of two: no neighbours.
func.func @bounds(%x: memref<32x64xi32> {tile.init = "integers(-9,9)"}, %y: memref<32x64xi32> {tile.init = "zeros", tile.result})
    attributes {tile.reference = @bounds_reference} {
  tile.kernel (%b) in (4) threads(32) {
    tile.parallel (%tx) in (32) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %c16 = arith.constant 16 : index
      %first = arith.muli %b, %c16 : index
      %end = arith.addi %first, %c4 : index
      scf.for %v = %first to %end step %c1 {
        %a = memref.load %x[%tx, %v] : memref<32x64xi32>
        memref.store %a, %y[%tx, %v] : memref<32x64xi32>
      }
      scf.for %v = %c4 to %c8 step %c2 {
        %at = arith.addi %first, %v : index
        %a = memref.load %x[%tx, %at] : memref<32x64xi32>
        memref.store %a, %y[%tx, %at] : memref<32x64xi32>
      }
    }
  }
  return
}

func.func @bounds_reference(%x: memref<32x64xi32>, %y: memref<32x64xi32>) {
  affine.for %i = 0 to 32 {
    affine.for %b = 0 to 4 {
      affine.for %j = 0 to 4 {
        %a = affine.load %x[%i, %b * 16 + %j] : memref<32x64xi32>
        affine.store %a, %y[%i, %b * 16 + %j] : memref<32x64xi32>
      }
      affine.for %j = 2 to 4 {
        %a = affine.load %x[%i, %b * 16 + %j * 2] : memref<32x64xi32>
        affine.store %a, %y[%i, %b * 16 + %j * 2] : memref<32x64xi32>
      }
    }
  }
  return
}

// Sums of groups of four, apart by their signs: which sum an element belongs to is known at run time.
func.func @signs(%x: memref<64x32xf16> {tile.init = "integers(-9,9)"}, %y: memref<64x8xf16> {tile.result},
                 %z: memref<64x8xf16> {tile.result}) attributes {tile.reference = @signs_reference} {
  tile.kernel (%b) in (2) threads(32) {
    %own = tile.alloc : memref<32xf16, #tile.local>
    %sums = tile.alloc : memref<3xf16, #tile.local>
    tile.parallel (%tx) in (32) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %c32 = arith.constant 32 : index
      %zero = arith.constant 0.0 : f16
      %row = affine.apply affine_map<(b, t) -> (b * 32 + t)>(%b, %tx)
      scf.for %v = %c0 to %c32 step %c1 {
        %a = memref.load %x[%row, %v] : memref<64x32xf16>
        memref.store %a, %own[%v] : memref<32xf16, #tile.local>
      }
      scf.for %g = %c0 to %c8 step %c1 {
        scf.for %v = %c0 to %c3 step %c1 {
          memref.store %zero, %sums[%v] : memref<3xf16, #tile.local>
        }
        scf.for %v = %c0 to %c4 step %c1 {
          %at = affine.apply affine_map<(g, v) -> (g * 4 + v)>(%g, %v)
          %a = memref.load %own[%at] : memref<32xf16, #tile.local>
          %isAbove = arith.cmpf ogt, %a, %zero : f16
          %sign = arith.select %isAbove, %c2, %c0 : index
          %sum = memref.load %sums[%sign] : memref<3xf16, #tile.local>
          %more = arith.addf %sum, %a : f16
          memref.store %more, %sums[%sign] : memref<3xf16, #tile.local>
        }
        %below = memref.load %sums[%c0] : memref<3xf16, #tile.local>
        %none = memref.load %sums[%c1] : memref<3xf16, #tile.local>
        %above = memref.load %sums[%c2] : memref<3xf16, #tile.local>
        %low = arith.addf %below, %none : f16
        memref.store %low, %y[%row, %g] : memref<64x8xf16>
        memref.store %above, %z[%row, %g] : memref<64x8xf16>
      }
    }
  }
  return
}

func.func @signs_reference(%x: memref<64x32xf16>, %y: memref<64x8xf16>, %z: memref<64x8xf16>) {
  %zero = arith.constant 0.0 : f16
  affine.for %i = 0 to 64 {
    affine.for %g = 0 to 8 {
      %sums:2 = affine.for %v = 0 to 4 iter_args(%low = %zero, %high = %zero) -> (f16, f16) {
        %a = affine.load %x[%i, %g * 4 + %v] : memref<64x32xf16>
        %below = arith.minimumf %a, %zero : f16
        %above = arith.maximumf %a, %zero : f16
        %l = arith.addf %low, %below : f16
        %h = arith.addf %high, %above : f16
        affine.yield %l, %h : f16, f16
      }
      affine.store %sums#0, %y[%i, %g] : memref<64x8xf16>
      affine.store %sums#1, %z[%i, %g] : memref<64x8xf16>
    }
  }
  return
}
