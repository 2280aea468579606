// Reductions, broadcasts, gathers, sorting, transposition: vector instructions
// with their own addressing.
#pragma once
#include "tile_ascend/vector.h"

namespace AscendC {

// One result a repeat. The mask counts source lanes; dstRepStride counts
// results.
#define TILE_ASCEND_REDUCE(NAME, OP, ORDER_PARAM, ORDER)                       \
  template <typename T, bool isSetMask = true>                                 \
  inline void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src,       \
                   const int32_t mask, const int32_t repeatTime,               \
                   const int32_t dstRepStride, const int32_t srcBlkStride,     \
                   const int32_t srcRepStride ORDER_PARAM, TILE_ASCEND_LOC) {  \
    static_assert(tile_ascend::takes<T>(tile_ascend::kFloatRow),               \
                  #NAME ": element type not supported on this architecture");  \
    tile_ascend::reduceRepeat(                                                 \
        tile_ascend::ReduceOp::OP, #NAME, dst.operand, src.operand,            \
        tile_ascend::lanesMask(isSetMask, static_cast<uint64_t>(mask),         \
                               repeatTime),                                    \
        dstRepStride, srcBlkStride, srcRepStride, ORDER, loc);                 \
  }                                                                            \
  template <typename T, bool isSetMask = true>                                 \
  inline void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src,       \
                   const uint64_t mask[], const int32_t repeatTime,            \
                   const int32_t dstRepStride, const int32_t srcBlkStride,     \
                   const int32_t srcRepStride ORDER_PARAM, TILE_ASCEND_LOC) {  \
    static_assert(tile_ascend::takes<T>(tile_ascend::kFloatRow),               \
                  #NAME ": element type not supported on this architecture");  \
    tile_ascend::reduceRepeat(                                                 \
        tile_ascend::ReduceOp::OP, #NAME, dst.operand, src.operand,            \
        tile_ascend::lanesBits(isSetMask, mask, repeatTime), dstRepStride,     \
        srcBlkStride, srcRepStride, ORDER, loc);                               \
  }
#define TILE_ASCEND_COMMA_ORDER                                                \
  , ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX
TILE_ASCEND_REDUCE(WholeReduceSum, Sum, , ReduceOrder::ORDER_ONLY_VALUE)
TILE_ASCEND_REDUCE(WholeReduceMax, Max, TILE_ASCEND_COMMA_ORDER, order)
TILE_ASCEND_REDUCE(WholeReduceMin, Min, TILE_ASCEND_COMMA_ORDER, order)
#undef TILE_ASCEND_COMMA_ORDER
#undef TILE_ASCEND_REDUCE

// One result a 32-byte block.
#define TILE_ASCEND_BLOCK_REDUCE(NAME, OP)                                     \
  template <typename T, bool isSetMask = true>                                 \
  inline void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src,       \
                   const int32_t repeatTime, const int32_t mask,               \
                   const int32_t dstRepStride, const int32_t srcBlkStride,     \
                   const int32_t srcRepStride, TILE_ASCEND_LOC) {              \
    static_assert(tile_ascend::takes<T>(tile_ascend::kFloatRow),               \
                  #NAME ": element type not supported on this architecture");  \
    tile_ascend::reduceBlock(                                                  \
        tile_ascend::ReduceOp::OP, #NAME, dst.operand, src.operand,            \
        tile_ascend::lanesMask(isSetMask, static_cast<uint64_t>(mask),         \
                               repeatTime),                                    \
        dstRepStride, srcBlkStride, srcRepStride, loc);                        \
  }                                                                            \
  template <typename T, bool isSetMask = true>                                 \
  inline void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src,       \
                   const int32_t repeatTime, const uint64_t mask[],            \
                   const int32_t dstRepStride, const int32_t srcBlkStride,     \
                   const int32_t srcRepStride, TILE_ASCEND_LOC) {              \
    static_assert(tile_ascend::takes<T>(tile_ascend::kFloatRow),               \
                  #NAME ": element type not supported on this architecture");  \
    tile_ascend::reduceBlock(                                                  \
        tile_ascend::ReduceOp::OP, #NAME, dst.operand, src.operand,            \
        tile_ascend::lanesBits(isSetMask, mask, repeatTime), dstRepStride,     \
        srcBlkStride, srcRepStride, loc);                                      \
  }
TILE_ASCEND_BLOCK_REDUCE(BlockReduceSum, Sum)
TILE_ASCEND_BLOCK_REDUCE(BlockReduceMax, Max)
TILE_ASCEND_BLOCK_REDUCE(BlockReduceMin, Min)
#undef TILE_ASCEND_BLOCK_REDUCE

// Sums neighbouring elements.
template <typename T, bool isSetMask = true>
inline void PairReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                          const int32_t repeatTime, const int32_t mask,
                          const int32_t dstRepStride,
                          const int32_t srcBlkStride,
                          const int32_t srcRepStride, TILE_ASCEND_LOC) {
  static_assert(
      tile_ascend::takes<T>(tile_ascend::kFloatRow),
      "PairReduceSum: element type not supported on this architecture");
  tile_ascend::reducePair(dst.operand, src.operand,
                          tile_ascend::lanesMask(isSetMask,
                                                 static_cast<uint64_t>(mask),
                                                 repeatTime),
                          dstRepStride, srcBlkStride, srcRepStride, loc);
}

// Each source element fills one 32-byte block.
template <typename T>
inline void Brcb(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                 const int32_t repeatTime, const BrcbRepeatParams &params,
                 TILE_ASCEND_LOC) {
  static_assert(tile_ascend::takes<T>(tile_ascend::kMoveRow),
                "Brcb: element type not supported on this architecture");
  tile_ascend::brcb(dst.operand, src.operand, repeatTime, params, loc);
}

