//===- Contract.h - what the text of a function promises --------*- C++ -*-===//
//-*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names of arguments and equations between sizes do not survive lowering. They
// are taken from the function before it, and added to its launch metadata after
// it.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DRIVER_CONTRACT_H
#define TILE_DRIVER_CONTRACT_H

#include "mlir/Interfaces/FunctionInterfaces.h"

#include <string>
#include <vector>

namespace mlir::tile {

struct ArgumentContract {
  std::string name;                 ///< empty if it has none
  std::vector<std::string> extents; ///< of tile.shape; empty where unnamed
};

using FunctionContract = std::vector<ArgumentContract>;

FunctionContract getContract(FunctionOpInterface function);

/// Adds what the text does not say yet: names of arguments, and that two sizes
/// with the same name are equal. Texts that do not fit are left as they are.
std::string addContract(const std::string &metadata,
                        const FunctionContract &contract);

} // namespace mlir::tile

#endif // TILE_DRIVER_CONTRACT_H
