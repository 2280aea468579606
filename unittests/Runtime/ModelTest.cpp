// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model as a device, with kernels in place of what the compiler makes.

#include "TileRuntime/Model.h"
#include "TileRuntime/Launch.h"
#include "gtest/gtest.h"

#include <cstring>
#include <string>

namespace {

const char text[] = R"({"version": 1, "kernel": "k", "target": "ascend-model",
  "arguments": [{"kind": "scalar", "dtype": "i32"}], "grid": [1],
  "block": [1], "parameters": [{"kind": "scalar", "argument": 0}]})";

/// Reports as many characters as its argument says, in lines.
void run(void *const *parameters, char *report, size_t size) {
  int32_t count;
  memcpy(&count, parameters[0], sizeof(count));
  std::string line;
  for (int32_t i = 0; i < count; ++i)
    line += i % 8 == 7 ? '\n' : 'o';
  if (count)
    snprintf(report, size, "%s\n", line.c_str());
}

TEST(Model, ReportsAreErrors) {
  TileRtError error;
  TileRtDevice *device = tile_rt_model_device();
  TileRtMetadata *metadata = tile_rt_metadata_parse(text, strlen(text), &error);
  ASSERT_TRUE(metadata) << error.message;
  TileRtModelImage image = {run};
  EXPECT_FALSE(tile_rt_kernel_load(device, &image, 3, metadata, &error));
  EXPECT_STREQ(error.message, "@k: image: expected 8 bytes, got 3");
  TileRtKernel *kernel =
      tile_rt_kernel_load(device, &image, sizeof(image), metadata, &error);
  ASSERT_TRUE(kernel) << error.message;
  auto launch = [&](int32_t count) -> std::string {
    TileRtArgument argument = tile_rt_argument_integer(TILE_RT_I32, count);
    return tile_rt_launch(kernel, &argument, 1, nullptr, &error)
               ? "ok"
               : error.message;
  };
  EXPECT_EQ(launch(0), "ok");
  EXPECT_EQ(launch(3), "@k: the model reports: ooo");
  EXPECT_EQ(launch(10), "@k: the model reports: ooooooo;oo");
  EXPECT_EQ(launch(2000).size(), 959 + strlen("@k: the model reports: "));
  EXPECT_EQ(launch(0), "ok");
  tile_rt_kernel_unload(kernel);
  tile_rt_metadata_free(metadata);
}

} // namespace
