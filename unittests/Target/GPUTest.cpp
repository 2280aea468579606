//===- GPUTest.cpp - figures and instruction tables of GPUs ---------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Layout/MmaLayouts.h"
#include "Tile/Target/Target.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace tile::target;
using tile::layout::Axis;
using tile::layout::Layout;
using tile::layout::Result;

static const Target &get(llvm::StringRef name) { return *lookupTarget(name); }

static std::string nameOf(const Target &target, llvm::StringRef instruction) {
  return target.name.str() + " " + instruction.str();
}

//===----------------------------------------------------------------------===//
// Figures, typed again from the manuals
//===----------------------------------------------------------------------===//

TEST(TargetGPU, FiguresOfNVIDIA) {
  struct Row {
    const char *name;
    int64_t sharedKB, threads, blocks;
  };
  // CUDA C++ Programming Guide, "Technical Specifications per Compute
  // Capability".
  for (const Row &row :
       {Row{"sm_80", 164, 2048, 32}, Row{"sm_86", 100, 1536, 16},
        Row{"sm_89", 100, 1536, 24}, Row{"sm_90a", 228, 2048, 32},
        Row{"sm_100a", 228, 2048, 32}, Row{"sm_120", 100, 1536, 24}}) {
    const GPUSpec &gpu = *get(row.name).getGPU();
    EXPECT_EQ(gpu.warpSize, 32) << row.name;
    EXPECT_EQ(gpu.maxThreadsPerBlock, 1024) << row.name;
    EXPECT_EQ(gpu.maxRegistersPerThread, 255) << row.name;
    EXPECT_EQ(gpu.registersPerSM, 64 * 1024) << row.name;
    EXPECT_EQ(gpu.sharedBytesPerSM, row.sharedKB * 1024) << row.name;
    EXPECT_EQ(gpu.sharedBytesPerBlock, (row.sharedKB - 1) * 1024) << row.name;
    EXPECT_EQ(gpu.sharedBytesStatic, 48 * 1024) << row.name;
    EXPECT_EQ(gpu.maxThreadsPerSM, row.threads) << row.name;
    EXPECT_EQ(gpu.maxBlocksPerSM, row.blocks) << row.name;
    EXPECT_EQ(gpu.sharedBanks * gpu.sharedBankBytes, 128) << row.name;
    EXPECT_EQ(gpu.groupThreads(), 128) << row.name;
    EXPECT_EQ(gpu.stageBarrierBytes(), 16) << row.name;
  }
  const GPUSpec &h100 = *get("sm_90a").getGPU();
  EXPECT_EQ(h100.sharedBytesPerBlock, 232448);
  EXPECT_EQ(h100.maxClusterSize, 8);
  ASSERT_NE(h100.tma, nullptr);
  EXPECT_EQ(h100.tma->maxBox, 256);
  EXPECT_EQ(h100.tma->strideMultiple, 16);
  EXPECT_EQ(h100.tma->maxRank, 5);
  EXPECT_EQ(h100.tma->swizzleSpans, llvm::ArrayRef<int64_t>({32, 64, 128}));
  EXPECT_EQ(get("sm_80").getGPU()->tma, nullptr);
  EXPECT_EQ(get("sm_100a").getGPU()->tmemColumns, 512);
  EXPECT_TRUE(get("sm_90a").has(Feature::SetMaxNReg));
  EXPECT_FALSE(get("sm_89").has(Feature::Clusters));
}

TEST(TargetGPU, FiguresOfAMD) {
  for (const char *name : {"gfx90a", "gfx942", "gfx950"}) {
    const GPUSpec &gpu = *get(name).getGPU();
    EXPECT_EQ(gpu.warpSize, 64) << name;
    EXPECT_EQ(gpu.maxThreadsPerBlock, 1024) << name;
    EXPECT_EQ(gpu.maxRegistersPerThread, 512) << name;
    EXPECT_EQ(gpu.tma, nullptr) << name;
    EXPECT_EQ(gpu.groupThreads(), 64) << name;
    EXPECT_EQ(gpu.stageBarrierBytes(), 0) << name;
  }
  EXPECT_EQ(get("gfx942").getGPU()->sharedBytesPerBlock, 64 * 1024);
  EXPECT_EQ(get("gfx950").getGPU()->sharedBytesPerBlock, 160 * 1024);
  EXPECT_EQ(get("gfx942").getGPU()->defaultSMs, 304);
  EXPECT_EQ(get("gfx942").getGPU()->defaultDies, 8);
  for (const char *name : {"gfx1100", "gfx1200", "gfx1201"}) {
    EXPECT_EQ(get(name).getGPU()->warpSize, 32) << name;
    EXPECT_EQ(get(name).getGPU()->sharedBytesPerBlock, 64 * 1024) << name;
  }
}

