//===- Space.h - what a tuner chooses from ----------------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COSTMODEL_SPACE_H
#define TILE_COSTMODEL_SPACE_H

#include "Tile/CostModel/Estimate.h"

namespace tile::cost {

/// Values of the parameters of a program, in their order.
struct Configuration {
  std::vector<int64_t> values;
  double seconds = 0; ///< estimated
  bool isDefault = false;
};

struct Space {
  /// Those that meet the requirements and fit the chip, fastest first by the
  /// estimate. The default is one of them even if it is estimated not to fit.
  std::vector<Configuration> ranked;
  int64_t total = 0;    ///< combinations of candidates
  int64_t unmet = 0;    ///< that a requirement excludes
  int64_t tooLarge = 0; ///< that do not fit the chip
};

/// Looks at all combinations of the candidates; `symbols` has the sizes.
Space rank(const Program &program, const target::Target &target,
           const target::Rates &rates, SymbolValues symbols);

/// "BM=64 BN=128".
std::string formatBindings(const Program &program,
                           const Configuration &configuration);

} // namespace tile::cost

#endif // TILE_COSTMODEL_SPACE_H
