// RUN: tile-opt %s --tile-verify-semantics --remarks-filter='tile-verify.*' --verify-diagnostics | FileCheck %s

// Programs without a race, or without a proven one; remarks only where the text says so.

// CHECK-LABEL: @independent
func.func @independent(%x: memref<?x?xf32>, %y: memref<1024xf32>, %z: memref<128x4xf32>, %v: f32, %n: index, %m: index,
                       %vec: vector<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<65xf32, #tile.shared>
    %l = tile.alloc : memref<4xf32, #tile.local>
    tile.fill %s, %v : memref<65xf32, #tile.shared>
    // Its own element, of unknown extents, behind an unknown offset.
    tile.parallel (%i, %j) in (%n, %m) {
      %p = arith.addi %i, %n : index
      %a = memref.load %x[%p, %j] : memref<?x?xf32>
      memref.store %a, %x[%p, %j] : memref<?x?xf32>
    }
    // Two dimensions in one.
    tile.parallel (%i, %j) in (4, 64) {
      %p = affine.apply affine_map<(b, i, j) -> (b * 256 + i * 64 + j)>(%b, %i, %j)
      memref.store %v, %y[%p] : memref<1024xf32>
    }
    // Mixed radix, written with unsigned arithmetic.
    tile.parallel (%i) in (512) {
      %q = arith.divui %i, %c8 : index
      %r = arith.remui %i, %c8 : index
      %p = arith.muli %r, %c2 : index
      %w = affine.apply affine_map<(q, p) -> (p * 32 + q)>(%q, %p)
      memref.store %v, %y[%w] : memref<1024xf32>
    }
    // Even elements are written, odd ones read.
    tile.parallel (%i) in (32) {
      %even = affine.apply affine_map<(i) -> (i * 2)>(%i)
      %odd = affine.apply affine_map<(i) -> (i * 2 + 1)>(%i)
      %a = memref.load %s[%odd] : memref<65xf32, #tile.shared>
      memref.store %a, %s[%even] : memref<65xf32, #tile.shared>
    }
    // Inner loops over a private row; vectors side by side.
    tile.parallel (%i) in (32) {
      scf.for %k = %c0 to %c8 step %c2 {
        %p = affine.apply affine_map<(i, k) -> (i * 8 + k)>(%i, %k)
        memref.store %v, %y[%p] : memref<1024xf32>
      }
      %q = affine.apply affine_map<(i) -> (i * 4 + 512)>(%i)
      vector.store %vec, %y[%q] : memref<1024xf32>, vector<4xf32>
    }
    // One iteration only, by a guard or by the extent.
    tile.parallel (%i) in (64) {
      %first = arith.cmpi eq, %i, %c0 : index
      scf.if %first {
        memref.store %v, %s[%c1] : memref<65xf32, #tile.shared>
      }
      %rest = arith.cmpi ugt, %i, %c1 : index
      scf.if %rest {
        memref.store %v, %s[%i] : memref<65xf32, #tile.shared>
      } else {
        scf.if %first {
          memref.store %v, %s[%i] : memref<65xf32, #tile.shared>
        }
      }
    }
    tile.parallel (%i) in (1) {
      memref.store %v, %s[%c0] : memref<65xf32, #tile.shared>
    }
    // Two writes, kept apart by the parity that both guards agree on.
    tile.parallel (%i) in (64) {
      %parity = affine.apply affine_map<(i) -> (i mod 2)>(%i)
      %isEven = arith.cmpi eq, %parity, %c0 : index
      %half = affine.apply affine_map<(i) -> (i floordiv 2)>(%i)
      scf.if %isEven {
        memref.store %v, %s[%half] : memref<65xf32, #tile.shared>
      }
    }
    // Private buffers, also those of upstream ops.
    tile.parallel (%i) in (64) {
      %mine = memref.alloca() : memref<4xf32>
      memref.store %v, %l[%c0] : memref<4xf32, #tile.local>
      memref.store %v, %mine[%c0] : memref<4xf32>
    }
    // Reads share everything.
    tile.parallel (%i) in (64) {
      %a = memref.load %s[%c0] : memref<65xf32, #tile.shared>
    }
  }
  return
}

