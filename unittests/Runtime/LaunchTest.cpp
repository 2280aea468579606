// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checked launches on the CPU.

#include "TileRuntime/Launch.h"
#include "gtest/gtest.h"

#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

// out[i] = alpha * in[i] for i < n; in may have any stride.
const char scaleText[] = R"({
  "version": 1, "kernel": "scale", "target": "cpu",
  "arguments": [
    {"name": "in", "kind": "memref", "dtype": "f32", "shape": ["n"],
     "strides": ["s"], "align": 4, "access": "read"},
    {"name": "out", "kind": "memref", "dtype": "f32", "shape": ["n"],
     "align": 16, "access": "write"},
    {"name": "alpha", "kind": "scalar", "dtype": "f32"},
    {"kind": "scalar", "dtype": "i32"}
  ],
  "symbols": [
    {"name": "n", "argument": 0, "dim": 0, "max": 4096},
    {"name": "s", "argument": 0, "stride": 0, "multiple": 2},
    {"name": "block", "argument": 3, "multiple": 2, "min": 2, "max": 64}
  ],
  "parameters": [
    {"kind": "pointer", "argument": 0},
    {"kind": "pointer", "argument": 1},
    {"kind": "size", "argument": 0, "dim": 0, "type": "i32"},
    {"kind": "stride", "argument": 0, "dim": 0, "type": "i64"},
    {"kind": "scalar", "argument": 2},
    {"kind": "value", "value": "block", "type": "i32"},
    {"kind": "workspace", "offset": "n 4 *"}
  ],
  "grid": ["n block ceildiv"], "block": [1], "shared": "block 4 *",
  "workspace": {"bytes": "n 4 * 4 +", "zeroed": true}
})";

template <typename T>
T read(void *const *parameters, int i) {
  T value;
  memcpy(&value, parameters[i], sizeof(value));
  return value;
}

std::atomic<int> runningBlocks{0};

void scaleBlock(void *const *p, const uint32_t block[3], const uint32_t grid[3],
                void *shared) {
  ++runningBlocks;
  const float *in = read<const float *>(p, 0);
  float *out = read<float *>(p, 1), alpha = read<float>(p, 4);
  int32_t n = read<int32_t>(p, 2), size = read<int32_t>(p, 5);
  int64_t stride = read<int64_t>(p, 3);
  EXPECT_EQ(grid[0], uint32_t((n + size - 1) / size));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(shared) % 64, 0u);
  EXPECT_EQ(*read<int32_t *>(p, 6), 0);
  memset(shared, 1, size_t(size) * 4);
  for (int32_t i = int32_t(block[0]) * size;
       i < n && i < int32_t(block[0] + 1) * size; ++i)
    out[i] = alpha * in[i * stride];
  --runningBlocks;
}

struct LaunchTest : testing::Test {
  TileRtError error{};
  TileRtMetadata *metadata = nullptr;
  TileRtKernel *kernel = nullptr;
  TileRtDevice *device = tile_rt_cpu_device();
  TileRtTensor in{}, out{};
  TileRtDLTensor x{}, y{};
  std::vector<TileRtArgument> arguments;
  int64_t shape = 0, stride = 2;

