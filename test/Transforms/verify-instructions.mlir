// RUN: tile-opt %s --tile-set-target=chip=sm_80 --tile-select-instructions --split-input-file --verify-diagnostics

// What a module names already, in whatever way it came, must be what the chip has.
func.func @wgmma() {
  tile.kernel (%x) in (1) threads(128) {
    %a = tile.alloc : memref<64x64xf16, #tile.shared>
    %b = tile.alloc : memref<64x64xf16, #tile.shared>
    %c = tile.alloc : memref<64x64xf32, #tile.fragment>
    // expected-error @below {{expected an instruction that sm_80 has, got wgmma m64n64k16 for f16 and f16}}
    tile.gemm %a, %b, %c {clear, instruction = #tile.mma<wgmma, m = 64, n = 64, k = 16, warps_m = 4, warps_n = 1>} : memref<64x64xf16, #tile.shared>, memref<64x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
  }
  return
}

// -----

func.func @mfma() {
  tile.kernel (%x) in (1) threads(128) {
    %a = tile.alloc : memref<64x64xf16, #tile.shared>
    %b = tile.alloc : memref<64x64xf16, #tile.shared>
    %c = tile.alloc : memref<64x64xf32, #tile.fragment>
    // expected-error @below {{expected an instruction that sm_80 has, got mfma m32n32k8 for f16 and f16}}
    tile.gemm %a, %b, %c {clear, instruction = #tile.mma<mfma, m = 32, n = 32, k = 8, warps_m = 2, warps_n = 2>} : memref<64x64xf16, #tile.shared>, memref<64x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
  }
  return
}

// -----

func.func @extents() {
  tile.kernel (%x) in (1) threads(128) {
    %a = tile.alloc : memref<64x64xf16, #tile.shared>
    %b = tile.alloc : memref<64x64xf16, #tile.shared>
    %c = tile.alloc : memref<64x64xf32, #tile.fragment>
    // expected-error @below {{expected an instruction that sm_80 has, got mma m16n24k16 for f16 and f16}}
    tile.gemm %a, %b, %c {clear, instruction = #tile.mma<mma, m = 16, n = 24, k = 16, warps_m = 2, warps_n = 2>} : memref<64x64xf16, #tile.shared>, memref<64x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
  }
  return
}

// -----

func.func @rows() {
  tile.kernel (%x) in (1) threads(128) {
    %a = tile.alloc : memref<32x64xf16, #tile.shared>
    %b = tile.alloc : memref<64x64xf16, #tile.shared>
    %c = tile.alloc : memref<32x64xf32, #tile.fragment>
    // expected-error @below {{expected M to be a multiple of 64, which its instructions and warps cover, got 32}}
    tile.gemm %a, %b, %c {clear, instruction = #tile.mma<mma, m = 16, n = 8, k = 16, warps_m = 4, warps_n = 1>} : memref<32x64xf16, #tile.shared>, memref<64x64xf16, #tile.shared>, memref<32x64xf32, #tile.fragment>
  }
  return
}

// -----

func.func @columns() {
  tile.kernel (%x) in (1) threads(128) {
    %a = tile.alloc : memref<64x64xf16, #tile.shared>
    %b = tile.alloc : memref<64x40xf16, #tile.shared>
    %c = tile.alloc : memref<64x40xf32, #tile.fragment>
    // expected-error @below {{expected N to be a multiple of 32, which its instructions and warps cover, got 40}}
    tile.gemm %a, %b, %c {clear, instruction = #tile.mma<mma, m = 16, n = 8, k = 16, warps_m = 1, warps_n = 4>} : memref<64x64xf16, #tile.shared>, memref<64x40xf16, #tile.shared>, memref<64x40xf32, #tile.fragment>
  }
  return
}

// -----

func.func @depth() {
  tile.kernel (%x) in (1) threads(128) {
    %a = tile.alloc : memref<64x24xf16, #tile.shared>
    %b = tile.alloc : memref<24x64xf16, #tile.shared>
    %c = tile.alloc : memref<64x64xf32, #tile.fragment>
    // expected-error @below {{expected K to be a multiple of 16, which its instructions and warps cover, got 24}}
    tile.gemm %a, %b, %c {clear, instruction = #tile.mma<mma, m = 16, n = 8, k = 16, warps_m = 1, warps_n = 4>} : memref<64x24xf16, #tile.shared>, memref<24x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
  }
  return
}

// -----

func.func @warps() {
  tile.kernel (%x) in (1) threads(128) {
    %a = tile.alloc : memref<64x64xf16, #tile.shared>
    %b = tile.alloc : memref<64x64xf16, #tile.shared>
    %c = tile.alloc : memref<64x64xf32, #tile.fragment>
    // expected-error @below {{expected at most 4 warps, got 4 x 2}}
    tile.gemm %a, %b, %c {clear, instruction = #tile.mma<mma, m = 16, n = 8, k = 16, warps_m = 4, warps_n = 2>} : memref<64x64xf16, #tile.shared>, memref<64x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
  }
  return
}

// -----

func.func @fma_warps() {
  tile.kernel (%x) in (1) threads(128) {
    %a = tile.alloc : memref<64x64xf16, #tile.shared>
    %b = tile.alloc : memref<64x64xf16, #tile.shared>
    %c = tile.alloc : memref<64x64xf32, #tile.fragment>
    // expected-error @below {{expected at most 4 warps, got 4 x 4}}
    tile.gemm %a, %b, %c {clear, instruction = #tile.mma<fma, m = 1, n = 1, k = 1, warps_m = 4, warps_n = 4>} : memref<64x64xf16, #tile.shared>, memref<64x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
  }
  return
}

// -----

func.func @tma() {
  tile.kernel (%x) in (1) threads(128) {
    %a = tile.alloc : memref<64x64xf16, #tile.fragment>
    %b = tile.alloc : memref<64x64xf16, #tile.shared>
    // expected-error @below {{cannot use 'tma' from register to shared on sm_80, which has no such copy}}
    tile.copy %a, %b {instruction = #tile.transfer<tma>} : memref<64x64xf16, #tile.fragment>, memref<64x64xf16, #tile.shared>
  }
  return
}

// -----

func.func @bulk() {
  tile.kernel (%x) in (1) threads(128) {
    %a = tile.alloc : memref<64x64xf16, #tile.fragment>
    %b = tile.alloc : memref<64x64xf16, #tile.shared>
    // expected-error @below {{cannot use 'bulk' from register to shared on sm_80, which has no such copy}}
    tile.copy %a, %b {instruction = #tile.transfer<bulk>} : memref<64x64xf16, #tile.fragment>, memref<64x64xf16, #tile.shared>
  }
  return
}

// -----

func.func @cp_async() {
  tile.kernel (%x) in (1) threads(128) {
    %a = tile.alloc : memref<64x64xf16, #tile.fragment>
    %b = tile.alloc : memref<64x64xf16, #tile.shared>
    // expected-error @below {{cannot use 'cp_async' of 16 bytes from register to shared on sm_80, which has no such copy}}
    tile.copy %a, %b {instruction = #tile.transfer<cp_async, bytes = 16>} : memref<64x64xf16, #tile.fragment>, memref<64x64xf16, #tile.shared>
  }
  return
}

// -----

func.func @stmatrix() {
  tile.kernel (%x) in (1) threads(128) {
    %a = tile.alloc : memref<64x64xf16, #tile.fragment>
    %b = tile.alloc : memref<64x64xf16, #tile.shared>
    // expected-error @below {{cannot use 'ldmatrix' of 16 bytes from register to shared on sm_80, which has no such copy}}
    tile.copy %a, %b {instruction = #tile.transfer<ldmatrix, bytes = 16>} : memref<64x64xf16, #tile.fragment>, memref<64x64xf16, #tile.shared>
  }
  return
}

// -----

func.func @tmem() {
  tile.kernel (%x) in (1) {
    // expected-error @below {{expected memory that sm_80 has (shared, fragment, local), got 'tmem'}}
    %a = tile.alloc : memref<64x64xf16, #tile.tmem>
  }
  return
}

// -----

func.func @l1() {
  tile.kernel (%x) in (1) {
    // expected-error @below {{expected memory that sm_80 has (shared, fragment, local), got 'l1'}}
    %a = tile.alloc : memref<64x64xf16, #tile.l1>
  }
  return
}

// -----

func.func @ub() {
  tile.kernel (%x) in (1) {
    // expected-error @below {{expected memory that sm_80 has (shared, fragment, local), got 'ub'}}
    %a = tile.alloc : memref<64x64xf16, #tile.ub>
  }
  return
}

// -----

// An endless inference of layouts, before.
func.func @tmem_gemm(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %c: memref<64x64xf32>) {
  tile.kernel (%x) in (1) threads(128) {
    %s = tile.alloc : memref<64x64xf16, #tile.shared>
    %f = tile.alloc : memref<64x64xf16, #tile.fragment>
    // expected-error @below {{expected memory that sm_80 has (shared, fragment, local), got 'tmem'}}
    %t = tile.alloc : memref<64x64xf16, #tile.tmem>
    %d = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.copy %a, %f : memref<64x64xf16>, memref<64x64xf16, #tile.fragment>
    tile.copy %f, %t : memref<64x64xf16, #tile.fragment>, memref<64x64xf16, #tile.tmem>
    tile.copy %b, %s : memref<64x64xf16>, memref<64x64xf16, #tile.shared>
    tile.gemm %t, %s, %d {clear} : memref<64x64xf16, #tile.tmem>, memref<64x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
    tile.copy %d, %c : memref<64x64xf32, #tile.fragment>, memref<64x64xf32>
  }
  return
}

// -----

// Unrolled completely in each thread, before.
func.func @local_gemm(%a: memref<32x32xf16>, %b: memref<32x64xf16>, %c: memref<32x64xf32>) {
  tile.kernel (%k) in (1) threads(128) {
    %as = tile.alloc : memref<32x32xf16, #tile.local>
    %bs = tile.alloc : memref<32x64xf16, #tile.local>
    %acc = tile.alloc : memref<32x64xf32, #tile.fragment>
    tile.copy %a, %as : memref<32x32xf16>, memref<32x32xf16, #tile.local>
    tile.copy %b, %bs : memref<32x64xf16>, memref<32x64xf16, #tile.local>
    // expected-error @below {{expected the block's tiles (shared, fragment), got one in 'local', which each thread has for itself}}
    tile.gemm %as, %bs, %acc {clear} : memref<32x32xf16, #tile.local>, memref<32x64xf16, #tile.local>, memref<32x64xf32, #tile.fragment>
    tile.copy %acc, %c : memref<32x64xf32, #tile.fragment>, memref<32x64xf32>
  }
  return
}

// -----

// 2^32 elements: no end, before.
func.func @large_fragment(%x: memref<65536x65536xf32>) {
  %z = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) threads(128) {
    // expected-error @below {{expected a fragment of at most 4080 registers in each of 128 threads on sm_80, got 33554432}}
    %f = tile.alloc : memref<65536x65536xf32, #tile.fragment>
    tile.fill %f, %z : memref<65536x65536xf32, #tile.fragment>
    tile.copy %f, %x : memref<65536x65536xf32, #tile.fragment>, memref<65536x65536xf32>
  }
  return
}

// -----

func.func @huge_fragment() {
  tile.kernel (%b) in (1) threads(128) {
    // expected-error @below {{expected a fragment of at most 4080 registers in each of 128 threads on sm_80, got}}
    %f = tile.alloc : memref<288230376151711744xf16, #tile.fragment>
  }
  return
}
