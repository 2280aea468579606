// RUN: tile-opt %s --world-defer-signals | FileCheck %s
// RUN: tile-opt %s --world-defer-signals --remarks-filter=world-defer-signals -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// CHECK-LABEL: @tiles
// CHECK:         %[[LATER:.*]] = world.create_deferred : !world.deferred<i32>
// CHECK-NEXT:    tile.persistent
// CHECK:           tile.pipelined
// CHECK:           world.flush %[[LATER]] : !world.deferred<i32>
// CHECK-NEXT:      tile.copy
// CHECK-NEXT:      world.signal %{{.*}}[%{{.*}}] add %{{.*}} : memref<8xi32> deferred %[[LATER]]
// CHECK-NEXT:    }
// CHECK-NEXT:    world.flush %[[LATER]] : !world.deferred<i32>
// REMARK: defer_signals.mlir:[[@LINE+12]]:{{.*}} DeferSignals
// REMARK-SAME: sent behind the main loop of the next tile
func.func @tiles(%x: memref<512xf32>, %y: memref<512xf32>, %flags: memref<8xi32>) {
  tile.kernel (%b) in (2) {
    %t = tile.alloc : memref<64xf32, #tile.shared>
    %s = tile.alloc : memref<64xf32, #tile.fragment>
    tile.persistent (%i) in (8) {
      tile.pipelined %k = 0 to 2 stages(2) {
        tile.copy %x[%i * 64] [64], %t
        tile.parallel (%j) in (64) do %s[%j] = %s[%j] + %t[%j]
      }
      tile.copy %s, %y[%i * 64] [64]
      world.signal %flags[%i] add 1
    }
  }
  return
}

// Another block may wait for the signal that would be held back.
// CHECK-LABEL: @waits
// CHECK-NOT:     deferred
// REMARK: its kernel waits for other ranks, which may wait for this signal
func.func @waits(%x: memref<512xf32>, %y: memref<512xf32>, %flags: memref<8xi32>) {
  tile.kernel (%b) in (2) {
    %t = tile.alloc : memref<64xf32, #tile.shared>
    tile.persistent (%i) in (8) {
      %token = world.wait %flags[%i] ge 1
      tile.pipelined %k = 0 to 2 stages(2) {
        tile.copy %x[%i * 64] [64], %t
        tile.copy %t, %y[%i * 64] [64]
      }
      world.signal %flags[%i] add 1
    }
  }
  return
}

// CHECK-LABEL: @others
// CHECK-NOT:     deferred
// REMARK: it sets its flag
// REMARK: no pipelined loop is in front of it
// REMARK: it is in a branch or a loop of the tile
func.func @others(%flags: memref<8xi32>, %c: i1) {
  tile.kernel (%b) in (2) {
    tile.persistent (%i) in (8) {
      world.signal %flags[%i] set 1
      world.signal %flags[%i] add 1
      scf.if %c {
        world.signal %flags[%i] add 1
      }
    }
    // Not in tiles that follow each other.
    world.signal %flags[0] add 1
  }
  return
}

// CHECK-LABEL: @all
// CHECK-NOT:     deferred
// REMARK: it is for all ranks
func.func @all(%flags: memref<8xi64>, %table: memref<?xi64>) {
  tile.kernel (%b) in (2) {
    tile.persistent (%i) in (8) {
      world.signal %flags[%i] add 1 on %table : memref<?xi64>
    }
  }
  return
}
