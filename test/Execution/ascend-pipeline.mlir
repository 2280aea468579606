// REQUIRES: tile-run
// RUN: tile-run --target=ascend %s | FileCheck %s
// RUN: tile-run --target=ascend --chip=950 %s | FileCheck %s

// Iterations that overlap, on the Ascend model: loops of no, one, stages - 1, stages and more iterations, that begin
// anywhere, inside of a core and between cores.

// CHECK-NOT: FAIL
// CHECK: {{^}}22 passed, 0 failed

!row = memref<32x?xf16>
!column = memref<?x64xf16>
!result = memref<32x64xf32>
!a_tile = memref<32x32xf16, #tile.shared>
!b_tile = memref<32x64xf16, #tile.shared>
!c_tile = memref<32x64xf32, #tile.fragment>

// The sum of relu(x_s w_s) over the blocks of K but the first one: tiles go to the vector cores in each iteration.
func.func @relu_sum(%x: !row {tile.shape = "32xN"}, %w: !column {tile.shape = "Nx64"},
    %y: !result {tile.result})
    attributes {tile.reference = @relu_sum_reference, tile.atol = 1.0e-3, tile.rtol = 1.0e-4,
                tile.cases = ["N=0", "N=32", "N=64", "N=96", "N=128", "N=160", "N=230"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c1 : !row
  %steps = affine.apply affine_map<(n) -> (n ceildiv 32)>(%n)
  tile.kernel (%b) in (1) {
    %xs = tile.alloc : !a_tile
    %ws = tile.alloc : !b_tile
    %p = tile.alloc : !c_tile
    %sum = tile.alloc : !c_tile
    tile.fill %sum, %zero : !c_tile
    tile.pipelined %s = 1 to %steps stages(3) {
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

func.func @relu_sum_reference(%x: !row, %w: !column, %y: !result) {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c1 : !row
  affine.for %i = 0 to 32 {
    affine.for %j = 0 to 64 {
      %sum = affine.for %s = 1 to affine_map<(n) -> (n ceildiv 32)>(%n) iter_args(%old = %zero) -> f32 {
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

!line = memref<?xf32>
!piece = memref<64xf32, #tile.shared>

// y = 2 x for every second block of 64 from the third one on; the others stay 0.
func.func @every_second(%x: !line {tile.shape = "N"}, %y: !line {tile.shape = "N", tile.result})
    attributes {tile.reference = @every_second_reference, tile.atol = 0.0,
                tile.cases = ["N=0", "N=128", "N=129", "N=300", "N=500", "N=576", "N=577", "N=900"]} {
  %c0 = arith.constant 0 : index
  %two = arith.constant 2.0 : f32
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : !line
  %blocks = affine.apply affine_map<(n) -> (n ceildiv 64)>(%n)
  tile.kernel (%b) in (1) {
    %t = tile.alloc : !piece
    tile.fill %t, %zero : !piece
    tile.pipelined %s = 0 to %blocks stages(2) {
      tile.copy %t, %y[%s * 64] : !piece, !line
    }
    tile.pipelined %s = 2 to %blocks step 2 stages(3) {
      tile.copy %x[%s * 64], %t : !line, !piece
      tile.parallel (%i) in (64) {
        %v = memref.load %t[%i] : !piece
        %w = arith.mulf %v, %two : f32
        memref.store %w, %t[%i] : !piece
      }
      tile.copy %t, %y[%s * 64] : !piece, !line
    }
  }
  return
}

func.func @every_second_reference(%x: !line, %y: !line) {
  %c0 = arith.constant 0 : index
  %two = arith.constant 2.0 : f32
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : !line
  affine.for %i = 0 to %n {
    affine.store %zero, %y[%i] : !line
  }
  affine.for %s = 2 to affine_map<(n) -> (n ceildiv 64)>(%n) step 2 {
    affine.for %i = affine_map<(s) -> (s * 64)>(%s) to min affine_map<(s)[n] -> (s * 64 + 64, n)>(%s)[%n] {
      %v = affine.load %x[%i] : !line
      %w = arith.mulf %v, %two : f32
      affine.store %w, %y[%i] : !line
    }
  }
  return
}

!matrix = memref<?x?xf16>

// C = 2 A B over all tiles by three blocks: the stages begin anew for each tile.
func.func @persistent(%a: !matrix {tile.shape = "MxK"}, %b: !matrix {tile.shape = "KxN"},
    %c: memref<?x?xf32> {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @persistent_reference, tile.atol = 1.0e-3, tile.rtol = 1.0e-4,
                tile.cases = ["M=64 K=64 N=128", "M=100 K=70 N=130", "M=33 K=33 N=300", "M=1 K=1 N=1", "M=40 K=0 N=70",
                              "M=0 K=5 N=5", "M=32 K=97 N=64"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %m = memref.dim %a, %c0 : !matrix
  %k = memref.dim %a, %c1 : !matrix
  %n = memref.dim %b, %c1 : !matrix
  %rows = affine.apply affine_map<(n) -> (n ceildiv 32)>(%m)
  %columns = affine.apply affine_map<(n) -> (n ceildiv 64)>(%n)
  %steps = affine.apply affine_map<(n) -> (n ceildiv 32)>(%k)
  tile.kernel (%p) in (3) {
    %as = tile.alloc : !a_tile
    %bs = tile.alloc : !b_tile
    %part = tile.alloc : !c_tile
    %sum = tile.alloc : !c_tile
    tile.persistent (%bx, %by) in (%columns, %rows) {
      tile.fill %sum, %zero : !c_tile
      tile.pipelined %s = 0 to %steps stages(2) {
        tile.copy %a[%by * 32, %s * 32], %as : !matrix, !a_tile
        tile.copy %b[%s * 32, %bx * 64], %bs : !matrix, !b_tile
        tile.gemm %as, %bs, %part {clear} : !a_tile, !b_tile, !c_tile
        tile.parallel (%i, %j) in (32, 64) {
          %u = memref.load %part[%i, %j] : !c_tile
          %v = memref.load %sum[%i, %j] : !c_tile
          %d = arith.mulf %u, %two : f32
          %t = arith.addf %v, %d : f32
          memref.store %t, %sum[%i, %j] : !c_tile
        }
      }
      tile.copy %sum, %c[%by * 32, %bx * 64] : !c_tile, memref<?x?xf32>
    }
  }
  return
}

func.func @persistent_reference(%a: !matrix, %b: !matrix, %c: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %m = memref.dim %a, %c0 : !matrix
  %k = memref.dim %a, %c1 : !matrix
  %n = memref.dim %b, %c1 : !matrix
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %sum = affine.for %l = 0 to %k iter_args(%old = %zero) -> f32 {
        %x = affine.load %a[%i, %l] : !matrix
        %y = affine.load %b[%l, %j] : !matrix
        %xd = arith.extf %x : f16 to f32
        %yd = arith.extf %y : f16 to f32
        %q = arith.mulf %xd, %yd : f32
        %next = arith.addf %old, %q : f32
        affine.yield %next : f32
      }
      %r = arith.mulf %sum, %two : f32
      affine.store %r, %c[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
