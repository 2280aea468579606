// Iterations of a thread in lockstep: rows that data names, read and updated under a condition that the elements of a row share;
// tiles whose neighbours are one access; a buffer of each iteration.

// REQUIRES: tile-run, nvidia, amd
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run --target=cuda --device=model --chip=sm_90a %s | FileCheck %s
// RUN: tile-run --target=cuda --device=model --chip=sm_80 %s | FileCheck %s
// RUN: tile-run --target=hip --device=model --chip=gfx942 %s | FileCheck %s
// CHECK: {{^}}8 passed, 0 failed{{$}}

// Rows of x are added to the rows of y that the list names, unless there is no such row. Sums of small integers are exact.
func.func @scatter(%list: memref<32xi32> {tile.init = "integers(-3,40)"}, %x: memref<32x40xbf16> {tile.init = "integers(-4,4)"},
                   %y: memref<?x40xbf16> {tile.shape = "Nx40", tile.init = "zeros", tile.result})
    attributes {tile.reference = @scatter_reference, tile.atol = 0.0, tile.rtol = 0.0, tile.cases = ["N=33", "N=7", "N=1"]} {
  tile.kernel (%b) in (1) threads(64) {
    %f = tile.alloc : memref<32x40xbf16, #tile.fragment>
    tile.copy %x, %f : memref<32x40xbf16>, memref<32x40xbf16, #tile.fragment>
    tile.parallel (%i, %j) in (32, 40) {
      %c0 = arith.constant 0 : i32
      %k = memref.load %list[%i] : memref<32xi32>
      %ok = arith.cmpi sge, %k, %c0 : i32
      scf.if %ok {
        %row = arith.index_cast %k : i32 to index
        %v = memref.load %f[%i, %j] : memref<32x40xbf16, #tile.fragment>
        tile.atomic add %v, %y[%row, %j] : bf16, memref<?x40xbf16>
      }
    }
  }
  return
}

func.func @scatter_reference(%list: memref<32xi32>, %x: memref<32x40xbf16>, %y: memref<?x40xbf16>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %y, %c0 : memref<?x40xbf16>
  affine.for %i = 0 to 32 {
    affine.for %j = 0 to 40 {
      %k = affine.load %list[%i] : memref<32xi32>
      %row = arith.index_cast %k : i32 to index
      %low = arith.cmpi sge, %row, %c0 : index
      %high = arith.cmpi slt, %row, %n : index
      %ok = arith.andi %low, %high : i1
      scf.if %ok {
        %v = affine.load %x[%i, %j] : memref<32x40xbf16>
        %old = memref.load %y[%row, %j] : memref<?x40xbf16>
        %sum = arith.addf %old, %v : bf16
        memref.store %sum, %y[%row, %j] : memref<?x40xbf16>
      }
    }
  }
  return
}

// Rows of 33 have no neighbours that begin at a multiple of two: halves one by one.
func.func @single(%list: memref<32xi32> {tile.init = "integers(0,6)"}, %x: memref<32x33xbf16> {tile.init = "integers(-4,4)"},
                  %y: memref<7x33xbf16> {tile.init = "zeros", tile.result})
    attributes {tile.reference = @single_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%b) in (1) threads(64) {
    tile.parallel (%i, %j) in (32, 33) {
      %k = memref.load %list[%i] : memref<32xi32>
      %row = arith.index_cast %k : i32 to index
      %v = memref.load %x[%i, %j] : memref<32x33xbf16>
      tile.atomic add %v, %y[%row, %j] : bf16, memref<7x33xbf16>
    }
  }
  return
}

func.func @single_reference(%list: memref<32xi32>, %x: memref<32x33xbf16>, %y: memref<7x33xbf16>) {
  affine.for %i = 0 to 32 {
    affine.for %j = 0 to 33 {
      %k = affine.load %list[%i] : memref<32xi32>
      %row = arith.index_cast %k : i32 to index
      %v = affine.load %x[%i, %j] : memref<32x33xbf16>
      %old = memref.load %y[%row, %j] : memref<7x33xbf16>
      %sum = arith.addf %old, %v : bf16
      memref.store %sum, %y[%row, %j] : memref<7x33xbf16>
    }
  }
  return
}

