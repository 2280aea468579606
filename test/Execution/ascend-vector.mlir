// REQUIRES: tile-run
// RUN: tile-run --target=ascend %s | FileCheck %s
// RUN: tile-run --target=ascend --chip=950 %s | FileCheck %s

// The vector unit on the Ascend model: element types, tails, broadcasts, masks, reductions, loops.

// CHECK-NOT: FAIL
// CHECK: {{^}}20 passed, 0 failed

func.func @sigmoid_f32(%x: memref<?x?xf32> {tile.shape = "MxN"}, %y: memref<?x?xf32> {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @sigmoid_f32_reference, tile.atol = 1.0e-6, tile.rtol = 1.0e-6,
                tile.cases = ["M=16 N=128", "M=33 N=130", "M=1 N=1"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %m = memref.dim %x, %c0 : memref<?x?xf32>
  %n = memref.dim %x, %c1 : memref<?x?xf32>
  %rows = affine.apply affine_map<(n) -> (n ceildiv 16)>(%m)
  %columns = affine.apply affine_map<(n) -> (n ceildiv 100)>(%n)
  tile.kernel (%bx, %by) in (%columns, %rows) {
    tile.parallel (%i, %j) in (16, 100) {
      %p = affine.apply affine_map<(b, i) -> (b * 16 + i)>(%by, %i)
      %q = affine.apply affine_map<(b, j) -> (b * 100 + j)>(%bx, %j)
      %v = memref.load %x[%p, %q] : memref<?x?xf32>
      %negative = arith.negf %v : f32
      %e = math.exp %negative : f32
      %d = arith.addf %e, %one : f32
      %s = arith.divf %one, %d : f32
      memref.store %s, %y[%p, %q] : memref<?x?xf32>
    }
  }
  return
}

func.func @sigmoid_f32_reference(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f64
  %m = memref.dim %x, %c0 : memref<?x?xf32>
  %n = memref.dim %x, %c1 : memref<?x?xf32>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %v = affine.load %x[%i, %j] : memref<?x?xf32>
      %w = arith.extf %v : f32 to f64
      %negative = arith.negf %w : f64
      %e = math.exp %negative : f64
      %d = arith.addf %e, %one : f64
      %s = arith.divf %one, %d : f64
      %r = arith.truncf %s : f64 to f32
      affine.store %r, %y[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

func.func @sigmoid_f16(%x: memref<?x?xf16> {tile.shape = "MxN"}, %y: memref<?x?xf16> {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @sigmoid_f16_reference, tile.atol = 2.0e-3, tile.rtol = 2.0e-3,
                tile.cases = ["M=16 N=128", "M=33 N=130", "M=1 N=1"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f16
  %m = memref.dim %x, %c0 : memref<?x?xf16>
  %n = memref.dim %x, %c1 : memref<?x?xf16>
  %rows = affine.apply affine_map<(n) -> (n ceildiv 16)>(%m)
  %columns = affine.apply affine_map<(n) -> (n ceildiv 100)>(%n)
  tile.kernel (%bx, %by) in (%columns, %rows) {
    tile.parallel (%i, %j) in (16, 100) {
      %p = affine.apply affine_map<(b, i) -> (b * 16 + i)>(%by, %i)
      %q = affine.apply affine_map<(b, j) -> (b * 100 + j)>(%bx, %j)
      %v = memref.load %x[%p, %q] : memref<?x?xf16>
      %negative = arith.negf %v : f16
      %e = math.exp %negative : f16
      %d = arith.addf %e, %one : f16
      %s = arith.divf %one, %d : f16
      memref.store %s, %y[%p, %q] : memref<?x?xf16>
    }
  }
  return
}

func.func @sigmoid_f16_reference(%x: memref<?x?xf16>, %y: memref<?x?xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f64
  %m = memref.dim %x, %c0 : memref<?x?xf16>
  %n = memref.dim %x, %c1 : memref<?x?xf16>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %v = affine.load %x[%i, %j] : memref<?x?xf16>
      %w = arith.extf %v : f16 to f64
      %negative = arith.negf %w : f64
      %e = math.exp %negative : f64
      %d = arith.addf %e, %one : f64
      %s = arith.divf %one, %d : f64
      %r = arith.truncf %s : f64 to f16
      affine.store %r, %y[%i, %j] : memref<?x?xf16>
    }
  }
  return
}

func.func @sigmoid_bf16(%x: memref<?x?xbf16> {tile.shape = "MxN"}, %y: memref<?x?xbf16> {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @sigmoid_bf16_reference, tile.atol = 1.6e-2, tile.rtol = 1.6e-2,
                tile.cases = ["M=16 N=128", "M=33 N=130", "M=1 N=1"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : bf16
  %m = memref.dim %x, %c0 : memref<?x?xbf16>
  %n = memref.dim %x, %c1 : memref<?x?xbf16>
  %rows = affine.apply affine_map<(n) -> (n ceildiv 16)>(%m)
  %columns = affine.apply affine_map<(n) -> (n ceildiv 100)>(%n)
  tile.kernel (%bx, %by) in (%columns, %rows) {
    tile.parallel (%i, %j) in (16, 100) {
      %p = affine.apply affine_map<(b, i) -> (b * 16 + i)>(%by, %i)
      %q = affine.apply affine_map<(b, j) -> (b * 100 + j)>(%bx, %j)
      %v = memref.load %x[%p, %q] : memref<?x?xbf16>
      %negative = arith.negf %v : bf16
      %e = math.exp %negative : bf16
      %d = arith.addf %e, %one : bf16
      %s = arith.divf %one, %d : bf16
      memref.store %s, %y[%p, %q] : memref<?x?xbf16>
    }
  }
  return
}

func.func @sigmoid_bf16_reference(%x: memref<?x?xbf16>, %y: memref<?x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f64
  %m = memref.dim %x, %c0 : memref<?x?xbf16>
  %n = memref.dim %x, %c1 : memref<?x?xbf16>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %v = affine.load %x[%i, %j] : memref<?x?xbf16>
      %w = arith.extf %v : bf16 to f64
      %negative = arith.negf %w : f64
      %e = math.exp %negative : f64
      %d = arith.addf %e, %one : f64
      %s = arith.divf %one, %d : f64
      %r = arith.truncf %s : f64 to bf16
      affine.store %r, %y[%i, %j] : memref<?x?xbf16>
    }
  }
  return
}

// Integers, and a third dimension that stays a loop.
func.func @add_3d(%a: memref<3x5x24xi32> {tile.init = "integers(-9,9)"}, %c: memref<3x5x24xi32> {tile.result})
    attributes {tile.reference = @add_3d_reference} {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<5x24xi32, #tile.shared>
    tile.copy %a[1, 0, 0] [1, 5, 24], %x : memref<3x5x24xi32>, memref<5x24xi32, #tile.shared>
    tile.parallel (%i, %j, %k) in (3, 5, 24) {
      %v = memref.load %a[%i, %j, %k] : memref<3x5x24xi32>
      %w = memref.load %x[%j, %k] : memref<5x24xi32, #tile.shared>
      %s = arith.addi %v, %w : i32
      memref.store %s, %c[%i, %j, %k] : memref<3x5x24xi32>
    }
  }
  return
}

func.func @add_3d_reference(%a: memref<3x5x24xi32>, %c: memref<3x5x24xi32>) {
  affine.for %i = 0 to 3 {
    affine.for %j = 0 to 5 {
      affine.for %k = 0 to 24 {
        %v = affine.load %a[%i, %j, %k] : memref<3x5x24xi32>
        %w = affine.load %a[1, %j, %k] : memref<3x5x24xi32>
        %s = arith.addi %v, %w : i32
        affine.store %s, %c[%i, %j, %k] : memref<3x5x24xi32>
      }
    }
  }
  return
}

// A causal mask: y[i, j] = j <= i ? x[i, j] : -1.
func.func @causal(%x: memref<32x64xf32>, %y: memref<32x64xf32> {tile.result})
    attributes {tile.reference = @causal_reference} {
  %minus = arith.constant -1.0 : f32
  tile.kernel (%b) in (2) {
    %t = tile.alloc : memref<16x64xf32, #tile.shared>
    tile.copy %x[%b * 16, 0], %t : memref<32x64xf32>, memref<16x64xf32, #tile.shared>
    tile.parallel (%i, %j) in (16, 64) {
      %row = affine.apply affine_map<(b, i) -> (b * 16 + i)>(%b, %i)
      %visible = arith.cmpi ule, %j, %row : index
      %v = memref.load %t[%i, %j] : memref<16x64xf32, #tile.shared>
      %w = arith.select %visible, %v, %minus : f32
      memref.store %w, %t[%i, %j] : memref<16x64xf32, #tile.shared>
    }
    tile.copy %t, %y[%b * 16, 0] : memref<16x64xf32, #tile.shared>, memref<32x64xf32>
  }
  return
}

func.func @causal_reference(%x: memref<32x64xf32>, %y: memref<32x64xf32>) {
  %minus = arith.constant -1.0 : f32
  affine.for %i = 0 to 32 {
    affine.for %j = 0 to 64 {
      %visible = arith.cmpi ule, %j, %i : index
      %v = affine.load %x[%i, %j] : memref<32x64xf32>
      %w = arith.select %visible, %v, %minus : f32
      affine.store %w, %y[%i, %j] : memref<32x64xf32>
    }
  }
  return
}

// The outer product of a column and a row, and reductions of both dimensions.
func.func @sums(%a: memref<20xf32>, %b: memref<72xf32>, %r: memref<20xf32> {tile.result}, %c: memref<72xf32> {tile.result})
    attributes {tile.reference = @sums_reference, tile.atol = 1.0e-4, tile.rtol = 1.0e-5} {
  tile.kernel (%k) in (1) {
    %x = tile.alloc : memref<20xf32, #tile.shared>
    %y = tile.alloc : memref<72xf32, #tile.shared>
    %p = tile.alloc : memref<20x72xf32, #tile.fragment>
    %s = tile.alloc : memref<20xf32, #tile.fragment>
    %t = tile.alloc : memref<72xf32, #tile.fragment>
    tile.copy %a, %x : memref<20xf32>, memref<20xf32, #tile.shared>
    tile.copy %b, %y : memref<72xf32>, memref<72xf32, #tile.shared>
    tile.parallel (%i, %j) in (20, 72) {
      %u = memref.load %x[%i] : memref<20xf32, #tile.shared>
      %v = memref.load %y[%j] : memref<72xf32, #tile.shared>
      %w = arith.mulf %u, %v : f32
      memref.store %w, %p[%i, %j] : memref<20x72xf32, #tile.fragment>
    }
    tile.reduce sum %p, %s dim(1) : memref<20x72xf32, #tile.fragment>, memref<20xf32, #tile.fragment>
    tile.reduce absmax %p, %t dim(0) : memref<20x72xf32, #tile.fragment>, memref<72xf32, #tile.fragment>
    tile.copy %s, %r : memref<20xf32, #tile.fragment>, memref<20xf32>
    tile.copy %t, %c : memref<72xf32, #tile.fragment>, memref<72xf32>
  }
  return
}

func.func @sums_reference(%a: memref<20xf32>, %b: memref<72xf32>, %r: memref<20xf32>, %c: memref<72xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 20 {
    %x = affine.load %a[%i] : memref<20xf32>
    %sum = affine.for %j = 0 to 72 iter_args(%old = %zero) -> f32 {
      %y = affine.load %b[%j] : memref<72xf32>
      %p = arith.mulf %x, %y : f32
      %next = arith.addf %old, %p : f32
      affine.yield %next : f32
    }
    affine.store %sum, %r[%i] : memref<20xf32>
  }
  affine.for %j = 0 to 72 {
    %y = affine.load %b[%j] : memref<72xf32>
    %most = affine.for %i = 0 to 20 iter_args(%old = %zero) -> f32 {
      %x = affine.load %a[%i] : memref<20xf32>
      %p = arith.mulf %x, %y : f32
      %q = math.absf %p : f32
      %next = arith.maximumf %old, %q : f32
      affine.yield %next : f32
    }
    affine.store %most, %c[%j] : memref<72xf32>
  }
  return
}

// A loop that begins at 1 and has 0, 1, 2, 3 and 7 iterations, over a buffer that it carries.
func.func @trips(%x: memref<?x64xf32> {tile.shape = "Nx64"}, %y: memref<64xf32> {tile.result})
    attributes {tile.reference = @trips_reference, tile.cases = ["N=1", "N=2", "N=3", "N=4", "N=8"]} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x64xf32>
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64xf32, #tile.shared>
    %s = tile.alloc : memref<64xf32, #tile.fragment>
    tile.fill %s, %zero : memref<64xf32, #tile.fragment>
    tile.pipelined %i = 1 to %n stages(3) {
      tile.copy %x[%i, 0], %t : memref<?x64xf32>, memref<64xf32, #tile.shared>
      tile.parallel (%j) in (64) {
        %u = memref.load %s[%j] : memref<64xf32, #tile.fragment>
        %v = memref.load %t[%j] : memref<64xf32, #tile.shared>
        %w = arith.addf %u, %v : f32
        memref.store %w, %s[%j] : memref<64xf32, #tile.fragment>
      }
    }
    tile.copy %s, %y : memref<64xf32, #tile.fragment>, memref<64xf32>
  }
  return
}

func.func @trips_reference(%x: memref<?x64xf32>, %y: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x64xf32>
  affine.for %j = 0 to 64 {
    %sum = affine.for %i = 1 to %n iter_args(%old = %zero) -> f32 {
      %v = affine.load %x[%i, %j] : memref<?x64xf32>
      %next = arith.addf %old, %v : f32
      affine.yield %next : f32
    }
    affine.store %sum, %y[%j] : memref<64xf32>
  }
  return
}

// Persistent: three blocks share ten tiles.
func.func @persistent(%x: memref<?xf32> {tile.shape = "N"}, %y: memref<?xf32> {tile.shape = "N", tile.result})
    attributes {tile.reference = @persistent_reference, tile.cases = ["N=640", "N=100"]} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %tiles = affine.apply affine_map<(n) -> (n ceildiv 64)>(%n)
  tile.kernel (%p) in (3) {
    %t = tile.alloc : memref<64xf32, #tile.shared>
    tile.persistent (%i) in (%tiles) {
      tile.copy %x[%i * 64], %t : memref<?xf32>, memref<64xf32, #tile.shared>
      tile.parallel (%j) in (64) {
        %u = memref.load %t[%j] : memref<64xf32, #tile.shared>
        %v = arith.addf %u, %u : f32
        memref.store %v, %t[%j] : memref<64xf32, #tile.shared>
      }
      tile.copy %t, %y[%i * 64] : memref<64xf32, #tile.shared>, memref<?xf32>
    }
  }
  return
}

