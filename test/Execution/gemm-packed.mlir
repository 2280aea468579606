// Copies that pack the right operand of a product themselves: tiles that begin before their source and end behind it, with
// padding, conversions, a source of more dimensions, and bounds that no vector width divides.

// REQUIRES: tile-run
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run --chip=generic %s | FileCheck %s
// CHECK: {{^}}54 passed, 0 failed{{$}}

#before = affine_set<(l, j)[k, n] : (l - 3 >= 0, j - 5 >= 0, k - l + 2 >= 0, n - j + 4 >= 0)>

func.func @f32(%a: memref<16x24xf32> {tile.init = "integers(-3,3)"},
    %b: memref<?x?xf32> {tile.shape = "KxN", tile.init = "integers(-3,3)"}, %c: memref<16x80xf32> {tile.result})
    attributes {tile.reference = @f32_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["K=40 N=100", "K=21 N=75", "K=10 N=30", "K=1 N=66", "K=40 N=69", "K=0 N=9", "K=9 N=0"]} {
  %pad = arith.constant 2.0 : f32
  tile.kernel (%x) in (1) {
    tile.padding_value %b, %pad : memref<?x?xf32>
    %as = tile.alloc : memref<16x24xf32, #tile.shared>
    %bs = tile.alloc : memref<24x80xf32, #tile.shared>
    %sum = tile.alloc : memref<16x80xf32, #tile.fragment>
    tile.copy %a, %as
    tile.copy %b[%x - 3, %x - 5], %bs
    tile.gemm %as, %bs, %sum {clear}
    tile.copy %sum, %c
  }
  return
}
func.func @f32_reference(%a: memref<16x24xf32>, %b: memref<?x?xf32>, %c: memref<16x80xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %pad = arith.constant 2.0 : f32
  %k = memref.dim %b, %c0 : memref<?x?xf32>
  %n = memref.dim %b, %c1 : memref<?x?xf32>
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 80 {
      %sum = affine.for %l = 0 to 24 iter_args(%old = %zero) -> f32 {
        %x = affine.load %a[%i, %l] : memref<16x24xf32>
        %y = affine.if #before(%l, %j)[%k, %n] -> f32 {
          %v = affine.load %b[%l - 3, %j - 5] : memref<?x?xf32>
          affine.yield %v : f32
        } else {
          affine.yield %pad : f32
        }
        %xw = arith.addf %x, %zero : f32
        %yw = arith.addf %y, %zero : f32
        %xy = arith.mulf %xw, %yw : f32
        %new = arith.addf %old, %xy : f32
        affine.yield %new : f32
      }
      affine.store %sum, %c[%i, %j] : memref<16x80xf32>
    }
  }
  return
}

func.func @f64(%a: memref<16x24xf64> {tile.init = "integers(-3,3)"},
    %b: memref<?x?xf64> {tile.shape = "KxN", tile.init = "integers(-3,3)"}, %c: memref<16x80xf64> {tile.result})
    attributes {tile.reference = @f64_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["K=40 N=100", "K=21 N=75", "K=10 N=30", "K=1 N=66", "K=40 N=69", "K=0 N=9", "K=9 N=0"]} {
  %pad = arith.constant 2.0 : f64
  tile.kernel (%x) in (1) {
    tile.padding_value %b, %pad : memref<?x?xf64>
    %as = tile.alloc : memref<16x24xf64, #tile.shared>
    %bs = tile.alloc : memref<24x80xf64, #tile.shared>
    %sum = tile.alloc : memref<16x80xf64, #tile.fragment>
    tile.copy %a, %as
    tile.copy %b[%x - 3, %x - 5], %bs
    tile.gemm %as, %bs, %sum {clear}
    tile.copy %sum, %c
  }
  return
}
func.func @f64_reference(%a: memref<16x24xf64>, %b: memref<?x?xf64>, %c: memref<16x80xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %pad = arith.constant 2.0 : f64
  %k = memref.dim %b, %c0 : memref<?x?xf64>
  %n = memref.dim %b, %c1 : memref<?x?xf64>
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 80 {
      %sum = affine.for %l = 0 to 24 iter_args(%old = %zero) -> f64 {
        %x = affine.load %a[%i, %l] : memref<16x24xf64>
        %y = affine.if #before(%l, %j)[%k, %n] -> f64 {
          %v = affine.load %b[%l - 3, %j - 5] : memref<?x?xf64>
          affine.yield %v : f64
        } else {
          affine.yield %pad : f64
        }
        %xw = arith.addf %x, %zero : f64
        %yw = arith.addf %y, %zero : f64
        %xy = arith.mulf %xw, %yw : f64
        %new = arith.addf %old, %xy : f64
        affine.yield %new : f64
      }
      affine.store %sum, %c[%i, %j] : memref<16x80xf64>
    }
  }
  return
}

