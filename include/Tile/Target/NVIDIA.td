//===- NVIDIA.td - NVIDIA GPUs -----------------------------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sources:
//   [guide]  CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"; the same figures stand in
//            libcu++, cuda/__device/arch_traits.h
//   [ptx]    PTX ISA 9.0, by section
//   [driver] CUDA Driver API, cuTensorMapEncodeTiled
//   ptxas    test/Target/nvidia-rows.test: ptxas 13.0 assembles each row exactly for the chips that have it
// Of sparse forms, those of rows of 256 bits are here (`sparse`). wmma, b1, shapes below m16n8 (except f64) and other sparse forms are left
// out: nothing here generates them.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TARGET_NVIDIA
#define TILE_TARGET_NVIDIA

include "Tile/Target/TargetSpec.td"

//===----------------------------------------------------------------------===//
// Matrix instructions
//===----------------------------------------------------------------------===//

// [ptx] "Multiply-and-Accumulate Instruction: mma": A by rows, B by columns, all operands in registers.
class MmaSync<int rows, int columns, int depth, list<ElementType> aTypes, list<ElementType> bTypes, ElementType cType,
              string fragment, string kind = ""> : MmaRow {
  let instruction = "mma.sync.aligned.m" # rows # "n" # columns # "k" # depth # ".row.col" # kind;
  let family = FamilyMMA;
  let engine = EngineThreads;
  let m = rows;
  let nMin = columns;
  let nMax = columns;
  let nStep = columns;
  let k = depth;
  let a = aTypes;
  let b = bTypes;
  let c = cType;
  let aSpaces = [Register];
  let bSpace = Register;
  let cSpace = Register;
  let threads = 32;
  let layout = fragment;
}

// [ptx] "Multiply-and-Accumulate using mma.sp instruction with sparse matrix A".
class MmaSyncSparse<int rows, int columns, int depth, list<ElementType> aTypes, list<ElementType> bTypes, ElementType cType,
                    string fragment> : MmaSync<rows, columns, depth, aTypes, bTypes, cType, fragment> {
  let sparse = 1;
}

defvar mmaSm80 = [
  MmaSync<16, 8, 8, [F16], [F16], F16, "mma.m16n8k8.b16">,
  MmaSync<16, 8, 8, [F16], [F16], F32, "mma.m16n8k8.b16">,
  MmaSync<16, 8, 8, [BF16], [BF16], F32, "mma.m16n8k8.b16">,
  MmaSyncSparse<16, 8, 16, [F16], [F16], F16, "mma.m16n8k16.b16">,
  MmaSyncSparse<16, 8, 16, [F16], [F16], F32, "mma.m16n8k16.b16">,
  MmaSyncSparse<16, 8, 16, [BF16], [BF16], F32, "mma.m16n8k16.b16">,
  MmaSync<16, 8, 4, [TF32], [TF32], F32, "mma.m16n8k4.tf32">,
  MmaSyncSparse<16, 8, 8, [TF32], [TF32], F32, "mma.m16n8k8.tf32">,
  MmaSync<16, 8, 16, [I8, U8], [I8, U8], I32, "mma.m16n8k16.b8">,
  MmaSyncSparse<16, 8, 32, [I8, U8], [I8, U8], I32, "mma.m16n8k32.b8">,
  // From sm_90 on ptxas still takes these; they are said to be emulated, so a cost model should not prefer them there.
  MmaSync<16, 8, 32, [I4, U4], [I4, U4], I32, "mma.m16n8k32.b4">,
  MmaSync<16, 8, 64, [I4, U4], [I4, U4], I32, "mma.m16n8k64.b4">,
  MmaSync<8, 8, 4, [F64], [F64], F64, "mma.m8n8k4.f64">
];

