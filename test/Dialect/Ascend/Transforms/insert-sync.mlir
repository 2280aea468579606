// RUN: tile-opt %s --ascend-insert-sync --split-input-file | FileCheck %s
// RUN: tile-opt %s --ascend-insert-sync --split-input-file --remarks-filter='ascend-insert-sync' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK
// RUN: tile-opt %s --ascend-insert-sync --ascend-verify-sync --split-input-file -o /dev/null

!tile = memref<64xf32, #tile.ub>
!gm = memref<64xf32>

// Set behind the producer, wait before the consumer; what stands between may overlap.
// CHECK-LABEL: func.func @chain
func.func @chain(%a: !gm, %o: !gm) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    %y = tile.alloc {ascend.address = 256 : i64} : !tile
    // CHECK:      ascend.copy_gm_to_ub
    // CHECK-NEXT: ascend.set_flag mte2 to v id(0)
    // CHECK-NEXT: ascend.copy_gm_to_ub
    // CHECK-NEXT: ascend.set_flag mte2 to v id(1)
    // CHECK-NEXT: ascend.wait_flag mte2 to v id(0)
    // CHECK-NEXT: ascend.unary exp
    // CHECK-NEXT: ascend.pipe_barrier v
    // CHECK-NEXT: ascend.wait_flag mte2 to v id(1)
    // CHECK-NEXT: ascend.binary add
    // CHECK-NEXT: ascend.set_flag v to mte3 id(0)
    // CHECK-NEXT: ascend.wait_flag v to mte3 id(0)
    // CHECK-NEXT: ascend.copy_ub_to_gm
    ascend.copy_gm_to_ub %x, %a : !tile, !gm
    ascend.copy_gm_to_ub %y, %a : !tile, !gm
    ascend.unary exp %x, %x : !tile, !tile
    ascend.binary add %x, %x, %y : !tile, !tile, !tile
    ascend.copy_ub_to_gm %o, %x : !gm, !tile
  }
  return
}

// -----

!tile = memref<64xf32, #tile.ub>
!gm = memref<64xf32>

// From one iteration to the next: raised before the loop, taken behind it.
// CHECK-LABEL: func.func @loop
func.func @loop(%a: !gm, %o: !gm, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    // CHECK:      ascend.set_flag mte3 to mte2 id(0)
    // CHECK:      scf.for
    // CHECK:        ascend.wait_flag mte3 to mte2 id(0)
    // CHECK-NEXT:   ascend.copy_gm_to_ub
    // CHECK:        ascend.copy_ub_to_gm
    // CHECK-NEXT:   ascend.set_flag mte3 to mte2 id(0)
    // CHECK:      {{^ *}}}
    // CHECK:      ascend.wait_flag mte3 to mte2 id(0)
    scf.for %i = %c0 to %n step %c1 {
      ascend.copy_gm_to_ub %x, %a : !tile, !gm
      ascend.unary exp %x, %x : !tile, !tile
      ascend.copy_ub_to_gm %o, %x : !gm, !tile
    }
  }
  return
}

// -----

!tile = memref<64xf32, #tile.ub>
!gm = memref<64xf32>

// A flag between a branch and what follows stands outside of the branch; a barrier within a pipe stays in it.
// CHECK-LABEL: func.func @branch
func.func @branch(%a: !gm, %z: f32, %c: i1) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    %w = tile.alloc {ascend.address = 512 : i64} : !tile
    // CHECK:      scf.if
    // CHECK-NEXT:   ascend.duplicate
    // CHECK-NEXT:   ascend.unary
    // CHECK-NEXT:   ascend.pipe_barrier v
    // CHECK-NEXT: {{^ *}}}
    // CHECK-NEXT: ascend.set_flag v to mte3 id(0)
    // CHECK-NEXT: ascend.wait_flag v to mte3 id(0)
    // CHECK-NEXT: ascend.copy_ub_to_gm
    scf.if %c {
      ascend.duplicate %x, %z : !tile, f32
      ascend.unary exp %w, %w : !tile, !tile
    }
    ascend.copy_ub_to_gm %a, %x : !gm, !tile
    %y = tile.alloc {ascend.address = 256 : i64} : !tile
    ascend.unary exp %y, %x : !tile, !tile
  }
  return
}

