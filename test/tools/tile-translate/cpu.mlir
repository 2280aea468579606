// From tile ops to LLVM IR, assembly and object files.

// RUN: tile-translate --tile-to-llvmir --cpu=x86-64-v3 %s | FileCheck %s --check-prefix=LLVMIR
// LLVMIR: target triple =
// LLVMIR: define void @double(ptr %0
// LLVMIR: define void @_mlir_ciface_double(ptr %0) #[[attrs:[0-9]+]]
// LLVMIR: attributes #[[attrs]] = { {{.*}}"prefer-vector-width"="256" "target-cpu"="x86-64-v3"
// LLVMIR-NOT: tile.

// RUN: tile-translate --tile-to-llvmir --cpu=x86-64-v3 --opt-level=3 %s | FileCheck %s --check-prefix=OPTIMISED
// OPTIMISED: fadd <8 x float>

// RUN: tile-translate --tile-to-asm --cpu=x86-64-v3 %s | FileCheck %s --check-prefix=ASM
// ASM: _mlir_ciface_double:
// ASM: vaddps {{.*}}%ymm
// RUN: tile-translate --tile-to-asm --cpu=x86-64-v3 --cpu-features=-avx2,-avx %s | FileCheck %s --check-prefix=SSE
// SSE-NOT: ymm
// RUN: tile-translate --tile-to-llvmir --cpu=x86-64-v4 %s | FileCheck %s --check-prefix=WIDE
// WIDE: "prefer-vector-width"="512"

// A program in C calls the object file.
// RUN: tile-translate --tile-to-object %s -o %t.o
// RUN: cc -std=c11 %S/Inputs/call-double.c %t.o -o %t.exe
// RUN: %t.exe | FileCheck %s --check-prefix=CALL
// CALL: {{^}}0 2 4 6 8 10 12 14 16 18 20 22 24{{$}}

// Stock tools read what is printed.
// RUN: tile-translate --tile-to-llvmir %s | %llvm_bin/opt -O2 -o %t.bc
// RUN: tile-opt-plain %s --tile-to-cpu-pipeline | tile-translate --mlir-to-llvmir | FileCheck %s --check-prefix=UPSTREAM
// UPSTREAM: define void @_mlir_ciface_double(ptr %0)

func.func @double(%x: memref<?xf32> {tile.shape = "N"}) attributes {tile.reference = @double} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %blocks = arith.ceildivui %n, %c8 : index
  tile.kernel (%b) in (%blocks) threads(32) {
    %t = tile.alloc : memref<8xf32, #tile.shared>
    tile.copy %x[%b * 8], %t : memref<?xf32>, memref<8xf32, #tile.shared>
    tile.parallel (%i) in (8) {
      %v = memref.load %t[%i] : memref<8xf32, #tile.shared>
      %w = arith.addf %v, %v : f32
      memref.store %w, %t[%i] : memref<8xf32, #tile.shared>
    }
    tile.copy %t, %x[%b * 8] : memref<8xf32, #tile.shared>, memref<?xf32>
  }
  return
}
