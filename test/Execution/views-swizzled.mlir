// Tiles that other names show are in an order without conflicts of banks, and the names show the same bits: rows of codes that a tensor
// copy brings, parts of them at places known at run time, operands of instructions, columns.

// REQUIRES: tile-run, nvidia
// UNSUPPORTED: sanitizer
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: tile-translate %s --tile-to-ptx --chip=sm_90a --gpu-function=codes --notes=false | FileCheck %s --check-prefix=CODES
// CHECK: {{^}}5 passed, 0 failed{{$}}

// The part at run time is read in vectors.
// CODES: .entry codes
// CODES-NOT: ld.shared.b8
// CODES: ld.shared.v2.b32
// CODES-NOT: ld.shared.b8
// CODES: ret;

func.func @codes(%a: memref<8x512xbf16>, %q: memref<64x256xi8> {tile.init = "integers(-128,127)"}, %c: memref<8x64xf32> {tile.result})
    attributes {tile.reference = @codes_reference, tile.atol = 1.0e-3, tile.rtol = 1.0e-5} {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) threads(128) {
    %qs = tile.alloc : memref<64x256xi8, #tile.shared>
    %as = tile.alloc : memref<8x128xbf16, #tile.shared>
    %w = tile.alloc : memref<64x128xbf16, #tile.fragment>
    %sum = tile.alloc : memref<64x8xf32, #tile.fragment>
    tile.fill %sum, %zero : memref<64x8xf32, #tile.fragment>
    tile.copy %q, %qs : memref<64x256xi8>, memref<64x256xi8, #tile.shared>
    %codes = tile.view %qs : memref<64x256xi8, #tile.shared> to memref<64x512xi4, #tile.shared>
    affine.for %g = 0 to 4 {
      tile.copy %a[0, %g * 128], %as : memref<8x512xbf16>, memref<8x128xbf16, #tile.shared>
      tile.copy %codes[0, %g * 128], %w : memref<64x512xi4, #tile.shared>, memref<64x128xbf16, #tile.fragment>
      tile.gemm %w, %as, %sum prefer(mma) {transpose_b} : memref<64x128xbf16, #tile.fragment>, memref<8x128xbf16, #tile.shared>, memref<64x8xf32, #tile.fragment>
    }
    tile.parallel (%i, %j) in (64, 8) {
      %v = memref.load %sum[%i, %j] : memref<64x8xf32, #tile.fragment>
      memref.store %v, %c[%j, %i] : memref<8x64xf32>
    }
  }
  return
}
func.func @codes_reference(%a: memref<8x512xbf16>, %q: memref<64x256xi8>, %c: memref<8x64xf32>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 64 {
      %sum = affine.for %l = 0 to 512 iter_args(%acc = %zero) -> f64 {
        %byte = affine.load %q[%j, %l floordiv 2] : memref<64x256xi8>
        %at = affine.apply affine_map<(k) -> ((k mod 2) * 4)>(%l)
        %shift = arith.index_cast %at : index to i8
        %shifted = arith.shrui %byte, %shift : i8
        %half = arith.trunci %shifted : i8 to i4
        %x = arith.sitofp %half : i4 to f64
        %y = affine.load %a[%i, %l] : memref<8x512xbf16>
        %yd = arith.extf %y : bf16 to f64
        %p = arith.mulf %x, %yd : f64
        %next = arith.addf %acc, %p : f64
        affine.yield %next : f64
      }
      %r = arith.truncf %sum : f64 to f32
      affine.store %r, %c[%i, %j] : memref<8x64xf32>
    }
  }
  return
}

// Both operands are names for tiles of other types; one is copied to by a third name.

