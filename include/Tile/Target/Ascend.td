//===- Ascend.td - Huawei Ascend NPUs ----------------------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sources, all of the public Ascend C documentation (CANN 9.1), by page title in English:
//   [arch]    "NPU architecture version 2201" and "... 3510" of the programming guide, and "hardware constraints"
//   [sync]    "Overview of synchronisation within a core", tables 2 and 3
//   [cross]   "CrossCoreSetFlag(ISASI)", "CrossCoreWaitFlag(ISASI)", "SyncAll"
//   [copy]    "DataCopy", "DataCopyPad", "LoadData", "Fixpipe", by memory pair; of 3510 "Fixpipe (L0C to UB)", "L0C to UB with two
//             destinations", "DataCopy (UB to L1)" and the read-me of its sample, which names MTE3
//   [mmad]    "Mmad"
//   [vector]  the page of each instruction under "vector computation"; [cast] "Cast"
//   [change]  "From 2201 to 3510, changes of the architecture"
// Of 3510 (Ascend 950) less was read than of 2201: what its records list exists, but more may exist.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TARGET_ASCEND
#define TILE_TARGET_ASCEND

include "Tile/Target/TargetSpec.td"

//===----------------------------------------------------------------------===//
// Memories
//===----------------------------------------------------------------------===//

class Memory<Space memory, Core owner, int size, int system, int alignment, Format matrixFormat> : AscendMemory {
  let space = memory;
  let core = owner;
  let bytes = size;
  let userBytes = !sub(size, system);
  let align = alignment;
  let format = matrixFormat;
}

// [arch]: the last 256 bytes of UB and L1 belong to the system. The destination of Mmad is aligned further (mmadAlign).
defvar memories2201 = [
  Memory<UB, AIV, 196608, 256, 32, ND>,
  Memory<L1, AIC, 524288, 256, 32, Nz>,
  Memory<L0A, AIC, 65536, 0, 512, Zz>,
  Memory<L0B, AIC, 65536, 0, 512, Zn>,
  Memory<L0C, AIC, 131072, 0, 64, Nz>,
  Memory<BT, AIC, 1024, 0, 64, ND>,
  Memory<FB, AIC, 2048, 0, 64, ND>
];
// [change]: 8 of the 256 KB of UB are reserved by default; L0A holds Nz.
defvar memories3510 = [
  Memory<UB, AIV, 262144, 8192, 32, ND>,
  Memory<L1, AIC, 524288, 256, 32, Nz>,
  Memory<L0A, AIC, 65536, 0, 512, Nz>,
  Memory<L0B, AIC, 65536, 0, 512, Zn>,
  Memory<L0C, AIC, 262144, 0, 64, Nz>,
  Memory<BT, AIC, 4096, 0, 64, ND>,
  Memory<FB, AIC, 4096, 0, 64, ND>
];

//===----------------------------------------------------------------------===//
// Data paths
//===----------------------------------------------------------------------===//

class PipeCopy<string name, Core owner, Engine pipe, Space source, Space target, int unit> : CopyRow {
  let instruction = name;
  let family = CopyPipe;
  let engine = pipe;
  let core = owner;
  let from = source;
  let to = target;
  let granule = unit;
  let fromAlign = !cond(!eq(source, Global): 1, !eq(source, L0C): 64, true: 32);
  let toAlign = !cond(!eq(target, Global): 1, !eq(target, L0C): 64, !eq(target, BT): 64, !eq(target, L0A): 512,
                      !eq(target, L0B): 512, true: 32);
}

// Rows of any length; in UB the rest of the last 32 bytes takes a value. Bounds are for the program to keep.
class PadCopy<Engine pipe, Space source, Space target> : PipeCopy<"DataCopyPad", AIV, pipe, source, target, 1>;

