// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of which the launch chooses a version, on the CPU.

#include "TileRuntime/Launch.h"
#include "gtest/gtest.h"

#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

// Each version writes its own number: 16 needs rows of 8 elements, 4 needs rows
// of 2 and any number of columns in between; 0 takes everything.
const char versionsText[] = R"({
  "version": 1, "kernel": "mark", "target": "cpu",
  "arguments": [
    {"name": "a", "kind": "memref", "dtype": "f16", "shape": ["m", "k"],
     "strides": [null, 1], "align": 2},
    {"name": "out", "kind": "memref", "dtype": "i64", "shape": [1]}
  ],
  "symbols": [{"name": "m", "argument": 0, "dim": 0, "max": 1000},
              {"name": "k", "argument": 0, "dim": 1}],
  "parameters": [{"kind": "value", "value": 0, "type": "i64"},
                 {"kind": "pointer", "argument": 1},
                 {"kind": "value", "value": "m", "type": "i64"},
                 {"kind": "value", "value": "k", "type": "i64"}],
  "grid": [1], "block": [1],
  "versions": [
    {"kernel": "mark_v1",
     "conditions": [{"argument": 0, "dim": 0, "min": 1},
                    {"argument": 0, "dim": 1, "min": 1, "multiple": 8},
                    {"argument": 0, "stride": 0, "multiple": 8},
                    {"argument": 0, "align": 16}],
     "symbols": [{"name": "k", "argument": 0, "dim": 1},
                 {"name": "m", "argument": 0, "dim": 0}],
     "parameters": [{"kind": "value", "value": 16, "type": "i64"},
                    {"kind": "pointer", "argument": 1},
                    {"kind": "value", "value": "m", "type": "i64"},
                    {"kind": "value", "value": "k", "type": "i64"},
                    {"kind": "size", "argument": 0, "dim": 1, "type": "i64"}],
     "grid": [1], "block": [1], "shared": 128},
    {"kernel": "mark_v2",
     "conditions": [{"argument": 0, "dim": 1, "multiple": 2}],
     "parameters": [{"kind": "value", "value": 4, "type": "i64"},
                    {"kind": "pointer", "argument": 1}],
     "grid": [1], "block": [1]}
  ]
})";

template <typename T>
T read(void *const *parameters, int i) {
  T value;
  memcpy(&value, parameters[i], sizeof(value));
  return value;
}

std::atomic<int64_t> seenRows, seenColumns;

void mark(void *const *p, const uint32_t *, const uint32_t *, void *) {
  int64_t version = read<int64_t>(p, 0);
  *read<int64_t *>(p, 1) = version;
  // The second version has two parameters.
  seenRows = version == 4 ? -1 : read<int64_t>(p, 2);
  seenColumns = version == 4 ? -1 : read<int64_t>(p, 3);
}

struct VersionTest : testing::Test {
  TileRtError error{};
  TileRtMetadata *metadata = nullptr;
  TileRtKernel *kernel = nullptr;
  TileRtDevice *device = tile_rt_cpu_device();
  alignas(64) char memory[1 << 16] = {};
  alignas(64) int64_t result = -1;
  int64_t shape[2] = {4, 64}, strides[2] = {64, 1}, one = 1;

  void SetUp() override {
    metadata =
        tile_rt_metadata_parse(versionsText, sizeof(versionsText) - 1, &error);
    ASSERT_TRUE(metadata) << error.message;
    TileRtHostImage image{mark};
    kernel =
        tile_rt_kernel_load(device, &image, sizeof(image), metadata, &error);
    ASSERT_TRUE(kernel) << error.message;
  }
  void TearDown() override {
    tile_rt_kernel_unload(kernel);
    tile_rt_metadata_free(metadata);
  }

