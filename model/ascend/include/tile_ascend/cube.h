// Cube instructions: fractal loads, Mmad, Fixpipe.
#pragma once
#include "tile_ascend/tensor.h"

namespace AscendC {

template <typename T>
inline void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                     const LoadData2DParams &params, TILE_ASCEND_LOC) {
  tile_ascend::loadData(dst.operand, src.operand, params, loc);
}
template <typename T>
inline void LoadData(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
                     const LoadData2DParams &params, TILE_ASCEND_LOC) {
  tile_ascend::loadData(dst.operand, src.operand, params, loc);
}
template <typename T>
inline void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                     const LoadData2DParamsV2 &params, TILE_ASCEND_LOC) {
  static_assert(tile_ascend::isArch<T>(3510),
                "LoadData: LoadData2DParamsV2 does not exist on this "
                "architecture");
  tile_ascend::loadSteps(dst.operand, src.operand, params, loc);
}
template <typename T>
inline void LoadDataWithTranspose(const LocalTensor<T> &dst,
                                  const LocalTensor<T> &src,
                                  const LoadData2dTransposeParams &params,
                                  TILE_ASCEND_LOC) {
  static_assert(tile_ascend::isArch<T>(2201),
                "LoadDataWithTranspose: LoadData2dTransposeParams does not "
                "exist on this architecture");
  tile_ascend::loadTranspose(dst.operand, src.operand, params, loc);
}

template <typename C, typename A, typename B>
inline void Mmad(const LocalTensor<C> &dst, const LocalTensor<A> &fm,
                 const LocalTensor<B> &filter, const MmadParams &params,
                 TILE_ASCEND_LOC) {
  static_assert(tile_ascend::mmadExists<C, A, B>(),
                "Mmad: this combination of element types does not exist on "
                "this architecture");
  tile_ascend::mmad(dst.operand, fm.operand, filter.operand, nullptr, params,
                    loc);
}
template <typename C, typename A, typename B, typename U>
inline void Mmad(const LocalTensor<C> &dst, const LocalTensor<A> &fm,
                 const LocalTensor<B> &filter, const LocalTensor<U> &bias,
                 const MmadParams &params, TILE_ASCEND_LOC) {
  static_assert(tile_ascend::mmadExists<C, A, B>() && std::is_same_v<C, U>,
                "Mmad: this combination of element types does not exist on "
                "this architecture");
  tile_ascend::mmad(dst.operand, fm.operand, filter.operand, &bias.operand,
                    params, loc);
}

template <typename T, typename U, const FixpipeConfig &config = CFG_ROW_MAJOR>
inline void Fixpipe(const GlobalTensor<T> &dst, const LocalTensor<U> &src,
                    const FixpipeParamsV220 &params, TILE_ASCEND_LOC) {
  static_assert(tile_ascend::fixpipeExists<T, U>(),
                "Fixpipe: this pair of element types does not exist on this "
                "architecture");
  tile_ascend::fixpipe(dst.operand, src.operand, nullptr,
                       config.format == CO2Layout::NZ, params, loc);
}
// L0C to UB, of architecture 3510.
template <typename T, typename U, const FixpipeConfig &config>
inline void Fixpipe(const LocalTensor<T> &dst, const LocalTensor<U> &src,
                    const FixpipeParamsArch3510<config.format> &params,
                    TILE_ASCEND_LOC) {
  static_assert(__NPU_ARCH__ == 3510 && sizeof(T),
                "Fixpipe to UB: not supported on this architecture");
  static_assert(config.isToUB, "Fixpipe to UB: expected a configuration whose "
                               "isToUB is true");
  static_assert(tile_ascend::fixpipeExists<T, U>(),
                "Fixpipe: this pair of element types does not exist on this "
                "architecture");
  FixpipeParamsV220 common;
  common.nSize = params.nSize, common.mSize = params.mSize;
  common.srcStride = params.srcStride, common.dstStride = params.dstStride;
  common.quantPre = params.quantPre, common.deqScalar = params.deqScalar;
  common.reluEn = params.reluEn, common.unitFlag = params.unitFlag;
  common.ndNum = params.params.ndNum;
  common.srcNdStride = params.params.srcNdStride;
  common.dstNdStride = static_cast<uint16_t>(params.params.dstNdStride);
  tile_ascend::fixpipeToUb(dst.operand, src.operand, common, params.dualDstCtl,
                           params.subBlockId, loc);
}
// One quantisation word a column, in L1.
template <typename T, typename U, const FixpipeConfig &config = CFG_ROW_MAJOR>
inline void Fixpipe(const GlobalTensor<T> &dst, const LocalTensor<U> &src,
                    const LocalTensor<uint64_t> &cbufWorkspace,
                    const FixpipeParamsV220 &params, TILE_ASCEND_LOC) {
  static_assert(tile_ascend::fixpipeExists<T, U>(),
                "Fixpipe: this pair of element types does not exist on this "
                "architecture");
  tile_ascend::fixpipe(dst.operand, src.operand, &cbufWorkspace.operand,
                       config.format == CO2Layout::NZ, params, loc);
}

} // namespace AscendC
