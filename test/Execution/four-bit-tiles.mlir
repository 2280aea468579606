// Packed weights of 4 bits that are stored tile by tile, as one copy brings them: 64 rows of two groups of 128 along K. The groups are
// operands of products one after the other, in one fragment (@in_turn) or in two, of which the second one is converted beside the
// first product (@beside). Rows of A end anywhere, K within a tile. With a known K, four iterations
// become one, in which both stages have constant addresses.

// REQUIRES: tile-run, nvidia
// UNSUPPORTED: sanitizer
// RUN: tile-run %s | FileCheck %s --check-prefix=RESULT
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s --check-prefix=RESULT
// RUN: tile-translate %s --tile-to-ptx --chip=sm_90a --gpu-function=in_turn --notes=false | FileCheck %s --check-prefix=PTX
// RUN: tile-translate %s --tile-to-ptx --chip=sm_90a --gpu-function=beside --notes=false | FileCheck %s --check-prefix=PTX
// RUN: sed -e 's/prefer(wgmma)/prefer(mma)/' %s > %t.mma.mlir
// RUN: tile-run %t.mma.mlir --target=cuda --chip=sm_90a --device=model | FileCheck %s --check-prefix=RESULT
// RUN: sed -e 's/128xi4,/128xf4E2M1FN,/g' -e 's/%%half : i4 to i4/%%half : i4 to f4E2M1FN/' -e 's/sitofp %%bits : i4/extf %%bits : f4E2M1FN/' %s > %t.f4.mlir
// RUN: tile-run %t.f4.mlir --target=cuda --chip=sm_90a --device=model | FileCheck %s --check-prefix=RESULT
// RUN: sed -e 's/memref<?x?xbf16>/memref<?x1024xbf16>/' -e 's/"MxK"/"Mx1024"/' -e 's/tile.cases = .*/tile.cases = ["M=5 R=256 G=8", "M=16 R=256 G=8"]} {/' -e 's/stages(2)/stages(2) attributes {tile.unroll = 4}/' %s > %t.unrolled.mlir
// RUN: tile-run %t.unrolled.mlir --target=cuda --chip=sm_90a --device=model | FileCheck %s --check-prefix=UNROLLED
// UNROLLED: {{^}}4 passed, 0 failed{{$}}
// RESULT: {{^}}10 passed, 0 failed{{$}}

// Scales are a part of the conversion in both groups: a multiply-add for each pair, and no product besides.
// PTX-COUNT-64: fma.rn.bf16x2
// PTX-NOT: fma.rn.bf16x2
// PTX: ret;