defvar mmaSm89 = mmaSm80 # [
  MmaSync<16, 8, 16, [F8E4M3FN, F8E5M2], [F8E4M3FN, F8E5M2], F16, "mma.m16n8k16.b8">,
  MmaSync<16, 8, 16, [F8E4M3FN, F8E5M2], [F8E4M3FN, F8E5M2], F32, "mma.m16n8k16.b8">,
  // Sparse, its sums have 32 bits.
  MmaSync<16, 8, 32, [F8E4M3FN, F8E5M2], [F8E4M3FN, F8E5M2], F16, "mma.m16n8k32.b8">,
  MmaSyncSparse<16, 8, 32, [F8E4M3FN, F8E5M2], [F8E4M3FN, F8E5M2], F32, "mma.m16n8k32.b8">
];

defvar mmaSm90 = mmaSm89 # [
  MmaSync<16, 8, 4, [F64], [F64], F64, "mma.m16n8k4.f64">,
  MmaSync<16, 8, 8, [F64], [F64], F64, "mma.m16n8k8.f64">,
  MmaSync<16, 8, 16, [F64], [F64], F64, "mma.m16n8k16.f64">
];

defvar anyF8F6F4 = [F8E4M3FN, F8E5M2, F6E2M3FN, F6E3M2FN, F4E2M1FN];

// Elements below 8 bits lie in 8-bit containers, so the fragments are those of 8-bit elements; of m16n8k64 they are packed
// like s4. The registers of the scales are not written down as layouts yet.
class MmaBlockScaled<MmaRow row, ElementType scaleType, int block>
    : MmaSync<row.m, row.nMin, row.k, row.a, row.b, row.c, row.layout> {
  let instruction = row.instruction;
  let scale = scaleType;
  let scaleBlock = block;
}

defvar mmaSm120a = mmaSm90 # [
  MmaSync<16, 8, 32, anyF8F6F4, anyF8F6F4, F16, "mma.m16n8k32.b8", ".kind::f8f6f4">,
  MmaSync<16, 8, 32, anyF8F6F4, anyF8F6F4, F32, "mma.m16n8k32.b8", ".kind::f8f6f4">,
  MmaBlockScaled<MmaSync<16, 8, 32, anyF8F6F4, anyF8F6F4, F32, "mma.m16n8k32.b8",
                         ".kind::mxf8f6f4.block_scale.scale_vec::1X">, F8E8M0FNU, 32>,
  MmaBlockScaled<MmaSync<16, 8, 64, [F4E2M1FN], [F4E2M1FN], F32, "mma.m16n8k64.b4",
                         ".kind::mxf4.block_scale.scale_vec::2X">, F8E8M0FNU, 32>,
  MmaBlockScaled<MmaSync<16, 8, 64, [F4E2M1FN], [F4E2M1FN], F32, "mma.m16n8k64.b4",
                         ".kind::mxf4nvf4.block_scale.scale_vec::4X">, F8E4M3FN, 16>
];

// [ptx] "Asynchronous Warpgroup Level Matrix Instructions", tables of shapes and of the transposition of A and B: only
// 16-bit elements may be transposed. A comes from shared memory or from registers, B from shared memory. All have a sparse form:
// "Asynchronous Multiply-and-Accumulate Instruction: wgmma.mma_async.sp".
class Wgmma<int depth, list<ElementType> types, ElementType cType, bit transposed, int first = 8, int last = 256,
            int step = 8> : MmaRow {
  let instruction = "wgmma.mma_async.sync.aligned";
  let family = FamilyWGMMA;
  let engine = EngineTensor;
  let m = 64;
  let nMin = first;
  let nMax = last;
  let nStep = step;
  let k = depth;
  let a = types;
  let b = types;
  let c = cType;
  let aSpaces = [Shared, Register];
  let bSpace = Shared;
  let cSpace = Register;
  let aTransposed = transposed;
  let bTransposed = transposed;
  let threads = 128;
  let layout = "wgmma";
  let sparse = 1;
}

defvar wgmma = [
  Wgmma<16, [F16], F16, 1>,
  Wgmma<16, [F16], F32, 1>,
  Wgmma<16, [BF16], F32, 1>,
  Wgmma<8, [TF32], F32, 0>,
  Wgmma<32, [F8E4M3FN, F8E5M2], F16, 0>,
  Wgmma<32, [F8E4M3FN, F8E5M2], F32, 0>,
  // N of integers: 8, 16, 24, then multiples of 16.
  Wgmma<32, [I8, U8], I32, 0, 8, 24, 8>,
  Wgmma<32, [I8, U8], I32, 0, 32, 256, 16>
];

