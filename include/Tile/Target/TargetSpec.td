//===- TargetSpec.td - classes of chip records -------------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A chip is a record: sizes, instruction tables, legal paths. Passes ask the tables (include/Tile/Target/Target.h) and hold
// no constant of any chip, so that a new chip of a known family is a record and not a patch.
//
// tile-tblgen turns the records into tables: a class derived from Struct is the struct of that name in Target.h, field by
// field in the same order; a case of an enumeration is its enumerator; a list is an ArrayRef; a record is a pointer to one,
// null where the field is not set. Every other field must be set.
//
// Bytes are bytes, sizes of matrices are elements. A figure that differs between products of one chip (number of
// processors, cache) is a default for the cost model and is named `default...`; the run time knows better.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TARGET_TARGETSPEC
#define TILE_TARGET_TARGETSPEC

//===----------------------------------------------------------------------===//
// Enumerations: enumerators in the order of their definition
//===----------------------------------------------------------------------===//

class EnumCase<string enum, string cpp, string text> {
  string enumName = enum;
  string enumerator = cpp;
  string spelling = text;
}

class Vendor<string cpp> : EnumCase<"Vendor", cpp, cpp>;
def NVIDIA : Vendor<"NVIDIA">;
def AMD : Vendor<"AMD">;
def Ascend : Vendor<"Ascend">;
def CPU : Vendor<"CPU">;

// Spelled as in MLIR; signed integers are signless there. `bitWidth` is what an element takes in memory.
class ElementType<string text, int size, string cpp> : EnumCase<"ElementType", cpp, text> {
  int bitWidth = size;
}
def None : ElementType<"none", 0, "None">;
def I4 : ElementType<"i4", 4, "I4">;
def I8 : ElementType<"i8", 8, "I8">;
def I16 : ElementType<"i16", 16, "I16">;
def I32 : ElementType<"i32", 32, "I32">;
def I64 : ElementType<"i64", 64, "I64">;
def U4 : ElementType<"ui4", 4, "U4">;
def U8 : ElementType<"ui8", 8, "U8">;
def U16 : ElementType<"ui16", 16, "U16">;
def U32 : ElementType<"ui32", 32, "U32">;
def F4E2M1FN : ElementType<"f4E2M1FN", 4, "F4E2M1FN">;
def F6E2M3FN : ElementType<"f6E2M3FN", 6, "F6E2M3FN">;
def F6E3M2FN : ElementType<"f6E3M2FN", 6, "F6E3M2FN">;
def F8E4M3FN : ElementType<"f8E4M3FN", 8, "F8E4M3FN">;
def F8E5M2 : ElementType<"f8E5M2", 8, "F8E5M2">;
def F8E4M3FNUZ : ElementType<"f8E4M3FNUZ", 8, "F8E4M3FNUZ">;
def F8E5M2FNUZ : ElementType<"f8E5M2FNUZ", 8, "F8E5M2FNUZ">;
def F8E8M0FNU : ElementType<"f8E8M0FNU", 8, "F8E8M0FNU">;
def F16 : ElementType<"f16", 16, "F16">;
def BF16 : ElementType<"bf16", 16, "BF16">;
// f32 in memory; the instruction reads 10 bits of mantissa.
def TF32 : ElementType<"tf32", 32, "TF32">;
def F32 : ElementType<"f32", 32, "F32">;
def F64 : ElementType<"f64", 64, "F64">;

// Named like the memory spaces of the dialect where it has one.
class Space<string text, string cpp> : EnumCase<"Space", cpp, text>;
def Global : Space<"global", "Global">;
def Shared : Space<"shared", "Shared">;
def PeerShared : Space<"peer-shared", "PeerShared">;  // shared memory of another block of the cluster
def Register : Space<"register", "Register">;
def Tmem : Space<"tmem", "Tmem">;
def L1 : Space<"l1", "L1">;
def UB : Space<"ub", "UB">;
def L0A : Space<"l0a", "L0A">;
def L0B : Space<"l0b", "L0B">;
def L0C : Space<"l0c", "L0C">;
def BT : Space<"bt", "BT">;  // bias table
def FB : Space<"fb", "FB">;  // parameters of Fixpipe

// What executes an instruction. Two engines run side by side until something orders them.
class Engine<string text, string cpp> : EnumCase<"Engine", cpp, text>;
def EngineThreads : Engine<"threads", "Threads">;    // in program order of the thread
def EngineCpAsync : Engine<"cp_async", "CpAsync">;   // asynchronous copies of threads, AMD: the vector memory counter
def EngineTMA : Engine<"tma", "TMA">;
def EngineTensor : Engine<"tensor", "Tensor">;       // asynchronous matrix instructions
def EngineS : Engine<"s", "S">;
def EngineV : Engine<"v", "V">;
def EngineM : Engine<"m", "M">;
def EngineMTE1 : Engine<"mte1", "MTE1">;
def EngineMTE2 : Engine<"mte2", "MTE2">;
def EngineMTE3 : Engine<"mte3", "MTE3">;
def EngineFIX : Engine<"fix", "FIX">;

