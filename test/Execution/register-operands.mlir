// A of gemms that is loaded to registers, where a block is alone on its processor: in front of a loop of any number of iterations,
// none among them, for the next tile of a persistent block again, or in each iteration for two gemms. Of an operand that is too
// large some columns are; one whose keys are values has two halves by then.

// REQUIRES: tile-run, nvidia
// RUN: tile-run %s --func=invariant --func=shared_by_two --func=part --func=divided --target=cuda --chip=sm_90a --device=model --check=cpu --no-notes | FileCheck %s
// CHECK: {{^}}10 passed, 0 failed{{$}}

// RUN: tile-opt %s --tile-to-gpu-pipeline=chip=sm_90a -o /dev/null --remarks-filter='tile-select-instructions' 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK-DAG: [Passed] RegisterOperand {{.*}}Reason="the loop does not change it", gemms=1
// REMARK-DAG: [Passed] RegisterOperand {{.*}}Reason="several gemms read it", gemms=2
// REMARK-DAG: [Passed] RegisterOperand {{.*}}Reason="the loop does not change it", columns=832, gemms=1
// REMARK-DAG: [Passed] DividedColumns {{.*}}Reason="the second half is multiplied late", columns=256

func.func @invariant(%x: memref<?x256xbf16> {tile.shape = "Mx256", tile.init = "integers(-2,2)"},
    %y: memref<?x256xbf16> {tile.shape = "Nx256", tile.init = "integers(-2,2)"},
    %r: memref<?x64xf32> {tile.shape = "Mx64", tile.result})
    attributes {tile.cases = ["M=192 N=320", "M=100 N=64", "M=70 N=1", "M=64 N=0"]} {
  tile.kernel (%i) in (ceildiv(dim(%x, 0), 64)) threads(128) {
    %a = tile.alloc : memref<64x256xbf16, #tile.shared>
    %b = tile.alloc : memref<64x256xbf16, #tile.shared>
    %c = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %c, 0.0
    tile.copy %x[%i * 64, 0], %a
    tile.pipelined %k = 0 to ceildiv(dim(%y, 0), 64) stages(3) {
      tile.copy %y[%k * 64, 0], %b
      tile.gemm %a, %b, %c {transpose_b}
    }
    tile.copy %c, %r[%i * 64, 0]
  }
  return
}

func.func @shared_by_two(%x: memref<64x1024xbf16> {tile.init = "integers(-2,2)"},
    %y: memref<128x1024xbf16> {tile.init = "integers(-2,2)"}, %r: memref<64x128xf32> {tile.result}) {
  tile.kernel (%i) in (1) threads(128) {
    %a = tile.alloc : memref<64x256xbf16, #tile.shared>
    %b = tile.alloc : memref<64x256xbf16, #tile.shared>
    %b2 = tile.alloc : memref<64x256xbf16, #tile.shared>
    %c = tile.alloc : memref<64x64xf32, #tile.fragment>
    %d = tile.alloc : memref<64x64xf32, #tile.fragment>
    tile.fill %c, 0.0
    tile.fill %d, 0.0
    tile.pipelined %k = 0 to 4 stages(2) {
      tile.copy %x[0, %k * 256], %a
      tile.copy %y[0, %k * 256], %b
      tile.copy %y[64, %k * 256], %b2
      tile.gemm %a, %b, %c {transpose_b}
      tile.gemm %a, %b2, %d {transpose_b}
    }
    tile.copy %c, %r[0, 0]
    tile.copy %d, %r[0, 64]
  }
  return
}

// Registers for a part of A, where two warpgroups share its rows: other elements of it are in shared memory.
func.func @part(%x: memref<?x1024xbf16> {tile.shape = "Mx1024", tile.init = "integers(-2,2)"},
    %y: memref<?x1024xbf16> {tile.shape = "Nx1024", tile.init = "integers(-2,2)"},
    %r: memref<?x16xf32> {tile.shape = "Mx16", tile.result})
    attributes {tile.cases = ["M=100 N=200", "M=64 N=1", "M=1 N=48"]} {
  tile.kernel (%i) in (ceildiv(dim(%x, 0), 64)) threads(128) {
    %a = tile.alloc : memref<64x1024xbf16, #tile.shared>
    %b = tile.alloc : memref<16x1024xbf16, #tile.shared>
    %s = tile.alloc : memref<64x16xf32, #tile.fragment>
    %c = tile.alloc : memref<64x16xf32, #tile.fragment>
    tile.fill %c, 0.0
    tile.copy %x[%i * 64, 0], %a
    tile.pipelined %k = 0 to ceildiv(dim(%y, 0), 16) stages(2) {
      tile.copy %y[%k * 16, 0], %b
      tile.gemm %a, %b, %s {clear, transpose_b}
      tile.parallel (%u, %v) in (64, 16) do %c[%u, %v] = %c[%u, %v] + max(%s[%u, %v], 0.0)
    }
    tile.copy %c, %r[%i * 64, 0]
  }
  return
}

func.func @divided(%x: memref<?x512xbf16> {tile.shape = "Mx512", tile.init = "integers(-2,2)"},
    %y: memref<?x512xbf16> {tile.shape = "Nx512", tile.init = "integers(-2,2)"},
    %r: memref<?x512xf32> {tile.shape = "Mx512", tile.result})
    attributes {tile.cases = ["M=100 N=200", "M=64 N=1"]} {
  tile.kernel (%i) in (ceildiv(dim(%x, 0), 64)) threads(256) {
    %a = tile.alloc : memref<64x512xbf16, #tile.shared>
    %b = tile.alloc : memref<64x512xbf16, #tile.shared>
    %s = tile.alloc : memref<64x64xf32, #tile.fragment>
    %p = tile.alloc : memref<64x64xbf16, #tile.shared>
    %c = tile.alloc : memref<64x512xf32, #tile.fragment>
    tile.fill %c, 0.0
    tile.copy %x[%i * 64, 0], %a
    tile.pipelined %k = 0 to ceildiv(dim(%y, 0), 64) stages(2) {
      tile.copy %y[%k * 64, 0], %b
      tile.gemm %a, %b, %s {clear, transpose_b}
      tile.parallel (%u, %v) in (64, 64) do %s[%u, %v] = select(%s[%u, %v] > 0.0, 1.0, 0.0)
      tile.copy %s, %p
      tile.gemm %p, %b, %c
    }
    tile.copy %c, %r[%i * 64, 0]
  }
  return
}