func.func @bf16(%a: memref<16x24xbf16> {tile.init = "integers(-3,3)"},
    %b: memref<?x?xbf16> {tile.shape = "KxN", tile.init = "integers(-3,3)"}, %c: memref<16x80xf32> {tile.result})
    attributes {tile.reference = @bf16_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["K=40 N=100", "K=21 N=75", "K=10 N=30", "K=1 N=66", "K=40 N=69", "K=0 N=9", "K=9 N=0"]} {
  %pad = arith.constant 2.0 : bf16
  tile.kernel (%x) in (1) {
    tile.padding_value %b, %pad : memref<?x?xbf16>
    %as = tile.alloc : memref<16x24xbf16, #tile.shared>
    %bs = tile.alloc : memref<24x80xbf16, #tile.shared>
    %sum = tile.alloc : memref<16x80xf32, #tile.fragment>
    tile.copy %a, %as
    tile.copy %b[%x - 3, %x - 5], %bs
    tile.gemm %as, %bs, %sum {clear}
    tile.copy %sum, %c
  }
  return
}
func.func @bf16_reference(%a: memref<16x24xbf16>, %b: memref<?x?xbf16>, %c: memref<16x80xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %pad = arith.constant 2.0 : bf16
  %k = memref.dim %b, %c0 : memref<?x?xbf16>
  %n = memref.dim %b, %c1 : memref<?x?xbf16>
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 80 {
      %sum = affine.for %l = 0 to 24 iter_args(%old = %zero) -> f32 {
        %x = affine.load %a[%i, %l] : memref<16x24xbf16>
        %y = affine.if #before(%l, %j)[%k, %n] -> bf16 {
          %v = affine.load %b[%l - 3, %j - 5] : memref<?x?xbf16>
          affine.yield %v : bf16
        } else {
          affine.yield %pad : bf16
        }
        %xw = arith.extf %x : bf16 to f32
        %yw = arith.extf %y : bf16 to f32
        %xy = arith.mulf %xw, %yw : f32
        %new = arith.addf %old, %xy : f32
        affine.yield %new : f32
      }
      affine.store %sum, %c[%i, %j] : memref<16x80xf32>
    }
  }
  return
}

func.func @f16(%a: memref<16x24xf16> {tile.init = "integers(-3,3)"},
    %b: memref<?x?xf16> {tile.shape = "KxN", tile.init = "integers(-3,3)"}, %c: memref<16x80xf32> {tile.result})
    attributes {tile.reference = @f16_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["K=40 N=100", "K=21 N=75", "K=10 N=30", "K=1 N=66", "K=40 N=69", "K=0 N=9", "K=9 N=0"]} {
  %pad = arith.constant 2.0 : f16
  tile.kernel (%x) in (1) {
    tile.padding_value %b, %pad : memref<?x?xf16>
    %as = tile.alloc : memref<16x24xf16, #tile.shared>
    %bs = tile.alloc : memref<24x80xf16, #tile.shared>
    %sum = tile.alloc : memref<16x80xf32, #tile.fragment>
    tile.copy %a, %as
    tile.copy %b[%x - 3, %x - 5], %bs
    tile.gemm %as, %bs, %sum {clear}
    tile.copy %sum, %c
  }
  return
}
func.func @f16_reference(%a: memref<16x24xf16>, %b: memref<?x?xf16>, %c: memref<16x80xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %pad = arith.constant 2.0 : f16
  %k = memref.dim %b, %c0 : memref<?x?xf16>
  %n = memref.dim %b, %c1 : memref<?x?xf16>
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 80 {
      %sum = affine.for %l = 0 to 24 iter_args(%old = %zero) -> f32 {
        %x = affine.load %a[%i, %l] : memref<16x24xf16>
        %y = affine.if #before(%l, %j)[%k, %n] -> f16 {
          %v = affine.load %b[%l - 3, %j - 5] : memref<?x?xf16>
          affine.yield %v : f16
        } else {
          affine.yield %pad : f16
        }
        %xw = arith.extf %x : f16 to f32
        %yw = arith.extf %y : f16 to f32
        %xy = arith.mulf %xw, %yw : f32
        %new = arith.addf %old, %xy : f32
        affine.yield %new : f32
      }
      affine.store %sum, %c[%i, %j] : memref<16x80xf32>
    }
  }
  return
}