TEST(TargetGPU, FiguresFitTogether) {
  for (const Target &target : targets()) {
    const GPUSpec *gpu = target.getGPU();
    if (!gpu)
      continue;
    EXPECT_EQ(gpu->maxThreadsPerBlock % gpu->warpSize, 0);
    EXPECT_EQ(gpu->maxThreadsPerSM % gpu->warpSize, 0);
    EXPECT_LE(gpu->maxThreadsPerBlock, gpu->maxThreadsPerSM);
    EXPECT_LE(gpu->sharedBytesStatic, gpu->sharedBytesPerBlock);
    EXPECT_EQ(gpu->sharedBytesPerBlock + gpu->sharedBytesReserved,
              gpu->sharedBytesPerSM);
    EXPECT_LE(gpu->maxRegistersPerBlock, gpu->registersPerSM);
    EXPECT_EQ(gpu->maxClusterSize > 1, target.has(Feature::Clusters));
    EXPECT_EQ(gpu->barrierBytes > 0, target.has(Feature::MBarrier));
    EXPECT_EQ(gpu->sharedAlign % gpu->vectorBytes, 0) << target.name.str();
    // Matrix instructions of several warps take a warpgroup.
    for (const MmaRow &mma : target.mmas)
      EXPECT_TRUE(mma.threads <= gpu->warpSize ||
                  mma.threads == gpu->groupThreads())
          << mma.instruction.str();
    bool hasTMA = llvm::any_of(target.copies, [](const CopyRow &row) {
      return row.family == CopyFamily::TMA;
    });
    EXPECT_EQ(gpu->tma != nullptr, hasTMA) << target.name.str();
  }
}

//===----------------------------------------------------------------------===//
// Matrix instructions
//===----------------------------------------------------------------------===//

static void checkFragment(const std::string &name, const MmaChoice &choice,
                          Operand operand, int64_t rows, int64_t columns,
                          int64_t warpSize) {
  Result<Layout> layout = getFragment(choice, operand);
  ASSERT_TRUE(layout) << name << ": " << layout.reason();
  EXPECT_EQ(layout->shape(), (std::vector<int64_t>{rows, columns})) << name;
  EXPECT_TRUE(*layout->isInjective()) << name;
  if (choice.row->cSpace == Space::Tmem)
    return;
  EXPECT_LE(layout->axisSize(Axis::Lane), warpSize) << name;
  EXPECT_EQ(layout->axisSize(Axis::Lane) * layout->axisSize(Axis::Warp),
            choice.row->threads)
      << name;
  // Every register of every thread holds one element.
  EXPECT_EQ(choice.row->threads * layout->axisSize(Axis::Reg),
            rows * columns * layout->numCopies())
      << name;
}

/// Elements below 8 bits may lie in containers of 8.
static void checkWidths(const std::string &name, const MmaRow &row) {
  const tile::layout::MmaLayout *mma =
      tile::layout::findMmaLayout(std::string_view(row.layout));
  if (!mma)
    return;
  EXPECT_EQ(mma->lanes, row.threads) << name;
  for (ElementType type : llvm::concat<const ElementType>(row.a, row.b)) {
    int bits = getBitWidth(type);
    EXPECT_TRUE(mma->inputBits == bits || (mma->inputBits == 8 && bits < 8))
        << name << " " << stringify(type).str();
  }
}

