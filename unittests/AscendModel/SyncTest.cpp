// Flags, barriers and cross-core flags: what they order, and what the model
// says when they are wrong.
#include "Harness.h"

using namespace AscendC;

namespace {

GlobalTensor<float> gm(GM_ADDR pointer) {
  GlobalTensor<float> tensor;
  tensor.SetGlobalBuffer((__gm__ float *)pointer);
  return tensor;
}

const DataCopyExtParams k256{1, 256, 0, 0, 0};
const DataCopyPadExtParams<float> kNoPad{false, 0, 0, 0};

#define VECTOR_KERNEL(NAME, PARAMS, ...)                                       \
  void NAME PARAMS {                                                           \
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);                            \
    InitSocState();                                                            \
    LocalTensor<float> x(TPosition::VECCALC, 0, 64),                           \
        y(TPosition::VECCALC, 256, 64);                                        \
    __VA_ARGS__                                                                \
    PipeBarrier<PIPE_ALL>();                                                   \
  }
#define MIX_KERNEL(NAME, PARAMS, ...)                                          \
  void NAME PARAMS {                                                           \
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);                         \
    InitSocState();                                                            \
    __VA_ARGS__                                                                \
    PipeBarrier<PIPE_ALL>();                                                   \
  }

VECTOR_KERNEL(reservedId, (), SetFlag<HardEvent::V_MTE3>(6);
              WaitFlag<HardEvent::V_MTE3>(6);)
VECTOR_KERNEL(noSuchId, (), SetFlag<HardEvent::V_MTE3>(8);)
VECTOR_KERNEL(illegalPair, (), SetFlag<HardEvent::M_FIX>(0);
              WaitFlag<HardEvent::M_FIX>(0);)
VECTOR_KERNEL(doubleSet, (), SetFlag<HardEvent::V_MTE3>(0);
              SetFlag<HardEvent::V_MTE3>(0); WaitFlag<HardEvent::V_MTE3>(0);
              WaitFlag<HardEvent::V_MTE3>(0);)
VECTOR_KERNEL(waitFirst, (), WaitFlag<HardEvent::V_MTE3>(0);
              SetFlag<HardEvent::V_MTE3>(0);)
VECTOR_KERNEL(leftSet, (), SetFlag<HardEvent::V_MTE3>(3);)
VECTOR_KERNEL(neverSet, (), WaitFlag<HardEvent::V_MTE3>(0);)
VECTOR_KERNEL(scalarNeverSet, (), WaitFlag<HardEvent::V_S>(2);)
VECTOR_KERNEL(cubeBarrier, (), PipeBarrier<PIPE_M>();)
VECTOR_KERNEL(crossInVectorOnly, (), CrossCoreSetFlag<0, PIPE_V>(0);)

// Right in every detail, but the flag is set again before anything shows that
// its wait has happened.
VECTOR_KERNEL(
    reusedFlag, (), for (int i = 0; i < 2; ++i) {
      Duplicate(i ? x : y, 1.0f, 64);
      SetFlag<HardEvent::V_MTE3>(0);
      WaitFlag<HardEvent::V_MTE3>(0);
    })

VECTOR_KERNEL(
    twoFlags, (), for (int i = 0; i < 2; ++i) {
      Duplicate(i ? x : y, 1.0f, 64);
      SetFlag<HardEvent::V_MTE3>(i);
      WaitFlag<HardEvent::V_MTE3>(i);
    })

// The scalar unit reads what V wrote; the two stores to GM are then ordered by
// the scalar unit's wait.
VECTOR_KERNEL(scalarWait, (GM_ADDR c), Duplicate(x, 2.0f, 64);
              SetFlag<HardEvent::V_S>(0); WaitFlag<HardEvent::V_S>(0);
              y.SetValue(0, x.GetValue(5)); SetFlag<HardEvent::S_MTE3>(0);
              WaitFlag<HardEvent::S_MTE3>(0);
              DataCopyPad(gm(c), y, DataCopyExtParams{1, 4, 0, 0, 0});
              DataCopyPad(gm(c)[1], x, DataCopyExtParams{1, 4, 0, 0, 0});)

