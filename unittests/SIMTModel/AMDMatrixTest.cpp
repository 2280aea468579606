//===- AMDMatrixTest.cpp - products of matrices on AMD GPUs ---------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each instruction against a plain product. The matrices are put into the
// registers element by element, by the formulas of AMD's matrix instruction
// calculator ("A[i][k].block Lane: ..."), and of AMD's pages on CDNA4.
//
//===----------------------------------------------------------------------===//

#include "AMDWave.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstring>

using namespace amdtest;

namespace {

/// Codes of 0, 1 and 2; the sign is the highest bit.
struct Element {
  const char *name;
  unsigned bits;
  uint64_t one, two;

  uint64_t code(int value) const {
    uint64_t magnitude = std::abs(value) == 2 ? two : std::abs(value) * one;
    if (!strcmp(name, "i8"))
      return uint8_t(value);
    return value < 0 ? magnitude | uint64_t(1) << (bits - 1) : magnitude;
  }
};

const Element f64 = {"f64", 64, 0x3ff0000000000000, 0x4000000000000000};
const Element f32 = {"f32", 32, 0x3f800000, 0x40000000};
const Element f16 = {"f16", 16, 0x3c00, 0x4000};
const Element bf16 = {"bf16", 16, 0x3f80, 0x4000};
const Element i8 = {"i8", 8, 1, 2};
const Element fp8Fnuz = {"f8E4M3FNUZ", 8, 0x40, 0x48};
const Element bf8Fnuz = {"f8E5M2FNUZ", 8, 0x40, 0x44};
const Element fp8 = {"f8E4M3FN", 8, 0x38, 0x40};
const Element bf8 = {"f8E5M2", 8, 0x3c, 0x40};
const Element fp6 = {"f6E2M3FN", 6, 0x08, 0x10};
const Element bf6 = {"f6E3M2FN", 6, 0x0c, 0x10};
const Element fp4 = {"f4E2M1FN", 4, 2, 4};

enum Sum { F32, F64, I32 };

struct Product {
  const char *chip, *name;
  int m, n, k, blocks;
  Element a, b;
  Sum sum;