// -----

!tile = memref<64xf32, #tile.ub>
!gm = memref<64xf32>

// Who waits for the last instruction of a branch of one pipe waits there, if it has nothing to do before.
// CHECK-LABEL: func.func @guarded
func.func @guarded(%a: !gm, %z: f32, %c: i1) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    %y = tile.alloc {ascend.address = 256 : i64} : !tile
    %w = tile.alloc {ascend.address = 512 : i64} : !tile
    // CHECK:      scf.if
    // CHECK-NEXT:   ascend.duplicate
    // CHECK-NEXT:   ascend.set_flag v to mte2 id(0)
    // CHECK-NEXT:   ascend.wait_flag v to mte2 id(0)
    // CHECK-NEXT: {{^ *}}}
    // CHECK-NEXT: ascend.copy_gm_to_ub
    scf.if %c {
      ascend.duplicate %x, %z : !tile, f32
    }
    ascend.copy_gm_to_ub %x, %a : !tile, !gm
    // CHECK-NEXT: ascend.set_flag mte2 to v id(0)
    // CHECK-NEXT: ascend.wait_flag mte2 to v id(0)
    ascend.unary exp %x, %x : !tile, !tile
    // CHECK-NEXT: ascend.unary
    // CHECK-NEXT: scf.if
    // CHECK-NEXT:   ascend.duplicate
    // CHECK-NEXT: {{^ *}}}
    // CHECK-NEXT: ascend.set_flag v to mte2 id(0)
    // CHECK-NEXT: ascend.copy_gm_to_ub
    scf.if %c {
      ascend.duplicate %y, %z : !tile, f32
    }
    ascend.copy_gm_to_ub %w, %a : !tile, !gm
    // CHECK-NEXT: ascend.wait_flag v to mte2 id(0)
    // CHECK-NEXT: ascend.copy_gm_to_ub
    ascend.copy_gm_to_ub %y, %a : !tile, !gm
  }
  return
}

// -----

!tile = memref<64xf32, #tile.ub>
!gm = memref<64xf32>

// Where all ids are taken on the way, nothing shows that one is clear again: a barrier takes the flag's place.
// CHECK-LABEL: func.func @ids
// REMARK: FullBarrier{{.*}}all event ids from v to mte3 are in use
func.func @ids(%a: !gm, %o: !gm, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    // CHECK:      ascend.unary
    // CHECK:      ascend.wait_flag v to mte3 id(5)
    // CHECK-NEXT: ascend.pipe_barrier all
    // CHECK-NEXT: ascend.copy_ub_to_gm
    ascend.set_flag v to mte3 id(0)
    ascend.set_flag v to mte3 id(1)
    ascend.set_flag v to mte3 id(2)
    ascend.set_flag v to mte3 id(3)
    ascend.set_flag v to mte3 id(4)
    ascend.set_flag v to mte3 id(5)
    ascend.unary exp %x, %x : !tile, !tile
    ascend.wait_flag v to mte3 id(5)
    ascend.copy_ub_to_gm %a, %x : !gm, !tile
    ascend.wait_flag v to mte3 id(0)
    ascend.wait_flag v to mte3 id(1)
    ascend.wait_flag v to mte3 id(2)
    ascend.wait_flag v to mte3 id(3)
    ascend.wait_flag v to mte3 id(4)
  }
  return
}

// -----

!tile = memref<64xf32, #tile.ub>
!gm = memref<64xf32>

