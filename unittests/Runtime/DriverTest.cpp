// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The HIP and ACL backends over libraries without a device.

#include "TileRuntime/Launch.h"
#include "gtest/gtest.h"

extern "C" {
#include "ACLDriver.h"
#include "FakeDriver.h"
#include "HIPDriver.h"
}

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <vector>

namespace {

/// What differs between the two.
struct Vendor {
  const char *name, *target, *variable, *initVariable, *file, *old;
  const char *chip, *missing;
  int32_t deviceType;
  bool (*open)(int32_t, TileRtDevice **, TileRtError *);
  bool (*count)(int32_t *, TileRtError *);
  const char *allocName, *launchName;
  int outOfMemory;
  const char *outOfMemoryText;
};

const Vendor vendors[] = {
    {"HIP", "hip", "TILE_HIP_LIBRARY", "FAKE_HIP_INIT", FAKEHIP, FAKEHIPOLD,
     "gfx942:sramecc+:xnack-",
     "expected the symbols of HIP 6.0 or later, got none of "
     "hipGetDevicePropertiesR0600",
     TILE_RT_DL_ROCM, tile_rt_hip_open, tile_rt_hip_count, "hipMalloc",
     "hipModuleLaunchKernel", 2, "hipErrorOutOfMemory (out of memory)"},
    {"ACL", "ascend", "TILE_ACL_LIBRARY", "FAKE_ACL_INIT", FAKEACL, FAKEACLOLD,
     "Ascend910B3",
     "expected the symbols of CANN 8.5 or later, got none of "
     "aclrtLaunchKernelWithHostArgs",
     TILE_RT_DL_EXT_DEV, tile_rt_acl_open, tile_rt_acl_count, "aclrtMalloc",
     "aclrtLaunchKernelWithHostArgs", 207001,
     "ACL error 207001 (EL0004: out of memory)"},
};

std::string loadFailure(const Vendor &vendor, const char *path) {
  HipDriver hip;
  AclDriver acl;
  TileRtError error;
  bool loaded = vendor.deviceType == TILE_RT_DL_ROCM
                    ? tile_rt_hip_load_driver(path, &hip, &error)
                    : tile_rt_acl_load_driver(path, &acl, &error);
  return loaded ? "it was loaded" : error.message;
}

struct DriverTest : testing::TestWithParam<Vendor> {
  const Vendor &vendor = GetParam();
  TileRtError error{};
  HipDriver hip{};
  AclDriver acl{};
  FakeDriverState *state = nullptr;
  TileRtDevice *device = nullptr;
  TileRtMetadata *metadata = nullptr;
  TileRtKernel *kernel = nullptr;
  TileRtTensor tensor{};
  void *memory = nullptr;

