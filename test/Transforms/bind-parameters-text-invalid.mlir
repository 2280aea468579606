// RUN: tile-opt %s --split-input-file --tile-bind-parameters='bindings="BM=64 BM"' --verify-diagnostics
// RUN: not tile-run %s --param=BM 2>&1 | FileCheck %s --check-prefix=PARAM
// RUN: not tile-run %s --param=BM=65 2>&1 | FileCheck %s --check-prefix=CANDIDATE
// RUN: not tile-translate %s --tile-to-ptx --param=BX=3 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// PARAM: error: expected the value of a parameter as NAME=VALUE with an integer, got 'BM'
// CANDIDATE: error: cannot bind '@BM' to 65; expected one of 64, 128
// UNKNOWN: error: cannot bind '@BX'; the parameters are @BM

// expected-error @below {{expected bindings NAME=VALUE, got 'BM'}}
module {
  tile.param @BM = 64 in [64, 128]
  func.func @kernel() {
    tile.kernel (%b) in (1) {
    }
    return
  }
}