// UB to UB under a mask.
template <typename T, bool isSetMask = true>
inline void Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                 uint64_t mask, int32_t repeatTime,
                 const CopyRepeatParams &params, TILE_ASCEND_LOC) {
  static_assert(tile_ascend::takes<T>(tile_ascend::kMoveRow),
                "Copy: element type not supported on this architecture");
  tile_ascend::vectorUnary(tile_ascend::VecOp::Copy, "Copy", dst.operand,
                           src.operand, tile_ascend::kNoScalar,
                           tile_ascend::lanesMask(isSetMask, mask, repeatTime),
                           {params.dstStride, params.dstRepeatSize},
                           {params.srcStride, params.srcRepeatSize}, loc);
}
template <typename T, bool isSetMask = true>
inline void Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                 const uint64_t mask[], int32_t repeatTime,
                 const CopyRepeatParams &params, TILE_ASCEND_LOC) {
  static_assert(tile_ascend::takes<T>(tile_ascend::kMoveRow),
                "Copy: element type not supported on this architecture");
  tile_ascend::vectorUnary(tile_ascend::VecOp::Copy, "Copy", dst.operand,
                           src.operand, tile_ascend::kNoScalar,
                           tile_ascend::lanesBits(isSetMask, mask, repeatTime),
                           {params.dstStride, params.dstRepeatSize},
                           {params.srcStride, params.srcRepeatSize}, loc);
}

// Offsets are in bytes from src + srcBaseAddr.
template <typename T>
inline void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                   const LocalTensor<uint32_t> &srcOffset,
                   const uint32_t srcBaseAddr, const uint32_t count,
                   TILE_ASCEND_LOC) {
  static_assert(tile_ascend::takes<T>(tile_ascend::kMoveRow),
                "Gather: element type not supported on this architecture");
  tile_ascend::gather(dst.operand, src.operand, srcOffset.operand, srcBaseAddr,
                      tile_ascend::lanesCount(count), 8, loc);
}
template <typename T>
inline void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                   const LocalTensor<uint32_t> &srcOffset,
                   const uint32_t srcBaseAddr, const uint64_t mask,
                   const int32_t repeatTime, const uint16_t dstRepStride,
                   TILE_ASCEND_LOC) {
  static_assert(tile_ascend::takes<T>(tile_ascend::kMoveRow),
                "Gather: element type not supported on this architecture");
  tile_ascend::gather(dst.operand, src.operand, srcOffset.operand, srcBaseAddr,
                      tile_ascend::lanesMask(true, mask, repeatTime),
                      dstRepStride, loc);
}
template <typename T>
inline void Gatherb(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                    const LocalTensor<uint32_t> &offset,
                    const int32_t repeatTime, const GatherRepeatParams &params,
                    TILE_ASCEND_LOC) {
  static_assert(tile_ascend::takes<T>(tile_ascend::kGatherBlockRow),
                "Gatherb: element type not supported on this architecture");
  tile_ascend::gatherBlocks(dst.operand, src.operand, offset.operand,
                            repeatTime, params, loc);
}

// Packs the selected elements; rsvdCnt is how many there are.
template <typename T, typename U>
inline void GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
                       const LocalTensor<U> &src1Pattern, const bool reduceMode,
                       const uint32_t mask, const GatherMaskParams &params,
                       uint64_t &rsvdCnt, TILE_ASCEND_LOC) {
  static_assert(tile_ascend::takes<T>(tile_ascend::kMoveRow) &&
                    sizeof(T) == sizeof(U) && std::is_unsigned_v<U>,
                "GatherMask: expected a pattern of unsigned elements as wide "
                "as the source's");
  rsvdCnt =
      tile_ascend::gatherMask(dst.operand, src0.operand, &src1Pattern.operand,
                              0, reduceMode, mask, params, loc);
}
template <typename T>
inline void GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
                       const uint8_t src1Pattern, const bool reduceMode,
                       const uint32_t mask, const GatherMaskParams &params,
                       uint64_t &rsvdCnt, TILE_ASCEND_LOC) {
  static_assert(tile_ascend::takes<T>(tile_ascend::kMoveRow),
                "GatherMask: element type not supported on this architecture");
  rsvdCnt = tile_ascend::gatherMask(dst.operand, src0.operand, nullptr,
                                    src1Pattern, reduceMode, mask, params, loc);
}

// Sorts groups of 32 scores in descending order, with their indices, into
// 8-byte (score, index) records.
template <typename T>
inline void Sort32(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
                   const LocalTensor<uint32_t> &src1, const int32_t repeatTime,
                   TILE_ASCEND_LOC) {
  static_assert(tile_ascend::takes<T>(tile_ascend::kFloatRow),
                "Sort32: element type not supported on this architecture");
  tile_ascend::sort32(dst.operand, src0.operand, src1.operand, repeatTime, loc);
}
template <typename T>
inline void MrgSort(const LocalTensor<T> &dst, const MrgSortSrcList<T> &src,
                    const MrgSort4Info &params, TILE_ASCEND_LOC) {
  static_assert(tile_ascend::takes<T>(tile_ascend::kFloatRow),
                "MrgSort: element type not supported on this architecture");
  tile_ascend::mergeSort(
      dst.operand,
      {src.src1.operand, src.src2.operand, src.src3.operand, src.src4.operand},
      params, loc);
}

// One 16x16 tile.
template <typename T>
inline void Transpose(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                      TILE_ASCEND_LOC) {
  static_assert(tile_ascend::takes<T>(tile_ascend::kTransposeRow),
                "Transpose: element type not supported on this architecture");
  tile_ascend::transpose16(dst.operand, src.operand, loc);
}

} // namespace AscendC
