// The second chip record: what Ascend 950 (architecture 3510) does differently.
#define __NPU_ARCH__ 3510
#include "Harness.h"

using namespace AscendC;

namespace {

template <typename T>
GlobalTensor<T> gm(GM_ADDR pointer) {
  GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer((__gm__ T *)pointer);
  return tensor;
}

// The vector pipe completes in order: no barrier, and none exists.
void vectorChain(GM_ADDR c) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  InitSocState();
  LocalTensor<float> x(TPosition::VECCALC, 200 * 1024, 64);
  Duplicate(x, 1.0f, 64);
  Adds(x, x, 1.0f, 64);
  SetFlag<HardEvent::V_MTE3>(0);
  WaitFlag<HardEvent::V_MTE3>(0);
  DataCopyPad(gm<float>(c), x, DataCopyExtParams{1, 256, 0, 0, 0});
  PipeBarrier<PIPE_ALL>();
}
void vectorBarrier() {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  InitSocState();
  PipeBarrier<PIPE_V>();
  PipeBarrier<PIPE_ALL>();
}

// L0A holds Nz fractals, in the order in which L1 has them.
void matmul(GM_ADDR a, GM_ADDR b, GM_ADDR c) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  InitSocState();
  LocalTensor<half> a1(TPosition::A1, 0, 1024), b1(TPosition::B1, 4096, 512);
  LocalTensor<half> a0(TPosition::A2, 0, 1024), b0(TPosition::B2, 0, 512);
  LocalTensor<float> c0(TPosition::CO1, 0, 512);
  DataCopy(a1, gm<half>(a), Nd2NzParams{1, 32, 32, 0, 32, 32, 1, 0});
  DataCopy(b1, gm<half>(b), Nd2NzParams{1, 32, 16, 0, 16, 32, 1, 0});
  SetFlag<HardEvent::MTE2_MTE1>(0);
  WaitFlag<HardEvent::MTE2_MTE1>(0);
  LoadData(a0, a1, LoadData2DParams{0, 4, 1, 0, 0, false, 0});
  LoadData(b0, b1, LoadData2DParams{0, 2, 1, 0, 0, true, 0});
  SetFlag<HardEvent::MTE1_M>(0);
  WaitFlag<HardEvent::MTE1_M>(0);
  Mmad(c0, a0, b0, MmadParams(32, 16, 32, 0, false, true));
  SetFlag<HardEvent::M_FIX>(0);
  WaitFlag<HardEvent::M_FIX>(0);
  FixpipeParamsV220 fix;
  fix.nSize = 16, fix.mSize = 32, fix.srcStride = 32, fix.dstStride = 16;
  Fixpipe<float, float>(gm<float>(c), c0, fix);
  PipeBarrier<PIPE_ALL>();
}

// Both operands transposed on their way, A from K x M, B from K x N: one
// LoadData each, from the second block of K on.
template <typename T, typename Sum>
void transposed(GM_ADDR a, GM_ADDR b, GM_ADDR c) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  InitSocState();
  constexpr uint16_t c0 = 32 / sizeof(T), steps = 32 / c0;
  LocalTensor<T> a1(TPosition::A1, 0, 96 * 32),
      b1(TPosition::B1, 16384, 96 * 32),
      a0(TPosition::A2, 0, 64 * 32), b0(TPosition::B2, 0, 64 * 32);
  LocalTensor<Sum> c0c(TPosition::CO1, 0, 1024);
  DataCopy(a1, gm<T>(a), Nd2NzParams{1, 96, 32, 0, 32, 96, 1, 0});
  DataCopy(b1, gm<T>(b), Nd2NzParams{1, 96, 32, 0, 32, 96, 1, 0});
  SetFlag<HardEvent::MTE2_MTE1>(0);
  WaitFlag<HardEvent::MTE2_MTE1>(0);
  LoadData(a0, a1, LoadData2DParamsV2{2, 0, 4, steps, 6, 2, true, 0});
  LoadData(b0, b1, LoadData2DParamsV2{2, 0, 4, steps, 6, 2, true, 0});
  SetFlag<HardEvent::MTE1_M>(0);
  WaitFlag<HardEvent::MTE1_M>(0);
  Mmad(c0c, a0, b0, MmadParams(32, 32, 64, 0, false, true));
  SetFlag<HardEvent::M_FIX>(0);
  WaitFlag<HardEvent::M_FIX>(0);
  FixpipeParamsV220 fix;
  fix.nSize = 32, fix.mSize = 32, fix.srcStride = 32, fix.dstStride = 32;
  Fixpipe<Sum, Sum>(gm<Sum>(c), c0c, fix);
  PipeBarrier<PIPE_ALL>();
}

void oddSteps() {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  InitSocState();
  LocalTensor<int8_t> a1(TPosition::A1, 0, 1024), a0(TPosition::A2, 0, 1024);
  LocalTensor<float> x1(TPosition::A1, 0, 256), x0(TPosition::A2, 0, 256);
  LoadData(a0, a1, LoadData2DParamsV2{0, 0, 1, 1, 2, 2, true, 0});
  LoadData(x0, x1, LoadData2DParamsV2{0, 0, 1, 1, 1, 1, true, 0});
  LocalTensor<float> c0(TPosition::CO1, 0, 256), b0(TPosition::B2, 0, 256);
  MmadParams aligned(16, 16, 8, 0, false, true);
  aligned.kDirectionAlign = true;
  Mmad(c0, x0, b0, aligned);
  PipeBarrier<PIPE_ALL>();
}

