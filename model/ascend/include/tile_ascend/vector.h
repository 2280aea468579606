// Element-wise vector instructions, casts, comparison and selection.
#pragma once
#include "tile_ascend/tensor.h"

namespace tile_ascend {
template <typename T>
inline Scalar scalarOf(T value) {
  return {static_cast<double>(value), static_cast<int64_t>(value)};
}
inline Scalar scalarOf(float value) { return {value, 0}; }
inline Scalar scalarOf(half value) { return {static_cast<float>(value), 0}; }
inline Scalar scalarOf(bfloat16_t value) {
  return {static_cast<float>(value), 0};
}
constexpr Scalar kNoScalar{0, 0};
} // namespace tile_ascend

namespace AscendC {

// dst = op(a, b), in the three forms of the manual: first n elements, leading
// lanes of each repeat, bit mask.
#define TILE_ASCEND_BINARY(NAME, ROW)                                          \
  template <typename T>                                                        \
  inline void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src0,      \
                   const LocalTensor<T> &src1, const int32_t &count,           \
                   TILE_ASCEND_LOC) {                                          \
    static_assert(tile_ascend::takes<T>(tile_ascend::ROW),                     \
                  #NAME ": element type not supported on this architecture");  \
    tile_ascend::vectorBinary(tile_ascend::VecOp::NAME, #NAME, dst.operand,    \
                              src0.operand, src1.operand,                      \
                              tile_ascend::lanesCount(count), {}, loc);        \
  }                                                                            \
  template <typename T, bool isSetMask = true>                                 \
  inline void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src0,      \
                   const LocalTensor<T> &src1, uint64_t mask,                  \
                   int32_t repeatTime, const BinaryRepeatParams &params,       \
                   TILE_ASCEND_LOC) {                                          \
    static_assert(tile_ascend::takes<T>(tile_ascend::ROW),                     \
                  #NAME ": element type not supported on this architecture");  \
    tile_ascend::vectorBinary(                                                 \
        tile_ascend::VecOp::NAME, #NAME, dst.operand, src0.operand,            \
        src1.operand, tile_ascend::lanesMask(isSetMask, mask, repeatTime),     \
        params, loc);                                                          \
  }                                                                            \
  template <typename T, bool isSetMask = true>                                 \
  inline void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src0,      \
                   const LocalTensor<T> &src1, const uint64_t mask[],          \
                   int32_t repeatTime, const BinaryRepeatParams &params,       \
                   TILE_ASCEND_LOC) {                                          \
    static_assert(tile_ascend::takes<T>(tile_ascend::ROW),                     \
                  #NAME ": element type not supported on this architecture");  \
    tile_ascend::vectorBinary(                                                 \
        tile_ascend::VecOp::NAME, #NAME, dst.operand, src0.operand,            \
        src1.operand, tile_ascend::lanesBits(isSetMask, mask, repeatTime),     \
        params, loc);                                                          \
  }
TILE_ASCEND_BINARY(Add, kArithRow)
TILE_ASCEND_BINARY(Sub, kArithRow)
TILE_ASCEND_BINARY(Mul, kArithRow)
TILE_ASCEND_BINARY(Max, kArithRow)
TILE_ASCEND_BINARY(Min, kArithRow)
TILE_ASCEND_BINARY(Div, kFloatRow)
TILE_ASCEND_BINARY(And, kBitRow)
TILE_ASCEND_BINARY(Or, kBitRow)
TILE_ASCEND_BINARY(AddRelu, kAddReluRow)
TILE_ASCEND_BINARY(SubRelu, kAddReluRow)
TILE_ASCEND_BINARY(FusedMulAdd, kFloatRow)
TILE_ASCEND_BINARY(MulAddRelu, kFloatRow)
#undef TILE_ASCEND_BINARY

// dst += src0 * src1; half sources may accumulate into float.
template <typename T, typename U>
inline void MulAddDst(const LocalTensor<T> &dst, const LocalTensor<U> &src0,
                      const LocalTensor<U> &src1, const int32_t &count,
                      TILE_ASCEND_LOC) {
  static_assert(tile_ascend::takes<U>(tile_ascend::kFloatRow) &&
                    (std::is_same_v<T, U> ||
                     (std::is_same_v<T, float> && std::is_same_v<U, half>)),
                "MulAddDst: element types not supported on this architecture");
  tile_ascend::vectorBinary(tile_ascend::VecOp::MulAddDst, "MulAddDst",
                            dst.operand, src0.operand, src1.operand,
                            tile_ascend::lanesCount(count), {}, loc);
}
template <typename T, typename U, bool isSetMask = true>
inline void MulAddDst(const LocalTensor<T> &dst, const LocalTensor<U> &src0,
                      const LocalTensor<U> &src1, uint64_t mask,
                      int32_t repeatTime, const BinaryRepeatParams &params,
                      TILE_ASCEND_LOC) {
  static_assert(tile_ascend::takes<U>(tile_ascend::kFloatRow) &&
                    (std::is_same_v<T, U> ||
                     (std::is_same_v<T, float> && std::is_same_v<U, half>)),
                "MulAddDst: element types not supported on this architecture");
  tile_ascend::vectorBinary(tile_ascend::VecOp::MulAddDst, "MulAddDst",
                            dst.operand, src0.operand, src1.operand,
                            tile_ascend::lanesMask(isSetMask, mask, repeatTime),
                            params, loc);
}

// dst = op(src, scalar).
#define TILE_ASCEND_SCALAR(NAME, ROW)                                          \
  template <typename T>                                                        \
  inline void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src,       \
                   const T &scalar, const int32_t &count, \
                   TILE_ASCEND_LOC) {                                          \
    static_assert(tile_ascend::takes<T>(tile_ascend::ROW),                     \
                  #NAME ": element type not supported on this architecture");  \
    tile_ascend::vectorUnary(tile_ascend::VecOp::NAME, #NAME, dst.operand,     \
                             src.operand, tile_ascend::scalarOf(scalar),       \
                             tile_ascend::lanesCount(count), {1, 8}, {1, 8},   \
                             loc);                                             \
  }                                                                            \
  template <typename T, bool isSetMask = true>                                 \
  inline void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src,       \
                   const T &scalar, uint64_t mask,        \
                   int32_t repeatTime, const UnaryRepeatParams &params,        \
                   TILE_ASCEND_LOC) {                                          \
    static_assert(tile_ascend::takes<T>(tile_ascend::ROW),                     \
                  #NAME ": element type not supported on this architecture");  \
    tile_ascend::vectorUnary(                                                  \
        tile_ascend::VecOp::NAME, #NAME, dst.operand, src.operand,             \
        tile_ascend::scalarOf(scalar),                                         \
        tile_ascend::lanesMask(isSetMask, mask, repeatTime),                   \
        {params.dstBlkStride, params.dstRepStride},                            \
        {params.srcBlkStride, params.srcRepStride}, loc);                      \
  }                                                                            \
  template <typename T, bool isSetMask = true>                                 \
  inline void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src,       \
                   const T &scalar,                       \
                   const uint64_t mask[], int32_t repeatTime,                  \
                   const UnaryRepeatParams &params, TILE_ASCEND_LOC) {         \
    static_assert(tile_ascend::takes<T>(tile_ascend::ROW),                     \
                  #NAME ": element type not supported on this architecture");  \
    tile_ascend::vectorUnary(                                                  \
        tile_ascend::VecOp::NAME, #NAME, dst.operand, src.operand,             \
        tile_ascend::scalarOf(scalar),                                         \
        tile_ascend::lanesBits(isSetMask, mask, repeatTime),                   \
        {params.dstBlkStride, params.dstRepStride},                            \
        {params.srcBlkStride, params.srcRepStride}, loc);                      \
  }
TILE_ASCEND_SCALAR(Adds, kArithRow)
TILE_ASCEND_SCALAR(Muls, kArithRow)
TILE_ASCEND_SCALAR(Maxs, kArithRow)
TILE_ASCEND_SCALAR(Mins, kArithRow)
TILE_ASCEND_SCALAR(LeakyRelu, kFloatRow)
TILE_ASCEND_SCALAR(ShiftLeft, kShiftRow)
TILE_ASCEND_SCALAR(ShiftRight, kShiftRow)
#undef TILE_ASCEND_SCALAR

// dst += src * scalar; half sources may accumulate into float.
template <typename T, typename U>
inline void Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src,
                 const U &scalar, const int32_t &count,
                 TILE_ASCEND_LOC) {
  static_assert(tile_ascend::takes<U>(tile_ascend::kFloatRow) &&
                    (std::is_same_v<T, U> ||
                     (std::is_same_v<T, float> && std::is_same_v<U, half>)),
                "Axpy: element types not supported on this architecture");
  tile_ascend::vectorUnary(tile_ascend::VecOp::Axpy, "Axpy", dst.operand,
                           src.operand, tile_ascend::scalarOf(scalar),
                           tile_ascend::lanesCount(count), {1, 8}, {1, 8}, loc);
}
template <typename T, typename U, bool isSetMask = true>
inline void Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src,
                 const U &scalar, uint64_t mask,
                 int32_t repeatTime, const UnaryRepeatParams &params,
                 TILE_ASCEND_LOC) {
  static_assert(tile_ascend::takes<U>(tile_ascend::kFloatRow) &&
                    (std::is_same_v<T, U> ||
                     (std::is_same_v<T, float> && std::is_same_v<U, half>)),
                "Axpy: element types not supported on this architecture");
  tile_ascend::vectorUnary(tile_ascend::VecOp::Axpy, "Axpy", dst.operand,
                           src.operand, tile_ascend::scalarOf(scalar),
                           tile_ascend::lanesMask(isSetMask, mask, repeatTime),
                           {params.dstBlkStride, params.dstRepStride},
                           {params.srcBlkStride, params.srcRepStride}, loc);
}

