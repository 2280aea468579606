// Puzzle 9: convolution of sequences.

!signals = memref<?x?xf16>
!taps = memref<?xf16>
!filters = memref<?x?xf16>
!features = memref<?x?x?xf16>
!window = memref<16x64xf16, #tile.shared>
!filter_tile = memref<32x32xf16, #tile.shared>
!feature_tile = memref<16x32x32xf32, #tile.fragment>
!windows = memref<16x32x32xf16, #tile.shared>
!windows_2d = memref<512x32xf16, #tile.shared>
!features_2d = memref<512x32xf32, #tile.fragment>

func.func @conv1d(
    %x: !signals {tile.shape = "NxL"}, %k: !taps {tile.shape = "T"}, %o: !signals {tile.shape = "NxL", tile.result})
    attributes {tile.reference = @conv1d_reference, tile.atol = 1.0e-3, tile.rtol = 1.953125e-3,
                tile.cases = ["N=128 L=128 T=32", "N=17 L=100 T=5", "N=3 L=33 T=32", "N=2 L=4 T=7", "N=1 L=1 T=1"]} {
  tile.kernel (%bl, %bn) in (ceildiv(dim(%x, 1), 32), ceildiv(dim(%x, 0), 16)) threads(128) {
    %xs = tile.alloc : !window
    %ks = tile.alloc : memref<32xf16, #tile.shared>
    %t = tile.alloc : memref<16x32xf32, #tile.fragment>
    // 32 outputs read up to 31 inputs past their own; those past the end of the signal are 0.
    tile.copy %x[%bn * 16, %bl * 32], %xs
    tile.copy %k[0], %ks
    tile.parallel (%i, %j) in (16, 32) do
      %t[%i, %j] = sum(%l = 0 to dim(%k, 0), f32(%xs[%i, %j + %l]) * f32(%ks[%l]))
    tile.copy %t, %o[%bn * 16, %bl * 32]
  }
  return
}

func.func @conv1d_features(
    %x: !signals {tile.shape = "NxL"}, %k: !filters {tile.shape = "TxF"},
    %o: !features {tile.shape = "NxLxF", tile.result})
    attributes {tile.reference = @conv1d_features_reference, tile.atol = 1.0e-3, tile.rtol = 1.953125e-3,
                tile.cases = ["N=128 L=128 T=32 F=32", "N=17 L=100 T=5 F=70", "N=3 L=33 T=32 F=128",
                              "N=2 L=4 T=7 F=33", "N=1 L=1 T=1 F=1"]} {
  tile.kernel (%bl, %bn, %bf) in (ceildiv(dim(%x, 1), 32), ceildiv(dim(%x, 0), 16), ceildiv(dim(%k, 1), 32)) threads(256) {
    %xs = tile.alloc : !window
    %ks = tile.alloc : !filter_tile
    %t = tile.alloc : !feature_tile
    tile.copy %x[%bn * 16, %bl * 32], %xs
    tile.copy %k[0, %bf * 32], %ks
    tile.parallel (%i, %j, %c) in (16, 32, 32) do
      %t[%i, %j, %c] = sum(%l = 0 to dim(%k, 0), f32(%xs[%i, %j + %l]) * f32(%ks[%l, %c]))
    tile.copy %t, %o[%bn * 16, %bl * 32, %bf * 32]
  }
  return
}

func.func @conv1d_gemm(
    %x: !signals {tile.shape = "NxL"}, %k: !filters {tile.shape = "TxF"},
    %o: !features {tile.shape = "NxLxF", tile.result})
    attributes {tile.reference = @conv1d_features_reference, tile.atol = 1.0e-3, tile.rtol = 1.953125e-3,
                tile.cases = ["N=128 L=128 T=32 F=32", "N=17 L=100 T=5 F=70", "N=3 L=33 T=32 F=128",
                              "N=2 L=4 T=7 F=33", "N=1 L=1 T=1 F=1"]} {
  tile.kernel (%bl, %bn, %bf) in (ceildiv(dim(%x, 1), 32), ceildiv(dim(%x, 0), 16), ceildiv(dim(%k, 1), 32)) threads(256) {
    %xs = tile.alloc : !windows
    %ks = tile.alloc : !filter_tile
    %acc = tile.alloc : !features_2d
    // Filters with fewer than 32 taps are filled up with zeros.
    tile.copy %k[0, %bf * 32], %ks
    tile.parallel (%i, %j, %l) in (16, 32, 32) do %xs[%i, %j, %l] = %x[%bn * 16 + %i, %bl * 32 + %j + %l]
    %flat = tile.reshape %xs : !windows to !windows_2d
    tile.gemm %flat, %ks, %acc {clear}
    %t = tile.reshape %acc : !features_2d to !feature_tile
    tile.copy %t, %o[%bn * 16, %bl * 32, %bf * 32]
  }
  return
}
