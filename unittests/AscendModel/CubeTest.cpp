// Cube instructions: element types, transposed loads, bias, quantisation,
// layouts.
#include <cmath>

#include "KernelData.h"

using namespace AscendC;

namespace {

template <typename T>
GlobalTensor<T> gm(GM_ADDR pointer) {
  GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer((__gm__ T *)pointer);
  return tensor;
}

template <HardEvent event>
void signal() {
  SetFlag<event>(0);
  WaitFlag<event>(0);
}

FixpipeParamsV220 fixParams(uint16_t m, uint16_t n) {
  FixpipeParamsV220 fix;
  fix.nSize = n, fix.mSize = m, fix.srcStride = m, fix.dstStride = n;
  return fix;
}

// C[16,16] = A[16,32] * B[32,16] of 8-bit integers; B is transposed on its way
// to L0B. Quantised to int8 with factor 1/4, offset 3.
void int8Kernel(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR q) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  InitSocState();
  LocalTensor<int8_t> a1(TPosition::A1, 0, 512), b1(TPosition::B1, 512, 1024),
      a0(TPosition::A2, 0, 512), b0(TPosition::B2, 0, 1024);
  LocalTensor<int32_t> c0(TPosition::CO1, 0, 256);
  DataCopy(a1, gm<int8_t>(a), Nd2NzParams{1, 16, 32, 0, 32, 16, 1, 0});
  DataCopy(b1, gm<int8_t>(b), Nd2NzParams{1, 32, 16, 0, 16, 32, 1, 0});
  signal<HardEvent::MTE2_MTE1>();
  LoadData(a0, a1, LoadData2DParams{0, 1, 1, 0, 0, false, 0});
  LoadDataWithTranspose(b0, b1, LoadData2dTransposeParams{0, 1, 1, 0, 0, 0});
  signal<HardEvent::MTE1_M>();
  Mmad(c0, a0, b0, MmadParams(16, 16, 32, 0, false, true));
  signal<HardEvent::M_FIX>();
  Fixpipe<int32_t, int32_t>(gm<int32_t>(c), c0, fixParams(16, 16));
  FixpipeParamsV220 quant = fixParams(16, 16);
  quant.quantPre = REQ8;
  quant.deqScalar = 0x3E800000ull | 3ull << 37 | 1ull << 46;
  Fixpipe<int8_t, int32_t>(gm<int8_t>(q), c0, quant);
  PipeBarrier<PIPE_ALL>();
}

// C[16,16] = A[16,16] * B[16,16] + bias of float; B transposed by 32-bit
// squares. Nz output to GM.
void floatBiasKernel(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  InitSocState();
  LocalTensor<float> a1(TPosition::A1, 0, 256), b1(TPosition::B1, 1024, 256),
      bias1(TPosition::C1, 2048, 16);
  LocalTensor<float> a0(TPosition::A2, 0, 256), b0(TPosition::B2, 0, 256),
      bias0(TPosition::C2, 0, 16), c0(TPosition::CO1, 0, 256);
  // B in Zz order, as the 32-bit transposition wants its two fractals side by
  // side.
  DataCopy(a1, gm<float>(a), Nd2NzParams{1, 16, 16, 0, 16, 16, 1, 0});
  DataCopy(b1, gm<float>(b), Nd2NzParams{1, 16, 16, 0, 16, 16, 1, 0});
  DataCopy(bias1, gm<float>(bias), 16);
  signal<HardEvent::MTE2_MTE1>();
  LoadData(a0, a1, LoadData2DParams{0, 2, 1, 0, 0, false, 0});
  LoadDataWithTranspose(b0, b1, LoadData2dTransposeParams{0, 1, 1, 0, 0, 0});
  DataCopy(bias0, bias1, DataCopyParams{1, 1, 0, 0});
  signal<HardEvent::MTE1_M>();
  Mmad(c0, a0, b0, bias0, MmadParams(16, 16, 16, 0, false, false));
  signal<HardEvent::M_FIX>();
  FixpipeParamsV220 fix = fixParams(16, 16);
  fix.dstStride = 32; // 16 rows of 16 floats are 32 blocks
  Fixpipe<float, float, CFG_NZ>(gm<float>(c), c0, fix);
  PipeBarrier<PIPE_ALL>();
}

