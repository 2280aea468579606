//===- Target.h - chips as data ---------------------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes, instruction tables and legal paths of the chips, as constant tables.
// The records, their sources and the meaning of each field are in the td files
// of this directory; the structs below have the same fields.
//
//   const Target *target = lookupTarget("sm_90a");
//   target->getGPU()->sharedBytesPerBlock;                       // 232448
//   findMma(*target, {F16, F16, F32}, 128, 192, 64);   // wgmma, N = 192, first
//   findCopies(*target, Space::Global, Space::Shared, 16);
//
// No MLIR in here; `#tile.target<"sm_90a">` names a target in the IR.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TARGET_TARGET_H
#define TILE_TARGET_TARGET_H

#include "Tile/Layout/Layout.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace tile::target {

// Vendor, ElementType, Space, Engine, Core, MmaFamily, CopyFamily, Feature,
// Format: each with stringify(), symbolize...() and kNum...s.
#define GET_TARGET_ENUMS
#include "Tile/Target/Targets.inc"

/// Bits of an element in memory.
int getBitWidth(ElementType type);

//===----------------------------------------------------------------------===//
// Structs: TargetSpec.td
//===----------------------------------------------------------------------===//

struct MmaRow {
  llvm::StringRef instruction;
  MmaFamily family;
  Engine engine;
  int64_t m, nMin, nMax, nStep, k;
  llvm::ArrayRef<ElementType> a, b;
  ElementType c;
  llvm::ArrayRef<Space> aSpaces;
  Space bSpace, cSpace;
  bool aTransposed, bTransposed;
  int64_t threads, blocks;
  llvm::StringRef layout;
  ElementType scale;
  int64_t scaleBlock;
  bool sparse;

  bool hasN(int64_t n) const {
    return n >= nMin && n <= nMax && (n - nMin) % nStep == 0;
  }
};

struct CopyRow {
  llvm::StringRef instruction;
  CopyFamily family;
  Engine engine;
  Core core;
  Space from, to;
  llvm::ArrayRef<int64_t> widths;
  int64_t granule, maxBytes;
  int64_t fromAlign, toAlign;
  bool boundsChecked, transposes;

  /// One instruction can move so many bytes.
  bool moves(int64_t bytes) const;
};

struct TMASpec {
  int64_t maxRank, globalAlign, strideMultiple, maxStrideLog2, maxExtentLog2;
  int64_t maxBox, innerBoxMultiple, sharedAlign;
  llvm::ArrayRef<int64_t> swizzleSpans;
  int64_t mapBytes, mapAlign;
};

struct GPUSpec {
  int64_t warpSize, groupWarps;
  int64_t maxThreadsPerBlock, maxThreadsPerSM, maxBlocksPerSM, maxGridYZ;
  int64_t maxRegistersPerThread, registersPerSM, maxRegistersPerBlock;
  int64_t registerGranule, minRegisterBudget, vectorBytes;
  int64_t sharedBytesPerSM, sharedBytesPerBlock, sharedBytesStatic;
  int64_t sharedBytesReserved, sharedBanks, sharedBankBytes;
  int64_t sharedAlign, barrierBytes;
  int64_t namedBarriers, maxClusterSize, tmemColumns;
  int64_t defaultSMs, defaultL2Bytes, defaultDies;
  /// Null where there is no TMA.
  const TMASpec *tma;

  int64_t groupThreads() const { return groupWarps * warpSize; }
  /// Of a stage of a pipeline: one barrier says that it is full, one that it is
  /// empty.
  int64_t stageBarrierBytes() const { return 2 * barrierBytes; }
};

struct CPUSpec {
  int64_t vectorBytes, vectorRegisters;
  bool fma, ldexp;
  int64_t lineBytes;
  int64_t rowBytes, streamBytes;
  int64_t prefetchLines, maxPrefetchLines, prefetchBytes;
};

struct AscendMemory {
  Space space;
  Core core;
  int64_t bytes, userBytes, align;
  Format format;
};

struct AscendFlagPair {
  Core core;
  Engine src, dst;
};

struct AscendBarrier {
  Core core;
  llvm::ArrayRef<Engine> engines;
};

struct AscendVectorOp {
  llvm::StringRef name;
  llvm::ArrayRef<ElementType> types;
};

struct AscendCast {
  ElementType from;
  llvm::ArrayRef<ElementType> to;
};

