// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-select-instructions | FileCheck %s
// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-select-instructions --remarks-filter='tile-select-instructions' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-select-instructions=async=false | FileCheck %s --check-prefix=SAME
// RUN: tile-opt %s --tile-set-target=chip=sm_80 --tile-select-instructions | FileCheck %s --check-prefix=SAME

!a = memref<64x64xbf16, #tile.shared>
!b = memref<64x64xbf16, #tile.shared>
!wide = memref<128x64xbf16, #tile.shared>
!c = memref<64x64xf32, #tile.fragment>
!cwide = memref<64x128xf32, #tile.fragment>
!x = memref<?x64xbf16>

// A is the same in all iterations: it is loaded in front of the loop, once for two gemms. B stays where it is.
// CHECK-LABEL: func.func @invariant
// CHECK: %[[ROWS:.*]] = tile.alloc : memref<64x64xbf16, #tile.fragment>
// CHECK-NEXT: %[[A:.*]] = tile.alloc : memref<64x64xbf16, #tile.shared>
// CHECK: tile.copy %{{.*}}, %[[A]] {instruction
// CHECK: tile.copy %[[A]], %[[ROWS]] {instruction = #tile.transfer<sync, bytes = {{[0-9]+}}>}
// CHECK-NEXT: tile.pipelined
// CHECK: tile.gemm %[[ROWS]], %[[B:.*]], %{{.*}} {instruction = #tile.mma<wgmma, m = 64, n = 64, k = 16, warps_m = 4, warps_n = 1>, transpose_b}
// CHECK: tile.gemm %[[ROWS]], %[[B]], %{{.*}} {instruction
// CHECK: tile.gemm %[[B]], %[[A]], %{{.*}} {instruction
// REMARK: remark: [Passed] RegisterOperand | Category:tile-select-instructions | Reason="the loop does not change it", gemms=2
// SAME-LABEL: func.func @invariant
// SAME-NOT: memref<64x64xbf16, #tile.fragment>
func.func @invariant(%x: !x, %y: !x, %n: index, %r: memref<?x64xf32>) {
  tile.kernel (%i) in (8) threads(128) {
    %a = tile.alloc : !a
    %b = tile.alloc : !b
    %c = tile.alloc : !c
    %d = tile.alloc : !c
    %e = tile.alloc : !c
    tile.fill %c, 0.0
    tile.fill %d, 0.0
    tile.fill %e, 0.0
    tile.copy %x[%i * 64, 0], %a
    tile.pipelined %k = 0 to %n stages(14) {
      tile.copy %y[%k * 64, 0], %b
      tile.gemm %a, %b, %c {transpose_b}
      tile.gemm %a, %b, %d
      tile.gemm %b, %a, %e {transpose_b}
    }
    tile.copy %c, %r[%i * 64, 0]
    tile.copy %d, %r[%i * 64 + 512, 0]
    tile.copy %e, %r[%i * 64 + 1024, 0]
  }
  return
}

// Two gemms of an iteration read it: it is loaded in front of the first one.
// CHECK-LABEL: func.func @shared_by_two
// CHECK: tile.pipelined
// CHECK: tile.copy %[[A:[0-9]+]], %[[ROWS:[0-9]+]] {instruction = #tile.transfer<sync
// CHECK-NEXT: tile.gemm %[[ROWS]],
// CHECK: tile.gemm %[[ROWS]],
// REMARK: [Passed] RegisterOperand | Category:tile-select-instructions | Reason="several gemms read it", gemms=2
func.func @shared_by_two(%x: !x, %y: !x, %n: index, %r: memref<?x64xf32>) {
  tile.kernel (%i) in (8) threads(128) {
    %a = tile.alloc : !a
    %b = tile.alloc : !b
    %b2 = tile.alloc : !b
    %c = tile.alloc : !c
    %d = tile.alloc : !c
    tile.fill %c, 0.0
    tile.fill %d, 0.0
    tile.pipelined %k = 0 to %n stages(5) {
      tile.copy %x[%k * 64, 0], %a
      tile.copy %y[%k * 128, 0], %b
      tile.copy %y[%k * 128 + 64, 0], %b2
      tile.gemm %a, %b, %c {transpose_b}
      tile.gemm %a, %b2, %d {transpose_b}
    }
    tile.copy %c, %r[%i * 64, 0]
    tile.copy %d, %r[%i * 64 + 512, 0]
  }
  return
}

