// What random kernels have found (test/fuzz/gpu.py): wrong on a GPU, or reported by the model.
//
// REQUIRES: tile-run, nvidia, amd
// RUN: tile-run --target=cuda --chip=sm_80 --device=model %s | FileCheck %s
// RUN: tile-run --target=cuda --chip=sm_90a --device=model %s | FileCheck %s
// RUN: tile-run --target=hip --chip=gfx90a --device=model %s | FileCheck %s
// RUN: tile-run --target=hip --chip=gfx942 --device=model %s | FileCheck %s
// RUN: tile-run %s | FileCheck %s
// CHECK: {{^}}11 passed, 0 failed{{$}}

// The second time the columns are out of bounds, and threads share the elements out in another way: a barrier between.
func.func @write_again(%x: memref<38x128xi8> {tile.init = "integers(-3,3)"}, %y: memref<19x128xi8> {tile.result})
    attributes {tile.reference = @write_again_reference} {
  %c7 = arith.constant 7 : i8
  tile.kernel (%b) in (1) threads(64) {
    %t = tile.alloc : memref<19x128xi8, #tile.shared>
    tile.fill %t, %c7 : memref<19x128xi8, #tile.shared>
    tile.pipelined %k = 0 to 2 stages(1) {
      tile.copy %x[0, %k * 100] [2, 101], %t[3, 3] [2, 101] : memref<38x128xi8>, memref<19x128xi8, #tile.shared>
    }
    tile.copy %t, %y : memref<19x128xi8, #tile.shared>, memref<19x128xi8>
  }
  return
}
func.func private @write_again_reference(%x: memref<38x128xi8>, %y: memref<19x128xi8>) {
  %c7 = arith.constant 7 : i8
  %c0 = arith.constant 0 : i8
  linalg.fill ins(%c7 : i8) outs(%y : memref<19x128xi8>)
  affine.for %i = 0 to 2 {
    affine.for %j = 0 to 101 {
      affine.store %c0, %y[%i + 3, %j + 3] : memref<19x128xi8>
    }
    affine.for %j = 0 to 28 {
      %v = affine.load %x[%i, %j + 100] : memref<38x128xi8>
      affine.store %v, %y[%i + 3, %j + 3] : memref<19x128xi8>
    }
  }
  return
}

// Two threads change the halves of a byte that both read.
func.func @halves_in_place(%x: memref<4x24xi4> {tile.init = "integers(-8,7)"}, %y: memref<4x24xi4> {tile.result})
    attributes {tile.reference = @halves_in_place_reference} {
  tile.kernel (%b) in (1) threads(256) {
    %t = tile.alloc : memref<4x24xi4, #tile.shared>
    tile.copy %x, %t : memref<4x24xi4>, memref<4x24xi4, #tile.shared>
    tile.parallel (%i, %j) in (4, 24) {
      %v = memref.load %t[%i, %j] : memref<4x24xi4, #tile.shared>
      %w = arith.muli %v, %v : i4
      %c10 = arith.constant 10 : index
      %some = arith.cmpi ult, %j, %c10 : index
      scf.if %some {
        memref.store %w, %t[%i, %j] : memref<4x24xi4, #tile.shared>
      }
    }
    tile.copy %t, %y : memref<4x24xi4, #tile.shared>, memref<4x24xi4>
  }
  return
}
func.func private @halves_in_place_reference(%x: memref<4x24xi4>, %y: memref<4x24xi4>) {
  affine.for %i = 0 to 4 {
    affine.for %j = 0 to 10 {
      %v = affine.load %x[%i, %j] : memref<4x24xi4>
      %w = arith.muli %v, %v : i4
      affine.store %w, %y[%i, %j] : memref<4x24xi4>
    }
    affine.for %j = 10 to 24 {
      %v = affine.load %x[%i, %j] : memref<4x24xi4>
      affine.store %v, %y[%i, %j] : memref<4x24xi4>
    }
  }
  return
}

