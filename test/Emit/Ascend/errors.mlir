// RUN: tile-translate --mlir-to-ascendc --split-input-file --verify-diagnostics %s

// What is not supported in Ascend C.

func.func @address() {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{has no address; run ascend-plan-memory first}}
    %x = tile.alloc : memref<64xf32, #tile.ub>
  }
  return
}

// -----

func.func @calls() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc {ascend.address = 0 : i64} : memref<32x32xf16, #tile.l1>
    %a = tile.alloc {ascend.address = 0 : i64} : memref<32x32xf16, #tile.l0a>
    // expected-error@+1 {{takes more than one call of Ascend C; run ascend-expand-instructions first}}
    ascend.load_l0a %a, %x : memref<32x32xf16, #tile.l0a>, memref<32x32xf16, #tile.l1>
  }
  return
}

// -----

func.func @layout(%x: memref<64xf32, strided<[2]>>) {
  // expected-error@+1 {{expected buffers in GM to be row-major, got 'memref<64xf32, strided<[2]>>'}}
  tile.kernel (%b) in (1) {
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%c0] : memref<64xf32, strided<[2]>>
    memref.store %v, %x[%c0] : memref<64xf32, strided<[2]>>
  }
  return
}

// -----

func.func @type(%x: memref<64xf64>) {
  // expected-error@+1 {{Ascend C has no type for 'f64'}}
  tile.kernel (%b) in (1) {
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%c0] : memref<64xf64>
    memref.store %v, %x[%c0] : memref<64xf64>
  }
  return
}

// -----

func.func @op(%x: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%c0] : memref<64xf32>
    // expected-error@+1 {{'math.tan' is not supported in Ascend C, whose scalar unit has only arithmetic; compute it in 'tile.parallel'}}
    %w = math.tan %v : f32
    memref.store %w, %x[%c0] : memref<64xf32>
  }
  return
}

// -----

func.func @loop(%x: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %v = memref.load %x[%c0] : memref<64xf32>
    // expected-error@+1 {{a loop that carries values is not supported in Ascend C; keep them in a tile of one element}}
    %w = scf.for %i = %c0 to %b step %c1 iter_args(%a = %v) -> f32 {
      scf.yield %a : f32
    }
    memref.store %w, %x[%c0] : memref<64xf32>
  }
  return
}

// -----

func.func @uncounted(%x: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{a loop without a number of iterations is not supported in Ascend C; write an 'scf.for' of as many as there may be, with an 'scf.if' in it}}
    scf.while : () -> () {
      %v = memref.load %x[%c0] : memref<64xf32>
      %zero = arith.constant 0.0 : f32
      %more = arith.cmpf ogt, %v, %zero : f32
      scf.condition(%more)
    } do {
      scf.yield
    }
  }
  return
}

// -----

func.func @dim(%x: memref<?x64xf32>) {
  tile.kernel (%b) in (1) {
    %c0 = arith.constant 0 : index
    %v = memref.load %x[%c0, %c0] : memref<?x64xf32>
    // expected-error@+1 {{expected a constant dimension}}
    %d = memref.dim %x, %b : memref<?x64xf32>
    memref.store %v, %x[%d, %c0] : memref<?x64xf32>
  }
  return
}

// -----

memref.global "private" constant @table : memref<64xf32> = dense<2.0>

func.func @constant() {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{'memref.get_global' is not supported in Ascend C}}
    %t = memref.get_global @table : memref<64xf32>
  }
  return
}
