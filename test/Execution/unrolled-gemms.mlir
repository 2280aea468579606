// Threads add up what two gemms of an iteration give, each with a factor of its own. Four iterations are one, in one round and in
// three, for the next tile of a persistent block again, or eight; with as many stages as a round has iterations, too. Three where the
// program says so, and where one sum is all there is.

// REQUIRES: tile-run, nvidia
// RUN: tile-run %s --func=rounds --func=one_round --func=eight --func=chosen --func=stages --func=apart --target=cuda --chip=sm_90a --device=model --check=cpu --no-notes | FileCheck %s
// CHECK: {{^}}7 passed, 0 failed{{$}}

// RUN: tile-opt %s --tile-to-gpu-pipeline=chip=sm_90a -o /dev/null --remarks-filter='tile-schedule' 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: UnrolledGemms {{.*}}iterations=4
// REMARK: UnrolledGemms {{.*}}iterations=4
// REMARK: UnrolledGemms {{.*}}iterations=8
// REMARK: UnrolledGemms {{.*}}iterations=3
// REMARK: UnrolledGemms {{.*}}iterations=4
// REMARK: UnrolledGemms {{.*}}iterations=6

// RUN: tile-translate %s --tile-to-ptx --chip=sm_90a --gpu-function=stages --notes=false | FileCheck %s --check-prefix=STAGES
// STAGES-NOT: try_wait.parity.shared.b64 {{.*}}[%r
// STAGES: ret;

!acc = memref<128x64xf32, #tile.fragment>

func.func @rounds(%x: memref<?x1536xf16> {tile.shape = "Mx1536", tile.init = "integers(-2,2)"},
    %y: memref<64x1536xf16> {tile.init = "integers(-2,2)"}, %f: memref<24xf32> {tile.init = "integers(-3,3)"},
    %r: memref<?x64xf32> {tile.shape = "Mx64", tile.result}) attributes {tile.cases = ["M=256", "M=100"]} {
  tile.kernel (%i) in (ceildiv(dim(%x, 0), 128)) threads(256) {
    %as = tile.alloc : memref<128x64xf16, #tile.shared>
    %bs = tile.alloc : memref<64x64xf16, #tile.shared>
    %at = tile.alloc : memref<128x64xf16, #tile.shared>
    %bt = tile.alloc : memref<64x64xf16, #tile.shared>
    %p = tile.alloc : !acc
    %q = tile.alloc : !acc
    %sum = tile.alloc : !acc
    tile.fill %sum, 0.0
    tile.pipelined %k = 0 to 12 stages(2) {
      tile.copy %x[%i * 128, %k * 128], %as
      tile.copy %y[0, %k * 128], %bs
      tile.copy %x[%i * 128, %k * 128 + 64], %at
      tile.copy %y[0, %k * 128 + 64], %bt
      %first = memref.load %f[%k] : memref<24xf32>
      %k1 = affine.apply affine_map<(k) -> (k + 12)>(%k)
      %second = memref.load %f[%k1] : memref<24xf32>
      tile.gemm %as, %bs, %p {clear, transpose_b}
      tile.gemm %at, %bt, %q {clear, transpose_b}
      tile.parallel (%u, %v) in (128, 64) do %sum[%u, %v] = %sum[%u, %v] + %p[%u, %v] * %first
      tile.parallel (%u, %v) in (128, 64) do %sum[%u, %v] = %sum[%u, %v] + %q[%u, %v] * %second
    }
    tile.copy %sum, %r[%i * 128, 0]
  }
  return
}

func.func @one_round(%x: memref<128x512xf16> {tile.init = "integers(-2,2)"}, %y: memref<64x512xf16> {tile.init = "integers(-2,2)"},
    %r: memref<128x64xf32> {tile.result}) {
  tile.kernel (%i) in (1) threads(256) {
    %as = tile.alloc : memref<128x64xf16, #tile.shared>
    %bs = tile.alloc : memref<64x64xf16, #tile.shared>
    %at = tile.alloc : memref<128x64xf16, #tile.shared>
    %bt = tile.alloc : memref<64x64xf16, #tile.shared>
    %p = tile.alloc : !acc
    %q = tile.alloc : !acc
    %sum = tile.alloc : !acc
    tile.fill %sum, 0.0
    tile.pipelined %k = 0 to 4 stages(4) {
      tile.copy %x[0, %k * 128], %as
      tile.copy %y[0, %k * 128], %bs
      tile.copy %x[0, %k * 128 + 64], %at
      tile.copy %y[0, %k * 128 + 64], %bt
      tile.gemm %as, %bs, %p {clear, transpose_b}
      tile.gemm %at, %bt, %q {clear, transpose_b}
      tile.parallel (%u, %v) in (128, 64) do %sum[%u, %v] = %sum[%u, %v] + %p[%u, %v] * 2.0
      tile.parallel (%u, %v) in (128, 64) do %sum[%u, %v] = %sum[%u, %v] - %q[%u, %v]
    }
    tile.copy %sum, %r[0, 0]
  }
  return
}

