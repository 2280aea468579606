// Reductions over several dynamic dimensions, alone and last in their kernels: the number of their columns is computed in front of
// the kernel. It was computed behind it, and the function refused.

// REQUIRES: tile-run, nvidia, amd, ascend
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=910B | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=950 | FileCheck %s
// RUN: tile-opt --tile-from-linalg %s | FileCheck %s --check-prefix=IR
// CHECK-NOT: FAIL
// CHECK: {{^}}15 passed, 0 failed{{$}}

// IR-LABEL: func.func @total(
// IR: %[[N:.+]] = arith.muli
// IR: tile.kernel
// IR: scf.for %{{.+}} = %{{.+}} to %[[N]] step
func.func @total(%x: tensor<?x?xi32> {tile.shape = "MxN", tile.init = "integers(-9, 9)"}) -> tensor<i32>
    attributes {tile.reference = @total_reference, tile.cases = ["M=3 N=5", "M=0 N=5", "M=4 N=0", "M=1 N=1", "M=40 N=300"]} {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<i32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<i32>) -> tensor<i32>
  %s = linalg.reduce {arith.addi} ins(%x : tensor<?x?xi32>) outs(%f : tensor<i32>) dimensions = [0, 1]
  return %s : tensor<i32>
}
func.func private @total_reference(%x: memref<?x?xi32>, %s: memref<i32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %m = memref.dim %x, %c0 : memref<?x?xi32>
  %n = memref.dim %x, %c1 : memref<?x?xi32>
  memref.store %zero, %s[] : memref<i32>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %v = affine.load %x[%i, %j] : memref<?x?xi32>
      %old = memref.load %s[] : memref<i32>
      %new = arith.addi %old, %v : i32
      memref.store %new, %s[] : memref<i32>
    }
  }
  return
}

// One of the dimensions is static, the element is a truth value.
func.func @any(%x: tensor<6x?xf32> {tile.shape = "6xN"}, %limit: tensor<f32>) -> tensor<i1>
    attributes {tile.reference = @any_reference, tile.cases = ["N=1", "N=0", "N=3", "N=170", "N=171"]} {
  %false = arith.constant false
  %e = tensor.empty() : tensor<i1>
  %f = linalg.fill ins(%false : i1) outs(%e : tensor<i1>) -> tensor<i1>
  %any = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>, affine_map<(i, j) -> ()>],
                         iterator_types = ["reduction", "reduction"]}
      ins(%x, %limit : tensor<6x?xf32>, tensor<f32>) outs(%f : tensor<i1>) {
  ^bb0(%v: f32, %most: f32, %old: i1):
    %is = arith.cmpf ogt, %v, %most : f32
    %new = arith.ori %is, %old : i1
    linalg.yield %new : i1
  } -> tensor<i1>
  return %any : tensor<i1>
}
func.func private @any_reference(%x: memref<6x?xf32>, %limit: memref<f32>, %any: memref<i1>) {
  %c1 = arith.constant 1 : index
  %false = arith.constant false
  %n = memref.dim %x, %c1 : memref<6x?xf32>
  %most = memref.load %limit[] : memref<f32>
  memref.store %false, %any[] : memref<i1>
  affine.for %i = 0 to 6 {
    affine.for %j = 0 to %n {
      %v = affine.load %x[%i, %j] : memref<6x?xf32>
      %is = arith.cmpf ogt, %v, %most : f32
      %old = memref.load %any[] : memref<i1>
      %new = arith.ori %is, %old : i1
      memref.store %new, %any[] : memref<i1>
    }
  }
  return
}

// Rows of three dimensions, of which two are reduced.
func.func @rows(%x: tensor<?x?x?xi32> {tile.shape = "AxBxC", tile.init = "integers(-9, 9)"}) -> (tensor<?xi32> {tile.shape = "B"})
    attributes {tile.reference = @rows_reference, tile.cases = ["A=2 B=3 C=4", "A=1 B=1 C=1", "A=0 B=4 C=2", "A=3 B=0 C=2", "A=9 B=33 C=70"]} {
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %b = tensor.dim %x, %c1 : tensor<?x?x?xi32>
  %e = tensor.empty(%b) : tensor<?xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<?xi32>) -> tensor<?xi32>
  %s = linalg.reduce {arith.addi} ins(%x : tensor<?x?x?xi32>) outs(%f : tensor<?xi32>) dimensions = [0, 2]
  return %s : tensor<?xi32>
}
func.func private @rows_reference(%x: memref<?x?x?xi32>, %s: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i32
  %a = memref.dim %x, %c0 : memref<?x?x?xi32>
  %b = memref.dim %x, %c1 : memref<?x?x?xi32>
  %c = memref.dim %x, %c2 : memref<?x?x?xi32>
  affine.for %j = 0 to %b {
    affine.store %zero, %s[%j] : memref<?xi32>
    affine.for %i = 0 to %a {
      affine.for %k = 0 to %c {
        %v = affine.load %x[%i, %j, %k] : memref<?x?x?xi32>
        %old = affine.load %s[%j] : memref<?xi32>
        %new = arith.addi %old, %v : i32
        affine.store %new, %s[%j] : memref<?xi32>
      }
    }
  }
  return
}
