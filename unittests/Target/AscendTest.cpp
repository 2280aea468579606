//===- AscendTest.cpp - figures and tables of NPUs ------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Target/CoreOverlap.h"
#include "Tile/Target/Target.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"

#include "tile_ascend_model.h"

using namespace tile::target;

static const Target &get(llvm::StringRef name) { return *lookupTarget(name); }

TEST(TargetAscend, FiguresOf910B) {
  const AscendSpec &chip = *get("910B").getAscend();
  EXPECT_EQ(chip.npuArch, 2201);
  EXPECT_EQ(chip.findMemory(Space::UB)->userBytes, 196352);
  EXPECT_EQ(chip.findMemory(Space::L1)->userBytes, 524032);
  EXPECT_EQ(chip.findMemory(Space::L0A)->bytes, 64 * 1024);
  EXPECT_EQ(chip.findMemory(Space::L0C)->bytes, 128 * 1024);
  EXPECT_EQ(chip.findMemory(Space::L0A)->format, Format::Zz);
  EXPECT_EQ(chip.findMemory(Space::L0B)->format, Format::Zn);
  EXPECT_EQ(chip.findMemory(Space::L1)->format, Format::Nz);
  EXPECT_EQ(chip.findMemory(Space::Shared), nullptr);
  EXPECT_EQ(chip.userEventIds, 6);
  EXPECT_EQ(chip.crossCounterMax, 15);
  EXPECT_EQ(chip.repeatBytes, 256);
  EXPECT_EQ(chip.maxRepeat, 255);
}

TEST(TargetAscend, Order) {
  const AscendSpec &chip = *get("910B").getAscend();
  // The steps of a matrix product, there and back.
  for (auto [src, dst] : {std::pair{Engine::MTE2, Engine::MTE1},
                          {Engine::MTE1, Engine::M},
                          {Engine::M, Engine::FIX}}) {
    EXPECT_TRUE(chip.hasFlag(Core::AIC, src, dst));
    EXPECT_TRUE(chip.hasFlag(Core::AIC, dst, src));
    EXPECT_FALSE(chip.hasFlag(Core::AIV, src, dst));
  }
  EXPECT_FALSE(chip.hasFlag(Core::AIC, Engine::FIX, Engine::MTE2));
  EXPECT_FALSE(chip.hasFlag(Core::AIC, Engine::S, Engine::MTE2));
  EXPECT_TRUE(chip.hasFlag(Core::AIV, Engine::V, Engine::MTE3));
  EXPECT_FALSE(chip.hasFlag(Core::AIV, Engine::V, Engine::V));
  EXPECT_TRUE(chip.hasBarrier(Core::AIV, Engine::V));
  EXPECT_FALSE(chip.isOrdered(Engine::V));
  const AscendSpec &next = *get("950").getAscend();
  EXPECT_FALSE(next.hasBarrier(Core::AIV, Engine::V));
  EXPECT_TRUE(next.isOrdered(Engine::V));
  for (const char *name : {"910B", "950"}) {
    const AscendSpec &spec = *get(name).getAscend();
    for (const AscendFlagPair &pair : spec.flagPairs) {
      EXPECT_NE(pair.src, pair.dst);
      EXPECT_TRUE(spec.hasFlag(pair.core, pair.dst, pair.src));
    }
    EXPECT_LE(spec.userEventIds, spec.eventIds);
    EXPECT_LE(spec.crossUserFlagIds, spec.crossFlagIds);
  }
}

