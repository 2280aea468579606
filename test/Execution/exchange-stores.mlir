// Accumulators that go to memory without shared memory: neighbouring lanes swap runs, so that each stores a vector. Of every width of
// element, with tiles that end inside, rows that no vector divides, rows of one vector, and columns that are a part.

// REQUIRES: tile-run, nvidia
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-opt %s --tile-bind-parameters --tile-to-gpu-pipeline=chip=sm_90a --mlir-print-ir-after=convert-tile-to-simt -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SWAP
// CHECK: {{^}}20 passed, 0 failed{{$}}

// SWAP-LABEL: gpu.func @narrow
// SWAP: gpu.shuffle xor
func.func @narrow(%a: memref<?x?xf16> {tile.shape = "MxK", tile.init = "integers(-3,4)"}, %b: memref<?x?xf16> {tile.shape = "KxN", tile.init = "integers(-3,4)"},
                  %c: memref<?x?xbf16> {tile.shape = "MxN", tile.result})
    attributes {tile.reference = @narrow_reference,
                tile.cases = ["M=64 N=64 K=32", "M=128 N=128 K=64", "M=65 N=72 K=40", "M=70 N=67 K=33", "M=1 N=8 K=1", "M=1 N=1 K=1", "M=64 N=100 K=32"]} {
  tile.kernel (%i, %j) in (ceildiv(dim(%c, 0), 64), ceildiv(dim(%c, 1), 64)) threads(128) {
    %as = tile.alloc : memref<64x32xf16, #tile.shared>
    %bs = tile.alloc : memref<32x64xf16, #tile.shared>
    %acc = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %acc, 0.0
    tile.pipelined %k = 0 to ceildiv(dim(%a, 1), 32) stages(2) {
      tile.copy %a[%i * 64, %k * 32], %as
      tile.copy %b[%k * 32, %j * 64], %bs
      tile.gemm %as, %bs, %acc
    }
    tile.copy %acc, %c[%i * 64, %j * 64] prefer(sync)
  }
  return
}
func.func @narrow_reference(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xbf16>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %c, %c0 : memref<?x?xbf16>
  %n = memref.dim %c, %c1 : memref<?x?xbf16>
  %k = memref.dim %a, %c1 : memref<?x?xf16>
  scf.for %i = %c0 to %m step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %sum = scf.for %l = %c0 to %k step %c1 iter_args(%acc = %zero) -> f32 {
        %x = memref.load %a[%i, %l] : memref<?x?xf16>
        %y = memref.load %b[%l, %j] : memref<?x?xf16>
        %u = arith.extf %x : f16 to f32
        %v = arith.extf %y : f16 to f32
        %p = arith.mulf %u, %v : f32
        %s = arith.addf %acc, %p : f32
        scf.yield %s : f32
      }
      %t = arith.truncf %sum : f32 to bf16
      memref.store %t, %c[%i, %j] : memref<?x?xbf16>
    }
  }
  return
}

// Bytes and integers, each its own sum; the whole ones of f32 and i32 are not swapped.
func.func @bytes(%a: memref<64x32xi8> {tile.init = "integers(-3,4)"}, %b: memref<32x96xi8> {tile.init = "integers(-3,4)"},
                 %c: memref<64x?xi32> {tile.shape = "64xN", tile.result}, %d: memref<64x?xi16> {tile.shape = "64xN", tile.result},
                 %e: memref<64x?xi8> {tile.shape = "64xN", tile.result})
    attributes {tile.reference = @bytes_reference, tile.cases = ["N=96", "N=64", "N=40", "N=3", "N=95"]} {
  tile.kernel (%i) in (1) threads(128) {
    %as = tile.alloc : memref<64x32xi8, #tile.shared>
    %bs = tile.alloc : memref<32x96xi8, #tile.shared>
    %acc = tile.alloc : memref<64x96xi32, #tile.fragment>
    tile.copy %a, %as
    tile.copy %b, %bs
    tile.gemm %as, %bs, %acc {clear}
    tile.copy %acc, %c[0, 0]
    tile.copy %acc, %d[0, 0]
    tile.copy %acc, %e[0, 0]
  }
  return
}
func.func @bytes_reference(%a: memref<64x32xi8>, %b: memref<32x96xi8>, %c: memref<64x?xi32>, %d: memref<64x?xi16>, %e: memref<64x?xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant 0 : i32
  %n = memref.dim %c, %c1 : memref<64x?xi32>
  scf.for %i = %c0 to %c64 step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %sum = scf.for %l = %c0 to %c32 step %c1 iter_args(%acc = %zero) -> i32 {
        %x = memref.load %a[%i, %l] : memref<64x32xi8>
        %y = memref.load %b[%l, %j] : memref<32x96xi8>
        %u = arith.extsi %x : i8 to i32
        %v = arith.extsi %y : i8 to i32
        %p = arith.muli %u, %v : i32
        %s = arith.addi %acc, %p : i32
        scf.yield %s : i32
      }
      memref.store %sum, %c[%i, %j] : memref<64x?xi32>
      %s = arith.trunci %sum : i32 to i16
      memref.store %s, %d[%i, %j] : memref<64x?xi16>
      %t = arith.trunci %sum : i32 to i8
      memref.store %t, %e[%i, %j] : memref<64x?xi8>
    }
  }
  return
}

// 8-bit floats, in a part of a wider buffer that begins between vectors in one case; two warpgroups.
func.func @floats(%a: memref<128x32xf16> {tile.init = "integers(-3,4)"}, %b: memref<32x64xf16> {tile.init = "integers(-3,4)"}, %at: index {tile.shape = "AT"},
                  %c: memref<128x?xf8E4M3FN> {tile.shape = "128xN", tile.result, tile.init = "zeros"})
    attributes {tile.reference = @floats_reference,
                tile.cases = ["AT=0 N=64", "AT=16 N=96", "AT=8 N=96", "AT=3 N=96", "AT=0 N=72", "AT=4 N=50", "AT=0 N=1", "AT=16 N=80"]} {
  tile.kernel (%i) in (1) threads(256) {
    %as = tile.alloc : memref<128x32xf16, #tile.shared>
    %bs = tile.alloc : memref<32x64xf16, #tile.shared>
    %acc = tile.alloc : memref<128x64xf32, #tile.fragment>
    tile.copy %a, %as
    tile.copy %b, %bs
    tile.gemm %as, %bs, %acc {clear}
    tile.copy %acc, %c[0, %at]
  }
  return
}
func.func @floats_reference(%a: memref<128x32xf16>, %b: memref<32x64xf16>, %at: index {tile.shape = "AT"}, %c: memref<128x?xf8E4M3FN>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %c, %c1 : memref<128x?xf8E4M3FN>
  %left = arith.subi %n, %at : index
  %end = arith.minsi %left, %c64 : index
  scf.for %i = %c0 to %c128 step %c1 {
    scf.for %j = %c0 to %end step %c1 {
      %sum = scf.for %l = %c0 to %c32 step %c1 iter_args(%acc = %zero) -> f32 {
        %x = memref.load %a[%i, %l] : memref<128x32xf16>
        %y = memref.load %b[%l, %j] : memref<32x64xf16>
        %u = arith.extf %x : f16 to f32
        %v = arith.extf %y : f16 to f32
        %p = arith.mulf %u, %v : f32
        %s = arith.addf %acc, %p : f32
        scf.yield %s : f32
      }
      %t = arith.truncf %sum : f32 to f8E4M3FN
      %column = arith.addi %at, %j : index
      memref.store %t, %c[%i, %column] : memref<128x?xf8E4M3FN>
    }
  }
  return
}
