// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions of single threads of NVIDIA GPUs, in each form that they have:
// registers, arithmetic, fences, named barriers, cp.async, what ends a kernel.

#include "HopperHarness.h"

#include <cmath>

namespace {

uint32_t bits(float value) {
  uint32_t word;
  std::memcpy(&word, &value, 4);
  return word;
}

float number(uint32_t word) {
  float value;
  std::memcpy(&value, &word, 4);
  return value;
}

struct Threads : Program {
  int tid = intrinsic("read.ptx.sreg.tid.x", Values().add(32), {});
  int block = intrinsic("read.ptx.sreg.ctaid.x", Values().add(32), {});
  int access = memory();
  uint32_t thread() { return execute(tid, {}); }
};

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

TEST(NVIDIAThreads, SpecialRegisters) {
  struct {
    const char *name;
    uint32_t (*expected)(uint32_t thread, uint32_t block);
  } registers[] = {
      {"%tid.x", [](uint32_t t, uint32_t) { return t; }},
      {"%tid.y", [](uint32_t, uint32_t) { return 0u; }},
      {"%ntid.x", [](uint32_t, uint32_t) { return 96u; }},
      {"%ntid.z", [](uint32_t, uint32_t) { return 1u; }},
      {"%ctaid.x", [](uint32_t, uint32_t b) { return b; }},
      {"%nctaid.x", [](uint32_t, uint32_t) { return 2u; }},
      {"%laneid", [](uint32_t t, uint32_t) { return t % 32; }},
      {"%warpid", [](uint32_t t, uint32_t) { return t / 32; }},
      {"%lanemask_eq", [](uint32_t t, uint32_t) { return 1u << t % 32; }},
      {"%lanemask_lt", [](uint32_t t, uint32_t) { return (1u << t % 32) - 1; }},
      {"%lanemask_ge", [](uint32_t t, uint32_t) { return ~0u << t % 32; }},
      {"%lanemask_le",
       [](uint32_t t, uint32_t) { return ~0u >> (31 - t % 32); }},
      {"%lanemask_gt",
       [](uint32_t t, uint32_t) { return ~(~0u >> (31 - t % 32)); }},
  };
  for (const auto &r : registers) {
    Threads p;
    std::string name = r.name;
    int text = p.assembly("mov.u32 $0, " + name + ";", Values().add(32), {});
    bool mask = name.find("mask") != std::string::npos;
    std::string call = mask ? "lanemask." + name.substr(10) : name.substr(1);
    int intrinsic = p.intrinsic("read.ptx.sreg." + call, Values().add(32), {});
    Program::Options options;
    options.threads = 96, options.blocks = 2;
    std::string report = p.run(options, [&] {
      uint32_t expected = r.expected(p.thread(), execute(p.block, {}));
      EXPECT_EQ(execute(text, {}), expected) << name;
      EXPECT_EQ(execute(intrinsic, {}), expected) << name;
    });
    EXPECT_EQ(report, "");
  }
}

TEST(NVIDIAThreads, RegistersOfClusters) {
  for (uint32_t size : {1u, 2u}) {
    Threads p;
    int count = p.intrinsic("read.ptx.sreg.nclusterid.x", Values().add(32), {});
    int each =
        p.intrinsic("read.ptx.sreg.cluster.nctaid.x", Values().add(32), {});
    int has = p.intrinsic("is_explicit_cluster", Values().add(1), {});
    Program::Options options;
    options.threads = 1, options.blocks = 6, options.cluster = size;
    std::string report = p.run(options, [&] {
      EXPECT_EQ(execute(count, {}), 6 / size);
      EXPECT_EQ(execute(each, {}), size);
      EXPECT_EQ(execute(has, {}), uint32_t(size > 1));
    });
    EXPECT_EQ(report, "");
  }
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

TEST(NVIDIAThreads, Functions) {
  struct {
    const char *text, *call;
    double (*function)(double);
  } functions[] = {
      {"ex2.approx.ftz.f32", "ex2.approx.ftz.f", std::exp2},
      {"lg2.approx.ftz.f32", "lg2.approx.ftz.f", std::log2},
      {"rcp.approx.ftz.f32", "rcp.approx.ftz.f",
       [](double x) { return 1 / x; }},
      {"rsqrt.approx.ftz.f32", "rsqrt.approx.ftz.f",
       [](double x) { return 1 / std::sqrt(x); }},
      {"sqrt.approx.ftz.f32", "sqrt.approx.ftz.f", std::sqrt},
      {"sin.approx.ftz.f32", "sin.approx.ftz.f", std::sin},
      {"cos.approx.ftz.f32", "cos.approx.ftz.f", std::cos},
      {"tanh.approx.f32", "tanh.approx.f32", std::tanh},
  };
  for (const auto &f : functions) {
    Threads p;
    int text = p.assembly(std::string(f.text) + " $0, $1;", Values().add(32),
                          Values().add(32));
    int call = p.intrinsic(f.call, Values().add(32), Values().add(32));
    std::string report = p.run({.threads = 1}, [&] {
      for (float x : {0.25f, 1.0f, 1.75f, 3.0f, 11.5f})
        for (int site : {text, call}) {
          double expected = f.function(double(x));
          EXPECT_NEAR(number(execute(site, {bits(x)})), expected,
                      1e-6 * std::fabs(expected) + 1e-7)
              << f.text << " " << x;
        }
    });
    EXPECT_EQ(report, "");
  }
}

TEST(NVIDIAThreads, SubnormalResultsAreFlushedWhereTheNameSaysSo) {
  Threads p;
  int flushes = p.assembly("ex2.approx.ftz.f32 $0, $1;", Values().add(32),
                           Values().add(32));
  int keeps =
      p.assembly("ex2.approx.f32 $0, $1;", Values().add(32), Values().add(32));
  std::string report = p.run({.threads = 1}, [&] {
    EXPECT_EQ(execute(flushes, {bits(-130.0f)}), 0u);
    EXPECT_EQ(execute(keeps, {bits(-130.0f)}), bits(std::ldexp(1.0f, -130)));
  });
  EXPECT_EQ(report, "");
}

TEST(NVIDIAThreads, Divisions) {
  Threads p;
  Values two = Values().add(32).add(32);
  int sites[] = {
      p.assembly("div.full.f32 $0, $1, $2;", Values().add(32), two),
      p.assembly("div.approx.f32 $0, $1, $2;", Values().add(32), two),
      p.intrinsic("div.approx.f", Values().add(32), two)};
  std::string report = p.run({.threads = 1}, [&] {
    for (int site : sites)
      for (float x : {1.0f, -7.5f, 1e10f})
        EXPECT_EQ(execute(site, {bits(x), bits(3.0f)}), bits(x / 3.0f));
  });
  EXPECT_EQ(report, "");
}

TEST(NVIDIAThreads, LogicOfThree) {
  for (uint32_t table : {0xE8u, 0x96u, 0xCAu, 0x01u}) {
    Threads p;
    int site =
        p.assembly("lop3.b32 $0, $1, $2, $3, " + std::to_string(table) + ";",
                   Values().add(32), Values().add(32).add(32).add(32));
    uint32_t a = 0xF0F0A5A5, b = 0xCC00CCFF, c = 0x12345678, expected = 0;
    for (int bit = 0; bit < 32; ++bit)
      expected |=
          (table >> ((a >> bit & 1) * 4 + (b >> bit & 1) * 2 + (c >> bit & 1)) &
           1)
          << bit;
    std::string report = p.run({.threads = 1}, [&] {
      EXPECT_EQ(execute(site, {a, b, c}), expected);
    });
    EXPECT_EQ(report, "");
  }
}

TEST(NVIDIAThreads, Permute) {
  struct {
    uint32_t a, b, selector, expected;
  } cases[] = {
      {0x44332211, 0x88776655, 0x3210, 0x44332211},
      {0x44332211, 0x88776655, 0x7654, 0x88776655},
      {0x44332211, 0x88776655, 0x6622, 0x77773333},
      // Copies of signs, and bits above the selectors.
      {0x00FF7F80, 0x0080017F, 0xABCD0000 | 0x8889, 0xFFFFFF00},
      {0x00FF7F80, 0x0080017F, 0xEA9C, 0xFFFF0000},
  };
  for (auto &c : cases) {
    Threads p;
    int site =
        p.intrinsic("prmt", Values().add(32), Values().add(32).add(32).add(32));
    std::string report = p.run({.threads = 1}, [&] {
      EXPECT_EQ(execute(site, {c.a, c.b, c.selector}), c.expected);
    });
    EXPECT_EQ(report, "");
  }
}

//===----------------------------------------------------------------------===//
// Fences
//===----------------------------------------------------------------------===//

/// Block 1 writes, fences and sets a flag; block 0 polls it, sleeping, fences
/// and reads.
std::string runMessage(const char *fence, bool assembly, uint64_t seed) {
  Threads p;
  Global<uint32_t> data(1), flag(1);
  flag[0] = 0;
  flag.filled();
  int fences = -1;
  if (fence)
    fences = assembly ? p.assembly(std::string(fence) + ";", {}, {})
                      : p.intrinsic(fence, {}, {});
  int sleep = assembly ? p.assembly("nanosleep.u32 20;", {}, {})
                       : p.intrinsic("nanosleep", {}, Values().add(32));
  uint32_t site = uint32_t(p.access);
  Program::Options options;
  options.threads = 1, options.blocks = 2, options.seed = seed;
  return p.run(options, [&] {
    if (execute(p.block, {}) == 1) {
      store<uint32_t>(p.access, data.address(), 7);
      if (fence)
        execute(fences, {});
      uint32_t one = 1;
      tile_simt_store(flag.address(), 4, 4, TILE_SIMT_ATOMIC, site, &one);
      flag[0] = 1;
      return;
    }
    do {
      execute(sleep, {20});
      tile_simt_load(flag.address(), 4, 4, TILE_SIMT_ATOMIC | TILE_SIMT_POLL,
                     site);
    } while (!flag[0]);
    if (fence)
      execute(fences, {});
    EXPECT_EQ(load<uint32_t>(p.access, data.address()), 7u);
  });
}

TEST(NVIDIAThreads, FencesOrderMessages) {
  for (uint64_t seed : {0, 1, 2}) {
    EXPECT_EQ(runMessage("membar.gl", false, seed), "");
    EXPECT_EQ(runMessage("membar.gl", true, seed), "");
    EXPECT_EQ(runMessage("fence.acq_rel.gpu", true, seed), "");
    EXPECT_EQ(runMessage("fence.sc.gpu", true, seed), "");
    EXPECT_NE(runMessage(nullptr, true, seed).find("race in global memory"),
              std::string::npos);
  }
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

TEST(NVIDIAThreads, BarriersOfTheBlock) {
  struct {
    const char *text, *call;
  } forms[] = {{"bar.sync 0;", nullptr},
               {"barrier.sync 3;", nullptr},
               {"barrier.sync.aligned 3, 64;", nullptr},
               {"barrier.cta.sync 3;", nullptr},
               {"barrier.cta.sync.aligned 3, 64;", nullptr},
               {nullptr, "barrier0"}};
  for (const auto &form : forms) {
    Threads p;
    int site = form.text ? p.assembly(form.text, {}, {})
                         : p.intrinsic(form.call, {}, {});
    std::string report = p.run({.threads = 64, .seed = 1}, [&] {
      uint64_t at = tile_simt_shared();
      uint32_t t = p.thread();
      store<uint32_t>(p.access, at + 4 * t, t);
      execute(site, {});
      EXPECT_EQ(load<uint32_t>(p.access, at + 4 * (63 - t)), 63 - t);
    });
    EXPECT_EQ(report, "") << (form.text ? form.text : form.call);
  }
}

/// A named barrier at which half of the threads only arrive.
TEST(NVIDIAThreads, NamedBarriers) {
  for (const char *family : {"bar", "barrier", "barrier.cta"})
    for (bool waits : {true, false}) {
      Threads p;
      std::string name = family;
      int arrive = p.assembly(name + ".arrive 5, 64;", {}, {});
      int sync = p.assembly(name + ".sync 5, 64;", {}, {});
      std::string report = p.run({.threads = 64, .seed = 2}, [&] {
        uint32_t t = p.thread();
        uint64_t at = tile_simt_shared() + 4 * (t % 32);
        if (t < 32) {
          store<uint32_t>(p.access, at, t);
          execute(arrive, {});
          return;
        }
        if (waits)
          execute(sync, {});
        load<uint32_t>(p.access, at);
      });
      EXPECT_EQ(report.empty(), waits) << name << report;
    }
}

//===----------------------------------------------------------------------===//
// cp.async
//===----------------------------------------------------------------------===//

/// A copy of each width by one thread. With `given`, the bytes behind it are
/// zeros.
void checkCopy(const std::string &cache, uint32_t bytes, bool assembly,
               bool all, bool waits) {
  Threads p;
  Global<uint8_t> from(16);
  for (uint8_t i = 0; i < 16; ++i)
    from[i] = uint8_t(i + 1);
  from.filled();
  std::string name = "cp.async." + cache + ".shared";
  int copy = assembly
                 ? p.assembly(name + ".global [$0], [$1], " +
                                  std::to_string(bytes) + ", $2;",
                              {}, Values().add(64).add(64).add(32))
                 : p.intrinsic(name + ".global." + std::to_string(bytes) + ".s",
                               {}, Values().add(64).add(64).add(32));
  int commit = assembly ? p.assembly("cp.async.commit_group;", {}, {})
                        : p.intrinsic("cp.async.commit.group", {}, {});
  int wait = all ? assembly ? p.assembly("cp.async.wait_all;", {}, {})
                            : p.intrinsic("cp.async.wait.all", {}, {})
             : assembly
                 ? p.assembly("cp.async.wait_group 0;", {}, {})
                 : p.intrinsic("cp.async.wait.group", {}, Values().add(32));
  for (uint32_t given : {bytes, bytes - 1}) {
    std::string report = p.run({.threads = 1, .seed = 4}, [&] {
      uint64_t to = tile_simt_shared();
      execute(copy, {ADDRESS(to), ADDRESS(from.address()), given});
      if (!all)
        execute(commit, {});
      if (waits)
        execute(wait, {0});
      for (uint32_t i = 0; i < bytes; ++i)
        EXPECT_EQ(load<uint8_t>(p.access, to + i), i < given ? i + 1 : 0);
    });
    EXPECT_EQ(report.empty(), waits) << name << bytes << report;
  }
}

TEST(NVIDIAThreads, AsynchronousCopies) {
  for (bool assembly : {false, true})
    for (bool all : {false, true})
      for (bool waits : {true, false}) {
        checkCopy("cg", 16, assembly, all, waits);
        for (uint32_t bytes : {4u, 8u, 16u})
          checkCopy("ca", bytes, assembly, all, waits);
      }
}

//===----------------------------------------------------------------------===//
// Updates of vectors
//===----------------------------------------------------------------------===//

/// All threads of two blocks add to the same elements, each atomically; the
/// address is a multiple of the vector.
TEST(NVIDIAThreads, UpdatesOfVectors) {
  for (uint32_t count : {2u, 4u})
    for (uint32_t shift : {0u, 1u}) {
      Threads p;
      Global<float> sums(5);
      for (uint32_t i = 0; i < 5; ++i)
        sums[i] = 100.0f;
      sums.filled();
      std::string list = count == 2 ? "{$1, $2}" : "{$1, $2, $3, $4}";
      Values values = Values().add(64);
      for (uint32_t i = 0; i < count; ++i)
        values = values.add(32);
      int site = p.assembly("red.relaxed.gpu.global.add.v" +
                                std::to_string(count) + ".f32 [$0], " + list +
                                ";",
                            {}, values);
      Program::Options options;
      options.threads = 64, options.blocks = 2;
      std::string report = p.run(options, [&] {
        uint64_t at = sums.address() + 4 * shift;
        uint32_t one = bits(1.0f), half = bits(-0.5f);
        if (count == 2)
          execute(site, {ADDRESS(at), one, half});
        else
          execute(site, {ADDRESS(at), one, half, one, half});
      });
      EXPECT_EQ(report.empty(), shift == 0) << report;
      if (shift)
        continue;
      for (uint32_t i = 0; i < 5; ++i)
        EXPECT_EQ(sums[i], i >= count ? 100.0f : i % 2 ? 36.0f : 228.0f);
    }
}

/// Likewise in halves: one, a pair, a vector of pairs. The sum of each is
/// rounded by itself; 0x3C00 and 0x3F80 are one, 0xB800 and 0xBF00 minus a
/// half.
TEST(NVIDIAThreads, UpdatesOfHalves) {
  struct Case {
    const char *form;
    uint32_t words, halves;
    uint16_t one, minusHalf, hundred, evens, odds;
  } cases[] = {
      {"f16", 1, 1, 0x3C00, 0xB800, 0x5640, 0x5B20, 0},
      {"bf16x2", 1, 2, 0x3F80, 0xBF00, 0x42C8, 0x4364, 0x4210},
      {"v2.f16x2", 2, 4, 0x3C00, 0xB800, 0x5640, 0x5B20, 0x5080},
      {"v4.bf16x2", 4, 8, 0x3F80, 0xBF00, 0x42C8, 0x4364, 0x4210},
  };
  for (const Case &c : cases)
    for (uint32_t shift : {0u, 1u}) {
      // An address of one half is always aligned.
      if (shift && c.halves == 1)
        continue;
      Threads p;
      Global<uint16_t> sums(9);
      for (uint32_t i = 0; i < 9; ++i)
        sums[i] = c.hundred;
      sums.filled();
      std::string list = "$1";
      Values values = Values().add(64).add(c.halves == 1 ? 16 : 32);
      for (uint32_t i = 1; i < c.words; ++i) {
        list += ", $" + std::to_string(i + 1);
        values = values.add(32);
      }
      if (c.words > 1)
        list = "{" + list + "}";
      int site = p.assembly(std::string("red.relaxed.gpu.global.add.noftz.") +
                                c.form + " [$0], " + list + ";",
                            {}, values);
      std::string report = p.run({.threads = 64, .blocks = 2}, [&] {
        uint64_t at = sums.address() + 2 * shift;
        uint32_t pair =
            c.halves == 1 ? c.one : c.one | uint32_t(c.minusHalf) << 16;
        if (c.words == 1)
          execute(site, {ADDRESS(at), pair});
        else if (c.words == 2)
          execute(site, {ADDRESS(at), pair, pair});
        else
          execute(site, {ADDRESS(at), pair, pair, pair, pair});
      });
      EXPECT_EQ(report.empty(), shift == 0) << c.form << ": " << report;
      for (uint32_t i = 0; shift == 0 && i < 9; ++i)
        EXPECT_EQ(sums[i], i >= c.halves ? c.hundred
                           : i % 2       ? c.odds
                                         : c.evens)
            << c.form << " " << i;
    }
}

//===----------------------------------------------------------------------===//
// The end of a kernel, what it prints
//===----------------------------------------------------------------------===//

TEST(NVIDIAThreads, Stops) {
  for (bool assembly : {false, true}) {
    Threads p;
    int site = assembly ? p.assembly("trap;", {}, {})
                        : p.function("llvm.trap", {}, {});
    std::string report = p.run({.threads = 1}, [&] { execute(site, {}); });
    EXPECT_NE(report.find("the kernel has stopped itself"), std::string::npos);
  }
}

TEST(NVIDIAThreads, Assertions) {
  Threads p;
  int site = p.function("__assertfail", {},
                        Values().add(64).add(64).add(32).add(64).add(64));
  static const char message[] = "i < n";
  std::string report = p.run({.threads = 1}, [&] {
    execute(site, {ADDRESS(message), 0, 0, 0, 0, 0, 0, 0});
  });
  EXPECT_NE(report.find("assertion failed: i < n"), std::string::npos)
      << report;
}

TEST(NVIDIAThreads, Prints) {
  Threads p;
  int site = p.function("vprintf", Values().add(32), Values().add(64).add(64));
  struct {
    int32_t small;
    int64_t large;
    double real;
  } values = {-5, int64_t(1) << 40, 0.25};
  static const char format[] = "%d of %lld: %g, 100 %%\n";
  testing::internal::CaptureStdout();
  std::string report = p.run({.threads = 1}, [&] {
    execute(site, {ADDRESS(format), ADDRESS(&values)});
  });
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "-5 of 1099511627776: 0.25, 100 %\n");
  EXPECT_EQ(report, "");
}

/// A launch that may begin early reads what the one before has written, and
/// writes what that has read.
TEST(NVIDIAThreads, DependentGrids) {
  for (bool assembly : {false, true})
    for (bool waits : {true, false})
      for (bool writes : {true, false}) {
        Threads p;
        Global<uint32_t> first(1), second(1), weights(1);
        second[0] = weights[0] = 3;
        second.filled();
        weights.filled();
        int wait = assembly ? p.assembly("griddepcontrol.wait;", {}, {})
                            : p.intrinsic("griddepcontrol.wait", {}, {});
        int launch =
            assembly ? p.assembly("griddepcontrol.launch_dependents;", {}, {})
                     : p.intrinsic("griddepcontrol.launch.dependents", {}, {});
        std::string report = p.run({.threads = 1}, [&] {
          execute(launch, {});
          load<uint32_t>(p.access, second.address());
          store<uint32_t>(p.access, first.address(), 8);
        });
        EXPECT_EQ(report, "");
        report = p.run({.threads = 1, .dependent = true}, [&] {
          // What the launch before has left alone may be read at once.
          EXPECT_EQ(load<uint32_t>(p.access, weights.address()), 3u);
          if (waits)
            execute(wait, {});
          if (writes)
            store<uint32_t>(p.access, second.address(), 9);
          else
            EXPECT_EQ(load<uint32_t>(p.access, first.address()), 8u);
        });
        EXPECT_EQ(report.find("expected griddepcontrol.wait") ==
                      std::string::npos,
                  waits)
            << report;
        EXPECT_EQ(report.empty(), waits);
      }
}

TEST(NVIDIAThreads, HintsDoNothing) {
  Threads p;
  Global<uint32_t> data(4);
  int hints[] = {p.intrinsic("prefetch.global.L2", {}, Values().add(64)),
                 p.intrinsic("prefetch.tensormap.p0", {}, Values().add(64)),
                 p.intrinsic("cp.async.bulk.prefetch.L2", {},
                             Values().add(64).add(32).add(64).add(1)),
                 p.intrinsic("cp.async.bulk.tensor.prefetch.tile.1d", {},
                             Values().add(64).add(32).add(64).add(1))};
  // Nothing is read: nobody has written it.
  std::string report = p.run({.threads = 1}, [&] {
    for (int hint : hints)
      execute(hint, {ADDRESS(data.address()), 16, 0, 0, 0, 0});
  });
  EXPECT_EQ(report, "");
}

} // namespace