  bool isHip() const { return vendor.deviceType == TILE_RT_DL_ROCM; }
  void SetUp() override {
    bool loaded = isHip() ? tile_rt_hip_load_driver(vendor.file, &hip, &error)
                          : tile_rt_acl_load_driver(vendor.file, &acl, &error);
    ASSERT_TRUE(loaded) << error.message;
    using Get = FakeDriverState *(*)();
    void *library = isHip() ? hip.library : acl.library;
    state = reinterpret_cast<Get>(dlsym(library, "fakeDriverState"))();
    *state = FakeDriverState{};
    state->devices = 2;
    state->maxThreads = 1024;
    state->chip = vendor.chip;
    ASSERT_TRUE(open(1, &device)) << error.message;
  }
  bool open(int32_t ordinal, TileRtDevice **out) {
    return isHip() ? tile_rt_hip_open_with(&hip, ordinal, out, &error)
                   : tile_rt_acl_open_with(&acl, ordinal, out, &error);
  }
  /// A kernel of an array and a number, with changes.
  std::string text(const std::string &more = "",
                   const std::string &block = "1") {
    return std::string(R"({"version": 1, "kernel": "k", "target": ")") +
           vendor.target + R"(", "block": [)" + block + R"(],
      "arguments": [{"name": "a", "kind": "memref", "dtype": "f16",
                     "shape": ["n"]},
                    {"name": "s", "kind": "scalar", "dtype": "f32"}],
      "symbols": [{"name": "n", "argument": 0, "dim": 0}],
      "grid": ["n 128 ceildiv", 2])" +
           (more.find("\"parameters\"") == more.npos
                ? R"(, "parameters": [{"kind": "scalar", "argument": 1},
                  {"kind": "pointer", "argument": 0},
                  {"kind": "size", "argument": 0, "dim": 0, "type": "i32"}])"
                : "") +
           (more.empty() ? "" : ", ") + more + "}";
  }
  /// The error of loading, or none.
  std::string load(const std::string &text,
                   const std::string &image = "\177ELF" +
                                              std::string(100, 'x')) {
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
  std::string launch(int64_t n, TileRtStream stream = nullptr,
                     int32_t ordinal = 1) {
    release();
    EXPECT_TRUE(tile_rt_tensor_alloc(&tensor, TILE_RT_F16, 1, &n, 0, &error));
    EXPECT_TRUE(device->ops->alloc(device, size_t(2 * n), &memory, &error));
    TileRtDLTensor a = tile_rt_device_tensor(device, &tensor, memory);
    a.device.device_id = ordinal;
    const TileRtArgument arguments[] = {
        tile_rt_argument_tensor(&a), tile_rt_argument_float(TILE_RT_F32, 0.5)};
    return tile_rt_launch(kernel, arguments, 2, stream, &error) ? "ok"
                                                                : error.message;
  }
  void release() {
    if (memory)
      device->ops->free(device, memory, nullptr);
    tile_rt_tensor_free(&tensor);
    memory = nullptr;
  }
  void TearDown() override {
    unload();
    release();
    tile_rt_device_close(device);
    EXPECT_EQ(state->opened, 0);
    EXPECT_EQ(state->allocations, 0);
    EXPECT_EQ(state->modules, 0);
    EXPECT_EQ(state->events, 0);
    EXPECT_EQ(state->streams, 0);
  }
};

TEST_P(DriverTest, WithoutALibrary) {
  std::string none = "no " + std::string(vendor.name) + " ";
  EXPECT_EQ(loadFailure(vendor, "/nonexistent/x.so"),
            none + "library: /nonexistent/x.so: cannot open shared object "
                   "file: No such file or directory");
  EXPECT_EQ(loadFailure(vendor, vendor.old),
            none + "library: " + vendor.old + ": " + vendor.missing);
  setenv(vendor.initVariable, "999", 1);
  EXPECT_EQ(loadFailure(vendor, vendor.file),
            none + "library: " + (isHip() ? "hipInit: HIP" : "aclInit: ACL") +
                " error 999");
  unsetenv(vendor.initVariable);
  setenv(vendor.variable, "/nonexistent/x.so", 1);
  TileRtDevice *other;
  int32_t count;
  EXPECT_FALSE(vendor.open(0, &other, &error));
  EXPECT_EQ(std::string(error.message).rfind(none + "library: ", 0), 0u);
  EXPECT_FALSE(vendor.count(&count, &error));
  setenv(vendor.variable, vendor.file, 1);
  EXPECT_TRUE(vendor.count(&count, &error)) << error.message;
  EXPECT_EQ(count, 2);
  unsetenv(vendor.variable);
}

TEST_P(DriverTest, OthersInitialisedIt) {
  setenv(vendor.initVariable, isHip() ? "100" : "100002", 1);
  EXPECT_EQ(loadFailure(vendor, vendor.file),
            isHip() ? "no HIP device: hipInit: hipErrorNoDevice"
                    : "it was loaded");
  unsetenv(vendor.initVariable);
}

