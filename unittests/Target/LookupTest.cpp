//===- LookupTest.cpp - names, enumerations, CPUs -------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Target/Target.h"

#include "llvm/ADT/StringSet.h"
#include "gtest/gtest.h"

using namespace tile::target;

TEST(TargetLookup, EveryNameAndAliasOnce) {
  llvm::StringSet<> names;
  for (const Target &target : targets()) {
    EXPECT_EQ(lookupTarget(target.name), &target);
    EXPECT_TRUE(names.insert(target.name).second) << target.name.str();
    for (llvm::StringRef alias : target.aliases) {
      EXPECT_EQ(lookupTarget(alias), &target);
      EXPECT_TRUE(names.insert(alias).second) << alias.str();
    }
    EXPECT_FALSE(target.arch.empty());
    EXPECT_FALSE(target.products.empty());
    EXPECT_EQ((target.getGPU() != nullptr) + (target.getAscend() != nullptr) +
                  (target.getCPU() != nullptr),
              1);
    bool isGPU =
        target.vendor == Vendor::NVIDIA || target.vendor == Vendor::AMD;
    EXPECT_EQ(target.getGPU() != nullptr, isGPU);
    EXPECT_EQ(target.getAscend() != nullptr, target.vendor == Vendor::Ascend);
  }
  for (const char *name :
       {"sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120", "sm_120a",
        "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1200", "gfx1201", "910B",
        "910C", "950", "x86-64-v3", "avx512", "neon", "generic"})
    EXPECT_TRUE(names.contains(name)) << name;
  EXPECT_EQ(lookupTarget("910C"), lookupTarget("910B"));
  EXPECT_EQ(lookupTarget("sm_99"), nullptr);
  EXPECT_EQ(lookupTarget(""), nullptr);
}

TEST(TargetLookup, UnknownNames) {
  const std::string nvidia =
      "; known NVIDIA targets: sm_80, sm_86, sm_89, "
      "sm_90a, sm_100a, sm_120, sm_120a; closest match: ";
  const std::string amd =
      "; known AMD targets: gfx90a, gfx942, gfx950, gfx1100, gfx1200, gfx1201; closest match: ";
  const std::pair<const char *, std::string> cases[] = {
      {"sm_99", nvidia + "sm_90a"},
      {"sm_90", nvidia + "sm_90a"},
      {"sm_103a", nvidia + "sm_100a"},
      {"sm_121", nvidia + "sm_120"},
      {"SM_80", nvidia + "sm_80"},
      {"sm80", nvidia + "sm_80"},
      {"gfx940", amd + "gfx942"},
      {"gfx90", amd + "gfx90a"},
      {"gfx1101", amd + "gfx1100"},
      {"910D", "; known Ascend targets: 910B, 910C, 950; closest match: 910B"},
      {"avx2", "; known CPU targets: x86-64-v3, avx512, neon, generic; closest "
               "match: avx512"},
  };
  for (const auto &[name, rest] : cases)
    EXPECT_EQ(describeUnknownTarget(name),
              "unknown target '" + std::string(name) + "'" + rest);
  const char *all = "known targets: sm_80, sm_86, sm_89, sm_90a, sm_100a, "
                    "sm_120, sm_120a, gfx90a, gfx942, gfx950, gfx1100, gfx1200, gfx1201, 910B, 910C, 950, "
                    "x86-64-v3, avx512, neon, generic";
  EXPECT_EQ(describeUnknownTarget("quux"),
            std::string("unknown target 'quux'; ") + all);
  EXPECT_EQ(describeUnknownTarget(""),
            std::string("unknown target ''; ") + all);
}

TEST(TargetLookup, Enumerations) {
  EXPECT_EQ(stringify(ElementType::F8E4M3FN), "f8E4M3FN");
  EXPECT_EQ(stringify(ElementType::U8), "ui8");
  EXPECT_EQ(symbolizeElementType("bf16"), ElementType::BF16);
  EXPECT_EQ(symbolizeElementType("float"), std::nullopt);
  EXPECT_EQ(getBitWidth(ElementType::F4E2M1FN), 4);
  EXPECT_EQ(getBitWidth(ElementType::TF32), 32);
  EXPECT_EQ(getBitWidth(ElementType::F64), 64);
  for (unsigned i = 0; i < kNumElementTypes; ++i) {
    auto type = static_cast<ElementType>(i);
    EXPECT_EQ(symbolizeElementType(stringify(type)), type);
  }
  EXPECT_EQ(stringify(Engine::MTE2), "mte2");
  EXPECT_EQ(symbolizeMmaFamily("wgmma"), MmaFamily::WGMMA);
}

TEST(TargetLookup, CPUs) {
  const CPUSpec &v3 = *lookupTarget("x86-64-v3")->getCPU();
  EXPECT_EQ(v3.vectorBytes, 32);
  EXPECT_EQ(v3.vectorRegisters, 16);
  EXPECT_EQ(v3.lineBytes, 64);
  const CPUSpec &avx512 = *lookupTarget("avx512")->getCPU();
  EXPECT_EQ(avx512.vectorBytes, 64);
  EXPECT_EQ(avx512.vectorRegisters, 32);
  const CPUSpec &neon = *lookupTarget("neon")->getCPU();
  EXPECT_EQ(neon.vectorBytes, 16);
  EXPECT_EQ(neon.vectorRegisters, 32);
  const CPUSpec &generic = *lookupTarget("generic")->getCPU();
  EXPECT_EQ(generic.vectorBytes, 16);
  EXPECT_EQ(generic.vectorRegisters, 16);
  EXPECT_TRUE(lookupTarget("generic")->mmas.empty());
}
