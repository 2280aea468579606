// linalg on memrefs is behind bufferization: the error says what is expected.

// RUN: not tile-translate --mlir-to-c %s 2>&1 | FileCheck %s
// CHECK: error: expected a public function with a 'tile.kernel', got none
// CHECK: run-bufferized.mlir:[[#@LINE+2]]:{{.*}}: note: expected linalg ops on tensors, as they are in front of bufferization, got 'linalg.exp' on memrefs
func.func @f(%x: memref<4xf32>) {
  linalg.exp ins(%x : memref<4xf32>) outs(%x : memref<4xf32>)
  return
}