// C[32,32] = A^T * B of float, A[24,32] and B[24,32] with K in their rows: L1
// in Zz, both transposed by 32-bit squares, K rounded to 16 in L0A.
void floatTransposedKernel(GM_ADDR a, GM_ADDR b, GM_ADDR c) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  InitSocState();
  LocalTensor<float> a1(TPosition::A1, 0, 1024), b1(TPosition::B1, 4096, 1024),
      a0(TPosition::A2, 0, 1024), b0(TPosition::B2, 0, 1024),
      c0(TPosition::CO1, 0, 1024);
  for (uint32_t row = 0; row < 32; row += 16) {
    auto rows = static_cast<uint16_t>(row ? 8 : 16);
    DataCopy(a1[row * 32], gm<float>(a)[row * 32],
             Nd2NzParams{1, rows, 32, 0, 32, 16, 1, 0});
    DataCopy(b1[row * 32], gm<float>(b)[row * 32],
             Nd2NzParams{1, rows, 32, 0, 32, 16, 1, 0});
  }
  signal<HardEvent::MTE2_MTE1>();
  for (uint32_t i = 0; i < 2; ++i) {
    LoadDataWithTranspose(a0[i * 512], a1[i * 256],
                          LoadData2dTransposeParams{0, 2, 2, 1, 0, 0});
    LoadDataWithTranspose(b0[i * 512], b1[i * 512],
                          LoadData2dTransposeParams{0, 2, 1, 0, 1, 0});
  }
  signal<HardEvent::MTE1_M>();
  MmadParams params(32, 32, 24, 0, false, true);
  params.kDirectionAlign = true;
  Mmad(c0, a0, b0, params);
  signal<HardEvent::M_FIX>();
  Fixpipe<float, float>(gm<float>(c), c0, fixParams(32, 32));
  PipeBarrier<PIPE_ALL>();
}

// A row times a matrix: m == 1 reads A as a plain row. ReLU on the way out,
// then an atomic addition of the same.
void gemvKernel(GM_ADDR a, GM_ADDR b, GM_ADDR c) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  InitSocState();
  LocalTensor<half> a1(TPosition::A1, 0, 256), b1(TPosition::B1, 1024, 256),
      a0(TPosition::A2, 0, 256), b0(TPosition::B2, 0, 256);
  LocalTensor<float> c0(TPosition::CO1, 0, 256);
  DataCopy(a1, gm<half>(a), 16);
  DataCopy(b1, gm<half>(b), Nd2NzParams{1, 16, 16, 0, 16, 16, 1, 0});
  signal<HardEvent::MTE2_MTE1>();
  LoadData(a0, a1, LoadData2DParams{0, 1, 1, 0, 0, false, 0});
  LoadData(b0, b1, LoadData2DParams{0, 1, 1, 0, 0, true, 0});
  signal<HardEvent::MTE1_M>();
  Mmad(c0, a0, b0, MmadParams(1, 16, 16, 0, false, true));
  signal<HardEvent::M_FIX>();
  FixpipeParamsV220 fix = fixParams(1, 16);
  fix.srcStride = 16, fix.reluEn = true;
  Fixpipe<float, float>(gm<float>(c), c0, fix);
  PipeBarrier<PIPE_FIX>();
  SetAtomicAdd<float>();
  Fixpipe<float, float>(gm<float>(c), c0, fix);
  SetAtomicNone();
  PipeBarrier<PIPE_ALL>();
}

// Two products accumulate in one large L0C tile without a barrier between them,
// which the cube orders by itself.
void accumulateKernel(GM_ADDR a, GM_ADDR c, uint64_t n) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  InitSocState();
  auto columns = static_cast<uint16_t>(n);
  LocalTensor<half> a1(TPosition::A1, 0, 8192), a0(TPosition::A2, 0, 8192),
      b0(TPosition::B2, 0, 8192);
  LocalTensor<float> c0(TPosition::CO1, 0, 16 * n);
  DataCopy(a1, gm<half>(a), static_cast<uint32_t>(16 * n));
  signal<HardEvent::MTE2_MTE1>();
  LoadData(a0, a1, LoadData2DParams{0, 1, 1, 0, 0, false, 0});
  LoadData(
      b0, a1,
      LoadData2DParams{0, static_cast<uint8_t>(n / 16), 1, 0, 0, false, 0});
  signal<HardEvent::MTE1_M>();
  Mmad(c0, a0, b0, MmadParams(16, columns, 16, 0, false, true));
  Mmad(c0, a0, b0, MmadParams(16, columns, 16, 0, false, false));
  signal<HardEvent::M_FIX>();
  Fixpipe<float, float>(gm<float>(c), c0, fixParams(16, columns));
  PipeBarrier<PIPE_ALL>();
}

} // namespace

