// Factors of rows are read from their stage before the gemm starts whose sums they are for, and the stage is given back before these
// sums are there: the next factors must not overtake them, in a loop as it is, in one whose iterations became fewer, and with the
// next tile of a persistent block behind it. With one stage, nothing is read early.

// REQUIRES: tile-run, nvidia
// RUN: tile-run %s --func=six --func=twelve --func=one_stage --target=cuda --chip=sm_90a --device=model --check=cpu --no-notes | FileCheck %s
// CHECK: {{^}}4 passed, 0 failed{{$}}

// RUN: tile-opt %s --tile-to-gpu-pipeline=chip=sm_90a -o /dev/null --remarks-filter='tile-schedule' 2>&1 | grep -c EarlyReads | FileCheck %s --check-prefix=COUNT
// COUNT: {{^}}2{{$}}

!acc = memref<128x64xf32, #tile.fragment>

func.func @six(%x: memref<?x768xf16> {tile.shape = "Mx768", tile.init = "integers(-2,2)"},
    %y: memref<64x768xf16> {tile.init = "integers(-2,2)"},
    %f: memref<12x?xf32> {tile.shape = "12xM", tile.init = "integers(-3,3)"},
    %r: memref<?x64xf32> {tile.shape = "Mx64", tile.result}) attributes {tile.cases = ["M=256", "M=128"]} {
  tile.kernel (%i) in (ceildiv(dim(%x, 0), 128)) threads(256) {
    %as = tile.alloc : memref<128x64xf16, #tile.shared>
    %bs = tile.alloc : memref<64x64xf16, #tile.shared>
    %at = tile.alloc : memref<128x64xf16, #tile.shared>
    %bt = tile.alloc : memref<64x64xf16, #tile.shared>
    %fs = tile.alloc : memref<128xf32, #tile.shared>
    %ft = tile.alloc : memref<128xf32, #tile.shared>
    %p = tile.alloc : !acc
    %q = tile.alloc : !acc
    %sum = tile.alloc : !acc
    tile.fill %sum, 0.0
    tile.pipelined %k = 0 to 6 stages(2) {
      tile.copy %x[%i * 128, %k * 128], %as
      tile.copy %y[0, %k * 128], %bs
      tile.copy %f[%k * 2, %i * 128], %fs
      tile.copy %x[%i * 128, %k * 128 + 64], %at
      tile.copy %y[0, %k * 128 + 64], %bt
      tile.copy %f[%k * 2 + 1, %i * 128], %ft
      tile.gemm %as, %bs, %p {clear, transpose_b}
      tile.gemm %at, %bt, %q {clear, transpose_b}
      tile.parallel (%u, %v) in (128, 64) do %sum[%u, %v] = %sum[%u, %v] + %p[%u, %v] * %fs[%u]
      tile.parallel (%u, %v) in (128, 64) do %sum[%u, %v] = %sum[%u, %v] + %q[%u, %v] * %ft[%u]
    }
    tile.copy %sum, %r[%i * 128, 0]
  }
  return
}

func.func @twelve(%x: memref<128x1536xf16> {tile.init = "integers(-2,2)"},
    %y: memref<64x1536xf16> {tile.init = "integers(-2,2)"}, %f: memref<24x128xf32> {tile.init = "integers(-3,3)"},
    %r: memref<128x64xf32> {tile.result}) {
  tile.kernel (%i) in (1) threads(256) {
    %as = tile.alloc : memref<128x64xf16, #tile.shared>
    %bs = tile.alloc : memref<64x64xf16, #tile.shared>
    %at = tile.alloc : memref<128x64xf16, #tile.shared>
    %bt = tile.alloc : memref<64x64xf16, #tile.shared>
    %fs = tile.alloc : memref<128xf32, #tile.shared>
    %ft = tile.alloc : memref<128xf32, #tile.shared>
    %p = tile.alloc : !acc
    %q = tile.alloc : !acc
    %sum = tile.alloc : !acc
    tile.fill %sum, 0.0
    tile.pipelined %k = 0 to 12 stages(2) {
      tile.copy %x[0, %k * 128], %as
      tile.copy %y[0, %k * 128], %bs
      tile.copy %f[%k * 2, 0], %fs
      tile.copy %x[0, %k * 128 + 64], %at
      tile.copy %y[0, %k * 128 + 64], %bt
      tile.copy %f[%k * 2 + 1, 0], %ft
      tile.gemm %as, %bs, %p {clear, transpose_b}
      tile.gemm %at, %bt, %q {clear, transpose_b}
      tile.parallel (%u, %v) in (128, 64) do %sum[%u, %v] = %sum[%u, %v] + %p[%u, %v] * %fs[%u]
      tile.parallel (%u, %v) in (128, 64) do %sum[%u, %v] = %sum[%u, %v] + %q[%u, %v] * %ft[%u]
    }
    tile.copy %sum, %r[0, 0]
  }
  return
}

func.func @one_stage(%x: memref<128x1536xf16> {tile.init = "integers(-2,2)"},
    %y: memref<64x1536xf16> {tile.init = "integers(-2,2)"}, %f: memref<24x128xf32> {tile.init = "integers(-3,3)"},
    %r: memref<128x64xf32> {tile.result}) {
  tile.kernel (%i) in (1) threads(256) {
    %as = tile.alloc : memref<128x64xf16, #tile.shared>
    %bs = tile.alloc : memref<64x64xf16, #tile.shared>
    %at = tile.alloc : memref<128x64xf16, #tile.shared>
    %bt = tile.alloc : memref<64x64xf16, #tile.shared>
    %fs = tile.alloc : memref<128xf32, #tile.shared>
    %ft = tile.alloc : memref<128xf32, #tile.shared>
    %p = tile.alloc : !acc
    %q = tile.alloc : !acc
    %sum = tile.alloc : !acc
    tile.fill %sum, 0.0
    tile.pipelined %k = 0 to 12 stages(1) {
      tile.copy %x[0, %k * 128], %as prefer(tma)
      tile.copy %y[0, %k * 128], %bs prefer(tma)
      tile.copy %f[%k * 2, 0], %fs prefer(tma)
      tile.copy %x[0, %k * 128 + 64], %at prefer(tma)
      tile.copy %y[0, %k * 128 + 64], %bt prefer(tma)
      tile.copy %f[%k * 2 + 1, 0], %ft prefer(tma)
      tile.gemm %as, %bs, %p {clear, transpose_b}
      tile.gemm %at, %bt, %q {clear, transpose_b}
      tile.parallel (%u, %v) in (128, 64) do %sum[%u, %v] = %sum[%u, %v] + %p[%u, %v] * %fs[%u]
      tile.parallel (%u, %v) in (128, 64) do %sum[%u, %v] = %sum[%u, %v] + %q[%u, %v] * %ft[%u]
    }
    tile.copy %sum, %r[0, 0]
  }
  return
}
