// RUN: tile-opt %s --split-input-file --tile-select-instructions --verify-diagnostics

// Copies that cannot use the instruction that they ask for.

!t = memref<128x64xf16, #tile.shared>

module attributes {tile.target = #tile.target<"sm_80">} {
func.func @no_tma(%a: memref<128x64xf16>) {
  tile.kernel (%x) in (1) {
    %t = tile.alloc : !t
    // expected-error @below {{cannot use 'tma' on sm_80: sm_80 has no tma}}
    tile.copy %a, %t prefer(tma) : memref<128x64xf16>, !t
  }
  return
}
}

// -----

!t = memref<128x64xf16, #tile.shared>

module attributes {tile.target = #tile.target<"sm_90a">} {
func.func @odd_offset(%a: memref<64x128xf16>) {
  tile.kernel (%x) in (1) {
    %t = tile.alloc : !t
    // expected-error @below {{cannot use 'tma' on sm_90a: expected a region that begins at a multiple of 16 bytes in dimension 1, got an offset that is not known to be a multiple of 8; say so with 'tile.assume'}}
    tile.copy %a[0, 4], %t prefer(tma) : memref<64x128xf16>, !t
  }
  return
}
}

// -----

!t = memref<128x64xf16, #tile.shared>

module attributes {tile.target = #tile.target<"sm_90a">} {
func.func @unknown_rows(%a: memref<?x?xf16>) {
  tile.kernel (%x) in (1) {
    %t = tile.alloc : !t
    // expected-error @below {{cannot use 'tma' on sm_90a: expected rows of a multiple of 16 bytes, got an extent that is not known to be a multiple of 8; say so with 'tile.assume'}}
    tile.copy %a, %t prefer(tma) : memref<?x?xf16>, !t
  }
  return
}
}

// -----

!t = memref<128x64xf16, #tile.shared>

module attributes {tile.target = #tile.target<"sm_90a">} {
func.func @unaligned(%a: memref<?x?xf16>) {
  tile.kernel (%x) in (1) {
    %t = tile.alloc : !t
    // expected-error @below {{cannot use 'cp_async' on sm_90a: expected vectors of 4, 8 or 16 bytes that are known to be aligned, got 2}}
    tile.copy %a, %t prefer(cp_async) : memref<?x?xf16>, !t
  }
  return
}
}

// -----

!f = memref<128x64xf16, #tile.fragment>

module attributes {tile.target = #tile.target<"sm_90a">} {
func.func @space_of_tma(%a: memref<128x64xf16>) {
  tile.kernel (%x) in (1) {
    %f = tile.alloc : !f
    // expected-error @below {{cannot use 'tma' on sm_90a: expected a copy between global and shared memory, got one from 'global' to 'fragment'}}
    tile.copy %a, %f prefer(tma) : memref<128x64xf16>, !f
  }
  return
}
}

// -----

!f = memref<128x64xf16, #tile.fragment>

module attributes {tile.target = #tile.target<"sm_90a">} {
func.func @space(%a: memref<128x64xf16>) {
  tile.kernel (%x) in (1) {
    %f = tile.alloc : !f
    // expected-error @below {{cannot use 'cp_async' on sm_90a: expected a copy from global to shared memory, got one from 'global' to 'fragment'}}
    tile.copy %a, %f prefer(cp_async) : memref<128x64xf16>, !f
  }
  return
}
}

// -----

!t = memref<128x64xf32, #tile.shared>

module attributes {tile.target = #tile.target<"sm_90a">} {
func.func @safe(%a: memref<128x64xf32>) {
  %one = arith.constant 1.0 : f32
  tile.kernel (%x) in (1) {
    tile.padding_value %a, %one : memref<128x64xf32>
    %t = tile.alloc : !t
    // expected-error @below {{cannot use 'tma' on sm_90a: expected the padding value 0, got another one}}
    tile.copy %a, %t prefer(tma) : memref<128x64xf32>, !t
  }
  return
}
}

// -----

!t = memref<128x64xf32, #tile.shared>

module attributes {tile.target = #tile.target<"sm_90a">} {
func.func @types(%a: memref<128x64xf16>) {
  tile.kernel (%x) in (1) {
    %t = tile.alloc : !t
    // expected-error @below {{cannot use 'tma' on sm_90a: expected one element type, got 'f16' and 'f32'}}
    tile.copy %a, %t prefer(tma) : memref<128x64xf16>, !t
  }
  return
}
}

