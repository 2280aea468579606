// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-schedule | FileCheck %s

// Four warpgroups and the producer are launched with 96 registers for each thread, 61440 in all: with 24 for the producer,
// 112 are left for each consumer, and what rounding leaves is the producer's. Three and the producer have 128 each, 65536 in all: 160 are
// left.
// CHECK-LABEL: func.func @four
// CHECK: tile.warp_specialize attributes {consumer_registers = 112 : i64, producer_registers = 32 : i64}
// CHECK-LABEL: func.func @three
// CHECK: tile.warp_specialize attributes {consumer_registers = 160 : i64, producer_registers = 32 : i64}
#b = #tile.layout<[64: 64 offset*64][128: 2 offset*4096, 64 offset] swizzle(3, 3, 3)>
func.func @four(%x: memref<256x1024xf16>, %y: memref<1024x128xf16>, %z: memref<256x128xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%t) in (1) threads(512) {
    %as = tile.alloc {layout = #tile.layout<[256: 256 offset*64][64: 64 offset] swizzle(3, 3, 3)>} : memref<256x64xf16, #tile.shared>
    %bs = tile.alloc {layout = #b} : memref<64x128xf16, #tile.shared>
    %cf = tile.alloc {layout = #tile.layout<[256: 16 warp, 2 reg*2, 8 lane*4][128: 16 reg*4, 4 lane, 2 reg]>} : memref<256x128xf32, #tile.fragment>
    tile.fill %cf, %zero : memref<256x128xf32, #tile.fragment>
    tile.pipelined %k = 0 to 16 stages(2) {
      tile.copy %x[0, %k * 64], %as {instruction = #tile.transfer<tma>} : memref<256x1024xf16>, memref<256x64xf16, #tile.shared>
      tile.copy %y[%k * 64, 0], %bs {instruction = #tile.transfer<tma>} : memref<1024x128xf16>, memref<64x128xf16, #tile.shared>
      tile.gemm %as, %bs, %cf {instruction = #tile.mma<wgmma, m = 64, n = 128, k = 16, warps_m = 16, warps_n = 1>} : memref<256x64xf16, #tile.shared>, memref<64x128xf16, #tile.shared>, memref<256x128xf32, #tile.fragment>
    }
    tile.copy %cf, %z : memref<256x128xf32, #tile.fragment>, memref<256x128xf32>
  }
  return
}
func.func @three(%x: memref<192x1024xf16>, %y: memref<1024x128xf16>, %z: memref<192x128xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%t) in (1) threads(384) {
    %as = tile.alloc {layout = #tile.layout<[192: 192 offset*64][64: 64 offset] swizzle(3, 3, 3)>} : memref<192x64xf16, #tile.shared>
    %bs = tile.alloc {layout = #b} : memref<64x128xf16, #tile.shared>
    %cf = tile.alloc {layout = #tile.layout<[192: 12 warp, 2 reg*2, 8 lane*4][128: 16 reg*4, 4 lane, 2 reg]>} : memref<192x128xf32, #tile.fragment>
    %df = tile.alloc {layout = #tile.layout<[192: 12 warp, 2 reg*2, 8 lane*4][128: 16 reg*4, 4 lane, 2 reg]>} : memref<192x128xf32, #tile.fragment>
    tile.fill %cf, %zero : memref<192x128xf32, #tile.fragment>
    tile.fill %df, %zero : memref<192x128xf32, #tile.fragment>
    tile.pipelined %k = 0 to 16 stages(2) {
      tile.copy %x[0, %k * 64], %as {instruction = #tile.transfer<tma>} : memref<192x1024xf16>, memref<192x64xf16, #tile.shared>
      tile.copy %y[%k * 64, 0], %bs {instruction = #tile.transfer<tma>} : memref<1024x128xf16>, memref<64x128xf16, #tile.shared>
      tile.gemm %as, %bs, %cf {instruction = #tile.mma<wgmma, m = 64, n = 128, k = 16, warps_m = 12, warps_n = 1>} : memref<192x64xf16, #tile.shared>, memref<64x128xf16, #tile.shared>, memref<192x128xf32, #tile.fragment>
    }
    tile.copy %cf, %z : memref<192x128xf32, #tile.fragment>, memref<192x128xf32>
  }
  return
}

// Two blocks of 512 threads that share a processor have half of its registers each: 64 for each thread, 32768 in all.
// CHECK-LABEL: func.func @two_blocks
// CHECK: tile.warp_specialize attributes {consumer_registers = 72 : i64, producer_registers = 40 : i64}
func.func @two_blocks(%x: memref<192x1024xf16>, %y: memref<1024x128xf16>, %z: memref<192x128xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%t) in (1) threads(384) attributes {tile.resident_blocks = 2 : i32} {
    %as = tile.alloc {layout = #tile.layout<[192: 192 offset*64][64: 64 offset] swizzle(3, 3, 3)>} : memref<192x64xf16, #tile.shared>
    %bs = tile.alloc {layout = #b} : memref<64x128xf16, #tile.shared>
    %cf = tile.alloc {layout = #tile.layout<[192: 12 warp, 2 reg*2, 8 lane*4][128: 16 reg*4, 4 lane, 2 reg]>} : memref<192x128xf32, #tile.fragment>
    %df = tile.alloc {layout = #tile.layout<[192: 12 warp, 2 reg*2, 8 lane*4][128: 16 reg*4, 4 lane, 2 reg]>} : memref<192x128xf32, #tile.fragment>
    tile.fill %cf, %zero : memref<192x128xf32, #tile.fragment>
    tile.fill %df, %zero : memref<192x128xf32, #tile.fragment>
    tile.pipelined %k = 0 to 16 stages(2) {
      tile.copy %x[0, %k * 64], %as {instruction = #tile.transfer<tma>} : memref<192x1024xf16>, memref<192x64xf16, #tile.shared>
      tile.copy %y[%k * 64, 0], %bs {instruction = #tile.transfer<tma>} : memref<1024x128xf16>, memref<64x128xf16, #tile.shared>
      tile.gemm %as, %bs, %cf {instruction = #tile.mma<wgmma, m = 64, n = 128, k = 16, warps_m = 12, warps_n = 1>} : memref<192x64xf16, #tile.shared>, memref<64x128xf16, #tile.shared>, memref<192x128xf32, #tile.fragment>
    }
    tile.copy %cf, %z : memref<192x128xf32, #tile.fragment>, memref<192x128xf32>
  }
  return
}

// Eight of them would have 16 for each thread, less than a producer keeps: there is nothing to give.
// CHECK-LABEL: func.func @eight_blocks
// CHECK: tile.warp_specialize producer
func.func @eight_blocks(%x: memref<192x1024xf16>, %y: memref<1024x128xf16>, %z: memref<192x128xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%t) in (1) threads(384) attributes {tile.resident_blocks = 8 : i32} {
    %as = tile.alloc {layout = #tile.layout<[192: 192 offset*64][64: 64 offset] swizzle(3, 3, 3)>} : memref<192x64xf16, #tile.shared>
    %bs = tile.alloc {layout = #b} : memref<64x128xf16, #tile.shared>
    %cf = tile.alloc {layout = #tile.layout<[192: 12 warp, 2 reg*2, 8 lane*4][128: 16 reg*4, 4 lane, 2 reg]>} : memref<192x128xf32, #tile.fragment>
    %df = tile.alloc {layout = #tile.layout<[192: 12 warp, 2 reg*2, 8 lane*4][128: 16 reg*4, 4 lane, 2 reg]>} : memref<192x128xf32, #tile.fragment>
    tile.fill %cf, %zero : memref<192x128xf32, #tile.fragment>
    tile.fill %df, %zero : memref<192x128xf32, #tile.fragment>
    tile.pipelined %k = 0 to 16 stages(2) {
      tile.copy %x[0, %k * 64], %as {instruction = #tile.transfer<tma>} : memref<192x1024xf16>, memref<192x64xf16, #tile.shared>
      tile.copy %y[%k * 64, 0], %bs {instruction = #tile.transfer<tma>} : memref<1024x128xf16>, memref<64x128xf16, #tile.shared>
      tile.gemm %as, %bs, %cf {instruction = #tile.mma<wgmma, m = 64, n = 128, k = 16, warps_m = 12, warps_n = 1>} : memref<192x64xf16, #tile.shared>, memref<64x128xf16, #tile.shared>, memref<192x128xf32, #tile.fragment>
    }
    tile.copy %cf, %z : memref<192x128xf32, #tile.fragment>, memref<192x128xf32>
  }
  return
}

// A producer that gathers has 40 registers at the least, and more where the number of rows is known at the launch.
// CHECK-LABEL: func.func @gather
// CHECK: tile.warp_specialize attributes {consumer_registers = 232 : i64, producer_registers = 40 : i64}
// CHECK-LABEL: func.func @gather_any
// CHECK: tile.warp_specialize attributes {consumer_registers = 224 : i64, producer_registers = 56 : i64}
#p = #tile.layout<[64: 64 offset*64][64: 64 offset] swizzle(3, 3, 3)>
#k = #tile.layout<[64: 64 offset*64][512: 8 offset*4096, 64 offset] swizzle(3, 3, 3)>
#acc = #tile.layout<[64: 4 warp, 2 reg*2, 8 lane*4][512: 2 warp*4, 32 reg*4, 4 lane, 2 reg]>
#kept = #tile.layout<[64: 4 warp, 2 reg*2, 8 lane*4][160: 2 warp*4, 10 reg*4, 4 lane, 2 reg]>
func.func @gather(%x: memref<4096x512xf16>, %list: memref<1024xi32>, %z: memref<64x512xf32>) {
  tile.kernel (%t) in (1) threads(256) {
    %ps = tile.alloc {layout = #p} : memref<64x64xf16, #tile.shared>
    %ks = tile.alloc {layout = #k} : memref<64x512xf16, #tile.shared>
    %sums = tile.alloc {layout = #acc} : memref<64x512xf32, #tile.fragment>
    %kept = tile.alloc {layout = #kept} : memref<64x160xf32, #tile.fragment>
    tile.fill %sums, 0.0
    tile.fill %kept, 0.0
    tile.fill %ps, 1.0
    tile.pipelined %i = 0 to 16 stages(2) {
      tile.gather %x[0, 0] by %list[%i * 64], %ks {instruction = #tile.transfer<cp_async, bytes = 16>}
      tile.gemm %ps, %ks, %sums {instruction = #tile.mma<wgmma, m = 64, n = 256, k = 16, warps_m = 4, warps_n = 2>}
    }
    tile.copy %sums, %z
  }
  return
}
func.func @gather_any(%x: memref<?x512xf16>, %list: memref<1024xi32>, %z: memref<64x512xf32>) {
  tile.kernel (%t) in (1) threads(256) {
    %ps = tile.alloc {layout = #p} : memref<64x64xf16, #tile.shared>
    %ks = tile.alloc {layout = #k} : memref<64x512xf16, #tile.shared>
    %sums = tile.alloc {layout = #acc} : memref<64x512xf32, #tile.fragment>
    %kept = tile.alloc {layout = #kept} : memref<64x160xf32, #tile.fragment>
    tile.fill %sums, 0.0
    tile.fill %kept, 0.0
    tile.fill %ps, 1.0
    tile.pipelined %i = 0 to 16 stages(2) {
      tile.gather %x[0, 0] by %list[%i * 64], %ks {instruction = #tile.transfer<cp_async, bytes = 16>}
      tile.gemm %ps, %ks, %sums {instruction = #tile.mma<wgmma, m = 64, n = 256, k = 16, warps_m = 4, warps_n = 2>}
    }
    tile.copy %sums, %z
  }
  return
}
