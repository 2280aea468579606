//===- AscendModel.h - kernels on the Ascend model --------------*- C++ -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emitted kernels run on this machine when its C++ compiler compiles them
// against the Ascend model. The compiler is g++, or what the environment
// variable TILE_ASCEND_CXX names; the model is the one of this installation, or
// the folder that TILE_ASCEND_MODEL names.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TARGETS_ASCEND_ASCENDMODEL_H
#define TILE_TARGETS_ASCEND_ASCENDMODEL_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace mlir {
class ModuleOp;

namespace tile {

/// A shared library of the kernels of a lowered module, of the functions around
/// them as emitAscendHost writes them, and of the model. `more` is C that comes
/// behind those functions. Returns the bytes; failures have been reported.
FailureOr<std::string> buildAscendModel(ModuleOp module, StringRef more = "");

/// What the bytes depend on beside the module.
std::string getAscendModelFingerprint();

/// Loads such a library into the process, as dlopen does. Null with the reason
/// in `error` if that fails.
void *loadAscendModel(StringRef bytes, std::string &error);

} // namespace tile
} // namespace mlir

#endif // TILE_TARGETS_ASCEND_ASCENDMODEL_H