  /// The version that a launch takes: 16, 4 or 0; -1 of what is only prepared.
  int64_t choose(int64_t rows, int64_t columns, int64_t stride,
                 uint64_t offset = 0, bool dense = false,
                 bool launches = true) {
    shape[0] = rows;
    shape[1] = columns;
    strides[0] = stride;
    TileRtDLTensor a{};
    a.data = memory;
    a.byte_offset = offset;
    a.device = {TILE_RT_DL_CPU, 0};
    a.ndim = 2;
    a.dtype = {2, 16, 1};
    a.shape = shape;
    a.strides = dense ? nullptr : strides;
    TileRtDLTensor out{};
    out.data = &result;
    out.device = {TILE_RT_DL_CPU, 0};
    out.ndim = 1;
    out.dtype = {0, 64, 1};
    out.shape = &one;
    TileRtArgument arguments[] = {tile_rt_argument_tensor(&a),
                                  tile_rt_argument_tensor(&out)};
    result = -1;
    if (!(launches ? tile_rt_launch(kernel, arguments, 2, nullptr, &error)
                   : tile_rt_prepare(kernel, arguments, 2, &error)))
      return -2;
    return result;
  }
};

TEST_F(VersionTest, SizesChoose) {
  EXPECT_EQ(choose(4, 64, 64), 16);
  EXPECT_STREQ(tile_rt_kernel_last_version(kernel), "mark_v1");
  EXPECT_EQ(seenRows, 4);
  EXPECT_EQ(seenColumns, 64);
  EXPECT_EQ(choose(1, 8, 8), 16);
  EXPECT_EQ(choose(4, 66, 72), 4);
  EXPECT_STREQ(tile_rt_kernel_last_version(kernel), "mark_v2");
  EXPECT_EQ(choose(4, 65, 72), 0);
  EXPECT_STREQ(tile_rt_kernel_last_version(kernel), "mark");
  EXPECT_EQ(seenColumns, 65);
}

TEST_F(VersionTest, StridesChoose) {
  EXPECT_EQ(choose(4, 64, 72), 16);
  EXPECT_EQ(choose(4, 64, 65), 4);
  EXPECT_EQ(choose(4, 64, 68), 4);
  // Without strides they follow from the sizes.
  EXPECT_EQ(choose(4, 64, 0, 0, /*dense=*/true), 16);
  EXPECT_EQ(choose(4, 12, 0, 0, /*dense=*/true), 4);
}

TEST_F(VersionTest, AddressesChoose) {
  EXPECT_EQ(choose(4, 64, 64, 16), 16);
  EXPECT_EQ(choose(4, 64, 64, 8), 4);
  EXPECT_EQ(choose(4, 64, 64, 2), 4);
  EXPECT_EQ(choose(4, 63, 64, 2), 0);
  EXPECT_EQ(choose(4, 64, 64, 1), -2);
  EXPECT_STREQ(error.message,
               (std::string("@mark: argument 0 (a): expected an address "
                            "aligned to 2 bytes, got ") +
                std::string(strstr(error.message, "0x")))
                   .c_str());
}

TEST_F(VersionTest, ExtentsOfZeroChoose) {
  EXPECT_EQ(choose(0, 64, 64), 4);
  EXPECT_EQ(choose(4, 0, 8), 4);
  EXPECT_EQ(choose(0, 7, 8), 0);
}

// The choice is a part of what is remembered of a launch.
TEST_F(VersionTest, PlansRememberTheChoice) {
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(choose(4, 64, 64), 16);
    EXPECT_EQ(choose(4, 66, 72), 4);
    EXPECT_EQ(choose(4, 65, 72), 0);
  }
  int64_t known, checked;
  tile_rt_kernel_statistics(kernel, &known, &checked);
  EXPECT_EQ(known, 6);
  EXPECT_EQ(checked, 3);
  // More than the plans that are kept, of all versions.
  for (int round = 0; round < 2; ++round)
    for (int64_t columns = 1; columns <= 24; ++columns)
      EXPECT_EQ(choose(4, columns, 32),
                columns % 8 == 0 ? 16 : columns % 2 == 0 ? 4 : 0);
}

TEST_F(VersionTest, ErrorsAreThoseOfTheKernel) {
  EXPECT_EQ(choose(1001, 64, 64), -2);
  EXPECT_STREQ(error.message, "@mark: argument 0 (a): dimension 0: expected m "
                              "to be at most 1000, got 1001");
}

//===----------------------------------------------------------------------===//
// Forms that are made when they are needed
//===----------------------------------------------------------------------===//

/// Makes images of `mark`, unless it is told to fail.
struct Source {
  std::atomic<int> made[3] = {};
  std::atomic<int> released{0};
  std::atomic<bool> fails{false};
  TileRtHostImage image{mark};

