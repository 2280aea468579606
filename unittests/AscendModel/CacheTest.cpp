// The data cache between the scalar unit and GM: what is stale, what is not
// written back, and what a line written back destroys.
#include "Harness.h"

using namespace AscendC;

namespace {

GlobalTensor<float> gm(GM_ADDR pointer) {
  GlobalTensor<float> tensor;
  tensor.SetGlobalBuffer((__gm__ float *)pointer);
  return tensor;
}

const DataCopyPadExtParams<float> kNoPad{false, 0, 0, 0};

template <HardEvent event>
void order() {
  SetFlag<event>(0);
  WaitFlag<event>(0);
}

// Stores x to the first 64 bytes, and waits.
void store(const GlobalTensor<float> &to, const LocalTensor<float> &x) {
  order<HardEvent::V_MTE3>();
  DataCopyPad(to, x, DataCopyExtParams{1, 64, 0, 0, 0});
  order<HardEvent::MTE3_S>();
}

template <CacheLine mode = CacheLine::SINGLE_CACHE_LINE>
void clean(const GlobalTensor<float> &tensor) {
  DataCacheCleanAndInvalid<float, mode, DcciDst::CACHELINE_OUT>(tensor);
}

void use(const LocalTensor<float> &y, float value) {
  order<HardEvent::S_V>();
  Adds(y, y, value, 16);
  order<HardEvent::V_S>();
}

#define CACHE_KERNEL(NAME, ...)                                                \
  void NAME(GM_ADDR a) {                                                       \
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);                            \
    InitSocState();                                                            \
    LocalTensor<float> x(TPosition::VECCALC, 0, 16),                           \
        y(TPosition::VECCALC, 64, 16);                                         \
    GlobalTensor<float> g = gm(a);                                             \
    Duplicate(x, 5.0f, 16);                                                    \
    Duplicate(y, 2.0f, 16);                                                    \
    PipeBarrier<PIPE_ALL>();                                                   \
    __VA_ARGS__                                                                \
    PipeBarrier<PIPE_ALL>();                                                   \
  }

CACHE_KERNEL(staleElement, use(y, g.GetValue(0)); store(g, x);
             use(y, g.GetValue(0));)
CACHE_KERNEL(staleNeighbour, use(y, g.GetValue(15)); store(g, x);
             use(y, g.GetValue(0));)
CACHE_KERNEL(otherLine, use(y, g.GetValue(16)); store(g, x);
             use(y, g.GetValue(0));)
CACHE_KERNEL(unchanged, use(y, g.GetValue(0)); store(g[16], x);
             use(y, g.GetValue(1));)
CACHE_KERNEL(cleaned, use(y, g.GetValue(15)); store(g, x); clean(g);
             use(y, g.GetValue(0));)
CACHE_KERNEL(cleanedWhole, use(y, g.GetValue(15)); store(g, x);
             clean<CacheLine::ENTIRE_DATA_CACHE>(g[63]); use(y, g.GetValue(0));)
// From the middle of a line only the rest of it is dropped.
CACHE_KERNEL(cleanedInPart, use(y, g.GetValue(15)); store(g, x); clean(g[4]);
             use(y, g.GetValue(4)); use(y, g.GetValue(3));)
CACHE_KERNEL(cleanedTooEarly, use(y, g.GetValue(15)); clean(g);
             use(y, g.GetValue(0)); store(g, x); use(y, g.GetValue(0));)
CACHE_KERNEL(storeNotSeen, g.SetValue(0, 1.0f); order<HardEvent::S_MTE2>();
             DataCopyPad(x, g, DataCopyExtParams{1, 64, 0, 0, 0}, kNoPad);)
CACHE_KERNEL(storeSeen, g.SetValue(0, 1.0f); clean(g);
             order<HardEvent::S_MTE2>();
             DataCopyPad(x, g, DataCopyExtParams{1, 64, 0, 0, 0}, kNoPad);)
CACHE_KERNEL(storeRead, g.SetValue(0, 1.0f); use(y, g.GetValue(0)); clean(g);)
CACHE_KERNEL(storeAtEnd, g.SetValue(3, 1.0f);)
CACHE_KERNEL(lineOverwrites, g.SetValue(20, 1.0f); store(g[16], x);
             clean(g[16]);)
