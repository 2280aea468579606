// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-verify-schedule --split-input-file --verify-diagnostics

// What teams would share beside what pipelines hand on.

!f = memref<128xf32, #tile.fragment>

// Each team has registers of its own.
func.func @fragment_of_two(%x: f32, %s: memref<128xf32>) {
  tile.kernel (%b) in (1) threads(128) {
    %f = tile.alloc : !f
    // expected-error @below {{cannot have 2 consumers: expected a fragment to be of one team, whose threads have its elements, got memref<128xf32, #tile.fragment>}}
    tile.warp_specialize attributes {tile.consumers = 2 : i64} producer {
    } consumer {
      tile.team {
        tile.fill %f, %x : !f
      }
      tile.team {
        tile.copy %f, %s : !f, memref<128xf32>
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

// One of two readers overwrites what the other one may still read.
func.func @reader_writes(%x: f32) {
  tile.kernel (%b) in (1) threads(128) {
    %t = tile.alloc : !tiles
    %f = tile.alloc : !f
    %g = tile.alloc : !f
    %p = tile.create_pipeline : !one
    // expected-error @below {{cannot have 3 consumers: expected teams to read a stage for which several of them wait, got 'tile.fill', which writes it}}
    tile.warp_specialize attributes {tile.consumers = 3 : i64} producer {
    } consumer {
      tile.team {
        tile.fill %f, %x : !f
        %i = tile.producer_acquire %p bytes(0) : !one
        %s = tile.stage %t[%i] : !tiles to !tile
        tile.copy %f, %s : !f, !tile
        tile.producer_commit %p : !one
      }
      tile.team {
        %i = tile.consumer_wait %p : !one
        %s = tile.stage %t[%i] : !tiles to !tile
        tile.copy %s, %g : !tile, !f
        tile.consumer_release %p : !one
      }
      tile.team {
        %i = tile.consumer_wait %p : !one
        %s = tile.stage %t[%i] : !tiles to !tile
        tile.fill %s, %x : !tile
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

// Nothing orders the stages of two pipelines.
func.func @two_pipelines(%x: f32) {
  tile.kernel (%b) in (1) threads(128) {
    %t = tile.alloc : !tiles
    %f = tile.alloc : !f
    %g = tile.alloc : !f
    // expected-note @below {{the other pipeline is here}}
    %p = tile.create_pipeline : !one
    %q = tile.create_pipeline : !one
    tile.warp_specialize attributes {tile.consumers = 2 : i64} producer {
    } consumer {
      tile.team {
        tile.fill %f, %x : !f
        %i = tile.producer_acquire %p bytes(0) : !one
        %s = tile.stage %t[%i] : !tiles to !tile
        tile.copy %f, %s : !f, !tile
        tile.producer_commit %p : !one
        %j = tile.consumer_wait %q : !one
        tile.consumer_release %q : !one
      }
      tile.team {
        tile.fill %g, %x : !f
        %i = tile.producer_acquire %q bytes(0) : !one
        // expected-error @below {{expected one pipeline to count the stages of a buffer, got two}}
        %s = tile.stage %t[%i] : !tiles to !tile
        tile.copy %g, %s : !f, !tile
        tile.producer_commit %q : !one
        %j = tile.consumer_wait %p : !one
        tile.consumer_release %p : !one
      }
    }
  }
  return
}