// [ptx] "TensorCore 5th Generation", "Matrix shape". One thread issues; A comes from shared memory or tensor memory, B from
// shared memory, C stays in tensor memory. Two blocks: M is that of the pair. The steps of N are those that all of these
// allow: the manual's tables and the static checks of CUTLASS (cute/arch/mma_sm100_umma.hpp), which differ between A in
// shared and in tensor memory (some multiples of 8 and 16 are legal beyond these).
class Tcgen05<string kindName, int rows, int group, int depth, list<ElementType> aTypes, list<ElementType> bTypes,
              ElementType cType, bit transposed> : MmaRow {
  let instruction = "tcgen05.mma.cta_group::" # group # ".kind::" # kindName;
  let family = FamilyTCGen05;
  let engine = EngineTensor;
  let m = rows;
  let nMin = !cond(!eq(group, 2): 32, !eq(rows, 128): 16, true: 8);
  let nMax = 256;
  let nStep = nMin;
  let k = depth;
  let a = aTypes;
  let b = bTypes;
  let c = cType;
  let aSpaces = [Shared, Tmem];
  let bSpace = Shared;
  let cSpace = Tmem;
  let aTransposed = transposed;
  let bTransposed = transposed;
  let threads = 1;
  let blocks = group;
  // Only M = 128 of one block and 32-bit elements is written down: row i in lane i.
  let layout = !if(!and(!eq(rows, 128), !eq(group, 1), !ne(cType, F16)), "tmem", "");
}

// Integers: N = 8 or a multiple of 16, so that a step of 8 from 8 on would be wrong.
class Tcgen05I8<int rows, int group> : Tcgen05<"i8", rows, group, 32, [I8, U8], [I8, U8], I32, 1> {
  let nMin = !if(!eq(group, 2), 32, 16);
  let nStep = nMin;
}

// The scales lie in tensor memory. CUTLASS checks M = 128 for one block; N as above.
class Tcgen05Scaled<string kindName, int rows, int group, int depth, list<ElementType> types, ElementType scaleType,
                    int block> : Tcgen05<kindName, rows, group, depth, types, types, F32, 0> {
  let aSpaces = [Shared];
  let scale = scaleType;
  let scaleBlock = block;
}

// (M, blocks)
defvar tcgen05Shapes = [[64, 1], [128, 1], [128, 2], [256, 2]];
defvar tcgen05ScaledShapes = [[128, 1], [256, 2]];

defvar tcgen05 = !foldl([]<MmaRow>, tcgen05Shapes, rows, s, rows # [
  Tcgen05<"f16", s[0], s[1], 16, [F16], [F16], F16, 1>,
  Tcgen05<"f16", s[0], s[1], 16, [F16], [F16], F32, 1>,
  Tcgen05<"f16", s[0], s[1], 16, [BF16], [BF16], F32, 1>,
  Tcgen05<"tf32", s[0], s[1], 8, [TF32], [TF32], F32, 1>,
  Tcgen05<"f8f6f4", s[0], s[1], 32, anyF8F6F4, anyF8F6F4, F16, 1>,
  Tcgen05<"f8f6f4", s[0], s[1], 32, anyF8F6F4, anyF8F6F4, F32, 1>,
  Tcgen05I8<s[0], s[1]>
]) # !foldl([]<MmaRow>, tcgen05ScaledShapes, rows, s, rows # [
  Tcgen05Scaled<"mxf8f6f4.block_scale", s[0], s[1], 32, anyF8F6F4, F8E8M0FNU, 32>,
  Tcgen05Scaled<"mxf4.block_scale", s[0], s[1], 64, [F4E2M1FN], F8E8M0FNU, 32>,
  Tcgen05Scaled<"mxf4nvf4.block_scale.scale_vec::4X", s[0], s[1], 64, [F4E2M1FN], F8E4M3FN, 16>
]);

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

