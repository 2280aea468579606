// C++ element types to DType, and the table of element types each instruction
// takes on each architecture. A type outside the table is a compile-time error,
// as with the vendor's headers.
#pragma once
#include <type_traits>

#include "tile_ascend/engine.h"

namespace AscendC {
// Two values a byte; tensors of it exist, single values do not.
struct int4b_t {
  uint8_t bits;
};
} // namespace AscendC

namespace tile_ascend {

template <typename T>
constexpr DType dtypeOf() {
  if constexpr (std::is_same_v<T, AscendC::int4b_t>)
    return DType::I4;
  else if constexpr (std::is_same_v<T, half>)
    return DType::F16;
  else if constexpr (std::is_same_v<T, bfloat16_t>)
    return DType::BF16;
  else if constexpr (std::is_same_v<T, fp8_e4m3fn_t>)
    return DType::F8E4M3FN;
  else if constexpr (std::is_same_v<T, fp8_e5m2_t>)
    return DType::F8E5M2;
  else if constexpr (std::is_same_v<T, float>)
    return DType::F32;
  else if constexpr (std::is_same_v<T, double>)
    return DType::F64;
  else {
    static_assert(std::is_integral_v<T>, "expected an Ascend C element type");
    constexpr bool isSigned = std::is_signed_v<T>;
    switch (sizeof(T)) {
    case 1:
      return isSigned ? DType::I8 : DType::U8;
    case 2:
      return isSigned ? DType::I16 : DType::U16;
    case 4:
      return isSigned ? DType::I32 : DType::U32;
    default:
      return isSigned ? DType::I64 : DType::U64;
    }
  }
}

using DTypeSet = uint32_t;
template <typename... D>
constexpr DTypeSet setOf(D... types) {
  return ((1u << static_cast<unsigned>(types)) | ... | 0u);
}

constexpr DTypeSet kHalfFloat = setOf(DType::F16, DType::F32);
constexpr DTypeSet kArith = kHalfFloat | setOf(DType::I16, DType::I32);
constexpr DTypeSet kB16 =
    setOf(DType::I16, DType::U16, DType::F16, DType::BF16);
constexpr DTypeSet kB16B32 = kB16 | setOf(DType::I32, DType::U32, DType::F32);

// Rows: what the pages under "Memory vector computation" of the API manual list
// for Atlas A2/A3 and for Ascend 950.
struct TypeRow {
  DTypeSet a2a3;
  DTypeSet a950;
};
constexpr TypeRow kArithRow{
    kArith, kArith | setOf(DType::BF16, DType::U16, DType::U32)};
constexpr TypeRow kAddReluRow{kHalfFloat | setOf(DType::I16),
                              kHalfFloat | setOf(DType::I16)};
constexpr TypeRow kFloatRow{kHalfFloat, kHalfFloat};
constexpr TypeRow kReluRow{kHalfFloat | setOf(DType::I32),
                           kHalfFloat | setOf(DType::I32)};
constexpr TypeRow kBitRow{setOf(DType::I16, DType::U16), kB16B32};
constexpr TypeRow kShiftRow{
    setOf(DType::I16, DType::U16, DType::I32, DType::U32),
    setOf(DType::I16, DType::U16, DType::I32, DType::U32)};
constexpr TypeRow kMoveRow{kB16B32, kB16B32 | setOf(DType::I8, DType::U8)};
constexpr TypeRow kCompareRow{kHalfFloat | setOf(DType::I32),
                              kB16B32 | setOf(DType::I8, DType::U8)};
constexpr TypeRow kSelectRow{kHalfFloat, kB16B32};
constexpr TypeRow kTransposeRow{kB16, kB16};
constexpr TypeRow kGatherBlockRow{setOf(DType::U16, DType::U32), kB16B32};

template <typename T>
constexpr bool takes(TypeRow row) {
  return ((__NPU_ARCH__ == 3510 ? row.a950 : row.a2a3) >>
          static_cast<unsigned>(dtypeOf<T>())) &
         1u;
}

// Cast: source type -> destination types (page "Cast", tables per product).
constexpr DTypeSet castTargets(DType source, bool is950) {
  switch (source) {
  case DType::I4:
  case DType::U8:
    return setOf(DType::F16);
  case DType::I8:
    return is950 ? setOf(DType::F16, DType::I16, DType::I32)
                 : setOf(DType::F16);
  case DType::I16:
    return setOf(DType::F16, DType::F32) | (is950 ? setOf(DType::I32) : 0);
  case DType::F16:
    return setOf(DType::I4, DType::I8, DType::U8, DType::I16, DType::I32,
                 DType::F32) |
           (is950 ? setOf(DType::BF16) : 0);
  case DType::BF16:
    return setOf(DType::I32, DType::F32) | (is950 ? setOf(DType::F16) : 0);
  case DType::I32:
    return setOf(DType::I16, DType::F16, DType::F32, DType::I64);
  case DType::F32:
    return setOf(DType::I16, DType::F16, DType::BF16, DType::I32, DType::F32,
                 DType::I64);
  case DType::I64:
    return setOf(DType::I32, DType::F32);
  case DType::F8E4M3FN:
  case DType::F8E5M2:
    return is950 ? setOf(DType::F32) : 0;
  default:
    return 0;
  }
}

template <typename Dst, typename Src>
constexpr bool castExists() {
  return (castTargets(dtypeOf<Src>(), __NPU_ARCH__ == 3510) >>
          static_cast<unsigned>(dtypeOf<Dst>())) &
         1u;
}

// Whether the kernel is compiled for this architecture; asked in a template.
template <typename T>
constexpr bool isArch(uint32_t arch) {
  return arch == __NPU_ARCH__;
}

// Mmad: (C, A, B) (page "Mmad", tables 5 and 7).
template <typename C, typename A, typename B>
constexpr bool mmadExists() {
  constexpr DType c = dtypeOf<C>(), a = dtypeOf<A>();
  constexpr DTypeSet eight = setOf(DType::F8E4M3FN, DType::F8E5M2);
  if (__NPU_ARCH__ == 3510 && ((setOf(a) | setOf(dtypeOf<B>())) & ~eight) == 0)
    return c == DType::F32;
  if (!std::is_same_v<A, B>)
    return false;
  if (a == DType::I8 || (a == DType::I4 && __NPU_ARCH__ == 2201))
    return c == DType::I32;
  return c == DType::F32 &&
         (a == DType::F16 || a == DType::BF16 || a == DType::F32);
}

// Fixpipe: L0C type -> GM type (page "Fixpipe (L0C to GM)").
template <typename Dst, typename Src>
constexpr bool fixpipeExists() {
  constexpr DType d = dtypeOf<Dst>(), s = dtypeOf<Src>();
  if (s == DType::F32)
    return d == DType::F32 || d == DType::F16 || d == DType::BF16 ||
           d == DType::I8 || d == DType::U8;
  return s == DType::I32 && (d == DType::I32 || d == DType::F16 ||
                             d == DType::I8 || d == DType::U8);
}

} // namespace tile_ascend
