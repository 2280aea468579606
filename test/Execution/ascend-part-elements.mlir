// REQUIRES: tile-run
// RUN: tile-run --target=ascend --check=cpu --func=columns --func=bytes --func=narrow --func=deep --func=steps --func=known --func=stored %s | FileCheck %s
// RUN: tile-run --target=ascend --chip=950 --check=cpu --func=columns --func=bytes --func=narrow --func=deep --func=steps --func=known --func=stored %s | FileCheck %s

// Parts of tiles that begin inside of a block, at offsets known when compiled or only when run, against the CPU.

// CHECK-NOT: FAIL
// CHECK: {{^}}9 passed, 0 failed

func.func @columns(%a: memref<8x32xf32>, %c: memref<8x32xf32> {tile.result}) {
  tile.kernel (%p) in (1) {
    %x = tile.alloc : memref<8x32xf32, #tile.fragment>
    %z = tile.alloc : memref<8x32xf32, #tile.fragment>
    tile.copy %a, %x : memref<8x32xf32>, memref<8x32xf32, #tile.fragment>
    tile.fill %z, 0.0 : memref<8x32xf32, #tile.fragment>
    tile.copy %x[0, 1] [8, 16], %z[0, 0] [8, 16] : memref<8x32xf32, #tile.fragment>, memref<8x32xf32, #tile.fragment>
    tile.copy %x[1, 0] [3, 9], %z[2, 17] [3, 9] : memref<8x32xf32, #tile.fragment>, memref<8x32xf32, #tile.fragment>
    tile.copy %z, %c : memref<8x32xf32, #tile.fragment>, memref<8x32xf32>
  }
  return
}

func.func @bytes(%a: memref<8x64xi8> {tile.init = "integers(-128,127)"}, %c: memref<8x64xi8> {tile.result}) {
  %seven = arith.constant 7 : i8
  tile.kernel (%k) in (1) {
    %s = tile.alloc : memref<8x64xi8, #tile.shared>
    %t = tile.alloc : memref<8x64xi8, #tile.fragment>
    tile.copy %a, %s : memref<8x64xi8>, memref<8x64xi8, #tile.shared>
    tile.fill %t, %seven : memref<8x64xi8, #tile.fragment>
    tile.copy %s[2, 3] [2, 12], %t[0, 12] [2, 12] : memref<8x64xi8, #tile.shared>, memref<8x64xi8, #tile.fragment>
    tile.copy %t, %c : memref<8x64xi8, #tile.fragment>, memref<8x64xi8>
  }
  return
}

// Elements are converted on the way.
func.func @narrow(%a: memref<8x32xf32>, %c: memref<8x32xf16> {tile.result}) {
  tile.kernel (%p) in (1) {
    %x = tile.alloc : memref<8x32xf32, #tile.fragment>
    %z = tile.alloc : memref<8x32xf16, #tile.fragment>
    tile.copy %a, %x : memref<8x32xf32>, memref<8x32xf32, #tile.fragment>
    tile.fill %z, 1.0 : memref<8x32xf16, #tile.fragment>
    tile.copy %x[0, 5] [8, 10], %z[0, 3] [8, 10] : memref<8x32xf32, #tile.fragment>, memref<8x32xf16, #tile.fragment>
    tile.copy %z, %c : memref<8x32xf16, #tile.fragment>, memref<8x32xf16>
  }
  return
}

func.func @deep(%a: memref<2x8x16xf32>, %c: memref<2x8x16xf32> {tile.result}) {
  tile.kernel (%p) in (1) {
    %x = tile.alloc : memref<2x8x16xf32, #tile.fragment>
    %z = tile.alloc : memref<2x8x16xf32, #tile.fragment>
    tile.copy %a, %x : memref<2x8x16xf32>, memref<2x8x16xf32, #tile.fragment>
    tile.fill %z, 0.0 : memref<2x8x16xf32, #tile.fragment>
    tile.copy %x[0, 2, 3] [2, 4, 8], %z[0, 1, 8] [2, 4, 8] : memref<2x8x16xf32, #tile.fragment>, memref<2x8x16xf32, #tile.fragment>
    tile.copy %z, %c : memref<2x8x16xf32, #tile.fragment>, memref<2x8x16xf32>
  }
  return
}

// Offsets that nothing is known of: those of a loop, and one that is read.
func.func @steps(%a: memref<8x32xf32>, %n: memref<4xi32> {tile.init = "integers(0,6)"}, %c: memref<8x?xf32> {tile.shape = "8xN", tile.result})
    attributes {tile.cases = ["N=32", "N=40"]} {
  %c2 = arith.constant 2 : index
  tile.kernel (%p) in (1) {
    %x = tile.alloc : memref<8x32xf32, #tile.fragment>
    %z = tile.alloc : memref<8x32xf32, #tile.fragment>
    tile.copy %a, %x : memref<8x32xf32>, memref<8x32xf32, #tile.fragment>
    tile.fill %z, 0.0 : memref<8x32xf32, #tile.fragment>
    tile.pipelined %s = 0 to 5 stages(1) {
      tile.copy %x[0, %s * 3] [8, 5], %z[0, %s * 5] [8, 5] : memref<8x32xf32, #tile.fragment>, memref<8x32xf32, #tile.fragment>
    }
    %read = memref.load %n[%c2] : memref<4xi32>
    %at = arith.index_cast %read : i32 to index
    tile.copy %x[0, %at] [8, 7], %z[0, 25] [8, 7] : memref<8x32xf32, #tile.fragment>, memref<8x32xf32, #tile.fragment>
    tile.copy %z, %c : memref<8x32xf32, #tile.fragment>, memref<8x?xf32>
  }
  return
}

// Multiples of a block need no elements.
func.func @known(%a: memref<8x32xf32>, %c: memref<8x32xf32> {tile.result}) {
  tile.kernel (%p) in (1) {
    %x = tile.alloc : memref<8x32xf32, #tile.fragment>
    %z = tile.alloc : memref<8x32xf32, #tile.fragment>
    tile.copy %a, %x : memref<8x32xf32>, memref<8x32xf32, #tile.fragment>
    tile.pipelined %s = 0 to 4 stages(1) {
      tile.copy %x[0, %s * 8] [8, 8], %z[0, 24 - %s * 8] [8, 8] : memref<8x32xf32, #tile.fragment>, memref<8x32xf32, #tile.fragment>
    }
    tile.copy %z, %c : memref<8x32xf32, #tile.fragment>, memref<8x32xf32>
  }
  return
}

// Loads and stores of parts.
func.func @stored(%a: memref<8x?xf16> {tile.shape = "8xN"}, %c: memref<8x?xf16> {tile.shape = "8xN", tile.result})
    attributes {tile.cases = ["N=32", "N=23"]} {
  tile.kernel (%p) in (1) {
    %x = tile.alloc : memref<8x40xf16, #tile.fragment>
    tile.fill %x, 2.0 : memref<8x40xf16, #tile.fragment>
    tile.copy %a[0, 0] [8, 32], %x[0, 5] [8, 32] : memref<8x?xf16>, memref<8x40xf16, #tile.fragment>
    tile.copy %x[0, 3] [8, 32], %c[0, 0] [8, 32] : memref<8x40xf16, #tile.fragment>, memref<8x?xf16>
  }
  return
}
