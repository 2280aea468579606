// RUN: tile-opt %s --tile-verify-schedule --split-input-file --verify-diagnostics

#mma = #tile.mma<wgmma, m = 64, n = 64, k = 16, warps_m = 4, warps_n = 1>
!half = memref<64x64xf16, #tile.shared>
!sums = memref<64x64xf32, #tile.fragment>

// Sums of one accumulator in turn; a wait that leaves the last one under way.
func.func @legal(%n: index) {
  tile.kernel (%b) in (1) {
    %a = tile.alloc : !half
    %c = tile.alloc : !sums
    %d = tile.alloc : !sums
    %e = tile.alloc : !sums
    tile.gemm %a, %a, %c {async, clear, instruction = #mma} : !half, !half, !sums
    tile.gemm %a, %a, %c {async, instruction = #mma} : !half, !half, !sums
    tile.gemm %a, %a, %d {async, clear, instruction = #mma} : !half, !half, !sums
    tile.gemm_wait %c pending(1) : !sums
    tile.copy %c, %e : !sums, !sums
    tile.gemm_wait %d pending(0) : !sums
    tile.pipelined %k = 0 to %n {
      tile.gemm %a, %a, %c {async, instruction = #mma} : !half, !half, !sums
      tile.gemm_wait %c pending(1) : !sums
    }
    tile.gemm_wait %c pending(0) : !sums
  }
  return
}

// -----

#mma = #tile.mma<wgmma, m = 64, n = 64, k = 16, warps_m = 4, warps_n = 1>
!half = memref<64x64xf16, #tile.shared>
!sums = memref<64x64xf32, #tile.fragment>

func.func @sums() {
  tile.kernel (%b) in (1) {
    %a = tile.alloc : !half
    %c = tile.alloc : !sums
    %d = tile.alloc : !sums
    // expected-note @below {{the gemm is started here}}
    tile.gemm %a, %a, %c {async, clear, instruction = #mma} : !half, !half, !sums
    // expected-error @below {{'tile.copy' op expected 'tile.gemm_wait' before: a gemm whose operands or accumulator it accesses is in flight}}
    tile.copy %c, %d : !sums, !sums
    tile.gemm_wait %c pending(0) : !sums
  }
  return
}

// -----

#mma = #tile.mma<wgmma, m = 64, n = 64, k = 16, warps_m = 4, warps_n = 1>
!half = memref<64x64xf16, #tile.shared>
!sums = memref<64x64xf32, #tile.fragment>

// In a later iteration.
func.func @operand(%x: f16) {
  tile.kernel (%b) in (1) {
    %a = tile.alloc : memref<64x64xf16, #tile.fragment>
    %s = tile.alloc : !half
    %c = tile.alloc : !sums
    tile.pipelined %k = 0 to 4 {
      // expected-error @below {{'tile.fill' op expected 'tile.gemm_wait' before: a gemm whose operands or accumulator it accesses is in flight}}
      tile.fill %a, %x : memref<64x64xf16, #tile.fragment>
      // expected-note @below {{the gemm is started here}}
      tile.gemm %a, %s, %c {async, instruction = #mma} : memref<64x64xf16, #tile.fragment>, !half, !sums
    }
    tile.gemm_wait %c pending(0) : !sums
  }
  return
}

// -----

#mma = #tile.mma<wgmma, m = 64, n = 64, k = 16, warps_m = 4, warps_n = 1>
!half = memref<64x64xf16, #tile.shared>
!sums = memref<64x64xf32, #tile.fragment>

func.func @end(%x: i1) {
  // expected-error @below {{'tile.kernel' op expected 'tile.gemm_wait' before its end: a gemm is in flight}}
  tile.kernel (%b) in (1) {
    %a = tile.alloc : !half
    %c = tile.alloc : !sums
    // expected-note @below {{the gemm is started here}}
    tile.gemm %a, %a, %c {async, clear, instruction = #mma} : !half, !half, !sums
    scf.if %x {
      tile.gemm_wait %c pending(0) : !sums
    }
  }
  return
}

// -----

#mma = #tile.mma<wgmma, m = 64, n = 64, k = 16, warps_m = 4, warps_n = 1>
!half = memref<64x64xf16, #tile.shared>
!sums = memref<64x64xf32, #tile.fragment>

func.func @other_sums() {
  tile.kernel (%b) in (1) {
    %a = tile.alloc : !half
    %c = tile.alloc : !sums
    %d = tile.alloc : !sums
    tile.gemm %a, %a, %c {async, clear, instruction = #mma} : !half, !half, !sums
    tile.gemm %a, %a, %d {async, clear, instruction = #mma} : !half, !half, !sums
    // expected-error @below {{'tile.gemm_wait' op expected the accumulators of the 2 gemms that end here, got 1}}
    tile.gemm_wait %d pending(0) : !sums
  }
  return
}

// -----

#mma = #tile.mma<wgmma, m = 64, n = 64, k = 16, warps_m = 4, warps_n = 1>
!half = memref<64x64xf16, #tile.shared>
!sums = memref<64x64xf32, #tile.fragment>

func.func @release(%a: memref<1024x64xf16>) {
  tile.kernel (%b) in (1) {
    %tiles = tile.alloc : memref<2x64x64xf16, #tile.shared>
    %c = tile.alloc : !sums
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    tile.warp_specialize producer {
      tile.pipelined %k = 0 to 8 {
        %i = tile.producer_acquire %pipeline bytes(8192) : !tile.pipeline<2>
        %t = tile.stage %tiles[%i] : memref<2x64x64xf16, #tile.shared> to !half
        tile.copy %a[%k * 64, 0], %t signal(%pipeline : !tile.pipeline<2>) {instruction = #tile.transfer<tma>} : memref<1024x64xf16>, !half
        tile.producer_commit %pipeline : !tile.pipeline<2>
      }
    } consumer {
      tile.pipelined %k = 0 to 8 {
        %i = tile.consumer_wait %pipeline : !tile.pipeline<2>
        %t = tile.stage %tiles[%i] : memref<2x64x64xf16, #tile.shared> to !half
        // expected-note @below {{the gemm is started here}}
        tile.gemm %t, %t, %c {async, instruction = #mma} : !half, !half, !sums
        // expected-error @below {{'tile.consumer_release' op expected 'tile.gemm_wait' before: a gemm whose operands or accumulator it accesses is in flight}}
        tile.consumer_release %pipeline : !tile.pipeline<2>
        tile.gemm_wait %c pending(0) : !sums
      }
    }
  }
  return
}

// -----

func.func @store(%a: memref<128xf32>, %f: f32) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<128xf32, #tile.shared>
    // expected-note @below {{the first access is here}}
    tile.copy %s, %a {instruction = #tile.transfer<tma>} : memref<128xf32, #tile.shared>, memref<128xf32>
    tile.barrier
    // expected-error @below {{'tile.fill' op expected 'tile.store_wait' and 'tile.barrier' between the read of 'tile.copy' and the write of 'tile.fill'}}
    tile.fill %s, %f : memref<128xf32, #tile.shared>
  }
  return
}

// -----

// The tensor store reads the stage until it is waited for: the producer may not fill it before.
func.func @store_from_stage(%a: memref<1024xf32>, %c: memref<1024xf32>) {
  tile.kernel (%b) in (1) {
    %tiles = tile.alloc : memref<2x128xf32, #tile.shared>
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    tile.warp_specialize producer {
      tile.pipelined %k = 0 to 8 {
        %i = tile.producer_acquire %pipeline bytes(512) : !tile.pipeline<2>
        %t = tile.stage %tiles[%i] : memref<2x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
        tile.copy %a[%k * 128], %t signal(%pipeline : !tile.pipeline<2>) {instruction = #tile.transfer<tma>}
            : memref<1024xf32>, memref<128xf32, #tile.shared>
        tile.producer_commit %pipeline : !tile.pipeline<2>
      }
    } consumer {
      tile.pipelined %k = 0 to 8 {
        %i = tile.consumer_wait %pipeline : !tile.pipeline<2>
        %t = tile.stage %tiles[%i] : memref<2x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
        // expected-note @below {{the first access is here}}
        tile.copy %t, %c[%k * 128] {instruction = #tile.transfer<tma>} : memref<128xf32, #tile.shared>, memref<1024xf32>
        tile.barrier
        // expected-error @below {{expected 'tile.store_wait' between the read of 'tile.copy' and the release of the stage by 'tile.consumer_release'}}
        tile.consumer_release %pipeline : !tile.pipeline<2>
      }
    }
  }
  return
}

// -----

func.func @turn_twice() {
  tile.kernel (%b) in (1) threads(256) {
    tile.warp_specialize producer {
    } consumer {
      // expected-note @below {{the ordered section was entered here}}
      tile.order_wait
      // expected-error @below {{'tile.order_wait' op expected 'tile.order_arrive' before the next 'tile.order_wait'}}
      tile.order_wait
      tile.order_arrive
    }
  }
  return
}

// -----

func.func @turn_not_taken() {
  tile.kernel (%b) in (1) threads(256) {
    tile.warp_specialize producer {
    } consumer {
      tile.order_wait
      tile.order_arrive
      // expected-error @below {{'tile.order_arrive' op expected 'tile.order_wait' before}}
      tile.order_arrive
    }
  }
  return
}

// -----

// One warpgroup waits for the other at the barrier, which waits for its turn.
func.func @turn_around_barrier() {
  tile.kernel (%b) in (1) threads(256) {
    tile.warp_specialize producer {
    } consumer {
      tile.order_wait
      // expected-error @below {{'tile.barrier' op waits forever}}
      tile.barrier
      tile.order_arrive
    }
  }
  return
}

// -----

func.func @turn_kept() {
  tile.kernel (%b) in (1) threads(256) {
    tile.warp_specialize producer {
    } consumer {
      // expected-error @below {{'tile.order_wait' op waits forever}}
      tile.order_wait
    }
  }
  return
}

// -----

// The first warpgroup keeps its turn until a stage is filled, which the second,
// that waits for its turn, would have to give back.
func.func @turn_around_pipeline(%a: memref<1024xf32>) {
  tile.kernel (%b) in (1) threads(256) {
    %tiles = tile.alloc : memref<1x128xf32, #tile.shared>
    %pipeline = tile.create_pipeline : !tile.pipeline<1>
    tile.warp_specialize producer {
      tile.pipelined %k = 0 to 8 {
        // expected-error @below {{'tile.producer_acquire' op waits forever}}
        %i = tile.producer_acquire %pipeline bytes(512) : !tile.pipeline<1>
        %t = tile.stage %tiles[%i] : memref<1x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
        tile.copy %a[%k * 128], %t signal(%pipeline : !tile.pipeline<1>) {instruction = #tile.transfer<tma>}
            : memref<1024xf32>, memref<128xf32, #tile.shared>
        tile.producer_commit %pipeline : !tile.pipeline<1>
      }
    } consumer {
      tile.order_wait
      tile.pipelined %k = 0 to 8 {
        // expected-note @below {{the other partition waits here}}
        %i = tile.consumer_wait %pipeline : !tile.pipeline<1>
        tile.consumer_release %pipeline : !tile.pipeline<1>
      }
      tile.order_arrive
    }
  }
  return
}
