// Whole kernels: exact numbers and no report, in program order and in
// adversarial orders.
#include "KernelData.h"

TEST(Kernel, VectorAddWithTails) {
  for (uint64_t count : {1u, 7u, 512u, 513u, 5000u})
    for (uint64_t seed = 0; seed < 4; ++seed) {
      Device device;
      VaddData data(count);
      EXPECT_EQ(data.run(device, seed), 0) << device.text();
      EXPECT_EQ(data.wrong(), 0u) << count << " elements, seed " << seed;
    }
}

TEST(Kernel, Matmul) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    Device device;
    MatmulData data;
    EXPECT_EQ(data.run(device, seed), 0) << device.text();
    EXPECT_EQ(data.wrong(), 0u) << "seed " << seed;
  }
}

TEST(Kernel, MatmulAddOnThreeCores) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    Device device;
    MixData data;
    EXPECT_EQ(data.run(device, seed), 0) << device.text();
    EXPECT_EQ(data.wrong(), 0u) << "seed " << seed;
  }
}

TEST(Kernel, BlocksBeyondTheCoresRunInWaves) {
  Device device;
  device.residentBlocks = 1;
  MixData data;
  EXPECT_EQ(data.run(device, 0), 0) << device.text();
  EXPECT_EQ(data.wrong(), 0u);
}

TEST(Kernel, TailInK) {
  Device device;
  TailData data;
  EXPECT_EQ(data.run(device, 0), 0) << device.text();
  EXPECT_EQ(data.wrong(), 0u);
}

TEST(Kernel, TailInKWithoutFillReadsPoison) {
  Device device;
  TailData data;
  data.run(device, 0, kTailUnfilledKernel);
  EXPECT_REPORT(device, UNINIT_READ, "Mmad reads L0B");
  EXPECT_GT(data.wrong(), 0u);
}

TEST(Kernel, Statistics) {
  Device device;
  VaddData data(3 * kVaddTile);
  data.run(device, 0);
  TileAscendStats stats = tileAscendModelStats(device.model);
  // Two blocks; the first adds two tiles and the second one: 2 + 3 sets per
  // tile a core, as many waits, 4 other instructions.
  EXPECT_EQ(stats.setFlags, 2u * 2 + 3u * 3);
  EXPECT_EQ(stats.waitFlags, stats.setFlags);
  EXPECT_EQ(stats.pipeBarriers, 2u);
  EXPECT_EQ(stats.instructions, 3u * 4);
  // Eight calls for each of two flags, and the barrier.
  EXPECT_EQ(tileAscendModelSyncSiteCount(device.model), 17u);
}