  void SetUp() override { load(scaleText); }
  void load(const std::string &text) {
    tile_rt_kernel_unload(kernel);
    tile_rt_metadata_free(metadata);
    metadata = tile_rt_metadata_parse(text.data(), text.size(), &error);
    ASSERT_TRUE(metadata) << error.message;
    TileRtHostImage image{scaleBlock};
    kernel =
        tile_rt_kernel_load(device, &image, sizeof(image), metadata, &error);
    ASSERT_TRUE(kernel) << error.message;
  }
  void make(int64_t n) {
    tile_rt_tensor_free(&in);
    tile_rt_tensor_free(&out);
    int64_t wide = 2 * n;
    shape = n;
    ASSERT_TRUE(tile_rt_tensor_alloc(&in, TILE_RT_F32, 1, &wide, 64, &error));
    ASSERT_TRUE(tile_rt_tensor_alloc(&out, TILE_RT_F32, 1, &n, 64, &error));
    for (int64_t i = 0; i < wide; ++i)
      tile_rt_tensor_store(&in, i, double(i));
    x = tile_rt_device_tensor(device, &in, in.data);
    x.shape = &shape;
    x.strides = &stride;
    y = tile_rt_device_tensor(device, &out, out.data);
    arguments = {tile_rt_argument_tensor(&x), tile_rt_argument_tensor(&y),
                 tile_rt_argument_float(TILE_RT_F32, 3),
                 tile_rt_argument_integer(TILE_RT_I32, 8)};
  }
  bool launch() {
    return tile_rt_launch(kernel, arguments.data(), int32_t(arguments.size()),
                          nullptr, &error);
  }
  std::string failure() {
    error.message[0] = 0;
    return launch() ? "it was launched" : error.message;
  }
  void TearDown() override {
    tile_rt_kernel_unload(kernel);
    tile_rt_metadata_free(metadata);
    tile_rt_tensor_free(&in);
    tile_rt_tensor_free(&out);
  }
};

TEST_F(LaunchTest, RunsAndChecksOnce) {
  make(100);
  for (int round = 1; round <= 3; ++round) {
    arguments[2] = tile_rt_argument_float(TILE_RT_F32, round);
    ASSERT_TRUE(launch()) << error.message;
    for (int i = 0; i < 100; ++i)
      ASSERT_EQ(tile_rt_tensor_load(&out, i), round * 2.0 * i);
  }
  EXPECT_TRUE(tile_rt_tensor_check_guard(&out, "out", &error));
  int64_t known, checked;
  tile_rt_kernel_statistics(kernel, &known, &checked);
  EXPECT_EQ(known, 2);
  EXPECT_EQ(checked, 1);
  // A scalar that a symbol is bound to is part of the checks.
  arguments[3] = tile_rt_argument_integer(TILE_RT_I32, 16);
  ASSERT_TRUE(launch()) << error.message;
  tile_rt_kernel_statistics(kernel, &known, &checked);
  EXPECT_EQ(checked, 2);
  // Null strides are row-major ones.
  stride = 1;
  y.strides = nullptr;
  x.strides = nullptr;
  EXPECT_NE(failure().find("expected s to be a multiple of 2, got 1"),
            std::string::npos);
}

TEST_F(LaunchTest, ManySizes) {
  for (int round = 0; round < 2; ++round)
    for (int64_t n : {1, 2, 7, 8, 9, 64, 65, 1000, 4096, 3, 33}) {
      make(n);
      ASSERT_TRUE(launch()) << error.message;
      for (int64_t i = 0; i < n; ++i)
        ASSERT_EQ(tile_rt_tensor_load(&out, i), 6.0 * double(i));
    }
}

TEST_F(LaunchTest, EmptyGridsLaunchNothing) {
  make(0);
  EXPECT_TRUE(launch()) << error.message;
  // Null is fine where there is no element.
  x.data = y.data = nullptr;
  EXPECT_TRUE(launch()) << error.message;
}

TEST_F(LaunchTest, SizeOneHasAnyStride) {
  make(1);
  stride = 12345;
  EXPECT_TRUE(launch()) << error.message;
}

