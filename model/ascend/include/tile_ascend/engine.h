// What the kernel-facing templates hand to the library: untyped operands, a
// lane description, and one function per instruction family. Everything heavy
// is behind these declarations, so that a kernel compiles quickly.
#pragma once
#include <cstdint>

#include "tile_ascend/types.h"
#include "tile_ascend_model.h"

namespace tile_ascend {

using Mem = TileAscendMem;
using Pipe = TileAscendPipe;

// Source line of the call in the kernel, through default arguments.
struct Loc {
  const char *file;
  uint32_t line;
  static constexpr Loc here(const char *file = __builtin_FILE(),
                            int line = __builtin_LINE()) {
    return {file, static_cast<uint32_t>(line)};
  }
};

// Marks the place of a hidden trailing argument: a kernel never passes it.
#define TILE_ASCEND_LOC ::tile_ascend::Loc loc = ::tile_ascend::Loc::here()

enum class DType : uint8_t {
  I4,
  I8,
  U8,
  I16,
  U16,
  F16,
  BF16,
  I32,
  U32,
  F32,
  I64,
  U64,
  F64,
  F8E4M3FN,
  F8E5M2
};

uint32_t bitsOf(DType type);
const char *nameOf(DType type);
Mem memOf(AscendC::TPosition position);

// Whose memory an operand lies in: that of the core itself, or of another one of
// its block.
enum class Unit : uint8_t { Own, Aic, Aiv0, Aiv1 };

// One tensor operand. `addr` is a byte address in `mem`, or a byte offset into
// GM argument `buffer`; `bytes` is what the tensor owns from there on. buffer <
// 0: the GM pointer belongs to no argument.
struct Operand {
  Mem mem;
  int32_t buffer;
  int64_t addr;
  int64_t bytes;
  DType type;
  Unit unit = Unit::Own;
};

// Which lanes a vector instruction works on.
struct Lanes {
  enum Kind : uint8_t { Count, Mask, Bits, Register } kind;
  int64_t count;    // Count: elements. Mask: leading lanes of each repeat
  uint64_t bits[2]; // Bits: lane i of a repeat is bit i
  int32_t repeats;  // all but Count
};

inline Lanes lanesCount(int64_t count) {
  return {Lanes::Count, count, {0, 0}, 0};
}
inline Lanes lanesMask(bool setMask, uint64_t mask, int32_t repeats) {
  return {setMask ? Lanes::Mask : Lanes::Register,
          static_cast<int64_t>(mask),
          {0, 0},
          repeats};
}
inline Lanes lanesBits(bool setMask, const uint64_t *mask, int32_t repeats) {
  return {
      setMask ? Lanes::Bits : Lanes::Register, 0, {mask[0], mask[1]}, repeats};
}

// Strides of one operand, in 32-byte blocks.
struct Stride {
  int32_t block;
  int32_t repeat;
};

// A scalar operand, converted to every representation an instruction may want.
struct Scalar {
  double real;
  int64_t integer;
};

enum class VecOp : uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  Max,
  Min,
  And,
  Or,
  AddRelu,
  SubRelu,
  MulAddDst,
  FusedMulAdd,
  MulAddRelu, // tensor, tensor
  Adds,
  Muls,
  Maxs,
  Mins,
  LeakyRelu,
  Axpy,
  ShiftLeft,
  ShiftRight, // tensor, scalar
  Exp,
  Ln,
  Abs,
  Reciprocal,
  Sqrt,
  Rsqrt,
  Relu,
  Not,
  Copy,      // tensor
  Duplicate, // scalar
};

enum class ReduceOp : uint8_t { Sum, Max, Min };

// Kernel and core state (src/core.cpp).
bool enterTask(int kernelType);
void initSocState(uint32_t arch, Loc loc);
bool isAic();
int64_t blockIdx();
int64_t blockNum();
int64_t subBlockIdx();
int32_t gmBuffer(const void *pointer, int64_t *offset);
void checkTensor(const char *op, const Operand &tensor, uint32_t elements,
                 Loc loc);
void scalarAccess(const Operand &element, bool write, void *value, Loc loc);
void cleanCache(const Operand &tensor, bool whole, bool atomic, Loc loc);

// Synchronisation (src/sync.cpp).
void setFlag(AscendC::HardEvent event, int32_t id, Loc loc);
void waitFlag(AscendC::HardEvent event, int32_t id, Loc loc);
void pipeBarrier(pipe_t pipe, Loc loc);
void crossSet(uint8_t mode, pipe_t pipe, uint32_t id, Loc loc);
void crossWait(uint8_t mode, pipe_t pipe, uint32_t id, Loc loc);

// Registers the scalar unit writes and later instructions read in program order
// (src/core.cpp).
void setMaskMode(bool counter);
void setVectorMask(uint64_t high, uint64_t low);
void resetMask();
enum class AtomicOp : uint8_t { None, Add, Max, Min };
void setAtomic(AtomicOp op, DType type);
void setDeqScale(half scale);

