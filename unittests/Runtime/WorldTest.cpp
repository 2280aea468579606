// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TileRuntime/World.h"

#include "TileRuntime/ParallelFor.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace {

struct World {
  explicit World(int32_t ranks, size_t bytes = 4096) {
    EXPECT_TRUE(tile_rt_world_create(ranks, bytes, &world, &error))
        << error.message;
  }
  ~World() { tile_rt_world_free(world); }

  int64_t *alloc(int32_t rank) {
    return static_cast<int64_t *>(tile_rt_world_address(world, rank, offset));
  }
  bool run(const std::function<void(int32_t)> &body) {
    return tile_rt_world_run(
        world,
        [](void *context, int32_t rank) {
          (*static_cast<const std::function<void(int32_t)> *>(context))(rank);
        },
        const_cast<std::function<void(int32_t)> *>(&body), &error);
  }

  TileRtWorld *world = nullptr;
  size_t offset = 0;
  TileRtError error = {""};
};

TEST(World, WrongNumbersOfRanks) {
  for (int32_t ranks : {0, -1, TILE_RT_MAX_RANKS + 1, INT32_MAX, INT32_MIN}) {
    TileRtWorld *world = reinterpret_cast<TileRtWorld *>(1);
    TileRtError error;
    EXPECT_FALSE(tile_rt_world_create(ranks, 0, &world, &error));
    EXPECT_EQ(world, nullptr);
    EXPECT_EQ(std::string(error.message),
              "expected 1 to 1024 ranks, got " + std::to_string(ranks));
  }
  tile_rt_world_free(nullptr);
}

TEST(World, TooLargeHeaps) {
  for (size_t bytes : {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX - 255}) {
    TileRtWorld *world;
    TileRtError error;
    EXPECT_FALSE(tile_rt_world_create(2, bytes, &world, &error));
    EXPECT_NE(std::string(error.message).find("no memory"), std::string::npos);
  }
}

TEST(World, TablesNameOneAnother) {
  World w(3);
  for (int32_t rank = 0; rank < 3; ++rank) {
    int64_t words = 0;
    int64_t *table = tile_rt_world_table(w.world, rank, &words);
    EXPECT_EQ(words, 2 + 3 + 2 * TILE_RT_BARRIER_BLOCKS + TILE_RT_REPORT_WORDS);
    EXPECT_EQ(table[0], rank);
    EXPECT_EQ(table[1], 3);
    for (int32_t k = 0; k < 3; ++k)
      EXPECT_EQ(table[2 + k], reinterpret_cast<int64_t>(
                                  tile_rt_world_table(w.world, k, nullptr)));
  }
}

TEST(World, MemoryIsSymmetricAlignedZeroAndLimited) {
  World w(2, 1000);
  size_t a, b, c;
  ASSERT_TRUE(tile_rt_world_alloc(w.world, 1, &a, &w.error));
  ASSERT_TRUE(tile_rt_world_alloc(w.world, 700, &b, &w.error));
  EXPECT_EQ(a % 256, 0u);
  EXPECT_EQ(b, a + 256);
  EXPECT_FALSE(tile_rt_world_alloc(w.world, 700, &c, &w.error));
  EXPECT_EQ(std::string(w.error.message),
            "expected at most 0 bytes, which are left of the heap of a rank, "
            "got 700");
  EXPECT_FALSE(tile_rt_world_alloc(w.world, SIZE_MAX, &c, &w.error));
  EXPECT_TRUE(tile_rt_world_alloc(w.world, 0, &c, &w.error));
  for (int32_t rank = 0; rank < 2; ++rank) {
    auto *bytes = static_cast<char *>(tile_rt_world_address(w.world, rank, a));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(bytes) % 256, 0u);
    EXPECT_EQ(std::count(bytes, bytes + 956, 0), 956);
    EXPECT_EQ(bytes - static_cast<char *>(
                          tile_rt_world_address(w.world, rank, 0)),
              static_cast<ptrdiff_t>(a));
  }
}