// CHECK-LABEL: func.func @else
func.func @else(%a: !gm, %z: f32, %c: i1) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    // CHECK:      scf.if
    // CHECK-NEXT:   ascend.duplicate
    // CHECK:      ascend.set_flag v to mte3 id(0)
    // CHECK-NEXT: ascend.wait_flag v to mte3 id(0)
    // CHECK-NEXT: ascend.copy_ub_to_gm
    scf.if %c {
      ascend.duplicate %x, %z : !tile, f32
    } else {
      ascend.unary exp %x, %x : !tile, !tile
    }
    ascend.copy_ub_to_gm %a, %x : !gm, !tile
    %y = tile.alloc {ascend.address = 256 : i64} : !tile
    ascend.unary exp %y, %x : !tile, !tile
  }
  return
}

// -----

!tile = memref<64xf32, #tile.ub>
!gm = memref<64xf32>

// What is written by hand counts and stays.
// CHECK-LABEL: func.func @by_hand
func.func @by_hand(%a: !gm) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    // CHECK:      ascend.copy_gm_to_ub
    // CHECK-NEXT: ascend.pipe_barrier all
    // CHECK-NEXT: ascend.unary
    // CHECK-NEXT: {{^ *}}}
    ascend.copy_gm_to_ub %x, %a : !tile, !gm
    ascend.pipe_barrier all
    ascend.unary exp %x, %x : !tile, !tile
  }
  return
}

// -----

!tile = memref<64xf32, #tile.ub>

// Blocks of one global buffer that lie apart need no order.
// CHECK-LABEL: func.func @apart
func.func @apart(%o: memref<1024xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    // CHECK:     scf.for
    // CHECK-NOT: ascend.pipe_barrier
    // CHECK:     ascend.copy_ub_to_gm
    // CHECK-NEXT: {{^ *}}}
    scf.for %i = %c0 to %c16 step %c1 {
      %p = affine.apply affine_map<(i) -> (i * 64)>(%i)
      %v = memref.subview %o[%p] [64] [1] : memref<1024xf32> to memref<64xf32, strided<[1], offset: ?>>
      ascend.copy_ub_to_gm %v, %x : memref<64xf32, strided<[1], offset: ?>>, !tile
    }
  }
  return
}

// -----

// A loop fills a tile row by row: nothing orders one row after the other, but the store behind the loop comes after all.
// CHECK-LABEL: func @rows
func.func @rows(%a: memref<?x64xf32>, %o: memref<16x64xf32>, %l: memref<16xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0} : memref<16x64xf32, #tile.ub>
    // CHECK: scf.for
    // CHECK-NOT: ascend.pipe_barrier
    // CHECK: ascend.copy_gm_to_ub
    // CHECK-NOT: ascend.pipe_barrier
    // CHECK: ascend.set_flag mte2 to mte3
    scf.for %i = %c0 to %c16 step %c1 {
      %w = memref.load %l[%i] : memref<16xi32>
      %at = arith.index_cast %w : i32 to index
      %to = memref.subview %x[%i, 0] [1, 64] [1, 1] : memref<16x64xf32, #tile.ub> to memref<1x64xf32, strided<[64, 1], offset: ?>, #tile.ub>
      %from = memref.subview %a[%at, 0] [1, 64] [1, 1] : memref<?x64xf32> to memref<1x64xf32, strided<[64, 1], offset: ?>>
      ascend.copy_gm_to_ub %to, %from : memref<1x64xf32, strided<[64, 1], offset: ?>, #tile.ub>, memref<1x64xf32, strided<[64, 1], offset: ?>>
    }
    ascend.copy_ub_to_gm %o, %x : memref<16x64xf32>, memref<16x64xf32, #tile.ub>
  }
  return
}

// -----

!tile = memref<64xf32, #tile.ub>
!half = memref<32xf32, #tile.ub>

// Two buffers, one after the other in some of the same bytes: the second one waits for what reads the first one.
// CHECK-LABEL: func.func @shared_bytes
func.func @shared_bytes(%a: memref<64xf32>, %c: memref<32xf32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    %y = tile.alloc {ascend.address = 128 : i64} : !half
    // CHECK:      ascend.copy_ub_to_gm
    // CHECK-NEXT: ascend.set_flag mte3 to mte2 id(0)
    // CHECK-NEXT: ascend.wait_flag mte3 to mte2 id(0)
    // CHECK-NEXT: ascend.copy_gm_to_ub
    ascend.copy_gm_to_ub %x, %a : !tile, memref<64xf32>
    ascend.copy_ub_to_gm %a, %x : memref<64xf32>, !tile
    ascend.copy_gm_to_ub %y, %c : !half, memref<32xf32>
    ascend.copy_ub_to_gm %c, %y : memref<32xf32>, !half
  }
  return
}

