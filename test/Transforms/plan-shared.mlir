// RUN: tile-opt %s --pass-pipeline="builtin.module(tile-set-target{chip=sm_90a},tile-insert-barriers,tile-plan-shared)" | FileCheck %s
// RUN: tile-opt %s --pass-pipeline="builtin.module(tile-set-target{chip=sm_90a},tile-insert-barriers,tile-plan-shared)" \
// RUN:     --remarks-filter='tile-plan-shared' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tile-opt %s --pass-pipeline="builtin.module(tile-set-target{chip=sm_90a},tile-insert-barriers,tile-plan-shared{scratch-bytes=160000})" \
// RUN:     | FileCheck %s --check-prefix=TIGHT

// Buffers that are not live at the same time share bytes, behind a barrier.
// CHECK-LABEL: func.func @two_steps
// CHECK: shared_bytes = 16384 : i64
// CHECK: tile.alloc {offset = 0 : i64} : memref<64x64xf32, #tile.shared>
// CHECK: tile.alloc {offset = 0 : i64} : memref<64x64xf32, #tile.shared>
// CHECK: tile.copy
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.copy
// REMARK: [Passed] Arena | Category:tile-plan-shared | buffers=32768, bytes=16384
// REMARK: [Passed] Barrier | Category:tile-plan-shared | Reason="between the read of 'tile.copy' and the write of 'tile.copy'"
func.func @two_steps(%a: memref<64x64xf32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64x64xf32, #tile.shared>
    %y = tile.alloc : memref<64x64xf32, #tile.shared>
    %f = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.copy %a, %x : memref<64x64xf32>, memref<64x64xf32, #tile.shared>
    tile.barrier
    tile.copy %x, %f : memref<64x64xf32, #tile.shared>, memref<64x64xf32, #tile.fragment>
    tile.copy %f, %y : memref<64x64xf32, #tile.fragment>, memref<64x64xf32, #tile.shared>
    tile.barrier
    tile.copy %y, %a : memref<64x64xf32, #tile.shared>, memref<64x64xf32>
  }
  return
}

// In a loop they do so only where there is no room: 72448 bytes are left.
// CHECK-LABEL: func.func @in_loop
// CHECK: shared_bytes = 81952 : i64
// CHECK: tile.alloc {offset = 0 : i64}
// CHECK: tile.alloc {offset = 40960 : i64}
// CHECK: tile.alloc {offset = 81920 : i64} : memref<8xf32, #tile.shared>
// CHECK-COUNT-2: tile.barrier
// CHECK-NOT: tile.barrier
// CHECK-LABEL: func.func @carried
// TIGHT-LABEL: func.func @in_loop
// TIGHT: shared_bytes = 40992 : i64
// TIGHT: tile.alloc {offset = 0 : i64}
// TIGHT: tile.alloc {offset = 0 : i64}
// TIGHT: tile.alloc {offset = 40960 : i64} : memref<8xf32, #tile.shared>
// TIGHT-COUNT-4: tile.barrier
// TIGHT-NOT: tile.barrier
// TIGHT-LABEL: func.func @carried
// TIGHT: shared_bytes = 65536 : i64
func.func @in_loop(%a: memref<160x64xf32>, %c: memref<160x64xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<160x64xf32, #tile.shared>
    %y = tile.alloc : memref<160x64xf32, #tile.shared>
    %z = tile.alloc : memref<8xf32, #tile.shared>
    %f = tile.alloc : memref<160x64xf32, #tile.fragment>
    tile.fill %z, %zero : memref<8xf32, #tile.shared>
    tile.pipelined %k = 0 to 4 {
      tile.copy %a, %x : memref<160x64xf32>, memref<160x64xf32, #tile.shared>
      tile.barrier
      tile.copy %x, %f : memref<160x64xf32, #tile.shared>, memref<160x64xf32, #tile.fragment>
      tile.copy %f, %y : memref<160x64xf32, #tile.fragment>, memref<160x64xf32, #tile.shared>
      tile.barrier
      tile.copy %y, %c : memref<160x64xf32, #tile.shared>, memref<160x64xf32>
    }
  }
  return
}