TEST(World, SignalsOfBothWidths) {
  int32_t narrow = 5;
  int64_t wide = 5;
  tile_rt_signal_add(&narrow, 32, -7);
  tile_rt_signal_add(&wide, 64, int64_t(1) << 40);
  EXPECT_EQ(narrow, -2);
  EXPECT_EQ(wide, 5 + (int64_t(1) << 40));
  tile_rt_signal_set(&narrow, 32, 9);
  tile_rt_signal_set(&wide, 64, -1);
  EXPECT_EQ(narrow, 9);
  EXPECT_EQ(wide, -1);
  // What is there already needs no wait.
  tile_rt_wait_ge(&narrow, 32, 9, "here");
  tile_rt_wait_eq(&wide, 64, -1, "here");
}

TEST(World, APassOfTheBatonOrdersPlainMemory) {
  World w(7);
  ASSERT_TRUE(tile_rt_world_alloc(w.world, 64, &w.offset, &w.error));
  int64_t plain = 0; // each adds after the one before it
  for (int round = 1; round <= 50; ++round)
    ASSERT_TRUE(w.run([&](int32_t rank) {
      if (rank > 0)
        tile_rt_wait_ge(w.alloc(rank), 64, round, "baton");
      plain += rank;
      if (rank + 1 < 7)
        tile_rt_signal_add(w.alloc(rank + 1), 64, 1);
    })) << w.error.message;
  EXPECT_EQ(plain, 50 * 21);
}

TEST(World, LoopsOfRanksRunAlone) {
  World w(2);
  std::atomic<int> calls{0};
  ASSERT_TRUE(w.run([&](int32_t) {
    tile_rt_parallel_for(
        [](void *context, int64_t begin, int64_t end) {
          EXPECT_EQ(begin, 0);
          EXPECT_EQ(end, 1000);
          ++*static_cast<std::atomic<int> *>(context);
        },
        &calls, 1000, 1);
  }));
  EXPECT_EQ(calls, 2);
}

TEST(World, ADeadlockNamesWhoWaits) {
  World w(3);
  ASSERT_TRUE(tile_rt_world_alloc(w.world, 64, &w.offset, &w.error));
  EXPECT_FALSE(w.run([&](int32_t rank) {
    if (rank != 1)
      tile_rt_wait_ge(w.alloc(rank), 64, 3, rank ? "b.mlir:2" : "a.mlir:1");
    else
      tile_rt_signal_add(w.alloc(0), 64, 2);
  }));
  EXPECT_EQ(std::string(w.error.message),
            "rank 0 waits at a.mlir:1 for a flag of at least 3, which is 2; "
            "rank 2 waits at b.mlir:2 for a flag of at least 3, which is 0; "
            "nobody is left to signal");
  // The world can be used again.
  EXPECT_TRUE(w.run([&](int32_t) {}));
}

TEST(World, AWaitForNothingIsAnError) {
  World w(2);
  ASSERT_TRUE(tile_rt_world_alloc(w.world, 64, &w.offset, &w.error));
  EXPECT_FALSE(w.run([&](int32_t rank) {
    if (rank == 0)
      tile_rt_wait_ge(w.alloc(0), 64, 0, "here");
  }));
  EXPECT_EQ(std::string(w.error.message),
            "rank 0 waits at here for a flag of at least 0, which it is "
            "before anybody signals");
}

/// Puts a word of each rank to the others and reads them; the flags say when.
void exchange(World &w, int32_t ranks) {
  size_t flags, sources;
  ASSERT_TRUE(tile_rt_world_alloc(w.world, 64, &w.offset, &w.error));
  ASSERT_TRUE(tile_rt_world_alloc(w.world, 64, &flags, &w.error));
  ASSERT_TRUE(tile_rt_world_alloc(w.world, 64, &sources, &w.error));
  auto at = [&](int32_t rank, size_t offset) {
    return static_cast<int64_t *>(
        tile_rt_world_address(w.world, rank, offset));
  };
  EXPECT_TRUE(w.run([&](int32_t rank) {
    TileRtError error;
    *at(rank, sources) = 100 + rank;
    EXPECT_TRUE(tile_rt_world_put(w.world, rank, at(rank, sources), 8,
                                  at(rank, w.offset) + rank,
                                  at(rank, flags) + rank, 8, nullptr, &error));
    for (int32_t k = 0; k < ranks; ++k)
      if (k != rank) {
        tile_rt_wait_ge(at(rank, flags) + k, 64, 1, "here");
        EXPECT_EQ(at(rank, w.offset)[k], 100 + k);
      }
    // A rank puts nothing to itself.
    EXPECT_EQ(at(rank, w.offset)[rank], 0);
    EXPECT_EQ(at(rank, flags)[rank], 0);
  })) << w.error.message;
}