  unsigned lanes() const { return chip[3] == '1' ? 32 : 64; }
};

struct Place {
  int lane, item;
};

/// Where A[outer][depth], or B[depth][outer], of a block is.
Place getOperandPlace(const Product &p, unsigned bits, int outer, int depth,
                      int block) {
  int side = p.m;
  int each = p.k * side * p.blocks / int(p.lanes());
  if (bits == 8 && each == 32) { // f8f6f4: runs of 16 bytes
    int half = depth / (p.k / 2), rest = depth % (p.k / 2);
    return {side * (rest / 16) + outer, 16 * half + rest % 16};
  }
  if (p.lanes() == 32 && bits == 16) // RDNA4
    return {16 * (depth / 4 % 2) + outer, 4 * (depth / 8) + depth % 4};
  return {side * (block + p.blocks * (depth / each)) + outer, depth % each};
}

Place getSumPlace(const Product &p, int i, int j, int block) {
  if (!strncmp(p.chip, "gfx11", 5))
    return {16 * i % 32 + j, i / 2};
  if (p.lanes() == 32)
    return {16 * (i / 8) + j, i % 8};
  if (p.m == 4)
    return p.sum == F64 ? Place{16 * (i % 4) + 4 * block + j, 0}
                        : Place{4 * block + j, i};
  if (p.sum == F64)
    return {16 * (i % 4) + j, i / 4};
  if (p.m == 16)
    return {16 * (i / 4) + j, 4 * block + i % 4};
  return {32 * (i / 4) % 64 + j, 16 * block + 4 * (i / 8) + i % 4};
}

void put(Words &words, unsigned bits, int item, uint64_t code) {
  for (unsigned bit = 0; bit < bits; ++bit) {
    unsigned at = item * bits + bit;
    if (at / 32 >= words.size())
      words.resize(at / 32 + 1);
    words[at / 32] |= uint32_t(code >> bit & 1) << at % 32;
  }
}

int small(int seed) { return (seed * 7 + seed / 5 * 3) % 5 - 2; }
int getA(int block, int i, int k) { return small(block * 37 + i * 11 + k); }
int getB(int block, int k, int j) { return small(block * 29 + k * 13 + j + 3); }
int getC(int block, int i, int j) { return small(block + i * 5 + j * 3); }

struct Registers {
  std::vector<Words> a, b, c;
};

Registers load(const Product &p) {
  Registers registers;
  registers.a.resize(p.lanes());
  registers.b = registers.c = registers.a;
  bool copies = !strncmp(p.chip, "gfx11", 5);
  for (int block = 0; block < p.blocks; ++block) {
    for (int outer = 0; outer < p.m; ++outer)
      for (int depth = 0; depth < p.k; ++depth) {
        // RDNA3: both halves of the wave have the whole of K.
        Place a = getOperandPlace(p, p.a.bits, outer, depth, block);
        Place b = getOperandPlace(p, p.b.bits, outer, depth, block);
        if (copies)
          a = b = {outer, depth};
        for (int copy = 0; copy <= int(copies); ++copy) {
          put(registers.a[a.lane + 16 * copy], p.a.bits, a.item,
              p.a.code(getA(block, outer, depth)));
          put(registers.b[b.lane + 16 * copy], p.b.bits, b.item,
              p.b.code(getB(block, depth, outer)));
        }
      }
    for (int i = 0; i < p.m; ++i)
      for (int j = 0; j < p.n; ++j) {
        Place at = getSumPlace(p, i, j, block);
        int value = getC(block, i, j);
        put(registers.c[at.lane], p.sum == F64 ? 64 : 32, at.item,
            p.sum == F64   ? f64.code(value)
            : p.sum == F32 ? f32.code(value)
                           : uint32_t(value));
      }
  }
  return registers;
}

double getSum(const Product &p, const std::vector<Words> &results, int i, int j,
              int block) {
  Place at = getSumPlace(p, i, j, block);
  const uint32_t *word = &results[at.lane][at.item * (p.sum == F64 ? 2 : 1)];
  double wide;
  float narrow;
  memcpy(&narrow, word, sizeof narrow);
  if (p.sum == F64)
    memcpy(&wide, word, sizeof wide);
  return p.sum == F64 ? wide : p.sum == F32 ? narrow : double(int32_t(*word));
}

void expectProduct(const Product &p, const std::vector<Words> &results,
                   std::function<double(int, int)> scale = nullptr) {
  for (int block = 0; block < p.blocks; ++block)
    for (int i = 0; i < p.m; ++i)
      for (int j = 0; j < p.n; ++j) {
        double expected = getC(block, i, j);
        for (int k = 0; k < p.k; ++k)
          expected += getA(block, i, k) * getB(block, k, j) *
                      (scale ? scale(i, k / 32) * scale(j + 1, k / 32) : 1);
        ASSERT_EQ(getSum(p, results, i, j, block), expected)
            << p.name << " [" << i << "][" << j << "] of block " << block;
      }
}

Shape getShape(const Words &words) { return {unsigned(words.size()) * 32}; }

void append(Words &words, const Words &more) {
  words.insert(words.end(), more.begin(), more.end());
}

void check(const Product &p) {
  Registers registers = load(p);
  bool integers = !strncmp(p.name, "wmma", 4) && p.sum == I32;
  bool mfma = !strncmp(p.name, "mfma", 4);
  Wave wave;
  wave.chip = p.chip;
  wave.lanes = p.lanes();
  wave.name = std::string("llvm.amdgcn.") + p.name;
  wave.result = getShape(registers.c[0]);
  Shape a = getShape(registers.a[0]), b = getShape(registers.b[0]);
  if (integers) // signed; not saturating
    wave.operands = {{1}, a, {1}, b, wave.result, {1}};
  else
    wave.operands = {a, b, wave.result};
  if (mfma)
    wave.operands.resize(6);
  auto results = wave.run([&](unsigned lane) {
    Words words = integers ? Words{1} : Words{};
    append(words, registers.a[lane]);
    if (integers)
      words.push_back(1);
    append(words, registers.b[lane]);
    append(words, registers.c[lane]);
    words.resize(words.size() + 3);
    return words;
  });
  ASSERT_EQ(wave.report, "") << p.name;
  expectProduct(p, results);
}

} // namespace