// Atomics with themselves; a last element that both writes drop; assumptions.
// CHECK-LABEL: @free_by_language
func.func @free_by_language(%h: memref<16xi32>, %x: memref<64xf32>, %one: i32, %v: f32, %n: index, %lower: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %enough = arith.cmpi sge, %lower, %c1 : index
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) {
      tile.atomic add %one, %h[%c0] : i32, memref<16xi32>
      memref.atomic_rmw addi %one, %h[%c0] : (i32, memref<16xi32>) -> i32
    }
    tile.parallel (%i) in (64) {
      %c64 = arith.constant 64 : index
      memref.store %v, %x[%c64] : memref<64xf32>
    }
    tile.assume %enough
    tile.parallel (%i) in (64) {
      %below = arith.cmpi slt, %i, %lower : index
      %p = affine.apply affine_map<(i) -> (i + 32)>(%i)
      %q = arith.subi %c0, %lower : index
      memref.store %v, %x[%i] : memref<64xf32>
      memref.store %v, %x[%q] : memref<64xf32>
    }
  }
  return
}

// CHECK-LABEL: @not_proven
func.func @not_proven(%idx: memref<64xindex>, %x: memref<64xf32>, %y: memref<?xf32>, %v: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    // Indirect.
    // expected-remark @below {{race freedom of the iterations not proven}}
    tile.parallel (%i) in (64) {
      %p = memref.load %idx[%i] : memref<64xindex>
      memref.store %v, %x[%p] : memref<64xf32>
    }
    // Under a guard that is not affine.
    // expected-remark @below {{race freedom of the iterations not proven}}
    tile.parallel (%i) in (64) {
      %a = memref.load %x[%i] : memref<64xf32>
      %c = arith.cmpf ogt, %a, %zero : f32
      scf.if %c {
        memref.store %v, %y[%c0] : memref<?xf32>
      }
    }
    // For some extents and not for others.
    // expected-remark @below {{race freedom of the iterations not proven}}
    tile.parallel (%i) in (%n) {
      %p = affine.apply affine_map<(i) -> (i mod 16)>(%i)
      memref.store %v, %x[%p] : memref<64xf32>
    }
    // Products of what is not known.
    // expected-remark @below {{race freedom of the iterations not proven}}
    tile.parallel (%i) in (64) {
      %p = arith.muli %i, %n : index
      memref.store %v, %x[%p] : memref<64xf32>
    }
    // A call may do anything.
    // expected-remark @below {{race freedom of the iterations not proven}}
    tile.parallel (%i) in (64) {
      func.call @callee(%i) : (index) -> ()
    }
    // An indirect index in one dimension does no harm when another one tells the iterations apart.
    tile.parallel (%i, %j) in (8, 8) {
      %s = memref.alloca() : memref<8xindex>
      %p = memref.load %idx[%i] : memref<64xindex>
      %view = memref.reinterpret_cast %x to offset: [0], sizes: [8, 8], strides: [8, 1] : memref<64xf32> to memref<8x8xf32, strided<[8, 1]>>
      %q = memref.load %view[%i, %j] : memref<8x8xf32, strided<[8, 1]>>
    }
  }
  return
}
func.func private @callee(index)

// CHECK-LABEL: @indirect_row
func.func @indirect_row(%idx: memref<64xindex>, %x: memref<64x64xf32>, %v: f32) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) {
      %p = memref.load %idx[%i] : memref<64xindex>
      memref.store %v, %x[%i, %p] : memref<64x64xf32>
    }
  }
  return
}

