//===- Describe.h - from kernels to the cost model --------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_COSTMODEL_DESCRIBE_H
#define TILE_COSTMODEL_DESCRIBE_H

#include "Tile/CostModel/Estimate.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <memory>
#include <string>

namespace mlir::tile {

/// The kernels of a function, before a decision of the compiler and with
/// parameters in it or not. An error where a number that matters comes from
/// data.
FailureOr<std::unique_ptr<::tile::cost::Program>>
describeKernels(FunctionOpInterface function);

struct EstimateOptions {
  std::string chip; ///< empty: that of the module
  std::string sizes; ///< "M=64 N=32"; empty: the first of `tile.cases`
  std::vector<std::string> functions; ///< empty: all public ones with kernels
};

/// The record and the figures of a chip. Errors are reported.
struct ChipRates {
  const ::tile::target::Target *target = nullptr;
  const ::tile::target::Rates *rates = nullptr;
};
FailureOr<ChipRates> findChipRates(ModuleOp module, StringRef chip);

/// The values of all symbols of a program: sizes of the case, and parameters as
/// they are bound or by default. `at` is where errors are reported.
FailureOr<::tile::cost::SymbolValues>
getSymbolValues(Operation *at, const ::tile::cost::Program &program,
                StringRef sizes, DictionaryAttr bindings = {});

/// A copy of the module that can be described: kernels that linalg becomes,
/// bodies of functions that kernels call.
FailureOr<OwningOpRef<ModuleOp>> prepareEstimate(ModuleOp module);

/// The sizes that a function is estimated for if none are given: its first
/// case.
std::string getFirstCase(Operation *function);

/// Estimates of the functions, one after the other. Errors are reported.
FailureOr<::tile::cost::Estimate> estimate(ModuleOp module,
                                           const EstimateOptions &options);

} // namespace mlir::tile

#endif // TILE_COSTMODEL_DESCRIBE_H