TEST_F(LaunchTest, ErrorsNameTheArgument) {
  auto expect = [&](const char *text) { EXPECT_EQ(failure(), text); };
  make(100);
  TileRtDLTensor good = y;
  arguments.pop_back();
  expect("@scale: expected 4 arguments, got 3");
  make(100);
  arguments[0] = TileRtArgument{};
  expect("@scale: argument 0 (in): expected a tensor of f32, got null");
  arguments[0] = arguments[2];
  expect("@scale: argument 0 (in): expected a tensor of f32, got a scalar of "
         "f32");
  make(100);
  arguments[2] = arguments[0];
  expect("@scale: argument 2 (alpha): expected a scalar of f32, got a tensor");
  arguments[2] = tile_rt_argument_float(TILE_RT_F64, 1);
  expect("@scale: argument 2 (alpha): expected a scalar of f32, got one of "
         "f64");
  make(100);
  y.dtype.code = TILE_RT_DL_INT;
  expect("@scale: argument 1 (out): expected elements of f32, got i32");
  y.dtype.lanes = 2;
  expect("@scale: argument 1 (out): expected elements of f32, got code 0, 32 "
         "bits, 2 lanes");
  y = good;
  y.ndim = 2;
  expect("@scale: argument 1 (out): expected a rank of 1, got 2");
  make(100);
  y.shape = nullptr;
  expect("@scale: argument 1 (out): expected a shape, got null");
  make(100);
  int64_t other = 99;
  y.shape = &other;
  expect("@scale: argument 1 (out): dimension 0: expected n = 100 (argument 0 "
         "(in): dimension 0), got 99");
  other = -1;
  expect("@scale: argument 1 (out): dimension 0: expected a size of at least 0 "
         "that memory can hold, got -1");
  other = INT64_MAX;
  expect("@scale: argument 1 (out): dimension 0: expected a size of at least 0 "
         "that memory can hold, got 9223372036854775807");
  make(100);
  y.device = {TILE_RT_DL_CUDA, 1};
  expect("@scale: argument 1 (out): expected memory of device cpu:0, got "
         "cuda:1");
  y.device = {99, 0};
  expect("@scale: argument 1 (out): expected memory of device cpu:0, got "
         "device type 99:0");
  make(100);
  y.data = nullptr;
  expect("@scale: argument 1 (out): expected the address of memory, got null");
  make(100);
  int64_t two = 2;
  y.strides = &two;
  expect("@scale: argument 1 (out): expected the strides [1] of a dense "
         "tensor, got [2]");
  y.strides = nullptr;
  y.data = reinterpret_cast<void *>(uintptr_t(0x1000));
  y.byte_offset = 8;
  expect("@scale: argument 1 (out): expected an address aligned to 16 bytes, "
         "got 0x1008, aligned to 8");
}

TEST_F(LaunchTest, ErrorsOfSymbols) {
  auto expect = [&](const char *text) { EXPECT_EQ(failure(), text); };
  make(5000);
  expect("@scale: argument 0 (in): dimension 0: expected n to be at most 4096, "
         "got 5000");
  make(10);
  arguments[3] = tile_rt_argument_integer(TILE_RT_I32, 7);
  expect("@scale: argument 3: expected block to be a multiple of 2, got 7");
  arguments[3] = tile_rt_argument_integer(TILE_RT_I32, -2);
  expect("@scale: argument 3: expected block to be at least 2, got -2");
  arguments[3] = tile_rt_argument_integer(TILE_RT_I32, 8);
  stride = 3;
  expect("@scale: argument 0 (in): stride of dimension 0: expected s to be a "
         "multiple of 2, got 3");
  stride = 2;
  // After all these errors a right launch works.
  EXPECT_TRUE(launch()) << error.message;
}

TEST_F(LaunchTest, NegativeGridHasNoBlocks) {
  std::string text = scaleText;
  const char *grid = "\"n block ceildiv\"";
  text.replace(text.find(grid), strlen(grid), "\"n 11 -\"");
  load(text);
  make(10);
  tile_rt_tensor_store(&out, 0, 7);
  EXPECT_TRUE(launch()) << error.message;
  EXPECT_EQ(tile_rt_tensor_load(&out, 0), 7);
}