// CHECK-LABEL: @blocks_free
func.func @blocks_free(%x: memref<?x?xf32>, %y: memref<8xf32>, %n: index, %v: f32) {
  %c0 = arith.constant 0 : index
  tile.kernel (%bx, %by) in (%n, 4) {
    %t = tile.alloc : memref<16x32xf32, #tile.fragment>
    tile.fill %t, %v : memref<16x32xf32, #tile.fragment>
    tile.copy %t, %x[%by * 16, %bx * 32] : memref<16x32xf32, #tile.fragment>, memref<?x?xf32>
    %x0 = arith.cmpi eq, %bx, %c0 : index
    %y0 = arith.cmpi eq, %by, %c0 : index
    %first = arith.andi %x0, %y0 : i1
    scf.if %first {
      tile.fill %y, %v : memref<8xf32>
    }
  }
  // One block.
  tile.kernel (%bx) in (1) {
    tile.fill %y, %v : memref<8xf32>
  }
  // Points of a domain are taken once.
  tile.kernel (%p) in (3) {
    %t = tile.alloc : memref<16x32xf32, #tile.fragment>
    tile.fill %t, %v : memref<16x32xf32, #tile.fragment>
    tile.persistent (%i, %j) in (4, 4) {
      tile.copy %t, %x[%i * 16, %j * 32] : memref<16x32xf32, #tile.fragment>, memref<?x?xf32>
    }
  }
  return
}

// CHECK-LABEL: @blocks_not_proven
func.func @blocks_not_proven(%y: memref<8xf32>, %flags: memref<4xi1>, %n: index, %v: f32) {
  %c0 = arith.constant 0 : index
  // One block or more.
  // expected-remark @below {{race freedom of the blocks not proven}}
  tile.kernel (%b) in (%n) {
    tile.fill %y, %v : memref<8xf32>
  }
  // The data decides.
  // expected-remark @below {{race freedom of the blocks not proven}}
  tile.kernel (%b) in (4) {
    %flag = memref.load %flags[%b] : memref<4xi1>
    scf.if %flag {
      tile.fill %y, %v : memref<8xf32>
    }
  }
  // expected-remark @below {{race freedom of the blocks not proven}}
  tile.kernel (%b) in (2) {
    tile.persistent (%i) in (4) {
      tile.fill %y, %v : memref<8xf32>
    }
  }
  return
}

// Threads are not the same in all iterations, and blocks not in all of a kernel.
// CHECK-LABEL: @coordinates
func.func @coordinates(%x: memref<1024xf32>, %y: memref<64xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  tile.kernel (%b) in (1) {
    %t = gpu.thread_id x
    // expected-remark @below {{race freedom of the iterations not proven}}
    tile.parallel (%i) in (64) {
      %u = gpu.thread_id x
      memref.store %v, %y[%t] : memref<64xf32>
      memref.store %v, %x[%u] : memref<1024xf32>
    }
  }
  // expected-remark @below {{race freedom of the blocks not proven}}
  tile.kernel (%b) in (4) {
    %other = gpu.block_id x
    memref.store %v, %x[%other] : memref<1024xf32>
  }
  return
}

// Views that cannot be followed.
// CHECK-LABEL: @views
func.func @views(%x: memref<*xf32>, %y: memref<64xf32>, %v: f32, %n: index) {
  tile.kernel (%b) in (1) {
    %a = memref.cast %x : memref<*xf32> to memref<64xf32>
    %c = memref.cast %x : memref<*xf32> to memref<?xf32>
    // expected-remark @below {{race freedom of the iterations not proven}}
    tile.parallel (%i) in (64) {
      memref.store %v, %a[%i] : memref<64xf32>
      memref.store %v, %c[%i] : memref<?xf32>
    }
    %odd = memref.subview %y[1] [32] [2] : memref<64xf32> to memref<32xf32, strided<[2], offset: 1>>
    %even = memref.subview %y[0] [32] [2] : memref<64xf32> to memref<32xf32, strided<[2]>>
    tile.parallel (%i) in (31) {
      %p = affine.apply affine_map<(i) -> (30 - i)>(%i)
      memref.store %v, %odd[%i] : memref<32xf32, strided<[2], offset: 1>>
      memref.store %v, %even[%p] : memref<32xf32, strided<[2]>>
    }
    %strided = memref.reinterpret_cast %y to offset: [0], sizes: [8], strides: [%n] : memref<64xf32> to memref<8xf32, strided<[?]>>
    // expected-remark @below {{race freedom of the iterations not proven}}
    tile.parallel (%i) in (8) {
      memref.store %v, %strided[%i] : memref<8xf32, strided<[?]>>
    }
  }
  return
}
