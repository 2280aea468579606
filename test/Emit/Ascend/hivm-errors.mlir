// RUN: tile-translate --mlir-to-hivm --split-input-file --verify-diagnostics %s

// What is not supported by AscendNPU-IR.

func.func @both() {
  // expected-error@+1 {{a kernel of both cores is not supported by AscendNPU-IR}}
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64xf32, #tile.ub>
    %y = tile.alloc : memref<32x32xf16, #tile.l1>
    %zero = arith.constant 0.0 : f16
    ascend.section vector {
      ascend.unary exp %x, %x : memref<64xf32, #tile.ub>, memref<64xf32, #tile.ub>
    }
    ascend.section cube {
      ascend.fill_l1 %y, %zero : memref<32x32xf16, #tile.l1>, f16
    }
  }
  return
}

// -----

func.func @section() {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{a kernel of both cores is not supported by AscendNPU-IR}}
    ascend.section vector {
    }
  }
  return
}

// -----

func.func @broadcast() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<16x64xf32, #tile.ub>
    %r = tile.alloc : memref<64xf32, #tile.ub>
    // expected-error@+1 {{an operand that is repeated is not supported by AscendNPU-IR}}
    ascend.binary add %x, %x, %r rhs(row) : memref<16x64xf32, #tile.ub>, memref<16x64xf32, #tile.ub>, memref<64xf32, #tile.ub>
  }
  return
}

// -----

func.func @brcb() {
  tile.kernel (%b) in (1) {
    %m = tile.alloc : memref<16xf32, #tile.ub>
    %c = tile.alloc : memref<16x8xf32, #tile.ub>
    // expected-error@+1 {{'ascend.brcb' is not supported by AscendNPU-IR}}
    ascend.brcb %c, %m : memref<16x8xf32, #tile.ub>, memref<16xf32, #tile.ub>
  }
  return
}

// -----

func.func @reduce() {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64xf32, #tile.ub>
    %r = tile.alloc : memref<1xf32, #tile.ub>
    // expected-error@+1 {{a reduction of a view, or to one, is not supported by AscendNPU-IR}}
    ascend.reduce sum %r, %x : memref<1xf32, #tile.ub>, memref<64xf32, #tile.ub>
  }
  return
}

// -----

func.func @no_loads(%t: i1) {
  tile.kernel (%b) in (1) {
    %a = tile.alloc : memref<32x64xf16, #tile.l0a>
    %x = tile.alloc : memref<64x32xf16, #tile.l0b>
    %c = tile.alloc : memref<32x32xf32, #tile.l0c>
    // expected-error@+1 {{expected the loads of both operands before the product, in the same block}}
    ascend.mmad %c, %a, %x init(%t) : memref<32x32xf32, #tile.l0c>, memref<32x64xf16, #tile.l0a>, memref<64x32xf16, #tile.l0b>
  }
  return
}

// -----

!a = memref<32x16xf16, #tile.l0a>
!b = memref<16x32xf16, #tile.l0b>
!c = memref<32x32xf32, #tile.l0c>

func.func @no_loop() {
  %zero = arith.constant 0.0 : f16
  %true = arith.constant true
  tile.kernel (%k) in (1) {
    %a = tile.alloc : !a
    %b = tile.alloc : !b
    %c = tile.alloc : !c
    ascend.fill_l0a %a, %zero : !a, f16
    ascend.fill_l0b %b, %zero : !b, f16
    // expected-error@+1 {{an accumulator that is filled with 0 is not supported by AscendNPU-IR where no loop follows; use 'clear_if'}}
    ascend.mmad %c, %a, %b init(%true) : !c, !a, !b
  }
  return
}

// -----

!a = memref<32x16xf16, #tile.l0a>
!b = memref<16x32xf16, #tile.l0b>
!c = memref<32x32xf32, #tile.l0c>

func.func @no_iteration(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f16
  %true = arith.constant true
  tile.kernel (%k) in (1) {
    %a = tile.alloc : !a
    %b = tile.alloc : !b
    %c = tile.alloc : !c
    ascend.fill_l0a %a, %zero : !a, f16
    ascend.fill_l0b %b, %zero : !b, f16
    // expected-error@+1 {{where the loop behind it may have no iteration}}
    ascend.mmad %c, %a, %b init(%true) : !c, !a, !b
    scf.for %i = %c0 to %n step %c1 {
    }
  }
  return
}

// -----

!a = memref<32x16xf16, #tile.l0a>
!b = memref<16x32xf16, #tile.l0b>
!c = memref<32x32xf32, #tile.l0c>

func.func @no_product() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f16
  %true = arith.constant true
  tile.kernel (%k) in (1) {
    %a = tile.alloc : !a
    %b = tile.alloc : !b
    %c = tile.alloc : !c
    ascend.fill_l0a %a, %zero : !a, f16
    ascend.fill_l0b %b, %zero : !b, f16
    // expected-error@+1 {{where the loop behind it has no product}}
    ascend.mmad %c, %a, %b init(%true) : !c, !a, !b
    scf.for %i = %c0 to %c1 step %c1 {
    }
  }
  return
}

// -----

func.func @atomic(%o: memref<32x32xf32>) {
  tile.kernel (%b) in (1) {
    %c = tile.alloc : memref<32x32xf32, #tile.l0c>
    // expected-error@+1 {{an atomic store of the cube is not supported by AscendNPU-IR}}
    ascend.fixpipe %o, %c {atomic} : memref<32x32xf32>, memref<32x32xf32, #tile.l0c>
  }
  return
}

// -----

func.func @space() {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{a buffer of 'memref<16xf32, #tile.bt>' is not supported by AscendNPU-IR}}
    %x = tile.alloc : memref<16xf32, #tile.bt>
  }
  return
}

// -----

func.func @values(%n: index, %v: f32, %o: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{'scf.for' is not supported by AscendNPU-IR}}
    %w = scf.for %i = %c0 to %n step %c1 iter_args(%a = %v) -> f32 {
      scf.yield %a : f32
    }
    memref.store %w, %o[%c0] : memref<1xf32>
  }
  return
}

// -----

func.func @left(%a: memref<30xf32>) {
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2 : index
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<32xf32, #tile.ub>
    // expected-error@+1 {{padding in front of rows is not written as AscendNPU-IR; copy from the first element on}}
    ascend.copy_gm_to_ub %x, %a pad(%zero, %two : f32, index) : memref<32xf32, #tile.ub>, memref<30xf32>
  }
  return
}
