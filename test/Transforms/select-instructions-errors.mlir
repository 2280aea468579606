// RUN: tile-opt %s --split-input-file --tile-select-instructions --verify-diagnostics

// Products, and targets that are none.

!a = memref<128x64xf16, #tile.shared>
!bt = memref<128x64xf16, #tile.shared>
!c = memref<128x128xf32, #tile.fragment>

module attributes {tile.target = #tile.target<"sm_80">} {
func.func @no_wgmma() {
  tile.kernel (%x) in (1) threads(128) {
    %a = tile.alloc : !a
    %b = tile.alloc : !bt
    %c = tile.alloc : !c
    // expected-error @below {{cannot use 'wgmma' on sm_80: sm_80 has no wgmma}}
    tile.gemm %a, %b, %c prefer(wgmma) {transpose_b} : !a, !bt, !c
  }
  return
}
}

// -----

!a = memref<128x64xf16, #tile.shared>
!bt = memref<128x64xf16, #tile.shared>
!c = memref<128x128xf32, #tile.fragment>

module attributes {tile.target = #tile.target<"sm_90a">} {
func.func @warps() {
  tile.kernel (%x) in (1) threads(64) {
    %a = tile.alloc : !a
    %b = tile.alloc : !bt
    %c = tile.alloc : !c
    // expected-error @below {{cannot use 'wgmma' on sm_90a: expected a multiple of 4 warps, got 2}}
    tile.gemm %a, %b, %c prefer(wgmma) {transpose_b} : !a, !bt, !c
  }
  return
}
}

// -----

!a = memref<96x64xf16, #tile.shared>
!bt = memref<128x64xf16, #tile.shared>
!c = memref<96x128xf32, #tile.fragment>

module attributes {tile.target = #tile.target<"sm_90a">} {
func.func @rows() {
  tile.kernel (%x) in (1) threads(128) {
    %a = tile.alloc : !a
    %b = tile.alloc : !bt
    %c = tile.alloc : !c
    // expected-error @below {{cannot use 'wgmma' on sm_90a: expected M, N and K to be multiples of 64, 8 and 16, got 96, 128 and 64}}
    tile.gemm %a, %b, %c prefer(wgmma) {transpose_b} : !a, !bt, !c
  }
  return
}
}

// -----

!a = memref<64x64xi8, #tile.shared>
!c = memref<64x64xi32, #tile.fragment>

module attributes {tile.target = #tile.target<"sm_90a">} {
func.func @contiguous() {
  tile.kernel (%x) in (1) threads(128) {
    %a = tile.alloc : !a
    %b = tile.alloc : !a
    %c = tile.alloc : !c
    // expected-error @below {{cannot use 'wgmma' on sm_90a: expected 'b' to have K contiguous for elements of 8 bits}}
    tile.gemm %a, %b, %c prefer(wgmma) : !a, !a, !c
  }
  return
}
}

// -----

!a = memref<64x64xf16, #tile.shared>
!b = memref<64x72xf16, #tile.shared>
!c = memref<64x72xf32, #tile.fragment>

module attributes {tile.target = #tile.target<"sm_90a">} {
func.func @narrow() {
  tile.kernel (%x) in (1) threads(128) {
    %a = tile.alloc : !a
    %b = tile.alloc : !b
    %c = tile.alloc : !c
    // expected-error @below {{cannot use 'wgmma' on sm_90a: expected rows of 'b' of a multiple of 32 bytes, got 144}}
    tile.gemm %a, %b, %c prefer(wgmma) : !a, !b, !c
  }
  return
}
}

// -----

!a = memref<64x64xf16, #tile.shared>
!b = memref<64x64xf16, #tile.fragment>
!c = memref<64x64xf32, #tile.fragment>

module attributes {tile.target = #tile.target<"sm_90a">} {
func.func @space() {
  tile.kernel (%x) in (1) threads(128) {
    %a = tile.alloc : !a
    %b = tile.alloc : !b
    %c = tile.alloc : !c
    // expected-error @below {{cannot use 'wgmma' on sm_90a: expected 'b' in shared memory, got it in 'fragment'}}
    tile.gemm %a, %b, %c prefer(wgmma) : !a, !b, !c
  }
  return
}
}

