// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-verify-schedule --split-input-file --verify-diagnostics

func.func @two_warpgroups() {
  tile.kernel (%p) in (4) threads(256) {
    // expected-error @below {{cannot have 2 consumers: expected a kernel of one warpgroup of 128 threads, got 256 threads}}
    tile.warp_specialize attributes {tile.consumers = 2 : i64} producer {
    } consumer {
    }
  }
  return
}

// -----

func.func @many() {
  tile.kernel (%p) in (4) threads(128) {
    // expected-error @below {{cannot have 8 consumers: expected at most 7 of them, got 8}}
    tile.warp_specialize attributes {tile.consumers = 8 : i64} producer {
    } consumer {
    }
  }
  return
}

// -----

// Their steps are not run.
func.func @very_many() {
  tile.kernel (%p) in (4) threads(128) {
    // expected-error @below {{cannot have 4611686018427387904 consumers: expected at most 7 of them, got 4611686018427387904}}
    tile.warp_specialize attributes {tile.consumers = 4611686018427387904 : i64} producer {
    } consumer {
    }
  }
  return
}

// -----

func.func @cluster() {
  tile.kernel (%p) in (4) threads(128) cluster(2) {
    // expected-error @below {{cannot have 2 consumers: expected a kernel without clusters}}
    tile.warp_specialize attributes {tile.consumers = 2 : i64} producer {
    } consumer {
    }
  }
  return
}

// -----

// Each team would fill the result.
func.func @no_points(%c: memref<128x64xf32>, %f: f32) {
  tile.kernel (%p) in (4) threads(128) {
    %sums = tile.alloc : memref<128x64xf32, #tile.fragment>
    // expected-error @below {{cannot have 2 consumers: expected one 'tile.persistent' and nothing else in both partitions}}
    tile.warp_specialize attributes {tile.consumers = 2 : i64} producer {
    } consumer {
      tile.fill %sums, %f : memref<128x64xf32, #tile.fragment>
      tile.copy %sums, %c : memref<128x64xf32, #tile.fragment>, memref<128x64xf32>
    }
  }
  return
}

// -----

