// REQUIRES: tile-run
// RUN: tile-run --target=ascend %s | FileCheck %s
// RUN: tile-run --target=ascend --chip=950 %s | FileCheck %s

// Kernels of both cores on the Ascend model: the tiles go through workspaces, with flags between the cores.

// CHECK-NOT: FAIL
// CHECK: {{^}}7 passed, 0 failed

!matrix = memref<?x?xf16>
!a_tile = memref<32x32xf16, #tile.shared>
!c_tile = memref<32x64xf32, #tile.fragment>
!b_tile = memref<32x64xf16, #tile.shared>
!d_tile = memref<32x64xf16, #tile.shared>

// C = A B + D, the smallest kernel of both cores.
func.func @matmul_add(%a: !matrix {tile.shape = "MxK"}, %b: !matrix {tile.shape = "KxN"},
    %d: !matrix {tile.shape = "MxN"}, %c: !matrix {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @matmul_add_reference, tile.atol = 1.0e-2, tile.rtol = 1.953125e-3,
                tile.cases = ["M=64 K=64 N=64", "M=33 K=70 N=65", "M=1 K=1 N=1", "M=40 K=0 N=5"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %a, %c0 : !matrix
  %k = memref.dim %a, %c1 : !matrix
  %n = memref.dim %b, %c1 : !matrix
  %rows = affine.apply affine_map<(n) -> (n ceildiv 32)>(%m)
  %columns = affine.apply affine_map<(n) -> (n ceildiv 64)>(%n)
  %steps = affine.apply affine_map<(n) -> (n ceildiv 32)>(%k)
  tile.kernel (%bx, %by) in (%columns, %rows) {
    %as = tile.alloc : !a_tile
    %bs = tile.alloc : !b_tile
    %ds = tile.alloc : !d_tile
    %acc = tile.alloc : !c_tile
    tile.fill %acc, %zero : !c_tile
    tile.pipelined %s = 0 to %steps stages(2) {
      tile.copy %a[%by * 32, %s * 32], %as : !matrix, !a_tile
      tile.copy %b[%s * 32, %bx * 64], %bs : !matrix, !b_tile
      tile.gemm %as, %bs, %acc : !a_tile, !b_tile, !c_tile
    }
    tile.copy %d[%by * 32, %bx * 64], %ds : !matrix, !d_tile
    tile.parallel (%i, %j) in (32, 64) {
      %x = memref.load %acc[%i, %j] : !c_tile
      %y = memref.load %ds[%i, %j] : !d_tile
      %z = arith.extf %y : f16 to f32
      %sum = arith.addf %x, %z : f32
      memref.store %sum, %acc[%i, %j] : !c_tile
    }
    tile.copy %acc, %c[%by * 32, %bx * 64] : !c_tile, !matrix
  }
  return
}

func.func @matmul_add_reference(%a: !matrix, %b: !matrix, %d: !matrix, %c: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %a, %c0 : !matrix
  %k = memref.dim %a, %c1 : !matrix
  %n = memref.dim %b, %c1 : !matrix
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %first = affine.load %d[%i, %j] : !matrix
      %start = arith.extf %first : f16 to f64
      %sum = affine.for %l = 0 to %k iter_args(%old = %start) -> f64 {
        %x = affine.load %a[%i, %l] : !matrix
        %y = affine.load %b[%l, %j] : !matrix
        %xd = arith.extf %x : f16 to f64
        %yd = arith.extf %y : f16 to f64
        %p = arith.mulf %xd, %yd : f64
        %next = arith.addf %old, %p : f64
        affine.yield %next : f64
      }
      %r = arith.truncf %sum : f64 to f16
      affine.store %r, %c[%i, %j] : !matrix
    }
  }
  return
}

// A tile of the vector unit as an operand, and a sum that the vector unit touches in each step:
// y = 0.5^n y0 + ... over the blocks of columns of x, p = 2 x.
func.func @twice(%x: memref<32x?xf16> {tile.shape = "32xN"}, %w: memref<?x64xf16> {tile.shape = "Nx64"},
    %y: memref<32x64xf32> {tile.result})
    attributes {tile.reference = @twice_reference, tile.atol = 1.0e-3, tile.rtol = 1.0e-3,
                tile.cases = ["N=32", "N=64", "N=100"]} {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %two = arith.constant 2.0 : f16
  %n = memref.dim %x, %c1 : memref<32x?xf16>
  %steps = affine.apply affine_map<(n) -> (n ceildiv 32)>(%n)
  tile.kernel (%b) in (1) {
    %xs = tile.alloc : memref<32x32xf16, #tile.shared>
    %ws = tile.alloc : memref<32x64xf16, #tile.shared>
    %acc = tile.alloc : memref<32x64xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<32x64xf32, #tile.fragment>
    tile.pipelined %s = 0 to %steps stages(2) {
      tile.copy %x[0, %s * 32], %xs : memref<32x?xf16>, memref<32x32xf16, #tile.shared>
      tile.copy %w[%s * 32, 0], %ws : memref<?x64xf16>, memref<32x64xf16, #tile.shared>
      tile.parallel (%i, %j) in (32, 32) {
        %u = memref.load %xs[%i, %j] : memref<32x32xf16, #tile.shared>
        %v = arith.mulf %u, %two : f16
        memref.store %v, %xs[%i, %j] : memref<32x32xf16, #tile.shared>
      }
      tile.parallel (%i, %j) in (32, 64) {
        %u = memref.load %acc[%i, %j] : memref<32x64xf32, #tile.fragment>
        %v = arith.mulf %u, %half : f32
        memref.store %v, %acc[%i, %j] : memref<32x64xf32, #tile.fragment>
      }
      tile.gemm %xs, %ws, %acc : memref<32x32xf16, #tile.shared>, memref<32x64xf16, #tile.shared>, memref<32x64xf32, #tile.fragment>
    }
    tile.copy %acc, %y : memref<32x64xf32, #tile.fragment>, memref<32x64xf32>
  }
  return
}

func.func @twice_reference(%x: memref<32x?xf16>, %w: memref<?x64xf16>, %y: memref<32x64xf32>) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %two = arith.constant 2.0 : f32
  %n = memref.dim %x, %c1 : memref<32x?xf16>
  affine.for %i = 0 to 32 {
    affine.for %j = 0 to 64 {
      %sum = affine.for %s = 0 to affine_map<(n) -> (n ceildiv 32)>(%n) iter_args(%old = %zero) -> f32 {
        %faded = arith.mulf %old, %half : f32
        %next = affine.for %l = affine_map<(s) -> (s * 32)>(%s) to min affine_map<(s)[n] -> (s * 32 + 32, n)>(%s)[%n]
            iter_args(%part = %faded) -> f32 {
          %u = affine.load %x[%i, %l] : memref<32x?xf16>
          %v = affine.load %w[%l, %j] : memref<?x64xf16>
          %ud = arith.extf %u : f16 to f32
          %vd = arith.extf %v : f16 to f32
          %p = arith.mulf %ud, %vd : f32
          %q = arith.mulf %p, %two : f32
          %more = arith.addf %part, %q : f32
          affine.yield %more : f32
        }
        affine.yield %next : f32
      }
      affine.store %sum, %y[%i, %j] : memref<32x64xf32>
    }
  }
  return
}
