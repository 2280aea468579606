// One kernel per rule on memories, operands and parameters: the model must give
// the report, with its message.
#include "Harness.h"

using namespace AscendC;

namespace {

template <typename T = float>
GlobalTensor<T> gm(GM_ADDR pointer) {
  GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer((__gm__ T *)pointer);
  return tensor;
}

const DataCopyExtParams k256{1, 256, 0, 0, 0};
const DataCopyPadExtParams<float> kNoPad{false, 0, 0, 0};

// The body is one hazard; a and c are GM buffers of 64 floats, x, y and z
// vectors of 128.
#define VECTOR_KERNEL(NAME, ...)                                               \
  void NAME([[maybe_unused]] GM_ADDR a, [[maybe_unused]] GM_ADDR c) {          \
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);                            \
    InitSocState();                                                            \
    [[maybe_unused]] LocalTensor<float> x(TPosition::VECCALC, 0, 128),         \
        y(TPosition::VECCALC, 512, 128);                                       \
    [[maybe_unused]] LocalTensor<half> h(TPosition::VECCALC, 1024, 256);       \
    Duplicate(x, 1.0f, 128);                                                   \
    Duplicate(y, 2.0f, 128);                                                   \
    Duplicate(h, half(1), 256);                                                \
    PipeBarrier<PIPE_ALL>();                                                   \
    __VA_ARGS__                                                                \
    PipeBarrier<PIPE_ALL>();                                                   \
  }
#define CUBE_KERNEL(NAME, ...)                                                 \
  void NAME([[maybe_unused]] GM_ADDR a, [[maybe_unused]] GM_ADDR c) {          \
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);                            \
    InitSocState();                                                            \
    [[maybe_unused]] LocalTensor<half> a1(TPosition::A1, 0, 4096),             \
        a0(TPosition::A2, 0, 4096), b0(TPosition::B2, 0, 4096);                \
    [[maybe_unused]] LocalTensor<float> c0(TPosition::CO1, 0, 4096);           \
    Fill(a1, InitConstValueParams<half>{1, 256, 0, half(1)});                  \
    PipeBarrier<PIPE_ALL>();                                                   \
    LoadData(a0, a1, LoadData2DParams{0, 16, 1, 0, 0, false, 0});              \
    LoadData(b0, a1, LoadData2DParams{0, 16, 1, 0, 0, false, 0});              \
    PipeBarrier<PIPE_ALL>();                                                   \
    __VA_ARGS__                                                                \
    PipeBarrier<PIPE_ALL>();                                                   \
  }

VECTOR_KERNEL(raw, DataCopyPad(x, gm(a), k256, kNoPad); Adds(y, x, 1.0f, 64);)
VECTOR_KERNEL(war, Adds(y, x, 1.0f, 64); DataCopyPad(x, gm(a), k256, kNoPad);)
VECTOR_KERNEL(waw, DataCopyPad(x, gm(a), k256, kNoPad);
              DataCopyPad(x[8], gm(a), k256, kNoPad);)
VECTOR_KERNEL(disjoint, DataCopyPad(x, gm(a), k256, kNoPad);
              DataCopyPad(x[64], gm(a), k256, kNoPad); Adds(y, y, 1.0f, 64);)
VECTOR_KERNEL(sameStore,
              DataCopyPad(gm(c), x, DataCopyExtParams{1, 4, 0, 0, 0});)
VECTOR_KERNEL(atomicStore, SetAtomicAdd<float>();
              DataCopyPad(gm(a), x, DataCopyExtParams{1, 4, 0, 0, 0});
              SetAtomicNone();)
VECTOR_KERNEL(poisonOut,
              DataCopyPad(gm(c),
                          LocalTensor<float>(TPosition::VECCALC, 4096, 64),
                          k256);)
VECTOR_KERNEL(poisonAddedTo, SetAtomicAdd<float>(); DataCopyPad(gm(c), x, k256);
              SetAtomicNone();)
