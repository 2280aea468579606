// RUN: tile-opt-plain %s --tile-to-ascend-pipeline --split-input-file --verify-diagnostics

// What a lowering has no form for, and once took for something else.

func.func @buffer_of_iteration(%x: memref<7x64xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    // expected-note@+1 {{each iteration has its own}}
    %own = tile.alloc : memref<1xf32, #tile.local>
    // expected-error@+1 {{on Ascend, a buffer that iterations write is for loads and stores in 'tile.parallel' alone; use a tile in shared memory}}
    tile.fill %own, %zero : memref<1xf32, #tile.local>
    tile.parallel (%i, %j) in (7, 64) {
      %v = memref.load %x[%i, %j] : memref<7x64xf32>
      %o = memref.load %own[%c0] : memref<1xf32, #tile.local>
      %s = arith.addf %v, %o : f32
      memref.store %s, %own[%c0] : memref<1xf32, #tile.local>
      %w = memref.load %own[%c0] : memref<1xf32, #tile.local>
      memref.store %w, %x[%i, %j] : memref<7x64xf32>
    }
  }
  return
}

// -----

func.func @nibbles(%a: memref<64x32xi4>, %b: memref<32x64xi4>, %c: memref<64x64xi32>) {
  tile.kernel (%k) in (1) threads(128) {
    %as = tile.alloc : memref<64x32xi4, #tile.shared>
    %bs = tile.alloc : memref<32x64xi4, #tile.shared>
    %f = tile.alloc : memref<64x64xi32, #tile.fragment>
    // expected-error@+1 {{elements of type 'i4' have no place on Ascend; widen them to i8, or keep two in an i8}}
    tile.copy %a, %as : memref<64x32xi4>, memref<64x32xi4, #tile.shared>
    tile.copy %b, %bs : memref<32x64xi4>, memref<32x64xi4, #tile.shared>
    tile.gemm %as, %bs, %f {clear} : memref<64x32xi4, #tile.shared>, memref<32x64xi4, #tile.shared>, memref<64x64xi32, #tile.fragment>
    tile.copy %f, %c : memref<64x64xi32, #tile.fragment>, memref<64x64xi32>
  }
  return
}

// -----

func.func @unsigned(%a: memref<16x32xi32>, %c: memref<16x32xf32>) {
  tile.kernel (%p) in (1) {
    %x = tile.alloc : memref<16x32xi32, #tile.fragment>
    tile.copy %a, %x : memref<16x32xi32>, memref<16x32xi32, #tile.fragment>
    // expected-error@+1 {{on Ascend, expected an unsigned conversion of i8 or i16, got 'i32'}}
    tile.copy %x, %c {is_unsigned} : memref<16x32xi32, #tile.fragment>, memref<16x32xf32>
  }
  return
}

// -----

func.func @unsigned_accumulator(%a: memref<64x32xi8>, %b: memref<32x64xi8>, %c: memref<64x64xf32>) {
  tile.kernel (%k) in (1) threads(128) {
    %as = tile.alloc : memref<64x32xi8, #tile.shared>
    %bs = tile.alloc : memref<32x64xi8, #tile.shared>
    %f = tile.alloc : memref<64x64xi32, #tile.fragment>
    tile.copy %a, %as : memref<64x32xi8>, memref<64x32xi8, #tile.shared>
    tile.copy %b, %bs : memref<32x64xi8>, memref<32x64xi8, #tile.shared>
    tile.gemm %as, %bs, %f {clear} : memref<64x32xi8, #tile.shared>, memref<32x64xi8, #tile.shared>, memref<64x64xi32, #tile.fragment>
    // expected-error@+1 {{unsigned integers are converted in UB on Ascend; copy 'i32' to a tile of its own, and that to 'f32'}}
    tile.copy %f, %c {is_unsigned} : memref<64x64xi32, #tile.fragment>, memref<64x64xf32>
  }
  return
}

// -----

func.func @saturated_accumulator(%a: memref<64x32xf16>, %b: memref<32x64xf16>, %c: memref<64x64xf16>) {
  tile.kernel (%k) in (1) threads(128) {
    %as = tile.alloc : memref<64x32xf16, #tile.shared>
    %bs = tile.alloc : memref<32x64xf16, #tile.shared>
    %f = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.copy %a, %as : memref<64x32xf16>, memref<64x32xf16, #tile.shared>
    tile.copy %b, %bs : memref<32x64xf16>, memref<32x64xf16, #tile.shared>
    tile.gemm %as, %bs, %f {clear} : memref<64x32xf16, #tile.shared>, memref<32x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
    // expected-error@+1 {{a copy from an accumulator cannot saturate on Ascend; copy it as 'f32' first}}
    tile.copy %f, %c {saturate} : memref<64x64xf32, #tile.fragment>, memref<64x64xf16>
  }
  return
}

