//===- AMD.td - AMD GPUs -----------------------------------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sources:
//   [isa]    AMD Instinct MI200, MI300 and CDNA4 instruction set architecture, "Matrix Arithmetic Instructions" and "Data
//            Share Operations"
//   [llvm]   User Guide for AMDGPU Backend, and the backend itself (sizes of LDS and registers)
//   llvm-mc  test/Target/amd-rows.test: LLVM's assembler takes each row exactly for the chips that have it
// Sparse forms, blocks of 4x4 and several blocks in one instruction are left out: nothing here generates them.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TARGET_AMD
#define TILE_TARGET_AMD

include "Tile/Target/TargetSpec.td"

//===----------------------------------------------------------------------===//
// Matrix instructions
//===----------------------------------------------------------------------===//

class Mfma<string name, int side, int depth, list<ElementType> aTypes, list<ElementType> bTypes, ElementType cType,
           string fragment> : MmaRow {
  let instruction = name;
  let family = FamilyMFMA;
  let engine = EngineThreads;
  let m = side;
  let nMin = side;
  let nMax = side;
  let nStep = side;
  let k = depth;
  let a = aTypes;
  let b = bTypes;
  let c = cType;
  let aSpaces = [Register];
  let bSpace = Register;
  let cSpace = Register;
  let threads = 64;
  let layout = fragment;
}

defvar mfmaCommon = [
  Mfma<"v_mfma_f32_16x16x16f16", 16, 16, [F16], [F16], F32, "mfma.16x16x16.b16">,
  Mfma<"v_mfma_f32_32x32x8f16", 32, 8, [F16], [F16], F32, "mfma.32x32x8.b16">,
  Mfma<"v_mfma_f32_16x16x16bf16_1k", 16, 16, [BF16], [BF16], F32, "mfma.16x16x16.b16">,
  Mfma<"v_mfma_f32_32x32x8bf16_1k", 32, 8, [BF16], [BF16], F32, "mfma.32x32x8.b16">,
  Mfma<"v_mfma_f32_16x16x4f32", 16, 4, [F32], [F32], F32, "mfma.16x16x4.f32">,
  Mfma<"v_mfma_f32_32x32x2f32", 32, 2, [F32], [F32], F32, "mfma.32x32x2.f32">,
  Mfma<"v_mfma_f64_16x16x4f64", 16, 4, [F64], [F64], F64, "mfma.16x16x4.f64">
];

// Four bytes of K a lane, as the 16-bit forms have four halves; [isa] MI200.
defvar mfmaGfx90a = mfmaCommon # [
  Mfma<"v_mfma_i32_16x16x16i8", 16, 16, [I8], [I8], I32, "mfma.16x16x16.b8">,
  Mfma<"v_mfma_i32_32x32x8i8", 32, 8, [I8], [I8], I32, "mfma.32x32x8.b8">
];

// The 8-bit floats of gfx942 are the FNUZ types, those of gfx950 the OCP types, under the same names.
class MfmaF8<string suffix, int side, ElementType aType, ElementType bType>
    : Mfma<"v_mfma_f32_" # side # "x" # side # "x" # !if(!eq(side, 16), "32", "16") # "_" # suffix, side,
           !if(!eq(side, 16), 32, 16), [aType], [bType], F32,
           !if(!eq(side, 16), "mfma.16x16x32.b8", "mfma.32x32x16.b8")>;

class MfmaF8Set<ElementType fp8, ElementType bf8> {
  list<MmaRow> rows = !foldl([]<MmaRow>, [16, 32], all, side, all # [
    MfmaF8<"fp8_fp8", side, fp8, fp8>,
    MfmaF8<"fp8_bf8", side, fp8, bf8>,
    MfmaF8<"bf8_fp8", side, bf8, fp8>,
    MfmaF8<"bf8_bf8", side, bf8, bf8>
  ]);
}

defvar mfmaI8K32 = [
  Mfma<"v_mfma_i32_16x16x32_i8", 16, 32, [I8], [I8], I32, "mfma.16x16x32.b8">,
  Mfma<"v_mfma_i32_32x32x16_i8", 32, 16, [I8], [I8], I32, "mfma.32x32x16.b8">
];

