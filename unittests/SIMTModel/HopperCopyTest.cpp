// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bulk and tensor copies against plain loops.

#include "HopperHarness.h"

extern "C" {
#include "nvidia_tensor_map.h"
}

#include <cmath>
#include <random>

namespace {

struct Copies : Program {
  int init = intrinsic("mbarrier.init.shared", {}, Values().add(64).add(32));
  int fenceInit = intrinsic("fence.mbarrier_init.release.cluster", {}, {});
  int fence = intrinsic("fence.proxy.async.shared_cta", {}, {});
  int expect = intrinsic("mbarrier.arrive.expect.tx.scope.cta.space.cta",
                         Values().add(64), Values().add(64).add(32));
  int wait = intrinsic("mbarrier.try.wait.parity.scope.cta.space.cta",
                       Values().add(1), Values().add(64).add(32));
  int commit = intrinsic("cp.async.bulk.commit.group", {}, {});
  int waitGroup = intrinsic("cp.async.bulk.wait.group", {}, Values().add(32));
  int waitRead =
      intrinsic("cp.async.bulk.wait.group.read", {}, Values().add(32));
  int access = memory();

  static Values tensorOperands(bool load, int rank) {
    Values v;
    v.add(64);
    if (load)
      v.add(64);
    v.add(64);
    for (int i = 0; i < rank; ++i)
      v.add(32);
    if (load)
      v.add(16);
    v.add(64).add(1);
    if (load)
      v.add(1).add(32);
    return v;
  }
  int tensor(const std::string &name, int rank) {
    return intrinsic("cp.async.bulk.tensor." + name + "." +
                         std::to_string(rank) + "d",
                     {}, tensorOperands(name[0] == 'g', rank));
  }

  void loadBox(int site, uint64_t to, uint64_t barrier, uint64_t map,
               const std::vector<int32_t> &at, uint32_t ranks = 0) {
    std::vector<uint32_t> words = {ADDRESS(to), ADDRESS(barrier), ADDRESS(map)};
    words.insert(words.end(), at.begin(), at.end());
    words.insert(words.end(), {ranks, 0, 0, ranks != 0, 0, 0});
    tile_simt_execute(uint32_t(site), words.data(), nullptr);
  }
  void storeBox(int site, uint64_t from, uint64_t map,
                const std::vector<int32_t> &at) {
    std::vector<uint32_t> words = {ADDRESS(from), ADDRESS(map)};
    words.insert(words.end(), at.begin(), at.end());
    words.insert(words.end(), {0, 0, 0});
    tile_simt_execute(uint32_t(site), words.data(), nullptr);
  }
  void start(uint64_t barrier, bool visible = true) {
    execute(init, {ADDRESS(barrier), 1});
    if (visible)
      execute(fenceInit, {});
  }
  void expectBytes(uint64_t barrier, uint32_t bytes) {
    uint32_t words[] = {ADDRESS(barrier), bytes}, state[2];
    tile_simt_execute(uint32_t(expect), words, state);
  }
  void waitFor(uint64_t barrier, uint32_t parity) {
    while (!execute(wait, {ADDRESS(barrier), parity}))
      ;
  }
};

/// A tensor with random contents and a map of it.
template <typename T>
struct Tensor {
  Tensor(NvMapType type, std::vector<uint32_t> sizes,
         std::vector<uint16_t> boxSizes, uint8_t span = 0, bool fillNaN = false,
         std::vector<uint8_t> steps = {})
      : sizes(sizes), box(boxSizes), data(count(sizes)), map(1) {
    std::mt19937 random(7);
    for (size_t i = 0; i < data.count; ++i)
      data[i] = T(random() % 251 + 1);
    data.filled();
    NvTensorMap &m = map[0];
    m = {};
    m.magic = SIMT_TENSOR_MAP;
    m.type = uint8_t(type);
    m.rank = uint8_t(sizes.size());
    m.swizzle = span == 128 ? 3 : uint8_t(span / 32);
    m.fillNaN = fillNaN;
    m.address = data.address();
    uint64_t stride = sizeof(T);
    for (size_t d = 0; d < sizes.size(); ++d) {
      m.sizes[d] = sizes[d];
      m.box[d] = box[d];
      m.elementStrides[d] = d < steps.size() ? steps[d] : 1;
      stride *= sizes[d];
      if (d + 1 < sizes.size())
        m.strides[d + 1] = stride;
    }
    map.filled();
  }
  static size_t count(const std::vector<uint32_t> &sizes) {
    size_t n = 1;
    for (uint32_t size : sizes)
      n *= size;
    return n;
  }
  /// The element at indices that may lie outside.
  const T *at(const std::vector<int64_t> &index) {
    size_t offset = 0;
    for (size_t d = sizes.size(); d-- > 0;) {
      if (index[d] < 0 || index[d] >= int64_t(sizes[d]))
        return nullptr;
      offset = offset * sizes[d] + size_t(index[d]);
    }
    return &data[offset];
  }