// dst = op(src).
#define TILE_ASCEND_UNARY(NAME, ROW)                                           \
  template <typename T>                                                        \
  inline void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src,       \
                   const int32_t &count, TILE_ASCEND_LOC) {                    \
    static_assert(tile_ascend::takes<T>(tile_ascend::ROW),                     \
                  #NAME ": element type not supported on this architecture");  \
    tile_ascend::vectorUnary(tile_ascend::VecOp::NAME, #NAME, dst.operand,     \
                             src.operand, tile_ascend::kNoScalar,              \
                             tile_ascend::lanesCount(count), {1, 8}, {1, 8},   \
                             loc);                                             \
  }                                                                            \
  template <typename T, bool isSetMask = true>                                 \
  inline void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src,       \
                   uint64_t mask, int32_t repeatTime,                          \
                   const UnaryRepeatParams &params, TILE_ASCEND_LOC) {         \
    static_assert(tile_ascend::takes<T>(tile_ascend::ROW),                     \
                  #NAME ": element type not supported on this architecture");  \
    tile_ascend::vectorUnary(                                                  \
        tile_ascend::VecOp::NAME, #NAME, dst.operand, src.operand,             \
        tile_ascend::kNoScalar,                                                \
        tile_ascend::lanesMask(isSetMask, mask, repeatTime),                   \
        {params.dstBlkStride, params.dstRepStride},                            \
        {params.srcBlkStride, params.srcRepStride}, loc);                      \
  }                                                                            \
  template <typename T, bool isSetMask = true>                                 \
  inline void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src,       \
                   const uint64_t mask[], int32_t repeatTime,                  \
                   const UnaryRepeatParams &params, TILE_ASCEND_LOC) {         \
    static_assert(tile_ascend::takes<T>(tile_ascend::ROW),                     \
                  #NAME ": element type not supported on this architecture");  \
    tile_ascend::vectorUnary(                                                  \
        tile_ascend::VecOp::NAME, #NAME, dst.operand, src.operand,             \
        tile_ascend::kNoScalar,                                                \
        tile_ascend::lanesBits(isSetMask, mask, repeatTime),                   \
        {params.dstBlkStride, params.dstRepStride},                            \
        {params.srcBlkStride, params.srcRepStride}, loc);                      \
  }
TILE_ASCEND_UNARY(Exp, kFloatRow)
TILE_ASCEND_UNARY(Ln, kFloatRow)
TILE_ASCEND_UNARY(Abs, kFloatRow)
TILE_ASCEND_UNARY(Reciprocal, kFloatRow)
TILE_ASCEND_UNARY(Sqrt, kFloatRow)
TILE_ASCEND_UNARY(Rsqrt, kFloatRow)
TILE_ASCEND_UNARY(Relu, kReluRow)
TILE_ASCEND_UNARY(Not, kBitRow)
#undef TILE_ASCEND_UNARY

template <typename T>
inline void Duplicate(const LocalTensor<T> &dst,
                      const T &scalar,
                      const int32_t &count, TILE_ASCEND_LOC) {
  static_assert(tile_ascend::takes<T>(tile_ascend::kMoveRow),
                "Duplicate: element type not supported on this architecture");
  tile_ascend::vectorDuplicate(dst.operand, tile_ascend::scalarOf(scalar),
                               tile_ascend::lanesCount(count), {1, 8}, loc);
}
template <typename T, bool isSetMask = true>
inline void Duplicate(const LocalTensor<T> &dst,
                      const T &scalar, uint64_t mask,
                      int32_t repeatTime, uint16_t dstBlkStride,
                      uint8_t dstRepStride, TILE_ASCEND_LOC) {
  static_assert(tile_ascend::takes<T>(tile_ascend::kMoveRow),
                "Duplicate: element type not supported on this architecture");
  tile_ascend::vectorDuplicate(
      dst.operand, tile_ascend::scalarOf(scalar),
      tile_ascend::lanesMask(isSetMask, mask, repeatTime),
      {dstBlkStride, dstRepStride}, loc);
}
template <typename T, bool isSetMask = true>
inline void
Duplicate(const LocalTensor<T> &dst, const T &scalar,
          const uint64_t mask[], int32_t repeatTime, uint16_t dstBlkStride,
          uint8_t dstRepStride, TILE_ASCEND_LOC) {
  static_assert(tile_ascend::takes<T>(tile_ascend::kMoveRow),
                "Duplicate: element type not supported on this architecture");
  tile_ascend::vectorDuplicate(
      dst.operand, tile_ascend::scalarOf(scalar),
      tile_ascend::lanesBits(isSetMask, mask, repeatTime),
      {dstBlkStride, dstRepStride}, loc);
}

template <typename T, typename U>
inline void Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src,
                 const RoundMode &roundMode, uint32_t count, TILE_ASCEND_LOC) {
  static_assert(
      tile_ascend::castExists<T, U>(),
      "Cast: this pair of element types does not exist on this architecture");
  tile_ascend::vectorCast(dst.operand, src.operand, roundMode,
                          tile_ascend::lanesCount(count), {}, loc);
}
template <typename T, typename U, bool isSetMask = true>
inline void Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src,
                 const RoundMode &roundMode, uint64_t mask, int32_t repeatTime,
                 const UnaryRepeatParams &params, TILE_ASCEND_LOC) {
  static_assert(
      tile_ascend::castExists<T, U>(),
      "Cast: this pair of element types does not exist on this architecture");
  tile_ascend::vectorCast(dst.operand, src.operand, roundMode,
                          tile_ascend::lanesMask(isSetMask, mask, repeatTime),
                          params, loc);
}
template <typename T, typename U, bool isSetMask = true>
inline void Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src,
                 const RoundMode &roundMode, const uint64_t mask[],
                 int32_t repeatTime, const UnaryRepeatParams &params,
                 TILE_ASCEND_LOC) {
  static_assert(
      tile_ascend::castExists<T, U>(),
      "Cast: this pair of element types does not exist on this architecture");
  tile_ascend::vectorCast(dst.operand, src.operand, roundMode,
                          tile_ascend::lanesBits(isSetMask, mask, repeatTime),
                          params, loc);
}

