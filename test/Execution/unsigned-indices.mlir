// Unsigned comparisons of indices below 0, which are large then: Ascend compares indices as signed numbers, and turns the
// result round for each side that may be negative.

// REQUIRES: tile-run, nvidia, ascend
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=910B | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=950 | FileCheck %s
// CHECK: {{^}}4 passed, 0 failed{{$}}

#less = affine_map<(d, n) -> (d - n)>

// Each predicate, a side that is the same in all iterations, and two whose difference is.
func.func @predicates(%y: memref<6x16xi32> {tile.result}, %n: memref<1xi32> {tile.init = "integers(-5,20)"})
    attributes {tile.reference = @predicates_reference} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  tile.kernel (%b) in (1) {
    %v = memref.load %n[%c0] : memref<1xi32>
    %w = arith.index_cast %v : i32 to index
    tile.parallel (%i) in (16) {
      %d = affine.apply #less(%i, %w)
      %e = affine.apply #less(%i, %c4)
      %lt = arith.cmpi ult, %e, %c5 : index
      %le = arith.cmpi ule, %d, %c5 : index
      %gt = arith.cmpi ugt, %d, %e : index
      %ge = arith.cmpi uge, %c3, %e : index
      %in = arith.cmpi ult, %i, %w : index
      %id = arith.cmpi uge, %e, %i : index
      %v0 = arith.extui %lt : i1 to i32
      %v1 = arith.extui %le : i1 to i32
      %v2 = arith.extui %gt : i1 to i32
      %v3 = arith.extui %ge : i1 to i32
      %v4 = arith.extui %in : i1 to i32
      %v5 = arith.extui %id : i1 to i32
      memref.store %v0, %y[%c0, %i] : memref<6x16xi32>
      memref.store %v1, %y[%c1, %i] : memref<6x16xi32>
      memref.store %v2, %y[%c2, %i] : memref<6x16xi32>
      memref.store %v3, %y[%c3, %i] : memref<6x16xi32>
      memref.store %v4, %y[%c4, %i] : memref<6x16xi32>
      memref.store %v5, %y[%c5, %i] : memref<6x16xi32>
    }
  }
  return
}
func.func private @predicates_reference(%y: memref<6x16xi32>, %n: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %v = memref.load %n[%c0] : memref<1xi32>
  %w = arith.index_cast %v : i32 to index
  affine.for %i = 0 to 16 {
    %d = affine.apply #less(%i, %w)
    %e = affine.apply #less(%i, %c4)
    %lt = arith.cmpi ult, %e, %c5 : index
    %le = arith.cmpi ule, %d, %c5 : index
    %gt = arith.cmpi ugt, %d, %e : index
    %ge = arith.cmpi uge, %c3, %e : index
    %in = arith.cmpi ult, %i, %w : index
    %id = arith.cmpi uge, %e, %i : index
    %v0 = arith.extui %lt : i1 to i32
    %v1 = arith.extui %le : i1 to i32
    %v2 = arith.extui %gt : i1 to i32
    %v3 = arith.extui %ge : i1 to i32
    %v4 = arith.extui %in : i1 to i32
    %v5 = arith.extui %id : i1 to i32
    affine.store %v0, %y[0, %i] : memref<6x16xi32>
    affine.store %v1, %y[1, %i] : memref<6x16xi32>
    affine.store %v2, %y[2, %i] : memref<6x16xi32>
    affine.store %v3, %y[3, %i] : memref<6x16xi32>
    affine.store %v4, %y[4, %i] : memref<6x16xi32>
    affine.store %v5, %y[5, %i] : memref<6x16xi32>
  }
  return
}

// What a padded tensor becomes: rows and columns of a frame are the constant.
func.func @frame(%x: memref<?x9xf32> {tile.shape = "Mx9"}, %y: memref<?x16xf32> {tile.shape = "Nx16", tile.result})
    attributes {tile.reference = @frame_reference, tile.cases = ["M=11 N=14", "M=1 N=4", "M=0 N=3"]} {
  %c0 = arith.constant 0 : index
  %c9 = arith.constant 9 : index
  %other = arith.constant -1.5 : f32
  %m = memref.dim %x, %c0 : memref<?x9xf32>
  tile.kernel (%b) in (ceildiv(dim(%y, 0), 8)) {
    tile.parallel (%i, %j) in (8, 16) {
      %r = affine.apply affine_map<(i, b) -> (b * 8 + i - 1)>(%i, %b)
      %c = affine.apply affine_map<(j) -> (j - 3)>(%j)
      %row = affine.apply affine_map<(i, b) -> (b * 8 + i)>(%i, %b)
      %inrow = arith.cmpi ult, %r, %m : index
      %incolumn = arith.cmpi ugt, %c9, %c : index
      %in = arith.andi %inrow, %incolumn : i1
      %v = memref.load %x[%r, %c] : memref<?x9xf32>
      %s = arith.select %in, %v, %other : f32
      memref.store %s, %y[%row, %j] : memref<?x16xf32>
    }
  }
  return
}
func.func private @frame_reference(%x: memref<?x9xf32>, %y: memref<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %other = arith.constant -1.5 : f32
  %m = memref.dim %x, %c0 : memref<?x9xf32>
  %n = memref.dim %y, %c0 : memref<?x16xf32>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 16 {
      affine.store %other, %y[%i, %j] : memref<?x16xf32>
    }
  }
  affine.for %i = 0 to %m {
    affine.for %j = 0 to 9 {
      %v = affine.load %x[%i, %j] : memref<?x9xf32>
      affine.store %v, %y[%i + 1, %j + 3] : memref<?x16xf32>
    }
  }
  return
}
