// Deletes each synchronisation site of each hand-written kernel in turn, and
// each group of sites that signal each other: the model must complain every
// time. Numbers alone would miss most of them, which the printed table shows.
#include <cstdio>
#include <map>

#include "KernelData.h"

namespace {

struct Tally {
  int mutants = 0, detected = 0, wrongInProgramOrder = 0, wrongInSomeOrder = 0;
};

// Runs the mutant that the model is set to. Detection must not depend on the
// schedule, so one schedule decides it.
template <typename Data>
void runMutant(Device &device, Tally *tally, const std::string &what) {
  ++tally->mutants;
  bool wrongSomewhere = false;
  for (uint64_t seed = 0; seed < 6; ++seed) {
    Data data = Data();
    int reports = data.run(device, seed);
    bool wrong = data.wrong() != 0;
    wrongSomewhere |= wrong;
    if (seed == 0) {
      tally->wrongInProgramOrder += wrong;
      tally->detected += reports > 0;
    }
    EXPECT_GT(reports, 0) << "not noticed without " << what << " (seed " << seed
                          << ")";
  }
  tally->wrongInSomeOrder += wrongSomewhere;
}

std::string nameOf(const TileAscendSyncSite &site) {
  return std::string(site.api) + " at line " + std::to_string(site.line);
}

template <typename Data>
void mutate(const char *kernel) {
  Device device;
  ASSERT_EQ(Data().run(device, 0), 0) << device.text();
  size_t sites = tileAscendModelSyncSiteCount(device.model);
  std::map<uint32_t, std::vector<size_t>> groups;
  Tally single, grouped;
  for (size_t i = 0; i < sites; ++i) {
    TileAscendSyncSite site = tileAscendModelSyncSite(device.model, i);
    groups[site.group].push_back(i);
    tileAscendModelSkipSync(device.model, i, true);
    runMutant<Data>(device, &single, nameOf(site));
    tileAscendModelSkipNoSync(device.model);
  }
  for (const auto &[root, members] : groups) {
    for (size_t i : members)
      tileAscendModelSkipSync(device.model, i, true);
    runMutant<Data>(device, &grouped,
                    "the group of " +
                        nameOf(tileAscendModelSyncSite(device.model, root)));
    tileAscendModelSkipNoSync(device.model);
  }
  auto print = [&](const char *kind, const Tally &tally) {
    std::printf("%-10s %-7s sync deleted: %2d mutants, %2d detected; numbers "
                "wrong in program order: %2d, in some order: %2d\n",
                kernel, kind, tally.mutants, tally.detected,
                tally.wrongInProgramOrder, tally.wrongInSomeOrder);
  };
  print("single", single);
  print("grouped", grouped);
}

struct Vadd : VaddData {
  Vadd() : VaddData(6 * kVaddTile - 5) {}
};

} // namespace

TEST(Mutation, VectorAdd) { mutate<Vadd>("vadd"); }
TEST(Mutation, Matmul) { mutate<MatmulData>("matmul"); }
TEST(Mutation, MatmulAdd) { mutate<MixData>("matmul+add"); }
TEST(Mutation, TailInK) { mutate<TailData>("k tail"); }

// A launch that stops at its first report has one where the whole launch has
// any, and none otherwise.
TEST(Mutation, StopsAtReport) {
  Device device;
  device.stopsAtReport = true;
  MixData whole;
  ASSERT_EQ(whole.run(device, 0), 0) << device.text();
  EXPECT_EQ(whole.wrong(), 0u);
  uint64_t instructions = tileAscendModelStats(device.model).instructions;
  for (size_t i = 0; i < tileAscendModelSyncSiteCount(device.model); ++i)
    for (uint64_t seed : {0, 1}) {
      tileAscendModelSkipSync(device.model, i, true);
      EXPECT_GT(MixData().run(device, seed), 0);
      EXPECT_LE(tileAscendModelStats(device.model).instructions, instructions);
      tileAscendModelSkipNoSync(device.model);
    }
  EXPECT_EQ(MixData().run(device, 0), 0) << device.text();
}