TEST_P(DriverTest, DescribesTheDevice) {
  EXPECT_STREQ(device->name, isHip() ? "Fake GPU 1" : "Ascend910B3");
  EXPECT_STREQ(device->chip, isHip() ? "gfx942" : "910B3");
  EXPECT_EQ(device->multiprocessors, isHip() ? 304 : 24);
  EXPECT_EQ(device->l2Bytes, isHip() ? 4 << 20 : 192 << 20);
  EXPECT_EQ(device->id.device_type, vendor.deviceType);
  EXPECT_EQ(device->id.device_id, 1);
  std::string kind = vendor.name + std::string(" device");
  TileRtDevice *other;
  EXPECT_FALSE(open(2, &other));
  EXPECT_EQ(error.message, "expected a " + kind + " of 0 to 1, got 2");
  EXPECT_FALSE(open(-1, &other));
  EXPECT_EQ(error.message, "expected a " + kind + " of 0 to 1, got -1");
  state->failCall = isHip() ? "hipDeviceGetAttribute" : "aclrtSetDevice";
  state->failResult = 7;
  EXPECT_FALSE(open(0, &other));
  EXPECT_EQ(error.message,
            state->failCall + std::string(": ") + vendor.name + " error 7");
  state->failCall = nullptr;
  state->devices = 0;
  EXPECT_FALSE(open(0, &other));
  EXPECT_EQ(error.message, "no " + kind + ": the library finds none");
}

TEST_P(DriverTest, MemoryStreamsEvents) {
  const TileRtDeviceOps *ops = device->ops;
  char in[100], out[100] = {0};
  memset(in, 7, sizeof(in));
  void *a, *b;
  ASSERT_TRUE(ops->alloc(device, 100, &a, &error));
  ASSERT_TRUE(ops->alloc(device, 0, &b, &error)) << error.message;
  ASSERT_TRUE(ops->free(device, b, &error));
  ASSERT_TRUE(ops->alloc(device, 100, &b, &error));
  TileRtStream stream;
  TileRtEvent from, to;
  double seconds = 0;
  ASSERT_TRUE(ops->streamCreate(device, &stream, &error));
  ASSERT_TRUE(ops->eventCreate(device, &from, &error) &&
              ops->eventCreate(device, &to, &error));
  ASSERT_TRUE(ops->eventRecord(device, from, stream, &error));
  ASSERT_TRUE(
      ops->copy(device, a, in, 100, TILE_RT_COPY_TO_DEVICE, stream, &error));
  ASSERT_TRUE(ops->fill(device, a, 9, 50, stream, &error));
  ASSERT_TRUE(
      ops->copy(device, b, a, 100, TILE_RT_COPY_ON_DEVICE, stream, &error));
  ASSERT_TRUE(
      ops->copy(device, out, b, 100, TILE_RT_COPY_FROM_DEVICE, stream, &error));
  ASSERT_TRUE(ops->eventRecord(device, to, stream, &error));
  ASSERT_TRUE(ops->sync(device, stream, &error));
  ASSERT_TRUE(ops->eventElapsed(device, from, to, &seconds, &error));
  EXPECT_DOUBLE_EQ(seconds, 2e-3);
  EXPECT_EQ(out[49], 9);
  EXPECT_EQ(out[50], 7);
  EXPECT_TRUE(ops->eventDestroy(device, from, &error) &&
              ops->eventDestroy(device, to, &error) &&
              ops->streamDestroy(device, stream, &error));
  state->failCall = vendor.allocName;
  state->failResult = vendor.outOfMemory;
  void *none;
  EXPECT_FALSE(ops->alloc(device, 1000, &none, &error));
  EXPECT_EQ(error.message, vendor.allocName + std::string(": ") +
                               vendor.outOfMemoryText +
                               ": expected 1000 bytes");
  EXPECT_FALSE(none);
  EXPECT_TRUE(ops->free(device, a, &error) && ops->free(device, b, &error));
  EXPECT_TRUE(ops->free(device, nullptr, &error));
}

TEST_P(DriverTest, KeepsTheCallersDevice) {
  ASSERT_EQ(load(text()), "");
  state->current = 7;
  EXPECT_EQ(launch(128), "ok");
  EXPECT_EQ(state->current, 7);
  // A thread with no context at all gets the device's.
  state->current = 0;
  EXPECT_EQ(launch(256), "ok");
  EXPECT_EQ(state->current, isHip() ? 0 : 2);
}

