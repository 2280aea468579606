// Vector instructions against their documented results. Each kernel works on
// buffers it gets as arguments.
#include <cmath>
#include <cstring>

#include "Harness.h"

using namespace AscendC;

namespace {

template <typename T>
GlobalTensor<T> gm(GM_ADDR pointer) {
  GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer((__gm__ T *)pointer);
  return tensor;
}

// Loads, runs `body` on the vector core, stores.
template <typename In, typename Out, typename Body>
void streamed(GM_ADDR in, GM_ADDR out, uint32_t inCount, uint32_t outCount,
              Body body) {
  InitSocState();
  LocalTensor<In> x(TPosition::VECIN, 0, 8192);
  LocalTensor<Out> y(TPosition::VECOUT, 65536, 8192);
  DataCopyPad(x, gm<In>(in),
              DataCopyExtParams{1, static_cast<uint32_t>(inCount * sizeof(In)),
                                0, 0, 0},
              DataCopyPadExtParams<In>{false, 0, 0, In(0)});
  PipeBarrier<PIPE_ALL>();
  body(x, y);
  PipeBarrier<PIPE_ALL>();
  DataCopyPad(gm<Out>(out), y,
              DataCopyExtParams{
                  1, static_cast<uint32_t>(outCount * sizeof(Out)), 0, 0, 0});
  PipeBarrier<PIPE_ALL>();
}

#define KERNEL(NAME, ...)                                                      \
  void NAME(GM_ADDR in, GM_ADDR out) {                                         \
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);                            \
    __VA_ARGS__                                                                \
  }

template <typename In, typename Out>
std::vector<Out> run(void (*kernel)(GM_ADDR, GM_ADDR), std::vector<In> in,
                     size_t outCount) {
  Device device;
  std::vector<Out> out(outCount);
  EXPECT_EQ(device.run(kernel, 1, {Device::in(in), Device::out(out)}), 0)
      << device.text();
  return out;
}

template <typename T>
std::vector<T> iota(size_t count, float scale = 1) {
  std::vector<T> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = T(static_cast<float>(i) * scale);
  return values;
}

KERNEL(binaryChain,
       streamed<float, float>(in, out, 100, 100, [](auto &x, auto &y) {
         Sub(y, x, x, 100);
         PipeBarrier<PIPE_V>();
         Add(y, y, x, 100);
         PipeBarrier<PIPE_V>();
         Mul(y, y, x, 100);
         PipeBarrier<PIPE_V>();
         Adds(y, y, 1.0f, 100);
         PipeBarrier<PIPE_V>();
         Mins(y, y, 5000.0f, 100);
         PipeBarrier<PIPE_V>();
         Axpy(y, x, 2.0f, 100);
       });)

KERNEL(maskedRepeats,
       streamed<half, half>(in, out, 512, 512, [](auto &x, auto &y) {
         Duplicate(y, half(-1), 512);
         PipeBarrier<PIPE_V>();
         Muls(y, x, half(2), 16, 2,
              UnaryRepeatParams{1, 1, 8,
                                16}); // first block of repeats 0 and 2 of x
         uint64_t bits[2] = {0x5, 0};
         PipeBarrier<PIPE_V>();
         Abs(y[256], x, bits, 2, UnaryRepeatParams{1, 1, 8, 8});
       });)

KERNEL(counterMask,
       streamed<float, float>(in, out, 128, 128, [](auto &x, auto &y) {
         Duplicate(y, 0.0f, 128);
         PipeBarrier<PIPE_V>();
         SetMaskCount();
         SetVectorMask<float, MaskMode::COUNTER>(0, 70);
         Adds<float, false>(y, x, 1.0f, MASK_PLACEHOLDER, 1,
                            UnaryRepeatParams{1, 1, 8, 8});
         SetMaskNorm();
         ResetMask();
       });)

// The second instruction's form for n elements leaves normal mode and a full
// mask, so the third works on all 64 lanes of its repeat.
KERNEL(maskIsLost,
       streamed<float, float>(in, out, 128, 128, [](auto &x, auto &y) {
         SetMaskCount();
         SetVectorMask<float, MaskMode::COUNTER>(0, 3);
         Duplicate(y, 0.0f, 128);
         PipeBarrier<PIPE_V>();
         Adds<float, false>(y, x, 1.0f, MASK_PLACEHOLDER, 1,
                            UnaryRepeatParams{1, 1, 8, 8});
       });)

KERNEL(castChain, streamed<float, half>(in, out, 64, 64, [](auto &x, auto &y) {
         Cast(y, x, RoundMode::CAST_FLOOR, 64);
         LocalTensor<int32_t> t(TPosition::VECCALC, 131072, 64);
         Cast(t, x, RoundMode::CAST_CEIL, 64, 1, UnaryRepeatParams{1, 1, 8, 8});
         SetDeqScale(half(0.5));
         PipeBarrier<PIPE_V>();
         Cast(y[32], t, RoundMode::CAST_NONE, 32);
       });)

