// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wgmma against a plain product, for all types, shapes of descriptors and
// fragments; and what it reports.

#include "HopperHarness.h"

#include <cmath>
#include <random>

namespace {

struct Type {
  const char *name;
  unsigned bytes;
  uint32_t (*encode)(int); ///< of integers from -4 to 4
};

uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}
/// A float of 8 bits with so many of fraction.
uint32_t small(int value, unsigned fraction, unsigned bias) {
  if (!value)
    return 0;
  uint32_t bits = bitsOf(float(value)), low = 23 - fraction;
  uint32_t exponent = (bits >> 23 & 0xFF) - 127 + bias;
  return (bits >> 31) << 7 | exponent << fraction |
         (bits >> low & ((1u << fraction) - 1));
}
uint32_t asF16(int v) {
  uint32_t bits = bitsOf(float(v));
  return v ? bits >> 31 << 15 | ((bits >> 23 & 0xFF) - 112) << 10 |
                 (bits >> 13 & 0x3FF)
           : 0;
}
uint32_t asBF16(int v) { return bitsOf(float(v)) >> 16; }
// tf32 ignores the lowest 13 bits.
uint32_t asTF32(int v) { return bitsOf(float(v)) | 0x1ABC; }
uint32_t asE4M3(int v) { return small(v, 3, 7); }
uint32_t asE5M2(int v) { return small(v, 2, 15); }
uint32_t asS8(int v) { return uint8_t(v); }
uint32_t asU8(int v) { return uint8_t(std::abs(v)); }

const Type f16 = {"f16", 2, asF16}, bf16 = {"bf16", 2, asBF16},
           tf32 = {"tf32", 4, asTF32}, e4m3 = {"e4m3", 1, asE4M3},
           e5m2 = {"e5m2", 1, asE5M2}, s8 = {"s8", 1, asS8},
           u8 = {"u8", 1, asU8};

struct Case {
  Type a, b;
  const char *sum;
  unsigned n;
  uint32_t span; ///< of the swizzle
  bool registers = false, aTransposed = false, bTransposed = false;
  bool negateA = false, negateB = false, clear = false;
  uint64_t seed = 0;
};

enum Omission {
  NONE,
  NO_FENCE,
  NO_PROXY_FENCE,
  NO_COMMIT,
  NO_WAIT,
  CHANGES_OPERAND,
  CHANGES_SUM,
  UNWRITTEN,
  STORES_SUM,
  SCALES_SUM,
  SCALES_BEFORE_WAIT,
};

/// What compiled code makes of a product of floats.
uint32_t scale(uint32_t word) {
  volatile float value;
  std::memcpy(const_cast<float *>(&value), &word, 4);
  value = value * 0.5f;
  std::memcpy(&word, const_cast<float *>(&value), 4);
  return word;
}

/// One swizzled row of K, or 64 bytes without a swizzle: several instructions.
enum { kDepth = 128 }; // bytes of the widest swizzle

class Product {
public:
  explicit Product(const Case &c, Omission omission = NONE);
  std::string run();
  void check() {
    EXPECT_EQ(run(), "");
    for (unsigned i = 0; i < 64; ++i)
      for (unsigned j = 0; j < c.n; ++j)
        ASSERT_EQ(result[i][j], expected(i, j)) << i << " " << j;
  }

private:
  double expected(unsigned i, unsigned j) const {
    double sum = c.clear ? 0 : start(i, j);
    int sign = (c.negateA ? -1 : 1) * (c.negateB ? -1 : 1);
    for (unsigned k = 0; k < depth; ++k)
      sum += sign * value(c.a, a[i][k]) * value(c.b, b[j][k]);
    return sum;
  }
  static int value(const Type &type, int v) {
    return type.encode == asU8 ? std::abs(v) : v;
  }
  static double start(unsigned i, unsigned j) { return int(i) - int(j % 16); }

  uint32_t offset(bool transposed, unsigned outer, unsigned k,
                  unsigned bytes) const;
  uint64_t describe(uint64_t address, bool transposed, unsigned outer,
                    unsigned step, unsigned bytes) const;
  void fill(uint64_t address, bool transposed, const int (*values)[kDepth],
            unsigned outer, const Type &type);
  void thread();
  void multiply(unsigned t, unsigned step, std::vector<uint32_t> &sums);

  Case c;
  Omission omission;
  unsigned depth, perStep, registers;
  int a[64][kDepth], b[256][kDepth];
  double result[64][256] = {};
  Program p;
  int tid, sync, fenceProxy, fence, commit, mma, wait, access;
};

