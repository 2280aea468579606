// RUN: tile-opt %s --ascend-insert-sync --split-input-file | FileCheck %s
// RUN: tile-opt %s --ascend-insert-sync --split-input-file --remarks-filter='ascend-insert-sync' -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK
// RUN: tile-opt %s --ascend-insert-sync --ascend-verify-sync --split-input-file -o /dev/null

!tile = memref<64xf32, #tile.ub>

// More flags are set one after another than there are ids, and a flag is one bit: where the seventh is set, the other pipe has
// to have come so far as to clear one of the earlier ones.
// CHECK-LABEL: func.func @many
func.func @many(%o: memref<512xf32>, %z: f32) {
  tile.kernel (%b) in (1) {
    // CHECK:      ascend.copy_ub_to_gm
    // CHECK:      ascend.set_flag mte3 to v id(0)
    // CHECK:      ascend.wait_flag mte3 to v id(0)
    // CHECK-NEXT: ascend.set_flag v to mte3 id(0)
    // CHECK-NOT:  ascend.pipe_barrier all
    // CHECK:      return
    %x0 = tile.alloc {ascend.address = 0 : i64} : !tile
    %o0 = memref.subview %o[0] [64] [1] : memref<512xf32> to memref<64xf32, strided<[1], offset: 0>>
    ascend.duplicate %x0, %z : !tile, f32
    ascend.copy_ub_to_gm %o0, %x0 : memref<64xf32, strided<[1], offset: 0>>, !tile
    %x1 = tile.alloc {ascend.address = 256 : i64} : !tile
    %o1 = memref.subview %o[64] [64] [1] : memref<512xf32> to memref<64xf32, strided<[1], offset: 64>>
    ascend.duplicate %x1, %z : !tile, f32
    ascend.copy_ub_to_gm %o1, %x1 : memref<64xf32, strided<[1], offset: 64>>, !tile
    %x2 = tile.alloc {ascend.address = 512 : i64} : !tile
    %o2 = memref.subview %o[128] [64] [1] : memref<512xf32> to memref<64xf32, strided<[1], offset: 128>>
    ascend.duplicate %x2, %z : !tile, f32
    ascend.copy_ub_to_gm %o2, %x2 : memref<64xf32, strided<[1], offset: 128>>, !tile
    %x3 = tile.alloc {ascend.address = 768 : i64} : !tile
    %o3 = memref.subview %o[192] [64] [1] : memref<512xf32> to memref<64xf32, strided<[1], offset: 192>>
    ascend.duplicate %x3, %z : !tile, f32
    ascend.copy_ub_to_gm %o3, %x3 : memref<64xf32, strided<[1], offset: 192>>, !tile
    %x4 = tile.alloc {ascend.address = 1024 : i64} : !tile
    %o4 = memref.subview %o[256] [64] [1] : memref<512xf32> to memref<64xf32, strided<[1], offset: 256>>
    ascend.duplicate %x4, %z : !tile, f32
    ascend.copy_ub_to_gm %o4, %x4 : memref<64xf32, strided<[1], offset: 256>>, !tile
    %x5 = tile.alloc {ascend.address = 1280 : i64} : !tile
    %o5 = memref.subview %o[320] [64] [1] : memref<512xf32> to memref<64xf32, strided<[1], offset: 320>>
    ascend.duplicate %x5, %z : !tile, f32
    ascend.copy_ub_to_gm %o5, %x5 : memref<64xf32, strided<[1], offset: 320>>, !tile
    %x6 = tile.alloc {ascend.address = 1536 : i64} : !tile
    %o6 = memref.subview %o[384] [64] [1] : memref<512xf32> to memref<64xf32, strided<[1], offset: 384>>
    ascend.duplicate %x6, %z : !tile, f32
    ascend.copy_ub_to_gm %o6, %x6 : memref<64xf32, strided<[1], offset: 384>>, !tile
    %x7 = tile.alloc {ascend.address = 1792 : i64} : !tile
    %o7 = memref.subview %o[448] [64] [1] : memref<512xf32> to memref<64xf32, strided<[1], offset: 448>>
    ascend.duplicate %x7, %z : !tile, f32
    ascend.copy_ub_to_gm %o7, %x7 : memref<64xf32, strided<[1], offset: 448>>, !tile
  }
  return
}

// -----

!tile = memref<64xf32, #tile.ub>
!gm = memref<64xf32>

// The flag of the value that nothing frees is set in each iteration: by then, the wait of the one before has cleared it.
// CHECK-LABEL: func.func @no_way_back
func.func @no_way_back(%z: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : !tile
    %y = tile.alloc {ascend.address = 256 : i64} : !tile
    // CHECK:      ascend.set_flag mte3 to v id(0)
    // CHECK-NEXT: scf.for
    // CHECK-NEXT:   ascend.wait_flag mte3 to v id(0)
    // CHECK-NEXT:   ascend.set_flag v to mte3 id(0)
    // CHECK-NEXT:   ascend.wait_flag v to mte3 id(0)
    // CHECK-NEXT:   ascend.set_flag mte3 to v id(0)
    scf.for %i = %c0 to %n step %c1 {
      ascend.set_flag v to mte3 id(0) {ascend.group = 0 : i64}
      ascend.wait_flag v to mte3 id(0) {ascend.group = 0 : i64}
    }
  }
  return
}

// -----

!tile = memref<64xf32, #tile.ub>
!gm = memref<64xf32>

// Eight stages of a tile, and six ids: two flags next to each other become one.
// REMARK: MergedFlags{{.*}}two flags are one: all event ids from {{[a-z0-9]+}} to {{[a-z0-9]+}} are in use
// CHECK-LABEL: func.func @stages
// CHECK-NOT: ascend.pipe_barrier all
// CHECK: return
func.func @stages(%a: !gm, %o: !gm, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (1) {
    %x0 = tile.alloc {ascend.address = 0 : i64} : !tile
    %x1 = tile.alloc {ascend.address = 256 : i64} : !tile
    %x2 = tile.alloc {ascend.address = 512 : i64} : !tile
    %x3 = tile.alloc {ascend.address = 768 : i64} : !tile
    %x4 = tile.alloc {ascend.address = 1024 : i64} : !tile
    %x5 = tile.alloc {ascend.address = 1280 : i64} : !tile
    %x6 = tile.alloc {ascend.address = 1536 : i64} : !tile
    %x7 = tile.alloc {ascend.address = 1792 : i64} : !tile
    scf.for %i = %c0 to %n step %c1 {
      ascend.copy_gm_to_ub %x0, %a : !tile, !gm
      ascend.copy_gm_to_ub %x1, %a : !tile, !gm
      ascend.copy_gm_to_ub %x2, %a : !tile, !gm
      ascend.copy_gm_to_ub %x3, %a : !tile, !gm
      ascend.copy_gm_to_ub %x4, %a : !tile, !gm
      ascend.copy_gm_to_ub %x5, %a : !tile, !gm
      ascend.copy_gm_to_ub %x6, %a : !tile, !gm
      ascend.copy_gm_to_ub %x7, %a : !tile, !gm
      ascend.unary exp %x0, %x0 : !tile, !tile
      ascend.unary exp %x1, %x1 : !tile, !tile
      ascend.unary exp %x2, %x2 : !tile, !tile
      ascend.unary exp %x3, %x3 : !tile, !tile
      ascend.unary exp %x4, %x4 : !tile, !tile
      ascend.unary exp %x5, %x5 : !tile, !tile
      ascend.unary exp %x6, %x6 : !tile, !tile
      ascend.unary exp %x7, %x7 : !tile, !tile
    }
  }
  return
}
