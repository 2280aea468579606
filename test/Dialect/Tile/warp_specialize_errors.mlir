// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @warp_specialize_c1(%c: i1) {
  tile.kernel (%b) in (1) {
    scf.if %c {
      // expected-error @below {{'tile.warp_specialize' op expected to be directly in the body of a 'tile.kernel'}}
      tile.warp_specialize producer {
      } consumer {
      }
    }
  }
  return
}

// -----

func.func @warp_specialize_c2(%a: memref<16x16xf16, #tile.shared>, %c: memref<16x16xf32, #tile.fragment>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'tile.warp_specialize' op expected the producer to hold copies that signal a pipeline, got 'tile.gemm'}}
    tile.warp_specialize producer {
      // expected-note @below {{it is here}}
      tile.gemm %a, %a, %c : memref<16x16xf16, #tile.shared>, memref<16x16xf16, #tile.shared>, memref<16x16xf32, #tile.fragment>
    } consumer {
    }
  }
  return
}

// -----

func.func @warp_specialize_c2_copy(%a: memref<16x16xf16>) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<16x16xf16, #tile.shared>
    // expected-error @below {{'tile.warp_specialize' op expected the producer to hold copies that signal a pipeline, got 'tile.copy'}}
    tile.warp_specialize producer {
      // expected-note @below {{it is here}}
      tile.copy %a, %s : memref<16x16xf16>, memref<16x16xf16, #tile.shared>
    } consumer {
    }
  }
  return
}
