// Rows of which a tile begins before the first element: what is in bounds comes from aligned vectors, shifted, the rest is padding.
// The vector of a thread may begin outside and end inside, or hold a whole row.

// REQUIRES: nvidia, amd, ascend, tile-run
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=910B | FileCheck %s
// CHECK: {{^}}14 passed, 0 failed{{$}}

!floats = memref<?x?xf32>
func.func @to_shared(%x: !floats {tile.shape = "HxW"}, %y: !floats {tile.shape = "H + 3xW + 3", tile.result})
    attributes {tile.reference = @framed_floats, tile.cases = ["H=25 W=61", "H=33 W=33", "H=9 W=2", "H=17 W=1", "H=12 W=64",
      "H=1 W=1", "H=0 W=5"]} {
  tile.kernel (%bx, %by) in (ceildiv(dim(%y, 1), 32), ceildiv(dim(%y, 0), 8)) threads(64) {
    tile.padding_value %x, -1.0
    %s = tile.alloc : memref<8x32xf32, #tile.shared>
    tile.copy %x[%by * 8 - 3, %bx * 32 - 3], %s
    tile.copy %s, %y[%by * 8, %bx * 32]
  }
  return
}
func.func private @framed_floats(%x: !floats, %y: !floats) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %h = memref.dim %x, %c0 : !floats
  %w = memref.dim %x, %c1 : !floats
  %pad = arith.constant -1.0 : f32
  affine.for %i = 0 to affine_map<(h) -> (h + 3)>(%h) {
    affine.for %j = 0 to affine_map<(w) -> (w + 3)>(%w) {
      affine.store %pad, %y[%i, %j] : !floats
    }
  }
  affine.for %i = 0 to %h {
    affine.for %j = 0 to %w {
      %v = affine.load %x[%i, %j] : !floats
      affine.store %v, %y[%i + 3, %j + 3] : !floats
    }
  }
  return
}

// Into registers, by an offset that nobody knows.
!halves = memref<?x?xf16>
func.func @to_registers(%x: !halves {tile.shape = "HxW"}, %before: index {tile.shape = "B"}, %y: !halves {tile.shape = "HxW", tile.result})
    attributes {tile.reference = @moved_halves, tile.cases = ["H=9 W=131 B=5", "H=9 W=130 B=7", "H=3 W=1 B=0", "H=5 W=40 B=8",
      "H=17 W=7 B=3", "H=2 W=3 B=6", "H=4 W=0 B=1"]} {
  tile.assume %before <= 8
  tile.assume %before >= 0
  tile.kernel (%bx, %by) in (ceildiv(dim(%x, 1), 64), ceildiv(dim(%x, 0), 8)) threads(64) {
    %t = tile.alloc : memref<8x64xf16, #tile.fragment>
    tile.copy %x[%by * 8, %bx * 64 - %before], %t
    tile.copy %t, %y[%by * 8, %bx * 64]
  }
  return
}
func.func private @moved_halves(%x: !halves, %before: index, %y: !halves) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %h = memref.dim %x, %c0 : !halves
  %w = memref.dim %x, %c1 : !halves
  %zero = arith.constant 0.0 : f16
  affine.for %i = 0 to %h {
    affine.for %j = 0 to %w {
      %at = arith.subi %j, %before : index
      %inside = arith.cmpi sge, %at, %c0 : index
      %v = scf.if %inside -> f16 {
        %u = memref.load %x[%i, %at] : !halves
        scf.yield %u : f16
      } else {
        scf.yield %zero : f16
      }
      affine.store %v, %y[%i, %j] : !halves
    }
  }
  return
}
