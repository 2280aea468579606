// REQUIRES: tile-run
// RUN: sed -e 's/TYPE/f32/g; s/LOWEST/0xFF800000/g; s/RTOL/1.0e-5/g; s/ATOL/1.0e-9/g' %s > %t.f32.mlir
// RUN: tile-run --target=ascend %t.f32.mlir | FileCheck %s
// RUN: tile-run --target=ascend --chip=950 %t.f32.mlir | FileCheck %s
// RUN: sed -e 's/TYPE/f16/g; s/LOWEST/0xFC00/g; s/RTOL/9.765625e-4/g; s/ATOL/6.0e-8/g' %s > %t.f16.mlir
// RUN: tile-run --target=ascend %t.f16.mlir | FileCheck %s
// RUN: tile-run --target=ascend --chip=950 %t.f16.mlir | FileCheck %s
// RUN: sed -e 's/TYPE/bf16/g; s/LOWEST/0xFF80/g; s/RTOL/7.8125e-3/g; s/ATOL/1.0e-9/g' %s > %t.bf16.mlir
// RUN: tile-run --target=ascend %t.bf16.mlir | FileCheck %s
// RUN: tile-run --target=ascend --chip=950 %t.bf16.mlir | FileCheck %s

// Functions and norms of f32, f16 and bf16 on the Ascend model: computed in f32, and rounded once (two ulp are allowed,
// and the smallest f16). Softmax takes 51200 columns.

// CHECK-NOT: FAIL
// CHECK: {{^}}14 passed, 0 failed

!matrix = memref<?x?xTYPE>
!tile = memref<16x256xf32, #tile.shared>
!column = memref<16xf32, #tile.fragment>

func.func @sigmoid(%x: !matrix {tile.shape = "MxN"}, %y: !matrix {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @sigmoid_reference, tile.atol = ATOL, tile.rtol = RTOL,
                tile.cases = ["M=32 N=512", "M=19 N=300", "M=1 N=1", "M=0 N=7", "M=3 N=0"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %m = memref.dim %x, %c0 : !matrix
  %n = memref.dim %x, %c1 : !matrix
  %rows = affine.apply affine_map<(n) -> (n ceildiv 16)>(%m)
  %columns = affine.apply affine_map<(n) -> (n ceildiv 256)>(%n)
  tile.kernel (%bx, %by) in (%columns, %rows) {
    %t = tile.alloc : !tile
    tile.copy %x[%by * 16, %bx * 256], %t : !matrix, !tile
    tile.parallel (%i, %j) in (16, 256) {
      %v = memref.load %t[%i, %j] : !tile
      %neg = arith.negf %v : f32
      %e = math.exp %neg : f32
      %d = arith.addf %e, %one : f32
      %s = arith.divf %one, %d : f32
      memref.store %s, %t[%i, %j] : !tile
    }
    tile.copy %t, %y[%by * 16, %bx * 256] : !tile, !matrix
  }
  return
}

func.func @sigmoid_reference(%x: !matrix, %y: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f64
  %m = memref.dim %x, %c0 : !matrix
  %n = memref.dim %x, %c1 : !matrix
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %v = affine.load %x[%i, %j] : !matrix
      %d = arith.extf %v : TYPE to f64
      %neg = arith.negf %d : f64
      %e = math.exp %neg : f64
      %q = arith.addf %e, %one : f64
      %s = arith.divf %one, %q : f64
      %r = arith.truncf %s : f64 to TYPE
      affine.store %r, %y[%i, %j] : !matrix
    }
  }
  return
}

