// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-select-instructions --remarks-filter='tile-select-instructions' --verify-diagnostics -o /dev/null
// RUN: not tile-opt %s --tile-set-target=chip=sm_99 --tile-select-instructions 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// UNKNOWN: error: unknown target 'sm_99'; known NVIDIA targets:

!a = memref<64x20xf16, #tile.shared>
!b = memref<20x64xf16, #tile.shared>
!c = memref<64x64xf32, #tile.fragment>

func.func @reasons(%x: memref<?x?xf16>, %y: memref<64x512xf16>) {
  tile.kernel (%i) in (1) threads(128) {
    %a = tile.alloc : !a
    %b = tile.alloc : !b
    %c = tile.alloc : !c
    // expected-remark @below {{[Missed] MatrixInstruction | Category:tile-select-instructions | Reason="no wgmma: expected M, N and K to be multiples of 64, 8 and 16, got 64, 64 and 20; no mma: expected M, N and K to be multiples of 16, 8 and 8, got 64, 64 and 20"}}
    // expected-remark @below {{[Passed] GemmInstruction | Category:tile-select-instructions | Remark="fma m1n1k1 on 2x2 warps"}}
    tile.gemm %a, %b, %c : !a, !b, !c
    tile.pipelined %k = 0 to 8 stages(2) {
      %t = tile.alloc : memref<64x64xf16, #tile.shared>
      // expected-remark @below {{[Missed] AsyncCopy | Category:tile-select-instructions | Reason="no tma: expected rows of a multiple of 16 bytes, got an extent that is not known to be a multiple of 8; say so with 'tile.assume'; no cp_async: expected vectors of 4, 8 or 16 bytes that are known to be aligned, got 2"}}
      // expected-remark @below {{[Passed] CopyInstruction | Category:tile-select-instructions | Remark="sync of 2 bytes"}}
      tile.copy %x[0, %k * 64], %t : memref<?x?xf16>, memref<64x64xf16, #tile.shared>
      // expected-remark @below {{[Passed] CopyInstruction | Category:tile-select-instructions | Remark=tma}}
      tile.copy %y[0, %k * 64], %t : memref<64x512xf16>, memref<64x64xf16, #tile.shared>
    }
  }
  return
}

// A warpgroup would convert codes for few columns and then wait: from 64 columns on it does not matter.
func.func @codes(%q: memref<64x64xi8>, %x: memref<64x128xf16>, %y: memref<16x64xf32>) {
  tile.kernel (%i) in (1) threads(128) {
    %s = tile.alloc : memref<64x64xi8, #tile.shared>
    %w = tile.alloc : memref<64x128xf16, #tile.fragment>
    %b = tile.alloc : memref<64x128xf16, #tile.shared>
    %c = tile.alloc : memref<64x64xf32, #tile.fragment>
    %narrow = tile.alloc : memref<16x128xf16, #tile.shared>
    %d = tile.alloc : memref<64x16xf32, #tile.fragment>
    %codes = tile.view %s : memref<64x64xi8, #tile.shared> to memref<64x128xi4, #tile.shared>
    // expected-remark @below {{[Passed] CopyInstruction | Category:tile-select-instructions | Remark="sync of 8 bytes"}}
    tile.copy %codes, %w
    // expected-remark @below {{[Passed] GemmInstruction | Category:tile-select-instructions | Remark="wgmma m64n64k16 on 4x1 warps"}}
    tile.gemm %w, %b, %c {clear, transpose_b}
    // expected-remark @below {{[Missed] GemmInstruction | Category:tile-select-instructions | Reason="no wgmma: expected at least 64 columns beside codes that are converted, got 16"}}
    // expected-remark @below {{[Passed] GemmInstruction | Category:tile-select-instructions | Remark="mma m16n8k16 on 4x1 warps"}}
    tile.gemm %w, %narrow, %d {clear, transpose_b}
  }
  return
}