TEST_P(DriverTest, LoadsImages) {
  std::string elf = "\177ELF" + std::string(100, 'x');
  EXPECT_EQ(load(text(), "text"),
            isHip() ? "@k: image: expected a code object or a bundle, got 4 "
                      "other bytes"
                    : "@k: image: expected an ELF file of bisheng, got 4 other "
                      "bytes");
  EXPECT_EQ(load(text("\"core\": \"vector\""), elf), "");
  EXPECT_STREQ(state->function, "k");
  if (isHip()) {
    EXPECT_EQ(load(text(), "__CLANG_OFFLOAD_BUNDLE__" + elf), "");
  } else {
    EXPECT_EQ(state->magic, 0x41415246u);
    EXPECT_EQ(load(text("\"core\": \"cube\""), elf), "");
    EXPECT_EQ(state->magic, 0x41494343u);
    EXPECT_EQ(load(text(), elf), "");
    EXPECT_EQ(state->magic, 0x43554245u);
  }
  for (const char *call :
       {isHip() ? "hipModuleLoadData" : "aclrtBinaryLoadFromData",
        isHip() ? "hipModuleGetFunction" : "aclrtBinaryGetFunction"}) {
    state->failCall = call;
    state->failResult = 9;
    EXPECT_EQ(load(text(), elf),
              std::string("@k: ") + call + ": " + vendor.name + " error 9");
    EXPECT_EQ(state->modules, 0);
  }
}

TEST_P(DriverTest, ComparesChips) {
  auto with = [&](const char *chip) {
    return load(text("\"chip\": \"" + std::string(chip) + "\""));
  };
  if (isHip()) {
    EXPECT_EQ(with("gfx942"), "");
    EXPECT_EQ(with("gfx942:xnack-"), "");
    EXPECT_EQ(with("gfx94"), "@k: chip: expected a device that runs gfx94, got "
                             "gfx942 (Fake GPU 1)");
    EXPECT_EQ(with("gfx90a"), "@k: chip: expected a device that runs gfx90a, "
                              "got gfx942 (Fake GPU 1)");
    return;
  }
  EXPECT_EQ(with("910B"), "");
  EXPECT_EQ(with("950"), "@k: chip: expected a device that runs 950, got 910B3 "
                         "(Ascend910B3)");
  unload();
  tile_rt_device_close(device);
  state->chip = "Ascend910_9391";
  ASSERT_TRUE(open(1, &device));
  EXPECT_EQ(with("910B"), "");
}

TEST_P(DriverTest, Launches) {
  ASSERT_EQ(load(text("", isHip() ? "64, 4" : "1")), "");
  const int sizes[] = {4, 8, 4};
  memcpy(state->parameterBytes, sizes, sizeof(sizes));
  EXPECT_EQ(launch(300, &error), "ok");
  EXPECT_EQ(state->stream, &error);
  // The struct of C: a float, an address, a number.
  const unsigned char *at[] = {state->arguments, state->arguments + 8,
                               state->arguments + 16};
  if (isHip()) {
    for (int i = 0; i < 3; ++i)
      at[i] = state->parameters[i];
    EXPECT_EQ(state->grid[0], 3u);
    EXPECT_EQ(state->grid[1], 2u);
    EXPECT_EQ(state->block[0], 64u);
    EXPECT_EQ(state->block[1], 4u);
    EXPECT_FALSE(state->cooperative);
  } else {
    EXPECT_EQ(state->grid[0], 6u);
    EXPECT_EQ(state->argumentBytes, 24u);
  }
  float number;
  int32_t size;
  void *address;
  memcpy(&number, at[0], 4);
  memcpy(&address, at[1], 8);
  memcpy(&size, at[2], 4);
  EXPECT_EQ(number, 0.5f);
  EXPECT_EQ(address, memory);
  EXPECT_EQ(size, 300);
  // An empty grid is no launch.
  EXPECT_EQ(launch(0), "ok");
  EXPECT_EQ(state->launches, 1);
}