TEST_F(LaunchTest, ErrorsOfTheLaunch) {
  auto with = [&](const char *from, const char *to) {
    std::string text = scaleText;
    text.replace(text.find(from), strlen(from), to);
    load(text);
    make(10);
    return failure();
  };
  EXPECT_EQ(with("\"n block ceildiv\"", "\"n 1000000000 *\""),
            "@scale: grid.x: expected a number of 0 to 4294967295, got "
            "10000000000");
  EXPECT_EQ(with("\"n block ceildiv\"", "\"1 n 10 - ceildiv\""),
            "@scale: grid.x: expected a divisor of at least 1 in \"1 n 10 - "
            "ceildiv\", got 1 and 0");
  EXPECT_EQ(with("\"value\": \"block\"", "\"value\": \"n 1000000000 *\""),
            "@scale: parameter 5: expected a number of 32 bits, got "
            "10000000000");
  EXPECT_EQ(with("\"block\": [1]", "\"block\": [1], \"cluster\": [1, 2]"),
            "@scale: cluster: expected 1 in dimension 1 of a CPU kernel, got "
            "2");
  EXPECT_EQ(with("\"shape\": [\"n\"],\n     \"align\"",
                 "\"shape\": [\"n 2 *\"],\n     \"align\""),
            "@scale: argument 1 (out): dimension 0: expected 20 (\"n 2 *\"), "
            "got 10");
  EXPECT_EQ(with("\"parameters\": [",
                 "\"tensor_maps\": [{\"argument\": 0, \"type\": \"f32\", "
                 "\"sizes\": [\"n\"], \"strides\": [], \"box\": [4]}], "
                 "\"parameters\": [{\"kind\": \"tensor_map\", \"map\": 0}, "),
            "@scale: argument 0 (in): tensor map 0: expected a device with "
            "tensor maps, got cpu");
}

TEST_F(LaunchTest, LoadsOnlyItsTargetAndImage) {
  TileRtMetadata other = *metadata;
  other.target = "cuda";
  TileRtHostImage image{scaleBlock};
  EXPECT_FALSE(
      tile_rt_kernel_load(device, &image, sizeof(image), &other, &error));
  EXPECT_STREQ(error.message,
               "@scale: expected a device of target cuda, got cpu");
  EXPECT_FALSE(tile_rt_kernel_load(device, &image, 3, metadata, &error));
  EXPECT_STREQ(error.message, "@scale: image: expected 8 bytes, got 3");
}

