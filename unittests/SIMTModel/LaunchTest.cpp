// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launch takes it gives back, whether it ends or is reported. Sizes that
// a driver would refuse.

#include "HopperHarness.h"

#include <array>
#include <malloc.h>

namespace {

/// Instructions whose state outlives them.
struct Kernel : Program {
  int tid = intrinsic("read.ptx.sreg.tid.x", Values().add(32), {});
  int block = intrinsic("read.ptx.sreg.ctaid.x", Values().add(32), {});
  int sync = intrinsic("barrier.cta.sync.aligned.all", {}, Values().add(32));
  int arriveAt = assembly("barrier.arrive $0, $1;", {},
                          Values().add(32).add(32));
  int clusterArrive = intrinsic("barrier.cluster.arrive.aligned", {}, {});
  int clusterWait = intrinsic("barrier.cluster.wait.aligned", {}, {});
  int init = intrinsic("mbarrier.init.shared", {}, Values().add(64).add(32));
  int fenceInit = intrinsic("fence.mbarrier_init.release.cluster", {}, {});
  int arrive =
      intrinsic("mbarrier.arrive.shared", Values().add(64), Values().add(64));
  int expect = intrinsic("mbarrier.arrive.expect.tx.scope.cta.space.cta",
                         Values().add(64), Values().add(64).add(32));
  int wait = intrinsic("mbarrier.try.wait.parity.scope.cta.space.cta",
                       Values().add(1), Values().add(64).add(32));
  int loadBulk =
      intrinsic("cp.async.bulk.global.to.shared.cta", {},
                Values().add(64).add(64).add(64).add(32).add(64).add(1));
  int storeBulk =
      intrinsic("cp.async.bulk.shared.cta.to.global", {},
                Values().add(64).add(64).add(32).add(64).add(1).add(16).add(1));
  int access = memory();