VECTOR_KERNEL(poisonCarried, LocalTensor<float> z(TPosition::VECCALC, 4096, 64);
              Add(y, x, z, 64); PipeBarrier<PIPE_ALL>();
              DataCopyPad(gm(c), y, k256);)
VECTOR_KERNEL(poisonPastTail,
              LocalTensor<float> z(TPosition::VECCALC, 4096, 128);
              DataCopyPad(z, gm(a), DataCopyExtParams{1, 40, 0, 0, 0}, kNoPad);
              PipeBarrier<PIPE_ALL>(); Adds(z, z, 1.0f, 64);
              PipeBarrier<PIPE_ALL>();
              DataCopyPad(gm(c), z, DataCopyExtParams{1, 40, 0, 0, 0});)
VECTOR_KERNEL(workspaceFirst, DataCopyPad(x, gm(c), k256, kNoPad);)
VECTOR_KERNEL(misalignedTensor,
              LocalTensor<float> z(TPosition::VECCALC, 36, 8);)
VECTOR_KERNEL(misalignedSlice, Adds(y[1], x, 1.0f, 8);)
VECTOR_KERNEL(pastUb,
              LocalTensor<float> z(TPosition::VECCALC, 192 * 1024 - 512, 128);)
VECTOR_KERNEL(pastTensor, Adds(y, x, 1.0f, 129);)
VECTOR_KERNEL(pastGm, DataCopyPad(x, gm(a)[1], k256, kNoPad);)
VECTOR_KERNEL(beforeGm, DataCopyPad(x, gm(a)[uint64_t(-1)], k256, kNoPad);)
VECTOR_KERNEL(strangerGm, float local[64];
              DataCopyPad(x, gm(reinterpret_cast<uint8_t *>(local)), k256,
                          kNoPad);)
VECTOR_KERNEL(partialOverlap, Adds(x[8], x, 1.0f, 64);)
VECTOR_KERNEL(chainedOverlap, Adds(x[64], x, 1.0f, uint64_t(64), 2,
                                   UnaryRepeatParams{1, 1, 0, 8});)
VECTOR_KERNEL(accumulation, Add(y, x, y, uint64_t(64), 2,
                                BinaryRepeatParams{1, 1, 1, 0, 8, 0});)
VECTOR_KERNEL(narrowInPlace,
              Cast(x.ReinterpretCast<half>(), x, RoundMode::CAST_RINT, 128);)
VECTOR_KERNEL(widenInPlace,
              Cast(h.ReinterpretCast<float>(), h, RoundMode::CAST_NONE, 128);)
VECTOR_KERNEL(manyRepeats, Adds(x, y, 1.0f, uint64_t(1), 300,
                                UnaryRepeatParams{1, 1, 0, 0});)
VECTOR_KERNEL(wideMask, Adds(x, y, 1.0f, uint64_t(65), 1, UnaryRepeatParams{});)
VECTOR_KERNEL(highBits, uint64_t mask[2] = {1, 1};
              Adds(x, y, 1.0f, mask, 1, UnaryRepeatParams{});)
VECTOR_KERNEL(manyBlocks,
              DataCopyPad(x, gm(a), DataCopyExtParams{4096, 4, 0, 0, 0},
                          kNoPad);)
VECTOR_KERNEL(oddBlockLength,
              DataCopyPad(x, gm(a), DataCopyExtParams{1, 6, 0, 0, 0}, kNoPad);)
VECTOR_KERNEL(unevenCopy, DataCopy(x, gm(a), 9);)
VECTOR_KERNEL(unevenCompare,
              Compare(h.ReinterpretCast<uint8_t>(), x, y, CMPMODE::LT, 65);)
VECTOR_KERNEL(oddRoundMode, Cast(h, x, RoundMode::CAST_NONE, 64);
              Cast(h.ReinterpretCast<bfloat16_t>(), x, RoundMode::CAST_NONE,
                   64);)
VECTOR_KERNEL(noDeqScale,
              Cast(h, x.ReinterpretCast<int32_t>(), RoundMode::CAST_NONE, 64);)
VECTOR_KERNEL(intCompare, auto i = x.ReinterpretCast<int32_t>();
              Compare(h.ReinterpretCast<uint8_t>(), i, i, CMPMODE::LT, 64);)