func.func @running_maximum(%x: memref<8xi4> {tile.init = "integers(-8,7)"}, %y: memref<8xi4> {tile.result})
    attributes {tile.reference = @running_maximum_reference} {
  tile.kernel (%b) in (1) threads(128) {
    %t = tile.alloc : memref<8xi4, #tile.shared>
    tile.copy %x, %t : memref<8xi4>, memref<8xi4, #tile.shared>
    tile.scan max %t, %t dim(0) {is_unsigned} : memref<8xi4, #tile.shared>, memref<8xi4, #tile.shared>
    tile.copy %t, %y : memref<8xi4, #tile.shared>, memref<8xi4>
  }
  return
}
func.func private @running_maximum_reference(%x: memref<8xi4>, %y: memref<8xi4>) {
  %zero = arith.constant 0 : i4
  affine.for %i = 0 to 8 iter_args(%old = %zero) -> i4 {
    %v = affine.load %x[%i] : memref<8xi4>
    %new = arith.maxui %old, %v : i4
    affine.store %new, %y[%i] : memref<8xi4>
    affine.yield %new : i4
  }
  return
}

// The last byte of the tile has one element, and nobody has written the word around it.
func.func @odd_halves(%x: memref<2x8xi4> {tile.init = "integers(-8,7)"}, %y: memref<7xi32> {tile.result})
    attributes {tile.reference = @odd_halves_reference} {
  tile.kernel (%b) in (1) threads(128) {
    %t = tile.alloc : memref<1x7xi4, #tile.shared>
    tile.copy %x[1, 0], %t : memref<2x8xi4>, memref<1x7xi4, #tile.shared>
    tile.parallel (%j) in (7) {
      %c0 = arith.constant 0 : index
      %v = memref.load %t[%c0, %j] : memref<1x7xi4, #tile.shared>
      %w = arith.extsi %v : i4 to i32
      memref.store %w, %y[%j] : memref<7xi32>
    }
  }
  return
}
func.func private @odd_halves_reference(%x: memref<2x8xi4>, %y: memref<7xi32>) {
  affine.for %j = 0 to 7 {
    %v = affine.load %x[1, %j] : memref<2x8xi4>
    %w = arith.extsi %v : i4 to i32
    affine.store %w, %y[%j] : memref<7xi32>
  }
  return
}

// A left factor in registers: as bytes, and rounded.
func.func @float8_fragment(%x: memref<64x32xf8E4M3FNUZ> {tile.init = "integers(-3,3)"},
                           %w: memref<32x64xf8E4M3FNUZ> {tile.init = "integers(-3,3)"}, %y: memref<64x64xf16> {tile.result})
    attributes {tile.reference = @float8_fragment_reference} {
  tile.kernel (%b) in (1) threads(128) {
    %a = tile.alloc : memref<64x32xf8E4M3FNUZ, #tile.fragment>
    %s = tile.alloc : memref<32x64xf8E4M3FNUZ, #tile.shared>
    %c = tile.alloc : memref<64x64xf16, #tile.fragment>
    tile.copy %x, %a : memref<64x32xf8E4M3FNUZ>, memref<64x32xf8E4M3FNUZ, #tile.fragment>
    tile.copy %w, %s : memref<32x64xf8E4M3FNUZ>, memref<32x64xf8E4M3FNUZ, #tile.shared>
    tile.gemm %a, %s, %c {clear}
        : memref<64x32xf8E4M3FNUZ, #tile.fragment>, memref<32x64xf8E4M3FNUZ, #tile.shared>, memref<64x64xf16, #tile.fragment>
    tile.copy %c, %y : memref<64x64xf16, #tile.fragment>, memref<64x64xf16>
  }
  return
}
func.func private @float8_fragment_reference(%x: memref<64x32xf8E4M3FNUZ>, %w: memref<32x64xf8E4M3FNUZ>, %y: memref<64x64xf16>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      %sum = affine.for %k = 0 to 32 iter_args(%old = %zero) -> f32 {
        %a = affine.load %x[%i, %k] : memref<64x32xf8E4M3FNUZ>
        %b = affine.load %w[%k, %j] : memref<32x64xf8E4M3FNUZ>
        %p = arith.extf %a : f8E4M3FNUZ to f32
        %q = arith.extf %b : f8E4M3FNUZ to f32
        %r = arith.mulf %p, %q : f32
        %new = arith.addf %old, %r : f32
        affine.yield %new : f32
      }
      %v = arith.truncf %sum : f32 to f16
      affine.store %v, %y[%i, %j] : memref<64x64xf16>
    }
  }
  return
}

