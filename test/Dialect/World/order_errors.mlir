// RUN: tile-opt-plain %s --split-input-file --verify-diagnostics

func.func @signal_c1(%f: memref<4xf32>, %i: index, %v: i64) {
  // expected-error@+1 {{expected a global buffer of one dimension of i32 or i64, got 'memref<4xf32>'}}
  "world.signal"(%f, %i, %v) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (memref<4xf32>, index, i64) -> ()
  return
}

// -----

func.func @signal_c2(%f: memref<4xi32, #world.symmetric>, %i: index, %v: i64) {
  // expected-error@+1 {{expected a value of type 'i32' as the elements of the flags, got 'i64'}}
  "world.signal"(%f, %i, %v) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (memref<4xi32, #world.symmetric>, index, i64) -> ()
  return
}

// -----

func.func @wait_c3(%f: memref<4xi64, #world.symmetric>) {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{expected a value of at least 1, which a flag has only after a signal, got 0}}
    %t = world.wait %f[0] ge 0
  }
  return
}

// -----

func.func @wait_c4(%f: memref<4xi64>, %i: index, %v: i64, %table: memref<8xi64>) {
  // expected-error@+1 {{expected the table of a rank, 'memref<?xi64>', got 'memref<8xi64>'}}
  %t = "world.wait"(%f, %i, %v, %table) <{condition = #world<signal_condition ge>}>
    : (memref<4xi64>, index, i64, memref<8xi64>) -> !world.token
  return
}

// -----

func.func @how(%f: memref<4xi64, #world.symmetric>) {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{expected ge or eq, got 'gt'}}
    %t = world.wait %f[0] gt 1
  }
  return
}

// -----

func.func @acquire_c1(%x: memref<64xf32>, %t: !world.token) {
  // expected-error@+1 {{expected a buffer in #world.symmetric or #world.peer memory, got 'memref<64xf32>'}}
  %p = "world.acquire"(%x, %t) : (memref<64xf32>, !world.token) -> memref<64xf32>
  return
}

// -----

