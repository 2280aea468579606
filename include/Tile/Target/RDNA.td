//===- RDNA.td - AMD GPUs with waves of 32 -----------------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sources:
//   [isa]    AMD RDNA3 and RDNA4 instruction set architecture, "Wave Matrix Multiply Accumulate"
//   [llvm]   User Guide for AMDGPU Backend, and the backend itself (sizes of LDS and registers)
//   llvm-mc  test/Target/amd-rows.test, as for AMD.td
// Forms of f16 and bf16 sums, of 4-bit integers and sparse ones are left out: nothing here generates them.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TARGET_RDNA
#define TILE_TARGET_RDNA

include "Tile/Target/AMD.td"

class Wmma<string name, list<ElementType> aTypes, list<ElementType> bTypes, ElementType cType, string fragment> : MmaRow {
  let instruction = name;
  let family = FamilyWMMA;
  let engine = EngineThreads;
  let m = 16;
  let nMin = 16;
  let nMax = 16;
  let nStep = 16;
  let k = 16;
  let a = aTypes;
  let b = bTypes;
  let c = cType;
  let aSpaces = [Register];
  let bSpace = Register;
  let cSpace = Register;
  let threads = 32;
  let layout = fragment;
}

// A bit of the instruction says of each operand whether its bytes have a sign.
defvar anyByte = [I8, U8];
class WmmaSet<string generation> {
  defvar fragment = "wmma." # generation # ".16x16x16.";
  list<MmaRow> rows = [
    Wmma<"v_wmma_f32_16x16x16_f16", [F16], [F16], F32, fragment # "b16">,
    Wmma<"v_wmma_f32_16x16x16_bf16", [BF16], [BF16], F32, fragment # "b16">,
    Wmma<"v_wmma_i32_16x16x16_iu8", anyByte, anyByte, I32, fragment # "b8">
  ];
}

class WmmaF8<string suffix, ElementType aType, ElementType bType>
    : Wmma<"v_wmma_f32_16x16x16_" # suffix, [aType], [bType], F32, "wmma.gfx12.16x16x16.b8">;

defvar wmmaGfx11 = WmmaSet<"gfx11">.rows;
defvar wmmaGfx12 = WmmaSet<"gfx12">.rows # [
  WmmaF8<"fp8_fp8", F8E4M3FN, F8E4M3FN>,
  WmmaF8<"fp8_bf8", F8E4M3FN, F8E5M2>,
  WmmaF8<"bf8_fp8", F8E5M2, F8E4M3FN>,
  WmmaF8<"bf8_bf8", F8E5M2, F8E5M2>
];

// Figures are of a compute unit. LLVM lets a block spread over the two of a work group processor, whose threads share 64 KB
// nevertheless. [llvm]: 2 SIMDs of up to 16 waves, each with 1536 registers of 32 lanes, in steps of 24.
class RDNA : GPUSpec {
  let warpSize = 32;
  let groupWarps = 1;
  let maxThreadsPerBlock = 1024;
  let maxThreadsPerSM = 1024;
  let maxBlocksPerSM = 32;
  // hipDeviceProp_t::maxGridSize has at least so many.
  let maxGridYZ = 65535;
  let maxRegistersPerThread = 256;
  let registersPerSM = 98304;
  let maxRegistersPerBlock = 98304;
  let registerGranule = 24;
  let minRegisterBudget = 0;
  let vectorBytes = 16;
  let sharedBytesPerSM = 65536;
  let sharedBytesPerBlock = 65536;
  let sharedBytesStatic = 65536;
  let sharedBytesReserved = 0;
  let sharedBanks = 32;
  let sharedBankBytes = 4;
  let sharedAlign = 16;
  let barrierBytes = 0;
  let namedBarriers = 1;
  let maxClusterSize = 1;
  let tmemColumns = 0;
  let defaultDies = 1;
}

def GPUGfx1100 : RDNA {
  let defaultSMs = 96;
  let defaultL2Bytes = 6291456;
}
def GPUGfx1200 : RDNA {
  let defaultSMs = 32;
  let defaultL2Bytes = 4194304;
}
def GPUGfx1201 : RDNA {
  let defaultSMs = 64;
  let defaultL2Bytes = 8388608;
}

defvar featuresRDNA = [SetPrio, SchedGroupBarrier];

def Gfx1100 : AMDTarget<"gfx1100"> {
  let products = "RX 7900, PRO W7900";
  let features = featuresRDNA;
  let mmas = wmmaGfx11;
  let copies = amdCopies;
  let gpu = GPUGfx1100;
}

def Gfx1200 : AMDTarget<"gfx1200"> {
  let products = "RX 9060";
  let features = featuresRDNA;
  let mmas = wmmaGfx12;
  let copies = amdCopies;
  let gpu = GPUGfx1200;
}

def Gfx1201 : AMDTarget<"gfx1201"> {
  let products = "RX 9070, R9700";
  let features = featuresRDNA;
  let mmas = wmmaGfx12;
  let copies = amdCopies;
  let gpu = GPUGfx1201;
}

#endif // TILE_TARGET_RDNA