// Kinds of core of one processor; GPUs have one.
class Core<string text, string cpp> : EnumCase<"Core", cpp, text>;
def SM : Core<"sm", "SM">;
def AIC : Core<"aic", "AIC">;
def AIV : Core<"aiv", "AIV">;

// The spellings are those of the dialect's instruction hints.
class MmaFamily<string text, string cpp> : EnumCase<"MmaFamily", cpp, text>;
// Where a chip has several, the later one is the faster.
def FamilyMMA : MmaFamily<"mma", "MMA">;
def FamilyWGMMA : MmaFamily<"wgmma", "WGMMA">;
def FamilyTCGen05 : MmaFamily<"tcgen05", "TCGen05">;
def FamilyMFMA : MmaFamily<"mfma", "MFMA">;
def FamilyWMMA : MmaFamily<"wmma", "WMMA">;
def FamilyCube : MmaFamily<"cube", "Cube">;

class CopyFamily<string text, string cpp> : EnumCase<"CopyFamily", cpp, text>;
def CopySync : CopyFamily<"sync", "Sync">;             // loads and stores of threads
def CopyCpAsync : CopyFamily<"cp_async", "CpAsync">;
def CopyBulk : CopyFamily<"bulk", "Bulk">;
def CopyTMA : CopyFamily<"tma", "TMA">;
def CopyLdMatrix : CopyFamily<"ldmatrix", "LdMatrix">; // and stmatrix, and AMD's transposing loads
def CopyTensorMemory : CopyFamily<"tcgen05", "TCGen05">;
def CopyBuffer : CopyFamily<"buffer", "Buffer">;       // AMD: bounds-checked by a descriptor
def CopyDirectToLDS : CopyFamily<"direct_to_lds", "DirectToLDS">;
def CopyPipe : CopyFamily<"pipe", "Pipe">;             // Ascend: an instruction of one pipe

class Feature<string text, string cpp> : EnumCase<"Feature", cpp, text>;
def Clusters : Feature<"clusters", "Clusters">;              // thread block clusters, mapa, distributed shared memory
def MBarrier : Feature<"mbarrier", "MBarrier">;              // mbarrier objects
def MBarrierTx : Feature<"mbarrier-tx", "MBarrierTx">;       // ... that count bytes, and try_wait
def Multicast : Feature<"multicast", "Multicast">;           // one TMA load to several blocks of a cluster
def NamedBarriers : Feature<"named-barriers", "NamedBarriers">;
def SetMaxNReg : Feature<"setmaxnreg", "SetMaxNReg">;
def ElectSync : Feature<"elect", "ElectSync">;
def DependentLaunch : Feature<"dependent-launch", "DependentLaunch">;   // griddepcontrol
def ClusterLaunchControl : Feature<"cluster-launch-control", "ClusterLaunchControl">;
def PackedF32 : Feature<"packed-f32", "PackedF32">;          // two f32 operations in one instruction
def PackedBF16Convert : Feature<"packed-bf16-convert", "PackedBF16Convert">;  // two f32 to two bf16
def PackedFloat8Convert : Feature<"packed-float8-convert", "PackedFloat8Convert">;  // two f32 to f8E4M3FN or f8E5M2, both to f16
def Ranks : Feature<"ranks", "Ranks">;                       // runs functions of several ranks
def FreeAssertions : Feature<"free-assertions", "FreeAssertions">;  // an assertion costs the calls in which it holds nothing
def SetPrio : Feature<"setprio", "SetPrio">;
def SchedGroupBarrier : Feature<"sched-group-barrier", "SchedGroupBarrier">;  // of the compiler, not of the chip

// Fractal formats by the vendor's names: the capital is the order of the fractals, the small letter that within one. For a
// matrix of M x N split into M1 x M0 and N1 x N0: Nz is [N1][M1][M0][N0], Zz is [M1][N1][M0][N0], Zn is [M1][N1][N0][M0].
class Format<string cpp> : EnumCase<"Format", cpp, cpp>;
def ND : Format<"ND">;
def Nz : Format<"Nz">;
def Zz : Format<"Zz">;
def Zn : Format<"Zn">;

//===----------------------------------------------------------------------===//
// Structs
//===----------------------------------------------------------------------===//

// The C++ struct of the same name, or, for a class derived further, of `structName`.
class Struct<string name> {
  string structName = name;
}

