// RUN: tile-opt %s --split-input-file --tile-verify-semantics --verify-diagnostics

func.func @constant(%x: memref<64xf32>, %v: f32) {
  %c128 = arith.constant 128 : index
  %cm1 = arith.constant -1 : index
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<64x128xf32, #tile.shared>
    %l = tile.alloc : memref<4xf32, #tile.local>
    tile.parallel (%i) in (64) {
      // expected-error @below {{index 128 exceeds dimension 1 of the buffer (128)}}
      memref.store %v, %s[%i, %c128] : memref<64x128xf32, #tile.shared>
      // expected-error @below {{index -1 falls below dimension 0 of the buffer (4)}}
      memref.store %v, %l[%cm1] : memref<4xf32, #tile.local>
      // Global buffers may be left.
      %a = memref.load %x[%c128] : memref<64xf32>
    }
  }
  return
}

// -----

func.func @iterations(%v: f32) {
  %c60 = arith.constant 60 : index
  tile.kernel (%b) in (4) {
    %s = tile.alloc : memref<64xf32, #tile.fragment>
    tile.parallel (%i) in (65) {
      // expected-error @below {{index 64 exceeds dimension 0 of the buffer (64)}}
      memref.store %v, %s[%i] : memref<64xf32, #tile.fragment>
    }
    tile.parallel (%i) in (64) {
      %p = affine.apply affine_map<(i) -> (i - 1)>(%i)
      // expected-error @below {{index -1 falls below dimension 0 of the buffer (64)}}
      %a = memref.load %s[%p] : memref<64xf32, #tile.fragment>
    }
    tile.parallel (%i) in (16) {
      %p = affine.apply affine_map<(i, b) -> (i * 4 + b)>(%i, %b)
      // expected-error @below {{region of size 4 at offset 61 exceeds dimension 0 of the buffer (64)}}
      %a = vector.load %s[%p] : memref<64xf32, #tile.fragment>, vector<4xf32>
    }
    // A guard that holds it back, and one that does not suffice.
    tile.parallel (%i) in (128) {
      %ok = arith.cmpi slt, %i, %c60 : index
      scf.if %ok {
        %held = memref.load %s[%i] : memref<64xf32, #tile.fragment>
        %p = affine.apply affine_map<(i) -> (i + 5)>(%i)
        // expected-error @below {{index 64 exceeds dimension 0 of the buffer (64)}}
        %a = memref.load %s[%p] : memref<64xf32, #tile.fragment>
      }
    }
  }
  return
}

// -----

func.func @tile_ops(%x: memref<1024x64xf32>) {
  tile.kernel (%b) in (8) {
    %s = tile.alloc : memref<128x64xf32, #tile.shared>
    %t = tile.alloc : memref<32x64xf32, #tile.fragment>
    tile.pipelined %k = 0 to 4 {
      tile.copy %s[%k * 32, 0], %t : memref<128x64xf32, #tile.shared>, memref<32x64xf32, #tile.fragment>
    }
    tile.pipelined %k = 0 to 5 {
      // expected-error @below {{region of size 32 at offset 128 exceeds dimension 0 of the buffer (128)}}
      tile.copy %s[%k * 32, 0], %t : memref<128x64xf32, #tile.shared>, memref<32x64xf32, #tile.fragment>
    }
    tile.pipelined %k = 0 to 4 {
      // expected-error @below {{region of size 32 at offset -32 falls below dimension 0 of the buffer (128)}}
      tile.copy %t, %s[%k * 32 - 32, 0] : memref<32x64xf32, #tile.fragment>, memref<128x64xf32, #tile.shared>
    }
    tile.copy %x[%b * 1024, 0], %s : memref<1024x64xf32>, memref<128x64xf32, #tile.shared>
  }
  return
}

// -----

// What data or callers decide is not proven, unless no choice of theirs helps.
func.func @unknown(%flag: i1, %n: index, %idx: memref<64xindex>, %v: f32) {
  %c0 = arith.constant 0 : index
  tile.kernel (%b) in (1) {
    %s = tile.alloc : memref<64xf32, #tile.shared>
    tile.parallel (%i) in (%n) {
      memref.store %v, %s[%i] : memref<64xf32, #tile.shared>
    }
    tile.parallel (%i) in (65) {
      scf.if %flag {
        memref.store %v, %s[%i] : memref<64xf32, #tile.shared>
        %p = affine.apply affine_map<(i) -> (i + 64)>(%i)
        // expected-error @below {{index 64 exceeds dimension 0 of the buffer (64)}}
        memref.store %v, %s[%p] : memref<64xf32, #tile.shared>
      }
    }
    tile.parallel (%i) in (64) {
      %p = memref.load %idx[%i] : memref<64xindex>
      %a = memref.load %s[%p] : memref<64xf32, #tile.shared>
    }
  }
  return
}