defvar mfmaGfx942 = mfmaCommon # mfmaI8K32 # [
  Mfma<"v_mfma_f32_16x16x8_xf32", 16, 8, [TF32], [TF32], F32, "mfma.16x16x8.xf32">,
  Mfma<"v_mfma_f32_32x32x4_xf32", 32, 4, [TF32], [TF32], F32, "mfma.32x32x4.xf32">
] # MfmaF8Set<F8E4M3FNUZ, F8E5M2FNUZ>.rows;

// v_mfma_f32_*_f8f6f4 takes any two of these types; the layouts are those of 8-bit elements. The scaled form
// shares one scale among 32 elements of K; its registers are not written down, and those of the 4- and 6-bit types neither.
defvar anyAMDF8 = [F8E4M3FN, F8E5M2];
defvar anyAMDF6F4 = [F8E4M3FN, F8E5M2, F6E2M3FN, F6E3M2FN, F4E2M1FN];
class MfmaScaled<int side, int depth>
    : Mfma<"v_mfma_scale_f32_" # side # "x" # side # "x" # depth # "_f8f6f4", side, depth, anyAMDF6F4, anyAMDF6F4, F32,
           ""> {
  let scale = F8E8M0FNU;
  let scaleBlock = 32;
}

defvar mfmaGfx950 = mfmaCommon # mfmaI8K32 # [
  Mfma<"v_mfma_f32_16x16x32_f16", 16, 32, [F16], [F16], F32, "mfma.16x16x32.b16">,
  Mfma<"v_mfma_f32_32x32x16_f16", 32, 16, [F16], [F16], F32, "mfma.32x32x16.b16">,
  Mfma<"v_mfma_f32_16x16x32_bf16", 16, 32, [BF16], [BF16], F32, "mfma.16x16x32.b16">,
  Mfma<"v_mfma_f32_32x32x16_bf16", 32, 16, [BF16], [BF16], F32, "mfma.32x32x16.b16">,
  Mfma<"v_mfma_i32_16x16x64_i8", 16, 64, [I8], [I8], I32, "mfma.16x16x64.b8">,
  Mfma<"v_mfma_i32_32x32x32_i8", 32, 32, [I8], [I8], I32, "mfma.32x32x32.b8">,
  Mfma<"v_mfma_f32_16x16x128_f8f6f4", 16, 128, anyAMDF8, anyAMDF8, F32, "mfma.16x16x128.f8">,
  Mfma<"v_mfma_f32_32x32x64_f8f6f4", 32, 64, anyAMDF8, anyAMDF8, F32, "mfma.32x32x64.f8">,
  MfmaScaled<16, 128>,
  MfmaScaled<32, 64>
] # MfmaF8Set<F8E4M3FN, F8E5M2>.rows;

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

// Global addresses need 4 bytes, whatever the width beyond: [llvm] unaligned-access-mode.
class AMDCopy<string name, CopyFamily kind, Space source, Space target, list<int> bytes, int globalAlign = 0> : CopyRow {
  let instruction = name;
  let family = kind;
  let engine = !if(!eq(kind, CopyDirectToLDS), EngineCpAsync, EngineThreads);
  let from = source;
  let to = target;
  let widths = bytes;
  let fromAlign = !if(!eq(source, Global), globalAlign, 0);
  let toAlign = !if(!eq(target, Global), globalAlign, 0);
  // Outside of its buffer, a buffer load yields 0 and a store does nothing: [isa] "Buffer addressing, range checking".
  let boundsChecked = !eq(!substr(name, 0, 6), "buffer");
}

defvar subword = [1, 2];
defvar words = [4, 8, 12, 16];
defvar amdCopies = [
  AMDCopy<"global_load", CopySync, Global, Register, subword>,
  AMDCopy<"global_load", CopySync, Global, Register, words, 4>,
  AMDCopy<"global_store", CopySync, Register, Global, subword>,
  AMDCopy<"global_store", CopySync, Register, Global, words, 4>,
  AMDCopy<"buffer_load", CopyBuffer, Global, Register, subword>,
  AMDCopy<"buffer_load", CopyBuffer, Global, Register, words, 4>,
  AMDCopy<"buffer_store", CopyBuffer, Register, Global, subword>,
  AMDCopy<"buffer_store", CopyBuffer, Register, Global, words, 4>,
  AMDCopy<"ds_read", CopySync, Shared, Register, [1, 2, 4, 8, 16]>,
  AMDCopy<"ds_write", CopySync, Register, Shared, [1, 2, 4, 8, 16]>
];

