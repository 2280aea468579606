// Products that read A where it lies, whose rows of 2 KiB make no tile of it: edges in all three dimensions, sources that end at
// different places or begin before their matrix, padding, results that share memory with A, loops of no step and of one, and what
// keeps A or the result in tiles.

// REQUIRES: tile-run
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run --chip=generic %s | FileCheck %s
// CHECK: {{^}}37 passed, 0 failed{{$}}

func.func @gemm_f32(%a: memref<?x?xf32> {tile.shape = "MxK", tile.init = "integers(-3,3)"},
    %b: memref<?x?xf32> {tile.shape = "KxN", tile.init = "integers(-3,3)"}, %c: memref<?x?xf32> {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @f32_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["M=26 N=96 K=1024", "M=29 N=100 K=700", "M=1 N=1 K=1", "M=40 N=31 K=513", "M=13 N=97 K=1536", "M=12 N=48 K=0", "M=0 N=9 K=40"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.constant 13 : index
  %columns = arith.constant 40 : index
  %depth = arith.constant 512 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %c, %c0 : memref<?x?xf32>
  %n = memref.dim %c, %c1 : memref<?x?xf32>
  %k = memref.dim %a, %c1 : memref<?x?xf32>
  %x = arith.ceildivui %n, %columns : index
  %y = arith.ceildivui %m, %rows : index
  %steps = arith.ceildivui %k, %depth : index
  tile.kernel (%i, %j) in (%x, %y) {
    %as = tile.alloc : memref<13x512xf32, #tile.shared>
    %bs = tile.alloc : memref<512x40xf32, #tile.shared>
    %sum = tile.alloc : memref<13x40xf32, #tile.fragment>
    tile.fill %sum, %zero
    tile.pipelined %s = 0 to %steps {
      tile.copy %a[%j * 13, %s * 512], %as
      tile.copy %b[%s * 512, %i * 40], %bs
      tile.gemm %as, %bs, %sum
    }
    tile.copy %sum, %c[%j * 13, %i * 40]
  }
  return
}

func.func @f32_reference(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %c, %c0 : memref<?x?xf32>
  %n = memref.dim %c, %c1 : memref<?x?xf32>
  %k = memref.dim %a, %c1 : memref<?x?xf32>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %sum = affine.for %l = 0 to %k iter_args(%old = %zero) -> f32 {
        %x = affine.load %a[%i, %l] : memref<?x?xf32>
        %y = affine.load %b[%l, %j] : memref<?x?xf32>
        %xy = arith.mulf %x, %y : f32
        %new = arith.addf %old, %xy : f32
        affine.yield %new : f32
      }
      affine.store %sum, %c[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

func.func @gemm_f64(%a: memref<?x?xf64> {tile.shape = "MxK", tile.init = "integers(-3,3)"},
    %b: memref<?x?xf64> {tile.shape = "KxN", tile.init = "integers(-3,3)"}, %c: memref<?x?xf64> {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @f64_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["M=26 N=96 K=1024", "M=29 N=100 K=700", "M=1 N=1 K=1", "M=40 N=31 K=513", "M=13 N=97 K=1536", "M=12 N=48 K=0", "M=0 N=9 K=40"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.constant 13 : index
  %columns = arith.constant 40 : index
  %depth = arith.constant 256 : index
  %zero = arith.constant 0.0 : f64
  %m = memref.dim %c, %c0 : memref<?x?xf64>
  %n = memref.dim %c, %c1 : memref<?x?xf64>
  %k = memref.dim %a, %c1 : memref<?x?xf64>
  %x = arith.ceildivui %n, %columns : index
  %y = arith.ceildivui %m, %rows : index
  %steps = arith.ceildivui %k, %depth : index
  tile.kernel (%i, %j) in (%x, %y) {
    %as = tile.alloc : memref<13x256xf64, #tile.shared>
    %bs = tile.alloc : memref<256x40xf64, #tile.shared>
    %sum = tile.alloc : memref<13x40xf64, #tile.fragment>
    tile.fill %sum, %zero
    tile.pipelined %s = 0 to %steps {
      tile.copy %a[%j * 13, %s * 256], %as
      tile.copy %b[%s * 256, %i * 40], %bs
      tile.gemm %as, %bs, %sum
    }
    tile.copy %sum, %c[%j * 13, %i * 40]
  }
  return
}

func.func @f64_reference(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %c: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %m = memref.dim %c, %c0 : memref<?x?xf64>
  %n = memref.dim %c, %c1 : memref<?x?xf64>
  %k = memref.dim %a, %c1 : memref<?x?xf64>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %sum = affine.for %l = 0 to %k iter_args(%old = %zero) -> f64 {
        %x = affine.load %a[%i, %l] : memref<?x?xf64>
        %y = affine.load %b[%l, %j] : memref<?x?xf64>
        %xy = arith.mulf %x, %y : f64
        %new = arith.addf %old, %xy : f64
        affine.yield %new : f64
      }
      affine.store %sum, %c[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// What is converted is copied, and not multiplied past its end.

func.func @gemm_i8(%a: memref<?x?xi8> {tile.shape = "MxK", tile.init = "integers(-3,3)"},
    %b: memref<?x?xi8> {tile.shape = "KxN", tile.init = "integers(-3,3)"}, %c: memref<?x?xi32> {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @i8_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["M=26 N=96 K=1024", "M=29 N=100 K=700", "M=1 N=1 K=1", "M=40 N=31 K=513", "M=13 N=97 K=1536", "M=12 N=48 K=0", "M=0 N=9 K=40"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.constant 13 : index
  %columns = arith.constant 40 : index
  %depth = arith.constant 64 : index
  %zero = arith.constant 0 : i32
  %m = memref.dim %c, %c0 : memref<?x?xi32>
  %n = memref.dim %c, %c1 : memref<?x?xi32>
  %k = memref.dim %a, %c1 : memref<?x?xi8>
  %x = arith.ceildivui %n, %columns : index
  %y = arith.ceildivui %m, %rows : index
  %steps = arith.ceildivui %k, %depth : index
  tile.kernel (%i, %j) in (%x, %y) {
    %as = tile.alloc : memref<13x64xi8, #tile.shared>
    %bs = tile.alloc : memref<64x40xi8, #tile.shared>
    %sum = tile.alloc : memref<13x40xi32, #tile.fragment>
    tile.fill %sum, %zero
    tile.pipelined %s = 0 to %steps {
      tile.copy %a[%j * 13, %s * 64], %as
      tile.copy %b[%s * 64, %i * 40], %bs
      tile.gemm %as, %bs, %sum
    }
    tile.copy %sum, %c[%j * 13, %i * 40]
  }
  return
}

func.func @i8_reference(%a: memref<?x?xi8>, %b: memref<?x?xi8>, %c: memref<?x?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %m = memref.dim %c, %c0 : memref<?x?xi32>
  %n = memref.dim %c, %c1 : memref<?x?xi32>
  %k = memref.dim %a, %c1 : memref<?x?xi8>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %sum = affine.for %l = 0 to %k iter_args(%old = %zero) -> i32 {
        %u = affine.load %a[%i, %l] : memref<?x?xi8>
        %v = affine.load %b[%l, %j] : memref<?x?xi8>
        %x = arith.extsi %u : i8 to i32
        %y = arith.extsi %v : i8 to i32
        %xy = arith.muli %x, %y : i32
        %new = arith.addi %old, %xy : i32
        affine.yield %new : i32
      }
      affine.store %sum, %c[%i, %j] : memref<?x?xi32>
    }
  }
  return
}

// So is what has short rows.
func.func @short(%a: memref<?x?xf32> {tile.shape = "MxK", tile.init = "integers(-3,3)"},
    %b: memref<?x?xf32> {tile.shape = "KxN", tile.init = "integers(-3,3)"}, %c: memref<?x?xf32> {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @f32_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["M=26 N=96 K=1024", "M=29 N=100 K=700", "M=1 N=1 K=1", "M=40 N=31 K=513", "M=13 N=97 K=1536", "M=12 N=48 K=0", "M=0 N=9 K=40"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.constant 13 : index
  %columns = arith.constant 40 : index
  %depth = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %c, %c0 : memref<?x?xf32>
  %n = memref.dim %c, %c1 : memref<?x?xf32>
  %k = memref.dim %a, %c1 : memref<?x?xf32>
  %x = arith.ceildivui %n, %columns : index
  %y = arith.ceildivui %m, %rows : index
  %steps = arith.ceildivui %k, %depth : index
  tile.kernel (%i, %j) in (%x, %y) {
    %as = tile.alloc : memref<13x64xf32, #tile.shared>
    %bs = tile.alloc : memref<64x40xf32, #tile.shared>
    %sum = tile.alloc : memref<13x40xf32, #tile.fragment>
    tile.fill %sum, %zero
    tile.pipelined %s = 0 to %steps {
      tile.copy %a[%j * 13, %s * 64], %as
      tile.copy %b[%s * 64, %i * 40], %bs
      tile.gemm %as, %bs, %sum
    }
    tile.copy %sum, %c[%j * 13, %i * 40]
  }
  return
}

// Both sources begin before their matrices, end at different places, and have padding: the left one 1, the right one 2.

func.func @padded(%a: memref<?x?xf32> {tile.shape = "MxK", tile.init = "integers(-3,3)"},
    %b: memref<?x?xf32> {tile.shape = "LxN", tile.init = "integers(-3,3)"}, %c: memref<16x80xf32> {tile.result})
    attributes {tile.reference = @padded_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["M=40 K=600 L=600 N=100", "M=9 K=300 L=500 N=60", "M=9 K=500 L=300 N=60", "M=16 K=512 L=512 N=80"]} {
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  tile.kernel (%x) in (1) {
    tile.padding_value %a, %one : memref<?x?xf32>
    tile.padding_value %b, %two : memref<?x?xf32>
    %as = tile.alloc : memref<16x512xf32, #tile.shared>
    %bs = tile.alloc : memref<512x80xf32, #tile.shared>
    %sum = tile.alloc : memref<16x80xf32, #tile.fragment>
    tile.copy %a[%x - 2, %x - 3], %as
    tile.copy %b[%x - 3, %x - 5], %bs
    tile.gemm %as, %bs, %sum {clear}
    tile.copy %sum, %c
  }
  return
}
func.func @padded_reference(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<16x80xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %m = memref.dim %a, %c0 : memref<?x?xf32>
  %k = memref.dim %a, %c1 : memref<?x?xf32>
  %l = memref.dim %b, %c0 : memref<?x?xf32>
  %n = memref.dim %b, %c1 : memref<?x?xf32>
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 80 {
      %sum = affine.for %s = 0 to 512 iter_args(%old = %zero) -> f32 {
        %x = affine.if affine_set<(i, s)[m, k] : (i - 2 >= 0, s - 3 >= 0, m - i + 1 >= 0, k - s + 2 >= 0)>(%i, %s)[%m, %k] -> f32 {
          %v = affine.load %a[%i - 2, %s - 3] : memref<?x?xf32>
          affine.yield %v : f32
        } else {
          affine.yield %one : f32
        }
        %y = affine.if affine_set<(s, j)[l, n] : (s - 3 >= 0, j - 5 >= 0, l - s + 2 >= 0, n - j + 4 >= 0)>(%s, %j)[%l, %n] -> f32 {
          %v = affine.load %b[%s - 3, %j - 5] : memref<?x?xf32>
          affine.yield %v : f32
        } else {
          affine.yield %two : f32
        }
        %xy = arith.mulf %x, %y : f32
        %new = arith.addf %old, %xy : f32
        affine.yield %new : f32
      }
      affine.store %sum, %c[%i, %j] : memref<16x80xf32>
    }
  }
  return
}

// The result takes the place of A: blocks of 40 columns are written when all of A has been read.

func.func @in_place(%a: memref<24x512xf32> {tile.init = "integers(-2,2)", tile.result},
    %b: memref<512x512xf32> {tile.init = "integers(-2,2)"})
    attributes {tile.reference = @in_place_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  tile.kernel (%x) in (1) {
    %as = tile.alloc : memref<24x512xf32, #tile.shared>
    %bs = tile.alloc : memref<512x512xf32, #tile.shared>
    %sum = tile.alloc : memref<24x512xf32, #tile.fragment>
    tile.fill %sum, %zero
    tile.pipelined %s = 0 to %c1 {
      tile.copy %a, %as
      tile.copy %b, %bs
      tile.gemm %as, %bs, %sum
    }
    tile.copy %sum, %a
  }
  return
}
func.func @in_place_reference(%a: memref<24x512xf32>, %b: memref<512x512xf32>) {
  %zero = arith.constant 0.0 : f32
  %row = memref.alloc() : memref<512xf32>
  affine.for %i = 0 to 24 {
    affine.for %j = 0 to 512 {
      %v = affine.load %a[%i, %j] : memref<24x512xf32>
      affine.store %v, %row[%j] : memref<512xf32>
    }
    affine.for %j = 0 to 512 {
      %sum = affine.for %l = 0 to 512 iter_args(%old = %zero) -> f32 {
        %x = affine.load %row[%l] : memref<512xf32>
        %y = affine.load %b[%l, %j] : memref<512x512xf32>
        %xy = arith.mulf %x, %y : f32
        %new = arith.addf %old, %xy : f32
        affine.yield %new : f32
      }
      affine.store %sum, %a[%i, %j] : memref<24x512xf32>
    }
  }
  memref.dealloc %row : memref<512xf32>
  return
}

// A is overwritten between its copy and the product, which reads the copy.

func.func @overwritten(%a: memref<12x512xf32> {tile.init = "integers(-2,2)"}, %b: memref<512x16xf32> {tile.init = "integers(-2,2)"},
    %c: memref<12x16xf32> {tile.result})
    attributes {tile.reference = @overwritten_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  %one = arith.constant 1.0 : f32
  tile.kernel (%x) in (1) {
    %as = tile.alloc : memref<12x512xf32, #tile.shared>
    %bs = tile.alloc : memref<512x16xf32, #tile.shared>
    %ones = tile.alloc : memref<12x512xf32, #tile.shared>
    %sum = tile.alloc : memref<12x16xf32, #tile.fragment>
    tile.fill %ones, %one
    tile.copy %a, %as
    tile.copy %b, %bs
    tile.copy %ones, %a
    tile.gemm %as, %bs, %sum {clear}
    tile.copy %sum, %c
  }
  return
}
func.func @overwritten_reference(%a: memref<12x512xf32>, %b: memref<512x16xf32>, %c: memref<12x16xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 12 {
    affine.for %j = 0 to 16 {
      %sum = affine.for %l = 0 to 512 iter_args(%old = %zero) -> f32 {
        %x = affine.load %a[%i, %l] : memref<12x512xf32>
        %y = affine.load %b[%l, %j] : memref<512x16xf32>
        %xy = arith.mulf %x, %y : f32
        %new = arith.addf %old, %xy : f32
        affine.yield %new : f32
      }
      affine.store %sum, %c[%i, %j] : memref<12x16xf32>
    }
  }
  return
}

// The rows of a batch, and sums that are read once more before they are copied.

func.func @batch(%a: memref<3x?x512xf32> {tile.shape = "3xMx512", tile.init = "integers(-2,2)"}, %b: memref<512x16xf32> {tile.init = "integers(-2,2)"},
    %c: memref<3x?x16xf32> {tile.shape = "3xMx16", tile.result})
    attributes {tile.reference = @batch_reference, tile.atol = 0.0, tile.rtol = 0.0, tile.cases = ["M=7", "M=14", "M=24"]} {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  tile.kernel (%x, %y) in (2, 4) {
    %as = tile.alloc : memref<12x512xf32, #tile.shared>
    %bs = tile.alloc : memref<512x16xf32, #tile.shared>
    %sum = tile.alloc : memref<12x16xf32, #tile.fragment>
    tile.fill %sum, %zero
    tile.pipelined %s = 0 to %c1 {
      tile.copy %a[%y, %x * 12, %s * 512], %as
      tile.copy %b, %bs
      tile.gemm %as, %bs, %sum
    }
    tile.copy %sum, %c[%y, %x * 12, 0]
  }
  return
}
func.func @batch_reference(%a: memref<3x?x512xf32>, %b: memref<512x16xf32>, %c: memref<3x?x16xf32>) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %a, %c1 : memref<3x?x512xf32>
  affine.for %g = 0 to 3 {
    affine.for %i = 0 to %m {
      affine.for %j = 0 to 16 {
        %sum = affine.for %l = 0 to 512 iter_args(%old = %zero) -> f32 {
          %x = affine.load %a[%g, %i, %l] : memref<3x?x512xf32>
          %y = affine.load %b[%l, %j] : memref<512x16xf32>
          %xy = arith.mulf %x, %y : f32
          %new = arith.addf %old, %xy : f32
          affine.yield %new : f32
        }
        affine.store %sum, %c[%g, %i, %j] : memref<3x?x16xf32>
      }
    }
  }
  return
}
