// RUN: tile-translate --mlir-to-ascend-host --split-input-file --verify-diagnostics %s

// expected-error@+1 {{expected one block around kernels}}
func.func @blocks(%x: memref<64xf32>) {
  tile.kernel (%b) in (1) {
  }
  cf.br ^next
^next:
  return
}
