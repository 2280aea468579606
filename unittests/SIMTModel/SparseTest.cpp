// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with a sparse operand, against the figures of the PTX ISA, "Matrix
// fragments for multiply-accumulate operation with sparse matrix A".

#include "HopperHarness.h"

extern "C" {
#include "numeric.h"
}

#include <cstring>
#include <random>
#include <vector>

namespace {

struct Form {
  const char *name;
  int k, bits;
  int selector;
};

/// One product. Places of the groups of all rows, which a test may change.
struct Product : Program {
  explicit Product(const Form &form);
  uint32_t encode(int value) const;
  uint32_t getMetadata(int lane) const;
  std::string run();

  Form form;
  int tid = intrinsic("read.ptx.sreg.tid.x", Values().add(32), {});
  int size = form.bits == 32 ? 2 : 4;
  int dense[16][64] = {}, b[64][8] = {};
  int stored[16][32] = {};
  int places[16][16] = {}; // 4 bits for each group
  double got[16][8] = {};
};

Product::Product(const Form &form) : form(form) {
  std::mt19937 random(form.k + form.selector);
  auto value = [&] { return int(random() % 7) - 3; };
  for (int k = 0; k < form.k; ++k)
    for (int &x : b[k])
      x = value();
  const int pairs[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  for (int row = 0; row < 16; ++row)
    for (int group = 0; group < form.k / size; ++group) {
      const int *pair = pairs[random() % 6];
      int one = int(random() % 2);
      places[row][group] =
          size == 2 ? (one ? 0b1110 : 0b0100) : pair[0] | pair[1] << 2;
      for (int i = 0; i < size / 2; ++i) {
        int at = size == 2 ? one : pair[i];
        stored[row][group * size / 2 + i] = dense[row][group * size + at] =
            value();
      }
    }
}

uint32_t Product::encode(int value) const {
  if (form.bits == 16)
    return simt_narrow(&simt_f16, value, false);
  return form.bits == 32 ? simt_as_bits(float(value)) : uint32_t(value) & 255;
}

/// Lanes that the selector does not name have what no group may have.
uint32_t Product::getMetadata(int lane) const {
  int g = lane / 4, t = lane % 4;
  uint32_t bits = 0;
  if (form.bits == 8) {
    for (int i = 0; i < 8; ++i)
      bits |= uint32_t(places[g + t % 2 * 8][t / 2 * 8 + i]) << 4 * i;
    return bits;
  }
  if (t / 2 != form.selector)
    return 0;
  for (int i = 0; i < 8; ++i)
    bits |= uint32_t(places[g + i / 4 * 8][t % 2 * 4 + i % 4]) << 4 * i;
  return bits;
}

std::string Product::run() {
  Values sums, operands;
  int words = form.bits * form.k / 128; // of B; A has as many
  for (int i = 0; i < 4; ++i)
    sums.add(32);
  for (int i = 0; i < 2 * words + 1; ++i)
    operands.add(32);
  for (int i = 0; i < 4; ++i)
    operands.add(32, 1, i);
  std::string text = form.name;
  int next = 4;
  auto list = [&](int count, int first) {
    text += " {";
    for (int i = 0; i < count; ++i)
      text += (i ? ", $" : "$") + std::to_string(first + i);
    text += "},";
  };
  list(4, 0);
  list(words, next);
  list(words, next + words);
  list(4, 0);
  text += " $" + std::to_string(next + 2 * words) + ", " +
          std::to_string(form.selector) + ";";
  int site = assembly(text, sums, operands);
  return Program::run({.threads = 32, .seed = 1}, [&] {
    int lane = int(execute(tid, {})), g = lane / 4, t = lane % 4;
    int e = 32 / form.bits;
    uint32_t in[32] = {}, out[4];
    for (int i = 0; i < words * e; ++i) {
      int column = t * e + i % e + i / e / 2 * 4 * e;
      in[i / e] |= encode(stored[g + i / e % 2 * 8][column])
                   << i % e * form.bits;
      in[words + i / e] |= encode(b[t * e + i % e + i / e * 4 * e][g])
                           << i % e * form.bits;
    }
    in[2 * words] = getMetadata(lane);
    for (int i = 0; i < 4; ++i)
      in[2 * words + 1 + i] = form.bits == 8 ? 5 : simt_as_bits(5);
    tile_simt_execute(uint32_t(site), in, out);
    for (int i = 0; i < 4; ++i)
      got[g + i / 2 * 8][2 * t + i % 2] =
          form.bits == 8 ? int32_t(out[i]) : double(simt_as_float(out[i]));
  });
}

const Form forms[] = {
    {"mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32",
     32, 16, 0},
    {"mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32",
     32, 16, 1},
    {"mma.sp.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32", 16, 32, 0},
    {"mma.sp.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32", 16, 32, 1},
    {"mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32", 64,
     8, 0}};

TEST(SparseProducts, OfAllForms) {
  for (const Form &form : forms) {
    Product p(form);
    ASSERT_EQ(p.run(), "") << form.name;
    for (int row = 0; row < 16; ++row)
      for (int column = 0; column < 8; ++column) {
        int sum = 5;
        for (int k = 0; k < form.k; ++k)
          sum += p.dense[row][k] * p.b[k][column];
        EXPECT_EQ(p.got[row][column], sum)
            << form.name << ": " << row << ", " << column;
      }
  }
}

TEST(SparseProducts, PlacesAscend) {
  for (const Form &form : forms)
    for (int wrong : {0b0000, 0b0001, 0b1010}) {
      Product p(form);
      p.places[9][3] = wrong;
      std::string report = p.run();
      EXPECT_NE(report.find("metadata " + std::to_string(wrong) +
                            " of group 3 of row 9, whose places do not ascend"),
                std::string::npos)
          << report;
    }
}

TEST(SparseProducts, Refused) {
  Form selector = forms[4];
  selector.selector = 1;
  EXPECT_NE(Product(selector).run().find("a sparsity selector of 1"),
            std::string::npos);
  Form shape = {
      "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
      16, 16, 0};
  EXPECT_NE(Product(shape).run().find("not modelled"), std::string::npos);
}

/// Of wgmma each warp has the metadata of its 16 rows. A is in registers, B in
/// shared memory without a swizzle: 8 columns of 16 bytes stand together.
struct GroupProduct : Program {
  std::string run();

  int tid = intrinsic("read.ptx.sreg.tid.x", Values().add(32), {});
  int sync = intrinsic("barrier.cta.sync.aligned.all", {}, Values().add(32));
  int fenceProxy = intrinsic("fence.proxy.async.shared_cta", {}, {});
  int fence = intrinsic("wgmma.fence.sync.aligned", {}, {});
  int commit = intrinsic("wgmma.commit_group.sync.aligned", {}, {});
  int access = memory();
  int selector = 0;
  int stored[64][16], places[64][8], b[32][8];
  double got[64][8] = {};
};

std::string GroupProduct::run() {
  Values sums, operands;
  for (int i = 0; i < 4; ++i) {
    sums.add(32);
    operands.add(32, 1, i);
  }
  int wait = assembly("wgmma.wait_group.sync.aligned 0;", sums, operands);
  for (int i = 0; i < 4; ++i)
    operands.add(32);
  operands.add(64).add(32);
  int mma = assembly(
      "wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {$0, $1, $2, $3}, "
      "{$8, $9, $10, $11}, $12, $13, " +
          std::to_string(selector) + ", 1, 1, 1, 0;",
      sums, operands);
  return Program::run({.threads = 128, .shared = 1024, .seed = 1}, [&] {
    int t = int(execute(tid, {})), warp = t / 32, g = t % 32 / 4, q = t % 4;
    uint64_t base = tile_simt_shared();
    for (int k = 0; t == 0 && k < 32; ++k)
      for (int n = 0; n < 8; ++n)
        store<uint16_t>(access, base + k / 8 * 128 + n * 16 + k % 8 * 2,
                        uint16_t(simt_narrow(&simt_f16, b[k][n], false)));
    if (t == 0)
      execute(fenceProxy, {});
    execute(sync, {0});
    std::vector<uint32_t> words(4, simt_as_bits(5)), out(words);
    for (int i = 0; i < 4; ++i) {
      const int *from = stored[warp * 16 + g + i % 2 * 8] + i / 2 * 8 + q * 2;
      words.push_back(simt_narrow(&simt_f16, from[0], false) |
                      simt_narrow(&simt_f16, from[1], false) << 16);
    }
    uint64_t descriptor = (base & 0x3FFFF) >> 4 | uint64_t(128 >> 4) << 16 |
                          uint64_t(512 >> 4) << 32;
    words.push_back(uint32_t(descriptor));
    words.push_back(uint32_t(descriptor >> 32));
    uint32_t metadata = 0;
    for (int i = 0; q / 2 == selector && i < 8; ++i)
      metadata |= uint32_t(places[warp * 16 + g + i / 4 * 8][q % 2 * 4 + i % 4])
                  << 4 * i;
    words.push_back(metadata);
    execute(fence, {});
    tile_simt_execute(uint32_t(mma), words.data(), out.data());
    execute(commit, {});
    std::vector<uint32_t> sum(out);
    tile_simt_execute(uint32_t(wait), sum.data(), out.data());
    for (int i = 0; i < 4; ++i)
      got[warp * 16 + g + i / 2 * 8][2 * q + i % 2] =
          double(simt_as_float(out[i]));
  });
}

TEST(SparseProducts, OfWarpgroups) {
  const int pairs[6] = {0b0100, 0b1000, 0b1100, 0b1001, 0b1101, 0b1110};
  for (int selector : {0, 1}) {
    std::mt19937 random(7);
    GroupProduct p;
    p.selector = selector;
    int dense[64][32] = {};
    for (auto &row : p.b)
      for (int &x : row)
        x = int(random() % 7) - 3;
    for (int row = 0; row < 64; ++row)
      for (int group = 0; group < 8; ++group) {
        int pair = p.places[row][group] = pairs[random() % 6];
        for (int i = 0; i < 2; ++i)
          dense[row][4 * group + (pair >> 2 * i & 3)] =
              p.stored[row][2 * group + i] = int(random() % 7) - 3;
      }
    ASSERT_EQ(p.run(), "");
    for (int row = 0; row < 64; ++row)
      for (int column = 0; column < 8; ++column) {
        int sum = 5;
        for (int k = 0; k < 32; ++k)
          sum += dense[row][k] * p.b[k][column];
        EXPECT_EQ(p.got[row][column], sum) << row << ", " << column;
      }
    p.places[41][6] = 0;
    EXPECT_NE(p.run().find("metadata 0 of group 6 of row 41"),
              std::string::npos);
  }
}

} // namespace
