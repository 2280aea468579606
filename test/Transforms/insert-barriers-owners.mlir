// RUN: tile-opt %s --split-input-file --tile-insert-barriers | FileCheck %s
// REQUIRES: amd, nvidia

// Each thread reads what it has copied from its registers, in whichever stage.
// CHECK-LABEL: func.func @own
// CHECK-NOT: tile.barrier
#rows = #tile.layout<[4: 2 reg*4, 2 warp][256: 64 lane, 4 reg]>
module attributes {tile.target = #tile.target<"gfx942">} {
  func.func @own(%a: memref<64x256xf16>, %o: memref<64x256xf32>) {
    %c0 = arith.constant 0 : index
    tile.kernel (%b) in (1) threads(128) {
      %s = tile.alloc : memref<2x4x256xf16, #tile.shared>
      %r = tile.alloc {layout = #rows} : memref<4x256xf16, #tile.fragment>
      tile.pipelined %k = 0 to 16 {
        %this = affine.apply affine_map<(k) -> (k mod 2)>(%k)
        %next = affine.apply affine_map<(k) -> ((k + 1) mod 2)>(%k)
        tile.copy %a[%k * 4, 0], %r : memref<64x256xf16>, memref<4x256xf16, #tile.fragment>
        %in = tile.stage %s[%next] : memref<2x4x256xf16, #tile.shared> to memref<4x256xf16, #tile.shared>
        tile.copy %r, %in : memref<4x256xf16, #tile.fragment>, memref<4x256xf16, #tile.shared>
        %out = tile.stage %s[%this] : memref<2x4x256xf16, #tile.shared> to memref<4x256xf16, #tile.shared>
        tile.parallel (%i, %j) in (4, 256) attributes {layout = #rows} {
          %v = memref.load %out[%i, %j] : memref<4x256xf16, #tile.shared>
          %w = arith.extf %v : f16 to f32
          %row = affine.apply affine_map<(k, i) -> (k * 4 + i)>(%k, %i)
          memref.store %w, %o[%row, %j] : memref<64x256xf32>
        }
      }
      // A copy back to a fragment of that layout, and a write.
      %in = tile.stage %s[%c0] : memref<2x4x256xf16, #tile.shared> to memref<4x256xf16, #tile.shared>
      tile.copy %in, %r : memref<4x256xf16, #tile.shared>, memref<4x256xf16, #tile.fragment>
      tile.parallel (%i, %j) in (4, 256) attributes {layout = #rows} {
        %v = memref.load %r[%i, %j] : memref<4x256xf16, #tile.fragment>
        memref.store %v, %in[%i, %j] : memref<4x256xf16, #tile.shared>
      }
    }
    return
  }
}

// -----

// Of other threads: another layout, another row, copies of elements, and half a byte.
#rows = #tile.layout<[4: 2 reg*4, 2 warp][256: 64 lane, 4 reg]>
#other = #tile.layout<[4: 2 reg*4, 2 warp][256: 2 reg*2, 64 lane, 2 reg]>
#copies = #tile.layout<[4: 4 reg*4][256: 64 lane, 4 reg] rep(2 warp)>
module attributes {tile.target = #tile.target<"gfx942">} {
  // CHECK-LABEL: func.func @others
  // CHECK: memref<4x256xf16, #tile.fragment>, memref<4x256xf16, #tile.shared>{{$}}
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.parallel
  // CHECK: memref<4x256xf16, #tile.fragment>, memref<4x256xf16, #tile.shared>{{$}}
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.parallel
  // CHECK: memref<4x256xf16, #tile.fragment>, memref<4x256xf16, #tile.shared>{{$}}
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.parallel
  // CHECK: memref<4x256xi4, #tile.fragment>, memref<4x256xi4, #tile.shared>{{$}}
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.parallel
  func.func @others(%o: memref<4x256xf16>, %p: memref<4x256xi4>) {
    tile.kernel (%b) in (1) threads(128) {
      %s = tile.alloc : memref<4x256xf16, #tile.shared>
      %t = tile.alloc : memref<4x256xf16, #tile.shared>
      %u = tile.alloc : memref<4x256xf16, #tile.shared>
      %c = tile.alloc : memref<4x256xi4, #tile.shared>
      %r = tile.alloc {layout = #rows} : memref<4x256xf16, #tile.fragment>
      %all = tile.alloc {layout = #copies} : memref<4x256xf16, #tile.fragment>
      %half = tile.alloc {layout = #rows} : memref<4x256xi4, #tile.fragment>
      tile.copy %o, %r : memref<4x256xf16>, memref<4x256xf16, #tile.fragment>
      tile.copy %o, %all : memref<4x256xf16>, memref<4x256xf16, #tile.fragment>
      tile.copy %p, %half : memref<4x256xi4>, memref<4x256xi4, #tile.fragment>
      tile.copy %r, %s : memref<4x256xf16, #tile.fragment>, memref<4x256xf16, #tile.shared>
      tile.parallel (%i, %j) in (4, 256) attributes {layout = #other} {
        %v = memref.load %s[%i, %j] : memref<4x256xf16, #tile.shared>
        memref.store %v, %o[%i, %j] : memref<4x256xf16>
      }
      tile.copy %r, %t : memref<4x256xf16, #tile.fragment>, memref<4x256xf16, #tile.shared>
      tile.parallel (%i, %j) in (4, 256) attributes {layout = #rows} {
        %k = affine.apply affine_map<(i) -> (3 - i)>(%i)
        %v = memref.load %t[%k, %j] : memref<4x256xf16, #tile.shared>
        memref.store %v, %r[%i, %j] : memref<4x256xf16, #tile.fragment>
      }
      tile.copy %all, %u : memref<4x256xf16, #tile.fragment>, memref<4x256xf16, #tile.shared>
      tile.parallel (%i, %j) in (4, 256) attributes {layout = #copies} {
        %v = memref.load %u[%i, %j] : memref<4x256xf16, #tile.shared>
        memref.store %v, %all[%i, %j] : memref<4x256xf16, #tile.fragment>
      }
      tile.copy %half, %c : memref<4x256xi4, #tile.fragment>, memref<4x256xi4, #tile.shared>
      tile.parallel (%i, %j) in (4, 256) attributes {layout = #rows} {
        %v = memref.load %c[%i, %j] : memref<4x256xi4, #tile.shared>
        memref.store %v, %half[%i, %j] : memref<4x256xi4, #tile.fragment>
      }
    }
    return
  }
}

// -----

// Instructions for matrices may copy, which move what other threads hold.
// CHECK-LABEL: func.func @matrices
// CHECK: tile.barrier
#rows = #tile.layout<[4: 2 reg*8, 2 warp][256: 2 reg*4, 32 lane, 4 reg]>
module attributes {tile.target = #tile.target<"sm_90a">} {
  func.func @matrices(%o: memref<4x256xf16>) {
    tile.kernel (%b) in (1) threads(64) {
      %s = tile.alloc : memref<4x256xf16, #tile.shared>
      %r = tile.alloc {layout = #rows} : memref<4x256xf16, #tile.fragment>
      tile.copy %o, %r : memref<4x256xf16>, memref<4x256xf16, #tile.fragment>
      tile.copy %r, %s : memref<4x256xf16, #tile.fragment>, memref<4x256xf16, #tile.shared>
      tile.parallel (%i, %j) in (4, 256) attributes {layout = #rows} {
        %v = memref.load %s[%i, %j] : memref<4x256xf16, #tile.shared>
        memref.store %v, %o[%i, %j] : memref<4x256xf16>
      }
    }
    return
  }
}

// -----

// A tile in the place of another one; then one that begins elsewhere.
// CHECK-LABEL: func.func @places
// CHECK-NOT: tile.barrier
// CHECK: tile.parallel
// CHECK-NOT: tile.barrier
// CHECK: tile.parallel
// CHECK: tile.barrier
// CHECK-NEXT: tile.copy
#rows = #tile.layout<[4: 2 reg*4, 2 warp][256: 64 lane, 4 reg]>
#memory = #tile.layout<[4: 4 offset*256][256: 256 offset]>
module attributes {tile.target = #tile.target<"gfx942">} {
  func.func @places(%o: memref<4x256xf16>) {
    tile.kernel (%b) in (1) threads(128) {
      %s = tile.alloc {layout = #memory, offset = 0} : memref<4x256xf16, #tile.shared>
      %t = tile.alloc {layout = #memory, offset = 0} : memref<4x256xf16, #tile.shared>
      %u = tile.alloc {layout = #memory, offset = 512} : memref<4x256xf16, #tile.shared>
      %r = tile.alloc {layout = #rows} : memref<4x256xf16, #tile.fragment>
      tile.copy %o, %r : memref<4x256xf16>, memref<4x256xf16, #tile.fragment>
      tile.copy %r, %s : memref<4x256xf16, #tile.fragment>, memref<4x256xf16, #tile.shared>
      tile.parallel (%i, %j) in (4, 256) attributes {layout = #rows} {
        %v = memref.load %s[%i, %j] : memref<4x256xf16, #tile.shared>
        %w = arith.addf %v, %v : f16
        memref.store %w, %r[%i, %j] : memref<4x256xf16, #tile.fragment>
      }
      tile.copy %r, %t : memref<4x256xf16, #tile.fragment>, memref<4x256xf16, #tile.shared>
      tile.parallel (%i, %j) in (4, 256) attributes {layout = #rows} {
        %v = memref.load %t[%i, %j] : memref<4x256xf16, #tile.shared>
        memref.store %v, %r[%i, %j] : memref<4x256xf16, #tile.fragment>
      }
      tile.copy %r, %u : memref<4x256xf16, #tile.fragment>, memref<4x256xf16, #tile.shared>
    }
    return
  }
}

// -----

// Of an asynchronous copy, each thread waits for its own vectors of 16 bytes: before a loop, and a copy to registers that no
// instruction for matrices makes.
#row = #tile.layout<[2: 2 reg*16][1024: 2 reg*8, 2 warp, 32 lane, 8 reg]>
#memory = #tile.layout<[2: 2 offset*1024][1024: 1024 offset]>
#halves = #tile.layout<[2: 2 reg*16][1024: 4 reg*4, 2 warp, 32 lane, 4 reg]>
#words = #tile.layout<[2: 2 reg*16][1024: 8 reg*2, 2 warp, 32 lane, 2 reg]>
module attributes {tile.target = #tile.target<"sm_90a">} {
  // CHECK-LABEL: func.func @own_copies
  // CHECK: instruction = #tile.transfer<cp_async, bytes = 16>
  // CHECK-NEXT: tile.async_commit
  // CHECK-NEXT: tile.async_wait pending(0)
  // CHECK-NEXT: tile.parallel
  // CHECK-NOT: tile.barrier
  // Another layout has others' elements.
  // CHECK: tile.barrier
  // CHECK-NEXT: tile.parallel
  // CHECK-NOT: tile.barrier
  // CHECK: return
  func.func @own_copies(%a: memref<2x1024xbf16>, %o: memref<2x1024xbf16>) {
    tile.kernel (%b) in (1) threads(64) {
      %s = tile.alloc {layout = #memory} : memref<2x1024xbf16, #tile.shared>
      %f = tile.alloc {layout = #row} : memref<2x1024xbf16, #tile.fragment>
      tile.copy %a, %s {instruction = #tile.transfer<cp_async, bytes = 16>} : memref<2x1024xbf16>, memref<2x1024xbf16, #tile.shared>
      tile.parallel (%i, %j) in (2, 1024) attributes {layout = #row} {
        %v = memref.load %s[%i, %j] : memref<2x1024xbf16, #tile.shared>
        memref.store %v, %o[%i, %j] : memref<2x1024xbf16>
      }
      tile.copy %s, %f : memref<2x1024xbf16, #tile.shared>, memref<2x1024xbf16, #tile.fragment>
      tile.parallel (%i, %j) in (2, 1024) attributes {layout = #halves} {
        %v = memref.load %s[%i, %j] : memref<2x1024xbf16, #tile.shared>
        memref.store %v, %o[%i, %j] : memref<2x1024xbf16>
      }
    }
    return
  }
  // Vectors that may be narrower at run time, a fragment of words as instructions for matrices make them, and elements of others.
  // CHECK-LABEL: func.func @others_copies
  // CHECK: bytes = 8
  // CHECK: tile.async_wait pending(0)
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.parallel
  // CHECK: bytes = 16
  // CHECK: tile.async_wait pending(0)
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.copy
  // CHECK: bytes = 16
  // CHECK: tile.async_wait pending(0)
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.parallel
  func.func @others_copies(%a: memref<2x1024xbf16>, %o: memref<2x1024xbf16>) {
    tile.kernel (%b) in (1) threads(64) {
      %s = tile.alloc {layout = #memory} : memref<2x1024xbf16, #tile.shared>
      tile.copy %a, %s {instruction = #tile.transfer<cp_async, bytes = 8>} : memref<2x1024xbf16>, memref<2x1024xbf16, #tile.shared>
      tile.parallel (%i, %j) in (2, 1024) attributes {layout = #row} {
        %v = memref.load %s[%i, %j] : memref<2x1024xbf16, #tile.shared>
        memref.store %v, %o[%i, %j] : memref<2x1024xbf16>
      }
    }
    tile.kernel (%b) in (1) threads(64) {
      %s = tile.alloc {layout = #memory} : memref<2x1024xbf16, #tile.shared>
      %f = tile.alloc {layout = #words} : memref<2x1024xbf16, #tile.fragment>
      tile.copy %a, %s {instruction = #tile.transfer<cp_async, bytes = 16>} : memref<2x1024xbf16>, memref<2x1024xbf16, #tile.shared>
      tile.copy %s, %f : memref<2x1024xbf16, #tile.shared>, memref<2x1024xbf16, #tile.fragment>
    }
    tile.kernel (%b) in (1) threads(64) {
      %s = tile.alloc {layout = #memory} : memref<2x1024xbf16, #tile.shared>
      tile.copy %a, %s {instruction = #tile.transfer<cp_async, bytes = 16>} : memref<2x1024xbf16>, memref<2x1024xbf16, #tile.shared>
      tile.parallel (%i, %j) in (2, 1024) attributes {layout = #row} {
        %last = affine.apply affine_map<(j) -> (1023 - j)>(%j)
        %v = memref.load %s[%i, %last] : memref<2x1024xbf16, #tile.shared>
        memref.store %v, %o[%i, %j] : memref<2x1024xbf16>
      }
    }
    return
  }
}
