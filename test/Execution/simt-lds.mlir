// Loads to LDS on the SIMT model of the chips that have them, asked for by name. On gfx950, where a lane moves 16 bytes at a time,
// they are the default, too.
//
// REQUIRES: tile-run, amd
// UNSUPPORTED: sanitizer
// DEFINE: %{run} = tile-run --target=hip --device=model
// RUN: %{run} --chip=gfx942 %s | FileCheck %s
// RUN: %{run} --chip=gfx950 %s | FileCheck %s
// CHECK: {{^}}9 passed, 0 failed{{$}}

// Products of all widths of elements, with two, three and four stages.
// RUN: %python %S/Inputs/lds_products.py 2 64 64 f16,f16,f32 i8,i8,i32 | %{run} --chip=gfx942 - | FileCheck %s --check-prefix=SIX
// RUN: %python %S/Inputs/lds_products.py 3 32 64 f8E4M3FNUZ,f8E5M2FNUZ,f32 f32,f32,f32 | %{run} --chip=gfx942 - | FileCheck %s --check-prefix=SIX
// RUN: %python %S/Inputs/lds_products.py 4 16 32 bf16,bf16,f32 f16,f16,f32 | %{run} --chip=gfx942 - | FileCheck %s --check-prefix=SIX
// RUN: %python %S/Inputs/lds_products.py 3 64 64 bf16,bf16,f32 i8,i8,i32 | %{run} --chip=gfx950 - | FileCheck %s --check-prefix=SIX
// RUN: %python %S/Inputs/lds_products.py 4 32 128 f8E4M3FN,f8E5M2,f32 f64,f64,f64 | %{run} --chip=gfx950 - | FileCheck %s --check-prefix=SIX
// SIX: {{^}}6 passed, 0 failed{{$}}

// Attention: K and V of the next steps come in behind the products and the softmax.
// RUN: sed 's/, %ks$/, %ks prefer(cp_async)/; s/, %vs$/, %vs prefer(cp_async)/' %tile_src/examples/flash_attention.mlir > %t.attention.mlir
// RUN: %{run} --chip=gfx942 %t.attention.mlir B=1 H=1 S=193 | FileCheck %s --check-prefix=ONE
// RUN: %{run} --chip=gfx950 %tile_src/examples/flash_attention.mlir B=1 H=1 S=193 | FileCheck %s --check-prefix=ONE
// RUN: %{run} --chip=gfx950 %tile_src/examples/flash_attention_causal.mlir B=1 H=1 S=129 | FileCheck %s --check-prefix=ONE
// ONE: {{^}}1 passed, 0 failed{{$}}

// Each wait, barrier and fence is left out in turn, and reported.
// RUN: %python %S/Inputs/lds_products.py 3 64 64 f16,f16,f32 > %t.mutants.mlir
// RUN: env TILE_SIMT_MUTATE=1 %{run} --chip=gfx942 %t.mutants.mlir | FileCheck %s --check-prefix=MUTANTS
// RUN: env TILE_SIMT_MUTATE=1 %{run} --chip=gfx950 %t.mutants.mlir | FileCheck %s --check-prefix=MUTANTS
// MUTANTS: _0: {{[1-9][0-9]*}} synchronisations, {{[1-9][0-9]*}} reported, {{[0-9]+}} redundant, 0 missed

// Static sizes that no tile divides: what lies outside is stored by the threads, as the padding value. A tile that is not a
// multiple of what the threads load at a time.
func.func @static(%a: memref<130x152xf16> {tile.init = "integers(-4,4)"}, %s: memref<130xf32> {tile.result})
    attributes {tile.reference = @static_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%y) in (3) threads(128) {
    tile.padding_value %a, 2.0
    %as = tile.alloc : memref<50x24xf16, #tile.shared>
    %sum = tile.alloc : memref<50xf32, #tile.fragment>
    %wide = tile.alloc : memref<50x24xf32, #tile.fragment>
    tile.fill %sum, 0.0
    tile.pipelined %k = 0 to 7 stages(3) {
      tile.copy %a[%y * 50, %k * 24], %as prefer(cp_async)
      tile.copy %as, %wide
      tile.reduce sum %wide, %sum dim(1) {combine}
    }
    tile.copy %sum, %s[%y * 50]
  }
  return
}

func.func @static_reference(%a: memref<130x152xf16>, %s: memref<130xf32>) {
  // 16 columns of padding.
  %padding = arith.constant 32.0 : f32
  affine.for %i = 0 to 130 {
    %sum = affine.for %d = 0 to 152 iter_args(%old = %padding) -> (f32) {
      %x = affine.load %a[%i, %d] : memref<130x152xf16>
      %xw = arith.extf %x : f16 to f32
      %new = arith.addf %old, %xw : f32
      affine.yield %new : f32
    }
    affine.store %sum, %s[%i] : memref<130xf32>
  }
  return
}