!a = memref<?x?xbf16>
!q = memref<?x256xi8>
!s = memref<?x128xf32>
!c = memref<?x128xf32>
!w = memref<64x128xbf16, #tile.fragment>
!codes = memref<128x128xi4, #tile.shared>
func.func @in_turn(%a: !a {tile.shape = "MxK"}, %q: !q {tile.shape = "Rx256", tile.init = "integers(-128,127)"},
    %s: !s {tile.shape = "Gx128"}, %c: !c {tile.shape = "Mx128", tile.result})
    attributes {tile.reference = @reference, tile.atol = 1.0e-3, tile.rtol = 1.0e-5,
      tile.cases = ["M=5 K=512 R=128 G=4", "M=16 K=256 R=64 G=2", "M=1 K=384 R=128 G=3", "M=3 K=258 R=128 G=3", "M=2 K=0 R=0 G=0"]} {
  tile.kernel (%x) in (2) threads(128) {
    %qs = tile.alloc : memref<32x256xi8, #tile.shared>
    %as0 = tile.alloc : memref<16x128xbf16, #tile.shared>
    %as1 = tile.alloc : memref<16x128xbf16, #tile.shared>
    %ss0 = tile.alloc : memref<64xf32, #tile.shared>
    %ss1 = tile.alloc : memref<64xf32, #tile.shared>
    %w = tile.alloc : !w
    %sum = tile.alloc : memref<64x16xf32, #tile.fragment>
    tile.fill %sum, 0.0
    tile.pipelined %t = 0 to ceildiv(dim(%a, 1), 256) stages(2) {
      %c1 = arith.constant 1 : index
      %k = memref.dim %a, %c1 : !a
      %steps = affine.apply affine_map<()[k] -> (k ceildiv 256)>()[%k]
      %first = arith.muli %x, %steps : index
      %at = affine.apply affine_map<(t)[first] -> ((first + t) * 32)>(%t)[%first]
      tile.copy %q[%at, 0], %qs
      tile.copy %a[0, %t * 256], %as0
      tile.copy %a[0, %t * 256 + 128], %as1
      tile.copy %s[%t * 2, %x * 64], %ss0
      tile.copy %s[%t * 2 + 1, %x * 64], %ss1
      %codes = tile.view %qs : memref<32x256xi8, #tile.shared> to !codes
      tile.parallel (%i, %j) in (64, 128) do fastmath<reassoc>
          %w[%i, %j] = bf16(%codes[%i, %j mod 8 floordiv 2 * 32 + %j floordiv 32 * 8 + %j mod 2 * 4 + %j mod 32 floordiv 8]) * bf16(%ss0[%i])
      tile.gemm %w, %as0, %sum prefer(wgmma) {transpose_b}
      tile.parallel (%i, %j) in (64, 128) do fastmath<reassoc>
          %w[%i, %j] = bf16(%codes[%i + 64, %j mod 8 floordiv 2 * 32 + %j floordiv 32 * 8 + %j mod 2 * 4 + %j mod 32 floordiv 8]) * bf16(%ss1[%i])
      tile.gemm %w, %as1, %sum prefer(wgmma) {transpose_b}
    }
    tile.parallel (%i, %j) in (64, 16) {
      %c0 = arith.constant 0 : index
      %m = memref.dim %c, %c0 : !c
      %column = affine.apply affine_map<(i)[x] -> (x * 64 + i)>(%i)[%x]
      %v = memref.load %sum[%i, %j] : memref<64x16xf32, #tile.fragment>
      %inside = arith.cmpi slt, %j, %m : index
      scf.if %inside {
        memref.store %v, %c[%j, %column] : !c
      }
    }
  }
  return
}
func.func @beside(%a: !a {tile.shape = "MxK"}, %q: !q {tile.shape = "Rx256", tile.init = "integers(-128,127)"},
    %s: !s {tile.shape = "Gx128"}, %c: !c {tile.shape = "Mx128", tile.result})
    attributes {tile.reference = @reference, tile.atol = 1.0e-3, tile.rtol = 1.0e-5,
      tile.cases = ["M=5 K=512 R=128 G=4", "M=16 K=256 R=64 G=2", "M=1 K=384 R=128 G=3", "M=3 K=258 R=128 G=3", "M=2 K=0 R=0 G=0"]} {
  tile.kernel (%x) in (2) threads(128) {
    %qs = tile.alloc : memref<32x256xi8, #tile.shared>
    %as0 = tile.alloc : memref<16x128xbf16, #tile.shared>
    %as1 = tile.alloc : memref<16x128xbf16, #tile.shared>
    %ss0 = tile.alloc : memref<64xf32, #tile.shared>
    %ss1 = tile.alloc : memref<64xf32, #tile.shared>
    %w0 = tile.alloc : !w
    %w1 = tile.alloc : !w
    %sum = tile.alloc : memref<64x16xf32, #tile.fragment>
    tile.fill %sum, 0.0
    tile.pipelined %t = 0 to ceildiv(dim(%a, 1), 256) stages(2) {
      %c1 = arith.constant 1 : index
      %k = memref.dim %a, %c1 : !a
      %steps = affine.apply affine_map<()[k] -> (k ceildiv 256)>()[%k]
      %first = arith.muli %x, %steps : index
      %at = affine.apply affine_map<(t)[first] -> ((first + t) * 32)>(%t)[%first]
      tile.copy %q[%at, 0], %qs
      tile.copy %a[0, %t * 256], %as0
      tile.copy %a[0, %t * 256 + 128], %as1
      tile.copy %s[%t * 2, %x * 64], %ss0
      tile.copy %s[%t * 2 + 1, %x * 64], %ss1
      %codes = tile.view %qs : memref<32x256xi8, #tile.shared> to !codes
      tile.parallel (%i, %j) in (64, 128) do fastmath<reassoc>
          %w0[%i, %j] = bf16(%codes[%i, %j mod 8 floordiv 2 * 32 + %j floordiv 32 * 8 + %j mod 2 * 4 + %j mod 32 floordiv 8]) * bf16(%ss0[%i])
      tile.gemm %w0, %as0, %sum prefer(wgmma) {transpose_b}
      tile.parallel (%i, %j) in (64, 128) do fastmath<reassoc>
          %w1[%i, %j] = bf16(%codes[%i + 64, %j mod 8 floordiv 2 * 32 + %j floordiv 32 * 8 + %j mod 2 * 4 + %j mod 32 floordiv 8]) * bf16(%ss1[%i])
      tile.gemm %w1, %as1, %sum prefer(wgmma) {transpose_b}
    }
    tile.parallel (%i, %j) in (64, 16) {
      %c0 = arith.constant 0 : index
      %m = memref.dim %c, %c0 : !c
      %column = affine.apply affine_map<(i)[x] -> (x * 64 + i)>(%i)[%x]
      %v = memref.load %sum[%i, %j] : memref<64x16xf32, #tile.fragment>
      %inside = arith.cmpi slt, %j, %m : index
      scf.if %inside {
        memref.store %v, %c[%j, %column] : !c
      }
    }
  }
  return
}
func.func @reference(%a: !a, %q: !q, %s: !s, %c: !c) {
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2 : index
  %line = arith.constant 256 : index
  %four = arith.constant 4 : i8
  %m = memref.dim %a, %c0 : !a
  %k = memref.dim %a, %c1 : !a
  %steps = affine.apply affine_map<()[k] -> (k ceildiv 256)>()[%k]
  affine.for %i = 0 to %m {
    affine.for %j = 0 to 128 {
      %sum = affine.for %l = 0 to %k iter_args(%acc = %zero) -> f64 {
        %column_of_tiles = affine.apply affine_map<(j) -> (j floordiv 64)>(%j)
        %first = arith.muli %column_of_tiles, %steps : index
        %place = affine.apply affine_map<(first, j, l) -> ((first + l floordiv 256) * 16384 + l mod 256 floordiv 128 * 8192 + j mod 64 * 128
            + l mod 8 floordiv 2 * 32 + l mod 128 floordiv 32 * 8 + l mod 2 * 4 + l mod 32 floordiv 8)>(%first, %j, %l)
        %byte_place = arith.divui %place, %two : index
        %row = arith.divui %byte_place, %line : index
        %column = arith.remui %byte_place, %line : index
        %byte = memref.load %q[%row, %column] : !q
        %odd = arith.remui %place, %two : index
        %odd8 = arith.index_cast %odd : index to i8
        %shift = arith.muli %odd8, %four : i8
        %shifted = arith.shrui %byte, %shift : i8
        %half = arith.trunci %shifted : i8 to i4
        %bits = arith.bitcast %half : i4 to i4
        %code = arith.sitofp %bits : i4 to bf16
        %scale = affine.load %s[%l floordiv 128, %j] : !s
        %narrow = arith.truncf %scale : f32 to bf16
        %weight = arith.mulf %code, %narrow : bf16
        %x = arith.extf %weight : bf16 to f64
        %y = affine.load %a[%i, %l] : !a
        %yd = arith.extf %y : bf16 to f64
        %p = arith.mulf %x, %yd : f64
        %next = arith.addf %acc, %p : f64
        affine.yield %next : f64
      }
      %r = arith.truncf %sum : f64 to f32
      affine.store %r, %c[%i, %j] : !c
    }
  }
  return
}