// Of the copies from L1 to FB (parameters of Fixpipe by channel) the units are not certain, so that they are left out.
class Load2D<Space target> : PipeCopy<"LoadData", AIC, EngineMTE1, L1, target, 512> {
  let transposes = 1;  // 16-bit elements
}
// Elements of any width, in squares of two blocks where one is not a square.
class LoadSquares<string name, Space target> : PipeCopy<name, AIC, EngineMTE1, L1, target, 512> {
  let transposes = 1;
}
defvar pathsCommon = [
  PadCopy<EngineMTE2, Global, UB>,
  PadCopy<EngineMTE3, UB, Global>,
  PipeCopy<"DataCopy", AIV, EngineV, UB, UB, 32>,
  PipeCopy<"DataCopy", AIC, EngineMTE2, Global, L1, 32>,
  // ND to Nz on the way: columns are padded with 0 to 32 bytes, rows are not.
  PipeCopy<"DataCopy(Nd2NzParams)", AIC, EngineMTE2, Global, L1, 1>,
  Load2D<L0A>,
  Load2D<L0B>,
  PipeCopy<"Fixpipe", AIC, EngineFIX, L0C, Global, 1>,
  PipeCopy<"Fixpipe", AIC, EngineFIX, L0C, L1, 32>
];
defvar paths2201 = pathsCommon # [
  PipeCopy<"LoadData", AIC, EngineMTE2, Global, L0A, 512>,
  PipeCopy<"LoadData", AIC, EngineMTE2, Global, L0B, 512>,
  LoadSquares<"LoadDataWithTranspose", L0A>,
  LoadSquares<"LoadDataWithTranspose", L0B>,
  PipeCopy<"DataCopy", AIC, EngineMTE3, L1, Global, 32>,
  PipeCopy<"DataCopy", AIC, EngineMTE1, L1, BT, 64>
];
// [change], [copy]: the cores reach each other. Fixpipe writes rows of L0C into the UB of one vector core, or halves of them
// into both; columns are whole blocks. Blocks of UB go to L1 as they are: Nz is made on the way, one column of blocks after the
// other. From L1 to UB there is a path too, which nothing here needs.
defvar paths3510 = pathsCommon # [
  LoadSquares<"LoadData(LoadData2DParamsV2)", L0A>,
  LoadSquares<"LoadData(LoadData2DParamsV2)", L0B>,
  PipeCopy<"Fixpipe", AIC, EngineFIX, L0C, UB, 32>,
  PipeCopy<"DataCopy", AIV, EngineMTE3, UB, L1, 32>,
  PipeCopy<"DataCopy", AIC, EngineMTE1, L1, BT, 32>
];

//===----------------------------------------------------------------------===//
// Synchronisation
//===----------------------------------------------------------------------===//

