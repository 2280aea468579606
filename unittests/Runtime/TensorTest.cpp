// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TileRuntime/Tensor.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstddef>
#include <cstring>
#include <string>

namespace {

static_assert(sizeof(TileRtDLTensor) == 48 &&
                  offsetof(TileRtDLTensor, ndim) == 16 &&
                  offsetof(TileRtDLTensor, dtype) == 20 &&
                  offsetof(TileRtDLTensor, shape) == 24 &&
                  offsetof(TileRtDLTensor, byte_offset) == 40,
              "DLTensor of a 64-bit host");
static_assert(offsetof(TileRtDLManagedTensorVersioned, flags) == 24 &&
                  offsetof(TileRtDLManagedTensorVersioned, dl_tensor) == 32 &&
                  sizeof(TileRtDLManagedTensor) == 64,
              "managed tensors of a 64-bit host");

struct Owned : TileRtTensor {
  Owned(TileRtDType dtype, std::initializer_list<int64_t> shape,
        size_t guard = 0)
      : TileRtTensor() {
    TileRtError error;
    EXPECT_TRUE(tile_rt_tensor_alloc(this, dtype, int32_t(shape.size()),
                                     shape.begin(), guard, &error))
        << error.message;
  }
  ~Owned() { tile_rt_tensor_free(this); }
};

TEST(Tensor, AllocationIsAlignedZeroedRowMajor) {
  Owned t(TILE_RT_F32, {2, 3, 4});
  EXPECT_EQ(reinterpret_cast<uintptr_t>(t.data) % 64, 0u);
  EXPECT_EQ(tile_rt_tensor_count(&t), 24);
  EXPECT_EQ(tile_rt_tensor_bytes(&t), 96);
  EXPECT_EQ(t.strides[0], 12);
  EXPECT_EQ(t.strides[1], 4);
  EXPECT_EQ(t.strides[2], 1);
  for (int i = 0; i < 24; ++i)
    EXPECT_EQ(tile_rt_tensor_load(&t, i), 0);
  EXPECT_TRUE(tile_rt_tensor_is_row_major(&t));
  EXPECT_FALSE(tile_rt_tensor_is_column_major(&t));
}

TEST(Tensor, ScalarsAndEmptyTensors) {
  Owned scalar(TILE_RT_F64, {});
  EXPECT_EQ(tile_rt_tensor_count(&scalar), 1);
  EXPECT_EQ(tile_rt_tensor_offset(&scalar, 0), 0);
  tile_rt_tensor_store(&scalar, 0, 2.5);
  EXPECT_EQ(*static_cast<double *>(scalar.data), 2.5);
  Owned empty(TILE_RT_I8, {4, 0, INT64_MAX / 1024}, 64);
  EXPECT_EQ(tile_rt_tensor_count(&empty), 0);
  EXPECT_EQ(tile_rt_tensor_bytes(&empty), 0);
  EXPECT_NE(empty.data, nullptr);
  EXPECT_TRUE(tile_rt_tensor_check_guard(&empty, "empty", nullptr));
}

TEST(Tensor, CreationErrors) {
  TileRtTensor t;
  TileRtError e;
  int64_t negative[] = {2, -3};
  EXPECT_FALSE(tile_rt_tensor_alloc(&t, TILE_RT_F32, 2, negative, 0, &e));
  EXPECT_STREQ(e.message,
               "tensor: expected a size of at least 0 in dimension 1, got -3");
  EXPECT_FALSE(tile_rt_tensor_alloc(&t, TILE_RT_F32, 17, negative, 0, &e));
  EXPECT_STREQ(e.message, "tensor: expected a rank from 0 to 16, got 17");
  EXPECT_FALSE(tile_rt_tensor_alloc(&t, TILE_RT_NONE, 0, nullptr, 0, &e));
  EXPECT_STREQ(e.message, "tensor: expected an element type, got 0");
  int64_t huge[] = {int64_t(1) << 40, int64_t(1) << 40};
  EXPECT_FALSE(tile_rt_tensor_alloc(&t, TILE_RT_I8, 2, huge, 0, &e));
  EXPECT_STREQ(e.message, "tensor: expected a type that fits in memory, got "
                          "1099511627776x1099511627776xi8");
  int64_t large[] = {int64_t(1) << 55};
  EXPECT_FALSE(tile_rt_tensor_alloc(&t, TILE_RT_I8, 1, large, 0, &e));
  EXPECT_STREQ(e.message, "tensor: expected 36028797018963968 bytes of memory "
                          "and red zones of 0, got none");
  EXPECT_EQ(t.data, nullptr);
  tile_rt_tensor_free(&t);
  tile_rt_tensor_free(nullptr);
}

TEST(Tensor, PackedElementsAreLowHalfFirst) {
  Owned t(TILE_RT_I4, {3, 3});
  EXPECT_EQ(tile_rt_tensor_bytes(&t), 5);
  for (int i = 0; i < 9; ++i)
    tile_rt_tensor_store(&t, i, i - 4);
  const unsigned char expected[] = {0xDC, 0xFE, 0x10, 0x32, 0x04};
  EXPECT_EQ(memcmp(t.data, expected, 5), 0);
  for (int i = 0; i < 9; ++i)
    EXPECT_EQ(tile_rt_tensor_load(&t, i), i - 4);
  Owned f(TILE_RT_F4E2M1FN, {2});
  tile_rt_tensor_store(&f, 0, 1.5);
  tile_rt_tensor_store(&f, 1, -6);
  EXPECT_EQ(*static_cast<unsigned char *>(f.data), 0xF3);
}

TEST(Tensor, StridedViews) {
  int16_t data[] = {0, 1, 2, 3, 4, 5};
  int64_t shape[] = {3, 2}, strides[] = {-1, -3};
  TileRtTensor t;
  ASSERT_TRUE(tile_rt_tensor_view(&t, TILE_RT_I16, 2, shape, strides, data + 5,
                                  nullptr));
  const double expected[] = {5, 2, 4, 1, 3, 0};
  for (int k = 0; k < 6; ++k)
    EXPECT_EQ(tile_rt_tensor_load(&t, tile_rt_tensor_offset(&t, k)),
              expected[k]);
  int64_t index[2];
  tile_rt_tensor_index(&t, 3, index);
  EXPECT_EQ(index[0], 1);
  EXPECT_EQ(index[1], 1);
  int64_t column[] = {1, 3};
  ASSERT_TRUE(
      tile_rt_tensor_view(&t, TILE_RT_I16, 2, shape, column, data, nullptr));
  EXPECT_TRUE(tile_rt_tensor_is_column_major(&t));
  EXPECT_FALSE(tile_rt_tensor_is_row_major(&t));
}

TEST(Tensor, Expect) {
  Owned t(TILE_RT_F16, {2, 3});
  TileRtError e;
  int64_t good[] = {2, -1}, bad[] = {-1, 4, 5};
  EXPECT_TRUE(tile_rt_tensor_expect(&t, "A", TILE_RT_F16, 2, good, &e));
  EXPECT_TRUE(tile_rt_tensor_expect(&t, "A", TILE_RT_NONE, 2, good, &e));
  EXPECT_FALSE(tile_rt_tensor_expect(&t, "A", TILE_RT_BF16, 2, good, &e));
  EXPECT_STREQ(e.message, "A: expected 2x?xbf16, got 2x3xf16");
  EXPECT_FALSE(tile_rt_tensor_expect(&t, "B", TILE_RT_NONE, 3, bad, &e));
  EXPECT_STREQ(e.message, "B: expected ?x4x5xany, got 2x3xf16");
  EXPECT_FALSE(tile_rt_tensor_expect(&t, "B", TILE_RT_NONE, 3, bad, nullptr));
  char tiny[4];
  EXPECT_STREQ(tile_rt_format_type(TILE_RT_F16, 2, t.shape, tiny, 4), "2x3");
}

TEST(Tensor, CopyConverts) {
  Owned from(TILE_RT_I32, {2, 2}), to(TILE_RT_I8, {2, 2}),
      half(TILE_RT_F16, {2, 2});
  const int values[] = {1, -1, 300, 70000};
  memcpy(from.data, values, sizeof(values));
  ASSERT_TRUE(tile_rt_tensor_copy(&to, &from, nullptr));
  EXPECT_EQ(tile_rt_tensor_load(&to, 1), -1);
  EXPECT_EQ(tile_rt_tensor_load(&to, 2), 44); // 300 - 256
  ASSERT_TRUE(tile_rt_tensor_copy(&half, &from, nullptr));
  EXPECT_EQ(tile_rt_tensor_load(&half, 2), 300);
  EXPECT_TRUE(std::isinf(tile_rt_tensor_load(&half, 3)));
  Owned other(TILE_RT_I32, {4});
  TileRtError e;
  EXPECT_FALSE(tile_rt_tensor_copy(&other, &from, &e));
  EXPECT_STREQ(e.message, "copy: expected 4xany, got 2x2xi32");
}

TEST(Tensor, RedZonesReportWrites) {
  Owned t(TILE_RT_F32, {5}, 100);
  EXPECT_EQ(t.guardBytes, 128u);
  TileRtError e;
  EXPECT_TRUE(tile_rt_tensor_check_guard(&t, "C", &e));
  // The zones read as NaN, so that a kernel cannot use them unseen.
  EXPECT_TRUE(std::isnan(static_cast<float *>(t.data)[5]));
  EXPECT_TRUE(std::isnan(static_cast<float *>(t.data)[-1]));
  static_cast<float *>(t.data)[5 + 2] = 1;
  EXPECT_FALSE(tile_rt_tensor_check_guard(&t, "C", &e));
  EXPECT_STREQ(
      e.message,
      "C: expected an untouched red zone after the data, got 4 changed "
      "bytes, the nearest 8 bytes after its end");
  static_cast<char *>(t.data)[-3] = 0;
  EXPECT_FALSE(tile_rt_tensor_check_guard(&t, "C", &e));
  EXPECT_STREQ(e.message,
               "C: expected an untouched red zone before the data, got 1 "
               "changed bytes, the nearest 3 bytes before it");
}

TEST(Tensor, DLPackRoundTrip) {
  for (int i = 1; i < TILE_RT_DTYPE_COUNT; ++i) {
    Owned t(TileRtDType(i), {2, 4});
    TileRtDLTensor dl = tile_rt_tensor_to_dlpack(&t);
    EXPECT_EQ(dl.device.device_type, 1);
    TileRtTensor view;
    TileRtError e;
    ASSERT_TRUE(tile_rt_tensor_from_dlpack(&view, &dl, &e)) << e.message;
    EXPECT_EQ(view.dtype, t.dtype);
    EXPECT_EQ(view.data, t.data);
    EXPECT_EQ(view.shape[1], 4);
    EXPECT_EQ(view.allocation, nullptr);
  }
}

TEST(Tensor, DLPackInput) {
  float data[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  int64_t shape[] = {3};
  TileRtDLTensor dl = {data, {1, 0}, 1, {2, 32, 1}, shape, nullptr, 8};
  TileRtTensor t;
  TileRtError e;
  ASSERT_TRUE(tile_rt_tensor_from_dlpack(&t, &dl, &e));
  EXPECT_EQ(tile_rt_tensor_load(&t, 0), 2);
  EXPECT_EQ(t.strides[0], 1);
  dl.dtype.lanes = 4;
  EXPECT_FALSE(tile_rt_tensor_from_dlpack(&t, &dl, &e));
  EXPECT_STREQ(e.message, "dlpack: expected a known type of one lane, got code "
                          "2, 32 bits, 4 lanes");
  dl.device.device_type = 2;
  EXPECT_FALSE(tile_rt_tensor_from_dlpack(&t, &dl, &e));
  EXPECT_STREQ(e.message, "dlpack: expected device type 1 (cpu), got 2");
}

} // namespace
