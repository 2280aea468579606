//===- Space.cpp - what a tuner chooses from ------------------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/CostModel/Space.h"

#include "llvm/ADT/STLExtras.h"

using namespace tile;
using namespace tile::cost;

std::string tile::cost::formatBindings(const Program &program,
                                       const Configuration &configuration) {
  std::string text;
  for (auto [parameter, value] :
       llvm::zip(program.parameters, configuration.values))
    text += (text.empty() ? "" : " ") + parameter.name.substr(1) + "=" +
            std::to_string(value);
  return text;
}

/// The next combination; false behind the last one.
static bool advance(const std::vector<Parameter> &parameters,
                    std::vector<size_t> &at) {
  for (size_t i = parameters.size(); i-- > 0;) {
    if (++at[i] < parameters[i].candidates.size())
      return true;
    at[i] = 0;
  }
  return false;
}

Space tile::cost::rank(const Program &program, const target::Target &target,
                       const target::Rates &rates, SymbolValues symbols) {
  Space space;
  const std::vector<Parameter> &parameters = program.parameters;
  // Parameters that the kernels do not use have no symbol.
  std::vector<int64_t> symbolOf;
  for (const Parameter &parameter : parameters) {
    auto names = program.exprs.getSymbols();
    auto found = llvm::find(names, parameter.name);
    symbolOf.push_back(found == names.end() ? -1 : found - names.begin());
  }
  Estimator estimator(program, target, rates);
  std::vector<size_t> at(parameters.size());
  do {
    Configuration one;
    one.isDefault = true;
    bool isRepeated = false;
    for (size_t i = 0; i < parameters.size(); ++i) {
      int64_t value = parameters[i].candidates[at[i]];
      one.values.push_back(value);
      one.isDefault &= value == parameters[i].defaultValue;
      if (symbolOf[i] >= 0)
        symbols[symbolOf[i]] = value;
      else
        isRepeated |= value != parameters[i].defaultValue;
    }
    if (isRepeated)
      continue;
    ++space.total;
    if (estimator.findUnmet(symbols)) {
      ++space.unmet;
      continue;
    }
    Estimate estimate = estimator.estimate(symbols);
    one.seconds = estimate.seconds;
    if (!estimate.problem.empty() && !one.isDefault) {
      ++space.tooLarge;
      continue;
    }
    space.ranked.push_back(std::move(one));
  } while (advance(parameters, at));
  llvm::stable_sort(space.ranked,
                    [](const Configuration &a, const Configuration &b) {
                      return a.seconds < b.seconds;
                    });
  return space;
}