// Online: the maximum and the sum in one pass, the quotients in another.
func.func @softmax(%x: !matrix {tile.shape = "MxN"}, %y: !matrix {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @softmax_reference, tile.atol = ATOL, tile.rtol = RTOL,
                tile.cases = ["M=34 N=130", "M=17 N=513", "M=3 N=51200", "M=1 N=1"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %none = arith.constant LOWEST : TYPE
  %m = memref.dim %x, %c0 : !matrix
  %n = memref.dim %x, %c1 : !matrix
  %blocks = affine.apply affine_map<(n) -> (n ceildiv 16)>(%m)
  %steps = affine.apply affine_map<(n) -> (n ceildiv 256)>(%n)
  tile.kernel (%b) in (%blocks) {
    tile.padding_value %x, %none : !matrix
    %xs = tile.alloc : !tile
    %max = tile.alloc : !column
    %old = tile.alloc : !column
    %sum = tile.alloc : !column
    tile.fill %max, %lowest : !column
    tile.fill %sum, %zero : !column
    tile.pipelined %s = 0 to %steps stages(2) {
      tile.copy %x[%b * 16, %s * 256], %xs : !matrix, !tile
      tile.copy %max, %old : !column, !column
      tile.reduce max %xs, %max dim(1) {combine} : !tile, !column
      tile.parallel (%i) in (16) {
        %before = memref.load %old[%i] : !column
        %now = memref.load %max[%i] : !column
        %d = arith.subf %before, %now : f32
        %scale = math.exp %d : f32
        %l = memref.load %sum[%i] : !column
        %scaled = arith.mulf %l, %scale : f32
        memref.store %scaled, %sum[%i] : !column
      }
      tile.parallel (%i, %j) in (16, 256) {
        %v = memref.load %xs[%i, %j] : !tile
        %now = memref.load %max[%i] : !column
        %d = arith.subf %v, %now : f32
        %p = math.exp %d : f32
        memref.store %p, %xs[%i, %j] : !tile
      }
      tile.reduce sum %xs, %sum dim(1) {combine} : !tile, !column
    }
    tile.pipelined %s = 0 to %steps stages(2) {
      tile.copy %x[%b * 16, %s * 256], %xs : !matrix, !tile
      tile.parallel (%i, %j) in (16, 256) {
        %v = memref.load %xs[%i, %j] : !tile
        %now = memref.load %max[%i] : !column
        %l = memref.load %sum[%i] : !column
        %d = arith.subf %v, %now : f32
        %p = math.exp %d : f32
        %r = arith.divf %p, %l : f32
        memref.store %r, %xs[%i, %j] : !tile
      }
      tile.copy %xs, %y[%b * 16, %s * 256] : !tile, !matrix
    }
  }
  return
}

func.func @softmax_reference(%x: !matrix, %y: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %lowest = arith.constant 0xFFF0000000000000 : f64
  %m = memref.dim %x, %c0 : !matrix
  %n = memref.dim %x, %c1 : !matrix
  affine.for %i = 0 to %m {
    %max = affine.for %j = 0 to %n iter_args(%acc = %lowest) -> f64 {
      %v = affine.load %x[%i, %j] : !matrix
      %vd = arith.extf %v : TYPE to f64
      %next = arith.maximumf %acc, %vd : f64
      affine.yield %next : f64
    }
    %sum = affine.for %j = 0 to %n iter_args(%acc = %zero) -> f64 {
      %v = affine.load %x[%i, %j] : !matrix
      %vd = arith.extf %v : TYPE to f64
      %d = arith.subf %vd, %max : f64
      %e = math.exp %d : f64
      %next = arith.addf %acc, %e : f64
      affine.yield %next : f64
    }
    affine.for %j = 0 to %n {
      %v = affine.load %x[%i, %j] : !matrix
      %vd = arith.extf %v : TYPE to f64
      %d = arith.subf %vd, %max : f64
      %e = math.exp %d : f64
      %q = arith.divf %e, %sum : f64
      %r = arith.truncf %q : f64 to TYPE
      affine.store %r, %y[%i, %j] : !matrix
    }
  }
  return
}

// y = x / sqrt(mean(x²) + 2^-20)
func.func @rms_norm(%x: !matrix {tile.shape = "MxN"}, %y: !matrix {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @rms_norm_reference, tile.atol = ATOL, tile.rtol = RTOL,
                tile.cases = ["M=34 N=34", "M=27 N=270", "M=16 N=1030", "M=1 N=1", "M=5 N=256"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %epsilon = arith.constant 9.5367431640625e-7 : f32
  %m = memref.dim %x, %c0 : !matrix
  %n = memref.dim %x, %c1 : !matrix
  %blocks = affine.apply affine_map<(n) -> (n ceildiv 16)>(%m)
  %steps = affine.apply affine_map<(n) -> (n ceildiv 256)>(%n)
  %width = arith.index_cast %n : index to i32
  %widthf = arith.sitofp %width : i32 to f32
  tile.kernel (%b) in (%blocks) {
    %xs = tile.alloc : !tile
    %sq = tile.alloc : !tile
    %sum = tile.alloc : !column
    tile.fill %sum, %zero : !column
    tile.pipelined %s = 0 to %steps stages(2) {
      tile.copy %x[%b * 16, %s * 256], %xs : !matrix, !tile
      tile.parallel (%i, %j) in (16, 256) {
        %v = memref.load %xs[%i, %j] : !tile
        %q = arith.mulf %v, %v : f32
        memref.store %q, %sq[%i, %j] : !tile
      }
      tile.reduce sum %sq, %sum dim(1) {combine} : !tile, !column
    }
    tile.parallel (%i) in (16) {
      %l = memref.load %sum[%i] : !column
      %mean = arith.divf %l, %widthf : f32
      %v = arith.addf %mean, %epsilon : f32
      %r = math.sqrt %v : f32
      memref.store %r, %sum[%i] : !column
    }
    tile.pipelined %s = 0 to %steps stages(2) {
      tile.copy %x[%b * 16, %s * 256], %xs : !matrix, !tile
      tile.parallel (%i, %j) in (16, 256) {
        %v = memref.load %xs[%i, %j] : !tile
        %l = memref.load %sum[%i] : !column
        %r = arith.divf %v, %l : f32
        memref.store %r, %xs[%i, %j] : !tile
      }
      tile.copy %xs, %y[%b * 16, %s * 256] : !tile, !matrix
    }
  }
  return
}

func.func @rms_norm_reference(%x: !matrix, %y: !matrix) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %epsilon = arith.constant 9.5367431640625e-7 : f64
  %m = memref.dim %x, %c0 : !matrix
  %n = memref.dim %x, %c1 : !matrix
  %width = arith.index_cast %n : index to i64
  %widthd = arith.sitofp %width : i64 to f64
  affine.for %i = 0 to %m {
    %sum = affine.for %j = 0 to %n iter_args(%acc = %zero) -> f64 {
      %v = affine.load %x[%i, %j] : !matrix
      %vd = arith.extf %v : TYPE to f64
      %q = arith.mulf %vd, %vd : f64
      %next = arith.addf %acc, %q : f64
      affine.yield %next : f64
    }
    %mean = arith.divf %sum, %widthd : f64
    %w = arith.addf %mean, %epsilon : f64
    %root = math.sqrt %w : f64
    affine.for %j = 0 to %n {
      %v = affine.load %x[%i, %j] : !matrix
      %vd = arith.extf %v : TYPE to f64
      %q = arith.divf %vd, %root : f64
      %r = arith.truncf %q : f64 to TYPE
      affine.store %r, %y[%i, %j] : !matrix
    }
  }
  return
}
