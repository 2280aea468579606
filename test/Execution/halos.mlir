// Regions that begin before a buffer, or end behind it: reads there are padding, writes are dropped.

// REQUIRES: tile-run, nvidia, amd, ascend
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx1100 --device=model | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=910B | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=950 | FileCheck %s
// CHECK: {{^}}24 passed, 0 failed{{$}}

// A causal convolution of 4 steps in each channel: a tile begins 3 steps before its block.

func.func @causal_conv1d(%x: memref<?x?x64xf32> {tile.shape = "BxTx64", tile.init = "integers(-4,4)"},
                         %w: memref<4x64xf32> {tile.init = "integers(-3,3)"},
                         %y: memref<?x?x64xf32> {tile.shape = "BxTx64", tile.result})
    attributes {tile.reference = @causal_conv1d_reference, tile.cases = ["B=2 T=70", "B=1 T=32", "B=1 T=2", "B=3 T=1"]} {
  tile.kernel (%t, %b) in (ceildiv(dim(%x, 1), 32), dim(%x, 0)) threads(128) {
    %xs = tile.alloc : memref<35x64xf32, #tile.shared>
    %ws = tile.alloc : memref<4x64xf32, #tile.shared>
    %sum = tile.alloc : memref<32x64xf32, #tile.fragment>
    tile.copy %x[%b, %t * 32 - 3, 0] [1, 35, 64], %xs
    tile.copy %w, %ws
    tile.parallel (%i, %c) in (32, 64) do {
      %sum[%i, %c] = %xs[%i, %c] * %ws[0, %c] + %xs[%i + 1, %c] * %ws[1, %c] + %xs[%i + 2, %c] * %ws[2, %c] + %xs[%i + 3, %c] * %ws[3, %c]
    }
    tile.copy %sum, %y[%b, %t * 32, 0] [1, 32, 64]
  }
  return
}
func.func private @causal_conv1d_reference(%x: memref<?x?x64xf32>, %w: memref<4x64xf32>, %y: memref<?x?x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %batch = memref.dim %x, %c0 : memref<?x?x64xf32>
  %steps = memref.dim %x, %c1 : memref<?x?x64xf32>
  affine.for %b = 0 to %batch {
    affine.for %t = 0 to %steps {
      affine.for %c = 0 to 64 {
        %sum = affine.for %k = 0 to 4 iter_args(%old = %zero) -> f32 {
          %at = affine.apply affine_map<(t, k) -> (t + k - 3)>(%t, %k)
          %exists = arith.cmpi sge, %at, %c0 : index
          %v = scf.if %exists -> f32 {
            %u = memref.load %x[%b, %at, %c] : memref<?x?x64xf32>
            scf.yield %u : f32
          } else {
            scf.yield %zero : f32
          }
          %f = affine.load %w[%k, %c] : memref<4x64xf32>
          %term = arith.mulf %v, %f : f32
          %new = arith.addf %old, %term : f32
          affine.yield %new : f32
        }
        affine.store %sum, %y[%b, %t, %c] : memref<?x?x64xf32>
      }
    }
  }
  return
}

// A 3x3 stencil of images whose channels lie together: a tile leaves the image on all sides, which count as -1.

