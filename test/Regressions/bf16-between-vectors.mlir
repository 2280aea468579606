// Numbers of bf16 that are chosen and then stored one by one were moved by calls of __truncsfbf2, which a JIT and libgcc 12 do not
// have: "the code cannot be loaded".
//
// REQUIRES: tile-run, tile-translate
// RUN: tile-run --no-notes %s | FileCheck %s --check-prefix=RIGHT
// RUN: tile-translate --tile-to-asm --cpu=x86-64-v4 %s | FileCheck %s
// RUN: tile-translate --tile-to-asm --cpu=x86-64 %s | FileCheck %s
// RIGHT: 3 passed, 0 failed
// CHECK-LABEL: sums:
// CHECK-NOT: truncsfbf2

func.func @sums(%x: memref<?x4xbf16> {tile.shape = "Mx4"}, %y: memref<?x4xbf16> {tile.result, tile.shape = "Mx4"})
    attributes {tile.reference = @sums_reference, tile.cases = ["M=64", "M=130", "M=1"]} {
  %zero = arith.constant 0 : index
  %m = memref.dim %x, %zero : memref<?x4xbf16>
  %rows = affine.apply affine_map<()[n] -> (n ceildiv 64)>()[%m]
  tile.kernel (%b) in (%rows) {
    %t = tile.alloc : memref<64x4xbf16, #tile.fragment>
    %sum = tile.alloc : memref<4xbf16, #tile.fragment>
    tile.copy %x[%b * 64, 0], %t : memref<?x4xbf16>, memref<64x4xbf16, #tile.fragment>
    tile.reduce max %t, %sum dim(0) : memref<64x4xbf16, #tile.fragment>, memref<4xbf16, #tile.fragment>
    tile.parallel (%i, %j) in (64, 4) {
      %v = memref.load %sum[%j] : memref<4xbf16, #tile.fragment>
      %w = arith.extf %v : bf16 to f32
      %low = arith.constant -0.5 : f32
      %c = arith.maximumf %w, %low : f32
      %three = arith.constant 3 : index
      %some = arith.cmpi ult, %j, %three : index
      scf.if %some {
        %r = arith.truncf %c : f32 to bf16
        memref.store %r, %t[%i, %j] : memref<64x4xbf16, #tile.fragment>
      }
    }
    tile.copy %t, %y[%b * 64, 0] : memref<64x4xbf16, #tile.fragment>, memref<?x4xbf16>
  }
  return
}

func.func private @sums_reference(%x: memref<?x4xbf16>, %y: memref<?x4xbf16>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : index
  %four = arith.constant 4 : index
  %size = arith.constant 64 : index
  %low = arith.constant -0.5 : bf16
  %nothing = arith.constant 0.0 : bf16
  %m = memref.dim %x, %zero : memref<?x4xbf16>
  scf.for %j = %zero to %four step %one {
    scf.for %b = %zero to %m step %size {
      %next = arith.addi %b, %size : index
      %end = arith.minui %next, %m : index
      // Rows behind the end count as 0.
      %whole = arith.cmpi ule, %next, %m : index
      %start = arith.select %whole, %low, %nothing : bf16
      %most = scf.for %i = %b to %end step %one iter_args(%a = %start) -> bf16 {
        %v = memref.load %x[%i, %j] : memref<?x4xbf16>
        %r = arith.maximumf %a, %v : bf16
        scf.yield %r : bf16
      }
      scf.for %i = %b to %end step %one {
        %some = arith.cmpi ult, %j, %three : index
        %v = memref.load %x[%i, %j] : memref<?x4xbf16>
        %r = arith.select %some, %most, %v : bf16
        memref.store %r, %y[%i, %j] : memref<?x4xbf16>
      }
    }
  }
  return
}
