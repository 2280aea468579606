// Tensor copies begin at a multiple of 16 bytes of a row: an H200 calls others an illegal instruction. So a region that begins
// elsewhere, or where nobody knows, is copied in another way, and past the end of the rows as well.

// REQUIRES: nvidia, tile-run
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model --no-notes | FileCheck %s
// RUN: tile-translate %s --tile-to-ptx --chip=sm_90a --gpu-function=aligned --notes=false | FileCheck %s --check-prefix=TENSOR
// RUN: tile-translate %s --tile-to-ptx --chip=sm_90a --gpu-function=odd --notes=false | FileCheck %s --check-prefix=OTHER
// RUN: tile-translate %s --tile-to-ptx --chip=sm_90a --gpu-function=unknown --notes=false | FileCheck %s --check-prefix=OTHER

// CHECK: 9 passed, 0 failed
// TENSOR: cp.async.bulk.tensor.2d
// OTHER-NOT: cp.async.bulk.tensor

!x = memref<48x128xbf16>
!y = memref<32x8xf32>

func.func @aligned(%n: index {tile.shape = "N"}, %x: !x {tile.init = "integers(-2,2)"}, %y: !y {tile.result})
    attributes {tile.reference = @sum, tile.cases = ["N=0", "N=8", "N=120", "N=136"]} {
  %at = affine.apply affine_map<()[n] -> (n floordiv 8 * 8)>()[%n]
  tile.kernel (%b) in (1) threads(128) {
    %a = tile.alloc : memref<32x16xbf16, #tile.shared>
    %t = tile.alloc : memref<16x8xbf16, #tile.shared>
    %acc = tile.alloc : memref<32x8xf32, #tile.fragment>
    tile.fill %a, 1.0
    tile.fill %acc, 0.0
    tile.pipelined %s = 0 to 3 stages(2) {
      tile.copy %x[%s * 16, %at], %t
      tile.gemm %a, %t, %acc
    }
    tile.copy %acc, %y
  }
  return
}

func.func @odd(%n: index {tile.shape = "N"}, %x: !x {tile.init = "integers(-2,2)"}, %y: !y {tile.result})
    attributes {tile.reference = @sum_behind, tile.cases = ["N=0"]} {
  tile.kernel (%b) in (1) threads(128) {
    %a = tile.alloc : memref<32x16xbf16, #tile.shared>
    %t = tile.alloc : memref<16x8xbf16, #tile.shared>
    %acc = tile.alloc : memref<32x8xf32, #tile.fragment>
    tile.fill %a, 1.0
    tile.fill %acc, 0.0
    tile.pipelined %s = 0 to 3 stages(2) {
      tile.copy %x[%s * 16, 23], %t
      tile.gemm %a, %t, %acc
    }
    tile.copy %acc, %y
  }
  return
}

func.func @unknown(%n: index {tile.shape = "N"}, %x: !x {tile.init = "integers(-2,2)"}, %y: !y {tile.result})
    attributes {tile.reference = @sum, tile.cases = ["N=0", "N=1", "N=125", "N=200"]} {
  tile.kernel (%b) in (1) threads(128) {
    %a = tile.alloc : memref<32x16xbf16, #tile.shared>
    %t = tile.alloc : memref<16x8xbf16, #tile.shared>
    %acc = tile.alloc : memref<32x8xf32, #tile.fragment>
    tile.fill %a, 1.0
    tile.fill %acc, 0.0
    tile.pipelined %s = 0 to 3 stages(2) {
      tile.copy %x[%s * 16, %n], %t
      tile.gemm %a, %t, %acc
    }
    tile.copy %acc, %y
  }
  return
}

func.func private @sum_from(%first: index, %x: !x, %y: !y) {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0.0 : bf16
  %c128 = arith.constant 128 : index
  affine.for %i = 0 to 32 {
    affine.for %j = 0 to 8 {
      %column = arith.addi %first, %j : index
      %inside = arith.cmpi slt, %column, %c128 : index
      %sum = affine.for %k = 0 to 48 iter_args(%part = %zero) -> f32 {
        %v = scf.if %inside -> bf16 {
          %e = memref.load %x[%k, %column] : !x
          scf.yield %e : bf16
        } else {
          scf.yield %none : bf16
        }
        %f = arith.extf %v : bf16 to f32
        %next = arith.addf %part, %f : f32
        affine.yield %next : f32
      }
      affine.store %sum, %y[%i, %j] : !y
    }
  }
  return
}

func.func private @sum(%n: index, %x: !x, %y: !y) {
  func.call @sum_from(%n, %x, %y) : (index, !x, !y) -> ()
  return
}

func.func private @sum_behind(%n: index, %x: !x, %y: !y) {
  %first = arith.constant 23 : index
  func.call @sum_from(%first, %x, %y) : (index, !x, !y) -> ()
  return
}
