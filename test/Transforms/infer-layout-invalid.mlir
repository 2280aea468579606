// RUN: tile-opt %s --split-input-file --tile-set-target=chip=sm_90a --tile-infer-layout --verify-diagnostics

!b = memref<64x64xf16, #tile.shared>
!c = memref<64x64xf32, #tile.fragment>

func.func @no_instruction() {
  tile.kernel (%x) in (1) threads(128) {
    %a = tile.alloc : !b
    %c = tile.alloc : !c
    // expected-error @below {{expected an instruction; run 'tile-select-instructions' first}}
    tile.gemm %a, %a, %c : !b, !b, !c
  }
  return
}

// -----

func.func @two_annotations() {
  tile.kernel (%x) in (1) threads(128) {
    %f = tile.alloc : memref<64xf32, #tile.fragment>
    // expected-note @below {{which comes from here}}
    tile.annotate_layout %f : memref<64xf32, #tile.fragment> as #tile.layout<[64: 2 reg, 32 lane] rep(4 warp)>
    // Twice the same is no harm.
    tile.annotate_layout %f : memref<64xf32, #tile.fragment> as #tile.layout<[64: 2 reg, 32 lane] rep(4 warp)>
    // expected-error @below {{asks for the layout [64: 32 lane, 2 reg], but the buffer has [64: 2 reg, 32 lane] rep(4 warp)}}
    tile.annotate_layout %f : memref<64xf32, #tile.fragment> as #tile.layout<[64: 32 lane, 2 reg]>
  }
  return
}

// -----

!b = memref<64x64xf16, #tile.shared>
!c = memref<64x64xf32, #tile.fragment>

func.func @annotation_and_instruction() {
  tile.kernel (%x) in (1) threads(128) {
    %a = tile.alloc : !b
    %c = tile.alloc : !c
    // expected-note @below {{which is asked for here}}
    tile.annotate_layout %c : !c as #tile.layout<[64: 32 reg, 2 warp][64: 2 warp*2, 32 lane]>
    // expected-error @below {{needs the layout [64: 4 warp, 2 reg*2, 8 lane*4][64: 8 reg*4, 4 lane, 2 reg], but it is [64: 32 reg, 2 warp][64: 2 warp*2, 32 lane]}}
    tile.gemm %a, %a, %c {instruction = #tile.mma<wgmma, m = 64, n = 64, k = 16, warps_m = 4, warps_n = 1>} : !b, !b, !c
  }
  return
}

// -----

func.func @warps() {
  tile.kernel (%x) in (1) threads(128) {
    %f = tile.alloc : memref<256xf32, #tile.fragment>
    // expected-error @below {{expected a layout on at most 4 warps of 32 lanes, got 8 warps of 32}}
    tile.annotate_layout %f : memref<256xf32, #tile.fragment> as #tile.layout<[256: 8 warp, 32 lane]>
  }
  return
}

// -----

func.func @axes() {
  tile.kernel (%x) in (1) threads(128) {
    %f = tile.alloc : memref<256xf32, #tile.fragment>
    // expected-error @below {{expected a layout that goes to registers, lanes and warps, got #tile.layout<[256: 256 offset]>}}
    tile.annotate_layout %f : memref<256xf32, #tile.fragment> as #tile.layout<[256: 256 offset]>
  }
  return
}

// -----

func.func @memory() {
  tile.kernel (%x) in (1) threads(128) {
    %f = tile.alloc : memref<256xf32, #tile.shared>
    // expected-error @below {{expected a layout that goes to offsets of a memory, got #tile.layout<[256: 256 reg]>}}
    tile.annotate_layout %f : memref<256xf32, #tile.shared> as #tile.layout<[256: 256 reg]>
  }
  return
}

// -----

func.func @given() {
  tile.kernel (%x) in (1) threads(32) {
    // expected-error @below {{expected a layout on at most 1 warps of 32 lanes, got 4 warps of 32}}
    %f = tile.alloc {layout = #tile.layout<[128: 4 warp, 32 lane]>} : memref<128xf32, #tile.fragment>
  }
  return
}

// -----

func.func @cut() {
  tile.kernel (%x) in (1) threads(128) {
    %f = tile.alloc : memref<6x35xf32, #tile.fragment>
    tile.annotate_layout %f : memref<6x35xf32, #tile.fragment> as #tile.layout<[6: 6 reg*2][35: 2 reg, 32 lane]>
    // expected-error @below {{cuts through the parts that threads have of the fragment, whose layout is [6: 6 reg*2][35: 2 reg, 32 lane]}}
    // expected-note @below {{copy it to shared memory first}}
    %g = tile.reshape %f : memref<6x35xf32, #tile.fragment> to memref<10x21xf32, #tile.fragment>
    tile.print %g, "g" : memref<10x21xf32, #tile.fragment>
  }
  return
}

// -----

func.func @padding(%a: memref<64x64xf16>) {
  tile.kernel (%x) in (1) threads(128) {
    %s = tile.alloc : memref<64x64xf16, #tile.shared>
    // expected-note @below {{the layout comes from here}}
    tile.annotate_layout %s : memref<64x64xf16, #tile.shared> as #tile.layout<[64: 64 offset*72][64: 64 offset]>
    // expected-error @below {{cannot use 'tma' on a tile of this layout: tile of 64x64: expected boxes 128 bytes aligned, got boxes 144 bytes apart}}
    tile.copy %a, %s prefer(tma) {instruction = #tile.transfer<tma>} : memref<64x64xf16>, memref<64x64xf16, #tile.shared>
  }
  return
}

// -----

func.func @rank() {
  tile.kernel (%x) in (1) threads(128) {
    // expected-error @below {{has no layout of at most 16 dimensions and 281474976710656 places}}
    %s = tile.alloc : memref<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x2xf16, #tile.fragment>
  }
  return
}

// -----

// One dimension less, of which a stage of a pipeline makes use.
func.func @rank_shared(%a: memref<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x2xf16>) {
  tile.kernel (%x) in (1) threads(128) {
    // expected-error @below {{has no layout of at most 15 dimensions and 281474976710656 places}}
    %s = tile.alloc : memref<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x2xf16, #tile.shared>
    tile.copy %a, %s : memref<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x2xf16>, memref<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x2xf16, #tile.shared>
  }
  return
}

// -----

func.func @rank_shared_none(%a: memref<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x2xf16>) {
  tile.kernel (%x) in (1) threads(128) {
    // expected-error @below {{has no layout of at most 15 dimensions and 281474976710656 places}}
    %s = tile.alloc : memref<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x2xf16, #tile.shared>
    tile.copy %a, %s : memref<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x2xf16>, memref<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x2xf16, #tile.shared>
  }
  return
}
