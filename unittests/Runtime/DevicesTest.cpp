// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices that are closed, and what is no device.

#include "TileRuntime/Launch.h"
#include "TileRuntime/Model.h"
#include "gtest/gtest.h"

#include <atomic>
#include <cstring>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace {

const char text[] = R"({
  "version": 1, "kernel": "none", "target": "cpu", "arguments": [],
  "parameters": [], "grid": ["1"], "block": [1]
})";
const char closed[] = "expected a device, got one that was closed";

std::atomic<int> closings{0}, loads{0}, unloads{0};

/// The CPU's functions, but for those that are counted.
TileRtDeviceOps makeOps() {
  TileRtDeviceOps ops = *tile_rt_cpu_device()->ops;
  ops.close = [](TileRtDevice *) { ++closings; };
  ops.load = [](TileRtDevice *device, const void *image, size_t size,
                const TileRtMetadata *metadata, void **code,
                TileRtError *error) {
    ++loads;
    return tile_rt_cpu_device()->ops->load(device, image, size, metadata, code,
                                           error);
  };
  ops.unload = [](TileRtDevice *device, void *code) {
    ++unloads;
    tile_rt_cpu_device()->ops->unload(device, code);
  };
  return ops;
}

struct DevicesTest : testing::Test {
  TileRtError error{};
  TileRtMetadata *metadata = nullptr;
  TileRtDeviceOps ops = makeOps();
  TileRtHostImage image{
      [](void *const *, const uint32_t *, const uint32_t *, void *) {}};

  void SetUp() override {
    closings = loads = unloads = 0;
    metadata = tile_rt_metadata_parse(text, strlen(text), &error);
    ASSERT_TRUE(metadata) << error.message;
  }
  void TearDown() override { tile_rt_metadata_free(metadata); }
  TileRtDevice *open() {
    TileRtDevice *device = tile_rt_device_create(&ops, sizeof(TileRtDevice),
                                                 alignof(TileRtDevice), &error);
    EXPECT_TRUE(device) << error.message;
    return device;
  }
  TileRtKernel *load(TileRtDevice *device, TileRtError *to) {
    return tile_rt_kernel_load(device, &image, sizeof(image), metadata, to);
  }
  std::string failure(TileRtDevice *device) {
    error.message[0] = 0;
    return load(device, &error) ? "it was loaded" : error.message;
  }
};

TEST_F(DevicesTest, ClosingUnloads) {
  TileRtDevice *device = open();
  TileRtKernel *kernel = load(device, &error);
  EXPECT_TRUE(tile_rt_launch(kernel, nullptr, 0, nullptr, &error));
  EXPECT_EQ(failure(tile_rt_cpu_device()), "it was loaded");
  tile_rt_device_close(device);
  EXPECT_EQ(closings, 1);
  EXPECT_EQ(unloads, 1);
  EXPECT_FALSE(tile_rt_launch(kernel, nullptr, 0, nullptr, &error));
  EXPECT_STREQ(error.message, "expected a kernel, got one that was unloaded");
  tile_rt_device_close(device);
  tile_rt_device_close(nullptr);
  EXPECT_EQ(closings, 1);
  EXPECT_EQ(failure(device), closed);
}

TEST_F(DevicesTest, FunctionsOfAClosedDeviceFail) {
  TileRtDevice *device = open();
  tile_rt_device_close(device);
  const TileRtDeviceOps *all = device->ops;
  void *place = nullptr;
  double seconds;
  TileRtLaunch launch{};
  TileRtTensorMap map{};
  int calls = 0;
  auto refuses = [&](bool good) {
    ++calls;
    EXPECT_FALSE(good) << calls;
    EXPECT_STREQ(error.message, closed) << calls;
    error.message[0] = 0;
  };
  refuses(all->load(device, &image, sizeof(image), metadata, &place, &error));
  refuses(all->prepare(device, nullptr, &launch, &error));
  refuses(all->launch(device, nullptr, &launch, nullptr, &error));
  refuses(all->encode(device, &map, nullptr, &error));
  refuses(all->alloc(device, 1, &place, &error));
  refuses(all->free(device, &place, &error));
  refuses(all->copy(device, &place, &place, 1, TILE_RT_COPY_ON_DEVICE, nullptr,
                    &error));
  refuses(all->fill(device, &place, 0, 1, nullptr, &error));
  refuses(all->sync(device, nullptr, &error));
  bool captured;
  refuses(all->isCaptured(device, nullptr, &captured, &error));
  refuses(all->allocInStream(device, 1, nullptr, &place, &error));
  refuses(all->freeInStream(device, &place, nullptr, &error));
  refuses(all->streamCreate(device, &place, &error));
  refuses(all->streamDestroy(device, nullptr, &error));
  refuses(all->eventCreate(device, &place, &error));
  refuses(all->eventDestroy(device, nullptr, &error));
  refuses(all->eventRecord(device, nullptr, nullptr, &error));
  refuses(all->eventElapsed(device, nullptr, nullptr, &seconds, &error));
  refuses(all->eventWait(device, nullptr, nullptr, &error));
  all->unload(device, nullptr);
  // A function that is added later has to be refused, too.
  EXPECT_EQ(sizeof(TileRtDeviceOps) / sizeof(void *), size_t(calls + 3));
}

TEST_F(DevicesTest, AddressesAreNeverUsedAgain) {
  std::set<TileRtDevice *> seen;
  for (int i = 0; i < 100; ++i) {
    TileRtDevice *device = open();
    EXPECT_TRUE(seen.insert(device).second);
    EXPECT_EQ(failure(device), "it was loaded");
    tile_rt_device_close(device);
  }
  for (TileRtDevice *device : seen)
    EXPECT_EQ(failure(device), closed);
  EXPECT_EQ(loads, unloads);
}

TEST_F(DevicesTest, WhatIsNoDevice) {
  TileRtDevice other = *tile_rt_cpu_device();
  TileRtKernel *kernel = load(tile_rt_cpu_device(), &error);
  for (void *bad : {(void *)&other, (void *)kernel, (void *)metadata, (void *)1,
                    (void *)UINTPTR_MAX}) {
    EXPECT_EQ(failure(static_cast<TileRtDevice *>(bad)),
              "expected a device, got something else");
    tile_rt_device_close(static_cast<TileRtDevice *>(bad));
  }
  tile_rt_kernel_unload(kernel);
}

TEST_F(DevicesTest, TheDevicesOfTheProcessStay) {
  TileRtKernel *kernel = load(tile_rt_cpu_device(), &error);
  tile_rt_device_close(tile_rt_cpu_device());
  tile_rt_device_close(tile_rt_model_device());
  EXPECT_TRUE(tile_rt_launch(kernel, nullptr, 0, nullptr, &error))
      << error.message;
  tile_rt_kernel_unload(kernel);
}

TEST_F(DevicesTest, ClosingDuringLoads) {
  for (int round = 0; round < 20; ++round) {
    TileRtDevice *device = open();
    std::atomic<int> wrong{0}, running{4};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        TileRtError mine{};
        for (bool first = true;; first = false) {
          TileRtKernel *kernel = load(device, &mine);
          running -= first;
          if (!kernel)
            break;
        }
        wrong += strcmp(mine.message, closed) != 0;
      });
    while (running)
      std::this_thread::yield();
    tile_rt_device_close(device);
    // Its library may be gone from now on.
    EXPECT_EQ(loads, unloads);
    for (std::thread &thread : threads)
      thread.join();
    EXPECT_EQ(wrong, 0);
  }
}

} // namespace
