// Reshapes to extents that are computed, as PyTorch's `view` gives them, and bodies that ask for extents: one kernel, which GPUs take, too.

// RUN: tile-run %s | FileCheck %s
// RUN: tile-opt --tile-from-linalg %s | FileCheck %s --check-prefix=IR
// CHECK: {{^}}4 passed, 0 failed{{$}}

// IR-LABEL: func.func @view(
// IR-NOT: divsi
// IR-NOT: cf.assert
// IR-COUNT-1: tile.kernel
// IR-NOT: tile.kernel
// IR-NOT: scf.for
// IR-LABEL: func.func @view_reference
#id = affine_map<(i, j, k) -> (i, j, k)>
func.func @view(%x: tensor<?x4x?xf32> {tile.shape = "BxHxD"}) -> (tensor<?x2x2x?xf32> {tile.shape = "BxPxQxD"})
    attributes {tile.reference = @view_reference, tile.cases = ["B=3 D=70", "B=1 D=5", "B=2 D=1"]} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %four = arith.constant 4 : i64
  %b = tensor.dim %x, %c0 : tensor<?x4x?xf32>
  %d = tensor.dim %x, %c2 : tensor<?x4x?xf32>
  %bi = arith.index_cast %b : index to i64
  %di = arith.index_cast %d : index to i64
  %open = arith.cmpi slt, %di, %zero : i64
  %all = arith.muli %bi, %four : i64
  %rest = arith.divsi %all, %bi : i64
  %last = arith.select %open, %rest, %di : i64
  %holds = arith.cmpi sge, %bi, %zero : i64
  cf.assert %holds, "negative extent"
  %e = tensor.empty(%b, %d) : tensor<?x4x?xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<?x4x?xf32>) outs(%e : tensor<?x4x?xf32>) {
  ^bb0(%v: f32, %old: f32):
    %n = tensor.dim %x, %c2 : tensor<?x4x?xf32>
    %ni = arith.index_cast %n : index to i64
    %nf = arith.sitofp %ni : i64 to f32
    %t = arith.mulf %v, %nf : f32
    linalg.yield %t : f32
  } -> tensor<?x4x?xf32>
  %shape = tensor.from_elements %bi, %two, %two, %last : tensor<4xi64>
  %r = tensor.reshape %y(%shape) : (tensor<?x4x?xf32>, tensor<4xi64>) -> tensor<?x2x2x?xf32>
  return %r : tensor<?x2x2x?xf32>
}
func.func @view_reference(%x: memref<?x4x?xf32>, %r: memref<?x2x2x?xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %b = memref.dim %x, %c0 : memref<?x4x?xf32>
  %d = memref.dim %x, %c2 : memref<?x4x?xf32>
  %di = arith.index_cast %d : index to i64
  %df = arith.sitofp %di : i64 to f32
  affine.for %i = 0 to %b {
    affine.for %p = 0 to 2 {
      affine.for %q = 0 to 2 {
        affine.for %k = 0 to %d {
          %v = affine.load %x[%i, %p * 2 + %q, %k] : memref<?x4x?xf32>
          %t = arith.mulf %v, %df : f32
          affine.store %t, %r[%i, %p, %q, %k] : memref<?x2x2x?xf32>
        }
      }
    }
  }
  return
}

// Of static extents to computed ones, and extents that are read from arguments.

// IR-LABEL: func.func @mixed(
// IR-NOT: linalg.
// IR-NOT: memref.copy
// IR-COUNT-1: tile.kernel
// IR-NOT: tile.kernel
// IR-NOT: memref.copy
// IR-LABEL: func.func @mixed_reference
#row = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>
func.func @mixed(%x: tensor<4x9xf64> {tile.init = "integers(-9,9)"}, %n: tensor<1xi64> {tile.init = "integers(3,3)"}, %shape: tensor<2xi64> {tile.init = "integers(6,6)"})
    -> tensor<3xf64> attributes {tile.reference = @mixed_reference} {
  %c0 = arith.constant 0 : index
  %count = arith.constant 36 : i64
  %zero = arith.constant 0.0 : f64
  %three = tensor.extract %n[%c0] : tensor<1xi64>
  %rest = arith.divsi %count, %three : i64
  %to = tensor.from_elements %three, %rest : tensor<2xi64>
  %square = tensor.reshape %x(%shape) : (tensor<4x9xf64>, tensor<2xi64>) -> tensor<?x?xf64>
  %y = tensor.reshape %square(%to) : (tensor<?x?xf64>, tensor<2xi64>) -> tensor<?x?xf64>
  %e = tensor.empty() : tensor<3xf64>
  %f = linalg.fill ins(%zero : f64) outs(%e : tensor<3xf64>) -> tensor<3xf64>
  %r = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%y : tensor<?x?xf64>) outs(%f : tensor<3xf64>) {
  ^bb0(%v: f64, %old: f64):
    %s = arith.addf %v, %old : f64
    linalg.yield %s : f64
  } -> tensor<3xf64>
  return %r : tensor<3xf64>
}
func.func @mixed_reference(%x: memref<4x9xf64>, %n: memref<1xi64>, %shape: memref<2xi64>, %r: memref<3xf64>) {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to 3 {
    affine.store %zero, %r[%i] : memref<3xf64>
    affine.for %k = 0 to 12 {
      %v = affine.load %x[(%i * 12 + %k) floordiv 9, (%i * 12 + %k) mod 9] : memref<4x9xf64>
      %old = affine.load %r[%i] : memref<3xf64>
      %sum = arith.addf %old, %v : f64
      affine.store %sum, %r[%i] : memref<3xf64>
    }
  }
  return
}