// What stays: A of one gemm that changes, or with K in the other direction; instructions of more columns; a tile that the
// loop fills again or threads write; gemms outside of loops; a part of a product.
// CHECK-LABEL: func.func @stays
// CHECK-NOT: bf16, #tile.fragment>
// REMARK-NOT: RegisterOperand
// CHECK: return
// SAME-LABEL: func.func @stays
func.func @stays(%x: !x, %y: !x, %n: index, %r: memref<?x64xf32>, %s: memref<?x128xf32>) {
  %half = arith.constant 0.5 : bf16
  tile.kernel (%i) in (8) threads(128) {
    %a = tile.alloc : !a
    %t = tile.alloc : !a
    %w = tile.alloc : !a
    %f = tile.alloc : !a
    %g = tile.alloc : !a
    %b = tile.alloc : !b
    %wide = tile.alloc : !wide
    %c = tile.alloc : !c
    %d = tile.alloc : !cwide
    tile.fill %c, 0.0
    tile.fill %d, 0.0
    tile.copy %x[%i * 64, 0], %t
    tile.copy %x[%i * 64, 0], %w
    tile.copy %x[%i * 64, 0], %f
    tile.copy %x[%i * 64, 0], %g
    tile.copy %y[%i * 64, 0], %b
    tile.gemm %g, %b, %c {transpose_b}
    tile.pipelined %k = 0 to %n stages(4) {
      tile.copy %x[%k * 64, 0], %a
      tile.copy %y[%k * 128, 0], %wide
      tile.gemm %a, %b, %c {transpose_b}
      tile.gemm %t, %b, %c {transpose_a, transpose_b}
      tile.gemm %w, %wide, %d {transpose_b}
      tile.gemm %f, %b, %c {transpose_b}
      tile.parallel (%u, %v) in (64, 64) {
        memref.store %half, %f[%u, %v] : !a
      }
    }
    tile.copy %c, %r[%i * 64, 0]
    tile.copy %d, %s[%i * 64, 0]
  }
  return
}

// Beside 64 x 256 sums, registers of 128 threads are left for 256 of 512 columns: one gemm for these, which clears the sums, and
// one for the rest.
// CHECK-LABEL: func.func @part
// CHECK: %[[ROWS:.*]] = tile.alloc : memref<64x256xbf16, #tile.fragment>
// CHECK-NEXT: %[[A:.*]] = tile.alloc : memref<64x512xbf16, #tile.shared>
// CHECK-NEXT: %[[B:.*]] = tile.alloc : memref<64x512xbf16, #tile.shared>
// CHECK: %[[LOADED:.*]] = memref.subview %[[A]][0, 0] [64, 256] [1, 1]
// CHECK-NEXT: tile.copy %[[LOADED]], %[[ROWS]] {instruction = #tile.transfer<sync
// CHECK-NEXT: tile.pipelined
// CHECK: %[[BFRONT:.*]] = memref.subview %[[B]][0, 0] [64, 256] [1, 1]
// CHECK-NEXT: tile.gemm %[[ROWS]], %[[BFRONT]], %{{.*}} {clear, instruction = #tile.mma<wgmma, {{.*}}, transpose_b}
// CHECK-NEXT: %[[AREST:.*]] = memref.subview %[[A]][0, 256] [64, 256] [1, 1]
// CHECK-NEXT: %[[BREST:.*]] = memref.subview %[[B]][0, 256] [64, 256] [1, 1]
// CHECK-NEXT: tile.gemm %[[AREST]], %[[BREST]], %{{.*}} {instruction = #tile.mma<wgmma, {{.*}}, transpose_b}
// REMARK: [Passed] RegisterOperand | Category:tile-select-instructions | Reason="the loop does not change it", columns=256, gemms=1
func.func @part(%x: memref<?x512xbf16>, %y: memref<?x512xbf16>, %n: index, %r: memref<?x64xf32>) {
  tile.kernel (%i) in (8) threads(128) {
    %a = tile.alloc : memref<64x512xbf16, #tile.shared>
    %b = tile.alloc : memref<64x512xbf16, #tile.shared>
    %c = tile.alloc : !c
    %d = tile.alloc : memref<64x256xf32, #tile.fragment>
    tile.fill %d, 0.0
    tile.copy %x[%i * 64, 0], %a
    tile.pipelined %k = 0 to %n stages(2) {
      tile.copy %y[%k * 64, 0], %b
      tile.gemm %a, %b, %c {clear, transpose_b}
      tile.parallel (%u, %v) in (64, 64) do %d[%u, %v] = %d[%u, %v] + %c[%u, %v]
    }
    tile.parallel (%u, %v) in (64, 64) do %c[%u, %v] = %c[%u, %v] + %d[%u, %v]
    tile.copy %c, %r[%i * 64, 0]
  }
  return
}

