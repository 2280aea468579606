// Rows that begin anywhere are loaded and stored in aligned vectors all the same, shifted together, and end where they end: rows
// of odd lengths, longer and shorter than a tile, of each width of elements; parts of rows; tensors without elements.

// REQUIRES: nvidia, amd, tile-run
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model --no-notes | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model --no-notes | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx1100 --device=model --no-notes | FileCheck %s
// RUN: tile-translate %s --tile-to-ptx --chip=sm_90a --gpu-function=halves --notes=false | FileCheck %s --check-prefix=PTX

// CHECK: 45 passed, 0 failed

// PTX: shfl.sync.down.b32
// PTX: st.global.v4.b32

!halves = memref<?x?xf16>
func.func @halves(%x: !halves {tile.shape = "MxN"}, %y: !halves {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @same_halves, tile.cases = ["M=9 N=1023", "M=9 N=1025", "M=8 N=1022", "M=5 N=1024",
      "M=3 N=2049", "M=6 N=9", "M=5 N=1", "M=1 N=1", "M=0 N=7", "M=4 N=0", "M=64 N=31"]} {
  tile.kernel (%i, %j) in (ceildiv(dim(%x, 0), 4), ceildiv(dim(%x, 1), 1024)) threads(128) {
    %t = tile.alloc : memref<4x1024xf16, #tile.fragment>
    tile.copy %x[%i * 4, %j * 1024], %t
    tile.copy %t, %y[%i * 4, %j * 1024]
  }
  return
}
func.func private @same_halves(%x: !halves, %y: !halves) {
  memref.copy %x, %y : !halves to !halves
  return
}

// Lanes of more than one row, padding that is not 0, and a conversion on the way out.
!floats = memref<?x?xf32>
func.func @floats(%x: !floats {tile.shape = "MxN"}, %y: !halves {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @narrow_floats, tile.atol = 0.0, tile.rtol = 0.0,
      tile.cases = ["M=33 N=63", "M=33 N=65", "M=16 N=66", "M=17 N=5", "M=1 N=1", "M=2 N=257", "M=0 N=1"]} {
  tile.kernel (%i, %j) in (ceildiv(dim(%x, 0), 16), ceildiv(dim(%x, 1), 64)) threads(128) {
    tile.padding_value %x, -inf
    %t = tile.alloc : memref<16x64xf32, #tile.fragment>
    tile.copy %x[%i * 16, %j * 64], %t
    tile.copy %t, %y[%i * 16, %j * 64]
  }
  return
}
func.func private @narrow_floats(%x: !floats, %y: !halves) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : !floats
  %n = memref.dim %x, %c1 : !floats
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %v = affine.load %x[%i, %j] : !floats
      %w = arith.truncf %v : f32 to f16
      affine.store %w, %y[%i, %j] : !halves
    }
  }
  return
}

// Through shared memory, from the middle of rows.
!bytes = memref<?x?xi8>
func.func @bytes(%x: !bytes {tile.shape = "MxN"}, %from: index {tile.shape = "F"}, %y: !bytes {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @moved_bytes, tile.cases = ["M=9 N=511 F=0", "M=9 N=513 F=3", "M=8 N=100 F=99",
      "M=5 N=2000 F=1000", "M=3 N=77 F=77", "M=1 N=1 F=0", "M=4 N=640 F=64", "M=4 N=640 F=5"]} {
  tile.kernel (%i, %j) in (ceildiv(dim(%x, 0), 8), ceildiv(dim(%x, 1), 256)) threads(128) {
    %s = tile.alloc : memref<8x256xi8, #tile.shared>
    %at = affine.apply affine_map<(j)[f] -> (j * 256 + f)>(%j)[%from]
    tile.copy %x[%i * 8, %at], %s
    tile.copy %s, %y[%i * 8, %j * 256]
  }
  return
}
func.func private @moved_bytes(%x: !bytes, %from: index, %y: !bytes) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : !bytes
  %n = memref.dim %x, %c1 : !bytes
  %zero = arith.constant 0 : i8
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %at = arith.addi %j, %from : index
      %inside = arith.cmpi slt, %at, %n : index
      %v = scf.if %inside -> i8 {
        %w = memref.load %x[%i, %at] : !bytes
        scf.yield %w : i8
      } else {
        scf.yield %zero : i8
      }
      affine.store %v, %y[%i, %j] : !bytes
    }
  }
  return
}

