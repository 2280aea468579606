// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TileRuntime/ParallelFor.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

// The machine that runs the tests may have one CPU: ask for four threads before
// anything starts the pool.
const bool threadsRequested = [] {
  setenv("TILE_NUM_THREADS", "4", 1);
  return true;
}();

struct Visits {
  std::vector<std::atomic<int>> hits;
  explicit Visits(size_t n) : hits(n) {}
  static void body(void *context, int64_t begin, int64_t end) {
    auto *self = static_cast<Visits *>(context);
    for (int64_t i = begin; i < end; ++i)
      self->hits[i].fetch_add(1, std::memory_order_relaxed);
  }
  bool allEqual(int expected) const {
    return std::all_of(hits.begin(), hits.end(),
                       [=](const auto &h) { return h == expected; });
  }
};

TEST(ParallelFor, ThreadsFromEnvironment) {
  EXPECT_TRUE(threadsRequested);
  EXPECT_EQ(tile_rt_num_threads(), 4);
}

TEST(ParallelForDeathTest, BadEnvironmentIsReported) {
  // A fresh process, which has not counted its threads yet.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const char *bad : {"0", "1025", "4x", "-1"})
    EXPECT_DEATH(
        {
          setenv("TILE_NUM_THREADS", bad, 1);
          tile_rt_num_threads();
          abort();
        },
        std::string("TILE_NUM_THREADS: expected an integer from 1 to 1024, "
                    "got '") +
            bad + "'; using [0-9]+");
}

TEST(ParallelFor, CoversEveryIndexOnce) {
  for (int64_t count : {1, 2, 3, 7, 64, 1000, 4097})
    for (int64_t grain : {-5, 0, 1, 2, 3, 64, 5000}) {
      Visits visits(count);
      tile_rt_parallel_for(Visits::body, &visits, count, grain);
      EXPECT_TRUE(visits.allEqual(1)) << count << " by " << grain;
    }
}

TEST(ParallelFor, NothingToDo) {
  auto fail = [](void *, int64_t, int64_t) { FAIL(); };
  tile_rt_parallel_for(fail, nullptr, 0, 1);
  tile_rt_parallel_for(fail, nullptr, -3, 1);
}

TEST(ParallelFor, RangesAreWholeGrains) {
  static std::atomic<int> wrong;
  wrong = 0;
  auto body = [](void *, int64_t begin, int64_t end) {
    if (begin % 10 || (end != 95 && end - begin != 10))
      ++wrong;
  };
  tile_rt_parallel_for(body, nullptr, 95, 10);
  EXPECT_EQ(wrong, 0);
}

TEST(ParallelFor, EndOfTheRangeNearOverflow) {
  static std::atomic<int64_t> covered;
  covered = 0;
  auto body = [](void *, int64_t begin, int64_t end) {
    covered += end - begin;
  };
  tile_rt_parallel_for(body, nullptr, INT64_MAX, INT64_MAX / 2 + 1);
  EXPECT_EQ(covered, INT64_MAX);
}

TEST(ParallelFor, OneIterationRunsInTheCaller) {
  std::thread::id id;
  tile_rt_parallel_for(
      [](void *context, int64_t begin, int64_t end) {
        EXPECT_EQ(begin, 0);
        EXPECT_EQ(end, 1);
        *static_cast<std::thread::id *>(context) = std::this_thread::get_id();
      },
      &id, 1, 1);
  EXPECT_EQ(id, std::this_thread::get_id());
}

TEST(ParallelFor, WorkersTakePart) {
  // Two bodies that wait for each other need two threads.
  static std::atomic<int> arrived;
  arrived = 0;
  auto body = [](void *, int64_t, int64_t) {
    ++arrived;
    while (arrived < 2)
      std::this_thread::yield();
  };
  tile_rt_parallel_for(body, nullptr, 2, 1);
  EXPECT_EQ(arrived, 2);
}

TEST(ParallelFor, AllThreadsWakeUp) {
  // The wake-ups form a tree: all four threads must be reached, also from
  // sleep.
  for (int round = 0; round < 5; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    static std::atomic<int> arrived;
    arrived = 0;
    auto body = [](void *, int64_t, int64_t) {
      ++arrived;
      while (arrived < 4)
        std::this_thread::yield();
    };
    tile_rt_parallel_for(body, nullptr, 4, 1);
    EXPECT_EQ(arrived, 4);
  }
}

TEST(ParallelFor, NestedRunsInline) {
  static std::atomic<int64_t> sum, strayed;
  sum = strayed = 0;
  auto outer = [](void *, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      std::thread::id self = std::this_thread::get_id();
      tile_rt_parallel_for(
          [](void *context, int64_t b, int64_t e) {
            sum += e - b;
            if (*static_cast<std::thread::id *>(context) !=
                std::this_thread::get_id())
              ++strayed;
          },
          &self, 100, 1);
    }
  };
  tile_rt_parallel_for(outer, nullptr, 50, 1);
  EXPECT_EQ(sum, 5000);
  EXPECT_EQ(strayed, 0);
}

