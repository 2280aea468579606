// Puzzle 9: convolution of sequences.

!signals = memref<?x?xf16>
!taps = memref<?xf16>
!filters = memref<?x?xf16>
!features = memref<?x?x?xf16>

func.func @conv1d(
    %x: !signals {tile.shape = "NxL"}, %k: !taps {tile.shape = "T"}, %o: !signals {tile.shape = "NxL", tile.result})
    attributes {tile.reference = @conv1d_reference, tile.atol = 1.0e-3, tile.rtol = 1.953125e-3,
                tile.cases = ["N=128 L=128 T=32", "N=17 L=100 T=5", "N=3 L=33 T=32", "N=2 L=4 T=7", "N=1 L=1 T=1"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %n = memref.dim %x, %c0 : !signals
  %length = memref.dim %x, %c1 : !signals
  %count = memref.dim %k, %c0 : !taps
  %rows = arith.ceildivui %n, %c16 : index
  %cols = arith.ceildivui %length, %c32 : index
  tile.kernel (%bl, %bn) in (%cols, %rows) threads(128) {
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
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %n = memref.dim %x, %c0 : !signals
  %length = memref.dim %x, %c1 : !signals
  %count = memref.dim %k, %c0 : !filters
  %f = memref.dim %k, %c1 : !filters
  %rows = arith.ceildivui %n, %c16 : index
  %cols = arith.ceildivui %length, %c32 : index
  %groups = arith.ceildivui %f, %c32 : index
  tile.kernel (%bl, %bn, %bf) in (%cols, %rows, %groups) threads(256) {
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
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %n = memref.dim %x, %c0 : !signals
  %length = memref.dim %x, %c1 : !signals
  %f = memref.dim %k, %c1 : !filters
  %rows = arith.ceildivui %n, %c16 : index
  %cols = arith.ceildivui %length, %c32 : index
  %groups = arith.ceildivui %f, %c32 : index
  tile.kernel (%bl, %bn, %bf) in (%cols, %rows, %groups) threads(256) {
    // your code here
  }
  return
}