func.func @stencil(%x: memref<?x?x32xi32> {tile.shape = "HxWx32", tile.init = "integers(-9,9)"},
                   %y: memref<?x?x32xi32> {tile.shape = "HxWx32", tile.result})
    attributes {tile.reference = @stencil_reference, tile.cases = ["H=11 W=9", "H=8 W=8", "H=1 W=1", "H=2 W=17"]} {
  tile.kernel (%bx, %by) in (ceildiv(dim(%x, 1), 8), ceildiv(dim(%x, 0), 4)) threads(128) {
    %none = arith.constant -1 : i32
    tile.padding_value %x, %none
    %s = tile.alloc : memref<6x10x32xi32, #tile.shared>
    %sum = tile.alloc : memref<4x8x32xi32, #tile.fragment>
    tile.copy %x[%by * 4 - 1, %bx * 8 - 1, 0], %s
    tile.parallel (%i, %j, %c) in (4, 8, 32) do {
      %above = %s[%i, %j, %c] + %s[%i, %j + 1, %c] + %s[%i, %j + 2, %c]
      %here = %s[%i + 1, %j, %c] + %s[%i + 1, %j + 1, %c] + %s[%i + 1, %j + 2, %c]
      %below = %s[%i + 2, %j, %c] + %s[%i + 2, %j + 1, %c] + %s[%i + 2, %j + 2, %c]
      %sum[%i, %j, %c] = %above + %here + %below
    }
    tile.copy %sum, %y[%by * 4, %bx * 8, 0]
  }
  return
}
func.func private @stencil_reference(%x: memref<?x?x32xi32>, %y: memref<?x?x32xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %none = arith.constant -1 : i32
  %h = memref.dim %x, %c0 : memref<?x?x32xi32>
  %w = memref.dim %x, %c1 : memref<?x?x32xi32>
  affine.for %i = 0 to %h {
    affine.for %j = 0 to %w {
      affine.for %c = 0 to 32 {
        %sum = affine.for %k = 0 to 9 iter_args(%old = %zero) -> i32 {
          %row = affine.apply affine_map<(i, k) -> (i + k floordiv 3 - 1)>(%i, %k)
          %column = affine.apply affine_map<(j, k) -> (j + k mod 3 - 1)>(%j, %k)
          %in = arith.cmpi ult, %row, %h : index
          %side = arith.cmpi ult, %column, %w : index
          %exists = arith.andi %in, %side : i1
          %v = scf.if %exists -> i32 {
            %u = memref.load %x[%row, %column, %c] : memref<?x?x32xi32>
            scf.yield %u : i32
          } else {
            scf.yield %none : i32
          }
          %new = arith.addi %old, %v : i32
          affine.yield %new : i32
        }
        affine.store %sum, %y[%i, %j, %c] : memref<?x?x32xi32>
      }
    }
  }
  return
}

// A store of which the first rows lie before the buffer, at a place that is known and at one that is not.

func.func @store(%x: memref<16x32xf16>, %n: memref<1xi32> {tile.init = "integers(-20,12)"}, %y: memref<12x32xf16> {tile.result, tile.init = "ones"},
                 %z: memref<12x32xf16> {tile.result, tile.init = "ones"})
    attributes {tile.reference = @store_reference, tile.cases = ["", "", ""]} {
  tile.kernel (%b) in (1) threads(64) {
    %s = tile.alloc : memref<16x32xf16, #tile.shared>
    tile.copy %x, %s
    %first32 = memref.load %n[%b] : memref<1xi32>
    %first = arith.index_cast %first32 : i32 to index
    tile.copy %s, %y[-5, 0] [16, 32]
    tile.copy %s, %z[%first, 0] [16, 32]
  }
  return
}
func.func private @store_reference(%x: memref<16x32xf16>, %n: memref<1xi32>, %y: memref<12x32xf16>, %z: memref<12x32xf16>) {
  %c12 = arith.constant 12 : index
  %first32 = affine.load %n[0] : memref<1xi32>
  %first = arith.index_cast %first32 : i32 to index
  affine.for %i = 0 to 16 {
    %static = affine.apply affine_map<(i) -> (i - 5)>(%i)
    %dynamic = arith.addi %i, %first : index
    %inStatic = arith.cmpi ult, %static, %c12 : index
    %inDynamic = arith.cmpi ult, %dynamic, %c12 : index
    affine.for %j = 0 to 32 {
      %v = affine.load %x[%i, %j] : memref<16x32xf16>
      scf.if %inStatic {
        memref.store %v, %y[%static, %j] : memref<12x32xf16>
      }
      scf.if %inDynamic {
        memref.store %v, %z[%dynamic, %j] : memref<12x32xf16>
      }
    }
  }
  return
}

// Max pooling, 3x3, in steps of 2: rows and columns begin before the image.

