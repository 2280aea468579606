// RUN: tile-opt %s --tile-verify-schedule --split-input-file --verify-diagnostics

// What is done to buffers: stages that are not held, barriers and fences that are missing.

func.func @bytes(%a: memref<1024xf32>, %n: index, %m: index, %c: i1) {
  tile.kernel (%b) in (1) {
    %tiles = tile.alloc : memref<2x128xf32, #tile.shared>
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    tile.warp_specialize producer {
      tile.pipelined %k = 0 to %n {
        // expected-note @below {{the stage was acquired here}}
        %i = tile.producer_acquire %pipeline bytes(1024) : !tile.pipeline<2>
        %t = tile.stage %tiles[%i] : memref<2x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
        tile.copy %a[%k * 128], %t signal(%pipeline : !tile.pipeline<2>) {instruction = #tile.transfer<tma>}
            : memref<1024xf32>, memref<128xf32, #tile.shared>
        // expected-error @below {{'tile.producer_commit' op expected copies of 1024 bytes before the commit, got 512}}
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

// -----

func.func @late_use(%a: memref<1024xf32>, %n: index, %m: index, %c: i1) {
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
        // expected-note @below {{the stage is of this op}}
        %i = tile.consumer_wait %pipeline : !tile.pipeline<2>
        %t = tile.stage %tiles[%i] : memref<2x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
        tile.consumer_release %pipeline : !tile.pipeline<2>
        // expected-error @below {{'tile.copy' op accesses a stage that is not acquired}}
        tile.copy %t, %f : memref<128xf32, #tile.shared>, memref<128xf32, #tile.fragment>
      }
    }
  }
  return
}

// -----

func.func @copy_behind_commit(%a: memref<1024xf32>, %n: index, %m: index, %c: i1) {
  tile.kernel (%b) in (1) {
    %tiles = tile.alloc : memref<2x128xf32, #tile.shared>
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    tile.warp_specialize producer {
      tile.pipelined %k = 0 to %n {
        %i = tile.producer_acquire %pipeline bytes(0) : !tile.pipeline<2>
        tile.producer_commit %pipeline : !tile.pipeline<2>
        %t = tile.stage %tiles[%i] : memref<2x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
        // expected-error @below {{'tile.copy' op accesses a stage that is not acquired}}
        tile.copy %a[%k * 128], %t signal(%pipeline : !tile.pipeline<2>) {instruction = #tile.transfer<tma>} : memref<1024xf32>, memref<128xf32, #tile.shared>
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

// -----

func.func @not_a_stage(%a: memref<1024xf32>, %n: index, %m: index, %c: i1) {
  tile.kernel (%b) in (1) {
    %tiles = tile.alloc : memref<2x128xf32, #tile.shared>
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    tile.warp_specialize producer {
      tile.pipelined %k = 0 to %n {
        %i = tile.producer_acquire %pipeline bytes(512) : !tile.pipeline<2>
        %t = tile.stage %tiles[%i] : memref<2x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
        // expected-note @below {{it is filled here}}
        tile.copy %a[%k * 128], %t signal(%pipeline : !tile.pipeline<2>) {instruction = #tile.transfer<tma>} : memref<1024xf32>, memref<128xf32, #tile.shared>
        tile.producer_commit %pipeline : !tile.pipeline<2>
      }
    } consumer {
      tile.pipelined %k = 0 to %n {
        %i = tile.consumer_wait %pipeline : !tile.pipeline<2>
        // expected-error @below {{'tile.copy' op accesses a multi-stage buffer that a pipeline fills; use 'tile.stage'}}
        tile.copy %tiles[0, 0] [1, 128], %f : memref<2x128xf32, #tile.shared>, memref<128xf32, #tile.fragment>
        tile.consumer_release %pipeline : !tile.pipeline<2>
      }
    }
  }
  return
}

// -----

func.func @barrier(%a: memref<128xf32>, %c: memref<128xf32>) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<128xf32, #tile.shared>
    tile.pipelined %k = 0 to 4 {
      // expected-error @below {{'tile.copy' op expected 'tile.barrier' between the read of 'memref.load' and the write of 'tile.copy' in a later iteration}}
            tile.copy %a, %s : memref<128xf32>, memref<128xf32, #tile.shared>
      tile.barrier
      tile.parallel (%i) in (128) {
        %j = affine.apply affine_map<(d) -> (127 - d)>(%i)
        // expected-note @below {{the first access is here}}
        %v = memref.load %s[%j] : memref<128xf32, #tile.shared>
        memref.store %v, %c[%i] : memref<128xf32>
      }
    }
  }
  return
}

// -----

func.func @barrier_in_loop(%a: memref<128xf32>) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<128xf32, #tile.shared>
    // expected-note @below {{the first access is here}}
    tile.copy %a, %s : memref<128xf32>, memref<128xf32, #tile.shared>
    // expected-error @below {{'tile.parallel' op expected 'tile.barrier' between the write of 'tile.copy' and the read of 'memref.load'}}
    tile.parallel (%i) in (128) {
      // expected-note @below {{the second access is here}}
      %v = memref.load %s[%i] : memref<128xf32, #tile.shared>
      memref.store %v, %a[%i] : memref<128xf32>
    }
  }
  return
}

// -----

func.func @fence(%a: memref<128xf32>) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<128xf32, #tile.shared>
    // expected-note @below {{the first access is here}}
    tile.copy %a, %s : memref<128xf32>, memref<128xf32, #tile.shared>
    tile.barrier
    // expected-error @below {{'tile.copy' op expected 'tile.barrier async' between the write of 'tile.copy' and the read of 'tile.copy'}}
    tile.copy %s, %a {instruction = #tile.transfer<tma>} : memref<128xf32, #tile.shared>, memref<128xf32>
  }
  return
}

// -----

func.func @async_wait(%a: memref<128xf32>) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<128xf32, #tile.shared>
    // expected-note @below {{the first access is here}}
    tile.copy %a, %s {instruction = #tile.transfer<cp_async, bytes = 16>} : memref<128xf32>, memref<128xf32, #tile.shared>
    tile.async_commit
    tile.async_wait pending(1)
    tile.barrier
    // expected-error @below {{'tile.copy' op expected 'tile.async_wait' and 'tile.barrier' between the write of 'tile.copy' and the read of 'tile.copy'}}
    tile.copy %s, %a : memref<128xf32, #tile.shared>, memref<128xf32>
  }
  return
}

// -----

// A thread that reads what it has copied itself waits for its own copies alone.
#own = #tile.layout<[1024: 2 reg*8, 2 warp, 32 lane, 8 reg]>
module attributes {tile.target = #tile.target<"sm_90a">} {
  func.func @own_wait(%a: memref<1024xbf16>, %o: memref<1024xbf16>) {
    tile.kernel (%b) in (1) threads(64) {
      %s = tile.alloc {layout = #tile.layout<[1024: 1024 offset]>} : memref<1024xbf16, #tile.shared>
      // expected-note @below {{the first access is here}}
      tile.copy %a, %s {instruction = #tile.transfer<cp_async, bytes = 16>} : memref<1024xbf16>, memref<1024xbf16, #tile.shared>
      tile.async_commit
      // expected-error @below {{'tile.parallel' op expected 'tile.async_wait' between the write of 'tile.copy' and the read of 'memref.load'}}
      tile.parallel (%i) in (1024) attributes {layout = #own} {
        // expected-note @below {{the second access is here}}
        %v = memref.load %s[%i] : memref<1024xbf16, #tile.shared>
        memref.store %v, %o[%i] : memref<1024xbf16>
      }
    }
    return
  }
}

// -----

// What a consumer wrote into its stage must be behind a fence when the stage goes
// back.
func.func @release(%a: memref<1024xf32>, %n: index, %m: index, %c: i1) {
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
        // expected-note @below {{the first access is here}}
        tile.copy %f, %t : memref<128xf32, #tile.fragment>, memref<128xf32, #tile.shared>
        // expected-error @below {{'tile.consumer_release' op expected 'tile.barrier async' between the write of 'tile.copy' and the release of the stage by 'tile.consumer_release'}}
        tile.consumer_release %pipeline : !tile.pipeline<2>
      }
    }
  }
  return
}

// -----

// Global memory, too.
func.func @global(%a: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    tile.pipelined %k = 0 to 4 {
      // expected-error @below {{'tile.parallel' op expected 'tile.barrier' between the read of 'memref.load' and the write of 'memref.store' in a later iteration}}
      tile.parallel (%i) in (64) {
        %v = memref.load %a[%i] : memref<64xf32>
        %w = arith.addf %v, %v : f32
        // expected-note @below {{the second access is here}}
        memref.store %w, %a[%i] : memref<64xf32>
      }
      tile.barrier
      tile.parallel (%i) in (64) {
        %j = affine.apply affine_map<(d) -> (63 - d)>(%i)
        // expected-note @below {{the first access is here}}
        %v = memref.load %a[%j] : memref<64xf32>
        tile.print %v, "v" : f32
      }
    }
  }
  return
}

