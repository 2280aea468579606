// The account of time: what follows from the figures, by hand.
#include "Harness.h"
#include "tile_ascend_time.h"

#include <algorithm>
#include <cstring>

using namespace AscendC;

namespace {

GlobalTensor<float> gm(GM_ADDR pointer) {
  GlobalTensor<float> tensor;
  tensor.SetGlobalBuffer((__gm__ float *)pointer);
  return tensor;
}

void addOne(GM_ADDR a, GM_ADDR c) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  InitSocState();
  LocalTensor<float> x(TPosition::VECCALC, 0, 64),
      y(TPosition::VECCALC, 256, 64);
  DataCopyPad(x, gm(a), DataCopyExtParams{1, 256, 0, 0, 0},
              DataCopyPadExtParams<float>{false, 0, 0, 0});
  SetFlag<HardEvent::MTE2_V>(0);
  WaitFlag<HardEvent::MTE2_V>(0);
  Adds(y, x, 1.0f, 64);
  SetFlag<HardEvent::V_MTE3>(0);
  WaitFlag<HardEvent::V_MTE3>(0);
  DataCopyPad(gm(c), y, DataCopyExtParams{1, 256, 0, 0, 0});
  PipeBarrier<PIPE_ALL>();
}

void manyExponentials() {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  InitSocState();
  LocalTensor<float> x(TPosition::VECCALC, 0, 2048),
      y(TPosition::VECCALC, 8192, 2048);
  Duplicate(x, 1.0f, 2048);
  for (int i = 0; i < 40; ++i) {
    PipeBarrier<PIPE_V>();
    Exp(y, x, 2048);
  }
  PipeBarrier<PIPE_ALL>();
}

double cost(TileAscendCost what) {
  return tileAscendCost(tileAscendChipByName("910B"), what).value;
}
#define COST(NAME) cost(TILE_ASCEND_COST_##NAME)

} // namespace

TEST(Time, PipesFollowTheirFlags) {
  Device device;
  std::vector<float> a(64, 1), c(64);
  ASSERT_EQ(device.run(addOne, 1, {Device::in(a), Device::out(c)}), 0);
  TileAscendTime time = tileAscendModelTime(device.model);
  double copy = 256 / COST(GM_BYTES) + COST(GM_ROW);
  double add = 256 / COST(VECTOR_BYTES);
  EXPECT_DOUBLE_EQ(time.cycles, COST(ISSUE) + copy + COST(GM_LATENCY) +
                                    COST(FLAG) + add + COST(VECTOR_LATENCY) +
                                    COST(FLAG) + copy + COST(GM_LATENCY));
  EXPECT_DOUBLE_EQ(time.vectorBusy[TILE_ASCEND_PIPE_MTE2], copy);
  EXPECT_DOUBLE_EQ(time.vectorBusy[TILE_ASCEND_PIPE_V], add);
  EXPECT_EQ(time.vectorCores, 1u);
  EXPECT_EQ(time.cubeCores, 0u);
}

// Waves follow one another, and blocks of a wave run side by side.
TEST(Time, Waves) {
  Device device;
  std::vector<float> a(64, 1), c(64);
  device.run(addOne, 1, {Device::in(a), Device::out(c)});
  double one = tileAscendModelTime(device.model).cycles;
  device.residentBlocks = 2;
  device.run(addOne, 5, {Device::in(a), Device::out(c)});
  TileAscendTime time = tileAscendModelTime(device.model);
  EXPECT_EQ(time.waves, 3u);
  EXPECT_EQ(time.vectorCores, 2u);
  EXPECT_DOUBLE_EQ(time.cycles, 3 * one);
}

// The vector unit is slower than the scalar unit, which waits for room.
TEST(Time, QueuesAreFull) {
  Device device;
  ASSERT_EQ(device.run(manyExponentials, 1), 0) << device.text();
  TileAscendTime time = tileAscendModelTime(device.model);
  double exponential = 8192 / COST(VECTOR_BYTES) * COST(VECTOR_HARD);
  EXPECT_DOUBLE_EQ(time.vectorBusy[TILE_ASCEND_PIPE_V],
                   8192 / COST(VECTOR_BYTES) + 40 * exponential);
  EXPECT_GT(time.cycles, 40 * (exponential + COST(VECTOR_LATENCY)));
  EXPECT_GT(time.queueStall, 0);
  EXPECT_EQ(time.crossStall, 0);
}

TEST(Time, TraceHasEachInstruction) {
  Device device;
  std::vector<float> a(64, 1), c(64);
  tileAscendModelKeepTrace(device.model);
  device.run(addOne, 1, {Device::in(a), Device::out(c)});
  std::string text = tileAscendModelTrace(device.model);
  EXPECT_NE(text.find("\"name\":\"Adds\""), std::string::npos) << text;
  EXPECT_NE(text.find("\"tid\":\"MTE3\""), std::string::npos) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
}

TEST(Time, FiguresHaveSources) {
  for (const char *chip : {"910B", "950"})
    for (int i = 0; i < TILE_ASCEND_COST_COUNT; ++i) {
      TileAscendFigure figure = tileAscendCost(tileAscendChipByName(chip),
                                               static_cast<TileAscendCost>(i));
      EXPECT_GT(figure.value, 0) << figure.name;
      EXPECT_GT(std::strlen(figure.source), 0u) << figure.name;
    }
}