VECTOR_KERNEL(atomicType, SetAtomicAdd<half>(); DataCopyPad(gm(c), x, k256);
              SetAtomicNone();)
VECTOR_KERNEL(vectorOnL1,
              Adds(LocalTensor<float>(TPosition::A1, 0, 64), x, 1.0f, 64);)
VECTOR_KERNEL(ubToL1,
              DataCopy(LocalTensor<float>(TPosition::A1, 0, 64), x, 64);)
VECTOR_KERNEL(cubeOnVector, Fill(LocalTensor<half>(TPosition::A1, 0, 64),
                                 InitConstValueParams<half>{1, 1, 0, half(0)});)
VECTOR_KERNEL(reserve, LocalTensor<float> z(TPosition::VECCALC, 190 * 1024, 64);
              Duplicate(z, 0.0f, 64);
              Select(y, h.ReinterpretCast<uint8_t>(), x, 0.0f,
                     SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);)
VECTOR_KERNEL(gatherFar, LocalTensor<uint32_t> o(TPosition::VECCALC, 4096, 64);
              Duplicate(o.ReinterpretCast<int32_t>(), 512, 64);
              PipeBarrier<PIPE_V>(); Gather(y, x, o, 0, 64);)
VECTOR_KERNEL(brcbInPlace, Brcb(x, x, 1, BrcbRepeatParams{1, 8});)
VECTOR_KERNEL(reduceInPlace, WholeReduceSum(x, x, 64, 2, 1, 1, 8);)
VECTOR_KERNEL(reduceAhead, LocalTensor<float> both(TPosition::VECCALC, 0, 256);
              WholeReduceMax(both[64], both, 64, 2, 64, 1, 8,
                             ReduceOrder::ORDER_ONLY_VALUE);)
VECTOR_KERNEL(reduceBehind, WholeReduceSum(x, x[64], 64, 1, 1, 1, 8);
              WholeReduceSum(x[64], x[64], 1, 1, 1, 1, 8);)
VECTOR_KERNEL(blockReduceInPlace, BlockReduceSum(x, x, 2, 64, 1, 1, 8);)
VECTOR_KERNEL(pairReduceInPlace, PairReduceSum(x, x, 2, 64, 1, 1, 8);)
VECTOR_KERNEL(compareInPlace, auto bits = y.ReinterpretCast<uint8_t>();
              Compare(bits, x, y, CMPMODE::LT, 128);)
VECTOR_KERNEL(compareScalarAhead, auto bits = x.ReinterpretCast<uint8_t>()[288];
              CompareScalar(bits, x, 0.5f, CMPMODE::LT, 128);)
VECTOR_KERNEL(selectOverMask, auto bits = h.ReinterpretCast<uint8_t>();
              Select(h.ReinterpretCast<float>(), bits, x, y,
                     SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);)

CUBE_KERNEL(largeM, Mmad(c0, a0, b0, MmadParams(4096, 16, 16, 0, false, true));)
CUBE_KERNEL(misalignedL0c,
            Mmad(c0[16], a0, b0, MmadParams(16, 16, 16, 0, false, true));)
CUBE_KERNEL(swappedOperands,
            Mmad(c0, b0, a0, MmadParams(16, 16, 16, 0, false, true));)
CUBE_KERNEL(wrongQuant,
            Mmad(c0, a0, b0, MmadParams(16, 16, 16, 0, false, true));
            PipeBarrier<PIPE_ALL>(); FixpipeParamsV220 fix;
            fix.mSize = fix.nSize = fix.srcStride = 16; fix.dstStride = 16;
            Fixpipe<half, float>(gm<half>(c), c0, fix);)
CUBE_KERNEL(poisonC, Mmad(c0, a0, b0, MmadParams(16, 16, 16, 0, false, false));)
CUBE_KERNEL(transposedFloat,
            LoadData(a0.ReinterpretCast<float>(), a1.ReinterpretCast<float>(),
                     LoadData2DParams{0, 1, 1, 0, 0, true, 0});)