TEST(AMDMatrix, Gfx90a) {
  const char *chip = "gfx90a";
  check({chip, "mfma.f32.32x32x1f32", 32, 32, 1, 2, f32, f32, F32});
  check({chip, "mfma.f32.16x16x1f32", 16, 16, 1, 4, f32, f32, F32});
  check({chip, "mfma.f32.4x4x1f32", 4, 4, 1, 16, f32, f32, F32});
  check({chip, "mfma.f32.32x32x2f32", 32, 32, 2, 1, f32, f32, F32});
  check({chip, "mfma.f32.16x16x4f32", 16, 16, 4, 1, f32, f32, F32});
  check({chip, "mfma.f32.32x32x4f16", 32, 32, 4, 2, f16, f16, F32});
  check({chip, "mfma.f32.16x16x4f16", 16, 16, 4, 4, f16, f16, F32});
  check({chip, "mfma.f32.4x4x4f16", 4, 4, 4, 16, f16, f16, F32});
  check({chip, "mfma.f32.32x32x8f16", 32, 32, 8, 1, f16, f16, F32});
  check({chip, "mfma.f32.16x16x16f16", 16, 16, 16, 1, f16, f16, F32});
  check({chip, "mfma.f32.32x32x4bf16.1k", 32, 32, 4, 2, bf16, bf16, F32});
  check({chip, "mfma.f32.16x16x4bf16.1k", 16, 16, 4, 4, bf16, bf16, F32});
  check({chip, "mfma.f32.4x4x4bf16.1k", 4, 4, 4, 16, bf16, bf16, F32});
  check({chip, "mfma.f32.32x32x8bf16.1k", 32, 32, 8, 1, bf16, bf16, F32});
  check({chip, "mfma.f32.16x16x16bf16.1k", 16, 16, 16, 1, bf16, bf16, F32});
  check({chip, "mfma.i32.32x32x4i8", 32, 32, 4, 2, i8, i8, I32});
  check({chip, "mfma.i32.16x16x4i8", 16, 16, 4, 4, i8, i8, I32});
  check({chip, "mfma.i32.4x4x4i8", 4, 4, 4, 16, i8, i8, I32});
  check({chip, "mfma.i32.32x32x8i8", 32, 32, 8, 1, i8, i8, I32});
  check({chip, "mfma.i32.16x16x16i8", 16, 16, 16, 1, i8, i8, I32});
  check({chip, "mfma.f64.16x16x4f64", 16, 16, 4, 1, f64, f64, F64});
  check({chip, "mfma.f64.4x4x4f64", 4, 4, 4, 4, f64, f64, F64});
}

TEST(AMDMatrix, Gfx942) {
  const char *chip = "gfx942";
  check({chip, "mfma.i32.32x32x16.i8", 32, 32, 16, 1, i8, i8, I32});
  check({chip, "mfma.i32.16x16x32.i8", 16, 16, 32, 1, i8, i8, I32});
  check({chip, "mfma.f32.32x32x4.xf32", 32, 32, 4, 1, f32, f32, F32});
  check({chip, "mfma.f32.16x16x8.xf32", 16, 16, 8, 1, f32, f32, F32});
  const Element types[] = {fp8Fnuz, bf8Fnuz};
  const char *names[] = {"fp8", "bf8"};
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 2; ++b) {
      std::string types2 = std::string(names[a]) + "." + names[b];
      std::string tall = "mfma.f32.32x32x16." + types2;
      std::string flat = "mfma.f32.16x16x32." + types2;
      check({chip, tall.c_str(), 32, 32, 16, 1, types[a], types[b], F32});
      check({chip, flat.c_str(), 16, 16, 32, 1, types[a], types[b], F32});
    }
}

TEST(AMDMatrix, Gfx950) {
  const char *chip = "gfx950";
  check({chip, "mfma.f32.32x32x16.f16", 32, 32, 16, 1, f16, f16, F32});
  check({chip, "mfma.f32.16x16x32.f16", 16, 16, 32, 1, f16, f16, F32});
  check({chip, "mfma.f32.32x32x16.bf16", 32, 32, 16, 1, bf16, bf16, F32});
  check({chip, "mfma.f32.16x16x32.bf16", 16, 16, 32, 1, bf16, bf16, F32});
  check({chip, "mfma.i32.32x32x32.i8", 32, 32, 32, 1, i8, i8, I32});
  check({chip, "mfma.i32.16x16x64.i8", 16, 16, 64, 1, i8, i8, I32});
  check({chip, "mfma.f32.32x32x16.fp8.bf8", 32, 32, 16, 1, fp8, bf8, F32});
  check({chip, "mfma.f32.16x16x32.bf8.fp8", 16, 16, 32, 1, bf8, fp8, F32});
}

TEST(AMDMatrix, Wmma) {
  // bf16 has the type of integers there.
  for (const char *chip : {"gfx1100", "gfx1200"}) {
    check({chip, "wmma.f32.16x16x16.f16.v8f32.v16f16", 16, 16, 16, 1, f16, f16,
           F32});
    check({chip, "wmma.f32.16x16x16.bf16.v8f32.v16i16", 16, 16, 16, 1, bf16,
           bf16, F32});
    check({chip, "wmma.i32.16x16x16.iu8.v8i32.v4i32", 16, 16, 16, 1, i8, i8,
           I32});
  }
  check({"gfx1200", "wmma.f32.16x16x16.fp8.bf8.v8f32.v2i32", 16, 16, 16, 1, fp8,
         bf8, F32});
}

