// Sums, maxima with NaN, and integers down the columns of a tile that all warps hold a part of: each thread adds up the parts of a
// few columns, and all of them read the results. With 128 columns every second warp has none to add up; with 300 some have two.

// REQUIRES: tile-run, nvidia, amd
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run --target=cuda --device=model --chip=sm_90a %s | FileCheck %s
// RUN: tile-run --target=hip --device=model --chip=gfx942 %s | FileCheck %s
// CHECK: {{^}}8 passed, 0 failed{{$}}

// Sums of small integers do not depend on the order.
func.func @sums(%x: memref<64x128xf32> {tile.init = "integers(-9,9)"}, %y: memref<128xf32> {tile.result})
    attributes {tile.reference = @sums_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%b) in (1) threads(256) {
    %f = tile.alloc : memref<64x128xf32, #tile.fragment>
    %s = tile.alloc : memref<128xf32, #tile.fragment>
    tile.copy %x, %f : memref<64x128xf32>, memref<64x128xf32, #tile.fragment>
    tile.reduce sum %f, %s dim(0) : memref<64x128xf32, #tile.fragment>, memref<128xf32, #tile.fragment>
    tile.copy %s, %y : memref<128xf32, #tile.fragment>, memref<128xf32>
  }
  return
}

func.func @sums_reference(%x: memref<64x128xf32>, %y: memref<128xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %j = 0 to 128 {
    %sum = affine.for %i = 0 to 64 iter_args(%all = %zero) -> f32 {
      %v = affine.load %x[%i, %j] : memref<64x128xf32>
      %next = arith.addf %all, %v : f32
      affine.yield %next : f32
    }
    affine.store %sum, %y[%j] : memref<128xf32>
  }
  return
}

func.func @maxima(%x: memref<40x300xf32>, %y: memref<300xf32> {tile.result}) attributes {tile.reference = @maxima_reference} {
  tile.kernel (%b) in (1) threads(256) {
    %f = tile.alloc : memref<40x300xf32, #tile.fragment>
    %s = tile.alloc : memref<300xf32, #tile.fragment>
    tile.copy %x, %f : memref<40x300xf32>, memref<40x300xf32, #tile.fragment>
    tile.parallel (%i, %j) in (40, 300) {
      %nan = arith.constant 0x7FC00000 : f32
      %c7 = arith.constant 7 : index
      %v = memref.load %f[%i, %j] : memref<40x300xf32, #tile.fragment>
      %is = arith.cmpi slt, %j, %c7 : index
      %w = arith.select %is, %nan, %v : f32
      memref.store %w, %f[%i, %j] : memref<40x300xf32, #tile.fragment>
    }
    tile.reduce max %f, %s dim(0) : memref<40x300xf32, #tile.fragment>, memref<300xf32, #tile.fragment>
    tile.copy %s, %y : memref<300xf32, #tile.fragment>, memref<300xf32>
  }
  return
}

func.func @maxima_reference(%x: memref<40x300xf32>, %y: memref<300xf32>) {
  %nan = arith.constant 0x7FC00000 : f32
  affine.for %j = 0 to 300 {
    affine.store %nan, %y[%j] : memref<300xf32>
  }
  affine.for %j = 7 to 300 {
    %first = affine.load %x[0, %j] : memref<40x300xf32>
    %most = affine.for %i = 1 to 40 iter_args(%all = %first) -> f32 {
      %v = affine.load %x[%i, %j] : memref<40x300xf32>
      %next = arith.maximumf %all, %v : f32
      affine.yield %next : f32
    }
    affine.store %most, %y[%j] : memref<300xf32>
  }
  return
}

// On top of what there is.
func.func @integers(%x: memref<64x128xi32> {tile.init = "integers(-99,99)"}, %y: memref<128xi32> {tile.result})
    attributes {tile.reference = @integers_reference} {
  tile.kernel (%b) in (1) threads(256) {
    %c5 = arith.constant 5 : i32
    %f = tile.alloc : memref<64x128xi32, #tile.fragment>
    %s = tile.alloc : memref<128xi32, #tile.fragment>
    tile.copy %x, %f : memref<64x128xi32>, memref<64x128xi32, #tile.fragment>
    tile.fill %s, %c5 : memref<128xi32, #tile.fragment>
    tile.reduce sum %f, %s dim(0) {combine} : memref<64x128xi32, #tile.fragment>, memref<128xi32, #tile.fragment>
    tile.copy %s, %y : memref<128xi32, #tile.fragment>, memref<128xi32>
  }
  return
}