TEST(ParallelFor, ThousandsOfLoopsFromManyThreads) {
  // More application threads than job slots: the surplus runs inline.
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 24; ++t)
    threads.emplace_back([&, t] {
      for (int loop = 0; loop < 400; ++loop) {
        int64_t count = 1 + (t * 31 + loop * 17) % 97;
        Visits visits(count);
        tile_rt_parallel_for(Visits::body, &visits, count, 1 + loop % 3);
        if (!visits.allEqual(1))
          ++wrong;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(ParallelFor, WritesAreVisibleToTheCaller) {
  // Plain, not atomic: a missing release or acquire shows under TSan.
  std::vector<int64_t> data(512);
  for (int round = 0; round < 2000; ++round) {
    tile_rt_parallel_for(
        [](void *context, int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i)
            static_cast<int64_t *>(context)[i] += i;
        },
        data.data(), 512, 16);
  }
  for (int64_t i = 0; i < 512; ++i)
    ASSERT_EQ(data[i], 2000 * i);
}

TEST(ParallelFor, EmptyLoopIsCheap) {
  auto body = [](void *, int64_t, int64_t) {};
  std::vector<double> samples;
  for (int i = 0; i < 300; ++i) {
    auto start = std::chrono::steady_clock::now();
    tile_rt_parallel_for(body, nullptr, 4, 1);
    samples.push_back(std::chrono::duration<double, std::micro>(
                          std::chrono::steady_clock::now() - start)
                          .count());
  }
  std::nth_element(samples.begin(), samples.begin() + 150, samples.end());
  RecordProperty("median_us", std::to_string(samples[150]));
  // Far above what an idle machine needs; a sleep in the path costs more.
  EXPECT_LT(samples[150], 1000.0);
}

// Leak checkers look at a child that exits, where the stacks of the parent's
// other threads are garbage. They do not look at one that becomes another
// program.
[[noreturn]] void endChild(bool good) {
  execl("/bin/sh", "sh", "-c", good ? "exit 0" : "exit 1", nullptr);
  _exit(2);
}

TEST(ParallelFor, ChildOfForkStartsItsOwnPool) {
  Visits before(64);
  tile_rt_parallel_for(Visits::body, &before, 64, 1);
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(10);
    bool good = true;
    for (int round = 0; round < 100; ++round) {
      Visits visits(200);
      tile_rt_parallel_for(Visits::body, &visits, 200, 1);
      good &= visits.allEqual(1);
    }
    static std::atomic<int> arrived;
    tile_rt_parallel_for(
        [](void *, int64_t, int64_t) {
          ++arrived;
          while (arrived < 2)
            std::this_thread::yield();
        },
        nullptr, 2, 1);
    endChild(good && arrived == 2);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  Visits after(64);
  tile_rt_parallel_for(Visits::body, &after, 64, 1);
  EXPECT_TRUE(after.allEqual(1));
}

TEST(ParallelFor, ForkWhileOtherThreadsLoop) {
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    while (!stop) {
      Visits visits(50);
      tile_rt_parallel_for(Visits::body, &visits, 50, 1);
    }
  });
  int bad = 0;
  for (int round = 0; round < 20; ++round) {
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(10);
      Visits visits(100);
      tile_rt_parallel_for(Visits::body, &visits, 100, 1);
      endChild(visits.allEqual(1));
    }
    int status = 0;
    waitpid(child, &status, 0);
    bad += status != 0;
  }
  stop = true;
  busy.join();
  EXPECT_EQ(bad, 0);
}

TEST(ParallelFor, EmbedderSuppliesThePool) {
  static int64_t seenGrain, calls;
  seenGrain = calls = 0;
  tile_rt_set_parallel_for(
      [](TileRtBody body, void *context, int64_t count, int64_t grain) {
        ++calls;
        seenGrain = grain;
        for (int64_t i = count; i-- > 0;)
          body(context, i, i + 1);
      });
  Visits visits(10);
  tile_rt_parallel_for(Visits::body, &visits, 10, 0);
  tile_rt_parallel_for(Visits::body, &visits, 0, 1);
  tile_rt_set_parallel_for(nullptr);
  tile_rt_parallel_for(Visits::body, &visits, 10, 1);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(seenGrain, 1);
  EXPECT_TRUE(visits.allEqual(2));
}

TEST(Scratch, AlignedReusedAndGrowing) {
  void *small = tile_rt_scratch(0);
  ASSERT_NE(small, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(small) % 64, 0u);
  EXPECT_EQ(tile_rt_scratch(4096), small);
  char *large = static_cast<char *>(tile_rt_scratch(100001));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(large) % 64, 0u);
  memset(large, 1, 100001);
  EXPECT_EQ(tile_rt_scratch(10), large);
}

TEST(Scratch, OneBufferPerThread) {
  void *mine = tile_rt_scratch(64);
  void *theirs = nullptr;
  std::thread([&] {
    theirs = tile_rt_scratch(64);
    memset(theirs, 2, 64);
  }).join();
  EXPECT_NE(mine, theirs);
}

TEST(Scratch, NullWithoutMemory) {
  void *mine = tile_rt_scratch(64);
  memset(mine, 3, 64);
  EXPECT_EQ(tile_rt_scratch(SIZE_MAX / 2), nullptr);
  EXPECT_EQ(tile_rt_scratch(SIZE_MAX), nullptr);
  void *again = tile_rt_scratch(64);
  ASSERT_NE(again, nullptr);
  memset(again, 4, 64);
}

} // namespace