func.func @max_pool(%x: memref<?x?x?xf32> {tile.shape = "CxHxW"}, %y: memref<?x?x?xf32> {tile.shape = "CxPxQ", tile.result})
    attributes {tile.reference = @max_pool_reference,
                tile.cases = ["C=2 H=17 W=45 P=9 Q=23", "C=1 H=1 W=1 P=1 Q=1", "C=1 H=16 W=64 P=8 Q=32", "C=1 H=3 W=34 P=2 Q=17"]} {
  tile.kernel (%bw, %bh, %bc) in (ceildiv(dim(%y, 2), 16), ceildiv(dim(%y, 1), 8), dim(%y, 0)) threads(128) {
    tile.padding_value %x, -inf
    %t = tile.alloc : memref<17x33xf32, #tile.shared>
    %m = tile.alloc : memref<8x16xf32, #tile.fragment>
    tile.copy %x[%bc, %bh * 16 - 1, %bw * 32 - 1] [1, 17, 33], %t
    tile.fill %m, -inf
    tile.parallel (%i, %j) in (8, 16) do
      for %p = 0 to 3 { for %q = 0 to 3 { %m[%i, %j] = max(%m[%i, %j], %t[2 * %i + %p, 2 * %j + %q]) } }
    tile.copy %m, %y[%bc, %bh * 8, %bw * 16] [1, 8, 16]
  }
  return
}
func.func private @max_pool_reference(%x: memref<?x?x?xf32>, %y: memref<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %least = arith.constant 0xFF800000 : f32
  %channels = memref.dim %x, %c0 : memref<?x?x?xf32>
  %h = memref.dim %x, %c1 : memref<?x?x?xf32>
  %w = memref.dim %x, %c2 : memref<?x?x?xf32>
  %p = memref.dim %y, %c1 : memref<?x?x?xf32>
  %q = memref.dim %y, %c2 : memref<?x?x?xf32>
  affine.for %c = 0 to %channels {
    affine.for %i = 0 to %p {
      affine.for %j = 0 to %q {
        %max = affine.for %k = 0 to 9 iter_args(%old = %least) -> f32 {
          %row = affine.apply affine_map<(i, k) -> (2 * i + k floordiv 3 - 1)>(%i, %k)
          %column = affine.apply affine_map<(j, k) -> (2 * j + k mod 3 - 1)>(%j, %k)
          %in = arith.cmpi ult, %row, %h : index
          %side = arith.cmpi ult, %column, %w : index
          %exists = arith.andi %in, %side : i1
          %v = scf.if %exists -> f32 {
            %u = memref.load %x[%c, %row, %column] : memref<?x?x?xf32>
            scf.yield %u : f32
          } else {
            scf.yield %least : f32
          }
          %new = arith.maximumf %old, %v : f32
          affine.yield %new : f32
        }
        affine.store %max, %y[%c, %i, %j] : memref<?x?x?xf32>
      }
    }
  }
  return
}

// Sums of 5 neighbours, whose first is 2 elements before a block, of which a copy brings those of one and a loop those of the other.

func.func @moving_sum(%x: memref<?xf16> {tile.shape = "N", tile.init = "integers(-4,4)"},
                      %z: memref<?xi8> {tile.shape = "N", tile.init = "integers(-4,4)"},
                      %y: memref<?xf32> {tile.shape = "N", tile.result})
    attributes {tile.reference = @moving_sum_reference,
                tile.cases = ["N=1", "N=2", "N=63", "N=64", "N=130", "N=200"]} {
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 64)) threads(64) {
    %s = tile.alloc : memref<68xf16, #tile.shared>
    %r = tile.alloc : memref<68xi8, #tile.shared>
    %sum = tile.alloc : memref<64xf32, #tile.fragment>
    tile.copy %x[%b * 64 - 2], %s
    tile.parallel (%i) in (68) do %r[%i] = %z[%b * 64 - 2 + %i]
    tile.parallel (%i) in (64) do {
      %u = f32(%s[%i]) + f32(%s[%i + 1]) + f32(%s[%i + 2]) + f32(%s[%i + 3]) + f32(%s[%i + 4])
      %sum[%i] = %u + f32(%r[%i]) + f32(%r[%i + 4])
    }
    tile.copy %sum, %y[%b * 64]
  }
  return
}
func.func private @moving_sum_reference(%x: memref<?xf16>, %z: memref<?xi8>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?xf16>
  affine.for %i = 0 to %n {
    %sum = affine.for %k = 0 to 5 iter_args(%old = %zero) -> f32 {
      %at = affine.apply affine_map<(i, k) -> (i + k - 2)>(%i, %k)
      %exists = arith.cmpi ult, %at, %n : index
      %v = scf.if %exists -> f32 {
        %u = memref.load %x[%at] : memref<?xf16>
        %wide = arith.extf %u : f16 to f32
        %w = memref.load %z[%at] : memref<?xi8>
        %number = arith.sitofp %w : i8 to f32
        %isEnd = affine.apply affine_map<(k) -> (k mod 4)>(%k)
        %end = arith.cmpi eq, %isEnd, %c0 : index
        %part = arith.select %end, %number, %zero : f32
        %both = arith.addf %wide, %part : f32
        scf.yield %both : f32
      } else {
        scf.yield %zero : f32
      }
      %new = arith.addf %old, %v : f32
      affine.yield %new : f32
    }
    affine.store %sum, %y[%i] : memref<?xf32>
  }
  return
}

