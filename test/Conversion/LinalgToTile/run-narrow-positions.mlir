// Positions of 8 bits wrap behind 127, so that a mask that compares them is not one of positions.

// RUN: tile-run %s | FileCheck %s
// CHECK: 2 passed, 0 failed

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @hidden(%x: tensor<200x200xf32>) -> (tensor<200x200xf32>) attributes {tile.reference = @hidden_reference} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<200x200xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<200x200xf32>) outs(%e : tensor<200x200xf32>) {
  ^bb0(%v: f32, %old: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %i8 = arith.index_cast %i : index to i8
    %j8 = arith.index_cast %j : index to i8
    %i32 = arith.extsi %i8 : i8 to i32
    %j32 = arith.extsi %j8 : i8 to i32
    %seen = arith.cmpi sge, %i32, %j32 : i32
    %t = arith.select %seen, %v, %zero : f32
    linalg.yield %t : f32
  } -> tensor<200x200xf32>
  return %r : tensor<200x200xf32>
}

func.func @hidden_reference(%x: memref<200x200xf32>, %r: memref<200x200xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 200 {
    affine.for %j = 0 to 200 {
      %v = affine.load %x[%i, %j] : memref<200x200xf32>
      %i8 = arith.index_cast %i : index to i8
      %j8 = arith.index_cast %j : index to i8
      %seen = arith.cmpi sge, %i8, %j8 : i8
      %t = arith.select %seen, %v, %zero : f32
      affine.store %t, %r[%i, %j] : memref<200x200xf32>
    }
  }
  return
}

// Sums of what a row sees; the mask stands in front of a reduction, as in attention.
func.func @sums(%x: tensor<200x200xf32> {tile.init = "integers(-3,3)"}) -> (tensor<200xf32>)
    attributes {tile.reference = @sums_reference} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<200xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<200xf32>) -> tensor<200xf32>
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<200x200xf32>) outs(%f : tensor<200xf32>) {
  ^bb0(%v: f32, %sum: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %i64 = arith.index_cast %i : index to i64
    %j64 = arith.index_cast %j : index to i64
    %i8 = arith.trunci %i64 : i64 to i8
    %j8 = arith.trunci %j64 : i64 to i8
    %i32 = arith.extsi %i8 : i8 to i32
    %j32 = arith.extsi %j8 : i8 to i32
    %seen = arith.cmpi sge, %i32, %j32 : i32
    %t = arith.select %seen, %v, %zero : f32
    %next = arith.addf %sum, %t : f32
    linalg.yield %next : f32
  } -> tensor<200xf32>
  return %r : tensor<200xf32>
}

func.func @sums_reference(%x: memref<200x200xf32>, %r: memref<200xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 200 {
    %sum = affine.for %j = 0 to 200 iter_args(%old = %zero) -> f32 {
      %v = affine.load %x[%i, %j] : memref<200x200xf32>
      %i8 = arith.index_cast %i : index to i8
      %j8 = arith.index_cast %j : index to i8
      %seen = arith.cmpi sge, %i8, %j8 : i8
      %t = arith.select %seen, %v, %zero : f32
      %next = arith.addf %old, %t : f32
      affine.yield %next : f32
    }
    affine.store %sum, %r[%i] : memref<200xf32>
  }
  return
}