TEST_P(DriverTest, Workspaces) {
  ASSERT_EQ(load(text("\"workspace\": {\"bytes\": \"n 8 *\", \"zeroed\": "
                      "true}, \"parameters\": [{\"kind\": \"workspace\", "
                      "\"offset\": 16}]")),
            "");
  state->parameterBytes[0] = 8;
  EXPECT_EQ(launch(100), "ok");
  uint64_t address;
  memcpy(&address, isHip() ? state->parameters[0] : state->arguments, 8);
  EXPECT_EQ(address % 256, 16u);
  EXPECT_EQ(state->fills, 1);
  EXPECT_EQ(state->allocations, 2);
  // A captured launch has memory of the graph; NPUs have no graphs here.
  state->captured = true;
  EXPECT_EQ(launch(100, &state), "ok");
  EXPECT_EQ(state->graphAllocations, isHip());
  EXPECT_EQ(state->graphFrees, isHip());
  EXPECT_EQ(state->allocations, isHip() ? 2 : 3);
}

TEST_P(DriverTest, ErrorsOfTheLaunch) {
  ASSERT_EQ(load(text()), "");
  EXPECT_EQ(launch(128, nullptr, 0),
            isHip() ? "@k: argument 0 (a): expected memory of device rocm:1, "
                      "got rocm:0"
                    : "@k: argument 0 (a): expected memory of device "
                      "ext_dev:1, got ext_dev:0");
  state->failCall = vendor.launchName;
  state->failResult = vendor.outOfMemory;
  EXPECT_EQ(launch(128), std::string("@k: ") + vendor.launchName + ": " +
                             vendor.outOfMemoryText);
  state->failCall = nullptr;
  auto with = [&](const char *more, const char *block, int64_t n) {
    EXPECT_EQ(load(text(more, block)), "");
    return launch(n);
  };
  if (!isHip()) {
    EXPECT_EQ(with("", "32", 1),
              "@k: block: expected 1 thread on a core, got 32");
    EXPECT_EQ(with("\"cluster\": [2]", "1", 256),
              "@k: cluster: expected 1 on an NPU, got 2");
    EXPECT_EQ(with("\"shared\": 64", "1", 1),
              "@k: shared: expected 0 bytes, as kernels know their memory, got "
              "64");
    EXPECT_EQ(with("\"cooperative\": true", "1", 1),
              "@k: expected a device with cooperative launches, got an NPU");
    EXPECT_EQ(load(text("\"tensor_maps\": [{\"argument\": 0, \"type\": "
                        "\"f16\", \"sizes\": [\"n\"], \"strides\": [], "
                        "\"box\": [64]}], \"parameters\": [{\"kind\": "
                        "\"tensor_map\", \"map\": 0}]")),
              "@k: parameter 0: expected no tensor map on an NPU, got one");
    return;
  }
  EXPECT_EQ(with("\"cooperative\": true", "1", 1), "ok");
  EXPECT_TRUE(state->cooperative);
  EXPECT_EQ(with("", "1024, 2", 1),
            "@k: block: expected at most 1024 threads of 64 registers, got "
            "2048");
  EXPECT_EQ(with("\"cluster\": [2]", "1", 256),
            "@k: cluster: expected a device with clusters, got gfx942 (Fake "
            "GPU 1)");
  EXPECT_EQ(with("\"shared\": 70000", "1", 1),
            "@k: shared: expected at most 65536 bytes, got 70000 and 0 static "
            "ones");
  EXPECT_EQ(with("", "1", 128 * 65537),
            "@k: grid.x: expected at most 65536 blocks, got 65537; let each "
            "block of a smaller grid do several, with tile.persistent");
}

INSTANTIATE_TEST_SUITE_P(All, DriverTest, testing::ValuesIn(vendors),
                         [](const testing::TestParamInfo<Vendor> &info) {
                           return info.param.name;
                         });

} // namespace