// The lanes of a wave write consecutive elements of LDS from one address on: no padding or swizzle within a wave.
class DirectToLDS<string name, list<int> bytes> : AMDCopy<name, CopyDirectToLDS, Global, Shared, bytes, 4> {
  let toAlign = 4;
}

defvar copiesGfx90a = amdCopies # [DirectToLDS<"buffer_load_lds", [4]>];
defvar copiesGfx942 = amdCopies # [DirectToLDS<"buffer_load_lds", [4]>, DirectToLDS<"global_load_lds", [4]>];
// Transposing loads: [isa] CDNA4, DS_READ_B64_TR_B16 and others, 8 bytes a lane.
class ReadTransposed<string name> : AMDCopy<name, CopyLdMatrix, Shared, Register, [8]> {
  let transposes = 1;
}
defvar copiesGfx950 = amdCopies # [
  DirectToLDS<"buffer_load_lds", [4, 12, 16]>, DirectToLDS<"global_load_lds", [4, 12, 16]>,
  ReadTransposed<"ds_read_b64_tr_b16">, ReadTransposed<"ds_read_b64_tr_b8">, ReadTransposed<"ds_read_b64_tr_b4">
];

//===----------------------------------------------------------------------===//
// Chips
//===----------------------------------------------------------------------===//

// [llvm]: 4 SIMDs of up to 8 waves; 512 registers a lane, half of them accumulation registers, in steps of 8.
class CDNA<int sharedKB, int banks> : GPUSpec {
  let warpSize = 64;
  let groupWarps = 1;
  let maxThreadsPerBlock = 1024;
  let maxThreadsPerSM = 2048;
  // One of single waves; those of several waves are further limited by barriers.
  let maxBlocksPerSM = 32;
  // hipDeviceProp_t::maxGridSize has at least so many.
  let maxGridYZ = 65535;
  let maxRegistersPerThread = 512;
  let registersPerSM = 131072;
  let maxRegistersPerBlock = 131072;
  let registerGranule = 8;
  let minRegisterBudget = 0;
  let vectorBytes = 16;
  let sharedBytesPerSM = !mul(sharedKB, 1024);
  let sharedBytesPerBlock = sharedBytesPerSM;
  let sharedBytesStatic = sharedBytesPerSM;
  let sharedBytesReserved = 0;
  let sharedBanks = banks;
  let sharedBankBytes = 4;
  let sharedAlign = 16;
  let barrierBytes = 0;
  let namedBarriers = 1;
  let maxClusterSize = 1;
  let tmemColumns = 0;
}

// Processors and caches: AMD's white papers on CDNA 2, 3 and 4.
def GPUGfx90a : CDNA<64, 32> {
  // One die of an MI250X is a device.
  let defaultSMs = 110;
  let defaultL2Bytes = 8388608;
  let defaultDies = 1;
}
def GPUGfx942 : CDNA<64, 32> {
  // MI300X: 8 dies with 4 MB each.
  let defaultSMs = 304;
  let defaultL2Bytes = 4194304;
  let defaultDies = 8;
}
// 64 banks: Composable Kernel (get_n_lds_banks); LLVM has no other figure than 32 for it.
def GPUGfx950 : CDNA<160, 64> {
  // MI355X.
  let defaultSMs = 256;
  let defaultL2Bytes = 4194304;
  let defaultDies = 8;
}

class AMDTarget<string chip> : Target {
  let name = chip;
  let vendor = AMD;
  let arch = chip;
}

defvar featuresCDNA = [PackedF32, SetPrio, SchedGroupBarrier];

def Gfx90a : AMDTarget<"gfx90a"> {
  let products = "MI210, MI250X";
  let features = featuresCDNA;
  let mmas = mfmaGfx90a;
  let copies = copiesGfx90a;
  let gpu = GPUGfx90a;
}

def Gfx942 : AMDTarget<"gfx942"> {
  let products = "MI300X, MI325X";
  let features = featuresCDNA;
  let mmas = mfmaGfx942;
  let copies = copiesGfx942;
  let gpu = GPUGfx942;
}

def Gfx950 : AMDTarget<"gfx950"> {
  let products = "MI350X, MI355X";
  let features = featuresCDNA # [PackedBF16Convert];
  let mmas = mfmaGfx950;
  let copies = copiesGfx950;
  let gpu = GPUGfx950;
}

#endif // TILE_TARGET_AMD