// A 3x3 convolution as nine products, whose operands begin before the image.

func.func @convolution(%x: memref<?x?x32xf16> {tile.shape = "HxWx32", tile.init = "integers(-4,4)"},
                       %f: memref<3x3x32x32xf16> {tile.init = "integers(-3,3)"},
                       %y: memref<?x?x32xf32> {tile.shape = "HxWx32", tile.result})
    attributes {tile.reference = @convolution_reference, tile.cases = ["H=3 W=70", "H=1 W=1", "H=2 W=64"]} {
  tile.kernel (%bx, %by) in (ceildiv(dim(%x, 1), 64), dim(%x, 0)) threads(128) {
    %xs = tile.alloc : memref<64x32xf16, #tile.shared>
    %fs = tile.alloc : memref<32x32xf16, #tile.shared>
    %sum = tile.alloc : memref<64x32xf32, #tile.fragment>
    tile.fill %sum, 0.0
    affine.for %i = 0 to 3 {
      tile.pipelined %j = 0 to 3 stages(2) {
        tile.copy %x[%by + %i - 1, %bx * 64 + %j - 1, 0] [1, 64, 32], %xs
        tile.copy %f[%i, %j, 0, 0] [1, 1, 32, 32], %fs
        tile.gemm %xs, %fs, %sum
      }
    }
    tile.copy %sum, %y[%by, %bx * 64, 0] [1, 64, 32]
  }
  return
}
func.func private @convolution_reference(%x: memref<?x?x32xf16>, %f: memref<3x3x32x32xf16>, %y: memref<?x?x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0.0 : f16
  %h = memref.dim %x, %c0 : memref<?x?x32xf16>
  %w = memref.dim %x, %c1 : memref<?x?x32xf16>
  affine.for %i = 0 to %h {
    affine.for %j = 0 to %w {
      affine.for %n = 0 to 32 {
        %sum = affine.for %k = 0 to 288 iter_args(%old = %zero) -> f32 {
          %row = affine.apply affine_map<(i, k) -> (i + k floordiv 96 - 1)>(%i, %k)
          %column = affine.apply affine_map<(j, k) -> (j + (k floordiv 32) mod 3 - 1)>(%j, %k)
          %in = arith.cmpi ult, %row, %h : index
          %side = arith.cmpi ult, %column, %w : index
          %exists = arith.andi %in, %side : i1
          %channel = affine.apply affine_map<(k) -> (k mod 32)>(%k)
          %v = scf.if %exists -> f16 {
            %u = memref.load %x[%row, %column, %channel] : memref<?x?x32xf16>
            scf.yield %u : f16
          } else {
            scf.yield %none : f16
          }
          %g = affine.load %f[%k floordiv 96, (%k floordiv 32) mod 3, %k mod 32, %n] : memref<3x3x32x32xf16>
          %a = arith.extf %v : f16 to f32
          %c = arith.extf %g : f16 to f32
          %term = arith.mulf %a, %c : f32
          %new = arith.addf %old, %term : f32
          affine.yield %new : f32
        }
        affine.store %sum, %y[%i, %j, %n] : memref<?x?x32xf32>
      }
    }
  }
  return
}