CUBE_KERNEL(ubOnCube, DataCopyPad(LocalTensor<float>(TPosition::VECCALC, 0, 64),
                                  gm(a), k256, kNoPad);)
CUBE_KERNEL(rawL0, LoadData(a0, a1, LoadData2DParams{0, 1, 1, 0, 0, false, 0});
            Mmad(c0, a0, b0, MmadParams(16, 16, 16, 0, false, true));)

Device &runOn(Device &device, void (*kernel)(GM_ADDR, GM_ADDR),
              uint32_t blocks = 1) {
  std::vector<float> a(64, 1.0f), c(64);
  device.run(kernel, blocks, {Device::in(a), Device::out(c)});
  return device;
}

#define EXPECT_HAZARD(KERNEL, KIND, TEXT)                                      \
  do {                                                                         \
    Device device;                                                             \
    EXPECT_REPORT(runOn(device, KERNEL), KIND, TEXT);                          \
  } while (0)
#define EXPECT_CLEAN(KERNEL)                                                   \
  do {                                                                         \
    Device device;                                                             \
    EXPECT_EQ(runOn(device, KERNEL).text(), "");                               \
  } while (0)

} // namespace

TEST(Hazard, Races) {
  EXPECT_HAZARD(raw, RACE_RAW,
                "Adds reads on aiv0 V UB bytes [0, 256) that DataCopyPad on "
                "aiv0 MTE2 wrote");
  EXPECT_HAZARD(war, RACE_WAR,
                "DataCopyPad writes on aiv0 MTE2 UB bytes [0, 256) that Adds "
                "on aiv0 V read");
  EXPECT_HAZARD(waw, RACE_WAW,
                "DataCopyPad writes on aiv0 MTE2 UB bytes [32, 256) that "
                "DataCopyPad on aiv0 MTE2 wrote");
  EXPECT_HAZARD(rawL0, RACE_RAW, "Mmad reads on aic M L0A bytes [0, 512)");
  EXPECT_CLEAN(disjoint);
}

TEST(Hazard, RaceNamesBothPlaces) {
  Device device;
  const TileAscendReport *report =
      runOn(device, raw).find(TILE_ASCEND_REPORT_RACE_RAW);
  ASSERT_NE(report, nullptr);
  EXPECT_STREQ(report->at.op, "Adds");
  EXPECT_EQ(report->at.pipe, TILE_ASCEND_PIPE_V);
  EXPECT_EQ(report->at.ordinal, 6u);
  EXPECT_NE(report->at.line, 0u);
  ASSERT_TRUE(report->hasOther);
  EXPECT_STREQ(report->other.op, "DataCopyPad");
  EXPECT_EQ(report->other.pipe, TILE_ASCEND_PIPE_MTE2);
  EXPECT_NE(std::string(report->other.file).find("HazardTest.cpp"),
            std::string::npos);
  EXPECT_NE(device.text().find("note: the other is"), std::string::npos);
  std::string json = tileAscendModelReportJson(device.model);
  EXPECT_NE(json.find("\"kind\":\"race-raw\""), std::string::npos) << json;
}

TEST(Hazard, BlocksShareGm) {
  Device plain, atomic, waves;
  EXPECT_REPORT(runOn(plain, sameStore, 2), RACE_WAW,
                "DataCopyPad writes on aiv0 MTE3 GM bytes [0, 4)");
  EXPECT_EQ(runOn(atomic, atomicStore, 2).text(), "");
  // Blocks that do not run together are not ordered either.
  waves.residentBlocks = 1;
  EXPECT_REPORT(runOn(waves, sameStore, 2), RACE_WAW, "DataCopyPad writes");
}