TEST(TargetAscend, Paths) {
  const Target &chip = get("910B");
  auto engine = [&](Space from, Space to) {
    auto found = findCopies(chip, from, to, 512);
    return found.empty() ? "" : stringify(found.front()->engine).str();
  };
  EXPECT_EQ(engine(Space::Global, Space::UB), "mte2");
  EXPECT_EQ(engine(Space::UB, Space::Global), "mte3");
  EXPECT_EQ(engine(Space::Global, Space::L1), "mte2");
  EXPECT_EQ(engine(Space::L1, Space::L0A), "mte1");
  EXPECT_EQ(engine(Space::L0C, Space::Global), "fix");
  EXPECT_EQ(engine(Space::L0C, Space::UB), "");
  EXPECT_EQ(engine(Space::UB, Space::L1), "");
  EXPECT_EQ(findCopies(get("950"), Space::L0C, Space::UB, 512).front()->engine,
            Engine::FIX);
  EXPECT_EQ(findCopies(get("950"), Space::UB, Space::L1, 512).front()->engine,
            Engine::MTE3);
  EXPECT_TRUE(findCopies(get("950"), Space::Global, Space::L0A, 512).empty());
  // The copies' alignments are at least those of the memories.
  for (const char *name : {"910B", "950"}) {
    for (const CopyRow &row : get(name).copies) {
      const AscendMemory *to = get(name).getAscend()->findMemory(row.to);
      EXPECT_TRUE(!to || row.toAlign % to->align == 0) << row.instruction.str();
      // Fixpipe of the cube core writes into the UB of a vector core, and a
      // vector core into the cube core's L1.
      bool acrossCores = (row.from == Space::L0C && row.to == Space::UB) ||
                         (row.from == Space::UB && row.to == Space::L1);
      EXPECT_TRUE(!to || to->core == row.core || acrossCores)
          << row.instruction.str();
    }
  }
}

TEST(TargetAscend, ElementTypes) {
  const AscendSpec &chip = *get("910B").getAscend();
  EXPECT_TRUE(chip.supports("Add", ElementType::F16));
  EXPECT_FALSE(chip.supports("Add", ElementType::BF16));
  EXPECT_FALSE(chip.supports("Scatter", ElementType::F16));
  EXPECT_FALSE(chip.supports("Duplicate", ElementType::I8));
  EXPECT_TRUE(get("950").getAscend()->supports("Add", ElementType::BF16));
  EXPECT_TRUE(chip.hasCast(ElementType::BF16, ElementType::F32));
  EXPECT_FALSE(chip.hasCast(ElementType::I8, ElementType::F32));
  EXPECT_FALSE(chip.hasCast(ElementType::F16, ElementType::BF16));
  EXPECT_TRUE(chip.hasFixpipeCast(ElementType::F32, ElementType::BF16));
  EXPECT_FALSE(chip.hasFixpipeCast(ElementType::I32, ElementType::BF16));
  const MmaTypes i4{ElementType::I4, ElementType::I4, ElementType::I32};
  EXPECT_EQ(findMma(get("910B"), i4, 128, 128, 128).size(), 1u);
  EXPECT_TRUE(findMma(get("950"), i4, 128, 128, 128).empty());
  // K of one block of 32 bytes.
  for (const MmaRow &row : get("910B").mmas)
    EXPECT_EQ(row.k * getBitWidth(row.a.front()), 32 * 8);
}

//===----------------------------------------------------------------------===//
// The model's records were written apart from these
//===----------------------------------------------------------------------===//

static const std::pair<Space, TileAscendMem> memories[] = {
    {Space::UB, TILE_ASCEND_UB},   {Space::L1, TILE_ASCEND_L1},
    {Space::L0A, TILE_ASCEND_L0A}, {Space::L0B, TILE_ASCEND_L0B},
    {Space::L0C, TILE_ASCEND_L0C}, {Space::BT, TILE_ASCEND_BT},
    {Space::FB, TILE_ASCEND_FB}};

static const std::pair<Engine, TileAscendPipe> pipes[] = {
    {Engine::S, TILE_ASCEND_PIPE_S},
    {Engine::V, TILE_ASCEND_PIPE_V},
    {Engine::M, TILE_ASCEND_PIPE_M},
    {Engine::MTE1, TILE_ASCEND_PIPE_MTE1},
    {Engine::MTE2, TILE_ASCEND_PIPE_MTE2},
    {Engine::MTE3, TILE_ASCEND_PIPE_MTE3},
    {Engine::FIX, TILE_ASCEND_PIPE_FIX}};

static bool inSet(unsigned set, unsigned element) {
  return (set >> element) & 1;
}

