// What layout inference writes around ops leaves their meaning as it is: conversions, operands in other spaces, elements of
// other threads, stores of some elements only.

// REQUIRES: tile-run
// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-select-instructions --tile-infer-layout > %t
// RUN: FileCheck %s --check-prefix=COPIES --input-file=%t
// RUN: tile-run %t | FileCheck %s
// CHECK: {{^}}3 passed, 0 failed{{$}}

// Integers from -3 to 3: all sums below are exact.
!m = memref<64x64xf32>
!s = memref<64x64xf32, #tile.shared>
!f = memref<64x64xf32, #tile.fragment>

// COPIES-LABEL: @some_elements
// COPIES-COUNT-3: instruction = #tile.transfer<sync>
func.func @some_elements(%x: !m {tile.init = "integers(-3,3)"}, %y: !m {tile.result})
    attributes {tile.reference = @some_elements_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%b) in (1) threads(128) {
    %p = tile.alloc : !f
    %q = tile.alloc : !f
    tile.annotate_layout %p : !f as #tile.layout<[64: 2 warp*2, 32 lane][64: 32 reg, 2 warp]>
    tile.annotate_layout %q : !f as #tile.layout<[64: 2 warp*2, 32 lane][64: 32 reg, 2 warp]>
    tile.copy %x, %p : !m, !f
    tile.copy %x, %q : !m, !f
    // Above the diagonal x + its transpose, below it x.
    tile.parallel (%i, %j) in (64, 64) {
      %u = memref.load %q[%i, %j] : !f
      %v = memref.load %p[%j, %i] : !f
      %w = arith.addf %u, %v : f32
      %above = arith.cmpi ult, %i, %j : index
      scf.if %above {
        memref.store %w, %q[%i, %j] : !f
      }
    }
    // Into the other one where i + j is odd, at the transposed place.
    tile.parallel (%i, %j) in (64, 64) {
      %u = memref.load %q[%i, %j] : !f
      memref.store %u, %q[%i, %j] : !f
      %sum = arith.addi %i, %j : index
      %c2 = arith.constant 2 : index
      %c1 = arith.constant 1 : index
      %rest = arith.remui %sum, %c2 : index
      %odd = arith.cmpi eq, %rest, %c1 : index
      scf.if %odd {
        memref.store %u, %p[%j, %i] : !f
      }
    }
    tile.copy %p, %y : !f, !m
  }
  return
}

func.func @some_elements_reference(%x: !m, %y: !m) {
  %zero = arith.constant 0.0 : f32
  affine.for %j = 0 to 64 {
    affine.for %i = 0 to 64 {
      %old = affine.load %x[%j, %i] : !m
      %u = affine.load %x[%i, %j] : !m
      %w = arith.addf %u, %old : f32
      %above = arith.cmpi ult, %i, %j : index
      %q = arith.select %above, %w, %u : f32
      %sum = arith.addi %i, %j : index
      %c2 = arith.constant 2 : index
      %c1 = arith.constant 1 : index
      %rest = arith.remui %sum, %c2 : index
      %odd = arith.cmpi eq, %rest, %c1 : index
      %r = arith.select %odd, %q, %old : f32
      affine.store %r, %y[%j, %i] : !m
    }
  }
  return
}

// Reductions from and to shared memory, with and without the old content; a sum is the operand of the next product.
// COPIES-LABEL: @placement
func.func @placement(%x: !m {tile.init = "integers(-3,3)"}, %y: !m {tile.result}, %r: memref<64xf32> {tile.result})
    attributes {tile.reference = @placement_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%b) in (1) threads(128) {
    %s = tile.alloc : !s
    %a = tile.alloc : !f
    %c = tile.alloc : !f
    %d = tile.alloc : !s
    %rows = tile.alloc : memref<64xf32, #tile.shared>
    tile.copy %x, %s : !m, !s
    tile.copy %x, %a : !m, !f
    tile.gemm %a, %s, %c {clear} : !f, !s, !f
    // c is the left operand, and a tile in shared memory the sum.
    tile.gemm %c, %s, %d {clear} : !f, !s, !s
    tile.gemm %a, %s, %d : !f, !s, !s
    tile.reduce max %s, %rows dim(1) : !s, memref<64xf32, #tile.shared>
    tile.reduce sum %s, %rows dim(1) {combine} : !s, memref<64xf32, #tile.shared>
    tile.copy %d, %y : !s, !m
    tile.copy %rows, %r : memref<64xf32, #tile.shared>, memref<64xf32>
  }
  return
}

