// Bounds, alignment, bytes never written, and races that barriers would order.
#include "Harness.h"

using namespace simt;

namespace {

// Sites of all kernels here: 0 the thread, 1 the block, 2 a store, 3 a load, 4
// a barrier, 5 an atomic, 6 a fence.
void addSites(Program &p) {
  p.call(kThread, {scalar(32)}, {})
      .call(kBlock, {scalar(32)}, {})
      .memory("store")
      .memory("load")
      .call(kBarrier, {}, {scalar(32)})
      .memory("atomicrmw")
      .fence();
}
std::string run(Program::Kernel kernel, unsigned threads, unsigned blocks = 1,
                std::vector<void *> arguments = {}, uint64_t seed = 0,
                int skip = -1) {
  Program p(kernel);
  addSites(p);
  return p.run(threads, blocks, std::move(arguments), seed, skip);
}

TEST(Memory, StoresAndLoads) {
  Buffer<uint32_t> b(64);
  EXPECT_EQ(run(
                [](void *const *p) {
                  uint32_t t = execute(0);
                  store<uint32_t>(2, argument(p, 0) + 4 * t, 3 * t);
                },
                64, 1, {b}),
            "");
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(b[i], 3 * i);
}

TEST(Memory, OutOfBounds) {
  Buffer<uint32_t> b(std::vector<uint32_t>(31));
  auto kernel = [](void *const *p) {
    load<uint32_t>(3, argument(p, 0) + 4 * execute(0));
  };
  EXPECT_EQ(run(kernel, 31, 1, {b}), "");
  EXPECT_REPORT(run(kernel, 32, 1, {b}), "k.mlir:3:1: load: out of bounds");
}

TEST(Memory, PartlyOutOfBounds) {
  Buffer<uint8_t> b(std::vector<uint8_t>(12));
  auto kernel = [](void *const *p) { load<uint64_t>(3, argument(p, 0) + 8); };
  EXPECT_REPORT(run(kernel, 1, 1, {b}),
                "reads 8 bytes at byte 8 of global memory, which has 12 bytes");
}

TEST(Memory, SharedOutOfBounds) {
  auto kernel = [](void *const *) {
    store<uint32_t>(2, tile_simt_shared() + 4096, 1);
  };
  EXPECT_REPORT(run(kernel, 1),
                "writes 4 bytes at byte 4096 of shared memory, which has 4096");
}

TEST(Memory, Misaligned) {
  Buffer<uint32_t> b(std::vector<uint32_t>(4));
  auto kernel = [](void *const *p) { load<uint32_t>(3, argument(p, 0) + 2); };
  EXPECT_REPORT(run(kernel, 1, 1, {b}),
                "misaligned: expected an address that is a multiple of 4");
}

TEST(Memory, NeverWritten) {
  auto kernel = [](void *const *) {
    store<uint16_t>(2, tile_simt_shared(), 1);
    load<uint16_t>(3, tile_simt_shared());
    load<uint32_t>(3, tile_simt_shared());
  };
  EXPECT_REPORT(run(kernel, 1),
                "reads byte 2 of shared memory, which nobody has written");
}

TEST(Memory, SharedMemoryOfABlockIsNew) {
  auto kernel = [](void *const *) {
    if (execute(1) == 0)
      store<uint32_t>(2, tile_simt_shared(), 1);
    else
      load<uint32_t>(3, tile_simt_shared());
  };
  EXPECT_REPORT(run(kernel, 1, 2), "which nobody has written (block 1 0 0");
}

/// Each thread reads what its neighbour has written.
void exchange(void *const *) {
  uint32_t t = execute(0);
  store<uint32_t>(2, tile_simt_shared() + 4 * t, t);
  execute(4, 0);
  load<uint32_t>(3, tile_simt_shared() + 4 * (t ^ 32));
}

TEST(Races, BarrierOrders) {
  for (uint64_t seed = 0; seed < 8; ++seed)
    EXPECT_EQ(run(exchange, 64, 1, {}, seed), "");
}

TEST(Races, ReadAfterWrite) {
  // Seed 0 runs threads in order: only those that read ahead find no bytes.
  for (uint64_t seed = 0; seed < 8; ++seed) {
    std::string report = run(exchange, 64, 1, {}, seed, /*skip=*/0);
    EXPECT_REPORT(report, "shared memory");
    EXPECT_NE(report, "");
  }
}

TEST(Races, WriteAfterRead) {
  auto kernel = [](void *const *) {
    uint32_t t = execute(0), next = (t + 1) % 64;
    store<uint32_t>(2, tile_simt_shared() + 4 * t, t);
    execute(4, 0);
    load<uint32_t>(3, tile_simt_shared() + 4 * next);
    store<uint32_t>(2, tile_simt_shared() + 4 * t, t + 1);
  };
  for (uint64_t seed = 0; seed < 8; ++seed)
    EXPECT_REPORT(run(kernel, 64, 1, {}, seed), "race in shared memory");
}

TEST(Races, ManyReadersThenAWriter) {
  // The writer knows of all readers but one, in whichever order they come.
  auto kernel = [](void *const *) {
    uint32_t t = execute(0);
    if (t == 0)
      store<uint32_t>(2, tile_simt_shared(), 1);
    execute(4, 0);
    if (t != 5)
      load<uint32_t>(3, tile_simt_shared());
    execute(4, 0);
    if (t == 5)
      load<uint32_t>(3, tile_simt_shared());
    if (t == 0)
      store<uint32_t>(2, tile_simt_shared(), 2);
  };
  for (uint64_t seed = 0; seed < 8; ++seed)
    EXPECT_REPORT(run(kernel, 128, 1, {}, seed), "race in shared memory");
}

TEST(Races, WritesOfTheSameValueAgree) {
  auto kernel = [](void *const *p) { store<uint32_t>(2, argument(p, 0), 7); };
  Buffer<uint32_t> b(1);
  EXPECT_EQ(run(kernel, 64, 1, {b}), "");
}

TEST(Races, WritesOfOtherValues) {
  auto kernel = [](void *const *p) {
    store<uint32_t>(2, argument(p, 0), execute(0));
  };
  Buffer<uint32_t> b(1);
  EXPECT_REPORT(run(kernel, 64, 1, {b}),
                "race in global memory at byte 0: thread 1 of block 0 writes "
                "what thread 0 of block 0 wrote (store at k.mlir:2:1)");
}

TEST(Races, NeighbouringBytesDoNotRace) {
  auto kernel = [](void *const *p) {
    uint32_t t = execute(0);
    store<uint8_t>(2, argument(p, 0) + t, uint8_t(t));
  };
  Buffer<uint8_t> b(64);
  EXPECT_EQ(run(kernel, 64, 1, {b}), "");
}

TEST(Races, BlocksDoNotOrder) {
  auto kernel = [](void *const *p) {
    if (execute(1) == 0)
      store<uint32_t>(2, argument(p, 0), 1);
    else
      load<uint32_t>(3, argument(p, 0));
  };
  Buffer<uint32_t> b(std::vector<uint32_t>(1));
  EXPECT_REPORT(run(kernel, 1, 2, {b}), "race in global memory");
}

TEST(Races, LaunchesOrder) {
  auto kernel = [](void *const *p) {
    store<uint32_t>(2, argument(p, 0) + 4 * execute(0), execute(0) + 1);
  };
  Buffer<uint32_t> b(32);
  EXPECT_EQ(run(kernel, 32, 1, {b}), "");
  EXPECT_EQ(run([](void *const *p) { load<uint32_t>(3, argument(p, 0) + 4); },
                32, 1, {b}),
            "");
}

TEST(Races, AtomicsAgree) {
  auto kernel = [](void *const *p) { atomicAdd(5, argument(p, 0), 1); };
  Buffer<uint32_t> b(std::vector<uint32_t>(1));
  EXPECT_EQ(run(kernel, 64, 4, {b}, 3), "");
  EXPECT_EQ(b[0], 256u);
}

TEST(Races, AtomicAndStore) {
  auto kernel = [](void *const *p) {
    if (execute(0) == 0)
      store<uint32_t>(2, argument(p, 0), 5);
    else
      atomicAdd(5, argument(p, 0), 1);
  };
  Buffer<uint32_t> b(std::vector<uint32_t>(1));
  EXPECT_REPORT(run(kernel, 2, 1, {b}), "race in global memory");
}

/// The last block reads what the others have written: a store, a fence, a
/// relaxed atomic; a relaxed atomic, a fence, loads.
void lastBlock(void *const *p) {
  uint32_t b = execute(1);
  store<uint32_t>(2, argument(p, 0) + 4 * b, b + 1);
  tile_simt_fence(TILE_SIMT_ACQUIRE | TILE_SIMT_RELEASE, 6);
  if (atomicAdd(5, argument(p, 1), 1) != 3)
    return;
  tile_simt_fence(TILE_SIMT_ACQUIRE | TILE_SIMT_RELEASE, 6);
  uint32_t sum = 0;
  for (int i = 0; i < 4; ++i)
    sum += load<uint32_t>(3, argument(p, 0) + 4 * i);
  store<uint32_t>(2, argument(p, 2), sum);
}

TEST(Races, FencesAndAtomicsOrderBlocks) {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    Buffer<uint32_t> parts(4), count(std::vector<uint32_t>(1)), sum(1);
    EXPECT_EQ(run(lastBlock, 1, 4, {parts, count, sum}, seed), "");
    EXPECT_EQ(sum[0], 10u);
  }
}

