// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA backend over a driver without a GPU.

#include "TileRuntime/CUDA.h"
#include "TileRuntime/Launch.h"
#include "gtest/gtest.h"

extern "C" {
#include "CUDADriver.h"
#include "FakeCUDA.h"
}

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <vector>

namespace {

//===----------------------------------------------------------------------===//
// Loading of the driver
//===----------------------------------------------------------------------===//

std::string loadFailure(const char *path) {
  CuDriver driver;
  TileRtError error;
  return tile_rt_cuda_load_driver(path, &driver, &error) ? "it was loaded"
                                                         : error.message;
}

TEST(CUDADriver, WithoutADriver) {
  EXPECT_EQ(loadFailure("/nonexistent/libcuda.so.1"),
            "no CUDA driver: /nonexistent/libcuda.so.1: cannot open shared "
            "object file: No such file or directory");
  setenv("TILE_CUDA_DRIVER", "/nonexistent/libcuda.so.1", 1);
  TileRtError error;
  TileRtDevice *device;
  int32_t count;
  EXPECT_FALSE(tile_rt_cuda_open(0, &device, &error));
  EXPECT_EQ(std::string(error.message).rfind("no CUDA driver: ", 0), 0u);
  EXPECT_FALSE(device);
  EXPECT_FALSE(tile_rt_cuda_count(&count, &error));
  unsetenv("TILE_CUDA_DRIVER");
}

TEST(CUDADriver, NamesMissingSymbols) {
  EXPECT_EQ(loadFailure(FAKECUDAOLD),
            "no CUDA driver: " FAKECUDAOLD
            ": expected the symbols of CUDA 11.8 or later, got none of "
            "cuLaunchKernelEx");
}

TEST(CUDADriver, FindsEntryPoints) {
  EXPECT_EQ(loadFailure(FAKECUDAENTRY), "it was loaded");
}

TEST(CUDADriver, WithoutADevice) {
  setenv("FAKE_CUDA_INIT", "100", 1);
  EXPECT_EQ(loadFailure(FAKECUDA),
            "no CUDA device: cuInit: CUDA_ERROR_NO_DEVICE (a text)");
  setenv("FAKE_CUDA_INIT", "999", 1);
  EXPECT_EQ(loadFailure(FAKECUDA), "no CUDA driver: cuInit: CUDA error 999");
  setenv("FAKE_CUDA_INIT", "201", 1);
  EXPECT_EQ(loadFailure(FAKECUDA),
            "no CUDA driver: cuInit: CUDA_ERROR_INVALID_CONTEXT");
  unsetenv("FAKE_CUDA_INIT");
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

struct CUDATest : testing::Test {
  TileRtError error{};
  CuDriver driver{};
  FakeCudaState *state = nullptr;
  TileRtDevice *device = nullptr;
  TileRtMetadata *metadata = nullptr;
  TileRtKernel *kernel = nullptr;
  TileRtTensor tensor{};
  void *memory = nullptr;

  void SetUp() override {
    ASSERT_TRUE(tile_rt_cuda_load_driver(FAKECUDA, &driver, &error))
        << error.message;
    using Get = FakeCudaState *(*)();
    state = reinterpret_cast<Get>(dlsym(driver.library, "fakeCudaState"))();
    *state = FakeCudaState{};
    state->devices = 2;
    state->major = 9;
    state->maxThreads = 1024;
    open(0);
  }
  void open(int32_t ordinal) {
    tile_rt_device_close(device);
    ASSERT_TRUE(tile_rt_cuda_open_with(&driver, ordinal, &device, &error))
        << error.message;
  }
  /// The error of loading, or none.
  std::string load(const std::string &text, const std::string &image = "ptx") {
    unload();
    error.message[0] = 0;
    metadata = tile_rt_metadata_parse(text.data(), text.size(), &error);
    if (metadata)
      kernel = tile_rt_kernel_load(device, image.data(), image.size(), metadata,
                                   &error);
    return error.message;
  }
  void unload() {
    tile_rt_kernel_unload(kernel);
    tile_rt_metadata_free(metadata);
    kernel = nullptr;
    metadata = nullptr;
  }
  TileRtDLTensor make(TileRtDType dtype, std::vector<int64_t> shape) {
    release();
    EXPECT_TRUE(tile_rt_tensor_alloc(&tensor, dtype, int32_t(shape.size()),
                                     shape.data(), 0, &error));
    EXPECT_TRUE(device->ops->alloc(
        device, size_t(tile_rt_tensor_bytes(&tensor)), &memory, &error));
    return tile_rt_device_tensor(device, &tensor, memory);
  }
  void release() {
    if (memory)
      device->ops->free(device, memory, nullptr);
    tile_rt_tensor_free(&tensor);
    memory = nullptr;
  }
  std::string launch(const std::vector<TileRtArgument> &arguments,
                     TileRtStream stream = nullptr) {
    error.message[0] = 0;
    return tile_rt_launch(kernel, arguments.data(), int32_t(arguments.size()),
                          stream, &error)
               ? "ok"
               : error.message;
  }
  void TearDown() override {
    unload();
    if (device)
      release();
    tile_rt_device_close(device);
    EXPECT_EQ(state->retained, 0);
    EXPECT_EQ(state->allocations, 0);
    EXPECT_EQ(state->modules, 0);
    EXPECT_EQ(state->events, 0);
    EXPECT_EQ(state->streams, 0);
    EXPECT_EQ(state->pushes, 0);
    driver.ctxSetCurrent(nullptr);
  }
};

/// A kernel of one argument, with changes.
std::string kernelText(const std::string &more = "",
                       const std::string &grid = "[\"n 128 ceildiv\"]") {
  return R"({"version": 1, "kernel": "k", "target": "cuda",
    "arguments": [{"name": "A", "kind": "memref", "dtype": "f16",
                   "shape": ["n", "m"], "strides": ["s", 1], "align": 2}],
    "symbols": [{"name": "n", "argument": 0, "dim": 0},
                {"name": "m", "argument": 0, "dim": 1},
                {"name": "s", "argument": 0, "stride": 0},
                {"name": "sms", "device": "multiprocessors"}],
    "grid": )" +
         grid +
         (more.find("\"block\"") == more.npos ? ", \"block\": [256]" : "") +
         (more.find("\"parameters\"") == more.npos ? ", \"parameters\": []"
                                                   : "") +
         (more.empty() ? "" : ", ") + more + "}";
}

TEST_F(CUDATest, DescribesTheDevice) {
  EXPECT_STREQ(device->name, "Fake GPU");
  EXPECT_STREQ(device->chip, "sm_90");
  EXPECT_EQ(device->multiprocessors, 132);
  EXPECT_EQ(device->l2Bytes, 1 << 20);
  TileRtDevice *other;
  EXPECT_FALSE(tile_rt_cuda_open_with(&driver, 2, &other, &error));
  EXPECT_STREQ(error.message, "expected a CUDA device of 0 to 1, got 2");
  state->failCall = "cuDevicePrimaryCtxRetain";
  state->failResult = 2;
  EXPECT_FALSE(tile_rt_cuda_open_with(&driver, 1, &other, &error));
  EXPECT_STREQ(error.message, "cuDevicePrimaryCtxRetain: "
                              "CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
  --state->retained; // the fake counts also what fails
  state->failCall = nullptr;
  state->devices = 0;
  EXPECT_FALSE(tile_rt_cuda_open_with(&driver, 0, &other, &error));
  EXPECT_STREQ(error.message, "no CUDA device: the driver finds none");
}

TEST_F(CUDATest, ConnectsDevices) {
  TileRtDevice *other, *same;
  ASSERT_TRUE(tile_rt_cuda_open_with(&driver, 1, &other, &error));
  ASSERT_TRUE(tile_rt_cuda_open_with(&driver, 0, &same, &error));
  TileRtDevice *devices[] = {device, other, same};
  EXPECT_TRUE(tile_rt_cuda_connect(devices, 3, &error)) << error.message;
  EXPECT_EQ(state->peers, 4); // each of the two GPUs of 0 with 1 and back
  state->failCall = "cuCtxEnablePeerAccess";
  state->failResult = 704;
  EXPECT_TRUE(tile_rt_cuda_connect(devices, 2, &error)) << "again";
  state->failResult = 2;
  EXPECT_FALSE(tile_rt_cuda_connect(devices, 2, &error));
  EXPECT_STREQ(error.message, "cuCtxEnablePeerAccess: "
                              "CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
  state->failCall = nullptr;
  state->apart = true;
  EXPECT_TRUE(tile_rt_cuda_connect(devices, 1, &error));
  EXPECT_FALSE(tile_rt_cuda_connect(devices, 2, &error));
  EXPECT_STREQ(error.message,
               "cuda:0 and cuda:1 cannot access each other's memory; ranks run "
               "on GPUs with peer access, and on the CPU");
  driver.ctxEnablePeerAccess = nullptr;
  EXPECT_FALSE(tile_rt_cuda_connect(devices, 2, &error));
  EXPECT_STREQ(error.message, "expected a CUDA driver with peer access");
  tile_rt_device_close(other);
  tile_rt_device_close(same);
}

TEST_F(CUDATest, MemoryStreamsEvents) {
  const TileRtDeviceOps *ops = device->ops;
  char in[100], out[100] = {0};
  memset(in, 7, sizeof(in));
  void *a, *b;
  ASSERT_TRUE(ops->alloc(device, 100, &a, &error));
  ASSERT_TRUE(ops->alloc(device, 0, &b, &error)) << error.message;
  ASSERT_TRUE(ops->free(device, b, &error));
  ASSERT_TRUE(ops->alloc(device, 100, &b, &error));
  TileRtStream stream;
  ASSERT_TRUE(ops->streamCreate(device, &stream, &error));
  ASSERT_TRUE(
      ops->copy(device, a, in, 100, TILE_RT_COPY_TO_DEVICE, stream, &error));
  ASSERT_TRUE(ops->fill(device, a, 9, 50, stream, &error));
  ASSERT_TRUE(
      ops->copy(device, b, a, 100, TILE_RT_COPY_ON_DEVICE, stream, &error));
  ASSERT_TRUE(
      ops->copy(device, out, b, 100, TILE_RT_COPY_FROM_DEVICE, stream, &error));
  ASSERT_TRUE(ops->sync(device, stream, &error));
  EXPECT_EQ(out[49], 9);
  EXPECT_EQ(out[50], 7);
  ASSERT_TRUE(ops->streamDestroy(device, stream, &error));
  state->failCall = "cuMemAlloc";
  state->failResult = 2;
  void *none;
  EXPECT_FALSE(ops->alloc(device, 1000, &none, &error));
  EXPECT_STREQ(error.message, "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (out of "
                              "memory): expected 1000 bytes");
  EXPECT_TRUE(ops->free(device, a, &error) && ops->free(device, b, &error));
  EXPECT_TRUE(ops->free(device, nullptr, &error));
}

TEST_F(CUDATest, KeepsTheCallersContext) {
  CuContext other = reinterpret_cast<CuContext>(&error), current;
  driver.ctxSetCurrent(other);
  ASSERT_EQ(load(kernelText()), "");
  TileRtDLTensor a = make(TILE_RT_F16, {128, 64});
  EXPECT_EQ(launch({tile_rt_argument_tensor(&a)}), "ok");
  driver.ctxGetCurrent(&current);
  EXPECT_EQ(current, other);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

TEST_F(CUDATest, LoadsImages) {
  // PTX that does not end with a zero, in memory of exactly its size.
  std::vector<char> ptx(100, 'x');
  EXPECT_EQ(load(kernelText("\"max_registers\": 64"),
                 std::string(ptx.begin(), ptx.end())),
            "");
  EXPECT_EQ(state->imageLength, 100);
  EXPECT_EQ(state->jitRegisters, 64);
  EXPECT_STREQ(state->function, "k");
  EXPECT_EQ(load(kernelText(), "broken"),
            "@k: cuModuleLoadDataEx: CUDA_ERROR_INVALID_PTX (a text): line 1: "
            "error line 2: fatal");
  EXPECT_EQ(load(kernelText(), ""), "@k: image: expected code, got 0 bytes");
  state->failCall = "cuModuleGetFunction";
  state->failResult = 1;
  EXPECT_EQ(load(kernelText()),
            "@k: cuModuleGetFunction: CUDA_ERROR_INVALID_VALUE (a text)");
  EXPECT_EQ(state->modules, 0);
}

TEST_F(CUDATest, ComparesChips) {
  auto with = [&](const char *chip, const char *image) {
    return load(kernelText("\"chip\": \"" + std::string(chip) + "\""), image);
  };
  const char cubin[] = "\177ELF....", ptx[] = ".version";
  EXPECT_EQ(with("sm_90a", cubin), "");
  EXPECT_EQ(with("sm_90", cubin), "");
  EXPECT_EQ(with("sm_80", ptx), "");
  EXPECT_EQ(with("sm_80", cubin),
            "@k: chip: expected a device that runs sm_80, got sm_90 (Fake "
            "GPU)");
  EXPECT_EQ(with("sm_100", ptx),
            "@k: chip: expected a device that runs sm_100, got sm_90 (Fake "
            "GPU)");
  EXPECT_EQ(with("gfx942", ptx),
            "@k: chip: expected sm_ and a number, got gfx942");
  state->major = 10;
  open(0);
  EXPECT_NE(with("sm_90a", ptx), "");
  EXPECT_EQ(with("sm_90", ptx), "");
  EXPECT_EQ(with("sm_100f", cubin), "");
}

TEST_F(CUDATest, LaunchAttributes) {
  ASSERT_EQ(load(kernelText("\"cluster\": [2, 1], \"cooperative\": true, "
                            "\"pdl\": true, \"block\": [64, 4], "
                            "\"shared\": \"n 2 *\"",
                            "[\"n 128 ceildiv 2 *\", \"sms\"]")),
            "");
  TileRtDLTensor a = make(TILE_RT_F16, {1000, 64});
  TileRtStream stream = &state;
  ASSERT_EQ(launch({tile_rt_argument_tensor(&a)}, stream), "ok");
  EXPECT_EQ(state->grid[0], 16u);
  EXPECT_EQ(state->grid[1], 132u);
  EXPECT_EQ(state->grid[2], 1u);
  EXPECT_EQ(state->block[0], 64u);
  EXPECT_EQ(state->block[1], 4u);
  EXPECT_EQ(state->cluster[0], 2u);
  EXPECT_EQ(state->cluster[2], 1u);
  EXPECT_EQ(state->sharedBytes, 2000u);
  EXPECT_EQ(state->stream, stream);
  EXPECT_TRUE(state->cooperative && state->pdl);
  EXPECT_EQ(state->functionAttributes, 0);
  ASSERT_EQ(load(kernelText()), "");
  ASSERT_EQ(launch({tile_rt_argument_tensor(&a)}), "ok");
  EXPECT_EQ(state->cluster[0], 0u);
  EXPECT_FALSE(state->cooperative || state->pdl);
}

TEST_F(CUDATest, AsksForSharedMemoryOnce) {
  state->staticShared = 1000;
  ASSERT_EQ(load(kernelText("\"shared\": \"n\", \"cluster\": [16]", "[16]")),
            "");
  auto with = [&](int64_t n) {
    TileRtDLTensor a = make(TILE_RT_F16, {n, 1});
    return launch({tile_rt_argument_tensor(&a)});
  };
  EXPECT_EQ(with(48 * 1024 - 1000), "ok");
  EXPECT_EQ(state->functionAttributes, 1); // the cluster's
  EXPECT_EQ(state->nonPortable, 1);
  EXPECT_EQ(with(100000), "ok");
  EXPECT_EQ(state->dynamicShared, 100000);
  EXPECT_EQ(with(90000), "ok");
  EXPECT_EQ(state->functionAttributes, 2);
  EXPECT_EQ(with(231449), "@k: shared: expected at most 232448 bytes, got "
                          "231449 and 1000 static ones");
  EXPECT_EQ(with(231448), "ok");
  EXPECT_EQ(state->dynamicShared, 231448);
}

TEST_F(CUDATest, ErrorsOfTheLaunch) {
  auto with = [&](const std::string &more, const std::string &grid,
                  int64_t n = 128) {
    EXPECT_EQ(load(kernelText(more, grid)), "");
    TileRtDLTensor a = make(TILE_RT_F16, {n, 1});
    return launch({tile_rt_argument_tensor(&a)});
  };
  EXPECT_EQ(with("", "[1, \"n\"]", 65536),
            "@k: grid.y: expected at most 65535 blocks, got 65536; let the "
            "largest extent of the grid be the first, or let each block of a "
            "smaller grid do several, with tile.persistent");
  EXPECT_EQ(with("\"cluster\": [3]", "[\"n\"]"),
            "@k: grid.x: expected a multiple of the cluster's 3 blocks, got "
            "128");
  EXPECT_EQ(with("\"block\": [1024, 2]", "[1]"),
            "@k: block: expected at most 1024 threads of 64 registers, got "
            "2048");
  state->maxThreads = 128;
  EXPECT_EQ(with("", "[1]"),
            "@k: block: expected at most 128 threads of 64 registers, got 256");
  state->maxThreads = 1024;
  state->failCall = "cuLaunchKernelEx";
  state->failResult = 1;
  EXPECT_EQ(with("", "[1]"),
            "@k: cuLaunchKernelEx: CUDA_ERROR_INVALID_VALUE (a text)");
  state->failCall = nullptr;
  unload();
  release();
  state->major = 8;
  open(0);
  EXPECT_EQ(with("\"cluster\": [2]", "[2]"),
            "@k: cluster: expected a device with clusters, got sm_80 (Fake "
            "GPU)");
  EXPECT_EQ(with("\"cooperative\": true", "[2]"),
            "@k: expected a device with cooperative launches, got sm_80 (Fake "
            "GPU)");
}

TEST_F(CUDATest, ChecksTheDevice) {
  open(1);
  ASSERT_EQ(load(kernelText()), "");
  TileRtDLTensor a = make(TILE_RT_F16, {128, 64});
  const std::vector<TileRtArgument> arguments{tile_rt_argument_tensor(&a)};
  EXPECT_EQ(launch(arguments), "ok");
  a.device.device_id = 0;
  EXPECT_EQ(launch(arguments),
            "@k: argument 0 (A): expected memory of device cuda:1, got cuda:0");
  a.device.device_type = TILE_RT_DL_CUDA_HOST;
  EXPECT_EQ(launch(arguments), "@k: argument 0 (A): expected memory of device "
                               "cuda:1, got cuda_host:0");
  a.device.device_type = TILE_RT_DL_CUDA_MANAGED;
  EXPECT_EQ(launch(arguments), "ok");
}

TEST_F(CUDATest, Workspaces) {
  ASSERT_EQ(load(kernelText("\"workspace\": {\"bytes\": \"n 8 *\", \"zeroed\": "
                            "true}, \"parameters\": [{\"kind\": \"workspace\", "
                            "\"offset\": 16}]")),
            "");
  state->parameterCount = 1;
  state->parameterBytes[0] = 8;
  auto with = [&](int64_t n, TileRtStream stream) {
    TileRtDLTensor a = make(TILE_RT_F16, {n, 1});
    EXPECT_EQ(launch({tile_rt_argument_tensor(&a)}, stream), "ok");
    uint64_t address;
    memcpy(&address, state->parameters[0], 8);
    return address;
  };
  TileRtStream one = &state, two = &error;
  uint64_t first = with(100, one), second = with(100, two);
  EXPECT_EQ(first % 256, 16u);
  EXPECT_NE(first, second);
  EXPECT_EQ(with(50, one), first);
  EXPECT_EQ(state->fills, 3);
  EXPECT_EQ(state->syncs, 0);
  with(200, one);
  EXPECT_EQ(state->syncs, 1);       // before what was used is freed
  EXPECT_EQ(state->allocations, 3); // the tensor's and two workspaces
}

/// A graph may run when the stream's workspace has grown or is in use: captured
/// launches have memory of the graph, from the first one on.
TEST_F(CUDATest, WorkspacesOfGraphs) {
  ASSERT_EQ(load(kernelText("\"workspace\": {\"bytes\": \"n 8 *\", \"zeroed\": "
                            "true}, \"parameters\": [{\"kind\": \"workspace\", "
                            "\"offset\": 16}]")),
            "");
  state->parameterCount = 1;
  state->parameterBytes[0] = 8;
  TileRtDLTensor a = make(TILE_RT_F16, {100, 1});
  const std::vector<TileRtArgument> arguments{tile_rt_argument_tensor(&a)};
  auto with = [&](bool captured, TileRtStream stream) {
    state->captured = captured;
    std::string result = launch(arguments, stream);
    state->captured = false;
    return result;
  };
  auto address = [&] {
    uint64_t result;
    memcpy(&result, state->parameters[0], 8);
    return result;
  };
  TileRtStream stream = &state;
  EXPECT_EQ(with(true, stream), "ok");
  uint64_t ofGraph = address();
  EXPECT_EQ(with(false, stream), "ok");
  uint64_t ofStream = address();
  EXPECT_NE(ofGraph, ofStream);
  EXPECT_EQ(with(true, stream), "ok");
  EXPECT_EQ(address(), ofGraph);
  EXPECT_EQ(with(false, stream), "ok");
  EXPECT_EQ(address(), ofStream);
  EXPECT_EQ(state->graphAllocations, 2);
  EXPECT_EQ(state->graphFrees, 2);
  EXPECT_EQ(state->fills, 4);
  EXPECT_EQ(state->allocations, 2); // the tensor's and the stream's
  // What fails, and that nothing is left behind.
  state->failResult = 1;
  state->failCall = "cuLaunchKernelEx";
  EXPECT_EQ(with(true, stream),
            "@k: cuLaunchKernelEx: CUDA_ERROR_INVALID_VALUE (a text)");
  EXPECT_EQ(state->graphFrees, 3);
  state->failCall = "cuStreamIsCapturing";
  EXPECT_EQ(with(true, stream),
            "@k: cuStreamIsCapturing: CUDA_ERROR_INVALID_VALUE (a text)");
  state->failCall = "cuMemAllocAsync";
  EXPECT_EQ(with(true, stream),
            "@k: cuMemAllocAsync: CUDA_ERROR_INVALID_VALUE (a text): expected "
            "800 bytes in the graph");
  state->failCall = "cuMemFreeAsync";
  EXPECT_EQ(with(true, stream),
            "@k: cuMemFreeAsync: CUDA_ERROR_INVALID_VALUE (a text)");
  state->failCall = nullptr;
  // Nothing captures the default stream.
  EXPECT_EQ(launch(arguments, nullptr), "ok");
  EXPECT_EQ(state->allocations, 3);
}

//===----------------------------------------------------------------------===//
// Tensor maps
//===----------------------------------------------------------------------===//

std::string mapText(const std::string &map) {
  return kernelText("\"tensor_maps\": [{\"argument\": 0, " + map +
                        "}], \"parameters\": [{\"kind\": \"tensor_map\", "
                        "\"map\": 0}, {\"kind\": \"pointer\", \"argument\": 0, "
                        "\"offset\": \"s 2 *\"}, {\"kind\": \"size\", "
                        "\"argument\": 0, \"dim\": 1, \"type\": \"i32\"}]",
                    "[1]");
}

const char plainMap[] =
    "\"type\": \"f16\", \"sizes\": [\"m\", \"n\"], \"strides\": [\"s 2 *\"], "
    "\"box\": [64, 32], \"swizzle\": \"128B\", \"l2_promotion\": 256, "
    "\"element_strides\": [1, 2], \"fill\": \"nan\", \"offset\": 32";

TEST_F(CUDATest, EncodesTensorMaps) {
  ASSERT_EQ(load(mapText(plainMap)), "");
  state->parameterCount = 3;
  state->parameterBytes[0] = 128;
  state->parameterBytes[1] = 8;
  state->parameterBytes[2] = 4;
  TileRtDLTensor a = make(TILE_RT_F16, {100, 72});
  const std::vector<TileRtArgument> arguments{tile_rt_argument_tensor(&a)};
  ASSERT_EQ(launch(arguments), "ok");
  const FakeCudaMap &map = state->map;
  EXPECT_EQ(map.type, 6);
  EXPECT_EQ(map.rank, 2);
  EXPECT_EQ(map.address, static_cast<char *>(memory) + 32);
  EXPECT_EQ(map.sizes[0], 72u);
  EXPECT_EQ(map.sizes[1], 100u);
  EXPECT_EQ(map.strides[0], 144u);
  EXPECT_EQ(map.box[0], 64u);
  EXPECT_EQ(map.box[1], 32u);
  EXPECT_EQ(map.elementStrides[1], 2u);
  EXPECT_EQ(map.interleave, 0);
  EXPECT_EQ(map.swizzle, 3);
  EXPECT_EQ(map.l2Promotion, 3);
  EXPECT_EQ(map.fill, 1);
  EXPECT_EQ(state->parameters[0][0], 1);
  EXPECT_EQ(state->parameters[0][127], 1);
  uint64_t address;
  int32_t size;
  memcpy(&address, state->parameters[1], 8);
  memcpy(&size, state->parameters[2], 4);
  EXPECT_EQ(address, uint64_t(uintptr_t(memory)) + 144);
  EXPECT_EQ(size, 72);
  // A size of one leaves its stride open.
  a = make(TILE_RT_F16, {1, 72});
  int64_t strides[] = {5, 1};
  a.strides = strides;
  ASSERT_EQ(launch(arguments), "ok");
  EXPECT_EQ(map.strides[0], 160u);
}

/// A map of a tensor in the workspace begins there, wherever that is.
TEST_F(CUDATest, EncodesMapsOfWorkspaces) {
  ASSERT_EQ(
      load(kernelText(
          "\"workspace\": {\"bytes\": \"n 512 *\"}, \"tensor_maps\": "
          "[{\"workspace\": \"n 256 *\", \"type\": \"f16\", \"sizes\": "
          "[64, \"n\"], \"strides\": [128], \"box\": [64, 32]}], "
          "\"parameters\": [{\"kind\": \"tensor_map\", \"map\": 0}, "
          "{\"kind\": \"workspace\", \"offset\": \"n 256 *\"}]",
          "[1]")),
      "");
  state->parameterCount = 2;
  state->parameterBytes[0] = 128;
  state->parameterBytes[1] = 8;
  auto with = [&](int64_t n, TileRtStream stream) {
    TileRtDLTensor a = make(TILE_RT_F16, {n, 1});
    int before = state->encodes;
    EXPECT_EQ(launch({tile_rt_argument_tensor(&a)}, stream), "ok");
    uint64_t address;
    memcpy(&address, state->parameters[1], 8);
    if (state->encodes != before) {
      EXPECT_EQ(uint64_t(uintptr_t(state->map.address)), address);
      EXPECT_EQ(state->map.sizes[1], uint64_t(n));
    }
    return address;
  };
  TileRtStream one = &state, two = &error;
  uint64_t first = with(100, one);
  int encodes = state->encodes;
  EXPECT_EQ(encodes, 1);
  EXPECT_EQ(with(100, one), first);
  EXPECT_EQ(state->encodes, encodes); // the plan has it
  EXPECT_NE(with(100, two), first);
  EXPECT_EQ(state->encodes, encodes + 1);
  with(400, one);
  // The workspace has grown: what the plan knows is past.
  with(100, one);
  // Nothing is described of an empty one.
  TileRtDLTensor none = make(TILE_RT_F16, {0, 1});
  EXPECT_EQ(launch({tile_rt_argument_tensor(&none)}, one), "ok");
}

TEST_F(CUDATest, EncodesIm2col) {
  ASSERT_EQ(load(mapText("\"mode\": \"im2col\", \"type\": \"f16\", \"sizes\": "
                         "[\"m\", 8, \"n\"], \"strides\": [128, 1024], "
                         "\"lower\": [-1], \"upper\": [2], \"channels\": 64, "
                         "\"pixels\": 256, \"swizzle\": \"128B\"")),
            "");
  TileRtDLTensor a = make(TILE_RT_F16, {4, 64});
  ASSERT_EQ(launch({tile_rt_argument_tensor(&a)}), "ok");
  EXPECT_EQ(state->map.rank, 3);
  EXPECT_EQ(state->map.lower[0], -1);
  EXPECT_EQ(state->map.upper[0], 2);
  EXPECT_EQ(state->map.channels, 64u);
  EXPECT_EQ(state->map.pixels, 256u);
  EXPECT_EQ(state->map.strides[1], 1024u);
}

TEST_F(CUDATest, CachesTensorMaps) {
  ASSERT_EQ(load(mapText(plainMap)), "");
  TileRtDLTensor a = make(TILE_RT_F16, {200, 72});
  const std::vector<TileRtArgument> arguments{tile_rt_argument_tensor(&a)};
  // More shapes than plans, fewer than a set of the cache overflows.
  int64_t found, encoded, shape[] = {0, 72};
  a.shape = shape;
  for (int round = 0; round < 3; ++round)
    for (shape[0] = 1; shape[0] <= 12; ++shape[0])
      ASSERT_EQ(launch(arguments), "ok");
  tile_rt_cuda_map_statistics(device, &found, &encoded);
  EXPECT_EQ(encoded, state->encodes);
  EXPECT_EQ(found + encoded, 36);
  EXPECT_LE(encoded, 16);
  // One plan serves repeated launches, without the cache.
  for (int i = 0; i < 10; ++i)
    ASSERT_EQ(launch(arguments), "ok");
  int64_t foundLater, encodedLater;
  tile_rt_cuda_map_statistics(device, &foundLater, &encodedLater);
  EXPECT_LE(foundLater + encodedLater, 37);
  // Bounded: old entries make room, and what comes is what was asked for.
  state->parameterCount = 1;
  state->parameterBytes[0] = 128;
  for (shape[0] = 1; shape[0] <= 200; ++shape[0]) {
    ASSERT_EQ(launch(arguments), "ok");
    if (shape[0] > 13) {
      EXPECT_EQ(state->parameters[0][5], (unsigned char)state->encodes);
    }
  }
}

TEST_F(CUDATest, ErrorsOfTensorMaps) {
  auto with = [&](const char *from, const char *to, int64_t m = 72) {
    std::string text = mapText(plainMap);
    size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, strlen(from), to);
    EXPECT_EQ(load(text), "");
    TileRtDLTensor a = make(TILE_RT_F16, {100, m});
    std::string failure = launch({tile_rt_argument_tensor(&a)});
    const std::string prefix = "@k: argument 0 (A): tensor map 0: ";
    return failure.rfind(prefix, 0) == 0 ? failure.substr(prefix.size())
                                         : failure;
  };
  EXPECT_EQ(with("\"offset\": 32", "\"offset\": 8").substr(0, 44),
            "expected an address aligned to 16 bytes, got");
  EXPECT_EQ(with("f16\", \"sizes", "f16\", \"sizes", 71),
            "expected a stride that is a multiple of 16 bytes and less than "
            "2^40 in dimension 1, got 142");
  // A map of an empty tensor is passed and never used.
  EXPECT_EQ(with("[\"m\", \"n\"]", "[\"m\", 0]"), "ok");
  EXPECT_EQ(with("[\"m\", \"n\"]", "[\"m\", 8589934592]"),
            "expected a size of 1 to 2^32 in dimension 1, got 8589934592");
  EXPECT_EQ(with("\"s 2 *\"", "1099511627776"),
            "expected a stride that is a multiple of 16 bytes and less than "
            "2^40 in dimension 1, got 1099511627776");
  EXPECT_EQ(with("[64, 32]", "[20, 32]"),
            "expected a multiple of 16 bytes in dimension 0 of the box, got "
            "40");
  EXPECT_EQ(with("[64, 32]", "[128, 32]"),
            "expected at most 128 bytes in dimension 0 of the box for its "
            "swizzle, got 256");
  EXPECT_EQ(with("\"swizzle\"", "\"interleave\": \"16B\", \"swizzle\""),
            "expected a rank of at least 3 for interleaving, got 2");
  EXPECT_EQ(with(plainMap,
                 "\"type\": \"f16\", \"sizes\": [16, 8, 8], \"strides\": [32, "
                 "256], \"box\": [16, 8, 1], \"interleave\": \"32B\""),
            "expected swizzle 32B for interleave 32B");
  EXPECT_EQ(with("\"type\": \"f16\"", "\"type\": \"u16\""),
            "expected a float type for fill nan");
  EXPECT_EQ(with("\"type\": \"f16\", \"sizes\": [\"m\"",
                 "\"type\": \"u4_align16\", \"sizes\": [\"m\"", 80),
            "expected a size that is a multiple of 128 in dimension 0 of "
            "packed elements, got 80");
  state->failCall = "cuTensorMapEncode";
  state->failResult = 1;
  EXPECT_EQ(with("f16\", \"sizes", "f16\", \"sizes"),
            "cuTensorMapEncodeTiled: CUDA_ERROR_INVALID_VALUE (a text)");
  state->failCall = nullptr;
  driver.tensorMapTiled = nullptr;
  driver.version = 11080;
  EXPECT_EQ(with("f16\", \"sizes", "f16\", \"sizes"),
            "expected a driver of CUDA 12.0 or later for "
            "cuTensorMapEncodeTiled, got one of 11.8");
}

//===----------------------------------------------------------------------===//
// Timing
//===----------------------------------------------------------------------===//

TEST_F(CUDATest, Timing) {
  ASSERT_EQ(load(kernelText()), "");
  TileRtDLTensor a = make(TILE_RT_F16, {128, 64});
  const TileRtArgument arguments[] = {tile_rt_argument_tensor(&a),
                                      tile_rt_argument_tensor(&a)};
  TileRtTimingOptions options = tile_rt_timing_options();
  TileRtTiming timing;
  options.launches = 3;
  options.flushL2 = true;
  options.sets = 2;
  ASSERT_TRUE(
      tile_rt_time(kernel, arguments, 1, nullptr, &options, &timing, &error))
      << error.message;
  EXPECT_EQ(state->launches, 3 + 20 * 3);
  EXPECT_EQ(state->fills, 20);
  EXPECT_EQ(device->flushBytes, size_t(2) << 20);
  // The fake's launches take a millisecond each.
  EXPECT_NEAR(timing.median, 1e-3, 1e-9);
  EXPECT_NEAR(timing.min, 1e-3, 1e-9);
  EXPECT_NEAR(timing.max, 1e-3, 1e-9);
  state->failCall = "cuEventRecord";
  state->failResult = 1;
  EXPECT_FALSE(
      tile_rt_time(kernel, arguments, 1, nullptr, &options, &timing, &error));
  EXPECT_STREQ(error.message,
               "cuEventRecord: CUDA_ERROR_INVALID_VALUE (a text)");
}

} // namespace