// -----

func.func @stored_before(%a: memref<?xf32>, %n: index) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64xf32, #tile.ub>
    tile.fill %x, 1.0
    // expected-error@+1 {{the region may begin before dimension 0 of 'memref<?xf32>'; on Ascend a store may leave a buffer at its end only: take max(index, 0) if it begins inside; else branch on the index, and where it is negative copy the part of the tile that is inside}}
    tile.copy %x, %a[%b - 1] : memref<64xf32, #tile.ub>, memref<?xf32>
  }
  return
}

// -----

func.func @operand_before(%a: memref<?x32xf16>, %n: index) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64x32xf16, #tile.l1>
    // expected-error@+1 {{the region may begin before dimension 0 of 'memref<?x32xf16>'; on Ascend a tile of the cube may leave a buffer at its end only: take max(index, 0) if it begins inside; else copy rows to a tile in shared memory and that to the operand}}
    tile.copy %a[%b - 1, 0], %x : memref<?x32xf16>, memref<64x32xf16, #tile.l1>
  }
  return
}

// -----

// Both ends; 0 is what the instruction pads with.
func.func @padded(%a: memref<?xi64>, %c: memref<?xi64>) {
  tile.kernel (%b) in (1) {
    %seven = arith.constant 7 : i64
    tile.padding_value %a, %seven
    %x = tile.alloc : memref<64xi64, #tile.shared>
    // expected-error@+1 {{a copy on Ascend pads elements of 64 bits with 0 only; keep the region inside of its buffer for another 'tile.padding_value'}}
    tile.copy %a[%b * 64 + 2], %x
    tile.copy %x, %c[%b * 64]
  }
  return
}

// -----

// Every second element of a row, and columns as rows.
func.func @strided(%x: memref<64x64xf32, strided<[128, 2]>>) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64x64xf32, #tile.shared>
    // expected-error@+1 {{expected a stride of 1 in dimension 1 of 'memref<64x64xf32, strided<[128, 2]>>', along which 64 elements are copied, got 2; on Ascend, take a buffer of all elements, those between them too, and read every one that is wanted in 'tile.parallel', such as %x[%i, 2 * %j]}}
    tile.copy %x, %t
  }
  return
}

// -----

func.func @strided_operand(%x: memref<64x64xf16, strided<[?, ?]>>, %y: memref<64x64xf32>) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64x64xf16, #tile.shared>
    %c = tile.alloc : memref<64x64xf32, #tile.fragment>
    // expected-error@+1 {{along which 64 elements are copied, got one that is dynamic; on Ascend, take a buffer of all elements}}
    tile.copy %x, %t
    tile.gemm %t, %t, %c {clear, transpose_b}
    tile.copy %c, %y
  }
  return
}

// -----

func.func @strided_store(%x: memref<64x32xf32, strided<[1, 64]>>) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64x32xf32, #tile.shared>
    tile.fill %t, 1.0
    // expected-error@+1 {{along which 32 elements are copied, got 64; on Ascend, take the buffer with dimensions 0 and 1 exchanged, copy a tile of it and transpose that}}
    tile.copy %t, %x
  }
  return
}

// -----

func.func @strided_elements(%x: memref<64xf32, strided<[3]>>) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) {
      // expected-error@+1 {{expected a stride of 1 in dimension 0 of 'memref<64xf32, strided<[3]>>', along which 64 elements are copied, got 3; on Ascend, take a buffer of all elements}}
      %v = memref.load %x[%i] : memref<64xf32, strided<[3]>>
      memref.store %v, %x[%i] : memref<64xf32, strided<[3]>>
    }
  }
  return
}

// -----

func.func @nibbles_in_loops(%x: memref<64xi4>, %y: memref<64xi8>) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) {
      // expected-error@+1 {{on Ascend, elements of type 'i4' cannot be vectorised; widen them to i8, or keep two in an i8}}
      %v = memref.load %x[%i] : memref<64xi4>
      %w = arith.extsi %v : i4 to i8
      memref.store %w, %y[%i] : memref<64xi8>
    }
  }
  return
}

// -----

func.func @prints(%n: index) {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{on Ascend, 'tile.print' cannot be lowered; run the kernel on the CPU}}
    tile.print %n, "n" : index
  }
  return
}

// -----

func.func @asserts(%n: index) {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{on Ascend, 'tile.device_assert' cannot be lowered; run the kernel on the CPU}}
    tile.device_assert %n < 4, "few"
  }
  return
}