class ThreadCopy<string name, Space source, Space target, list<int> bytes> : CopyRow {
  let instruction = name;
  let family = CopySync;
  let engine = EngineThreads;
  let from = source;
  let to = target;
  let widths = bytes;
}

// [ptx] "Data Movement and Conversion Instructions: cp.async": 4, 8 or 16 bytes, the bytes past src-size are zero.
def CpAsyncCopy : CopyRow {
  let instruction = "cp.async";
  let family = CopyCpAsync;
  let engine = EngineCpAsync;
  let from = Global;
  let to = Shared;
  let widths = [4, 8, 16];
  let boundsChecked = 1;
}

// [ptx] "ldmatrix": rows of 16 bytes; x1, x2, x4.
class MatrixCopy<string name, Space source, Space target, list<int> bytes> : ThreadCopy<name, source, target, bytes> {
  let family = CopyLdMatrix;
  let fromAlign = !if(!eq(source, Shared), 16, 4);
  let toAlign = !if(!eq(target, Shared), 16, 4);
  let transposes = 1;
}
def LdMatrix : MatrixCopy<"ldmatrix.sync.aligned.m8n8", Shared, Register, [4, 8, 16]>;
def StMatrix : MatrixCopy<"stmatrix.sync.aligned.m8n8", Register, Shared, [4, 8, 16]>;
// 8-bit elements, always transposed.
def LdMatrixB8 : MatrixCopy<"ldmatrix.sync.aligned.m16n16.trans.b8", Shared, Register, [8, 16]>;
def StMatrixB8 : MatrixCopy<"stmatrix.sync.aligned.m16n8.trans.b8", Register, Shared, [4, 8, 16]>;

// [ptx] "cp.async.bulk": sizes and addresses are multiples of 16. The largest size is that of an mbarrier's tx-count,
// 2^20 - 1 ("Tracking asynchronous operations by the mbarrier object").
class BulkCopy<Space source, Space target> : CopyRow {
  let instruction = "cp.async.bulk";
  let family = CopyBulk;
  let engine = EngineTMA;
  let from = source;
  let to = target;
  let granule = 16;
  let maxBytes = 1048560;
  let fromAlign = 16;
  let toAlign = 16;
}

// [ptx] "cp.async.bulk.tensor": shared memory at 128 bytes; the box lies within TMASpec.
class TensorCopy<Space source, Space target> : BulkCopy<source, target> {
  let instruction = "cp.async.bulk.tensor";
  let family = CopyTMA;
  let fromAlign = !if(!eq(source, Shared), 128, 16);
  let toAlign = !if(!eq(target, Shared), 128, 16);
  let boundsChecked = 1;
}

defvar threadCopies = [
  ThreadCopy<"ld.global", Global, Register, [1, 2, 4, 8, 16]>,
  ThreadCopy<"st.global", Register, Global, [1, 2, 4, 8, 16]>,
  ThreadCopy<"ld.shared", Shared, Register, [1, 2, 4, 8, 16]>,
  ThreadCopy<"st.shared", Register, Shared, [1, 2, 4, 8, 16]>
];
defvar copiesSm80 = threadCopies # [CpAsyncCopy, LdMatrix];
defvar copiesSm90 = copiesSm80 # [
  StMatrix,
  BulkCopy<Global, Shared>, BulkCopy<Shared, Global>, BulkCopy<Shared, PeerShared>,
  TensorCopy<Global, Shared>, TensorCopy<Shared, Global>,
  ThreadCopy<"ld.shared::cluster", PeerShared, Register, [1, 2, 4, 8, 16]>,
  ThreadCopy<"st.shared::cluster", Register, PeerShared, [1, 2, 4, 8, 16]>,
  ThreadCopy<"st.async.shared::cluster", Register, PeerShared, [4, 8, 16]>
];
// [ptx] "ld": .v8 of 32-bit and .v4 of 64-bit elements in global memory, from sm_100 on.
defvar copiesWide = copiesSm90 # [
  ThreadCopy<"ld.global.v8.b32", Global, Register, [32]>,
  ThreadCopy<"st.global.v8.b32", Register, Global, [32]>
];
defvar copiesB8 = [LdMatrixB8, StMatrixB8];