func.func @i8(%a: memref<16x24xi8> {tile.init = "integers(-3,3)"},
    %b: memref<?x?xi8> {tile.shape = "KxN", tile.init = "integers(-3,3)"}, %c: memref<16x80xi32> {tile.result})
    attributes {tile.reference = @i8_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["K=40 N=100", "K=21 N=75", "K=10 N=30", "K=1 N=66", "K=40 N=69", "K=0 N=9", "K=9 N=0"]} {
  %pad = arith.constant 2 : i8
  tile.kernel (%x) in (1) {
    tile.padding_value %b, %pad : memref<?x?xi8>
    %as = tile.alloc : memref<16x24xi8, #tile.shared>
    %bs = tile.alloc : memref<24x80xi8, #tile.shared>
    %sum = tile.alloc : memref<16x80xi32, #tile.fragment>
    tile.copy %a, %as
    tile.copy %b[%x - 3, %x - 5], %bs
    tile.gemm %as, %bs, %sum {clear}
    tile.copy %sum, %c
  }
  return
}
func.func @i8_reference(%a: memref<16x24xi8>, %b: memref<?x?xi8>, %c: memref<16x80xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %pad = arith.constant 2 : i8
  %k = memref.dim %b, %c0 : memref<?x?xi8>
  %n = memref.dim %b, %c1 : memref<?x?xi8>
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 80 {
      %sum = affine.for %l = 0 to 24 iter_args(%old = %zero) -> i32 {
        %x = affine.load %a[%i, %l] : memref<16x24xi8>
        %y = affine.if #before(%l, %j)[%k, %n] -> i8 {
          %v = affine.load %b[%l - 3, %j - 5] : memref<?x?xi8>
          affine.yield %v : i8
        } else {
          affine.yield %pad : i8
        }
        %xw = arith.extsi %x : i8 to i32
        %yw = arith.extsi %y : i8 to i32
        %xy = arith.muli %xw, %yw : i32
        %new = arith.addi %old, %xy : i32
        affine.yield %new : i32
      }
      affine.store %sum, %c[%i, %j] : memref<16x80xi32>
    }
  }
  return
}

func.func @converted(%a: memref<16x24xf16> {tile.init = "integers(-3,3)"},
    %b: memref<?x?xf32> {tile.shape = "KxN", tile.init = "integers(-3,3)"}, %c: memref<16x80xf32> {tile.result})
    attributes {tile.reference = @converted_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["K=40 N=100", "K=21 N=75", "K=10 N=30", "K=1 N=66", "K=40 N=69", "K=0 N=9", "K=9 N=0"]} {
  %pad = arith.constant 2.0 : f32
  tile.kernel (%x) in (1) {
    tile.padding_value %b, %pad : memref<?x?xf32>
    %as = tile.alloc : memref<16x24xf16, #tile.shared>
    %bs = tile.alloc : memref<24x80xf16, #tile.shared>
    %sum = tile.alloc : memref<16x80xf32, #tile.fragment>
    tile.copy %a, %as
    tile.copy %b[%x - 3, %x - 5], %bs
    tile.gemm %as, %bs, %sum {clear}
    tile.copy %sum, %c
  }
  return
}
func.func @converted_reference(%a: memref<16x24xf16>, %b: memref<?x?xf32>, %c: memref<16x80xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %pad = arith.constant 2.0 : f32
  %k = memref.dim %b, %c0 : memref<?x?xf32>
  %n = memref.dim %b, %c1 : memref<?x?xf32>
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 80 {
      %sum = affine.for %l = 0 to 24 iter_args(%old = %zero) -> f32 {
        %x = affine.load %a[%i, %l] : memref<16x24xf16>
        %y = affine.if #before(%l, %j)[%k, %n] -> f32 {
          %v = affine.load %b[%l - 3, %j - 5] : memref<?x?xf32>
          affine.yield %v : f32
        } else {
          affine.yield %pad : f32
        }
        %xw = arith.extf %x : f16 to f32
        %yw = arith.addf %y, %zero : f32
        %xy = arith.mulf %xw, %yw : f32
        %new = arith.addf %old, %xy : f32
        affine.yield %new : f32
      }
      affine.store %sum, %c[%i, %j] : memref<16x80xf32>
    }
  }
  return
}

