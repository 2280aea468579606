// What never ends is an error that says who waits for what, at once.

// REQUIRES: tile-run
// RUN: not tile-run %s --func=nobody_signals --ranks=3 2>&1 | FileCheck %s --check-prefix=NOBODY
// RUN: not tile-run %s --func=rounds_down --ranks=4 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not tile-run %s --func=one_returns --ranks=2 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: not tile-run %s --func=outside --ranks=2 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not tile-run %s --func=flag_outside --ranks=2 2>&1 | FileCheck %s --check-prefix=FLAG
// RUN: not tile-run %s --func=many_blocks --ranks=2 2>&1 | FileCheck %s --check-prefix=BLOCKS

// NOBODY: deadlock.mlir:[[@LINE+4]]:10 for a flag of at least 1, which is 0;{{.*}}; so do 1 others; nobody is left to signal
func.func @nobody_signals(%w: !world.ranks, %flags: memref<1xi32, #world.symmetric> {tile.init = "zeros"}) {
  tile.kernel (%b) in (1) {
    // The next line waits.
    %t = world.wait %flags[0] ge 1
  }
  return
}

// The target of a wait that is computed and rounds down to 0 would be fulfilled by nobody.
// ZERO: waits at {{.*}} for a flag of at least 0, which it is before anybody signals
func.func @rounds_down(%w: !world.ranks, %flags: memref<1xi64, #world.symmetric> {tile.init = "zeros"}) {
  tile.kernel (%b) in (1) {
    %n = world.size %w
    %c8 = arith.constant 8 : index
    %per = arith.divui %n, %c8 : index
    %target = arith.index_cast %per : index to i64
    %t = world.wait %flags[0] ge %target
  }
  return
}

// ONE: rank 0 waits at {{.*}}; nobody is left to signal
func.func @one_returns(%w: !world.ranks, %flags: memref<1xi64, #world.symmetric> {tile.init = "zeros"}) {
  tile.kernel (%b) in (1) {
    %r = world.rank %w
    %c0 = arith.constant 0 : index
    %first = arith.cmpi eq, %r, %c0 : index
    scf.if %first {
      %t = world.wait %flags[0] eq 7
    }
  }
  return
}

// OUTSIDE: assertion failed: {{.*}}a rank outside of the world
func.func @outside(%w: !world.ranks, %x: memref<64xf32, #world.symmetric>) {
  tile.kernel (%b) in (1) {
    %n = world.size %w
    %t = tile.alloc : memref<64xf32, #tile.shared>
    tile.fill %t, 0.0
    %p = world.peer %x at %w[%n]
    tile.copy %t, %p
  }
  return
}

// FLAG: assertion failed: {{.*}}a flag outside of its buffer
func.func @flag_outside(%w: !world.ranks, %flags: memref<2xi64, #world.symmetric> {tile.init = "zeros"}) {
  tile.kernel (%b) in (1) {
    %n = world.size %w
    world.signal %flags[%n] set 1
  }
  return
}

// BLOCKS: assertion failed: {{.*}}more blocks meet in 'world.barrier' than there is room for
func.func @many_blocks(%w: !world.ranks, %x: memref<64xf32, #world.symmetric>) {
  tile.kernel (%i, %j) in (4097, 1) {
    %t = world.barrier %w
  }
  return
}
