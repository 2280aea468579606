// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes with a GPU each, as threads over a driver without a GPU.

#include "TileRuntime/CUDA.h"
#include "TileRuntime/World.h"
#include "gtest/gtest.h"

extern "C" {
#include "CUDADriver.h"
#include "FakeCUDA.h"
}

#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

/// What the processes have in common.
class Meeting {
public:
  explicit Meeting(int32_t size) : size(size) {}

  bool gather(int32_t rank, const void *own, size_t bytes, void *all) {
    std::unique_lock<std::mutex> lock(mutex);
    box.resize(size * bytes);
    memcpy(box.data() + rank * bytes, own, bytes);
    meet(lock);
    memcpy(all, box.data(), size * bytes);
    meet(lock);
    return true;
  }

private:
  void meet(std::unique_lock<std::mutex> &lock) {
    int64_t round = rounds;
    if (++here == size) {
      here = 0;
      ++rounds;
      changed.notify_all();
    }
    changed.wait(lock, [&] { return rounds != round; });
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<char> box;
  int32_t size, here = 0;
  int64_t rounds = 0;
};

struct Process {
  Meeting *meeting;
  int32_t rank;
  TileRtDevice *device = nullptr;
  TileRtComm *comm = nullptr;
  TileRtError error{};
};

bool gather(void *context, const void *own, size_t bytes, void *all,
            TileRtError *) {
  auto *process = static_cast<Process *>(context);
  return process->meeting->gather(process->rank, own, bytes, all);
}

struct CommTest : testing::Test {
  CuDriver driver{};
  FakeCudaState *state = nullptr;
  TileRtError error{};

  void SetUp() override {
    ASSERT_TRUE(tile_rt_cuda_load_driver(FAKECUDA, &driver, &error));
    using Get = FakeCudaState *(*)();
    state = reinterpret_cast<Get>(dlsym(driver.library, "fakeCudaState"))();
    *state = FakeCudaState{};
    state->devices = 3;
    state->major = 9;
    state->maxThreads = 1024;
  }

