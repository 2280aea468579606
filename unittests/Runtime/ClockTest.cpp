// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TileRuntime/Clock.h"
#include "gtest/gtest.h"

#include <cmath>
#include <string>

namespace {

TEST(Clock, DoesNotGoBack) {
  int64_t last = tile_rt_now_ns();
  for (int i = 0; i < 1000; ++i) {
    int64_t now = tile_rt_now_ns();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(Clock, Median) {
  double odd[] = {5, 1, 3}, even[] = {4, 1, 3, 2}, one[] = {7};
  EXPECT_EQ(tile_rt_median(odd, 3), 3);
  EXPECT_EQ(tile_rt_median(even, 4), 2.5);
  EXPECT_EQ(tile_rt_median(one, 1), 7);
  EXPECT_TRUE(std::isnan(tile_rt_median(nullptr, 0)));
}

/// What a task of ten steps prints at its third, ending `after` ns from its
/// start.
std::string thirdStep(bool terminal, int64_t after) {
  TileRtProgress progress;
  tile_rt_progress_start(&progress, 10);
  char *text = nullptr;
  size_t size = 0;
  progress.stream = open_memstream(&text, &size);
  progress.terminal = terminal;
  progress.step = 2;
  progress.startNs -= after;
  tile_rt_progress_begin(&progress, "tuning");
  progress.stepNs -= 1200000000;
  tile_rt_progress_end(&progress);
  fclose(progress.stream);
  std::string result(text, size);
  free(text);
  return result;
}

TEST(Progress, TerminalShowsEveryStep) {
  EXPECT_EQ(thirdStep(true, 0), "[ 3/10] tuning … 1.2 s\n");
}

TEST(Progress, FilesSeeOnlyLongTasks) {
  EXPECT_EQ(thirdStep(false, 0), "");
  EXPECT_EQ(thirdStep(false, 2100000000), "[ 3/10] tuning … 1.2 s\n");
}

} // namespace