func.func @placement_reference(%x: !m, %y: !m, %r: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %c = memref.alloc() : !m
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      %sum = affine.for %k = 0 to 64 iter_args(%acc = %zero) -> f32 {
        %u = affine.load %x[%i, %k] : !m
        %v = affine.load %x[%k, %j] : !m
        %p = arith.mulf %u, %v : f32
        %n = arith.addf %acc, %p : f32
        affine.yield %n : f32
      }
      affine.store %sum, %c[%i, %j] : !m
    }
  }
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      %first = affine.load %c[%i, %j] : !m
      %sum = affine.for %k = 0 to 64 iter_args(%acc = %first) -> f32 {
        %u = affine.load %c[%i, %k] : !m
        %v = affine.load %x[%k, %j] : !m
        %p = arith.mulf %u, %v : f32
        %n = arith.addf %acc, %p : f32
        affine.yield %n : f32
      }
      affine.store %sum, %y[%i, %j] : !m
    }
    %lowest = arith.constant 0xFF800000 : f32
    %max = affine.for %j = 0 to 64 iter_args(%acc = %lowest) -> f32 {
      %u = affine.load %x[%i, %j] : !m
      %n = arith.maximumf %acc, %u : f32
      affine.yield %n : f32
    }
    %total = affine.for %j = 0 to 64 iter_args(%acc = %max) -> f32 {
      %u = affine.load %x[%i, %j] : !m
      %n = arith.addf %acc, %u : f32
      affine.yield %n : f32
    }
    affine.store %total, %r[%i] : memref<64xf32>
  }
  memref.dealloc %c : !m
  return
}

// Elements of other threads: by a table, by the other index, one for all, to the neighbour.
// COPIES-LABEL: @elements
func.func @elements(%x: memref<64xf32> {tile.init = "integers(-3,3)"}, %at: memref<64xi32> {tile.init = "integers(0,63)"},
                    %y: !m {tile.result})
    attributes {tile.reference = @elements_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  %c5 = arith.constant 5 : index
  tile.kernel (%b) in (1) threads(128) {
    %v = tile.alloc : memref<64xf32, #tile.fragment>
    %w = tile.alloc : memref<64xf32, #tile.fragment>
    tile.copy %x, %v : memref<64xf32>, memref<64xf32, #tile.fragment>
    tile.copy %x, %w : memref<64xf32>, memref<64xf32, #tile.fragment>
    %five = memref.load %v[%c5] : memref<64xf32, #tile.fragment>
    tile.parallel (%i) in (63) {
      %next = affine.apply affine_map<(i) -> (i + 1)>(%i)
      %u = memref.load %v[%i] : memref<64xf32, #tile.fragment>
      memref.store %u, %w[%next] : memref<64xf32, #tile.fragment>
    }
    tile.parallel (%i, %j) in (64, 64) {
      %p32 = memref.load %at[%j] : memref<64xi32>
      %p = arith.index_cast %p32 : i32 to index
      %u = memref.load %v[%i] : memref<64xf32, #tile.fragment>
      %t = memref.load %v[%p] : memref<64xf32, #tile.fragment>
      %n = memref.load %w[%j] : memref<64xf32, #tile.fragment>
      %ut = arith.mulf %u, %t : f32
      %utn = arith.addf %ut, %n : f32
      %r = arith.addf %utn, %five : f32
      memref.store %r, %y[%i, %j] : !m
    }
  }
  return
}

func.func @elements_reference(%x: memref<64xf32>, %at: memref<64xi32>, %y: !m) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %five = memref.load %x[%c5] : memref<64xf32>
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      %p32 = memref.load %at[%j] : memref<64xi32>
      %p = arith.index_cast %p32 : i32 to index
      %u = memref.load %x[%i] : memref<64xf32>
      %t = memref.load %x[%p] : memref<64xf32>
      %before = arith.subi %j, %c1 : index
      %from = arith.maxsi %before, %c0 : index
      %n = memref.load %x[%from] : memref<64xf32>
      %ut = arith.mulf %u, %t : f32
      %utn = arith.addf %ut, %n : f32
      %r = arith.addf %utn, %five : f32
      memref.store %r, %y[%i, %j] : !m
    }
  }
  return
}