// -----

!a = memref<64x64xf16, #tile.shared>
!i = memref<64x64xi16, #tile.shared>
!c = memref<64x64xf32, #tile.fragment>

module attributes {tile.target = #tile.target<"sm_90a">} {
func.func @bits() {
  tile.kernel (%x) in (1) threads(128) {
    %a = tile.alloc : !a
    %i = tile.view %a : !a to !i
    %b = tile.alloc : !i
    %v = tile.view %b : !i to !a
    %c = tile.alloc : !c
    // expected-error @below {{cannot use 'wgmma' on sm_90a: expected 'b' to be a tile of its own, got a view of other bits}}
    tile.gemm %a, %v, %c prefer(wgmma) : !a, !a, !c
  }
  return
}
}

// -----

!a = memref<64x64xf16, #tile.shared>
!i = memref<64x64xi16, #tile.shared>
!c = memref<64x64xf32, #tile.fragment>

module attributes {tile.target = #tile.target<"sm_90a">} {
func.func @other_bits() {
  tile.kernel (%x) in (1) threads(128) {
    %a = tile.alloc : !a
    %i = tile.view %a : !a to !i
    %c = tile.alloc : !c
    // expected-error @below {{cannot use 'wgmma' on sm_90a: expected 'b' to have no other view of its bits, got 'tile.view'}}
    tile.gemm %a, %a, %c prefer(wgmma) : !a, !a, !c
  }
  return
}
}

// -----

!a = memref<64x64xf32, #tile.shared>
!c = memref<64x64xf32, #tile.fragment>

module attributes {tile.target = #tile.target<"sm_90a">} {
func.func @rounding() {
  tile.kernel (%x) in (1) threads(128) {
    %a = tile.alloc : !a
    %b = tile.alloc : !a
    %c = tile.alloc : !c
    // expected-error @below {{cannot use 'wgmma' on sm_90a: expected operands that need no rounding, got f32 under precision(tf32)}}
    tile.gemm %a, %b, %c precision(tf32) prefer(wgmma) {transpose_b} : !a, !a, !c
  }
  return
}
}

// -----

!a = memref<64x64xf32, #tile.shared>
!c = memref<64x64xf32, #tile.fragment>

module attributes {tile.target = #tile.target<"sm_90a">} {
func.func @types() {
  tile.kernel (%x) in (1) threads(128) {
    %a = tile.alloc : !a
    %b = tile.alloc : !a
    %c = tile.alloc : !c
    // expected-error @below {{cannot use 'mma' on sm_90a: sm_90a has no mma for f32, f32 -> f32}}
    tile.gemm %a, %b, %c prefer(mma) : !a, !a, !c
  }
  return
}
}

// -----

!a = memref<128x64xf16, #tile.shared>
!c = memref<128x128xf32, #tile.fragment>

module attributes {tile.target = #tile.target<"sm_100a">} {
func.func @tmem() {
  tile.kernel (%x) in (1) threads(128) {
    %a = tile.alloc : !a
    %b = tile.alloc : !a
    %c = tile.alloc : !c
    // expected-error @below {{cannot use 'tcgen05' on sm_100a: expected 'c' in tensor memory, got it in 'fragment'}}
    tile.gemm %a, %b, %c prefer(tcgen05) {transpose_b} : !a, !a, !c
  }
  return
}
}

// -----

func.func @no_target() {
  // expected-error @below {{expected a target; run 'tile-set-target' first or give the module the attribute 'tile.target'}}
  tile.kernel (%x) in (1) {
  }
  return
}

// -----

func.func @cpu() attributes {tile.target = #tile.target<"generic">} {
  // expected-error @below {{expected a GPU target, got 'generic'; known GPU targets: sm_80}}
  tile.kernel (%x) in (1) {
  }
  return
}