KERNEL(compareSelect,
       streamed<float, float>(in, out, 128, 128, [](auto &x, auto &y) {
         LocalTensor<uint8_t> bits(TPosition::VECCALC, 131072, 32);
         CompareScalar(bits, x, 60.0f, CMPMODE::LT, 128);
         PipeBarrier<PIPE_V>();
         Select(y, bits, x, -1.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 128);
       });)

KERNEL(wholeReduce,
       streamed<float, float>(in, out, 130, 16, [](auto &x, auto &y) {
         Duplicate(y, 0.0f, 16);
         PipeBarrier<PIPE_V>();
         WholeReduceSum(y, x, 64, 2, 1, 1, 8);
         WholeReduceMax(y[2], x, 64, 2, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
         WholeReduceMin(y[4], x, 64, 2, 1, 1, 8); // value, index
         WholeReduceMax(y[8], x[128], 2, 1, 1, 1, 8,
                        ReduceOrder::ORDER_INDEX_VALUE);
       });)

KERNEL(blockReduce,
       streamed<half, half>(in, out, 128, 128, [](auto &x, auto &y) {
         Duplicate(y, half(0), 128);
         PipeBarrier<PIPE_V>();
         BlockReduceMax(y, x, 1, 128, 1, 1, 8);
         PairReduceSum(y[16], x, 1, 128, 1, 1, 8);
       });)

KERNEL(broadcastAndGather,
       streamed<float, float>(in, out, 64, 192, [](auto &x, auto &y) {
         Brcb(y, x, 1, BrcbRepeatParams{1, 8});
         LocalTensor<uint32_t> offsets(TPosition::VECCALC, 131072, 128);
         LocalTensor<int32_t> index =
             offsets.template ReinterpretCast<int32_t>();
         for (int i = 0; i < 64; ++i)
           index.SetValue(i, 4 * (63 - i));
         SetFlag<HardEvent::S_V>(0);
         WaitFlag<HardEvent::S_V>(0);
         Gather(y[64], x, offsets, 0, 64);
         Copy(y[128], x, 64, 1, CopyRepeatParams{1, 1, 8, 8});
       });)

KERNEL(gatherMaskAndTranspose,
       streamed<half, half>(in, out, 256, 384, [](auto &x, auto &y) {
         uint64_t kept = 0;
         Duplicate(y, half(0), 384);
         PipeBarrier<PIPE_V>();
         GatherMask(y, x, 2, false, 0, GatherMaskParams{1, 2, 8, 0}, kept);
         if (kept == 128)
           Transpose(y[128], x);
       });)

KERNEL(sorting, streamed<float, float>(in, out, 64, 128, [](auto &x, auto &y) {
         LocalTensor<uint32_t> index(TPosition::VECCALC, 131072, 64);
         LocalTensor<float> sorted(TPosition::VECCALC, 132096, 128);
         for (uint32_t i = 0; i < 64; ++i)
           index.SetValue(i, i);
         SetFlag<HardEvent::S_V>(0);
         WaitFlag<HardEvent::S_V>(0);
         Sort32(sorted, x, index, 2);
         PipeBarrier<PIPE_V>();
         MrgSort4Info info;
         info.elementLengths[0] = info.elementLengths[1] = 32;
         info.validBit = 3;
         MrgSort(y, MrgSortSrcList<float>(sorted, sorted[64], sorted, sorted),
                 info);
       });)

KERNEL(scalarLoop, streamed<float, float>(in, out, 8, 8, [](auto &x, auto &y) {
         for (int i = 0; i < 8; ++i)
           y.SetValue(i, x.GetValue(7 - i));
       });)

KERNEL(logic,
       streamed<int16_t, int16_t>(in, out, 128, 128, [](auto &x, auto &y) {
         Not(y, x, 128);
         PipeBarrier<PIPE_V>();
         And(y, y, x, 64);
         PipeBarrier<PIPE_V>();
         ShiftRight(y[64], x[64], int16_t(2), 32);
         ShiftLeft(y[96], x[96], int16_t(1), 32);
       });)

} // namespace

TEST(Vector, Arithmetic) {
  auto x = iota<float>(100);
  auto y = run<float, float>(binaryChain, x, 100);
  for (size_t i = 0; i < 100; ++i)
    EXPECT_EQ(y[i], std::min(x[i] * x[i] + 1, 5000.0f) + 2 * x[i]);
}