TEST(Cube, Int8WithTransposeAndRequantisation) {
  Device device;
  std::vector<int8_t> a(512), b(512), q(256);
  std::vector<int32_t> c(256);
  for (size_t i = 0; i < 512; ++i)
    a[i] = static_cast<int8_t>(i * 7 % 11 - 5),
    b[i] = static_cast<int8_t>(i * 5 % 13 - 6);
  EXPECT_EQ(device.run(
                int8Kernel, 1,
                {Device::in(a), Device::in(b), Device::out(c), Device::out(q)}),
            0)
      << device.text();
  for (size_t i = 0; i < 16; ++i)
    for (size_t j = 0; j < 16; ++j) {
      int sum = 0;
      for (size_t k = 0; k < 32; ++k)
        sum += a[i * 32 + k] * b[k * 16 + j];
      EXPECT_EQ(c[i * 16 + j], sum);
      EXPECT_EQ(
          q[i * 16 + j],
          std::max(-128.0, std::min(127.0, std::nearbyint(sum * 0.25) + 3)));
    }
}

TEST(Cube, FloatWithBiasToNz) {
  Device device;
  auto a = randomValues<float>(256, 1), b = randomValues<float>(256, 2),
       bias = randomValues<float>(16, 3);
  std::vector<float> c(256);
  EXPECT_EQ(device.run(floatBiasKernel, 1,
                       {Device::in(a), Device::in(b), Device::in(bias),
                        Device::out(c)}),
            0)
      << device.text();
  for (size_t i = 0; i < 16; ++i)
    for (size_t j = 0; j < 16; ++j) {
      float sum = bias[j];
      for (size_t k = 0; k < 16; ++k)
        sum += a[i * 16 + k] * b[k * 16 + j];
      EXPECT_EQ(c[i * 16 + j], sum) << i << ' ' << j;
    }
}

TEST(Cube, FloatWithKInRows) {
  Device device;
  auto a = randomValues<float>(24 * 32, 7), b = randomValues<float>(24 * 32, 8);
  std::vector<float> c(1024);
  EXPECT_EQ(device.run(floatTransposedKernel, 1,
                       {Device::in(a), Device::in(b), Device::out(c)}),
            0)
      << device.text();
  for (size_t i = 0; i < 32; ++i)
    for (size_t j = 0; j < 32; ++j) {
      float sum = 0;
      for (size_t k = 0; k < 24; ++k)
        sum += a[k * 32 + i] * b[k * 32 + j];
      EXPECT_EQ(c[i * 32 + j], sum) << i << ' ' << j;
    }
}

TEST(Cube, GemvReluAtomic) {
  Device device;
  auto a = randomValues<half>(16, 4), b = randomValues<half>(256, 5);
  std::vector<float> c(16);
  EXPECT_EQ(
      device.run(gemvKernel, 1, {Device::in(a), Device::in(b), Device::out(c)}),
      0)
      << device.text();
  auto expected = product(a, b, 1, 16, 16);
  for (size_t j = 0; j < 16; ++j)
    EXPECT_EQ(c[j], 2 * std::max(expected[j], 0.0f));
}

TEST(Cube, LargeTilesAccumulateWithoutBarrier) {
  for (uint64_t n : {160u, 144u}) {
    Device device;
    auto a = randomValues<half>(16 * n, 6);
    std::vector<float> c(16 * n);
    int reports =
        device.run(accumulateKernel, 1,
                   {Device::in(a), Device::out(c), Device::word(n)}, 3);
    // The barrier is needed below 10 tiles of 16x16.
    EXPECT_EQ(reports != 0, n < 160) << device.text();
    if (n < 160)
      EXPECT_REPORT(device, RACE_WAW, "Mmad writes on aic M L0C");
  }
}
