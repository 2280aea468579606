// The text of tile ops takes no such divisor; their generic form does.

// RUN: tile-opt %s --tile-verify-semantics --split-input-file --verify-diagnostics

func.func @copy(%x: memref<?x?xf16>, %y: memref<64x64xf16>) {
  tile.kernel (%b) in (4) threads(128) {
    %t = tile.alloc : memref<16x64xf16, #tile.shared>
    // expected-error @below {{'tile.copy' op expected divisors of at least 1, got 0}}
    "tile.copy"(%x, %b, %t) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, sourceMap = affine_map<(d0) -> (d0 floordiv 0, 0)>}> : (memref<?x?xf16>, index, memref<16x64xf16, #tile.shared>) -> ()
    tile.copy %t, %y[%b * 16, 0] : memref<16x64xf16, #tile.shared>, memref<64x64xf16>
  }
  return
}

// -----

func.func @atomic(%x: memref<?xi32>, %old: memref<8xi32>) {
  %ten = arith.constant 10 : i32
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (8) {
      // expected-error @below {{'tile.atomic' op expected divisors of at least 1, got -1}}
      %o = "tile.atomic"(%ten, %x, %i) <{kind = #tile<atomic_kind add>, targetMap = affine_map<(d0) -> (d0 floordiv -1)>}> : (i32, memref<?xi32>, index) -> i32
      memref.store %o, %old[%i] : memref<8xi32>
    }
  }
  return
}

// -----

// Of host code, too: the grid is computed from it.
func.func @grid(%n: index, %y: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  // expected-error @below {{'affine.apply' op expected divisors of at least 1, got 0}}
  %blocks = affine.apply affine_map<()[n] -> (n ceildiv 0)>()[%n]
  tile.kernel (%b) in (%blocks) {
    tile.parallel (%i) in (1) {
      memref.store %zero, %y[%b] : memref<64xf32>
    }
  }
  return
}

// -----

func.func @guard(%y: memref<64xf32>, %n: index) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) {
      // expected-error @below {{'affine.if' op expected divisors of at least 1, got -4}}
      affine.if affine_set<()[s0] : (s0 mod -4 == 0)>()[%n] {
        memref.store %zero, %y[%i] : memref<64xf32>
      }
    }
  }
  return
}
