// Runs kernels on the model and looks at the reports.
#pragma once
#include <string>
#include <vector>

#include "kernel_operator.h"
#include "gtest/gtest.h"

class Device {
public:
  explicit Device(const char *chip = "910B")
      : model(tileAscendModelCreate(tileAscendChipByName(chip))) {}
  ~Device() { tileAscendModelDestroy(model); }
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  template <typename T>
  static TileAscendArg in(std::vector<T> &buffer) {
    return {buffer.data(), buffer.size() * sizeof(T), 0, false};
  }
  template <typename T>
  static TileAscendArg out(std::vector<T> &buffer) {
    return {buffer.data(), buffer.size() * sizeof(T), 0, true};
  }
  static TileAscendArg word(uint64_t value) {
    return {nullptr, 0, value, false};
  }

  // Returns the number of reports.
  template <typename Kernel>
  int run(Kernel *kernel, uint32_t blocks,
          const std::vector<TileAscendArg> &args = {}, uint64_t seed = 0) {
    std::string name = "kernel" + std::to_string(kernels++);
    tileAscendModelRegister(model, name.c_str(),
                            reinterpret_cast<TileAscendKernelFn>(kernel));
    TileAscendLaunch launch{};
    launch.kernel = name.c_str();
    launch.blocks = blocks;
    launch.args = args.data();
    launch.numArgs = args.size();
    launch.seed = seed;
    launch.residentBlocks = residentBlocks;
    launch.stopsAtReport = stopsAtReport;
    return tileAscendModelLaunch(model, &launch);
  }

  std::string text() const { return tileAscendModelReportText(model); }
  // The first report of a kind, or null.
  const TileAscendReport *find(TileAscendReportKind kind) const {
    for (size_t i = 0; i < tileAscendModelReportCount(model); ++i)
      if (tileAscendModelReport(model, i)->kind == kind)
        return tileAscendModelReport(model, i);
    return nullptr;
  }

  TileAscendModel *model;
  uint32_t residentBlocks = 0;
  bool stopsAtReport = false;

private:
  int kernels = 0;
};

// The kernel must give a report of this kind whose message contains the text.
#define EXPECT_REPORT(DEVICE, KIND, TEXT)                                      \
  do {                                                                         \
    const TileAscendReport *found = (DEVICE).find(TILE_ASCEND_REPORT_##KIND);  \
    ASSERT_NE(found, nullptr) << "no such report; got:\n" << (DEVICE).text();  \
    EXPECT_NE(std::string(found->message).find(TEXT), std::string::npos)       \
        << found->message;                                                     \
  } while (0)
