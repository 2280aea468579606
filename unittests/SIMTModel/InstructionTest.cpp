// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every row of the model's tables is executed by a test of this program.

#include "Coverage.h"

#include "gtest/gtest.h"

namespace {

class EveryInstruction : public testing::Environment {
  void TearDown() override {
    // A part of the tests says nothing about the others.
    if (testing::GTEST_FLAG(filter) != "*")
      return;
    for (int i = 0; const char *pattern = coverageMissing(i); ++i)
      ADD_FAILURE() << "no test executes " << pattern;
  }
};

const testing::Environment *const environment =
    testing::AddGlobalTestEnvironment(new EveryInstruction);

} // namespace
