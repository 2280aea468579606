// Kernel prologue, core queries, flags, barriers and cross-core flags.
#pragma once
#include "tile_ascend/tensor.h"

// The kernel type decides which cores run. The model starts all three cores of
// a block; those that the type leaves out return here, so this must be the
// kernel's first statement.
#define KERNEL_TASK_TYPE_DEFAULT(TYPE)                                         \
  do {                                                                         \
    if (!::tile_ascend::enterTask(TYPE))                                       \
      return;                                                                  \
  } while (0)

// On a device these are 'constexpr(...)', that is conditions of an 'if' and
// nothing else; here an initialisation makes them so.
#define TILE_ASCEND_IF(CONDITION)                                              \
  (const bool tileAscendIs = (CONDITION); tileAscendIs)
#define ASCEND_IS_AIC TILE_ASCEND_IF(::tile_ascend::isAic())
#define ASCEND_IS_AIV TILE_ASCEND_IF(!::tile_ascend::isAic())
#define ASCEND_IS_NOT_AIC TILE_ASCEND_IF(!::tile_ascend::isAic())
#define ASCEND_IS_NOT_AIV TILE_ASCEND_IF(::tile_ascend::isAic())

namespace AscendC {

inline void InitSocState(TILE_ASCEND_LOC, uint32_t arch = __NPU_ARCH__) {
  tile_ascend::initSocState(arch, loc);
}
inline int64_t GetBlockIdx() { return tile_ascend::blockIdx(); }
inline int64_t GetBlockNum() { return tile_ascend::blockNum(); }
inline int64_t GetSubBlockIdx() { return tile_ascend::subBlockIdx(); }

template <HardEvent event>
inline void SetFlag(int32_t eventId, TILE_ASCEND_LOC) {
  tile_ascend::setFlag(event, eventId, loc);
}
template <HardEvent event>
inline void WaitFlag(int32_t eventId, TILE_ASCEND_LOC) {
  tile_ascend::waitFlag(event, eventId, loc);
}
template <pipe_t pipe>
inline void PipeBarrier(TILE_ASCEND_LOC) {
  tile_ascend::pipeBarrier(pipe, loc);
}
template <uint8_t modeId, pipe_t pipe>
inline void CrossCoreSetFlag(uint16_t flagId, TILE_ASCEND_LOC) {
  tile_ascend::crossSet(modeId, pipe, flagId, loc);
}
template <uint8_t modeId = 0, pipe_t pipe = PIPE_S>
inline void CrossCoreWaitFlag(uint16_t flagId, TILE_ASCEND_LOC) {
  tile_ascend::crossWait(modeId, pipe, flagId, loc);
}

// Writes back and drops lines of the core's data cache, through which the scalar
// unit reaches GM: all, or what the address's line has from there on.
template <typename T, CacheLine entireType,
          DcciDst dcciDst = DcciDst::CACHELINE_ALL>
inline void DataCacheCleanAndInvalid(const GlobalTensor<T> &dst,
                                     TILE_ASCEND_LOC) {
  if (dcciDst != DcciDst::CACHELINE_UB)
    tile_ascend::cleanCache(dst.operand,
                            entireType == CacheLine::ENTIRE_DATA_CACHE,
                            dcciDst == DcciDst::CACHELINE_ATOMIC, loc);
}

inline void SetMaskCount() { tile_ascend::setMaskMode(true); }
inline void SetMaskNorm() { tile_ascend::setMaskMode(false); }
template <typename T, MaskMode mode = MaskMode::NORMAL>
inline void SetVectorMask(uint64_t maskHigh, uint64_t maskLow) {
  tile_ascend::setVectorMask(maskHigh, maskLow);
}
template <typename T, MaskMode mode = MaskMode::NORMAL>
inline void SetVectorMask(int32_t length) {
  if (mode == MaskMode::COUNTER)
    return tile_ascend::setVectorMask(0, static_cast<uint64_t>(length));
  auto ones = [](int32_t n) {
    return n <= 0 ? 0 : n >= 64 ? ~uint64_t(0) : (uint64_t(1) << n) - 1;
  };
  tile_ascend::setVectorMask(ones(length - 64), ones(length));
}
inline void ResetMask() { tile_ascend::resetMask(); }

template <typename T>
inline void SetAtomicAdd() {
  tile_ascend::setAtomic(tile_ascend::AtomicOp::Add, tile_ascend::dtypeOf<T>());
}
template <typename T>
inline void SetAtomicMax() {
  tile_ascend::setAtomic(tile_ascend::AtomicOp::Max, tile_ascend::dtypeOf<T>());
}
template <typename T>
inline void SetAtomicMin() {
  tile_ascend::setAtomic(tile_ascend::AtomicOp::Min, tile_ascend::dtypeOf<T>());
}
inline void SetAtomicNone() {
  tile_ascend::setAtomic(tile_ascend::AtomicOp::None, tile_ascend::DType::F32);
}
inline void DisableDmaAtomic() { SetAtomicNone(); }
inline void SetDeqScale(half scale) { tile_ascend::setDeqScale(scale); }

} // namespace AscendC
