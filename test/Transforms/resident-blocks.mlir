// Where nothing but fragments needs many registers, those of a thread are bounded by as many blocks as shared memory and threads
// allow, so that the assembler does not take more at the cost of blocks.

// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-select-instructions --tile-infer-layout --tile-plan-shared --remarks-filter=tile-plan-shared 2>&1 | FileCheck %s
// RUN: tile-opt %s --tile-to-nvvm-pipeline=chip=sm_90a | FileCheck %s --check-prefix=NVVM

// 32 registers of a fragment and 32 more; 16 KiB of shared memory would allow 13 blocks.
// CHECK: remark: [Passed] ResidentBlocks | Category:tile-plan-shared | blocks=8
// CHECK: func.func @rows
// CHECK: tile.kernel {{.*}}tile.resident_blocks = 8 : i32
// NVVM: llvm.func @rows_0({{.*}}nvvm.minctasm = 8 : i32
func.func @rows(%a: memref<10240x1024xf32>, %o: memref<10240x1024xf32>) {
  tile.kernel (%b) in (2560) threads(128) {
    %s = tile.alloc : memref<4x1024xf32, #tile.shared>
    %f = tile.alloc : memref<4x1024xf32, #tile.fragment>
    tile.copy %a[%b * 4, 0], %s
    tile.copy %s, %f
    tile.parallel (%i, %j) in (4, 1024) do %f[%i, %j] = exp2(%f[%i, %j])
    tile.copy %f, %o[%b * 4, 0]
  }
  return
}

// What threads add up as they compute it does not stay, and single elements are among the 32.
// CHECK: func.func @norm
// CHECK: tile.kernel {{.*}}tile.resident_blocks = 2 : i32
// NVVM: llvm.func @norm_0({{.*}}nvvm.minctasm = 2 : i32
func.func @norm(%a: memref<1024x16384xf32>, %o: memref<1024x16384xf32>) {
  tile.kernel (%b) in (1024) threads(512) {
    %f = tile.alloc : memref<1x16384xf32, #tile.fragment>
    %square = tile.alloc : memref<1x16384xf32, #tile.fragment>
    %sum = tile.alloc : memref<1xf32, #tile.fragment>
    tile.copy %a[%b, 0], %f
    tile.parallel (%i, %j) in (1, 16384) do %square[%i, %j] = %f[%i, %j] * %f[%i, %j]
    tile.reduce sum %square, %sum dim(1)
    tile.parallel (%i, %j) in (1, 16384) do %f[%i, %j] = %f[%i, %j] * rsqrt(%sum[%i])
    tile.copy %f, %o[%b, 0]
  }
  return
}

// A fragment that is reduced and read again stays: of 96 registers, a processor has room for five blocks.
// CHECK: func.func @both
// CHECK: tile.kernel {{.*}}tile.resident_blocks = 5 : i32
func.func @both(%a: memref<1320x4096xf32>, %o: memref<1320x4096xf32>) {
  tile.kernel (%b) in (1320) threads(128) {
    %f = tile.alloc : memref<1x4096xf32, #tile.fragment>
    %square = tile.alloc : memref<1x4096xf32, #tile.fragment>
    %sum = tile.alloc : memref<1xf32, #tile.fragment>
    tile.copy %a[%b, 0], %f
    tile.parallel (%i, %j) in (1, 4096) do %square[%i, %j] = %f[%i, %j] * %f[%i, %j]
    tile.reduce sum %square, %sum dim(1)
    tile.parallel (%i, %j) in (1, 4096) do %f[%i, %j] = %square[%i, %j] * %sum[%i]
    tile.copy %f, %o[%b, 0]
  }
  return
}

// Shared memory leaves room for three.
// CHECK: func.func @shared
// CHECK: tile.kernel {{.*}}tile.resident_blocks = 3 : i32
func.func @shared(%a: memref<65536x256xf32>, %o: memref<65536x256xf32>) {
  tile.kernel (%b) in (1024) threads(128) {
    %s = tile.alloc : memref<64x256xf32, #tile.shared>
    tile.copy %a[%b * 64, 0], %s
    tile.copy %s, %o[%b * 64, 0]
  }
  return
}

