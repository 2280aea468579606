// Every element type goes in, through a function and out; packed types in whole bytes.

// RUN: rm -rf %t && mkdir %t
// RUN: for t in i1 i4 i8 i16 i32 i64 index f16 bf16 f32 f64 f8E4M3FN f8E5M2 f8E4M3FNUZ f8E5M2FNUZ f8E8M0FNU f4E2M1FN; do \
// RUN:   sed "s/TYPE/$t/" %s > %t/$t.mlir; \
// RUN:   tile-run %t/$t.mlir --func=copy M=3 N=10 --check=none --out=0:%t/$t.x.npy --out=1:%t/$t.y.npy || exit 1; \
// RUN:   cmp %t/$t.x.npy %t/$t.y.npy || exit 1; \
// RUN:   tile-run %t/$t.mlir --func=copy --arg=0:%t/$t.x.npy --check=1:%t/$t.y.npy | grep '1 passed, 0 failed' || exit 1; \
// RUN: done

// RUN: not tile-run %t/i4.mlir M=3 N=5 2>&1 | FileCheck %s --check-prefix=ODD
// ODD: error: argument 0 (memref<?x?xi4>): expected an even last extent of packed elements, got 5
// RUN: not tile-run %t/f4E2M1FN.mlir M=3 N=5 2>&1 | FileCheck %s --check-prefix=ODD4
// ODD4: error: argument 0 (memref<?x?xf4E2M1FN>): expected an even last extent of packed elements, got 5

!matrix = memref<?x?xTYPE>

func.func @copy(%x: !matrix {tile.shape = "MxN"}, %y: !matrix {tile.shape = "MxN", tile.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : !matrix
  %n = memref.dim %x, %c1 : !matrix
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %v = affine.load %x[%i, %j] : !matrix
      affine.store %v, %y[%i, %j] : !matrix
    }
  }
  return
}
