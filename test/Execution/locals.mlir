// Local buffers: variables that steer a block, copies that all threads make, vectors that are reduced.

// REQUIRES: tile-run, nvidia, amd
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: env TILE_SIMT_SEED=3 tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model | FileCheck %s
// CHECK: {{^}}8 passed, 0 failed{{$}}

// Rows that a chain of indices names, until it ends: the variable decides whether and what the block loads.
func.func @chain(%next: memref<8xi32> {tile.init = "integers(-3,7)"}, %x: memref<8x64xf32>, %y: memref<64xf32> {tile.result})
    attributes {tile.reference = @chain_reference} {
  %zero = arith.constant 0.0 : f32
  %first = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  tile.kernel (%b) in (1) threads(64) {
    %at = tile.alloc : memref<1xi32, #tile.local>
    %row = tile.alloc : memref<64xf32, #tile.shared>
    %sum = tile.alloc : memref<64xf32, #tile.fragment>
    tile.fill %sum, %zero : memref<64xf32, #tile.fragment>
    memref.store %first, %at[%c0] : memref<1xi32, #tile.local>
    scf.for %step = %c0 to %c8 step %c1 {
      %now = memref.load %at[%c0] : memref<1xi32, #tile.local>
      %goes = arith.cmpi sge, %now, %first : i32
      scf.if %goes {
        %i = arith.index_cast %now : i32 to index
        tile.copy %x[%i, 0] [1, 64], %row : memref<8x64xf32>, memref<64xf32, #tile.shared>
        tile.parallel (%j) in (64) {
          %u = memref.load %row[%j] : memref<64xf32, #tile.shared>
          %v = memref.load %sum[%j] : memref<64xf32, #tile.fragment>
          %w = arith.addf %u, %v : f32
          memref.store %w, %sum[%j] : memref<64xf32, #tile.fragment>
        }
        %then = memref.load %next[%i] : memref<8xi32>
        memref.store %then, %at[%c0] : memref<1xi32, #tile.local>
      }
    }
    tile.copy %sum, %y : memref<64xf32, #tile.fragment>, memref<64xf32>
  }
  return
}

func.func private @chain_reference(%next: memref<8xi32>, %x: memref<8x64xf32>, %y: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %first = arith.constant 0 : i32
  affine.for %j = 0 to 64 {
    affine.store %zero, %y[%j] : memref<64xf32>
  }
  affine.for %step = 0 to 8 iter_args(%now = %first) -> i32 {
    %goes = arith.cmpi sge, %now, %first : i32
    %then = scf.if %goes -> i32 {
      %i = arith.index_cast %now : i32 to index
      affine.for %j = 0 to 64 {
        %u = memref.load %x[%i, %j] : memref<8x64xf32>
        %v = affine.load %y[%j] : memref<64xf32>
        %w = arith.addf %u, %v : f32
        affine.store %w, %y[%j] : memref<64xf32>
      }
      %after = memref.load %next[%i] : memref<8xi32>
      scf.yield %after : i32
    } else {
      scf.yield %now : i32
    }
    affine.yield %then : i32
  }
  return
}

// The loop ends early, and a product runs in as many steps as were loaded: y = sum of a[k] . b[k] for k up to the first 0.
func.func @steps(%n: memref<1xi32> {tile.init = "integers(2,2)"}, %a: memref<32x128xf16> {tile.init = "integers(-3,3)"},
                 %b: memref<128x32xf16> {tile.init = "integers(-3,3)"}, %y: memref<32x32xf32> {tile.result})
    attributes {tile.reference = @steps_reference} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  tile.kernel (%p) in (1) threads(128) {
    %count = tile.alloc : memref<1xi32, #tile.local>
    %as = tile.alloc : memref<32x32xf16, #tile.shared>
    %bs = tile.alloc : memref<32x32xf16, #tile.shared>
    %c = tile.alloc : memref<32x32xf32, #tile.fragment>
    tile.fill %c, %zero : memref<32x32xf32, #tile.fragment>
    tile.copy %n, %count : memref<1xi32>, memref<1xi32, #tile.local>
    %steps = memref.load %count[%c0] : memref<1xi32, #tile.local>
    %end = arith.index_cast %steps : i32 to index
    tile.pipelined %k = 0 to %end stages(2) {
      tile.copy %a[0, %k * 32], %as : memref<32x128xf16>, memref<32x32xf16, #tile.shared>
      tile.copy %b[%k * 32, 0], %bs : memref<128x32xf16>, memref<32x32xf16, #tile.shared>
      tile.gemm %as, %bs, %c : memref<32x32xf16, #tile.shared>, memref<32x32xf16, #tile.shared>, memref<32x32xf32, #tile.fragment>
    }
    tile.copy %c, %y : memref<32x32xf32, #tile.fragment>, memref<32x32xf32>
  }
  return
}