// -----

// What a pipe waits for before a loop holds back none of the flags that it raises there: the first copy of the loop does not wait
// for the one before.

!row = memref<64xf32>
!part = memref<64xf32, #tile.ub>
// CHECK-LABEL: func.func @raised_before_wait
// CHECK:       ascend.set_flag{{ +}}mte2 to{{ +}}v id([[FIRST:[0-9]]])
// CHECK-NEXT:  ascend.set_flag{{ +}}v to{{ +}}mte2
// CHECK-NEXT:  ascend.wait_flag{{ +}}mte2 to{{ +}}v id([[FIRST]])
// CHECK-NEXT:  scf.for
func.func @raised_before_wait(%a: !row, %c: !row, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (1) {
    %q = tile.alloc {ascend.address = 0 : i64} : !part
    %x = tile.alloc {ascend.address = 256 : i64} : !part
    %s = tile.alloc {ascend.address = 512 : i64} : !part
    ascend.copy_gm_to_ub %q, %a : !part, !row
    scf.for %i = %c0 to %n step %c1 {
      ascend.copy_gm_to_ub %x, %c : !part, !row
      ascend.binary add %s, %q, %q : !part, !part, !part
      ascend.binary add %s, %s, %x : !part, !part, !part
    }
  }
  return
}

// -----

!tile = memref<64xf32, #tile.ub>
!gm = memref<64xf32>

// The copy of the first iteration does not wait for what the outer iteration before did last: the flags of the inner loop go around
// both. What orders the remainder is in the remainder.
// CHECK-LABEL: func.func @outer
func.func @outer(%a: !gm, %o: !gm, %n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    %s = tile.alloc {ascend.address = 256 : i64} : !tile
    // CHECK:      ascend.set_flag v to mte2 id([[FREE:[0-9]+]])
    // CHECK:      scf.for
    // CHECK-NOT:    v to mte2
    // CHECK:        scf.for
    // CHECK-NEXT:     ascend.wait_flag v to mte2 id([[FREE]])
    // CHECK-NEXT:     ascend.copy_gm_to_ub
    // CHECK:          ascend.binary add
    // CHECK:          ascend.set_flag v to mte2 id([[FREE]])
    // CHECK-NOT:    v to mte2
    // CHECK:        scf.if
    // CHECK-NEXT:     ascend.set_flag v to mte2 id([[REST:[0-9]+]])
    // CHECK-NEXT:     ascend.wait_flag v to mte2 id([[REST]])
    // CHECK-NEXT:     ascend.copy_gm_to_ub
    // CHECK:          ascend.binary add
    // CHECK:          ascend.set_flag v to mte2 id([[LAST:[0-9]+]])
    // CHECK:          ascend.wait_flag v to mte2 id([[LAST]])
    // CHECK:        }
    // CHECK-NOT:    v to mte2
    // CHECK:        ascend.copy_ub_to_gm
    // CHECK:      {{^    }}}
    // CHECK:      ascend.wait_flag v to mte2 id([[FREE]])
    scf.for %i = %c0 to %n step %c1 {
      ascend.binary sub %s, %s, %s : !tile, !tile, !tile
      scf.for %j = %c0 to %n step %c1 {
        ascend.copy_gm_to_ub %x, %a : !tile, !gm
        ascend.binary add %s, %s, %x : !tile, !tile, !tile
      }
      scf.if %c {
        ascend.copy_gm_to_ub %x, %a : !tile, !gm
        ascend.binary add %s, %s, %x : !tile, !tile, !tile
      }
      ascend.copy_ub_to_gm %o, %s : !gm, !tile
    }
  }
  return
}
