// Keywords, enumerations and parameter records of the Ascend C basic API (names
// and field order as documented for CANN 8/9).
#pragma once
#include <cstdint>

#include "tile_ascend/float16.h"

// Architecture the kernel is compiled for: 2201 is Atlas A2/A3 (910B/910C),
// 3510 is Ascend 950.
#ifndef __NPU_ARCH__
#define __NPU_ARCH__ 2201
#endif

#define __aicore__
#define __global__
#define __gm__
#define GM_ADDR __gm__ uint8_t *

enum pipe_t : uint8_t {
  PIPE_S,
  PIPE_V,
  PIPE_M,
  PIPE_MTE1,
  PIPE_MTE2,
  PIPE_MTE3,
  PIPE_FIX,
  PIPE_ALL
};

enum event_t : uint8_t {
  EVENT_ID0,
  EVENT_ID1,
  EVENT_ID2,
  EVENT_ID3,
  EVENT_ID4,
  EVENT_ID5,
  EVENT_ID6,
  EVENT_ID7,
};

enum KernelMetaType {
  KERNEL_TYPE_AIV_ONLY,
  KERNEL_TYPE_AIC_ONLY,
  KERNEL_TYPE_MIX_AIV_1_0,
  KERNEL_TYPE_MIX_AIC_1_0,
  KERNEL_TYPE_MIX_AIC_1_1,
  KERNEL_TYPE_MIX_AIC_1_2,
};

enum QuantMode_t {
  NoQuant,
  F322F16,
  F322BF16,
  DEQF16,
  VDEQF16,
  QF322B8_PRE,
  VQF322B8_PRE,
  REQ8,
  VREQ8,
};