TEST(Hazard, UninitialisedReads) {
  EXPECT_HAZARD(poisonOut, UNINIT_READ,
                "DataCopyPad reads UB byte 4096, which nothing has written");
  EXPECT_HAZARD(poisonCarried, UNINIT_READ, "DataCopyPad reads UB byte 512");
  EXPECT_HAZARD(workspaceFirst, UNINIT_READ, "DataCopyPad reads GM byte 0");
  EXPECT_HAZARD(poisonAddedTo, UNINIT_READ, "DataCopyPad reads GM byte 0");
  EXPECT_HAZARD(poisonC, UNINIT_READ, "Mmad reads L0C byte 0");
  EXPECT_CLEAN(poisonPastTail);
}

TEST(Hazard, AddressesAndBounds) {
  EXPECT_HAZARD(
      misalignedTensor, MISALIGNED,
      "expected a tensor address in UB that is a multiple of 32, got 36");
  EXPECT_HAZARD(misalignedSlice, MISALIGNED,
                "expected the address of the destination in UB to be a "
                "multiple of 32, got 516");
  EXPECT_HAZARD(misalignedL0c, MISALIGNED, "to be a multiple of 1024, got 64");
  EXPECT_HAZARD(pastUb, CAPACITY,
                "a tensor of 128 x float at byte 196096 of UB ends at 196608, "
                "but there are 196352 bytes");
  EXPECT_HAZARD(pastTensor, TENSOR_BOUNDS,
                "reads UB bytes [0, 516), but the tensor ends at 512");
  EXPECT_HAZARD(pastGm, GM_BOUNDS,
                "reads GM bytes [4, 260) of argument 0, which has 256");
  EXPECT_HAZARD(beforeGm, GM_BOUNDS, "reads GM bytes [-4, 252) of argument 0");
  EXPECT_HAZARD(strangerGm, GM_BOUNDS,
                "reads GM at a pointer into no argument");
  EXPECT_HAZARD(
      gatherFar, TENSOR_BOUNDS,
      "expected byte offsets that are multiples of 4 and below 512, got 512");
}

TEST(Hazard, Overlap) {
  EXPECT_HAZARD(partialOverlap, OVERLAP,
                "in repeat 0 the destination [32, 288) and a source [0, 256) "
                "overlap in part");
  EXPECT_HAZARD(chainedOverlap, OVERLAP, "repeat 1");
  EXPECT_HAZARD(widenInPlace, OVERLAP, "overlap in part");
  EXPECT_HAZARD(brcbInPlace, OVERLAP,
                "expected a destination that does not overlap a source");
  EXPECT_HAZARD(reduceInPlace, OVERLAP,
                "in repeat 0 the destination [0, 4) and a source [0, 256) "
                "overlap in part");
  EXPECT_HAZARD(reduceAhead, OVERLAP,
                "repeat 1 reads what an earlier repeat of the same instruction "
                "wrote");
  EXPECT_HAZARD(blockReduceInPlace, OVERLAP,
                "in repeat 0 the destination [0, 32) and a source [0, 256)");
  EXPECT_HAZARD(pairReduceInPlace, OVERLAP,
                "in repeat 0 the destination [0, 128) and a source [0, 256)");
  EXPECT_HAZARD(compareInPlace, OVERLAP,
                "in repeat 0 the destination [512, 520) and a source [512, "
                "768) overlap in part");
  EXPECT_HAZARD(compareScalarAhead, OVERLAP,
                "in repeat 1 the destination [296, 304) and a source [256, "
                "512) overlap in part");
  EXPECT_HAZARD(selectOverMask, OVERLAP,
                "in repeat 0 the destination [1024, 1280) and a source [1024, "
                "1032) overlap in part");
  EXPECT_CLEAN(reduceBehind);
  EXPECT_CLEAN(accumulation);
  EXPECT_CLEAN(narrowInPlace);
}

