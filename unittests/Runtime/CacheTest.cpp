// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TileRuntime/Cache.h"
#include "gtest/gtest.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

struct Cache : testing::Test {
  TileRtError error{};
  char folder[64] = "/tmp/tile-cache-XXXXXX";

  void SetUp() override { ASSERT_TRUE(mkdtemp(folder)); }
  void TearDown() override {
    for (const std::string &name : list())
      remove((folder + ("/" + name)).c_str());
    rmdir(folder);
  }
  static TileRtHash key(int number) {
    TileRtHash hash;
    tile_rt_hash_start(&hash);
    tile_rt_hash_text(&hash, std::to_string(number).c_str());
    return hash;
  }
  static std::string name(int number) {
    TileRtHash hash = key(number);
    char text[2 * TILE_RT_HASH_BYTES + 1];
    tile_rt_hash_name(&hash, text);
    return text;
  }
  /// An entry of 1000 bytes that was used so many seconds ago.
  void write(int number, long age) {
    TileRtHash hash = key(number);
    std::string bytes(1000 - TILE_RT_HASH_BYTES, 'x');
    ASSERT_TRUE(
        tile_rt_cache_write(folder, &hash, bytes.data(), bytes.size(), &error))
        << error.message;
    setAge(name(number), age);
  }
  void setAge(const std::string &file, long age) {
    struct timespec times[2] = {{time(nullptr) - age, 0},
                                {time(nullptr) - age, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, (folder + ("/" + file)).c_str(), times, 0),
              0);
  }
  bool read(int number) {
    TileRtHash hash = key(number);
    void *bytes = nullptr;
    size_t size;
    bool good = tile_rt_cache_read(folder, &hash, &bytes, &size, &error);
    free(bytes);
    return good;
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
};

TEST_F(Cache, TheOldestGoFirst) {
  for (int i = 0; i < 5; ++i)
    write(i, 100 * (5 - i));
  EXPECT_TRUE(read(0)); // which makes it the newest
  ASSERT_TRUE(tile_rt_cache_trim(folder, 3000, &error)) << error.message;
  EXPECT_EQ(list().size(), 3u);
  EXPECT_TRUE(read(0) && !read(1) && !read(2) && read(3) && read(4));
  ASSERT_TRUE(tile_rt_cache_trim(folder, 3000, &error));
  EXPECT_EQ(list().size(), 3u);
  ASSERT_TRUE(tile_rt_cache_trim(folder, 2999, &error));
  EXPECT_EQ(list().size(), 2u);
  ASSERT_TRUE(tile_rt_cache_trim(folder, 0, &error));
  EXPECT_TRUE(list().empty());
}

TEST_F(Cache, OnlyWhatIsItsOwn) {
  write(0, 0);
  for (const std::string &file :
       {std::string("notes.txt"), name(1) + ".1.0.tmp", name(2) + ".1.0.tmp"})
    fclose(fopen((folder + ("/" + file)).c_str(), "w"));
  // What a process left that died, and what one may be writing.
  setAge(name(1) + ".1.0.tmp", 4000);
  setAge("notes.txt", 4000);
  ASSERT_TRUE(tile_rt_cache_trim(folder, 0, &error)) << error.message;
  std::vector<std::string> left = list();
  EXPECT_EQ(left.size(), 2u);
  EXPECT_FALSE(tile_rt_cache_trim("/nonexistent", 0, &error));
  EXPECT_STREQ(error.message, "cache: expected to read the folder "
                              "'/nonexistent': No such file or directory");
}

TEST_F(Cache, OnlyRegularFilesAreEntries) {
  std::string path = folder + ("/" + name(0)), other = path + ".target";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_FALSE(read(0)); // and does not wait for a writer
  EXPECT_STREQ(error.message, "");
  ASSERT_EQ(remove(path.c_str()), 0);
  ASSERT_EQ(mkdir(path.c_str(), 0700), 0);
  EXPECT_FALSE(read(0));
  ASSERT_EQ(remove(path.c_str()), 0);
  write(0, 0);
  ASSERT_EQ(rename(path.c_str(), other.c_str()), 0);
  ASSERT_EQ(symlink(other.c_str(), path.c_str()), 0);
  EXPECT_FALSE(read(0));
  write(0, 0); // replaces the link, and not what it points to
  EXPECT_TRUE(read(0));
  ASSERT_EQ(chmod(path.c_str(), 0622), 0);
  EXPECT_FALSE(read(0));
}

TEST_F(Cache, OthersMustNotWrite) {
  TileRtHash hash = key(0);
  for (mode_t mode : {0720, 0702, 01777}) {
    ASSERT_EQ(chmod(folder, mode), 0);
    EXPECT_FALSE(tile_rt_cache_write(folder, &hash, "x", 1, &error));
    EXPECT_NE(std::string(error.message).find("writable by its owner alone"),
              std::string::npos)
        << error.message;
    EXPECT_FALSE(read(0));
    EXPECT_FALSE(tile_rt_cache_trim(folder, 0, &error));
  }
  EXPECT_TRUE(list().empty());
  ASSERT_EQ(chmod(folder, 0702), 0);
  // Not in a folder inside, either.
  std::string inner = folder + std::string("/a/b");
  EXPECT_FALSE(tile_rt_cache_write(inner.c_str(), &hash, "x", 1, &error));
  EXPECT_TRUE(list().empty());
  ASSERT_EQ(chmod(folder, 0755), 0);
  mode_t old = umask(0);
  ASSERT_TRUE(tile_rt_cache_write(inner.c_str(), &hash, "x", 1, &error))
      << error.message;
  umask(old);
  struct stat about;
  ASSERT_EQ(stat(inner.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 07777, 0700u);
  ASSERT_EQ(stat((inner + "/" + name(0)).c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 07777, 0600u);
  remove((inner + "/" + name(0)).c_str());
  remove(inner.c_str());
}

TEST_F(Cache, AnotherUserSuppliesNothing) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can act as another user";
  const uid_t other = 65534;
  TileRtHash hash = key(0);
  std::string theirs = folder + std::string("/theirs");
  write(0, 0);
  // An entry of theirs in a folder of ours.
  ASSERT_EQ(chown((folder + ("/" + name(0))).c_str(), other, other), 0);
  EXPECT_FALSE(read(0));
  // A folder of theirs, even with the mode that is asked for.
  ASSERT_EQ(mkdir(theirs.c_str(), 0700), 0);
  ASSERT_EQ(chown(theirs.c_str(), other, other), 0);
  EXPECT_FALSE(tile_rt_cache_write(theirs.c_str(), &hash, "x", 1, &error));
  EXPECT_NE(std::string(error.message).find("got user 65534"),
            std::string::npos)
      << error.message;
  EXPECT_FALSE(
      tile_rt_cache_write((theirs + "/a").c_str(), &hash, "x", 1, &error));
  // A link of theirs to a folder of theirs.
  ASSERT_EQ(symlink(theirs.c_str(), (theirs + ".link").c_str()), 0);
  EXPECT_FALSE(tile_rt_cache_write((theirs + ".link").c_str(), &hash, "x", 1,
                                   &error));
}

TEST_F(Cache, WhatIsNoFolder) {
  TileRtHash hash = key(0);
  std::string longer(5000, 'x');
  for (const char *path : {"", "/dev/null", "/dev/null/x", longer.c_str()}) {
    EXPECT_FALSE(tile_rt_cache_write(path, &hash, "x", 1, &error));
    EXPECT_EQ(std::string(error.message).rfind("cache: ", 0), 0u)
        << error.message;
  }
  ASSERT_EQ(symlink("nowhere", (folder + std::string("/dangling")).c_str()), 0);
  EXPECT_FALSE(tile_rt_cache_write((folder + std::string("/dangling")).c_str(),
                                   &hash, "x", 1, &error));
}

TEST_F(Cache, ManyAtOnce) {
  std::atomic<int> failures{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      TileRtError mine;
      std::string bytes(1000 - TILE_RT_HASH_BYTES, 'y');
      for (int i = 0; i < 50; ++i) {
        TileRtHash hash = key((i * 7 + t) % 20), again = hash;
        void *got = nullptr;
        size_t size = 0;
        failures += !tile_rt_cache_write(folder, &hash, bytes.data(),
                                         bytes.size(), &mine);
        failures += !tile_rt_cache_trim(folder, 5000, &mine);
        // Another may have deleted it, but what is there is whole.
        if (tile_rt_cache_read(folder, &again, &got, &size, &mine))
          failures += size != bytes.size();
        free(got);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
  ASSERT_TRUE(tile_rt_cache_trim(folder, 5000, &error));
  EXPECT_LE(list().size(), 5u);
}

} // namespace
