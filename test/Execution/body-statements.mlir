// Atomic updates as statements of a body: numbers and expressions as values, indices from data, the old value, under branches.

// REQUIRES: tile-run, nvidia, amd, ascend
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx950 --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx1100 --device=model | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=910B --func=histogram | FileCheck %s --check-prefix=NPU
// RUN: tile-run %s --target=ascend --chip=950 --func=histogram | FileCheck %s --check-prefix=NPU
// RUN: not tile-run %s --target=ascend --func=places 2>&1 | FileCheck %s --check-prefix=PLACES
// RUN: tile-run %s --target=ascend --chip=910B --func=largest | FileCheck %s --check-prefix=LARGEST
// RUN: tile-run %s --target=ascend --chip=950 --func=largest | FileCheck %s --check-prefix=LARGEST
// CHECK: {{^}}9 passed, 0 failed{{$}}
// NPU: {{^}}4 passed, 0 failed{{$}}
// PLACES: error: on Ascend, 'tile.atomic' returns no old value of global memory; let one block count, or count in a tile
// LARGEST: {{^}}1 passed, 0 failed{{$}}

// A histogram of bytes: the bins of a block, then those of all.
func.func @histogram(%x: memref<?xi8> {tile.shape = "N", tile.init = "integers(-128,127)"},
                     %bins: memref<256xi32> {tile.init = "zeros", tile.result})
    attributes {tile.reference = @histogram_reference, tile.cases = ["N=5000", "N=1", "N=2049", "N=0"]} {
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 2048)) threads(256) {
    %counts = tile.alloc : memref<256xi32, #tile.shared>
    tile.fill %counts, 0
    tile.parallel (%i) in (2048) do {
      if %b * 2048 + %i < dim(%x, 0) {
        tile.atomic add 1, %counts[index(and(i32(%x[%b * 2048 + %i]), 255))]
      }
    }
    tile.atomic add %counts, %bins
  }
  return
}
func.func private @histogram_reference(%x: memref<?xi8>, %bins: memref<256xi32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = memref.dim %x, %c0 : memref<?xi8>
  affine.for %i = 0 to 256 {
    memref.store %zero, %bins[%i] : memref<256xi32>
  }
  affine.for %i = 0 to %n {
    %v = memref.load %x[%i] : memref<?xi8>
    %w = arith.extui %v : i8 to i32
    %at = arith.index_cast %w : i32 to index
    %old = memref.load %bins[%at] : memref<256xi32>
    %new = arith.addi %old, %one : i32
    memref.store %new, %bins[%at] : memref<256xi32>
  }
  return
}

// The lists of a mixture of experts: each token takes the next place in the list of its expert. The order is undefined: compared
// are the length of each list and the sum of its numbers.
func.func @places(%expert: memref<?xi32> {tile.shape = "T", tile.init = "integers(-1, 4)"},
                  %count: memref<5xi32> {tile.init = "zeros", tile.result}, %sum: memref<5xi32> {tile.init = "zeros", tile.result},
                  %list: memref<5x?xi32> {tile.shape = "5xT", tile.init = "zeros"})
    attributes {tile.reference = @places_reference, tile.cases = ["T=300", "T=1", "T=129", "T=0"]} {
  tile.kernel (%b) in (ceildiv(dim(%expert, 0), 64)) threads(64) {
    tile.parallel (%i) in (64) do {
      %t = %b * 64 + %i
      if %t < dim(%expert, 0) {
        %e = index(%expert[%t])
        if %e >= 0 {
          %place = tile.atomic add 1, %count[%e]
          %list[%e, index(%place)] = i32(%t) + 1
        }
      }
    }
  }
  tile.kernel (%b) in (ceildiv(dim(%expert, 0), 64)) threads(64) {
    tile.parallel (%e, %i) in (5, 64) do {
      if %b * 64 + %i < dim(%expert, 0) { tile.atomic add %list[%e, %b * 64 + %i] * 3, %sum[%e] }
    }
  }
  return
}
func.func private @places_reference(%expert: memref<?xi32>, %count: memref<5xi32>, %sum: memref<5xi32>, %list: memref<5x?xi32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %n = memref.dim %expert, %c0 : memref<?xi32>
  affine.for %i = 0 to 5 {
    memref.store %zero, %count[%i] : memref<5xi32>
    memref.store %zero, %sum[%i] : memref<5xi32>
  }
  affine.for %i = 0 to %n {
    %e = memref.load %expert[%i] : memref<?xi32>
    %at = arith.index_cast %e : i32 to index
    %is = arith.cmpi sge, %e, %zero : i32
    scf.if %is {
      %old = memref.load %count[%at] : memref<5xi32>
      %new = arith.addi %old, %one : i32
      memref.store %new, %count[%at] : memref<5xi32>
      %t = arith.index_cast %i : index to i32
      %next = arith.addi %t, %one : i32
      %term = arith.muli %next, %three : i32
      %before = memref.load %sum[%at] : memref<5xi32>
      %after = arith.addi %before, %term : i32
      memref.store %after, %sum[%at] : memref<5xi32>
    }
  }
  return
}

// Values and assertions that hold; the largest of products of numbers that a comparison chooses.
func.func @largest(%x: memref<300xf32> {tile.init = "integers(-50, 50)"}, %y: memref<1xf32> {tile.init = "zeros", tile.result})
    attributes {tile.reference = @largest_reference} {
  tile.kernel (%b) in (3) threads(64) {
    tile.parallel (%i) in (100) do tile.atomic max select(%x[%b * 100 + %i] < 40.0, %x[%b * 100 + %i] * 0.5, -1.0), %y[0]
  }
  return
}
func.func private @largest_reference(%x: memref<300xf32>, %y: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %limit = arith.constant 40.0 : f32
  %half = arith.constant 0.5 : f32
  memref.store %zero, %y[%c0] : memref<1xf32>
  affine.for %i = 0 to 300 {
    %v = memref.load %x[%i] : memref<300xf32>
    %is = arith.cmpf olt, %v, %limit : f32
    scf.if %is {
      %h = arith.mulf %v, %half : f32
      %old = memref.load %y[%c0] : memref<1xf32>
      %new = arith.maximumf %old, %h : f32
      memref.store %new, %y[%c0] : memref<1xf32>
    }
  }
  return
}
