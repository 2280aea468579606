// RUN: tile-opt-plain %s --tile-to-ascend-pipeline --split-input-file --verify-diagnostics -o %t

// A memory that overflows says who is alive in it.

func.func @l0c(%a: memref<512x512xf16>, %b: memref<512x512xf16>, %c: memref<512x512xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%bx, %by) in (2, 2) {
    %as = tile.alloc : memref<256x64xf16, #tile.shared>
    %bs = tile.alloc : memref<64x256xf16, #tile.shared>
    // expected-error@+1 {{does not fit 'l0c': 262144 bytes are alive at once, 131072 available}}
    %acc = tile.alloc : memref<256x256xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<256x256xf32, #tile.fragment>
    tile.pipelined %k = 0 to 8 stages(2) {
      tile.copy %a[%by * 256, %k * 64], %as : memref<512x512xf16>, memref<256x64xf16, #tile.shared>
      tile.copy %b[%k * 64, %bx * 256], %bs : memref<512x512xf16>, memref<64x256xf16, #tile.shared>
      tile.gemm %as, %bs, %acc : memref<256x64xf16, #tile.shared>, memref<64x256xf16, #tile.shared>, memref<256x256xf32, #tile.fragment>
    }
    tile.copy %acc, %c[%by * 256, %bx * 256] : memref<256x256xf32, #tile.fragment>, memref<512x512xf32>
  }
  return
}

// -----

func.func @l1(%a: memref<512x512xf32>, %b: memref<512x512xf32>, %c: memref<512x512xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%bx, %by) in (2, 4) {
    // expected-note@+1 {{alive: 'memref<128x512xf32, #tile.l1>', 262144 bytes at 0}}
    %as = tile.alloc : memref<128x512xf32, #tile.shared>
    // expected-error@+1 {{does not fit 'l1': 786432 bytes are alive at once, 524032 available}}
    %bs = tile.alloc : memref<512x256xf32, #tile.shared>
    %acc = tile.alloc : memref<128x256xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<128x256xf32, #tile.fragment>
    tile.pipelined %k = 0 to 1 stages(2) {
      tile.copy %a[%by * 128, %k * 512], %as : memref<512x512xf32>, memref<128x512xf32, #tile.shared>
      tile.copy %b[%k * 512, %bx * 256], %bs : memref<512x512xf32>, memref<512x256xf32, #tile.shared>
      tile.gemm %as, %bs, %acc : memref<128x512xf32, #tile.shared>, memref<512x256xf32, #tile.shared>, memref<128x256xf32, #tile.fragment>
    }
    tile.copy %acc, %c[%by * 128, %bx * 256] : memref<128x256xf32, #tile.fragment>, memref<512x512xf32>
  }
  return
}

// -----

// Two stages do not fit, but one does.
func.func @stages(%a: memref<512x512xf32>, %b: memref<512x512xf32>, %c: memref<512x512xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%bx, %by) in (2, 4) {
    %as = tile.alloc : memref<128x256xf32, #tile.shared>
    %bs = tile.alloc : memref<256x256xf32, #tile.shared>
    %acc = tile.alloc : memref<128x256xf32, #tile.fragment>
    tile.fill %acc, %zero : memref<128x256xf32, #tile.fragment>
    tile.pipelined %k = 0 to 2 stages(2) {
      tile.copy %a[%by * 128, %k * 256], %as : memref<512x512xf32>, memref<128x256xf32, #tile.shared>
      tile.copy %b[%k * 256, %bx * 256], %bs : memref<512x512xf32>, memref<256x256xf32, #tile.shared>
      tile.gemm %as, %bs, %acc : memref<128x256xf32, #tile.shared>, memref<256x256xf32, #tile.shared>, memref<128x256xf32, #tile.fragment>
    }
    tile.copy %acc, %c[%by * 128, %bx * 256] : memref<128x256xf32, #tile.fragment>, memref<512x512xf32>
  }
  return
}

// -----