// [ptx] "tcgen05.ld", shape .32x32b: each thread 4 bytes of each of x1 to x128 columns of its lane.
class TmemCopy<string name, Space source, Space target, list<int> bytes> : ThreadCopy<name, source, target, bytes> {
  let family = CopyTensorMemory;
  let engine = EngineTensor;
  let fromAlign = !if(!eq(source, Shared), 16, 4);
  let toAlign = 4;
}
defvar tmemWidths = [4, 8, 16, 32, 64, 128, 256, 512];
defvar copiesTmem = [
  TmemCopy<"tcgen05.ld.sync.aligned.32x32b", Tmem, Register, tmemWidths>,
  TmemCopy<"tcgen05.st.sync.aligned.32x32b", Register, Tmem, tmemWidths>,
  // Bytes of one instruction: 4x256b, 32x128b, 64x128b, 128x128b, 128x256b.
  TmemCopy<"tcgen05.cp.cta_group::1", Shared, Tmem, [128, 512, 1024, 2048, 4096]>
];

// [driver]; the repeat of a swizzle: [ptx] "Swizzling modes".
def TMA : TMASpec {
  let maxRank = 5;
  let globalAlign = 16;
  let strideMultiple = 16;
  let maxStrideLog2 = 40;
  let maxExtentLog2 = 32;
  let maxBox = 256;
  let innerBoxMultiple = 16;
  let sharedAlign = 128;
  let swizzleSpans = [32, 64, 128];
  let mapBytes = 128;
  let mapAlign = 64;
}

//===----------------------------------------------------------------------===//
// Chips
//===----------------------------------------------------------------------===//

// [guide]: what is the same from compute capability 8.0 on. Registers: 256 a warp at a time, so 8 a thread.
class NVIDIAGPU<int sharedKB, int threadsPerSM, int blocksPerSM> : GPUSpec {
  let warpSize = 32;
  let groupWarps = 4;
  let maxThreadsPerBlock = 1024;
  let maxThreadsPerSM = threadsPerSM;
  let maxBlocksPerSM = blocksPerSM;
  let maxGridYZ = 65535;
  let maxRegistersPerThread = 255;
  let registersPerSM = 65536;
  let maxRegistersPerBlock = 65536;
  let registerGranule = 8;
  // [ptx] "setmaxnreg": 24 to 256 in steps of 8.
  let minRegisterBudget = 24;
  let vectorBytes = 16;
  let sharedBytesPerSM = !mul(sharedKB, 1024);
  let sharedBytesReserved = 1024;
  let sharedBytesPerBlock = !sub(sharedBytesPerSM, sharedBytesReserved);
  let sharedBytesStatic = 49152;
  let sharedBanks = 32;
  let sharedBankBytes = 4;
  // The pattern of the widest swizzle repeats after so many bytes.
  let sharedAlign = 1024;
  let barrierBytes = 8;
  let namedBarriers = 16;
  let maxClusterSize = 1;
  let tmemColumns = 0;
  let defaultDies = 1;
}

// The version of PTX decides which drivers can compile the text: the oldest that has what we use of the chip.
class NVIDIATarget<string chip, int ptx = 78> : Target {
  let name = chip;
  let vendor = NVIDIA;
  let arch = chip;
  let codegenFeatures = "+ptx" # ptx;
}

defvar featuresSm80 = [MBarrier, NamedBarriers, PackedBF16Convert, Ranks];
// [ptx] "cvt": .e4m3x2 and .e5m2x2 from 8.9 on.
defvar featuresSm89 = featuresSm80 # [PackedFloat8Convert];
defvar featuresSm90 = featuresSm89 # [Clusters, MBarrierTx, ElectSync, DependentLaunch];

