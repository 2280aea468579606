// RUN: tile-opt %s --tile-verify-schedule -o /dev/null

// Schedules by hand that are right.

func.func @plain(%a: memref<1024xf32>, %n: index, %m: index, %c: i1) {
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
      tile.pipelined %k = 0 to %n {
        %i = tile.consumer_wait %pipeline : !tile.pipeline<2>
        %t = tile.stage %tiles[%i] : memref<2x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
        tile.copy %t, %f : memref<128xf32, #tile.shared>, memref<128xf32, #tile.fragment>
        tile.consumer_release %pipeline : !tile.pipeline<2>
      }
    }
  }
  return
}

// The consumer waits for the first stage before the loop; both sides count alike.
func.func @different_shape(%a: memref<1024xf32>, %n: index, %m: index, %c: i1) {
  tile.kernel (%b) in (1) {
    %tiles = tile.alloc : memref<2x128xf32, #tile.shared>
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    tile.warp_specialize producer {
      %j = tile.producer_acquire %pipeline bytes(512) : !tile.pipeline<2>
      %u = tile.stage %tiles[%j] : memref<2x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
      tile.copy %a[0], %u signal(%pipeline : !tile.pipeline<2>) {instruction = #tile.transfer<tma>}
          : memref<1024xf32>, memref<128xf32, #tile.shared>
      tile.producer_commit %pipeline : !tile.pipeline<2>
      tile.pipelined %k = 0 to %n {
        %i = tile.producer_acquire %pipeline bytes(512) : !tile.pipeline<2>
        %t = tile.stage %tiles[%i] : memref<2x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
        tile.copy %a[%k * 128], %t signal(%pipeline : !tile.pipeline<2>) {instruction = #tile.transfer<tma>}
            : memref<1024xf32>, memref<128xf32, #tile.shared>
        tile.producer_commit %pipeline : !tile.pipeline<2>
      }
    } consumer {
      %i0 = tile.consumer_wait %pipeline : !tile.pipeline<2>
      tile.pipelined %k = 0 to %n {
        tile.consumer_release %pipeline : !tile.pipeline<2>
        %i = tile.consumer_wait %pipeline : !tile.pipeline<2>
      }
      tile.consumer_release %pipeline : !tile.pipeline<2>
    }
  }
  return
}

// Bounds and conditions that both partitions compute in the same way.
func.func @same_computation(%a: memref<1024xf32>, %n: index, %m: index, %c: i1) {
  tile.kernel (%b) in (1) {
    %tiles = tile.alloc : memref<2x128xf32, #tile.shared>
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    tile.warp_specialize producer {
      %x = arith.addi %n, %m : index
      scf.if %c {
      tile.pipelined %k = 0 to %x {
        %i = tile.producer_acquire %pipeline bytes(512) : !tile.pipeline<2>
        %t = tile.stage %tiles[%i] : memref<2x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
        tile.copy %a[%k * 128], %t signal(%pipeline : !tile.pipeline<2>) {instruction = #tile.transfer<tma>}
            : memref<1024xf32>, memref<128xf32, #tile.shared>
        tile.producer_commit %pipeline : !tile.pipeline<2>
      }
      }
    } consumer {
      %x = arith.addi %n, %m : index
      scf.if %c {
      tile.pipelined %k = 0 to %x {
        %i = tile.consumer_wait %pipeline : !tile.pipeline<2>
        %t = tile.stage %tiles[%i] : memref<2x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
        tile.copy %t, %f : memref<128xf32, #tile.shared>, memref<128xf32, #tile.fragment>
        tile.consumer_release %pipeline : !tile.pipeline<2>
      }
      }
    }
  }
  return
}

// A domain of tiles with triangular loops.
func.func @triangular(%a: memref<1024xf32>, %n: index, %m: index, %c: i1) {
  tile.kernel (%b) in (1) {
    %tiles = tile.alloc : memref<2x128xf32, #tile.shared>
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    tile.warp_specialize producer {
      tile.persistent (%p) in (8) {
      tile.pipelined %k = 0 to %p {
        %i = tile.producer_acquire %pipeline bytes(512) : !tile.pipeline<2>
        %t = tile.stage %tiles[%i] : memref<2x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
        tile.copy %a[%k * 128], %t signal(%pipeline : !tile.pipeline<2>) {instruction = #tile.transfer<tma>}
            : memref<1024xf32>, memref<128xf32, #tile.shared>
        tile.producer_commit %pipeline : !tile.pipeline<2>
      }
      }
    } consumer {
      tile.persistent (%p) in (8) {
      tile.pipelined %k = 0 to %p {
        %i = tile.consumer_wait %pipeline : !tile.pipeline<2>
        %t = tile.stage %tiles[%i] : memref<2x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
        tile.copy %t, %f : memref<128xf32, #tile.shared>, memref<128xf32, #tile.fragment>
        tile.consumer_release %pipeline : !tile.pipeline<2>
      }
      }
    }
  }
  return
}
