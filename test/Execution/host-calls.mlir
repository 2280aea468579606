// Functions that launch kernels, called by host code: in a loop, with parts of buffers, and by one another.

// REQUIRES: nvidia, amd, ascend, tile-run
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model --no-notes | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model --no-notes | FileCheck %s
// RUN: tile-run %s --target=ascend | FileCheck %s
// CHECK: {{^}}5 passed, 0 failed{{$}}

!row = memref<?xf32>

// Adds each element to the one that lies `by` behind it.
func.func private @shifted_sum(%x: !row, %y: !row, %by: index) {
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 64)) threads(64) {
    tile.parallel (%i) in (64) do {
      %p = %b * 64 + %i
      %y[%p] = %x[%p] + select(%p >= %by, %x[max(%p - %by, 0)], 0.0)
    }
  }
  return
}
func.func private @both(%x: !row, %y: !row, %by: index) {
  %twice = arith.addi %by, %by : index
  func.call @shifted_sum(%x, %y, %by) : (!row, !row, index) -> ()
  func.call @shifted_sum(%y, %x, %twice) : (!row, !row, index) -> ()
  return
}

// Running sums by doubling distances.
func.func @scan(%x: !row {tile.shape = "N", tile.init = "integers(-9,9)"}, %y: !row {tile.shape = "N"}, %z: !row {tile.shape = "N", tile.result})
    attributes {tile.reference = @scan_reference, tile.cases = ["N=200", "N=1", "N=0"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %n = memref.dim %x, %c0 : !row
  %w = tile.alloc(%n) : !row
  func.call @copied(%x, %w) : (!row, !row) -> ()
  scf.for %i = %c0 to %c4 step %c1 {
    %i2 = arith.addi %i, %i : index
    %by = arith.shli %c1, %i2 : index
    func.call @both(%w, %y, %by) : (!row, !row, index) -> ()
  }
  func.call @copied(%w, %z) : (!row, !row) -> ()
  return
}
func.func private @copied(%x: !row, %y: !row) {
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 128)) threads(64) {
    %t = tile.alloc : memref<128xf32, #tile.fragment>
    tile.copy %x[%b * 128], %t
    tile.copy %t, %y[%b * 128]
  }
  return
}

func.func private @scan_reference(%x: !row, %y: !row, %z: !row) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : !row
  affine.for %i = 0 to %n iter_args(%sum = %zero) -> f32 {
    %v = affine.load %x[%i] : !row
    %s = arith.addf %sum, %v : f32
    affine.store %s, %z[%i] : !row
    affine.yield %s : f32
  }
  return
}

// A function for matrices of any size, called with one of 48 columns and one of 5 rows.
!any = memref<?x?xf32>
func.func private @doubled(%x: !any, %y: !any) {
  tile.kernel (%bx, %by) in (ceildiv(dim(%x, 1), 32), ceildiv(dim(%x, 0), 4)) threads(64) {
    %t = tile.alloc : memref<4x32xf32, #tile.fragment>
    tile.copy %x[%by * 4, %bx * 32], %t
    tile.parallel (%i, %j) in (4, 32) do %t[%i, %j] = %t[%i, %j] * 2.0
    tile.copy %t, %y[%by * 4, %bx * 32]
  }
  return
}
func.func @sizes(%x: memref<?x48xf32> {tile.shape = "Nx48"}, %a: memref<5x?xf32> {tile.shape = "5xN"},
                 %y: memref<?x48xf32> {tile.shape = "Nx48", tile.result}, %b: memref<5x?xf32> {tile.shape = "5xN", tile.result})
    attributes {tile.reference = @sizes_reference, tile.cases = ["N=7", "N=33"]} {
  %x0 = memref.cast %x : memref<?x48xf32> to !any
  %y0 = memref.cast %y : memref<?x48xf32> to !any
  %a0 = memref.cast %a : memref<5x?xf32> to !any
  %b0 = memref.cast %b : memref<5x?xf32> to !any
  func.call @doubled(%x0, %y0) : (!any, !any) -> ()
  func.call @doubled(%a0, %b0) : (!any, !any) -> ()
  return
}
func.func private @sizes_reference(%x: memref<?x48xf32>, %a: memref<5x?xf32>, %y: memref<?x48xf32>, %b: memref<5x?xf32>) {
  linalg.add ins(%x, %x : memref<?x48xf32>, memref<?x48xf32>) outs(%y : memref<?x48xf32>)
  linalg.add ins(%a, %a : memref<5x?xf32>, memref<5x?xf32>) outs(%b : memref<5x?xf32>)
  return
}
