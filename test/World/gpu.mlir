// Ranks on NVIDIA GPUs: what a signal and a wait are in PTX, where a producer of tensor copies waits, and what is refused.

// REQUIRES: tile-translate, nvidia, amd
// RUN: tile-translate %s --tile-to-ptx --chip=sm_90a --gpu-function=shift -o - | FileCheck %s --check-prefixes=PTX,HOPPER
// RUN: tile-translate %s --tile-to-ptx --chip=sm_80 --gpu-function=shift -o - | FileCheck %s --check-prefixes=PTX,AMPERE
// RUN: tile-opt %s --tile-to-gpu-pipeline=chip=sm_90a --mlir-print-ir-before=convert-tile-to-simt -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WAITS
// RUN: not tile-opt %s --tile-to-gpu-pipeline=chip=gfx942 2>&1 | FileCheck %s --check-prefix=AMD

// What the block wrote is released by one thread, at the scope of the system; a wait acquires it, at the same scope.
// PTX-LABEL: .entry shift_0(
// PTX:         st.global
// PTX:         bar.sync 0;
// HOPPER:      cp.async.bulk.wait_group 0;
// HOPPER:      fence.proxy.async;
// AMPERE-NOT:  fence.proxy
// PTX:         red.release.sys.global.add.u64
// PTX:         ld.acquire.sys.global.b64
// PTX:         bar.sync 0;
// HOPPER-NEXT: fence.proxy.async;
// PTX-NOT:     ld.global.nc
// A wait looks at the clock, and reports itself when it is late.
// PTX:         globaltimer
// PTX:         ld.acquire.sys.global.b64
// PTX:         atom.global.exch.b64
// AMD: error: takes !world.ranks, but gfx942 runs one rank; ranks run on the CPU, as threads, and on NVIDIA GPUs
func.func @shift(%w: !world.ranks, %x: memref<64xf32>, %box: memref<64xf32, #world.symmetric>,
                 %flags: memref<1xi64, #world.symmetric>, %y: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    %r = world.rank %w
    %n = world.size %w
    %c1 = arith.constant 1 : index
    %after = arith.addi %r, %c1 : index
    %right = arith.remui %after, %n : index
    %t = tile.alloc : memref<64xf32, #tile.shared>
    %to = world.peer %box at %w[%right]
    %flag = world.peer %flags at %w[%right]
    tile.copy %x, %t
    tile.copy %t, %to
    world.signal %flag[0] add 1
    %arrived = world.wait %flags[0] ge 1
    %mine = world.acquire %box after %arrived
    tile.copy %mine, %t
    tile.copy %t, %y
  }
  return
}

// The producer waits itself, at its place among the copies; at the head of a kernel all threads wait together.
// WAITS-LABEL: func.func @persistent
// WAITS:         tile.warp_specialize
// WAITS:           tile.persistent
// WAITS:             world.wait
// WAITS:             tile.copy {{.*}} signal
// WAITS:         consumer
// WAITS:           tile.persistent
// WAITS:             world.wait
// WAITS:             tile.gemm
func.func @persistent(%w: !world.ranks, %a: memref<4096x512xf16, #world.symmetric>, %b: memref<512x8192xf16>,
                      %flags: memref<32xi64, #world.symmetric>, %c: memref<4096x8192xf16>) {
  tile.kernel (%j, %i) in (32, 32) threads(256) {
    %token = world.wait %flags[%i] ge 1
    %ready = world.acquire %a after %token
    %ta = tile.alloc : memref<128x64xf16, #tile.shared>
    %tb = tile.alloc : memref<64x256xf16, #tile.shared>
    %acc = tile.alloc : memref<128x256xf32, #tile.fragment>
    tile.fill %acc, 0.0
    tile.pipelined %k = 0 to 8 stages(3) {
      tile.copy %ready[%i * 128, %k * 64], %ta
      tile.copy %b[%k * 64, %j * 256], %tb
      tile.gemm %ta, %tb, %acc
    }
    tile.copy %acc, %c[%i * 128, %j * 256]
  }
  return
}

// Copies of later iterations do not pass a wait of this one.
// WAITS-LABEL: func.func @in_loop
// WAITS-NOT:     tile.warp_specialize
// WAITS:         return
func.func @in_loop(%w: !world.ranks, %a: memref<128x512xf16, #world.symmetric>, %b: memref<512x256xf16>,
                   %flags: memref<8xi64, #world.symmetric>, %c: memref<128x256xf16>) {
  tile.kernel (%x) in (1) threads(256) {
    %ta = tile.alloc : memref<128x64xf16, #tile.shared>
    %tb = tile.alloc : memref<64x256xf16, #tile.shared>
    %acc = tile.alloc : memref<128x256xf32, #tile.fragment>
    tile.fill %acc, 0.0
    tile.pipelined %k = 0 to 8 stages(3) {
      %token = world.wait %flags[%k] ge 1
      %ready = world.acquire %a after %token
      tile.copy %ready[0, %k * 64], %ta
      tile.copy %b[%k * 64, 0], %tb
      tile.gemm %ta, %tb, %acc
    }
    tile.copy %acc, %c
  }
  return
}

// A collective is a kernel of the function itself. The host of a GPU does not know the number of ranks: the kernel computes with it, and
// asserts what the sizes must be.
// RUN: tile-translate %s --tile-to-ptx --chip=sm_90a --gpu-function=exchange -o - | FileCheck %s --check-prefix=EXCHANGE
// EXCHANGE-LABEL: .entry exchange_0(
// EXCHANGE:       div.u64
// EXCHANGE:       call.uni __assertfail
// EXCHANGE:       ld.acquire.sys.global.b64
// EXCHANGE-NOT:   .entry
func.func @exchange(%w: !world.ranks, %x: memref<?x64xbf16, #world.symmetric>, %y: memref<?x64xbf16>) {
  world.all_to_all %x to %y over %w blocks(4) : memref<?x64xbf16, #world.symmetric>, memref<?x64xbf16>, !world.ranks
  return
}

// Signals to all ranks, and those of a barrier, have one fence in front of them.
// RUN: tile-translate %s --tile-to-ptx --chip=sm_90a --gpu-function=meet -o - | FileCheck %s --check-prefix=MEET
// MEET-LABEL: .entry meet_0(
// MEET-NOT:     release
// MEET:         fence.acq_rel.sys;
// MEET-NOT:     {{release|acq_rel}}
// MEET:         red.relaxed.sys.global.add.u64
// MEET-NOT:     {{release|acq_rel}}
// MEET:         fence.acq_rel.sys;
// MEET-NOT:     {{release|acq_rel}}
// MEET:         st.relaxed.sys.global.b32
// MEET-NOT:     {{release|acq_rel}}
func.func @meet(%w: !world.ranks, %flags: memref<4xi32, #world.symmetric>) {
  tile.kernel (%b) in (2) {
    %all = world.barrier %w
    world.signal %flags[%b] set 5 on %w
  }
  return
}