template <typename T, typename Sum>
void testTransposed() {
  Device device("950");
  std::vector<T> a(96 * 32), b(96 * 32);
  std::vector<Sum> c(32 * 32);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = T(static_cast<int>(i * 7 % 9) - 4),
    b[i] = T(static_cast<int>(i * 5 % 11) - 5);
  EXPECT_EQ(device.run(transposed<T, Sum>, 1,
                       {Device::in(a), Device::in(b), Device::out(c)}),
            0)
      << device.text();
  for (size_t i = 0; i < 32; ++i)
    for (size_t j = 0; j < 32; ++j) {
      Sum sum = 0;
      for (size_t k = 32; k < 96; ++k)
        sum += Sum(a[k * 32 + i]) * Sum(b[k * 32 + j]);
      EXPECT_EQ(c[i * 32 + j], sum) << i << ' ' << j;
    }
}

// AIV1 alone answers the cube (mode 4); the wait stalls the cube's FIX only if
// it names FIX.
template <pipe_t pipe>
void oneToOne(GM_ADDR workspace, GM_ADDR c) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  InitSocState();
  if ASCEND_IS_AIV {
    if (GetSubBlockIdx() == 0)
      return;
    LocalTensor<half> x(TPosition::VECCALC, 0, 256);
    Duplicate(x, half(3), 256);
    SetFlag<HardEvent::V_MTE3>(0);
    WaitFlag<HardEvent::V_MTE3>(0);
    DataCopyPad(gm<half>(workspace), x, DataCopyExtParams{1, 512, 0, 0, 0});
    CrossCoreSetFlag<4, PIPE_MTE3>(2);
  } else {
    LocalTensor<half> a1(TPosition::A1, 0, 256), a0(TPosition::A2, 0, 256),
        b0(TPosition::B2, 0, 256);
    LocalTensor<float> c0(TPosition::CO1, 0, 256);
    CrossCoreWaitFlag<4, pipe>(18);
    DataCopy(a1, gm<half>(workspace), 256);
    SetFlag<HardEvent::MTE2_MTE1>(0);
    WaitFlag<HardEvent::MTE2_MTE1>(0);
    LoadData(a0, a1, LoadData2DParams{0, 1, 1, 0, 0, false, 0});
    LoadData(b0, a1, LoadData2DParams{0, 1, 1, 0, 0, false, 0});
    SetFlag<HardEvent::MTE1_M>(0);
    WaitFlag<HardEvent::MTE1_M>(0);
    Mmad(c0, a0, b0, MmadParams(16, 16, 16, 0, false, true));
    SetFlag<HardEvent::M_FIX>(0);
    WaitFlag<HardEvent::M_FIX>(0);
    FixpipeParamsV220 fix;
    fix.nSize = 16, fix.mSize = 16, fix.srcStride = 16, fix.dstStride = 16;
    Fixpipe<float, float>(gm<float>(c), c0, fix);
  }
  PipeBarrier<PIPE_ALL>();
}

} // namespace

TEST(Arch950, VectorPipeIsOrdered) {
  Device device("950");
  std::vector<float> c(64);
  EXPECT_EQ(device.run(vectorChain, 1, {Device::out(c)}, 1), 0)
      << device.text();
  EXPECT_EQ(c[63], 2);
  device.run(vectorBarrier, 1);
  EXPECT_REPORT(device, BARRIER_PIPE,
                "PipeBarrier<PIPE_V> does not exist on an AIV of 950");
}

TEST(Arch950, LeftOperandIsNz) {
  Device device("950");
  std::vector<half> a(32 * 32), b(32 * 16);
  std::vector<float> c(32 * 16);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = half(static_cast<int>(i * 7 % 9) - 4);
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = half(static_cast<int>(i * 5 % 7) - 3);
  EXPECT_EQ(
      device.run(matmul, 1, {Device::in(a), Device::in(b), Device::out(c)}), 0)
      << device.text();
  for (size_t i = 0; i < 32; ++i)
    for (size_t j = 0; j < 16; ++j) {
      float sum = 0;
      for (size_t k = 0; k < 32; ++k)
        sum += float(a[i * 32 + k]) * float(b[k * 16 + j]);
      EXPECT_EQ(c[i * 16 + j], sum) << i << ' ' << j;
    }
}

TEST(Arch950, CrossWaitStallsOnePipe) {
  std::vector<half> workspace(256);
  std::vector<float> c(256);
  Device good("950"), bad("950");
  EXPECT_EQ(good.run(oneToOne<PIPE_MTE2>, 1,
                     {Device::out(workspace), Device::out(c)}, 2),
            0)
      << good.text();
  EXPECT_EQ(c[17], 9 * 16);
  bad.run(oneToOne<PIPE_FIX>, 1, {Device::out(workspace), Device::out(c)}, 2);
  EXPECT_TRUE(bad.find(TILE_ASCEND_REPORT_RACE_RAW) ||
              bad.find(TILE_ASCEND_REPORT_RACE_WAR))
      << bad.text();
}

TEST(Arch950, LoadTransposesEachWidth) {
  testTransposed<half, float>();
  testTransposed<float, float>();
  testTransposed<int8_t, int32_t>();
}

TEST(Arch950, LoadTransposesWholeSquares) {
  Device device("950");
  device.run(oddSteps, 1);
  EXPECT_REPORT(device, PARAM_RANGE,
                "expected an even mStep to transpose 8-bit elements, got 1");
  EXPECT_NE(device.text().find(
                "expected an even kStep to transpose 32-bit elements, got 1"),
            std::string::npos)
      << device.text();
  EXPECT_NE(device.text().find("expected kDirectionAlign to be false on 950"),
            std::string::npos)
      << device.text();
}