// -----

!t = memref<128x64xi4, #tile.shared>

module attributes {tile.target = #tile.target<"sm_90a">} {
func.func @halves_of_bytes(%a: memref<128x64xi4>) {
  tile.kernel (%x) in (1) {
    %t = tile.alloc : !t
    // expected-error @below {{cannot use 'cp_async' on sm_90a: expected elements of whole bytes}}
    tile.copy %a, %t prefer(cp_async) : memref<128x64xi4>, !t
  }
  return
}
}

// -----

!t = memref<128x64xf16, #tile.shared>

module attributes {tile.target = #tile.target<"sm_90a">} {
func.func @part(%a: memref<64x64xf16>) {
  tile.kernel (%x) in (1) {
    %t = tile.alloc : !t
    // expected-error @below {{cannot use 'tma' on sm_90a: expected the whole tile, got a part}}
    tile.copy %a, %t[64, 0] prefer(tma) : memref<64x64xf16>, !t
  }
  return
}
}

// -----

!t = memref<128x64xf16, #tile.shared>

module attributes {tile.target = #tile.target<"sm_90a">} {
func.func @rank(%a: memref<1x1x1x1x128x64xf16>) {
  tile.kernel (%x) in (1) {
    %t = tile.alloc : !t
    // expected-error @below {{cannot use 'tma' on sm_90a: expected a tensor of 1 to 5 dimensions, got 6}}
    tile.copy %a, %t prefer(tma) : memref<1x1x1x1x128x64xf16>, !t
  }
  return
}
}

// -----

!t = memref<128x64xf16, #tile.shared>

module attributes {tile.target = #tile.target<"sm_90a">} {
func.func @inner(%a: memref<128x64x8xf16>) {
  tile.kernel (%x) in (1) {
    %t = tile.alloc : !t
    // expected-error @below {{cannot use 'tma' on sm_90a: expected the last dimension of the tile to be that of the tensor}}
    tile.copy %a[0, 0, 0] [128, 64, 1], %t prefer(tma) : memref<128x64x8xf16>, !t
  }
  return
}
}

// -----

!t = memref<64x4xf16, #tile.shared>

module attributes {tile.target = #tile.target<"sm_90a">} {
func.func @narrow(%a: memref<64x8xf16>) {
  tile.kernel (%x) in (1) {
    %t = tile.alloc : !t
    // expected-error @below {{cannot use 'tma' on sm_90a: tile of 64x4: expected inner rows of a multiple of 16 bytes, got 64 bits}}
    tile.copy %a[0, 0], %t prefer(tma) : memref<64x8xf16>, !t
  }
  return
}
}

// -----

!t = memref<128x64xf16, #tile.shared>

module attributes {tile.target = #tile.target<"sm_90a">} {
func.func @other(%a: memref<128x64xf16>) {
  tile.kernel (%x) in (1) {
    %t = tile.alloc : !t
    // expected-error @below {{cannot use 'bulk' on sm_90a: expected sync, cp_async, tma or ldmatrix}}
    tile.copy %a, %t prefer(bulk) : memref<128x64xf16>, !t
  }
  return
}
}

// -----

!t = memref<128x64xf16, #tile.shared>

module attributes {tile.target = #tile.target<"sm_90a">} {
func.func @saturate(%a: memref<128x64xf16>) {
  tile.kernel (%x) in (1) {
    %t = tile.alloc : !t
    // expected-error @below {{cannot use 'tma' on sm_90a: expected a copy without 'saturate'}}
    tile.copy %a, %t prefer(tma) {saturate} : memref<128x64xf16>, !t
  }
  return
}
}

// -----

!t = memref<128x64xf16, #tile.shared>

module attributes {tile.target = #tile.target<"sm_90a">} {
func.func @width(%a: memref<128x66xf16>) {
  tile.kernel (%x) in (1) {
    %t = tile.alloc : !t
    // expected-error @below {{cannot use vectors of 8 elements: they are known to be aligned to 2}}
    tile.copy %a[0, 0], %t {coalesced_width = 8 : i64} : memref<128x66xf16>, !t
  }
  return
}
}