  static bool get(void *data, int32_t form, const void **image, size_t *size,
                  TileRtError *error) {
    auto *self = static_cast<Source *>(data);
    ++self->made[form];
    if (self->fails)
      return tile_rt_fail(error, "no code for form %d", (int)form);
    *image = &self->image;
    *size = sizeof(self->image);
    return true;
  }
  static void release(void *data) { ++static_cast<Source *>(data)->released; }
};

struct LazyVersionTest : VersionTest {
  Source source;
  TileRtImageSource given{Source::get, Source::release, &source};

  void SetUp() override {
    VersionTest::SetUp();
    tile_rt_kernel_unload(kernel);
    kernel = tile_rt_kernel_load_lazily(device, &given, metadata, &error);
    ASSERT_TRUE(kernel) << error.message;
  }
  std::string counts() {
    return std::to_string(source.made[0]) + std::to_string(source.made[1]) +
           std::to_string(source.made[2]);
  }
};

TEST_F(LazyVersionTest, AFormIsMadeByTheFirstLaunchThatChoosesIt) {
  EXPECT_EQ(counts(), "000");
  EXPECT_EQ(choose(4, 66, 72), 4);
  EXPECT_EQ(counts(), "001");
  EXPECT_EQ(choose(4, 68, 72), 4);
  EXPECT_EQ(choose(4, 64, 64), 16);
  EXPECT_EQ(counts(), "011");
  EXPECT_EQ(choose(4, 65, 72), 0);
  EXPECT_EQ(choose(4, 64, 72), 16);
  EXPECT_EQ(counts(), "111");
  EXPECT_EQ(source.released, 0);
  tile_rt_kernel_unload(kernel);
  EXPECT_EQ(source.released, 1);
}

TEST_F(LazyVersionTest, WhatFailsIsAnErrorOfTheLaunchAndTriedAgain) {
  source.fails = true;
  EXPECT_EQ(choose(4, 64, 64), -2);
  EXPECT_STREQ(error.message, "@mark_v1: no code for form 1");
  EXPECT_EQ(tile_rt_kernel_last_version(kernel), nullptr);
  EXPECT_EQ(choose(4, 64, 64), -2);
  EXPECT_EQ(counts(), "020");
  source.fails = false;
  EXPECT_EQ(choose(4, 64, 64), 16);
  EXPECT_EQ(counts(), "030");
}

TEST_F(LazyVersionTest, PreparingMakesTheFormAndLaunchesNothing) {
  auto prepare = [&](int64_t columns) {
    return choose(4, columns, 64, 0, /*dense=*/false, /*launches=*/false);
  };
  EXPECT_EQ(prepare(64), -1);
  EXPECT_EQ(counts(), "010");
  EXPECT_EQ(tile_rt_kernel_last_version(kernel), nullptr);
  source.fails = true;
  EXPECT_EQ(choose(4, 64, 64), 16);
  EXPECT_EQ(prepare(63), -2);
  EXPECT_STREQ(error.message, "@mark: no code for form 0");
  EXPECT_FALSE(tile_rt_prepare(kernel, nullptr, 2, &error));
  EXPECT_STREQ(error.message, "@mark: expected arguments, got null");
}

TEST_F(LazyVersionTest, WrongArgumentsMakeNothing) {
  EXPECT_EQ(choose(1001, 64, 64), -2);
  EXPECT_EQ(counts(), "000");
}

TEST_F(LazyVersionTest, ThreadsMakeAFormOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      int64_t extents[2] = {4, i % 2 ? 64 : 66}, mark = -1;
      TileRtDLTensor a{};
      a.data = memory;
      a.device = {TILE_RT_DL_CPU, 0};
      a.ndim = 2;
      a.dtype = {2, 16, 1};
      a.shape = extents;
      TileRtDLTensor out{};
      out.data = &mark;
      out.device = {TILE_RT_DL_CPU, 0};
      out.ndim = 1;
      out.dtype = {0, 64, 1};
      out.shape = &one;
      TileRtArgument arguments[] = {tile_rt_argument_tensor(&a),
                                    tile_rt_argument_tensor(&out)};
      TileRtError problem;
      right += tile_rt_launch(kernel, arguments, 2, nullptr, &problem) &&
               mark == (i % 2 ? 16 : 4);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right, 8);
  EXPECT_EQ(counts(), "011");
}