Product::Product(const Case &theCase, Omission omission)
    : c(theCase), omission(omission) {
  unsigned bytes = c.a.bytes;
  depth = (c.span ? c.span : 64) / bytes;
  if (c.aTransposed || c.bTransposed)
    depth = 32;
  perStep = 32 / bytes;
  bool half = std::string(c.sum) == "f16";
  registers = c.n / (half ? 4 : 2);
  std::mt19937 random(c.n);
  for (auto &row : a)
    for (int &v : row)
      v = int(random() % 9) - 4;
  for (auto &row : b)
    for (int &v : row)
      v = int(random() % 9) - 4;
  tid = p.intrinsic("read.ptx.sreg.tid.x", Values().add(32), {});
  sync = p.intrinsic("barrier.cta.sync.aligned.all", {}, Values().add(32));
  fenceProxy = p.intrinsic("fence.proxy.async.shared_cta", {}, {});
  fence = p.intrinsic("wgmma.fence.sync.aligned", {}, {});
  commit = p.intrinsic("wgmma.commit_group.sync.aligned", {}, {});
  access = p.memory();
  std::string list = "{", text = "wgmma.mma_async.sync.aligned.m64n" +
                                 std::to_string(c.n) + "k" +
                                 std::to_string(perStep) + "." + c.sum + "." +
                                 c.a.name + "." + c.b.name + " ";
  Values results, operands;
  for (unsigned i = 0; i < registers; ++i) {
    list += (i ? ", $" : "$") + std::to_string(i);
    results.add(32);
    operands.add(32, 1, int(i));
  }
  list += "}, ";
  unsigned next = 2 * registers;
  wait = p.assembly("wgmma.wait_group.sync.aligned 0;", results, operands);
  auto operand = [&] { return "$" + std::to_string(next++); };
  if (c.registers) {
    list += "{" + operand();
    for (int i = 1; i < 4; ++i)
      list += ", " + operand();
    list += "}, ";
    for (int i = 0; i < 4; ++i)
      operands.add(32);
  } else {
    list += operand() + ", ";
    operands.add(64);
  }
  list += operand();
  operands.add(64);
  list += ", " + operand();
  operands.add(1);
  if (std::string(c.sum) != "s32")
    list +=
        std::string(c.negateA ? ", -1" : ", 1") + (c.negateB ? ", -1" : ", 1");
  if (bytes == 2) {
    if (!c.registers)
      list += c.aTransposed ? ", 1" : ", 0";
    list += c.bTransposed ? ", 1" : ", 0";
  }
  mma = p.assembly(text + list + ";", results, operands);
}

/// K-major, each row has its own line of the swizzle; otherwise each k has one
/// for `span` bytes of rows. Without a swizzle, 8 lines of 16 bytes stand
/// together.
uint32_t Product::offset(bool transposed, unsigned outer, unsigned k,
                         unsigned bytes) const {
  unsigned line = transposed ? k : outer,
           byte = (transposed ? outer : k) * bytes;
  if (!c.span)
    return transposed
               ? byte / 16 * 1024 + line / 8 * 128 + line % 8 * 16 + byte % 16
               : line / 8 * 512 + byte / 16 * 128 + line % 8 * 16 + byte % 16;
  uint32_t unit = byte % c.span / 16, perLine = 128 / c.span;
  unit ^= line / perLine % (c.span / 16);
  return byte / c.span * depth * c.span + line * c.span + unit * 16 + byte % 16;
}

uint64_t Product::describe(uint64_t address, bool transposed, unsigned outer,
                           unsigned step, unsigned bytes) const {
  (void)outer;
  uint64_t at = address + offset(transposed, 0, step * perStep, bytes);
  uint64_t mode = c.span == 128 ? 1 : c.span == 64 ? 2 : c.span == 32 ? 3 : 0;
  uint64_t leading, stride;
  if (c.span) {
    leading = transposed ? depth * c.span : 16;
    stride = 8 * c.span;
    // Within a line the step is a number of bytes that the swizzle is not
    // applied to yet.
    if (!transposed)
      at = address + step * 32;
  } else {
    leading = 128;
    stride = transposed ? 1024 : 512;
  }
  return (at & 0x3FFFF) >> 4 | leading >> 4 << 16 | stride >> 4 << 32 |
         mode << 62;
}

