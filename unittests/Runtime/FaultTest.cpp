// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every allocation and every call of the system that the runtime makes fails
// once, in turn: each ends in an error or is tolerated, and nothing is lost.
// The linker's option --wrap puts the functions below in between.

#include "FakeCUDA.h"
#include "TileRuntime/CUDA.h"
#include "TileRuntime/Cache.h"
#include "TileRuntime/Compare.h"
#include "TileRuntime/Fill.h"
#include "TileRuntime/Launch.h"
#include "TileRuntime/Npy.h"
#include "TileRuntime/ParallelFor.h"
#include "gtest/gtest.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <functional>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

extern "C" {
#include "CUDADriver.h"
}

namespace {
/// Calls of this thread until the one that fails; 0 when none is going to.
thread_local int countdown = 0;
thread_local int64_t live = 0; ///< blocks of memory

bool fails(int reason) {
  if (countdown == 0 || --countdown > 0)
    return false;
  errno = reason;
  return true;
}

void *counted(void *memory) {
  live += memory != nullptr;
  return memory;
}
} // namespace

// The declarations are those of the system's headers, with another name.
#define WRAP(result, name, parameters, arguments, otherwise, reason)           \
  extern "C" result __real_##name parameters;                                  \
  extern "C" result __wrap_##name parameters {                                 \
    return fails(reason) ? otherwise : __real_##name arguments;                \
  }

#define WRAP_ALLOCATION(name, parameters, arguments)                           \
  extern "C" void *__real_##name parameters;                                   \
  extern "C" void *__wrap_##name parameters {                                  \
    return fails(ENOMEM) ? nullptr : counted(__real_##name arguments);         \
  }

WRAP_ALLOCATION(malloc, (size_t size), (size))
WRAP_ALLOCATION(calloc, (size_t count, size_t size), (count, size))
WRAP_ALLOCATION(aligned_alloc, (size_t align, size_t size), (align, size))

extern "C" void *__real_realloc(void *memory, size_t size);
extern "C" void *__wrap_realloc(void *memory, size_t size) {
  if (fails(ENOMEM))
    return nullptr;
  void *moved = __real_realloc(memory, size);
  live += moved && !memory;
  return moved;
}

extern "C" void __real_free(void *memory);
extern "C" void __wrap_free(void *memory) {
  live -= memory != nullptr;
  __real_free(memory);
}

WRAP(FILE *, fopen, (const char *path, const char *mode), (path, mode), nullptr,
     EMFILE)
WRAP(size_t, fwrite, (const void *b, size_t s, size_t n, FILE *f), (b, s, n, f),
     0, ENOSPC)
WRAP(size_t, fread, (void *b, size_t s, size_t n, FILE *f), (b, s, n, f), 0,
     EIO)
WRAP(ssize_t, write, (int f, const void *b, size_t n), (f, b, n), -1, ENOSPC)
WRAP(ssize_t, read, (int f, void *b, size_t n), (f, b, n), -1, EIO)
WRAP(int, openat, (int f, const char *path, int flags, mode_t mode),
     (f, path, flags, mode), -1, EMFILE)
WRAP(int, fstat, (int f, struct stat *about), (f, about), -1, EIO)
WRAP(int, mkdirat, (int f, const char *path, mode_t mode), (f, path, mode), -1,
     ENOSPC)
WRAP(int, renameat, (int f, const char *a, int g, const char *b), (f, a, g, b),
     -1, EIO)
WRAP(int, rename, (const char *a, const char *b), (a, b), -1, EIO)
WRAP(ssize_t, getrandom, (void *b, size_t n, unsigned flags), (b, n, flags), -1,
     ENOSYS)
WRAP(DIR *, fdopendir, (int f), (f), nullptr, ENOMEM)

namespace {

const char text[] = R"({
  "version": 1, "kernel": "scale", "target": "cpu",
  "arguments": [
    {"name": "in", "kind": "memref", "dtype": "f32", "shape": ["n"],
     "align": 4, "access": "read"},
    {"name": "out", "kind": "memref", "dtype": "f32", "shape": ["n"],
     "align": 16, "access": "write"}
  ],
  "symbols": [{"name": "n", "argument": 0, "dim": 0, "max": 4096}],
  "parameters": [
    {"kind": "pointer", "argument": 0},
    {"kind": "pointer", "argument": 1},
    {"kind": "workspace", "offset": "n 4 *"}
  ],
  "grid": ["n"], "block": [1], "shared": "n 4 *",
  "workspace": {"bytes": "n 4 * 4 +", "zeroed": true}
})";

