// RUN: tile-opt --tile-from-linalg %s | FileCheck %s --check-prefix=IR
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=910B | FileCheck %s

// Steps along K have 128 bytes, of integers of 8 bits twice as many elements as of 16: 32 of them are no candidate.

// IR-DAG: tile.param @product0_depth = 64 in [64, 128] on(wgmma = 128)
// CHECK: 3 passed, 0 failed

#all = affine_map<(i, j) -> (i, j)>
#columns = affine_map<(i, j) -> (j)>
func.func @requantised(%x: tensor<?x?xi8> {tile.shape = "MxK"}, %w: tensor<?x?xi8> {tile.shape = "KxN"},
                       %s: tensor<?xf32> {tile.shape = "N", tile.init = "uniform(0.0, 0.002)"}) -> (tensor<?x?xi8> {tile.shape = "MxN"})
    attributes {tile.reference = @requantised_reference, tile.cases = ["M=33 N=47 K=300", "M=1 N=1 K=1", "M=64 N=64 K=128"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %least = arith.constant -128.0 : f32
  %most = arith.constant 127.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xi8>
  %n = tensor.dim %w, %c1 : tensor<?x?xi8>
  %e = tensor.empty(%m, %n) : tensor<?x?xi32>
  %z = linalg.fill ins(%zero : i32) outs(%e : tensor<?x?xi32>) -> tensor<?x?xi32>
  %p = linalg.matmul ins(%x, %w : tensor<?x?xi8>, tensor<?x?xi8>) outs(%z : tensor<?x?xi32>) -> tensor<?x?xi32>
  %b = tensor.empty(%m, %n) : tensor<?x?xi8>
  %q = linalg.generic {indexing_maps = [#all, #columns, #all], iterator_types = ["parallel", "parallel"]}
      ins(%p, %s : tensor<?x?xi32>, tensor<?xf32>) outs(%b : tensor<?x?xi8>) {
  ^bb0(%v: i32, %scale: f32, %old: i8):
    %f = arith.sitofp %v : i32 to f32
    %g = arith.mulf %f, %scale : f32
    %r = math.roundeven %g : f32
    %low = arith.maximumf %r, %least : f32
    %high = arith.minimumf %low, %most : f32
    %i = arith.fptosi %high : f32 to i8
    linalg.yield %i : i8
  } -> tensor<?x?xi8>
  return %q : tensor<?x?xi8>
}

func.func @requantised_reference(%x: memref<?x?xi8>, %w: memref<?x?xi8>, %s: memref<?xf32>, %y: memref<?x?xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %least = arith.constant -128.0 : f32
  %most = arith.constant 127.0 : f32
  %m = memref.dim %x, %c0 : memref<?x?xi8>
  %n = memref.dim %w, %c1 : memref<?x?xi8>
  %k = memref.dim %x, %c1 : memref<?x?xi8>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %sum = affine.for %l = 0 to %k iter_args(%acc = %zero) -> i32 {
        %a = affine.load %x[%i, %l] : memref<?x?xi8>
        %b = affine.load %w[%l, %j] : memref<?x?xi8>
        %ae = arith.extsi %a : i8 to i32
        %be = arith.extsi %b : i8 to i32
        %t = arith.muli %ae, %be : i32
        %u = arith.addi %acc, %t : i32
        affine.yield %u : i32
      }
      %scale = affine.load %s[%j] : memref<?xf32>
      %f = arith.sitofp %sum : i32 to f32
      %g = arith.mulf %f, %scale : f32
      %r = math.roundeven %g : f32
      %low = arith.maximumf %r, %least : f32
      %high = arith.minimumf %low, %most : f32
      %v = arith.fptosi %high : f32 to i8
      affine.store %v, %y[%i, %j] : memref<?x?xi8>
    }
  }
  return
}