// The result is a bit mask, least significant bit first.
template <typename T, typename U>
inline void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0,
                    const LocalTensor<T> &src1, CMPMODE cmpMode, uint32_t count,
                    TILE_ASCEND_LOC) {
  static_assert(tile_ascend::takes<T>(tile_ascend::kCompareRow),
                "Compare: element type not supported on this architecture");
  static_assert(std::is_same<U, uint8_t>::value,
                "Compare: expected a destination of uint8_t");
  tile_ascend::vectorCompare("Compare", dst.operand, src0.operand,
                             &src1.operand, tile_ascend::kNoScalar, cmpMode,
                             tile_ascend::lanesCount(count), {}, loc);
}
template <typename T, typename U, bool isSetMask = true>
inline void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0,
                    const LocalTensor<T> &src1, CMPMODE cmpMode, uint64_t mask,
                    int32_t repeatTime, const BinaryRepeatParams &params,
                    TILE_ASCEND_LOC) {
  static_assert(tile_ascend::takes<T>(tile_ascend::kCompareRow),
                "Compare: element type not supported on this architecture");
  static_assert(std::is_same<U, uint8_t>::value,
                "Compare: expected a destination of uint8_t");
  tile_ascend::vectorCompare(
      "Compare", dst.operand, src0.operand, &src1.operand,
      tile_ascend::kNoScalar, cmpMode,
      tile_ascend::lanesMask(isSetMask, mask, repeatTime), params, loc);
}
template <typename T, typename U>
inline void CompareScalar(const LocalTensor<U> &dst, const LocalTensor<T> &src0,
                          T src1, CMPMODE cmpMode,
                          uint32_t count, TILE_ASCEND_LOC) {
  static_assert(
      tile_ascend::takes<T>(tile_ascend::kCompareRow),
      "CompareScalar: element type not supported on this architecture");
  static_assert(std::is_same<U, uint8_t>::value,
                "CompareScalar: expected a destination of uint8_t");
  tile_ascend::vectorCompare("CompareScalar", dst.operand, src0.operand,
                             nullptr, tile_ascend::scalarOf(src1), cmpMode,
                             tile_ascend::lanesCount(count), {}, loc);
}
template <typename T, typename U>
inline void Compares(const LocalTensor<U> &dst, const LocalTensor<T> &src0,
                     T src1, CMPMODE cmpMode,
                     uint32_t count, TILE_ASCEND_LOC) {
  CompareScalar(dst, src0, src1, cmpMode, count, loc);
}

