// REQUIRES: tile-run
// RUN: tile-run --target=ascend %s | FileCheck %s
// RUN: tile-run --target=ascend --chip=950 %s | FileCheck %s

// Copies into parts of tiles on the Ascend model: what is beside the part stays. And integers of 8 and 16 bits.

// CHECK-NOT: FAIL
// CHECK: {{^}}11 passed, 0 failed

// The columns that a copy leaves are those of the iteration before.
func.func @kept(%x: memref<16x?xf16> {tile.shape = "16xN"}, %y: memref<16x?xf16> {tile.shape = "16xN", tile.result})
    attributes {tile.reference = @kept_reference, tile.atol = 0.0, tile.cases = ["N=64", "N=128", "N=256"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %three = arith.constant 3.0 : f16
  %n = memref.dim %x, %c1 : memref<16x?xf16>
  %steps = affine.apply affine_map<(n) -> (n ceildiv 64)>(%n)
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<16x64xf16, #tile.shared>
    tile.pipelined %s = 0 to %steps stages(2) {
      %is_first = arith.cmpi eq, %s, %c0 : index
      scf.if %is_first {
        tile.fill %t, %three : memref<16x64xf16, #tile.shared>
      }
      tile.copy %x[0, %s * 64] [16, 56], %t[0, 0] [16, 56] : memref<16x?xf16>, memref<16x64xf16, #tile.shared>
      tile.copy %t, %y[0, %s * 64] : memref<16x64xf16, #tile.shared>, memref<16x?xf16>
    }
  }
  return
}

func.func @kept_reference(%x: memref<16x?xf16>, %y: memref<16x?xf16>) {
  %c1 = arith.constant 1 : index
  %three = arith.constant 3.0 : f16
  %n = memref.dim %x, %c1 : memref<16x?xf16>
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to %n {
      affine.store %three, %y[%i, %j] : memref<16x?xf16>
    }
    affine.for %s = 0 to affine_map<(n) -> (n ceildiv 64)>(%n) {
      affine.for %j = 0 to 56 {
        %v = affine.load %x[%i, %s * 64 + %j] : memref<16x?xf16>
        affine.store %v, %y[%i, %s * 64 + %j] : memref<16x?xf16>
      }
    }
  }
  return
}

!short = memref<?xi16>
!float = memref<?xf32>

func.func @widen(%x: !short {tile.shape = "N", tile.init = "integers(-32768,32767)"}, %y: !float {tile.shape = "N", tile.result})
    attributes {tile.reference = @widen_reference, tile.atol = 0.0, tile.cases = ["N=64", "N=77"]} {
  tile.kernel (%b) in (2) {
    %s = tile.alloc : memref<64xi16, #tile.shared>
    %t = tile.alloc : memref<64xf32, #tile.shared>
    tile.copy %x[%b * 64], %s : !short, memref<64xi16, #tile.shared>
    tile.parallel (%i) in (64) {
      %u = memref.load %s[%i] : memref<64xi16, #tile.shared>
      %v = arith.sitofp %u : i16 to f32
      memref.store %v, %t[%i] : memref<64xf32, #tile.shared>
    }
    tile.copy %t, %y[%b * 64] : memref<64xf32, #tile.shared>, !float
  }
  return
}

func.func @widen_reference(%x: !short, %y: !float) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : !short
  affine.for %i = 0 to %n {
    %u = affine.load %x[%i] : !short
    %v = arith.sitofp %u : i16 to f32
    affine.store %v, %y[%i] : !float
  }
  return
}

// A row that ends inside of a block, of a tile of one dimension, behind its begin.
func.func @line(%x: !float {tile.shape = "N"}, %y: memref<48xf32> {tile.result})
    attributes {tile.reference = @line_reference, tile.atol = 0.0, tile.cases = ["N=2", "N=5", "N=60"]} {
  %one = arith.constant 1.0 : f32
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<48xf32, #tile.shared>
    tile.fill %t, %one : memref<48xf32, #tile.shared>
    tile.copy %x[0] [5], %t[16] [5] : !float, memref<48xf32, #tile.shared>
    tile.copy %t, %y : memref<48xf32, #tile.shared>, memref<48xf32>
  }
  return
}

func.func @line_reference(%x: !float, %y: memref<48xf32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : !float
  affine.for %i = 0 to 48 {
    affine.store %one, %y[%i] : memref<48xf32>
  }
  affine.for %i = 0 to 5 {
    affine.store %zero, %y[%i + 16] : memref<48xf32>
  }
  affine.for %i = 0 to min affine_map<(n) -> (n, 5)>(%n) {
    %v = affine.load %x[%i] : !float
    affine.store %v, %y[%i + 16] : memref<48xf32>
  }
  return
}

// Tails of bytes, for which the vector unit has no instruction that fills.
func.func @bytes(%x: memref<?x?xi8> {tile.shape = "MxN", tile.init = "integers(-128,127)"},
    %y: memref<?x?xi8> {tile.shape = "MxN", tile.result}, %z: memref<16x48xi8> {tile.result})
    attributes {tile.reference = @bytes_reference, tile.atol = 0.0, tile.cases = ["M=16 N=48", "M=33 N=50", "M=1 N=1"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %low = arith.constant -128 : i8
  %m = memref.dim %x, %c0 : memref<?x?xi8>
  %n = memref.dim %x, %c1 : memref<?x?xi8>
  %rows = affine.apply affine_map<(n) -> (n ceildiv 16)>(%m)
  %columns = affine.apply affine_map<(n) -> (n ceildiv 48)>(%n)
  tile.kernel (%bx, %by) in (%columns, %rows) {
    %t = tile.alloc : memref<16x48xi8, #tile.shared>
    tile.copy %x[%by * 16, %bx * 48], %t : memref<?x?xi8>, memref<16x48xi8, #tile.shared>
    tile.copy %t, %y[%by * 16, %bx * 48] : memref<16x48xi8, #tile.shared>, memref<?x?xi8>
  }
  tile.kernel (%b) in (1) {
    tile.padding_value %x, %low : memref<?x?xi8>
    %t = tile.alloc : memref<16x48xi8, #tile.shared>
    tile.fill %t, %low : memref<16x48xi8, #tile.shared>
    tile.copy %x[0, 0], %t : memref<?x?xi8>, memref<16x48xi8, #tile.shared>
    tile.copy %t, %z : memref<16x48xi8, #tile.shared>, memref<16x48xi8>
  }
  return
}

func.func @bytes_reference(%x: memref<?x?xi8>, %y: memref<?x?xi8>, %z: memref<16x48xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %low = arith.constant -128 : i8
  %m = memref.dim %x, %c0 : memref<?x?xi8>
  %n = memref.dim %x, %c1 : memref<?x?xi8>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %v = affine.load %x[%i, %j] : memref<?x?xi8>
      affine.store %v, %y[%i, %j] : memref<?x?xi8>
    }
  }
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 48 {
      affine.store %low, %z[%i, %j] : memref<16x48xi8>
    }
  }
  affine.for %i = 0 to min affine_map<(m) -> (m, 16)>(%m) {
    affine.for %j = 0 to min affine_map<(n) -> (n, 48)>(%n) {
      %v = affine.load %x[%i, %j] : memref<?x?xi8>
      affine.store %v, %z[%i, %j] : memref<16x48xi8>
    }
  }
  return
}