void Product::fill(uint64_t address, bool transposed,
                   const int (*values)[kDepth], unsigned outer,
                   const Type &type) {
  for (unsigned i = 0; i < outer; ++i)
    for (unsigned k = 0; k < depth; ++k) {
      uint32_t bits = type.encode(values[i][k]);
      uint64_t at = address + offset(transposed, i, k, type.bytes);
      if (type.bytes == 1)
        store<uint8_t>(access, at, uint8_t(bits));
      else if (type.bytes == 2)
        store<uint16_t>(access, at, uint16_t(bits));
      else
        store<uint32_t>(access, at, bits);
    }
}

void Product::multiply(unsigned t, unsigned step, std::vector<uint32_t> &sums) {
  uint64_t base = tile_simt_shared(), right = base + 32768;
  std::vector<uint32_t> words(sums);
  if (c.registers) {
    unsigned perWord = 4 / c.a.bytes;
    for (unsigned half = 0; half < 2; ++half)
      for (unsigned upper = 0; upper < 2; ++upper) {
        uint32_t word = 0;
        for (unsigned e = 0; e < perWord; ++e) {
          unsigned row = t / 32 * 16 + upper * 8 + t % 32 / 4;
          unsigned k =
              step * perStep + half * perStep / 2 + t % 4 * perWord + e;
          word |= c.a.encode(a[row][k]) << (e * 8 * c.a.bytes);
        }
        words.push_back(word);
      }
  } else {
    uint64_t d = describe(base, c.aTransposed, 64, step, c.a.bytes);
    words.insert(words.end(), {ADDRESS(d)});
  }
  uint64_t d = describe(right, c.bTransposed, c.n, step, c.b.bytes);
  words.insert(words.end(), {ADDRESS(d)});
  words.push_back(step > 0 || !c.clear);
  tile_simt_execute(uint32_t(mma), words.data(), sums.data());
}

/// The sums of a thread: rows 8 apart, pairs of columns.
template <typename F>
void forEachSum(unsigned t, unsigned n, F f) {
  unsigned index = 0;
  for (unsigned q = 0; q < n; q += 8)
    for (unsigned upper = 0; upper < 2; ++upper)
      for (unsigned e = 0; e < 2; ++e)
        f(index++, t / 32 * 16 + upper * 8 + t % 32 / 4, q + t % 4 * 2 + e);
}

void Product::thread() {
  unsigned t = execute(tid, {});
  uint64_t base = tile_simt_shared(), right = base + 32768;
  if (t == 0) {
    if (!c.registers)
      fill(base, c.aTransposed, a, 64, c.a);
    fill(right, c.bTransposed, b, omission == UNWRITTEN ? c.n - 1 : c.n, c.b);
    if (omission != NO_PROXY_FENCE)
      execute(fenceProxy, {});
  }
  execute(sync, {0});
  bool integer = std::string(c.sum) == "s32",
       half = std::string(c.sum) == "f16";
  std::vector<uint32_t> sums(registers);
  forEachSum(t, c.n, [&](unsigned i, unsigned row, unsigned column) {
    double v = start(row, column);
    if (half)
      sums[i / 2] |= asF16(int(v)) << (i % 2 * 16);
    else
      sums[i] = integer ? uint32_t(int32_t(v)) : bitsOf(float(v));
  });
  if (omission != NO_FENCE)
    execute(fence, {});
  for (unsigned step = 0; step < depth / perStep; ++step) {
    multiply(t, step, sums);
    if (omission == CHANGES_SUM && t == 77)
      sums[0] = 0;
    if (omission == SCALES_SUM)
      sums[0] = scale(sums[0]);
  }
  if (omission != NO_COMMIT)
    execute(commit, {});
  if (omission == CHANGES_OPERAND && t == 3)
    store<uint32_t>(access, right, 5);
  if (omission == STORES_SUM)
    store<uint32_t>(access, base + 4 * t, sums[0]);
  if (omission == SCALES_BEFORE_WAIT)
    sums[1] = scale(sums[1]);
  std::vector<uint32_t> words(sums);
  if (omission != NO_WAIT)
    tile_simt_execute(uint32_t(wait), words.data(), sums.data());
  forEachSum(t, c.n, [&](unsigned i, unsigned row, unsigned column) {
    float v;
    std::memcpy(&v, &sums[i % registers], 4);
    if (half) {
      uint32_t h = sums[i / 2] >> (i % 2 * 16) & 0xFFFF;
      v = std::ldexp(float(h & 0x3FF) + (h & 0x7C00 ? 1024.f : 0),
                     int(h >> 10 & 31) - 25 + !(h & 0x7C00));
      v = h >> 15 ? -v : v;
    }
    result[row][column] = integer ? double(int32_t(sums[i])) : double(v);
  });
  execute(sync, {0});
}