TEST(TargetGPU, MmaRowsAgreeWithTheirFragments) {
  int64_t withLayout = 0;
  for (const Target &target : targets()) {
    for (const MmaRow &row : target.mmas) {
      std::string name = nameOf(target, row.instruction);
      EXPECT_FALSE(row.a.empty() || row.b.empty() || row.aSpaces.empty())
          << name;
      EXPECT_TRUE(row.hasN(row.nMin) && row.hasN(row.nMax)) << name;
      EXPECT_EQ(row.scaleBlock != 0, row.scale != ElementType::None) << name;
      if (row.scaleBlock) {
        EXPECT_EQ(row.k % row.scaleBlock, 0) << name;
      }
      if (row.layout.empty())
        continue;
      ++withLayout;
      checkWidths(name, row);
      int64_t warpSize = target.getGPU()->warpSize;
      for (int64_t n = row.nMin; n <= row.nMax; n += row.nStep) {
        MmaChoice choice{&row, n};
        checkFragment(name, choice, Operand::C, row.m, n, warpSize);
        if (llvm::is_contained(row.aSpaces, Space::Register))
          checkFragment(name, choice, Operand::A, row.m, row.k, warpSize);
        if (row.bSpace == Space::Register)
          checkFragment(name, choice, Operand::B, row.k, n, warpSize);
      }
    }
  }
  EXPECT_GT(withLayout, 100);
}

TEST(TargetGPU, EveryFragmentIsUsed) {
  for (const tile::layout::MmaLayout &mma : tile::layout::mmaLayouts()) {
    bool used = llvm::any_of(targets(), [&](const Target &target) {
      return llvm::any_of(target.mmas, [&](const MmaRow &row) {
        return std::string_view(row.layout) == mma.name && row.m == mma.m &&
               row.nMin == mma.n && row.k == mma.k;
      });
    });
    EXPECT_TRUE(used) << mma.name;
  }
}

TEST(TargetGPU, FindMma) {
  const MmaTypes half{ElementType::F16, ElementType::F16, ElementType::F32};
  const Target &hopper = get("sm_90a");

  // The largest first, with the largest N that divides.
  auto found = findMma(hopper, half, 128, 192, 64);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].row->family, MmaFamily::WGMMA);
  EXPECT_EQ(found[0].n, 192);
  EXPECT_EQ(found[1].row->k, 16);
  EXPECT_EQ(found[2].row->k, 8);
  EXPECT_EQ(findMma(hopper, half, 128, 512, 64)[0].n, 256);
  EXPECT_EQ(findMma(hopper, half, 128, 88, 64)[0].n, 88);

  // 32 rows are too few for wgmma; 12 columns for all; K = 8 for most.
  EXPECT_EQ(findMma(hopper, half, 32, 64, 64)[0].row->family, MmaFamily::MMA);
  EXPECT_TRUE(findMma(hopper, half, 128, 12, 64).empty());
  EXPECT_EQ(findMma(hopper, half, 128, 64, 8).size(), 1u);
  EXPECT_TRUE(findMma(hopper, half, 0, 64, 64).empty());

  // Integers: 40 columns are 5 x 8, as 40 itself is no N.
  const MmaTypes bytes{ElementType::I8, ElementType::U8, ElementType::I32};
  found = findMma(hopper, bytes, 64, 40, 32, MmaFamily::WGMMA);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].n, 8);

  // By chip.
  const MmaTypes fp8{ElementType::F8E4M3FN, ElementType::F8E5M2,
                     ElementType::F32};
  EXPECT_TRUE(findMma(get("sm_80"), fp8, 128, 128, 128).empty());
  EXPECT_FALSE(findMma(get("sm_89"), fp8, 128, 128, 128).empty());
  EXPECT_TRUE(findMma(get("gfx942"), fp8, 128, 128, 128).empty());
  EXPECT_FALSE(findMma(get("gfx950"), fp8, 128, 128, 128).empty());
  EXPECT_EQ(findMma(get("sm_100a"), half, 256, 256, 64)[0].row->blocks, 2);

  // Block scaling is asked for.
  MmaTypes mx{ElementType::F4E2M1FN, ElementType::F4E2M1FN, ElementType::F32,
              ElementType::F8E4M3FN};
  found = findMma(get("sm_120a"), mx, 16, 8, 64);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].row->scaleBlock, 16);
  EXPECT_TRUE(findMma(get("sm_120"), mx, 16, 8, 64).empty());
}