// Of two gemms that add to the same sums, the one of more columns takes registers. Rows that a gemm of two warps along the columns has
// by hand are with both of them: 96 x 2 columns take 96 registers, which leave room for 128 columns.
// CHECK-LABEL: func.func @larger_part
// CHECK: %[[ROWS:.*]] = tile.alloc : memref<64x128xbf16, #tile.fragment>
// CHECK: tile.copy %{{.*}}, %[[ROWS]] {instruction
// CHECK: tile.gemm %[[ROWS]], {{.*}} {clear, instruction
// CHECK: tile.gemm %{{.*}}, %{{.*}}, %{{.*}} {instruction
// CHECK: tile.gemm %{{.*}}, %{{.*}}, %{{.*}} {instruction
// CHECK: tile.gemm %{{.*}}, %{{.*}}, %{{.*}} {instruction
// CHECK-NOT: tile.gemm
// REMARK: [Passed] RegisterOperand | Category:tile-select-instructions | Reason="the loop does not change it", columns=128, gemms=1
func.func @larger_part(%x: memref<?x1024xbf16>, %y: memref<?x1024xbf16>, %n: index, %r: memref<?x64xf32>) {
  tile.kernel (%i) in (8) threads(256) {
    %h = tile.alloc : memref<64x384xbf16, #tile.fragment>
    %a = tile.alloc : memref<64x512xbf16, #tile.shared>
    %a2 = tile.alloc : !a
    %bh = tile.alloc : memref<64x384xbf16, #tile.shared>
    %b = tile.alloc : memref<64x512xbf16, #tile.shared>
    %b2 = tile.alloc : !b
    %c = tile.alloc : !c
    %d = tile.alloc : memref<64x256xf32, #tile.fragment>
    tile.fill %d, 0.0
    tile.copy %x[%i * 64, 576], %h
    tile.copy %x[%i * 64, 0], %a
    tile.copy %x[%i * 64, 512], %a2
    tile.pipelined %k = 0 to %n stages(1) {
      tile.copy %y[%k * 64, 0], %b
      tile.copy %y[%k * 64, 512], %b2
      tile.copy %y[%k * 64, 576], %bh
      tile.gemm %a, %b, %c {clear, transpose_b}
      tile.gemm %a2, %b2, %c {transpose_b}
      tile.gemm %h, %bh, %c {transpose_b}
      tile.parallel (%u, %v) in (64, 64) do %d[%u, %v] = %d[%u, %v] + %c[%u, %v]
    }
    tile.parallel (%u, %v) in (64, 64) do %c[%u, %v] = %c[%u, %v] + %d[%u, %v]
    tile.copy %c, %r[%i * 64, 0]
  }
  return
}

// A producer that gathers leaves 232 registers of 240: 192 columns, not 256.
// CHECK-LABEL: func.func @beside_gather
// CHECK: tile.alloc : memref<64x192xbf16, #tile.fragment>
// REMARK: [Passed] RegisterOperand | Category:tile-select-instructions | Reason="the loop does not change it", columns=192, gemms=1
func.func @beside_gather(%x: memref<?x512xbf16>, %y: memref<?x512xbf16>, %list: memref<?xi32>, %n: index, %r: memref<?x512xf32>) {
  tile.kernel (%i) in (8) threads(256) {
    %a = tile.alloc : memref<64x512xbf16, #tile.shared>
    %b = tile.alloc : memref<64x512xbf16, #tile.shared>
    %p = tile.alloc : memref<64x64xbf16, #tile.shared>
    %c = tile.alloc : !c
    %d = tile.alloc : memref<64x512xf32, #tile.fragment>
    tile.fill %d, 0.0
    tile.copy %x[%i * 64, 0], %a
    tile.pipelined %k = 0 to %n stages(2) {
      tile.gather %y[0, 0] by %list[%k * 64], %b
      tile.gemm %a, %b, %c {clear, transpose_b}
      tile.copy %c, %p
      tile.gemm %p, %b, %d
    }
    tile.copy %d, %r[%i * 64, 0]
  }
  return
}

