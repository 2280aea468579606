// RUN: tile-opt %s --tile-verify-schedule --split-input-file --verify-diagnostics

// Partitions that wait forever, and calls of a pipeline in the wrong order.

func.func @hangs(%a: memref<1024xf32>, %n: index, %m: index, %c: i1) {
  tile.kernel (%b) in (1) {
    %tiles = tile.alloc : memref<2x128xf32, #tile.shared>
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    tile.warp_specialize producer {
      tile.pipelined %k = 0 to %n {
        // expected-error @below {{'tile.producer_acquire' op waits forever}}
        %i = tile.producer_acquire %pipeline bytes(512) : !tile.pipeline<2>
        %t = tile.stage %tiles[%i] : memref<2x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
        tile.copy %a[%k * 128], %t signal(%pipeline : !tile.pipeline<2>) {instruction = #tile.transfer<tma>}
            : memref<1024xf32>, memref<128xf32, #tile.shared>
        tile.producer_commit %pipeline : !tile.pipeline<2>
      }
    } consumer {
    }
  }
  return
}

// -----

func.func @starves(%a: memref<1024xf32>, %n: index, %m: index, %c: i1) {
  tile.kernel (%b) in (1) {
    %tiles = tile.alloc : memref<2x128xf32, #tile.shared>
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    tile.warp_specialize producer {
    } consumer {
      tile.pipelined %k = 0 to %n {
        // expected-error @below {{'tile.consumer_wait' op waits forever}}
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

// One stage more than is filled.
func.func @one_more(%a: memref<1024xf32>, %n: index, %m: index, %c: i1) {
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
      // expected-error @below {{'tile.consumer_wait' op waits forever}}
      %i = tile.consumer_wait %pipeline : !tile.pipeline<2>
      tile.consumer_release %pipeline : !tile.pipeline<2>
    }
  }
  return
}

// -----

func.func @balance(%a: memref<1024xf32>, %n: index, %m: index, %c: i1) {
  tile.kernel (%b) in (1) {
    %tiles = tile.alloc : memref<2x128xf32, #tile.shared>
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    // expected-error @below {{'tile.create_pipeline' op expected as many stages to be released as are committed, got 3 and 4}}
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    tile.warp_specialize producer {
      tile.pipelined %k = 0 to %n {
        %i = tile.producer_acquire %pipeline bytes(512) : !tile.pipeline<2>
        %t = tile.stage %tiles[%i] : memref<2x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
        tile.copy %a[%k * 128], %t signal(%pipeline : !tile.pipeline<2>) {instruction = #tile.transfer<tma>}
            : memref<1024xf32>, memref<128xf32, #tile.shared>
        tile.producer_commit %pipeline : !tile.pipeline<2>
      }
      %j = tile.producer_acquire %pipeline bytes(512) : !tile.pipeline<2>
      %u = tile.stage %tiles[%j] : memref<2x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
      tile.copy %a[0], %u signal(%pipeline : !tile.pipeline<2>) {instruction = #tile.transfer<tma>}
          : memref<1024xf32>, memref<128xf32, #tile.shared>
      tile.producer_commit %pipeline : !tile.pipeline<2>
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

// Loops whose bounds differ need not run equally often.
func.func @bounds(%a: memref<1024xf32>, %n: index, %m: index, %c: i1) {
  tile.kernel (%b) in (1) {
    %tiles = tile.alloc : memref<2x128xf32, #tile.shared>
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    // expected-error @below {{'tile.create_pipeline' op expected as many stages to be released as are committed, got 1 and 2}}
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
      tile.pipelined %k = 0 to %m {
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

// One partition goes under a condition.
func.func @conditions(%a: memref<1024xf32>, %n: index, %m: index, %c: i1) {
  tile.kernel (%b) in (1) {
    %tiles = tile.alloc : memref<2x128xf32, #tile.shared>
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    // expected-error @below {{'tile.create_pipeline' op expected as many stages to be released as are committed, got 0 and 2}}
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
      scf.if %c {
      tile.pipelined %k = 0 to %n {
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

// -----

// Two stages at once: no stage of a pipeline of one is free for the second.
func.func @cycle(%a: memref<1024xf32>, %n: index, %m: index, %c: i1) {
  tile.kernel (%b) in (1) {
    %tiles = tile.alloc : memref<2x128xf32, #tile.shared>
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    %other = tile.create_pipeline : !tile.pipeline<1>
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    tile.warp_specialize producer {
      tile.pipelined %k = 0 to %n {
        %i = tile.producer_acquire %pipeline bytes(0) : !tile.pipeline<2>
        tile.producer_commit %pipeline : !tile.pipeline<2>
        %j = tile.producer_acquire %other bytes(0) : !tile.pipeline<1>
        tile.producer_commit %other : !tile.pipeline<1>
        // expected-error @below {{'tile.producer_acquire' op waits forever}}
        %l = tile.producer_acquire %other bytes(0) : !tile.pipeline<1>
        tile.producer_commit %other : !tile.pipeline<1>
        %r = tile.producer_acquire %pipeline bytes(0) : !tile.pipeline<2>
        tile.producer_commit %pipeline : !tile.pipeline<2>
      }
    } consumer {
      tile.pipelined %k = 0 to %n {
        %i = tile.consumer_wait %pipeline : !tile.pipeline<2>
        tile.consumer_release %pipeline : !tile.pipeline<2>
        // expected-note @below {{the other partition waits here}}
        %r = tile.consumer_wait %pipeline : !tile.pipeline<2>
        tile.consumer_release %pipeline : !tile.pipeline<2>
        %j = tile.consumer_wait %other : !tile.pipeline<1>
        tile.consumer_release %other : !tile.pipeline<1>
        %l = tile.consumer_wait %other : !tile.pipeline<1>
        tile.consumer_release %other : !tile.pipeline<1>
      }
    }
  }
  return
}

// -----

func.func @acquire_twice(%a: memref<1024xf32>, %n: index, %m: index, %c: i1) {
  tile.kernel (%b) in (1) {
    %tiles = tile.alloc : memref<2x128xf32, #tile.shared>
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    tile.warp_specialize producer {
      tile.pipelined %k = 0 to %n {
        // expected-note @below {{the stage was acquired here}}
        %i = tile.producer_acquire %pipeline bytes(512) : !tile.pipeline<2>
        // expected-error @below {{'tile.producer_acquire' op expected 'tile.producer_commit' before the next 'tile.producer_acquire'}}
        %j = tile.producer_acquire %pipeline bytes(512) : !tile.pipeline<2>
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

// -----

func.func @no_commit(%a: memref<1024xf32>, %n: index, %m: index, %c: i1) {
  tile.kernel (%b) in (1) {
    %tiles = tile.alloc : memref<2x128xf32, #tile.shared>
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    tile.warp_specialize producer {
      // expected-error @below {{'tile.producer_acquire' op expected 'tile.producer_commit' after it}}
      %i = tile.producer_acquire %pipeline bytes(0) : !tile.pipeline<2>
    } consumer {
    }
  }
  return
}

// -----

func.func @no_acquire(%a: memref<1024xf32>, %n: index, %m: index, %c: i1) {
  tile.kernel (%b) in (1) {
    %tiles = tile.alloc : memref<2x128xf32, #tile.shared>
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    tile.warp_specialize producer {
      // expected-error @below {{'tile.producer_commit' op expected 'tile.producer_acquire' before}}
      tile.producer_commit %pipeline : !tile.pipeline<2>
    } consumer {
    }
  }
  return
}

// -----

func.func @wait_twice(%a: memref<1024xf32>, %n: index, %m: index, %c: i1) {
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
        // expected-note @below {{the stage was waited for here}}
        %i = tile.consumer_wait %pipeline : !tile.pipeline<2>
        // expected-error @below {{'tile.consumer_wait' op expected 'tile.consumer_release' before the next 'tile.consumer_wait'}}
        %j = tile.consumer_wait %pipeline : !tile.pipeline<2>
        tile.consumer_release %pipeline : !tile.pipeline<2>
      }
    }
  }
  return
}

// -----

func.func @no_release(%a: memref<1024xf32>, %n: index, %m: index, %c: i1) {
  tile.kernel (%b) in (1) {
    %tiles = tile.alloc : memref<2x128xf32, #tile.shared>
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    tile.warp_specialize producer {
      scf.if %c {
      %k = arith.constant 0 : index
        %i = tile.producer_acquire %pipeline bytes(512) : !tile.pipeline<2>
        %t = tile.stage %tiles[%i] : memref<2x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
        tile.copy %a[%k * 128], %t signal(%pipeline : !tile.pipeline<2>) {instruction = #tile.transfer<tma>}
            : memref<1024xf32>, memref<128xf32, #tile.shared>
        tile.producer_commit %pipeline : !tile.pipeline<2>
      }
    } consumer {
      // expected-error @below {{'tile.consumer_wait' op expected 'tile.consumer_release' after it}}
      %i = tile.consumer_wait %pipeline : !tile.pipeline<2>
    }
  }
  return
}

// -----

func.func @no_wait(%a: memref<1024xf32>, %n: index, %m: index, %c: i1) {
  tile.kernel (%b) in (1) {
    %tiles = tile.alloc : memref<2x128xf32, #tile.shared>
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    %pipeline = tile.create_pipeline : !tile.pipeline<2>
    tile.warp_specialize producer {
    } consumer {
      // expected-error @below {{'tile.consumer_release' op expected 'tile.consumer_wait' before}}
      tile.consumer_release %pipeline : !tile.pipeline<2>
    }
  }
  return
}

// -----

// A pipeline counts stages that the buffer does not have.
func.func @few_stages(%a: memref<1024xf32>, %n: index) {
  tile.kernel (%b) in (1) {
    %tiles = tile.alloc : memref<2x128xf32, #tile.shared>
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    %pipeline = tile.create_pipeline : !tile.pipeline<3>
    tile.warp_specialize producer {
      tile.pipelined %k = 0 to %n {
        %i = tile.producer_acquire %pipeline bytes(512) : !tile.pipeline<3>
        // expected-error @below {{expected 3 stages in the buffer, as the pipeline has, got 'memref<2x128xf32, #tile.shared>'}}
        %t = tile.stage %tiles[%i] : memref<2x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
        tile.copy %a[%k * 128], %t signal(%pipeline : !tile.pipeline<3>) {instruction = #tile.transfer<tma>}
            : memref<1024xf32>, memref<128xf32, #tile.shared>
        tile.producer_commit %pipeline : !tile.pipeline<3>
      }
    } consumer {
      tile.pipelined %k = 0 to %n {
        %i = tile.consumer_wait %pipeline : !tile.pipeline<3>
        // expected-error @below {{expected 3 stages in the buffer, as the pipeline has, got 'memref<2x128xf32, #tile.shared>'}}
        %t = tile.stage %tiles[%i] : memref<2x128xf32, #tile.shared> to memref<128xf32, #tile.shared>
        tile.copy %t, %f : memref<128xf32, #tile.shared>, memref<128xf32, #tile.fragment>
        tile.consumer_release %pipeline : !tile.pipeline<3>
      }
    }
  }
  return
}

// -----

// The threads of the producer would take part. A fragment is each thread's own, and all may read one element.
func.func @beside(%a: memref<128xf32>, %s: memref<128xf32>, %c: memref<128xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  tile.kernel (%b) in (1) {
    %f = tile.alloc : memref<128xf32, #tile.fragment>
    %t = tile.alloc : memref<128xf32, #tile.shared>
    %v = memref.load %a[%c0] : memref<128xf32>
    tile.fill %f, %v : memref<128xf32, #tile.fragment>
    // expected-error @below {{'tile.fill' op is beside the partitions, where the threads of all of them would execute it; move it into one, or into a kernel of its own}}
    tile.fill %t, %x : memref<128xf32, #tile.shared>
    tile.parallel (%i) in (128) {
      // expected-error @below {{'tile.atomic' op is beside the partitions}}
      tile.atomic add %x, %s[%i] : f32, memref<128xf32>
    }
    tile.warp_specialize producer {
    } consumer {
    }
    // expected-error @below {{'tile.copy' op is beside the partitions}}
    tile.copy %f, %c : memref<128xf32, #tile.fragment>, memref<128xf32>
    // expected-error @below {{'tile.copy' op is beside the partitions}}
    tile.copy %a, %f : memref<128xf32>, memref<128xf32, #tile.fragment>
  }
  return
}
