// Data copies between memories.
#pragma once
#include <cstring>

#include "tile_ascend/tensor.h"

namespace tile_ascend {
template <typename T>
inline uint64_t bitsOfValue(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return bits;
}
} // namespace tile_ascend

namespace AscendC {

template <typename T>
inline void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
                        const DataCopyExtParams &params,
                        const DataCopyPadExtParams<T> &pad, TILE_ASCEND_LOC) {
  tile_ascend::copyPadIn(dst.operand, src.operand, params,
                         {pad.isPad, pad.leftPadding, pad.rightPadding,
                          tile_ascend::bitsOfValue(pad.paddingValue)},
                         loc);
}
template <typename T>
inline void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
                        const DataCopyExtParams &params, TILE_ASCEND_LOC) {
  tile_ascend::copyPadOut(dst.operand, src.operand, params, loc);
}

template <typename T>
inline void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
                     const Nd2NzParams &params, TILE_ASCEND_LOC) {
  tile_ascend::copyNd2Nz(dst.operand, src.operand, params, loc);
}
template <typename T>
inline void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
                     const DataCopyParams &params, TILE_ASCEND_LOC) {
  tile_ascend::copyBlocks(dst.operand, src.operand, params, loc);
}
template <typename T>
inline void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
                     const DataCopyParams &params, TILE_ASCEND_LOC) {
  tile_ascend::copyBlocks(dst.operand, src.operand, params, loc);
}
template <typename T>
inline void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                     const DataCopyParams &params, TILE_ASCEND_LOC) {
  tile_ascend::copyBlocks(dst.operand, src.operand, params, loc);
}
template <typename T>
inline void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
                     const uint32_t count, TILE_ASCEND_LOC) {
  tile_ascend::copyCount(dst.operand, src.operand, count, loc);
}
template <typename T>
inline void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
                     const uint32_t count, TILE_ASCEND_LOC) {
  tile_ascend::copyCount(dst.operand, src.operand, count, loc);
}
template <typename T>
inline void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                     const uint32_t count, TILE_ASCEND_LOC) {
  tile_ascend::copyCount(dst.operand, src.operand, count, loc);
}

// Fills blocks of L1 (32 bytes each) or L0A/L0B (512 bytes each).
template <typename T>
inline void Fill(const LocalTensor<T> &dst,
                 const InitConstValueParams<T> &params, TILE_ASCEND_LOC) {
  static_assert((tile_ascend::kB16B32 >>
                 static_cast<unsigned>(tile_ascend::dtypeOf<T>())) &
                    1u,
                "Fill: element type not supported on this architecture");
  tile_ascend::fill(dst.operand, params.repeatTimes, params.blockNum,
                    params.dstGap, tile_ascend::bitsOfValue(params.initValue),
                    loc);
}
template <typename T>
inline void InitConstValue(const LocalTensor<T> &dst,
                           const InitConstValueParams<T> &params,
                           TILE_ASCEND_LOC) {
  Fill(dst, params, loc);
}

} // namespace AscendC