func.func @acquire_c2(%f: memref<4xi64, #world.symmetric>) {
  // expected-error@+1 {{expected a token of 'world.wait' or 'world.barrier'}}
  %p = "world.acquire"(%f) : (memref<4xi64, #world.symmetric>) -> memref<4xi64>
  return
}

// -----

func.func @in_parallel(%f: memref<4xi64, #world.symmetric>, %i: index, %v: i64) {
  tile.kernel (%b) in (1) {
    // expected-note@+1 {{the loop is here}}
    tile.parallel (%j) in (4) {
      // expected-error@+1 {{works on whole tiles and is not allowed in 'tile.parallel'; move it out of the loop}}
      world.signal %f[%i] add %v : memref<4xi64, #world.symmetric>
    }
  }
  return
}

// -----

func.func @wait_c1(%f: memref<2x2xi64, #world.symmetric>, %i: index, %v: i64) {
  // expected-error@+1 {{expected a global buffer of one dimension of i32 or i64, got 'memref<2x2xi64, #world.symmetric>'}}
  %t = "world.wait"(%f, %i, %v) <{condition = #world<signal_condition ge>}> : (memref<2x2xi64, #world.symmetric>, index, i64) -> !world.token
  return
}

// -----

func.func @wait_c2(%f: memref<4xi32, #world.symmetric>, %i: index, %v: i64) {
  // expected-error@+1 {{expected a value of type 'i32' as the elements of the flags, got 'i64'}}
  %t = "world.wait"(%f, %i, %v) <{condition = #world<signal_condition eq>}> : (memref<4xi32, #world.symmetric>, index, i64) -> !world.token
  return
}

// -----

func.func @result(%x: memref<64xf32, #world.symmetric>, %t: !world.token) {
  // expected-error@+1 {{expected a result of type 'memref<64xf32>', got 'memref<64xf32, #world.symmetric>'}}
  %p = "world.acquire"(%x, %t) : (memref<64xf32, #world.symmetric>, !world.token) -> memref<64xf32, #world.symmetric>
  return
}

// -----

func.func @signal_c3(%f: memref<4xi64, #world.symmetric>, %i: index, %v: i64) {
  // expected-error@+1 {{expected the world or the table of a rank, 'memref<?xi64>', got 'index'}}
  "world.signal"(%f, %i, %v, %i) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (memref<4xi64, #world.symmetric>, index, i64, index) -> ()
  return
}

// -----

func.func @signal_c4(%f: memref<4xi64, #world.symmetric>) {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{expected a flag below 4, got 4}}
    world.signal %f[4] add 1
  }
  return
}

// -----

func.func @wait_c5(%f: memref<4xi64, #world.symmetric>, %v: i64) {
  %i = arith.constant -1 : index
  // expected-error@+1 {{expected a flag of at least 0, got -1}}
  %t = "world.wait"(%f, %i, %v) <{condition = #world<signal_condition ge>}>
    : (memref<4xi64, #world.symmetric>, index, i64) -> !world.token
  return
}

// -----

func.func @signal_c5_type(%f: memref<4xi64, #world.symmetric>, %i: index, %v: i64) {
  tile.kernel (%b) in (1) {
    %later = world.create_deferred : !world.deferred<i32>
    // expected-error@+1 {{expected room for a signal of 'i64', got '!world.deferred<i32>'}}
    "world.signal"(%f, %i, %v, %later) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>}>
      : (memref<4xi64, #world.symmetric>, index, i64, !world.deferred<i32>) -> ()
  }
  return
}

// -----

func.func @signal_c5_set(%f: memref<4xi64, #world.symmetric>) {
  tile.kernel (%b) in (1) {
    %later = world.create_deferred : !world.deferred<i64>
    // expected-error@+1 {{is deferred and sets a flag, or is for all ranks; only what is added to one flag is sent later}}
    world.signal %f[0] set 1 deferred %later
    world.flush %later : !world.deferred<i64>
  }
  return
}

// -----

func.func @signal_c5_replaced(%f: memref<4xi64, #world.symmetric>) {
  tile.kernel (%b) in (1) {
    %later = world.create_deferred : !world.deferred<i64>
    tile.persistent (%i) in (4) {
      // expected-error@+1 {{is deferred, but no 'world.flush' of its room stands in front of it in its loop, which sends that of the iteration before}}
      world.signal %f[%i] add 1 deferred %later
    }
    world.flush %later : !world.deferred<i64>
  }
  return
}

// -----

func.func @signal_c5_lost(%f: memref<4xi64, #world.symmetric>) {
  tile.kernel (%b) in (1) {
    %later = world.create_deferred : !world.deferred<i64>
    tile.persistent (%i) in (4) {
      world.flush %later : !world.deferred<i64>
      // expected-error@+1 {{is deferred, but no 'world.flush' of its room stands behind it, which sends the last one}}
      world.signal %f[%i] add 1 deferred %later
    }
  }
  return
}

// -----

func.func @signal_c5_two(%f: memref<4xi64, #world.symmetric>) {
  tile.kernel (%b) in (1) {
    %later = world.create_deferred : !world.deferred<i64>
    // expected-error@+1 {{expected room for one signal, but another one uses it}}
    world.signal %f[0] add 1 deferred %later
    // expected-note@+1 {{the other one is here}}
    world.signal %f[1] add 1 deferred %later
    world.flush %later : !world.deferred<i64>
  }
  return
}

// -----

func.func @signal_c5_partition(%f: memref<4xi64, #world.symmetric>) {
  tile.kernel (%b) in (1) threads(256) {
    %later = world.create_deferred : !world.deferred<i64>
    tile.warp_specialize producer {
    } consumer {
      // expected-error@+1 {{expected room in the partition of the signal, whose threads send it}}
      world.signal %f[0] add 1 deferred %later
    }
    world.flush %later : !world.deferred<i64>
  }
  return
}
