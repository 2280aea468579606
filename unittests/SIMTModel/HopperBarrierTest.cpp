// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mbarriers, clusters, elections, registers of warps.

#include "HopperHarness.h"

namespace {

/// A program with the instructions that most tests use.
struct Barriers : Program {
  int tid = intrinsic("read.ptx.sreg.tid.x", Values().add(32), Values());
  int sync =
      intrinsic("barrier.cta.sync.aligned.all", Values(), Values().add(32));
  int init =
      intrinsic("mbarrier.init.shared", Values(), Values().add(64).add(32));
  int inval = intrinsic("mbarrier.inval.shared", Values(), Values().add(64));
  int arrive =
      intrinsic("mbarrier.arrive.shared", Values().add(64), Values().add(64));
  int arriveTwo = intrinsic("mbarrier.arrive.scope.cta.space.cta",
                            Values().add(64), Values().add(64).add(32));
  int expect = intrinsic("mbarrier.arrive.expect.tx.scope.cta.space.cta",
                         Values().add(64), Values().add(64).add(32));
  int complete = intrinsic("mbarrier.complete.tx.scope.cta.space.cta", Values(),
                           Values().add(64).add(32));
  int wait = intrinsic("mbarrier.try.wait.parity.scope.cta.space.cta",
                       Values().add(1), Values().add(64).add(32));
  int test = intrinsic("mbarrier.test.wait.scope.cta.space.cta",
                       Values().add(1), Values().add(64).add(64));
  int access = memory();

