// The paths between the cores of Ascend 950 (architecture 3510): L0C to the UB of
// the vector cores, and UB to the L1 of the cube core.
#define __NPU_ARCH__ 3510
#include "Harness.h"

using namespace AscendC;

namespace {

constexpr FixpipeConfig rowsToUb = {CO2Layout::ROW_MAJOR, true};

template <typename T>
GlobalTensor<T> gm(GM_ADDR pointer) {
  GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer((__gm__ T *)pointer);
  return tensor;
}

enum Fault {
  None,
  NoFlagToCube,   // nothing says that L1 is full
  OtherPipeCube,  // the wait holds another pipe than the one that loads
  NoFlagToVector, // nothing says that UB is full
  OtherPipeVector,
  OtherPipeSet // the signal comes from a pipe that did not write
};

FixpipeParamsArch3510<CO2Layout::ROW_MAJOR> wholeMatrix() {
  return FixpipeParamsArch3510<CO2Layout::ROW_MAJOR>(32, 32, 32, 32);
}

// Each AIV gives its 16 rows of a matrix of 32 x 32 to the cube, which multiplies
// it with itself, transposed, and gives each AIV 16 rows of the product.
template <Fault fault>
void product(GM_ADDR a, GM_ADDR c) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  InitSocState();
  LocalTensor<half> l1(TPosition::A1, 0, 1024);
  LocalTensor<float> received(TPosition::VECCALC, 4096, 512);
  if ASCEND_IS_AIV {
    LocalTensor<half> x(TPosition::VECCALC, 0, 512);
    int64_t sub = GetSubBlockIdx();
    DataCopy(x, gm<half>(a)[sub * 512], 512);
    SetFlag<HardEvent::MTE2_MTE3>(0);
    WaitFlag<HardEvent::MTE2_MTE3>(0);
    for (uint32_t column = 0; column < 2; ++column)
      DataCopy(l1[column * 512 + sub * 256], x[column * 16],
               DataCopyParams{16, 1, 1, 0});
    if (fault == OtherPipeSet)
      CrossCoreSetFlag<2, PIPE_V>(0);
    else if (fault != NoFlagToCube)
      CrossCoreSetFlag<2, PIPE_MTE3>(0);
    if (fault == OtherPipeVector)
      CrossCoreWaitFlag<2, PIPE_MTE2>(1);
    else if (fault != NoFlagToVector)
      CrossCoreWaitFlag<2, PIPE_V>(1);
    Adds(received, received, 1.0f, 512);
    SetFlag<HardEvent::V_MTE3>(0);
    WaitFlag<HardEvent::V_MTE3>(0);
    DataCopyPad(gm<float>(c)[sub * 512], received,
                DataCopyExtParams{1, 2048, 0, 0, 0});
  }
  if ASCEND_IS_AIC {
    LocalTensor<half> a0(TPosition::A2, 0, 1024), b0(TPosition::B2, 0, 1024);
    LocalTensor<float> c0(TPosition::CO1, 0, 1024);
    if (fault == OtherPipeCube)
      CrossCoreWaitFlag<2, PIPE_MTE2>(0);
    else if (fault != NoFlagToCube)
      CrossCoreWaitFlag<2, PIPE_MTE1>(0);
    LoadData(a0, l1, LoadData2DParams{0, 4, 1, 0, 0, false, 0});
    LoadData(b0, l1, LoadData2DParams{0, 4, 1, 0, 0, false, 0});
    SetFlag<HardEvent::MTE1_M>(0);
    WaitFlag<HardEvent::MTE1_M>(0);
    Mmad(c0, a0, b0, MmadParams(32, 32, 32, 0, false, true));
    SetFlag<HardEvent::M_FIX>(0);
    WaitFlag<HardEvent::M_FIX>(0);
    auto params = wholeMatrix();
    params.dualDstCtl = 1;
    Fixpipe<float, float, rowsToUb>(received, c0, params);
    if (fault != NoFlagToVector)
      CrossCoreSetFlag<2, PIPE_FIX>(1);
  }
  PipeBarrier<PIPE_ALL>();
}

// The cube gives a matrix of ones to one AIV or both, each of which stores what
// it has, beginning at `first`.
template <int dual, int sub, int fault>
void give(GM_ADDR c) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  InitSocState();
  LocalTensor<float> received(TPosition::VECCALC, 0, 1024);
  if ASCEND_IS_AIC {
    LocalTensor<half> l1(TPosition::A1, 0, 512), a0(TPosition::A2, 0, 512),
        b0(TPosition::B2, 0, 512);
    LocalTensor<float> c0(TPosition::CO1, 0, 1024);
    Fill(l1, InitConstValueParams<half>{1, 32, 0, half(0.25f)});
    SetFlag<HardEvent::MTE2_MTE1>(0);
    WaitFlag<HardEvent::MTE2_MTE1>(0);
    LoadData(a0, l1, LoadData2DParams{0, 2, 1, 0, 0, false, 0});
    LoadData(b0, l1, LoadData2DParams{0, 2, 1, 0, 0, false, 0});
    SetFlag<HardEvent::MTE1_M>(0);
    WaitFlag<HardEvent::MTE1_M>(0);
    Mmad(c0, a0, b0, MmadParams(32, 32, 16, 0, false, true));
    SetFlag<HardEvent::M_FIX>(0);
    WaitFlag<HardEvent::M_FIX>(0);
    auto params = wholeMatrix();
    params.dualDstCtl = dual;
    params.subBlockId = sub;
    if (fault == 1)
      params.mSize = 31;
    if (fault == 2)
      params.nSize = 20;
    if (fault == 3)
      params.reluEn = true;
    if (fault == 5)
      Fixpipe<float, float, rowsToUb>(received[4], c0, params);
    else
      Fixpipe<float, float, rowsToUb>(received, c0, params);
    CrossCoreSetFlag<2, PIPE_FIX>(1);
  } else {
    CrossCoreWaitFlag<2, PIPE_MTE3>(1);
    if (dual || GetSubBlockIdx() == sub)
      DataCopyPad(gm<float>(c)[GetSubBlockIdx() * 1024], received,
                  DataCopyExtParams{1, uint32_t(dual ? 2048 : 4096), 0, 0, 0});
  }
  PipeBarrier<PIPE_ALL>();
}