namespace AscendC {

enum class TPosition : uint8_t {
  GM,
  A1,
  A2,
  B1,
  B2,
  C1,
  C2,
  CO1,
  CO2,
  VECIN,
  VECOUT,
  VECCALC,
  LCM = VECCALC,
  SPM,
  TSCM,
  C2PIPE2GM,
};

// Source pipe in the high nibble, destination in the low one.
enum class HardEvent : uint8_t {
#define TILE_ASCEND_EVENT(SRC, DST) SRC##_##DST = (PIPE_##SRC << 4) | PIPE_##DST
  TILE_ASCEND_EVENT(MTE2, MTE1),
  TILE_ASCEND_EVENT(MTE1, MTE2),
  TILE_ASCEND_EVENT(MTE1, M),
  TILE_ASCEND_EVENT(M, MTE1),
  TILE_ASCEND_EVENT(MTE2, V),
  TILE_ASCEND_EVENT(V, MTE2),
  TILE_ASCEND_EVENT(MTE3, V),
  TILE_ASCEND_EVENT(V, MTE3),
  TILE_ASCEND_EVENT(M, V),
  TILE_ASCEND_EVENT(V, M),
  TILE_ASCEND_EVENT(MTE3, MTE1),
  TILE_ASCEND_EVENT(MTE1, MTE3),
  TILE_ASCEND_EVENT(MTE1, V),
  TILE_ASCEND_EVENT(V, MTE1),
  TILE_ASCEND_EVENT(MTE2, M),
  TILE_ASCEND_EVENT(M, MTE2),
  TILE_ASCEND_EVENT(M, FIX),
  TILE_ASCEND_EVENT(FIX, M),
  TILE_ASCEND_EVENT(MTE3, MTE2),
  TILE_ASCEND_EVENT(MTE2, MTE3),
  TILE_ASCEND_EVENT(S, V),
  TILE_ASCEND_EVENT(V, S),
  TILE_ASCEND_EVENT(S, MTE2),
  TILE_ASCEND_EVENT(MTE2, S),
  TILE_ASCEND_EVENT(S, MTE3),
  TILE_ASCEND_EVENT(MTE3, S),
  TILE_ASCEND_EVENT(MTE2, FIX),
  TILE_ASCEND_EVENT(FIX, MTE2),
  TILE_ASCEND_EVENT(FIX, S),
  TILE_ASCEND_EVENT(M, S),
  TILE_ASCEND_EVENT(FIX, MTE3),
  TILE_ASCEND_EVENT(MTE1, FIX),
  TILE_ASCEND_EVENT(FIX, MTE1),
#undef TILE_ASCEND_EVENT
};

enum class RoundMode : uint8_t {
  CAST_NONE,
  CAST_RINT,
  CAST_FLOOR,
  CAST_CEIL,
  CAST_ROUND,
  CAST_TRUNC,
  CAST_ODD,
};

enum class CMPMODE : uint8_t { LT, GT, EQ, LE, GE, NE };
enum class SELMODE : uint8_t {
  VSEL_CMPMASK_SPR,
  VSEL_TENSOR_SCALAR_MODE,
  VSEL_TENSOR_TENSOR_MODE
};
enum class MaskMode : uint8_t { NORMAL, COUNTER };
enum class ReduceOrder : uint8_t {
  ORDER_VALUE_INDEX,
  ORDER_INDEX_VALUE,
  ORDER_ONLY_VALUE,
  ORDER_ONLY_INDEX
};
enum class CO2Layout : uint8_t { NZ, ROW_MAJOR };
enum class CacheLine : uint8_t { SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE };
enum class DcciDst : uint8_t {
  CACHELINE_ALL,
  CACHELINE_UB,
  CACHELINE_OUT,
  CACHELINE_ATOMIC
};

constexpr uint64_t MASK_PLACEHOLDER = 0;

// Strides are in 32-byte data blocks; the defaults are the contiguous ones.
struct BinaryRepeatParams {
  uint8_t dstBlkStride = 1, src0BlkStride = 1, src1BlkStride = 1;
  uint8_t dstRepStride = 8, src0RepStride = 8, src1RepStride = 8;
};

struct UnaryRepeatParams {
  uint16_t dstBlkStride = 1, srcBlkStride = 1;
  uint8_t dstRepStride = 8, srcRepStride = 8;
};

struct CopyRepeatParams {
  uint16_t dstStride = 1, srcStride = 1;
  uint16_t dstRepeatSize = 8, srcRepeatSize = 8;
};

struct BrcbRepeatParams {
  uint16_t dstBlkStride = 1, dstRepStride = 8;
};

struct GatherRepeatParams {
  uint8_t dstBlkStride = 1, dstRepStride = 8;
};

struct GatherMaskParams {
  uint8_t src0BlockStride = 1;
  uint16_t repeatTimes = 0, src0RepeatStride = 0;
  uint8_t src1RepeatStride = 0;
};

struct MrgSort4Info {
  uint16_t elementLengths[4] = {0, 0, 0, 0};
  bool ifExhaustedSuspension = false;
  uint16_t validBit = 0;
  uint16_t repeatTimes = 1;
};

// Lengths and gaps in 32-byte data blocks.
struct DataCopyParams {
  uint16_t blockCount = 1, blockLen = 0, srcGap = 0, dstGap = 0;
};

// blockLen in bytes; a stride is in bytes on the GM side and in 32-byte data
// blocks on the local side.
struct DataCopyExtParams {
  DataCopyExtParams() = default;
  DataCopyExtParams(uint16_t blockCount, uint32_t blockLen, uint32_t srcStride,
                    uint32_t dstStride, uint32_t rsv)
      : blockCount(blockCount), blockLen(blockLen), srcStride(srcStride),
        dstStride(dstStride), rsv(rsv) {}
  uint16_t blockCount = 1;
  uint32_t blockLen = 0, srcStride = 0, dstStride = 0, rsv = 0;
};

template <typename T>
struct DataCopyPadExtParams {
  bool isPad = false;
  uint8_t leftPadding = 0, rightPadding = 0;
  T paddingValue = T(0);
};

struct Nd2NzParams {
  Nd2NzParams() = default;
  Nd2NzParams(uint16_t ndNum, uint16_t nValue, uint16_t dValue,
              uint16_t srcNdMatrixStride, uint16_t srcDValue,
              uint16_t dstNzC0Stride, uint16_t dstNzNStride,
              uint16_t dstNzMatrixStride)
      : ndNum(ndNum), nValue(nValue), dValue(dValue),
        srcNdMatrixStride(srcNdMatrixStride), srcDValue(srcDValue),
        dstNzC0Stride(dstNzC0Stride), dstNzNStride(dstNzNStride),
        dstNzMatrixStride(dstNzMatrixStride) {}
  uint16_t ndNum = 0, nValue = 0, dValue = 0, srcNdMatrixStride = 0,
           srcDValue = 0;
  uint16_t dstNzC0Stride = 0, dstNzNStride = 0, dstNzMatrixStride = 0;
};

template <typename T>
struct InitConstValueParams {
  uint16_t repeatTimes = 0, blockNum = 0, dstGap = 0;
  T initValue = T(0);
};

struct LoadData2DParams {
  uint16_t startIndex = 0;
  uint8_t repeatTimes = 0;
  uint16_t srcStride = 0;
  uint8_t sid = 0;
  uint16_t dstGap = 0;
  bool ifTranspose = false;
  uint8_t addrMode = 0;
};

// Of the Ascend 950. Positions and steps are in units of 16 rows (m) and 32
// bytes (k) of the source, strides in fractals.
struct LoadData2DParamsV2 {
  uint32_t mStartPosition = 0, kStartPosition = 0;
  uint16_t mStep = 0, kStep = 0;
  int32_t srcStride = 0;
  uint16_t dstStride = 0;
  bool ifTranspose = false;
  uint8_t sid = 0;
};

struct LoadData2dTransposeParams {
  uint16_t startIndex = 0;
  uint8_t repeatTimes = 0;
  uint16_t srcStride = 0, dstGap = 0, dstFracGap = 0;
  uint8_t addrMode = 0;
};

struct MmadParams {
  uint16_t m = 0, n = 0, k = 0;
  bool cmatrixInitVal = true, cmatrixSource = false;
  uint8_t unitFlag = 0;
  bool kDirectionAlign = false;
  MmadParams() = default;
  MmadParams(uint16_t m, uint16_t n, uint16_t k, uint8_t unitFlag,
             bool cmatrixSource, bool cmatrixInitVal)
      : m(m), n(n), k(k), cmatrixInitVal(cmatrixInitVal),
        cmatrixSource(cmatrixSource), unitFlag(unitFlag) {}
};

struct FixpipeConfig {
  CO2Layout format;
  bool isToUB = false; // on 3510
};
inline constexpr FixpipeConfig CFG_NZ{CO2Layout::NZ};
inline constexpr FixpipeConfig CFG_ROW_MAJOR{CO2Layout::ROW_MAJOR};

struct FixpipeParamsV220 {
  uint16_t nSize = 0, mSize = 0, srcStride = 0;
  uint32_t dstStride = 0;
  QuantMode_t quantPre = NoQuant;
  uint64_t deqScalar = 0;
  uint16_t ndNum = 1, srcNdStride = 0, dstNdStride = 0;
  bool reluEn = false;
  uint8_t unitFlag = 0;
  bool isChannelSplit = false;
  FixpipeParamsV220() = default;
  // Not in the order of the fields, as documented.
  FixpipeParamsV220(uint16_t nSize, uint16_t mSize, uint16_t srcStride,
                    uint32_t dstStride, bool reluEn)
      : nSize(nSize), mSize(mSize), srcStride(srcStride), dstStride(dstStride),
        reluEn(reluEn) {}
  FixpipeParamsV220(uint16_t nSize, uint16_t mSize, uint16_t srcStride,
                    uint32_t dstStride, bool reluEn, QuantMode_t quantPre,
                    int64_t deqScalar, uint16_t ndNum, uint16_t srcNdStride,
                    uint16_t dstNdStride, uint8_t unitFlag,
                    bool isChannelSplit = false)
      : nSize(nSize), mSize(mSize), srcStride(srcStride), dstStride(dstStride),
        quantPre(quantPre), deqScalar(deqScalar), ndNum(ndNum),
        srcNdStride(srcNdStride), dstNdStride(dstNdStride), reluEn(reluEn),
        unitFlag(unitFlag), isChannelSplit(isChannelSplit) {}
};

struct Nz2NdParams {
  uint16_t ndNum = 1, srcNdStride = 0;
  uint32_t dstNdStride = 0;
};
// On 3510. Of its formats, rows alone are modelled.
template <CO2Layout format = CO2Layout::ROW_MAJOR>
struct FixpipeParamsArch3510 {
  static_assert(format == CO2Layout::ROW_MAJOR,
                "the model knows FixpipeParamsArch3510 of ROW_MAJOR");
  FixpipeParamsArch3510() = default;
  FixpipeParamsArch3510(uint16_t nSize, uint16_t mSize, uint16_t srcStride,
                        uint32_t dstStride)
      : nSize(nSize), mSize(mSize), srcStride(srcStride), dstStride(dstStride) {
  }
  uint16_t nSize = 0, mSize = 0, srcStride = 0;
  uint32_t dstStride = 0;
  QuantMode_t quantPre = NoQuant;
  uint64_t deqScalar = 0;
  bool reluEn = false;
  uint8_t unitFlag = 0;
  Nz2NdParams params;
  uint8_t dualDstCtl = 0; // 1: halves of the rows, 2: halves of the columns
  uint8_t subBlockId = 0; // otherwise: the AIV that gets all of it
};

} // namespace AscendC
