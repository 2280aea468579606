//===- AMDMemoryTest.cpp - memory instructions of AMD GPUs ----------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AMDWave.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace amdtest;

namespace {

/// Global memory with known bytes.
struct Global {
  uint8_t *bytes;
  size_t size;

  explicit Global(size_t size)
      : bytes(static_cast<uint8_t *>(tileSimtAlloc(size))), size(size) {
    for (size_t i = 0; i < size; ++i)
      bytes[i] = uint8_t(i * 7 + i / 256);
    tileSimtWritten(bytes, size);
  }
  ~Global() { tileSimtFree(bytes); }
  uint32_t word(size_t at) const {
    uint32_t value;
    memcpy(&value, bytes + at, 4);
    return value;
  }
};

Words address(const void *pointer) {
  auto bits = reinterpret_cast<uint64_t>(pointer);
  return {uint32_t(bits), uint32_t(bits >> 32)};
}

Words shared(uint32_t offset) {
  return address(reinterpret_cast<void *>(tile_simt_shared() + offset));
}

Words join(std::initializer_list<Words> parts) {
  Words all;
  for (const Words &part : parts)
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

uint32_t loadShared(uint32_t site, uint32_t offset) {
  uint64_t at = tile_simt_shared() + offset;
  tile_simt_load(at, 4, 4, 0, site);
  uint32_t value;
  memcpy(&value, reinterpret_cast<void *>(at), 4);
  return value;
}

/// A load to LDS and what it needs.
struct ToLDS : Program {
  uint32_t load, wait, barrier, read, fence;

  explicit ToLDS(const char *chip = "gfx950",
                 const char *name = "llvm.amdgcn.global.load.lds")
      : Program(chip) {
    load = add(name, {}, {{64}, {64}, {}, {}, {}});
    wait = add("llvm.amdgcn.s.waitcnt", {}, {{}});
    barrier = add("llvm.amdgcn.s.barrier", {}, {});
    read = addMemory("load");
    fence = addFence();
  }
  void issue(const void *from, uint32_t to, uint32_t bytes,
             uint32_t offset = 0) const {
    call(load, join({address(from), shared(to), {bytes, offset, 0}}), 0);
  }
  // vmcnt(n), nothing else.
  void waitFor(unsigned loads) const {
    call(wait, {0x0f70 | (loads & 15) | (loads >> 4) << 14}, 0);
  }
  void meet() const {
    tile_simt_fence(TILE_SIMT_RELEASE, fence);
    call(barrier, {}, 0);
    tile_simt_fence(TILE_SIMT_ACQUIRE, fence);
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Loads to LDS
//===----------------------------------------------------------------------===//

// Lanes follow each other in LDS, wherever they read.
TEST(AMDMemory, LoadToLDS) {
  Global global(64 * 16 * 2);
  for (uint32_t bytes : {4, 12, 16})
    for (uint64_t seed = 0; seed < 4; ++seed) {
      // Both names are the same instruction.
      ToLDS program("gfx950", seed % 2 ? "llvm.amdgcn.load.to.lds.p1"
                                       : "llvm.amdgcn.global.load.lds");
      std::string report = program.run(
          128,
          [&](unsigned thread) {
            unsigned lane = thread % 64, base = thread / 64 * 2048;
            program.issue(global.bytes + (63 - lane) * 16, base, bytes, 8);
            program.waitFor(0);
            program.meet();
            unsigned other = (thread / 64 ^ 1) * 2048;
            for (uint32_t word = 0; word < bytes; word += 4)
              EXPECT_EQ(
                  loadShared(program.read, other + 8 + lane * bytes + word),
                  global.word((63 - lane) * 16 + word + 8));
          },
          4096, seed);
      EXPECT_EQ(report, "");
    }
}

// What is counted are instructions of the wave: a lane that takes no part in one
// waits for older loads as the others do.
TEST(AMDMemory, WaitsCountLoadsOfTheWave) {
  Global global(4096);
  ToLDS program;
  for (unsigned left : {1, 2})
    for (uint64_t seed = 0; seed < 4; ++seed) {
      std::string report = program.run(
          64,
          [&](unsigned lane) {
            program.issue(global.bytes + lane * 4, 0, 4);
            if (lane < 32)
              program.issue(global.bytes + 1024 + lane * 4, 2048, 4);
            program.waitFor(left);
            EXPECT_EQ(loadShared(program.read, lane * 4),
                      global.word(lane * 4));
          },
          4096, seed);
      EXPECT_EQ(report == "", left == 1) << report;
    }
}

// Another wave sees what this one wrote to LDS once this one has waited for it,
// or behind a fence of the workgroup, which does.
TEST(AMDMemory, WaitForLDSReleases) {
  for (bool waits : {true, false}) {
    ToLDS program;
    uint32_t write = program.addMemory("store");
    std::string report = program.run(
        128,
        [&](unsigned thread) {
          uint32_t value = thread;
          uint64_t at = tile_simt_shared() + thread * 4;
          tile_simt_store(at, 4, 4, 0, write, &value);
          std::memcpy(reinterpret_cast<void *>(at), &value, 4);
          // vmcnt(63) lgkmcnt(0), or lgkmcnt(15).
          program.call(program.wait, {waits ? 0xc07fu : 0xcf7fu}, 0);
          program.call(program.barrier, {}, 0);
          tile_simt_fence(TILE_SIMT_ACQUIRE | TILE_SIMT_BLOCK, program.fence);
          EXPECT_EQ(loadShared(program.read, (thread ^ 64) * 4), thread ^ 64);
        },
        4096, 1);
    EXPECT_EQ(report == "", waits) << report;
  }
}

TEST(AMDMemory, LoadToLDSWithoutWait) {
  Global global(4096);
  ToLDS program;
  for (uint64_t seed = 0; seed < 4; ++seed) {
    std::string report = program.run(
        64,
        [&](unsigned lane) {
          program.issue(global.bytes + lane * 4, 0, 4);
          loadShared(program.read, lane * 4);
        },
        4096, seed);
    EXPECT_NE(report, "") << seed;
    // Another wave reads behind a barrier, before which nobody has waited.
    report = program.run(
        128,
        [&](unsigned thread) {
          if (thread < 64)
            program.issue(global.bytes + thread * 4, 0, 4);
          program.meet();
          if (thread >= 64)
            loadShared(program.read, thread % 64 * 4);
        },
        4096, seed);
    EXPECT_NE(report, "") << seed;
    // Or that has waited, but without a barrier.
    report = program.run(
        128,
        [&](unsigned thread) {
          if (thread < 64) {
            program.issue(global.bytes + thread * 4, 0, 4);
            program.waitFor(0);
          } else {
            loadShared(program.read, thread % 64 * 4);
          }
        },
        4096, seed);
    EXPECT_NE(report, "") << seed;
  }
}

// The counter counts: the older of two loads is there.
TEST(AMDMemory, WaitForOlder) {
  Global global(4096);
  ToLDS program;
  for (unsigned second : {0u, 1u}) {
    std::string report = program.run(
        64,
        [&](unsigned lane) {
          program.issue(global.bytes + lane * 4, 0, 4);
          program.issue(global.bytes + 1024 + lane * 4, 1024, 4);
          program.waitFor(1);
          loadShared(program.read, second * 1024 + lane * 4);
        },
        4096);
    EXPECT_EQ(report.empty(), second == 0) << report;
  }
  // gfx11 has the count at other bits.
  ToLDS other("gfx1100");
  std::string report = other.run(
      64,
      [&](unsigned lane) {
        other.issue(global.bytes + lane * 4, 0, 4);
        Program::call(other.wait, {0x03f7}, 0);
        loadShared(other.read, lane * 4);
      },
      4096);
  EXPECT_EQ(report, "");
}

TEST(AMDMemory, LoadToLDSReports) {
  Global global(4096);
  ToLDS program;
  std::string report = program.run(
      64,
      [&](unsigned lane) {
        program.issue(global.bytes + lane * 4, lane * 4, 4);
      },
      4096);
  EXPECT_NE(report.find("expected lanes to name the same place in LDS"),
            std::string::npos)
      << report;
  report = program.run(
      64, [&](unsigned lane) { program.issue(global.bytes + lane * 8, 0, 8); },
      4096);
  EXPECT_NE(report.find("expected 1, 2, 4, 12 or 16 bytes of a lane, got 8"),
            std::string::npos)
      << report;
  ToLDS narrow("gfx942");
  report = narrow.run(
      64, [&](unsigned lane) { narrow.issue(global.bytes + lane * 16, 0, 16); },
      4096);
  EXPECT_NE(report.find("expected 1, 2 or 4 bytes of a lane, got 16"),
            std::string::npos)
      << report;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

namespace {
struct Buffers : Program {
  uint32_t make;

  Buffers() : Program("gfx942") {
    make = add("llvm.amdgcn.make.buffer.rsrc.p8.p1", {{128}},
               {{64}, {16}, {64}, {}});
  }
  Words resource(const void *base, uint32_t bytes) const {
    return call(make, join({address(base), {0, bytes, 0, 0x00027000}}), 4);
  }
};
} // namespace

// Each word has a check of its own; outside a load yields 0.
TEST(AMDMemory, BufferLoad) {
  Global global(256);
  Buffers program;
  uint32_t load = program.add("llvm.amdgcn.raw.ptr.buffer.load.v4i32", {{128}},
                              {{128}, {}, {}, {}});
  uint32_t half = program.add("llvm.amdgcn.raw.ptr.buffer.load.i16", {{16}},
                              {{128}, {}, {}, {}});
  std::string report = program.run(64, [&](unsigned lane) {
    Words resource = program.resource(global.bytes + 16, 100);
    uint32_t offset = lane * 4 - 8; // wraps around below 0
    Words words = Program::call(load, join({resource, {offset, 4, 0}}), 4);
    for (uint32_t i = 0; i < 4; ++i) {
      uint64_t at = uint64_t(offset) + 4 * i;
      EXPECT_EQ(words[i], at + 4 <= 100 ? global.word(16 + 4 + at) : 0);
    }
    offset = lane * 2;
    words = Program::call(half, join({resource, {offset, 0, 0}}), 1);
    EXPECT_EQ(words[0],
              offset + 2 <= 100 ? global.word(16 + offset) & 0xffff : 0u);
  });
  EXPECT_EQ(report, "");
}

TEST(AMDMemory, BufferStore) {
  Global global(64);
  Buffers program;
  uint32_t store = program.add("llvm.amdgcn.raw.ptr.buffer.store.v2i32", {},
                               {{64}, {128}, {}, {}, {}});
  uint32_t before = global.word(28);
  std::string report = program.run(64, [&](unsigned lane) {
    Words resource = program.resource(global.bytes, 28);
    Program::call(store, join({{lane, lane + 100}, resource, {lane * 8, 0, 0}}),
                  0);
  });
  EXPECT_EQ(report, "");
  EXPECT_EQ(global.word(16), 2u);
  EXPECT_EQ(global.word(20), 102u);
  EXPECT_EQ(global.word(24), 3u);
  EXPECT_EQ(global.word(28), before);
}

TEST(AMDMemory, BufferAtomic) {
  Global global(64);
  memset(global.bytes, 0, 64);
  Buffers program;
  uint32_t add = program.add("llvm.amdgcn.raw.ptr.buffer.atomic.add.i32", {{}},
                             {{}, {128}, {}, {}, {}});
  uint32_t max = program.add("llvm.amdgcn.raw.ptr.buffer.atomic.smax.i32", {{}},
                             {{}, {128}, {}, {}, {}});
  uint32_t fadd = program.add("llvm.amdgcn.raw.ptr.buffer.atomic.fadd.f32",
                              {{}}, {{}, {128}, {}, {}, {}});
  uint64_t seen = 0;
  std::string report = program.run(64, [&](unsigned lane) {
    Words resource = program.resource(global.bytes, 12);
    uint32_t old = Program::call(add, join({{1}, resource, {0, 0, 0}}))[0];
    seen |= uint64_t(1) << old;
    uint32_t value = lane - 70;
    Program::call(max, join({{value}, resource, {4, 0, 0}}));
    Program::call(fadd, join({{0x3f800000}, resource, {8, 0, 0}}));
    EXPECT_EQ(Program::call(add, join({{1}, resource, {12, 0, 0}}))[0], 0u);
  });
  EXPECT_EQ(report, "");
  EXPECT_EQ(global.word(0), 64u);
  EXPECT_EQ(~seen, 0u);
  EXPECT_EQ(global.word(4), 0u);
  EXPECT_EQ(global.word(8), 0x42800000u);
  EXPECT_EQ(global.word(12), 0u);
}

TEST(AMDMemory, BufferLoadToLDS) {
  Global global(1024);
  Buffers program;
  uint32_t load = program.add("llvm.amdgcn.raw.ptr.buffer.load.lds", {},
                              {{128}, {64}, {}, {}, {}, {}, {}});
  uint32_t wait = program.add("llvm.amdgcn.s.waitcnt", {}, {{}});
  uint32_t read = program.addMemory("load");
  std::string report = program.run(
      64,
      [&](unsigned lane) {
        Words resource = program.resource(global.bytes, 100);
        Program::call(load, join({resource, shared(0), {4, lane * 4, 0, 8, 0}}),
                      0);
        Program::call(wait, {0}, 0);
        EXPECT_EQ(loadShared(read, 8 + lane * 4),
                  lane * 4 + 12 <= 100 ? global.word(lane * 4 + 8) : 0u);
      },
      1024);
  EXPECT_EQ(report, "");
}

//===----------------------------------------------------------------------===//
// Transposing loads
//===----------------------------------------------------------------------===//

// 16 lanes read the rows of a matrix, each as long as 16 / each lanes, and get
// its columns: what a matrix instruction takes that wants K in a register.
/// 16 lanes read the rows of a matrix, of which each gets a column. Vectors of
/// 12 bytes lie 16 apart.
TEST(AMDMemory, ReadTransposed) {
  struct Kind {
    const char *name;
    unsigned bits, total;
  };
  for (Kind kind :
       {Kind{"tr16.b64.v4i16", 16, 64}, Kind{"tr8.b64.v2i32", 8, 64},
        Kind{"tr6.b96.v3i32", 6, 96}, Kind{"tr4.b64.v2i32", 4, 64}}) {
    Global global(1024);
    ToLDS program;
    uint32_t site = program.add(std::string("llvm.amdgcn.ds.read.") + kind.name,
                                {{32, kind.total / 32}}, {{64}});
    unsigned each = kind.total / kind.bits, lanes = 16 / each;
    unsigned stride = kind.total == 96 ? 16 : 8;
    std::string report = program.run(
        64,
        [&](unsigned lane) {
          for (unsigned part = 0; part < 1024; part += 256)
            program.issue(global.bytes + part + lane * 4, part, 4);
          program.waitFor(0);
          program.meet();
          Words words =
              Program::call(site, shared(lane * stride), kind.total / 32);
          words.push_back(0);
          uint32_t mask = (1u << kind.bits) - 1;
          for (unsigned row = 0; row < each; ++row) {
            // Element `lane % 16` of the row.
            unsigned vector = lane / 16 * 16 + row * lanes + lane % 16 / each;
            unsigned from = lane % 16 % each * kind.bits;
            uint64_t both = global.word(vector * stride + from / 32 * 4);
            if (from % 32 + kind.bits > 32)
              both |= uint64_t(global.word(vector * stride + from / 32 * 4 + 4))
                      << 32;
            unsigned to = row * kind.bits;
            uint64_t got = words[to / 32] | uint64_t(words[to / 32 + 1]) << 32;
            EXPECT_EQ(got >> to % 32 & mask, both >> from % 32 & mask)
                << kind.name << " lane " << lane << " row " << row;
          }
        },
        1024);
    EXPECT_EQ(report, "");
  }
}
