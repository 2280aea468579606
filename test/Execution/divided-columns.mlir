// Keys that are values, too, in halves of their columns, of which the second is multiplied beside the next scores: no iteration, one,
// few, tails. All numbers are small integers, and all sums exact. The first columns of the queries are in registers, so that
// the addresses of the others are computed for each gemm by itself: ptxas would spill them.

// REQUIRES: tile-run, nvidia
// RUN: tile-run %s --func=attention --func=anew --func=chosen --func=masked --func=through --target=cuda --chip=sm_90a --device=model --check=cpu --no-notes | FileCheck %s
// RUN: env TILE_SIMT_SEED=11 tile-run %s --func=attention --func=anew --func=chosen --func=masked --func=through --target=cuda --chip=sm_90a --device=model --check=cpu --no-notes | FileCheck %s
// RUN: tile-opt %s --tile-to-gpu-pipeline=chip=sm_90a --remarks-filter='tile-schedule|tile-select-instructions' 2>&1 | FileCheck %s --check-prefix=GPU
// CHECK: {{^}}23 passed, 0 failed{{$}}

// GPU: [Passed] DividedColumns
// GPU: [Passed] RegisterOperand
// GPU: [Passed] GemmOverlap
// GPU-DAG: llvm.inline_asm has_side_effects {{.*}}"", "=l,0"
func.func @attention(%q: memref<?x576xf16> {tile.shape = "Mx576", tile.init = "integers(-1,1)"},
    %kv: memref<?x576xf16> {tile.shape = "Nx576", tile.init = "integers(-1,1)"},
    %o: memref<?x512xf32> {tile.shape = "Mx512", tile.result})
    attributes {tile.cases = ["M=64 N=0", "M=64 N=64", "M=64 N=128", "M=128 N=192", "M=64 N=320", "M=40 N=1", "M=64 N=65", "M=64 N=255",
                              "M=100 N=200"]} {
  tile.kernel (%x) in (ceildiv(dim(%q, 0), 64)) threads(256) {
    %qs = tile.alloc : memref<64x512xf16, #tile.shared>
    %qr = tile.alloc : memref<64x64xf16, #tile.shared>
    %ks = tile.alloc : memref<64x512xf16, #tile.shared>
    %kr = tile.alloc : memref<64x64xf16, #tile.shared>
    %p = tile.alloc : memref<64x64xf16, #tile.shared>
    %s = tile.alloc : memref<64x64xf32, #tile.fragment>
    %acc = tile.alloc : memref<64x512xf32, #tile.fragment>
    %max = tile.alloc : memref<64xf32, #tile.fragment>
    tile.copy %q[%x * 64, 0], %qs
    tile.copy %q[%x * 64, 512], %qr
    tile.fill %acc, 0.0
    tile.pipelined %k = 0 to ceildiv(dim(%kv, 0), 64) stages(2) {
      tile.copy %kv[%k * 64, 0], %ks
      tile.copy %kv[%k * 64, 512], %kr
      tile.gemm %qs, %ks, %s {clear, transpose_b}
      tile.gemm %qr, %kr, %s {transpose_b}
      tile.reduce max %s, %max dim(1)
      tile.copy %s, %p
      tile.parallel (%i, %j) in (64, 512) do %acc[%i, %j] = %acc[%i, %j] + %max[%i]
      tile.gemm %p, %ks, %acc
    }
    tile.copy %acc, %o[%x * 64, 0]
  }
  return
}

