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

// -----

func.func @f() {
  return
}

// Beside @f it was a redefinition; others were called in place of the C library's, or not found.
// expected-error @below {{the name '_mlir_ciface_f' is one of those that compiled code uses itself; choose another one}}
func.func @_mlir_ciface_f() {
  return
}

// expected-error @below {{the name 'malloc' is one of those}}
func.func @malloc() {
  return
}

// expected-error @below {{the name 'tile_rt_launch' is one of those}}
func.func @tile_rt_launch() {
  return
}

// Its declaration names the C library's.
func.func private @free(memref<4xf32>)

func.func @mallocs() {
  return
}

// -----

// Of 128 bits at most: wider ones took LLVM more than 10 s.
func.func @widest(%x: memref<4xi128>) {
  return
}

// expected-error @below {{'func.func' op has integers of more than 128 bits; split them into parts}}
func.func @argument(%x: memref<4xi129>) {
  return
}

func.func @value(%x: i64) {
  // expected-error @below {{'arith.extsi' op has integers of more than 128 bits; split them into parts}}
  %y = arith.extsi %x : i64 to i16777215
  // expected-error @below {{'arith.extsi' op has integers of more than 128 bits}}
  %z = arith.extsi %x : i64 to i256
  return
}
