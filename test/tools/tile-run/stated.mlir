// What tile.shape states of a size holds of a call, too.
// RUN: tile-run %s K=16 | FileCheck %s
// RUN: not tile-run %s K=12 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: not tile-run %s K=0 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not tile-run %s --shape=1:20 2>&1 | FileCheck %s --check-prefix=SHAPE
// CHECK: 1 passed, 0 failed
// ODD: argument 1 (memref<?xf32>): expected K to be a positive multiple of 8, got 12
// EMPTY: argument 1 (memref<?xf32>): expected K to be a positive multiple of 8, got 0
// SHAPE: argument 1 (memref<?xf32>): expected K to be a positive multiple of 8, got 20

func.func @copy(%x: memref<?xf32> {tile.shape = "K"}, %y: memref<?xf32> {tile.shape = "K%8", tile.result})
    attributes {tile.reference = @reference} {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) {
      %v = memref.load %x[%i] : memref<?xf32>
      memref.store %v, %y[%i] : memref<?xf32>
    }
  }
  return
}

func.func @reference(%x: memref<?xf32>, %y: memref<?xf32>) {
  memref.copy %x, %y : memref<?xf32> to memref<?xf32>
  return
}