func.func @eight(%x: memref<128x1024xf16> {tile.init = "integers(-2,2)"}, %y: memref<64x1024xf16> {tile.init = "integers(-2,2)"},
    %r: memref<128x64xf32> {tile.result}) {
  tile.kernel (%i) in (1) threads(256) {
    %as = tile.alloc : memref<128x64xf16, #tile.shared>
    %bs = tile.alloc : memref<64x64xf16, #tile.shared>
    %at = tile.alloc : memref<128x64xf16, #tile.shared>
    %bt = tile.alloc : memref<64x64xf16, #tile.shared>
    %p = tile.alloc : !acc
    %q = tile.alloc : !acc
    %sum = tile.alloc : !acc
    tile.fill %sum, 0.0
    tile.pipelined %k = 0 to 8 stages(3) {
      tile.copy %x[0, %k * 128], %as
      tile.copy %y[0, %k * 128], %bs
      tile.copy %x[0, %k * 128 + 64], %at
      tile.copy %y[0, %k * 128 + 64], %bt
      tile.gemm %as, %bs, %p {clear, transpose_b}
      tile.gemm %at, %bt, %q {clear, transpose_b}
      tile.parallel (%u, %v) in (128, 64) do %sum[%u, %v] = %sum[%u, %v] + %p[%u, %v] * 2.0
      tile.parallel (%u, %v) in (128, 64) do %sum[%u, %v] = %sum[%u, %v] - %q[%u, %v]
    }
    tile.copy %sum, %r[0, 0]
  }
  return
}

func.func @chosen(%x: memref<128x768xf16> {tile.init = "integers(-2,2)"}, %y: memref<64x768xf16> {tile.init = "integers(-2,2)"},
    %r: memref<128x64xf32> {tile.result}) {
  tile.kernel (%i) in (1) threads(256) {
    %as = tile.alloc : memref<128x64xf16, #tile.shared>
    %bs = tile.alloc : memref<64x64xf16, #tile.shared>
    %at = tile.alloc : memref<128x64xf16, #tile.shared>
    %bt = tile.alloc : memref<64x64xf16, #tile.shared>
    %p = tile.alloc : !acc
    %q = tile.alloc : !acc
    %sum = tile.alloc : !acc
    tile.fill %sum, 0.0
    tile.pipelined %k = 0 to 6 stages(2) attributes {tile.unroll = 3} {
      tile.copy %x[0, %k * 128], %as
      tile.copy %y[0, %k * 128], %bs
      tile.copy %x[0, %k * 128 + 64], %at
      tile.copy %y[0, %k * 128 + 64], %bt
      tile.gemm %as, %bs, %p {clear, transpose_b}
      tile.gemm %at, %bt, %q {clear, transpose_b}
      tile.parallel (%u, %v) in (128, 64) do %sum[%u, %v] = %sum[%u, %v] + %p[%u, %v] * 2.0
      tile.parallel (%u, %v) in (128, 64) do %sum[%u, %v] = %sum[%u, %v] - %q[%u, %v]
    }
    tile.copy %sum, %r[0, 0]
  }
  return
}

// One sum: iterations stand one behind the other. Four of four stages have constant numbers.
func.func @stages(%x: memref<128x768xf16> {tile.init = "integers(-2,2)"}, %y: memref<64x768xf16> {tile.init = "integers(-2,2)"},
    %r: memref<128x64xf32> {tile.result}) {
  tile.kernel (%i) in (1) threads(256) {
    %as = tile.alloc : memref<128x64xf16, #tile.shared>
    %bs = tile.alloc : memref<64x64xf16, #tile.shared>
    %sum = tile.alloc : !acc
    tile.fill %sum, 0.0
    tile.pipelined %k = 0 to 12 stages(4) attributes {tile.unroll = 4} {
      tile.copy %x[0, %k * 64], %as
      tile.copy %y[0, %k * 64], %bs
      tile.gemm %as, %bs, %sum {transpose_b}
    }
    tile.copy %sum, %r[0, 0]
  }
  return
}

// Six iterations of four stages, which have other numbers each time.
func.func @apart(%x: memref<128x768xf16> {tile.init = "integers(-2,2)"}, %y: memref<64x768xf16> {tile.init = "integers(-2,2)"},
    %r: memref<128x64xf32> {tile.result}) {
  tile.kernel (%i) in (1) threads(256) {
    %as = tile.alloc : memref<128x64xf16, #tile.shared>
    %bs = tile.alloc : memref<64x64xf16, #tile.shared>
    %sum = tile.alloc : !acc
    tile.fill %sum, 0.0
    tile.pipelined %k = 0 to 12 stages(4) attributes {tile.unroll = 6} {
      tile.copy %x[0, %k * 64], %as
      tile.copy %y[0, %k * 64], %bs
      tile.gemm %as, %bs, %sum {transpose_b}
    }
    tile.copy %sum, %r[0, 0]
  }
  return
}