func.func private @steps_reference(%n: memref<1xi32>, %a: memref<32x128xf16>, %b: memref<128x32xf16>, %y: memref<32x32xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 32 {
    affine.for %j = 0 to 32 {
      %s = affine.for %k = 0 to 64 iter_args(%sum = %zero) -> f32 {
        %u = affine.load %a[%i, %k] : memref<32x128xf16>
        %v = affine.load %b[%k, %j] : memref<128x32xf16>
        %p = arith.extf %u : f16 to f32
        %q = arith.extf %v : f16 to f32
        %r = arith.mulf %p, %q : f32
        %t = arith.addf %sum, %r : f32
        affine.yield %t : f32
      }
      affine.store %s, %y[%i, %j] : memref<32x32xf32>
    }
  }
  return
}

// Coefficients in registers of every thread, from a region with a tail, and back.
func.func @coefficients(%c: memref<?xf32> {tile.shape = "N"}, %x: memref<40xf32>, %y: memref<40xf32> {tile.result},
                        %d: memref<4xf16> {tile.result})
    attributes {tile.reference = @coefficients_reference, tile.cases = ["N=6", "N=4", "N=3"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) threads(32) {
    %l = tile.alloc : memref<4xf32, #tile.local>
    tile.copy %c[2], %l : memref<?xf32>, memref<4xf32, #tile.local>
    tile.parallel (%i) in (40) {
      %v = memref.load %x[%i] : memref<40xf32>
      %r = scf.for %k = %c0 to %c4 step %c1 iter_args(%s = %zero) -> f32 {
        %m = arith.mulf %s, %v : f32
        %u = memref.load %l[%k] : memref<4xf32, #tile.local>
        %t = arith.addf %m, %u : f32
        scf.yield %t : f32
      }
      memref.store %r, %y[%i] : memref<40xf32>
    }
    tile.copy %l, %d : memref<4xf32, #tile.local>, memref<4xf16>
  }
  return
}

func.func private @coefficients_reference(%c: memref<?xf32>, %x: memref<40xf32>, %y: memref<40xf32>, %d: memref<4xf16>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = memref.dim %c, %c0 : memref<?xf32>
  affine.for %i = 0 to 40 {
    %v = affine.load %x[%i] : memref<40xf32>
    %r = affine.for %k = 0 to 4 iter_args(%s = %zero) -> f32 {
      %m = arith.mulf %s, %v : f32
      %u = affine.if affine_set<(k)[n] : (n - k - 3 >= 0)>(%k)[%n] -> f32 {
        %inside = affine.load %c[%k + 2] : memref<?xf32>
        affine.yield %inside : f32
      } else {
        affine.yield %zero : f32
      }
      %t = arith.addf %m, %u : f32
      affine.yield %t : f32
    }
    affine.store %r, %y[%i] : memref<40xf32>
  }
  affine.for %k = 0 to 4 {
    %u = affine.if affine_set<(k)[n] : (n - k - 3 >= 0)>(%k)[%n] -> f32 {
      %inside = affine.load %c[%k + 2] : memref<?xf32>
      affine.yield %inside : f32
    } else {
      affine.yield %zero : f32
    }
    %h = arith.truncf %u : f32 to f16
    affine.store %h, %d[%k] : memref<4xf16>
  }
  return
}

// Vectors reduced to one element, of two types and both forms of the result.
func.func @vectors(%x: memref<300xf32>, %n: memref<?xi32> {tile.shape = "N"}, %y: memref<1xf32> {tile.result}, %s: memref<1xi32> {tile.result})
    attributes {tile.reference = @vectors_reference, tile.cases = ["N=7", "N=100", "N=64"]} {
  tile.kernel (%b) in (1) threads(128) {
    %f = tile.alloc : memref<300xf32, #tile.fragment>
    %m = tile.alloc : memref<f32, #tile.fragment>
    %i = tile.alloc : memref<100xi32, #tile.shared>
    %t = tile.alloc : memref<1xi32, #tile.shared>
    tile.copy %x, %f : memref<300xf32>, memref<300xf32, #tile.fragment>
    tile.reduce absmax %f, %m dim(0) : memref<300xf32, #tile.fragment>, memref<f32, #tile.fragment>
    tile.parallel (%k) in (1) {
      %v = memref.load %m[] : memref<f32, #tile.fragment>
      memref.store %v, %y[%k] : memref<1xf32>
    }
    tile.copy %n, %i : memref<?xi32>, memref<100xi32, #tile.shared>
    tile.reduce sum %i, %t dim(0) : memref<100xi32, #tile.shared>, memref<1xi32, #tile.shared>
    tile.copy %t, %s : memref<1xi32, #tile.shared>, memref<1xi32>
  }
  return
}

func.func private @vectors_reference(%x: memref<300xf32>, %n: memref<?xi32>, %y: memref<1xf32>, %s: memref<1xi32>) {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %count = memref.dim %n, %c0 : memref<?xi32>
  %m = affine.for %i = 0 to 300 iter_args(%old = %zero) -> f32 {
    %v = affine.load %x[%i] : memref<300xf32>
    %a = math.absf %v : f32
    %r = arith.maximumf %old, %a : f32
    affine.yield %r : f32
  }
  affine.store %m, %y[0] : memref<1xf32>
  %t = affine.for %i = 0 to %count iter_args(%old = %none) -> i32 {
    %v = affine.load %n[%i] : memref<?xi32>
    %r = arith.addi %old, %v : i32
    affine.yield %r : i32
  }
  affine.store %t, %s[0] : memref<1xi32>
  return
}