// No part: fewer registers than for 64 columns; B without its columns in a row; columns that no part begins at.
// CHECK-LABEL: func.func @no_part
// CHECK-NOT: bf16, #tile.fragment>
func.func @no_part(%x: memref<?x512xbf16>, %y: memref<?x512xbf16>, %z: memref<?x64xbf16>, %n: index, %r: memref<?x64xf32>) {
  tile.kernel (%i) in (8) threads(128) {
    %a = tile.alloc : memref<64x512xbf16, #tile.shared>
    %b = tile.alloc : memref<64x512xbf16, #tile.shared>
    %c = tile.alloc : !c
    %d = tile.alloc : memref<64x368xf32, #tile.fragment>
    tile.fill %c, 0.0
    tile.fill %d, 0.0
    tile.copy %x[%i * 64, 0], %a
    tile.pipelined %k = 0 to %n stages(2) {
      tile.copy %y[%k * 64, 0], %b
      tile.gemm %a, %b, %c {transpose_b}
    }
    tile.parallel (%u, %v) in (64, 64) do %c[%u, %v] = %c[%u, %v] + %d[%u, %v]
    tile.copy %c, %r[%i * 64, 0]
  }
  tile.kernel (%i) in (8) threads(128) {
    %a = tile.alloc : memref<64x512xbf16, #tile.shared>
    %b = tile.alloc : memref<512x64xbf16, #tile.shared>
    %c = tile.alloc : !c
    %d = tile.alloc : memref<64x256xf32, #tile.fragment>
    tile.fill %c, 0.0
    tile.fill %d, 0.0
    tile.copy %x[%i * 64, 0], %a
    tile.pipelined %k = 0 to %n stages(2) {
      tile.copy %z[%k * 512, 0], %b
      tile.gemm %a, %b, %c
    }
    tile.parallel (%u, %v) in (64, 64) do %c[%u, %v] = %c[%u, %v] + %d[%u, %v]
    tile.copy %c, %r[%i * 64, 0]
  }
  tile.kernel (%i) in (8) threads(128) {
    %a = tile.alloc : memref<64x480xbf16, #tile.shared>
    %b = tile.alloc : memref<64x480xbf16, #tile.shared>
    %c = tile.alloc : !c
    %d = tile.alloc : memref<64x256xf32, #tile.fragment>
    tile.fill %c, 0.0
    tile.fill %d, 0.0
    tile.copy %x[%i * 64, 0], %a
    tile.pipelined %k = 0 to %n stages(2) {
      tile.copy %y[%k * 64, 0], %b
      tile.gemm %a, %b, %c {transpose_b}
    }
    tile.parallel (%u, %v) in (64, 64) do %c[%u, %v] = %c[%u, %v] + %d[%u, %v]
    tile.copy %c, %r[%i * 64, 0]
  }
  return
}

// The same as the first one with fewer stages: two blocks and more are on a processor.
// CHECK-LABEL: func.func @several_blocks
// CHECK-NOT: bf16, #tile.fragment>
// CHECK: return
func.func @several_blocks(%x: !x, %y: !x, %n: index, %r: memref<?x64xf32>) {
  tile.kernel (%i) in (8) threads(128) {
    %a = tile.alloc : !a
    %b = tile.alloc : !b
    %c = tile.alloc : !c
    tile.fill %c, 0.0
    tile.copy %x[%i * 64, 0], %a
    tile.pipelined %k = 0 to %n stages(12) {
      tile.copy %y[%k * 64, 0], %b
      tile.gemm %a, %b, %c {transpose_b}
    }
    tile.copy %c, %r[%i * 64, 0]
  }
  return
}

// Registers alone allow no second block of 256 threads.
// CHECK-LABEL: func.func @many_registers
// CHECK: %[[ROWS:.*]] = tile.alloc : memref<128x64xbf16, #tile.fragment>
// CHECK: tile.copy %{{.*}}, %[[ROWS]] {instruction = #tile.transfer<sync
// CHECK-NEXT: tile.pipelined
// CHECK: tile.gemm %[[ROWS]],
// REMARK: [Passed] RegisterOperand | Category:tile-select-instructions | Reason="the loop does not change it", gemms=2
// REMARK-NOT: RegisterOperand
func.func @many_registers(%x: !x, %y: !x, %n: index, %r: memref<?x64xf32>, %s: memref<?x64xf32>) {
  tile.kernel (%i) in (8) threads(256) {
    %a = tile.alloc : memref<128x64xbf16, #tile.shared>
    %b = tile.alloc : !b
    %c = tile.alloc : memref<128x64xf32, #tile.fragment>
    %d = tile.alloc : memref<128x64xf32, #tile.fragment>
    tile.fill %c, 0.0
    tile.fill %d, 0.0
    tile.copy %x[%i * 128, 0], %a
    tile.pipelined %k = 0 to %n stages(2) {
      tile.copy %y[%k * 64, 0], %b
      tile.gemm %a, %b, %c {transpose_b}
      tile.gemm %a, %b, %d
    }
    tile.copy %c, %r[%i * 128, 0]
    tile.copy %d, %s[%i * 128, 0]
  }
  return
}