// Each type against each, with an exponent for every 32 elements of a row and
// of a column, in any byte of a register.
TEST(AMDMatrix, ScaledOfGfx950) {
  const Element types[] = {fp8, bf8, fp6, bf6, fp4};
  auto exponent = [](int outer, int part) { return (outer + part) % 3 - 1; };
  for (int side : {16, 32})
    for (int a = 0; a < 5; ++a)
      for (int b = 0; b < 5; ++b) {
        Product p = {"gfx950", "mfma.scale", side,     side,    2048 / side,
                     1,        types[a],     types[b], Sum::F32};
        Registers registers = load(p);
        Wave wave;
        wave.chip = p.chip;
        wave.name = side == 16
                        ? "llvm.amdgcn.mfma.scale.f32.16x16x128.f8f6f4.x.y"
                        : "llvm.amdgcn.mfma.scale.f32.32x32x64.f8f6f4.x.y";
        wave.result = getShape(registers.c[0]);
        wave.operands = {getShape(registers.a[0]), getShape(registers.b[0]),
                         wave.result};
        wave.operands.resize(9);
        unsigned byteA = a % 4, byteB = b % 4;
        auto results = wave.run([&](unsigned lane) {
          Words words = registers.a[lane];
          append(words, registers.b[lane]);
          append(words, registers.c[lane]);
          int outer = lane % side, part = lane / side;
          append(words,
                 {uint32_t(a), uint32_t(b), byteA,
                  uint32_t(127 + exponent(outer, part)) << 8 * byteA, byteB,
                  uint32_t(127 + exponent(outer + 1, part)) << 8 * byteB});
          return words;
        });
        ASSERT_EQ(wave.report, "");
        expectProduct(p, results, [&](int outer, int part) {
          return std::ldexp(1, exponent(outer, part));
        });
      }
}

static float multiplyOne(const char *chip, uint32_t a, uint32_t b,
                         const char *name) {
  Wave wave;
  wave.chip = chip;
  wave.name = name;
  wave.result = {128};
  wave.operands = {{64}, {64}, {128}, {}, {}, {}};
  auto results = wave.run([&](unsigned lane) {
    Words words(11);
    if (lane == 0)
      words[0] = a, words[2] = b;
    return words;
  });
  float value;
  memcpy(&value, &results[0][0], sizeof value);
  return value;
}

// gfx90a alone takes subnormal numbers for zero.
TEST(AMDMatrix, Subnormal) {
  const char *half = "llvm.amdgcn.mfma.f32.16x16x16f16";
  EXPECT_EQ(multiplyOne("gfx942", 0x0001, 0x3c00, half), 0x1p-24f);
  EXPECT_EQ(multiplyOne("gfx90a", 0x0001, 0x3c00, half), 0);
  EXPECT_EQ(multiplyOne("gfx90a", 0x0400, 0x3c00, half), 0x1p-14f);
  const char *brain = "llvm.amdgcn.mfma.f32.16x16x16bf16.1k";
  EXPECT_EQ(multiplyOne("gfx942", 0x0040, 0x3f80, brain), 0x1p-127f);
  EXPECT_EQ(multiplyOne("gfx90a", 0x0040, 0x3f80, brain), 0);
  // The sum of 2^-63 x 2^-70.
  EXPECT_EQ(multiplyOne("gfx942", 0x2000, 0x1c80, brain), 0x1p-133f);
  EXPECT_EQ(multiplyOne("gfx90a", 0x2000, 0x1c80, brain), 0);
}

TEST(AMDMatrix, Reports) {
  Wave wave;
  wave.name = "llvm.amdgcn.mfma.f32.16x16x16f16";
  wave.result = {128};
  wave.operands = {{64}, {64}, {128}, {}, {}, {}};
  wave.isActive = [](unsigned lane) { return lane != 5; };
  wave.run([](unsigned) { return Words(11); });
  EXPECT_NE(wave.report.find("expected all lanes of the wave, but lane 5 is "
                             "not here"),
            std::string::npos)
      << wave.report;
  wave.isActive = [](unsigned) { return true; };
  wave.run([](unsigned) {
    Words words(11);
    words[9] = 1;
    return words;
  });
  EXPECT_NE(wave.report.find("the model has no broadcast, permutation or "
                             "negation of operands in "
                             "'llvm.amdgcn.mfma.f32.16x16x16f16', got 1 in "
                             "operand 4"),
            std::string::npos)
      << wave.report;
  // RDNA3: both halves of a wave hold the same rows.
  wave = Wave();
  wave.chip = "gfx1100";
  wave.lanes = 32;
  wave.name = "llvm.amdgcn.wmma.f32.16x16x16.f16.v8f32.v16f16";
  wave.result = {256};
  wave.operands = {{256}, {256}, {256}};
  wave.run([](unsigned lane) {
    Words words(24);
    words[1] = lane == 19;
    return words;
  });
  EXPECT_NE(wave.report.find("expected lanes 3 and 19 to hold the same row, "
                             "got 0x00000000 and 0x00000001 in register 1"),
            std::string::npos)
      << wave.report;
}