void noInit() {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  Duplicate(LocalTensor<float>(TPosition::VECCALC, 0, 64), 1.0f, 64);
  PipeBarrier<PIPE_ALL>();
}
void noFinalBarrier() {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  InitSocState();
  Duplicate(LocalTensor<float>(TPosition::VECCALC, 0, 64), 1.0f, 64);
}

// Every vector core stores a value, all meet, each loads its neighbour's.
void allMeet(GM_ADDR workspace, GM_ADDR c, bool meet) {
  InitSocState();
  int64_t me = GetBlockIdx(), all = GetBlockNum();
  LocalTensor<float> x(TPosition::VECCALC, 0, 64),
      y(TPosition::VECCALC, 256, 64);
  Duplicate(x, static_cast<float>(me), 64);
  SetFlag<HardEvent::V_MTE3>(0);
  WaitFlag<HardEvent::V_MTE3>(0);
  DataCopyPad(gm(workspace)[me * 64], x, k256);
  if (meet) {
    CrossCoreSetFlag<0, PIPE_MTE3>(5);
    CrossCoreWaitFlag(5);
  }
  DataCopyPad(y, gm(workspace)[(me + 1) % all * 64], k256, kNoPad);
  SetFlag<HardEvent::MTE2_MTE3>(0);
  WaitFlag<HardEvent::MTE2_MTE3>(0);
  DataCopyPad(gm(c)[me * 64], y, k256);
  PipeBarrier<PIPE_ALL>();
}
void meeting(GM_ADDR workspace, GM_ADDR c) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
  allMeet(workspace, c, true);
}
void notMeeting(GM_ADDR workspace, GM_ADDR c) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
  allMeet(workspace, c, false);
}

// The two vector cores of a block exchange values (mode 1).
MIX_KERNEL(
    pairExchange, (GM_ADDR workspace, GM_ADDR c), if ASCEND_IS_AIV {
      LocalTensor<float> x(TPosition::VECCALC, 0, 64);
      Duplicate(x, float(GetSubBlockIdx() + 1), 64);
      SetFlag<HardEvent::V_MTE3>(0);
      WaitFlag<HardEvent::V_MTE3>(0);
      DataCopyPad(gm(workspace)[GetBlockIdx() * 64], x, k256);
      CrossCoreSetFlag<1, PIPE_MTE3>(2);
      CrossCoreWaitFlag<1>(2);
      SetFlag<HardEvent::MTE3_MTE2>(0);
      WaitFlag<HardEvent::MTE3_MTE2>(0);
      DataCopyPad(x, gm(workspace)[(GetBlockIdx() ^ 1) * 64], k256, kNoPad);
      SetFlag<HardEvent::MTE2_MTE3>(0);
      WaitFlag<HardEvent::MTE2_MTE3>(0);
      DataCopyPad(gm(c)[GetBlockIdx() * 64], x, k256);
    })

MIX_KERNEL(waitForEver, (), if ASCEND_IS_AIC CrossCoreWaitFlag<2>(7);)
MIX_KERNEL(overflow, (),
           if ASCEND_IS_AIC for (int i = 0; i < 16; ++i)
               CrossCoreSetFlag<2, PIPE_M>(1);)
MIX_KERNEL(oneSideOnly, (),
           if ASCEND_IS_AIV if (GetSubBlockIdx() == 0)
               CrossCoreSetFlag<2, PIPE_V>(1);)
MIX_KERNEL(largeId, (), CrossCoreSetFlag<0, PIPE_MTE2>(17);
           CrossCoreWaitFlag(17);)
MIX_KERNEL(mode4, (), if ASCEND_IS_AIC CrossCoreSetFlag<4, PIPE_M>(1);)
MIX_KERNEL(crossOnScalar, (), if ASCEND_IS_AIC CrossCoreSetFlag<2, PIPE_S>(1);)
MIX_KERNEL(
    crossOnOthersPipe, (), if ASCEND_IS_AIC { CrossCoreSetFlag<2, PIPE_V>(1); })
MIX_KERNEL(
    crossOnCubesPipe, (),
    if ASCEND_IS_AIV { CrossCoreSetFlag<2, PIPE_FIX>(1); })