TEST(TargetGPU, Fragments) {
  const MmaTypes half{ElementType::F16, ElementType::F16, ElementType::F32};
  MmaChoice wgmma = findMma(get("sm_90a"), half, 64, 16, 16)[0];
  EXPECT_EQ(*getFragment(wgmma, Operand::C),
            *tile::layout::wgmmaAccumulator(16));
  EXPECT_EQ(*getFragment(wgmma, Operand::A), *tile::layout::wgmmaInputA(16));
  EXPECT_EQ(
      getFragment(wgmma, Operand::B).reason(),
      "operand b of wgmma.mma_async.sync.aligned lies in a memory, not in "
      "a fragment");
  MmaChoice mfma = findMma(get("gfx942"), half, 32, 32, 8)[0];
  EXPECT_EQ(getFragment(mfma, Operand::B)->str(),
            "[8: 2 lane*32, 4 reg][32: 32 lane]");
  const MmaTypes bytes{ElementType::I8, ElementType::I8, ElementType::I32};
  MmaChoice longer = findMma(get("gfx950"), bytes, 16, 16, 64)[0];
  EXPECT_EQ(getFragment(longer, Operand::A)->str(),
            "[16: 16 lane][64: 4 lane*16, 16 reg]");
  const MmaTypes scaled{ElementType::F4E2M1FN, ElementType::F4E2M1FN,
                        ElementType::F32, ElementType::F8E8M0FNU};
  MmaChoice unknown = findMma(get("gfx950"), scaled, 16, 16, 128)[0];
  EXPECT_EQ(getFragment(unknown, Operand::A).reason(),
            "the fragments of v_mfma_scale_f32_16x16x128_f8f6f4 are not "
            "written down");
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

TEST(TargetGPU, CopyRows) {
  for (const Target &target : targets()) {
    for (const CopyRow &row : target.copies) {
      std::string name = nameOf(target, row.instruction);
      EXPECT_EQ(row.widths.empty(), row.granule != 0) << name;
      EXPECT_TRUE(llvm::is_sorted(row.widths)) << name;
      EXPECT_TRUE(row.from != row.to || row.from == Space::UB) << name;
      if (row.granule && row.maxBytes) {
        EXPECT_EQ(row.maxBytes % row.granule, 0) << name;
      }
    }
  }
}

static std::vector<std::string> copyNames(llvm::StringRef chip, Space from,
                                          Space to, int64_t bytes) {
  std::vector<std::string> names;
  for (const CopyRow *row : findCopies(get(chip), from, to, bytes))
    names.push_back(row->instruction.str());
  return names;
}

TEST(TargetGPU, FindCopies) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(copyNames("sm_80", Space::Global, Space::Shared, 16),
            Names{"cp.async"});
  EXPECT_EQ(copyNames("sm_80", Space::Global, Space::Shared, 2), Names{});
  EXPECT_EQ(copyNames("sm_90a", Space::Global, Space::Shared, 16),
            (Names{"cp.async", "cp.async.bulk", "cp.async.bulk.tensor"}));
  EXPECT_EQ(copyNames("sm_90a", Space::Global, Space::Shared, 16384),
            (Names{"cp.async.bulk", "cp.async.bulk.tensor"}));
  EXPECT_EQ(copyNames("sm_90a", Space::Global, Space::Shared, 24), Names{});
  EXPECT_EQ(copyNames("sm_90a", Space::Global, Space::Shared, 1 << 20),
            Names{});
  EXPECT_EQ(copyNames("sm_90a", Space::Global, Space::Register, 32), Names{});
  EXPECT_EQ(copyNames("sm_100a", Space::Global, Space::Register, 32),
            Names{"ld.global.v8.b32"});
  EXPECT_EQ(copyNames("gfx942", Space::Global, Space::Shared, 16), Names{});
  EXPECT_EQ(copyNames("gfx950", Space::Global, Space::Shared, 16),
            (Names{"buffer_load_lds", "global_load_lds"}));
  EXPECT_EQ(copyNames("sm_100a", Space::Shared, Space::Tmem, 4096),
            Names{"tcgen05.cp.cta_group::1"});
}
