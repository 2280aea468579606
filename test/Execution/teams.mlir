// Teams with a program each: what one hands on, and what several read. With no rows, one, and more than stages.

// REQUIRES: tile-run, nvidia
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: env TILE_SIMT_SEED=3 tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// CHECK: {{^}}8 passed, 0 failed{{$}}

!rows = memref<?x128xf32>
!tiles = memref<2x128xf32, #tile.shared>
!tile = memref<128xf32, #tile.shared>
!f = memref<128xf32, #tile.fragment>

// The first team squares rows, the second one adds up squares and the rows themselves, which both read.
func.func @squares(%a: !rows {tile.shape = "Nx128", tile.init = "integers(-4,5)"}, %s: memref<128xf32> {tile.result})
    attributes {tile.reference = @squares_reference, tile.cases = ["N=1", "N=2", "N=9", "N=0"]} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : !rows
  tile.kernel (%b) in (1) threads(128) {
    %tiles = tile.alloc : !tiles
    %squares = tile.alloc : memref<1x128xf32, #tile.shared>
    %f = tile.alloc : !f
    %acc = tile.alloc : !f
    %loads = tile.create_pipeline : !tile.pipeline<2>
    %handed = tile.create_pipeline : !tile.pipeline<1>
    tile.warp_specialize attributes {tile.consumers = 2 : i64} producer {
      tile.pipelined %k = 0 to %n {
        %i = tile.producer_acquire %loads bytes(512) : !tile.pipeline<2>
        %t = tile.stage %tiles[%i] : !tiles to !tile
        tile.copy %a[%k, 0] [1, 128], %t signal(%loads : !tile.pipeline<2>) {instruction = #tile.transfer<tma>} : !rows, !tile
        tile.producer_commit %loads : !tile.pipeline<2>
      }
    } consumer {
      tile.team {
        tile.pipelined %k = 0 to %n {
          %i = tile.consumer_wait %loads : !tile.pipeline<2>
          %t = tile.stage %tiles[%i] : !tiles to !tile
          tile.parallel (%j) in (128) {
            %x = memref.load %t[%j] : !tile
            %y = arith.mulf %x, %x : f32
            memref.store %y, %f[%j] : !f
          }
          tile.consumer_release %loads : !tile.pipeline<2>
          %h = tile.producer_acquire %handed bytes(0) : !tile.pipeline<1>
          %u = tile.stage %squares[%h] : memref<1x128xf32, #tile.shared> to !tile
          tile.copy %f, %u : !f, !tile
          tile.producer_commit %handed : !tile.pipeline<1>
        }
      }
      tile.team {
        tile.fill %acc, %zero : !f
        tile.pipelined %k = 0 to %n {
          %h = tile.consumer_wait %handed : !tile.pipeline<1>
          %u = tile.stage %squares[%h] : memref<1x128xf32, #tile.shared> to !tile
          %i = tile.consumer_wait %loads : !tile.pipeline<2>
          %t = tile.stage %tiles[%i] : !tiles to !tile
          tile.parallel (%j) in (128) {
            %x = memref.load %u[%j] : !tile
            %r = memref.load %t[%j] : !tile
            %y = memref.load %acc[%j] : !f
            %q = arith.addf %x, %r : f32
            %z = arith.addf %q, %y : f32
            memref.store %z, %acc[%j] : !f
          }
          tile.consumer_release %handed : !tile.pipeline<1>
          tile.consumer_release %loads : !tile.pipeline<2>
        }
        tile.copy %acc, %s : !f, memref<128xf32>
      }
    }
  }
  return
}

// Each team has a part of the shared buffer for itself, in which its threads see each other's elements.
func.func @turned(%a: !rows {tile.shape = "Nx128", tile.init = "integers(-4,5)"}, %s: memref<128xf32> {tile.result},
                  %t: memref<128xf32> {tile.result})
    attributes {tile.reference = @turned_reference, tile.cases = ["N=1", "N=2", "N=9", "N=0"]} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : !rows
  tile.kernel (%b) in (1) threads(128) {
    %tiles = tile.alloc : !tiles
    %own = tile.alloc {tile.consumers = 2 : i64} : memref<256xf32, #tile.shared>
    %first = tile.alloc : !f
    %second = tile.alloc : !f
    %loads = tile.create_pipeline : !tile.pipeline<2>
    tile.warp_specialize attributes {tile.consumers = 2 : i64} producer {
      tile.pipelined %k = 0 to %n {
        %i = tile.producer_acquire %loads bytes(512) : !tile.pipeline<2>
        %u = tile.stage %tiles[%i] : !tiles to !tile
        tile.copy %a[%k, 0] [1, 128], %u signal(%loads : !tile.pipeline<2>) {instruction = #tile.transfer<tma>} : !rows, !tile
        tile.producer_commit %loads : !tile.pipeline<2>
      }
    } consumer {
      tile.team {
        tile.fill %first, %zero : !f
        tile.pipelined %k = 0 to %n {
          %i = tile.consumer_wait %loads : !tile.pipeline<2>
          %u = tile.stage %tiles[%i] : !tiles to !tile
          tile.parallel (%j) in (128) do %own[%j] = %u[%j] + 1.0
          tile.consumer_release %loads : !tile.pipeline<2>
          tile.barrier
          tile.parallel (%j) in (128) do %first[%j] = %first[%j] + %own[127 - %j]
          tile.barrier
        }
        tile.copy %first, %s : !f, memref<128xf32>
      }
      tile.team {
        tile.fill %second, %zero : !f
        tile.pipelined %k = 0 to %n {
          %i = tile.consumer_wait %loads : !tile.pipeline<2>
          %u = tile.stage %tiles[%i] : !tiles to !tile
          tile.parallel (%j) in (128) do %own[%j] = %u[%j] * 2.0
          tile.consumer_release %loads : !tile.pipeline<2>
          tile.barrier
          tile.parallel (%j) in (128) do %second[%j] = %second[%j] + %own[127 - %j]
          tile.barrier
        }
        tile.copy %second, %t : !f, memref<128xf32>
      }
    }
  }
  return
}
func.func @turned_reference(%a: !rows, %s: memref<128xf32>, %t: memref<128xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : !rows
  affine.for %j = 0 to 128 {
    %sums:2 = affine.for %k = 0 to %n iter_args(%y = %zero, %z = %zero) -> (f32, f32) {
      %x = affine.load %a[%k, 127 - %j] : !rows
      %x1 = arith.addf %x, %one : f32
      %x2 = arith.addf %x, %x : f32
      %p = arith.addf %y, %x1 : f32
      %q = arith.addf %z, %x2 : f32
      affine.yield %p, %q : f32, f32
    }
    affine.store %sums#0, %s[%j] : memref<128xf32>
    affine.store %sums#1, %t[%j] : memref<128xf32>
  }
  return
}

func.func @squares_reference(%a: !rows, %s: memref<128xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : !rows
  tile.kernel (%b) in (1) threads(128) {
    tile.parallel (%j) in (128) {
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%y = %zero) -> f32 {
        %x = memref.load %a[%k, %j] : !rows
        %s2 = arith.mulf %x, %x : f32
        %q = arith.addf %s2, %x : f32
        %z = arith.addf %q, %y : f32
        scf.yield %z : f32
      }
      memref.store %sum, %s[%j] : memref<128xf32>
    }
  }
  return
}