struct AscendSpec {
  int64_t npuArch, defaultCores, vectorCores;
  int64_t blockBytes, fractalBytes, accumulatorFractal;
  llvm::ArrayRef<AscendMemory> memories;
  int64_t selectReserveBytes, queueDepth;
  llvm::ArrayRef<AscendFlagPair> flagPairs;
  llvm::ArrayRef<AscendBarrier> barriers;
  llvm::ArrayRef<Engine> orderedEngines;
  int64_t eventIds, userEventIds;
  int64_t crossFlagIds, crossUserFlagIds, crossCounterMax;
  llvm::ArrayRef<int64_t> crossModes;
  llvm::ArrayRef<Engine> crossSetEngines;
  bool crossWaitOnePipe;
  int64_t repeatBytes, maxRepeat, maxBlockCount;
  int64_t nd2nzMaxRows, nd2nzMaxColumns;
  int64_t mmadMax, mmadAlign, mmadOrderedTiles;
  int64_t fixpipeMaxRows, fixpipeMaxColumns, biasUnit;
  int64_t sortGroup, sortRecordBytes, mergeMaxLength;
  llvm::ArrayRef<AscendVectorOp> vectorOps;
  llvm::ArrayRef<AscendCast> casts, fixpipeCasts;

  /// Null where the chip has no such memory.
  const AscendMemory *findMemory(Space space) const;
  /// SetFlag and WaitFlag exist from `src` to `dst`.
  bool hasFlag(Core core, Engine src, Engine dst) const;
  /// PipeBarrier of the engine exists.
  bool hasBarrier(Core core, Engine engine) const;
  bool isOrdered(Engine engine) const;
  bool supports(llvm::StringRef vectorOp, ElementType type) const;
  bool hasCast(ElementType from, ElementType to) const;
  bool hasFixpipeCast(ElementType from, ElementType to) const;
};

struct Target {
  llvm::StringRef name;
  llvm::ArrayRef<llvm::StringRef> aliases;
  Vendor vendor;
  llvm::StringRef arch, codegenFeatures, products;
  llvm::ArrayRef<Feature> features;
  llvm::ArrayRef<MmaRow> mmas;
  llvm::ArrayRef<CopyRow> copies;
  const GPUSpec *gpu;
  const AscendSpec *ascend;
  const CPUSpec *cpu;

  /// Null for chips of another kind.
  const GPUSpec *getGPU() const { return gpu; }
  const AscendSpec *getAscend() const { return ascend; }
  const CPUSpec *getCPU() const { return cpu; }
  bool has(Feature feature) const;
  /// Of a partition that only starts copies: the least that can have registers
  /// of its own, or a warp where all have the same.
  int64_t getProducerThreads() const;
};

//===----------------------------------------------------------------------===//
// Lookup
//===----------------------------------------------------------------------===//

/// All chips: NVIDIA, AMD, Ascend, CPU.
llvm::ArrayRef<Target> targets();

/// By name or alias; null if there is none.
const Target *lookupTarget(llvm::StringRef name);

/// "unknown target 'sm_99'; known NVIDIA targets: sm_80, ...; closest match:
/// sm_90a". Lists all targets if the name resembles none.
std::string describeUnknownTarget(llvm::StringRef name);

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

struct MmaTypes {
  ElementType a, b, c;
  /// The block scale, if any.
  ElementType scale = ElementType::None;
};

/// A row together with one of its N.
struct MmaChoice {
  const MmaRow *row;
  int64_t n;
};

/// The instructions that cover a tile of M x N x K exactly when repeated, those
/// with the most multiplications first. Each row is given once, with the
/// largest of its N that divides `n`.
llvm::SmallVector<MmaChoice>
findMma(const Target &target, const MmaTypes &types, int64_t m, int64_t n,
        int64_t k, std::optional<MmaFamily> family = std::nullopt);

/// The instructions that can move `bytes` at once.
llvm::SmallVector<const CopyRow *> findCopies(const Target &target, Space from,
                                              Space to, int64_t bytes);

enum class Operand { A, B, C };

/// Which thread and register (or place in tensor memory) holds which element of
/// the operand. Fails where the operand lies in a memory whose layout the
/// program chooses, or where the fragment is not written down.
layout::Result<layout::Layout> getFragment(const MmaChoice &choice,
                                           Operand operand);

} // namespace tile::target

#endif // TILE_TARGET_TARGET_H
