// RUN: tile-opt %s --split-input-file --tile-bind-parameters='bindings=BM=64' --verify-diagnostics

// expected-error @below {{cannot bind '@BM'; the parameters are @A, @BK}}
module {
  tile.param @BK = 32 in [32]
  tile.param @A = 32 in [32]
}

// -----

// expected-error @below {{cannot bind '@BM'; the module has no parameters}}
module {
}

// -----

// expected-error @below {{cannot bind '@BM' to 64; expected one of 16, 32}}
module {
  // expected-note @below {{the parameter is here}}
  tile.param @BM = 32 in [16, 32]
}

// -----

// An attribute of the module counts where the option says nothing.
// expected-error @below {{cannot bind '@BK' to 3; expected one of 16, 32}}
module attributes {tile.bindings = {BM = 3, BK = 3}} {
  tile.param @BM = 32 in [64, 32]
  // expected-note @below {{the parameter is here}}
  tile.param @BK = 32 in [16, 32]
}

// -----

tile.param @BM = 128 in [64, 128]
func.func @require() {
  %bm = tile.get_param @BM
  %c100 = arith.constant 100 : index
  %ok = arith.cmpi uge, %bm, %c100 : index
  // expected-error @below {{'tile.require' op the parameters do not meet this requirement: tiles of 100 rows at least}}
  tile.require %ok, "tiles of 100 rows at least"
  return
}

// -----

tile.param @BM = 128 in [64, 128]
func.func @require_of_size(%n: index) {
  %bm = tile.get_param @BM
  %ok = arith.cmpi uge, %bm, %n : index
  // expected-error @below {{'tile.require' op expected a condition of parameters and constants}}
  tile.require %ok, ""
  return
}

// -----

tile.param @BM = 128 in [64, 128]
func.func @alloc_of_size(%n: index, %v: f32) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'tile.alloc' op expected extents of parameters and constants in a tile of 'memref<?xf32, #tile.shared>'}}
    %s = tile.alloc(%n) : memref<?xf32, #tile.shared>
    tile.fill %s, %v : memref<?xf32, #tile.shared>
  }
  return
}

// -----

tile.param @BM = 128 in [64, 128]
func.func @alloc_empty(%v: f32) {
  %bm = tile.get_param @BM
  %c7 = arith.constant 7 : index
  %none = arith.shrui %bm, %c7 : index
  tile.kernel (%b) in (1) {
    // expected-error @below {{'tile.alloc' op expected positive extents, got 0x16}}
    %s = tile.alloc(%none) : memref<?x16xf32, #tile.shared>
    tile.fill %s, %v : memref<?x16xf32, #tile.shared>
  }
  return
}

// -----

tile.param @BM = 128 in [64, 128]
func.func @argument(%s: memref<?xf32, #tile.shared>, %v: f32) {
  // expected-error @below {{'tile.fill' op needs a tile of static shape, got 'memref<?xf32, #tile.shared>'}}
  tile.fill %s, %v : memref<?xf32, #tile.shared>
  return
}