// Operands in registers are rounded, too, and not cut: 1 + 3 * 2^-12 is 1 + 2^-10 in tf32.
func.func @rounded_fragment(%x: memref<32x64xf32> {tile.init = "ones"}, %y: memref<64x64xf32> {tile.result})
    attributes {tile.reference = @rounded_fragment_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  %more = arith.constant 1.000732421875 : f32
  tile.kernel (%b) in (1) threads(128) {
    %a = tile.alloc : memref<64x32xf32, #tile.fragment>
    %s = tile.alloc : memref<32x64xf32, #tile.shared>
    %c = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %a, %more : memref<64x32xf32, #tile.fragment>
    tile.copy %x, %s : memref<32x64xf32>, memref<32x64xf32, #tile.shared>
    tile.gemm %a, %s, %c precision(tf32) {clear}
        : memref<64x32xf32, #tile.fragment>, memref<32x64xf32, #tile.shared>, memref<64x64xf32, #tile.fragment>
    tile.copy %c, %y : memref<64x64xf32, #tile.fragment>, memref<64x64xf32>
  }
  return
}
func.func private @rounded_fragment_reference(%x: memref<32x64xf32>, %y: memref<64x64xf32>) {
  %sum = arith.constant 32.03125 : f32
  linalg.fill ins(%sum : f32) outs(%y : memref<64x64xf32>)
  return
}

// Products of f64 along a K of 16, where the chip has them.
func.func @double(%x: memref<64x32xf64> {tile.init = "integers(-9,9)"}, %w: memref<40x32xf64> {tile.init = "integers(-9,9)"},
                  %y: memref<64x40xf64> {tile.result}) attributes {tile.reference = @double_reference} {
  tile.kernel (%b) in (1) threads(128) {
    %a = tile.alloc : memref<64x32xf64, #tile.shared>
    %s = tile.alloc : memref<40x32xf64, #tile.shared>
    %c = tile.alloc : memref<64x40xf64, #tile.fragment>
    tile.copy %x, %a : memref<64x32xf64>, memref<64x32xf64, #tile.shared>
    tile.copy %w, %s : memref<40x32xf64>, memref<40x32xf64, #tile.shared>
    tile.gemm %a, %s, %c {clear, transpose_b}
        : memref<64x32xf64, #tile.shared>, memref<40x32xf64, #tile.shared>, memref<64x40xf64, #tile.fragment>
    tile.copy %c, %y : memref<64x40xf64, #tile.fragment>, memref<64x40xf64>
  }
  return
}
func.func private @double_reference(%x: memref<64x32xf64>, %w: memref<40x32xf64>, %y: memref<64x40xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 40 {
      %sum = affine.for %k = 0 to 32 iter_args(%old = %zero) -> f64 {
        %a = affine.load %x[%i, %k] : memref<64x32xf64>
        %b = affine.load %w[%j, %k] : memref<40x32xf64>
        %p = arith.mulf %a, %b : f64
        %new = arith.addf %old, %p : f64
        affine.yield %new : f64
      }
      affine.store %sum, %y[%i, %j] : memref<64x40xf64>
    }
  }
  return
}