// A matrix instruction: c[M, N] += a[M, K] * b[K, N].
class MmaRow : Struct<"MmaRow"> {
  string instruction = ?;  // as in the vendor's assembly or API, without operand types and sizes that the row has
  MmaFamily family = ?;
  Engine engine = ?;
  // One issue of the instruction; N may be any of min, min + step, ..., max.
  int m = ?;
  int nMin = ?;
  int nMax = ?;
  int nStep = ?;
  int k = ?;
  // Any type of `a` goes with any of `b`.
  list<ElementType> a = ?;
  list<ElementType> b = ?;
  ElementType c = ?;
  list<Space> aSpaces = ?;
  Space bSpace = ?;
  Space cSpace = ?;
  // Whether an operand in memory may also have M (or N) contiguous; K contiguous always may be.
  bit aTransposed = 0;
  bit bTransposed = 0;
  int threads = ?;      // that execute one instruction together
  int blocks = 1;       // of a cluster, likewise
  // Name in MmaLayouts.h, or "wgmma" or "tmem" for its functions of N. Empty: not written down there, so that registers
  // cannot be filled and the row cannot be chosen where an operand is a register.
  string layout = "";
  // Block scaling: so many elements along K share one scale of this type.
  ElementType scale = None;
  int scaleBlock = 0;
  // There is a form for an `a` of which two of four neighbours along K are stored (of two with 32 bits, one), beside metadata: its
  // stored elements and its accumulator are those of this row, and K, and so `b`, is twice as long.
  bit sparse = 0;
}

// A copy instruction.
class CopyRow : Struct<"CopyRow"> {
  string instruction = ?;
  CopyFamily family = ?;
  Engine engine = ?;
  Core core = SM;
  Space from = ?;
  Space to = ?;
  // Bytes that one thread moves, ascending; or, for engines, any multiple of `granule` up to `maxBytes` (0: no limit but
  // that of the memories). Of ldmatrix and stmatrix: bytes of one thread's registers.
  list<int> widths = [];
  int granule = 0;
  int maxBytes = 0;
  // Alignment of the addresses; 0 stands for the width.
  int fromAlign = 0;
  int toAlign = 0;
  // The instruction itself reads 0 outside of its tensor, buffer or source size, and drops writes there.
  bit boundsChecked = 0;
  bit transposes = 0;   // can transpose on the way
}

// What cuTensorMapEncodeTiled and cp.async.bulk.tensor accept.
class TMASpec : Struct<"TMASpec"> {
  int maxRank = ?;
  int globalAlign = ?;       // of the tensor's address
  // Of the strides in bytes, except the innermost, which is one element; and of where a box begins along the innermost
  // dimension: from elsewhere the copy is an illegal instruction (seen on an H200, with and without swizzles).
  int strideMultiple = ?;
  int maxStrideLog2 = ?;     // strides and extents are below these powers of two
  int maxExtentLog2 = ?;
  int maxBox = ?;            // elements of a box along each dimension
  int innerBoxMultiple = ?;  // bytes of a box along the innermost dimension
  int sharedAlign = ?;       // without swizzle
  // Modes, by their span in bytes: the innermost dimension of the box fits into it, and rows of 16 bytes are permuted in a
  // pattern that repeats after 8 spans, which is the alignment that keeps addresses simple.
  list<int> swizzleSpans = ?;
  // Of the description of a tensor, a parameter of the kernel.
  int mapBytes = ?;
  int mapAlign = ?;
}

class GPUSpec : Struct<"GPUSpec"> {
  int warpSize = ?;
  int groupWarps = ?;             // of a warpgroup, whose register budget is one; 1 where there are none
  int maxThreadsPerBlock = ?;
  int maxThreadsPerSM = ?;
  int maxBlocksPerSM = ?;
  int maxGridYZ = ?;              // blocks that a launch may have along y, and along z
  // 32-bit registers of one lane.
  int maxRegistersPerThread = ?;
  int registersPerSM = ?;
  int maxRegistersPerBlock = ?;
  int registerGranule = ?;        // a thread's registers are allocated in such steps
  int minRegisterBudget = ?;      // that a thread keeps when its warpgroup gives registers away
  int vectorBytes = ?;            // widest access of one thread to all of its memories, and the alignment that it wants
  int sharedBytesPerSM = ?;
  int sharedBytesPerBlock = ?;    // largest, after asking for it at run time
  int sharedBytesStatic = ?;      // largest without asking
  int sharedBytesReserved = ?;    // that the system takes from each block
  int sharedBanks = ?;
  int sharedBankBytes = ?;
  int sharedAlign = ?;            // of a block's shared memory, so that any tile can be placed by offsets
  int barrierBytes = ?;           // of a barrier object in shared memory; 0 without
  int namedBarriers = ?;          // per block, with barrier 0
  int maxClusterSize = ?;         // blocks, of every device of the kind; 1 without clusters
  int tmemColumns = ?;            // of 128 lanes of 32 bits; 0 without
  int defaultSMs = ?;
  int defaultL2Bytes = ?;         // that one SM sees as its own
  int defaultDies = ?;            // L2 caches between which consecutive blocks alternate (XCDs)
  TMASpec tma = ?;
}

