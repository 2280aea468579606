// A of gemms in registers, loaded in front of the loop. ptxas 12.9 and 13.0 give such registers to others after the first iteration
// (attention with 64 queries of 64 columns was wrong on an H200, its PTX right), but not what an instruction behind the loop may
// read, as a store behind a condition that is never true. What the loop writes itself needs none of that.

// REQUIRES: tile-run, nvidia
// RUN: tile-run %s --func=kept --func=renewed --target=cuda --chip=sm_90a --device=model --check=cpu --no-notes | FileCheck %s
// CHECK: {{^}}6 passed, 0 failed{{$}}

// RUN: tile-translate --tile-to-ptx --chip=sm_90a --gpu-function=kept %s | FileCheck %s --check-prefix=KEPT
// RUN: tile-translate --tile-to-ptx --chip=sm_90a --gpu-function=renewed %s | FileCheck %s --check-prefix=RENEWED
// KEPT:        wgmma.mma_async
// KEPT:        wgmma.mma_async
// KEPT:        %nctaid.z
// KEPT-COUNT-16: st.volatile.shared.b32
// KEPT-NOT:    wgmma.mma_async
// RENEWED-NOT: %nctaid.z
// RENEWED:     wgmma.mma_async

func.func @kept(%x: memref<?x64xf16> {tile.shape = "Mx64", tile.init = "integers(-2,2)"},
    %y: memref<?x64xf16> {tile.shape = "Nx64", tile.init = "integers(-2,2)"},
    %r: memref<?x64xf32> {tile.shape = "Mx64", tile.result})
    attributes {tile.cases = ["M=256 N=192", "M=100 N=64", "M=70 N=1", "M=64 N=0"]} {
  tile.kernel (%i) in (ceildiv(dim(%x, 0), 64)) threads(128) {
    %a = tile.alloc : memref<64x64xf16, #tile.fragment>
    %b = tile.alloc : memref<64x64xf16, #tile.shared>
    %s = tile.alloc : memref<64x64xf32, #tile.fragment>
    %p = tile.alloc : memref<64x64xf16, #tile.fragment>
    %c = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %c, 0.0
    tile.copy %x[%i * 64, 0], %a
    tile.pipelined %k = 0 to ceildiv(dim(%y, 0), 64) stages(2) {
      tile.copy %y[%k * 64, 0], %b
      tile.fill %s, 1.0
      tile.gemm %a, %b, %s {transpose_b}
      tile.parallel (%u, %v) in (64, 64) do %p[%u, %v] = f16(%s[%u, %v] * 0.0625)
      tile.gemm %p, %b, %c
    }
    tile.copy %c, %r[%i * 64, 0]
  }
  return
}

func.func @renewed(%x: memref<?x64xf16> {tile.shape = "Mx64", tile.init = "integers(-2,2)"},
    %y: memref<64x64xf16> {tile.init = "integers(-2,2)"}, %r: memref<64x64xf32> {tile.result})
    attributes {tile.cases = ["M=192", "M=64"]} {
  tile.kernel (%i) in (1) threads(128) {
    %a = tile.alloc : memref<64x64xf16, #tile.fragment>
    %b = tile.alloc : memref<64x64xf16, #tile.shared>
    %c = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %c, 0.0
    tile.copy %y, %b
    tile.pipelined %k = 0 to ceildiv(dim(%x, 0), 64) stages(2) {
      tile.copy %x[%k * 64, 0], %a
      tile.gemm %a, %b, %c
    }
    tile.copy %c, %r
  }
  return
}