// 200 blocks are two on each of 132 processors, 132 are one: registers are for these.
// CHECK: func.func @two
// CHECK: tile.kernel {{.*}}tile.resident_blocks = 2 : i32
func.func @two(%a: memref<12800x64xf32>, %o: memref<12800x64xbf16>) {
  tile.kernel (%b) in (200) threads(128) {
    tile.copy %a[%b * 64, 0] [64, 64], %o[%b * 64, 0] [64, 64]
  }
  return
}

// CHECK: func.func @one
// CHECK: tile.kernel {{.*}}tile.resident_blocks = 1 : i32
func.func @one(%a: memref<8448x576xf32>, %o: memref<8448x576xbf16>) {
  tile.kernel (%b) in (132) threads(128) {
    tile.copy %a[%b * 64, 0] [64, 576], %o[%b * 64, 0] [64, 576]
  }
  return
}

// A persistent grid has as many blocks as fit.
// CHECK: func.func @persistent
// CHECK: tile.kernel {{.*}}tile.resident_blocks = 10 : i32
func.func @persistent(%a: memref<8448x64xf32>, %o: memref<8448x64xbf16>) {
  tile.kernel (%x) in (132) threads(128) attributes {persistent_grid} {
    tile.persistent (%b) in (132) {
      tile.copy %a[%b * 64, 0] [64, 64], %o[%b * 64, 0] [64, 64]
    }
  }
  return
}

// A number that is given stays.
// CHECK: func.func @given
// CHECK: tile.kernel {{.*}}tile.resident_blocks = 3 : i32
// NVVM: llvm.func @given_0({{.*}}nvvm.minctasm = 3 : i32
func.func @given(%a: memref<256xf32>) {
  tile.kernel (%b) in (1) threads(128) attributes {tile.resident_blocks = 3 : i32} {
    tile.fill %a, 0.0
  }
  return
}

// Products have operands and more under way that no fragment tells.
// CHECK: func.func @product
// CHECK-NOT: tile.resident_blocks
// NVVM: llvm.func @product_0({{.*}}nvvm.minctasm = 1 : i32
func.func @product(%a: memref<64x64xf16>, %o: memref<64x64xf32>) {
  tile.kernel (%b) in (1) threads(128) {
    %s = tile.alloc : memref<64x64xf16, #tile.shared>
    %c = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.copy %a, %s
    tile.gemm %s, %s, %c {clear, transpose_b}
    tile.copy %c, %o
  }
  return
}

// So have scans.
// CHECK: func.func @sums
// CHECK-NOT: tile.resident_blocks
func.func @sums(%a: memref<1x1024xf32>, %o: memref<1x1024xf32>) {
  tile.kernel (%b) in (1) threads(128) {
    %f = tile.alloc : memref<1x1024xf32, #tile.fragment>
    %g = tile.alloc : memref<1x1024xf32, #tile.fragment>
    tile.copy %a, %f
    tile.scan sum %f, %g dim(1)
    tile.copy %g, %o
  }
  return
}

// And selections.
// CHECK: func.func @largest
// CHECK-NOT: tile.resident_blocks
func.func @largest(%a: memref<1x1024xf32>, %o: memref<1x8xf32>) {
  tile.kernel (%b) in (1) threads(128) {
    %f = tile.alloc : memref<1x1024xf32, #tile.fragment>
    %v = tile.alloc : memref<1x8xf32, #tile.fragment>
    %p = tile.alloc : memref<1x8xi32, #tile.fragment>
    tile.copy %a, %f
    tile.topk %f, %v, %p
    tile.copy %v, %o
  }
  return
}

// And elements that are computed in loops.
// CHECK: func.func @loops
// CHECK-NOT: tile.resident_blocks
func.func @loops(%a: memref<128xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tile.kernel (%b) in (1) threads(128) {
    tile.parallel (%i) in (128) {
      %x = memref.load %a[%i] : memref<128xf32>
      %y = scf.for %k = %c0 to %n step %c1 iter_args(%s = %x) -> f32 {
        %t = arith.mulf %s, %s : f32
        scf.yield %t : f32
      }
      memref.store %y, %a[%i] : memref<128xf32>
    }
  }
  return
}
