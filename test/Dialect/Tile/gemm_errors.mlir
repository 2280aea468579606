// RUN: tile-opt %s --split-input-file --verify-diagnostics

func.func @gemm_c1(%a: memref<64x32xf16, #tile.shared>, %b: memref<32xf16, #tile.shared>, %c: memref<64x16xf32, #tile.fragment>) {
  // expected-error @below {{'tile.gemm' op expected buffers of 2 dimensions, got 'memref<32xf16, #tile.shared>'}}
  tile.gemm %a, %b, %c : memref<64x32xf16, #tile.shared>, memref<32xf16, #tile.shared>, memref<64x16xf32, #tile.fragment>
  return
}

// -----

func.func @gemm_c1_static(%a: memref<64x?xf16>, %b: memref<32x16xf16, #tile.shared>, %c: memref<64x16xf32, #tile.fragment>) {
  // expected-error @below {{'tile.gemm' op expected buffers of static shape, got 'memref<64x?xf16>'}}
  tile.gemm %a, %b, %c : memref<64x?xf16>, memref<32x16xf16, #tile.shared>, memref<64x16xf32, #tile.fragment>
  return
}

// -----

func.func @gemm_c2(%a: memref<64x32xf16, #tile.shared>, %b: memref<16x64xf16, #tile.shared>, %c: memref<64x16xf32, #tile.fragment>) {
  // expected-error @below {{'tile.gemm' op expected K to agree: 32 in 'a' (64x32), 16 in 'b' (16x64)}}
  tile.gemm %a, %b, %c : memref<64x32xf16, #tile.shared>, memref<16x64xf16, #tile.shared>, memref<64x16xf32, #tile.fragment>
  return
}

// -----

func.func @gemm_c2_m(%a: memref<64x32xf16, #tile.shared>, %b: memref<32x16xf16, #tile.shared>, %c: memref<32x16xf32, #tile.fragment>) {
  // expected-error @below {{'tile.gemm' op expected M to agree: 64 in 'a' (64x32), 32 in 'c' (32x16)}}
  tile.gemm %a, %b, %c : memref<64x32xf16, #tile.shared>, memref<32x16xf16, #tile.shared>, memref<32x16xf32, #tile.fragment>
  return
}

// -----

func.func @gemm_c2_n(%a: memref<64x32xf16, #tile.shared>, %b: memref<32x16xf16, #tile.shared>, %c: memref<64x64xf32, #tile.fragment>) {
  // expected-error @below {{'tile.gemm' op expected N to agree: 16 in 'b' (32x16), 64 in 'c' (64x64)}}
  tile.gemm %a, %b, %c : memref<64x32xf16, #tile.shared>, memref<32x16xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
  return
}

// -----

func.func @gemm_c2_transposed(%a: memref<64x32xf16, #tile.shared>, %b: memref<32x16xf16, #tile.shared>, %c: memref<64x16xf32, #tile.fragment>) {
  // expected-error @below {{'tile.gemm' op expected K to agree: 64 in 'a' (64x32), 32 in 'b' (32x16)}}
  tile.gemm %a, %b, %c {transpose_a} : memref<64x32xf16, #tile.shared>, memref<32x16xf16, #tile.shared>, memref<64x16xf32, #tile.fragment>
  return
}

// -----

func.func @gemm_c3(%a: memref<64x32xf16, #tile.shared>, %b: memref<32x16xbf16, #tile.shared>, %c: memref<64x16xf32, #tile.fragment>) {
  // expected-error @below {{'tile.gemm' op unsupported operand types 'f16' and 'bf16'; expected f16, bf16, f32, f64, i8 or i4 twice, or two f8 types}}
  tile.gemm %a, %b, %c : memref<64x32xf16, #tile.shared>, memref<32x16xbf16, #tile.shared>, memref<64x16xf32, #tile.fragment>
  return
}

// -----

func.func @gemm_c3_signed(%a: memref<64x32xsi8, #tile.shared>, %b: memref<32x16xsi8, #tile.shared>, %c: memref<64x16xi32, #tile.fragment>) {
  // expected-error @below {{'tile.gemm' op unsupported operand types 'si8' and 'si8'; expected f16, bf16, f32, f64, i8 or i4 twice, or two f8 types}}
  tile.gemm %a, %b, %c : memref<64x32xsi8, #tile.shared>, memref<32x16xsi8, #tile.shared>, memref<64x16xi32, #tile.fragment>
  return
}

// -----

func.func @gemm_c3_result(%a: memref<64x32xbf16, #tile.shared>, %b: memref<32x16xbf16, #tile.shared>, %c: memref<64x16xf16, #tile.fragment>) {
  // expected-error @below {{'tile.gemm' op unsupported element types 'bf16', 'bf16' -> 'f16'; expected 'f32' or 'bf16' for 'c'}}
  tile.gemm %a, %b, %c : memref<64x32xbf16, #tile.shared>, memref<32x16xbf16, #tile.shared>, memref<64x16xf16, #tile.fragment>
  return
}

// -----

func.func @gemm_c3_one_result(%a: memref<64x32xf32, #tile.shared>, %b: memref<32x16xf32, #tile.shared>, %c: memref<64x16xf64, #tile.fragment>) {
  // expected-error @below {{'tile.gemm' op unsupported element types 'f32', 'f32' -> 'f64'; expected 'f32' for 'c'}}
  tile.gemm %a, %b, %c : memref<64x32xf32, #tile.shared>, memref<32x16xf32, #tile.shared>, memref<64x16xf64, #tile.fragment>
  return
}

