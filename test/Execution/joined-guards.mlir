// Rows that a program reads on a condition, from a buffer that ends within them: the branch of the program and the guard of the read
// are one.

// REQUIRES: tile-run, nvidia
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// CHECK: {{^}}4 passed, 0 failed{{$}}

func.func @rows(%x: memref<?x64xf16> {tile.shape = "Nx64"}, %bounds: memref<2xi64> {tile.init = "integers(-30,60)"},
    %y: memref<?x64xf16> {tile.shape = "Mx64", tile.result})
    attributes {tile.reference = @rows_reference, tile.cases = ["N=50 M=64", "N=1 M=96", "N=20 M=33", "N=90 M=64"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %y, %c0 : memref<?x64xf16>
  tile.kernel (%b) in (ceildiv(%m, 32)) threads(128) {
    %end = memref.load %bounds[%c0] : memref<2xi64>
    %from = memref.load %bounds[%c1] : memref<2xi64>
    %first = arith.index_cast %from : i64 to index
    %stop = arith.index_cast %end : i64 to index
    %t = tile.alloc : memref<32x64xf16, #tile.shared>
    tile.parallel (%i, %j) in (32, 64) {
      %in = arith.cmpi slt, %i, %stop : index
      %v = scf.if %in -> (f16) {
        %row = affine.apply affine_map<(i, b, f) -> (i + b * 32 + f)>(%i, %b, %first)
        %read = memref.load %x[%row, %j] : memref<?x64xf16>
        scf.yield %read : f16
      } else {
        %zero = arith.constant 0.0 : f16
        scf.yield %zero : f16
      }
      memref.store %v, %t[%i, %j] : memref<32x64xf16, #tile.shared>
    }
    tile.copy %t, %y[%b * 32, 0] : memref<32x64xf16, #tile.shared>, memref<?x64xf16>
  }
  return
}

func.func @rows_reference(%x: memref<?x64xf16>, %bounds: memref<2xi64>, %y: memref<?x64xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0.0 : f16
  %end = memref.load %bounds[%c0] : memref<2xi64>
  %from = memref.load %bounds[%c1] : memref<2xi64>
  %first = arith.index_cast %from : i64 to index
  %stop = arith.index_cast %end : i64 to index
  %n = memref.dim %x, %c0 : memref<?x64xf16>
  %m = memref.dim %y, %c0 : memref<?x64xf16>
  affine.for %i = 0 to %m {
    %r = arith.remui %i, %c32 : index
    %in = arith.cmpi slt, %r, %stop : index
    %row = arith.addi %i, %first : index
    %exists = arith.cmpi ult, %row, %n : index
    %both = arith.andi %in, %exists : i1
    affine.for %j = 0 to 64 {
      %v = scf.if %both -> f16 {
        %read = memref.load %x[%row, %j] : memref<?x64xf16>
        scf.yield %read : f16
      } else {
        scf.yield %zero : f16
      }
      memref.store %v, %y[%i, %j] : memref<?x64xf16>
    }
  }
  return
}