func.func @integers_reference(%x: memref<64x128xi32>, %y: memref<128xi32>) {
  %c5 = arith.constant 5 : i32
  affine.for %j = 0 to 128 {
    %sum = affine.for %i = 0 to 64 iter_args(%all = %c5) -> i32 {
      %v = affine.load %x[%i, %j] : memref<64x128xi32>
      %next = arith.addi %all, %v : i32
      affine.yield %next : i32
    }
    affine.store %sum, %y[%j] : memref<128xi32>
  }
  return
}

// Rows that some lanes of a warp hold, eight or sixteen elements each: each lane gets a part of the columns.
func.func @spread(%x: memref<64x64xbf16> {tile.init = "integers(-4,4)"}, %y: memref<64xf32> {tile.result})
    attributes {tile.reference = @spread_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%b) in (1) threads(256) {
    %f = tile.alloc : memref<64x64xbf16, #tile.fragment>
    %s = tile.alloc : memref<64xf32, #tile.fragment>
    tile.copy %x, %f : memref<64x64xbf16>, memref<64x64xbf16, #tile.fragment>
    tile.reduce sum %f, %s dim(0) : memref<64x64xbf16, #tile.fragment>, memref<64xf32, #tile.fragment>
    tile.copy %s, %y : memref<64xf32, #tile.fragment>, memref<64xf32>
  }
  return
}

func.func @spread_reference(%x: memref<64x64xbf16>, %y: memref<64xf32>) {
  %none = arith.constant 0.0 : f32
  affine.for %j = 0 to 64 {
    %all = affine.for %i = 0 to 64 iter_args(%so_far = %none) -> f32 {
      %v = affine.load %x[%i, %j] : memref<64x64xbf16>
      %w = arith.extf %v : bf16 to f32
      %next = arith.addf %so_far, %w : f32
      affine.yield %next : f32
    }
    affine.store %all, %y[%j] : memref<64xf32>
  }
  return
}

func.func @spread_maxima(%x: memref<50x136xf16>, %y: memref<136xf16> {tile.result}) attributes {tile.reference = @spread_maxima_reference} {
  tile.kernel (%b) in (1) threads(256) {
    %f = tile.alloc : memref<50x136xf16, #tile.fragment>
    %s = tile.alloc : memref<136xf16, #tile.fragment>
    tile.copy %x, %f : memref<50x136xf16>, memref<50x136xf16, #tile.fragment>
    tile.reduce max %f, %s dim(0) : memref<50x136xf16, #tile.fragment>, memref<136xf16, #tile.fragment>
    tile.copy %s, %y : memref<136xf16, #tile.fragment>, memref<136xf16>
  }
  return
}

func.func @spread_maxima_reference(%x: memref<50x136xf16>, %y: memref<136xf16>) {
  affine.for %j = 0 to 136 {
    %first = affine.load %x[0, %j] : memref<50x136xf16>
    %all = affine.for %i = 1 to 50 iter_args(%so_far = %first) -> f16 {
      %v = affine.load %x[%i, %j] : memref<50x136xf16>
      %next = arith.maximumf %so_far, %v : f16
      affine.yield %next : f16
    }
    affine.store %all, %y[%j] : memref<136xf16>
  }
  return
}

// Fewer columns than halves: the last steps leave all of them in one lane.
func.func @narrow(%x: memref<128x16xbf16> {tile.init = "integers(-4,4)"}, %y: memref<16xf32> {tile.result})
    attributes {tile.reference = @narrow_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%b) in (1) threads(128) {
    %f = tile.alloc : memref<128x16xbf16, #tile.fragment>
    %s = tile.alloc : memref<16xf32, #tile.fragment>
    tile.copy %x, %f : memref<128x16xbf16>, memref<128x16xbf16, #tile.fragment>
    tile.reduce sum %f, %s dim(0) : memref<128x16xbf16, #tile.fragment>, memref<16xf32, #tile.fragment>
    tile.copy %s, %y : memref<16xf32, #tile.fragment>, memref<16xf32>
  }
  return
}