// A scalar store to GM, announced to the cube without cleaning the cache.
MIX_KERNEL(
    dirtyCache, (GM_ADDR c), if ASCEND_IS_AIV {
      GlobalTensor<float> value = gm(c);
      if (GetSubBlockIdx() == 0)
        value.SetValue(0, 1.0f);
      SetFlag<HardEvent::S_MTE3>(0);
      WaitFlag<HardEvent::S_MTE3>(0);
      CrossCoreSetFlag<2, PIPE_MTE3>(0);
    } else CrossCoreWaitFlag<2>(0);)

int run(Device &device, void (*kernel)()) { return device.run(kernel, 1); }

} // namespace

extern "C" int runFromC(const char *chip, TileAscendKernelFn kernel,
                        uint64_t *instructions);

TEST(Sync, FlagIds) {
  Device device;
  run(device, reservedId);
  EXPECT_REPORT(device, FLAG_ID,
                "event id 6 is reserved: expected an id below 6");
  run(device, noSuchId);
  EXPECT_REPORT(device, FLAG_ID, "expected an event id below 8, got 8");
}

TEST(Sync, FlagPairs) {
  Device device;
  run(device, illegalPair);
  EXPECT_REPORT(device, FLAG_PAIR, "M cannot signal FIX on an AIV");
}

TEST(Sync, FlagBalance) {
  Device device;
  run(device, doubleSet);
  EXPECT_REPORT(device, FLAG_DOUBLE_SET,
                "flag V_MTE3 id 0 is set again with no wait between");
  run(device, waitFirst);
  EXPECT_REPORT(device, FLAG_NO_SET,
                "expected a set of flag V_MTE3 id 0 before this wait");
  run(device, leftSet);
  EXPECT_REPORT(device, FLAG_LEFT_SET,
                "flag V_MTE3 id 3 is still set at the kernel's end");
}

TEST(Sync, FlagsAreOneBit) {
  Device device;
  run(device, reusedFlag);
  EXPECT_REPORT(device, FLAG_DOUBLE_SET,
                "SetFlag may run before MTE3 has waited for the previous set "
                "of this flag");
}

TEST(Sync, Deadlock) {
  Device device;
  run(device, neverSet);
  EXPECT_REPORT(device, DEADLOCK,
                "aiv0 of block 0 waits forever for all pipes to finish");
  EXPECT_NE(
      device.text().find("aiv0 MTE3 of block 0 waits forever in WaitFlag"),
      std::string::npos)
      << device.text();
  run(device, scalarNeverSet);
  EXPECT_REPORT(device, DEADLOCK, "waits forever for flag V_S id 2");
  run(device, waitForEver);
  EXPECT_REPORT(device, DEADLOCK,
                "aic of block 0 waits forever for cross-core flag 7");
}

TEST(Sync, Barriers) {
  Device device;
  run(device, cubeBarrier);
  EXPECT_REPORT(device, BARRIER_PIPE,
                "PipeBarrier<PIPE_M> does not exist on an AIV of 910B");
}

TEST(Sync, KernelStartAndEnd) {
  Device device;
  run(device, noInit);
  EXPECT_REPORT(device, NO_INIT,
                "expected InitSocState() before the first instruction");
  run(device, noFinalBarrier);
  EXPECT_REPORT(
      device, NO_FINAL_BARRIER,
      "expected PipeBarrier<PIPE_ALL> after the kernel's last instruction");
}

TEST(Sync, ScalarUnitWaits) {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    Device device;
    std::vector<float> c(2);
    EXPECT_EQ(device.run(scalarWait, 1, {Device::out(c)}, seed), 0)
        << device.text();
    EXPECT_EQ(c[0], 2);
    EXPECT_EQ(c[1], 2);
  }
}

TEST(Sync, AllCoresMeet) {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    Device device;
    std::vector<float> workspace(5 * 64), c(5 * 64);
    EXPECT_EQ(
        device.run(meeting, 5, {Device::out(workspace), Device::out(c)}, seed),
        0)
        << device.text();
    for (size_t i = 0; i < c.size(); ++i)
      EXPECT_EQ(c[i], (i / 64 + 1) % 5);
    device.run(notMeeting, 5, {Device::out(workspace), Device::out(c)}, seed);
    EXPECT_TRUE(device.find(TILE_ASCEND_REPORT_RACE_RAW) ||
                device.find(TILE_ASCEND_REPORT_RACE_WAR))
        << device.text();
  }
}