TEST_F(LazyVersionTest, WrongLoads) {
  EXPECT_FALSE(tile_rt_kernel_load_lazily(device, nullptr, metadata, &error));
  EXPECT_STREQ(error.message, "expected a source of images, got null");
  EXPECT_FALSE(tile_rt_kernel_load_lazily(nullptr, &given, metadata, &error));
  EXPECT_STREQ(error.message, "expected a device, got null");
  EXPECT_FALSE(tile_rt_kernel_load_lazily(device, &given, nullptr, &error));
  EXPECT_STREQ(error.message, "expected metadata, got null");
  EXPECT_EQ(source.released, 0);
}

std::string parse(const std::string &version) {
  std::string text =
      R"({"version": 1, "kernel": "k", "target": "cpu", "arguments": [
      {"kind": "memref", "dtype": "f32", "shape": [null]},
      {"kind": "scalar", "dtype": "i32"}], "parameters": [], "grid": [1],
      "block": [1], "versions": )" +
      version + "}";
  TileRtError error;
  TileRtMetadata *metadata =
      tile_rt_metadata_parse(text.data(), text.size(), &error);
  tile_rt_metadata_free(metadata);
  std::string message = metadata ? "" : error.message;
  size_t end = message.find(": ", message.find(':') + 1);
  return end == std::string::npos ? message : message.substr(end + 2);
}

std::string parseCondition(const std::string &condition) {
  return parse(R"([{"kernel": "v", "conditions": [)" + condition +
               R"(], "parameters": [], "grid": [1], "block": [1]}])");
}

TEST(Versions, ErrorsOfTheText) {
  EXPECT_EQ(parse("[]"), "");
  EXPECT_EQ(parseCondition(R"({"argument": 0, "dim": 0, "min": 1})"), "");
  EXPECT_EQ(parseCondition(R"({"argument": 0, "align": 16})"), "");
  EXPECT_EQ(parseCondition(""), "expected at least one condition, got none");
  EXPECT_EQ(parseCondition(R"({"argument": 0})"),
            "expected one of dim, stride and align");
  EXPECT_EQ(parseCondition(R"({"argument": 0, "dim": 0, "align": 4})"),
            "expected one of dim, stride and align");
  EXPECT_EQ(parseCondition(R"({"argument": 1, "dim": 0})"),
            "expected a memref, got argument 1, a scalar");
  EXPECT_EQ(parseCondition(R"({"argument": 2, "dim": 0})"),
            "expected an integer of 0 to 1, got 2");
  EXPECT_EQ(parseCondition(R"({"argument": 0, "dim": 1})"),
            "expected an integer of 0 to 0, got 1");
  EXPECT_EQ(parseCondition(R"({"argument": 0, "align": 0})"),
            "expected an integer of 1 to 1048576, got 0");
  EXPECT_EQ(
      parseCondition(R"({"argument": 0, "dim": 0, "multiple": 0})"),
      "expected an integer of 1 to 9223372036854775807, got 0");
  EXPECT_EQ(parseCondition(R"({"argument": 0, "dim": 0, "least": 0})"),
            "unknown member \"least\"");
  EXPECT_EQ(parse("[1]"), "expected an object, got an integer");
  EXPECT_EQ(parse(R"([{"kernel": "v"}])"),
            "expected a member \"conditions\"");
  std::string five;
  for (int i = 0; i < 5; ++i)
    five += std::string(i ? "," : "") +
            R"({"kernel": "v", "conditions": [{"argument": 0, "align": 4}],
               "parameters": [], "grid": [1], "block": [1]})";
  EXPECT_EQ(parse("[" + five + "]"),
            "expected at most 4 elements, got 5");
  // Versions have no versions and no arguments of their own.
  EXPECT_EQ(
      parse(R"([{"kernel": "v", "conditions": [{"argument": 0, "align": 4}],
               "parameters": [], "grid": [1], "block": [1],
               "versions": []}])"),
      "unknown member \"versions\"");
}

} // namespace