// What an iteration may read before it writes lives throughout the loop.
func.func @carried(%a: memref<64x128xf32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64x128xf32, #tile.shared>
    %y = tile.alloc : memref<64x128xf32, #tile.shared>
    %f = tile.alloc : memref<64x128xf32, #tile.fragment>
    tile.pipelined %k = 0 to 4 {
      tile.copy %x, %f : memref<64x128xf32, #tile.shared>, memref<64x128xf32, #tile.fragment>
      tile.copy %a, %x : memref<64x128xf32>, memref<64x128xf32, #tile.shared>
      tile.copy %f, %y : memref<64x128xf32, #tile.fragment>, memref<64x128xf32, #tile.shared>
      tile.copy %y, %a : memref<64x128xf32, #tile.shared>, memref<64x128xf32>
    }
  }
  return
}

// What an iteration allocates is its own, also in a loop in a loop, and if only a part of it is written at first.
// CHECK-LABEL: func.func @of_an_iteration
// CHECK: shared_bytes = 81920 : i64
// TIGHT-LABEL: func.func @of_an_iteration
// TIGHT: shared_bytes = 40960 : i64
// TIGHT: tile.alloc {offset = 0 : i64}
// TIGHT: tile.alloc {offset = 0 : i64}
func.func @of_an_iteration(%a: memref<160x64xf32>, %c: memref<160x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  tile.kernel (%b) in (1) {
    %f = tile.alloc : memref<160x64xf32, #tile.fragment>
    scf.for %i = %c0 to %c4 step %c1 {
      scf.for %j = %c0 to %c4 step %c1 {
        %x = tile.alloc : memref<160x64xf32, #tile.shared>
        %y = tile.alloc : memref<160x64xf32, #tile.shared>
        tile.copy %a[0, 0] [80, 64], %x[0, 0] [80, 64] : memref<160x64xf32>, memref<160x64xf32, #tile.shared>
        tile.copy %a[80, 0] [80, 64], %x[80, 0] [80, 64] : memref<160x64xf32>, memref<160x64xf32, #tile.shared>
        tile.barrier
        tile.copy %x, %f : memref<160x64xf32, #tile.shared>, memref<160x64xf32, #tile.fragment>
        tile.copy %f, %y : memref<160x64xf32, #tile.fragment>, memref<160x64xf32, #tile.shared>
        tile.barrier
        tile.copy %y, %c : memref<160x64xf32, #tile.shared>, memref<160x64xf32>
      }
    }
  }
  return
}

// A branch in a loop fills them anew each time; one that is filled in front of the branch lives on.
// CHECK-LABEL: func.func @in_branch
// CHECK: shared_bytes = 98304 : i64
// TIGHT-LABEL: func.func @in_branch
// TIGHT: shared_bytes = 65536 : i64
func.func @in_branch(%a: memref<64x128xf32>, %c: memref<64x128xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64x128xf32, #tile.shared>
    %y = tile.alloc : memref<64x128xf32, #tile.shared>
    %z = tile.alloc : memref<64x128xf32, #tile.shared>
    %f = tile.alloc : memref<64x128xf32, #tile.fragment>
    tile.copy %a, %z : memref<64x128xf32>, memref<64x128xf32, #tile.shared>
    scf.for %i = %c0 to %c4 step %c1 {
      %is = arith.cmpi slt, %i, %n : index
      scf.if %is {
        tile.copy %a, %x : memref<64x128xf32>, memref<64x128xf32, #tile.shared>
        tile.copy %x, %f : memref<64x128xf32, #tile.shared>, memref<64x128xf32, #tile.fragment>
        tile.copy %f, %y : memref<64x128xf32, #tile.fragment>, memref<64x128xf32, #tile.shared>
        tile.copy %y, %c : memref<64x128xf32, #tile.shared>, memref<64x128xf32>
        tile.copy %z, %c : memref<64x128xf32, #tile.shared>, memref<64x128xf32>
      }
    }
  }
  return
}

