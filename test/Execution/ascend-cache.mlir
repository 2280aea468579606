// REQUIRES: tile-run
// RUN: tile-run --target=ascend %s | FileCheck %s
// RUN: tile-opt --tile-to-ascend-pipeline %s | tile-translate --mlir-to-ascendc | FileCheck %s --check-prefix=EMIT

// The scalar unit reads elements of GM that the kernel stores: its data cache sees none of the stores.

// CHECK-NOT: FAIL
// CHECK: {{^}}9 passed, 0 failed

// The second element is of a line that the first read has taken.
// EMIT: void neighbour_kernel
// EMIT: DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(g0[1]);
// EMIT-NEXT: = g0.GetValue(1)
// EMIT: DataCopyPad(g0
// EMIT: DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(g0[2]);
// EMIT-NEXT: = g0.GetValue(2)
func.func @neighbour(%y: memref<?xf32> {tile.shape = "N", tile.init = "iota", tile.result})
    attributes {tile.reference = @neighbour_reference, tile.cases = ["N=64", "N=100"]} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1.0 : f32
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64xf32, #tile.shared>
    %first = memref.load %y[%c1] : memref<?xf32>
    tile.fill %x, %first : memref<64xf32, #tile.shared>
    tile.copy %x, %y[0] : memref<64xf32, #tile.shared>, memref<?xf32>
    %second = memref.load %y[%c2] : memref<?xf32>
    %next = arith.addf %second, %one : f32
    tile.fill %x, %next : memref<64xf32, #tile.shared>
    tile.copy %x, %y[0] : memref<64xf32, #tile.shared>, memref<?xf32>
  }
  return
}

func.func @neighbour_reference(%y: memref<?xf32>) {
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = memref.load %y[%c1] : memref<?xf32>
  %next = arith.addf %first, %one : f32
  affine.for %i = 0 to 64 {
    affine.store %next, %y[%i] : memref<?xf32>
  }
  return
}

// Each step reads where the last one has stored; elements of one line, from iteration to iteration.
// EMIT: void chain_kernel
// EMIT: DataCacheCleanAndInvalid<float
// EMIT-NEXT: = g0.GetValue
func.func @chain(%y: memref<?xf32> {tile.shape = "N", tile.init = "iota", tile.result})
    attributes {tile.reference = @chain_reference, tile.cases = ["N=8", "N=9", "N=10", "N=40"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %two = arith.constant 2.0 : f32
  %n = memref.dim %y, %c0 : memref<?xf32>
  %steps = arith.subi %n, %c8 : index
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<8xf32, #tile.shared>
    scf.for %i = %c0 to %steps step %c1 {
      %last = memref.load %y[%i] : memref<?xf32>
      %next = arith.addf %last, %two : f32
      tile.fill %x, %next : memref<8xf32, #tile.shared>
      tile.copy %x, %y[%i + 1] : memref<8xf32, #tile.shared>, memref<?xf32>
    }
  }
  return
}

func.func @chain_reference(%y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %two = arith.constant 2.0 : f32
  %n = memref.dim %y, %c0 : memref<?xf32>
  %steps = arith.subi %n, %c8 : index
  scf.for %i = %c0 to %steps step %c1 {
    %last = memref.load %y[%i] : memref<?xf32>
    %next = arith.addf %last, %two : f32
    affine.for %j = 0 to 8 {
      %at = affine.apply affine_map<(i, j) -> (i + j + 1)>(%i, %j)
      memref.store %next, %y[%at] : memref<?xf32>
    }
  }
  return
}

// What the kernel only reads needs nothing.
// EMIT: void reads_kernel
// EMIT-NOT: DataCacheCleanAndInvalid
// EMIT: g0.GetValue
// EMIT-NOT: DataCacheCleanAndInvalid

func.func @reads(%x: memref<?xf32> {tile.shape = "N"}, %y: memref<?xf32> {tile.shape = "N", tile.result})
    attributes {tile.reference = @reads_reference, tile.cases = ["N=1", "N=16", "N=33"]} {
  %c0 = arith.constant 0 : index
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64xf32, #tile.shared>
    %first = memref.load %x[%c0] : memref<?xf32>
    tile.fill %t, %first : memref<64xf32, #tile.shared>
    tile.copy %t, %y[0] : memref<64xf32, #tile.shared>, memref<?xf32>
  }
  return
}

func.func @reads_reference(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %y, %c0 : memref<?xf32>
  %first = memref.load %x[%c0] : memref<?xf32>
  affine.for %i = 0 to %n {
    affine.store %first, %y[%i] : memref<?xf32>
  }
  return
}