// -----

func.func @gemm_c4(%a: memref<64x32xf16, #tile.shared>, %b: memref<32x16xf16, #tile.shared>, %c: memref<64x16xf32, #tile.fragment>) {
  // expected-error @below {{'tile.gemm' op expected f32 operands for 'precision(tf32)', got 'f16'}}
  tile.gemm %a, %b, %c precision(tf32) : memref<64x32xf16, #tile.shared>, memref<32x16xf16, #tile.shared>, memref<64x16xf32, #tile.fragment>
  return
}

// -----

func.func @gemm_c4_unsigned(%a: memref<64x32xf16, #tile.shared>, %b: memref<32x16xf16, #tile.shared>, %c: memref<64x16xf32, #tile.fragment>) {
  // expected-error @below {{'tile.gemm' op expected integers for 'a_unsigned' and 'b_unsigned', got 'f16'}}
  tile.gemm %a, %b, %c {b_unsigned} : memref<64x32xf16, #tile.shared>, memref<32x16xf16, #tile.shared>, memref<64x16xf32, #tile.fragment>
  return
}

// -----

func.func @gemm_c5(%a: memref<64x32xf16>, %b: memref<32x16xf16, #tile.shared>, %c: memref<64x16xf32, #tile.fragment>) {
  // expected-error @below {{'tile.gemm' op expected tiles, got 'a' in global memory; copy it to shared memory or a fragment first}}
  tile.gemm %a, %b, %c : memref<64x32xf16>, memref<32x16xf16, #tile.shared>, memref<64x16xf32, #tile.fragment>
  return
}

// -----

func.func @gemm_c5_result(%a: memref<64x32xf16, #tile.shared>, %b: memref<32x16xf16, #tile.shared>, %c: memref<64x16xf32>) {
  // expected-error @below {{'tile.gemm' op expected tiles, got 'c' in global memory; copy it to shared memory or a fragment first}}
  tile.gemm %a, %b, %c : memref<64x32xf16, #tile.shared>, memref<32x16xf16, #tile.shared>, memref<64x16xf32>
  return
}

// -----

func.func @gemm_c5_same(%a: memref<8x8xf32, #tile.shared>) {
  // expected-error @below {{'tile.gemm' op expected 'c' to be another buffer than 'a' and 'b'}}
  tile.gemm %a, %a, %a : memref<8x8xf32, #tile.shared>, memref<8x8xf32, #tile.shared>, memref<8x8xf32, #tile.shared>
  return
}

// -----

func.func @gemm_c6(%a: memref<8x8xf32, #tile.shared>, %c: memref<8x8xf32, #tile.shared>, %first: i1) {
  // expected-error @below {{'tile.gemm' op expected not both 'clear' and 'clear_if'}}
  tile.gemm %a, %a, %c clear_if(%first) {clear} : memref<8x8xf32, #tile.shared>, memref<8x8xf32, #tile.shared>, memref<8x8xf32, #tile.shared>
  return
}

// -----

func.func @gemm_c6_prefer(%a: memref<64x32xf16, #tile.shared>, %b: memref<32x16xf16, #tile.shared>, %c: memref<64x16xf32, #tile.fragment>) {
  // expected-error @below {{'tile.gemm' op expected 'prefer' to name a gemm instruction (fma, mma, wgmma, tcgen05, mfma, wmma, cube), got 'tma'}}
  tile.gemm %a, %b, %c prefer(tma) : memref<64x32xf16, #tile.shared>, memref<32x16xf16, #tile.shared>, memref<64x16xf32, #tile.fragment>
  return
}

// -----

func.func @gemm_c7(%x: memref<64x64xf16, #tile.shared>) {
  tile.kernel (%b) in (1) {
    %c = tile.alloc : memref<64x64xf32, #tile.fragment>
    // expected-error @below {{'tile.gemm' op expected 'async' to come with a wgmma instruction and an accumulator of its type}}
    tile.gemm %x, %x, %c {async} : memref<64x64xf16, #tile.shared>, memref<64x64xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
  }
  return
}

// -----

func.func @gemm_c7_half(%x: memref<64x64xf16, #tile.shared>) {
  tile.kernel (%b) in (1) {
    %c = tile.alloc : memref<64x64xf16, #tile.fragment>
    // expected-error @below {{'tile.gemm' op expected 'async' to come with a wgmma instruction and an accumulator of its type}}
    tile.gemm %x, %x, %c {async, instruction = #tile.mma<wgmma, m = 64, n = 64, k = 16, warps_m = 4, warps_n = 1>}
        : memref<64x64xf16, #tile.shared>, memref<64x64xf16, #tile.shared>, memref<64x64xf16, #tile.fragment>
  }
  return
}

// -----

func.func @clear_if_number(%a: memref<8x8xf32, #tile.shared>, %c: memref<8x8xf32, #tile.fragment>, %k: index) {
  // expected-error @below {{expected a value of 'i1', got 'index'; convert it: i1(…)}}
  tile.gemm %a, %a, %c clear_if(%k + 1)
  return
}

// -----

func.func @clear_if_nothing(%a: memref<8x8xf32, #tile.shared>, %c: memref<8x8xf32, #tile.fragment>) {
  // expected-error @below {{expected an expression}}
  tile.gemm %a, %a, %c clear_if()
  return
}