TEST(Vector, MasksAndStrides) {
  auto x = iota<half>(512);
  auto y = run<half, half>(maskedRepeats, x, 512);
  for (size_t i = 0; i < 256; ++i)
    EXPECT_EQ(float(y[i]), i < 16                ? 2 * i
                           : i >= 128 && i < 144 ? 2.0f * (i + 128)
                                                 : -1.0f)
        << i;
  for (size_t i = 0; i < 256; ++i)
    EXPECT_EQ(float(y[256 + i]),
              i % 128 == 0 || i % 128 == 2 ? float(x[i]) : -1.0f)
        << i;
}

TEST(Vector, CounterMode) {
  auto y = run<float, float>(counterMask, iota<float>(128), 128);
  for (size_t i = 0; i < 128; ++i)
    EXPECT_EQ(y[i], i < 70 ? i + 1.0f : 0.0f);
}

TEST(Vector, CountFormResetsTheMask) {
  auto y = run<float, float>(maskIsLost, iota<float>(128), 128);
  for (size_t i = 0; i < 128; ++i)
    EXPECT_EQ(y[i], i < 64 ? i + 1.0f : 0.0f);
}

TEST(Vector, Casts) {
  auto x = iota<float>(64, 0.7f);
  auto y = run<float, half>(castChain, x, 64);
  for (size_t i = 0; i < 32; ++i) {
    EXPECT_LE(float(y[i]), x[i]); // floor to the next half below
    EXPECT_LE(x[i] - float(y[i]), x[i] / 1024);
    EXPECT_EQ(float(y[32 + i]), std::ceil(x[i]) / 2);
  }
}

TEST(Vector, CompareAndSelect) {
  auto y = run<float, float>(compareSelect, iota<float>(128), 128);
  for (size_t i = 0; i < 128; ++i)
    EXPECT_EQ(y[i], i < 60 ? static_cast<float>(i) : -1.0f);
}

TEST(Vector, WholeReductions) {
  auto x = iota<float>(130);
  x[100] = 7;
  auto y = run<float, float>(wholeReduce, x, 16);
  EXPECT_EQ(y[0], 63 * 64 / 2);
  EXPECT_EQ(y[1], (64 + 127) * 32 - 93);
  EXPECT_EQ(y[2], 63);
  EXPECT_EQ(y[3], 127);
  auto index = [](float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    return bits;
  };
  EXPECT_EQ(y[4], 0);
  EXPECT_EQ(index(y[5]), 0u);
  EXPECT_EQ(y[6], 7);
  EXPECT_EQ(index(y[7]), 36u);
  EXPECT_EQ(index(y[8]), 1u);
  EXPECT_EQ(y[9], 129);
}

TEST(Vector, BlockAndPairReductions) {
  auto y = run<half, half>(blockReduce, iota<half>(128), 128);
  for (size_t i = 0; i < 8; ++i)
    EXPECT_EQ(float(y[i]), i * 16 + 15);
  for (size_t i = 0; i < 64; ++i)
    EXPECT_EQ(float(y[16 + i]), 4 * i + 1);
}

TEST(Vector, BroadcastAndGather) {
  auto y = run<float, float>(broadcastAndGather, iota<float>(64), 192);
  for (size_t i = 0; i < 64; ++i) {
    EXPECT_EQ(y[i], i / 8);
    EXPECT_EQ(y[64 + i], 63 - i);
    EXPECT_EQ(y[128 + i], i);
  }
}

TEST(Vector, GatherMaskAndTranspose) {
  auto y = run<half, half>(gatherMaskAndTranspose, iota<half>(256), 384);
  for (size_t i = 0; i < 128; ++i)
    EXPECT_EQ(float(y[i]), 2 * i + 1);
  for (size_t i = 0; i < 256; ++i)
    EXPECT_EQ(float(y[128 + i]), i % 16 * 16 + i / 16);
}

TEST(Vector, Sorting) {
  std::vector<float> x(64);
  for (size_t i = 0; i < 64; ++i)
    x[i] = static_cast<float>(i * 37 % 64);
  auto y = run<float, float>(sorting, x, 128);
  for (size_t i = 0; i < 64; ++i) {
    uint32_t index;
    std::memcpy(&index, &y[i * 2 + 1], 4);
    EXPECT_EQ(y[i * 2], 63 - i);
    EXPECT_EQ(x[index], y[i * 2]);
  }
}

TEST(Vector, ScalarAccess) {
  auto y = run<float, float>(scalarLoop, iota<float>(8), 8);
  for (size_t i = 0; i < 8; ++i)
    EXPECT_EQ(y[i], 7 - i);
}

TEST(Vector, Logic) {
  std::vector<int16_t> x(128);
  for (size_t i = 0; i < 128; ++i)
    x[i] = static_cast<int16_t>(i * 257 - 9000);
  auto y = run<int16_t, int16_t>(logic, x, 128);
  for (size_t i = 0; i < 128; ++i)
    EXPECT_EQ(y[i], i < 64   ? 0
                    : i < 96 ? x[i] >> 2
                             : static_cast<int16_t>(x[i] * 2))
        << i;
}