// Rows that the list names, or zeros; twice of them, through a tile.
func.func @gather(%list: memref<16xi32> {tile.init = "integers(-3,20)"}, %x: memref<?x64xf16> {tile.shape = "Nx64"},
                  %y: memref<16x64xf16> {tile.result})
    attributes {tile.reference = @gather_reference, tile.cases = ["N=33", "N=9"]} {
  tile.kernel (%b) in (1) threads(64) {
    %s = tile.alloc {layout = #tile.layout<[16: 16 offset*64][64: 64 offset] swizzle(3, 3, 3)>} : memref<16x64xf16, #tile.shared>
    tile.parallel (%i, %j) in (16, 64) {
      %c0 = arith.constant 0 : i32
      %zero = arith.constant 0.0 : f16
      %k = memref.load %list[%i] : memref<16xi32>
      %ok = arith.cmpi sge, %k, %c0 : i32
      %v = scf.if %ok -> f16 {
        %row = arith.index_cast %k : i32 to index
        %e = memref.load %x[%row, %j] : memref<?x64xf16>
        scf.yield %e : f16
      } else {
        scf.yield %zero : f16
      }
      memref.store %v, %s[%i, %j] : memref<16x64xf16, #tile.shared>
    }
    tile.parallel (%i, %j) in (16, 64) {
      %two = arith.constant 2.0 : f32
      %h = memref.load %s[%i, %j] : memref<16x64xf16, #tile.shared>
      %w = arith.extf %h : f16 to f32
      %p = arith.mulf %w, %two : f32
      %n = arith.truncf %p : f32 to f16
      memref.store %n, %s[%i, %j] : memref<16x64xf16, #tile.shared>
    }
    tile.copy %s, %y : memref<16x64xf16, #tile.shared>, memref<16x64xf16>
  }
  return
}

func.func @gather_reference(%list: memref<16xi32>, %x: memref<?x64xf16>, %y: memref<16x64xf16>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f16
  %n = memref.dim %x, %c0 : memref<?x64xf16>
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 64 {
      %k = affine.load %list[%i] : memref<16xi32>
      %row = arith.index_cast %k : i32 to index
      %low = arith.cmpi sge, %row, %c0 : index
      %high = arith.cmpi slt, %row, %n : index
      %ok = arith.andi %low, %high : i1
      %v = scf.if %ok -> f16 {
        %e = memref.load %x[%row, %j] : memref<?x64xf16>
        scf.yield %e : f16
      } else {
        scf.yield %zero : f16
      }
      %sum = arith.addf %v, %v : f16
      affine.store %sum, %y[%i, %j] : memref<16x64xf16>
    }
  }
  return
}

// Each iteration has its own element of a local buffer, though threads have several iterations.
func.func @own(%x: memref<1000xf32>, %y: memref<1000xf32> {tile.result}) attributes {tile.reference = @own_reference} {
  tile.kernel (%b) in (1) threads(64) {
    %t = tile.alloc : memref<1xf32, #tile.local>
    tile.parallel (%i) in (1000) {
      %c0 = arith.constant 0 : index
      %v = memref.load %x[%i] : memref<1000xf32>
      memref.store %v, %t[%c0] : memref<1xf32, #tile.local>
      %w = memref.load %t[%c0] : memref<1xf32, #tile.local>
      %sum = arith.addf %w, %v : f32
      memref.store %sum, %y[%i] : memref<1000xf32>
    }
  }
  return
}

func.func @own_reference(%x: memref<1000xf32>, %y: memref<1000xf32>) {
  affine.for %i = 0 to 1000 {
    %v = affine.load %x[%i] : memref<1000xf32>
    %sum = arith.addf %v, %v : f32
    affine.store %sum, %y[%i] : memref<1000xf32>
  }
  return
}

// Floats of 8 bits from pairs, and back, with what has no neighbour: 37 columns.
func.func @small(%x: memref<9x37xf32> {tile.init = "integers(-9,9)"}, %y: memref<9x37xf32> {tile.result})
    attributes {tile.reference = @small_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%b) in (1) threads(32) {
    %s = tile.alloc : memref<9x37xf8E4M3FN, #tile.shared>
    tile.parallel (%i, %j) in (9, 37) {
      %v = memref.load %x[%i, %j] : memref<9x37xf32>
      %n = arith.truncf %v : f32 to f8E4M3FN
      memref.store %n, %s[%i, %j] : memref<9x37xf8E4M3FN, #tile.shared>
    }
    tile.parallel (%i, %j) in (9, 37) {
      %v = memref.load %s[%i, %j] : memref<9x37xf8E4M3FN, #tile.shared>
      %w = arith.extf %v : f8E4M3FN to f32
      memref.store %w, %y[%i, %j] : memref<9x37xf32>
    }
  }
  return
}

// Integers up to 16 in magnitude are floats of 8 bits.
func.func @small_reference(%x: memref<9x37xf32>, %y: memref<9x37xf32>) {
  affine.for %i = 0 to 9 {
    affine.for %j = 0 to 37 {
      %v = affine.load %x[%i, %j] : memref<9x37xf32>
      affine.store %v, %y[%i, %j] : memref<9x37xf32>
    }
  }
  return
}