TEST_F(LaunchTest, SeveralThreads) {
  // One kernel, an output for each thread: more of them than there are plans.
  const int64_t n = 64;
  make(n);
  std::vector<std::thread> threads;
  for (int t = 0; t < 12; ++t)
    threads.emplace_back([&, t] {
      alignas(64) float result[64];
      TileRtDLTensor mine = y;
      mine.data = result;
      TileRtArgument own[] = {arguments[0], tile_rt_argument_tensor(&mine),
                              tile_rt_argument_float(TILE_RT_F32, t),
                              arguments[3]};
      for (int i = 0; i < 50; ++i) {
        ASSERT_TRUE(tile_rt_launch(kernel, own, 4, nullptr, nullptr));
        for (int64_t k = 0; k < n; ++k)
          ASSERT_EQ(result[k], float(2 * t * k));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(LaunchTest, HandlesAreNeverUsedAgain) {
  make(64);
  TileRtKernel *first = kernel;
  std::string before = "expected a kernel, got one that was unloaded";
  // So many that each place of the table was taken by others meanwhile.
  for (int i = 0; i < 500; ++i) {
    TileRtKernel *last = kernel;
    load(scaleText);
    EXPECT_NE(kernel, last);
    EXPECT_NE(kernel, first);
  }
  TileRtKernel *live = kernel;
  kernel = first;
  EXPECT_EQ(failure(), before);
  EXPECT_EQ(tile_rt_kernel_device(first), nullptr);
  EXPECT_EQ(tile_rt_kernel_last_version(first), nullptr);
  int64_t known = 1, checked = 1;
  tile_rt_kernel_statistics(first, &known, &checked);
  EXPECT_TRUE(known == 0 && checked == 0);
  tile_rt_kernel_unload(first); // does nothing
  TileRtTiming timing;
  TileRtTimingOptions options = tile_rt_timing_options();
  EXPECT_FALSE(tile_rt_time(first, arguments.data(), 4, nullptr, &options,
                            &timing, &error));
  for (void *other : {(void *)&x, (void *)device, (void *)metadata,
                      (void *)1, (void *)UINTPTR_MAX}) {
    kernel = static_cast<TileRtKernel *>(other);
    EXPECT_EQ(failure(), "expected a kernel, got something else");
    tile_rt_kernel_unload(kernel);
  }
  kernel = nullptr;
  EXPECT_EQ(failure(), "expected a kernel, got null");
  kernel = live;
  EXPECT_TRUE(launch()) << error.message;
}

TEST_F(LaunchTest, UnloadDuringLaunches) {
  make(64);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0}, running{4};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      TileRtError mine{};
      for (bool first = true;; first = false) {
        bool good = tile_rt_launch(kernel, arguments.data(), 4, nullptr, &mine);
        running -= first;
        if (good)
          continue;
        wrong += strcmp(mine.message,
                        "expected a kernel, got one that was unloaded") != 0;
        return;
      }
    });
  while (running)
    std::this_thread::yield();
  tile_rt_kernel_unload(kernel);
  // Its code may be gone from now on.
  EXPECT_EQ(runningBlocks, 0);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(LaunchTest, AddressesOf64Bits) {
  make(64);
  auto beyond = [&] {
    return failure().find("expected addresses of 64 bits") != std::string::npos;
  };
  uint64_t address = uint64_t(uintptr_t(x.data));
  for (uint64_t offset : {UINT64_MAX, UINT64_MAX - 3, 0 - address,
                          0 - address - 4, 0 - address - 500}) {
    x.byte_offset = offset;
    EXPECT_TRUE(beyond()) << offset << error.message;
  }
  x.byte_offset = 0;
  for (int64_t bad : {INT64_MAX - 1, INT64_MIN, INT64_MAX / 64,
                      -(int64_t(1) << 58), -int64_t(address)}) {
    stride = bad;
    EXPECT_TRUE(beyond()) << bad << error.message;
  }
}

TEST_F(LaunchTest, NullsAreErrors) {
  TileRtHostImage image{scaleBlock};
  EXPECT_FALSE(
      tile_rt_kernel_load(nullptr, &image, sizeof(image), metadata, &error));
  EXPECT_STREQ(error.message, "expected a device, got null");
  EXPECT_FALSE(
      tile_rt_kernel_load(device, nullptr, sizeof(image), metadata, &error));
  EXPECT_STREQ(error.message, "expected an image, got null");
  EXPECT_FALSE(
      tile_rt_kernel_load(device, &image, sizeof(image), nullptr, &error));
  EXPECT_STREQ(error.message, "expected metadata, got null");
  make(64);
  EXPECT_FALSE(tile_rt_launch(kernel, arguments.data(), -1, nullptr, &error));
}

TEST_F(LaunchTest, Timing) {
  make(1000);
  TileRtTimingOptions options = tile_rt_timing_options();
  TileRtTiming timing;
  options.samples = 5;
  options.launches = 2;
  ASSERT_TRUE(tile_rt_time(kernel, arguments.data(), 4, nullptr, &options,
                           &timing, &error))
      << error.message;
  EXPECT_GT(timing.min, 0);
  EXPECT_LE(timing.min, timing.median);
  EXPECT_LE(timing.median, timing.max);
  options.samples = 0;
  EXPECT_FALSE(tile_rt_time(kernel, arguments.data(), 4, nullptr, &options,
                            &timing, &error));
  EXPECT_STREQ(error.message,
               "timing: expected 1 to 100000 samples, and at least 1 launch "
               "and 1 set of arguments, got 0, 2 and 1");
}

} // namespace