TEST(Sync, AllCoresMustBeResident) {
  Device device;
  device.residentBlocks = 2;
  std::vector<float> workspace(5 * 64), c(5 * 64);
  device.run(meeting, 5, {Device::out(workspace), Device::out(c)});
  EXPECT_REPORT(
      device, CROSS_MODE,
      "cross-core mode 0 expects at most 2 blocks, which run at once, got 5");
}

TEST(Sync, VectorPairExchanges) {
  Device device;
  std::vector<float> workspace(4 * 64), c(4 * 64);
  EXPECT_EQ(
      device.run(pairExchange, 2, {Device::out(workspace), Device::out(c)}, 1),
      0)
      << device.text();
  for (size_t i = 0; i < c.size(); ++i)
    EXPECT_EQ(c[i], i / 64 % 2 ? 1 : 2);
}

TEST(Sync, CrossCoreLimits) {
  Device device;
  run(device, overflow);
  EXPECT_REPORT(device, CROSS_OVERFLOW, "to stay at most 15, got 16");
  EXPECT_REPORT(device, CROSS_LEFT,
                "expected the counter of cross-core flag 1 of aiv0 to be 0 at "
                "the kernel's end, got 16");
  run(device, oneSideOnly);
  EXPECT_REPORT(device, CROSS_LEFT,
                "was set by aiv0 but not by every core that mode 2 combines");
  run(device, largeId);
  EXPECT_REPORT(device, CROSS_ID,
                "expected a cross-core flag id below 16, got 17");
  run(device, mode4);
  EXPECT_REPORT(device, CROSS_MODE, "cross-core mode 4 does not exist on 910B");
  run(device, crossOnScalar);
  EXPECT_REPORT(device, CROSS_PIPE,
                "expects one pipe of V, M, MTE1, MTE2, MTE3, FIX");
  run(device, crossOnOthersPipe);
  EXPECT_REPORT(device, CROSS_PIPE,
                "CrossCoreSetFlag expects a pipe of an AIC, got PIPE_V");
  run(device, crossOnCubesPipe);
  EXPECT_REPORT(device, CROSS_PIPE,
                "CrossCoreSetFlag expects a pipe of an AIV, got PIPE_FIX");
  run(device, crossInVectorOnly);
  EXPECT_REPORT(device, CROSS_KERNEL_TYPE,
                "cross-core mode 0 needs a MIX kernel type");
}

TEST(Sync, DirtyCache) {
  Device device;
  std::vector<float> c(1);
  device.run(dirtyCache, 1, {Device::out(c)});
  EXPECT_REPORT(device, CACHE_DIRTY,
                "expected DataCacheCleanAndInvalid before the signal");
}

TEST(Sync, SitesAreEnumerated) {
  Device device;
  run(device, doubleSet);
  ASSERT_EQ(tileAscendModelSyncSiteCount(device.model),
            3u); // two SetFlags on one line of one flag are one site
  EXPECT_STREQ(tileAscendModelSyncSite(device.model, 0).api,
               "SetFlag<V_MTE3>(0)");
  EXPECT_EQ(tileAscendModelSyncSite(device.model, 0).executed, 2u);
  EXPECT_EQ(tileAscendModelSyncSite(device.model, 0).group,
            tileAscendModelSyncSite(device.model, 1).group);
  EXPECT_STREQ(tileAscendModelSyncSite(device.model, 2).api,
               "PipeBarrier<PIPE_ALL>");
}

TEST(Sync, EnvironmentSkipsSites) {
  setenv("TILE_ASCEND_SKIP_SYNC", "1,2", 1);
  Device device;
  unsetenv("TILE_ASCEND_SKIP_SYNC");
  run(device, reusedFlag);
  EXPECT_TRUE(tileAscendModelSyncSite(device.model, 1).skipped);
  EXPECT_REPORT(device, FLAG_LEFT_SET, "flag V_MTE3 id 0");
  EXPECT_REPORT(device, NO_FINAL_BARRIER, "");
}

TEST(Sync, CallableFromC) {
  uint64_t instructions = 0;
  EXPECT_EQ(runFromC("910C", reinterpret_cast<TileAscendKernelFn>(twoFlags),
                     &instructions),
            0);
  EXPECT_EQ(instructions, 2u);
}
