// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-verify-schedule --split-input-file --verify-diagnostics

!one = !tile.pipeline<1>
!tiles = memref<1x128xf32, #tile.shared>
!tile = memref<128xf32, #tile.shared>
!f = memref<128xf32, #tile.fragment>

func.func @bytes() {
  tile.kernel (%b) in (1) threads(128) {
    %p = tile.create_pipeline : !one
    // expected-error @below {{cannot have 2 consumers: expected the stages that a team fills to count no bytes of tensor copies, got 512}}
    tile.warp_specialize attributes {tile.consumers = 2 : i64} producer {
    } consumer {
      tile.team {
        %i = tile.producer_acquire %p bytes(512) : !one
        tile.producer_commit %p : !one
      }
      tile.team {
        %i = tile.consumer_wait %p : !one
        tile.consumer_release %p : !one
      }
    }
  }
  return
}

// -----

!one = !tile.pipeline<1>
!tiles = memref<1x128xf32, #tile.shared>
!tile = memref<128xf32, #tile.shared>
!f = memref<128xf32, #tile.fragment>

// What the team itself reads is not handed on yet.
func.func @reads_what_it_fills() {
  tile.kernel (%b) in (1) threads(128) {
    %t = tile.alloc : !tiles
    %f = tile.alloc : !f
    %p = tile.create_pipeline : !one
    // expected-error @below {{cannot have 2 consumers: expected a team to fill a stage by one 'tile.copy' out of a fragment, and not to read it}}
    tile.warp_specialize attributes {tile.consumers = 2 : i64} producer {
    } consumer {
      tile.team {
        %i = tile.producer_acquire %p bytes(0) : !one
        %s = tile.stage %t[%i] : !tiles to !tile
        tile.copy %f, %s : !f, !tile
        tile.copy %s, %f : !tile, !f
        tile.producer_commit %p : !one
      }
      tile.team {
        %i = tile.consumer_wait %p : !one
        tile.consumer_release %p : !one
      }
    }
  }
  return
}

// -----

!one = !tile.pipeline<1>

func.func @waits_for_itself() {
  tile.kernel (%b) in (1) threads(128) {
    %p = tile.create_pipeline : !one
    // expected-error @below {{cannot have 2 consumers: expected no team to wait for a pipeline that it fills}}
    tile.warp_specialize attributes {tile.consumers = 2 : i64} producer {
    } consumer {
      tile.team {
        %i = tile.producer_acquire %p bytes(0) : !one
        tile.producer_commit %p : !one
        %j = tile.consumer_wait %p : !one
        tile.consumer_release %p : !one
      }
      tile.team {
      }
    }
  }
  return
}

// -----

!one = !tile.pipeline<1>

func.func @two_fill() {
  tile.kernel (%b) in (1) threads(128) {
    %p = tile.create_pipeline : !one
    // expected-error @below {{cannot have 3 consumers: expected one partition to fill a pipeline, got 2}}
    tile.warp_specialize attributes {tile.consumers = 3 : i64} producer {
    } consumer {
      tile.team {
        %i = tile.producer_acquire %p bytes(0) : !one
        tile.producer_commit %p : !one
      }
      tile.team {
        %i = tile.producer_acquire %p bytes(0) : !one
        tile.producer_commit %p : !one
      }
      tile.team {
        %j = tile.consumer_wait %p : !one
        tile.consumer_release %p : !one
      }
    }
  }
  return
}

// -----

!tile = memref<128xf32, #tile.shared>
!f = memref<128xf32, #tile.fragment>

// Nothing orders what the two do.
func.func @shared(%x: f32) {
  tile.kernel (%b) in (1) threads(128) {
    %t = tile.alloc {offset = 0 : i64} : !tile
    // expected-error @below {{cannot have 2 consumers: expected 'tile.consumers' of 2 on the shared buffers of the consumer that no pipeline fills, and no other use of them, got memref<128xf32, #tile.shared>}}
    tile.warp_specialize attributes {tile.consumers = 2 : i64} producer {
    } consumer {
      tile.team {
        tile.fill %t, %x : !tile
      }
      tile.team {
        tile.fill %t, %x : !tile
      }
    }
  }
  return
}

// -----

!one = !tile.pipeline<1>

// One of two readers does not give the stage back.
func.func @one_releases(%n: index) {
  tile.kernel (%b) in (1) threads(128) {
    %p = tile.create_pipeline : !one
    tile.warp_specialize attributes {tile.consumers = 3 : i64} producer {
    } consumer {
      tile.team {
        tile.pipelined %k = 0 to %n {
          // expected-error @below {{waits forever}}
          %i = tile.producer_acquire %p bytes(0) : !one
          tile.producer_commit %p : !one
        }
      }
      tile.team {
        tile.pipelined %k = 0 to %n {
          %i = tile.consumer_wait %p : !one
          tile.consumer_release %p : !one
        }
      }
      tile.team {
        %i = tile.consumer_wait %p : !one
      }
    }
  }
  return
}

// -----

!one = !tile.pipeline<1>