// -----

func.func @tensor_store(%a: memref<64x64xf32>, %f: f32) {
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<64x64xf32, #tile.shared>
    tile.fill %s, %f : memref<64x64xf32, #tile.shared>
    tile.fill %a, %f : memref<64x64xf32>
    tile.barrier async
    // expected-error @below {{'tile.copy' op expected 'tile.barrier async global' between the write of 'tile.fill' and the write of 'tile.copy'}}
    // expected-note @-3 {{the first access is here}}
    // expected-note @below {{the first access is here}}
    tile.copy %s, %a {instruction = #tile.transfer<tma>} : memref<64x64xf32, #tile.shared>, memref<64x64xf32>
    tile.store_wait pending(0)
    tile.barrier
    // expected-error @below {{'tile.fill' op expected 'tile.store_wait' complete and 'tile.barrier' between the write of 'tile.copy' and the write of 'tile.fill'}}
    tile.fill %a, %f : memref<64x64xf32>
  }
  return
}

// -----

func.func @source(%a: memref<1024xf32>, %f: f32) {
  tile.kernel (%b) in (1) {
    %tiles = tile.alloc : memref<2x128xf32, #tile.shared>
    %t = tile.alloc : memref<128xf32, #tile.fragment>
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    tile.warp_specialize producer {
      tile.pipelined %k = 0 to 8 {
        %i = tile.producer_acquire %pipeline bytes(512) : !tile.pipeline<2>
        %s = tile.stage %tiles[%i] : memref<2x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
        // expected-error @below {{brings a buffer that the kernel writes, too, into a pipeline; copy it without 'signal', or write it in a kernel of its own}}
        tile.copy %a[%k * 128], %s signal(%pipeline : !tile.pipeline<2>) {instruction = #tile.transfer<tma>}
          : memref<1024xf32>, memref<128xf32, #tile.shared>
        tile.producer_commit %pipeline : !tile.pipeline<2>
      }
    } consumer {
      tile.pipelined %k = 0 to 8 {
        %i = tile.consumer_wait %pipeline : !tile.pipeline<2>
        %s = tile.stage %tiles[%i] : memref<2x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
        tile.copy %s, %t : memref<128xf32, #tile.shared>, memref<128xf32, #tile.fragment>
        tile.consumer_release %pipeline : !tile.pipeline<2>
        tile.copy %t, %a[%k * 128] : memref<128xf32, #tile.fragment>, memref<1024xf32>
      }
    }
  }
  return
}

// -----

// A list counts as a source.
func.func @list(%a: memref<64x64xf16>, %list: memref<64xi32>, %i: i32) {
  tile.kernel (%b) in (1) {
    %tiles = tile.alloc : memref<2x16x64xf16, #tile.shared>
    %t = tile.alloc : memref<16x64xf16, #tile.fragment>
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    tile.warp_specialize producer {
      %n = tile.producer_acquire %pipeline bytes(0) : !tile.pipeline<2>
      %s = tile.stage %tiles[%n] : memref<2x16x64xf16, #tile.shared> to memref<16x64xf16, #tile.shared>
      // expected-error @below {{'tile.gather' op brings a buffer that the kernel writes, too, into a pipeline}}
      tile.gather %a[0, 0] by %list[0], %s signal(%pipeline : !tile.pipeline<2>) {instruction = #tile.transfer<cp_async, bytes = 16>} : memref<64x64xf16>, memref<64xi32>, memref<16x64xf16, #tile.shared>
      tile.producer_commit %pipeline : !tile.pipeline<2>
    } consumer {
      %n = tile.consumer_wait %pipeline : !tile.pipeline<2>
      %s = tile.stage %tiles[%n] : memref<2x16x64xf16, #tile.shared> to memref<16x64xf16, #tile.shared>
      tile.copy %s, %t : memref<16x64xf16, #tile.shared>, memref<16x64xf16, #tile.fragment>
      tile.consumer_release %pipeline : !tile.pipeline<2>
      tile.fill %list, %i : memref<64xi32>
    }
  }
  return
}

// -----

func.func @gathered_stage(%a: memref<64x64xf16>, %list: memref<64xi32>) {
  tile.kernel (%b) in (1) {
    %tiles = tile.alloc : memref<2x16x64xf16, #tile.shared>
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    tile.warp_specialize producer {
      %n = tile.producer_acquire %pipeline bytes(0) : !tile.pipeline<2>
      %s = tile.stage %tiles[%n] : memref<2x16x64xf16, #tile.shared> to memref<16x64xf16, #tile.shared>
      tile.producer_commit %pipeline : !tile.pipeline<2>
      // expected-error @below {{'tile.gather' op accesses a stage that is not acquired}}
      tile.gather %a[0, 0] by %list[0], %s signal(%pipeline : !tile.pipeline<2>) {instruction = #tile.transfer<cp_async, bytes = 16>} : memref<64x64xf16>, memref<64xi32>, memref<16x64xf16, #tile.shared>
    } consumer {
      %n = tile.consumer_wait %pipeline : !tile.pipeline<2>
      tile.consumer_release %pipeline : !tile.pipeline<2>
    }
  }
  return
}
