// REQUIRES: tile-run
// RUN: tile-run --target=ascend %s | FileCheck %s

// Loops across both cores that begin at a number which is not known, and go in steps of two: stages + 1, stages, stages - 1,
// one and no iteration, and a begin behind the end.

// CHECK-NOT: FAIL
// CHECK: {{^}}7 passed, 0 failed

!row = memref<32x?xf16>
!column = memref<?x64xf16>
!result = memref<32x64xf32>
!a_tile = memref<32x32xf16, #tile.shared>
!b_tile = memref<32x64xf16, #tile.shared>
!c_tile = memref<32x64xf32, #tile.fragment>

// The sum of relu(x_s w_s) over every second one of seven blocks of K, from one on that the caller says.
func.func @every_other(%x: !row {tile.shape = "32xN"}, %w: !column {tile.shape = "Nx64"},
    %from: memref<?xi8> {tile.shape = "F"}, %y: !result {tile.result})
    attributes {tile.reference = @every_other_reference, tile.atol = 1.0e-3, tile.rtol = 1.0e-4,
                tile.cases = ["N=200 F=0", "N=200 F=1", "N=224 F=3", "N=193 F=6", "N=200 F=7", "N=200 F=9", "N=0 F=0"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c1 : !row
  %first = memref.dim %from, %c0 : memref<?xi8>
  %steps = affine.apply affine_map<(n) -> (n ceildiv 32)>(%n)
  tile.kernel (%b) in (1) {
    %xs = tile.alloc : !a_tile
    %ws = tile.alloc : !b_tile
    %p = tile.alloc : !c_tile
    %sum = tile.alloc : !c_tile
    tile.fill %sum, %zero : !c_tile
    tile.pipelined %s = %first to %steps step 2 stages(3) {
      tile.copy %x[0, %s * 32], %xs : !row, !a_tile
      tile.copy %w[%s * 32, 0], %ws : !column, !b_tile
      tile.gemm %xs, %ws, %p {clear} : !a_tile, !b_tile, !c_tile
      tile.parallel (%i, %j) in (32, 64) {
        %u = memref.load %p[%i, %j] : !c_tile
        %v = memref.load %sum[%i, %j] : !c_tile
        %r = arith.maximumf %u, %zero : f32
        %t = arith.addf %v, %r : f32
        memref.store %t, %sum[%i, %j] : !c_tile
      }
    }
    tile.copy %sum, %y : !c_tile, !result
  }
  return
}

func.func @every_other_reference(%x: !row, %w: !column, %from: memref<?xi8>, %y: !result) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c1 : !row
  %first = memref.dim %from, %c0 : memref<?xi8>
  affine.for %i = 0 to 32 {
    affine.for %j = 0 to 64 {
      %sum = affine.for %s = affine_map<(f) -> (f)>(%first) to affine_map<(n) -> (n ceildiv 32)>(%n) step 2 iter_args(%old = %zero) -> f32 {
        %p = affine.for %l = affine_map<(s) -> (s * 32)>(%s) to min affine_map<(s)[n] -> (s * 32 + 32, n)>(%s)[%n]
            iter_args(%part = %zero) -> f32 {
          %u = affine.load %x[%i, %l] : !row
          %v = affine.load %w[%l, %j] : !column
          %ud = arith.extf %u : f16 to f32
          %vd = arith.extf %v : f16 to f32
          %q = arith.mulf %ud, %vd : f32
          %more = arith.addf %part, %q : f32
          affine.yield %more : f32
        }
        %r = arith.maximumf %p, %zero : f32
        %next = arith.addf %old, %r : f32
        affine.yield %next : f32
      }
      affine.store %sum, %y[%i, %j] : !result
    }
  }
  return
}