struct FaultTest : testing::Test {
  char folder[64] = "/tmp/tile-fault-XXXXXX";
  TileRtError error{};

  void SetUp() override {
    ASSERT_TRUE(mkdtemp(folder));
  }
  void TearDown() override {
    std::string command = std::string("rm -rf ") + folder;
    ASSERT_EQ(system(command.c_str()), 0);
  }
  std::vector<std::string> list() const {
    std::vector<std::string> names;
    DIR *dir = opendir(folder);
    while (const struct dirent *item = readdir(dir))
      if (item->d_name[0] != '.')
        names.push_back(item->d_name);
    closedir(dir);
    return names;
  }
  int64_t kept = 0; ///< blocks that `work` leaves, by design

  /// Runs `work` with the first call failing, then with the second one, until
  /// all are through. `work` frees what it makes.
  void everyFault(const std::function<bool()> &work,
                  const std::function<void(bool)> &after = nullptr) {
    ASSERT_TRUE(work()) << error.message; // what is made once and kept
    int faults = 0, errors = 0;
    for (bool fired = true; fired; ++faults) {
      int64_t before = live;
      kept = 0;
      error.message[0] = 0;
      countdown = faults + 1;
      bool good = work();
      fired = countdown == 0;
      countdown = 0;
      EXPECT_EQ(live, before + kept) << "fault " << faults << ": " << error.message;
      EXPECT_TRUE(good || error.message[0]) << "fault " << faults;
      EXPECT_TRUE(good || fired) << error.message;
      errors += !good;
      if (after)
        after(good);
      ASSERT_LT(faults, 100000);
    }
    printf("%d faults, %d errors\n", faults - 1, errors);
    EXPECT_GT(errors, 0);
  }
};

TEST_F(FaultTest, Metadata) {
  everyFault([&] {
    TileRtMetadata *m = tile_rt_metadata_parse(text, strlen(text), &error);
    tile_rt_metadata_free(m);
    return m != nullptr;
  });
}

void block(void *const *, const uint32_t *, const uint32_t *, void *) {}

/// Loads a kernel and launches it once.
bool launchOnce(TileRtDevice *device, const void *image, size_t size,
                const TileRtMetadata *metadata, TileRtDLTensor *x,
                TileRtError *error) {
  TileRtKernel *kernel =
      tile_rt_kernel_load(device, image, size, metadata, error);
  TileRtArgument arguments[] = {tile_rt_argument_tensor(x),
                                tile_rt_argument_tensor(x)};
  bool good = kernel && tile_rt_launch(kernel, arguments, 2, nullptr, error);
  tile_rt_kernel_unload(kernel);
  return good;
}

/// A kernel that does nothing, on one thread, and a tensor for it.
class LaunchFaultTest : public FaultTest {
protected:
  void SetUp() override {
    FaultTest::SetUp();
    metadata = tile_rt_metadata_parse(text, strlen(text), &error);
    ASSERT_TRUE(metadata) << error.message;
    int64_t n = 16;
    ASSERT_TRUE(tile_rt_tensor_alloc(&tensor, TILE_RT_F32, 1, &n, 64, &error));
    x = tile_rt_device_tensor(tile_rt_cpu_device(), &tensor, tensor.data);
    // Threads are made once, and keep their memory.
    setenv("TILE_NUM_THREADS", "1", 1);
  }
  void TearDown() override {
    tile_rt_tensor_free(&tensor);
    tile_rt_metadata_free(metadata);
    FaultTest::TearDown();
  }
  bool launch() {
    return launchOnce(tile_rt_cpu_device(), &image, sizeof(image), metadata, &x,
                      &error);
  }

  TileRtMetadata *metadata = nullptr;
  TileRtHostImage image{block};
  TileRtTensor tensor{};
  TileRtDLTensor x;
};

TEST_F(LaunchFaultTest, Launch) {
  everyFault([&] { return launch(); });
}

// The memory of a thread is allocated in its first launch.
TEST_F(LaunchFaultTest, ScratchOfThreads) {
  // What is made once for all threads does not count.
  ASSERT_TRUE(launch()) << error.message;
  bool lacksMemory = false;
  auto launchWith = [&](int fault) {
    bool good = false, fired = false;
    error.message[0] = 0;
    std::thread([&] {
      tile_rt_run_alone(true); // the pool's threads could take all blocks
      countdown = fault;
      good = launch();
      fired = countdown == 0;
      countdown = 0;
    }).join();
    EXPECT_TRUE(good || error.message[0]) << "fault " << fault;
    EXPECT_TRUE(good || fired) << error.message;
    lacksMemory |= std::string(error.message).find("memory for a thread") !=
                   std::string::npos;
    return fired;
  };
  for (int fault = 1; launchWith(fault); ++fault)
    ASSERT_LT(fault, 100000);
  EXPECT_TRUE(lacksMemory);
}