func.func @narrow_reference(%x: memref<128x16xbf16>, %y: memref<16xf32>) {
  %none = arith.constant 0.0 : f32
  affine.for %j = 0 to 16 {
    %all = affine.for %i = 0 to 128 iter_args(%so_far = %none) -> f32 {
      %v = affine.load %x[%i, %j] : memref<128x16xbf16>
      %w = arith.extf %v : bf16 to f32
      %next = arith.addf %so_far, %w : f32
      affine.yield %next : f32
    }
    affine.store %all, %y[%j] : memref<16xf32>
  }
  return
}

// Sixteen columns a thread: the results lie one behind the other, in the place of the table.
func.func @bytes(%x: memref<64x128xf8E4M3FN> {tile.init = "integers(-4,4)"}, %y: memref<128xf32> {tile.init = "integers(-9,9)", tile.result})
    attributes {tile.reference = @bytes_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%b) in (1) threads(256) {
    %f = tile.alloc : memref<64x128xf8E4M3FN, #tile.fragment>
    %s = tile.alloc : memref<128xf32, #tile.fragment>
    tile.copy %y, %s : memref<128xf32>, memref<128xf32, #tile.fragment>
    tile.copy %x, %f : memref<64x128xf8E4M3FN>, memref<64x128xf8E4M3FN, #tile.fragment>
    tile.pipelined %k = 0 to 2 {
      tile.reduce sum %f, %s dim(0) {combine} : memref<64x128xf8E4M3FN, #tile.fragment>, memref<128xf32, #tile.fragment>
    }
    tile.copy %s, %y : memref<128xf32, #tile.fragment>, memref<128xf32>
  }
  return
}

func.func @bytes_reference(%x: memref<64x128xf8E4M3FN>, %y: memref<128xf32>) {
  affine.for %j = 0 to 128 {
    %old = affine.load %y[%j] : memref<128xf32>
    %all = affine.for %i = 0 to 64 iter_args(%so_far = %old) -> f32 {
      %v = affine.load %x[%i, %j] : memref<64x128xf8E4M3FN>
      %w = arith.extf %v : f8E4M3FN to f32
      %twice = arith.addf %w, %w : f32
      %next = arith.addf %so_far, %twice : f32
      affine.yield %next : f32
    }
    affine.store %all, %y[%j] : memref<128xf32>
  }
  return
}

func.func @bytes_of_all(%x: memref<64x128xf8E4M3FN> {tile.init = "integers(-4,4)"}, %y: memref<128xf32> {tile.init = "integers(-9,9)", tile.result})
    attributes {tile.reference = @bytes_of_all_reference, tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%b) in (1) threads(128) {
    %f = tile.alloc : memref<64x128xf8E4M3FN, #tile.fragment>
    %s = tile.alloc : memref<128xf32, #tile.fragment>
    tile.copy %y, %s : memref<128xf32>, memref<128xf32, #tile.fragment>
    tile.copy %x, %f : memref<64x128xf8E4M3FN>, memref<64x128xf8E4M3FN, #tile.fragment>
    tile.pipelined %k = 0 to 2 {
      tile.reduce sum %f, %s dim(0) {combine} : memref<64x128xf8E4M3FN, #tile.fragment>, memref<128xf32, #tile.fragment>
    }
    tile.copy %s, %y : memref<128xf32, #tile.fragment>, memref<128xf32>
  }
  return
}

func.func @bytes_of_all_reference(%x: memref<64x128xf8E4M3FN>, %y: memref<128xf32>) {
  affine.for %j = 0 to 128 {
    %old = affine.load %y[%j] : memref<128xf32>
    %all = affine.for %i = 0 to 64 iter_args(%so_far = %old) -> f32 {
      %v = affine.load %x[%i, %j] : memref<64x128xf8E4M3FN>
      %w = arith.extf %v : f8E4M3FN to f32
      %twice = arith.addf %w, %w : f32
      %next = arith.addf %so_far, %twice : f32
      affine.yield %next : f32
    }
    affine.store %all, %y[%j] : memref<128xf32>
  }
  return
}