// Rows farther apart than they are long, by a number that is no multiple of a vector.
!dense = memref<8x255xbf16>
func.func @apart(%x: memref<8x301xbf16>, %n: index {tile.shape = "N"}, %y: !dense {tile.result})
    attributes {tile.reference = @same_rows, tile.cases = ["N=0"]} {
  tile.kernel (%b) in (1) threads(128) {
    %t = tile.alloc : memref<8x256xbf16, #tile.fragment>
    tile.copy %x[0, 7] [8, 256], %t
    tile.copy %t[0, 0] [8, 255], %y
  }
  return
}
func.func private @same_rows(%x: memref<8x301xbf16>, %n: index, %y: !dense) {
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 255 {
      %v = affine.load %x[%i, %j + 7] : memref<8x301xbf16>
      affine.store %v, %y[%i, %j] : !dense
    }
  }
  return
}

// Tiles of more vectors than a thread has under way, with padding of more than one element in a word, beyond both ends of rows.
func.func @tall(%x: !halves {tile.shape = "MxN"}, %y: !halves {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @moved_halves, tile.cases = ["M=64 N=127", "M=65 N=129", "M=63 N=125", "M=130 N=257", "M=1 N=3",
      "M=2 N=131", "M=64 N=1", "M=0 N=9", "M=70 N=7"]} {
  tile.kernel (%i, %j) in (ceildiv(dim(%x, 0), 64), ceildiv(dim(%x, 1), 128)) threads(128) {
    tile.padding_value %x, 1.5
    %s = tile.alloc : memref<64x128xf16, #tile.shared>
    tile.copy %x[%i * 64 - 1, %j * 128 - 3], %s
    tile.copy %s, %y[%i * 64, %j * 128]
  }
  return
}
func.func private @moved_halves(%x: !halves, %y: !halves) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : !halves
  %n = memref.dim %x, %c1 : !halves
  %padding = arith.constant 1.5 : f16
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %v = affine.if affine_set<(i, j) : (i - 1 >= 0, j - 3 >= 0)>(%i, %j) -> f16 {
        %w = affine.load %x[%i - 1, %j - 3] : !halves
        affine.yield %w : f16
      } else {
        affine.yield %padding : f16
      }
      affine.store %v, %y[%i, %j] : !halves
    }
  }
  return
}

// The same of bytes, four of which are a word.
func.func @tall_bytes(%x: !bytes {tile.shape = "MxN"}, %y: !bytes {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @behind_bytes, tile.cases = ["M=64 N=255", "M=65 N=257", "M=63 N=253", "M=130 N=513", "M=1 N=3",
      "M=2 N=259", "M=64 N=1", "M=0 N=9", "M=70 N=7"]} {
  tile.kernel (%i, %j) in (ceildiv(dim(%x, 0), 64), ceildiv(dim(%x, 1), 256)) threads(128) {
    tile.padding_value %x, 77
    %s = tile.alloc : memref<64x256xi8, #tile.shared>
    tile.copy %x[%i * 64, %j * 256 + 5], %s
    tile.copy %s, %y[%i * 64, %j * 256]
  }
  return
}
func.func private @behind_bytes(%x: !bytes, %y: !bytes) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : !bytes
  %n = memref.dim %x, %c1 : !bytes
  %padding = arith.constant 77 : i8
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %v = affine.if affine_set<(j)[n] : (n - j - 6 >= 0)>(%j)[%n] -> i8 {
        %w = affine.load %x[%i, %j + 5] : !bytes
        affine.yield %w : i8
      } else {
        affine.yield %padding : i8
      }
      affine.store %v, %y[%i, %j] : !bytes
    }
  }
  return
}