// The second gemm begins anew: no half of the first one comes behind it.
func.func @anew(%q: memref<?x576xf16> {tile.shape = "Mx576", tile.init = "integers(-1,1)"},
    %kv: memref<?x576xf16> {tile.shape = "Nx576", tile.init = "integers(-1,1)"},
    %o: memref<?x512xf32> {tile.shape = "Mx512", tile.result})
    attributes {tile.cases = ["M=64 N=65", "M=100 N=200"]} {
  tile.kernel (%x) in (ceildiv(dim(%q, 0), 64)) threads(256) {
    %qs = tile.alloc : memref<64x512xf16, #tile.shared>
    %qr = tile.alloc : memref<64x64xf16, #tile.shared>
    %ks = tile.alloc : memref<64x512xf16, #tile.shared>
    %kr = tile.alloc : memref<64x64xf16, #tile.shared>
    %p = tile.alloc : memref<64x64xf16, #tile.shared>
    %s = tile.alloc : memref<64x64xf32, #tile.fragment>
    %acc = tile.alloc : memref<64x512xf32, #tile.fragment>
    %max = tile.alloc : memref<64xf32, #tile.fragment>
    tile.copy %q[%x * 64, 0], %qs
    tile.copy %q[%x * 64, 512], %qr
    tile.fill %acc, 0.0
    tile.pipelined %k = 0 to ceildiv(dim(%kv, 0), 64) stages(2) {
      tile.copy %kv[%k * 64, 0], %ks
      tile.copy %kv[%k * 64, 512], %kr
      tile.gemm %qs, %ks, %s {clear, transpose_b}
      tile.gemm %qr, %kr, %s {clear, transpose_b}
      tile.reduce max %s, %max dim(1)
      tile.copy %s, %p
      tile.parallel (%i, %j) in (64, 512) do %acc[%i, %j] = %acc[%i, %j] + %max[%i]
      tile.gemm %p, %ks, %acc
    }
    tile.copy %acc, %o[%x * 64, 0]
  }
  return
}

// Rows that a list names: none of them, some of which do not exist, the end of a list within a tile. The threads of the
// producer read the list once for both halves, before they wait for a stage.
func.func @chosen(%q: memref<?x576xf16> {tile.shape = "Mx576", tile.init = "integers(-1,1)"},
    %kv: memref<?x576xf16> {tile.shape = "Nx576", tile.init = "integers(-1,1)"},
    %list: memref<?x?xi32> {tile.shape = "2xT", tile.init = "integers(-9,60)"},
    %o: memref<?x512xf32> {tile.shape = "Mx512", tile.result})
    attributes {tile.cases = ["M=64 N=50 T=0", "M=64 N=50 T=1", "M=64 N=1 T=64", "M=100 N=50 T=65", "M=64 N=200 T=130", "M=40 N=50 T=255"]} {
  tile.kernel (%x) in (ceildiv(dim(%q, 0), 64)) threads(256) {
    %qs = tile.alloc : memref<64x512xf16, #tile.shared>
    %qr = tile.alloc : memref<64x64xf16, #tile.shared>
    %ks = tile.alloc : memref<64x512xf16, #tile.shared>
    %kr = tile.alloc : memref<64x64xf16, #tile.shared>
    %p = tile.alloc : memref<64x64xf16, #tile.shared>
    %s = tile.alloc : memref<64x64xf32, #tile.fragment>
    %acc = tile.alloc : memref<64x512xf32, #tile.fragment>
    %max = tile.alloc : memref<64xf32, #tile.fragment>
    tile.copy %q[%x * 64, 0], %qs
    tile.copy %q[%x * 64, 512], %qr
    tile.fill %acc, 0.0
    tile.pipelined %k = 0 to ceildiv(dim(%list, 1), 64) stages(2) {
      tile.gather %kv[0, 0] by %list[1, %k * 64], %ks
      tile.gather %kv[0, 512] by %list[1, %k * 64], %kr
      tile.gemm %qs, %ks, %s {clear, transpose_b}
      tile.gemm %qr, %kr, %s {transpose_b}
      tile.reduce max %s, %max dim(1)
      tile.copy %s, %p
      tile.parallel (%i, %j) in (64, 512) do %acc[%i, %j] = %acc[%i, %j] + %max[%i]
      tile.gemm %p, %ks, %acc
    }
    tile.copy %acc, %o[%x * 64, 0]
  }
  return
}