func.func @gathers(%a: memref<1024x64xbf16>, %rows: memref<64xi32>) {
  tile.kernel (%p) in (4) threads(128) {
    %s = tile.alloc : memref<2x64x64xbf16, #tile.shared>
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    // expected-error @below {{cannot have 2 consumers: expected a producer of tensor copies, got a gather}}
    tile.warp_specialize attributes {tile.consumers = 2 : i64} producer {
      tile.persistent (%x) in (8) {
        %i = tile.producer_acquire %pipeline bytes(0) : !tile.pipeline<2>
        %t = tile.stage %s[%i] : memref<2x64x64xbf16, #tile.shared> to memref<64x64xbf16, #tile.shared>
        tile.gather %a[0, 0] by %rows[0], %t signal(%pipeline : !tile.pipeline<2>) {instruction = #tile.transfer<cp_async, bytes = 16>}
            : memref<1024x64xbf16>, memref<64xi32>, memref<64x64xbf16, #tile.shared>
        tile.producer_commit %pipeline : !tile.pipeline<2>
      }
    } consumer {
      tile.persistent (%x) in (8) {
        %i = tile.consumer_wait %pipeline : !tile.pipeline<2>
        tile.consumer_release %pipeline : !tile.pipeline<2>
      }
    }
  }
  return
}

// -----

// How many stages another team takes is not known.
func.func @triangle(%a: memref<1024x64xbf16>) {
  tile.kernel (%p) in (4) threads(128) {
    %s = tile.alloc : memref<2x64x64xbf16, #tile.shared>
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    // expected-error @below {{cannot have 2 consumers: expected as many stages for all points, got a loop with bounds of its own for each}}
    tile.warp_specialize attributes {tile.consumers = 2 : i64} producer {
      tile.persistent (%x) in (8) {
        tile.pipelined %k = 0 to %x {
          %i = tile.producer_acquire %pipeline bytes(8192) : !tile.pipeline<2>
          %t = tile.stage %s[%i] : memref<2x64x64xbf16, #tile.shared> to memref<64x64xbf16, #tile.shared>
          tile.copy %a[%k * 64, 0], %t signal(%pipeline : !tile.pipeline<2>) {instruction = #tile.transfer<tma>}
              : memref<1024x64xbf16>, memref<64x64xbf16, #tile.shared>
          tile.producer_commit %pipeline : !tile.pipeline<2>
        }
      }
    } consumer {
      tile.persistent (%x) in (8) {
        tile.order_wait
        tile.pipelined %k = 0 to %x {
          %i = tile.consumer_wait %pipeline : !tile.pipeline<2>
          tile.consumer_release %pipeline : !tile.pipeline<2>
        }
        tile.order_arrive
      }
    }
  }
  return
}

// -----

// Teams count the stages, too, before they begin.
func.func @computed_bound(%a: memref<1024x64xbf16>, %n: index) {
  tile.kernel (%p) in (4) threads(128) {
    %s = tile.alloc : memref<2x64x64xbf16, #tile.shared>
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    // expected-error @below {{cannot have 2 consumers: expected the bounds of its loops in front of the partitions, got one computed in the producer}}
    tile.warp_specialize attributes {tile.consumers = 2 : i64} producer {
      %twice = arith.addi %n, %n : index
      tile.persistent (%x) in (8) {
        tile.pipelined %k = 0 to %twice {
          %i = tile.producer_acquire %pipeline bytes(8192) : !tile.pipeline<2>
          %t = tile.stage %s[%i] : memref<2x64x64xbf16, #tile.shared> to memref<64x64xbf16, #tile.shared>
          tile.copy %a[%k * 64, 0], %t signal(%pipeline : !tile.pipeline<2>) {instruction = #tile.transfer<tma>}
              : memref<1024x64xbf16>, memref<64x64xbf16, #tile.shared>
          tile.producer_commit %pipeline : !tile.pipeline<2>
        }
      }
    } consumer {
      %twice = arith.addi %n, %n : index
      tile.persistent (%x) in (8) {
        tile.order_wait
        tile.pipelined %k = 0 to %twice {
          %i = tile.consumer_wait %pipeline : !tile.pipeline<2>
          tile.consumer_release %pipeline : !tile.pipeline<2>
        }
        tile.order_arrive
      }
    }
  }
  return
}

// -----

// A kernel without teams has one of each buffer.
func.func @no_teams(%f: f32, %c: memref<1024x64xf32>) {
  tile.kernel (%p) in (4) threads(128) {
    // expected-error @below {{expected 'tile.consumers' on the 'tile.warp_specialize' of the kernel, too, got a buffer for each of 2 and one consumer}}
    %s = tile.alloc {tile.consumers = 2 : i64} : memref<64x64xf32, #tile.shared>
    tile.fill %s, %f : memref<64x64xf32, #tile.shared>
    tile.barrier
    tile.copy %s, %c[%p * 64, 0] : memref<64x64xf32, #tile.shared>, memref<1024x64xf32>
  }
  return
}

// -----

func.func @branch(%a: memref<1024x64xbf16>, %some: i1) {
  tile.kernel (%p) in (4) threads(128) {
    %s = tile.alloc : memref<2x64x64xbf16, #tile.shared>
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    // expected-error @below {{cannot have 2 consumers: expected the stages of a point to be filled in 'tile.pipelined' loops alone, got 'scf.if'}}
    tile.warp_specialize attributes {tile.consumers = 2 : i64} producer {
      tile.persistent (%x) in (8) {
        scf.if %some {
          %i = tile.producer_acquire %pipeline bytes(8192) : !tile.pipeline<2>
          %t = tile.stage %s[%i] : memref<2x64x64xbf16, #tile.shared> to memref<64x64xbf16, #tile.shared>
          tile.copy %a[%x * 64, 0], %t signal(%pipeline : !tile.pipeline<2>) {instruction = #tile.transfer<tma>}
              : memref<1024x64xbf16>, memref<64x64xbf16, #tile.shared>
          tile.producer_commit %pipeline : !tile.pipeline<2>
        }
      }
    } consumer {
      tile.persistent (%x) in (8) {
        tile.order_wait
        scf.if %some {
          %i = tile.consumer_wait %pipeline : !tile.pipeline<2>
          tile.consumer_release %pipeline : !tile.pipeline<2>
        }
        tile.order_arrive
      }
    }
  }
  return
}

// -----

// Both teams would write to one tile.
func.func @one_tile(%f: f32, %c: memref<1024x64xf32>) {
  tile.kernel (%p) in (4) threads(128) {
    %s = tile.alloc : memref<64x64xf32, #tile.shared>
    // expected-error @below {{cannot have 2 consumers: expected 'tile.consumers' of 2 on the shared buffers of the consumer that no pipeline fills, and no other use of them, got memref<64x64xf32, #tile.shared>}}
    tile.warp_specialize attributes {tile.consumers = 2 : i64} producer {
      tile.persistent (%x) in (8) {
      }
    } consumer {
      tile.persistent (%x) in (8) {
        tile.fill %s, %f : memref<64x64xf32, #tile.shared>
        tile.barrier
        tile.copy %s, %c[%x * 64, 0] : memref<64x64xf32, #tile.shared>, memref<1024x64xf32>
        tile.barrier
      }
    }
  }
  return
}

// -----

func.func @odd_size(%f: f32, %c: memref<1024x9xf32>) {
  tile.kernel (%p) in (4) threads(128) {
    %s = tile.alloc {tile.consumers = 2 : i64} : memref<64x9xf32, #tile.shared>
    // expected-error @below {{cannot have 2 consumers: expected shared buffers of a multiple of 1024 bytes for each, got memref<64x9xf32, #tile.shared>}}
    tile.warp_specialize attributes {tile.consumers = 2 : i64} producer {
      tile.persistent (%x) in (8) {
      }
    } consumer {
      tile.persistent (%x) in (8) {
        tile.fill %s, %f : memref<64x9xf32, #tile.shared>
        tile.barrier
        tile.copy %s, %c[%x * 64, 0] : memref<64x9xf32, #tile.shared>, memref<1024x9xf32>
        tile.barrier
      }
    }
  }
  return
}

// -----

// The second half of the first tile is the other team's.
func.func @overlap(%f: f32, %c: memref<1024x64xf32>) {
  tile.kernel (%p) in (4) threads(128) {
    %s = tile.alloc {tile.consumers = 2 : i64, offset = 0 : i64} : memref<64x64xf32, #tile.shared>
    %t = tile.alloc {tile.consumers = 2 : i64, offset = 16384 : i64} : memref<64x64xf32, #tile.shared>
    // expected-error @below {{cannot have 2 consumers: expected no other buffer in the bytes of memref<64x64xf32, #tile.shared>}}
    tile.warp_specialize attributes {tile.consumers = 2 : i64} producer {
      tile.persistent (%x) in (8) {
      }
    } consumer {
      tile.persistent (%x) in (8) {
        tile.fill %s, %f : memref<64x64xf32, #tile.shared>
        tile.barrier
        tile.copy %s, %c[%x * 64, 0] : memref<64x64xf32, #tile.shared>, memref<1024x64xf32>
        tile.barrier
        tile.fill %t, %f : memref<64x64xf32, #tile.shared>
        tile.barrier
        tile.copy %t, %c[%x * 64, 0] : memref<64x64xf32, #tile.shared>, memref<1024x64xf32>
        tile.barrier
      }
    }
  }
  return
}

// -----

// The second team may be more than a round ahead of what is filled.
func.func @no_order(%a: memref<1024x64xbf16>, %n: index) {
  tile.kernel (%p) in (4) threads(128) {
    %s = tile.alloc : memref<2x64x64xbf16, #tile.shared>
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    tile.warp_specialize attributes {tile.consumers = 2 : i64} producer {
      tile.persistent (%x) in (8) {
        tile.pipelined %k = 0 to %n {
          %i = tile.producer_acquire %pipeline bytes(8192) : !tile.pipeline<2>
          %t = tile.stage %s[%i] : memref<2x64x64xbf16, #tile.shared> to memref<64x64xbf16, #tile.shared>
          tile.copy %a[%k * 64, 0], %t signal(%pipeline : !tile.pipeline<2>) {instruction = #tile.transfer<tma>}
              : memref<1024x64xbf16>, memref<64x64xbf16, #tile.shared>
          tile.producer_commit %pipeline : !tile.pipeline<2>
        }
      }
    } consumer {
      tile.persistent (%x) in (8) {
        tile.pipelined %k = 0 to %n {
          // expected-error @below {{expected 'tile.order_wait' before: the stage may be filled for another consumer, which has not waited for it}}
          %i = tile.consumer_wait %pipeline : !tile.pipeline<2>
          tile.consumer_release %pipeline : !tile.pipeline<2>
        }
      }
    }
  }
  return
}

// -----

// It is given back while its product may still read it.
#sums = #tile.layout<[64: 4 warp, 2 reg*2, 8 lane*4][64: 8 reg*4, 4 lane, 2 reg]>
#tile = #tile.layout<[2: 2 offset*4096][64: 64 offset*64][64: 64 offset] swizzle(3, 3, 3)>
#mma = #tile.mma<wgmma, m = 64, n = 64, k = 16, warps_m = 4, warps_n = 1>
!tiles = memref<2x64x64xbf16, #tile.shared>
!tile = memref<64x64xbf16, #tile.shared>
!sums = memref<64x64xf32, #tile.fragment>
func.func @in_flight(%a: memref<1024x64xbf16>) {
  tile.kernel (%p) in (4) threads(128) {
    %s = tile.alloc {layout = #tile} : !tiles
    %sums = tile.alloc {layout = #sums} : !sums
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    tile.warp_specialize producer {
      %i = tile.producer_acquire %pipeline bytes(8192) : !tile.pipeline<2>
      %t = tile.stage %s[%i] : !tiles to !tile
      tile.copy %a[0, 0], %t signal(%pipeline : !tile.pipeline<2>) {instruction = #tile.transfer<tma>} : memref<1024x64xbf16>, !tile
      tile.producer_commit %pipeline : !tile.pipeline<2>
      %j = tile.producer_acquire %pipeline bytes(8192) : !tile.pipeline<2>
      %u = tile.stage %s[%j] : !tiles to !tile
      tile.copy %a[64, 0], %u signal(%pipeline : !tile.pipeline<2>) {instruction = #tile.transfer<tma>} : memref<1024x64xbf16>, !tile
      tile.producer_commit %pipeline : !tile.pipeline<2>
    } consumer {
      %i = tile.consumer_wait %pipeline : !tile.pipeline<2>
      %t = tile.stage %s[%i] : !tiles to !tile
      tile.gemm %t, %t, %sums {async, clear, instruction = #mma, transpose_b} : !tile, !tile, !sums
      %j = tile.consumer_wait %pipeline {tile.ahead = 1 : i64} : !tile.pipeline<2>
      %u = tile.stage %s[%j] : !tiles to !tile
      // expected-note @below {{the gemm is started here}}
      tile.gemm %u, %u, %sums {async, instruction = #mma, transpose_b} : !tile, !tile, !sums
      tile.gemm_wait pending(1)
      tile.consumer_release %pipeline : !tile.pipeline<2>
      // expected-error @below {{expected 'tile.gemm_wait' before: a gemm whose operands or accumulator it accesses is in flight}}
      tile.consumer_release %pipeline : !tile.pipeline<2>
      tile.gemm_wait %sums pending(0) : !sums
    }
  }
  return
}

// -----

// Without iterations the other team waits for its turn.
func.func @kept_turn(%a: memref<1024x64xbf16>, %n: index) {
  tile.kernel (%p) in (4) threads(128) {
    %s = tile.alloc : memref<2x64x64xbf16, #tile.shared>
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    tile.warp_specialize attributes {tile.consumers = 2 : i64} producer {
      tile.persistent (%x) in (8) {
        tile.pipelined %k = 0 to %n {
          %i = tile.producer_acquire %pipeline bytes(8192) : !tile.pipeline<2>
          %t = tile.stage %s[%i] : memref<2x64x64xbf16, #tile.shared> to memref<64x64xbf16, #tile.shared>
          tile.copy %a[%k * 64, 0], %t signal(%pipeline : !tile.pipeline<2>) {instruction = #tile.transfer<tma>}
              : memref<1024x64xbf16>, memref<64x64xbf16, #tile.shared>
          tile.producer_commit %pipeline : !tile.pipeline<2>
        }
      }
    } consumer {
      tile.persistent (%x) in (8) {
        // expected-error @below {{expected 'tile.order_arrive' after it}}
        tile.order_wait
        %zero = arith.constant 0 : index
        %any = arith.cmpi slt, %zero, %n : index
        scf.if %any {
          %i = tile.consumer_wait %pipeline : !tile.pipeline<2>
          tile.consumer_release %pipeline : !tile.pipeline<2>
          tile.pipelined %k = 1 to %n {
            %j = tile.consumer_wait %pipeline : !tile.pipeline<2>
            tile.consumer_release %pipeline : !tile.pipeline<2>
          }
          tile.order_arrive
        }
      }
    }
  }
  return
}
