// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-infer-layout | FileCheck %s

// Rows in, rows out: any order is as good.
// CHECK-LABEL: @rows
func.func @rows(%x: memref<64x64xf32>) {
  tile.kernel (%b) in (1) threads(128) {
    // CHECK: tile.alloc {layout = #tile.layout<[64: 64 offset*64][64: 64 offset]>}
    %s = tile.alloc : memref<64x64xf32, #tile.shared>
    %f = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.copy %x, %s : memref<64x64xf32>, memref<64x64xf32, #tile.shared>
    tile.copy %s, %f : memref<64x64xf32, #tile.shared>, memref<64x64xf32, #tile.fragment>
  }
  return
}

// Rows in, columns out: without padding 32 lanes would meet in one bank.
// CHECK-LABEL: @transposed
func.func @transposed(%x: memref<64x64xf32>, %y: memref<64x64xf32>) {
  tile.kernel (%b) in (1) threads(128) {
    // CHECK: tile.alloc {layout = #tile.layout<[64: 64 offset*65][64: 64 offset]>}
    %s = tile.alloc : memref<64x64xf32, #tile.shared>
    tile.copy %x, %s : memref<64x64xf32>, memref<64x64xf32, #tile.shared>
    tile.parallel (%i, %j) in (64, 64) coalesced_width(1) {
      %v = memref.load %s[%j, %i] : memref<64x64xf32, #tile.shared>
      memref.store %v, %y[%i, %j] : memref<64x64xf32>
    }
  }
  return
}

