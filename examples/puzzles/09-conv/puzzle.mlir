// Puzzle 9: convolution of sequences.

!signals = memref<?x?xf16>
!taps = memref<?xf16>
!filters = memref<?x?xf16>
!features = memref<?x?x?xf16>

func.func @conv1d(
    %x: !signals {tile.shape = "NxL"}, %k: !taps {tile.shape = "T"}, %o: !signals {tile.shape = "NxL", tile.result})
    attributes {tile.reference = @conv1d_reference, tile.atol = 1.0e-3, tile.rtol = 1.953125e-3,
                tile.cases = ["N=128 L=128 T=32", "N=17 L=100 T=5", "N=3 L=33 T=32", "N=2 L=4 T=7", "N=1 L=1 T=1"]} {
  tile.kernel (%bl, %bn) in (ceildiv(dim(%x, 1), 32), ceildiv(dim(%x, 0), 16)) threads(128) {
    // your code here
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
    // your code here
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
    // your code here
  }
  return
}