func.func @persistent_reference(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  affine.for %j = 0 to %n {
    %u = affine.load %x[%j] : memref<?xf32>
    %v = arith.addf %u, %u : f32
    affine.store %v, %y[%j] : memref<?xf32>
  }
  return
}

// Expert mode: memories, addresses and flags by hand.
func.func @by_hand(%a: memref<256xf32>, %b: memref<256xf32>, %c: memref<256xf32> {tile.result})
    attributes {tile.reference = @by_hand_reference} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  tile.kernel (%k) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : memref<64xf32, #tile.ub>
    %y = tile.alloc {ascend.address = 256 : i64} : memref<64xf32, #tile.ub>
    ascend.set_flag mte3 to mte2 id(0)
    scf.for %i = %c0 to %c4 step %c1 {
      %p = affine.apply affine_map<(i) -> (i * 64)>(%i)
      %ga = memref.subview %a[%p] [64] [1] : memref<256xf32> to memref<64xf32, strided<[1], offset: ?>>
      %gb = memref.subview %b[%p] [64] [1] : memref<256xf32> to memref<64xf32, strided<[1], offset: ?>>
      %gc = memref.subview %c[%p] [64] [1] : memref<256xf32> to memref<64xf32, strided<[1], offset: ?>>
      ascend.wait_flag mte3 to mte2 id(0)
      ascend.copy_gm_to_ub %x, %ga : memref<64xf32, #tile.ub>, memref<64xf32, strided<[1], offset: ?>>
      ascend.copy_gm_to_ub %y, %gb : memref<64xf32, #tile.ub>, memref<64xf32, strided<[1], offset: ?>>
      ascend.set_flag mte2 to v id(0)
      ascend.wait_flag mte2 to v id(0)
      ascend.binary add %x, %x, %y : memref<64xf32, #tile.ub>, memref<64xf32, #tile.ub>, memref<64xf32, #tile.ub>
      ascend.set_flag v to mte3 id(0)
      ascend.wait_flag v to mte3 id(0)
      ascend.copy_ub_to_gm %gc, %x : memref<64xf32, strided<[1], offset: ?>>, memref<64xf32, #tile.ub>
      ascend.set_flag mte3 to mte2 id(0)
    }
    ascend.wait_flag mte3 to mte2 id(0)
  }
  return
}

func.func @by_hand_reference(%a: memref<256xf32>, %b: memref<256xf32>, %c: memref<256xf32>) {
  affine.for %i = 0 to 256 {
    %x = affine.load %a[%i] : memref<256xf32>
    %y = affine.load %b[%i] : memref<256xf32>
    %s = arith.addf %x, %y : f32
    affine.store %s, %c[%i] : memref<256xf32>
  }
  return
}