  uint32_t thread() { return execute(tid, {}); }
  void syncAll() { execute(sync, {0}); }
  /// An mbarrier that a copy of 64 bytes completes; `waits`: for it.
  void copy(uint64_t from, bool waits) {
    uint64_t barrier = tile_simt_shared(), to = barrier + 64;
    if (thread() == 0) {
      execute(init, {ADDRESS(barrier), 1});
      execute(fenceInit, {});
      execute(expect, {ADDRESS(barrier), 64});
      execute(loadBulk, {ADDRESS(to), ADDRESS(barrier), ADDRESS(from), 64, 0, 0,
                         0});
    }
    syncAll();
    while (waits && !execute(wait, {ADDRESS(barrier), 0}))
      ;
  }
};

/// What malloc has lent, but for what the second run of the same takes from
/// what the first has left for it. AddressSanitizer has a malloc of its own, and
/// finds such losses itself.
void expectFlat(const std::function<void()> &run) {
  run();
  size_t before = mallinfo2().uordblks;
  run();
  EXPECT_EQ(mallinfo2().uordblks, before);
}

TEST(SimtLaunch, GivesBackWhatItTook) {
  Global<uint32_t> data(16);
  data.filled();
  expectFlat([&] {
    Kernel p;
    std::string report =
        p.run({.threads = 64, .blocks = 4, .cluster = 2, .seed = 3}, [&] {
          p.copy(data.address(), true);
          execute(p.clusterArrive, {});
          execute(p.clusterWait, {});
          // Half of those that barrier 1 expects.
          execute(p.arriveAt, {1, 128});
        });
    EXPECT_EQ(report, "");
  });
}

// Operations are under way, and on the stacks of threads that never go on.
TEST(SimtLaunch, GivesBackAfterReports) {
  Global<uint32_t> data(16);
  data.filled();
  auto isReported = [&](uint64_t seed, auto body) {
    expectFlat([&] {
      Kernel p;
      EXPECT_NE(p.run({.threads = 64, .seed = seed}, [&] { body(p); }), "");
    });
  };
  for (uint64_t seed : {0, 1, 2, 3}) {
    // A race with the copy.
    isReported(seed, [&](Kernel &p) {
      p.copy(data.address(), false);
      load<uint32_t>(p.access, tile_simt_shared() + 64);
    });
    // The store reads what nobody wrote, or the thread returns before.
    isReported(seed, [&](Kernel &p) {
      execute(p.storeBulk, {ADDRESS(data.address()),
                            ADDRESS(tile_simt_shared()), 64, 0, 0, 0, 0, 0});
    });
    // A deadlock behind arrivals.
    isReported(seed, [&](Kernel &p) {
      uint64_t barrier = tile_simt_shared();
      if (p.thread() == 0)
        execute(p.init, {ADDRESS(barrier), 65});
      p.syncAll();
      execute(p.arrive, {ADDRESS(barrier)});
      while (!execute(p.wait, {ADDRESS(barrier), 0}))
        ;
    });
  }
}

std::string runSizes(std::array<uint32_t, 3> grid, std::array<uint32_t, 3> block,
                     std::array<uint32_t, 3> cluster, uint32_t shared = 0,
                     bool cooperative = false) {
  TileSimtKernel kernel = {"kernel", [](void *const *) {}};
  TileSimtCode code = {"sm_90a", 32, 64, nullptr, 0, &kernel, 1};
  char report[1024] = "";
  TileSimtProgram *program = tileSimtLoad(&code, report, sizeof(report));
  TileSimtLaunch launch = {};
  for (int i = 0; i < 3; ++i) {
    launch.grid[i] = grid[i];
    launch.block[i] = block[i];
    launch.cluster[i] = cluster[i];
  }
  launch.sharedBytes = shared;
  launch.seed = 1;
  launch.cooperative = cooperative;
  tileSimtLaunch(program, "kernel", &launch, report, sizeof(report));
  tileSimtUnload(program);
  return report;
}

TEST(SimtLaunch, Sizes) {
  EXPECT_EQ(runSizes({1, 1, 1}, {1024, 1, 1}, {1, 1, 1}), "");
  EXPECT_EQ(runSizes({4, 2, 1}, {1, 2, 1}, {2, 2, 1}), "");
  EXPECT_EQ(runSizes({1, 0, 1}, {32, 1, 1}, {1, 1, 1}), "");
  EXPECT_EQ(runSizes({1, 1, 1}, {32, 33, 1}, {1, 1, 1}),
            "expected a block of 1 to 1024 threads, got 32 x 33 x 1");
  EXPECT_EQ(runSizes({1, 1, 1}, {32, 0, 1}, {1, 1, 1}),
            "expected a block of 1 to 1024 threads, got 32 x 0 x 1");
  // Products of 2^32, and of 2^96.
  EXPECT_EQ(runSizes({1, 1, 1}, {65536, 65536, 1}, {1, 1, 1}),
            "expected a block of 1 to 1024 threads, got 65536 x 65536 x 1");
  EXPECT_EQ(runSizes({65536, 65536, 1}, {1, 1, 1}, {1, 1, 1}),
            "expected at most 536870911 threads in all blocks, with 4 for each");
  EXPECT_EQ(runSizes({~0u, ~0u, ~0u}, {1, 1, 1}, {1, 1, 1}),
            "expected at most 536870911 threads in all blocks, with 4 for each");
  EXPECT_EQ(runSizes({2, 1, 1}, {32, 1, 1}, {2, 0, 1}),
            "expected a cluster of 1 to 16 blocks, got 2 x 0 x 1");
  EXPECT_EQ(runSizes({3, 2, 1}, {32, 1, 1}, {2, 1, 1}),
            "expected whole clusters of 2 x 1 x 1 blocks, got a grid of 3 x 2 "
            "x 1");
  EXPECT_EQ(runSizes({1, 1, 1}, {32, 1, 1}, {1, 1, 1}, ~0u),
            "expected at most 262144 bytes of shared memory, got 4294967359");
}

// The addresses of shared memory are below 2 GiB.
TEST(SimtLaunch, BlocksThatDoNotFitTogether) {
  expectFlat([] {
    EXPECT_EQ(runSizes({20000, 1, 1}, {1, 1, 1}, {1, 1, 1}, 0, true),
              "no memory for 20000 blocks of 1 threads that run together");
  });
  // Those of a grid barrier on the largest chips.
  EXPECT_EQ(runSizes({148, 1, 1}, {512, 1, 1}, {1, 1, 1}, 0, true), "");
}

// The next block has the same shared memory, but not what is known there.
TEST(SimtLaunch, SharedMemoryOrdersOneBlock) {
  Global<uint32_t> data(1);
  Kernel p;
  int atomic = p.memory();
  std::string report = p.run({.threads = 1, .blocks = 2}, [&] {
    uint64_t flag = tile_simt_shared();
    bool first = execute(p.block, {}) == 0;
    if (first)
      store<uint32_t>(p.access, data.address(), 7);
    uint32_t flags = TILE_SIMT_ATOMIC | TILE_SIMT_BLOCK, one = 1;
    store<uint32_t>(p.access, flag, 0);
    tile_simt_atomic(flag, 4, 4, flags | TILE_SIMT_ACQUIRE | TILE_SIMT_RELEASE,
                     uint32_t(atomic));
    std::memcpy(reinterpret_cast<void *>(flag), &one, sizeof(one));
    if (!first)
      load<uint32_t>(p.access, data.address());
  });
  EXPECT_NE(report.find("race"), std::string::npos) << report;
}

} // namespace
