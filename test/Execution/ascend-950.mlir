// REQUIRES: tile-run
// RUN: tile-run --target=ascend %s | FileCheck %s
// RUN: sed 's/target<"950">/target<"910B">/' %s | tile-run --target=ascend --chip=910B - | FileCheck %s
// RUN: env TILE_ASCEND_MUTATE=1 tile-run --target=ascend %s M=65 | FileCheck %s --check-prefix=MUTATE

// The ways of tiles between the cores of 950, which the module names. Tolerances: a sum in another order may round to the next
// f16, which is 2^-6 away below 32, and is then multiplied with numbers of up to 4: three of them, and six of sums of 32 rows.

// CHECK-NOT: FAIL
// CHECK: {{^}}12 passed, 0 failed
// MUTATE-COUNT-6: {{synchronisations|groups}} emitted, {{.*}} 0 redundant, 0 missed

!matrix = memref<?x32xf16>
!op = memref<32x32xf16, #tile.shared>
!acc = memref<32x32xf32, #tile.fragment>
!square = memref<32x32xf16>

module attributes {tile.target = #tile.target<"950">} {

// Halves of the rows there and back: C = f16(A W) W.
func.func @halves(%a: !matrix {tile.shape = "Mx32"}, %w: !square, %c: memref<?x32xf32> {tile.shape = "Mx32", tile.result})
    attributes {tile.reference = @chain_reference, tile.atol = 2.0e-1, tile.rtol = 4.0e-3,
                tile.cases = ["M=64", "M=1", "M=65", "M=0"]} {
  %c0 = arith.constant 0 : index
  %m = memref.dim %a, %c0 : !matrix
  %blocks = affine.apply affine_map<(m) -> (m ceildiv 32)>(%m)
  tile.kernel (%b) in (%blocks) {
    %as = tile.alloc : !op
    %ws = tile.alloc : !op
    %x = tile.alloc : !acc
    %p = tile.alloc : !op
    %y = tile.alloc : !acc
    tile.copy %a[%b * 32, 0], %as : !matrix, !op
    tile.copy %w, %ws : !square, !op
    tile.gemm %as, %ws, %x {clear} : !op, !op, !acc
    tile.parallel (%i, %j) in (32, 32) {
      %v = memref.load %x[%i, %j] : !acc
      %h = arith.truncf %v : f32 to f16
      memref.store %h, %p[%i, %j] : !op
    }
    tile.gemm %p, %ws, %y {clear} : !op, !op, !acc
    tile.copy %y, %c[%b * 32, 0] : !acc, memref<?x32xf32>
  }
  return
}

// Both vector cores need all rows, for the sums of columns; one of them gives the tile back.
func.func @whole(%a: !matrix {tile.shape = "Mx32"}, %w: !square, %c: memref<?x32xf32> {tile.shape = "Mx32", tile.result})
    attributes {tile.reference = @sums_reference, tile.atol = 4.0e-1, tile.rtol = 4.0e-3,
                tile.cases = ["M=64", "M=1", "M=65", "M=0"]} {
  %c0 = arith.constant 0 : index
  %m = memref.dim %a, %c0 : !matrix
  %blocks = affine.apply affine_map<(m) -> (m ceildiv 32)>(%m)
  tile.kernel (%b) in (%blocks) {
    %as = tile.alloc : !op
    %ws = tile.alloc : !op
    %x = tile.alloc : !acc
    %sums = tile.alloc : memref<32xf32, #tile.fragment>
    %p = tile.alloc : !op
    %y = tile.alloc : !acc
    tile.copy %a[%b * 32, 0], %as : !matrix, !op
    tile.copy %w, %ws : !square, !op
    tile.gemm %as, %ws, %x {clear} : !op, !op, !acc
    tile.reduce sum %x, %sums dim(0) : !acc, memref<32xf32, #tile.fragment>
    tile.parallel (%i, %j) in (32, 32) {
      %v = memref.load %x[%i, %j] : !acc
      %s = memref.load %sums[%j] : memref<32xf32, #tile.fragment>
      %d = arith.subf %v, %s : f32
      %h = arith.truncf %d : f32 to f16
      memref.store %h, %p[%i, %j] : !op
    }
    tile.gemm %p, %ws, %y {clear} : !op, !op, !acc
    tile.copy %y, %c[%b * 32, 0] : !acc, memref<?x32xf32>
  }
  return
}

// Rows of 20 elements are no whole blocks: through GM, by waits that hold one pipe.
func.func @short_rows(%a: !matrix {tile.shape = "Mx32"}, %w: memref<32x20xf16>,
    %c: memref<?x20xf32> {tile.shape = "Mx20", tile.result})
    attributes {tile.reference = @short_reference, tile.atol = 1.0e-3, tile.rtol = 1.0e-3,
                tile.cases = ["M=64", "M=1", "M=65", "M=0"]} {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %m = memref.dim %a, %c0 : !matrix
  %blocks = affine.apply affine_map<(m) -> (m ceildiv 32)>(%m)
  tile.kernel (%b) in (%blocks) {
    %as = tile.alloc : !op
    %ws = tile.alloc : memref<32x20xf16, #tile.shared>
    %x = tile.alloc : memref<32x20xf32, #tile.fragment>
    tile.copy %a[%b * 32, 0], %as : !matrix, !op
    tile.copy %w, %ws : memref<32x20xf16>, memref<32x20xf16, #tile.shared>
    tile.gemm %as, %ws, %x {clear} : !op, memref<32x20xf16, #tile.shared>, memref<32x20xf32, #tile.fragment>
    tile.parallel (%i, %j) in (32, 20) {
      %v = memref.load %x[%i, %j] : memref<32x20xf32, #tile.fragment>
      %d = arith.addf %v, %one : f32
      memref.store %d, %x[%i, %j] : memref<32x20xf32, #tile.fragment>
    }
    tile.copy %x, %c[%b * 32, 0] : memref<32x20xf32, #tile.fragment>, memref<?x20xf32>
  }
  return
}

func.func @chain_reference(%a: !matrix, %w: !square, %c: memref<?x32xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %a, %c0 : !matrix
  affine.for %i = 0 to %m {
    affine.for %j = 0 to 32 {
      affine.store %zero, %c[%i, %j] : memref<?x32xf32>
    }
    affine.for %l = 0 to 32 {
      %x = func.call @product(%a, %w, %i, %l) : (!matrix, !square, index, index) -> f32
      %h = arith.truncf %x : f32 to f16
      %p = arith.extf %h : f16 to f32
      func.call @accumulate(%p, %w, %l, %c, %i) : (f32, !square, index, memref<?x32xf32>, index) -> ()
    }
  }
  return
}

// Sums of columns are those of 32 rows.
func.func @sums_reference(%a: !matrix, %w: !square, %c: memref<?x32xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %a, %c0 : !matrix
  affine.for %i = 0 to %m {
    affine.for %j = 0 to 32 {
      affine.store %zero, %c[%i, %j] : memref<?x32xf32>
    }
    %first = affine.apply affine_map<(i) -> (i floordiv 32 * 32)>(%i)
    affine.for %l = 0 to 32 {
      %sum = affine.for %r = affine_map<(f) -> (f)>(%first) to min affine_map<(f)[m] -> (f + 32, m)>(%first)[%m]
          iter_args(%old = %zero) -> f32 {
        %x = func.call @product(%a, %w, %r, %l) : (!matrix, !square, index, index) -> f32
        %next = arith.addf %old, %x : f32
        affine.yield %next : f32
      }
      %x = func.call @product(%a, %w, %i, %l) : (!matrix, !square, index, index) -> f32
      %d = arith.subf %x, %sum : f32
      %h = arith.truncf %d : f32 to f16
      %p = arith.extf %h : f16 to f32
      func.call @accumulate(%p, %w, %l, %c, %i) : (f32, !square, index, memref<?x32xf32>, index) -> ()
    }
  }
  return
}

func.func @short_reference(%a: !matrix, %w: memref<32x20xf16>, %c: memref<?x20xf32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %m = memref.dim %a, %c0 : !matrix
  affine.for %i = 0 to %m {
    affine.for %j = 0 to 20 {
      %sum = affine.for %l = 0 to 32 iter_args(%old = %one) -> f32 {
        %x = affine.load %a[%i, %l] : !matrix
        %y = affine.load %w[%l, %j] : memref<32x20xf16>
        %xs = arith.extf %x : f16 to f32
        %ys = arith.extf %y : f16 to f32
        %p = arith.mulf %xs, %ys : f32
        %next = arith.addf %old, %p : f32
        affine.yield %next : f32
      }
      affine.store %sum, %c[%i, %j] : memref<?x20xf32>
    }
  }
  return
}

func.func private @product(%a: !matrix, %w: !square, %i: index, %j: index) -> f32 {
  %zero = arith.constant 0.0 : f32
  %sum = affine.for %l = 0 to 32 iter_args(%old = %zero) -> f32 {
    %x = memref.load %a[%i, %l] : !matrix
    %y = memref.load %w[%l, %j] : !square
    %xs = arith.extf %x : f16 to f32
    %ys = arith.extf %y : f16 to f32
    %p = arith.mulf %xs, %ys : f32
    %next = arith.addf %old, %p : f32
    affine.yield %next : f32
  }
  return %sum : f32
}

func.func private @accumulate(%p: f32, %w: !square, %l: index, %c: memref<?x32xf32>, %i: index) {
  affine.for %j = 0 to 32 {
    %y = memref.load %w[%l, %j] : !square
    %ys = arith.extf %y : f16 to f32
    %old = memref.load %c[%i, %j] : memref<?x32xf32>
    %q = arith.mulf %p, %ys : f32
    %next = arith.addf %old, %q : f32
    memref.store %next, %c[%i, %j] : memref<?x32xf32>
  }
  return
}

}