// Stages that the producer fills live throughout the partitions; pipelines have a place of
// their own, and small buffers share with none.
// CHECK-LABEL: func.func @pipelines
// CHECK: shared_bytes = 65840 : i64
// CHECK: tile.alloc {offset = 65792 : i64} : memref<3xf32, #tile.shared>
// CHECK: tile.alloc {layout = {{.*}}, offset = 0 : i64} : memref<2x64x128xf32, #tile.shared>
// CHECK: tile.alloc {offset = 65536 : i64} : memref<64xf32, #tile.shared>
// CHECK: tile.create_pipeline {offset = 65808 : i64} : !tile.pipeline<2>
func.func @pipelines(%a: memref<64x1024xf32>, %s: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %bias = tile.alloc : memref<3xf32, #tile.shared>
    %tiles = tile.alloc {layout = #tile.layout<[2: 2 offset*8192][64: 64 offset*32][128: 4 offset*2048, 32 offset] swizzle(3, 2, 3)>} : memref<2x64x128xf32, #tile.shared>
    %acc = tile.alloc : memref<64xf32, #tile.fragment>
    %os = tile.alloc : memref<64xf32, #tile.shared>
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    tile.warp_specialize producer {
      tile.pipelined %k = 0 to 8 {
        %i = tile.producer_acquire %pipeline bytes(32768) : !tile.pipeline<2>
        %t = tile.stage %tiles[%i] : memref<2x64x128xf32, #tile.shared> to memref<64x128xf32, #tile.shared>
        tile.copy %a[0, %k * 128], %t signal(%pipeline : !tile.pipeline<2>) {instruction = #tile.transfer<tma>}
            : memref<64x1024xf32>, memref<64x128xf32, #tile.shared>
        tile.producer_commit %pipeline : !tile.pipeline<2>
      }
    } consumer {
      tile.fill %acc, %zero : memref<64xf32, #tile.fragment>
      tile.fill %bias, %zero : memref<3xf32, #tile.shared>
      tile.pipelined %k = 0 to 8 {
        %i = tile.consumer_wait %pipeline : !tile.pipeline<2>
        %t = tile.stage %tiles[%i] : memref<2x64x128xf32, #tile.shared> to memref<64x128xf32, #tile.shared>
        tile.reduce sum %t, %acc dim(1) {combine} : memref<64x128xf32, #tile.shared>, memref<64xf32, #tile.fragment>
        tile.consumer_release %pipeline : !tile.pipeline<2>
      }
      tile.copy %acc, %os : memref<64xf32, #tile.fragment>, memref<64xf32, #tile.shared>
      tile.copy %os, %s {instruction = #tile.transfer<tma>} : memref<64xf32, #tile.shared>, memref<64xf32>
    }
  }
  return
}

// A layout with padding takes more bytes than elements; a swizzle of 128 bytes
// repeats after 1024.
// CHECK-LABEL: func.func @padded
// CHECK: shared_bytes = 5180 : i64
// CHECK: tile.alloc {layout = {{.*}}, offset = 4096 : i64} : memref<16x16xf32, #tile.shared>
// CHECK: tile.alloc {layout = {{.*}}, offset = 0 : i64} : memref<32x64xf16, #tile.shared>
func.func @padded(%a: memref<16x16xf32>, %b: memref<32x64xf16>) {
  tile.kernel (%k) in (1) {
    %x = tile.alloc {layout = #tile.layout<[16: 16 offset*17][16: 16 offset]>} : memref<16x16xf32, #tile.shared>
    %y = tile.alloc {layout = #tile.layout<[32: 32 offset*64][64: 64 offset] swizzle(3, 3, 3)>} : memref<32x64xf16, #tile.shared>
    tile.copy %a, %x : memref<16x16xf32>, memref<16x16xf32, #tile.shared>
    tile.copy %b, %y : memref<32x64xf16>, memref<32x64xf16, #tile.shared>
    tile.copy %x, %a : memref<16x16xf32, #tile.shared>, memref<16x16xf32>
    tile.copy %y, %b : memref<32x64xf16, #tile.shared>, memref<32x64xf16>
  }
  return
}

// A gemm that was started reads its operands until it is waited for: until then, their bytes are no other buffer's.
// CHECK-LABEL: func.func @gemm_in_flight
// CHECK: shared_bytes = 40960 : i64
// CHECK: tile.alloc {offset = 0 : i64} : memref<128x64xf16, #tile.shared>
// CHECK: tile.alloc {offset = 16384 : i64} : memref<64x64xf16, #tile.shared>
// CHECK: tile.alloc {offset = 24576 : i64} : memref<64x64xf32, #tile.shared>
// CHECK: tile.alloc {offset = 0 : i64} : memref<64x64xf32, #tile.shared>
func.func @gemm_in_flight(%c: memref<64x64xf32>) {
  tile.kernel (%k) in (1) threads(256) {
    %a = tile.alloc : memref<128x64xf16, #tile.shared>
    %b = tile.alloc : memref<64x64xf16, #tile.shared>
    %other = tile.alloc : memref<64x64xf32, #tile.shared>
    %later = tile.alloc : memref<64x64xf32, #tile.shared>
    %acc = tile.alloc : memref<128x64xf32, #tile.fragment>
    tile.fill %a, 1.0
    tile.fill %b, 1.0
    tile.barrier async
    tile.gemm %a, %b, %acc {async, clear, instruction = #tile.mma<wgmma, m = 64, n = 64, k = 16, warps_m = 8, warps_n = 1>}
    tile.fill %other, 1.0
    tile.copy %other, %c
    tile.gemm_wait %acc pending(0) : memref<128x64xf32, #tile.fragment>
    tile.fill %later, 2.0
    tile.copy %later, %c
  }
  return
}

// It reads a stage until then, too: a barrier between the two does not tell that all warps have read it. Behind the loop, the
// bytes of the stages are another buffer's.
// CHECK-LABEL: func.func @stage_in_flight
// CHECK: %[[LATER:.*]] = tile.alloc {offset = 0 : i64} : memref<64x64xf32, #tile.shared>
// CHECK: tile.gemm {{.*}} {async,
// CHECK: tile.barrier
// CHECK: tile.gemm_wait
// CHECK-NEXT: tile.consumer_release
// CHECK-NEXT: }
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.fill %[[LATER]],
func.func @stage_in_flight(%a: memref<64x512xf16>, %c: memref<64x64xf32>) {
  tile.kernel (%b) in (1) {
    %tiles = tile.alloc {layout = #tile.layout<[2: 2 offset*4096][64: 64 offset*64][64: 64 offset] swizzle(3, 3, 3)>} : memref<2x64x64xf16, #tile.shared>
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    %x = tile.alloc : memref<64x64xf16, #tile.fragment>
    %t = tile.alloc : memref<64xf32, #tile.shared>
    %later = tile.alloc : memref<64x64xf32, #tile.shared>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.warp_specialize producer {
      tile.pipelined %k = 0 to 8 {
        %i = tile.producer_acquire %pipeline bytes(8192) : !tile.pipeline<2>
        %s = tile.stage %tiles[%i] : memref<2x64x64xf16, #tile.shared> to memref<64x64xf16, #tile.shared>
        tile.copy %a[0, %k * 64], %s signal(%pipeline : !tile.pipeline<2>) {instruction = #tile.transfer<tma>}
            : memref<64x512xf16>, memref<64x64xf16, #tile.shared>
        tile.producer_commit %pipeline : !tile.pipeline<2>
      }
    } consumer {
      tile.fill %x, 1.0
      tile.fill %acc, 0.0
      tile.pipelined %k = 0 to 8 {
        %i = tile.consumer_wait %pipeline : !tile.pipeline<2>
        %s = tile.stage %tiles[%i] : memref<2x64x64xf16, #tile.shared> to memref<64x64xf16, #tile.shared>
        tile.gemm %x, %s, %acc {async, instruction = #tile.mma<wgmma, m = 64, n = 64, k = 16, warps_m = 4, warps_n = 1>}
            : memref<64x64xf16, #tile.fragment>, memref<64x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
        tile.fill %t, 1.0
        tile.barrier
        tile.copy %t, %c[%k, 0] [1, 64]
        tile.gemm_wait %acc pending(0) : memref<64x64xf32, #tile.fragment>
        tile.consumer_release %pipeline : !tile.pipeline<2>
      }
      tile.fill %later, 2.0
      tile.copy %later, %c
    }
  }
  return
}