TEST(Races, AtomicsAloneDoNot) {
  Buffer<uint32_t> parts(4), count(std::vector<uint32_t>(1)), sum(1);
  EXPECT_REPORT(run(lastBlock, 1, 4, {parts, count, sum}, 0, /*skip=*/1),
                "race in global memory");
}

// Halves of bytes: each thread changes one, of bytes that nobody has written.
TEST(Memory, UpdatesOfBits) {
  Program p([](void *const *p) {
    uint32_t t = execute(0);
    uint64_t address = argument(p, 0) + t / 8 * 4;
    uint32_t shift = t % 8 * 4;
    tile_simt_update(address, 4, 4, 0, 1, uint64_t(15) << shift);
    auto *word = reinterpret_cast<uint32_t *>(address);
    *word = (*word & ~(15u << shift)) | (t << shift & 15u << shift);
    store<uint8_t>(3, argument(p, 1) + t,
                   load<uint8_t>(2, argument(p, 0) + t / 2, TILE_SIMT_ATOMIC) >>
                       t % 2 * 4);
  });
  p.call(kThread, {scalar(32)}, {});
  p.memory("atomicrmw").memory("load").memory("store");
  Buffer<uint8_t> halves(20), out(32);
  EXPECT_EQ(p.run(32, 1, {halves, out}), "");
  for (unsigned t = 0; t < 32; ++t)
    EXPECT_EQ(out[t] & 15, t & 15);
}

TEST(Memory, UpdatesOfBitsRaceWithLoads) {
  Program p([](void *const *p) {
    uint32_t t = execute(0);
    if (t == 0)
      tile_simt_update(argument(p, 0), 4, 4, 0, 1, 0x0F00);
    else
      load<uint8_t>(2, argument(p, 0) + t);
  });
  p.call(kThread, {scalar(32)}, {});
  p.memory("atomicrmw").memory("load");
  Buffer<uint8_t> buffer(std::vector<uint8_t>(36, 0));
  EXPECT_REPORT(p.run(32, 1, {buffer}), "race in global memory at byte 1");
}

TEST(Memory, UpdatesOfBitsAreInBounds) {
  Program p([](void *const *p) {
    tile_simt_update(argument(p, 0), 4, 4, 0, 1, 0x0F);
  });
  p.call(kThread, {scalar(32)}, {});
  p.memory("atomicrmw");
  Buffer<uint8_t> buffer(std::vector<uint8_t>(2, 0));
  EXPECT_REPORT(p.run(1, 1, {buffer}), "out of bounds");
}

} // namespace
