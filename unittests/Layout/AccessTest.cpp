//===- AccessTest.cpp - Vectors, banks, matrix loads, tensor copies -------===//
//
// Part of the tile project, under the licence in the root of this repository.
//
//===----------------------------------------------------------------------===//

#include "Tile/Layout/Access.h"
#include "Tile/Layout/Algebra.h"
#include "Tile/Layout/MmaLayouts.h"

#include "TestLayouts.h"

using namespace tile::layout;
using namespace tile::layout::test;

/// 32 banks of 4 bytes, 128 bytes a phase: NVIDIA's shared memory.
static const BankModel kBanks{32, 4, 128};

/// (warp, lane, register) to offset, by the definition of both layouts.
static std::map<std::array<int64_t, 3>, int64_t>
accesses(const Layout &registers, const Layout &memory) {
  std::map<std::array<int64_t, 3>, int64_t> result;
  for (const Coord &coord : allCoords(registers.shape())) {
    for (const Position &p : allMeanings(registers, coord))
      result[{p[Axis::Warp], p[Axis::Lane], p[Axis::Reg]}] =
          meaning(memory, coord)[Axis::Offset];
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Tables and vectors
//===----------------------------------------------------------------------===//

TEST(Access, Table) {
  Random random(31);
  for (int round = 0; round < 300; ++round) {
    std::vector<int64_t> shape = {1 + random.upTo(5), 1 + random.upTo(7)};
    Layout registers =
        random.injective(shape, kThreadsAndRegs, false, random.upTo(2));
    Layout memory = *withSwizzle(random.any(shape, kMemory), random.swizzle());
    Result<AccessTable> table = accessTable(registers, memory);
    ASSERT_TRUE(table) << table.reason();
    auto expected = accesses(registers, memory);
    size_t filled = 0;
    for (int64_t w = 0; w < table->warps; ++w) {
      for (int64_t l = 0; l < table->lanes; ++l) {
        for (int64_t r = 0; r < table->regs; ++r) {
          auto it = expected.find({w, l, r});
          ASSERT_EQ(table->at(w, l, r), it == expected.end() ? -1 : it->second);
          filled += table->at(w, l, r) >= 0;
        }
      }
    }
    ASSERT_EQ(filled, expected.size());
  }
}

TEST(Access, TableReasons) {
  Layout memory = parsed("[4: 4 offset]");
  EXPECT_EQ(accessTable(parsed("[4: 2 lane, 2 none]"), memory).reason(),
            "expected one element at position 0, got (1) and another");
  EXPECT_EQ(accessTable(memory, memory).reason(),
            "expected a layout of registers, got '[4: 4 offset]'");
  EXPECT_EQ(accessTable(parsed("[4: 4 lane]"), parsed("[4: 4 lane]")).reason(),
            "expected a layout of memory, got '[4: 4 lane]'");
  EXPECT_FALSE(accessTable(parsed("[2: 2 lane]"), memory));
  EXPECT_FALSE(accessTable(parsed("[4: 4 lane*1099511627776]"), memory));
}

static bool vectorised(const Layout &registers, const Layout &memory,
                       int64_t width) {
  auto table = accesses(registers, memory);
  for (const auto &[where, offset] : table) {
    auto [warp, lane, reg] = where;
    int64_t first = reg / width * width;
    for (int64_t i = 0; i < width; ++i) {
      auto it = table.find({warp, lane, first + i});
      if (it == table.end() || it->second != offset - (reg - first) + i)
        return false;
    }
    if ((offset - (reg - first)) % width != 0)
      return false;
  }
  return true;
}

TEST(Access, VectorWidthIsItsDefinition) {
  Random random(32);
  std::map<int64_t, int> seen;
  for (int round = 0; round < 1500; ++round) {
    std::vector<int64_t> shape = {random.oneOf<int64_t>({2, 3, 4}),
                                  random.oneOf<int64_t>({4, 6, 8, 16})};
    Layout registers =
        random.injective(shape, kThreadsAndRegs, false, 0, round % 4 == 0);
    Layout memory =
        round % 2 ? *Layout::rowMajor(shape) : random.injective(shape, kMemory);
    if (round % 3 == 0)
      memory = *withSwizzle(memory, random.swizzle());
    int64_t expected = 8;
    while (expected > 1 && !vectorised(registers, memory, expected))
      expected /= 2;
    ++seen[expected];
    ASSERT_EQ(*maxVectorWidth(registers, memory, 8), expected)
        << registers << " on " << memory;
  }
  EXPECT_GE(seen.size(), 3u);
}

TEST(Access, VectorWidthByHand) {
  Layout mma = parsed("[16: 2 reg*2, 8 lane*4][8: 4 lane, 2 reg]");
  EXPECT_EQ(*maxVectorWidth(mma, *Layout::rowMajor({16, 8}), 8), 2);
  EXPECT_EQ(*maxVectorWidth(mma, parsed("[16: 16 offset][8: 8 offset*16]"), 8),
            1);
  Layout rows = parsed("[32: 32 lane][8: 8 reg]");
  EXPECT_EQ(*maxVectorWidth(rows, parsed("[32: 32 offset*8][8: 8 offset]"), 8),
            8);
  EXPECT_EQ(*maxVectorWidth(rows, parsed("[32: 32 offset*12][8: 8 offset]"), 8),
            4);
  EXPECT_EQ(*maxVectorWidth(rows, parsed("[32: 32 offset*9][8: 8 offset]"), 8),
            1);
  EXPECT_EQ(*maxVectorWidth(rows,
                            parsed("[32: 32 offset*8][8: 8 offset] "
                                   "swizzle(2, 2, 3)"),
                            8),
            4);
  // Three registers are no vector of two and a half.
  EXPECT_EQ(*maxVectorWidth(parsed("[3: 3 reg]"), parsed("[3: 3 offset]"), 4),
            1);
  EXPECT_FALSE(maxVectorWidth(mma, *Layout::rowMajor({16, 8}), 0));
}

//===----------------------------------------------------------------------===//
// Banks
//===----------------------------------------------------------------------===//

TEST(Banks, ByHand) {
  Layout row = parsed("[32: 32 reg][32: 32 lane]");
  Layout column = parsed("[32: 32 lane][32: 32 reg]");
  Layout plain = *Layout::rowMajor({32, 32});
  Layout padded = parsed("[32: 32 offset*33][32: 32 offset]");
  Layout swizzled = *withSwizzle(plain, {5, 0, 5});
  auto worst = [](const Layout &registers, const Layout &memory) {
    Result<BankReport> report =
        countBankConflicts(registers, memory, 32, 1, kBanks);
    EXPECT_TRUE(report) << report.reason();
    EXPECT_EQ(report->phases, 32);
    EXPECT_EQ(report->wavefronts, 32 * report->worst);
    return report->worst;
  };
  EXPECT_EQ(worst(row, plain), 1);
  EXPECT_EQ(worst(column, plain), 32);
  EXPECT_EQ(worst(column, padded), 1);
  EXPECT_EQ(worst(column, swizzled), 1);
  EXPECT_EQ(worst(row, swizzled), 1);
}

/// Eight lanes a phase read 16 bytes each, as the rows of one ldmatrix are.
TEST(Banks, WideAccesses) {
  Layout rows = parsed("[32: 32 lane][64: 8 reg*8, 8 reg]");
  Layout plain = *Layout::rowMajor({32, 64});
  Result<BankReport> report = countBankConflicts(rows, plain, 16, 8, kBanks);
  EXPECT_EQ(report->phases, 8 * 4);
  EXPECT_EQ(report->worst, 8);
  EXPECT_EQ(report->conflicts(), 8 * 4 * 7);
  report =
      countBankConflicts(rows, *withSwizzle(plain, {3, 3, 3}), 16, 8, kBanks);
  EXPECT_EQ(report->worst, 1);
  EXPECT_EQ(report->conflicts(), 0);
  // Swizzles of fewer bits leave two and four lanes on a bank.
  EXPECT_EQ(
      countBankConflicts(rows, *withSwizzle(plain, {2, 3, 3}), 16, 8, kBanks)
          ->worst,
      2);
  EXPECT_EQ(
      countBankConflicts(rows, *withSwizzle(plain, {1, 3, 3}), 16, 8, kBanks)
          ->worst,
      4);
}

TEST(Banks, AddressesByDefinition) {
  Random random(33);
  for (int round = 0; round < 500; ++round) {
    BankModel model{random.oneOf<int64_t>({16, 32, 64, 5}),
                    random.oneOf<int64_t>({4, 8}),
                    random.oneOf<int64_t>({64, 128, 256})};
    int64_t bytes = random.oneOf<int64_t>({1, 2, 4, 8, 16});
    std::vector<int64_t> addresses(random.oneOf<int64_t>({32, 64, 7}));
    for (int64_t &address : addresses)
      address = random.upTo(6) ? random.upTo(300) * bytes : -1;
    size_t group = model.phaseBytes / std::max(bytes, model.bankBytes);
    BankReport expected;
    for (size_t first = 0; first < addresses.size(); first += group) {
      int64_t most = 0;
      for (int64_t bank = 0; bank < model.banks; ++bank) {
        std::set<int64_t> words;
        for (size_t i = first; i < std::min(first + group, addresses.size());
             ++i) {
          for (int64_t b = 0; addresses[i] >= 0 && b < bytes; ++b) {
            int64_t word = (addresses[i] + b) / model.bankBytes;
            if (word % model.banks == bank)
              words.insert(word);
          }
        }
        most = std::max<int64_t>(most, words.size());
      }
      expected.phases += most > 0;
      expected.wavefronts += most;
      expected.worst = std::max(expected.worst, most);
    }
    Result<BankReport> got = countBankConflicts(addresses, bytes, model);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->phases, expected.phases);
    EXPECT_EQ(got->wavefronts, expected.wavefronts);
    EXPECT_EQ(got->worst, expected.worst);
  }
}

TEST(Banks, MarksAndReasons) {
  // Lanes 0 and 2, 1 and 3 meet on two banks; the second column is alone.
  Layout registers = parsed("[4: 4 lane][2: 2 reg]");
  Layout memory = parsed("[4: 4 offset][2: 2 offset*4]");
  BankModel two{2, 4, 16};
  std::vector<bool> all(8, true);
  EXPECT_EQ(*conflictingElements(registers, memory, 32, 1, two), all);
  std::vector<bool> none(8, false);
  EXPECT_EQ(*conflictingElements(registers, memory, 32, 1, kBanks), none);
  Layout uneven = parsed("[4: 2 offset*8, 2 offset][2: 2 offset*4]");
  EXPECT_EQ(*conflictingElements(registers, uneven, 32, 1, {8, 4, 16}), all);
  Layout first = parsed("[3: 3 lane]");
  EXPECT_EQ(*conflictingElements(first, parsed("[3: 2 offset*2, 2 offset]"), 32,
                                 1, two),
            (std::vector<bool>{true, false, true}));
  EXPECT_EQ(countBankConflicts(registers, memory, 32, 2, kBanks).reason(),
            "expected registers in vectors of 2 consecutive offsets, got "
            "'[4: 4 lane][2: 2 reg]' on '[4: 4 offset][2: 2 offset*4]'");
  EXPECT_EQ(countBankConflicts({0}, 256, kBanks).reason(),
            "expected an access of 1 to 128 bytes a lane, got 256");
  EXPECT_FALSE(countBankConflicts({0}, 4, {0, 4, 128}));
  EXPECT_FALSE(countBankConflicts({INT64_MAX}, 4, kBanks));
  EXPECT_FALSE(countBankConflicts(registers, memory, 4, 1, kBanks));
  EXPECT_FALSE(countBankConflicts(registers, memory, 12, 1, kBanks));
}

//===----------------------------------------------------------------------===//
// Matrix loads
//===----------------------------------------------------------------------===//

/// Executes the instructions as the PTX manual describes them and checks that
/// every register receives the element that the layout wants there.
static void simulateMatrixLoad(const MatrixAccess &access,
                               const Layout &registers, const Layout &memory,
                               int64_t elementBits) {
  auto wanted = accesses(registers, memory);
  int64_t perWord = 32 / elementBits;
  size_t checked = 0;
  for (int64_t warp = 0; warp < access.rows.extent(0); ++warp) {
    for (int64_t matrix = 0; matrix < access.rows.extent(1); ++matrix) {
      for (int64_t lane = 0; lane < 32; ++lane) {
        for (int64_t i = 0; i < perWord; ++i) {
          // Row and element in the row that this lane receives.
          int64_t row = access.trans ? 2 * (lane % 4) + i : lane / 4;
          int64_t element = access.trans ? lane / 4 : lane % 4 * perWord + i;
          int64_t start =
              meaning(access.rows, {warp, matrix, row})[Axis::Offset];
          ASSERT_EQ(start * elementBits % 128, 0);
          auto it = wanted.find({warp, lane, matrix * perWord + i});
          ASSERT_NE(it, wanted.end());
          ASSERT_EQ(start + element, it->second)
              << registers << " on " << memory;
          ++checked;
        }
      }
    }
  }
  EXPECT_EQ(checked, wanted.size());
}

static void expectMatrixAccess(const Layout &registers, const Layout &memory,
                               int64_t bits, int count, bool trans) {
  Result<MatrixAccess> access = matchMatrixAccess(registers, memory, bits);
  ASSERT_TRUE(access) << registers << " on " << memory << ": "
                      << access.reason();
  EXPECT_EQ(access->count, count);
  EXPECT_EQ(access->trans, trans);
  simulateMatrixLoad(*access, registers, memory, bits);
}

TEST(MatrixAccess, Fragments) {
  const MmaLayout &f16 = *findMmaLayout("mma.m16n8k16.b16");
  Layout a = parsed(f16.a), b = parsed(f16.b), c = parsed(f16.c);
  expectMatrixAccess(a, *Layout::rowMajor({16, 16}), 16, 4, false);
  expectMatrixAccess(a, parsed("[16: 16 offset][16: 16 offset*16]"), 16, 4,
                     true);
  expectMatrixAccess(b, *Layout::rowMajor({16, 8}), 16, 2, true);
  expectMatrixAccess(b, parsed("[16: 16 offset][8: 8 offset*16]"), 16, 2,
                     false);
  expectMatrixAccess(c, *Layout::rowMajor({16, 8}), 16, 2, false);
  expectMatrixAccess(parsed("[8: 8 lane*4][8: 4 lane, 2 reg]"),
                     *Layout::rowMajor({8, 8}), 16, 1, false);
  expectMatrixAccess(parsed(findMmaLayout("mma.m16n8k32.b8")->a),
                     *Layout::rowMajor({16, 32}), 8, 4, false);
  expectMatrixAccess(parsed(findMmaLayout("mma.m16n8k8.tf32")->a),
                     *Layout::rowMajor({16, 8}), 32, 4, false);
}

TEST(MatrixAccess, TilesWithSwizzle) {
  // A 64 x 64 tile of four warps in swizzled shared memory.
  Layout atom = parsed(findMmaLayout("mma.m16n8k16.b16")->a);
  Layout tile = *product(atom, parsed("[4: 4 warp][4: 4 reg]"));
  Layout memory = *withSwizzle(*Layout::rowMajor({64, 64}), {3, 3, 3});
  expectMatrixAccess(tile, memory, 16, 4, false);
  Result<MatrixAccess> access = matchMatrixAccess(tile, memory, 16, 2);
  EXPECT_EQ(access->count, 2);
  EXPECT_EQ(access->rows.swizzle(), (Swizzle{3, 3, 3}));
  // Padded rows, 16 bytes aligned.
  expectMatrixAccess(tile, parsed("[64: 64 offset*72][64: 64 offset]"), 16, 4,
                     false);
  // The accumulator of wgmma, stored by stmatrix.
  expectMatrixAccess(*wgmmaAccumulator(64), memory, 16, 4, false);
  expectMatrixAccess(*wgmmaAccumulator(8), *Layout::rowMajor({64, 8}), 16, 2,
                     false);
  Layout transposed = parsed("[64: 64 offset][64: 64 offset*64] "
                             "swizzle(3, 3, 3)");
  expectMatrixAccess(*wgmmaAccumulator(64), transposed, 16, 4, true);
}

TEST(MatrixAccess, Reasons) {
  Layout a = parsed("[8: 8 lane*4][8: 4 lane, 2 reg]");
  Layout memory = *Layout::rowMajor({8, 8});
  EXPECT_EQ(
      matchMatrixAccess(a, parsed("[8: 8 offset*12][8: 8 offset]"), 16)
          .reason(),
      "expected row 1 of matrix 0 at a multiple of 8, got offset 12; "
      "transposed: expected element 1 of row 0 of matrix 0 at offset 1, got "
      "offset 12");
  EXPECT_EQ(matchMatrixAccess(parsed("[8: 8 lane*8][8: 8 lane]"), memory, 16)
                .reason(),
            "expected 32 lanes, got 64");
  EXPECT_EQ(matchMatrixAccess(parsed("[8: 8 lane*4][4: 4 lane]"),
                              *Layout::rowMajor({8, 4}), 16)
                .reason(),
            "expected registers in whole 32-bit words, got 1 of 16 bits");
  EXPECT_FALSE(matchMatrixAccess(a, memory, 64));
  EXPECT_FALSE(matchMatrixAccess(a, memory, 16, 3));
  // Transposition is for 16 bits.
  EXPECT_FALSE(matchMatrixAccess(parsed("[8: 2 reg, 4 lane][8: 8 lane*4]"),
                                 *Layout::rowMajor({8, 8}), 32));
  // The mma's accumulator in 32 bits is no 8 x 4 matrix.
  EXPECT_FALSE(matchMatrixAccess(a, memory, 32));
}

//===----------------------------------------------------------------------===//
// Tensor copies
//===----------------------------------------------------------------------===//

/// Executes the copies: each box is filled densely from its start, and the
/// engine permutes the 16-byte chunks of the byte address. Checks that every
/// element arrives where the layout wants it.
static void simulateTma(const TmaBox &tma, const Layout &memory,
                        int64_t elementBits) {
  std::map<int64_t, Coord> arrived; // bit address -> element
  for (const Coord &b : allCoords(tma.boxes.shape())) {
    int64_t bit = meaning(tma.boxes, b)[Axis::Offset] * elementBits;
    ASSERT_EQ(bit / 8 % tma.alignment, 0);
    for (const Coord &i : allCoords(tma.box)) {
      Coord element;
      for (size_t d = 0; d < b.size(); ++d)
        element.push_back(b[d] * tma.box[d] + i[d]);
      int64_t byte = bit / 8;
      int64_t chunk = byte / 16 % 8, line = byte / 128;
      if (tma.swizzle == TmaSwizzle::B128)
        chunk ^= line % 8;
      if (tma.swizzle == TmaSwizzle::B64)
        chunk ^= line % 4;
      if (tma.swizzle == TmaSwizzle::B32)
        chunk ^= line % 2;
      int64_t swizzledByte = line * 128 + chunk * 16 + byte % 16;
      arrived[swizzledByte * 8 + bit % 8] = element;
      bit += elementBits;
    }
  }
  for (const Coord &coord : allCoords(memory.shape())) {
    int64_t bit = meaning(memory, coord)[Axis::Offset] * elementBits;
    ASSERT_TRUE(arrived.count(bit)) << memory;
    ASSERT_EQ(arrived[bit], coord) << memory;
  }
  for (int64_t extent : tma.box)
    EXPECT_LE(extent, 256);
}

static void expectTma(const char *text, int64_t bits, std::vector<int64_t> box,
                      TmaSwizzle swizzle, int64_t alignment) {
  Layout memory = parsed(text);
  Result<TmaBox> tma = matchTmaBox(memory, bits);
  ASSERT_TRUE(tma) << text << ": " << tma.reason();
  EXPECT_EQ(tma->box, box) << text;
  EXPECT_EQ(tma->swizzle, swizzle) << text;
  EXPECT_EQ(tma->alignment, alignment) << text;
  simulateTma(*tma, memory, bits);
}

TEST(Tma, Boxes) {
  expectTma("[64: 64 offset*64][64: 64 offset] swizzle(3, 3, 3)", 16, {64, 64},
            TmaSwizzle::B128, 1024);
  expectTma("[64: 64 offset*32][32: 32 offset] swizzle(2, 3, 3)", 16, {64, 32},
            TmaSwizzle::B64, 512);
  expectTma("[64: 64 offset*16][16: 16 offset] swizzle(1, 3, 3)", 16, {64, 16},
            TmaSwizzle::B32, 256);
  expectTma("[64: 64 offset*128][128: 128 offset] swizzle(3, 4, 3)", 8,
            {64, 128}, TmaSwizzle::B128, 1024);
  expectTma("[8: 8 offset*32][32: 32 offset] swizzle(3, 2, 3)", 32, {8, 32},
            TmaSwizzle::B128, 1024);
  expectTma("[16: 16 offset*256][256: 256 offset] swizzle(3, 5, 3)", 4,
            {16, 256}, TmaSwizzle::B128, 1024);
  // Two column blocks of 64.
  expectTma("[96: 96 offset*64][128: 2 offset*6144, 64 offset] "
            "swizzle(3, 3, 3)",
            16, {96, 64}, TmaSwizzle::B128, 1024);
  // More rows than a box may have.
  expectTma("[512: 512 offset*64][64: 64 offset] swizzle(3, 3, 3)", 16,
            {256, 64}, TmaSwizzle::B128, 1024);
  expectTma("[600: 600 offset*64][64: 64 offset] swizzle(3, 3, 3)", 16,
            {200, 64}, TmaSwizzle::B128, 1024);
  // No swizzle, odd sizes, three dimensions, stages.
  expectTma("[33: 33 offset*24][24: 24 offset]", 16, {33, 24}, TmaSwizzle::None,
            128);
  expectTma("[3: 3 offset*4096][5: 5 offset*64][64: 64 offset]", 16, {1, 5, 64},
            TmaSwizzle::None, 128);
  expectTma("[3: 3 offset*320][5: 5 offset*64][64: 64 offset]", 16, {3, 5, 64},
            TmaSwizzle::None, 128);
  expectTma("[512: 512 offset]", 32, {256}, TmaSwizzle::None, 128);
}

TEST(Tma, Reasons) {
  auto reason = [](const char *text, int64_t bits) {
    return matchTmaBox(parsed(text), bits).reason();
  };
  EXPECT_EQ(reason("[4: 4 offset*12][12: 12 offset]", 16),
            "expected inner rows of a multiple of 16 bytes, got 192 bits");
  EXPECT_EQ(reason("[4: 4 offset][12: 12 offset*4]", 16),
            "expected inner rows of a multiple of 16 bytes, got 16 bits");
  // Rows of 256 bytes under the 128-byte swizzle: one box a row, not aligned.
  EXPECT_EQ(reason("[64: 64 offset*128][128: 128 offset] swizzle(3, 3, 3)", 16),
            "expected boxes 1024 bytes aligned, got boxes 256 bytes apart");
  EXPECT_EQ(reason("[64: 64 offset*32][32: 32 offset] swizzle(3, 3, 3)", 16),
            "expected inner rows of 128 bytes under this swizzle, got 64");
  EXPECT_EQ(reason("[64: 64 offset*64][64: 64 offset] swizzle(3, 3, 4)", 16),
            "expected the swizzle of 32, 64 or 128 bytes on elements of 16 "
            "bits, got (3, 3, 4)");
  EXPECT_EQ(reason("[64: 64 offset*72][64: 64 offset]", 16),
            "expected boxes 128 bytes aligned, got boxes 144 bytes apart");
  EXPECT_EQ(reason("[4: 4 lane]", 16),
            "expected a layout of memory, got '[4: 4 lane]'");
  EXPECT_EQ(reason("[1][1][1][1][1][64: 64 offset]", 16),
            "expected rank 1 to 5, got 6");
  EXPECT_EQ(reason("[64: 64 offset]", 24),
            "expected elements of 1 to 128 bits, a power of two, got 24");
  EXPECT_FALSE(matchTmaBox(parsed("[2: 2 none][64: 64 offset]"), 16));
  EXPECT_FALSE(matchTmaBox(parsed("[64: 64 offset]"), 16, {5, 256, 0, 128}));
}

TEST(Tma, SwizzleModes) {
  for (int64_t bits : {4, 8, 16, 32, 64}) {
    for (TmaSwizzle mode :
         {TmaSwizzle::None, TmaSwizzle::B32, TmaSwizzle::B64, TmaSwizzle::B128})
      EXPECT_EQ(*tmaSwizzleOf(*swizzleOf(mode, bits), bits), mode);
  }
  EXPECT_EQ(swizzleBytes(TmaSwizzle::None), 0);
  EXPECT_EQ(swizzleBytes(TmaSwizzle::B32), 32);
  EXPECT_EQ(swizzleBytes(TmaSwizzle::B64), 64);
  EXPECT_EQ(swizzleBytes(TmaSwizzle::B128), 128);
  EXPECT_FALSE(swizzleOf(TmaSwizzle::B32, 0));
  EXPECT_FALSE(swizzleOf(TmaSwizzle::B32, 256));
}

/// Whatever is accepted must work.
TEST(Tma, RandomLayouts) {
  Random random(34);
  int accepted = 0;
  for (int round = 0; round < 3000; ++round) {
    std::vector<int64_t> shape = {random.oneOf<int64_t>({3, 8, 12}),
                                  random.oneOf<int64_t>({16, 24, 64, 128})};
    Layout memory = random.injective(shape, kMemory, true, 0, false);
    if (round % 3)
      memory = *withSwizzle(
          memory,
          *swizzleOf(random.oneOf<TmaSwizzle>(
                         {TmaSwizzle::B32, TmaSwizzle::B64, TmaSwizzle::B128}),
                     16));
    Result<TmaBox> tma = matchTmaBox(memory, 16);
    if (!tma)
      continue;
    ++accepted;
    simulateTma(*tma, memory, 16);
  }
  EXPECT_GT(accepted, 50);
}

TEST(Access, ElementsOfFourBits) {
  // Four lanes of a row read 8 bytes each; rows are 128 bytes apart.
  Layout threads = parsed("[8: 8 lane*4][64: 4 lane, 16 reg]");
  Layout plain = parsed("[8: 8 offset*256][64: 64 offset]");
  Layout swizzled = *withSwizzle(plain, {3, 5, 3});
  Result<BankReport> report = countBankConflicts(threads, plain, 4, 16, kBanks);
  ASSERT_TRUE(report) << report.reason();
  EXPECT_EQ(report->phases, 2);
  EXPECT_EQ(report->wavefronts, 8);
  report = countBankConflicts(threads, swizzled, 4, 16, kBanks);
  ASSERT_TRUE(report) << report.reason();
  EXPECT_EQ(report->wavefronts, 4);
  Result<std::vector<bool>> marks =
      conflictingElements(threads, plain, 4, 16, kBanks);
  ASSERT_TRUE(marks) << marks.reason();
  EXPECT_EQ(std::count(marks->begin(), marks->end(), true), 8 * 64);
}
