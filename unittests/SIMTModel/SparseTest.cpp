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

} // namespace
