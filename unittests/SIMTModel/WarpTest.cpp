// What the lanes of a warp do together, against plain definitions.
extern "C" {
#include "numeric.h"
}
#include "Harness.h"

#include <algorithm>
#include <random>

using namespace simt;

namespace {

constexpr uint32_t kAll = UINT32_MAX;

TEST(Warps, Shuffles) {
  Program p([](void *const *p) {
    uint32_t t = execute(0);
    store<uint32_t>(4, argument(p, 0) + 4 * t, execute(1, kAll, t, 4, 31));
    store<uint32_t>(4, argument(p, 1) + 4 * t, execute(2, kAll, t, 3, 0));
    store<uint32_t>(4, argument(p, 2) + 4 * t, execute(3, kAll, t, 9, 31));
  });
  p.call(kThread, {scalar(32)}, {});
  for (const char *name :
       {"llvm.nvvm.shfl.sync.bfly.i32", "llvm.nvvm.shfl.sync.up.i32",
        "llvm.nvvm.shfl.sync.idx.i32"})
    p.call(name, {scalar(32)},
           {scalar(32), scalar(32), scalar(32), scalar(32)});
  p.memory("store");
  Buffer<uint32_t> bfly(64), up(64), idx(64);
  for (uint64_t seed = 0; seed < 4; ++seed) {
    EXPECT_EQ(p.run(64, 1, {bfly, up, idx}, seed), "");
    for (uint32_t t = 0; t < 64; ++t) {
      EXPECT_EQ(bfly[t], t ^ 4);
      EXPECT_EQ(up[t], t % 32 < 3 ? t : t - 3);
      EXPECT_EQ(idx[t], t / 32 * 32 + 9);
    }
  }
}

TEST(Warps, ShuffleFromALaneThatIsNotThere) {
  Program p([](void *const *) {
    if (execute(0) < 16)
      execute(1, 0xFFFF, 0, 16, 31);
  });
  p.call(kThread, {scalar(32)}, {})
      .call("llvm.nvvm.shfl.sync.bfly.i32", {scalar(32)},
            {scalar(32), scalar(32), scalar(32), scalar(32)});
  EXPECT_REPORT(p.run(32), "reads lane 16, which is not in the mask");
}

TEST(Warps, ALaneThatNeverComes) {
  Program p([](void *const *) {
    if (execute(0) != 5)
      execute(1, kAll, 0, 1, 31);
  });
  p.call(kThread, {scalar(32)}, {})
      .call("llvm.nvvm.shfl.sync.bfly.i32", {scalar(32)},
            {scalar(32), scalar(32), scalar(32), scalar(32)});
  EXPECT_REPORT(p.run(32), "deadlock: threads 0 to 4 wait for other lanes of");
}

TEST(Warps, VotesAndReductions) {
  Program p([](void *const *p) {
    uint32_t t = execute(0);
    store<uint32_t>(3, argument(p, 0) + 4 * t, execute(1, kAll, t % 3 == 0));
    store<uint32_t>(3, argument(p, 1) + 4 * t, execute(2, t * t, kAll));
  });
  p.call(kThread, {scalar(32)}, {})
      .call("llvm.nvvm.vote.ballot.sync", {scalar(32)}, {scalar(32), scalar(1)})
      .call("llvm.nvvm.redux.sync.umax", {scalar(32)}, {scalar(32), scalar(32)})
      .memory("store");
  Buffer<uint32_t> ballot(32), most(32);
  EXPECT_EQ(p.run(32, 1, {ballot, most}), "");
  uint32_t expected = 0;
  for (uint32_t t = 0; t < 32; t += 3)
    expected |= 1u << t;
  EXPECT_EQ(ballot[17], expected);
  EXPECT_EQ(most[3], 31u * 31u);
}

TEST(Warps, LoadMatrices) {
  // Row r of matrix m has 100 * m + 8 * r and the next seven.
  Program p([](void *const *p) {
    uint32_t t = execute(0);
    uint64_t at = tile_simt_shared() + 16 * t;
    for (uint32_t i = 0; i < 8; ++i)
      store<uint16_t>(4, at + 2 * i, uint16_t(t / 8 * 100 + t % 8 * 8 + i));
    execute(1, 0);
    uint32_t operands[] = {uint32_t(at), uint32_t(at >> 32)}, results[4];
    for (int site : {2, 3}) {
      tile_simt_execute(uint32_t(site), operands, results);
      for (int m = 0; m < 4; ++m)
        store<uint32_t>(4, argument(p, site - 2) + 16 * t + 4 * m, results[m]);
    }
  });
  p.call(kThread, {scalar(32)}, {})
      .call(kBarrier, {}, {scalar(32)})
      .call("llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3", {group(4)},
            {scalar(64)})
      .call("llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3", {group(4)},
            {scalar(64)})
      .memory("store");
  Buffer<uint32_t> plain(128), transposed(128);
  EXPECT_EQ(p.run(32, 1, {plain, transposed}), "");
  for (uint32_t t = 0; t < 32; ++t)
    for (uint32_t m = 0; m < 4; ++m) {
      uint32_t r = t / 4, c = t % 4 * 2;
      auto element = [&](uint32_t row, uint32_t column) {
        return 100 * m + 8 * row + column;
      };
      EXPECT_EQ(plain[4 * t + m], element(r, c) | element(r, c + 1) << 16);
      EXPECT_EQ(transposed[4 * t + m], element(c, r) | element(c + 1, r) << 16);
    }
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// mma.sync, as the tables of the PTX ISA give each fragment element by element
/// ("Matrix Fragments for mma.m16n8k8", "k16", "k32", "k64").
struct Mma {
  const char *name;
  int k, bits; ///< of A and B
  bool integer;
  const simt_format *format; ///< null: tf32, or integers
  bool isSigned;
};

const Mma *current;
uint32_t fragments[3][32][8]; ///< A, B, D of a lane
uint32_t registers() { return uint32_t(current->k * current->bits / 64); }

void runMma(void *const *) {
  uint32_t t = execute(0), a = registers(), b = a / 2;
  uint32_t operands[24] = {}, results[4];
  // The accumulator is tied to the results.
  for (uint32_t i = 0; i < a; ++i)
    operands[i] = fragments[0][t][i];
  for (uint32_t i = 0; i < b; ++i)
    operands[a + i] = fragments[1][t][i];
  for (uint32_t i = 0; i < 4; ++i)
    operands[a + b + i] = current->integer ? 3 : simt_as_bits(0.5f);
  tile_simt_execute(1, operands, results);
  for (uint32_t i = 0; i < 4; ++i)
    fragments[2][t][i] = results[i];
}

std::string makeText() {
  uint32_t a = registers(), at = 4;
  std::string text = current->name;
  auto add = [&](uint32_t count, bool last) {
    text += " {";
    for (uint32_t i = 0; i < count; ++i)
      text += (i ? ", $" : "$") + std::to_string(at++);
    text += last ? "};" : "},";
  };
  text += " {$0, $1, $2, $3},";
  add(a, false);
  add(a / 2, false);
  add(4, true);
  return text;
}

double decode(uint32_t bits) {
  if (current->format)
    return double(simt_widen(current->format, bits));
  if (!current->integer)
    return double(simt_as_float(bits));
  uint32_t sign = 1u << (current->bits - 1);
  return current->isSigned && bits & sign ? double(bits) - 2.0 * sign
                                          : double(bits);
}

uint32_t encode(int value) {
  if (current->format)
    return simt_narrow(current->format, value, false);
  if (!current->integer)
    return simt_as_bits(float(value));
  return uint32_t(value) & ((1u << current->bits) - 1);
}

void put(uint32_t *words, int index, uint32_t bits) {
  int per = 32 / current->bits;
  words[index / per] |= bits << index % per * current->bits;
}

class Products : public testing::TestWithParam<Mma> {};

TEST_P(Products, AgainstAPlainOne) {
  Mma mma = GetParam();
  current = &mma;
  std::mt19937 random(1);
  int low = mma.integer && !mma.isSigned ? 0 : -3;
  std::uniform_int_distribution<int> values(low, 3);
  uint32_t a[16][64] = {}, b[64][8] = {};
  for (int k = 0; k < mma.k; ++k) {
    for (auto &row : a)
      row[k] = encode(values(random));
    for (uint32_t &x : b[k])
      x = encode(values(random));
  }
  std::memset(fragments, 0, sizeof(fragments));
  int e = 32 / mma.bits, count = 16 * mma.k / 32;
  for (int lane = 0; lane < 32; ++lane) {
    int g = lane >> 2, t = lane % 4;
    for (int i = 0; i < count; ++i) {
      // The manual: rows g for 0 <= i < e and 2e <= i < 3e, else g + 8; columns
      // t * e + i % e for i < 2e, and 4 * e more behind.
      bool lower = (i >= e && i < 2 * e) || i >= 3 * e;
      int column = t * e + i % e + (i >= 2 * e ? 4 * e : 0);
      put(fragments[0][lane], i, a[g + (lower ? 8 : 0)][column]);
    }
    for (int i = 0; i < count / 2; ++i)
      put(fragments[1][lane], i, b[t * e + i % e + (i >= e ? 4 * e : 0)][g]);
  }
  Program p(runMma);
  std::string text = makeText();
  uint32_t words = registers() + registers() / 2 + 4;
  p.call(kThread, {scalar(32)}, {})
      .assembly(text.c_str(), {scalar(32), scalar(32), scalar(32), scalar(32)},
                std::vector<TileSimtValue>(words, scalar(32)));
  ASSERT_EQ(p.run(32, 1, {}, 3), "");
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 4; ++i) {
      int row = (lane >> 2) + (i < 2 ? 0 : 8), column = lane % 4 * 2 + (i & 1);
      double sum = mma.integer ? 3 : 0.5;
      for (int k = 0; k < mma.k; ++k)
        sum += decode(a[row][k]) * decode(b[k][column]);
      uint32_t got = fragments[2][lane][i];
      EXPECT_EQ(mma.integer ? double(int32_t(got)) : double(simt_as_float(got)),
                sum)
          << row << ", " << column;
    }
}

INSTANTIATE_TEST_SUITE_P(
    All, Products,
    testing::Values(Mma{"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 8,
                        16, false, &simt_f16, true},
                    Mma{"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 16,
                        16, false, &simt_f16, true},
                    Mma{"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32",
                        16, 16, false, &simt_bf16, true},
                    Mma{"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 8,
                        32, false, nullptr, true},
                    Mma{"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32",
                        32, 8, false, &simt_e4m3, true},
                    Mma{"mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32",
                        32, 8, false, &simt_e5m2, true},
                    Mma{"mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32", 16,
                        8, true, nullptr, true},
                    Mma{"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 32,
                        8, true, nullptr, true},
                    Mma{"mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32", 32,
                        8, true, nullptr, false},
                    Mma{"mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32", 64,
                        4, true, nullptr, true}));

} // namespace
