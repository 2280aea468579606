// A loop of one gemm whose sums threads add up, with factors of rows in a stage: two iterations are one, with stages and sums of their
// own, and additions run beside the next gemm; over the tiles of a persistent block, too. A product of what threads compute from a
// tile stays as it is.

// REQUIRES: tile-run, nvidia
// RUN: tile-run %s --func=rows --func=carried --target=cuda --chip=sm_90a --device=model --check=cpu --no-notes | FileCheck %s
// CHECK: {{^}}3 passed, 0 failed{{$}}

// RUN: tile-opt %s --tile-to-gpu-pipeline=chip=sm_90a -o /dev/null --remarks-filter='tile-schedule' 2>&1 | grep -c PairedGemms | FileCheck %s --check-prefix=COUNT
// COUNT: {{^}}1{{$}}

!acc = memref<128x64xf32, #tile.fragment>

func.func @rows(%x: memref<?x1024xf16> {tile.shape = "Mx1024", tile.init = "integers(-2,2)"},
    %y: memref<64x1024xf16> {tile.init = "integers(-2,2)"},
    %f: memref<16x?xf32> {tile.shape = "16xM", tile.init = "integers(-3,3)"},
    %r: memref<?x64xf32> {tile.shape = "Mx64", tile.result}) attributes {tile.cases = ["M=256", "M=128"]} {
  tile.kernel (%i) in (ceildiv(dim(%x, 0), 128)) threads(256) {
    %as = tile.alloc : memref<128x64xf16, #tile.shared>
    %bs = tile.alloc : memref<64x64xf16, #tile.shared>
    %fs = tile.alloc : memref<128xf32, #tile.shared>
    %p = tile.alloc : !acc
    %sum = tile.alloc : !acc
    tile.fill %sum, 0.0
    tile.pipelined %k = 0 to 16 stages(4) {
      tile.copy %x[%i * 128, %k * 64], %as
      tile.copy %y[0, %k * 64], %bs
      tile.copy %f[%k, %i * 128], %fs
      tile.gemm %as, %bs, %p {clear, transpose_b}
      tile.parallel (%u, %v) in (128, 64) do %sum[%u, %v] = %sum[%u, %v] + %p[%u, %v] * %fs[%u]
    }
    tile.copy %sum, %r[%i * 128, 0]
  }
  return
}

func.func @carried(%x: memref<128x1024xf16> {tile.init = "integers(-1,1)"},
    %y: memref<64x1024xf16> {tile.init = "integers(-1,1)"}, %r: memref<128x64xf32> {tile.result}) {
  tile.kernel (%i) in (1) threads(256) {
    %as = tile.alloc : memref<128x64xf16, #tile.shared>
    %bs = tile.alloc : memref<64x64xf16, #tile.shared>
    %w = tile.alloc : memref<128x64xf16, #tile.fragment>
    %p = tile.alloc : !acc
    %sum = tile.alloc : !acc
    tile.fill %sum, 0.0
    tile.pipelined %k = 0 to 16 stages(4) {
      tile.copy %x[0, %k * 64], %as
      tile.copy %y[0, %k * 64], %bs
      tile.parallel (%u, %v) in (128, 64) do %w[%u, %v] = %as[%u, %v]
      tile.gemm %w, %bs, %p {clear, transpose_b}
      tile.parallel (%u, %v) in (128, 64) do %sum[%u, %v] = %sum[%u, %v] + %p[%u, %v]
    }
    tile.copy %sum, %r[0, 0]
  }
  return
}
