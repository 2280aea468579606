// RUN: tile-opt %s --split-input-file --verify-diagnostics --ascend-widen-bits

func.func @count(%m: memref<4x64xi1>, %n: memref<4xi1>) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<4x64xi1, #tile.shared>
    %r = tile.alloc : memref<4xi1, #tile.shared>
    tile.copy %m, %t
    // expected-error @below {{on Ascend, 'tile.reduce' of elements of type 'i1' is a reduction by bits alone; use tiles of i8}}
    tile.reduce sum %t, %r dim(1)
    tile.copy %r, %n
  }
  return
}

// -----

func.func @wide(%x: memref<64xf64>, %y: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64xf64, #tile.shared>
    tile.copy %x, %t
    // expected-error @below {{on Ascend, no unit computes with 'f64'; use f32, or keep high and low parts in two of f32}}
    tile.copy %t, %y
  }
  return
}
