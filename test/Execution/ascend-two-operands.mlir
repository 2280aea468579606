// Both operands of a product go from the vector cores to the cube, one behind the other, in a loop with stages: the cube waits
// for both in front of the product, not for the first one where the second is on its way.

// REQUIRES: tile-run, ascend
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run --target=ascend --chip=910B %s | FileCheck %s
// RUN: tile-run --target=ascend --chip=950 %s | FileCheck %s
// CHECK: {{^}}2 passed, 0 failed{{$}}

func.func @product(%q: memref<32x32xf16> {tile.init = "integers(-3,3)"}, %k: memref<?x32xf16> {tile.shape = "Mx32", tile.init = "integers(-3,3)"},
                   %c: memref<1xi32> {tile.init = "integers(-5,5)"}, %y: memref<32x32xf32> {tile.result})
    attributes {tile.reference = @product_reference, tile.cases = ["M=70", "M=20"]} {
  %c0 = arith.constant 0 : index
  tile.kernel (%b) in (1) {
    %qs = tile.alloc : memref<32x32xf16, #tile.shared>
    %ks = tile.alloc : memref<32x32xf16, #tile.shared>
    %s = tile.alloc : memref<32x32xf32, #tile.fragment>
    %sum = tile.alloc : memref<32x32xf32, #tile.fragment>
    %first = memref.load %c[%c0] : memref<1xi32>
    %m = arith.index_cast %first : i32 to index
    tile.parallel (%i, %j) in (32, 32) do { if %i < 20 { %qs[%i, %j] = %q[%i, %j] } else { %qs[%i, %j] = 0.0 } }
    tile.fill %sum, 0.0
    tile.pipelined %n = 0 to ceildiv(dim(%k, 0), 32) stages(2) {
      // It may begin before the buffer, and so comes by way of UB.
      tile.copy %k[symbol(%m) + %n * 32, 0], %ks
      tile.parallel (%i, %j) in (32, 32) do %s[%i, %j] = select(%i >= %j, 1.0, -2.0)
      tile.gemm %qs, %ks, %s {transpose_b}
      tile.parallel (%i, %j) in (32, 32) do %sum[%i, %j] = %sum[%i, %j] * 0.5 + %s[%i, %j]
    }
    tile.copy %sum, %y
  }
  return
}
func.func private @product_reference(%q: memref<32x32xf16>, %k: memref<?x32xf16>, %c: memref<1xi32>, %y: memref<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %c20 = arith.constant 20 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %minus = arith.constant -2.0 : f32
  %m = memref.dim %k, %c0 : memref<?x32xf16>
  %first = memref.load %c[%c0] : memref<1xi32>
  %begin = arith.index_cast %first : i32 to index
  affine.for %i = 0 to 32 {
    affine.for %j = 0 to 32 {
      %result = affine.for %n = 0 to affine_map<(m) -> (m ceildiv 32)>(%m) iter_args(%sum = %zero) -> f32 {
        %below = arith.cmpi sge, %i, %j : index
        %old = arith.select %below, %one, %minus : f32
        %row = affine.apply affine_map<(n, j, b) -> (b + n * 32 + j)>(%n, %j, %begin)
        %from = arith.cmpi sge, %row, %c0 : index
        %to = arith.cmpi slt, %row, %m : index
        %seen = arith.cmpi slt, %i, %c20 : index
        %exists = arith.andi %from, %to : i1
        %counts = arith.andi %exists, %seen : i1
        %s = scf.if %counts -> f32 {
          %dot = affine.for %l = 0 to 32 iter_args(%d = %old) -> f32 {
            %x = affine.load %q[%i, %l] : memref<32x32xf16>
            %z = memref.load %k[%row, %l] : memref<?x32xf16>
            %xf = arith.extf %x : f16 to f32
            %zf = arith.extf %z : f16 to f32
            %p = arith.mulf %xf, %zf : f32
            %t = arith.addf %d, %p : f32
            affine.yield %t : f32
          }
          scf.yield %dot : f32
        } else {
          scf.yield %old : f32
        }
        %less = arith.mulf %sum, %half : f32
        %next = arith.addf %less, %s : f32
        affine.yield %next : f32
      }
      affine.store %result, %y[%i, %j] : memref<32x32xf32>
    }
  }
  return
}