  uint32_t thread() { return execute(tid, {}); }
  void syncAll() { execute(sync, {0}); }
  /// Thread 0 initialises an mbarrier, and all wait for that.
  void start(uint64_t barrier, uint32_t count) {
    if (thread() == 0)
      execute(init, {ADDRESS(barrier), count});
    syncAll();
  }
  void waitFor(uint64_t barrier, uint32_t parity) {
    while (!execute(wait, {ADDRESS(barrier), parity}))
      ;
  }
};

TEST(HopperBarrier, OrdersWritesBeforeArrivals) {
  for (uint64_t seed : {0, 1, 2, 3}) {
    Barriers p;
    std::string report = p.run({.threads = 64, .seed = seed}, [&] {
      uint64_t barrier = tile_simt_shared(), data = barrier + 64;
      p.start(barrier, 32);
      uint32_t id = p.thread();
      for (uint32_t phase = 0; phase < 4; ++phase) {
        // The upper half writes, the lower half reads.
        if (id >= 32) {
          store<uint32_t>(p.access, data + (id - 32) * 4, id + phase);
          execute(p.arrive, {ADDRESS(barrier)});
        } else {
          p.waitFor(barrier, phase & 1);
          EXPECT_EQ(load<uint32_t>(p.access, data + (31 - id) * 4),
                    63 - id + phase);
        }
        p.syncAll();
      }
    });
    EXPECT_EQ(report, "");
  }
}

TEST(HopperBarrier, WithoutWaitIsARace) {
  Barriers p;
  std::string report = p.run({.threads = 64}, [&] {
    uint64_t barrier = tile_simt_shared(), data = barrier + 64;
    p.start(barrier, 32);
    uint32_t id = p.thread();
    if (id >= 32) {
      store<uint32_t>(p.access, data + (id - 32) * 4, id);
      execute(p.arrive, {ADDRESS(barrier)});
    } else {
      // The wrong parity: what was before phase 0 is complete.
      p.waitFor(barrier, 1);
      load<uint32_t>(p.access, data + id * 4);
    }
  });
  EXPECT_NE(report, "");
}

TEST(HopperBarrier, CountsBytes) {
  Barriers p;
  uint32_t early = 9;
  std::string report = p.run({.threads = 32}, [&] {
    uint64_t barrier = tile_simt_shared();
    p.start(barrier, 1);
    uint32_t state[2] = {};
    if (p.thread() != 0)
      return;
    uint32_t operands[] = {ADDRESS(barrier), 48};
    tile_simt_execute(uint32_t(p.expect), operands, state);
    execute(p.complete, {ADDRESS(barrier), 16});
    early = execute(p.test, {ADDRESS(barrier), state[0], state[1]});
    execute(p.complete, {ADDRESS(barrier), 32});
    EXPECT_EQ(execute(p.test, {ADDRESS(barrier), state[0], state[1]}), 1u);
    p.waitFor(barrier, 0);
    execute(p.inval, {ADDRESS(barrier)});
    execute(p.init, {ADDRESS(barrier), 3});
  });
  EXPECT_EQ(report, "");
  EXPECT_EQ(early, 0u);
}

/// Bytes that are expected without an arrival hold the phase open; a state says
/// how many arrivals were missing.
TEST(HopperBarrier, ExpectsBytesWithoutAnArrival) {
  Barriers p;
  int expects = p.intrinsic("mbarrier.expect.tx.relaxed.cta", {},
                            Values().add(64).add(32));
  int pending =
      p.intrinsic("mbarrier.pending.count", Values().add(32), Values().add(64));
  std::string report = p.run({.threads = 1}, [&] {
    uint64_t barrier = tile_simt_shared();
    execute(p.init, {ADDRESS(barrier), 3});
    execute(expects, {ADDRESS(barrier), 32});
    uint32_t operands[] = {ADDRESS(barrier)}, state[2] = {};
    tile_simt_execute(uint32_t(p.arrive), operands, state);
    EXPECT_EQ(execute(pending, {state[0], state[1]}), 2u);
    execute(p.arriveTwo, {ADDRESS(barrier), 2});
    EXPECT_EQ(execute(p.test, {ADDRESS(barrier), state[0], state[1]}), 0u);
    execute(p.complete, {ADDRESS(barrier), 32});
    EXPECT_EQ(execute(p.test, {ADDRESS(barrier), state[0], state[1]}), 1u);
  });
  EXPECT_EQ(report, "");
}

TEST(HopperBarrier, Misuse) {
  struct Case {
    const char *report;
    std::function<void(Barriers &, uint64_t)> body;
  } cases[] = {
      {"mbarrier.init was not called",
       [](Barriers &p, uint64_t b) { execute(p.arrive, {ADDRESS(b)}); }},
      {"expected 1 to 1048575 arrivals, got 0",
       [](Barriers &p, uint64_t b) {
         execute(p.init, {ADDRESS(b), 0});
       }},
      {"mbarrier.inval was not called",
       [](Barriers &p, uint64_t b) {
         execute(p.init, {ADDRESS(b), 1});
         execute(p.init, {ADDRESS(b), 1});
       }},
      {"a store has overwritten",
       [](Barriers &p, uint64_t b) {
         execute(p.init, {ADDRESS(b), 1});
         store<uint32_t>(p.access, b + 4, 7);
         execute(p.arrive, {ADDRESS(b)});
       }},
      {"expected a parity of 0 or 1, got 2",
       [](Barriers &p, uint64_t b) {
         execute(p.init, {ADDRESS(b), 1});
         execute(p.wait, {ADDRESS(b), 2});
       }},
      {"expected at most 1 more arrivals in phase 0 of an mbarrier of 2, got 2",
       [](Barriers &p, uint64_t b) {
         execute(p.init, {ADDRESS(b), 2});
         execute(p.arrive, {ADDRESS(b)});
         execute(p.arriveTwo, {ADDRESS(b), 2});
       }},
      {"transaction count of at most 1048575 bytes",
       [](Barriers &p, uint64_t b) {
         execute(p.init, {ADDRESS(b), 2});
         execute(p.expect, {ADDRESS(b), 1 << 20});
       }},
      {"misaligned",
       [](Barriers &p, uint64_t b) {
         execute(p.init, {ADDRESS(b + 4), 1});
       }},
  };
  for (const Case &c : cases) {
    Barriers p;
    std::string report =
        p.run({.threads = 1}, [&] { c.body(p, tile_simt_shared()); });
    EXPECT_NE(report.find(c.report), std::string::npos) << report;
  }
}

TEST(HopperBarrier, DeadlockNamesThePhase) {
  Barriers p;
  std::string report = p.run({.threads = 32}, [&] {
    uint64_t barrier = tile_simt_shared() + 16;
    p.start(barrier, 2);
    p.waitFor(barrier, 0);
  });
  EXPECT_NE(report.find("the end of phase 0 of the mbarrier at shared byte 16"),
            std::string::npos)
      << report;
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

struct Clusters : Barriers {
  int rank = intrinsic("read.ptx.sreg.cluster.ctarank", Values().add(32), {});
  int size = intrinsic("read.ptx.sreg.cluster.nctarank", Values().add(32), {});
  int id = intrinsic("read.ptx.sreg.clusterid.x", Values().add(32), {});
  int own = intrinsic("read.ptx.sreg.cluster.ctaid.x", Values().add(32), {});
  int mapa = intrinsic("mapa.shared.cluster", Values().add(64),
                       Values().add(64).add(32));
  int rankOf = intrinsic("getctarank.shared.cluster", Values().add(32),
                         Values().add(64));
  int clusterArrive = intrinsic("barrier.cluster.arrive.aligned", {}, {});
  int clusterWait = intrinsic("barrier.cluster.wait.aligned", {}, {});
  int ctaid = intrinsic("read.ptx.sreg.ctaid.x", Values().add(32), {});

  uint64_t map(uint64_t address, uint32_t to) {
    uint32_t operands[] = {ADDRESS(address), to}, result[2];
    tile_simt_execute(uint32_t(mapa), operands, result);
    return result[0] | uint64_t(result[1]) << 32;
  }
  void syncCluster() {
    execute(clusterArrive, {});
    execute(clusterWait, {});
  }
};

TEST(HopperCluster, SharedMemoryOfOtherBlocks) {
  for (uint64_t seed : {0, 1, 2}) {
    Clusters p;
    Program::Options options;
    options.threads = 32, options.blocks = 8, options.cluster = 4;
    options.seed = seed;
    std::string report = p.run(options, [&] {
      uint32_t rank = execute(p.rank, {}), id = p.thread();
      EXPECT_EQ(execute(p.size, {}), 4u);
      EXPECT_EQ(execute(p.ctaid, {}), execute(p.id, {}) * 4 + rank);
      EXPECT_EQ(execute(p.own, {}), rank);
      uint64_t data = tile_simt_shared();
      uint64_t next = p.map(data, (rank + 1) % 4);
      EXPECT_EQ(execute(p.rankOf, {ADDRESS(next)}), (rank + 1) % 4);
      store<uint32_t>(p.access, next + id * 4, rank * 100 + id);
      p.syncCluster();
      EXPECT_EQ(load<uint32_t>(p.access, data + (31 - id) * 4),
                (rank + 3) % 4 * 100 + 31 - id);
      // Nobody leaves while others may reach for its memory.
      p.syncCluster();
    });
    EXPECT_EQ(report, "");
  }
}

TEST(HopperCluster, WithoutBarrierIsARace) {
  Clusters p;
  Program::Options options;
  options.threads = 1, options.blocks = 2, options.cluster = 2;
  std::string report = p.run(options, [&] {
    uint64_t data = tile_simt_shared();
    uint32_t rank = execute(p.rank, {});
    store<uint32_t>(p.access, p.map(data, 1 - rank), rank);
    execute(p.clusterArrive, {});
    load<uint32_t>(p.access, data);
    execute(p.clusterWait, {});
  });
  EXPECT_NE(report, "");
}

TEST(HopperCluster, Misuse) {
  Clusters p;
  std::string twice = p.run({.threads = 2}, [&] {
    if (p.thread() == 1)
      return execute(p.clusterArrive, {}), void();
    execute(p.clusterArrive, {});
    execute(p.clusterArrive, {});
  });
  EXPECT_NE(twice.find("between two arrivals"), std::string::npos) << twice;
  std::string early =
      p.run({.threads = 1}, [&] { execute(p.clusterWait, {}); });
  EXPECT_NE(early.find("barrier.cluster.arrive before the wait"),
            std::string::npos)
      << early;
  std::string far =
      p.run({.threads = 1}, [&] { p.map(tile_simt_shared(), 1); });
  EXPECT_NE(far.find("expected a rank below 1, got 1"), std::string::npos)
      << far;
}

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

TEST(HopperWarp, ElectsOneLane) {
  Program p;
  int elect = p.intrinsic("elect.sync", Values().add(32, 2), Values().add(32));
  int tid = p.intrinsic("read.ptx.sreg.tid.x", Values().add(32), {});
  int elected = 0;
  std::string report = p.run({.threads = 64}, [&] {
    uint32_t mask = 0xFFFFFFFF, result[2];
    tile_simt_execute(uint32_t(elect), &mask, result);
    elected += result[1];
    EXPECT_EQ(result[1], execute(tid, {}) % 32 == result[0]);
  });
  EXPECT_EQ(report, "");
  EXPECT_EQ(elected, 2);
}

struct Registers : Program {
  int tid = intrinsic("read.ptx.sreg.tid.x", Values().add(32), {});
  int inc = intrinsic("setmaxnreg.inc.sync.aligned.u32", {}, Values().add(32));
  int dec = intrinsic("setmaxnreg.dec.sync.aligned.u32", {}, Values().add(32));
};

TEST(HopperWarp, RegistersOfThePool) {
  Registers p;
  // 384 threads begin with 168 each.
  std::string report = p.run({.threads = 384}, [&] {
    if (execute(p.tid, {}) < 256)
      execute(p.inc, {232});
    else
      execute(p.dec, {40});
  });
  EXPECT_EQ(report, "");
  std::string tooMany = p.run({.threads = 384}, [&] {
    if (execute(p.tid, {}) < 256)
      execute(p.inc, {240});
    else
      execute(p.dec, {40});
  });
  EXPECT_NE(tooMany.find("72 registers of the block's pool"), std::string::npos)
      << tooMany;
  struct Case {
    const char *report;
    uint32_t threads, count;
  } cases[] = {{"24 to 256 registers in steps of 8, got 16", 384, 16},
               {"24 to 256 registers in steps of 8, got 100", 384, 100},
               {"expected at most 168 registers, got 232", 384, 232},
               {"whole warpgroups of 128 threads, got a block of 96", 96, 40}};
  for (const Case &c : cases) {
    std::string misuse =
        p.run({.threads = c.threads}, [&] { execute(p.dec, {c.count}); });
    EXPECT_NE(misuse.find(c.report), std::string::npos) << misuse;
  }
}

} // namespace
