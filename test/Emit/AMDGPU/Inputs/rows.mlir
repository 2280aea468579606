// Sums and maxima of rows that neither lanes nor waves divide; the last block is cut short.
func.func @rows(%x: memref<40x50xf32>, %sums: memref<40xf32>, %maxima: memref<40xf32>) {
  tile.kernel (%b) in (2) threads(128) {
    %t = tile.alloc : memref<32x50xf32, #tile.fragment>
    %s = tile.alloc : memref<32xf32, #tile.fragment>
    %m = tile.alloc : memref<32xf32, #tile.fragment>
    tile.copy %x[%b * 32, 0], %t : memref<40x50xf32>, memref<32x50xf32, #tile.fragment>
    tile.reduce sum %t, %s dim(1) : memref<32x50xf32, #tile.fragment>, memref<32xf32, #tile.fragment>
    tile.reduce max %t, %m dim(1) : memref<32x50xf32, #tile.fragment>, memref<32xf32, #tile.fragment>
    tile.copy %s, %sums[%b * 32] : memref<32xf32, #tile.fragment>, memref<40xf32>
    tile.copy %m, %maxima[%b * 32] : memref<32xf32, #tile.fragment>, memref<40xf32>
  }
  return
}