class CPUSpec : Struct<"CPUSpec"> {
  int vectorBytes = ?;
  int vectorRegisters = ?;
  bit fma = ?;
  bit ldexp = ?;             // scales a vector by powers of two in one instruction
  int lineBytes = ?;         // of a cache line
  // Movement of memory; these are not of the instruction set but were measured: see docs/performance-log.md.
  int rowBytes = ?;          // contiguous rows from this size on move as wholes
  int streamBytes = ?;       // buffers from this size on are written past the caches
  int prefetchLines = ?;     // so many lines at a time overlap best with what computes in between
  int maxPrefetchLines = ?;  // more at a time gain nothing
  int prefetchBytes = ?;     // what may wait in the cache of one core for its use
}

class AscendMemory : Struct<"AscendMemory"> {
  Space space = ?;
  Core core = ?;         // that owns it
  int bytes = ?;
  int userBytes = ?;     // from address 0
  int align = ?;         // of an operand
  Format format = ?;     // of a matrix operand of the cube
}

// A pair of pipes between which SetFlag and WaitFlag exist.
class AscendFlagPair : Struct<"AscendFlagPair"> {
  Core core = ?;
  Engine src = ?;
  Engine dst = ?;
}

class AscendBarrier : Struct<"AscendBarrier"> {
  Core core = ?;
  list<Engine> engines = ?;
}

class AscendVectorOp : Struct<"AscendVectorOp"> {
  string name = ?;   // in the basic API
  list<ElementType> types = ?;
}

class AscendCast : Struct<"AscendCast"> {
  ElementType from = ?;
  list<ElementType> to = ?;
}

class AscendSpec : Struct<"AscendSpec"> {
  int npuArch = ?;             // __NPU_ARCH__
  int defaultCores = ?;        // AI cores, each of one AIC and vectorCores AIV
  int vectorCores = ?;
  int blockBytes = ?;          // datablock: unit of strides, C0 of a fractal
  int fractalBytes = ?;
  int accumulatorFractal = ?;  // L0C: rows and columns of a fractal
  list<AscendMemory> memories = ?;
  int selectReserveBytes = ?;  // at the end of UB, where Select of modes 1 and 2 is used
  // Order.
  int queueDepth = ?;
  list<AscendFlagPair> flagPairs = ?;
  list<AscendBarrier> barriers = ?;
  list<Engine> orderedEngines = ?;  // whose instructions complete in order by themselves
  int eventIds = ?;
  int userEventIds = ?;        // 0 to userEventIds - 1
  int crossFlagIds = ?;
  int crossUserFlagIds = ?;    // that no library takes
  int crossCounterMax = ?;
  list<int> crossModes = ?;
  list<Engine> crossSetEngines = ?;
  bit crossWaitOnePipe = ?;    // CrossCoreWaitFlag stalls the pipe that it names; otherwise all
  // Limits of instructions.
  int repeatBytes = ?;
  int maxRepeat = ?;
  int maxBlockCount = ?;       // DataCopyPad
  int nd2nzMaxRows = ?;
  int nd2nzMaxColumns = ?;
  int mmadMax = ?;             // m, n and k
  int mmadAlign = ?;           // of the destination
  int mmadOrderedTiles = ?;    // below so many 16 x 16 tiles, two Mmad on one destination need a barrier
  int fixpipeMaxRows = ?;      // Nz to ND
  int fixpipeMaxColumns = ?;
  int biasUnit = ?;            // bytes that a copy to BT counts in
  int sortGroup = ?;           // Sort32: how many keys one repeat sorts
  int sortRecordBytes = ?;     // a key and its index
  int mergeMaxLength = ?;      // MrgSort: records of one list
  // Element types.
  list<AscendVectorOp> vectorOps = ?;
  list<AscendCast> casts = ?;
  list<AscendCast> fixpipeCasts = ?;
}

class Target : Struct<"Target"> {
  string name = ?;
  list<string> aliases = [];
  Vendor vendor = ?;
  string arch = ?;     // what the code generator or vendor's compiler is told
  string codegenFeatures = "";  // what LLVM is told beside it, such as the version of PTX
  string products = ?;
  list<Feature> features = [];
  list<MmaRow> mmas = [];
  list<CopyRow> copies = [];
  // One of them.
  GPUSpec gpu = ?;
  AscendSpec ascend = ?;
  CPUSpec cpu = ?;
}

#endif // TILE_TARGET_TARGETSPEC