CACHE_KERNEL(neighbourLost, g.SetValue(20, 1.0f); order<HardEvent::V_MTE3>();
             DataCopyPad(g[24], x, DataCopyExtParams{1, 32, 0, 0, 0});
             order<HardEvent::MTE3_S>(); clean(g[16]);)
// Two cores with elements of one line: the last one to write it back wins.
CACHE_KERNEL(sharedLine, auto own = g[uint64_t(GetBlockIdx())];
             own.SetValue(0, 1.0f); clean(own);)
CACHE_KERNEL(ownLines, auto own = g[uint64_t(GetBlockIdx() * 16)];
             own.SetValue(0, 1.0f); clean(own);)
CACHE_KERNEL(atomicClean,
             DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE,
                                      DcciDst::CACHELINE_ATOMIC>(g);)

std::string reportsOf(Device &device, void (*kernel)(GM_ADDR),
                      uint32_t blocks = 1) {
  std::vector<float> a(64, 1.0f);
  device.run(kernel, blocks, {Device::in(a)});
  return device.text();
}

#define EXPECT_FAULT(KERNEL, KIND, TEXT, ...)                                  \
  do {                                                                         \
    Device device;                                                             \
    reportsOf(device, KERNEL, ##__VA_ARGS__);                                  \
    EXPECT_REPORT(device, KIND, TEXT);                                         \
  } while (0)
#define EXPECT_RIGHT(KERNEL, ...)                                              \
  do {                                                                         \
    Device device;                                                             \
    EXPECT_EQ(reportsOf(device, KERNEL, ##__VA_ARGS__), "");                   \
  } while (0)

} // namespace

TEST(Cache, StaleLines) {
  EXPECT_FAULT(staleElement, CACHE_STALE,
               "GetValue reads GM bytes [0, 4) from a line that the data cache "
               "of aiv0 may hold from before DataCopyPad on aiv0 MTE3 wrote "
               "them: expected DataCacheCleanAndInvalid between");
  EXPECT_FAULT(staleNeighbour, CACHE_STALE, "GetValue reads GM bytes [0, 4)");
  EXPECT_FAULT(cleanedInPart, CACHE_STALE, "GetValue reads GM bytes [12, 16)");
  EXPECT_FAULT(cleanedTooEarly, CACHE_STALE, "GetValue reads GM bytes [0, 4)");
  EXPECT_RIGHT(otherLine);
  EXPECT_RIGHT(unchanged);
  EXPECT_RIGHT(cleaned);
  EXPECT_RIGHT(cleanedWhole);
}

TEST(Cache, StoresThatStay) {
  EXPECT_FAULT(storeNotSeen, CACHE_DIRTY,
               "DataCopyPad on aiv0 MTE2 needs GM bytes [0, 4), which SetValue "
               "left in the data cache of aiv0");
  EXPECT_FAULT(storeAtEnd, CACHE_DIRTY,
               "a scalar store to GM is still in the data cache at the "
               "kernel's end");
  EXPECT_RIGHT(storeSeen);
  EXPECT_RIGHT(storeRead);
}

TEST(Cache, LinesGoBackWhole) {
  EXPECT_FAULT(lineOverwrites, RACE_WAW, "DataCopyPad writes on aiv0 MTE3");
  EXPECT_FAULT(neighbourLost, CACHE_DIRTY,
               "DataCacheCleanAndInvalid writes a line back with GM bytes [96, "
               "128) as they were before DataCopyPad on aiv0 MTE3 wrote them");
  EXPECT_FAULT(sharedLine, RACE_WAR,
               "SetValue writes on aiv0 S GM bytes [4, 8) that "
               "DataCacheCleanAndInvalid on aiv0 S read",
               2);
  EXPECT_RIGHT(ownLines, 2);
}

TEST(Cache, AtomicClean) {
  EXPECT_FAULT(atomicClean, PARAM_RANGE,
               "CACHELINE_ATOMIC does not exist on 910B");
}