// Processors and caches: NVIDIA's white papers on the architecture of each product.
def NVIDIAGPUSm80 : NVIDIAGPU<164, 2048, 32> {
  let defaultSMs = 108;
  let defaultL2Bytes = 41943040;
}

def NVIDIAGPUSm86 : NVIDIAGPU<100, 1536, 16> {
  // RTX 3090.
  let defaultSMs = 82;
  let defaultL2Bytes = 6291456;
}

def NVIDIAGPUSm89 : NVIDIAGPU<100, 1536, 24> {
  // RTX 4090.
  let defaultSMs = 128;
  let defaultL2Bytes = 75497472;
}

def NVIDIAGPUSm90 : NVIDIAGPU<228, 2048, 32> {
  // Portable; 16 is possible after asking for it.
  let maxClusterSize = 8;
  let tma = TMA;
  let defaultSMs = 132;
  let defaultL2Bytes = 52428800;
}

def NVIDIAGPUSm100 : NVIDIAGPU<228, 2048, 32> {
  let maxClusterSize = 8;
  let tma = TMA;
  // [ptx] "Tensor Memory": 512 columns of 128 lanes of 32 bits.
  let tmemColumns = 512;
  let defaultSMs = 148;
  // As programs report it; no white paper at hand says it.
  let defaultL2Bytes = 132120576;
}

def NVIDIAGPUSm120 : NVIDIAGPU<100, 1536, 24> {
  let maxClusterSize = 8;
  let tma = TMA;
  // RTX 5090.
  let defaultSMs = 170;
  let defaultL2Bytes = 100663296;
}

def Sm80 : NVIDIATarget<"sm_80", 78> {
  let products = "A100";
  let features = featuresSm80;
  let mmas = mmaSm80;
  let copies = copiesSm80;
  let gpu = NVIDIAGPUSm80;
}

def Sm86 : NVIDIATarget<"sm_86", 78> {
  let products = "A10, A40, RTX 30";
  let features = featuresSm80;
  let mmas = mmaSm80;
  let copies = copiesSm80;
  let gpu = NVIDIAGPUSm86;
}

def Sm89 : NVIDIATarget<"sm_89", 87> {
  let products = "L4, L40S, RTX 40";
  let features = featuresSm89;
  let mmas = mmaSm89;
  let copies = copiesSm80;
  let gpu = NVIDIAGPUSm89;
}

def Sm90a : NVIDIATarget<"sm_90a", 87> {
  let products = "H100, H200";
  let features = featuresSm90 # [Multicast, SetMaxNReg];
  let mmas = mmaSm90 # wgmma;
  let copies = copiesSm90;
  let gpu = NVIDIAGPUSm90;
}

def Sm100a : NVIDIATarget<"sm_100a", 88> {
  let products = "B200";
  let features = featuresSm90 # [Multicast, SetMaxNReg, ClusterLaunchControl, PackedF32];
  let mmas = mmaSm90 # tcgen05;
  let copies = copiesWide # copiesB8 # copiesTmem;
  let gpu = NVIDIAGPUSm100;
}

// ptxas takes clusters and multicast for sm_120, but CUTLASS's notes on GeForce RTX 50 say that multicast is not supported
// there, so that it is not listed; the size of a cluster is the guide's figure for 9.0 and later.
def Sm120 : NVIDIATarget<"sm_120", 88> {
  let products = "RTX 50, RTX PRO 6000";
  let features = featuresSm90 # [ClusterLaunchControl, PackedF32];
  let mmas = mmaSm90;
  let copies = copiesWide;
  let gpu = NVIDIAGPUSm120;
}
// The same chips, with what is not promised for later ones.
def Sm120a : NVIDIATarget<"sm_120a", 88> {
  let products = "RTX 50, RTX PRO 6000";
  let features = featuresSm90 # [SetMaxNReg, ClusterLaunchControl, PackedF32];
  let mmas = mmaSm120a;
  let copies = copiesWide # copiesB8;
  let gpu = NVIDIAGPUSm120;
}

#endif // TILE_TARGET_NVIDIA