// Two loops whose groups have different numbers of loads, under a branch that some blocks take; no trip, one, fewer than stages,
// more.
!halves = memref<?x?xf16>
!words = memref<?x?xi32>
func.func @loops(%a: !halves {tile.shape = "MxK", tile.init = "integers(-4,4)", tile.align = 16},
                 %b: !words {tile.shape = "MxK", tile.init = "integers(-100,100)", tile.align = 16},
                 %s: memref<?xf32> {tile.shape = "M", tile.result}, %t: memref<?xi32> {tile.shape = "M", tile.result})
    attributes {tile.reference = @loops_reference, tile.atol = 0.0, tile.rtol = 0.0,
                tile.cases = ["M=1 K=0", "M=70 K=8", "M=64 K=64", "M=3 K=136", "M=65 K=200", "M=129 K=520"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %k = memref.dim %a, %c1 : !halves
  %rest = arith.remui %k, %c8 : index
  %is_aligned = arith.cmpi eq, %rest, %c0 : index
  tile.assume %is_aligned
  %length = memref.dim %b, %c1 : !words
  %others = arith.remui %length, %c8 : index
  %are_aligned = arith.cmpi eq, %others, %c0 : index
  tile.assume %are_aligned
  %steps = affine.apply affine_map<()[k] -> (k ceildiv 64)>()[%k]
  tile.kernel (%x) in (ceildiv(dim(%a, 0), 64)) threads(128) {
    %at = tile.alloc : memref<64x64xf16, #tile.shared>
    %bt = tile.alloc : memref<64x32xi32, #tile.shared>
    %aw = tile.alloc : memref<64x64xf32, #tile.fragment>
    %bw = tile.alloc : memref<64x32xi32, #tile.fragment>
    %af = tile.alloc : memref<64xf32, #tile.fragment>
    %bf = tile.alloc : memref<64xi32, #tile.fragment>
    tile.fill %af, 0.0
    tile.fill %bf, 0
    tile.pipelined %i = 0 to %steps stages(4) {
      tile.copy %a[%x * 64, %i * 64], %at prefer(cp_async)
      tile.copy %at, %aw
      tile.reduce sum %aw, %af dim(1) {combine}
    }
    tile.pipelined %i = 0 to %steps * 2 stages(3) {
      tile.copy %b[%x * 64, %i * 32], %bt prefer(cp_async)
      tile.copy %bt, %bw
      tile.reduce sum %bw, %bf dim(1) {combine}
    }
    tile.copy %af, %s[%x * 64]
    tile.copy %bf, %t[%x * 64]
  }
  return
}

func.func @loops_reference(%a: !halves, %b: !words, %s: memref<?xf32>, %t: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %a, %c0 : !halves
  %k = memref.dim %a, %c1 : !halves
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i32
  affine.for %i = 0 to %m {
    %x, %y = affine.for %d = 0 to %k iter_args(%p = %zero, %q = %none) -> (f32, i32) {
      %u = affine.load %a[%i, %d] : !halves
      %v = affine.load %b[%i, %d] : !words
      %w = arith.extf %u : f16 to f32
      %np = arith.addf %p, %w : f32
      %nq = arith.addi %q, %v : i32
      affine.yield %np, %nq : f32, i32
    }
    affine.store %x, %s[%i] : memref<?xf32>
    affine.store %y, %t[%i] : memref<?xi32>
  }
  return
}

// By hand: one copy that nobody pipelines, and its wait.
func.func @alone(%a: memref<64x32xi32> {tile.init = "integers(-100,100)"}, %b: memref<64x32xi32> {tile.result})
    attributes {tile.reference = @alone_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%y) in (1) threads(64) {
    %t = tile.alloc : memref<64x32xi32, #tile.shared>
    tile.copy %a, %t prefer(cp_async)
    tile.copy %t, %b
  }
  return
}

func.func @alone_reference(%a: memref<64x32xi32>, %b: memref<64x32xi32>) {
  memref.copy %a, %b : memref<64x32xi32> to memref<64x32xi32>
  return
}

// A part of a tile goes through registers, even where loads to LDS are the default: found by a random kernel.
func.func @part(%a: memref<40x36xf32> {tile.init = "integers(-100,100)"}, %b: memref<32x36xf32> {tile.result})
    attributes {tile.reference = @part_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%x) in (1) threads(256) {
    %t = tile.alloc : memref<32x36xf32, #tile.shared>
    tile.pipelined %i = 0 to 32 stages(2) {
      tile.copy %a[%i + 7, 0] [1, 36], %t[%i, 0] [1, 36]
    }
    tile.copy %t, %b
  }
  return
}

func.func @part_reference(%a: memref<40x36xf32>, %b: memref<32x36xf32>) {
  affine.for %i = 0 to 32 {
    affine.for %j = 0 to 36 {
      %x = affine.load %a[%i + 7, %j] : memref<40x36xf32>
      affine.store %x, %b[%i, %j] : memref<32x36xf32>
    }
  }
  return
}
