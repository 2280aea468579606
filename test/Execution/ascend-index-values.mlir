// REQUIRES: tile-run, ascend
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run --target=ascend --chip=910B %s | FileCheck %s
// RUN: tile-run --target=ascend --chip=950 %s | FileCheck %s

// Indices as numbers of 64 bits, as labels and positions are, and indices that are far apart: floats do not hold these, so the
// scalar unit computes them.

// CHECK: {{^}}6 passed, 0 failed

func.func @labels(%x: memref<?x64xf32> {tile.shape = "Nx64"}, %l: memref<?xi64> {tile.shape = "N", tile.init = "integers(-1, 64)"},
                  %y: memref<?x64xf32> {tile.shape = "Nx64", tile.result})
    attributes {tile.reference = @labels_reference, tile.cases = ["N=5", "N=1"], tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%b) in (dim(%x, 0)) threads(32) {
    tile.parallel (%j) in (64) do %y[%b, %j] = select(%l[%b] == i64(%j), %x[%b, %j] - 1.0, %x[%b, %j])
  }
  return
}
func.func @labels_reference(%x: memref<?x64xf32>, %l: memref<?xi64>, %y: memref<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %n = memref.dim %x, %c0 : memref<?x64xf32>
  affine.for %i = 0 to %n {
    %label = affine.load %l[%i] : memref<?xi64>
    affine.for %j = 0 to 64 {
      %v = affine.load %x[%i, %j] : memref<?x64xf32>
      %less = arith.subf %v, %one : f32
      %w = arith.index_cast %j : index to i64
      %is = arith.cmpi eq, %w, %label : i64
      %r = arith.select %is, %less, %v : f32
      affine.store %r, %y[%i, %j] : memref<?x64xf32>
    }
  }
  return
}

func.func @positions(%y: memref<?xi64> {tile.shape = "N", tile.result}, %z: memref<?xi64> {tile.shape = "N", tile.result})
    attributes {tile.reference = @positions_reference, tile.cases = ["N=70", "N=1"]} {
  tile.kernel (%b) in (ceildiv(dim(%y, 0), 32)) threads(32) {
    tile.parallel (%j) in (32) do {
      %y[%b * 32 + %j] = i64(%b * 32 + %j) * 3
      %z[%b * 32 + %j] = i64(%j * 1073741824)
    }
  }
  return
}
func.func @positions_reference(%y: memref<?xi64>, %z: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : i64
  %n = memref.dim %y, %c0 : memref<?xi64>
  affine.for %i = 0 to %n {
    %w = arith.index_cast %i : index to i64
    %t = arith.muli %w, %c3 : i64
    affine.store %t, %y[%i] : memref<?xi64>
    %far = affine.apply affine_map<(i) -> ((i mod 32) * 1073741824)>(%i)
    %f = arith.index_cast %far : index to i64
    affine.store %f, %z[%i] : memref<?xi64>
  }
  return
}

func.func @far_apart(%y: memref<64xi32> {tile.result}, %n: i32 {tile.init = "integers(30000000, 40000000)"})
    attributes {tile.reference = @far_apart_reference} {
  %bound = arith.index_cast %n : i32 to index
  tile.kernel (%b) in (1) threads(32) {
    tile.parallel (%i) in (64) do {
      %below = select(%i * 1048576 < %bound, 1, i32(0))
      %above = select(%i * 1048576 - 33554432 >= 0, 2, i32(0))
      %y[%i] = %below + %above + i32(%i * 1048577) * 4
    }
  }
  return
}
func.func @far_apart_reference(%y: memref<64xi32>, %n: i32) {
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %four = arith.constant 4 : i32
  %zero = arith.constant 0 : i32
  %half = arith.constant 33554432 : i32
  %step = arith.constant 1048576 : i32
  affine.for %i = 0 to 64 {
    %w = arith.index_cast %i : index to i32
    %p = arith.muli %w, %step : i32
    %lt = arith.cmpi slt, %p, %n : i32
    %ge = arith.cmpi sge, %p, %half : i32
    %a = arith.select %lt, %one, %zero : i32
    %c = arith.select %ge, %two, %zero : i32
    %q = arith.addi %p, %w : i32
    %r = arith.muli %q, %four : i32
    %s = arith.addi %a, %c : i32
    %t = arith.addi %s, %r : i32
    affine.store %t, %y[%i] : memref<64xi32>
  }
  return
}

// The scalar unit selects the place by a comparison with the largest element so far, whose tile the vector unit must not have
// written yet.
func.func @place_of_largest(%x: memref<40x64xf32>, %y: memref<64xi64> {tile.result}) attributes {tile.reference = @place_reference} {
  tile.kernel (%b) in (1) threads(32) {
    tile.parallel (%q) in (64) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c40 = arith.constant 40 : index
      %low = arith.constant 0xFF800000 : f32
      %none = arith.constant -1 : i64
      %r:2 = scf.for %u = %c0 to %c40 step %c1 iter_args(%m = %low, %at = %none) -> (f32, i64) {
        %v = memref.load %x[%u, %q] : memref<40x64xf32>
        %larger = arith.cmpf ogt, %v, %m : f32
        %w = arith.index_cast %u : index to i64
        %next = arith.select %larger, %v, %m : f32
        %place = arith.select %larger, %w, %at : i64
        scf.yield %next, %place : f32, i64
      }
      memref.store %r#1, %y[%q] : memref<64xi64>
    }
  }
  return
}
func.func @place_reference(%x: memref<40x64xf32>, %y: memref<64xi64>) {
  %none = arith.constant -1 : i64
  %low = arith.constant 0xFF800000 : f32
  affine.for %q = 0 to 64 {
    %r:2 = affine.for %u = 0 to 40 iter_args(%m = %low, %at = %none) -> (f32, i64) {
      %v = affine.load %x[%u, %q] : memref<40x64xf32>
      %larger = arith.cmpf ogt, %v, %m : f32
      %w = arith.index_cast %u : index to i64
      %next = arith.select %larger, %v, %m : f32
      %place = arith.select %larger, %w, %at : i64
      affine.yield %next, %place : f32, i64
    }
    affine.store %r#1, %y[%q] : memref<64xi64>
  }
  return
}
