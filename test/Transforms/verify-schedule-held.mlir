// RUN: tile-opt %s --tile-verify-schedule --split-input-file --verify-diagnostics

// A consumer that holds two stages: a wait for the one behind, and one for the number of the first.

func.func @legal(%a: memref<1024xf32>, %n: index) {
  tile.kernel (%b) in (1) {
    %tiles = tile.alloc : memref<2x128xf32, #tile.shared>
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    tile.warp_specialize producer {
      tile.pipelined %k = 0 to %n {
        %i = tile.producer_acquire %pipeline bytes(512) : !tile.pipeline<2>
        %t = tile.stage %tiles[%i] : memref<2x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
        tile.copy %a[%k * 128], %t signal(%pipeline : !tile.pipeline<2>) {instruction = #tile.transfer<tma>}
            : memref<1024xf32>, memref<128xf32, #tile.shared>
        tile.producer_commit %pipeline : !tile.pipeline<2>
      }
    } consumer {
      %c0 = arith.constant 0 : index
      %any = arith.cmpi slt, %c0, %n : index
      scf.if %any {
        %first = tile.consumer_wait %pipeline : !tile.pipeline<2>
        tile.pipelined %k = 1 to %n {
          %i = tile.consumer_wait %pipeline {tile.ahead = 1} : !tile.pipeline<2>
          %t = tile.stage %tiles[%i] : memref<2x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
          tile.copy %t, %f : memref<128xf32, #tile.shared>, memref<128xf32, #tile.fragment>
          %h = tile.consumer_wait %pipeline {tile.ahead = 0} : !tile.pipeline<2>
          %u = tile.stage %tiles[%h] : memref<2x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
          tile.copy %u, %f : memref<128xf32, #tile.shared>, memref<128xf32, #tile.fragment>
          tile.consumer_release %pipeline : !tile.pipeline<2>
        }
        tile.consumer_release %pipeline : !tile.pipeline<2>
      }
    }
  }
  return
}

// -----

func.func @nothing_held(%a: memref<1024xf32>) {
  tile.kernel (%b) in (1) {
    %tiles = tile.alloc : memref<2x128xf32, #tile.shared>
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    tile.warp_specialize producer {
      %i = tile.producer_acquire %pipeline bytes(512) : !tile.pipeline<2>
      %t = tile.stage %tiles[%i] : memref<2x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
      tile.copy %a[0], %t signal(%pipeline : !tile.pipeline<2>) {instruction = #tile.transfer<tma>}
          : memref<1024xf32>, memref<128xf32, #tile.shared>
      tile.producer_commit %pipeline : !tile.pipeline<2>
    } consumer {
      // expected-error @below {{'tile.consumer_wait' op expected a stage of the pipeline to be held}}
      %i = tile.consumer_wait %pipeline {tile.ahead = 1} : !tile.pipeline<2>
      tile.consumer_release %pipeline : !tile.pipeline<2>
    }
  }
  return
}

// -----

// One stage can not be held twice.
func.func @one_stage(%a: memref<1024xf32>) {
  tile.kernel (%b) in (1) {
    %tiles = tile.alloc : memref<1x128xf32, #tile.shared>
    %pipeline = tile.create_pipeline : !tile.pipeline<1>
    tile.warp_specialize producer {
      tile.pipelined %k = 0 to 2 {
        // expected-error @below {{'tile.producer_acquire' op waits forever}}
        %i = tile.producer_acquire %pipeline bytes(512) : !tile.pipeline<1>
        %t = tile.stage %tiles[%i] : memref<1x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
        tile.copy %a[%k * 128], %t signal(%pipeline : !tile.pipeline<1>) {instruction = #tile.transfer<tma>}
            : memref<1024xf32>, memref<128xf32, #tile.shared>
        tile.producer_commit %pipeline : !tile.pipeline<1>
      }
    } consumer {
      %i = tile.consumer_wait %pipeline : !tile.pipeline<1>
      // expected-note @below {{the other partition waits here}}
      %j = tile.consumer_wait %pipeline {tile.ahead = 1} : !tile.pipeline<1>
      tile.consumer_release %pipeline : !tile.pipeline<1>
      tile.consumer_release %pipeline : !tile.pipeline<1>
    }
  }
  return
}

// -----

func.func @three_held(%a: memref<1024xf32>) {
  tile.kernel (%b) in (1) {
    %tiles = tile.alloc : memref<3x128xf32, #tile.shared>
    %pipeline = tile.create_pipeline : !tile.pipeline<3>
    tile.warp_specialize producer {
      tile.pipelined %k = 0 to 3 {
        %i = tile.producer_acquire %pipeline bytes(512) : !tile.pipeline<3>
        %t = tile.stage %tiles[%i] : memref<3x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
        tile.copy %a[%k * 128], %t signal(%pipeline : !tile.pipeline<3>) {instruction = #tile.transfer<tma>}
            : memref<1024xf32>, memref<128xf32, #tile.shared>
        tile.producer_commit %pipeline : !tile.pipeline<3>
      }
    } consumer {
      %i = tile.consumer_wait %pipeline : !tile.pipeline<3>
      // expected-note @below {{the stage was waited for here}}
      %j = tile.consumer_wait %pipeline {tile.ahead = 1} : !tile.pipeline<3>
      // expected-error @below {{expected 'tile.consumer_release' before the next 'tile.consumer_wait'}}
      %l = tile.consumer_wait %pipeline {tile.ahead = 1} : !tile.pipeline<3>
    }
  }
  return
}

// -----

// The stage that was held first has been given back.
func.func @given_back(%a: memref<1024xf32>) {
  tile.kernel (%b) in (1) {
    %tiles = tile.alloc : memref<2x128xf32, #tile.shared>
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    tile.warp_specialize producer {
      tile.pipelined %k = 0 to 2 {
        %i = tile.producer_acquire %pipeline bytes(512) : !tile.pipeline<2>
        %t = tile.stage %tiles[%i] : memref<2x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
        tile.copy %a[%k * 128], %t signal(%pipeline : !tile.pipeline<2>) {instruction = #tile.transfer<tma>}
            : memref<1024xf32>, memref<128xf32, #tile.shared>
        tile.producer_commit %pipeline : !tile.pipeline<2>
      }
    } consumer {
      // expected-note @below {{the stage is of this op}}
      %i = tile.consumer_wait %pipeline : !tile.pipeline<2>
      %t = tile.stage %tiles[%i] : memref<2x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
      %j = tile.consumer_wait %pipeline {tile.ahead = 1} : !tile.pipeline<2>
      tile.consumer_release %pipeline : !tile.pipeline<2>
      // expected-error @below {{accesses a stage that is not acquired}}
      tile.copy %t, %f : memref<128xf32, #tile.shared>, memref<128xf32, #tile.fragment>
      tile.consumer_release %pipeline : !tile.pipeline<2>
    }
  }
  return
}