class Flag<Core owner, Engine source, Engine target> : AscendFlagPair {
  let core = owner;
  let src = source;
  let dst = target;
}
// Both directions of each pair.
class Flags<Core owner, list<list<Engine>> pairs> {
  list<AscendFlagPair> both = !foldl([]<AscendFlagPair>, pairs, all, p,
                                     all # [Flag<owner, p[0], p[1]>, Flag<owner, p[1], p[0]>]);
}

// [sync] table 2. FIX with MTE2 and MTE3 is "no use case" there and is left out; S has no pair on AIC.
defvar cubeFlags = Flags<AIC, [[EngineM, EngineMTE1], [EngineM, EngineMTE2], [EngineM, EngineFIX],
                               [EngineMTE1, EngineMTE2], [EngineMTE1, EngineFIX]]>.both;
defvar cubeFlagsMTE3 = Flags<AIC, [[EngineMTE1, EngineMTE3], [EngineMTE2, EngineMTE3]]>.both;
// [sync] table 3.
defvar vectorFlags = Flags<AIV, [[EngineS, EngineV], [EngineS, EngineMTE2], [EngineS, EngineMTE3],
                                 [EngineV, EngineMTE2], [EngineV, EngineMTE3], [EngineMTE2, EngineMTE3]]>.both;

class Barrier<Core owner, list<Engine> pipes> : AscendBarrier {
  let core = owner;
  let engines = pipes;
}

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

// [mmad]: the fractals of A, B and C are fixed by the memories. One instruction takes any m, n and k up to 4095; the row
// is its smallest step, and K a block of 32 bytes.
class Mmad<int depth, list<ElementType> inputs, ElementType output> : MmaRow {
  let instruction = "Mmad";
  let family = FamilyCube;
  let engine = EngineM;
  let m = 16;
  let nMin = 16;
  let nMax = 4080;
  let nStep = 16;
  let k = depth;
  let a = inputs;
  let b = inputs;
  let c = output;
  let aSpaces = [L0A];
  let bSpace = L0B;
  let cSpace = L0C;
  let threads = 1;
}
defvar mmadCommon = [Mmad<16, [F16], F32>, Mmad<16, [BF16], F32>, Mmad<8, [F32], F32>, Mmad<32, [I8], I32>];
defvar mmad2201 = mmadCommon # [Mmad<64, [I4], I32>];
// [mmad] table 5. hif8 is no type of MLIR's.
defvar mmad3510 = mmadCommon # [Mmad<32, [F8E4M3FN, F8E5M2], F32>];

class VectorOp<string op, list<ElementType> elementTypes> : AscendVectorOp {
  let name = op;
  let types = elementTypes;
}
class VectorOps<list<string> ops, list<ElementType> elementTypes> {
  list<AscendVectorOp> rows = !foreach(op, ops, VectorOp<op, elementTypes>);
}

defvar halfFloat = [F16, F32];
defvar arith = [I16, F16, I32, F32];
defvar b16 = [I16, U16, F16, BF16];
defvar b16b32 = [I16, U16, F16, BF16, I32, U32, F32];

defvar arithOps = ["Add", "Sub", "Mul", "Max", "Min", "Adds", "Muls", "Maxs", "Mins"];
defvar bitOps = ["And", "Or", "Not"];
defvar moveOps = ["Duplicate", "Brcb", "Gather", "Copy"];

// [vector]. Of Axpy and MulAddDst: the source's type; the destination may be f32 where it is f16. Compare's other modes
// than EQ do not take i32 on 2201.
defvar vectorCommon = VectorOps<["Div", "Exp", "Ln", "Abs", "Reciprocal", "Sqrt", "Rsqrt", "LeakyRelu", "Axpy", "MulAddDst",
                                 "FusedMulAdd", "MulAddRelu", "WholeReduceSum", "WholeReduceMax", "WholeReduceMin",
                                 "BlockReduceSum", "BlockReduceMax", "BlockReduceMin", "PairReduceSum", "Sort32",
                                 "MrgSort"], halfFloat>.rows # [
  VectorOp<"Relu", [F16, I32, F32]>,
  VectorOp<"ShiftLeft", [I16, U16, I32, U32]>,
  VectorOp<"ShiftRight", [I16, U16, I32, U32]>,
  VectorOp<"GatherMask", b16b32>,
  VectorOp<"Transpose", b16>
];
defvar vector2201 = vectorCommon # VectorOps<arithOps, arith>.rows # VectorOps<bitOps, [I16, U16]>.rows #
                    VectorOps<moveOps, b16b32>.rows # [
  VectorOp<"Compare", [F16, I32, F32]>,
  VectorOp<"Select", halfFloat>
];
defvar vector3510 = vectorCommon # VectorOps<arithOps, arith # [BF16, U16, U32]>.rows #
                    VectorOps<bitOps, [I16, U16, I32, U32]>.rows # VectorOps<moveOps, b16b32 # [I8, U8]>.rows # [
  VectorOp<"Compare", b16b32 # [I8, U8]>,
  VectorOp<"Select", b16b32>
];

class CastRow<ElementType source, list<ElementType> targets> : AscendCast {
  let from = source;
  let to = targets;
}

// [cast]. i32 to f16 goes through SetDeqScale.
defvar castsCommon = [
  CastRow<I4, [F16]>,
  CastRow<U8, [F16]>,
  CastRow<I32, [I16, F16, F32, I64]>,
  CastRow<F32, [I16, F16, BF16, I32, F32, I64]>,
  CastRow<I64, [I32, F32]>
];
defvar casts2201 = castsCommon # [
  CastRow<I8, [F16]>,
  CastRow<I16, [F16, F32]>,
  CastRow<F16, [I4, I8, U8, I16, I32, F32]>,
  CastRow<BF16, [I32, F32]>
];
defvar casts3510 = castsCommon # [
  CastRow<I8, [F16, I16, I32]>,
  CastRow<I16, [F16, F32, I32]>,
  CastRow<F16, [I4, I8, U8, I16, I32, F32, BF16]>,
  CastRow<BF16, [I32, F32, F16]>,
  // The other way exists: it saturates, and of a NaN it makes 0.
  CastRow<F8E4M3FN, [F32]>,
  CastRow<F8E5M2, [F32]>
];

