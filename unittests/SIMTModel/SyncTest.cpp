// Barriers, asynchronous copies, and what never ends.
#include "Harness.h"

using namespace simt;

namespace {

TEST(Barriers, Deadlock) {
  Program p([](void *const *) {
    if (execute(0) < 32)
      execute(1, 1, 64);
  });
  p.call(kThread, {scalar(32)}, {})
      .call("llvm.nvvm.barrier.cta.sync.aligned.count", {},
            {scalar(32), scalar(32)});
  std::string report = p.run(64);
  EXPECT_REPORT(report, "deadlock: threads 0 to 31 wait at "
                        "llvm.nvvm.barrier.cta.sync.aligned.count");
  EXPECT_REPORT(report, "threads 32 to 63 have returned");
}

TEST(Barriers, ThreadsThatHaveReturnedAreNotWaitedFor) {
  Program p([](void *const *) {
    if (execute(0) < 32)
      execute(1, 0);
  });
  p.call(kThread, {scalar(32)}, {}).call(kBarrier, {}, {scalar(32)});
  EXPECT_EQ(p.run(64), "");
}

TEST(Barriers, DifferentCounts) {
  Program p([](void *const *) { execute(1, 2, execute(0) < 32 ? 64 : 96); });
  p.call(kThread, {scalar(32)}, {})
      .call("llvm.nvvm.barrier.cta.sync.aligned.count", {},
            {scalar(32), scalar(32)});
  EXPECT_REPORT(p.run(96), "expected 64 threads at barrier 2, as the first "
                           "that arrived, got 96");
}

TEST(Barriers, ALaneAtAnother) {
  Program p([](void *const *) { execute(execute(0) == 3 ? 2 : 1, 0); });
  p.call(kThread, {scalar(32)}, {})
      .call(kBarrier, {}, {scalar(32)})
      .call(kBarrier, {}, {scalar(32)});
  EXPECT_REPORT(p.run(32), "expected all lanes of a warp at the same barrier");
}

struct Vote {
  const char *name;
  uint32_t allButOne, one, all;
};
const Vote *vote;

/// Three phases of one barrier.
TEST(Barriers, Votes) {
  const Vote kinds[] = {
      {"llvm.nvvm.barrier.cta.red.or.aligned.count", 1, 1, 1},
      {"llvm.nvvm.barrier.cta.red.and.aligned.count", 0, 0, 1},
      {"llvm.nvvm.barrier.cta.red.popc.aligned.count", 63, 1, 64}};
  for (const Vote &kind : kinds) {
    vote = &kind;
    Program p([](void *const *) {
      uint32_t t = execute(0);
      EXPECT_EQ(execute(1, 2, 64, t != 5), vote->allButOne) << vote->name;
      EXPECT_EQ(execute(1, 2, 64, t == 5), vote->one) << vote->name;
      EXPECT_EQ(execute(1, 2, 64, 1), vote->all) << vote->name;
    });
    bool counts = std::string(kind.name).find("popc") != std::string::npos;
    p.call(kThread, {scalar(32)}, {})
        .call(kind.name, {scalar(counts ? 32 : 1)},
              {scalar(32), scalar(32), scalar(1)});
    EXPECT_EQ(p.run(64), "");
  }
}

TEST(Barriers, VotesOfSomeThreads) {
  Program p([](void *const *) {
    if (execute(0) < 32)
      execute(1, 2, 64, 1);
    else
      execute(2, 2, 64);
  });
  p.call(kThread, {scalar(32)}, {})
      .call("llvm.nvvm.barrier.cta.red.or.aligned.count", {scalar(1)},
            {scalar(32), scalar(32), scalar(1)})
      .call("llvm.nvvm.barrier.cta.sync.aligned.count", {},
            {scalar(32), scalar(32)});
  EXPECT_REPORT(p.run(64), "expected all threads at barrier 2 with a "
                           "predicate, or none");
}

/// Half of the threads write and arrive, the others wait and read.
void produce(void *const *) {
  uint32_t t = execute(0);
  uint64_t at = tile_simt_shared() + 4 * (t % 32);
  if (t < 32) {
    store<uint32_t>(1, at, t);
    execute(3, 1);
  } else {
    execute(4, 1);
    load<uint32_t>(2, at);
  }
}

std::string runProducer(uint64_t seed, int skip) {
  Program p(produce);
  p.call(kThread, {scalar(32)}, {})
      .memory("store")
      .memory("load")
      .assembly("bar.arrive $0, 64;", {}, {scalar(32)})
      .assembly("bar.sync $0, 64;", {}, {scalar(32)});
  return p.run(64, 1, {}, seed, skip);
}

TEST(Barriers, ArriveOrders) {
  for (uint64_t seed = 0; seed < 8; ++seed)
    EXPECT_EQ(runProducer(seed, -1), "");
}

TEST(Barriers, WithoutItsWait) {
  for (uint64_t seed = 0; seed < 8; ++seed)
    EXPECT_REPORT(runProducer(seed, 1), "shared memory");
}

TEST(Barriers, WithoutItsArrival) {
  EXPECT_REPORT(runProducer(0, 0), "deadlock");
}

TEST(Polling, WaitsForAnotherBlock) {
  // Block 0 waits for block 1, which starts when nothing else goes on.
  Program p([](void *const *p) {
    if (execute(0) == 1) {
      store<uint32_t>(1, argument(p, 0), 1,
                      TILE_SIMT_ATOMIC | TILE_SIMT_RELEASE);
      return;
    }
    while (load<uint32_t>(2, argument(p, 0),
                          TILE_SIMT_ATOMIC | TILE_SIMT_ACQUIRE |
                              TILE_SIMT_POLL) == 0)
      ;
  });
  p.call(kBlock, {scalar(32)}, {}).memory("store").memory("load");
  Buffer<uint32_t> b(std::vector<uint32_t>(1));
  EXPECT_EQ(p.run(1, 2, {b}), "");
}

TEST(Polling, WithoutEnd) {
  Program p([](void *const *p) {
    while (load<uint32_t>(0, argument(p, 0),
                          TILE_SIMT_ATOMIC | TILE_SIMT_POLL) == 0)
      ;
  });
  p.memory("load");
  Buffer<uint32_t> b(std::vector<uint32_t>(1));
  EXPECT_REPORT(p.run(1, 1, {b}), "no progress");
}

/// A copy of 16 bytes a thread, waited for, then read by a neighbour. Sites: 0
/// the thread, 1 the copy, 2 commit, 3 wait, 4 the barrier, 5 the load.
void copyAndRead(void *const *p) {
  uint32_t t = execute(0);
  uint64_t to = tile_simt_shared() + 16 * t, from = argument(p, 0) + 16 * t;
  execute(1, to, to >> 32, from, from >> 32);
  execute(2);
  execute(3, 0);
  execute(4, 0);
  uint64_t next = tile_simt_shared() + 16 * ((t + 7) % 64);
  uint32_t got = load<uint32_t>(5, next);
  store<uint32_t>(6, argument(p, 1) + 4 * t, got);
}

void addCopySites(Program &p) {
  p.call(kThread, {scalar(32)}, {})
      .call("llvm.nvvm.cp.async.cg.shared.global.16", {},
            {scalar(64), scalar(64)})
      .call("llvm.nvvm.cp.async.commit.group", {}, {})
      .call("llvm.nvvm.cp.async.wait.group", {}, {scalar(32)})
      .call(kBarrier, {}, {scalar(32)})
      .memory("load")
      .memory("store");
}

TEST(AsyncCopies, ArriveWhereTheyAreWaitedFor) {
  std::vector<uint32_t> contents(4 * 64);
  for (uint32_t i = 0; i < contents.size(); ++i)
    contents[i] = 11 * i;
  Buffer<uint32_t> from(contents), to(64);
  Program p(copyAndRead);
  addCopySites(p);
  for (uint64_t seed = 0; seed < 4; ++seed) {
    EXPECT_EQ(p.run(64, 1, {from, to}, seed), "");
    for (uint32_t t = 0; t < 64; ++t)
      EXPECT_EQ(to[t], 11 * 4 * ((t + 7) % 64));
  }
}

TEST(AsyncCopies, WithoutItsWait) {
  Buffer<uint32_t> from(std::vector<uint32_t>(4 * 64)), to(64);
  Program p(copyAndRead);
  addCopySites(p);
  for (uint64_t seed = 0; seed < 4; ++seed)
    EXPECT_REPORT(p.run(64, 1, {from, to}, seed, /*skip=*/0), "shared memory");
}

TEST(AsyncCopies, WithoutItsBarrier) {
  Buffer<uint32_t> from(std::vector<uint32_t>(4 * 64)), to(64);
  Program p(copyAndRead);
  addCopySites(p);
  for (uint64_t seed = 0; seed < 4; ++seed)
    EXPECT_REPORT(p.run(64, 1, {from, to}, seed, /*skip=*/1), "shared memory");
}

TEST(AsyncCopies, WaitForAnOlderGroup) {
  // Two groups; only the first has been waited for.
  auto kernel = [](void *const *p) {
    uint64_t to = tile_simt_shared(), from = argument(p, 0);
    for (uint64_t i = 0; i < 2; ++i) {
      execute(1, to + 16 * i, to >> 32, from + 16 * i, from >> 32);
      execute(2);
    }
    execute(3, 1);
    load<uint32_t>(5, to);
    if (argument(p, 1))
      load<uint32_t>(5, to + 16);
  };
  Buffer<uint32_t> from(std::vector<uint32_t>(8));
  Program p(kernel);
  addCopySites(p);
  EXPECT_EQ(p.run(1, 1, {from, nullptr}), "");
  for (uint64_t seed = 0; seed < 4; ++seed)
    EXPECT_REPORT(p.run(1, 1, {from, from}, seed), "shared memory");
}

/// A copy of 16 bytes a thread that arrives at a barrier by itself, where all
/// wait, and then read a neighbour's. Sites: 0 the thread, 1 the copy, 2 the
/// begin of the barrier, 3 the arrival, 4 the wait, 5 the load, 6 the store, 7 a
/// block barrier.
void copyAndArrive(void *const *p) {
  uint32_t t = execute(0);
  uint64_t to = tile_simt_shared() + 16 * t, from = argument(p, 0) + 16 * t;
  uint64_t barrier = tile_simt_shared() + 16 * 64;
  if (t == 0)
    execute(2, barrier, barrier >> 32, 64);
  execute(7, 0);
  execute(1, to, to >> 32, from, from >> 32);
  execute(3, barrier, barrier >> 32);
  while (!execute(4, barrier, barrier >> 32, 0))
    ;
  uint64_t next = tile_simt_shared() + 16 * ((t + 7) % 64);
  store<uint32_t>(6, argument(p, 1) + 4 * t, load<uint32_t>(5, next));
}

void addArrivalSites(Program &p, const char *arrive) {
  p.call(kThread, {scalar(32)}, {})
      .call("llvm.nvvm.cp.async.cg.shared.global.16", {},
            {scalar(64), scalar(64)})
      .call("llvm.nvvm.mbarrier.init.shared", {}, {scalar(64), scalar(32)})
      .call(arrive, {}, {scalar(64)})
      .call("llvm.nvvm.mbarrier.try.wait.parity.scope.cta.space.cta",
            {scalar(1)}, {scalar(64), scalar(32)})
      .memory("load")
      .memory("store")
      .call(kBarrier, {}, {scalar(32)});
}

TEST(AsyncCopies, ArriveAtABarrier) {
  std::vector<uint32_t> contents(4 * 64);
  for (uint32_t i = 0; i < contents.size(); ++i)
    contents[i] = 11 * i;
  Buffer<uint32_t> from(contents), to(64);
  Program p(copyAndArrive);
  addArrivalSites(p, "llvm.nvvm.cp.async.mbarrier.arrive.noinc.shared");
  for (uint64_t seed = 0; seed < 4; ++seed) {
    EXPECT_EQ(p.run(64, 1, {from, to}, seed), "");
    for (uint32_t t = 0; t < 64; ++t)
      EXPECT_EQ(to[t], 11 * 4 * ((t + 7) % 64));
  }
}

TEST(AsyncCopies, ArriveBesideWhatIsCounted) {
  // Each arrival is one more than the barrier waits for: the phase stays open.
  Buffer<uint32_t> from(std::vector<uint32_t>(4 * 64)), to(64);
  Program p(copyAndArrive);
  addArrivalSites(p, "llvm.nvvm.cp.async.mbarrier.arrive.shared");
  EXPECT_REPORT(p.run(64, 1, {from, to}), "the end of phase 0");
}

TEST(AsyncCopies, ArriveInPlaceOfTheThread) {
  // An arrival of the thread does not wait for its copies.
  Buffer<uint32_t> from(std::vector<uint32_t>(4 * 64)), to(64);
  Program p(copyAndArrive);
  addArrivalSites(p, "llvm.nvvm.mbarrier.arrive.scope.cta.space.cta");
  for (uint64_t seed = 0; seed < 4; ++seed)
    EXPECT_REPORT(p.run(64, 1, {from, to}, seed), "shared memory");
}

TEST(AsyncCopies, ZerosBehindTheSource) {
  // 4 bytes of 16.
  auto kernel = [](void *const *p) {
    uint64_t to = tile_simt_shared(), from = argument(p, 0);
    execute(0, to, to >> 32, from, from >> 32, 4);
    execute(1);
    execute(2, 0);
    for (int i = 0; i < 4; ++i)
      store<uint32_t>(4, argument(p, 1) + 4 * i, load<uint32_t>(3, to + 4 * i));
  };
  Buffer<uint32_t> from(std::vector<uint32_t>{7}), to(4);
  Program p(kernel);
  p.call("llvm.nvvm.cp.async.cg.shared.global.16.s", {},
         {scalar(64), scalar(64), scalar(32)})
      .call("llvm.nvvm.cp.async.commit.group", {}, {})
      .call("llvm.nvvm.cp.async.wait.group", {}, {scalar(32)})
      .memory("load")
      .memory("store");
  EXPECT_EQ(p.run(1, 1, {from, to}), "");
  EXPECT_EQ(to[0], 7u);
  EXPECT_EQ(to[1] | to[2] | to[3], 0u);
}

} // namespace
