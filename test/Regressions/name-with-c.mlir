// The name of a kernel became part of the C++ as it was, and had the compiler include any file.
//
// REQUIRES: tile-run
// RUN: not tile-run --no-notes --target=cpu %s 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not tile-run --no-notes --target=ascend %s 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not tile-run --no-notes --target=ascend --chip=950 %s 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: error: expected a name of letters, digits and '_' that does not begin with a digit, got '\0A#include \22/etc/os-release\22\0Ak'

func.func @"\0A#include \22/etc/os-release\22\0Ak"(%x: memref<64xf32>, %y: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64xf32, #tile.shared>
    tile.copy %x, %t : memref<64xf32>, memref<64xf32, #tile.shared>
    tile.copy %t, %y : memref<64xf32, #tile.shared>, memref<64xf32>
  }
  return
}