TEST(Hazard, Limits) {
  EXPECT_HAZARD(manyRepeats, REPEAT_LIMIT,
                "expected a repeatTime of 0 to 255, got 300");
  EXPECT_HAZARD(wideMask, MASK_LIMIT,
                "expected a mask of at most 64 lanes, got 65");
  EXPECT_HAZARD(highBits, MASK_LIMIT, "the bit mask names lanes from 64 on");
  EXPECT_HAZARD(manyBlocks, PARAM_RANGE,
                "expected blockCount at most 4095, got 4096");
  EXPECT_HAZARD(
      oddBlockLength, PARAM_RANGE,
      "expected blockLen to be a multiple of the element's 4 bytes, got 6");
  EXPECT_HAZARD(unevenCopy, PARAM_RANGE,
                "expected a multiple of 32 bytes, got 36");
  EXPECT_HAZARD(
      unevenCompare, PARAM_RANGE,
      "expected a count that fills whole 256-byte repeats, got 65 x 4 bytes");
  EXPECT_HAZARD(oddRoundMode, PARAM_RANGE,
                "float to bfloat16_t has no round mode CAST_NONE");
  EXPECT_HAZARD(noDeqScale, PARAM_RANGE,
                "int32_t to half expects SetDeqScale(half) before it");
  EXPECT_HAZARD(largeM, CUBE_LIMIT, "expected m at most 4095, got 4096");
}

TEST(Hazard, ElementTypes) {
  EXPECT_HAZARD(intCompare, DTYPE,
                "int32_t can only be compared with CMPMODE::EQ");
  EXPECT_HAZARD(
      atomicType, DTYPE,
      "expected a store of half, the type of the atomic operation, got float");
  EXPECT_HAZARD(wrongQuant, DTYPE, "quantPre 0 does not take float to half");
  EXPECT_HAZARD(
      transposedFloat, DTYPE,
      "ifTranspose expects 16-bit elements from L1, got float from L1");
  using namespace tile_ascend;
  static_assert(takes<half>(kArithRow) && !takes<bfloat16_t>(kArithRow) &&
                !takes<uint8_t>(kMoveRow));
  static_assert(castExists<half, float>() && !castExists<bfloat16_t, half>() &&
                !castExists<float, int8_t>());
  static_assert(mmadExists<float, half, half>() &&
                !mmadExists<half, half, half>() &&
                !mmadExists<float, half, float>());
  static_assert(fixpipeExists<half, int32_t>() &&
                !fixpipeExists<bfloat16_t, int32_t>());
}

TEST(Hazard, PathsAndCores) {
  EXPECT_HAZARD(vectorOnL1, DATA_PATH,
                "expected the destination in UB, got L1");
  EXPECT_HAZARD(ubToL1, DATA_PATH,
                "there is no data path from UB to L1 on 910B");
  EXPECT_HAZARD(swappedOperands, DATA_PATH,
                "expected the left operand in L0A, got L0B");
  EXPECT_HAZARD(cubeOnVector, WRONG_CORE, "L1 does not exist on an AIV");
  EXPECT_HAZARD(ubOnCube, WRONG_CORE, "UB does not exist on an AIC");
}

TEST(Hazard, SelectReserve) {
  EXPECT_HAZARD(reserve, UB_RESERVE,
                "but Select modes 1 and 2 need the bytes from 188160 on");
}

TEST(Hazard, Architecture) {
  Device device("950");
  EXPECT_REPORT(
      runOn(device, disjoint), ARCH,
      "the kernel is compiled for architecture 2201, but 950 has 3510");
}

TEST(Hazard, LaunchErrors) {
  Device device;
  TileAscendLaunch launch{};
  launch.kernel = "nobody";
  launch.blocks = 1;
  EXPECT_EQ(tileAscendModelLaunch(device.model, &launch), -1);
  EXPECT_STREQ(tileAscendModelError(device.model),
               "expected a registered kernel, got 'nobody'");
  EXPECT_EQ(device.run(disjoint, 0), -1);
  EXPECT_STREQ(tileAscendModelError(device.model),
               "expected at least one block, got 0");
  EXPECT_EQ(tileAscendChipByName("920"), nullptr);
}

// Every kind of report has a test: this list, SyncTest.cpp and KernelTest.cpp
// name them all.
TEST(Hazard, KindNames) {
  EXPECT_STREQ(tileAscendReportKindName(TILE_ASCEND_REPORT_RACE_RAW),
               "race-raw");
  EXPECT_STREQ(tileAscendReportKindName(TILE_ASCEND_REPORT_ARCH), "arch");
}