// dst = bit of selMask ? src0 : src1.
template <typename T, typename U>
inline void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask,
                   const LocalTensor<T> &src0, const LocalTensor<T> &src1,
                   SELMODE selMode, uint32_t count, TILE_ASCEND_LOC) {
  static_assert(tile_ascend::takes<T>(tile_ascend::kSelectRow),
                "Select: element type not supported on this architecture");
  static_assert(std::is_unsigned<U>::value,
                "Select: expected a mask of unsigned elements");
  tile_ascend::vectorSelect(dst.operand, selMask.operand, src0.operand,
                            &src1.operand, tile_ascend::kNoScalar, selMode,
                            tile_ascend::lanesCount(count), {}, loc);
}
template <typename T, typename U>
inline void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask,
                   const LocalTensor<T> &src0, T src1,
                   SELMODE selMode, uint32_t count, TILE_ASCEND_LOC) {
  static_assert(tile_ascend::takes<T>(tile_ascend::kSelectRow),
                "Select: element type not supported on this architecture");
  static_assert(std::is_unsigned<U>::value,
                "Select: expected a mask of unsigned elements");
  tile_ascend::vectorSelect(dst.operand, selMask.operand, src0.operand, nullptr,
                            tile_ascend::scalarOf(src1), selMode,
                            tile_ascend::lanesCount(count), {}, loc);
}
template <typename T, typename U>
inline void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask,
                   const LocalTensor<T> &src0, const LocalTensor<T> &src1,
                   SELMODE selMode, uint64_t mask, int32_t repeatTime,
                   const BinaryRepeatParams &params, TILE_ASCEND_LOC) {
  static_assert(tile_ascend::takes<T>(tile_ascend::kSelectRow),
                "Select: element type not supported on this architecture");
  static_assert(std::is_unsigned<U>::value,
                "Select: expected a mask of unsigned elements");
  tile_ascend::vectorSelect(dst.operand, selMask.operand, src0.operand,
                            &src1.operand, tile_ascend::kNoScalar, selMode,
                            tile_ascend::lanesMask(true, mask, repeatTime),
                            params, loc);
}
template <typename T, typename U>
inline void Select(const LocalTensor<T> &dst, const LocalTensor<U> &selMask,
                   const LocalTensor<T> &src0, T src1,
                   SELMODE selMode, uint64_t mask, int32_t repeatTime,
                   const BinaryRepeatParams &params, TILE_ASCEND_LOC) {
  static_assert(tile_ascend::takes<T>(tile_ascend::kSelectRow),
                "Select: element type not supported on this architecture");
  static_assert(std::is_unsigned<U>::value,
                "Select: expected a mask of unsigned elements");
  tile_ascend::vectorSelect(dst.operand, selMask.operand, src0.operand, nullptr,
                            tile_ascend::scalarOf(src1), selMode,
                            tile_ascend::lanesMask(true, mask, repeatTime),
                            params, loc);
}

} // namespace AscendC
