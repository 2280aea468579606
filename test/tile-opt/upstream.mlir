// Upstream passes do the same in tile-opt as in mlir-opt.

// RUN: tile-opt %s --canonicalize --cse > %t.tile
// RUN: mlir-opt %s --canonicalize --cse > %t.mlir
// RUN: diff %t.mlir %t.tile

// RUN: tile-opt %s --convert-linalg-to-loops --lower-affine > %t.tile
// RUN: mlir-opt %s --convert-linalg-to-loops --lower-affine > %t.mlir
// RUN: diff %t.mlir %t.tile

// RUN: tile-opt %s --one-shot-bufferize=bufferize-function-boundaries --convert-linalg-to-loops > %t.tile
// RUN: mlir-opt %s --one-shot-bufferize=bufferize-function-boundaries --convert-linalg-to-loops > %t.mlir
// RUN: diff %t.mlir %t.tile

// RUN: tile-opt %s --convert-vector-to-scf --convert-scf-to-cf --convert-vector-to-llvm > %t.tile
// RUN: mlir-opt %s --convert-vector-to-scf --convert-scf-to-cf --convert-vector-to-llvm > %t.mlir
// RUN: diff %t.mlir %t.tile

// The passes did something.
// RUN: FileCheck %s --input-file=%t.tile
// CHECK-LABEL: func @fma
// CHECK: llvm.intr.fmuladd

func.func @fma(%a: vector<8xf32>, %b: vector<8xf32>, %c: vector<8xf32>) -> vector<8xf32> {
  %r = vector.fma %a, %b, %c : vector<8xf32>
  return %r : vector<8xf32>
}

func.func @transfer(%a: memref<4x16xf32>, %i: index) -> vector<4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %r = vector.transfer_read %a[%i, %i], %zero {in_bounds = [false, false]} : memref<4x16xf32>, vector<4x16xf32>
  return %r : vector<4x16xf32>
}

func.func @matmul(%a: memref<8x4xf32>, %b: memref<4x6xf32>, %c: memref<8x6xf32>) {
  linalg.matmul ins(%a, %b : memref<8x4xf32>, memref<4x6xf32>) outs(%c : memref<8x6xf32>)
  return
}

func.func @add(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %init = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%a, %b : tensor<?xf32>, tensor<?xf32>) outs(%init : tensor<?xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
