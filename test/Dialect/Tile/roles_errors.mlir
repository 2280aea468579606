// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @roles_c1(%c: i1) {
  tile.kernel (%b) in (1) {
    scf.if %c {
      // expected-error @below {{'tile.roles' op expected to stand directly in the body of a 'tile.kernel'}}
      tile.roles producer {
      } consumer {
      }
    }
  }
  return
}

// -----

func.func @roles_c2(%a: memref<16x16xf16, #tile.shared>, %c: memref<16x16xf32, #tile.fragment>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'tile.roles' op expected the producer to hold copies that signal a ring, got 'tile.gemm'}}
    tile.roles producer {
      // expected-note @below {{it stands here}}
      tile.gemm %a, %a, %c : memref<16x16xf16, #tile.shared>, memref<16x16xf16, #tile.shared>, memref<16x16xf32, #tile.fragment>
    } consumer {
    }
  }
  return
}

// -----

func.func @roles_c2_copy(%a: memref<16x16xf16>) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<16x16xf16, #tile.shared>
    // expected-error @below {{'tile.roles' op expected the producer to hold copies that signal a ring, got 'tile.copy'}}
    tile.roles producer {
      // expected-note @below {{it stands here}}
      tile.copy %a, %s : memref<16x16xf16>, memref<16x16xf16, #tile.shared>
    } consumer {
    }
  }
  return
}
