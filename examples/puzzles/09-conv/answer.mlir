// Puzzle 9: convolution of sequences.

!signals = memref<?x?xf16>
!taps = memref<?xf16>
!filters = memref<?x?xf16>
!features = memref<?x?x?xf16>
!window = memref<16x64xf16, #tile.shared>
!tap_tile = memref<32xf16, #tile.shared>
!out_tile = memref<16x32xf32, #tile.fragment>
!filter_tile = memref<32x32xf16, #tile.shared>
!feature_tile = memref<16x32x32xf32, #tile.fragment>
!windows = memref<16x32x32xf16, #tile.shared>
!windows_2d = memref<512x32xf16, #tile.shared>
!features_2d = memref<512x32xf32, #tile.fragment>

func.func @conv1d(
    %x: !signals {tile.shape = "NxL"}, %k: !taps {tile.shape = "T"}, %o: !signals {tile.shape = "NxL", tile.result})
    attributes {tile.reference = @conv1d_reference, tile.atol = 1.0e-3, tile.rtol = 1.953125e-3,
                tile.cases = ["N=128 L=128 T=32", "N=17 L=100 T=5", "N=3 L=33 T=32", "N=2 L=4 T=7", "N=1 L=1 T=1"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %count = memref.dim %k, %c0 : !taps
  tile.kernel (%bl, %bn) in (ceildiv(dim(%x, 1), 32), ceildiv(dim(%x, 0), 16)) threads(128) {
    %xs = tile.alloc : !window
    %ks = tile.alloc : !tap_tile
    %t = tile.alloc : !out_tile
    // 32 outputs read up to 31 inputs past their own; those past the end of the signal are 0.
    tile.copy %x[%bn * 16, %bl * 32], %xs
    tile.copy %k[0], %ks
    tile.parallel (%i, %j) in (16, 32) {
      %sum = scf.for %l = %c0 to %count step %c1 iter_args(%acc = %zero) -> f32 {
        %p = arith.addi %j, %l : index
        %a = memref.load %xs[%i, %p] : !window
        %b = memref.load %ks[%l] : !tap_tile
        %af = arith.extf %a : f16 to f32
        %bf = arith.extf %b : f16 to f32
        %ab = arith.mulf %af, %bf : f32
        %next = arith.addf %acc, %ab : f32
        scf.yield %next : f32
      }
      memref.store %sum, %t[%i, %j] : !out_tile
    }
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
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %count = memref.dim %k, %c0 : !filters
  tile.kernel (%bl, %bn, %bf) in (ceildiv(dim(%x, 1), 32), ceildiv(dim(%x, 0), 16), ceildiv(dim(%k, 1), 32)) threads(256) {
    %xs = tile.alloc : !window
    %ks = tile.alloc : !filter_tile
    %t = tile.alloc : !feature_tile
    tile.copy %x[%bn * 16, %bl * 32], %xs
    tile.copy %k[0, %bf * 32], %ks
    tile.parallel (%i, %j, %c) in (16, 32, 32) {
      %sum = scf.for %l = %c0 to %count step %c1 iter_args(%acc = %zero) -> f32 {
        %p = arith.addi %j, %l : index
        %a = memref.load %xs[%i, %p] : !window
        %b = memref.load %ks[%l, %c] : !filter_tile
        %af = arith.extf %a : f16 to f32
        %bf32 = arith.extf %b : f16 to f32
        %ab = arith.mulf %af, %bf32 : f32
        %next = arith.addf %acc, %ab : f32
        scf.yield %next : f32
      }
      memref.store %sum, %t[%i, %j, %c] : !feature_tile
    }
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
