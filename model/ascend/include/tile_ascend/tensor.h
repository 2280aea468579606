// GlobalTensor and LocalTensor of the static-tensor style: a position, a byte
// address and an element count.
#pragma once
#include "tile_ascend/dtypes.h"

namespace AscendC {

template <typename T>
constexpr int64_t bytesOfElements(int64_t elements) {
  return elements * tile_ascend::bitsOf(tile_ascend::dtypeOf<T>()) / 8;
}

template <typename T>
class GlobalTensor {
public:
  using PrimType = T;
  void SetGlobalBuffer(__gm__ T *buffer, uint64_t elements) {
    operand.mem = TILE_ASCEND_GM;
    operand.type = tile_ascend::dtypeOf<T>();
    operand.buffer = tile_ascend::gmBuffer(buffer, &operand.addr);
    operand.bytes = bytes(static_cast<int64_t>(elements));
    pointer = buffer;
    size = elements;
  }
  // Without a size the tensor reaches to the end of its buffer, which the model
  // checks anyway.
  void SetGlobalBuffer(__gm__ T *buffer) {
    SetGlobalBuffer(buffer, uint64_t(1) << 40);
  }
  GlobalTensor operator[](uint64_t offset) const {
    GlobalTensor tensor = *this;
    tensor.operand.addr += bytes(static_cast<int64_t>(offset));
    tensor.operand.bytes -= bytes(static_cast<int64_t>(offset));
    tensor.pointer =
        reinterpret_cast<T *>(reinterpret_cast<uintptr_t>(pointer) +
                              bytes(static_cast<int64_t>(offset)));
    tensor.size = size - offset;
    return tensor;
  }
  T GetValue(uint64_t index, TILE_ASCEND_LOC) const {
    T value{};
    tile_ascend::scalarAccess((*this)[index].operand, false, &value, loc);
    return value;
  }
  void SetValue(uint64_t index, T value, TILE_ASCEND_LOC) {
    tile_ascend::scalarAccess((*this)[index].operand, true, &value, loc);
  }
  template <typename U>
  GlobalTensor<U> ReinterpretCast() const {
    GlobalTensor<U> tensor;
    tensor.operand = operand;
    tensor.operand.type = tile_ascend::dtypeOf<U>();
    tensor.pointer = reinterpret_cast<U *>(pointer);
    tensor.size = size * sizeof(T) / sizeof(U);
    return tensor;
  }
  __gm__ T *GetPhyAddr() const { return pointer; }
  uint64_t GetSize() const { return size; }

  tile_ascend::Operand operand{TILE_ASCEND_GM, -1, 0, 0,
                               tile_ascend::DType::U8};
  T *pointer = nullptr;
  uint64_t size = 0;

private:
  static int64_t bytes(int64_t elements) {
    return bytesOfElements<T>(elements);
  }
};

template <typename T>
class LocalTensor {
public:
  using PrimType = T;
  LocalTensor() = default;
  LocalTensor(TPosition position, uint32_t address, uint32_t elements,
              TILE_ASCEND_LOC)
      : operand{tile_ascend::memOf(position), -1, address,
                bytesOfElements<T>(elements), tile_ascend::dtypeOf<T>()},
        position(position), size(elements) {
    tile_ascend::checkTensor("LocalTensor", operand, elements, loc);
  }
  LocalTensor operator[](uint32_t offset) const {
    LocalTensor tensor = *this;
    tensor.operand.addr += bytesOfElements<T>(offset);
    tensor.operand.bytes -= bytesOfElements<T>(offset);
    tensor.size = size - offset;
    return tensor;
  }
  T GetValue(uint32_t index, TILE_ASCEND_LOC) const {
    T value{};
    tile_ascend::scalarAccess((*this)[index].operand, false, &value, loc);
    return value;
  }
  void SetValue(uint32_t index, T value, TILE_ASCEND_LOC) const {
    tile_ascend::scalarAccess((*this)[index].operand, true, &value, loc);
  }
  template <typename U>
  LocalTensor<U> ReinterpretCast() const {
    LocalTensor<U> tensor;
    tensor.operand = operand;
    tensor.operand.type = tile_ascend::dtypeOf<U>();
    tensor.position = position;
    tensor.size = static_cast<uint32_t>(
        operand.bytes * 8 / tile_ascend::bitsOf(tensor.operand.type));
    return tensor;
  }
  uint32_t GetSize() const { return size; }
  TPosition GetPosition() const { return position; }
  uint64_t GetPhyAddr() const { return static_cast<uint64_t>(operand.addr); }

  tile_ascend::Operand operand{TILE_ASCEND_UB, -1, 0, 0,
                               tile_ascend::DType::U8};
  TPosition position = TPosition::VECCALC;
  uint32_t size = 0;
};

template <typename T>
struct MrgSortSrcList {
  MrgSortSrcList() = default;
  MrgSortSrcList(const LocalTensor<T> &a, const LocalTensor<T> &b,
                 const LocalTensor<T> &c, const LocalTensor<T> &d)
      : src1(a), src2(b), src3(c), src4(d) {}
  LocalTensor<T> src1, src2, src3, src4;
};

} // namespace AscendC