// The columns are in 9 lanes of 16, as three copies of 3: the other lanes have no element.
func.func @lanes_without_elements(%x: memref<64xi64> {tile.init = "integers(-3,3)"}, %y: memref<64x9xi64> {tile.result}, %z: memref<64x7xi64> {tile.result})
    attributes {tile.reference = @lanes_without_elements_reference} {
  tile.kernel (%b) in (1) threads(128) {
    %rows = tile.alloc : memref<64xi64, #tile.fragment>
    %t = tile.alloc : memref<64x7xi64, #tile.fragment>
    %s = tile.alloc : memref<64x7xi64, #tile.shared>
    tile.copy %x, %rows : memref<64xi64>, memref<64xi64, #tile.fragment>
    tile.parallel (%i, %j) in (64, 9) {
      %v = memref.load %rows[%i] : memref<64xi64, #tile.fragment>
      memref.store %v, %y[%i, %j] : memref<64x9xi64>
    }
    tile.parallel (%i, %j) in (64, 7) {
      %v = memref.load %rows[%i] : memref<64xi64, #tile.fragment>
      %w = arith.addi %v, %v : i64
      memref.store %w, %t[%i, %j] : memref<64x7xi64, #tile.fragment>
    }
    tile.parallel (%i, %j) in (64, 7) {
      %v = memref.load %t[%i, %j] : memref<64x7xi64, #tile.fragment>
      memref.store %v, %s[%i, %j] : memref<64x7xi64, #tile.shared>
    }
    tile.copy %s, %z : memref<64x7xi64, #tile.shared>, memref<64x7xi64>
  }
  return
}
func.func private @lanes_without_elements_reference(%x: memref<64xi64>, %y: memref<64x9xi64>, %z: memref<64x7xi64>) {
  affine.for %i = 0 to 64 {
    %v = affine.load %x[%i] : memref<64xi64>
    %w = arith.addi %v, %v : i64
    affine.for %j = 0 to 9 {
      affine.store %v, %y[%i, %j] : memref<64x9xi64>
    }
    affine.for %j = 0 to 7 {
      affine.store %w, %z[%i, %j] : memref<64x7xi64>
    }
  }
  return
}