TEST(World, PutsToTheOtherRanks) {
  for (int32_t ranks : {1, 2, 5}) {
    World w(ranks);
    exchange(w, ranks);
  }
}

TEST(World, UnknownProvidersAreErrors) {
  TileRtComm *comm = reinterpret_cast<TileRtComm *>(1);
  TileRtError error;
  EXPECT_FALSE(tile_rt_comm_open("shmem", &comm, &error));
  EXPECT_EQ(comm, nullptr);
  EXPECT_EQ(std::string(error.message),
            "expected the provider 'mpi', 'nccl' or 'nvshmem', got 'shmem'; "
            "without one, ranks are threads");
  tile_rt_comm_close(nullptr);
}

/// Ranks on a device, here the CPU as one, whose kernels write to the table what
/// a wait in vain would.
struct DeviceWorld : World {
  explicit DeviceWorld(int32_t ranks) : World(1) {
    tile_rt_world_free(world);
    std::vector<TileRtDevice *> devices(ranks, tile_rt_cpu_device());
    EXPECT_TRUE(tile_rt_world_create_on(devices.data(), ranks, 4096, &world,
                                        &error))
        << error.message;
  }
  int64_t &report(int32_t rank, TileRtReportWord word) {
    int64_t words;
    int64_t *table = tile_rt_world_table(world, rank, &words);
    return table[words - TILE_RT_REPORT_WORDS + word];
  }
  void waitInVain(int32_t rank, int64_t line, int64_t wanted, int64_t got,
                  bool equal) {
    report(rank, TILE_RT_REPORT_CLAIMED) = 1;
    report(rank, TILE_RT_REPORT_LINE) = line;
    report(rank, TILE_RT_REPORT_COLUMN) = 5;
    report(rank, TILE_RT_REPORT_WANTED) = wanted;
    report(rank, TILE_RT_REPORT_GOT) = got;
    report(rank, TILE_RT_REPORT_CONDITION) = equal;
  }
};

TEST(World, DevicesHaveTables) {
  DeviceWorld w(3);
  ASSERT_TRUE(tile_rt_world_alloc(w.world, 64, &w.offset, &w.error));
  int64_t *first = tile_rt_world_table(w.world, 0, nullptr);
  for (int32_t rank = 0; rank < 3; ++rank) {
    int64_t *table = tile_rt_world_table(w.world, rank, nullptr);
    EXPECT_EQ(table[0], rank);
    EXPECT_EQ(table[1], 3);
    EXPECT_EQ(first[2 + rank], reinterpret_cast<int64_t>(table));
    EXPECT_EQ(reinterpret_cast<char *>(w.alloc(rank)) -
                  reinterpret_cast<char *>(table),
              static_cast<ptrdiff_t>(w.offset));
    EXPECT_EQ(*w.alloc(rank), 0);
    EXPECT_EQ(w.report(rank, TILE_RT_REPORT_TIMEOUT), 10000000000);
  }
  ASSERT_TRUE(tile_rt_world_set_timeout(w.world, 500, &w.error));
  EXPECT_EQ(w.report(2, TILE_RT_REPORT_TIMEOUT), 500);
}

TEST(World, DevicesPutToTheOtherRanks) {
  DeviceWorld w(4);
  EXPECT_EQ(w.report(3, TILE_RT_REPORT_ONE), 1);
  exchange(w, 4);
}

TEST(World, WaitsOnDevicesReportThemselves) {
  DeviceWorld w(4);
  EXPECT_TRUE(w.run([&](int32_t) {}));
  EXPECT_FALSE(w.run([&](int32_t rank) {
    if (rank != 2)
      w.waitInVain(rank, 10 + rank, rank + 1, rank, rank == 1);
  }));
  EXPECT_EQ(std::string(w.error.message),
            "rank 0 waits at 10:5 for a flag of at least 1, which is 0; rank 1 "
            "waits at 11:5 for a flag of 2, which is 1; so do 1 others; nobody "
            "signalled in time");
  // The world can be used again.
  EXPECT_TRUE(w.run([&](int32_t) {}));
}

} // namespace