  /// Runs the body as each of `size` processes.
  void run(int32_t size, const std::function<void(Process &)> &body) {
    Meeting meeting(size);
    std::vector<Process> processes(size);
    std::vector<std::thread> threads;
    for (int32_t rank = 0; rank < size; ++rank) {
      Process &process = processes[rank];
      process.meeting = &meeting;
      process.rank = rank;
      ASSERT_TRUE(
          tile_rt_cuda_open_with(&driver, rank, &process.device, &error));
      TileRtExchange exchange{rank, size, &process, gather, nullptr};
      ASSERT_TRUE(tile_rt_comm_open_on(process.device, &exchange,
                                       &process.comm, &error));
      threads.emplace_back([&body, &process] { body(process); });
    }
    for (std::thread &thread : threads)
      thread.join();
    for (Process &process : processes) {
      tile_rt_comm_close(process.comm);
      tile_rt_device_close(process.device);
    }
  }
};

TEST_F(CommTest, ProcessesSeeTheMemoryOfAll) {
  run(3, [](Process &process) {
    TileRtWorld *world;
    size_t offset;
    ASSERT_TRUE(tile_rt_world_create_over(process.comm, 1024, &world,
                                          &process.error))
        << process.error.message;
    ASSERT_TRUE(tile_rt_world_alloc(world, 24, &offset, &process.error));
    auto body = [](void *context, int32_t rank) {
      auto &[world, offset] =
          *static_cast<std::pair<TileRtWorld *, size_t> *>(context);
      for (int32_t k = 0; k < 3; ++k)
        static_cast<int64_t *>(tile_rt_world_address(world, k, offset))[rank] =
            100 * rank + k;
    };
    std::pair<TileRtWorld *, size_t> context(world, offset);
    ASSERT_TRUE(tile_rt_world_run(world, body, &context, &process.error))
        << process.error.message;
    for (int32_t k = 0; k < 3; ++k)
      for (int32_t rank = 0; rank < 3; ++rank)
        EXPECT_EQ(static_cast<int64_t *>(
                      tile_rt_world_address(world, k, offset))[rank],
                  100 * rank + k);
    // The table has the addresses of this process.
    int64_t words;
    int64_t *table = tile_rt_world_table(world, process.rank, &words);
    EXPECT_EQ(table[0], process.rank);
    EXPECT_EQ(table[1], 3);
    for (int32_t k = 0; k < 3; ++k)
      EXPECT_EQ(table[2 + k], reinterpret_cast<intptr_t>(
                                  tile_rt_world_table(world, k, nullptr)));
    tile_rt_world_free(world);
  });
  EXPECT_EQ(state->allocations, 0);
}

TEST_F(CommTest, AWaitInVainIsTheErrorOfItsProcess) {
  run(2, [](Process &process) {
    TileRtWorld *world;
    ASSERT_TRUE(
        tile_rt_world_create_over(process.comm, 8, &world, &process.error));
    auto body = [](void *context, int32_t rank) {
      if (rank == 0)
        return;
      auto *world = static_cast<TileRtWorld *>(context);
      int64_t words, *table = tile_rt_world_table(world, rank, &words);
      int64_t *report = table + words - TILE_RT_REPORT_WORDS;
      report[TILE_RT_REPORT_CLAIMED] = 1;
      report[TILE_RT_REPORT_LINE] = 7;
      report[TILE_RT_REPORT_COLUMN] = 3;
      report[TILE_RT_REPORT_WANTED] = 2;
    };
    bool good = tile_rt_world_run(world, body, world, &process.error);
    EXPECT_EQ(good, process.rank == 0);
    if (process.rank == 1) {
      EXPECT_STREQ(process.error.message,
                   "rank 1 waits at 7:3 for a flag of at least 2, which is 0; "
                   "nobody signalled in time");
    }
    tile_rt_world_free(world);
  });
}

TEST_F(CommTest, AFailureIsEverybodys) {
  state->failCall = "cuIpcOpenMemHandle";
  state->failResult = 1;
  run(2, [](Process &process) {
    TileRtWorld *world;
    EXPECT_FALSE(
        tile_rt_world_create_over(process.comm, 8, &world, &process.error));
    EXPECT_STREQ(process.error.message, "rank 0: cuIpcOpenMemHandle: "
                                        "CUDA_ERROR_INVALID_VALUE (a text)");
  });
  EXPECT_EQ(state->allocations, 0);
}

TEST_F(CommTest, WrongRanks) {
  TileRtDevice *device;
  TileRtComm *comm;
  ASSERT_TRUE(tile_rt_cuda_open_with(&driver, 0, &device, &error));
  TileRtExchange exchange{2, 2, nullptr, gather, nullptr};
  EXPECT_FALSE(tile_rt_comm_open_on(device, &exchange, &comm, &error));
  EXPECT_STREQ(error.message, "expected a rank of 0 to 1, got 2");
  exchange.rank = 0;
  EXPECT_FALSE(
      tile_rt_comm_open_on(tile_rt_cpu_device(), &exchange, &comm, &error));
  EXPECT_STREQ(error.message, "expected a CUDA device for a rank");
  tile_rt_device_close(device);
}

TEST_F(CommTest, StreamsThatAreNeverDone) {
  TileRtDevice *device;
  bool done;
  ASSERT_TRUE(tile_rt_cuda_open_with(&driver, 0, &device, &error));
  EXPECT_TRUE(tile_rt_cuda_sync_within(device, nullptr, 1, &done, &error));
  EXPECT_TRUE(done);
  state->busy = true;
  EXPECT_TRUE(tile_rt_cuda_sync_within(device, nullptr, 0, &done, &error));
  EXPECT_FALSE(done);
  driver.streamQuery = nullptr;
  EXPECT_FALSE(tile_rt_cuda_sync_within(device, nullptr, 0, &done, &error));
  EXPECT_STREQ(error.message, "expected a CUDA driver with cuStreamQuery");
  driver.ipcGetMemHandle = nullptr;
  unsigned char handle[TILE_RT_CUDA_HANDLE_BYTES];
  EXPECT_FALSE(tile_rt_cuda_export(device, nullptr, handle, &error));
  EXPECT_STREQ(error.message, "expected a CUDA driver that shares memory with "
                              "other processes");
  tile_rt_device_close(device);
}

/// The error of the provider in an environment.
std::string openNccl(const std::vector<const char *> &variables) {
  static const char *const names[] = {"TILE_NCCL_LIBRARY", "WORLD_SIZE", "RANK",
                                      "LOCAL_RANK",        "MASTER_ADDR"};
  for (const char *name : names)
    unsetenv(name);
  for (size_t i = 0; i < variables.size(); ++i)
    setenv(names[i], variables[i], 1);
  TileRtError error;
  TileRtComm *comm;
  std::string text = tile_rt_comm_open("nccl", &comm, &error) ? "it was opened"
                                                              : error.message;
  for (const char *name : names)
    unsetenv(name);
  return text;
}

TEST(Nccl, WithoutNccl) {
  std::string text = openNccl({"/nonexistent/libnccl.so.2"});
  EXPECT_EQ(text.rfind("no NCCL: /nonexistent/libnccl.so.2: ", 0), 0u) << text;
  EXPECT_NE(text.find("name its file by TILE_NCCL_LIBRARY"), std::string::npos);
  EXPECT_NE(text.find("ranks are the GPUs of one process"), std::string::npos);
}

} // namespace
