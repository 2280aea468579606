// RUN: tile-opt %s --tile-verify-semantics --split-input-file --verify-diagnostics

// Names go into C, Ascend C and assembly as they are.
// expected-error @below {{expected a name of letters, digits and '_' that does not begin with a digit, got 'my-kernel'}}
func.func @"my-kernel"(%x: memref<64xf32>, %y: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64xf32, #tile.shared>
    tile.copy %x, %t : memref<64xf32>, memref<64xf32, #tile.shared>
    tile.copy %t, %y : memref<64xf32, #tile.shared>, memref<64xf32>
  }
  return
}

// -----

// expected-error @below {{got '\0A#include \22/etc/os-release\22\0Ak'}}
func.func @"\0A#include \22/etc/os-release\22\0Ak"(%x: memref<64xf32>, %y: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64xf32, #tile.shared>
    tile.copy %x, %t : memref<64xf32>, memref<64xf32, #tile.shared>
    tile.copy %t, %y : memref<64xf32, #tile.shared>, memref<64xf32>
  }
  return
}

// -----

// expected-error @below {{that does not begin with a digit, got '0kernel'}}
func.func @"0kernel"() {
  return
}

// -----

// expected-error @below {{got 'a.b'}}
func.func private @a.b() {
  return
}

// -----

// expected-error @below {{got 'k\C3\A9'}}
func.func @"k\C3\A9"() {
  return
}