func.func @operands(%a: memref<64x64xi16> {tile.init = "integers(15000,16000)"}, %b: memref<64x32xi32> {tile.init = "integers(999960576,999963648)"},
                    %c: memref<64x64xf32> {tile.result})
    attributes {tile.reference = @operands_reference, tile.atol = 1.0e-3, tile.rtol = 1.0e-4} {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%x) in (1) threads(128) {
    %as = tile.alloc : memref<64x64xi16, #tile.shared>
    %bs = tile.alloc : memref<64x128xi8, #tile.shared>
    %bw = tile.view %bs : memref<64x128xi8, #tile.shared> to memref<64x32xi32, #tile.shared>
    %sum = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.copy %a, %as : memref<64x64xi16>, memref<64x64xi16, #tile.shared>
    tile.copy %b, %bw : memref<64x32xi32>, memref<64x32xi32, #tile.shared>
    %ah = tile.view %as : memref<64x64xi16, #tile.shared> to memref<64x64xf16, #tile.shared>
    %bh = tile.view %bw : memref<64x32xi32, #tile.shared> to memref<64x64xf16, #tile.shared>
    tile.gemm %ah, %bh, %sum {transpose_b, clear} : memref<64x64xf16, #tile.shared>, memref<64x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
    tile.copy %sum, %c : memref<64x64xf32, #tile.fragment>, memref<64x64xf32>
  }
  return
}
func.func @operands_reference(%a: memref<64x64xi16>, %b: memref<64x32xi32>, %c: memref<64x64xf32>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      %sum = affine.for %l = 0 to 64 iter_args(%acc = %zero) -> f64 {
        %word = affine.load %b[%j, %l floordiv 2] : memref<64x32xi32>
        %at = affine.apply affine_map<(k) -> ((k mod 2) * 16)>(%l)
        %shift = arith.index_cast %at : index to i32
        %down = arith.shrui %word, %shift : i32
        %bits = arith.trunci %down : i32 to i16
        %h = arith.bitcast %bits : i16 to f16
        %y = arith.extf %h : f16 to f64
        %own = affine.load %a[%i, %l] : memref<64x64xi16>
        %ah = arith.bitcast %own : i16 to f16
        %x = arith.extf %ah : f16 to f64
        %p = arith.mulf %x, %y : f64
        %next = arith.addf %acc, %p : f64
        affine.yield %next : f64
      }
      %r = arith.truncf %sum : f64 to f32
      affine.store %r, %c[%i, %j] : memref<64x64xf32>
    }
  }
  return
}

// Columns of the tile and of the halves of its elements.

func.func @columns(%x: memref<64x64xi32>, %y: memref<64x64xi32> {tile.result}, %h: memref<128x64xi16> {tile.result})
    attributes {tile.reference = @columns_reference} {
  tile.kernel (%b) in (1) threads(128) {
    %s = tile.alloc : memref<64x64xi32, #tile.shared>
    tile.copy %x, %s : memref<64x64xi32>, memref<64x64xi32, #tile.shared>
    %v = tile.view %s : memref<64x64xi32, #tile.shared> to memref<64x128xi16, #tile.shared>
    tile.parallel (%i, %j) in (64, 64) {
      %e = memref.load %s[%j, %i] : memref<64x64xi32, #tile.shared>
      memref.store %e, %y[%i, %j] : memref<64x64xi32>
    }
    tile.parallel (%i, %j) in (128, 64) {
      %e = memref.load %v[%j, %i] : memref<64x128xi16, #tile.shared>
      memref.store %e, %h[%i, %j] : memref<128x64xi16>
    }
  }
  return
}
func.func @columns_reference(%x: memref<64x64xi32>, %y: memref<64x64xi32>, %h: memref<128x64xi16>) {
  %c16 = arith.constant 16 : i32
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      %v = affine.load %x[%j, %i] : memref<64x64xi32>
      affine.store %v, %y[%i, %j] : memref<64x64xi32>
      %low = arith.trunci %v : i32 to i16
      %up = arith.shrui %v, %c16 : i32
      %high = arith.trunci %up : i32 to i16
      affine.store %low, %h[2 * %i, %j] : memref<128x64xi16>
      affine.store %high, %h[2 * %i + 1, %j] : memref<128x64xi16>
    }
  }
  return
}

// Parts of a tile at run time, read and written, of which a dimension has one element.