// Each waits for the other first.
func.func @crossed() {
  tile.kernel (%b) in (1) threads(128) {
    %p = tile.create_pipeline : !one
    %q = tile.create_pipeline : !one
    tile.warp_specialize attributes {tile.consumers = 2 : i64} producer {
    } consumer {
      tile.team {
        // expected-error @below {{waits forever}}
        %i = tile.consumer_wait %q : !one
        tile.consumer_release %q : !one
        %j = tile.producer_acquire %p bytes(0) : !one
        tile.producer_commit %p : !one
      }
      tile.team {
        %i = tile.consumer_wait %p : !one
        tile.consumer_release %p : !one
        %j = tile.producer_acquire %q bytes(0) : !one
        tile.producer_commit %q : !one
      }
    }
  }
  return
}

// -----

!one = !tile.pipeline<1>
!tiles = memref<1x128xf32, #tile.shared>
!tile = memref<128xf32, #tile.shared>
!f = memref<128xf32, #tile.fragment>

// The wait is deleted.
func.func @no_wait() {
  tile.kernel (%b) in (1) threads(128) {
    %p = tile.create_pipeline : !one
    tile.warp_specialize attributes {tile.consumers = 2 : i64} producer {
    } consumer {
      tile.team {
        %i = tile.producer_acquire %p bytes(0) : !one
        tile.producer_commit %p : !one
      }
      tile.team {
        // expected-error @below {{expected 'tile.consumer_wait' before}}
        tile.consumer_release %p : !one
      }
    }
  }
  return
}

// -----

!one = !tile.pipeline<1>
!tiles = memref<1x128xf32, #tile.shared>
!tile = memref<128xf32, #tile.shared>
!f = memref<128xf32, #tile.fragment>

// A stage is filled when it is handed on.
func.func @late_fill() {
  tile.kernel (%b) in (1) threads(128) {
    %t = tile.alloc : !tiles
    %f = tile.alloc : !f
    %p = tile.create_pipeline : !one
    tile.warp_specialize attributes {tile.consumers = 2 : i64} producer {
    } consumer {
      tile.team {
        // expected-note @below {{the stage is of this op}}
        %i = tile.producer_acquire %p bytes(0) : !one
        tile.producer_commit %p : !one
        %s = tile.stage %t[%i] : !tiles to !tile
        // expected-error @below {{accesses a stage that is not acquired}}
        tile.copy %f, %s : !f, !tile
      }
      tile.team {
        %i = tile.consumer_wait %p : !one
        tile.consumer_release %p : !one
      }
    }
  }
  return
}

// -----

!one = !tile.pipeline<1>
!p16 = memref<64x64xf16, #tile.shared>
!p16s = memref<1x64x64xf16, #tile.shared>
!h = memref<64x64xf16, #tile.fragment>
!s = memref<64x64xf32, #tile.fragment>
#mma = #tile.mma<wgmma, m = 64, n = 64, k = 16, warps_m = 4, warps_n = 1>

// The other team's weights are given back while a product reads them, and the product is in flight at the end.
func.func @released_early() {
  tile.kernel (%b) in (1) threads(128) {
    %w = tile.alloc : !p16s
    %v = tile.alloc : !p16
    %f = tile.alloc : !h
    %acc = tile.alloc : !s
    %p = tile.create_pipeline : !one
    tile.warp_specialize attributes {tile.consumers = 2 : i64} producer {
    } consumer {
      tile.team {
        %i = tile.producer_acquire %p bytes(0) : !one
        %t = tile.stage %w[%i] : !p16s to !p16
        tile.copy %f, %t : !h, !p16
        tile.producer_commit %p : !one
      }
      tile.team {
        %i = tile.consumer_wait %p : !one
        %t = tile.stage %w[%i] : !p16s to !p16
        // expected-note @below {{the gemm is started here}}
        tile.gemm %t, %v, %acc {async, instruction = #mma} : !p16, !p16, !s
        // expected-error @below {{expected 'tile.gemm_wait' before: a gemm whose operands or accumulator it accesses is in flight}}
        tile.consumer_release %p : !one
        tile.gemm_wait %acc pending(0) : !s
      }
    }
  }
  return
}

// -----

!p16 = memref<64x64xf16, #tile.shared>
!s = memref<64x64xf32, #tile.fragment>
#mma = #tile.mma<wgmma, m = 64, n = 64, k = 16, warps_m = 4, warps_n = 1>

// The other team waits for products of its own alone.
func.func @in_flight_at_the_end() {
  tile.kernel (%b) in (1) threads(128) {
    %v = tile.alloc : !p16
    %acc = tile.alloc : !s
    tile.warp_specialize attributes {tile.consumers = 2 : i64} producer {
    } consumer {
      // expected-error @below {{expected 'tile.gemm_wait' before its end: a gemm is in flight}}
      tile.team {
        // expected-note @below {{the gemm is started here}}
        tile.gemm %v, %v, %acc {async, instruction = #mma} : !p16, !p16, !s
      }
      tile.team {
        tile.gemm_wait %acc pending(0) : !s
      }
    }
  }
  return
}