// The list is read for a mask, too: in front of the products, while the factors of the keys are made behind their start.
func.func @masked(%q: memref<?x576xf16> {tile.shape = "Mx576", tile.init = "integers(-1,1)"},
    %kv: memref<?x576xf16> {tile.shape = "Nx576", tile.init = "integers(-1,1)"},
    %list: memref<?xi32> {tile.shape = "T", tile.init = "integers(-9,60)"},
    %o: memref<?x512xf32> {tile.shape = "Mx512", tile.result})
    attributes {tile.cases = ["M=64 N=50 T=0", "M=64 N=50 T=64", "M=100 N=50 T=65", "M=64 N=200 T=252"]} {
  tile.kernel (%x) in (ceildiv(dim(%q, 0), 64)) threads(256) {
    %qs = tile.alloc : memref<64x512xf16, #tile.shared>
    %qr = tile.alloc : memref<64x64xf16, #tile.shared>
    %ks = tile.alloc : memref<64x512xf16, #tile.shared>
    %kr = tile.alloc : memref<64x64xf16, #tile.shared>
    %p = tile.alloc : memref<64x64xf16, #tile.shared>
    %at = tile.alloc : memref<64xi32, #tile.shared>
    %factor = tile.alloc : memref<64xf32, #tile.fragment>
    %s = tile.alloc : memref<64x64xf32, #tile.fragment>
    %acc = tile.alloc : memref<64x512xf32, #tile.fragment>
    tile.copy %q[%x * 64, 0], %qs
    tile.copy %q[%x * 64, 512], %qr
    tile.fill %acc, 0.0
    tile.pipelined %k = 0 to ceildiv(dim(%list, 0), 64) stages(2) {
      tile.copy %list[%k * 64], %at
      tile.gather %kv[0, 0] by %list[%k * 64], %ks
      tile.gather %kv[0, 512] by %list[%k * 64], %kr
      tile.gemm %qs, %ks, %s {clear, transpose_b}
      tile.gemm %qr, %kr, %s {transpose_b}
      tile.parallel (%j) in (64) do %factor[%j] = select(and(%at[%j] >= 0, %at[%j] <= 40), 1.0, -1.0)
      tile.parallel (%i, %j) in (64, 64) do %s[%i, %j] = %s[%i, %j] * %factor[%j]
      tile.copy %s, %p
      tile.gemm %p, %ks, %acc
    }
    tile.copy %acc, %o[%x * 64, 0]
  }
  return
}

// The sums leave through a shared tile, as in programs of TileLang.
func.func @through(%q: memref<?x512xf16> {tile.shape = "Mx512", tile.init = "integers(-1,1)"},
    %kv: memref<?x512xf16> {tile.shape = "Nx512", tile.init = "integers(-1,1)"},
    %o: memref<?x512xf16> {tile.shape = "Mx512", tile.result})
    attributes {tile.cases = ["M=64 N=65", "M=100 N=200"]} {
  tile.kernel (%x) in (ceildiv(dim(%q, 0), 64)) threads(256) {
    %qs = tile.alloc : memref<64x512xf16, #tile.shared>
    %ks = tile.alloc : memref<64x512xf16, #tile.shared>
    %p = tile.alloc : memref<64x64xf16, #tile.shared>
    %os = tile.alloc : memref<64x512xf16, #tile.shared>
    %s = tile.alloc : memref<64x64xf32, #tile.fragment>
    %acc = tile.alloc : memref<64x512xf32, #tile.fragment>
    tile.copy %q[%x * 64, 0], %qs
    tile.fill %acc, 0.0
    tile.pipelined %k = 0 to ceildiv(dim(%kv, 0), 64) stages(2) {
      tile.copy %kv[%k * 64, 0], %ks
      tile.gemm %qs, %ks, %s {clear, transpose_b}
      tile.copy %s, %p
      tile.gemm %p, %ks, %acc
    }
    tile.copy %acc, %os
    tile.copy %os, %o[%x * 64, 0]
  }
  return
}