// Copies (src/copy.cpp).
struct PadFill {
  bool enabled;
  uint8_t left, right;
  uint64_t bits; // one element
};
void copyPadIn(const Operand &dst, const Operand &src,
               const AscendC::DataCopyExtParams &params, const PadFill &pad,
               Loc loc);
void copyPadOut(const Operand &dst, const Operand &src,
                const AscendC::DataCopyExtParams &params, Loc loc);
void copyBlocks(const Operand &dst, const Operand &src,
                const AscendC::DataCopyParams &params, Loc loc);
void copyCount(const Operand &dst, const Operand &src, int64_t count, Loc loc);
void copyNd2Nz(const Operand &dst, const Operand &src,
               const AscendC::Nd2NzParams &params, Loc loc);
void fill(const Operand &dst, uint32_t repeats, uint32_t blocks, uint32_t gap,
          uint64_t bits, Loc loc);

// Cube (src/cube.cpp).
void loadData(const Operand &dst, const Operand &src,
              const AscendC::LoadData2DParams &params, Loc loc);
void loadSteps(const Operand &dst, const Operand &src,
               const AscendC::LoadData2DParamsV2 &params, Loc loc);
void loadTranspose(const Operand &dst, const Operand &src,
                   const AscendC::LoadData2dTransposeParams &params, Loc loc);
void mmad(const Operand &dst, const Operand &a, const Operand &b,
          const Operand *bias, const AscendC::MmadParams &params, Loc loc);
void fixpipe(const Operand &dst, const Operand &src, const Operand *scales,
             bool nz, const AscendC::FixpipeParamsV220 &params, Loc loc);
// Rows to the UB of one AIV, or halves to both.
void fixpipeToUb(const Operand &dst, const Operand &src,
                 const AscendC::FixpipeParamsV220 &params, uint8_t dual,
                 uint8_t sub, Loc loc);

// Vector (src/vector.cpp, src/vector_special.cpp).
void vectorBinary(VecOp op, const char *name, const Operand &dst,
                  const Operand &a, const Operand &b, const Lanes &lanes,
                  const AscendC::BinaryRepeatParams &params, Loc loc);
void vectorUnary(VecOp op, const char *name, const Operand &dst,
                 const Operand &src, Scalar scalar, const Lanes &lanes,
                 Stride dstStride, Stride srcStride, Loc loc);
void vectorDuplicate(const Operand &dst, Scalar scalar, const Lanes &lanes,
                     Stride stride, Loc loc);
void vectorCast(const Operand &dst, const Operand &src, AscendC::RoundMode mode,
                const Lanes &lanes, const AscendC::UnaryRepeatParams &params,
                Loc loc);
void vectorCompare(const char *name, const Operand &dst, const Operand &a,
                   const Operand *b, Scalar scalar, AscendC::CMPMODE mode,
                   const Lanes &lanes,
                   const AscendC::BinaryRepeatParams &params, Loc loc);
void vectorSelect(const Operand &dst, const Operand &mask, const Operand &a,
                  const Operand *b, Scalar scalar, AscendC::SELMODE mode,
                  const Lanes &lanes, const AscendC::BinaryRepeatParams &params,
                  Loc loc);
void reduceRepeat(ReduceOp op, const char *name, const Operand &dst,
                  const Operand &src, const Lanes &lanes, int32_t dstRep,
                  int32_t srcBlk, int32_t srcRep, AscendC::ReduceOrder order,
                  Loc loc);
void reduceBlock(ReduceOp op, const char *name, const Operand &dst,
                 const Operand &src, const Lanes &lanes, int32_t dstRep,
                 int32_t srcBlk, int32_t srcRep, Loc loc);
void reducePair(const Operand &dst, const Operand &src, const Lanes &lanes,
                int32_t dstRep, int32_t srcBlk, int32_t srcRep, Loc loc);
void brcb(const Operand &dst, const Operand &src, int32_t repeats,
          const AscendC::BrcbRepeatParams &params, Loc loc);
void gather(const Operand &dst, const Operand &src, const Operand &offsets,
            uint32_t base, const Lanes &lanes, int32_t dstRep, Loc loc);
void gatherBlocks(const Operand &dst, const Operand &src,
                  const Operand &offsets, int32_t repeats,
                  const AscendC::GatherRepeatParams &params, Loc loc);
// pattern: a built-in pattern 1..7 when `mask` is null. Returns the number of
// elements kept.
uint64_t gatherMask(const Operand &dst, const Operand &src, const Operand *mask,
                    uint8_t pattern, bool counter, uint32_t count,
                    const AscendC::GatherMaskParams &params, Loc loc);
void sort32(const Operand &dst, const Operand &score, const Operand &index,
            int32_t repeats, Loc loc);
void mergeSort(const Operand &dst, const Operand (&src)[4],
               const AscendC::MrgSort4Info &params, Loc loc);
void transpose16(const Operand &dst, const Operand &src, Loc loc);

} // namespace tile_ascend