  std::vector<uint32_t> sizes;
  std::vector<uint16_t> box;
  Global<T> data;
  Global<NvTensorMap> map;
};

/// Where byte `b` of a box lies, with the 16-byte units of each row exchanged
/// by the number of the row within the pattern.
uint32_t place(uint32_t b, uint32_t span) {
  if (!span)
    return b;
  uint32_t row = b / span, unit = b % span / 16, units = span / 16;
  uint32_t rowsPerLine = 128 / span;
  return row * span + (unit ^ row / rowsPerLine % units) * 16 + b % 16;
}

template <typename T>
void checkLoad(Tensor<T> &tensor, std::vector<int32_t> at,
               std::vector<uint8_t> steps = {}, uint64_t seed = 0) {
  SCOPED_TRACE(testing::PrintToString(at));
  int rank = int(tensor.sizes.size());
  steps.resize(size_t(rank), 1);
  std::vector<uint32_t> extents;
  for (int d = 0; d < rank; ++d)
    extents.push_back((tensor.box[size_t(d)] + steps[size_t(d)] - 1u) /
                      steps[size_t(d)]);
  uint32_t total = uint32_t(Tensor<T>::count(extents));
  Copies p;
  int copy = p.tensor("g2s.tile", rank);
  std::string report = p.run({.threads = 1, .seed = seed}, [&] {
    uint64_t barrier = tile_simt_shared(), box = barrier + 1024;
    p.start(barrier);
    p.expectBytes(barrier, total * sizeof(T));
    p.loadBox(copy, box, barrier, tensor.map.address(), at);
    p.waitFor(barrier, 0);
    for (uint32_t i = 0; i < total; ++i) {
      std::vector<int64_t> index;
      uint32_t rest = i;
      for (int d = 0; d < rank; ++d) {
        index.push_back(int64_t(at[size_t(d)]) +
                        rest % extents[size_t(d)] * steps[size_t(d)]);
        rest /= extents[size_t(d)];
      }
      T got = load<T>(p.access, box + place(i * uint32_t(sizeof(T)),
                                            nv_map_span(tensor.map.data)));
      if (const T *expected = tensor.at(index))
        EXPECT_EQ(got, *expected) << i;
      else if (tensor.map[0].fillNaN)
        EXPECT_TRUE(std::isnan(double(got))) << i;
      else
        EXPECT_EQ(got, T(0)) << i;
    }
  });
  EXPECT_EQ(report, "");
}

TEST(HopperCopy, LoadsOfAllRanks) {
  for (uint64_t seed : {0, 5}) {
    Tensor<uint8_t> one(NV_MAP_U8, {100}, {64});
    checkLoad(one, {0}, {}, seed);
    checkLoad(one, {64}, {}, seed);
    checkLoad(one, {-32}, {}, seed);
    checkLoad(one, {208}, {}, seed);
    Tensor<uint16_t> two(NV_MAP_U16, {40, 30}, {16, 8});
    checkLoad(two, {8, 4}, {}, seed);
    checkLoad(two, {32, 26}, {}, seed);
    checkLoad(two, {-8, -2}, {}, seed);
    checkLoad(two, {0, -8}, {}, seed);
    Tensor<float> three(NV_MAP_F32, {12, 7, 5}, {4, 3, 2});
    checkLoad(three, {4, 2, 1}, {}, seed);
    checkLoad(three, {8, 5, 4}, {}, seed);
    Tensor<int32_t> four(NV_MAP_S32, {8, 5, 4, 3}, {8, 2, 3, 2});
    checkLoad(four, {0, 4, -1, 2}, {}, seed);
    Tensor<double> five(NV_MAP_F64, {4, 3, 3, 2, 3}, {2, 2, 2, 2, 2});
    checkLoad(five, {2, 1, 2, 0, -1}, {}, seed);
  }
}

TEST(HopperCopy, BoxesBeginAtSixteenBytes) {
  Tensor<uint16_t> tensor(NV_MAP_U16, {40, 30}, {16, 8});
  Copies p;
  int copy = p.tensor("g2s.tile", 2);
  for (int32_t column : {-4, 1, 4, 23}) {
    std::string report = p.run({.threads = 1}, [&] {
      uint64_t barrier = tile_simt_shared();
      p.start(barrier);
      p.expectBytes(barrier, 256);
      p.loadBox(copy, barrier + 1024, barrier, tensor.map.address(),
                {column, 0});
    });
    EXPECT_NE(report.find("a multiple of 16 bytes in its rows, got element " +
                          std::to_string(column) + " of 2 bytes"),
              std::string::npos)
        << report;
  }
}

TEST(HopperCopy, Swizzles) {
  for (uint8_t span : {32, 64, 128}) {
    Tensor<uint16_t> tensor(NV_MAP_U16, {200, 40}, {uint16_t(span / 2), 24},
                            span);
    checkLoad(tensor, {0, 0});
    checkLoad(tensor, {72, 30});
    Tensor<float> words(NV_MAP_F32, {100, 40}, {uint16_t(span / 4), 16}, span);
    checkLoad(words, {80, 20});
    Tensor<uint8_t> bytes(NV_MAP_U8, {400, 40}, {uint16_t(span), 32}, span);
    checkLoad(bytes, {64, 2});
  }
}

TEST(HopperCopy, FillsAndSteps) {
  Tensor<float> filled(NV_MAP_F32, {20, 10}, {8, 8}, 0, true);
  checkLoad(filled, {16, 6});
  checkLoad(filled, {-4, -4});
  Tensor<uint8_t> stepped(NV_MAP_U8, {128, 20}, {64, 9}, 0, false, {4, 3});
  checkLoad(stepped, {0, 0}, {4, 3});
  checkLoad(stepped, {-16, 14}, {4, 3});
  checkLoad(stepped, {96, 2}, {4, 3});
}

TEST(HopperCopy, Stores) {
  for (uint8_t span : {0, 32, 64, 128})
    for (uint64_t seed : {0, 1, 2, 3}) {
      uint16_t columns = span ? uint16_t(span / 2) : 24;
      Tensor<uint16_t> tensor(NV_MAP_U16, {70, 30}, {columns, 16}, span);
      std::vector<uint16_t> before(tensor.data.data,
                                   tensor.data.data + tensor.data.count);
      int32_t x = 48, y = -5;
      Copies p;
      int copy = p.tensor("s2g.tile", 2);
      std::string report = p.run({.threads = 1, .seed = seed}, [&] {
        uint64_t box = tile_simt_shared() + 1024;
        for (uint32_t i = 0; i < columns * 16u; ++i)
          store<uint16_t>(p.access, box + place(2 * i, span),
                          uint16_t(1000 + i));
        execute(p.fence, {});
        p.storeBox(copy, box, tensor.map.address(), {x, y});
        execute(p.commit, {});
        execute(p.waitRead, {0});
        store<uint16_t>(p.access, box, 0);
        execute(p.waitGroup, {0});
      });
      EXPECT_EQ(report, "");
      for (int32_t r = 0; r < 16; ++r)
        for (int32_t c = 0; c < columns; ++c)
          if (r + y >= 0 && c + x < 70)
            before[size_t((r + y) * 70 + c + x)] =
                uint16_t(1000 + r * columns + c);
      for (size_t i = 0; i < before.size(); ++i)
        EXPECT_EQ(tensor.data[i], before[i]) << i;
    }
}

template <typename T>
void checkReduce(NvMapType type, const std::string &name, T value,
                 T (*combine)(T, T)) {
  Tensor<T> tensor(type, {32, 6}, {16, 4});
  std::vector<T> expected(tensor.data.data,
                          tensor.data.data + tensor.data.count);
  Copies p;
  int copy = p.tensor("reduce." + name + ".tile", 2);
  std::string report = p.run({.threads = 1}, [&] {
    uint64_t box = tile_simt_shared();
    for (uint32_t i = 0; i < 64; ++i)
      store<T>(p.access, box + i * sizeof(T), T(value + T(i)));
    execute(p.fence, {});
    p.storeBox(copy, box, tensor.map.address(), {24, 3});
    execute(p.commit, {});
    execute(p.waitGroup, {0});
  });
  EXPECT_EQ(report, "");
  for (uint32_t r = 0; r < 3; ++r)
    for (uint32_t c = 0; c < 8; ++c) {
      T &at = expected[(r + 3) * 32 + c + 24];
      at = combine(at, T(value + T(r * 16 + c)));
    }
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(tensor.data[i], expected[i]) << i;
}

TEST(HopperCopy, Reductions) {
  checkReduce<uint32_t>(NV_MAP_U32, "add", 5,
                        [](uint32_t a, uint32_t b) { return a + b; });
  checkReduce<int32_t>(NV_MAP_S32, "min", -20,
                       [](int32_t a, int32_t b) { return std::min(a, b); });
  checkReduce<int32_t>(NV_MAP_S32, "max", -20,
                       [](int32_t a, int32_t b) { return std::max(a, b); });
  checkReduce<uint32_t>(NV_MAP_U32, "xor", 99,
                        [](uint32_t a, uint32_t b) { return a ^ b; });
  checkReduce<uint32_t>(NV_MAP_U32, "inc", 100, [](uint32_t a, uint32_t b) {
    return a >= b ? 0 : a + 1;
  });
  checkReduce<float>(NV_MAP_F32, "add", 0.5f,
                     [](float a, float b) { return a + b; });
}

TEST(HopperCopy, Multicast) {
  Tensor<uint32_t> tensor(NV_MAP_U32, {16, 8}, {8, 8});
  Copies p;
  int copy = p.tensor("g2s.tile", 2);
  int rank = p.intrinsic("read.ptx.sreg.cluster.ctarank", Values().add(32), {});
  int arrive = p.intrinsic("barrier.cluster.arrive", {}, {});
  int wait = p.intrinsic("barrier.cluster.wait", {}, {});
  Program::Options options;
  options.threads = 1, options.blocks = 4, options.cluster = 4;
  std::string report = p.run(options, [&] {
    uint64_t barrier = tile_simt_shared() + 8, box = tile_simt_shared() + 512;
    uint32_t own = execute(rank, {});
    p.start(barrier);
    p.expectBytes(barrier, 256);
    execute(arrive, {});
    execute(wait, {});
    // Ranks 0 and 3 get it from 0, ranks 1 and 2 from 1.
    if (own < 2)
      p.loadBox(copy, box, barrier, tensor.map.address(), {int32_t(own * 8), 0},
                own ? 6 : 9);
    p.waitFor(barrier, 0);
    uint32_t from = own == 1 || own == 2;
    for (uint32_t i = 0; i < 64; ++i)
      EXPECT_EQ(load<uint32_t>(p.access, box + i * 4),
                tensor.data[i / 8 * 16 + from * 8 + i % 8]);
    execute(arrive, {});
    execute(wait, {});
  });
  EXPECT_EQ(report, "");
}

TEST(HopperCopy, Bulk) {
  Global<uint32_t> from(64), to(64);
  for (uint32_t i = 0; i < 64; ++i)
    from[i] = i * 3;
  from.filled();
  Copies p;
  int in = p.intrinsic("cp.async.bulk.global.to.shared.cta", {},
                       Values().add(64).add(64).add(64).add(32).add(64).add(1));
  int out = p.intrinsic("cp.async.bulk.shared.cta.to.global", {},
                        Values().add(64).add(64).add(32).add(64).add(1));
  std::string report = p.run({.threads = 1}, [&] {
    uint64_t barrier = tile_simt_shared(), data = barrier + 16;
    p.start(barrier);
    p.expectBytes(barrier, 256);
    execute(in, {ADDRESS(data), ADDRESS(barrier), ADDRESS(from.address()), 256,
                 0, 0, 0});
    p.waitFor(barrier, 0);
    for (uint32_t i = 0; i < 64; ++i)
      EXPECT_EQ(load<uint32_t>(p.access, data + i * 4), i * 3);
    execute(out, {ADDRESS(to.address()), ADDRESS(data), 256, 0, 0, 0});
    execute(p.commit, {});
    execute(p.waitGroup, {0});
    EXPECT_EQ(load<uint32_t>(p.access, to.address() + 8), 6u);
  });
  EXPECT_EQ(report, "");
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(to[i], i * 3);
}

/// Stores that are only waited for in so far as they have read, many of them.
TEST(HopperCopy, ManyStores) {
  constexpr uint32_t kStores = 300;
  Global<uint32_t> to(4 * kStores);
  Copies p;
  int out = p.intrinsic("cp.async.bulk.shared.cta.to.global", {},
                        Values().add(64).add(64).add(32).add(64).add(1));
  std::string report = p.run({.threads = 1}, [&] {
    uint64_t data = tile_simt_shared();
    for (uint32_t i = 0; i < kStores; ++i) {
      for (uint32_t word = 0; word < 4; ++word)
        store<uint32_t>(p.access, data + 4 * word, 4 * i + word);
      execute(p.fence, {});
      execute(out,
              {ADDRESS(to.address() + 16 * i), ADDRESS(data), 16, 0, 0, 0});
      execute(p.commit, {});
      execute(p.waitRead, {0});
    }
    execute(p.waitGroup, {0});
    EXPECT_EQ(load<uint32_t>(p.access, to.address() + 40), 10u);
  });
  EXPECT_EQ(report, "");
  for (uint32_t i = 0; i < 4 * kStores; ++i)
    EXPECT_EQ(to[i], i);
}

/// Boxes for the block alone, on sm_90 written without a cluster.
TEST(HopperCopy, LoadsOfTheBlock) {
  Tensor<uint32_t> tensor(NV_MAP_U32, {16, 8}, {8, 8});
  Copies p;
  int copy = p.intrinsic(
      "cp.async.bulk.tensor.g2s.cta.tile.2d", {},
      Values().add(64).add(64).add(64).add(32).add(32).add(64).add(1));
  std::string report = p.run({.threads = 1, .seed = 2}, [&] {
    uint64_t barrier = tile_simt_shared(), box = barrier + 128;
    p.start(barrier);
    p.expectBytes(barrier, 256);
    execute(copy, {ADDRESS(box), ADDRESS(barrier),
                   ADDRESS(tensor.map.address()), 4, 0, 0, 0, 0});
    p.waitFor(barrier, 0);
    for (uint32_t i = 0; i < 64; ++i)
      EXPECT_EQ(load<uint32_t>(p.access, box + i * 4),
                tensor.data[i / 8 * 16 + 4 + i % 8]);
  });
  EXPECT_EQ(report, "");
}

/// Each form of fence.proxy.async lets a bulk store read what a thread has
/// written.
TEST(HopperCopy, ProxyFences) {
  for (const char *form : {"", ".shared_cta", ".shared_cluster", ".global"}) {
    Global<uint32_t> to(4);
    Copies p;
    int fence = p.intrinsic(std::string("fence.proxy.async") + form, {}, {});
    int out = p.intrinsic("cp.async.bulk.shared.cta.to.global", {},
                          Values().add(64).add(64).add(32).add(64).add(1));
    for (bool fences : {true, false}) {
      std::string report = p.run({.threads = 1}, [&] {
        uint64_t data = tile_simt_shared();
        for (uint32_t i = 0; i < 4; ++i)
          store<uint32_t>(p.access, data + 4 * i, i + 5);
        if (fences)
          execute(fence, {});
        execute(out, {ADDRESS(to.address()), ADDRESS(data), 16, 0, 0, 0});
        execute(p.commit, {});
        execute(p.waitGroup, {0});
        EXPECT_EQ(load<uint32_t>(p.access, to.address() + 8), 7u);
      });
      EXPECT_EQ(report.empty(), fences) << form << report;
    }
  }
}

TEST(HopperCopy, BetweenBlocksOfACluster) {
  Copies p;
  int rank = p.intrinsic("read.ptx.sreg.cluster.ctarank", Values().add(32), {});
  int mapa = p.intrinsic("mapa.shared.cluster", Values().add(64),
                         Values().add(64).add(32));
  int copy = p.intrinsic("cp.async.bulk.shared.cta.to.cluster", {},
                         Values().add(64).add(64).add(64).add(32));
  int word =
      p.assembly("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 "
                 "[$0], $1, [$2];",
                 {}, Values().add(32).add(32).add(32));
  int arrive = p.intrinsic("barrier.cluster.arrive", {}, {});
  int wait = p.intrinsic("barrier.cluster.wait", {}, {});
  for (uint64_t seed : {0, 1, 2}) {
    Program::Options options;
    options.threads = 1, options.blocks = 2, options.cluster = 2;
    options.seed = seed;
    std::string report = p.run(options, [&] {
      uint64_t barrier = tile_simt_shared(), data = barrier + 64;
      uint32_t own = execute(rank, {});
      auto map = [&](uint64_t address) {
        return uint64_t(execute(mapa, {ADDRESS(address), 1 - own}));
      };
      for (uint32_t i = 0; i < 8; ++i)
        store<uint32_t>(p.access, data + 4 * i, own * 100 + i);
      p.start(barrier);
      p.expectBytes(barrier, 36);
      execute(p.fence, {});
      execute(arrive, {});
      execute(wait, {});
      execute(copy, {ADDRESS(map(data + 64)), ADDRESS(map(barrier)),
                     ADDRESS(data), 32});
      execute(word,
              {uint32_t(map(data + 128)), own + 7, uint32_t(map(barrier))});
      p.waitFor(barrier, 0);
      for (uint32_t i = 0; i < 8; ++i)
        EXPECT_EQ(load<uint32_t>(p.access, data + 64 + 4 * i),
                  (1 - own) * 100 + i);
      EXPECT_EQ(load<uint32_t>(p.access, data + 128), 8 - own);
      execute(arrive, {});
      execute(wait, {});
    });
    EXPECT_EQ(report, "");
  }
}

/// A stage that is filled again: `waits` says whether the copy waits for the
/// reader, `fences` whether that fences the async proxy behind what it read.
std::string refillStage(bool waits, bool fences, uint64_t seed) {
  Tensor<uint32_t> tensor(NV_MAP_U32, {32, 16}, {16, 8});
  Copies p;
  int copy = p.tensor("g2s.tile", 2);
  int tid = p.intrinsic("read.ptx.sreg.tid.x", Values().add(32), {});
  int sync = p.intrinsic("barrier.cta.sync.aligned.all", {}, Values().add(32));
  int arrive =
      p.intrinsic("mbarrier.arrive.shared", Values().add(64), Values().add(64));
  return p.run({.threads = 64, .seed = seed}, [&] {
    uint64_t full = tile_simt_shared(), empty = full + 8, box = full + 1024;
    uint32_t id = execute(tid, {});
    if (id == 0) {
      execute(p.init, {ADDRESS(empty), 32});
      p.start(full);
    }
    execute(sync, {0});
    for (uint32_t i = 0; i < 3; ++i) {
      if (id == 0) {
        if (i > 0 && waits)
          p.waitFor(empty, (i - 1) & 1);
        p.expectBytes(full, 512);
        p.loadBox(copy, box, full, tensor.map.address(), {int32_t(i * 8), 0});
      } else if (id >= 32) {
        p.waitFor(full, i & 1);
        EXPECT_EQ(load<uint32_t>(p.access, box + (id - 32) * 4),
                  tensor.data[(id - 32) / 16 * 32 + i * 8 + id % 16]);
        if (fences)
          execute(p.fence, {});
        uint32_t words[] = {ADDRESS(empty)}, state[2];
        tile_simt_execute(uint32_t(arrive), words, state);
      }
    }
  });
}

TEST(HopperCopy, StagesAreNotFilledEarly) {
  for (uint64_t seed : {0, 1, 2, 3, 4}) {
    EXPECT_EQ(refillStage(true, true, seed), "");
    EXPECT_NE(refillStage(true, false, seed), "");
    EXPECT_NE(refillStage(false, true, seed), "");
  }
}

//===----------------------------------------------------------------------===//
// What is reported
//===----------------------------------------------------------------------===//

/// What a program with a load and a store may leave out.
struct Omission {
  bool initFence = true, wait = true, fence = true, commit = true,
       waitRead = true;
  int32_t bytes = 512;
  uint32_t align = 0;
};

std::string runOmitting(const Omission &o, uint64_t seed) {
  Tensor<uint32_t> tensor(NV_MAP_U32, {32, 16}, {16, 8});
  Copies p;
  int in = p.tensor("g2s.tile", 2), out = p.tensor("s2g.tile", 2);
  return p.run({.threads = 1, .seed = seed}, [&] {
    uint64_t barrier = tile_simt_shared(), box = barrier + 1024 + o.align;
    p.start(barrier, o.initFence);
    p.expectBytes(barrier, uint32_t(o.bytes));
    p.loadBox(in, box, barrier, tensor.map.address(), {0, 0});
    if (o.wait)
      p.waitFor(barrier, 0);
    uint32_t value = load<uint32_t>(p.access, box);
    store<uint32_t>(p.access, box, value + 1);
    if (o.fence)
      execute(p.fence, {});
    p.storeBox(out, box, tensor.map.address(), {16, 0});
    if (o.commit)
      execute(p.commit, {});
    if (o.waitRead)
      execute(p.waitRead, {0});
    store<uint32_t>(p.access, box, value + 2);
    execute(p.waitGroup, {0});
  });
}

TEST(HopperCopy, OmissionsAreReported) {
  struct Case {
    Omission omission;
    const char *report;
  } cases[] = {
      {{.initFence = false}, "expected fence.mbarrier_init or"},
      {{.wait = false}, ""},
      {{.fence = false}, "race in shared memory"},
      {{.commit = false}, ""},
      {{.waitRead = false}, "race in shared memory"},
      {{.bytes = 528}, "the end of phase 0"},
      {{.bytes = 496}, ""},
      {{.align = 64}, "expected a box aligned to 128 bytes"},
  };
  for (uint64_t seed : {0, 1, 2, 3, 4, 5}) {
    EXPECT_EQ(runOmitting({}, seed), "");
    for (const Case &c : cases) {
      std::string report = runOmitting(c.omission, seed);
      EXPECT_NE(report, "") << &c - cases;
      EXPECT_NE(report.find(c.report), std::string::npos) << report;
    }
  }
}

/// Whoever waits for the second copy knows nothing of the first, though the
/// same thread issued it, and whether or not it has arrived.
TEST(HopperCopy, CopiesAreWaitedForOneByOne) {
  for (uint64_t seed : {0, 1, 2, 3}) {
    Tensor<uint32_t> tensor(NV_MAP_U32, {32, 16}, {16, 8});
    Copies p;
    int copy = p.tensor("g2s.tile", 2);
    std::string report = p.run({.threads = 1, .seed = seed}, [&] {
      uint64_t first = tile_simt_shared(), second = first + 8;
      for (uint64_t barrier : {first, second}) {
        p.start(barrier);
        p.expectBytes(barrier, 512);
        p.loadBox(copy, first + 1024 + (barrier - first) * 64, barrier,
                  tensor.map.address(), {0, 0});
      }
      p.waitFor(second, 0);
      load<uint32_t>(p.access, first + 1024 + 512);
      load<uint32_t>(p.access, first + 1024);
    });
    EXPECT_NE(report.find("byte 1024"), std::string::npos) << report;
  }
}

TEST(HopperCopy, MapsAreChecked) {
  Tensor<uint32_t> tensor(NV_MAP_U32, {32, 16}, {16, 8});
  Global<uint32_t> other(64);
  other.filled();
  Copies p;
  int three = p.tensor("g2s.tile", 3), two = p.tensor("g2s.tile", 2);
  std::string rank = p.run({.threads = 1}, [&] {
    p.loadBox(three, tile_simt_shared(), tile_simt_shared(),
              tensor.map.address(), {0, 0, 0});
  });
  EXPECT_NE(rank.find("expected a tensor map of rank 3, got 2"),
            std::string::npos)
      << rank;
  std::string bytes = p.run({.threads = 1}, [&] {
    p.loadBox(two, tile_simt_shared(), tile_simt_shared(), other.address(),
              {0, 0});
  });
  EXPECT_NE(bytes.find("expected a tensor map, got other bytes"),
            std::string::npos)
      << bytes;
  struct {
    const char *report;
    void (*change)(NvTensorMap &);
  } refused[] = {
      {"interleaved layouts", [](NvTensorMap &m) { m.interleave = 1; }},
      {"elements narrower than a byte", [](NvTensorMap &m) { m.type = 13; }},
      {"swizzles of atoms", [](NvTensorMap &m) { m.swizzle = 4; }},
      {"not as wide as the swizzle", [](NvTensorMap &m) { m.swizzle = 3; }},
      {"boxes of other extents", [](NvTensorMap &m) { m.box[0] = 257; }},
  };
  for (const auto &r : refused) {
    Tensor<uint32_t> changed(NV_MAP_U32, {32, 16}, {16, 8});
    r.change(changed.map[0]);
    std::string report = p.run({.threads = 1}, [&] {
      p.loadBox(two, tile_simt_shared(), tile_simt_shared(),
                changed.map.address(), {0, 0});
    });
    EXPECT_NE(report.find(r.report), std::string::npos) << report;
  }
}

} // namespace