func.func @parts(%x: memref<4x64x64xf16>, %y: memref<4x64x64xf16> {tile.init = "zeros", tile.result})
    attributes {tile.reference = @parts_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%b) in (1) threads(128) {
    %s = tile.alloc : memref<4x64x64xf16, #tile.shared>
    %t = tile.alloc : memref<4x64x64xf16, #tile.shared>
    %f = tile.alloc : memref<64x32xf16, #tile.fragment>
    tile.copy %x, %s : memref<4x64x64xf16>, memref<4x64x64xf16, #tile.shared>
    affine.for %g = 0 to 4 {
      tile.copy %s[%g, 0, 0] [1, 64, 32], %f : memref<4x64x64xf16, #tile.shared>, memref<64x32xf16, #tile.fragment>
      tile.copy %f, %t[3 - %g, 0, 32] [1, 64, 32] : memref<64x32xf16, #tile.fragment>, memref<4x64x64xf16, #tile.shared>
      tile.copy %s[%g, 0, 32] [1, 64, 32], %f : memref<4x64x64xf16, #tile.shared>, memref<64x32xf16, #tile.fragment>
      tile.copy %f, %t[3 - %g, 0, 0] [1, 64, 32] : memref<64x32xf16, #tile.fragment>, memref<4x64x64xf16, #tile.shared>
    }
    tile.copy %t, %y : memref<4x64x64xf16, #tile.shared>, memref<4x64x64xf16>
  }
  return
}
func.func @parts_reference(%x: memref<4x64x64xf16>, %y: memref<4x64x64xf16>) {
  affine.for %g = 0 to 4 {
    affine.for %i = 0 to 64 {
      affine.for %j = 0 to 64 {
        %v = affine.load %x[%g, %i, %j] : memref<4x64x64xf16>
        affine.store %v, %y[3 - %g, %i, (%j + 32) mod 64] : memref<4x64x64xf16>
      }
    }
  }
  return
}

// Stages of a pipeline whose codes one copy brings for two products.

func.func @groups(%a: memref<64x512xbf16>, %q: memref<64x256xi8> {tile.init = "integers(-128,127)"}, %c: memref<64x64xf32> {tile.result})
    attributes {tile.reference = @groups_reference, tile.atol = 1.0e-3, tile.rtol = 1.0e-5} {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) threads(128) {
    %qs = tile.alloc : memref<64x128xi8, #tile.shared>
    %as0 = tile.alloc : memref<64x128xbf16, #tile.shared>
    %as1 = tile.alloc : memref<64x128xbf16, #tile.shared>
    %w0 = tile.alloc : memref<64x128xbf16, #tile.fragment>
    %w1 = tile.alloc : memref<64x128xbf16, #tile.fragment>
    %sum = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %sum, %zero : memref<64x64xf32, #tile.fragment>
    tile.pipelined %t = 0 to 2 stages(2) {
      tile.copy %q[0, %t * 128], %qs : memref<64x256xi8>, memref<64x128xi8, #tile.shared>
      tile.copy %a[0, %t * 256], %as0 : memref<64x512xbf16>, memref<64x128xbf16, #tile.shared>
      tile.copy %a[0, %t * 256 + 128], %as1 : memref<64x512xbf16>, memref<64x128xbf16, #tile.shared>
      %codes = tile.view %qs : memref<64x128xi8, #tile.shared> to memref<64x256xi4, #tile.shared>
      tile.copy %codes[0, 0], %w0 : memref<64x256xi4, #tile.shared>, memref<64x128xbf16, #tile.fragment>
      tile.gemm %w0, %as0, %sum {transpose_b} : memref<64x128xbf16, #tile.fragment>, memref<64x128xbf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
      tile.copy %codes[0, 128], %w1 : memref<64x256xi4, #tile.shared>, memref<64x128xbf16, #tile.fragment>
      tile.gemm %w1, %as1, %sum {transpose_b} : memref<64x128xbf16, #tile.fragment>, memref<64x128xbf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
    }
    tile.copy %sum, %c : memref<64x64xf32, #tile.fragment>, memref<64x64xf32>
  }
  return
}
func.func @groups_reference(%a: memref<64x512xbf16>, %q: memref<64x256xi8>, %c: memref<64x64xf32>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      %sum = affine.for %l = 0 to 512 iter_args(%acc = %zero) -> f64 {
        %byte = affine.load %q[%i, %l floordiv 2] : memref<64x256xi8>
        %at = affine.apply affine_map<(k) -> ((k mod 2) * 4)>(%l)
        %shift = arith.index_cast %at : index to i8
        %shifted = arith.shrui %byte, %shift : i8
        %half = arith.trunci %shifted : i8 to i4
        %x = arith.sitofp %half : i4 to f64
        %y = affine.load %a[%j, %l] : memref<64x512xbf16>
        %yd = arith.extf %y : bf16 to f64
        %p = arith.mulf %x, %yd : f64
        %next = arith.addf %acc, %p : f64
        affine.yield %next : f64
      }
      %r = arith.truncf %sum : f64 to f32
      affine.store %r, %c[%i, %j] : memref<64x64xf32>
    }
  }
  return
}