func.func @f8(%a: memref<16x24xf8E4M3FN> {tile.init = "integers(-3,3)"},
    %b: memref<?x?xf8E4M3FN> {tile.shape = "KxN", tile.init = "integers(-3,3)"}, %c: memref<16x80xf32> {tile.result})
    attributes {tile.reference = @f8_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["K=40 N=100", "K=21 N=75", "K=10 N=30", "K=1 N=66", "K=40 N=69", "K=0 N=9", "K=9 N=0"]} {
  %pad = arith.constant 2.0 : f8E4M3FN
  tile.kernel (%x) in (1) {
    tile.padding_value %b, %pad : memref<?x?xf8E4M3FN>
    %as = tile.alloc : memref<16x24xf8E4M3FN, #tile.shared>
    %bs = tile.alloc : memref<24x80xf8E4M3FN, #tile.shared>
    %sum = tile.alloc : memref<16x80xf32, #tile.fragment>
    tile.copy %a, %as
    tile.copy %b[%x - 3, %x - 5], %bs
    tile.gemm %as, %bs, %sum {clear}
    tile.copy %sum, %c
  }
  return
}
func.func @f8_reference(%a: memref<16x24xf8E4M3FN>, %b: memref<?x?xf8E4M3FN>, %c: memref<16x80xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %pad = arith.constant 2.0 : f8E4M3FN
  %k = memref.dim %b, %c0 : memref<?x?xf8E4M3FN>
  %n = memref.dim %b, %c1 : memref<?x?xf8E4M3FN>
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 80 {
      %sum = affine.for %l = 0 to 24 iter_args(%old = %zero) -> f32 {
        %x = affine.load %a[%i, %l] : memref<16x24xf8E4M3FN>
        %y = affine.if #before(%l, %j)[%k, %n] -> f8E4M3FN {
          %v = affine.load %b[%l - 3, %j - 5] : memref<?x?xf8E4M3FN>
          affine.yield %v : f8E4M3FN
        } else {
          affine.yield %pad : f8E4M3FN
        }
        %xw = arith.extf %x : f8E4M3FN to f32
        %yw = arith.extf %y : f8E4M3FN to f32
        %xy = arith.mulf %xw, %yw : f32
        %new = arith.addf %old, %xy : f32
        affine.yield %new : f32
      }
      affine.store %sum, %c[%i, %j] : memref<16x80xf32>
    }
  }
  return
}

// The usual loop, of a stack of matrices, with an accumulator that is read again.
func.func @stack(%a: memref<?x?xf32> {tile.shape = "MxK", tile.init = "integers(-3,3)"},
    %b: memref<?x?x?xf32> {tile.shape = "2xKxN", tile.init = "integers(-3,3)"}, %c: memref<?x?xf32> {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @stack_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["M=64 N=192 K=96", "M=65 N=193 K=97", "M=63 N=191 K=95", "M=1 N=1 K=1", "M=7 N=70 K=0"]} {
  tile.kernel (%x, %y) in (ceildiv(dim(%c, 1), 96), ceildiv(dim(%c, 0), 32)) {
    %as = tile.alloc : memref<32x32xf32, #tile.shared>
    %bs = tile.alloc : memref<32x96xf32, #tile.shared>
    %sum = tile.alloc : memref<32x96xf32, #tile.fragment>
    tile.fill %sum, 0.0
    tile.pipelined %s = 0 to ceildiv(dim(%a, 1), 32) stages(2) {
      tile.copy %a[%y * 32, %s * 32], %as
      tile.copy %b[1, %s * 32, %x * 96], %bs
      tile.gemm %as, %bs, %sum
    }
    tile.copy %sum, %c[%y * 32, %x * 96]
  }
  return
}
func.func @stack_reference(%a: memref<?x?xf32>, %b: memref<?x?x?xf32>, %c: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %a, %c0 : memref<?x?xf32>
  %k = memref.dim %a, %c1 : memref<?x?xf32>
  %n = memref.dim %c, %c1 : memref<?x?xf32>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %sum = affine.for %l = 0 to %k iter_args(%old = %zero) -> f32 {
        %x = affine.load %a[%i, %l] : memref<?x?xf32>
        %y = affine.load %b[1, %l, %j] : memref<?x?x?xf32>
        %xy = arith.mulf %x, %y : f32
        %new = arith.addf %old, %xy : f32
        affine.yield %new : f32
      }
      affine.store %sum, %c[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
