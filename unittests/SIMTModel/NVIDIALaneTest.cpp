// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the lanes of a warp exchange, and matrices that they load and store, as
// intrinsics and as assembly, against the formulas of the PTX ISA.

#include "HopperHarness.h"

#include <algorithm>
#include <random>

namespace {

constexpr uint32_t kAll = UINT32_MAX;

struct Lanes : Program {
  int tid = intrinsic("read.ptx.sreg.tid.x", Values().add(32), {});
  int access = memory();
  uint32_t lane() { return execute(tid, {}); }
};

/// "Data Movement and Conversion Instructions: shfl.sync": the lane that is
/// read within segments of `width` lanes, or the own one.
uint32_t sourceOf(const std::string &mode, uint32_t lane, uint32_t distance,
                  uint32_t width) {
  uint32_t first = lane / width * width, last = first + width - 1;
  int64_t source = mode == "up"     ? int64_t(lane) - distance
                   : mode == "down" ? int64_t(lane) + distance
                   : mode == "bfly" ? int64_t(lane ^ distance)
                                    : int64_t(first | (distance % width));
  bool inside = mode == "up" ? source >= first : source <= last;
  return inside ? uint32_t(source) : lane;
}

TEST(NVIDIALanes, ShufflesOfAllModes) {
  for (const char *mode : {"up", "down", "bfly", "idx"})
    for (uint32_t width : {32u, 8u})
      for (uint32_t distance : {0u, 1u, 5u, 9u}) {
        // Of bfly and idx, lanes below the segment's first are read freely.
        if (distance >= width)
          continue;
        Lanes p;
        std::string type = std::string(mode) + ".b32 ";
        int assembly = p.assembly("shfl.sync." + type + "$0, $1, $2, $3, $4;",
                                  Values().add(32),
                                  Values().add(32).add(32).add(32).add(32));
        int call = p.intrinsic(std::string("shfl.sync.") + mode + ".i32",
                               Values().add(32),
                               Values().add(32).add(32).add(32).add(32));
        uint32_t clamp =
            (32 - width) << 8 | (std::string(mode) == "up" ? 0 : 31);
        std::string report = p.run({.threads = 32, .seed = 3}, [&] {
          uint32_t lane = p.lane(), value = lane * 7 + 1;
          uint32_t expected = sourceOf(mode, lane, distance, width) * 7 + 1;
          EXPECT_EQ(execute(assembly, {value, distance, clamp, kAll}), expected)
              << mode << " " << width << " " << distance << " " << lane;
          EXPECT_EQ(execute(call, {kAll, value, distance, clamp}), expected)
              << mode << " " << width << " " << distance << " " << lane;
        });
        EXPECT_EQ(report, "");
      }
}

TEST(NVIDIALanes, Votes) {
  // Of the lanes of the mask alone.
  for (uint32_t mask : {kAll, 0x0000FFF0u})
    for (uint32_t values : {0u, kAll, 0x00000F30u}) {
      Lanes p;
      Values both = Values().add(32).add(1);
      int all = p.intrinsic("vote.all.sync", Values().add(1), both);
      int any = p.intrinsic("vote.any.sync", Values().add(1), both);
      int uni = p.intrinsic("vote.uni.sync", Values().add(1), both);
      int ballot = p.intrinsic("vote.ballot.sync", Values().add(32), both);
      int text = p.assembly("{ .reg .pred p; mov.pred p, $1; "
                            "vote.sync.ballot.b32 $0, p, $2; }",
                            Values().add(32), Values().add(32).add(32));
      uint32_t set = values & mask;
      std::string report = p.run({.threads = 32}, [&] {
        uint32_t lane = p.lane(), own = values >> lane & 1;
        if (!(mask >> lane & 1))
          return;
        EXPECT_EQ(execute(all, {mask, own}), uint32_t(set == mask));
        EXPECT_EQ(execute(any, {mask, own}), uint32_t(set != 0));
        EXPECT_EQ(execute(uni, {mask, own}), uint32_t(set == 0 || set == mask));
        EXPECT_EQ(execute(ballot, {mask, own}), set);
        EXPECT_EQ(execute(text, {own, mask}), set);
      });
      EXPECT_EQ(report, "");
    }
}

TEST(NVIDIALanes, Matches) {
  Lanes p;
  int narrow = p.intrinsic("match.any.sync.i32", Values().add(32),
                           Values().add(32).add(32));
  int wide = p.intrinsic("match.any.sync.i64", Values().add(32),
                         Values().add(32).add(64));
  std::string report = p.run({.threads = 32}, [&] {
    uint32_t lane = p.lane(), same = 0;
    for (uint32_t other = 0; other < 32; ++other)
      same |= uint32_t(other % 5 == lane % 5) << other;
    EXPECT_EQ(execute(narrow, {kAll, lane % 5}), same);
    // The upper half counts.
    EXPECT_EQ(execute(wide, {kAll, 1, lane % 5}), same);
  });
  EXPECT_EQ(report, "");
}

TEST(NVIDIALanes, Reductions) {
  struct {
    const char *name;
    std::function<uint32_t(uint32_t, uint32_t)> combine;
  } kinds[] = {
      {"add", [](uint32_t a, uint32_t b) { return a + b; }},
      {"and", [](uint32_t a, uint32_t b) { return a & b; }},
      {"or", [](uint32_t a, uint32_t b) { return a | b; }},
      {"xor", [](uint32_t a, uint32_t b) { return a ^ b; }},
      {"umin", [](uint32_t a, uint32_t b) { return std::min(a, b); }},
      {"umax", [](uint32_t a, uint32_t b) { return std::max(a, b); }},
      {"min",
       [](uint32_t a, uint32_t b) {
         return uint32_t(std::min(int32_t(a), int32_t(b)));
       }},
      {"max",
       [](uint32_t a, uint32_t b) {
         return uint32_t(std::max(int32_t(a), int32_t(b)));
       }},
  };
  std::mt19937 random(5);
  for (const auto &kind : kinds)
    for (uint32_t mask : {kAll, 0xF0F00001u}) {
      uint32_t values[32], expected = 0;
      bool first = true;
      for (uint32_t lane = 0; lane < 32; ++lane) {
        values[lane] = uint32_t(random());
        if (!(mask >> lane & 1))
          continue;
        expected = first ? values[lane] : kind.combine(expected, values[lane]);
        first = false;
      }
      Lanes p;
      int redux = p.intrinsic(std::string("redux.sync.") + kind.name,
                              Values().add(32), Values().add(32).add(32));
      std::string report = p.run({.threads = 32, .seed = 2}, [&] {
        uint32_t lane = p.lane();
        if (!(mask >> lane & 1))
          return;
        EXPECT_EQ(execute(redux, {values[lane], mask}), expected) << kind.name;
      });
      EXPECT_EQ(report, "");
    }
}

TEST(NVIDIALanes, ActiveMask) {
  Lanes p;
  int call = p.intrinsic("activemask", Values().add(32), {});
  int text = p.assembly("activemask.b32 $0;", Values().add(32), {});
  std::string report = p.run({.threads = 32}, [&] {
    if (p.lane() % 4 != 1)
      return;
    EXPECT_EQ(execute(call, {}), 0x22222222u);
    EXPECT_EQ(execute(text, {}), 0x22222222u);
  });
  EXPECT_EQ(report, "");
}

TEST(NVIDIALanes, WarpBarrierOrders) {
  for (const char *form : {"intrinsic", "assembly", "nothing"}) {
    Lanes p;
    int call = p.intrinsic("bar.warp.sync", {}, Values().add(32));
    int text = p.assembly("bar.warp.sync $0;", {}, Values().add(32));
    std::string report = p.run({.threads = 32, .seed = 1}, [&] {
      uint32_t lane = p.lane();
      uint64_t at = tile_simt_shared();
      store<uint32_t>(p.access, at + 4 * lane, lane);
      if (*form != 'n')
        execute(*form == 'i' ? call : text, {kAll});
      EXPECT_EQ(load<uint32_t>(p.access, at + 4 * (31 - lane)), 31 - lane);
    });
    EXPECT_EQ(report.empty(), *form != 'n') << form << report;
  }
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

/// "ldmatrix", "stmatrix": element (row, column) of matrix m, or of what is
/// transposed.
uint16_t element(uint32_t m, uint32_t row, uint32_t column, bool transposed) {
  if (transposed)
    std::swap(row, column);
  return uint16_t(m * 100 + row * 8 + column);
}

/// Lane l has row l / 4, columns 2 * (l % 4) and the next.
uint32_t fragment(uint32_t m, uint32_t lane, bool transposed) {
  uint32_t row = lane / 4, column = lane % 4 * 2;
  return element(m, row, column, transposed) |
         uint32_t(element(m, row, column + 1, transposed)) << 16;
}

std::string registersOf(uint32_t count, uint32_t first) {
  std::string text = "{";
  for (uint32_t i = 0; i < count; ++i)
    text += (i ? ", $" : "$") + std::to_string(first + i);
  return text + "}";
}

TEST(NVIDIALanes, LoadMatrices) {
  for (uint32_t count : {1u, 2u, 4u})
    for (bool transposed : {false, true}) {
      Lanes p;
      std::string name = "ldmatrix.sync.aligned.m8n8.x" +
                         std::to_string(count) + (transposed ? ".trans" : "");
      Values results;
      for (uint32_t i = 0; i < count; ++i)
        results.add(32);
      int text = p.assembly(name + ".shared.b16 " + registersOf(count, 0) +
                                ", [$" + std::to_string(count) + "];",
                            results, Values().add(64));
      int call = p.intrinsic(name + ".b16.p3", Values().add(32, count),
                             Values().add(64));
      int sync = p.intrinsic("bar.warp.sync", {}, Values().add(32));
      std::string report = p.run({.threads = 32}, [&] {
        uint32_t lane = p.lane();
        uint64_t at = tile_simt_shared() + 16 * lane;
        for (uint32_t i = 0; i < 8; ++i)
          store<uint16_t>(p.access, at + 2 * i,
                          element(lane / 8, lane % 8, i, false));
        execute(sync, {kAll});
        for (int site : {text, call}) {
          uint32_t words[] = {ADDRESS(at)}, got[4];
          tile_simt_execute(uint32_t(site), words, got);
          for (uint32_t m = 0; m < count; ++m)
            EXPECT_EQ(got[m], fragment(m, lane, transposed)) << name;
        }
      });
      EXPECT_EQ(report, "");
    }
}

TEST(NVIDIALanes, StoreMatrices) {
  for (uint32_t count : {1u, 2u, 4u})
    for (bool transposed : {false, true})
      for (bool intrinsic : {false, true}) {
        Lanes p;
        std::string name = "stmatrix.sync.aligned.m8n8.x" +
                           std::to_string(count) + (transposed ? ".trans" : "");
        Values operands = Values().add(64);
        for (uint32_t i = 0; i < count; ++i)
          operands.add(32);
        int site = intrinsic ? p.intrinsic(name + ".b16.p3", {}, operands)
                             : p.assembly(name + ".shared.b16 [$0], " +
                                              registersOf(count, 1) + ";",
                                          {}, operands);
        int sync = p.intrinsic("bar.warp.sync", {}, Values().add(32));
        std::string report = p.run({.threads = 32}, [&] {
          uint32_t lane = p.lane();
          uint64_t base = tile_simt_shared(), at = base + 16 * lane;
          uint32_t words[6] = {ADDRESS(at)};
          for (uint32_t m = 0; m < count; ++m)
            words[2 + m] = fragment(m, lane, transposed);
          tile_simt_execute(uint32_t(site), words, nullptr);
          execute(sync, {kAll});
          for (uint32_t i = lane; i < 64 * count; i += 32)
            EXPECT_EQ(load<uint16_t>(p.access, base + 2 * i),
                      element(i / 64, i / 8 % 8, i % 8, false))
                << name;
        });
        EXPECT_EQ(report, "");
      }
}

//===----------------------------------------------------------------------===//
// Products of doubles
//===----------------------------------------------------------------------===//

/// "Matrix Fragments for mma.m8n8k4 with .f64", "m16n8k4", "m16n8k8" and
/// "m16n8k16": register i of A is in row g + 8 * (i % 2), column t + 4 * (i /
/// 2) (of m8n8k4 there is one); of B in row t + 4 * i, column g; of C in row g
/// + 8 * (i / 2), column 2 * t + i % 2.
TEST(NVIDIALanes, ProductsOfDoubles) {
  struct {
    uint32_t m, k;
  } shapes[] = {{8, 4}, {16, 4}, {16, 8}, {16, 16}};
  for (auto [m, k] : shapes) {
    double a[16][16], b[16][8], got[16][8] = {};
    for (uint32_t i = 0; i < k; ++i) {
      for (uint32_t row = 0; row < m; ++row)
        a[row][i] = row + i * 0.25 - 3;
      for (uint32_t column = 0; column < 8; ++column)
        b[i][column] = int(i * 3 + column) % 7 - 2.5;
    }
    uint32_t halves = m / 8, ofA = halves * k / 4, ofB = k / 4,
             ofC = 2 * halves;
    Lanes p;
    Values sums, operands;
    for (uint32_t i = 0; i < ofC; ++i)
      sums.add(64);
    for (uint32_t i = 0; i < ofA + ofB; ++i)
      operands.add(64);
    for (uint32_t i = 0; i < ofC; ++i)
      operands.add(64, 1, int(i));
    int site = p.assembly(
        "mma.sync.aligned.m" + std::to_string(m) + "n8k" + std::to_string(k) +
            ".row.col.f64.f64.f64.f64 " + registersOf(ofC, 0) + ", " +
            registersOf(ofA, ofC) + ", " + registersOf(ofB, ofC + ofA) + ", " +
            registersOf(ofC, 0) + ";",
        sums, operands);
    std::string report = p.run({.threads = 32, .seed = 1}, [&] {
      uint32_t lane = p.lane(), g = lane / 4, t = lane % 4;
      double values[16], results[4];
      for (uint32_t i = 0; i < ofA; ++i)
        values[i] = halves == 1 ? a[g][t] : a[g + 8 * (i % 2)][t + 4 * (i / 2)];
      for (uint32_t i = 0; i < ofB; ++i)
        values[ofA + i] = b[t + 4 * i][g];
      for (uint32_t i = 0; i < ofC; ++i)
        values[ofA + ofB + i] = 0.5;
      uint32_t words[32], out[8];
      std::memcpy(words, values, sizeof(words));
      tile_simt_execute(uint32_t(site), words, out);
      std::memcpy(results, out, sizeof(results));
      for (uint32_t i = 0; i < ofC; ++i)
        got[g + 8 * (i / 2)][2 * t + i % 2] = results[i];
    });
    EXPECT_EQ(report, "");
    for (uint32_t row = 0; row < m; ++row)
      for (uint32_t column = 0; column < 8; ++column) {
        double sum = 0.5;
        for (uint32_t i = 0; i < k; ++i)
          sum += a[row][i] * b[i][column];
        EXPECT_EQ(got[row][column], sum) << m << " " << k;
      }
  }
}

} // namespace