// [copy] "Fixpipe (L0C to GM)"; 4-bit results are left out.
defvar fixpipeTypes = [CastRow<F32, [F32, F16, BF16, I8, U8]>, CastRow<I32, [I32, F16, I8, U8]>];

//===----------------------------------------------------------------------===//
// Chips
//===----------------------------------------------------------------------===//

class DaVinci : AscendSpec {
  let vectorCores = 2;
  let blockBytes = 32;
  let fractalBytes = 512;
  let accumulatorFractal = 16;
  let queueDepth = 32;
  // [sync]: ids 6 and 7 are reserved.
  let eventIds = 8;
  let userEventIds = 6;
  // [cross]: an id is 0 to 10; SyncAll takes 11 to 14. The pipe of a set is not S.
  let crossFlagIds = 16;
  let crossUserFlagIds = 11;
  let crossCounterMax = 15;
  let crossSetEngines = [EngineV, EngineM, EngineMTE1, EngineMTE2, EngineMTE3, EngineFIX];
  let repeatBytes = 256;
  let maxRepeat = 255;
  let maxBlockCount = 4095;
  let nd2nzMaxRows = 16384;
  let nd2nzMaxColumns = 65535;
  let mmadMax = 4095;
  let mmadAlign = 1024;
  let mmadOrderedTiles = 10;
  let fixpipeMaxRows = 8192;
  let fixpipeMaxColumns = 4095;
  let sortGroup = 32;
  let sortRecordBytes = 8;
  let mergeMaxLength = 4095;
  let fixpipeCasts = fixpipeTypes;
}

def Arch2201 : DaVinci {
  let npuArch = 2201;
  // 20 or 24 by product; the run time knows.
  let defaultCores = 24;
  let memories = memories2201;
  let selectReserveBytes = 8192;
  let flagPairs = cubeFlags # cubeFlagsMTE3 # vectorFlags;
  let barriers = [Barrier<AIC, [EngineM, EngineMTE1, EngineMTE2, EngineMTE3, EngineFIX]>,
                  Barrier<AIV, [EngineV, EngineMTE2, EngineMTE3]>];
  let orderedEngines = [EngineS];
  let crossModes = [0, 1, 2];
  let crossWaitOnePipe = 0;
  let biasUnit = 64;
  let vectorOps = vector2201;
  let casts = casts2201;
}

def Arch3510 : DaVinci {
  let npuArch = 3510;
  let defaultCores = 32;
  let memories = memories3510;
  // UB's reserve is taken off its user bytes already.
  let selectReserveBytes = 0;
  let flagPairs = cubeFlags # vectorFlags;
  let barriers = [Barrier<AIC, [EngineM, EngineMTE1, EngineMTE2, EngineFIX]>, Barrier<AIV, [EngineMTE2, EngineMTE3]>];
  // [change]: V completes in order and takes no barrier.
  let orderedEngines = [EngineS, EngineV];
  // Mode 4: AIC with one AIV.
  let crossModes = [0, 1, 2, 4];
  let crossWaitOnePipe = 1;
  let biasUnit = 32;
  let vectorOps = vector3510;
  let casts = casts3510;
}

// `arch` is what bisheng's --npu-arch takes.
class AscendTarget<string chip, string npuArch, AscendSpec spec> : Target {
  let name = chip;
  let vendor = Ascend;
  let arch = npuArch;
  let ascend = spec;
}

// 910C is two dies of 910B, each of them a device.
def Ascend910B : AscendTarget<"910B", "dav-2201", Arch2201> {
  let aliases = ["910C"];
  let products = "Atlas A2, Atlas A3";
  let mmas = mmad2201;
  let copies = paths2201;
}

def Ascend950 : AscendTarget<"950", "dav-3510", Arch3510> {
  let products = "Ascend 950PR, 950DT";
  let mmas = mmad3510;
  let copies = paths3510;
}

#endif // TILE_TARGET_ASCEND