// The other vector core does not run.
void oneVectorCore() {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1);
  InitSocState();
  if ASCEND_IS_AIC {
    LocalTensor<float> c0(TPosition::CO1, 0, 1024),
        x(TPosition::VECCALC, 0, 1024);
    auto params = wholeMatrix();
    params.subBlockId = 1;
    Fixpipe<float, float, rowsToUb>(x, c0, params);
  }
  PipeBarrier<PIPE_ALL>();
}

// Past the end of L1.
void tooFar(GM_ADDR a) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  InitSocState();
  if ASCEND_IS_AIV {
    LocalTensor<half> x(TPosition::VECCALC, 0, 512),
        l1(TPosition::A1, 512 * 1024 - 512, 128);
    DataCopy(x, gm<half>(a), 512);
    SetFlag<HardEvent::MTE2_MTE3>(0);
    WaitFlag<HardEvent::MTE2_MTE3>(0);
    DataCopy(l1, x, DataCopyParams{1, 16, 0, 0});
  }
  PipeBarrier<PIPE_ALL>();
}

template <Fault fault>
void runProduct(Device &device, uint64_t seed, std::vector<float> &c) {
  std::vector<half> a(1024);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = half(static_cast<int>(i * 7 % 9) - 4);
  device.run(product<fault>, 1, {Device::in(a), Device::out(c)}, seed);
  if (fault != None)
    return;
  EXPECT_EQ(device.text(), "");
  for (size_t i = 0; i < 32; ++i)
    for (size_t j = 0; j < 32; ++j) {
      float sum = 1;
      for (size_t k = 0; k < 32; ++k)
        sum += float(a[i * 32 + k]) * float(a[j * 32 + k]);
      EXPECT_EQ(c[i * 32 + j], sum) << i << ' ' << j;
    }
}

template <Fault fault>
void expectRace(const char *text) {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    Device device("950");
    std::vector<float> c(1024);
    runProduct<fault>(device, seed, c);
    const TileAscendReport *race = device.find(TILE_ASCEND_REPORT_RACE_RAW);
    if (!race)
      race = device.find(TILE_ASCEND_REPORT_RACE_WAR);
    ASSERT_NE(race, nullptr) << device.text();
    EXPECT_NE(std::string(race->message).find(text), std::string::npos)
        << race->message;
  }
}

} // namespace

TEST(Direct950, ThereAndBack) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    Device device("950");
    std::vector<float> c(1024);
    runProduct<None>(device, seed, c);
  }
}

TEST(Direct950, RacesOfBothCores) {
  expectRace<NoFlagToCube>("L1 bytes");
  expectRace<OtherPipeCube>("L1 bytes");
  expectRace<OtherPipeSet>("L1 bytes");
  expectRace<NoFlagToVector>("UB bytes");
  expectRace<OtherPipeVector>("UB bytes");
}

TEST(Direct950, Destinations) {
  std::vector<float> c(2048);
  auto run = [&](auto *kernel) {
    Device device("950");
    EXPECT_EQ(device.run(kernel, 1, {Device::out(c)}), 0) << device.text();
  };
  run(give<0, 0, 0>);
  EXPECT_EQ(c[1023], 1);
  EXPECT_FALSE(c[1024] == 1); // nobody wrote it
  run(give<0, 1, 0>);
  EXPECT_FALSE(c[0] == 1);
  EXPECT_EQ(c[2047], 1);
  run(give<1, 0, 0>);
  EXPECT_EQ(c[511], 1);
  EXPECT_EQ(c[1024 + 511], 1);
}

TEST(Direct950, Parameters) {
  std::vector<float> c(2048);
  auto run = [&](auto *kernel, const char *text) {
    Device device("950");
    device.run(kernel, 1, {Device::out(c)});
    EXPECT_REPORT(device, PARAM_RANGE, text);
  };
  run(give<1, 0, 1>, "expected mSize to be a multiple of 2");
  run(give<0, 0, 2>, "expected rows of whole blocks of 32 bytes, got 80");
  run(give<1, 0, 3>, "expected neither quantPre nor reluEn");
  run(give<3, 0, 0>, "expected dualDstCtl at most 2, got 3");
  run(give<0, 2, 0>, "expected subBlockId at most 1, got 2");
  Device device("950");
  device.run(give<0, 0, 5>, 1, {Device::out(c)});
  EXPECT_REPORT(device, MISALIGNED, "multiple of 32, got 16");
}

TEST(Direct950, Limits) {
  Device one("950"), far("950");
  one.run(oneVectorCore, 1);
  EXPECT_REPORT(one, WRONG_CORE, "UB of aiv1, which the kernel type leaves out");
  std::vector<half> a(512);
  far.run(tooFar, 1, {Device::in(a)});
  EXPECT_REPORT(far, CAPACITY, "writes L1 bytes");
}

TEST(Direct950, NoPathOn910B) {
  Device device("910B");
  std::vector<half> a(1024);
  std::vector<float> c(1024);
  device.run(product<None>, 1, {Device::in(a), Device::out(c)});
  EXPECT_REPORT(device, DATA_PATH, "there is no data path from");
}
