// REQUIRES: tile-run
// RUN: tile-run --target=ascend --chip=950 %s | FileCheck %s
// RUN: tile-opt --tile-to-ascend-pipeline=chip=950 %s -o %t.mlir && tile-translate --mlir-to-ascendc %t.mlir | FileCheck %s --check-prefix=TEXT
// RUN: not tile-opt --tile-to-ascend-pipeline=chip=910B %s 2>&1 | FileCheck %s --check-prefix=OLD

// Floats of 8 bits are operands of the cube of 950, both formats together, and become f32 in UB. Copies between GM and UB take
// them as bytes. Sums of a few products are exact.

// CHECK-NOT: FAIL
// CHECK: {{^}}5 passed, 0 failed
// TEXT-DAG: Global<fp8_e4m3fn_t>
// TEXT-DAG: LocalTensor<fp8_e5m2_t>
// TEXT-DAG: DataCopyPad({{.*}}.ReinterpretCast<int8_t>(), {{.*}}.ReinterpretCast<int8_t>(),
// OLD: 910B has no {{.*}}'f8E4M3FN'

!left = memref<?x?xf8E4M3FN>
!right = memref<?x?xf8E5M2>
!result = memref<?x?xf32>

func.func @product(%a: !left {tile.shape = "MxK"}, %b: !right {tile.shape = "KxN"}, %c: !result {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @product_reference, tile.rtol = 1.0e-5, tile.atol = 1.0e-5,
                tile.cases = ["M=64 N=64 K=64", "M=70 N=50 K=200", "M=1 N=1 K=1"]} {
  tile.kernel (%x, %y) in (ceildiv(dim(%c, 1), 64), ceildiv(dim(%c, 0), 64)) threads(128) {
    %as = tile.alloc : memref<64x64xf8E4M3FN, #tile.shared>
    %bs = tile.alloc : memref<64x64xf8E5M2, #tile.shared>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, 0.0
    tile.pipelined %k = 0 to ceildiv(dim(%a, 1), 64) stages(2) {
      tile.copy %a[%y * 64, %k * 64], %as
      tile.copy %b[%k * 64, %x * 64], %bs
      tile.gemm %as, %bs, %acc
    }
    tile.copy %acc, %c[%y * 64, %x * 64]
  }
  return
}

func.func private @product_reference(%a: !left, %b: !right, %c: !result) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %m = memref.dim %c, %c0 : !result
  %n = memref.dim %c, %c1 : !result
  %depth = memref.dim %a, %c1 : !left
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %sum = affine.for %k = 0 to %depth iter_args(%acc = %zero) -> f64 {
        %l = affine.load %a[%i, %k] : !left
        %r = affine.load %b[%k, %j] : !right
        %x = arith.extf %l : f8E4M3FN to f64
        %y = arith.extf %r : f8E5M2 to f64
        %p = arith.mulf %x, %y : f64
        %next = arith.addf %acc, %p : f64
        affine.yield %next : f64
      }
      %s = arith.truncf %sum : f64 to f32
      affine.store %s, %c[%i, %j] : !result
    }
  }
  return
}

// The last block reaches past the end.
func.func @widen(%a: memref<?xf8E4M3FN> {tile.shape = "N"}, %b: memref<?xf8E5M2> {tile.shape = "N"},
                 %c: memref<?xf32> {tile.shape = "N", tile.result}, %d: memref<?xf32> {tile.shape = "N", tile.result})
    attributes {tile.reference = @widen_reference, tile.cases = ["N=200", "N=1"]} {
  tile.kernel (%x) in (ceildiv(dim(%a, 0), 128)) threads(128) {
    %t = tile.alloc : memref<128xf8E4M3FN, #tile.shared>
    tile.copy %a[%x * 128], %t
    tile.copy %t, %c[%x * 128]
    tile.parallel (%i) in (128) do %d[%x * 128 + %i] = f32(%b[%x * 128 + %i])
  }
  return
}

func.func private @widen_reference(%a: memref<?xf8E4M3FN>, %b: memref<?xf8E5M2>, %c: memref<?xf32>, %d: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?xf8E4M3FN>
  affine.for %i = 0 to %n {
    %l = affine.load %a[%i] : memref<?xf8E4M3FN>
    %r = affine.load %b[%i] : memref<?xf8E5M2>
    %x = arith.extf %l : f8E4M3FN to f32
    %y = arith.extf %r : f8E5M2 to f32
    affine.store %x, %c[%i] : memref<?xf32>
    affine.store %y, %d[%i] : memref<?xf32>
  }
  return
}
