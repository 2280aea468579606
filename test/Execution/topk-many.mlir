// Many candidates of tile.topk on the models of GPUs: a thread writes its own out, results lie in fragments or in shared memory, of several
// rows, and old content is enough or not. Values and positions are those of the CPU.
//
// REQUIRES: tile-run, nvidia, amd
// RUN: tile-run --no-notes --target=cuda --chip=sm_90a --device=model --check=cpu --func=rows %s | FileCheck %s
// RUN: tile-run --no-notes --target=hip --chip=gfx942 --device=model --check=cpu --func=rows %s | FileCheck %s
// RUN: tile-run --no-notes --target=cuda --chip=sm_90a --device=model --check=cpu --func=direct %s | FileCheck %s
// RUN: tile-run --no-notes --target=cuda --chip=sm_90a --device=model --check=cpu --func=parts %s | FileCheck %s
// RUN: tile-run --no-notes --target=hip --chip=gfx942 --device=model --check=cpu --func=parts %s | FileCheck %s
// RUN: tile-run --no-notes --target=cuda --chip=sm_90a --device=model --check=cpu --func=equal %s | FileCheck %s
// RUN: tile-run --no-notes --target=hip --chip=gfx942 --device=model --check=cpu --func=equal %s | FileCheck %s
// CHECK-NOT: FAIL
// CHECK: {{^}}1 passed, 0 failed

// Two rows, many ties; values in a fragment, so that nothing goes to its place directly.
func.func @rows(%x: memref<2x1500xf16> {tile.init = "integers(-40,40)"}, %v: memref<2x300xf16> {tile.result},
                %p: memref<2x300xi32> {tile.result}) attributes {tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%b) in (1) threads(256) {
    %xs = tile.alloc : memref<2x1500xf16, #tile.shared>
    %vs = tile.alloc : memref<2x300xf16, #tile.fragment>
    %ps = tile.alloc : memref<2x300xi32, #tile.shared>
    tile.copy %x, %xs
    tile.topk %xs, %vs, %ps
    tile.copy %vs, %v
    tile.copy %ps, %p
  }
  return
}

// Both in shared memory, two rows; no two numbers are equal, mostly.
func.func @direct(%x: memref<2x1500xf32>, %v: memref<2x300xf32> {tile.result}, %p: memref<2x300xi32> {tile.result})
    attributes {tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%b) in (1) threads(256) {
    %xs = tile.alloc : memref<2x1500xf32, #tile.shared>
    %vs = tile.alloc : memref<2x300xf32, #tile.shared>
    %ps = tile.alloc : memref<2x300xi32, #tile.shared>
    tile.copy %x, %xs
    tile.topk %xs, %vs, %ps
    tile.copy %vs, %v
    tile.copy %ps, %p
  }
  return
}

// Parts of a row: the first one has more above the old content than there is room for, the later ones, mostly, have not. The row is in
// registers.
func.func @parts(%x: memref<6000xbf16>, %v: memref<300xbf16> {tile.result}, %p: memref<300xi32> {tile.result})
    attributes {tile.atol = 0.0, tile.rtol = 0.0} {
  %lowest = arith.constant 0xFF80 : bf16
  %none = arith.constant -1 : i32
  tile.kernel (%b) in (1) threads(128) {
    %xs = tile.alloc : memref<2000xbf16, #tile.fragment>
    %vs = tile.alloc : memref<300xbf16, #tile.shared>
    %ps = tile.alloc : memref<300xi32, #tile.shared>
    tile.fill %vs, %lowest : memref<300xbf16, #tile.shared>
    tile.fill %ps, %none : memref<300xi32, #tile.shared>
    tile.pipelined %t = 0 to 3 stages(1) {
      tile.copy %x[%t * 2000], %xs
      tile.topk %xs, %vs, %ps base(%t * 2000) {combine}
    }
    tile.copy %vs, %v
    tile.copy %ps, %p
  }
  return
}

// All elements are equal: positions alone tell them apart, by further digits.
func.func @equal(%x: memref<3000xf32> {tile.init = "integers(3,3)"}, %v: memref<700xf32> {tile.result}, %p: memref<700xi32> {tile.result})
    attributes {tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%b) in (1) threads(512) {
    %xs = tile.alloc : memref<3000xf32, #tile.shared>
    %vs = tile.alloc : memref<700xf32, #tile.shared>
    %ps = tile.alloc : memref<700xi32, #tile.fragment>
    tile.copy %x, %xs
    tile.topk %xs, %vs, %ps
    tile.copy %vs, %v
    tile.copy %ps, %p
  }
  return
}
