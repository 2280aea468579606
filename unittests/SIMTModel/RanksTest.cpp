// Several ranks: signals that come late, and who sees what.

#include "Harness.h"

using namespace simt;

namespace {

void *number(uintptr_t value) { return reinterpret_cast<void *>(value); }

enum : uint32_t {
  kAcquire = TILE_SIMT_ATOMIC | TILE_SIMT_POLL | TILE_SIMT_ACQUIRE,
  kRelease = TILE_SIMT_ATOMIC | TILE_SIMT_RELEASE,
};

/// Rank 0 writes a number to the memory of rank 1 and signals; rank 1 waits.
/// Arguments: the rank, data, flag, the flags of the load.
template <int kSignal>
void pass(void *const *p) {
  uint64_t data = argument(p, 1), flag = argument(p, 2);
  if (argument(p, 0) == 0) {
    store<uint32_t>(0, data, 7);
    if (kSignal == 1)
      execute(1, flag, flag >> 32, 1, 0);
    else if (kSignal == 2)
      store<uint64_t>(2, flag, 1, kRelease);
    else if (kSignal == 3)
      store<uint64_t>(2, flag, 1, kRelease | TILE_SIMT_DEVICE);
    return;
  }
  while (load<uint64_t>(3, flag, uint32_t(argument(p, 3))) != 1)
    ;
  EXPECT_EQ(load<uint32_t>(4, data), 7u);
}

std::string runPass(Program::Kernel kernel, uint64_t seed,
                    uint32_t wait = kAcquire,
                    const char *add = "red.release.sys.global.add.u64") {
  Program p(kernel);
  std::string text = std::string(add) + " [$0], $1;";
  p.memory("store")
      .assembly(text.c_str(), {}, {scalar(64), scalar(64)})
      .memory("store")
      .memory("load")
      .memory("load");
  Buffer<uint32_t> data(std::vector<uint32_t>(1));
  Buffer<uint64_t> flag(std::vector<uint64_t>(1));
  return p.runRanks(1,
                    {{number(0), data, flag, number(wait)},
                     {number(1), data, flag, number(wait)}},
                    seed);
}

} // namespace

TEST(Ranks, Signals) {
  for (uint64_t seed = 0; seed < 32; ++seed) {
    EXPECT_EQ(runPass(pass<1>, seed), "");
    EXPECT_EQ(runPass(pass<2>, seed), "");
    // What was seen orders nothing, or nothing comes.
    EXPECT_REPORT(runPass(pass<1>, seed, TILE_SIMT_ATOMIC | TILE_SIMT_POLL),
                  "of rank 1 reads what thread 0 of block 0 of rank 0 wrote");
    EXPECT_REPORT(runPass(pass<1>, seed, kAcquire,
                          "red.relaxed.sys.global.add.u64"),
                  "nothing orders the two");
    EXPECT_REPORT(runPass(pass<1>, seed, kAcquire,
                          "red.release.gpu.global.add.u64"),
                  "expected atomics of a wider scope than the device");
    EXPECT_REPORT(runPass(pass<1>, seed, kAcquire,
                          "red.release.cta.global.add.u64"),
                  "expected atomics of a wider scope than the block");
    EXPECT_REPORT(runPass(pass<3>, seed),
                  "expected atomics of a wider scope than the device");
    std::string report = runPass(pass<0>, seed);
    EXPECT_REPORT(report, "no progress");
    EXPECT_REPORT(report, "(rank 1, block 0 0 0)");
  }
}

// One fence for several signals that do not order by themselves.
TEST(Ranks, FenceBeforeSignals) {
  for (bool fenced : {true, false})
    for (uint64_t seed = 0; seed < 16; ++seed) {
      Program p([](void *const *p) {
        uint64_t data = argument(p, 1), flags = argument(p, 2);
        if (argument(p, 0) == 0) {
          store<uint32_t>(0, data, 7);
          if (argument(p, 3))
            tile_simt_fence(TILE_SIMT_ACQUIRE | TILE_SIMT_RELEASE, 1);
          for (uint64_t flag = flags; flag < flags + 16; flag += 8)
            execute(2, flag, flag >> 32, 1, 0);
          return;
        }
        uint64_t flag = flags + 8 * (argument(p, 0) - 1);
        while (load<uint64_t>(3, flag, kAcquire) != 1)
          ;
        load<uint32_t>(4, data);
      });
      p.memory("store")
          .fence()
          .assembly("red.relaxed.sys.global.add.u64 [$0], $1;", {},
                    {scalar(64), scalar(64)})
          .memory("load")
          .memory("load");
      Buffer<uint32_t> data(std::vector<uint32_t>(1));
      Buffer<uint64_t> flags(std::vector<uint64_t>(2));
      std::vector<std::vector<void *>> arguments;
      for (uintptr_t rank = 0; rank < 3; ++rank)
        arguments.push_back({number(rank), data, flags, number(fenced)});
      EXPECT_EQ(p.runRanks(1, arguments, seed).empty(), fenced);
    }
}

// Signals to different flags overtake each other; those to one flag do not, and
// the thread itself sees what it has signalled.
TEST(Ranks, Order) {
  static bool overtaken;
  overtaken = false;
  for (uint64_t seed = 1; seed < 64; ++seed) {
    Program p([](void *const *p) {
      uint64_t x = argument(p, 1), y = argument(p, 2);
      if (argument(p, 0) == 0) {
        store<uint64_t>(0, x, 1, kRelease);
        store<uint64_t>(0, x, 2, kRelease);
        EXPECT_EQ(load<uint64_t>(1, x, kAcquire), 2u);
        store<uint64_t>(0, y, 1, TILE_SIMT_ATOMIC);
        store<uint64_t>(0, x, 3, TILE_SIMT_ATOMIC);
        return;
      }
      uint64_t last = 0;
      for (int i = 0; i < 200; ++i) {
        uint64_t value = load<uint64_t>(1, x, kAcquire);
        EXPECT_GE(value, last);
        last = value;
        overtaken |= value == 3 && load<uint64_t>(1, y, kAcquire) == 0;
      }
    });
    p.memory("store").memory("load");
    Buffer<uint64_t> x(std::vector<uint64_t>(1)), y(std::vector<uint64_t>(1));
    EXPECT_EQ(p.runRanks(1, {{number(0), x, y}, {number(1), x, y}}, seed), "");
    EXPECT_EQ(x[0], 3u);
    EXPECT_EQ(y[0], 1u);
  }
  EXPECT_TRUE(overtaken);
}

// Kernels of a rank run one after the other, and the second one knows of all
// that the first one did.
TEST(Ranks, Queue) {
  Program p([](void *const *p) {
    uint64_t sum = argument(p, 0);
    store<uint32_t>(1, sum, load<uint32_t>(0, sum) + 1);
  });
  p.memory("load").memory("store");
  for (uint64_t seed = 0; seed < 8; ++seed) {
    Buffer<uint32_t> a(std::vector<uint32_t>(1)), b(std::vector<uint32_t>(1));
    EXPECT_EQ(p.runRanks(1, {{a}, {b}}, seed, 3), "");
    EXPECT_EQ(a[0], 3u);
    EXPECT_EQ(b[0], 3u);
  }
}
