// What LLVM's code generator cannot do is an error like any other: by itself LLVM would end the process.

// REQUIRES: nvidia, amd
// RUN: split-file %s %t
// RUN: not tile-translate --tile-to-ptx --chip=sm_80 %t/hopper.mlir 2>&1 | FileCheck %s --check-prefix=HOPPER
// RUN: not tile-translate --tile-to-object %t/amd.mlir 2>&1 | FileCheck %s --check-prefix=AMD
// RUN: not tile-translate --tile-to-ptx --chip=sm_80 %t/amd.mlir 2>&1 | FileCheck %s --check-prefix=AMD
// RUN: not tile-translate --tile-to-ptx --chip=sm_90a %t/wide.mlir 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not tile-translate --tile-to-hsaco --chip=gfx942 %t/wide.mlir 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not tile-translate --tile-to-object %t/asm.mlir 2>&1 | FileCheck %s --check-prefix=ASM
// RUN: not tile-translate --tile-to-hsaco --chip=gfx942 %t/asm.mlir 2>&1 | FileCheck %s --check-prefix=REGISTER

// HOPPER:   hopper.mlir:1:1: error: LLVM cannot make PTX: Cannot select: intrinsic %llvm.nvvm.wgmma.fence.sync.aligned
// AMD:      error: LLVM cannot make {{PTX|machine code}}: Cannot select: intrinsic %llvm.amdgcn.rcp
// WIDE:     wide.mlir:1:1: error: LLVM cannot make {{.*}}: unsupported library call operation
// ASM:      error: LLVM cannot make machine code: <inline asm>:1:2: invalid instruction mnemonic 'bogus'
// REGISTER: asm.mlir:1:1: error: LLVM cannot make {{.*}}: couldn't allocate output register for constraint '{xmm0}'

//--- hopper.mlir
func.func @hopper(%x: memref<64xf32>) {
  tile.kernel (%b) in (1) threads(64) {
    nvvm.wgmma.fence.aligned
  }
  return
}
//--- amd.mlir
func.func @amd(%x: memref<64xf32>) {
  tile.kernel (%b) in (1) threads(64) {
    tile.parallel (%i) in (64) {
      %v = memref.load %x[%i] : memref<64xf32>
      %w = llvm.call_intrinsic "llvm.amdgcn.rcp.f32"(%v) : (f32) -> f32
      memref.store %w, %x[%i] : memref<64xf32>
    }
  }
  return
}
//--- wide.mlir
func.func @wide(%x: memref<64xf128>) {
  tile.kernel (%b) in (1) threads(64) {
    tile.parallel (%i) in (64) {
      %v = memref.load %x[%i] : memref<64xf128>
      %w = arith.mulf %v, %v : f128
      memref.store %w, %x[%i] : memref<64xf128>
    }
  }
  return
}
//--- asm.mlir
func.func @asm(%x: memref<64xf32>) {
  tile.kernel (%b) in (1) threads(64) {
    tile.parallel (%i) in (64) {
      %v = memref.load %x[%i] : memref<64xf32>
      %w = llvm.inline_asm "bogus $0, $1", "={xmm0},{xmm1}" %v : (f32) -> f32
      memref.store %w, %x[%i] : memref<64xf32>
    }
  }
  return
}