func.func @accumulators(%a: memref<512x512xf16>, %c: memref<512x512xf32>) {
  tile.kernel (%bx, %by) in (2, 2) {
    %as = tile.alloc : memref<256x64xf16, #tile.shared>
    // expected-note@+1 {{alive: 'memref<256x64xf32, #tile.l0c>', 65536 bytes at 0}}
    %p = tile.alloc : memref<256x64xf32, #tile.fragment>
    // expected-error@+1 {{does not fit 'l0c': 196608 bytes are alive at once, 131072 available}}
    %q = tile.alloc : memref<256x128xf32, #tile.fragment>
    %bs = tile.alloc : memref<64x128xf16, #tile.shared>
    %ws = tile.alloc : memref<64x64xf16, #tile.shared>
    tile.copy %a[0, 0], %as : memref<512x512xf16>, memref<256x64xf16, #tile.shared>
    tile.copy %a[0, 0], %bs : memref<512x512xf16>, memref<64x128xf16, #tile.shared>
    tile.copy %a[0, 0], %ws : memref<512x512xf16>, memref<64x64xf16, #tile.shared>
    tile.gemm %as, %ws, %p {clear} : memref<256x64xf16, #tile.shared>, memref<64x64xf16, #tile.shared>, memref<256x64xf32, #tile.fragment>
    tile.gemm %as, %bs, %q {clear} : memref<256x64xf16, #tile.shared>, memref<64x128xf16, #tile.shared>, memref<256x128xf32, #tile.fragment>
    tile.copy %p, %c[%bx * 256, %by * 64] : memref<256x64xf32, #tile.fragment>, memref<512x512xf32>
    tile.copy %q, %c[%bx * 256, 128 + %by * 128] : memref<256x128xf32, #tile.fragment>, memref<512x512xf32>
  }
  return
}

// -----

func.func @ub(%x: memref<512x512xf32>, %y: memref<512x512xf32>) {
  tile.kernel (%b) in (2) {
    // expected-note@+1 {{alive: 'memref<64x512xf32, #tile.ub>', 131072 bytes at 0}}
    %xs = tile.alloc : memref<64x512xf32, #tile.fragment>
    // expected-error@+1 {{does not fit 'ub': 262144 bytes are alive at once, 196352 available}}
    %ys = tile.alloc : memref<64x512xf32, #tile.fragment>
    tile.copy %x[%b * 64, 0], %xs : memref<512x512xf32>, memref<64x512xf32, #tile.fragment>
    tile.copy %x[%b * 64 + 128, 0], %ys : memref<512x512xf32>, memref<64x512xf32, #tile.fragment>
    tile.parallel (%i, %j) in (64, 512) {
      %u = memref.load %xs[%i, %j] : memref<64x512xf32, #tile.fragment>
      %v = memref.load %ys[%i, %j] : memref<64x512xf32, #tile.fragment>
      %w = arith.addf %u, %v : f32
      memref.store %w, %ys[%i, %j] : memref<64x512xf32, #tile.fragment>
    }
    tile.copy %ys, %y[%b * 64, 0] : memref<64x512xf32, #tile.fragment>, memref<512x512xf32>
  }
  return
}

// -----

// L0C of 950 is larger.
func.func @l0c_950(%a: memref<512x512xf16>, %b: memref<512x512xf16>, %c: memref<512x512xf32>) attributes {tile.target = #tile.target<"950">} {
  %c0 = arith.constant 0 : index
  tile.kernel (%bx, %by) in (2, 2) {
    %as = tile.alloc : memref<256x64xf16, #tile.shared>
    %bs = tile.alloc : memref<64x256xf16, #tile.shared>
    %acc = tile.alloc : memref<256x256xf32, #tile.fragment>
    tile.pipelined %k = 0 to 8 stages(2) {
      tile.copy %a[%by * 256, %k * 64], %as : memref<512x512xf16>, memref<256x64xf16, #tile.shared>
      tile.copy %b[%k * 64, %bx * 256], %bs : memref<512x512xf16>, memref<64x256xf16, #tile.shared>
      %first = arith.cmpi eq, %k, %c0 : index
      tile.gemm %as, %bs, %acc clear_if(%first) : memref<256x64xf16, #tile.shared>, memref<64x256xf16, #tile.shared>, memref<256x256xf32, #tile.fragment>
    }
    tile.copy %acc, %c[%by * 256, %bx * 256] : memref<256x256xf32, #tile.fragment>, memref<512x512xf32>
  }
  return
}