std::string Product::run() {
  Program::Options options;
  options.shared = 32768 + 65536;
  options.seed = c.seed;
  return p.run(options, [this] { thread(); });
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

TEST(HopperMatrix, Types) {
  struct {
    Type a, b;
    const char *sum;
  } types[] = {{f16, f16, "f32"},   {f16, f16, "f16"},   {bf16, bf16, "f32"},
               {tf32, tf32, "f32"}, {e4m3, e4m3, "f32"}, {e4m3, e5m2, "f32"},
               {e5m2, e4m3, "f16"}, {e5m2, e5m2, "f32"}, {s8, s8, "s32"},
               {u8, s8, "s32"},     {u8, u8, "s32"},     {s8, u8, "s32"}};
  for (const auto &t : types)
    for (bool registers : {false, true})
      for (uint32_t span : {0, 32, 64, 128}) {
        SCOPED_TRACE(std::string(t.a.name) + " " + t.b.name + " " + t.sum +
                     " " + std::to_string(span) +
                     (registers ? " registers" : ""));
        Product({.a = t.a,
                 .b = t.b,
                 .sum = t.sum,
                 .n = 24,
                 .span = span,
                 .registers = registers})
            .check();
      }
}

TEST(HopperMatrix, Transposes) {
  for (const Type &type : {f16, bf16})
    for (uint32_t span : {0, 32, 64, 128})
      for (int which : {1, 2, 3}) {
        SCOPED_TRACE(std::to_string(span) + " " + std::to_string(which));
        // Both have the same depth, so K-major tiles are as wide as that.
        if (which != 3 && span && span != 64)
          continue;
        Product({.a = type,
                 .b = type,
                 .sum = "f32",
                 .n = 128,
                 .span = span,
                 .aTransposed = (which & 1) != 0,
                 .bTransposed = (which & 2) != 0})
            .check();
      }
}

TEST(HopperMatrix, Columns) {
  for (unsigned n = 8; n <= 256; n += 8)
    Product({.a = f16, .b = f16, .sum = "f32", .n = n, .span = 128}).check();
}

TEST(HopperMatrix, ScalesAndSeeds) {
  for (uint64_t seed : {1, 2, 3})
    for (bool clear : {false, true})
      for (bool negateA : {false, true})
        for (bool negateB : {false, true})
          Product({.a = f16,
                   .b = f16,
                   .sum = "f32",
                   .n = 64,
                   .span = 128,
                   .registers = seed == 2,
                   .negateA = negateA,
                   .negateB = negateB,
                   .clear = clear,
                   .seed = seed})
              .check();
}

/// Two products on their way; the first is waited for alone, and its sums go
/// into a third.
TEST(HopperMatrix, GroupsEndInOrder) {
  for (uint64_t seed : {0, 1, 2, 3}) {
    Program p;
    Values sums, operands;
    for (unsigned i = 0; i < 4; ++i) {
      sums.add(32);
      operands.add(32, 1, int(i));
    }
    int one = p.assembly("wgmma.wait_group.sync.aligned 1;", sums, operands);
    int none = p.assembly("wgmma.wait_group.sync.aligned 0;", sums, operands);
    int mma = p.assembly("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
                         "{$0, $1, $2, $3}, $8, $9, 1, 1, 1, 0, 0;",
                         sums, Values(operands).add(64).add(64));
    int fence = p.intrinsic("wgmma.fence.sync.aligned", {}, {});
    int proxy = p.intrinsic("fence.proxy.async.shared_cta", {}, {});
    int commit = p.intrinsic("wgmma.commit_group.sync.aligned", {}, {});
    int tid = p.intrinsic("read.ptx.sreg.tid.x", Values().add(32), {});
    int sync =
        p.intrinsic("barrier.cta.sync.aligned.all", {}, Values().add(32));
    int access = p.memory();
    std::string report = p.run({.seed = seed}, [&] {
      uint64_t base = tile_simt_shared();
      if (execute(tid, {}) == 0) {
        // Ones, 16 of which are summed; 32 bytes a row, swizzled.
        for (unsigned i = 0; i < 64 * 16; ++i)
          store<uint16_t>(access, base + 2 * i, 0x3C00);
        execute(proxy, {});
      }
      execute(sync, {0});
      uint64_t d = (base & 0x3FFFF) >> 4 | uint64_t(1) << 16 |
                   uint64_t(16) << 32 | uint64_t(3) << 62;
      auto run = [&](int site, uint32_t *registers) {
        uint32_t words[] = {registers[0], registers[1], registers[2],
                            registers[3], ADDRESS(d),   ADDRESS(d)};
        tile_simt_execute(uint32_t(site), words, registers);
      };
      uint32_t first[4], second[4];
      for (int i = 0; i < 4; ++i)
        first[i] = bitsOf(float(i)), second[i] = bitsOf(float(10 * i));
      execute(fence, {});
      run(mma, first);
      execute(commit, {});
      execute(fence, {});
      run(mma, second);
      execute(commit, {});
      run(one, first);
      for (int i = 0; i < 4; ++i)
        EXPECT_EQ(first[i], bitsOf(float(i + 16)));
      // Those of the second are not there yet.
      uint32_t held[4];
      std::memcpy(held, second, sizeof(held));
      execute(fence, {});
      run(mma, first);
      run(mma, second);
      execute(commit, {});
      EXPECT_NE(std::memcmp(held, second, sizeof(held)), 0);
      run(none, first);
      run(none, second);
      for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(first[i], bitsOf(float(i + 32)));
        EXPECT_EQ(second[i], bitsOf(float(10 * i + 32)));
      }
    });
    EXPECT_EQ(report, "");
  }
}