// Tensor copies before and behind a pipelined loop: one wait for both would wait for the one behind before the loop runs.
func.func @copies_around_a_loop(%x: memref<?x64xbf16> {tile.shape = "Kx64", tile.init = "integers(-2,2)"}, %y: memref<16x64xf32> {tile.result})
    attributes {tile.reference = @copies_around_a_loop_reference, tile.cases = ["K=96", "K=0"]} {
  %c0 = arith.constant 0 : index
  %k = memref.dim %x, %c0 : memref<?x64xbf16>
  %steps = affine.apply affine_map<()[n] -> (n ceildiv 16)>()[%k]
  tile.kernel (%b) in (1) threads(64) {
    %first = tile.alloc : memref<16x64xbf16, #tile.shared>
    %step = tile.alloc : memref<16x64xbf16, #tile.shared>
    %last = tile.alloc : memref<16x64xbf16, #tile.shared>
    %sum = tile.alloc : memref<16x64xf32, #tile.fragment>
    tile.copy %x[0, 0], %first : memref<?x64xbf16>, memref<16x64xbf16, #tile.shared>
    tile.parallel (%i, %j) in (16, 64) {
      %v = memref.load %first[%i, %j] : memref<16x64xbf16, #tile.shared>
      %f = arith.extf %v : bf16 to f32
      memref.store %f, %sum[%i, %j] : memref<16x64xf32, #tile.fragment>
    }
    tile.pipelined %n = 0 to %steps stages(2) {
      tile.copy %x[%n * 16, 0], %step : memref<?x64xbf16>, memref<16x64xbf16, #tile.shared>
      tile.parallel (%i, %j) in (16, 64) {
        %v = memref.load %step[%i, %j] : memref<16x64xbf16, #tile.shared>
        %f = arith.extf %v : bf16 to f32
        %s = memref.load %sum[%i, %j] : memref<16x64xf32, #tile.fragment>
        %a = arith.addf %s, %f : f32
        memref.store %a, %sum[%i, %j] : memref<16x64xf32, #tile.fragment>
      }
    }
    tile.copy %x[16, 0], %last : memref<?x64xbf16>, memref<16x64xbf16, #tile.shared>
    tile.parallel (%i, %j) in (16, 64) {
      %v = memref.load %last[%i, %j] : memref<16x64xbf16, #tile.shared>
      %f = arith.extf %v : bf16 to f32
      %s = memref.load %sum[%i, %j] : memref<16x64xf32, #tile.fragment>
      %a = arith.subf %s, %f : f32
      memref.store %a, %y[%i, %j] : memref<16x64xf32>
    }
  }
  return
}
func.func private @copies_around_a_loop_reference(%x: memref<?x64xbf16>, %y: memref<16x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  %k = memref.dim %x, %c0 : memref<?x64xbf16>
  linalg.fill ins(%zero : f32) outs(%y : memref<16x64xf32>)
  scf.for %r = %c0 to %k step %c1 {
    %i = arith.remui %r, %c16 : index
    affine.for %j = 0 to 64 {
      %v = memref.load %x[%r, %j] : memref<?x64xbf16>
      %f = arith.extf %v : bf16 to f32
      %s = memref.load %y[%i, %j] : memref<16x64xf32>
      %a = arith.addf %s, %f : f32
      memref.store %a, %y[%i, %j] : memref<16x64xf32>
    }
  }
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 64 {
      %in0 = arith.cmpi ult, %i, %k : index
      %i16 = arith.addi %i, %c16 : index
      %in16 = arith.cmpi ult, %i16, %k : index
      %s = memref.load %y[%i, %j] : memref<16x64xf32>
      %a = scf.if %in0 -> (f32) {
        %v = memref.load %x[%i, %j] : memref<?x64xbf16>
        %f = arith.extf %v : bf16 to f32
        %b = arith.addf %s, %f : f32
        scf.yield %b : f32
      } else {
        scf.yield %s : f32
      }
      %r = scf.if %in16 -> (f32) {
        %v = memref.load %x[%i16, %j] : memref<?x64xbf16>
        %f = arith.extf %v : bf16 to f32
        %b = arith.subf %a, %f : f32
        scf.yield %b : f32
      } else {
        scf.yield %a : f32
      }
      memref.store %r, %y[%i, %j] : memref<16x64xf32>
    }
  }
  return
}

// The element says only the column, so that other threads add to it, and the first row alone clears it: barriers between.
// TileLang's gemv was wrong on an H200.
func.func @sums_of_columns(%x: memref<32x32xf32> {tile.init = "integers(-3,3)"}, %y: memref<32xf32> {tile.result})
    attributes {tile.reference = @sums_of_columns_reference} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  tile.kernel (%b) in (1) threads(1024) {
    %t = tile.alloc : memref<32xf32, #tile.shared>
    tile.parallel (%i, %j) in (32, 32) {
      %first = arith.cmpi eq, %i, %c0 : index
      scf.if %first {
        memref.store %zero, %t[%j] : memref<32xf32, #tile.shared>
      }
    }
    tile.parallel (%i, %j) in (32, 32) {
      %v = memref.load %x[%i, %j] : memref<32x32xf32>
      tile.atomic add %v, %t[%j] : f32, memref<32xf32, #tile.shared>
    }
    tile.parallel (%i, %j) in (32, 32) {
      %v = memref.load %t[%j] : memref<32xf32, #tile.shared>
      %first = arith.cmpi eq, %i, %c0 : index
      scf.if %first {
        memref.store %v, %y[%j] : memref<32xf32>
      }
    }
  }
  return
}
func.func private @sums_of_columns_reference(%x: memref<32x32xf32>, %y: memref<32xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<32xf32>)
  affine.for %i = 0 to 32 {
    affine.for %j = 0 to 32 {
      %v = affine.load %x[%i, %j] : memref<32x32xf32>
      %sum = affine.load %y[%j] : memref<32xf32>
      %next = arith.addf %sum, %v : f32
      affine.store %next, %y[%j] : memref<32xf32>
    }
  }
  return
}