TEST_F(LaunchFaultTest, Timing) {
  TileRtKernel *kernel = tile_rt_kernel_load(tile_rt_cpu_device(), &image,
                                             sizeof(image), metadata, &error);
  ASSERT_TRUE(kernel) << error.message;
  TileRtArgument arguments[] = {tile_rt_argument_tensor(&x),
                                tile_rt_argument_tensor(&x)};
  everyFault([&] {
    TileRtTiming timing;
    TileRtTimingOptions options = tile_rt_timing_options();
    return tile_rt_time(kernel, arguments, 2, nullptr, &options, &timing,
                        &error);
  });
  tile_rt_kernel_unload(kernel);
}

TEST_F(FaultTest, Files) {
  std::string path = folder + std::string("/x.npy");
  int64_t shape[] = {3, 5};
  TileRtTensor tensor{};
  TileRtFill fill{};
  everyFault([&] {
    TileRtTensor again{};
    bool good =
        tile_rt_tensor_alloc(&tensor, TILE_RT_F16, 2, shape, 64, &error) &&
        tile_rt_fill(&tensor, &fill, &error) &&
        tile_rt_npy_write(path.c_str(), &tensor, &error) &&
        tile_rt_npy_read(path.c_str(), TILE_RT_F16, &again, &error);
    tile_rt_tensor_free(&tensor);
    tile_rt_tensor_free(&again);
    return good;
  });
}

TEST_F(FaultTest, Cache) {
  std::string deep = folder + std::string("/a/b"), bytes(70000, 'x');
  TileRtHash hash;
  tile_rt_hash_start(&hash);
  everyFault(
      [&] {
        TileRtHash key = hash, again = hash;
        void *got = nullptr;
        size_t size = 0;
        bool written = tile_rt_cache_write(deep.c_str(), &key, bytes.data(),
                                           bytes.size(), &error);
        if (!written)
          return false;
        // A fault of the reader is a missing entry, or an error.
        if (tile_rt_cache_read(deep.c_str(), &again, &got, &size, &error)) {
          EXPECT_EQ(std::string(static_cast<char *>(got), size), bytes);
          free(got);
        }
        return tile_rt_cache_trim(deep.c_str(), 1 << 20, &error);
      },
      [&](bool) {
        // Whole entries under their names, and nothing else.
        DIR *dir = opendir(deep.c_str());
        while (const struct dirent *item = dir ? readdir(dir) : nullptr)
          EXPECT_TRUE(item->d_name[0] == '.' || !strchr(item->d_name, '.'))
              << item->d_name;
        if (dir)
          closedir(dir);
      });
}

TEST_F(FaultTest, Driver) {
  CuDriver driver{};
  ASSERT_TRUE(tile_rt_cuda_load_driver(FAKECUDA, &driver, &error))
      << error.message;
  using Get = FakeCudaState *(*)();
  FakeCudaState *state =
      reinterpret_cast<Get>(dlsym(driver.library, "fakeCudaState"))();
  *state = FakeCudaState{};
  state->devices = 1;
  state->major = 9;
  state->maxThreads = 1024;
  std::string cuda = text;
  cuda.replace(cuda.find("\"cpu\""), 5, "\"cuda\"");
  TileRtMetadata *m = tile_rt_metadata_parse(cuda.data(), cuda.size(), &error);
  ASSERT_TRUE(m) << error.message;
  TileRtTensor tensor{};
  int64_t n = 16;
  ASSERT_TRUE(tile_rt_tensor_alloc(&tensor, TILE_RT_F32, 1, &n, 64, &error));
  everyFault([&] {
    TileRtDevice *device = nullptr;
    if (!tile_rt_cuda_open_with(&driver, 0, &device, &error))
      return false;
    TileRtDLTensor x = tile_rt_device_tensor(device, &tensor, tensor.data);
    bool good = launchOnce(device, "ptx", 3, m, &x, &error);
    tile_rt_device_close(device);
    kept = 1; // a closed device is recognised
    return good;
  });
  tile_rt_tensor_free(&tensor);
  tile_rt_metadata_free(m);
}

} // namespace