// The same behind a tensor copy, which writes no padding.
// CHECK-LABEL: @tensor_copy
func.func @tensor_copy(%x: memref<64x64xf32>, %y: memref<64x64xf32>) {
  tile.kernel (%b) in (1) threads(128) {
    // CHECK: tile.alloc {layout = #tile.layout<[64: 64 offset*32][64: 2 offset*2048, 32 offset] swizzle(3, 2, 3)>}
    %s = tile.alloc : memref<64x64xf32, #tile.shared>
    tile.copy %x, %s {instruction = #tile.transfer<tma>} : memref<64x64xf32>, memref<64x64xf32, #tile.shared>
    tile.parallel (%i, %j) in (64, 64) coalesced_width(1) {
      %v = memref.load %s[%j, %i] : memref<64x64xf32, #tile.shared>
      memref.store %v, %y[%i, %j] : memref<64x64xf32>
    }
  }
  return
}

// Stages of a pipeline.
// CHECK-LABEL: @stages
func.func @stages(%i: index) {
  tile.kernel (%b) in (1) threads(128) {
    // CHECK: tile.alloc {layout = #tile.layout<[3: 3 offset*4096][64: 64 offset*64][64: 64 offset] swizzle(3, 3, 3)>}
    %s = tile.alloc : memref<3x64x64xf16, #tile.shared>
    %a = tile.stage %s[%i] : memref<3x64x64xf16, #tile.shared> to memref<64x64xf16, #tile.shared>
    %c = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.gemm %a, %a, %c {instruction = #tile.mma<wgmma, m = 64, n = 64, k = 16, warps_m = 4, warps_n = 1>}
        : memref<64x64xf16, #tile.shared>, memref<64x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
  }
  return
}

// Through a part of a tile: the whole has the blocks that the part needs.
// CHECK-LABEL: @part
func.func @part() {
  tile.kernel (%b) in (1) threads(128) {
    // CHECK: tile.alloc {layout = #tile.layout<[64: 64 offset*64][512: 8 offset*4096, 64 offset] swizzle(3, 3, 3)>}
    %s = tile.alloc : memref<64x512xf16, #tile.shared>
    %a = memref.subview %s[0, 192] [64, 320] [1, 1] : memref<64x512xf16, #tile.shared> to memref<64x320xf16, strided<[512, 1], offset: 192>, #tile.shared>
    %c = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.gemm %a, %a, %c {transpose_b, instruction = #tile.mma<wgmma, m = 64, n = 64, k = 16, warps_m = 4, warps_n = 1>}
        : memref<64x320xf16, strided<[512, 1], offset: 192>, #tile.shared>, memref<64x320xf16, strided<[512, 1], offset: 192>, #tile.shared>, memref<64x64xf32, #tile.fragment>
  }
  return
}

// Seen through a reshape, and through another name for the bits.
// CHECK-LABEL: @views
func.func @views() {
  tile.kernel (%b) in (1) threads(128) {
    // CHECK: tile.alloc {layout = #tile.layout<[4: 4 offset*512][16: 16 offset*32][32: 32 offset] swizzle(2, 3, 3)>}
    %s = tile.alloc : memref<4x16x32xf16, #tile.shared>
    %a = tile.reshape %s : memref<4x16x32xf16, #tile.shared> to memref<64x32xf16, #tile.shared>
    // CHECK: tile.alloc {layout = #tile.layout<[64: 64 offset*32][32: 32 offset] swizzle(2, 3, 3)>}
    %bits = tile.alloc : memref<64x32xi16, #tile.shared>
    %w = tile.view %bits : memref<64x32xi16, #tile.shared> to memref<64x32xf16, #tile.shared>
    %c = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.gemm %a, %w, %c {transpose_b, instruction = #tile.mma<mma, m = 16, n = 8, k = 16, warps_m = 4, warps_n = 1>}
        : memref<64x32xf16, #tile.shared>, memref<64x32xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
    // Too narrow for a swizzle; less than bytes.
    // CHECK: tile.alloc {layout = #tile.layout<[16: 16 offset*8][8: 8 offset]>}
    %n = tile.alloc : memref<16x8xf16, #tile.shared>
    // CHECK: tile.alloc {layout = #tile.layout<[64: 64 offset*64][64: 64 offset]>}
    %i4 = tile.alloc : memref<64x64xi4, #tile.shared>
  }
  return
}

// A layout by hand that no tensor copy fills.
// CHECK-LABEL: @by_hand
func.func @by_hand(%a: memref<64x64xf16>) {
  tile.kernel (%x) in (1) threads(128) {
    %s = tile.alloc : memref<64x64xf16, #tile.shared>
    tile.annotate_layout %s : memref<64x64xf16, #tile.shared> as #tile.layout<[64: 64 offset*72][64: 64 offset]>
    // CHECK: tile.copy {{.*}} {instruction = #tile.transfer<sync, bytes = 2>}
    tile.copy %a, %s {instruction = #tile.transfer<tma>} : memref<64x64xf16>, memref<64x64xf16, #tile.shared>
  }
  return
}

// tile.transpose into a fragment reads columns in vectors.
// CHECK-LABEL: @transpose
func.func @transpose(%x: memref<64x64xbf16>, %y: memref<64x64xbf16>) {
  tile.kernel (%b) in (1) threads(128) {
    // CHECK: tile.alloc {layout = #tile.layout<[64: 64 offset*64][64: 64 offset] swizzle(3, 3, 6)>}
    %s = tile.alloc : memref<64x64xbf16, #tile.shared>
    %t = tile.alloc : memref<64x64xbf16, #tile.fragment>
    tile.copy %x, %s : memref<64x64xbf16>, memref<64x64xbf16, #tile.shared>
    tile.transpose %s, %t : memref<64x64xbf16, #tile.shared>, memref<64x64xbf16, #tile.fragment>
    tile.copy %t, %y : memref<64x64xbf16, #tile.fragment>, memref<64x64xbf16>
  }
  return
}

// Codes of 4 bits, which a tensor copy brings as bytes: halves of rows of 128 bytes are read through a view, and eight rows of plain
// order would meet in the same banks. The halves may be at a place that is known at run time.
// CHECK-LABEL: @codes
func.func @codes(%q: memref<64x128xi8>, %g: index) {
  tile.kernel (%b) in (1) threads(128) {
    // CHECK: tile.alloc {layout = #tile.layout<[64: 64 offset*128][128: 128 offset] swizzle(3, 4, 3)>}
    %s = tile.alloc : memref<64x128xi8, #tile.shared>
    // CHECK: tile.alloc {layout = #tile.layout<[64: 64 offset*128][128: 128 offset] swizzle(3, 4, 3)>}
    %t = tile.alloc : memref<64x128xi8, #tile.shared>
    // Of two views, one of the other.
    // CHECK: tile.alloc {layout = #tile.layout<[64: 64 offset*32][32: 32 offset] swizzle(3, 2, 3)>}
    %u = tile.alloc : memref<64x32xi32, #tile.shared>
    %w = tile.alloc : memref<64x128xbf16, #tile.fragment>
    %a = tile.alloc : memref<8x128xbf16, #tile.shared>
    %c = tile.alloc : memref<64x8xf32, #tile.fragment>
    tile.copy %q, %s {instruction = #tile.transfer<tma>} : memref<64x128xi8>, memref<64x128xi8, #tile.shared>
    %s4 = tile.view %s : memref<64x128xi8, #tile.shared> to memref<64x256xi4, #tile.shared>
    tile.copy %s4[0, 128], %w : memref<64x256xi4, #tile.shared>, memref<64x128xbf16, #tile.fragment>
    %t4 = tile.view %t : memref<64x128xi8, #tile.shared> to memref<64x256xi4, #tile.shared>
    tile.copy %t4[0, %g * 128], %w : memref<64x256xi4, #tile.shared>, memref<64x128xbf16, #tile.fragment>
    %u8 = tile.view %u : memref<64x32xi32, #tile.shared> to memref<64x128xi8, #tile.shared>
    tile.copy %q, %u8 {instruction = #tile.transfer<tma>} : memref<64x128xi8>, memref<64x128xi8, #tile.shared>
    %u4 = tile.view %u8 : memref<64x128xi8, #tile.shared> to memref<64x256xi4, #tile.shared>
    tile.copy %u4[0, 0], %w : memref<64x256xi4, #tile.shared>, memref<64x128xbf16, #tile.fragment>
    tile.gemm %w, %a, %c {transpose_b, instruction = #tile.mma<mma, m = 16, n = 8, k = 16, warps_m = 4, warps_n = 1>}
        : memref<64x128xbf16, #tile.fragment>, memref<8x128xbf16, #tile.shared>, memref<64x8xf32, #tile.fragment>
  }
  return
}

// Where lanes of a warpgroup's instruction share words, half a warp reads at once, four rows: of 64 bytes, two meet in the same banks.
// CHECK-LABEL: @words
func.func @words(%q: memref<64x64xi8>) {
  tile.kernel (%b) in (1) threads(128) {
    // CHECK: tile.alloc {layout = #tile.layout<[64: 64 offset*64][64: 64 offset] swizzle(2, 4, 3)>}
    %s = tile.alloc : memref<64x64xi8, #tile.shared>
    // CHECK: tile.alloc {layout = #tile.layout<[64: 64 offset*128][128: 128 offset] swizzle(3, 4, 3)>}
    %t = tile.alloc : memref<64x128xi8, #tile.shared>
    %w = tile.alloc : memref<64x128xbf16, #tile.fragment>
    %a = tile.alloc : memref<8x128xbf16, #tile.shared>
    %c = tile.alloc : memref<64x8xf32, #tile.fragment>
    %s4 = tile.view %s : memref<64x64xi8, #tile.shared> to memref<64x128xi4, #tile.shared>
    tile.copy %s4, %w : memref<64x128xi4, #tile.shared>, memref<64x128xbf16, #tile.fragment>
    %t4 = tile.view %t : memref<64x128xi8, #tile.shared> to memref<64x256xi4, #tile.shared>
    tile.copy %t4[0, 0], %w : memref<64x256xi4, #tile.shared>, memref<64x128xbf16, #tile.fragment>
    tile.gemm %w, %a, %c {transpose_b, instruction = #tile.mma<wgmma, m = 64, n = 8, k = 16, warps_m = 4, warps_n = 1>}
        : memref<64x128xbf16, #tile.fragment>, memref<8x128xbf16, #tile.shared>, memref<64x8xf32, #tile.fragment>
  }
  return
}

// Columns in: padding by one element would part the halves of what a view shows as one.
// CHECK-LABEL: @wider
func.func @wider(%y: memref<64x64xf32>, %z: memref<64x32xf64>) {
  tile.kernel (%b) in (1) threads(128) {
    // CHECK: tile.alloc {layout = #tile.layout<[64: 64 offset*32][64: 2 offset*2048, 32 offset] swizzle(3, 2, 3)>}
    %s = tile.alloc : memref<64x64xf32, #tile.shared>
    %v = tile.view %s : memref<64x64xf32, #tile.shared> to memref<64x32xf64, #tile.shared>
    tile.parallel (%i, %j) in (64, 64) coalesced_width(1) {
      %x = memref.load %s[%j, %i] : memref<64x64xf32, #tile.shared>
      memref.store %x, %y[%i, %j] : memref<64x64xf32>
    }
    tile.copy %v, %z : memref<64x32xf64, #tile.shared>, memref<64x32xf64>
  }
  return
}

// A view across rows that no swizzled or padded tile can have leaves the order as it is.
// CHECK-LABEL: @across
func.func @across(%y: memref<48x96xf32>, %z: memref<36x128xf32>) {
  tile.kernel (%b) in (1) threads(128) {
    // CHECK: tile.alloc {layout = #tile.layout<[48: 48 offset*96][96: 96 offset]>}
    %s = tile.alloc : memref<48x96xf32, #tile.shared>
    %v = tile.view %s : memref<48x96xf32, #tile.shared> to memref<36x128xi32, #tile.shared>
    tile.parallel (%i, %j) in (48, 96) coalesced_width(1) {
      %x = memref.load %s[%i, %j] : memref<48x96xf32, #tile.shared>
      memref.store %x, %y[%i, %j] : memref<48x96xf32>
    }
    tile.parallel (%i, %j) in (96, 48) coalesced_width(1) {
      %x = memref.load %s[%j, %i] : memref<48x96xf32, #tile.shared>
      memref.store %x, %y[%j, %i] : memref<48x96xf32>
    }
  }
  return
}