TEST(TargetAscend, AgreesWithTheModel) {
  for (const char *name : {"910B", "910C", "950"}) {
    SCOPED_TRACE(name);
    const AscendSpec &spec = *get(name).getAscend();
    const TileAscendChip *model = tileAscendChipByName(name);
    ASSERT_NE(model, nullptr);
    EXPECT_EQ(spec.npuArch, model->npuArch);
    EXPECT_EQ(spec.defaultCores, model->cores);
    for (auto [space, memory] : memories) {
      EXPECT_EQ(spec.findMemory(space)->userBytes, model->memBytes[memory]);
      EXPECT_EQ(spec.findMemory(space)->align, model->memAlign[memory]);
    }
    EXPECT_EQ(spec.findMemory(Space::L0A)->format == Format::Nz, model->l0aNz);
    EXPECT_EQ(spec.selectReserveBytes, model->ubReserve);
    EXPECT_EQ(spec.queueDepth, model->queueDepth);
    for (auto [src, srcPipe] : pipes) {
      for (auto [dst, dstPipe] : pipes) {
        EXPECT_EQ(spec.hasFlag(Core::AIV, src, dst),
                  inSet(model->aivPairs[srcPipe], dstPipe));
        // The model knows the pairs without use case too.
        bool noUseCase = (src == Engine::FIX &&
                          (dst == Engine::MTE2 || dst == Engine::MTE3)) ||
                         (dst == Engine::FIX &&
                          (src == Engine::MTE2 || src == Engine::MTE3));
        if (!noUseCase) {
          EXPECT_EQ(spec.hasFlag(Core::AIC, src, dst),
                    inSet(model->aicPairs[srcPipe], dstPipe))
              << stringify(src).str() << " " << stringify(dst).str();
        }
      }
      EXPECT_EQ(spec.hasBarrier(Core::AIC, src),
                inSet(model->aicBarriers, srcPipe));
      EXPECT_EQ(spec.hasBarrier(Core::AIV, src),
                inSet(model->aivBarriers, srcPipe));
      EXPECT_EQ(spec.isOrdered(src), inSet(model->orderedPipes, srcPipe));
    }
    EXPECT_EQ(spec.userEventIds, model->userEvents);
    EXPECT_EQ(spec.crossFlagIds, model->crossFlags);
    EXPECT_EQ(spec.crossCounterMax, model->crossMax);
    for (int64_t mode = 0; mode < 8; ++mode)
      EXPECT_EQ(llvm::is_contained(spec.crossModes, mode),
                inSet(model->crossModes, mode));
    EXPECT_EQ(spec.crossWaitOnePipe, model->crossWaitOnePipe);
    EXPECT_EQ(spec.mmadAlign, model->mmadAlign);
    EXPECT_EQ(spec.mmadOrderedTiles, model->mmadOrderedTiles);
    EXPECT_EQ(spec.biasUnit, model->biasUnit);
    const Target &target = get(name);
    EXPECT_EQ(!findCopies(target, Space::L0C, Space::UB, 32).empty(),
              model->l0cToUb);
    EXPECT_EQ(!findCopies(target, Space::UB, Space::L1, 32).empty(),
              model->ubToL1);
    EXPECT_EQ(!findCopies(target, Space::Global, Space::L0A, 512).empty(),
              model->gmToL0);
    EXPECT_EQ(!findCopies(target, Space::L1, Space::Global, 512).empty(),
              model->l1ToGm);
  }
}

TEST(TargetAscend, EachChipOverlapsItsCores) {
  for (const Target &target : targets()) {
    const CoreSteps *steps = lookupCoreSteps(target.name);
    auto distances = lookupCoreDistances(target.name);
    ASSERT_EQ(steps != nullptr, target.getAscend() != nullptr)
        << target.name.str();
    EXPECT_EQ(distances.empty(), steps == nullptr) << target.name.str();
    if (!steps)
      continue;
    EXPECT_TRUE(llvm::isPowerOf2_32(steps->few));
    EXPECT_TRUE(llvm::isPowerOf2_32(steps->most));
    EXPECT_LE(steps->few, steps->most);
    for (auto [rank, row] : llvm::enumerate(distances)) {
      EXPECT_EQ(row.rank, rank) << target.name.str();
      EXPECT_LE(row.fromCube, steps->most);
      EXPECT_GT(row.fromVector, 0u);
    }
  }
}