/// The forms without registers: what is waited for is done, though the sums
/// stay where they are.
TEST(HopperMatrix, OtherForms) {
  for (bool waits : {true, false}) {
    Program p;
    Values sums, operands;
    for (unsigned i = 0; i < 4; ++i) {
      sums.add(32);
      operands.add(32, 1, int(i));
    }
    int mma = p.assembly("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
                         "{$0, $1, $2, $3}, $8, $9, 1, 1, 1, 0, 0;",
                         sums, Values(operands).add(64).add(64));
    int fence = p.assembly("wgmma.fence.sync.aligned;", {}, {});
    int commit = p.assembly("wgmma.commit_group.sync.aligned;", {}, {});
    int wait =
        p.intrinsic("wgmma.wait_group.sync.aligned", {}, Values().add(64));
    int proxy = p.intrinsic("fence.proxy.async.shared_cta", {}, {});
    int tid = p.intrinsic("read.ptx.sreg.tid.x", Values().add(32), {});
    int sync =
        p.intrinsic("barrier.cta.sync.aligned.all", {}, Values().add(32));
    int access = p.memory();
    std::string report = p.run({.seed = 1}, [&] {
      uint64_t base = tile_simt_shared();
      if (execute(tid, {}) == 0) {
        for (unsigned i = 0; i < 64 * 16; ++i)
          store<uint16_t>(access, base + 2 * i, 0x3C00);
        execute(proxy, {});
      }
      execute(sync, {0});
      uint64_t d = (base & 0x3FFFF) >> 4 | uint64_t(1) << 16 |
                   uint64_t(16) << 32 | uint64_t(3) << 62;
      uint32_t words[] = {0, 0, 0, 0, ADDRESS(d), ADDRESS(d)}, results[4] = {};
      execute(fence, {});
      tile_simt_execute(uint32_t(mma), words, results);
      execute(commit, {});
      if (waits)
        execute(wait, {0, 0});
    });
    EXPECT_EQ(report.empty(), waits) << report;
  }
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

TEST(HopperMatrix, OmissionsAreReported) {
  struct {
    Omission omission;
    const char *report;
  } cases[] = {
      {NO_FENCE, "expected wgmma.fence"},
      {NO_PROXY_FENCE, "race in shared memory"},
      {CHANGES_OPERAND, "race in shared memory"},
      {CHANGES_SUM, "got another value in register 0"},
      {UNWRITTEN, "which nobody has written"},
      {NO_COMMIT, "not waited for"},
      {NO_WAIT, "not waited for"},
      {STORES_SUM, "uses a register whose value is still on its way"},
      {SCALES_SUM, "got another value in register 0"},
      {SCALES_BEFORE_WAIT, "got what was computed from register 1"},
  };
  for (uint64_t seed : {0, 1, 2})
    for (const auto &o : cases) {
      std::string report = Product({.a = f16,
                                    .b = f16,
                                    .sum = "f32",
                                    .n = 16,
                                    .span = 128,
                                    .seed = seed},
                                   o.omission)
                               .run();
      EXPECT_NE(report.find(o.report), std::string::npos)
          << o.omission << " " << report;
    }
}

} // namespace
