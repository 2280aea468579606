// One illegal call a case; see CMakeLists.txt.
#include "kernel_operator.h"

using namespace AscendC;

LocalTensor<half> h;
LocalTensor<bfloat16_t> b;
LocalTensor<int8_t> i8;
LocalTensor<int16_t> i16;
LocalTensor<int32_t> i32;
LocalTensor<float> f;

void illegal() {
#if defined(CASE_ADD_BFLOAT16)
  Add(b, b, b, 16);
#elif defined(CASE_CAST_HALF_TO_BFLOAT16)
  Cast(b, h, RoundMode::CAST_RINT, 16);
#elif defined(CASE_MMAD_HALF_RESULT)
  Mmad(h, h, h, MmadParams());
#elif defined(CASE_FIXPIPE_INT32_TO_BFLOAT16)
  Fixpipe(GlobalTensor<bfloat16_t>(), i32, FixpipeParamsV220());
#elif defined(CASE_FIXPIPE_TO_UB)
  static constexpr FixpipeConfig toUb = {CO2Layout::ROW_MAJOR, true};
  Fixpipe<float, float, toUb>(f, f, FixpipeParamsArch3510<>());
#elif defined(CASE_DUPLICATE_INT8)
  Duplicate(i8, int8_t(0), 32);
#elif defined(CASE_SCALAR_OF_OTHER_TYPE)
  Adds(i16, i16, 1, 16);
#elif defined(CASE_FIXPIPE_BY_FIELDS)
  FixpipeParamsV220 p{16, 16, 16, 16, NoQuant, 0, 1, 0, 0, false, 0, false};
#elif defined(CASE_CORE_IN_EXPRESSION)
  int64_t block = GetBlockIdx() / (ASCEND_IS_AIV ? 2 : 1);
#elif defined(CASE_CORE_IN_PARENTHESES)
  if (ASCEND_IS_AIC)
    Add(f, f, f, 16);
#elif defined(CASE_COMPARE_TO_INT8)
  Compare(i8, f, f, CMPMODE::EQ, 64);
#elif defined(CASE_SELECT_BY_INT8)
  Select(f, i8, f, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);
#elif defined(CASE_LOAD_STEPS)
  LoadData(h, h, LoadData2DParamsV2{});
#endif
}
