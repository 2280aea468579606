// Scopes of atomics and fences.

#include "Harness.h"

using namespace simt;

namespace {

void *number(uintptr_t value) { return reinterpret_cast<void *>(value); }

enum : uint32_t { kWide = 0, kNarrow = TILE_SIMT_BLOCK };

/// The first thread of all writes a number and raises a flag, the second one
/// waits for the flag and reads the number. Scopes of the flag, of both fences.
void pass(void *const *p) {
  uint64_t data = argument(p, 0), flag = argument(p, 1);
  uint32_t atomic = TILE_SIMT_ATOMIC | uint32_t(argument(p, 2));
  uint32_t released = uint32_t(argument(p, 3)), taken = uint32_t(argument(p, 4));
  if (execute(0) + execute(1) == 0) {
    store<uint32_t>(2, data, 7);
    tile_simt_fence(TILE_SIMT_RELEASE | released, 3);
    store<uint32_t>(4, flag, 1, atomic);
    return;
  }
  while (load<uint32_t>(5, flag, atomic | TILE_SIMT_POLL) == 0)
    ;
  tile_simt_fence(TILE_SIMT_ACQUIRE | taken, 6);
  EXPECT_EQ(load<uint32_t>(7, data), 7u);
}

std::string runPass(bool inBlock, uint32_t atomic, uint32_t released,
                    uint32_t taken, uint64_t seed) {
  Program p(pass);
  p.call(kThread, {scalar(32)}, {})
      .call(kBlock, {scalar(32)}, {})
      .memory("store")
      .fence()
      .memory("store")
      .memory("load")
      .fence()
      .memory("load");
  Buffer<uint32_t> data(std::vector<uint32_t>(1)), flag(std::vector<uint32_t>(1));
  return p.run(inBlock ? 2 : 1, inBlock ? 1 : 2,
               {data, flag, number(atomic), number(released), number(taken)},
               seed);
}

/// Each thread counts, those of odd blocks with the other scope.
void count(void *const *p) {
  uint32_t scope = uint32_t(argument(p, execute(0) % 2 ? 2 : 1));
  atomicAdd(1, argument(p, 0), 1, scope);
}

std::string runCount(unsigned blocks, uint32_t scope, uint32_t other) {
  Program p(count);
  p.call(kBlock, {scalar(32)}, {}).memory("atomicrmw");
  Buffer<uint32_t> sum(std::vector<uint32_t>(1));
  std::string report =
      p.run(64, blocks, {sum, number(scope), number(other)}, 3);
  if (report.empty())
    EXPECT_EQ(sum[0], 64 * blocks);
  return report;
}

} // namespace

// Two atomics are atomic to each other where the scope of each has the other.
TEST(Scopes, Counting) {
  EXPECT_EQ(runCount(1, kNarrow, kNarrow), "");
  EXPECT_EQ(runCount(4, kWide, kWide), "");
  for (auto [scope, other] : {std::pair(kNarrow, kWide), {kWide, kNarrow},
                              {kNarrow, kNarrow}})
    EXPECT_REPORT(runCount(2, scope, other),
                  "expected atomics of a wider scope than the block");
}

TEST(Scopes, PassingWithinABlock) {
  for (uint64_t seed = 0; seed < 4; ++seed)
    for (uint32_t atomic : {kWide, kNarrow})
      for (uint32_t released : {kWide, kNarrow})
        for (uint32_t taken : {kWide, kNarrow})
          EXPECT_EQ(runPass(true, atomic, released, taken, seed), "");
}

TEST(Scopes, PassingBetweenBlocks) {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    EXPECT_EQ(runPass(false, kWide, kWide, kWide, seed), "");
    EXPECT_REPORT(runPass(false, kWide, kNarrow, kWide, seed),
                  "nothing orders the two");
    EXPECT_REPORT(runPass(false, kWide, kWide, kNarrow, seed),
                  "nothing orders the two");
    EXPECT_REPORT(runPass(false, kNarrow, kWide, kWide, seed),
                  "expected atomics of a wider scope than the block");
  }
}

// The names of scopes that instructions have.
TEST(Scopes, OfFences) {
  for (auto [name, orders] :
       {std::pair("llvm.nvvm.membar.cta", false), {"llvm.nvvm.membar.gl", true},
        {"llvm.nvvm.membar.sys", true}}) {
    Program p([](void *const *p) {
      uint64_t data = argument(p, 0), flag = argument(p, 1);
      if (execute(0) == 0) {
        store<uint32_t>(1, data, 7);
        execute(2);
        store<uint32_t>(1, flag, 1, TILE_SIMT_ATOMIC);
        return;
      }
      while (load<uint32_t>(3, flag, TILE_SIMT_ATOMIC | TILE_SIMT_POLL) == 0)
        ;
      execute(2);
      load<uint32_t>(3, data);
    });
    p.call(kBlock, {scalar(32)}, {})
        .memory("store")
        .call(name, {}, {})
        .memory("load");
    Buffer<uint32_t> data(std::vector<uint32_t>(1)),
        flag(std::vector<uint32_t>(1));
    EXPECT_EQ(p.run(1, 2, {data, flag}).empty(), orders) << name;
  }
}
